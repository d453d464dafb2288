package server

import (
	"slices"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/netcode/link"
)

// Kick closes the connections that match, also those of players who are still loading or travelling, with a reason
// that is shown to their players; it returns how many. The text has at most 255 bytes. Only codes that mean a lost
// connection, such as timeout, bring a player's program back by itself; "kicked" and "banned" do not.
func (s *Server) Kick(match func(*Conn) bool, why link.Reason) (n int) {
	for _, c := range slices.Clone(s.conns) {
		if c.state != gone && match(c) {
			n++
			c.event(EventKick, engine.SevInfo, " is kicked: "+why.Text)
			c.kick(why)
		}
	}
	return n
}

// Recheck passes all connections to Config.Keep, after its answers may have changed, and closes those that it
// refuses. It returns how many.
func (s *Server) Recheck() (n int) {
	for _, c := range slices.Clone(s.conns) {
		if c.state != gone && c.barred(s.cfg.Keep, mayNotStay) {
			n++
		}
	}
	return n
}

// checkAddress passes a connection that has moved to another address to Config.Keep: otherwise a banned address could
// be used by connecting from elsewhere first.
func (c *Conn) checkAddress() {
	if addr := c.sess.Conn.Identity().Addr; addr != c.Address && c.state != gone {
		c.Address = addr
		c.barred(c.s.cfg.Keep, mayNotStay)
	}
}

// What events say of a connection that Config.Admit, or Config.Keep, refused.
const mayNotEnter, mayNotStay = " was kept out", " may not stay"

// barred closes the connection if a decision (Config.Admit, Config.Keep) is against it, and reports whether it did.
func (c *Conn) barred(decide func(key, addr string) *link.Reason, what string) bool {
	if decide == nil {
		return false
	}
	why := decide(c.Key(), c.Address)
	if why == nil {
		return false
	}
	c.s.Stats.Denied++
	c.event(EventAccess, engine.SevInfo, what+" ("+why.Code+"): "+why.Text)
	c.kick(*why)
	return true
}
