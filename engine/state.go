package engine

import "fmt"

// MaxStateStack bounds PushState; deeper ones are refused.
const MaxStateStack = 16

// GotoState enters a state of the actor's class; "" leaves all states. It calls EndState of the old and
// BeginState of the new one and reports whether the class has the state. Entering the present state again
// restarts it.
func (a *Actor) GotoState(name string) bool {
	var s *State
	if name != "" {
		if s = a.Class.States[name]; s == nil {
			return false
		}
	}
	if a.role() == RoleSimulatedProxy && s != nil && !s.Simulated {
		return true // R7.3: a proxy does not enter states that are not simulated
	}
	old := a.State
	if old != nil {
		if f := a.Dispatch.Event[EvEndState]; f != nil && a.world.runs(a, f) {
			a.call(f, String(name))
			if a.deleted || a.State != old {
				return true // destroyed, or EndState itself changed the state
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

// PushState enters a state and remembers the present one, whose latent code pauses. PausedState is called in
// the old and PushedState in the new one (Unreal's names); EndState and BeginState are not.
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

// PopState returns to the state that PushState left. PoppedState is called in the state that ends,
// ContinuedState in the one that continues.
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

// PushedStates returns the states that PushState left, the oldest first, nil for none in place of a state. It must not be changed.
func (a *Actor) PushedStates() []*State { return a.stack }
