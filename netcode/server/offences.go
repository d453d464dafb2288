package server

import (
	"fmt"
	"slices"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/netcode/link"
	"github.com/tidelock/tidelock/netcode/wire"
)

// maxTold bounds the lines about what one connection does.
const maxTold = 8

// mostLarge is how many bytes of large messages may come at once: two of the largest calls.
const mostLarge = 2 * link.MaxUpMessage

// Points of offences (Limits.Offences).
const (
	offenceSurplus   = 1
	offenceCall      = 5
	offenceMalformed = 20
)

// once reports what a connection does, each but once and few in all. They do not count against Server.once: a peer must not
// use up what is told of others.
func (c *Conn) once(what string) {
	if len(c.told) < maxTold && !slices.Contains(c.told, what) {
		c.told = append(c.told, what)
		c.event(EventOffence, engine.SevWarning, ": "+what)
	}
}

// offend counts an offence; too many close the connection.
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
		c.kick(link.Reason{Code: "offences", Text: "too many offences: " + what})
	}
}

// allow counts bytes that came against the limit. Messages that are larger than any datagram have a bucket of their own, so that
// the largest call arrives (G11), and the moves of a player who sends one go on.
func (c *Conn) allow(n int) bool {
	l := &c.s.cfg.Limits
	dt := (c.s.now - c.tokensAt).Seconds()
	c.tokensAt = c.s.now
	c.byteTokens = min(float64(l.BytesPerSecond), c.byteTokens+dt*float64(l.BytesPerSecond))
	c.largeTokens = min(mostLarge, c.largeTokens+dt*float64(l.BytesPerSecond))
	c.callTokens = min(float64(l.CallsPerSecond), c.callTokens+dt*float64(l.CallsPerSecond))
	tokens := &c.byteTokens
	if n > wire.MaxDatagram {
		tokens = &c.largeTokens
	}
	if *tokens < float64(n) {
		c.offend(offenceSurplus, fmt.Sprintf("sends more than %d bytes a second", l.BytesPerSecond))
		return false
	}
	*tokens -= float64(n)
	return true
}

func (c *Conn) allowCall() bool {
	if c.callTokens < 1 {
		return false
	}
	c.callTokens--
	return true
}
