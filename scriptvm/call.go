package scriptvm

import (
	"errors"
	"fmt"

	lua "github.com/yuin/gopher-lua"

	"github.com/tidelock/tidelock/engine"
)

// Every call from Go into a script goes through this file. A call runs under the budget, its writes are journalled,
// and a fault undoes them, is reported once and charged by the rules of charge.go. Calls nest: when a script spawns
// an actor, the spawn's events run inside the call, on the rest of its budget; a fault of the inner call ends only
// the inner call.

// Tick calls an actor's Tick.
func (v *VM) Tick(a *engine.Actor, f *engine.Function, dt float64) {
	if f.Kind != engine.CallLocal {
		v.Event(a, f, []engine.Value{engine.Float(dt)})
		return
	}
	b := v.runnable(f)
	if b == nil {
		return
	}
	if v.drowned != nil && v.vm.Idle() {
		v.dismissDrowned()
	}
	if v.owing {
		o := a.Script.(*object)
		if dt += o.owed; v.throttled && v.holds(a, b) {
			o.owed = dt
			return
		}
		o.owed = 0
	}
	if f.Cued {
		a.Cue(f.Name)
	}
	if dt != v.dtOf {
		v.dt, v.dtOf = lua.LNumber(dt), dt
	}
	mark := v.world.Mark()
	v.count(b)
	outer := v.enter(f, a)
	_, err := v.vm.Call(f.Class.Name, b.fn, a.Script.(*object).table, v.dt)
	v.leave(outer)
	if err != nil {
		v.failed(mark, err, f, a)
		return
	}
	v.world.Release()
}

// Event calls a function of an actor for the engine; a replicated function runs where a script's call of it would.
func (v *VM) Event(a *engine.Actor, f *engine.Function, args []engine.Value) {
	if f.Kind != engine.CallLocal {
		var here bool
		if args, here = v.leaves(a, f, args); !here {
			return
		}
	}
	v.run(a, f, args)
}

// run calls a function locally.
func (v *VM) run(a *engine.Actor, f *engine.Function, args []engine.Value) { _ = v.runs(a, f, args) }

// runs is run with the fault that ended the call as its result; the fault is reported already.
func (v *VM) runs(a *engine.Actor, f *engine.Function, args []engine.Value) error {
	b := v.runnable(f)
	if b == nil || v.overCeiling() {
		return nil
	}
	if f.Cued {
		a.Cue(f.Name)
	}
	fn := b.fn
	mark := v.world.Mark()
	v.count(b)
	self := a.Script.(*object).table
	outer := v.enter(f, a)
	var err error
	switch n := len(args); {
	case n == 0:
		_, err = v.vm.Call(f.Class.Name, fn, self)
	case n > 2 || len(f.Params) > 0:
		_, err = v.vm.Call(f.Class.Name, fn, v.arguments(self, f, args)...)
	case n == 1:
		_, err = v.vm.Call(f.Class.Name, fn, self, v.toLua(args[0]))
	default:
		_, err = v.vm.Call(f.Class.Name, fn, self, v.toLua(args[0]), v.toLua(args[1]))
	}
	v.leave(outer)
	return v.settle(mark, err, f, a)
}

// arguments returns self and the arguments of a function's body.
func (v *VM) arguments(self lua.LValue, f *engine.Function, args []engine.Value) []lua.LValue {
	last := len(args)
	for f.Spec != nil && f.Spec.Vararg && last > len(f.Spec.Args) && args[last-1].Kind == engine.KindNone {
		last-- // only arguments that were given
	}
	out := make([]lua.LValue, 0, 1+last)
	out = append(out, self)
	for i := range args[:last] {
		if i < len(f.Params) {
			out = append(out, v.argumentToLua(&f.Params[i], args[i]))
		} else {
			out = append(out, v.toLua(args[i]))
		}
	}
	return out
}

// Timer calls the function that SetTimer named, as the class and the state define it now.
func (v *VM) Timer(a *engine.Actor, name string) {
	w := a.World()
	f := a.Dispatch.Functions[name]
	if f != nil {
		if w.Runs(a, f) {
			w.Enter()
			v.cause = causeTimer
			v.Event(a, f, nil)
			v.cause = causeEvent
			w.Leave()
		}
		return
	}
	if a.Dispatch.Ignored[name] || a.Class.Functions[name] != nil {
		return
	}
	o := a.Script.(*object)
	// A native as a timer ("Destroy") is fine; a function that a reload removed is reported once.
	if fn, ok := o.dispatch().RawGetString(name).(*lua.LFunction); ok {
		if !w.Runs(a, nil) {
			return
		}
		mark := w.Mark()
		w.Enter()
		_, err := v.vm.Call(a.Class.Name, fn, o.table)
		_ = v.settle(mark, err, &engine.Function{Name: name, Class: a.Class}, a)
		w.Leave()
		return
	}
	v.warn(a, a.Class.Name, name, "the timer's function is gone since the class was reloaded; the timer is stopped")
	a.ClearTimer(name)
}

// Call calls a function of an actor by name from outside the scripts (a host command, a test, the game flow) and
// returns its results. A fault is reported as usual and also returned.
func (v *VM) Call(a *engine.Actor, name string, args ...engine.Value) ([]engine.Value, error) {
	if a == nil || a.Deleted() {
		return nil, errors.New("call of " + name + " on an actor that is gone")
	}
	list := make([]lua.LValue, len(args))
	for i := range args {
		list[i] = v.toLua(args[i])
	}
	results, err := v.callLua(a, name, list)
	out := make([]engine.Value, len(results))
	for i, r := range results {
		out[i] = v.anyFromLua(r)
	}
	return out, err
}

// callLua is Call with the VM's own values.
func (v *VM) callLua(a *engine.Actor, name string, args []lua.LValue) ([]lua.LValue, error) {
	o := a.Script.(*object)
	f := a.Dispatch.Functions[name]
	var fn *lua.LFunction
	if f != nil {
		b := v.runnable(f)
		if b == nil {
			if decides[f.Name] {
				return nil, fmt.Errorf("%s:%s is quarantined: the answer is no", f.Class.Name, f.Name)
			}
			return nil, nil
		}
		fn = b.fn
		b.called, b.wasCalled = v.world.Time, true
		if f.Kind == engine.CallLocal && f.Cued {
			a.Cue(f.Name)
		}
		if f.Kind != engine.CallLocal {
			fn, _ = o.dispatch().RawGetString(name).(*lua.LFunction) // goes where a script's call would
		}
	} else {
		switch {
		case a.Dispatch.Ignored[name]:
			return nil, nil
		default:
			native, ok := o.dispatch().RawGetString(name).(*lua.LFunction)
			if !ok {
				if _, event := engine.EventNamed(name); event {
					return nil, nil // every event exists on Actor
				}
				return nil, errors.New(a.Class.Name + " has no function " + name + engine.Nearest(name, v.functionNames(o.class)))
			}
			fn, f = native, &engine.Function{Name: name, Class: a.Class}
		}
	}
	mark := v.world.Mark()
	v.world.Enter()
	defer v.world.Leave()
	v.faults.stats.Calls++
	v.cause = causeCall
	outer := v.enter(f, a)
	out, err := v.vm.CallMulti(f.Class.Name, fn, append([]lua.LValue{o.table}, args...)...)
	v.leave(outer)
	return out, v.settle(mark, err, f, a)
}

// count records a call of a body.
func (v *VM) count(b *bodyOf) {
	v.faults.stats.Calls++
	b.called, b.wasCalled = v.world.Time, true
}

// settle ends a call: it keeps its writes, or undoes them and reports the fault.
func (v *VM) settle(mark int, err error, f *engine.Function, a *engine.Actor) error {
	if err == nil {
		v.world.Release()
		return nil
	}
	return v.failed(mark, err, f, a)
}

func (v *VM) failed(mark int, err error, f *engine.Function, a *engine.Actor) error {
	v.world.Rollback(mark)
	return v.fault(err, f, a)
}
