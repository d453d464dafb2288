package server

import (
	"fmt"
	"slices"
	"time"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/netcode/link"
	"github.com/tidelock/tidelock/netcode/wire"
)

// maxTold bounds the log lines about one connection.
const maxTold = 8

// mostLarge is how many bytes of large messages may arrive at once: two of the largest calls.
const mostLarge = 2 * link.MaxUpMessage

// Points of offences (Limits.Offences).
const (
	offenceSurplus   = 1
	offenceCall      = 5
	offenceMalformed = 20
)

// once reports a fact about a connection once, and only a few facts in all. These do not count against Server.once:
// a peer must not use up the reports about others.
func (c *Conn) once(what string) {
	if len(c.told) < maxTold && !slices.Contains(c.told, what) {
		c.told = append(c.told, what)
		c.event(EventOffence, engine.SevWarning, ": "+what)
	}
}

// offend counts an offence; too many of them close the connection.
func (c *Conn) offend(points float64, what string) {
	now := c.s.now
	c.offences -= c.offences * min(1, 0.2*(now-c.offendedAt).Seconds())
	c.offendedAt = now
	c.offences += points
	if points > offenceSurplus {
		c.once(what)
	}
	if c.offences >= float64(c.s.cfg.Limits.Offences) && c.state != gone {
		c.event(EventKick, engine.SevWarning, " is kicked for too many offences, the last: "+what)
		c.Kick("offences", "too many offences: "+what)
	}
}

// unsound counts malformed bytes.
func (c *Conn) unsound(what string, err error) { c.offend(offenceMalformed, what+err.Error()) }

// Bounds of what players may send at once after the server itself stood still.
const (
	// standstill: a server that did not receive for this long was suspended, and its players must not suffer for that.
	standstill = 500 * time.Millisecond
	// mostStood bounds the time for which what was sent meanwhile counts, and catchUpWithin is how long it may take to
	// arrive.
	mostStood, catchUpWithin = 30 * time.Second, 2 * time.Second
)

// stand notes that the server did not receive for a while: what players sent meanwhile arrives at once, and is no surplus
// (G15).
func (s *Server) stand(now time.Duration) {
	if gap := now - s.now; gap >= standstill && s.now > 0 {
		s.stood, s.stoodUntil = min(gap, mostStood), now+catchUpWithin
	}
}

// burst returns for how many seconds a connection's allowance accumulates: one, and the time that the server stood still
// just now.
func (s *Server) burst() float64 {
	if s.now < s.stoodUntil {
		return 1 + s.stood.Seconds()
	}
	return 1
}

// allow counts received bytes against the limit. Messages larger than any datagram have a bucket of their own, so
// that the largest call arrives (G11) and the moves of a player who sends one are still accepted.
func (c *Conn) allow(n int) bool {
	l := &c.s.cfg.Limits
	dt, bytes, calls := (c.s.now - c.tokensAt).Seconds(), float64(l.BytesPerSecond), float64(l.CallsPerSecond)
	c.tokensAt = c.s.now
	most := c.s.burst()
	c.byteTokens = min(most*bytes, c.byteTokens+dt*bytes)
	c.largeTokens = min(mostLarge, c.largeTokens+dt*bytes)
	c.callTokens = min(most*calls, c.callTokens+dt*calls)
	tokens := &c.byteTokens
	if n > wire.MaxDatagram {
		tokens = &c.largeTokens
	}
	if take(tokens, float64(n)) {
		return true
	}
	c.offend(offenceSurplus, fmt.Sprintf("sends more than %d bytes a second", l.BytesPerSecond))
	return false
}

func (c *Conn) allowCall() bool { return take(&c.callTokens, 1) }

// take removes tokens from a bucket, if it has enough.
func take(tokens *float64, n float64) bool {
	if *tokens < n {
		return false
	}
	*tokens -= n
	return true
}
