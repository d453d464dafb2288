package engine

import (
	"fmt"
	"sort"
)

// Step advances the world by dt seconds: controllers and input, then actors in order of spawning with an
// actor's Base before the actor, then rigid bodies all together, then what plays on actors, then latent code and timers, then what was destroyed is freed (R1.3). A dt above [MaxDelta] is
// split into equal parts; one that is not above 0 does nothing.
func (w *World) Step(dt float64) {
	if !(dt > 0) {
		return
	}
	n := 1
	for dt/float64(n) > MaxDelta {
		n++
	}
	for range n {
		w.step(dt / float64(n))
	}
}

func (w *World) step(dt float64) {
	w.frame++
	w.Time += dt
	w.Delta = dt
	w.inStep = true
	w.swingHung()
	w.controllers.settle()
	w.tickers.settle()
	for _, a := range w.controllers.list {
		w.tickActor(a, dt, 0)
	}
	for _, a := range w.tickers.list {
		w.tickActor(a, dt, 0)
	}
	if w.space.rigid != nil {
		w.stepRigid(dt)
	}
	w.animate(dt)
	w.Script.RunLatent()
	w.runTimers()
	w.inStep = false
	w.bury()
	if w.recorder != nil {
		w.recorder.Record(w.Time)
	}
}

// tickActor ticks an actor once in this frame, its Base first.
func (w *World) tickActor(a *Actor, dt float64, depth int) {
	if a == nil || a.deleted || a.tickFrame == w.frame || a.spawnFrame == w.frame || !a.tickable {
		return
	}
	if a.Base != 0 && depth < MaxEventDepth {
		if b := w.Actor(a.Base); b != nil && b.tickable {
			w.tickActor(b, dt, depth+1)
		}
	}
	if a.deleted || a.tickFrame == w.frame {
		return
	}
	a.tickFrame = w.frame
	if a.Class.kind&kindPlayerController != 0 {
		w.playerInput(a, dt)
	}
	if f := a.Dispatch.Event[EvTick]; f != nil && !a.tickOff && !a.deleted && w.runs(a, f) {
		w.depth++
		w.Script.Tick(a, f, dt)
		w.depth--
	}
	if !a.deleted && a.Physics != PhysNone && !a.MovedByPlayer() {
		w.moveInTick(a, dt)
	}
	a.body.limited = false
}

// Runs reports whether the engine may call a function of an actor on this peer (R7.1).
func (w *World) Runs(a *Actor, f *Function) bool { return w.runs(a, f) }

// RunsLatent reports whether an actor's state code runs on this peer: on a simulated proxy only that of a
// simulated state (R7.3).
func (w *World) RunsLatent(a *Actor) bool {
	return a.role() > RoleSimulatedProxy || a.State != nil && a.State.Simulated
}

// runs reports whether the engine may call a function of an actor here: on a simulated proxy only
// simulated functions run (R7.1). f is nil for what is never simulated.
func (w *World) runs(a *Actor, f *Function) bool {
	return a.role() > RoleSimulatedProxy || f != nil && f.Simulated
}

// Event calls an event of the actor if its class, in its state, defines it. args are copied.
func (a *Actor) Event(ev Event, args ...Value) {
	f := a.Dispatch.Event[ev]
	if f == nil || a.deleted {
		if !a.deleted && a.Class.Looks != nil && !a.Dispatch.Ignored[eventNames[ev]] {
			a.Cue(eventNames[ev])
		}
		return
	}
	if !a.world.runs(a, f) && ev != EvReplicatedEvent && ev != EvTornOff {
		return
	}
	a.call(f, args...)
}

// Defines reports whether calling the event on the actor would run anything.
func (a *Actor) Defines(ev Event) bool { return a.Dispatch.Event[ev] != nil }

func (a *Actor) call(f *Function, args ...Value) {
	w := a.world
	if w.depth >= MaxEventDepth {
		if !w.deepest {
			w.deepest = true
			w.Script.Report(SevError, a, "events are nested "+itoa(MaxEventDepth)+" deep at "+f.Name+" of "+a.Name+"; further ones are dropped. Does a Touch move what touches again?")
		}
		return
	}
	// Arguments stand on a stack of the world's own, so that a call through the interface allocates nothing.
	base := len(w.argStack)
	w.argStack = append(w.argStack, args...)
	w.depth++
	w.Script.Event(a, f, w.argStack[base:len(w.argStack):len(w.argStack)])
	w.depth--
	clear(w.argStack[base:])
	w.argStack = w.argStack[:base]
}

func itoa(n int) string {
	if n < 10 {
		return string(rune('0' + n))
	}
	return itoa(n/10) + string(rune('0'+n%10))
}

// Enter and Leave bracket a call into scripts that does not come from an event (a timer, latent code, a
// command), so that nesting is bounded and destroyed actors stay until it ends.
func (w *World) Enter() { w.depth++ }

// Leave undoes Enter and, outside of a tick, frees what was destroyed.
func (w *World) Leave() {
	w.depth--
	if w.depth == 0 && !w.inStep && len(w.doomed) > 0 {
		w.bury()
	}
}

// SetTickEnabled switches the actor's Tick event off and on; physics goes on (Unreal's
// SetActorTickEnabled). An actor whose Tick is off and that does not move costs nothing.
func (a *Actor) SetTickEnabled(on bool) {
	a.tickOff = !on
	a.world.refreshTick(a)
}

// TickEnabled reports whether the actor's Tick runs.
func (a *Actor) TickEnabled() bool { return !a.tickOff }

// needsTick is what keeps an actor in the tick list.
func (a *Actor) needsTick() bool {
	if a.deleted || a.BStatic {
		return false
	}
	return a.Dispatch.Event[EvTick] != nil && !a.tickOff || a.Physics != PhysNone && a.Physics != PhysRigidBody ||
		a.Class.kind&kindPlayerController != 0
}

// refreshTick puts the actor into the tick list or out of it, as it now needs.
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

// tickList holds the actors that need a tick, in order of spawning. Changes are gathered and settled
// between ticks, so a tick walks a list that does not move and idle actors are not in it.
//
// Invariant: after settle, list is sorted by seq, without doubles, and all of it tickable.
type tickList struct {
	list    []*Actor
	added   []*Actor
	dropped int
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

// GotoState enters a state of the actor's class; "" leaves all states. It calls EndState of the old and
// BeginState of the new one and reports whether the class has the state. Entering the state the actor
// is in begins it again.
func (a *Actor) GotoState(name string) bool {
	var s *State
	if name != "" {
		if s = a.Class.States[name]; s == nil {
			return false
		}
	}
	if a.role() == RoleSimulatedProxy && s != nil && !s.Simulated {
		return true // R7.3: a proxy stays out of states that are not simulated
	}
	old := a.State
	if old != nil {
		if f := a.Dispatch.Event[EvEndState]; f != nil && a.world.runs(a, f) {
			a.call(f, String(name))
			if a.deleted || a.State != old {
				return true // destroyed, or EndState itself went elsewhere
			}
		}
	}
	a.enterState(s)
	a.world.Script.StateChanged(a, old, StateEntered)
	if f := a.Dispatch.Event[EvBeginState]; s != nil && f != nil && a.world.runs(a, f) {
		prev := ""
		if old != nil {
			prev = old.Name
		}
		a.call(f, String(prev))
	}
	return true
}

func (a *Actor) enterState(s *State) {
	a.State = s
	if s == nil {
		a.Dispatch = a.Class.Dispatch
	} else {
		a.Dispatch = s.Dispatch
	}
	if a.Class.stateful {
		a.mark(markCond)
	}
	a.world.refreshTick(a)
}

// MaxStateStack bounds PushState; deeper ones are refused.
const MaxStateStack = 16

// PushState enters a state and remembers the present one, whose latent code stands still. PausedState is
// called in the old and PushedState in the new one (Unreal's names); EndState and BeginState are not.
func (a *Actor) PushState(name string) error {
	s := a.Class.States[name]
	if s == nil {
		return fmt.Errorf("%s has no state %q%s", a.Class.Name, name, Nearest(name, a.Class.StateNames()))
	}
	if len(a.stack) >= MaxStateStack {
		return fmt.Errorf("%s has pushed %d states, at most %d; does every PushState have its PopState?", a, len(a.stack), MaxStateStack)
	}
	if a.role() == RoleSimulatedProxy && !s.Simulated {
		return nil // R7.3
	}
	old := a.State
	if a.Event(EvPausedState); a.deleted || a.State != old {
		return nil
	}
	a.stack = append(a.stack, old)
	a.enterState(s)
	a.world.Script.StateChanged(a, old, StatePushed)
	a.Event(EvPushedState)
	return nil
}

// PopState goes back to the state that PushState left. PoppedState is called in the state left,
// ContinuedState in the one come back to.
func (a *Actor) PopState() error {
	if len(a.stack) == 0 {
		return fmt.Errorf("%s has no pushed state to pop", a)
	}
	old := a.State
	if a.Event(EvPoppedState); a.deleted || a.State != old || len(a.stack) == 0 {
		return nil
	}
	back := a.stack[len(a.stack)-1]
	a.stack = a.stack[:len(a.stack)-1]
	a.enterState(back)
	a.world.Script.StateChanged(a, old, StatePopped)
	a.Event(EvContinuedState)
	return nil
}
