package server

import (
	"fmt"
	"time"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/netcode/schema"
	"github.com/tidelock/tidelock/netcode/wire"
)

// faultPause is how long a player cannot call a function after their last call of it caused a script error (G18).
const faultPause = time.Second

// receiveCall runs a call from the client, if it is permitted (R6.7, R6.8). A dry run only reads it.
func (c *Conn) receiveCall(r *wire.Reader, fields int, reliable bool) {
	s := c.s
	m := r.Call(fields)
	if r.Err() != nil {
		return
	}
	rc := c.channel(m.Channel)
	if c.state != playing || rc == nil { // a dormant actor keeps its number, and its owner may call it
		r.SkipArgs(m) // it ended since: no offence
		c.dropStale(m)
		return
	}
	e := rc.ent
	k := e.class
	who, classes := names{c: c}, s.world.Classes
	if c.epoch != s.set.Epoch { // its numbers are not in force
		n, was := c.presentCall(k, m.Function)
		if !reliable || was == nil {
			r.SkipArgs(m)
			c.dropStale(m)
			return
		}
		m.Function, who.was, classes = n, was, was.Classes
	}
	if int(m.Function) >= len(k.Functions) {
		r.SkipArgs(m)
		c.offend(offenceMalformed, fmt.Sprintf("calls function %d of %s, which has %d", m.Function, k.Class.Name, len(k.Functions)))
		return
	}
	f := k.Functions[m.Function]
	t := c.Traffic.Function(k, m.Function)
	t.Received++
	runs := false
	switch {
	case f.Kind != engine.CallServer && f.Kind != engine.CallRemote:
		c.offend(offenceCall, fmt.Sprintf("calls %s:%s, which is not for the server to run", k.Class.Name, f.Name))
	case f.Reliable != reliable && !(reliable && r.Pos()+r.Left() > maxCallBytes): // one too large for a datagram (G11)
		c.offend(offenceCall, fmt.Sprintf("calls %s:%s by the wrong way", k.Class.Name, f.Name))
	case e.dead || e.actor.Deleted():
	case !c.owner(e.actor):
		t.Dropped++
		c.offend(offenceCall, fmt.Sprintf("calls %s:%s on %s, which is not its own (R6.8)", k.Class.Name, f.Name, e.actor))
	case !c.allowCall():
		t.Dropped++
		c.offend(offenceSurplus, fmt.Sprintf("sends more than %d calls a second, the last %s:%s", s.cfg.Limits.CallsPerSecond, k.Class.Name, f.Name))
	case c.isSlow(f):
		t.Dropped++
	default:
		runs = true
	}
	if !runs {
		r.SkipArgs(m)
		return
	}
	args := c.readArgs.Read(r, f.Params, m.Args, &who, classes)
	if r.Err() != nil {
		t.Dropped++
		return
	}
	if who.stale {
		t.Dropped++
		c.dropOutdated(k, f, "it names a class that is gone")
		return
	}
	s.Stats.Calls++
	verdict := s.world.Script.Received(e.actor, f, args, c.who())
	if c.judged(f, verdict); verdict != engine.Accepted {
		t.Dropped++
	}
	if verdict == engine.Refused {
		c.event(EventCall, engine.SevWarning, fmt.Sprintf(": %s:%s(%s) on %s was refused by its validator", k.Class.Name, f.Name, short(showArgs(args), maxShown), e.actor))
		if !s.cfg.Limits.KeepOnRefusedCall {
			c.Kick("validation", fmt.Sprintf("%s:%s was refused by its validator", k.Class.Name, f.Name))
		}
	}
}

// presentCall maps a function number that the client has from earlier classes to the present number, and returns
// those classes, whose numbers the arguments use; nil if the function can no longer be called. The client called it
// before it received a reload, and reliable calls arrive (R6.4).
func (c *Conn) presentCall(k *schema.Class, number uint16) (now uint16, was *schema.Set) {
	for _, set := range c.s.sets {
		if set.Epoch != c.epoch {
			continue
		}
		before := set.Classes.Find(k.Class.Name)
		if before == nil {
			return 0, nil
		}
		old := set.Of(before)
		if old == nil || int(number) >= len(old.Functions) {
			return 0, nil
		}
		f := k.Present(old.Functions[number])
		if f == nil {
			if g := old.Functions[number]; g.Reliable {
				c.dropOutdated(k, g, "the function is gone, or takes other arguments")
			}
			return 0, nil
		}
		if n, ok := k.Number(f); ok {
			return n, set
		}
	}
	return 0, nil
}

// dropOutdated counts and reports a reliable call that a reload overtook and that can no longer run (R6.3).
func (c *Conn) dropOutdated(k *schema.Class, f *engine.Function, why string) {
	c.s.Stats.CallsDropped++
	c.s.once(engine.SevWarning, fmt.Sprintf("%s:%s was called by a client before it had the reloaded scripts, and is dropped: %s", k.Class.Name, f.Name, why))
}

// dropStale counts a call on an actor for which the client no longer has a channel.
func (c *Conn) dropStale(m wire.Call) {
	if c.state == playing && c.epoch == c.s.set.Epoch && int(m.Channel) < len(c.s.slots) {
		if e := c.s.slots[m.Channel]; e != nil && int(m.Function) < len(e.class.Functions) {
			c.Traffic.Function(e.class, m.Function).Dropped++
		}
	}
}

// judged limits a player's calls of a function whose last call failed, until a call succeeds.
func (c *Conn) judged(f *engine.Function, verdict engine.Receipt) {
	switch verdict {
	case engine.Accepted:
		delete(c.faulty, f)
	case engine.Faulted:
		if c.faulty == nil {
			c.faulty = map[*engine.Function]time.Duration{}
		}
		c.faulty[f] = c.s.now
	case engine.Refused:
	}
}

func (c *Conn) isSlow(f *engine.Function) bool {
	at, ok := c.faulty[f]
	return ok && c.s.now-at < faultPause
}
