package scriptvm

import (
	lua "github.com/yuin/gopher-lua"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/scriptvm/api"
	"github.com/tidelock/tidelock/scriptvm/classfile"
)

func (*worldValue) String() string       { return "world" }
func (*worldValue) Type() lua.LValueType { return lua.LTUserData }

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
			Doc:     "Like self:Spawn, without a self.",
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
			Doc:     "The default of a variable in a class.",
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
			Doc:     "Like self:Trace, with no actor excluded.",
			Example: "world:Trace(a, b)",
			Do: func(v *VM, L *lua.LState) int {
				v.checkWorld(L)
				from, to := checkVector(L, 2), checkVector(L, 3)
				hit, ok := v.world.Trace(from, to, v.traceOptions(L, 4))
				v.sawHit(SightTrace, nil, from, to, hit, ok)
				return v.pushHit(L, hit, ok)
			},
		},
		{
			Space: api.World, Name: "DefaultOf", Params: "class: class, variable: string", Returns: "any", Pure: true,
			Doc:     "The value that a variable has in a new actor of a class: numbers, strings, vectors, classes and similar values; nil if the class has no such variable, or it is a struct or an array.",
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
			Doc:     "Whether nothing of the level blocks the line.",
			Example: "world:FastTrace(a, b)",
			Do: func(v *VM, L *lua.LState) int {
				v.checkWorld(L)
				from, to := checkVector(L, 2), checkVector(L, 3)
				free := v.world.FastTrace(from, to)
				v.saw(SightLine, nil, from, to, !free)
				return boolean(L, free)
			},
		},
	}
}
