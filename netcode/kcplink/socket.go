package kcplink

import (
	"errors"
	"net"
	"net/netip"
	"sync"
	"sync/atomic"
)

// socket is what a link needs of UDP.
type socket interface {
	// read waits for at least one datagram and fills the first packets of ps. Only the reader calls it.
	read(ps []*packet) (int, error)
	// write sends the first packets of out and returns how many; errFull if the system accepts no more now.
	write(out []*outPacket) (int, error)
	localAddr() netip.AddrPort
	// close makes a waiting read return net.ErrClosed.
	close() error
}

// errFull means that the send buffer is full.
var errFull = errors.New("kcplink: the socket's buffer is full")

// packet is a received datagram. Its buffer is longer than any valid one, so that overlong ones are detected.
type packet struct {
	b    [maxPacket + 16]byte
	n    int
	from path
}

// SocketBuffer is the requested buffer size, in bytes: a quarter of a second for a thousand players. The system may
// grant less.
const SocketBuffer = 4 << 20

func bind(addr string) (*net.UDPConn, error) {
	if addr == "" {
		addr = ":0"
	}
	a, err := net.ResolveUDPAddr("udp", addr)
	if err != nil {
		return nil, err
	}
	c, err := net.ListenUDP("udp", a)
	if err != nil {
		return nil, err
	}
	// A refusal by the system is not fatal.
	_ = c.SetReadBuffer(SocketBuffer)
	_ = c.SetWriteBuffer(SocketBuffer)
	return c, nil
}

// inbound is the queue between the reader and Poll. When it is full, the newest packet is dropped and counted.
// Packets of the handshake get at most a quarter of it, so that unknown peers cannot displace players.
//
// Invariant: at most limit packets wait, and at most limit and three batches of buffers exist.
type inbound struct {
	mu        sync.Mutex
	wait      []*packet
	spare     []*packet // the other slice, empty; take and give swap them
	pool      []*packet
	limit     int
	strangers int // of the waiting ones

	short, long, unknown, full, errors atomic.Uint64
	// arrived counts everything that put has seen, updated last.
	arrived atomic.Uint64
	broken  atomic.Bool
	done    chan struct{}
}

func newInbound(limit int) *inbound { return &inbound{limit: limit, done: make(chan struct{})} }

// read is the link's only goroutine: New starts it, closing the socket stops it, and Close waits for it.
func (q *inbound) read(s socket) {
	defer close(q.done)
	ps := make([]*packet, readBatch)
	for i := range ps {
		ps[i] = new(packet)
	}
	failed := 0
	for {
		n, err := s.read(ps)
		if err != nil {
			if errors.Is(err, net.ErrClosed) {
				return
			}
			// Others stem from earlier sends, or are temporary.
			q.errors.Add(1)
			if failed++; failed >= maxReadErrors {
				q.broken.Store(true)
				return
			}
			continue
		}
		failed = 0
		q.put(ps[:n])
	}
}

// put queues packets that may be ours and replaces them in ps.
func (q *inbound) put(ps []*packet) {
	defer q.arrived.Add(uint64(len(ps)))
	q.mu.Lock()
	defer q.mu.Unlock()
	for i, p := range ps {
		if q.takes(p.b[:min(p.n, len(p.b))]) {
			q.wait = append(q.wait, p)
			ps[i] = q.fresh()
		}
	}
}

// copy queues a copy of b, if it may be one of our packets.
func (q *inbound) copy(b []byte, from path) {
	defer q.arrived.Add(1)
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.takes(b) {
		p := q.fresh()
		p.n, p.from = copy(p.b[:], b), from
		q.wait = append(q.wait, p)
	}
}

// takes checks a received packet, and counts it as unknown if it is queued.
func (q *inbound) takes(b []byte) bool {
	switch {
	case len(b) < headerSize:
		q.short.Add(1)
	case len(b) > maxPacket:
		q.long.Add(1)
	case b[0] < typeData || b[0] > typeQuery:
		q.unknown.Add(1)
	case len(q.wait) >= q.limit, b[0] != typeData && q.strangers >= max(1, q.limit/4):
		q.full.Add(1)
	default:
		if b[0] != typeData {
			q.strangers++
		}
		return true
	}
	return false
}

// fresh returns a packet to fill.
func (q *inbound) fresh() *packet {
	n := len(q.pool)
	if n == 0 {
		return new(packet)
	}
	p := q.pool[n-1]
	q.pool = q.pool[:n-1]
	return p
}

// take returns everything that waits, to Poll, which must give it back.
func (q *inbound) take() []*packet {
	q.mu.Lock()
	defer q.mu.Unlock()
	got := q.wait
	q.wait, q.spare = q.spare[:0], nil
	q.strangers = 0
	return got
}

func (q *inbound) give(ps []*packet) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for i, p := range ps {
		p.from = path{} // it would keep a pipe alive
		if len(q.pool) < q.limit {
			q.pool = append(q.pool, p)
		}
		ps[i] = nil
	}
	q.spare = ps[:0]
}

// Gather takes the packets that have arrived by now: the next Poll handles these and none that arrive later. A caller that must know at which
// time at the latest they arrived reads its clock in between; otherwise Poll gathers by itself.
func (l *Link) Gather() {
	if !l.gathers && !l.closed {
		l.gathered, l.gathers = l.in.take(), true
	}
}
