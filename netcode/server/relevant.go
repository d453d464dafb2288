package server

import (
	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/engine/count"
	"github.com/tidelock/tidelock/engine/relevancy"
	"github.com/tidelock/tidelock/netcode/wire"
)

// see calls lookView once per net update: in most updates most connections need no relevancy test.
func (c *Conn) see() {
	if c.seenAt != c.s.update {
		c.seenAt = c.s.update
		c.lookView()
	}
}

// lookView stores the player's point of view.
func (c *Conn) lookView() {
	if c.sights == nil {
		c.sights = func(a *engine.Actor) *relevancy.Sight {
			if e := c.s.find(a.ID()); e != nil {
				if r := c.rep(e); r != nil {
					c.recall(&r.relState)
					return &r.sight
				}
			}
			return nil
		}
	}
	c.view = c.s.index.View(c.Player())
	c.view.Sights = c.sights
	c.sender.reading = c.s.index.Reading(&c.view)
	c.survey.reading = c.sender.reading
}

// pass completes what scan began, and returns how many tests both took.
func (c *Conn) pass() int {
	if !c.serves() {
		return 0
	}
	s := c.s
	t := s.world.Time
	blind := s.index.Config().NoSight
	x := &c.flat
	tests, near := 0, c.near
	count.Add(count.Tested, len(c.cands))
	for i, f := range c.cands {
		if i < x.flats && !x.skip {
			x.rest = append(x.rest, f) // unless it turns out to be sure
		}
		e := s.byActor[f.Number]
		if e == nil || e.tornOff || e.outer != nil {
			continue
		}
		r := c.ensure(e)
		c.recall(&r.relState)
		l := &c.looks[e.slot]
		if l.found == c.stamp {
			continue
		}
		l.found = c.stamp
		if f.Plain && r.phase == repOpen && s.index.Sensed(&c.watch, &c.view, f, &r.sight, t) {
			if c.watch.Keeps(f) {
				l.sure = watched
			} else if blind && e.actor != c.view.Player && e.actor != c.view.Target && e.actor != c.view.Pawn { // R3.5
				l.sure = c.stamp
				if i < x.flats && !x.skip {
					l.flat = c.stamp
					x.sure++
					x.rest = x.rest[:len(x.rest)-1]
				}
			}
			near++
			continue
		}
		r.seen = t
		if f.Plain && r.phase == repLooked && !r.opening() {
			if s.index.Sensed(&c.watch, &c.view, f, &r.sight, t) {
				c.watch.Drop(f) // only open channels are kept
			} else {
				if c.watch.Keeps(f) {
					l.sure = hidden
				}
				tests++
				continue
			}
		}
		tests += c.decide(r)
	}
	tests += near + c.hidden
	c.tests = tests
	s.Stats.Relevant += near
	if x.settled {
		x.from = 0 // some of the rest are sure by now
	}
	if !x.skip {
		x.version, x.from, x.to = x.found, c.stamp, c.stamp
		c.flatFor = [...]*engine.Actor{c.view.Player, c.view.Target, c.view.Pawn}
	}
	if !blind {
		c.miss(&s.surveying.ground)
	}
	tests += c.linger
	s.Stats.Relevant += c.linger
	count.Add(count.Tested, len(c.missing))
	for _, l := range c.missing {
		r := c.repOf(l.slot, l.serial)
		if r == nil || r.ent.tornOff { // closing an actor drops its components too
			continue
		}
		if r.phase == repOpen || r.opening() {
			tests += c.decide(r) // may drop it
			continue
		}
		if r.phase == repLooked && !r.opening() && t-r.seen > 3 {
			c.forget(r)
		}
	}
	return tests
}

// look tests one entity out of turn.
func (c *Conn) look(e *entity) {
	count.Add(count.Tested, 1)
	if !c.watches() || e.outer != nil || e.tornOff {
		return
	}
	c.see()
	r := c.rep(e)
	if r == nil {
		// Most new actors are far from most players: a replication state is only created for relevant ones.
		c.sight = relevancy.Sight{}
		if !c.s.index.Decide(&c.view, e.actor, &c.sight, c.s.world.Time).Relevant {
			c.s.Stats.RelevancyTests++
			return
		}
		r = c.make(e)
		r.sight = c.sight
	}
	r.seen = c.s.world.Time
	c.decide(r)
}

// judge evaluates the rules for whether an actor is relevant to the client, from its player's present view.
func (c *Conn) judge(r *repState) (relevant bool) {
	count.Add(count.Tested, 1)
	c.recall(&r.relState)
	r.verdict = c.s.index.Decide(&c.view, r.ent.actor, &r.sight, c.s.world.Time)
	return r.verdict.Relevant
}

// takeAway ends the client's copy of an actor.
func (c *Conn) takeAway(r *repState, why wire.Closing) {
	c.close(r, why)
	c.forget(r)
}

// decide evaluates the rules for one actor and opens or closes its channel accordingly.
func (c *Conn) decide(r *repState) int {
	e := r.ent
	if r.phase == repLeft || r.phase == repDormant && !r.away && !r.opening() && e.dormant() {
		return 0 // R4.7: relevancy of dormant actors is not tested
	}
	if !c.judge(r) {
		if r.opening() {
			c.own(r).opening = false
			c.toOpen = drop(c.toOpen, r)
		}
		c.dropHeld(e)
		switch {
		case !r.known():
		case e.stays():
			// The client keeps its copy (R3.10); when it is relevant again, the client is sent what changed.
			c.close(r, wire.CloseDormant)
			r.away = true
		case r.phase == repOpen && e.actor.BNetTemporary:
			c.close(r, wire.CloseTemporary)
			c.become(r, repLeft)
		default:
			c.takeAway(r, wire.CloseIrrelevant)
		}
		return 1
	}
	c.s.Stats.Relevant++
	r.away = false
	switch {
	case e.untouched():
		if r.phase == repLooked { // it is dormant from the beginning
			c.adoptDormant(r)
		}
		if r.asked && !r.told {
			c.want(e, r.verdict)
		}
	case r.phase == repLooked, r.phase == repDormant && (!e.dormant() || c.stale(r)):
		c.want(e, r.verdict)
	}
	return 1
}

// lookAgain closes an actor that is no longer relevant to the client because of something set in this tick (R3.12):
// calls are sent before relevancy is tested.
func (c *Conn) lookAgain(e *entity) {
	e = e.whole()
	if r := c.rep(e); r != nil && r.open() && !e.tornOff && c.Player() != nil {
		c.s.index.Update(e.actor)
		c.lookView()
		c.decide(r)
	}
}
