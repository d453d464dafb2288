package server

import (
	"slices"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/netcode/bundle"
	"github.com/tidelock/tidelock/netcode/schema"
	"github.com/tidelock/tidelock/netcode/server/shadow"
	"github.com/tidelock/tidelock/netcode/wire"
)

// Reloaded adopts new classes after the world has them (R5.23): clients are notified, fetch the files that they
// lack and are sent variables again once they run the new classes.
func (s *Server) Reloaded(b *bundle.Bundle) {
	s.clock++
	s.forgetFaults()
	s.group.dissolve()
	for _, c := range s.conns { // masks in flight use the old numbers: all of it counts as not arrived
		c.sess.LoseAll()
		c.notifications()
		for _, r := range c.pool { // states that are reused later would keep the earlier classes alive until then
			r.ent, c.own(r).of = nil, shadow.View{}
		}
	}
	s.group.parts = nil // for the same reason
	old := s.set
	s.sets = append(s.sets, old)
	s.sets = slices.DeleteFunc(s.sets, func(x *schema.Set) bool { // those that no client runs
		return !slices.ContainsFunc(s.conns, func(c *Conn) bool { return c.state == playing && c.epoch == x.Epoch })
	})
	s.set = schema.New(s.world.Classes, old.Epoch+1)
	before := s.cfg.Bundle
	s.bundles = append(s.bundles, s.cfg.Bundle) // clients that still fetch the last ones find them
	s.bundles = s.bundles[max(0, len(s.bundles)-maxBundles):]
	s.cfg.Bundle = b
	for _, e := range s.slots {
		if e != nil {
			s.migrate(e)
		}
	}
	for i := range s.queue {
		if ev := &s.queue[i]; ev.kind == eventCall {
			if ev.fn = ev.ent.class.Present(ev.fn); ev.fn == nil {
				s.unbillCall(ev)
				*ev = event{}
			}
		}
	}
	update := b.Since(before)
	for _, c := range s.conns {
		c.faulty = nil   // of the old functions
		c.awaiting = nil // of the old numbers; recorded again when it is sent
		c.Traffic.Bind(s.set)
		if c.state == gone {
			continue
		}
		c.control(wire.AppendClasses(c.scratch[:0], &wire.Classes{Epoch: s.set.Epoch, Table: s.set.Hash, Manifest: b.Hash, Files: update.Files}))
		c.reloadHeld()
		// New files are sent without a request, which saves two round trips. A client in the game has all earlier
		// files, or will have them by then.
		if c.state == playing {
			c.files = append(c.files, update.Delta...)
		} else {
			c.files = append(c.files, update.Full...)
		}
	}
	s.world.EachActor(func(a *engine.Actor) { s.entityOf(a) }) // components that came with a class
	s.sendAllFiles()
	for _, l := range s.links { // now, and not a tick later: a designer waits for it
		l.Flush(s.now)
	}
}

// migrate converts an entity to the numbers of the new classes. What clients have of it is kept for each variable
// whose name and type are unchanged; all others are sent.
func (s *Server) migrate(e *entity) {
	old := e.class
	k := s.set.Of(e.actor.Class)
	if k == nil { // it was destroyed, and is still to be closed
		if c := s.set.Classes.Find(old.Class.Name); c != nil {
			e.class = s.set.Of(c)
			e.Reclass(e.class)
		}
		return
	}
	words, strs, pcs := e.Words, e.Strs, e.versions
	e.class = k
	e.layout()
	e.unsent, e.changed = wire.Mask{}, wire.Mask{}
	e.multicasts = nil
	from := map[string]int{}
	for n := range old.Vars {
		from[old.Vars[n].Prop.Name] = n
	}
	moved := make([]int, len(k.Vars)) // the old number, −1 for none
	var followed wire.Mask            // those that may have followed a changed default
	for n := range k.Vars {
		v := &k.Vars[n]
		moved[n] = -1
		o, ok := from[v.Prop.Name]
		if !ok || !schema.SameType(old.Vars[o].Type, v.Type) {
			if v.Piece < 0 { // clients' copies have the new default after their own reload
				copyDefault(e, k, n)
			}
			continue
		}
		ov := &old.Vars[o]
		moved[n] = o
		copy(e.Words[v.Word:v.Word+v.Type.Words()], words[ov.Word:])
		copy(e.Strs[v.Str:v.Str+v.Type.Strs()], strs[ov.Str:])
		if v.Piece >= 0 {
			e.versions[v.Piece] = pcs[ov.Piece]
			if k.Refs.Has(n) {
				e.versions[v.Piece].touch(s.clock)
			}
		}
		if v.Type.HasClass() && v.Type.Kind != engine.KindFastArray {
			// Classes have other numbers now, in the world and on every client.
			e.load(v)
			moved[n] = -1
		} else if e.follow(n, old, o, s.clock) {
			followed.Set(n)
		}
	}
	e.Quantize()
	// Marks used the old numbers: everything is compared once.
	for n := range k.Vars {
		e.unsent.Set(n)
	}
	s.postpone(e)
	if k.Volatile && !e.volatile {
		e.volatile = true
		s.volatiles = append(s.volatiles, e)
	}
	for _, x := range e.subs {
		r, st := x.r, x.c.own(x.r)
		was := st.get(pending).Or(st.get(repeat))
		var late, sent wire.Mask
		for n := range k.Vars {
			o, ok := from[k.Vars[n].Prop.Name]
			if ok && st.late.Has(o) {
				late.Set(n)
			}
			if ok && st.has(ever, o) {
				sent.Set(n)
			}
		}
		ps := append([]uint32(nil), r.versions...)
		st.put(pending, wire.Mask{})
		st.put(repeat, wire.Mask{})
		st.widen()
		r.unversion()
		st.lastNo, st.positions, r.heard = 0, 0, r.heard[:0]
		st.late = wire.Mask{}
		st.makeLate(late)
		st.put(ever, sent)
		if e.untouched() {
			continue // the client's own level copy did the same; comparing wakes it if it differs
		}
		if again := s.followedBy(r, &followed); !again.Empty() {
			st.lack(&again)
		}
		for n := range k.Vars {
			o := moved[n]
			v := &k.Vars[n]
			if o < 0 || was.Has(o) || k.Refs.Has(n) { // variables that waited for an actor were recorded by the old number
				st.pendOne(n)
			}
			if v.Piece >= 0 && o >= 0 && old.Vars[o].Piece < len(ps) {
				r.versions[v.Piece] = ps[old.Vars[o].Piece]
			}
		}
		r.conn.queue(r)
	}
	s.mark(e)
}

// follow makes the shadow of a variable follow a default that the reload changed, as clients' copies do; o is the
// variable's number in the old class. It reports whether the default has changed.
func (e *entity) follow(n int, old *schema.Class, o int, clock uint32) bool {
	v := &e.class.Vars[n]
	if !v.Prop.Follows() {
		return false
	}
	was, wasStrs := old.DefaultStorage(o)
	now, nowStrs := e.class.DefaultStorage(n)
	if slices.Equal(was, now) && slices.Equal(wasStrs, nowStrs) {
		return false
	}
	v.Type.Follow(e.Words[v.Word:], e.Strs[v.Str:], was, now, wasStrs, nowStrs)
	if v.Type.Kind == engine.KindArray {
		e.touchDiffering(v, was, now, wasStrs, nowStrs, clock)
	}
	return true
}

// followedBy returns those of the variables with changed defaults that a connection is sent once more. Its copy
// followed the default only if it had exactly the old one, and whether it did is unknown here: it may have been
// interpolating, have been rounded for the wire, or have been changed by the client's own scripts. Variables that
// are only sent with the opening are final.
func (s *Server) followedBy(r *repState, followed *wire.Mask) wire.Mask {
	e := r.ent
	if followed.Empty() || r.phase != repOpen && r.phase != repDormant {
		return wire.Mask{}
	}
	k := e.class
	m := followed.And(k.Down)
	cond := s.conditions(e, r.conn.input(e.actor, r.conn.own(r)), r.conn)
	for n := range m.All() {
		if !cond.Has(n) && k.Initial.Has(n) {
			m.Clear(n)
		}
	}
	return m
}

// copyDefault sets the shadow of a new variable to what clients have, so that comparing finds differences.
func copyDefault(e *entity, k *schema.Class, n int) {
	v := &k.Vars[n]
	w, st := k.DefaultStorage(n)
	copy(e.Words[v.Word:], w)
	copy(e.Strs[v.Str:], st)
}
