package kcplink

import (
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"net/netip"
	"time"
	"unicode/utf8"

	"github.com/flynn/noise"

	"github.com/tidelock/tidelock/netcode/link"
)

// Dial says where to connect and with which identity.
type Dial struct {
	// Addr of the server; not needed if Pipe is set.
	Addr netip.AddrPort
	// Pipe, if not nil, is the path to the server, one of this link's. It is closed when the connection has ended.
	Pipe *Pipe
	// ServerKey, if not zero, is the only key that the server may have. Without it any server is accepted, and
	// Identity().Key is its key, which can be pinned the next time.
	ServerKey [32]byte
	// Key identifies the dialling side, if not zero; otherwise Config.Key does. To a server in open mode, two
	// connections with one key are the same player connecting again.
	Key Key
	// Token of the operator, as IssueToken made it; empty in open mode.
	Token string
	// Password in open mode. The server learns that we know it; an impostor does not learn it.
	Password string
	// Options is passed to the server's game, at most MaxOptions bytes of UTF-8.
	Options string
}

// dial is the state of a dialling connection until it is open.
type dial struct {
	Dial
	// token is the part of Token that is sent to the server, secret the rest.
	token, secret []byte
	noise         *noise.HandshakeState
	cookie        [rawCookie]byte
	// head is CONNECT up to noise 1; ephemeral and failed are as in half.
	head      []byte
	ephemeral [32]byte
	failed    int
	// sent is the CONNECT or CONFIRM that is repeated until it is answered.
	sent []byte
	// tries counts transmissions of sent, since began; wait is the time to the next one, at next, until deadline.
	tries                 int
	wait                  time.Duration
	began, next, deadline time.Duration
	// patience is how long an answer to CONNECT is awaited.
	patience time.Duration
	// instead is the session that this dial renews, nil for none.
	instead *Conn
	// last is the reason of the last denial that was not final.
	last link.Reason
}

// Dial begins to connect. Opened is called when the connection is open; on failure Closed is called, without
// Opened. The error concerns the arguments, never the network.
func (l *Link) Dial(d Dial) (*Conn, error) {
	if l.closed {
		return nil, link.ErrClosed
	}
	to := path{AddrPort: netip.AddrPortFrom(d.Addr.Addr().Unmap(), d.Addr.Port())}
	switch {
	case d.Pipe != nil && d.Pipe.l != l:
		return nil, errors.New("kcplink: dial: the pipe is another link's")
	case d.Pipe != nil:
		to = path{d.Pipe.remote, d.Pipe}
	case l.sock == nil:
		return nil, errors.New("kcplink: dial: the link has no socket (PipesOnly); give a Pipe")
	case !d.Addr.IsValid() || d.Addr.Port() == 0:
		return nil, fmt.Errorf("kcplink: dial: %q is not an address with a port", d.Addr)
	}
	if len(d.Options) > MaxOptions || !utf8.ValidString(d.Options) {
		return nil, fmt.Errorf("kcplink: dial: options are %d bytes, at most %d of UTF-8", len(d.Options), MaxOptions)
	}
	if d.Key == (Key{}) {
		d.Key = l.key
	} else if want, err := KeyFromPrivate(d.Key.Private); err != nil || want.Public != d.Key.Public {
		return nil, errors.New("kcplink: dial: the key pair's halves do not belong together")
	}
	dl := &dial{Dial: d, deadline: l.now + l.limits.DialTimeout}
	if d.Token != "" {
		raw, err := base64.RawURLEncoding.DecodeString(d.Token)
		if err != nil || len(raw) < tokenLeast+secretSize || len(raw) > maxToken+secretSize {
			return nil, fmt.Errorf("kcplink: dial: the connect token is damaged")
		}
		dl.token, dl.secret = raw[:len(raw)-secretSize], raw[len(raw)-secretSize:]
	}
	c := l.newConn(to)
	if c == nil {
		return nil, fmt.Errorf("kcplink: dial: no more than %d connections", len(l.table))
	}
	c.dialled, c.dial = true, dl
	if d.Pipe != nil {
		d.Pipe.accepted.Store(true) // by anyone who dials: it only serves this connection
	}
	l.dials = append(l.dials, c)
	c.becomeHello()
	return c, nil
}

// startDial sends the packet of a new state for the first time.
func (c *Conn) startDial() {
	c.dial.tries, c.dial.wait, c.dial.began = 0, helloFirst, c.l.now
	c.sendDial()
	c.schedule(c.dial.next)
}

// sendDial sends the packet of the state and schedules the next time.
func (c *Conn) sendDial() {
	d, l := c.dial, c.l
	d.next = l.now + d.wait
	d.wait = min(2*d.wait, helloMost)
	d.tries++
	if c.state != stateHello {
		l.repeat(c.path, d.sent)
		return
	}
	o := l.newOut(c.path)
	clear(o.b[:helloSize])
	o.b[0] = typeHello
	copy(o.b[1:], magic)
	o.b[5] = Version
	l.queueOut(o, helloSize)
}

// serviceDial is called when a dialling connection is due.
func (c *Conn) serviceDial() {
	d, l := c.dial, c.l
	if l.now >= d.deadline {
		why := d.last
		if why.Code == "" {
			why = link.Reason{Code: "unreachable", Text: "no answer from " + c.path.String()}
		}
		c.fail(why)
		return
	}
	if l.now < d.next {
		return
	}
	if c.state == stateConnecting && l.now >= d.began+d.patience || c.state == stateConfirming && d.tries >= confirmTries {
		c.becomeHello()
		return
	}
	c.sendDial()
}

// onCookie continues every dial to that address that waits for a cookie: a cookie belongs to an address, not to a
// session.
func (l *Link) onCookie(p *packet) {
	if p.n != cookieSize {
		l.count.Malformed++
		return
	}
	found := false
	for _, c := range l.dials {
		if c.state == stateHello && c.path == p.from {
			c.becomeConnecting(p.b[1:cookieSize])
			found = true
		}
	}
	if !found {
		l.count.UnknownSession++
	}
}

func (l *Link) onResponse(p *packet) {
	if p.n != responseSize {
		l.count.Malformed++
		return
	}
	c := l.find(binary.BigEndian.Uint32(p.b[1:]))
	if c == nil || c.state != stateConnecting || c.path != p.from {
		l.count.UnknownSession++
		return
	}
	d := c.dial
	flags, _, _, err := d.noise.ReadMessage(nil, p.b[9:p.n])
	if err != nil {
		// From an impostor. The true answer may still arrive; if not, we start over.
		l.count.BadHandshakes++
		if d.failed++; d.failed <= maxFailed {
			c.ask()
		}
		return
	}
	copy(c.ident.Key[:], d.noise.PeerStatic())
	if d.ServerKey != [32]byte{} && c.ident.Key != d.ServerKey {
		c.fail(link.Reason{Code: "server_key", Text: "the server at " + c.path.String() + " has another key than expected"})
		return
	}
	if len(flags) != 1 {
		l.count.BadHandshakes++
		return
	}
	c.becomeConfirming(binary.BigEndian.Uint32(p.b[5:]), flags[0])
}

func (l *Link) onDeny(p *packet) {
	if p.n != denySize {
		l.count.Malformed++
		return
	}
	c := l.find(binary.BigEndian.Uint32(p.b[1:]))
	if c == nil || c.state != stateConnecting || c.path != p.from || string(p.b[5:13]) != string(c.dial.cookie[4:12]) {
		l.count.UnknownSession++
		return
	}
	d := denial(p.b[14])
	why := d.reason(p.b[13])
	if d == denyBusy {
		c.dial.last = why
		return
	}
	c.fail(why)
}
