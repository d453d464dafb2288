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
	// read waits for at least one datagram and fills the first ones of ps. Only the reader calls it.
	read(ps []*packet) (int, error)
	// write sends the first ones of out and returns how many; errFull if the system takes no more now.
	write(out []*outPacket) (int, error)
	localAddr() netip.AddrPort
	// close ends a read that waits with net.ErrClosed.
	close() error
}

// errFull means that the send buffer is.
var errFull = errors.New("kcplink: the socket's buffer is full")

// packet is a datagram that came. Its buffer is longer than any good one, to see that one is too long.
type packet struct {
	b    [maxPacket + 16]byte
	n    int
	from path
}

// socketBuffer is asked of the system, in bytes: a quarter of a second of a thousand players. It may give less.
const socketBuffer = 4 << 20

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
	// What the system refuses is no reason to stop.
	_ = c.SetReadBuffer(socketBuffer)
	_ = c.SetWriteBuffer(socketBuffer)
	return c, nil
}

// inbound is the queue between the reader and Poll. Its policy when full: the newest is dropped and counted.
// Packets of the handshake get a quarter of it at most, so that strangers cannot crowd out players.
//
// Invariant: at most limit packets wait, and no more than limit and three batches of buffers exist.
type inbound struct {
	mu        sync.Mutex
	wait      []*packet
	spare     []*packet // the other slice, empty; take and give swap them
	pool      []*packet
	limit     int
	strangers int // of those waiting

	short, long, unknown, full, errors atomic.Uint64
	// arrived counts all that put has seen, last.
	arrived atomic.Uint64
	broken  atomic.Bool
	done    chan struct{}
}

func newInbound(limit int) *inbound { return &inbound{limit: limit, done: make(chan struct{})} }

// read is the link's one goroutine: started by New, stopped by closing the socket, awaited by Close.
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
			// Others come from earlier sends, or pass.
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

// put queues what may be one of our packets and replaces it in ps.
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

// takes judges what has come, and counts it among strangers' if it is queued.
func (q *inbound) takes(b []byte) bool {
	switch {
	case len(b) < headerSize:
		q.short.Add(1)
	case len(b) > maxPacket:
		q.long.Add(1)
	case b[0] < typeData || b[0] > typeUnknown:
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

// fresh is a packet to fill.
func (q *inbound) fresh() *packet {
	n := len(q.pool)
	if n == 0 {
		return new(packet)
	}
	p := q.pool[n-1]
	q.pool = q.pool[:n-1]
	return p
}

// take is Poll's: everything that waits, to be given back.
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
