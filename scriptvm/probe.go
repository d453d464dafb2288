package scriptvm

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	lua "github.com/yuin/gopher-lua"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/engine/geom"
	"github.com/tidelock/tidelock/scriptvm/api"
	"github.com/tidelock/tidelock/scriptvm/classfile"
	"github.com/tidelock/tidelock/scriptvm/sandbox"
	"github.com/tidelock/tidelock/scriptvm/syntax"
)

// Access to a running world from outside its scripts: scenario files today. Everything here happens between two
// ticks, as a script of the world itself would do it: assignments are checked and mark their variables, calls have
// a budget, writes of a failing call are undone.

// Field reads a field of an actor as its scripts would: a variable, a private value, a function, a component. The
// value belongs to this VM; Export converts it.
func (v *VM) Field(a *engine.Actor, name string) (lua.LValue, error) {
	o, err := liveObject(a)
	if err != nil {
		return lua.LNil, err
	}
	if x := o.table.RawGetString(name); x != lua.LNil {
		return x, nil
	}
	return v.indexActor(nil, o, name), nil // raises only for destroyed actors
}

// SetField assigns a field of an actor as a script of the world would. x is a value of this VM (Import).
func (v *VM) SetField(a *engine.Actor, name string, x lua.LValue) error {
	o, err := liveObject(a)
	if err != nil {
		return err
	}
	return v.undoable(func(L *lua.LState) { v.assignActor(L, o, lua.LString(name), x) })
}

// SetIndex assigns an element or a member of an array or a struct from Field.
func (v *VM) SetIndex(part, key, x lua.LValue) error {
	return v.undoable(func(L *lua.LState) { L.SetTable(part, key, x) })
}

// undoable runs assignments outside of any script; an error undoes them and is returned without a report.
func (v *VM) undoable(f func(L *lua.LState)) error {
	mark := v.world.Mark()
	v.world.Enter()
	defer v.world.Leave()
	_, err := v.vm.Call("", v.native(func(L *lua.LState) int { f(L); return 0 }))
	if err != nil {
		v.world.Rollback(mark)
		return errors.New(structured(err).Message)
	}
	v.world.Release()
	return nil
}

// Index reads an element or a member of an array, a struct or a fast array from Field, or a method of it.
func (v *VM) Index(part, key lua.LValue) (lua.LValue, error) {
	x, err := v.vm.Call("", v.native(func(L *lua.LState) int { L.Push(L.GetTable(L.Get(1), L.Get(2))); return 1 }), part, key)
	if err != nil {
		return lua.LNil, errors.New(structured(err).Message)
	}
	return x, nil
}

// Len returns #part.
func (v *VM) Len(part lua.LValue) (lua.LValue, error) {
	x, err := v.vm.Call("", v.native(v.valueLen), part)
	if err != nil {
		return lua.LNil, errors.New(structured(err).Message)
	}
	return x, nil
}

// CallValue calls a function from Field or Index, for the methods of fast arrays.
func (v *VM) CallValue(fn lua.LValue, args ...lua.LValue) ([]lua.LValue, error) {
	f, ok := fn.(*lua.LFunction)
	if !ok {
		return nil, fmt.Errorf("attempt to call a %s", typeName(fn))
	}
	mark := v.world.Mark()
	v.world.Enter()
	defer v.world.Leave()
	out, err := v.vm.CallMulti("", f, args...)
	if err != nil {
		v.world.Rollback(mark)
		return nil, errors.New(structured(err).Message)
	}
	v.world.Release()
	return out, nil
}

// CallFunction calls a function of an actor as a script of this world would, with values of this VM. An error is a
// script error of the world: it is reported, charged to its class, and also returned.
func (v *VM) CallFunction(a *engine.Actor, name string, args []lua.LValue) ([]lua.LValue, error) {
	if _, err := liveObject(a); err != nil {
		return nil, err
	}
	out, err := v.callLua(a, name, args)
	if err != nil && !IsFault(err) {
		v.reportError(a, a.Class.Name, name, err.Error())
	}
	return out, err
}

// SpawnWith spawns an actor as world:Spawn does. props is a table of this VM or nil.
func (v *VM) SpawnWith(class string, props *lua.LTable) (*engine.Actor, error) {
	c := v.world.Classes.Find(class)
	if c == nil {
		return nil, fmt.Errorf("unknown class %q%s", class, engine.Nearest(class, v.classNames()))
	}
	var sp engine.SpawnParams
	if props != nil {
		if err := v.spawnParams(c, props, &sp); err != nil {
			return nil, err
		}
	}
	v.world.Enter()
	defer v.world.Leave()
	return v.world.Spawn(c, sp)
}

// Eval runs a chunk of Lua in this VM, with the globals of class functions, and returns its results. An error is
// returned as a *sandbox.Error or a *syntax.Error; nothing is reported or charged.
func (v *VM) Eval(name, text string) ([]lua.LValue, error) {
	chunk, err := syntax.Parse(name, text)
	if err == nil {
		err = syntax.Harden(chunk, v.vm.HardenOptions())
	}
	if err != nil {
		return nil, err
	}
	proto, err := syntax.Compile(chunk)
	if err != nil {
		return nil, err
	}
	mark := v.world.Mark()
	v.world.Enter()
	defer v.world.Leave()
	out, err := v.vm.CallMulti("", v.vm.Load(proto, v.vm.Globals()))
	if err != nil {
		v.world.Rollback(mark)
		return nil, err
	}
	v.world.Release()
	return out, nil
}

// Blame reports a script error that arose outside of a script's function: an assignment from outside.
func (v *VM) Blame(a *engine.Actor, function, what string) {
	class := "script"
	if a != nil {
		class = a.Class.Name
	}
	v.reportError(a, class, function, what)
}

// Sources returns the files in use, as passed to Load or the last reload.
func (v *VM) Sources() []classfile.Source { return v.sources }

// IsPart reports whether a value is an array, a struct or a fast array of an actor, which reads and writes
// through.
func IsPart(x lua.LValue) bool {
	_, ok := x.(*part)
	return ok
}

// IsFunction reports whether a value is a function of a script.
func IsFunction(x lua.LValue) bool {
	_, ok := x.(*lua.LFunction)
	return ok
}

// liveObject returns the script side of an actor that is not destroyed.
func liveObject(a *engine.Actor) (*object, error) {
	if a == nil {
		return nil, errors.New("no actor")
	}
	o, _ := a.Script.(*object)
	if o == nil || o.gone || a.Deleted() {
		return nil, fmt.Errorf("%s (%s) is destroyed", a.Name, a.Class.Name)
	}
	return o, nil
}

// Guest defines the behavior of the owner's kinds of values in a sandbox, in addition to vectors and rotators. Each
// function gets the value as first argument, like a metamethod; nil ones are errors.
type Guest struct {
	Index, NewIndex, Len, String lua.LGFunction
}

// BindValues adds to a sandbox without a world (that of scenario files) the constants, the vectors and rotators of
// scripts, with their operators and methods, and the owner's own kinds of values.
func BindValues(sb *sandbox.VM, guest Guest) {
	v := &VM{vm: sb, registry: natives(), vectorMethods: newTable(0, 8), rotatorMethods: newTable(0, 4)}
	for i := range v.registry.entries {
		e := &v.registry.entries[i]
		f := func() *lua.LFunction {
			return sb.NewFunction(e.Name, func(L *lua.LState) int { return e.do(v, L) })
		}
		switch {
		case e.Space == api.Vector:
			v.vectorMethods.RawSetString(e.Name, f())
		case e.Space == api.Rotator:
			v.rotatorMethods.RawSetString(e.Name, f())
		case e.Space == api.Global && (e.Name == "vector" || e.Name == "rotator"):
			sb.SetGlobal(e.Name, f())
		}
	}
	or := func(own, other lua.LGFunction) *lua.LFunction {
		return sb.NewFunction("value", func(L *lua.LState) int {
			switch L.Get(1).(type) {
			case vec, rot:
				return own(L)
			}
			if other == nil {
				return own(L) // its error names the value
			}
			return other(L)
		})
	}
	m := newTable(0, 12)
	m.RawSetString("__index", or(v.valueIndex, guest.Index))
	m.RawSetString("__newindex", or(v.valueNewIndex, guest.NewIndex))
	m.RawSetString("__len", or(v.valueLen, guest.Len))
	m.RawSetString("__tostring", or(v.valueString, guest.String))
	for name, fn := range map[string]lua.LGFunction{ // any order: scripts cannot list the table
		"__add": v.valueAdd, "__sub": v.valueSub, "__mul": v.valueMul, "__div": v.valueDiv, "__unm": v.valueUnm,
	} {
		m.RawSetString(name, v.native(fn))
	}
	m.RawSetString("__metatable", lua.LString("a value's metatable is locked"))
	sb.SetTypeMetatable(vec{}, m)
	all := constants()
	for _, name := range slices.Sorted(maps.Keys(all)) { // in order: of two equally near names messages use the first
		sb.SetGlobal(name, lua.LNumber(all[name]))
	}
}

// VectorOf returns the vector that a value is, if it is one.
func VectorOf(x lua.LValue) (geom.Vector, bool) {
	v, ok := x.(vec)
	return geom.Vector(v), ok
}

// RotatorOf returns the rotator that a value is, if it is one.
func RotatorOf(x lua.LValue) (geom.Rotator, bool) {
	r, ok := x.(rot)
	return geom.Rotator(r), ok
}

// NewTable returns an empty Lua table with room for n items and h names; it does not belong to any VM.
func NewTable(n, h int) *lua.LTable { return newTable(n, h) }

// FromValue converts a value of the engine that needs no VM: a plain value, a vector or a rotator; nil for others.
func FromValue(x engine.Value) lua.LValue {
	switch x.Kind {
	case engine.KindBool:
		return lua.LBool(x.Num != 0)
	case engine.KindInt, engine.KindFloat:
		return lua.LNumber(x.Num)
	case engine.KindString, engine.KindEnum, engine.KindClass:
		return lua.LString(x.Str)
	case engine.KindVector:
		return vec(x.Vec)
	case engine.KindRotator:
		return rot(x.Rot)
	case engine.KindNone, engine.KindRef, engine.KindStruct, engine.KindArray, engine.KindFastArray:
	default:
	}
	return lua.LNil
}
