package scriptvm

import (
	"fmt"

	lua "github.com/yuin/gopher-lua"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/scriptvm/syntax"
)

// Calls over the network. When scripts name a replicated function, they get a router: it checks the arguments
// against the function's declaration, completes them, and asks the world where the call belongs (R6.3). If that
// includes this peer, the body runs like that of any other function. C.super.Name is the parent's body itself, so
// that an override that calls it does not send the call again.
//
// A call returns nothing, wherever it runs (R6.2): a script that used a result would only work on one peer.

// callCost is the cost of a call of a replicated function in the caller's instructions, in addition to that of its
// body, because the call may be queued for sending.
const callCost = 30

// function returns the function to call, nil if there is none any more.
func (k *routerKey) function() *engine.Function {
	c := k.class.data
	if s := c.States[k.state]; s != nil {
		if f := s.Dispatch.Functions[k.name]; f != nil && f.Class == c && f.State == k.state {
			return f
		}
	}
	return c.Functions[k.name]
}

// entry returns what scripts get for a function of a class: its body, or a router, whose calls use the stand-in if
// there is one.
func (v *VM) entry(f *engine.Function) *lua.LFunction {
	b := v.body(f.Script)
	if b == nil || f.Kind == engine.CallLocal {
		return v.callable(f)
	}
	k := routerKey{b.class, f.State, f.Name}
	r := v.routers[k]
	if r == nil {
		r = &router{routerKey: k, f: f}
		r.fn = v.native(func(L *lua.LState) int { return v.route(L, r) })
		v.routers[k] = r
	}
	return r.fn
}

// rebindRouters makes routers use the functions of new classes.
func (v *VM) rebindRouters() {
	for _, r := range v.routers { // any order: each on its own
		r.f = r.function()
	}
}

// route handles a script's call of a replicated function.
func (v *VM) route(L *lua.LState, r *router) int {
	f := r.f
	if f == nil {
		L.RaiseError("%s: the function is gone since class %s was reloaded", r.name, r.class.data.Name)
	}
	o := objectOf(L.Get(1))
	if o == nil || !o.gone && !o.actor.Class.Descends(f.Class) {
		L.RaiseError("%s: expected a %s before the function, got a %s; write a colon: actor:%s(…)", f.Name, f.Class.Name, typeName(L.Get(1)), f.Name)
	}
	if o.gone {
		v.raiseGone(L, o)
	}
	b := v.runnable(f)
	if b == nil {
		return 0
	}
	v.vm.Charge(L, callCost)
	for i := len(f.Params); i < L.GetTop()-1; i++ {
		if L.Get(i+2) != lua.LNil {
			L.RaiseError("%s:%s: expected at most %d arguments, got %d: further ones would not cross", f.Class.Name, f.Name, len(f.Params), L.GetTop()-1)
		}
	}
	args := v.args[:0]
	for i := range f.Params {
		x, err := v.argument(f, i, L.Get(i+2))
		if err != nil {
			L.RaiseError("%v", err)
		}
		args = append(args, x)
	}
	v.args = args
	here, err := v.world.CallRemote(o.actor, f, args, v.callingMod(f))
	if err != nil {
		L.RaiseError("%v", err)
	}
	if !here {
		return 0
	}
	last := len(args)
	for f.Spec.Vararg && last > len(f.Spec.Args) && args[last-1].Kind == engine.KindNone {
		last--
	}
	if f.Cued {
		o.actor.Cue(f.Name)
	}
	given := L.GetTop()
	L.Push(b.fn)
	L.Push(o.table)
	for i := range args[:last] {
		x := lua.LValue(lua.LNil)
		if i+2 <= given {
			x = L.Get(i + 2)
		}
		L.Push(v.passed(&f.Params[i], x, args[i]))
	}
	L.Call(last+1, 0)
	return 0
}

// argument returns the i-th argument of a replicated function, checked and as it is sent; nil becomes the declared
// default.
func (v *VM) argument(f *engine.Function, i int, x lua.LValue) (engine.Value, error) {
	p := &f.Params[i]
	if x == lua.LNil {
		return p.Default, nil
	}
	if p.Type.Kind == engine.KindAny && !plain(x) {
		return engine.Value{}, badArgument(f, i, fmt.Errorf("expected a bool, number, string, vector, rotator, actor or nil, got a %s; declare what it is in %s.params",
			typeName(x), f.Class.Name))
	}
	val, err := v.fromLua(p.Type, x)
	if err == nil {
		val, err = p.Type.Check(v.world, val)
	}
	if err != nil {
		return engine.Value{}, badArgument(f, i, err)
	}
	return val, nil
}

// plain reports whether a value can be an undeclared argument.
func plain(x lua.LValue) bool {
	switch x := x.(type) {
	case lua.LBool, lua.LNumber, lua.LString, vec, rot:
		return true
	case *lua.LTable:
		return objectOf(x) != nil
	}
	return false
}

// badArgument returns an error about an argument that does not fit.
func badArgument(f *engine.Function, i int, err error) error {
	name := ""
	if n := f.Params[i].Name; n != "" {
		name = " (" + n + ")"
	}
	return fmt.Errorf("%s:%s: argument %d%s: %w", f.Class.Name, f.Name, i+1, name, err)
}

// passed returns an argument for a body that runs here: what it would get at the other end, apart from rounding.
func (v *VM) passed(p *engine.Param, given lua.LValue, x engine.Value) lua.LValue {
	switch p.Type.Kind {
	case engine.KindInt, engine.KindFloat:
		if n, ok := given.(lua.LNumber); ok && float64(n) == x.Num {
			return given
		}
	case engine.KindBool, engine.KindString, engine.KindEnum, engine.KindVector, engine.KindRotator, engine.KindRef, engine.KindAny:
		if given != lua.LNil {
			return given
		}
	default: // class names become class values, tables are copied
	}
	return v.argumentToLua(p, x)
}

// argumentToLua returns a body's argument for a value from Go.
func (v *VM) argumentToLua(p *engine.Param, x engine.Value) lua.LValue {
	if x.Kind == engine.KindNone {
		return lua.LNil
	}
	return v.toLuaTyped(p.Type, x)
}

// leaves is route for a call by the engine: an event or a timer of a replicated function. It returns the arguments
// for a body that runs here, and whether one does.
func (v *VM) leaves(a *engine.Actor, f *engine.Function, given []engine.Value) (args []engine.Value, here bool) {
	if v.runnable(f) == nil {
		return nil, false
	}
	args = v.args[:0]
	for i := range f.Params {
		p := &f.Params[i]
		x := p.Default
		if i < len(given) && given[i].Kind != engine.KindNone {
			var err error
			if x, err = p.Type.Check(v.world, given[i]); err != nil {
				v.reportError(a, f.Class.Name, f.Name, badArgument(f, i, err).Error())
				return nil, false
			}
		}
		args = append(args, x)
	}
	v.args = args
	here, err := v.world.CallRemote(a, f, args, v.callingMod(f))
	if err != nil {
		v.reportError(a, f.Class.Name, f.Name, err.Error())
	}
	return args, here
}

// callingMod returns the mod whose script makes a replicated call, "" if none is on the stack: reliable calls are
// also charged to it (R6.5).
func (v *VM) callingMod(f *engine.Function) string {
	if !f.Reliable {
		return ""
	}
	return v.runningMod()
}

// runningMod returns the mod whose script runs, of several the outermost; "" if none is on the stack. What it sends
// and spawns is charged to it (G9, G10).
func (v *VM) runningMod() string {
	if !v.accounts.mods {
		return ""
	}
	if d := v.spender(); d != nil && d.File != nil {
		return d.File.Trust.Mod
	}
	return ""
}

// Received runs a replicated call from the other end, whatever the actor's role (R7.1). The function's validator
// first checks a call from a player (fromPeer not empty) (R6.7). Meanwhile faults count against that player and no
// class, so that no player can quarantine a class by sending calls; a fault is not the player's offence either
// (G18). It implements engine.Script.
func (v *VM) Received(a *engine.Actor, f *engine.Function, args []engine.Value, fromPeer string) engine.Receipt {
	o, _ := a.Script.(*object)
	if o == nil || o.gone {
		return engine.Accepted
	}
	f = a.Dispatch.Functions[f.Name] // as the actor's state defines it
	if f == nil {
		return engine.Accepted // its state ignores it
	}
	outer := v.peer
	v.peer = fromPeer
	v.world.Enter()
	defer func() {
		v.world.Leave()
		v.peer = outer
	}()
	if b := v.body(f.Validator); b != nil && fromPeer != "" {
		if b.duty != onDuty {
			return engine.Accepted // nobody can validate it: it does not run, and is not an offence
		}
		if r := v.judge(b, a, f, args); r != engine.Accepted {
			return r
		}
	}
	if o.gone { // destroyed by its validator
		return engine.Accepted
	}
	v.cause = causeCall
	err := v.runs(a, f, args)
	v.cause = causeEvent
	if err != nil {
		return engine.Faulted
	}
	return engine.Accepted
}

// Valid calls the validator of a variable for a value that a player sent (R5.16), as Received does for a function.
// It implements engine.Script.
func (v *VM) Valid(a *engine.Actor, judge *engine.Function, x engine.Value, fromPeer string) engine.Receipt {
	o, _ := a.Script.(*object)
	b := v.body(judge.Validator)
	if o == nil || o.gone || b == nil {
		return engine.Refused
	}
	if b.duty != onDuty {
		return engine.Faulted // nobody can validate it: it is not accepted, and is not an offence
	}
	outer := v.peer
	v.peer = fromPeer
	v.world.Enter()
	defer func() {
		v.world.Leave()
		v.peer = outer
	}()
	return v.judge(b, a, judge, []engine.Value{x})
}

// judge calls the validator of a function or a variable.
func (v *VM) judge(b *bodyOf, a *engine.Actor, f *engine.Function, args []engine.Value) engine.Receipt {
	mark := v.world.Mark()
	v.count(b)
	out, err := v.vm.Call(b.class.data.Name, b.fn, v.arguments(a.Script.(*object).table, f, args)...)
	if v.settle(mark, err, &engine.Function{Name: "validate." + f.Name, Class: b.class.data, Script: f.Validator}, a) != nil {
		return engine.Faulted
	}
	if !lua.LVAsBool(out) {
		return engine.Refused
	}
	return engine.Accepted
}

// Relevant calls an actor's IsNetRelevantFor(viewer), if its class defines it (R3.11): true and false decide; nil,
// which super returns too, leaves it to the other rules, and so does a fault. Its writes are undone: it has no
// effects. It implements engine.Script.
func (v *VM) Relevant(a, viewer *engine.Actor) (relevant, asked bool) {
	o, _ := a.Script.(*object)
	if o == nil || o.gone || !o.class.choosy {
		return false, false
	}
	f := a.Dispatch.Event[engine.EvIsNetRelevantFor]
	if f == nil {
		return false, false
	}
	b := v.runnable(f)
	if b == nil {
		return false, true // nobody can say yes (G2)
	}
	v.world.Enter()
	defer v.world.Leave()
	mark := v.world.Mark()
	v.count(b)
	out, err := v.vm.Call(f.Class.Name, b.fn, o.table, luaActor(viewer))
	if err != nil {
		_ = v.failed(mark, err, f, a)
		return false, false
	}
	v.world.Rollback(mark)
	return lua.LVAsBool(out), out != lua.LNil
}

// choosy reports whether a class, or a state of it, defines IsNetRelevantFor.
func choosy(c *engine.Class) bool {
	if c.Dispatch.Event[engine.EvIsNetRelevantFor] != nil {
		return true
	}
	for _, s := range c.States { // any order: it asks whether any state has one
		if s.Dispatch.Event[engine.EvIsNetRelevantFor] != nil {
			return true
		}
	}
	return false
}

// Notify calls ReplicatedEvent of a client's copy, whatever its role (R5.14, R7.1); it implements engine.Script.
func (v *VM) Notify(a *engine.Actor, p *engine.Property, old engine.Value) {
	v.tell(a, "ReplicatedEvent", p.Type, old, lua.LString(p.Name))
}

// FastEvent calls OnAdd_F, OnChange_F or OnRemove_F of a client's copy (R5.12); it implements engine.Script.
func (v *VM) FastEvent(a *engine.Actor, p *engine.Property, how engine.FastChange, key uint32, item engine.Value) {
	v.tell(a, [...]string{"OnAdd_", "OnChange_", "OnRemove_"}[how]+p.Name, p.Type.Elem, item, lua.LNumber(key))
}

// tell calls a function with one argument and a value of a type, if the actor's class defines it.
func (v *VM) tell(a *engine.Actor, name string, t *engine.Type, x engine.Value, first lua.LValue) {
	o, _ := a.Script.(*object)
	f := a.Dispatch.Functions[name]
	if o == nil || o.gone || f == nil {
		return
	}
	b := v.runnable(f)
	if b == nil {
		return
	}
	v.world.Enter()
	defer v.world.Leave()
	mark := v.world.Mark()
	v.count(b)
	if f.Cued {
		o.actor.Cue(f.Name)
	}
	_, err := v.vm.Call(f.Class.Name, b.fn, o.table, first, v.argumentToLua(&engine.Param{Type: t}, x))
	_ = v.settle(mark, err, f, a)
}

// cued returns what scripts get for a function of a class: the function itself, or the wrapper that notifies
// viewers first.
func (v *VM) cued(ec *engine.Class, name string, f *engine.Function) *lua.LFunction {
	fn := v.entry(f)
	if !f.Cued || f.Kind != engine.CallLocal || ec.Looks == nil || !ec.Looks.Wants(name) || fn == v.noop {
		return fn
	}
	if v.cueMaker == nil {
		chunk, err := syntax.Parse(cueName, cueSource)
		if err == nil {
			err = syntax.Harden(chunk, v.vm.HardenOptions())
		}
		if err != nil {
			panic(err) // a constant
		}
		proto, err := syntax.Compile(chunk)
		if err != nil {
			panic(err) // a constant
		}
		v.cueMaker = proto
	}
	tell := v.native(func(L *lua.LState) int {
		if o := objectOf(L.Get(1)); o != nil && !o.gone {
			o.actor.Cue(name)
		}
		return 0
	})
	made, err := v.vm.Call(cueName, v.vm.Load(v.cueMaker, v.vm.Globals()), tell, fn)
	if wrapped, ok := made.(*lua.LFunction); err == nil && ok {
		return wrapped
	}
	return fn // the budget is spent: the call that created the table ends anyway
}
