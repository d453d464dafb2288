package scriptvm

import (
	"fmt"

	lua "github.com/yuin/gopher-lua"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/engine/geom"
	"github.com/tidelock/tidelock/scriptvm/api"
	"github.com/tidelock/tidelock/scriptvm/classfile"
	"github.com/tidelock/tidelock/scriptvm/sandbox"
)

// This file checks arguments of natives. An error names the native, and the argument as the script counts it and as
// the reference calls it: SetLocation: argument 1 (place): expected a vector, got the number 5.

func (n *bound) String() string     { return n.Name }
func (*bound) Type() lua.LValueType { return lua.LTUserData }

// hasSelf reports whether the first argument of the natives of a namespace is the receiver.
func hasSelf(space api.Namespace) bool {
	switch space {
	case api.Global, api.Latent, api.Define, api.Profile:
		return false
	case api.Actor, api.Component, api.Controller, api.PlayerController, api.World, api.Store, api.Cluster, api.Vector, api.Rotator, api.FastArray, api.Canvas:
	}
	return true
}

// running returns the native that a state runs, nil for one that is not in the registry.
func running(L *lua.LState) *bound {
	n, _ := sandbox.Tag(L).(*bound)
	return n
}

// argError raises an error that says which argument of the running native is wrong.
func argError(L *lua.LState, i int, expected string) {
	got := "nothing"
	if i <= L.GetTop() {
		got = valueText(L.Get(i))
	}
	if n := running(L); n != nil && n.vm != nil && i <= L.GetTop() && L.Get(i) == lua.LNil {
		if call, ok := n.vm.callOf(L); ok {
			at := i - 1
			if call.Method != "" {
				at--
			}
			if at >= 0 && at < len(call.Args) && call.Args[at] != "" {
				got += " (" + string(call.Args[at]) + ")"
			}
		}
	}
	raiseArgument(L, i, fmt.Sprintf("expected %s, got %s", expected, got))
}

// raiseArgument raises an error about the i-th argument of the running native; for a method the first is the
// receiver. A script that wrote a colon did not count the receiver.
func raiseArgument(L *lua.LState, i int, what string) {
	n := running(L)
	if n == nil {
		L.RaiseError("argument %d: %s", i, what)
		return
	}
	count, param := i, i-1
	if n.self {
		param--
		call, ok := n.vm.callOf(L)
		if !ok || call.Method != "" {
			count--
		}
	}
	name := ""
	if param >= 0 && param < len(n.Params) {
		name = " (" + n.Params[param].Name + ")"
	}
	L.RaiseError("%s: argument %d%s: %s", n.shown(), count, name, what)
}

func checkVector(L *lua.LState, i int) geom.Vector {
	x, ok := L.Get(i).(vec)
	if !ok {
		argError(L, i, "a vector")
	}
	return geom.Vector(x)
}

// optVector is checkVector, except that nil is permitted.
func optVector(L *lua.LState, i int) *geom.Vector {
	if L.Get(i) == lua.LNil {
		return nil
	}
	x := checkVector(L, i)
	return &x
}

func checkRotator(L *lua.LState, i int) geom.Rotator {
	x, ok := L.Get(i).(rot)
	if !ok {
		argError(L, i, "a rotator")
	}
	return geom.Rotator(x)
}

func checkNumber(L *lua.LState, i int) float64 {
	x, ok := L.Get(i).(lua.LNumber)
	if !ok {
		argError(L, i, "a number")
	}
	return float64(x)
}

func optNumber(L *lua.LState, i int, def float64) float64 {
	if L.Get(i) == lua.LNil {
		return def
	}
	return checkNumber(L, i)
}

func checkString(L *lua.LState, i int) string {
	x, ok := L.Get(i).(lua.LString)
	if !ok {
		argError(L, i, "a string")
	}
	return string(x)
}

func optString(L *lua.LState, i int, def string) string {
	if L.Get(i) == lua.LNil {
		return def
	}
	return checkString(L, i)
}

// checkActor returns the live actor of an argument; class may be "".
func (v *VM) checkActor(L *lua.LState, i int, class string) *engine.Actor {
	o := objectOf(L.Get(i))
	if o == nil {
		argError(L, i, "an actor")
	}
	if o.gone {
		v.raiseGone(L, o)
	}
	if class != "" && !o.actor.IsA(class) {
		argError(L, i, "a "+class)
	}
	return o.actor
}

// optActor is checkActor, except that nil is permitted.
func (v *VM) optActor(L *lua.LState, i int, class string) *engine.Actor {
	if L.Get(i) == lua.LNil {
		return nil
	}
	return v.checkActor(L, i, class)
}

// checkClass returns the class of an argument, given by name or as a class value.
func (v *VM) checkClass(L *lua.LState, i int) *engine.Class {
	switch x := L.Get(i).(type) {
	case lua.LString:
		if c := v.world.Classes.Find(string(x)); c != nil {
			return c
		}
		raiseArgument(L, i, fmt.Sprintf("unknown class %q%s", string(x), engine.Nearest(string(x), v.classNames())))
	case *lua.LTable:
		if c := v.classOf(x); c != nil {
			return c.data
		}
	}
	argError(L, i, "a class or the name of one")
	return nil
}

func (v *VM) classNames() []string {
	var names []string
	for _, c := range v.world.Classes.All() {
		names = append(names, c.Name)
	}
	return names
}

// must raises an error of the engine; natives that return nothing end with it.
func must(L *lua.LState, err error) int {
	if err != nil {
		L.RaiseError("%v", err)
	}
	return 0
}

// raiseSelf raises an error of a native that was called on the wrong receiver, most likely with a dot.
func raiseSelf(L *lua.LState, expected, written string) {
	name := "Method"
	if n := running(L); n != nil {
		name = n.Name
	}
	got := "nothing"
	if L.GetTop() > 0 {
		got = valueText(L.Get(1))
	}
	L.RaiseError("%s: expected %s before the name, got %s; write a colon: %s:%s(…)", name, expected, got, written, name)
}

// callOf returns the call of the running native, as the script wrote it.
func (v *VM) callOf(L *lua.LState) (call classfile.Call, ok bool) {
	if v == nil || v.vm == nil {
		return call, false
	}
	fn, pc := v.vm.Frame(L, 1)
	if fn == nil {
		return call, false
	}
	if pl := v.placesOf(fn.Proto); pl != nil {
		return pl.Call(fn.Proto, pc)
	}
	return call, false
}
