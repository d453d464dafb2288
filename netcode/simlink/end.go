package simlink

import (
	"cmp"
	"container/heap"
	"slices"
	"time"

	"github.com/tidelock/tidelock/netcode/link"
)

// End is one peer's end of its connections.
type End struct {
	net      *Network
	isServer bool
	dialled  *route // of a client
	gone     bool
	now      time.Duration
	conns    []*Conn // in order of opening
	nextID   uint64
	inbox    inbox
	ended    []ended
}

type ended struct {
	conn *Conn
	why  link.Reason
}

// arrive puts a packet into the inbox.
func (e *End) arrive(at time.Duration, p *packet) {
	if e == nil || e.gone {
		p.route.up.net.release(p)
		return
	}
	p.at, p.order = at, e.net.order
	e.net.order++
	heap.Push(&e.inbox, p)
}

// inbox is a heap of packets by arrival, then by sending order.
type inbox []*packet

func (q inbox) Len() int { return len(q) }
func (q inbox) Less(i, j int) bool {
	return cmp.Or(cmp.Compare(q[i].at, q[j].at), cmp.Compare(q[i].order, q[j].order)) < 0
}
func (q inbox) Swap(i, j int) { q[i], q[j] = q[j], q[i] }
func (q *inbox) Push(p any)   { *q = append(*q, p.(*packet)) }

func (q *inbox) Pop() any {
	last := len(*q) - 1
	p := (*q)[last]
	(*q)[last] = nil
	*q = (*q)[:last]
	return p
}

// Poll delivers what has arrived by now, in order of arrival, and does what is due.
func (e *End) Poll(now time.Duration, h link.Handler) {
	if e.gone {
		return
	}
	e.now = max(e.now, now)
	now = e.now
	e.tellEnded(h)
	if e.isServer {
		for _, r := range e.net.routes {
			r.up.pump(now)
		}
	} else {
		e.dialled.down.pump(now)
	}
	for len(e.inbox) > 0 && e.inbox[0].at <= now {
		p := heap.Pop(&e.inbox).(*packet)
		e.deliver(p, h)
		e.net.release(p)
		if e.gone {
			return
		}
	}
	e.tellEnded(h)
	for i := 0; i < len(e.conns); i++ { // a handler may close others
		c := e.conns[i]
		c.service(now, h)
		if e.gone {
			return
		}
	}
	all := len(e.conns)
	if e.conns = slices.DeleteFunc(e.conns, func(c *Conn) bool { return c.state == stateDead }); len(e.conns) < all {
		e.net.forget()
	}
}

func (e *End) tellEnded(h link.Handler) {
	for i := 0; i < len(e.ended) && !e.gone; i++ { // a handler may end others
		h.Closed(e.ended[i].conn, e.ended[i].why)
	}
	clear(e.ended)
	e.ended = e.ended[:0]
}

// deliver processes one packet.
func (e *End) deliver(p *packet, h link.Handler) {
	r := p.route
	traffic := &e.net.Down
	if e.isServer {
		traffic = &e.net.Up
	}
	traffic.Delivered++
	traffic.DeliveredBytes += uint64(p.size())
	switch p.kind {
	case packetHello:
		if !e.isServer {
			return
		}
		// A host that was restarted meanwhile answers, too.
		if r.server == nil || r.server.end != e && r.client.state == stateDialling {
			e.nextID++
			c := newConn(e, r, e.nextID, &r.down)
			r.server = c
			e.conns = append(e.conns, c)
			c.becomeOpen(e.now, 2*(e.now-p.offered))
			c.accept()
			h.Opened(c)
			return
		}
		if r.server.end == e && r.server.state == stateOpen {
			r.server.accept() // the first answer was lost
		}
	case packetAccept:
		if c := r.client; !e.isServer && c.state == stateDialling {
			c.becomeOpen(e.now, 2*(e.now-p.offered))
			h.Opened(c)
		}
	case packetData:
		c := r.client
		if e.isServer {
			c = r.server
		}
		if c != nil && c.end == e {
			c.receive(p, h)
		}
	}
}

// Flush sends what was queued since the last Flush.
func (e *End) Flush(now time.Duration) {
	if e.gone {
		return
	}
	e.now = max(e.now, now)
	for _, c := range e.conns {
		if c.state == stateOpen {
			c.flush(e.now)
		}
	}
}

// Close sends a goodbye on every connection, several times because there is no later retry, and frees the end.
func (e *End) Close() error {
	if e.gone {
		return nil
	}
	for _, c := range e.conns {
		if c.state == stateOpen {
			c.flush(e.now)
			c.why = link.Reason{Code: "closed", Text: "the other side has ended"}
			for range 3 {
				c.goodbye(e.now)
			}
		}
		c.becomeDead()
	}
	e.gone = true
	for _, p := range e.inbox {
		e.net.release(p)
	}
	e.inbox, e.conns = nil, nil
	return nil
}

// Kill ends the end without a goodbye, as if its process were killed.
func (e *End) Kill() {
	for _, c := range e.conns {
		c.becomeDead()
	}
	if !e.gone {
		e.gone = true
		for _, p := range e.inbox {
			e.net.release(p)
		}
	}
	e.inbox, e.conns = nil, nil
}

// Conns appends the open connections, in order of opening.
func (e *End) Conns(out []*Conn) []*Conn {
	for _, c := range e.conns {
		if c.state == stateOpen {
			out = append(out, c)
		}
	}
	return out
}
