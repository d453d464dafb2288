package server

import (
	"errors"
	"fmt"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/netcode/link"
	"github.com/tidelock/tidelock/netcode/schema"
	"github.com/tidelock/tidelock/netcode/wire"
)

// kick closes the connection and sends the client the reason.
func (c *Conn) kick(why link.Reason) {
	if c.state == gone {
		return
	}
	send := wire.AppendKick
	if c.state != playing {
		send = wire.AppendRefuse
	}
	c.scratch = send(c.scratch[:0], wire.Refusal(why))
	if _, err := c.sendReliable(c.scratch); err == nil {
		c.Traffic.Control.Bytes += uint64(len(c.scratch))
	}
	c.end(why)
	c.sess.Conn.Close(why)
}

// Kick closes the connection with a reason that is shown to its player.
func (c *Conn) Kick(code, text string) { c.kick(link.Reason{Code: code, Text: text}) }

// end takes the player out of the game; the connection is removed later.
func (c *Conn) end(why link.Reason) {
	if c.state == gone {
		return
	}
	was := c.state
	c.state, c.closing, c.waits = gone, why, false
	c.lost()
	defer c.abandon() // after Logout
	if was == playing {
		pc := c.Player()
		c.event(EventLeave, engine.SevInfo, " left: "+why.Text)
		c.player = 0
		c.s.owners++
		if pc != nil {
			c.s.cfg.Game.Logout(pc)
		}
	}
}

// lost gives up on a player who came from another world and never arrived in this one.
func (c *Conn) lost() {
	if state := c.carried; state != nil {
		c.carried = nil
		c.s.cfg.Game.Lost(state)
	}
}

// abandon tells the game that it need not keep anything ready for the player.
func (c *Conn) abandon() {
	if c.asked {
		c.asked = false
		c.s.cfg.Game.Abandon(c.Key())
	}
}

// reliable sends a reliable message and returns its number. If that fails, the connection ends.
func (c *Conn) reliable(b []byte) (n uint16, ok bool) {
	c.scratch = b
	n, err := c.sendReliable(b)
	if err != nil {
		c.sendFailed(err)
	}
	return n, err == nil
}

// control sends a message that does not belong to an actor.
func (c *Conn) control(b []byte) {
	if _, ok := c.reliable(b); ok {
		c.Traffic.Control.Sent(len(b))
	}
}

// about sends a message about an actor or a component, which is counted for its class.
func (c *Conn) about(r *repState, k *schema.Class, b []byte) (ok bool) {
	n, ok := c.reliable(b)
	if ok {
		c.mentioned(r, n)
		c.Traffic.Self(k).Sent(len(b))
	}
	return ok
}

// sendFailed ends a connection whose reliable stream is stuck (R6.5).
func (c *Conn) sendFailed(err error) {
	if c.state == gone {
		return
	}
	if errors.Is(err, link.ErrQueueFull) {
		c.abort("overflow", "the reliable queue is full: the client does not take what it is sent")
	} else {
		c.abort("send", "a reliable message could not be sent: "+err.Error())
	}
}

// abort closes a connection that cannot continue, and logs it.
func (c *Conn) abort(code, text string) {
	c.event(EventClose, engine.SevWarning, " is closed: "+text)
	why := link.Reason{Code: code, Text: text}
	c.end(why)
	c.sess.Conn.Close(why)
}

// refuse sends away a client that the game does not admit (R8.3, R8.4).
func (c *Conn) refuse(text, code string) {
	c.event(EventRefuse, engine.SevWarning, " is refused: "+text)
	c.Kick(code, text)
}

// outgoing counts a reliable message of an actor or of the game that is about to be sent; it is sent at the default
// budget or sooner. Files have a rate of their own.
func (c *Conn) outgoing(bytes int, rate float64) {
	c.goneOut = max(c.s.now.Seconds(), c.goneOut) + float64(bytes+callOverhead)/rate
}

// sendReliable sends a reliable message and returns its number.
func (c *Conn) sendReliable(b []byte) (uint16, error) {
	c.outgoing(len(b), float64(c.s.cfg.Limits.Budget))
	return c.sess.Send(b)
}

// acknowledged forgets the reliable calls that the client has processed, and returns how many remain.
func (c *Conn) acknowledged() int {
	done := 0
	for done < len(c.callsOut) && c.sess.PeerHas(c.callsOut[done].n) {
		done++
	}
	c.callsOut = c.callsOut[:copy(c.callsOut, c.callsOut[done:])]
	c.pending -= done
	return len(c.callsOut)
}

// checkQueue closes a connection whose queue is overfull because its client does not acknowledge (R6.5).
func (c *Conn) checkQueue() {
	n := len(c.callsOut)
	if n <= min(c.s.cfg.Limits.ReliableCalls, crowdedCalls) || c.state != playing {
		return
	}
	if late := c.s.now.Seconds() - c.callsOut[0].due; late > ackPatience {
		c.abort("overflow", fmt.Sprintf(
			"the reliable queue is full: %d reliable calls wait, and the client has been due to acknowledge the oldest for %.1f s", n, late))
	}
}
