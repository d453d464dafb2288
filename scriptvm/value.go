package scriptvm

import (
	"fmt"
	"math"
	"strconv"

	lua "github.com/yuin/gopher-lua"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/engine/geom"
	"github.com/tidelock/tidelock/scriptvm/api"
)

// Values of scripts that Lua does not have are LValues of our own: they need no metatable each, compare and hash by
// value if they are values, and cost one small allocation. gopher-lua finds their metatable by type, so one
// metatable of the VM serves all of them (see meta.go).

// vec is a vector: immutable, equal by value, usable as a table key.
type vec geom.Vector

func (v vec) String() string     { return formatVector(geom.Vector(v)) }
func (vec) Type() lua.LValueType { return lua.LTUserData }

// rot is a rotator: immutable, equal by value.
type rot geom.Rotator

func (r rot) String() string     { return fmt.Sprintf("rotator(%d, %d, %d)", r.Pitch, r.Yaw, r.Roll) }
func (rot) Type() lua.LValueType { return lua.LTUserData }

func formatVector(v geom.Vector) string {
	return fmt.Sprintf("vector(%s, %s, %s)", formatNumber(v.X), formatNumber(v.Y), formatNumber(v.Z))
}

// formatNumber formats a number as Lua's %.14g does.
func formatNumber(f float64) string { return fmt.Sprintf("%.14g", f) }

func (o *object) String() string     { return o.actor.Name }
func (*object) Type() lua.LValueType { return lua.LTUserData }

// ORDER: slots. The array part of an actor's table.
const (
	slotObject   = 1
	slotDispatch = 2
	slotOffset   = 2 // a property's slot n is index n+slotOffset
)

// part is a script's value for an array, a struct or a fast array: a location in an actor's variable.
type part struct {
	object *object
	part   engine.Part
}

func (p *part) String() string     { return p.part.Type.String() }
func (*part) Type() lua.LValueType { return lua.LTUserData }

// objectOf returns the engine's handle of a value, or nil if the value is not an actor or component.
func objectOf(v lua.LValue) *object {
	t, ok := v.(*lua.LTable)
	if !ok {
		return nil
	}
	o, _ := t.RawGetInt(slotObject).(*object)
	if o == nil || o.table != t {
		return nil
	}
	return o
}

// luaActor returns the script value of an actor.
func luaActor(a *engine.Actor) lua.LValue {
	if a == nil || a.Script == nil {
		return lua.LNil
	}
	return a.Script.(*object).table
}

// toLua converts a value of the engine to one of the VM.
func (v *VM) toLua(x engine.Value) lua.LValue {
	switch x.Kind {
	case engine.KindBool:
		return lua.LBool(x.Num != 0)
	case engine.KindInt, engine.KindFloat:
		return lua.LNumber(x.Num)
	case engine.KindString, engine.KindEnum:
		return lua.LString(x.Str)
	case engine.KindVector:
		return vec(x.Vec)
	case engine.KindRotator:
		return rot(x.Rot)
	case engine.KindClass:
		if x.Str == "" {
			return lua.LNil
		}
		return v.classValue(x.Str)
	case engine.KindRef:
		return luaActor(v.world.Actor(x.Ref))
	case engine.KindStruct, engine.KindArray:
		t := newTable(len(x.List), 0)
		for i := range x.List {
			t.RawSetInt(i+1, v.toLua(x.List[i]))
		}
		return t
	default:
	}
	if lv, ok := x.Any.(lua.LValue); ok {
		return lv
	}
	return lua.LNil
}

// toLuaTyped is toLua for a known type, so that struct members get their names.
func (v *VM) toLuaTyped(t *engine.Type, x engine.Value) lua.LValue {
	switch t.Kind {
	case engine.KindStruct:
		out := newTable(0, len(t.Fields))
		for i := range t.Fields {
			out.RawSetString(t.Fields[i].Name, v.toLuaTyped(t.Fields[i].Type, x.List[i]))
		}
		return out
	case engine.KindArray:
		out := newTable(len(x.List), 0)
		for i := range x.List {
			out.RawSetInt(i+1, v.toLuaTyped(t.Elem, x.List[i]))
		}
		return out
	default:
	}
	return v.toLua(x)
}

// fromLua converts a value of the VM to one of the engine for a type; the engine checks what this cannot.
func (v *VM) fromLua(t *engine.Type, x lua.LValue) (engine.Value, error) {
	switch x := x.(type) {
	case *lua.LNilType:
		if t.Kind == engine.KindRef || t.Kind == engine.KindClass {
			return engine.Value{Kind: t.Kind}, nil
		}
		return engine.Value{}, fmt.Errorf("expected %s, got nil", t)
	case lua.LBool:
		return engine.Bool(bool(x)), nil
	case lua.LNumber:
		return engine.Float(float64(x)), nil
	case lua.LString:
		return engine.String(string(x)), nil
	case vec:
		return engine.Vec(geom.Vector(x)), nil
	case rot:
		return engine.Rotation(geom.Rotator(x)), nil
	case *part:
		return x.object.actor.GetPart(x.part), nil
	case *lua.LTable:
		if o := objectOf(x); o != nil {
			if o.gone {
				return engine.Value{}, fmt.Errorf("expected %s, got %s, which is destroyed", t, o.actor)
			}
			return engine.Ref(o.actor), nil
		}
		if c := v.classOf(x); c != nil {
			return engine.ClassName(c.data.Name), nil
		}
		return v.aggregate(t, x)
	}
	return engine.Value{}, fmt.Errorf("expected %s, got a %s", t, typeName(x))
}

// aggregate reads a plain table as a struct or an array.
func (v *VM) aggregate(t *engine.Type, x *lua.LTable) (engine.Value, error) {
	switch t.Kind {
	case engine.KindStruct:
		out := engine.Value{Kind: engine.KindStruct, List: t.Zero().List}
		var err error
		each(x, func(k, e lua.LValue) {
			if err != nil {
				return
			}
			name, ok := k.(lua.LString)
			if !ok {
				err = fmt.Errorf("expected %s, got a table with key %s", t, keyText(k))
				return
			}
			for i := range t.Fields {
				if t.Fields[i].Name == string(name) {
					if out.List[i], err = v.fromLua(t.Fields[i].Type, e); err != nil {
						err = fmt.Errorf("member %s: %w", name, err)
					}
					return
				}
			}
			names := make([]string, len(t.Fields))
			for i := range t.Fields {
				names[i] = t.Fields[i].Name
			}
			err = fmt.Errorf("unknown member %s%s", name, engine.Nearest(string(name), names))
		})
		return out, err
	case engine.KindArray:
		if n := x.Len(); n != t.Len {
			return engine.Value{}, fmt.Errorf("expected %s, got a table of %d", t, n)
		}
		out := engine.Value{Kind: engine.KindArray, List: make([]engine.Value, t.Len)}
		for i := range out.List {
			var err error
			if out.List[i], err = v.fromLua(t.Elem, x.RawGetInt(i+1)); err != nil {
				return engine.Value{}, fmt.Errorf("element %d: %w", i+1, err)
			}
		}
		return out, nil
	default:
	}
	return engine.Value{}, fmt.Errorf("expected %s, got a table", t)
}

// anyFromLua converts any value of the VM to one of the engine without a type: for arguments of undeclared
// functions and for values that tests read. A value without a counterpart becomes an opaque value.
func (v *VM) anyFromLua(x lua.LValue) engine.Value {
	switch x := x.(type) {
	case *lua.LNilType:
		return engine.Value{}
	case lua.LBool:
		return engine.Bool(bool(x))
	case lua.LNumber:
		return engine.Float(float64(x))
	case lua.LString:
		return engine.String(string(x))
	case vec:
		return engine.Vec(geom.Vector(x))
	case rot:
		return engine.Rotation(geom.Rotator(x))
	}
	if o := objectOf(x); o != nil {
		return engine.Value{Kind: engine.KindRef, Ref: o.actor.ID()}
	}
	return engine.Value{Any: x}
}

// typeName returns the name of a value's type in messages.
func typeName(x lua.LValue) string {
	switch x := x.(type) {
	case vec:
		return "vector"
	case rot:
		return "rotator"
	case *part:
		return x.part.Type.Kind.String()
	case *lua.LTable:
		if o := objectOf(x); o != nil {
			return o.class.data.Name
		}
	}
	return x.Type().String()
}

// read returns the script's value of a declared variable.
func (v *VM) read(o *object, p *engine.Property) lua.LValue {
	switch p.Type.Kind {
	case engine.KindBool:
		return lua.LBool(o.actor.Word(p) != 0)
	case engine.KindInt:
		return lua.LNumber(int64(o.actor.Word(p)))
	case engine.KindFloat:
		return lua.LNumber(math.Float64frombits(o.actor.Word(p)))
	case engine.KindRef:
		return luaActor(v.world.Actor(engine.ActorID(o.actor.Word(p))))
	case engine.KindStruct, engine.KindArray, engine.KindFastArray:
		// The proxy reads through, so one serves for the actor's life.
		if pt, ok := o.table.RawGetInt(p.Slot + slotOffset).(*part); ok && pt.part.Prop == p {
			return pt
		}
		return &part{o, p.Whole()}
	default:
	}
	return v.toLua(o.actor.Get(p))
}

// each visits a table in the order in which its keys were added; gopher-lua's own ForEach follows Go's maps, which
// have no order, and an order that differs between runs must not affect a world that repeats.
func each(t *lua.LTable, f func(k, x lua.LValue)) {
	for k, x := t.Next(lua.LNil); k != lua.LNil; k, x = t.Next(k) {
		f(k, x)
	}
}

func (n *bound) shown() string {
	switch n.Space {
	case api.World, api.Store, api.Cluster:
		return string(n.Space) + ":" + n.Name
	case api.Profile:
		return string(n.Space) + "." + n.Name
	default:
	}
	return n.Name
}

// classOf returns the class of a script's class value, or nil.
func (v *VM) classOf(t *lua.LTable) *class {
	if c := v.classByTable[t]; c != nil && c.table == t {
		return c
	}
	return nil
}

// keyText formats a key, or a value used as one, in a message: its text if it has one, else its type. gopher-lua's
// own text of a table is its address, which differs between runs (G19).
func keyText(x lua.LValue) string {
	switch x := x.(type) {
	case *lua.LTable, *lua.LFunction, *lua.LUserData, *lua.LState, lua.LChannel:
		return "a " + x.Type().String()
	}
	return x.String()
}

// valueText formats a value in a message about an argument: "the number 5", "nil", `the string "abc"`.
func valueText(x lua.LValue) string {
	switch x := x.(type) {
	case *lua.LNilType:
		return "nil"
	case lua.LBool:
		return x.String()
	case lua.LNumber:
		return "the number " + formatNumber(float64(x))
	case lua.LString:
		return "the string " + strconv.Quote(clipped(string(x)))
	case vec:
		return x.String()
	case rot:
		return x.String()
	case *part:
		return "the " + x.part.Type.Kind.String() + " " + x.part.Prop.Name
	case *worldValue:
		return "world"
	case *storeValue:
		return "store"
	case *clusterValue:
		return "cluster"
	case *profileValue:
		return "Profile"
	case *canvasValue:
		return "the canvas"
	case *lua.LTable:
		if o := objectOf(x); o != nil {
			return fmt.Sprintf("the actor %s (%s)", o.actor.Name, o.class.data.Name)
		}
	}
	return "a " + typeName(x)
}

func clipped(s string) string {
	if len(s) > maxQuoted {
		return s[:maxQuoted] + "…"
	}
	return s
}
