package server

import (
	"fmt"
	"math"
	"time"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/netcode/schema"
	"github.com/tidelock/tidelock/netcode/wire"
)

// netUpdate compares what was marked and looks who may know of what; sending is each connection's flush.
func (s *Server) netUpdate(now time.Duration) {
	s.update++
	s.clock++
	s.lastNet = now
	s.main.reset()
	for i := range s.lanes {
		s.lanes[i].reset()
	}
	s.Stats = Stats{Calls: s.Stats.Calls, CallsDropped: s.Stats.CallsDropped, Saturated: s.saturated()}
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

// compareMarked finds out what changed of the actors that were marked.
func (s *Server) compareMarked() {
	t := s.world.Time
	late := s.late
	s.late = s.late[:0]
	for _, e := range late {
		e.waiting = false
		if !e.dead {
			s.considerWhenDue(e, t, false)
		}
	}
	clear(late[len(s.late):]) // it is filled again in place
	owners := false
	for _, a := range s.world.DirtyActors() {
		if a.Deleted() {
			continue
		}
		e := s.entityOf(a)
		if e == nil {
			continue
		}
		if m := a.DirtyMask(); e.class.Small {
			e.unsent[0] |= m[0]
		} else {
			all := wire.Mask(*m)
			e.unsent = or(&e.unsent, &all)
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
		force := a.TakeForceNetUpdate()
		if a.TakeFlushNetDormancy() {
			force = true
			e.woken = true
		}
		s.considerWhenDue(e, t, force)
	}
	for _, e := range s.volatiles {
		s.mark(e)
	}
	s.spread()
	if owners {
		s.owners++
		// Who owns what decides roles, conditions and relevancy along whole chains; changes are rare.
		for _, c := range s.conns {
			c.lookNow = true
			for _, r := range c.active {
				c.checkRole(r)
				if g := r.in; g != nil {
					if (c.input(r)^g.bits)&ofOwners == 0 {
						continue
					}
					c.own(r)
				}
				if r.pends() {
					c.queue(r)
				}
			}
		}
	}
}

// mark says that the answers of an entity's conditions may be others: what they held back is looked at again.
func (s *Server) mark(e *entity) {
	s.askAgain(e)
	if g := e.common; g != nil && g.pending != 0 {
		s.crowd.queue(g)
	}
	for _, x := range e.subs[:e.alone] {
		if r := x.r; r.pends() {
			r.conn.queue(r)
		}
	}
}

// considerWhenDue keeps an actor to its NetUpdateFrequency (R4.5).
func (s *Server) considerWhenDue(e *entity, t float64, force bool) {
	if s.unseen(e) {
		return
	}
	if !force && !e.class.Eager && t < e.due-1e-6 {
		if !e.waiting {
			e.waiting = true
			s.late = append(s.late, e)
		}
		return
	}
	s.consider(e)
}

// unseen reports whether nobody has an entity, so that nobody asks what changed of it: its marks are kept until somebody
// gets it (behold). Those of the level are looked at all the same, since that anything was set of them wakes them (R4.7).
func (s *Server) unseen(e *entity) bool {
	return len(e.subs) == 0 && e.outer == nil && !e.ownPlace && !s.cfg.Validate && (!e.actor.BTearOff || e.tornOff)
}

// behold brings the shadow of an entity that nobody had up to what the last net update found of it.
func (s *Server) behold(e *entity) {
	if e.unsent.Empty() || e.tornOff {
		return
	}
	m := e.unsent
	e.unsent = wire.Mask{}
	s.compare(e, &m)
}

// consider compares the marked variables of an entity with its shadow (R5.4).
func (s *Server) consider(e *entity) {
	k := e.class
	if k.Small && e.unsent[0] == 0 && (e.outer != nil || !e.actor.BTearOff) {
		return
	}
	if s.unseen(e) {
		return
	}
	m := e.unsent
	e.unsent = wire.Mask{}
	a := e.actor
	if a.BTearOff && !e.tornOff && e.outer == nil {
		s.pend(e, s.compare(e, &m))
		for _, p := range e.parts {
			s.pend(p, s.compare(p, &p.unsent))
		}
		s.tearOff(e)
		return
	}
	if m.Empty() {
		return
	}
	var changed wire.Mask
	if k.Small && k.Location >= 0 && m[0] == 1<<k.Location { // it moved, and nothing else
		s.Stats.Compared++
		if !s.comparePlace(e) {
			return
		}
		changed = m
	} else {
		changed = s.compare(e, &m)
	}
	if changed = and(&changed, &k.Down); changed.Empty() {
		return
	}
	t := s.world.Time
	e.due = t + e.pause
	e.served = t
	s.Stats.Changed++
	e.woken = true
	s.pend(e, changed)
}

// pend makes what changed of an entity pending for all that have it.
func (s *Server) pend(e *entity, changed wire.Mask) {
	changed = and(&changed, &e.class.Down)
	if changed.Empty() {
		return
	}
	if g := e.common; g != nil {
		g.pending |= changed[0]
		g.dirty = true
		s.crowd.queue(g)
	}
	for _, x := range e.subs[:e.alone] {
		x.c.news = append(x.c.news, news{x.r, changed[0]})
		if e.class.Small {
			continue
		}
		x.r.pend(&changed)
	}
}

// frequency is the actor's NetUpdateFrequency; a component's is its actor's.
func (e *entity) frequency() float64 {
	if e.outer != nil {
		return e.outer.actor.NetUpdateFrequency
	}
	return e.actor.NetUpdateFrequency
}

// pace takes up the actor's NetUpdateFrequency, for its components too.
func (e *entity) pace() {
	e.pause = 0
	if f := e.frequency(); f > 0 {
		e.pause = 1 / f
	}
	for _, p := range e.parts {
		p.pause = e.pause
	}
}

// compare takes the present values of a mask into the shadow and gives those that cross differently than before.
func (s *Server) compare(e *entity, m *wire.Mask) (changed wire.Mask) {
	k, a := e.class, e.actor
	var words [3]uint64
	var strs [1]string
	for n := m.Next(0); n >= 0 && n < len(k.Vars); n = m.Next(n + 1) {
		v := &k.Vars[n]
		s.Stats.Compared++
		if n == k.Location {
			if s.comparePlace(e) {
				changed.Set(n)
			}
			continue
		}
		switch v.Type.Kind {
		case engine.KindFastArray:
			if e.pieces[v.Piece].compareFast(a.Fast(v.Prop), s.clock) {
				changed.Set(n)
			}
			continue
		case engine.KindArray:
			if s.compareArray(e, v) {
				changed.Set(n)
			}
			continue
		case engine.KindStruct:
			if s.compareStruct(e, v) {
				changed.Set(n)
			}
			continue
		default:
		}
		nw, ns := v.Type.Words(), v.Type.Strs()
		a.ReadProperty(v.Prop, words[:], strs[:])
		old := e.words[v.Word : v.Word+nw]
		same := true
		for i := range old {
			same = same && old[i] == words[i]
		}
		if ns > 0 {
			same = same && e.strs[v.Str] == strs[0]
		}
		if same {
			continue
		}
		crosses := true
		switch v.Type.Kind {
		case engine.KindVector:
			crosses = !sameVector(v.Type, old, words[:])
		case engine.KindRotator:
			const upper = 0x0000_ff00_ff00_ff00
			crosses = old[0]&upper != words[0]&upper
		default:
		}
		copy(old, words[:])
		if ns > 0 {
			e.strs[v.Str] = strs[0]
		}
		if crosses {
			changed.Set(n)
		}
	}
	return changed
}

// comparePlace is compare for the actor's Location.
func (s *Server) comparePlace(e *entity) bool {
	k := e.class
	at := e.actor.Location
	engine.StoreVector(e.words[k.Vars[k.Location].Word:], at)
	q, _ := k.Grid.Quantise(at)
	if q == e.at {
		return false
	}
	e.at = q
	switch {
	case len(e.subs) == 0:
		e.placeN = 0 // nobody holds one
	case e.places == nil:
		if len(s.placesFree) == 0 { // in rows: movers are seen for the first time one by one, for long
			s.placesFree = make([]places, 32)
		}
		e.places, s.placesFree = &s.placesFree[0], s.placesFree[1:]
		fallthrough
	default:
		e.put(s.update, q)
	}
	return true
}

// sameVector reports whether two vectors cross alike (R5.10).
func sameVector(t *engine.Type, a, b []uint64) bool {
	g := wire.GridOf(t)
	p, _ := g.Quantise(engine.LoadVector(a))
	q, _ := g.Quantise(engine.LoadVector(b))
	return p == q
}

func (s *Server) compareArray(e *entity, v *schema.Var) bool {
	nw, ns := v.Type.Words(), v.Type.Strs()
	words, strs := s.scratch(nw, ns)
	e.actor.ReadProperty(v.Prop, words, strs)
	el := v.Type.Elem
	changed := false
	p := &e.pieces[v.Piece]
	for i := range v.Type.Len {
		w, st := e.words[v.Word+i*el.Words():][:el.Words()], e.strs[v.Str+i*el.Strs():][:el.Strs()]
		nw, ns := words[i*el.Words():][:el.Words()], strs[i*el.Strs():][:el.Strs()]
		if sameWords(w, nw) && sameStrs(st, ns) {
			continue
		}
		if !crossesAlike(el, w, nw, st, ns) {
			changed = true
			p.elems[i] = s.clock
		}
		copy(w, nw)
		copy(st, ns)
	}
	return changed
}

func (s *Server) compareStruct(e *entity, v *schema.Var) bool {
	nw, ns := v.Type.Words(), v.Type.Strs()
	words, strs := s.scratch(nw, ns)
	e.actor.ReadProperty(v.Prop, words, strs)
	w, st := e.words[v.Word:v.Word+nw], e.strs[v.Str:v.Str+ns]
	alike := crossesAlike(v.Type, w, words, st, strs)
	copy(w, words)
	copy(st, strs)
	return !alike
}

// crossesAlike compares two values as far as they cross.
func crossesAlike(t *engine.Type, a, b []uint64, as, bs []string) bool {
	switch t.Kind {
	case engine.KindVector:
		return sameVector(t, a, b)
	case engine.KindRotator:
		const upper = 0x0000_ff00_ff00_ff00
		return a[0]&upper == b[0]&upper
	case engine.KindStruct:
		for i := range t.Fields {
			f := &t.Fields[i]
			if !f.Local && !crossesAlike(f.Type, a[f.Word():], b[f.Word():], as[f.Str():], bs[f.Str():]) {
				return false
			}
		}
		return true
	case engine.KindArray:
		w, st := t.Elem.Words(), t.Elem.Strs()
		for i := range t.Len {
			if !crossesAlike(t.Elem, a[i*w:], b[i*w:], as[i*st:], bs[i*st:]) {
				return false
			}
		}
		return true
	default:
		return sameWords(a[:t.Words()], b[:t.Words()]) && sameStrs(as[:t.Strs()], bs[:t.Strs()])
	}
}

func sameWords(a, b []uint64) bool {
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

func sameStrs(a, b []string) bool {
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

func (s *Server) scratch(words, strs int) ([]uint64, []string) {
	if cap(s.main.words) < words {
		s.main.words = make([]uint64, words)
	}
	if cap(s.main.strs) < strs {
		s.main.strs = make([]string, strs)
	}
	return s.main.words[:words], s.main.strs[:strs]
}

// validate reports every value that differs from the shadow without a mark (R4.7). Everything that was marked has
// been compared by now, or is marked still.
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
			nw, ns := v.Type.Words(), v.Type.Strs()
			words, strs := s.scratch(nw, ns)
			e.actor.ReadProperty(v.Prop, words, strs)
			if !crossesAlike(v.Type, e.words[v.Word:v.Word+nw], words, e.strs[v.Str:v.Str+ns], strs) {
				s.once(engine.SevError, fmt.Sprintf("%s.%s of %s changed without a mark: it was not replicated (R4.7)", k.Class.Name, v.Prop.Name, e.actor))
				e.unsent.Set(n)
				s.considerWhenDue(e, s.world.Time, true)
				s.spread()
			}
		}
	}
}

// dormant reports whether the actor wants to sleep.
func (e *entity) dormant() bool {
	a := e.actor
	if e.outer != nil {
		a = e.outer.actor
	}
	return a.NetDormancy == engine.DormDormantAll || a.NetDormancy == engine.DormInitial
}

// tearOff sends an actor's last state to those that have it and lets it go (R5.18).
func (s *Server) tearOff(e *entity) {
	if e.common != nil {
		s.crowd.eject(e.common)
	}
	s.spread()
	e.tornOff = true
	defer s.index.Remove(e.actor)
	s.index.Update(e.actor) // the marks of this tick are not all taken up yet
	for i := len(e.subs) - 1; i >= 0; i-- {
		r := e.subs[i].r
		c := r.conn
		if r.state == recLeft {
			continue
		}
		if r.state == recLooked || !c.mayHearEnd(r) {
			continue
		}
		for _, p := range e.parts { // theirs first, so that TornOff finds it
			if pr := c.rec(p); pr != nil && pr.state == recOpen {
				c.update(pr)
			}
		}
		c.update(r)
		c.close(r, wire.CloseTornOff)
		for _, p := range e.parts {
			if pr := c.rec(p); pr != nil {
				pr.state = recLeft
			}
		}
		r.state = recLeft
	}
}

// mayHearEnd reports whether a connection that has an actor may be sent its last state: not where it fell asleep and is out
// of sight since, or belongs to somebody else by now (R3.12). There the copy goes, or stays as it is if it is the level's.
func (c *Conn) mayHearEnd(r *rec) bool {
	if !c.serves() || c.Player() == nil {
		return false
	}
	c.lookView()
	c.recall(r)
	e := r.ent
	if r.verdict = c.s.index.Decide(&c.view, e.actor, &r.sight, c.s.world.Time); r.verdict.Relevant {
		return true
	}
	if e.actor.BStatic || e.actor.BNoDelete {
		r.state = recLeft
		return false
	}
	c.close(r, wire.CloseIrrelevant)
	c.forget(r)
	return false
}

// answer is what conditions last gave for an input, nil where they must be asked anew.
func (e *entity) answer(in engine.CondInput) *condEntry {
	for i := range e.conds {
		if q := &e.conds[i]; q.in == in && q.stamp == e.condStamp && q.valid {
			return q
		}
	}
	return nil
}

// answered is answer for a class that is small and steady.
func (e *entity) answered(in engine.CondInput) (mask uint64, ok bool) {
	if e.hot && e.hotIn == in {
		return e.hotMask, true
	}
	if q := e.answer(in); q != nil {
		return q.mask[0], true
	}
	return 0, false
}

// keepHot has answered find an answer at once. It is called where no connection is flushed beside others.
func (e *entity) keepHot(q *condEntry) {
	if e.class.Steady && e.class.Small {
		e.hot, e.hotIn, e.hotMask = true, q.in, q.mask[0]
	}
}

// askAgain voids the answers of an entity's conditions. Those that connections went by are asked anew at once where it can be
// told that they hold until the next mark, so that connections need not wait for each other with it (lanes.go).
func (s *Server) askAgain(e *entity) {
	e.condStamp++
	e.hot = false
	if !e.class.Steady || len(e.subs) == 0 {
		return
	}
	for i := range e.conds {
		if q := &e.conds[i]; q.valid && q.stamp == e.condStamp-1 {
			q.mask, q.stamp, q.update = s.evaluate(e, q.in), e.condStamp, s.update
			if q.in == e.hotIn || !e.hot {
				e.keepHot(q)
			}
		}
	}
}

// conditions gives the variables whose condition holds for a connection (R5.6).
func (s *Server) conditions(e *entity, in engine.CondInput, c *Conn) wire.Mask {
	k := e.class
	in &= k.InputMask
	var m wire.Mask
	if q := e.answer(in); q != nil && (!k.Volatile || q.update == s.update) {
		m = q.mask
	} else {
		m = s.evaluate(e, in)
		e.conds[e.condNext] = condEntry{in: in, valid: true, stamp: e.condStamp, update: s.update, mask: m}
		if !e.hot {
			e.keepHot(&e.conds[e.condNext])
		}
		e.condNext = (e.condNext + 1) % len(e.conds)
	}
	if k.Groups {
		groups := []string(nil)
		if pc := c.Player(); pc != nil {
			groups = pc.NetGroups()
		}
		for i := range k.Rules {
			r := &k.Rules[i]
			if r.Rule.Named == engine.CondNetGroup && contains(groups, r.Rule.Group) {
				m = or(&m, &r.Mask)
			}
		}
	}
	return m
}

func contains(list []string, s string) bool {
	for _, x := range list {
		if x == s {
			return true
		}
	}
	return false
}

// evaluate asks every rule; those of groups of connections are left out.
func (s *Server) evaluate(e *entity, in engine.CondInput) (m wire.Mask) {
	k, a := e.class, e.actor
	for i := range k.Rules {
		r := &k.Rules[i]
		s.Stats.Conditions++
		switch n := r.Rule.Named; n {
		case engine.CondNone:
			switch cond := r.Rule.Cond; {
			case cond != nil && cond.Native():
				if !cond.EvalInput(a, in) {
					if f := cond.TakeFault(); f != nil {
						s.report(engine.SevError, fmt.Sprintf("%s: the condition of %s: %s", r.Rule.Pos, k.Class.Name, f.Text))
					}
					continue
				}
			case cond != nil || r.Rule.Script != nil:
				if !s.world.Script.Condition(r.Rule, a, in.Bits()) {
					continue
				}
			}
			m = or(&m, &r.Mask)
		case engine.CondNetGroup:
		case engine.CondCustom, engine.CondDynamic:
			for v := r.Mask.Next(0); v >= 0; v = r.Mask.Next(v + 1) {
				p := k.Vars[v].Prop
				if n == engine.CondCustom && a.CustomIsActive(p) || n == engine.CondDynamic && schema.Named(a.DynamicCondition(p), a, in) {
					m.Set(v)
				}
			}
		default:
			if schema.Named(n, a, in) {
				m = or(&m, &r.Mask)
			}
		}
	}
	return m
}

// tellPing sets what the player's PlayerState shows of his connection (R8.6).
func (c *Conn) tellPing() {
	pc := c.Player()
	if c.state != playing || pc == nil {
		return
	}
	p := pc.Class.Property("PlayerReplicationInfo")
	if p == nil {
		return
	}
	pri := c.s.world.Actor(pc.Get(p).Ref)
	if pri == nil {
		return
	}
	loss := 0.0
	if n := c.sess.Delivered + c.sess.Lost; n > 0 {
		loss = float64(c.sess.Lost) / float64(n)
	}
	// In the same order each time: scripts hear of it.
	for i, name := range [...]string{"Ping", "PacketLoss"} {
		v := [...]float64{math.Round(c.sess.RTT.Seconds() * 1000), math.Round(loss * 100)}[i]
		q := pri.Class.Property(name)
		if q == nil || q.Native != nil {
			continue
		}
		if pri.Set(q, engine.Float(v)) != nil && pri.Set(q, engine.Int(int(v))) != nil {
			continue // a game's PlayerState of another type: its own affair
		}
		c.s.world.Script.Changed(pri, q)
	}
}
