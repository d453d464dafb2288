package engine

import (
	"fmt"
	"slices"

	"github.com/tidelock/tidelock/engine/archive"
)

// takeFree completes the free ids: those of actors that were left out are free, too.
func (l *loader) takeFree() {
	w := l.w
	seen := make([]bool, len(w.table))
	for _, i := range l.free {
		if seen[i] || w.table[i].actor != nil {
			l.in.Failf("an id is both free and in use")
			return
		}
		seen[i] = true
	}
	for i := range w.table {
		if w.table[i].actor == nil && !seen[i] {
			w.table[i].gen++ // a class is gone: nobody gets an id of its actors
			l.free = append(l.free, i)
		}
	}
	w.free = l.free
}

// link connects actors with each other and puts them into space. It reports whether that was possible.
func (l *loader) link() bool {
	w := l.w
	hulls := w.levelHulls()
	taken := make([]bool, l.spaces)
	for _, n := range w.space.free {
		if n == 0 || taken[n] {
			l.in.Failf("place %d is free twice, or none", n)
			return false
		}
		taken[n] = true
	}
	for i := range l.heads {
		h := &l.heads[i]
		a := h.actor
		if a == nil {
			if h.body != 0 && !taken[h.body] {
				taken[h.body] = true
				w.space.free = append(w.space.free, h.body)
			}
			continue
		}
		if err := l.chains(a); err != "" {
			l.in.Failf("%s: %s", a.Name, err)
			return false
		}
		if a.Outer != nil {
			continue
		}
		if taken[h.body] {
			l.in.Failf("%s: its place %d is taken", a.Name, h.body)
			return false
		}
		taken[h.body] = true
		a.body.number = h.body
		if h.flags&bodyBrushes != 0 {
			brushes := hulls[a.LevelName]
			if len(brushes) == 0 {
				l.note("%s has no brushes in the level any more: it is a body like any other", a.Name)
			} else {
				delete(hulls, a.LevelName)
				a.body.mover.hulls, a.body.brushes = brushes, true
			}
		}
		if b := w.Actor(a.Base); b != nil {
			b.body.addRider(a)
		} else {
			a.Base, a.BAttached = 0, false
		}
		if a.BAttached && a.body.hang == nil {
			a.body.hang = &hanging{}
		}
	}
	for i, t := range taken {
		if i > 0 && !t {
			l.in.Failf("place %d belongs to nobody", i)
			return false
		}
	}
	for i := range l.heads {
		if a := l.heads[i].actor; a != nil && a.Outer == nil {
			l.enter(a)
		}
	}
	return true
}

// chains returns what is wrong with the owners and bases of an actor: they lead to themselves, or are components.
func (l *loader) chains(a *Actor) string {
	w := l.w
	if !a.Location.IsFinite() {
		return "it is nowhere"
	}
	walk := func(next func(*Actor) ActorID, what string) string {
		n := 0
		for k := w.Actor(next(a)); k != nil; k = w.Actor(next(k)) {
			if n++; k == a || n > maxChain {
				return fmt.Sprintf("its %s are a loop, or more than %d", what, maxChain)
			}
		}
		return ""
	}
	if err := walk(func(a *Actor) ActorID { return a.Owner }, "owners"); err != "" {
		return err
	}
	if b := w.Actor(a.Base); b != nil && (b.Outer != nil || a.Outer != nil) {
		return "a component rests on something, or something on it"
	}
	return walk(func(a *Actor) ActorID { return a.Base }, "bases")
}

// enter puts an actor into space, as enterSpace does for a new one.
func (l *loader) enter(a *Actor) {
	w := l.w
	s, b := &w.space, &a.body
	a.Location = insideWorld(a.Location)
	s.actors[b.number] = a
	s.kinds.add(a)
	if b.brushes {
		s.solid.AddMover(b.number, b.mover.hulls)
		s.solid.MoveMover(b.number, l.moved[a])
	}
	b.collides = a.BCollideActors
	if b.rigid == nil { // others when their bodies are there
		s.gridOf(a).Insert(b.number, w.gridBody(a))
	}
	w.brushesChanged(a)
	w.addVolume(a)
	// Both sides of a touch know it.
	b.touching = slices.DeleteFunc(b.touching, func(t *Actor) bool { return !slices.Contains(t.body.touching, a) })
	sortBySpawn(b.touching)
	b.touching = slices.Compact(b.touching)
}

// rigid reads the world of rigid bodies.
func (l *loader) rigid(in *archive.Reader) {
	w := l.w
	if there := in.Bool(); !there {
		for i := range l.heads {
			if a := l.heads[i].actor; a != nil && a.body.rigid != nil {
				in.Failf("%s has a body, and the world none", a.Name)
			}
		}
		in.End()
		return
	}
	r := w.rigids()
	r.mods = make([]string, in.Count(1<<12, 1))
	for i := range r.mods {
		r.mods[i] = in.String(maxSavedName)
	}
	if !r.space.Load(in, 4*len(l.heads)+1024) {
		return
	}
	in.End()
	for i := range l.heads {
		a := l.heads[i].actor
		if a == nil || a.body.rigid == nil {
			continue
		}
		p := a.body.rigid
		for int(p.id) >= len(r.numOf) && len(r.numOf) < r.space.Cap() {
			r.numOf = append(r.numOf, nil)
		}
		if !r.space.Has(p.id, int64(a.id)) || r.numOf[p.id] != nil {
			in.Failf("%s: there is no rigid body %d for it", a.Name, p.id)
			return
		}
		r.numOf[p.id] = a
		p.space = r.space
		p.state.find(a.Class)
		p.shape.Axes = r.space.Body(p.id).Axes()
		r.list = append(r.list, a)
		r.shareOf(a)
		w.space.gridOf(a).Insert(a.body.number, w.gridBody(a))
	}
	r.space.Retain(func(id int32) bool { return int(id) < len(r.numOf) && r.numOf[id] != nil })
}
