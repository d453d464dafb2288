package kcplink

import (
	"net/netip"
	"sync"
	"sync/atomic"

	"github.com/tidelock/tidelock/netcode/link"
)

// Carrier carries the packets of a pipe: a session of WebTransport or WebSocket, or anything else that preserves
// packet boundaries. It may lose, duplicate and delay packets, as UDP does; it must not block the caller.
type Carrier interface {
	// Send copies and sends one packet of at most link.MaxPacket bytes. It never blocks. It returns false if the
	// packet is lost. It is called on the link's goroutine.
	Send(b []byte) bool
	// Close ends the session because it is no longer needed, after sending what is queued. It never blocks, and may
	// be called more than once, on the link's goroutine.
	Close(why link.Reason)
}

// Pipe is a packet path to one peer, in addition to the link's socket (W2.1). The gate, the address table and all
// limits apply to both: a packet received over a pipe came from the pipe's remote address. Its methods may be
// called on any goroutine.
//
// A connection is not bound to a pipe: as with UDP addresses, the newest authentic packet says which path leads to
// the peer, so that a client that opens another pipe keeps its connection.
type Pipe struct {
	l       *Link
	remote  netip.AddrPort
	carrier Carrier

	accepted atomic.Bool
	// foreign is set before the first packet: see Foreign.
	foreign atomic.Bool
	// users counts the connections that use it as their path. Only the link's goroutine touches it.
	users int
	// why is the reason it broke; set once, before the link is notified.
	why link.Reason
}

// path is a source or destination of packets: an address of the link's socket, or a pipe.
type path struct {
	netip.AddrPort
	pipe *Pipe
}

// String returns the name for logs and reasons.
func (w path) String() string {
	if w.pipe != nil && !w.IsValid() {
		return "the server" // a browser does not know its address
	}
	return w.AddrPort.String()
}

// pipes are those of a link.
type pipes struct {
	mu     sync.Mutex
	all    map[*Pipe]struct{}
	broken []*Pipe // whose connections have not been notified
	closed bool
}

// Pipe creates a packet path in addition to the socket. remote is the peer's real address, which limits and cookies
// use; the zero address is for a pipe that is only used to dial. It ends by Break, or when the link closes the
// carrier. It may be called on any goroutine, and returns link.ErrClosed once the link is closed.
func (l *Link) Pipe(remote netip.AddrPort, c Carrier) (*Pipe, error) {
	if remote.IsValid() {
		remote = netip.AddrPortFrom(remote.Addr().Unmap(), remote.Port())
	}
	p := &Pipe{l: l, remote: remote, carrier: c}
	l.pipes.mu.Lock()
	defer l.pipes.mu.Unlock()
	if l.pipes.closed {
		return nil, link.ErrClosed
	}
	l.pipes.all[p] = struct{}{}
	return p, nil
}

// Receive copies a received packet into the queue. What cannot be a packet is dropped and counted, and so are
// packets that exceed the queue.
func (p *Pipe) Receive(b []byte) { p.l.in.copy(b, path{p.remote, p}) }

// Foreign says, before the first packet is received, that the pipe's session was opened by a page of another host (W2.4, C6): over it
// only players with a connect token come in, and those who had one before (see returning).
func (p *Pipe) Foreign() { p.foreign.Store(true) }

// Break reports that the carrier's session has ended. Connections dialled over it end with why. An accepted
// connection stays open until its silence timeout, because its peer may return over another path. Later calls do
// nothing.
func (p *Pipe) Break(why link.Reason) {
	s := &p.l.pipes
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := s.all[p]; ok {
		p.why = why
		delete(s.all, p)
		s.broken = append(s.broken, p)
	}
}

// Accepted reports whether a connection was ever accepted, or dialled, over it. A listener may end a session over
// which nobody connected within a while.
func (p *Pipe) Accepted() bool { return p.accepted.Load() }

// breaks ends connections dialled over pipes that broke since the last Poll.
func (l *Link) breaks() {
	l.pipes.mu.Lock()
	broken := l.pipes.broken
	l.pipes.broken = nil
	l.pipes.mu.Unlock()
	for _, p := range broken {
		for _, c := range l.table {
			if c == nil || !c.dialled || c.path.pipe != p {
				continue
			}
			switch c.state {
			case stateOpen:
				c.end(p.why, false)
			case stateHello, stateConnecting, stateConfirming:
				c.fail(p.why)
			case stateNew, stateHalfOpen, stateRefused, stateLeaving, stateDead, states:
			}
		}
	}
}

// closePipes closes all pipes, finally.
func (l *Link) closePipes(why link.Reason) {
	l.pipes.mu.Lock()
	all := l.pipes.all
	l.pipes.all, l.pipes.closed = nil, true
	l.pipes.mu.Unlock()
	for p := range all { // any order: each ends separately
		p.carrier.Close(why)
	}
}

// usePath makes w the connection's path.
func (c *Conn) usePath(w path) {
	old := c.path.pipe
	c.path = w
	c.ident.Addr = w.String()
	if w.pipe == old {
		return
	}
	if w.pipe != nil {
		w.pipe.users++
		if c.state == stateOpen {
			w.pipe.accepted.Store(true)
		}
	}
	old.leave(link.Reason{Code: "moved", Text: "the player came back over another way"})
}

// leave removes a connection from a pipe, which may be nil. A pipe that is no longer needed is closed; over one
// without any accepted connection so far, a peer may still be connecting.
func (p *Pipe) leave(why link.Reason) {
	if p == nil {
		return
	}
	if p.users--; p.users > 0 || !p.accepted.Load() {
		return
	}
	if why.Code == "" {
		why = link.Reason{Code: "closed", Text: "the connection has ended"}
	}
	p.carrier.Close(why)
}

// hand passes a packet to its pipe's carrier.
func (l *Link) hand(o *outPacket) {
	if o.to.pipe.carrier.Send(o.b[:o.n]) {
		l.sent(o)
	} else {
		l.count.SendsDropped++
	}
	l.release(o)
}
