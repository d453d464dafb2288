package engine

import "slices"

// Reclass swaps the classes of a running world for a newly built set, between two ticks. Every live actor keeps
// the values of variables that still exist with the same type and range, except values that equal a changed
// default, which follow it; new variables get their default, and the others are reported in the migrations.
// Functions and states are those of the new set from the next call on. Every class that has live actors must be
// in the new set (the caller has checked). It calls no script; [World.FollowDefaults] completes what it began.
func (w *World) Reclass(cs *Classes) *Reclassed {
	if w.inStep || w.depth > 0 {
		panic("engine: Reclass inside a tick")
	}
	old := w.Classes
	plans := map[*Class]*plan{}
	w.Classes = cs
	w.condFaults.forget()
	clear(w.space.near[:cap(w.space.near)]) // scratch that would keep destroyed actors and their classes alive
	num := make(map[*Class]int, len(w.nextNum))
	for c, n := range w.nextNum { // any order: from one map to another
		if nc := cs.byName[c.Name]; nc != nil {
			num[nc] = n
		}
	}
	w.nextNum = num
	out := &Reclassed{}
	var order []*plan
	w.eachEver(func(a *Actor) {
		p := plans[a.Class]
		if p == nil {
			p = makePlan(a.Class, cs.byName[a.Class.Name], old, cs)
			plans[a.Class] = p
			order = append(order, p)
		}
		if m := p.apply(a); !m.empty() {
			out.Migrations = append(out.Migrations, m)
		}
		clear(a.refs[:cap(a.refs)]) // they name properties of the old classes, which nothing else keeps alive
		a.refs = a.refs[:0]
	})
	w.space.kinds = population{}
	for _, a := range w.space.actors {
		if a != nil {
			w.space.kinds.add(a)
		}
	}
	// References point at properties of the new classes from here on.
	w.eachEver(func(a *Actor) { a.renoteRefs() })
	w.controllers = tickList{}
	w.tickers = tickList{}
	w.eachEver(func(a *Actor) {
		a.tickable = false
		w.refreshTick(a)
		w.tuneRigid(a)
	})
	var list changeList
	for _, p := range order {
		p.report(&list)
	}
	out.Defaults = list.sorted()
	return out
}

// eachEver visits every actor that has not been freed.
func (w *World) eachEver(f func(*Actor)) {
	for _, a := range w.order {
		if a != nil && !a.deleted {
			f(a)
		}
	}
}

func makePlan(from, to *Class, old, cs *Classes) *plan {
	p := &plan{comparison: comparison{old: old, now: cs, from: from, to: to}, same: from.words == to.words && from.strs == to.strs && from.fasts == to.fasts}
	for _, f := range from.Properties {
		if f.Native != nil {
			continue
		}
		t := to.byName[f.Name]
		switch {
		case t == nil || t.Native != nil:
			p.removed = append(p.removed, f)
			p.same = false
		case !f.Type.Same(t.Type):
			p.reset = append(p.reset, f)
			p.same = false
		default:
			p.moves = append(p.moves, move{f, t})
			if f.word != t.word || f.str != t.str || f.fast != t.fast ||
				!f.Type.sameBounds(t.Type) {
				p.same = false
			}
			if t.Type.HasClass() {
				p.hasClass = true
			}
		}
	}
	for _, t := range to.Properties {
		if t.Native != nil {
			continue
		}
		if f := from.byName[t.Name]; f == nil || f.Native != nil {
			p.added = append(p.added, t)
			p.same = false
		}
	}
	if p.hasClass {
		p.same = false
		p.classes = make([]uint64, len(old.sorted)+1)
		for i, c := range old.sorted {
			if n := cs.byName[c.Name]; n != nil {
				p.classes[i+1] = uint64(n.Index) + 1
			}
		}
	}
	for _, mv := range p.moves {
		f, t := mv.from, mv.to
		words, strs := from.defWords[f.word:f.word+f.Type.words], from.defStrs[f.str:f.str+f.Type.strs]
		if t.Type.HasClass() {
			words = slices.Clone(words)
			p.mapClasses(t.Type, words)
		}
		if d := p.declared(t, words, strs); d != nil {
			p.defaults = append(p.defaults, d)
		}
	}
	p.natives = p.comparison.natives()
	return p
}

func (p *plan) apply(a *Actor) Migration {
	m := Migration{Actor: a}
	w := a.world
	dirty := a.dirty
	if !p.same {
		words, strs, fasts := a.words, a.strs, a.fasts
		value := func(f *Property) Value {
			if f.Type.Kind == KindFastArray {
				return Value{Kind: KindFastArray}
			}
			return loadValue(p.old, f.Type, words[f.word:], strs[f.str:])
		}
		former := func(f *Property) Former {
			d := f.Type.Kind != KindFastArray &&
				slices.Equal(words[f.word:f.word+f.Type.words], p.from.defWords[f.word:f.word+f.Type.words]) &&
				slices.Equal(strs[f.str:f.str+f.Type.strs], p.from.defStrs[f.str:f.str+f.Type.strs])
			return Former{f.Name, value(f), d}
		}
		for _, f := range p.removed {
			m.Removed = append(m.Removed, former(f))
		}
		for _, f := range p.reset {
			m.Reset = append(m.Reset, former(f))
		}
		m.Added = p.added
		a.words = append(make([]uint64, 0, p.to.words), p.to.defWords...)
		a.strs = append([]string(nil), p.to.defStrs...)
		a.fasts = make([]*FastArray, p.to.fasts)
		for _, mv := range p.moves {
			f, t := mv.from, mv.to
			if t.Type.Kind == KindFastArray {
				a.fasts[t.fast] = fasts[f.fast]
				continue
			}
			copy(a.words[t.word:t.word+t.Type.words], words[f.word:])
			copy(a.strs[t.str:t.str+t.Type.strs], strs[f.str:])
			if p.hasClass && t.Type.HasClass() {
				p.mapClasses(t.Type, a.words[t.word:])
			}
		}
		p.follow(a, &m)
		for _, mv := range p.moves {
			// A value outside its new range is reset and reported.
			f, t := mv.from, mv.to
			if !t.Type.bounded() || f.Type.sameBounds(t.Type) {
				continue
			}
			unfit := false
			if t.Type.Kind == KindFastArray {
				unfit = a.fasts[t.fast].refit(w, t.Type.Elem)
			} else {
				unfit = t.Type.refit(w, a.words[t.word:], a.strs[t.str:], p.to.defWords[t.word:], p.to.defStrs[t.str:])
			}
			if unfit {
				m.Reset = append(m.Reset, Former{Name: t.Name, Value: value(f)})
			}
		}
	} else {
		p.follow(a, &m)
	}
	a.Class = p.to
	a.Dispatch = p.to.Dispatch
	if a.State != nil {
		s := p.to.States[a.State.Name]
		if s == nil {
			m.StateLost = a.State.Name
			a.State = nil
		} else {
			a.State, a.Dispatch = s, s.Dispatch
		}
	}
	kept := a.stack[:0]
	for _, s := range a.stack {
		if s == nil {
			kept = append(kept, nil)
		} else if n := p.to.States[s.Name]; n != nil {
			kept = append(kept, n)
		}
	}
	a.stack = kept
	// Dirty marks follow their variables.
	clear(a.dirty[:])
	for _, f := range p.from.Replicated {
		if dirty[f.Rep>>6]&(1<<(f.Rep&63)) == 0 {
			continue
		}
		if t := p.to.byName[f.Name]; t != nil && t.Rep >= 0 {
			a.dirty[t.Rep>>6] |= 1 << (t.Rep & 63)
		}
	}
	a.mark(markCond) // its conditions may have changed
	if a.net != nil {
		a.net.inactive = remap(a.net.inactive, p.to)
		a.net.dynamic = remap(a.net.dynamic, p.to)
	}
	return m
}

func remap[V any](m map[*Property]V, to *Class) map[*Property]V {
	if m == nil {
		return nil
	}
	out := make(map[*Property]V, len(m))
	for p, v := range m { // any order: from one map to another
		if n := to.byName[p.Name]; n != nil {
			out[n] = v
		}
	}
	return out
}

// mapClasses converts class references inside a value into those of the new set; removed classes become none.
func (p *plan) mapClasses(t *Type, words []uint64) {
	switch t.Kind {
	case KindClass:
		words[0] = p.classes[words[0]]
	case KindArray:
		for i := 0; i < t.Len; i++ {
			p.mapClasses(t.Elem, words[i*t.Elem.words:])
		}
	case KindStruct:
		for i := range t.Fields {
			p.mapClasses(t.Fields[i].Type, words[t.Fields[i].word:])
		}
	default:
	}
}

// renoteRefs registers every reference the actor holds.
func (a *Actor) renoteRefs() {
	for _, p := range a.Class.Properties {
		switch {
		case p.Native == nil:
			a.noteRefs(p.Whole())
		case p.Type.Kind == KindRef && !p.Native.readOnly && a.Outer == nil:
			if t := a.world.Actor(p.Native.get(a).Ref); t != nil {
				t.addRef(refEdge{a.id, p, 0})
			}
		}
	}
}

// FollowDefaults completes a reload when scripts may be called again: native variables of live actors follow
// their defaults, with all effects of setting them, and the network code is notified of everything that
// followed.
func (w *World) FollowDefaults(r *Reclassed) {
	for i := range r.Migrations {
		m := &r.Migrations[i]
		for _, n := range m.natives {
			a := m.Actor
			if a.deleted || a.destroying || !sameValue(n.prop.Native.get(a), n.old) { // destroyed by a script that was called before
				continue
			}
			if a.role() == RoleAuthority {
				if a.setNative(n.prop, n.now) != nil {
					continue
				}
			} else {
				var words [3]uint64
				var strs [1]string
				storeValue(w.Classes, n.prop.Type, words[:], strs[:], n.now)
				a.receiveNative(n.prop, words[:], strs[:])
			}
			m.Followed = append(m.Followed, Followed{n.prop, n.old})
		}
	}
	f, ok := w.remote.(Follower)
	if !ok {
		return
	}
	for i := range r.Migrations {
		m := &r.Migrations[i]
		for _, x := range m.Followed {
			if !m.Actor.deleted && !m.Actor.destroying {
				f.Followed(m.Actor, x.Prop, x.Old)
			}
		}
	}
}

// DefaultsSince lists the defaults that differ from an earlier set, for classes that exist in both and for
// which wanted is true, parents first; it counts no actors. A default that a class inherits is listed only for
// its parent.
func (cs *Classes) DefaultsSince(old *Classes, wanted func(*Class) bool) []DefaultChange {
	var list changeList
	for _, to := range cs.sorted {
		from := old.byName[to.Name]
		if from == nil || !wanted(to) {
			continue
		}
		makePlan(from, to, old, cs).report(&list)
	}
	return list.sorted()
}
