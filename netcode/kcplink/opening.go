package kcplink

import (
	"encoding/binary"

	"github.com/tidelock/tidelock/netcode/link"
)

func (c *Conn) becomeHalfOpen(h *half) {
	c.become(stateHalfOpen)
	c.half = h
	c.counted = c.l.address(c.path) // it exists: admit created it
	c.counted.halves++
	c.l.halves[h.from] = c
	c.since, c.asked = c.l.now, c.l.now
	c.schedule(c.l.now + c.l.limits.HandshakeTimeout)
}

// becomeRefused stays among the half-open ones, so that their limit also bounds refusals.
func (c *Conn) becomeRefused(why link.Reason) {
	c.become(stateRefused)
	c.l.count.Refused++
	c.half.noise = nil
	c.why = why
	c.sendGoodbye()
}

func (c *Conn) becomeHello() {
	c.become(stateHello)
	c.startDial()
}

func (c *Conn) becomeConnecting(cookie []byte) {
	d := c.dial
	copy(d.cookie[:], cookie)
	mode := byte(modeOpen)
	if d.token != nil {
		mode = modeToken
	}
	head := appendConnectHead(make([]byte, 0, maxPacket), mode, c.id, d.cookie[:], d.token)
	d.head, d.failed = head, 0
	if !c.l.randomly(d.ephemeral[:]) || !c.ask() {
		c.fail(link.Reason{Code: "handshake", Text: "the key exchange cannot be started"})
		return
	}
	c.become(stateConnecting)
	// Not 0 where it was waited in vain before.
	d.patience = min(max(2*d.patience, 2*(c.l.now-d.began), cookieLeast), cookieMost)
	if n := connectSize - len(d.sent); n > 0 {
		d.sent = append(d.sent, make([]byte, n)...)
	}
	c.startDial()
}

// ask creates noise 1. Repeated calls produce the same state.
func (c *Conn) ask() bool {
	d := c.dial
	hs, err := newNoise(&d.Key, true, d.head, d.secret, d.ephemeral)
	if err != nil {
		return false
	}
	sent, _, _, err := hs.WriteMessage(d.head, nil)
	if err != nil {
		return false
	}
	d.noise = hs
	if d.failed == 0 {
		d.sent = sent
	}
	return true
}

func (c *Conn) becomeConfirming(session uint32, flags byte) {
	d := c.dial
	var proof [proofSize]byte
	if flags&flagPassword != 0 {
		copy(proof[:], passwordProof(d.Password, d.noise.ChannelBinding()))
	}
	payload := append(proof[:], 0, 0)
	binary.BigEndian.PutUint16(payload[proofSize:], uint16(len(d.Options)))
	payload = append(payload, d.Options...)
	b := append(make([]byte, 0, confirmMost), typeConfirm)
	b = binary.BigEndian.AppendUint32(b, session)
	b, up, down, err := d.noise.WriteMessage(b, payload)
	if err != nil {
		c.fail(link.Reason{Code: "handshake", Text: "the key exchange failed: " + err.Error()})
		return
	}
	c.become(stateConfirming)
	c.peer = session
	c.send, c.recv = newAEAD(up.UnsafeKey()), newAEAD(down.UnsafeKey())
	c.number, c.win = 0, window{}
	d.noise, d.sent = nil, b
	c.asked = c.l.now
	c.startDial()
}

func (c *Conn) becomeOpen() {
	c.become(stateOpen)
	l := c.l
	if c.dialled {
		if l.renews {
			d := c.dial.Dial
			c.again = &d
		}
		l.forgetDial(c)
	} else {
		delete(l.halves, c.half.from)
		c.half = nil
		c.counted.halves--
		c.counted.conns++
		l.accepted++
		if c.path.pipe != nil {
			c.path.pipe.accepted.Store(true)
		}
	}
	c.strm.open(c)
	c.lastIn, c.lastOut = l.now, l.now
	c.lastTime = l.now - timeEvery
	c.since = l.now
	l.open++
	l.count.Opened++
	c.schedule(c.nextDue())
}
