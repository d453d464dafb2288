package scriptvm

import (
	"fmt"

	lua "github.com/yuin/gopher-lua"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/engine/geom"
	"github.com/tidelock/tidelock/scriptvm/api"
	"github.com/tidelock/tidelock/scriptvm/classfile"
)

// worldValue is the global `world`.
type worldValue struct{ vm *VM }

func (*worldValue) String() string       { return "world" }
func (*worldValue) Type() lua.LValueType { return lua.LTUserData }

func (v *VM) worldIndex(L *lua.LState, key lua.LValue) int {
	if v.staging != nil {
		L.RaiseError("world is not there while files load; use it in functions")
	}
	name, _ := key.(lua.LString)
	w := v.world
	switch string(name) {
	case "NetMode":
		return number(L, float64(w.NetMode))
	case "TimeSeconds":
		return number(L, w.Time)
	case "DeltaSeconds":
		return number(L, w.Delta)
	case "RealTimeSeconds":
		return number(L, w.Time+w.Stood)
	case "Gravity":
		return number(L, w.Gravity)
	case "Game":
		L.Push(luaActor(living(w.Actor(w.Game))))
		return 1
	case "GameState":
		L.Push(luaActor(living(w.Actor(w.GameState))))
		return 1
	case "LevelName":
		L.Push(lua.LString(w.LevelName()))
		return 1
	}
	return v.method(L, v.worldMethods, "world", key)
}

// checkWorld checks the receiver of methods of world.
func (v *VM) checkWorld(L *lua.LState) {
	if _, ok := L.Get(1).(*worldValue); !ok {
		raiseSelf(L, "world", "world")
	}
}

// setClock sets the world's time for scripts. Before it exists, reading it is an error (worldIndex).
func (v *VM) setClock() {
	switch {
	case v.world == nil || v.staging != nil:
		if v.clockSet {
			v.vm.Globals().RawSetString(classfile.WorldClock, lua.LNil)
			v.clockSet = false
		}
	case !v.clockSet || v.clock != v.world.Time:
		v.clock, v.clockSet = v.world.Time, true
		v.vm.Globals().RawSetString(classfile.WorldClock, lua.LNumber(v.clock))
	}
}

// living returns an actor that is not destroyed, or nil.
func living(a *engine.Actor) *engine.Actor {
	if a == nil || a.Deleted() {
		return nil
	}
	return a
}

// worldNatives returns methods of world.
func worldNatives() []native {
	return []native{
		{
			Space: api.World, Name: "Spawn", Params: "class: class, props?: SpawnTable", Returns: "Actor?",
			Doc:     "As self:Spawn, without a self.",
			Example: `world:Spawn("Pickup", { Location = vector(0, 0, 40) })`,
			Do:      func(v *VM, L *lua.LState) int { v.checkWorld(L); return v.spawn(L, 2) },
		},
		{
			Space: api.World, Name: "ActorsOf", Params: "class: class", Returns: "Actor[]", Pure: true,
			Doc:     "All live actors of a class and its children, in order of spawning.",
			Example: `#world:ActorsOf("Pawn")`,
			Do:      func(v *VM, L *lua.LState) int { v.checkWorld(L); return v.actorsOf(L, 2) },
		},
		{
			Space: api.World, Name: "ActorsInRadius", Params: "class: class, radius: number, at: vector Place", Returns: "Actor[]", Pure: true,
			Doc:     "The actors of a class whose center is within the given distance, in uu, of a location.",
			Example: `world:ActorsInRadius("Pawn", 500, vector(0, 0, 0))`,
			Do: func(v *VM, L *lua.LState) int {
				v.checkWorld(L)
				return v.actorsInRadius(L, v.checkClass(L, 2), checkVector(L, 4), checkNumber(L, 3))
			},
		},
		{
			Space: api.World, Name: "ActorById", Params: "id: integer", Returns: "Actor?", Pure: true,
			Doc:     "The actor with a number from GetId, or nil if it was destroyed.",
			Example: "world:ActorById(id)",
			Do: func(v *VM, L *lua.LState) int {
				v.checkWorld(L)
				n := checkNumber(L, 2)
				if n < 0 || n != float64(uint64(n)) {
					return 0
				}
				L.Push(luaActor(v.world.Actor(engine.ActorID(n))))
				return 1
			},
		},
		{
			Space: api.World, Name: "GetDefault", Params: "class: class, name: string", Returns: "any", Pure: true,
			Doc:     "The default of a variable in actors of a class.",
			Example: `local speed = world:GetDefault(self.ProjectileClass, "Speed")`,
			Do: func(v *VM, L *lua.LState) int {
				v.checkWorld(L)
				c, name := v.checkClass(L, 2), checkString(L, 3)
				p := c.Property(name)
				if p == nil {
					L.RaiseError("%s has no variable %s%s", c.Name, name, engine.Nearest(name, c.PropertyNames()))
				}
				L.Push(v.toLua(c.Default(p)))
				return 1
			},
		},
		{
			Space: api.World, Name: "ActorByName", Params: "name: string", Returns: "Actor?", Pure: true,
			Doc:     "The actor of that name (targetname in the level), or nil.",
			Example: `world:ActorByName("lift1")`,
			Do: func(v *VM, L *lua.LState) int {
				v.checkWorld(L)
				L.Push(luaActor(v.world.ActorByName(checkString(L, 2))))
				return 1
			},
		},
		{
			Space: api.World, Name: "Trace", Params: "from: vector Place, to: vector LineEnd, opts?: TraceOptions", Returns: "hit?", Pure: true,
			Doc:     "As self:Trace, with no actor left out.",
			Example: "world:Trace(a, b)",
			Do: func(v *VM, L *lua.LState) int {
				v.checkWorld(L)
				from, to := checkVector(L, 2), checkVector(L, 3)
				hit, ok := v.world.Trace(from, to, v.traceOptions(L, 4))
				return v.pushHit(L, hit, ok)
			},
		},
		{
			Space: api.World, Name: "DefaultOf", Params: "class: class, variable: string", Returns: "any", Pure: true,
			Doc:     "What a variable is in an actor of a class that has just been made: numbers, strings, vectors, classes and similar values; nil if the class has no such variable, or it is a struct or an array.",
			Example: `local range = world:DefaultOf("Rifle", "Range")`,
			Do: func(v *VM, L *lua.LState) int {
				v.checkWorld(L)
				c := v.checkClass(L, 2)
				p := c.Property(checkString(L, 3))
				if p == nil {
					return 0
				}
				switch p.Type.Kind {
				case engine.KindStruct, engine.KindArray, engine.KindFastArray:
					return 0 // they are read through an actor
				default:
				}
				L.Push(v.toLua(c.Default(p)))
				return 1
			},
		},
		{
			Space: api.World, Name: "FastTrace", Params: "from: vector Place, to: vector LineEnd", Returns: "boolean", Pure: true,
			Doc:     "Whether the level leaves the line free.",
			Example: "world:FastTrace(a, b)",
			Do: func(v *VM, L *lua.LState) int {
				v.checkWorld(L)
				return boolean(L, v.world.FastTrace(checkVector(L, 2), checkVector(L, 3)))
			},
		},
	}
}

// spawnParam reads one entry of a Spawn's table.
func (v *VM) spawnParam(c *engine.Class, k, x lua.LValue, sp *engine.SpawnParams) error {
	name, ok := k.(lua.LString)
	if !ok {
		return fmt.Errorf("%s: expected names of variables, got %s", c.Name, k.String())
	}
	actor := func() (*engine.Actor, error) {
		if x == lua.LNil {
			return nil, nil
		}
		o := objectOf(x)
		if o == nil || o.gone {
			return nil, fmt.Errorf("%s.%s: expected a live actor, got %s", c.Name, name, valueText(x))
		}
		return o.actor, nil
	}
	var err error
	switch string(name) {
	case "Location":
		at, ok := x.(vec)
		if !ok {
			return fmt.Errorf("%s.Location: expected a vector, got %s", c.Name, valueText(x))
		}
		if sp.Location = flat(geom.Vector(at)); !within(sp.Location, farthest) {
			return fmt.Errorf("%s.Location: expected %s, got %v", c.Name, placeWanted, sp.Location)
		}
	case "Rotation":
		r, ok := x.(rot)
		if !ok {
			return fmt.Errorf("%s.Rotation: expected a rotator, got %s", c.Name, valueText(x))
		}
		sp.Rotation = geom.Rotator(r)
	case "Owner":
		sp.Owner, err = actor()
	case "Instigator":
		if sp.Instigator, err = actor(); sp.Instigator != nil && !sp.Instigator.Class.IsPawn() {
			return fmt.Errorf("%s.Instigator: expected a Pawn, got the actor %s (%s)", c.Name, sp.Instigator.Name, sp.Instigator.Class.Name)
		}
	case "Name":
		s, ok := x.(lua.LString)
		if !ok {
			return fmt.Errorf("%s.Name: expected a string, got %s", c.Name, valueText(x))
		}
		sp.Name = string(s)
	default:
		p := c.Property(string(name))
		if p == nil {
			return fmt.Errorf("%s has no variable %s%s", c.Name, name, engine.Nearest(string(name), c.PropertyNames()))
		}
		var val engine.Value
		if val, err = v.fromLua(p.Type, x); err == nil && p.Native != nil {
			val, err = nativeValue(p.Native, val)
		}
		if err != nil {
			return fmt.Errorf("%s.%s: %w", c.Name, name, err)
		}
		sp.Init = append(sp.Init, engine.Assignment{Name: string(name), Value: val})
	}
	return err
}
