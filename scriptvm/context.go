package scriptvm

import (
	"fmt"

	lua "github.com/yuin/gopher-lua"

	"github.com/tidelock/tidelock/engine"
)

const (
	causeEvent  cause = iota // something happened to the actor
	causeTimer               // a timer expired
	causeLatent              // a state's code continues
	causeCall                // an explicit call: from the other end, the host, a test
)

// enter records the entry into a function of an actor; its result must be passed to leave.
func (v *VM) enter(f *engine.Function, a *engine.Actor) (outer callContext) {
	v.doing.Store(f)
	outer = v.context
	c := v.cause
	v.cause = causeEvent
	if c == causeEvent && outer.f != nil && isStateEvent(f.Name) {
		return outer // a state is entered wherever the script that requests it runs
	}
	v.context = callContext{f, c, v.within(a), a}
	return outer
}

// leave ends what enter began.
func (v *VM) leave(outer callContext) {
	v.context = outer
	v.doing.Store(outer.f)
}

// Doing returns which script code runs: the function that the engine called last, and the native in it, "" each for
// none. Any goroutine may call it: a watchdog does while the world hangs (G7). It returns nothing after Close.
func (v *VM) Doing() (function, native string) {
	if f := v.doing.Load(); f != nil {
		function = f.Class.Name + ":" + f.Name
	}
	return function, v.vm.Native()
}

// Spent returns the cost of all calls so far, in units of about 20 ns.
func (v *VM) Spent() int64 { return v.vm.Spent() }

func isStateEvent(name string) bool {
	switch name {
	case "BeginState", "EndState", "PushedState", "PoppedState", "PausedState", "ContinuedState":
		return true
	}
	return false
}

// beginning reports whether the actor is being created: its copies will run the same code when they are created.
func (e callContext) beginning() bool {
	if e.f == nil || e.cause != causeEvent {
		return false
	}
	switch e.f.Name {
	case "PreBeginPlay", "BeginPlay", "PostBeginPlay", "PostNetBeginPlay":
		return true
	}
	return false
}

// runsOn reports whether a client's copy of an actor, with a role there, enters its scripts in the same way on its
// own.
func (e callContext) runsOn(a *engine.Actor, role engine.Role) bool {
	if e.f != nil && e.f.Kind == engine.CallMulticast {
		return true
	}
	switch e.cause {
	case causeTimer, causeLatent:
		return true
	case causeCall:
		return false
	case causeEvent:
	}
	if e.f == nil {
		return false
	}
	switch e.f.Name {
	case "TakeDamage", "Possessed", "UnPossessed", "HearNoise", "PlayerTick", "FellOutOfWorld", "EncroachedBy", "ReachedDestination":
		return false // only the peer that decides about the actor is notified of these
	case "HitWall", "Bump", "Landed", "Falling", "BaseChange", "Attach", "Detach":
		return role >= engine.RoleAutonomousProxy || !a.Class.IsPawn() // others' pawns follow the server (R10.5)
	}
	return true
}

// copiesPlay reports whether the running code is simulated from the engine's entry down to here, so that clients'
// copies of the actor run it on their own (R12.6). A function in between that is not simulated is one that the
// script only called here; what a multicast calls runs wherever the multicast does.
//
// from is the entry that counts: this one, or the multicast.
func (v *VM) copiesPlay(L *lua.LState, a *engine.Actor) (from callContext, played bool) {
	if v.world.NetMode == engine.NMClient || v.world.Copies() == nil {
		return callContext{}, false
	}
	for level := 1; ; level++ {
		d, ok := L.GetStack(level)
		if !ok {
			break
		}
		fn, err := L.GetInfo("f", d, lua.LNil)
		if err != nil {
			break
		}
		lf, ok := fn.(*lua.LFunction)
		if !ok || lf.IsG {
			continue
		}
		f := v.program.FunctionOf(lf.Proto)
		switch {
		case f == nil: // a helper of the file
		case f.Kind == engine.CallMulticast:
			return callContext{f, causeCall, nil, a}, true
		case !f.Simulated:
			return callContext{}, false
		}
	}
	if v.context.cause == causeLatent {
		return v.context, a.State != nil && a.State.Simulated
	}
	return v.context, v.context.f != nil && v.context.f.Simulated
}

// panicked handles a panic in a native: the script gets an error, which it may catch, and the host's bug is
// reported in any case.
func (v *VM) panicked(native string, value any, stack []byte) {
	where := ""
	if place := panicPlace(string(stack)); place != "" {
		where = " at " + place
	}
	f, _ := v.Doing()
	v.Report(engine.SevError, nil, fmt.Sprintf("internal error in %s%s: %v; called in %s; this is a bug of the host, tell whoever maintains it", native, where, value, f))
}
