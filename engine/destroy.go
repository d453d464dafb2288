package engine

import (
	"sort"
)

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

// end is Destroy without asking whose the actor is.
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

// purgeRefs turns every variable that refers to a destroyed actor nil.
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

// refersTo reports whether an edge still holds.
func (w *World) refersTo(r refEdge, id ActorID) bool {
	f := w.Actor(r.from)
	if f == nil || f.Class.byName[r.prop.Name] != r.prop {
		return false
	}
	if r.prop.Native != nil {
		return r.prop.Native.get(f).Ref == id
	}
	if r.prop.Type.Kind == KindFastArray {
		return f.fasts[r.prop.fast].refersTo(r.prop.Type.Elem, id)
	}
	return f.words[r.prop.word+int(r.word)] == uint64(id)
}

// bury frees what was destroyed: ids stop resolving and their places may be used again.
func (w *World) bury() {
	for _, a := range w.doomed {
		i := a.id.index()
		w.table[i] = slotEntry{gen: w.table[i].gen + 1}
		w.free = append(w.free, i)
		w.dropTick(a)
		w.forgetDead(a)
		// order is sorted by seq, so the place is found without a search of all.
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
