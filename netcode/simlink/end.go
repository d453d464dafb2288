package simlink

import (
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
	inbox    []*packet // a heap by arrival, then by sending
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
	e.inbox = append(e.inbox, p)
	for i := len(e.inbox) - 1; i > 0; {
		up := (i - 1) / 2
		if !earlier(e.inbox[i], e.inbox[up]) {
			break
		}
		e.inbox[i], e.inbox[up] = e.inbox[up], e.inbox[i]
		i = up
	}
}

func earlier(a, b *packet) bool {
	if a.at != b.at {
		return a.at < b.at
	}
	return a.order < b.order
}

func (e *End) takeFirst() *packet {
	h := e.inbox
	p := h[0]
	n := len(h) - 1
	h[0], h[n] = h[n], nil
	h = h[:n]
	for i := 0; ; {
		k := 2*i + 1
		if k >= n {
			break
		}
		if k+1 < n && earlier(h[k+1], h[k]) {
			k++
		}
		if !earlier(h[k], h[i]) {
			break
		}
		h[i], h[k] = h[k], h[i]
		i = k
	}
	e.inbox = h
	return p
}

// Poll hands over what has arrived by now, in order of arrival, and does what is due.
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
		p := e.takeFirst()
		e.deliver(p, h)
		e.net.release(p)
		if e.gone {
			return
		}
	}
	e.tellEnded(h)
	dead := 0
	for i := 0; i < len(e.conns); i++ { // a handler may close others
		c := e.conns[i]
		c.service(now, h)
		if e.gone {
			return
		}
		if c.state == stateDead {
			dead++
		}
	}
	if dead > 0 {
		keep := e.conns[:0]
		for _, c := range e.conns {
			if c.state != stateDead {
				keep = append(keep, c)
			}
		}
		clear(e.conns[len(keep):])
		e.conns = keep
		e.net.forget()
	}
}

func (e *End) tellEnded(h link.Handler) {
	for i := 0; i < len(e.ended) && !e.gone; i++ { // telling may end others
		h.Closed(e.ended[i].conn, e.ended[i].why)
	}
	clear(e.ended)
	e.ended = e.ended[:0]
}

// deliver takes one packet.
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

// Close says goodbye on every connection, several times since nobody repeats it later, and frees the end.
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

// Conns are the open connections, in order of opening.
func (e *End) Conns(out []*Conn) []*Conn {
	for _, c := range e.conns {
		if c.state == stateOpen {
			out = append(out, c)
		}
	}
	return out
}
