package server

import (
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/engine/count"
	"github.com/tidelock/tidelock/engine/profile"
	"github.com/tidelock/tidelock/engine/relevancy"
	"github.com/tidelock/tidelock/netcode/link"
	"github.com/tidelock/tidelock/netcode/schema"
	"github.com/tidelock/tidelock/netcode/server/shadow"
	"github.com/tidelock/tidelock/netcode/throttle"
	"github.com/tidelock/tidelock/netcode/traffic"
)

// New connects a world to the network, with its existing actors.
func New(c Config) *Server { return newServer(c, 1, 0) }

// newServer continues the numbers of epochs and actors of an earlier world.
func newServer(c Config, epoch uint8, nextNet uint32) *Server {
	c.Limits = c.Limits.withDefaults()
	s := &Server{owners: 1, pace: pacing{scale: 1}, guesses: &throttle.Guesses{}, cfg: c, world: c.World, index: relevancy.New(c.World, c.Relevancy), warned: map[string]bool{}, logClass: map[string]bool{}}
	s.set, s.nextNet = schema.New(c.World.Classes, epoch), nextNet
	s.quarantiner, _ = c.Game.(Quarantiner)
	s.main.encoder = newEncoder()
	c.World.EachActor(func(a *engine.Actor) { s.Spawned(a) })
	s.makeWorkers()
	s.group.s, s.group.slack = s, 1
	c.World.SetRemote(s)
	return s
}

// Receive processes incoming data and timers before the world's tick. now counts from any origin.
func (s *Server) Receive(now time.Duration) {
	s.passTime(now)
	s.stand(now)
	s.now = now
	for _, l := range s.links {
		l.Poll(now, s)
	}
	for _, c := range s.conns {
		c.confirmPace()
		c.sess.Expire(now)
		c.notifications()
		c.timeouts(now)
	}
	s.sweep()
	s.countLoading()
	s.tellFaults()
}

// Send sends what the tick produced: calls always, variables if netUpdate is set (R1.2, R6.5).
func (s *Server) Send(now time.Duration, netUpdate bool) {
	s.now = now
	p := s.world.Profile
	p.Phase(profile.Encode)
	s.sendQuarantine()
	s.runQueue()
	if netUpdate {
		p.Phase(profile.Evaluate)
		s.netUpdate(now)
		p.Phase(profile.Encode)
	}
	for _, c := range s.conns {
		c.sess.Now = now
	}
	s.sendAllFiles()
	for _, c := range s.conns {
		c.refill()
	}
	if netUpdate {
		s.group.prepare()
		s.flushByWorkers()
	}
	for _, c := range s.conns {
		c.flush(netUpdate)
		c.grant(netUpdate)
	}
	s.sumWorkers()
	if netUpdate {
		s.group.done()
		s.group.recruit()
	}
	s.sweep()
	p.Phase(profile.Send)
	for _, l := range s.links {
		l.Flush(now)
	}
}

// sweep removes connections that ended.
func (s *Server) sweep() {
	s.conns = slices.DeleteFunc(s.conns, func(c *Conn) bool {
		if c.state == gone {
			s.depart(c)
			c.release()
		}
		return c.state == gone
	})
}

// depart keeps what was sent to a connection that is removed, for SentByClass.
func (s *Server) depart(c *Conn) {
	c.Traffic.ByClass(func(class string, e traffic.Entry) {
		if s.departed == nil {
			s.departed = map[string]uint64{}
		}
		s.departed[class] += e.Bytes
	})
}

// SentByClass calls f with the payload bytes sent for each class, in several parts that add up: to present connections
// and to former ones, also of earlier worlds (Travel). No sum ever decreases. It allocates nothing.
func (s *Server) SentByClass(f func(class string, bytes uint64)) {
	for class, n := range s.departed { // any order: parts are added up
		f(class, n)
	}
	for _, c := range s.conns {
		c.Traffic.ByClass(func(class string, e traffic.Entry) { f(class, e.Bytes) })
	}
}

// Stop disconnects all clients with a reason and disconnects the world. Links stay open: their owner closes them
// after a last Flush.
func (s *Server) Stop(why link.Reason) {
	s.stopped = true
	for _, c := range s.conns {
		c.kick(why)
	}
	s.sweep()
	for _, l := range s.links {
		l.Flush(s.now)
	}
	s.world.SetRemote(nil)
}

// netUpdate compares marked actors and tests relevancy; each connection's flush sends.
func (s *Server) netUpdate(now time.Duration) {
	s.update++
	s.clock++
	s.lastNet = now
	s.main.reset()
	for i := range s.flushing.workers {
		s.flushing.workers[i].reset()
	}
	s.Stats = Stats{Calls: s.Stats.Calls, CallsDropped: s.Stats.CallsDropped, Saturated: s.saturated(), Denied: s.Stats.Denied}
	s.compareMarked()
	s.world.ClearDirty()
	if s.cfg.Validate {
		s.validate()
	}
	s.relevancy()
	if now-s.lastPing >= time.Second {
		s.lastPing = now
		for _, c := range s.conns {
			c.tellPing()
		}
	}
	s.Stats.Entities = s.count
}

// compareMarked determines what changed in the marked actors.
func (s *Server) compareMarked() {
	t, still := s.world.Time, s.still() // no actor waits for a time that does not come
	late := s.late
	s.late = s.late[:0]
	for _, e := range late {
		e.waiting = false
		if !e.dead {
			s.considerWhenDue(e, t, still)
		}
	}
	clear(late[len(s.late):]) // it is filled again in place
	owners := false
	count.Add(count.Actors, len(late)+len(s.world.DirtyActors()))
	for _, a := range s.world.DirtyActors() {
		if a.Deleted() {
			continue
		}
		e := s.entityOf(a)
		if e == nil {
			continue
		}
		if e.class.Small {
			e.unsent[0] |= a.DirtyMask()[0]
		} else {
			e.takeDirty()
		}
		if a.NetDirty() {
			e.pace()
			if e.outer == nil {
				s.index.Update(a)
				s.changed = append(s.changed, e)
			}
			owners = owners || a.CondDirty()
		} else if e.outer == nil && a.Moved() {
			s.index.Move(a)
		}
		if a.CondDirty() {
			s.mark(e)
			owners = owners || a.Class.IsPlayerController() // its groups (COND_NetGroup)
		}
		force := a.TakeForceNetUpdate() || still
		if a.TakeFlushNetDormancy() {
			force = true
			e.whole().woken = true
		}
		s.considerWhenDue(e, t, force)
	}
	for _, e := range s.volatiles {
		s.mark(e)
	}
	if owners {
		s.owners++
		// Ownership affects roles, conditions and relevancy along whole chains; changes are rare.
		for _, c := range s.conns {
			c.lookNow = true
			count.Add(count.Updated, len(c.active))
			for _, r := range c.active {
				c.checkRole(r)
				if g := r.sending.Common(); g == nil || (c.ownership(r.ent.actor)^g.bits)&ofOwners != 0 {
					c.requeue(r)
				}
			}
		}
	}
}

// validate reports every value that differs from the shadow without a mark (R4.7). Everything that was marked has
// been compared by now, or is still marked.
func (s *Server) validate() {
	for _, e := range s.slots {
		if e == nil || e.dead {
			continue
		}
		k := e.class
		for n := range k.Vars {
			v := &k.Vars[n]
			if e.unsent.Has(n) || k.Up.Has(n) || v.Type.Kind == engine.KindFastArray {
				continue
			}
			words, strs := s.present(e, v)
			if !crossesAlike(v.Type, e.Words[v.Word:], words, e.Strs[v.Str:], strs) {
				s.once(engine.SevError, fmt.Sprintf("%s.%s of %s changed without a mark: it was not replicated (R4.7)", k.Class.Name, v.Prop.Name, e.actor))
				e.unsent.Set(n)
				s.considerWhenDue(e, s.world.Time, true)
			}
		}
	}
}

// tellPing sets what the player's PlayerState shows about their connection (R8.6).
func (c *Conn) tellPing() {
	pc := c.Player()
	if c.state != playing || pc == nil {
		return
	}
	pri := c.playerState(pc)
	if pri == nil {
		return
	}
	loss := 0.0
	if n := c.sess.Delivered + c.sess.Lost; n > 0 {
		loss = float64(c.sess.Lost) / float64(n)
	}
	// In a fixed order, because scripts see it.
	for i, name := range [...]string{"Ping", "PacketLoss"} {
		v := [...]float64{math.Round(c.sess.RTT.Seconds() * 1000), math.Round(loss * 100)}[i]
		q := pri.Class.Property(name)
		if q == nil || q.Native != nil {
			continue
		}
		if pri.Set(q, engine.Float(v)) != nil && pri.Set(q, engine.Int(int(v))) != nil {
			continue // a game's PlayerState declares it with another type: leave it alone
		}
		c.s.world.Script.Changed(pri, q)
	}
}

// release frees everything of a connection that ended.
func (c *Conn) release() {
	c.s.group.leave(c)
	for i := range c.flights {
		c.flights[i].extra = nil
	}
	for _, r := range c.active {
		r.ent.dropSub(r)
	}
	// A reference to the connection keeps its figures alive, but not the actors and other connections that its
	// states lead to.
	c.channels = 0
	c.active, c.reps, c.survey, c.flatFor, c.due, c.toOpen, c.wakes, c.spare, c.opens, c.list, c.pool = nil, nil, survey{}, [3]*engine.Actor{}, nil, nil, nil, nil, nil, nil, nil
	c.wides, c.awaiting, c.landings, c.items, c.except, c.settling, c.held, c.files, c.callsOut = nil, nil, nil, nil, nil, nil, nil, nil, nil
	c.accounts, c.faulty = nil, nil
	c.turns.of = nil
	c.view, c.sights, c.sender.reading = relevancy.Viewer{}, nil, relevancy.Reading{}
}

// mark records that the results of an entity's conditions may have changed: what they held back is evaluated again.
func (s *Server) mark(e *entity) {
	s.askAgain(e)
	if g := e.shared; g != nil && g.pending != 0 {
		s.group.queue(g)
	}
	for _, x := range e.subs[:e.alone] {
		x.c.requeue(x.r)
	}
}

// timeouts ends what takes too long.
func (c *Conn) timeouts(now time.Duration) {
	if c.waits {
		c.login()
	}
	switch took := (now - c.since).Seconds(); {
	case c.state >= playing:
	case c.waits && took > maxWait:
		c.Kick("profile", c.waitsFor)
	case !c.waits && took > c.s.cfg.Limits.LoginTime:
		c.Kick("timeout", fmt.Sprintf("joining took longer than %g s", c.s.cfg.Limits.LoginTime))
	}
	if c.state == playing && c.Player() == nil {
		c.Kick("destroyed", "the player's controller is gone")
	}
	c.checkQueue()
	c.checkAddress()
}

// relevancy determines which actors are relevant to each connection (R3). New actors are tested for all connections
// at once; the others in turn, so that the tests of one net update stay bounded.
func (s *Server) relevancy() {
	for i, list := range [...]*[]*entity{&s.fresh, &s.changed} { // changed flags, distance, base: tested again at once
		for _, e := range *list {
			if e.dead {
				continue
			}
			for _, c := range s.conns {
				c.look(e)
				if r := c.rep(e); r != nil && i > 0 {
					c.settle(r) // it may want to become dormant
				}
			}
		}
		clear(*list)
		*list = (*list)[:0]
	}
	s.settleResting()
	for _, c := range s.conns {
		c.wake()
	}
	s.looking = s.looking[:0]
	tests := 0
	look := func(c *Conn) {
		c.lookNow = false
		if c.watches() {
			s.looking = append(s.looking, c)
			tests += max(c.tests, 16) // as many as last time
		}
	}
	for range s.conns {
		if tests >= s.cfg.Limits.RelevancyTests {
			break
		}
		s.turn %= len(s.conns)
		look(s.conns[s.turn])
		s.turn++
	}
	for _, c := range s.conns {
		if c.lookNow {
			look(c)
		}
	}
	work := 0
	w := &s.surveying
	w.surveys = w.surveys[:0]
	for _, c := range s.looking {
		c.see()
		c.flat.same = c.flatFor == [...]*engine.Actor{c.view.Player, c.view.Target, c.view.Pawn}
		w.surveys = append(w.surveys, &c.survey)
		work += c.effort
	}
	w.ground = ground{time: s.world.Time, blind: s.index.Config().NoSight, slots: shadow.NewSlots(s.slotOf)}
	w.ground.version, w.ground.constant = s.index.Flat() // updates it
	s.inParallel(work+1, s.scanners)
	clear(w.surveys)
	for _, c := range s.looking {
		s.Stats.RelevancyTests += c.pass()
	}
	clear(s.looking) // so that a scratch list does not keep an ended connection alive
}

// countLoading tells the game how many players are connected and still loading (R8.7).
func (s *Server) countLoading() {
	n := 0
	for _, c := range s.conns {
		if c.state == loading {
			n++
		}
	}
	if n != s.loading {
		s.loading = n
		s.cfg.Game.Loading(n)
	}
}

// Retime changes, from now on, how many net updates a second the owner of the server calls Send with, and how many seconds an actor stays
// relevant to a player who no longer sees it; a timeout out of bounds is clamped as in [relevancy.Config].
func (s *Server) Retime(net int, timeout float64) {
	s.cfg.Net = net
	s.cfg.Relevancy.Timeout = timeout
	s.index.SetTimeout(timeout)
}

// Relimit changes what connections may use, from now on: those that are open, too. Where the budget of a connection is its own it stays.
func (s *Server) Relimit(l Limits) {
	old := s.cfg.Limits.Budget
	s.cfg.Limits = l.withDefaults()
	for _, c := range s.conns {
		if c.Budget == old {
			c.Budget = s.cfg.Limits.Budget
		}
	}
}
