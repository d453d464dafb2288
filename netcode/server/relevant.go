package server

import (
	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/engine/relevancy"
	"github.com/tidelock/tidelock/netcode/wire"
)

// relevancy looks which actors each connection may know of (R3). New actors are looked at by all at once; the rest in
// turns, so that the tests of one net update stay bounded.
func (s *Server) relevancy() {
	for _, e := range s.fresh {
		if e.dead {
			continue
		}
		for _, c := range s.conns {
			c.look(e)
		}
	}
	clear(s.fresh)
	s.fresh = s.fresh[:0]
	for _, e := range s.changed { // flags, distance, base: looked at again at once
		if e.dead {
			continue
		}
		for _, c := range s.conns {
			c.look(e)
			if r := c.rec(e); r != nil {
				c.settle(r) // it may want to sleep
			}
		}
	}
	clear(s.changed)
	s.changed = s.changed[:0]
	s.settleResting()
	for _, c := range s.conns {
		c.wake()
	}
	s.looking = s.looking[:0]
	tests := 0
	for range s.conns {
		if s.turn >= len(s.conns) {
			s.turn = 0
		}
		if tests >= s.cfg.Limits.RelevancyTests {
			break
		}
		c := s.conns[s.turn]
		s.turn++
		c.lookNow = false
		if c.serves() && c.Player() != nil {
			s.looking = append(s.looking, c)
			tests += max(c.tests, 16) // as many as last time
		}
	}
	for _, c := range s.conns {
		if c.lookNow {
			c.lookNow = false
			if c.serves() && c.Player() != nil {
				s.looking = append(s.looking, c)
				tests += max(c.tests, 16)
			}
		}
	}
	work := 0
	for _, c := range s.looking {
		c.see()
		work += c.effort
	}
	s.index.Flat() // brings it up to date
	s.inLanes(work+1, s.scanners)
	for _, c := range s.looking {
		s.Stats.RelevancyTests += c.pass()
	}
}

// scanLane begins the passes of one lane.
func (s *Server) scanLane(lane int) {
	x := &s.flushing.workers[lane]
	for i := lane; i < len(s.looking); i += len(s.flushing.workers) {
		s.looking[i].scan(&x.search)
	}
}

// see is lookView, once a net update: most connections have nothing to ask in most of them.
func (c *Conn) see() {
	if c.seenAt != c.s.update {
		c.seenAt = c.s.update
		c.lookView()
	}
}

// lookView takes up where the player looks from.
func (c *Conn) lookView() {
	if c.sights == nil {
		c.sights = func(a *engine.Actor) *relevancy.Sight {
			if e := c.s.find(a.ID()); e != nil {
				if r := c.rec(e); r != nil {
					c.recall(r)
					return &r.sight
				}
			}
			return nil
		}
	}
	c.view = c.s.index.View(c.Player())
	c.view.Sights = c.sights
	c.reading = c.s.index.Reading(&c.view)
}

// serves reports whether the connection's client takes variables now.
func (c *Conn) serves() bool { return c.state == playing && c.player != 0 }

// scan begins a pass: it finds what the connection has or could have, and leaves in c.cands what is not as it was. It
// touches nothing but what is the connection's own.
func (c *Conn) scan(q *relevancy.Search) {
	s := c.s
	c.stamp++
	c.passed[0], c.passed[1] = s.world.Time, c.passed[0]
	blind := s.index.Config().NoSight
	version, constant := s.index.Flat()
	x := &c.flat
	x.skip = blind && constant && x.from != 0 && x.version == version && x.player == c.view.Player && x.target == c.view.Target && x.pawn == c.view.Pawn
	x.found, x.settled, x.flats = version, false, 0
	rest, sure := 0, 0
	if x.skip {
		x.to = c.stamp
		sure, rest = x.sure, len(x.rest)
		c.cands = s.index.NearRest(q, &c.watch, &c.view, s.world.Time, false, append(c.cands[:0], x.rest...))
	} else {
		c.cands = s.index.NearFlat(q, &c.view, c.cands[:0])
		rest = len(c.cands)
		c.cands = s.index.NearRest(q, &c.watch, &c.view, s.world.Time, true, c.cands)
		x.sure, x.rest = 0, x.rest[:0]
	}
	c.effort, c.near, c.hidden = len(c.cands), sure+c.watch.Kept, c.watch.Hidden
	for _, number := range c.watch.Lost {
		if slot := int(s.slotOf[number]); slot < len(c.looks) && c.looks[slot].sure == watched {
			r := c.recs[slot]
			c.looks[slot].sure = 0
			r.sight.Seen(c.watch.Before)
			c.absent = append(c.absent, absentee{r, r.serial, int32(slot), number}) // unless it is found another way
		}
	}
	for _, number := range c.watch.Shown {
		if slot := int(s.slotOf[number]); slot < len(c.looks) && c.looks[slot].sure == hidden {
			r := c.recs[slot]
			c.looks[slot].sure, r.seen = 0, c.watch.Before
			c.absent = append(c.absent, absentee{r, r.serial, int32(slot), number})
		}
	}
	if !blind {
		x.flats = rest
		return
	}
	left := c.cands[:0]
	for i, f := range c.cands {
		if f.Plain {
			if slot := int(s.slotOf[f.Number]); slot < len(c.looks) {
				l := &c.looks[slot]
				if x.skip && (l.found == c.stamp || l.flat == x.from) {
					continue // found before, another way
				}
				if l.sure == c.stamp-1 && l.sure != 0 { // as it was
					l.found, l.sure = c.stamp, c.stamp
					c.near++
					if i < rest {
						if x.skip {
							x.settled = true
						} else {
							l.flat = c.stamp
							x.sure++
						}
					}
					continue
				}
			}
		}
		if i < rest && !x.skip {
			x.flats++
		}
		left = append(left, f)
	}
	c.cands = left
	c.miss()
}

// miss lists what the connection has and scan did not find, where that is not settled by when it was last found (R3.10).
func (c *Conn) miss() {
	s := c.s
	c.missing, c.lingering = c.missing[:0], 0
	known := c.near
	for _, f := range c.cands {
		if slot := int(s.slotOf[f.Number]); slot > 0 && slot < len(c.recs) && c.recs[slot] != nil && c.looks[slot].asked != c.stamp {
			c.looks[slot].asked = c.stamp
			known++
		}
	}
	known += c.parts + c.hidden
	absent := c.absent
	c.absent = c.absent[:0]
	if known == len(c.active) {
		return
	}
	for _, a := range absent { // mostly these are all
		if a.r.serial == a.serial && !c.finds(int(a.slot)) {
			c.lacks(a)
		}
	}
	if known+len(c.absent) == len(c.active) {
		return
	}
	c.missing, c.lingering, c.absent = c.missing[:0], 0, c.absent[:0]
	for i := len(c.active) - 1; i >= 0; i-- {
		if c.finds(c.slots[i]) {
			continue
		}
		if r := c.active[i]; r.ent.outer == nil {
			c.lacks(absentee{r, r.serial, int32(c.slots[i]), int32(uint32(r.ent.id))})
		}
	}
}

// finds reports whether the pass under way found what stands in a slot.
func (c *Conn) finds(slot int) bool {
	from := c.flat.from
	if !c.flat.skip {
		from = c.stamp
	}
	l := &c.looks[slot]
	return l.sure >= hidden || l.found == c.stamp || l.asked == c.stamp || l.flat != 0 && l.flat == from
}

// lacks notes what the pass under way did not find.
func (c *Conn) lacks(a absentee) {
	c.absent = append(c.absent, a)
	if a.r.ent.tornOff {
		return
	}
	if a.r.state == recOpen {
		if c.looks[a.slot].sure != 0 {
			c.recall(a.r)
		}
		if c.s.index.Lingers(a.number, &a.r.sight, c.s.world.Time) {
			c.lingering++
			return
		}
	}
	c.missing = append(c.missing, lagging{a.r, a.serial})
}

// absentee is a rec that a pass did not find.
type absentee struct {
	r            *rec
	serial       uint32
	slot, number int32
}

// pass ends what scan began, and gives how many tests both took.
func (c *Conn) pass() int {
	if !c.serves() {
		return 0
	}
	s := c.s
	t := s.world.Time
	blind := s.index.Config().NoSight
	x := &c.flat
	tests, near := 0, c.near
	for i, f := range c.cands {
		if i < x.flats && !x.skip {
			x.rest = append(x.rest, f) // if it is not sure
		}
		e := s.byActor[f.Number]
		if e == nil || e.tornOff || e.outer != nil {
			continue
		}
		r := c.rec(e)
		if r == nil {
			r = c.make(e)
		}
		c.recall(r)
		l := &c.looks[e.slot]
		if l.found == c.stamp {
			continue
		}
		l.found = c.stamp
		if f.Plain && r.state == recOpen && s.index.Sensed(&c.watch, &c.view, f, &r.sight, t) {
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
		if f.Plain && r.state == recLooked && !r.opening() {
			if s.index.Sensed(&c.watch, &c.view, f, &r.sight, t) {
				c.watch.Drop(f) // only what is open is kept
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
		x.player, x.target, x.pawn = c.view.Player, c.view.Target, c.view.Pawn
	}
	if !blind {
		c.miss()
	}
	tests += c.lingering
	s.Stats.Relevant += c.lingering
	for _, l := range c.missing {
		r := l.r
		if r.serial != l.serial { // closing an actor forgets its components too
			continue
		}
		if r.state == recOpen || r.opening() {
			tests += c.decide(r) // may forget it
			continue
		}
		if r.state == recLooked && !r.opening() && t-r.seen > 3 {
			c.forget(r)
		}
	}
	return tests
}

// recall brings rec.sight up to what passes knew without touching it.
func (c *Conn) recall(r *rec) {
	l := &c.looks[r.ent.slot]
	switch {
	case l.sure == 0, l.sure == hidden:
		return
	case l.sure == watched: // in every pass so far, and it goes on
		r.sight.Seen(c.passed[0])
		return
	case l.sure == c.stamp, l.flat != 0 && l.flat == c.flat.from && c.flat.to == c.stamp:
		r.sight.Seen(c.passed[0])
	default: // in a pass that has not come to it yet
		r.sight.Seen(c.passed[1])
	}
	if l.flat == c.flat.from {
		c.flat.from = 0 // all are looked at again
	}
	l.sure, l.flat = 0, 0
}

// unwatch is recall for what the watch is to keep no more, if it does.
func (c *Conn) unwatch(r *rec) {
	c.recall(r)
	l := &c.looks[r.ent.slot]
	switch l.sure {
	case watched:
		c.near--
	case hidden:
		c.hidden--
	default:
		return
	}
	l.sure = 0
	c.watch.Forget(int32(uint32(r.ent.id)))
}

// flat is what a pass found of the actors that no distance culls: as long as nothing of them changes, it need not be found
// again.
type flat struct {
	version, found       uint64 // relevancy.Index.Flat; of the pass under way
	from, to             uint32 // stamps of the pass that looked, 0 for none, and of the last for which that holds
	player, target, pawn *engine.Actor
	sure                 int               // of them, those with look.flat
	skip, settled        bool              // of the pass under way
	flats                int               // how many of cands, at the front, are of them
	rest                 []relevancy.Found // all others
}

// look looks at one entity outside the turn.
func (c *Conn) look(e *entity) {
	if !c.serves() || c.Player() == nil || e.outer != nil || e.tornOff {
		return
	}
	c.see()
	r := c.rec(e)
	if r == nil {
		// Most of what is new lies far from most: a rec is only made of what is relevant.
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

// decide asks the rules about one actor and opens or closes its channel accordingly.
func (c *Conn) decide(r *rec) int {
	e := r.ent
	if r.state == recLeft || r.state == recDormant && !r.away && !r.opening() && e.dormant() {
		return 0 // R4.7: relevancy of what sleeps is not tested
	}
	s := c.s
	c.recall(r)
	r.verdict = s.index.Decide(&c.view, e.actor, &r.sight, s.world.Time)
	if !r.verdict.Relevant {
		if r.opening() {
			c.own(r).opening = false
			c.toOpen = drop(c.toOpen, r)
		}
		c.dropHeld(e)
		switch {
		case !r.known():
		case e.actor.BStatic || e.actor.BNoDelete:
			// The client keeps its copy (R3.10); when it is relevant again it is told what changed.
			c.close(r, wire.CloseDormant)
			r.away = true
		case r.state == recOpen && e.actor.BNetTemporary:
			c.close(r, wire.CloseTemporary)
			c.become(r, recLeft)
		default:
			c.close(r, wire.CloseIrrelevant)
			c.forget(r)
		}
		return 1
	}
	s.Stats.Relevant++
	r.away = false
	switch {
	case e.untouched():
		if r.state == recLooked { // it is dormant from the beginning
			c.trust(r)
		}
		if r.asked && !r.told {
			c.want(e, r.verdict)
		}
	case r.state == recLooked, r.state == recDormant && (!e.dormant() || c.stale(r)):
		c.want(e, r.verdict)
	}
	return 1
}
