package kcplink

import (
	"net/netip"
	"sync"
	"sync/atomic"

	"github.com/tidelock/tidelock/netcode/link"
)

// Carrier carries the packets of a pipe: a session of WebTransport or WebSocket, or whatever else keeps packets apart. It
// may lose, repeat and delay them, as UDP does; what it must not do is make the caller wait.
type Carrier interface {
	// Send takes one packet of at most link.MaxPacket bytes, which it copies. It never blocks. False: the packet is lost.
	// Called on the link's goroutine.
	Send(b []byte) bool
	// Close ends the session because nothing needs it any more, what was sent before first. It never blocks, and may be
	// called more than once, on the link's goroutine.
	Close(why link.Reason)
}

// Pipe is a path for packets beside the link's socket, to one peer (W2.1). The gate, the table of addresses and all limits
// are the same for both: a packet that came over a pipe came from the pipe's remote address. Its methods are for any
// goroutine.
//
// A connection is not bound to a pipe: as with addresses of UDP, the newest authentic packet says which path leads to the
// peer, so that a client that opens another pipe keeps its connection.
type Pipe struct {
	l       *Link
	remote  netip.AddrPort
	carrier Carrier

	accepted atomic.Bool
	// users are connections whose path it is. Only the link's goroutine touches it.
	users int
	// why it broke; set once, before the link is told.
	why link.Reason
}

// path is where packets come from and go to: an address of the link's socket, or a pipe.
type path struct {
	netip.AddrPort
	pipe *Pipe
}

// String is what logs and reasons call it.
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
	broken []*Pipe // whose connections have not been told
	closed bool
}

// Pipe makes a path for packets beside the socket. remote is the peer's real address, which limits and cookies go by; the
// zero address is for a pipe that one only dials over. It ends by Break, or when the link closes the carrier. Any
// goroutine may call it; link.ErrClosed once the link is closed.
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

// Receive takes a packet that has come, and copies it. What no packet can be is dropped and counted, like what comes while
// Poll is behind.
func (p *Pipe) Receive(b []byte) { p.l.in.copy(b, path{p.remote, p}) }

// Break says that the carrier's session has ended. What was dialled over it ends with why. A connection that was accepted
// lives on until its silence ends it: its peer may come back over another path. Later calls do nothing.
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

// Accepted reports whether a connection was ever accepted, or dialled, over it. A session over which nobody came in within a while is
// one that a listener can end.
func (p *Pipe) Accepted() bool { return p.accepted.Load() }

// breaks ends what was dialled over pipes that broke since the last Poll.
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

// closePipes ends all of them, for good.
func (l *Link) closePipes(why link.Reason) {
	l.pipes.mu.Lock()
	all := l.pipes.all
	l.pipes.all, l.pipes.closed = nil, true
	l.pipes.mu.Unlock()
	for p := range all { // any order: each ends by itself
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

// leave takes a connection off a pipe, nil for none. One that nobody will need again is closed; over one that nobody came
// in yet somebody may still be connecting.
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

// hand gives a packet to its pipe's carrier.
func (l *Link) hand(o *outPacket) {
	if o.to.pipe.carrier.Send(o.b[:o.n]) {
		l.sent(o)
	} else {
		l.count.SendsDropped++
	}
	l.release(o)
}
