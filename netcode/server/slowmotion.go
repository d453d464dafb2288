package server

import (
	"fmt"
	"time"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/engine/pace"
	"github.com/tidelock/tidelock/netcode/wire"
)

// SetPace tells all clients, now and those that join later, at which scale the host runs the world from now on: 1
// normally, 0 while it is paused, otherwise [pace.Min] to [pace.Max] world ticks per tick of the loop. steps, from 1
// to [pace.MaxSteps] and only with scale 0, are world ticks that the host runs at the normal rate before it stays
// paused, added to those that have not run yet. Anything else is an error, and changes nothing.
//
// The host itself runs that many ticks, by a [pace.Pace]; between them it keeps calling Receive and Send, so that
// clients receive what is changed while the world is paused.
func (s *Server) SetPace(scale float64, steps int) error {
	if err := pace.Check(scale); err != nil {
		return err
	}
	if steps != 0 {
		if err := pace.CheckSteps(steps); err != nil {
			return err
		}
		if scale != 0 {
			return fmt.Errorf("pace %g with %d steps: only a paused match steps; give the scale 0", scale, steps)
		}
	}
	m := wire.Pace{Scale: pace.Thousandths(scale), Steps: steps, Time: int64(s.world.Time * 1e6)}
	s.pace.set(m, s.cfg.Tick)
	for _, c := range s.conns {
		c.sendPace(m)
	}
	return nil
}

// Pace returns the scale of the last SetPace, 1 before the first.
func (s *Server) Pace() float64 { return s.pace.scale }

// still reports whether the world is paused: its time stands still, so nothing may wait for it.
func (s *Server) still() bool { return s.pace.scale == 0 }

// sendPace tells the client a change.
func (c *Conn) sendPace(m wire.Pace) {
	if c.state == gone {
		return
	}
	c.control(wire.AppendPace(c.scratch[:0], m))
	if c.state != gone {
		c.follows.sent = append(c.follows.sent, sentPace{m, c.sess.LastMessage(), c.s.now})
	}
}

// tellPace tells a client that comes into this world the pace, unless it is the normal one. Steps that still run are
// not repeated: a client that is loading has no place in time that they would move.
func (c *Conn) tellPace() {
	s := c.s
	if s.pace.scale == 1 && c.follows.scale == 1 && len(c.follows.sent) == 0 {
		return
	}
	c.sendPace(wire.Pace{Scale: pace.Thousandths(s.pace.scale), Time: int64(s.world.Time * 1e6)})
}

// passTime accounts for the time since the last call at the paces that server and clients follow.
func (s *Server) passTime(now time.Duration) {
	seconds := (now - s.paced).Seconds()
	s.paced = now
	here := s.pace.pass(seconds)
	for _, c := range s.conns {
		c.follows.follow(seconds, here)
	}
}

// confirmPace applies the changes of pace that the client has processed: the moves that it sends from then on are
// made at that pace.
func (c *Conn) confirmPace() {
	f := &c.follows
	n := 0
	for n < len(f.sent) && c.sess.PeerHas(f.sent[n].number) {
		f.set(f.sent[n].Pace, c.s.cfg.Tick)
		f.late = min(mostLate, c.s.now-f.sent[n].at)
		f.lateUntil = c.s.now + f.late + mostLate
		n++
	}
	if n > 0 {
		f.sent = append(f.sent[:0], f.sent[n:]...)
	}
}

// PaceLead returns how much more time of the world has passed, in seconds, for the player who owns an actor than for
// the server, because a change of pace takes time to reach them, and the most that it can be: -2 to 2. It implements engine.Remote.
func (s *Server) PaceLead(a *engine.Actor) (lead, most float64) {
	if c := s.ownerOf(a); c != nil {
		return c.follows.lead, c.follows.most
	}
	return 0, 0
}

// roundTrip returns the round trip in seconds of the world: in fast motion, more of the world's time passes in it.
// After a change, the slower of both sides counts, and the time that the change took.
func (c *Conn) roundTrip() float64 {
	f, rtt := &c.follows, c.sess.RTT
	if c.s.now < f.lateUntil {
		rtt = max(rtt, f.late)
	}
	if len(f.sent) > 0 {
		rtt = max(rtt, min(mostLate, c.s.now-f.sent[0].at))
	}
	return rtt.Seconds() * max(f.factor(), c.s.pace.factor())
}
