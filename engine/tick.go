package engine

import "sort"

// SetTickEnabled switches the actor's Tick event off and on; physics continues (Unreal's SetActorTickEnabled).
// An actor whose Tick is off and that does not move costs nothing.
func (a *Actor) SetTickEnabled(on bool) {
	a.tickOff = !on
	a.world.refreshTick(a)
}

// TickEnabled reports whether the actor's Tick runs.
func (a *Actor) TickEnabled() bool { return !a.tickOff }

// needsTick reports whether the actor belongs in the tick list.
func (a *Actor) needsTick() bool {
	if a.deleted || a.BStatic {
		return false
	}
	return a.Dispatch.Event[EvTick] != nil && !a.tickOff || a.Physics != PhysNone && a.Physics != PhysRigidBody ||
		a.Class.kind&kindPlayerController != 0
}

// refreshTick adds the actor to the tick list or removes it, as it now needs.
func (w *World) refreshTick(a *Actor) {
	if !a.initialized {
		return
	}
	w.refreshRigid(a)
	need := a.needsTick()
	if need == a.tickable {
		return
	}
	a.tickable = need
	if need {
		w.listOf(a).add(a)
	} else {
		w.listOf(a).drop()
	}
}

func (w *World) dropTick(a *Actor) {
	if a.tickable {
		a.tickable = false
		w.listOf(a).drop()
	}
}

func (w *World) listOf(a *Actor) *tickList {
	if a.Class.kind&kindController != 0 {
		return &w.controllers
	}
	return &w.tickers
}

func (t *tickList) add(a *Actor) { t.added = append(t.added, a) }
func (t *tickList) drop()        { t.dropped++ }

func (t *tickList) settle() {
	if len(t.added) == 0 && t.dropped == 0 {
		return
	}
	before := len(t.list)
	t.list = append(t.list, t.added...)
	if len(t.added) > 0 {
		sorted := true
		for i := max(before, 1); i < len(t.list) && sorted; i++ {
			sorted = t.list[i-1].seq < t.list[i].seq
		}
		if !sorted {
			sort.Slice(t.list, func(i, j int) bool { return t.list[i].seq < t.list[j].seq })
		}
	}
	kept := t.list[:0]
	var last *Actor
	for _, a := range t.list {
		if a.tickable && a != last {
			kept = append(kept, a)
			last = a
		}
	}
	clear(t.list[len(kept):])
	t.list = kept
	clear(t.added)
	t.added = t.added[:0]
	t.dropped = 0
}
