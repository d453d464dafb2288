//go:build !js

package carrier

import (
	"sync"
	"time"

	"github.com/tidelock/tidelock/netcode/link"
)

// packet is a packet that waits to be sent.
type packet struct {
	b  [link.MaxPacket]byte
	n  int
	at time.Time
}

// queue connects the link's goroutine, which pushes, to the session's sender, which pops.
//
// Invariant: n packets are queued from head on, oldest first, and n is at most queuePackets; at most queuePackets+1
// buffers exist.
type queue struct {
	mu      sync.Mutex
	ring    [queuePackets]*packet
	head, n int
	free    []*packet
	// open is set once the session is open. Before, only the newest packet is kept: the link repeats its HELLO.
	open bool
	// wake has room for one signal that something was pushed.
	wake chan struct{}
}

func newQueue() *queue { return &queue{wake: make(chan struct{}, 1)} }

// push copies a packet into the queue and reports whether it is queued. replaced is set if it replaced an older
// one.
func (q *queue) push(b []byte, now time.Time) (ok, replaced bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if !q.open && q.n > 0 {
		q.drop()
		replaced = true
	}
	if q.n == queuePackets {
		return false, replaced
	}
	var p *packet
	if n := len(q.free); n > 0 {
		p, q.free = q.free[n-1], q.free[:n-1]
	} else {
		p = new(packet)
	}
	p.n, p.at = copy(p.b[:], b), now
	q.ring[(q.head+q.n)%queuePackets] = p
	q.n++
	select {
	case q.wake <- struct{}{}:
	default:
	}
	return true, replaced
}

// opened is called once when packets can be sent. A kept packet has not waited for the network, so its age starts
// now.
func (q *queue) opened(now time.Time) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.open = true
	for i := range q.n {
		q.ring[(q.head+i)%queuePackets].at = now
	}
}

// pop returns the oldest packet, nil for none; give returns it to the queue. Stale is how many were dropped: all
// waiting ones once the oldest is stale, but while the session ends only those that are stale themselves, so that a
// final goodbye is still sent.
func (q *queue) pop(now time.Time, ending bool) (p *packet, stale int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for all := false; q.n > 0 && (all || now.Sub(q.ring[q.head].at) > staleAfter); stale++ {
		q.drop()
		all = !ending
	}
	if q.n == 0 {
		return nil, stale
	}
	return q.shift(), stale
}

func (q *queue) shift() *packet {
	p := q.ring[q.head]
	q.ring[q.head] = nil
	q.head = (q.head + 1) % queuePackets
	q.n--
	return p
}

func (q *queue) drop() { q.free = append(q.free, q.shift()) }

func (q *queue) give(p *packet) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.free = append(q.free, p)
}
