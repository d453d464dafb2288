package engine

import "sort"

// Destroy ends an actor. UnTouch and Destroyed are called at once; afterwards the actor gets no further
// call, every variable that referred to it is nil, and its memory is freed at the end of the tick
// (R1.3). Destroying a destroyed actor does nothing. bStatic and bNoDelete actors refuse and the result is false;
// so does a client's copy of what is the server's, with a warning once a class (R5.17).
func (a *Actor) Destroy() bool {
	if a.deleted || a.destroying {
		return true
	}
	if a.BStatic || a.BNoDelete {
		return false
	}
	if a.IsCopy() && a.role() < RoleAuthority && !a.mayEnd() {
		a.world.refuseDestroy(a)
		return false
	}
	return a.end()
}

// end is Destroy without checking which peer controls the actor.
func (a *Actor) end() bool {
	w := a.world
	a.destroying = true
	if w.remote != nil {
		w.remote.Destroyed(a)
	}
	if a.State != nil {
		a.Event(EvEndState, String(""))
	}
	w.leaveSpace(a)
	for i := len(a.Components) - 1; i >= 0 && i < len(a.Components); i-- {
		if k := a.Components[i]; !k.deleted && !k.destroying {
			k.end()
		}
	}
	a.Event(EvDestroyed)
	a.deleted = true
	a.delist()
	if o := a.Outer; o != nil {
		for i, k := range o.Components {
			if k == a {
				o.Components = append(o.Components[:i:i], o.Components[i+1:]...)
				break
			}
		}
	} else {
		w.live--
	}
	a.clearTimers()
	w.purgeRefs(a)
	delete(w.inputs, a.id)
	delete(w.groups, a.id)
	w.Script.Detach(a)
	w.doomed = append(w.doomed, a)
	if !w.inStep && w.depth == 0 {
		w.bury()
	}
	return true
}

// purgeRefs sets every variable that refers to a destroyed actor to nil.
func (w *World) purgeRefs(a *Actor) {
	refs := a.refs
	a.refs = nil
	for _, r := range refs {
		f := w.Actor(r.from)
		if f == nil || f.deleted || !w.refersTo(r, a.id) {
			continue
		}
		if n := r.prop.Native; n != nil {
			n.put(f, Value{Kind: KindRef})
			f.Touched(r.prop)
			switch n.Name {
			case "Base":
				f.baseLost()
			case "Owner":
				f.markOwned(markCond|markNet, 0)
			}
			continue
		}
		if r.prop.Type.Kind == KindFastArray {
			f.fasts[r.prop.fast].forget(r.prop.Type.Elem, a.id)
		} else {
			f.words[r.prop.word+int(r.word)] = 0
		}
		f.Touched(r.prop)
		w.Script.Changed(f, r.prop)
	}
}

// bury frees destroyed actors: their ids stop resolving and their slots may be reused.
func (w *World) bury() {
	for _, a := range w.doomed {
		i := a.id.index()
		w.table[i] = slotEntry{gen: w.table[i].gen + 1}
		w.free = append(w.free, i)
		w.dropTick(a)
		w.forgetDead(a)
		// order is sorted by seq, so a binary search finds the position.
		k := sort.Search(len(w.order), func(k int) bool { return w.order[k] == nil || w.order[k].seq >= a.seq })
		for k < len(w.order) && w.order[k] != a {
			k++
		}
		if k < len(w.order) {
			w.order[k] = nil
			w.gone++
		}
	}
	clear(w.doomed)
	w.doomed = w.doomed[:0]
	if w.gone > 64 && w.gone > len(w.order)/4 {
		kept := w.order[:0]
		for _, a := range w.order {
			if a != nil {
				kept = append(kept, a)
			}
		}
		clear(w.order[len(kept):])
		w.order, w.gone = kept, 0
	}
}

// DestroyCopy ends a copy as the server's Destroy does, regardless of its role. A bStatic or bNoDelete actor
// stays, as the server's does. Remote.Destroyed is called as for any other actor.
func (w *World) DestroyCopy(a *Actor) {
	if a.deleted || a.destroying || a.BStatic || a.BNoDelete {
		return
	}
	a.end()
}

// LifeSpan returns how many seconds the actor has left, 0 for no end.
func (a *Actor) LifeSpan() float64 {
	if a.world == nil {
		return a.lifeSpan
	}
	if a.expires == 0 {
		return 0
	}
	return float64(float32(max(a.expires-a.world.Time, 0)))
}

// lifeSpanOver ends the actor, or remembers to if the server decides about the end (R5.17).
func (a *Actor) lifeSpanOver() {
	for i, t := range a.timers {
		if t.function == "" {
			a.timers = append(a.timers[:i], a.timers[i+1:]...)
			break
		}
	}
	a.expires = 0
	if !a.mayEnd() {
		a.lapsed = true
		return
	}
	if !a.BStatic && !a.BNoDelete && !a.deleted && !a.destroying {
		a.end()
	}
}

// SetLifeSpan destroys the actor after so many seconds; 0 cancels that.
func (a *Actor) SetLifeSpan(seconds float64) {
	w := a.world
	for i, t := range a.timers {
		if t.function == "" {
			a.timers = append(a.timers[:i], a.timers[i+1:]...)
			w.timers.remove(t)
			break
		}
	}
	a.expires, a.lapsed = 0, false
	if seconds > 0 {
		w.timerSeq++
		t := &timer{actor: a.id, due: w.Time + seconds, seq: w.timerSeq}
		a.expires = t.due
		a.timers = append(a.timers, t)
		w.timers.push(t)
	}
}
