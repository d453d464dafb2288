package kcplink

import (
	"encoding/binary"
	"time"

	"github.com/tidelock/tidelock/netcode/link"
)

// A server answers data packets of a session that it does not know, statelessly, with the packet's own header under
// another type (G15). The answer is shorter than the packet, and throttled:
//
//	unknown   8 | sender's session 4 | number 4
//
// Anyone who sees a packet can forge it. It therefore proves nothing, and only makes the client check: it probes
// the session, and if that stays silent it begins a parallel handshake with the same server key. One authentic
// packet of the old session cancels the handshake, before CONFIRM. Only a successful handshake ends the old
// session.
const unknownSize = headerSize

// renewal is the check of a dialled session whether its server still knows it.
//
// Invariant: dial, if not nil, is in the link's dials, and its instead is this session.
type renewal struct {
	since time.Duration // when the doubt began
	next  time.Duration // when the session is probed again, or the handshake begins
	prods int
	dial  *Conn
}

// tellUnknown answers a packet of an unknown session.
func (l *Link) tellUnknown(p *packet) {
	if !serves || l.server == nil || !p.from.IsValid() || !l.unknowns.take(p.from.Addr(), l.now, unknownsPerAddress, unknownsMost) {
		return
	}
	o := l.newOut(p.from)
	copy(o.b[:], p.b[:unknownSize])
	o.b[0] = typeUnknown
	l.count.UnknownsTold++
	l.queueOut(o, unknownSize)
}

// onUnknown handles such an answer. It only shows that this link sent the packet lately.
func (l *Link) onUnknown(p *packet) {
	if p.n != unknownSize {
		l.count.Malformed++
		return
	}
	session, number := binary.BigEndian.Uint32(p.b[1:]), binary.BigEndian.Uint32(p.b[5:])
	for _, c := range l.table {
		if c == nil || c.again == nil || c.state != stateOpen || c.peer != session || c.path != p.from {
			continue
		}
		if age := uint32(c.number) - number; age == 0 || age > replayWindow {
			break
		}
		l.count.UnknownsHeard++
		if c.doubt == nil && l.now >= c.trust {
			c.doubt = &renewal{since: l.now, next: l.now}
			c.serveDoubt()
			c.schedule(c.nextDue())
		}
		return
	}
	l.count.UnknownSession++
}

// serveDoubt probes the session, and then begins the handshake.
func (c *Conn) serveDoubt() {
	l, d := c.l, c.doubt
	if l.now < d.next {
		return
	}
	if d.prods >= doubtProds && d.dial == nil {
		if l.renew(c); c.doubt == nil {
			return
		}
	}
	d.prods++
	o := c.room(challengeSize)
	var token [tokenSize]byte // any sealed answer is proof enough
	c.filled(appendChallenge(c.free(o), frameChallenge, token[:]))
	c.finish()
	d.next = l.now + max(doubtQuiet, c.stats.RTT+doubtQuiet/2)/doubtProds
}

// renew begins a handshake that replaces an open session.
func (l *Link) renew(c *Conn) {
	again := *c.again
	again.ServerKey = c.ident.Key
	n, err := l.Dial(again)
	if err != nil { // no room; the session stays open until its silence timeout
		c.believe()
		return
	}
	n.dial.instead = c
	c.doubt.dial = n
	l.count.Renewals++
}

// committed reports whether the handshake has progressed so far that the server may have accepted it.
func (d *renewal) committed() bool { return d.dial != nil && d.dial.state == stateConfirming }

// believe ends the doubt: the session received a packet, or has ended, or no handshake could begin. A handshake
// that the server may have accepted continues, because a successor may exist.
func (c *Conn) believe() {
	d := c.doubt
	if d.committed() {
		return
	}
	c.doubt, c.trust = nil, c.l.now+doubtPause
	if d.dial != nil {
		d.dial.dial.instead = nil
		d.dial.why = link.Reason{Code: "alive", Text: "the session from before lives"}
		d.dial.becomeDead()
	}
}

// failed reports the end of a dial: to the game, or to the session that it was to replace.
func (c *Conn) failed(instead *Conn, why link.Reason) {
	if instead == nil {
		c.l.handler.Closed(c, why)
		return
	}
	instead.doubt, instead.trust = nil, c.l.now+doubtPause
}

// succeeds ends the session that this one replaces.
func (c *Conn) succeeds(old *Conn) {
	if old == nil || old.state != stateOpen {
		return
	}
	old.doubt = nil
	old.end(link.Reason{Code: link.Restarted, Text: "the server has been started again, or has given the session up"}, false)
}
