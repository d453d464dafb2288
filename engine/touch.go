package engine

// Actors that collide and do not stop each other touch while their bodies are nearer than the gap that sweeps
// keep (1/32 uu). Both sides store each pair, so Touch and UnTouch alternate, once each.

// Touching lists the actors that touch this one, in order of spawning.
func (a *Actor) Touching() []*Actor { return append([]*Actor(nil), a.body.touching...) }

// IsTouching reports whether two actors touch.
func (a *Actor) IsTouching(b *Actor) bool { return a.body.touches(b) >= 0 }

func (b *bodyState) touches(o *Actor) int {
	for i, t := range b.touching {
		if t == o {
			return i
		}
	}
	return -1
}

// beginTouch makes two actors touch and calls Touch on both, on a first.
func (w *World) beginTouch(a, b *Actor) {
	if a.body.touches(b) >= 0 || a.deleted || b.deleted || a.destroying || b.destroying {
		return
	}
	a.body.touching = addBySpawn(a.body.touching, b)
	b.body.touching = addBySpawn(b.body.touching, a)
	a.Event(EvTouch, Ref(b))
	if a.body.touches(b) >= 0 { // otherwise a's Touch ended it
		b.Event(EvTouch, Ref(a))
	}
}

// endTouch ends a pair and calls UnTouch on both, on a first.
func (w *World) endTouch(a, b *Actor) {
	if a.body.touches(b) < 0 {
		return
	}
	a.body.touching = dropFrom(a.body.touching, b)
	b.body.touching = dropFrom(b.body.touching, a)
	a.Event(EvUnTouch, Ref(b))
	b.Event(EvUnTouch, Ref(a))
}

// untouchFar ends every touch that no longer exists, in order of spawning. It stops if an event moved the actor
// elsewhere.
func (w *World) untouchFar(a *Actor) {
	for i := 0; i < len(a.body.touching); {
		t := a.body.touching[i]
		if w.mayTouch(a, t) && w.within(a, t) {
			i++
			continue
		}
		moved := a.body.moved
		w.endTouch(a, t)
		if a.deleted || a.body.moved != moved {
			return // the code that moved it has checked the rest
		}
		i = 0 // events may have changed the list; checking again is cheap
	}
}

func (w *World) untouchAll(a *Actor) {
	for len(a.body.touching) > 0 {
		w.endTouch(a, a.body.touching[0])
	}
}

// retouch updates a's touches after it was moved, or its collision changed: UnTouch for what it left, then
// Touch for what it is in now, each in order of spawning. Before its first events have run an actor touches
// nothing.
func (w *World) retouch(a *Actor) {
	if !a.initialized || a.destroying || a.body.number == 0 {
		return
	}
	moved := a.body.moved
	w.untouchFar(a)
	if a.destroying || a.body.moved != moved || !a.BCollideActors {
		return
	}
	s := &w.space
	base := len(s.near)
	box := a.reachBox(vec{})
	if a.body.brushes {
		box = s.solid.MoverBounds(a.body.number)
	}
	for _, n := range w.neighbours(a, box, false) {
		b := n.actor
		if !n.touch || !b.initialized || a.body.touches(b) >= 0 || !w.mayTouch(a, b) || !w.within(a, b) {
			continue
		}
		w.beginTouch(a, b)
		if a.destroying || a.body.moved != moved {
			break
		}
	}
	s.near = s.near[:base]
}
