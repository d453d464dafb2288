package scriptvm

import (
	"fmt"

	lua "github.com/yuin/gopher-lua"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/engine/geom"
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

// setClock gives the scripts the world's time. While there is none, reading it says why (worldIndex).
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

// living is an actor that is not destroyed, or nil.
func living(a *engine.Actor) *engine.Actor {
	if a == nil || a.Deleted() {
		return nil
	}
	return a
}

func (v *VM) worldNatives() natives {
	check := func(L *lua.LState) {
		if _, ok := L.Get(1).(*worldValue); !ok {
			raiseSelf(L, "world", "world")
		}
	}
	n := natives{
		"Spawn":    func(L *lua.LState) int { check(L); return v.spawn(L, 2) },
		"ActorsOf": func(L *lua.LState) int { check(L); return v.actorsOf(L, 2) },
		"ActorsInRadius": func(L *lua.LState) int {
			check(L)
			return v.actorsInRadius(L, v.checkClass(L, 2), checkVector(L, 4), checkNumber(L, 3))
		},
		"GetDefault": func(L *lua.LState) int {
			check(L)
			c, name := v.checkClass(L, 2), checkString(L, 3)
			p := c.Property(name)
			if p == nil {
				L.RaiseError("%s has no variable %s%s", c.Name, name, engine.Nearest(name, c.PropertyNames()))
			}
			L.Push(v.toLua(c.Default(p)))
			return 1
		},
		"ActorById": func(L *lua.LState) int {
			check(L)
			n := checkNumber(L, 2)
			if n < 0 || n != float64(uint64(n)) {
				return 0
			}
			L.Push(luaActor(v.world.Actor(engine.ActorID(n))))
			return 1
		},
		"ActorByName": func(L *lua.LState) int {
			check(L)
			L.Push(luaActor(v.world.ActorByName(checkString(L, 2))))
			return 1
		},
		"Trace": func(L *lua.LState) int {
			check(L)
			from, to := checkVector(L, 2), checkVector(L, 3)
			hit, ok := v.world.Trace(from, to, v.traceOptions(L, 4))
			return v.pushHit(L, hit, ok)
		},
		"FastTrace": func(L *lua.LState) int {
			check(L)
			return boolean(L, v.world.FastTrace(checkVector(L, 2), checkVector(L, 3)))
		},
		"CleanText": func(L *lua.LState) int { check(L); return v.cleanText(L) },
		"Travel": func(L *lua.LState) int {
			check(L)
			url := v.travelURL(L, "Travel")
			v.checkMayTravel(L)
			v.world.Travel(url)
			return 0
		},
		"PrepareTravel": func(L *lua.LState) int { check(L); v.world.PrepareTravel(v.travelURL(L, "PrepareTravel")); return 0 },
	}
	for name, f := range v.navigationNatives() { // any order: from one map to another
		n[name] = func(L *lua.LState) int { check(L); return f(L) }
	}
	return n
}

func (v *VM) globalNatives() natives {
	component := func(L *lua.LState, i int) float64 {
		switch x := L.Get(i).(type) {
		case lua.LNumber:
			return float64(x)
		case *lua.LNilType:
			return 0
		}
		argError(L, i, "a number")
		return 0
	}
	return natives{
		"vector": func(L *lua.LState) int {
			L.Push(vec{component(L, 1), component(L, 2), component(L, 3)})
			return 1
		},
		"rotator": func(L *lua.LState) int {
			L.Push(rot(geom.Rotator{Pitch: wrap(component(L, 1)), Yaw: wrap(component(L, 2)), Roll: wrap(component(L, 3))}))
			return 1
		},
		"require": v.requireNative,
		"class": func(L *lua.LState) int {
			L.RaiseError("class(…) stands at the top level of a class file, with literal arguments")
			return 0
		},
		"log": func(L *lua.LState) int {
			v.logText(L, nil, 1)
			return 0
		},
	}
}

// constants are the numbers scripts know by name, by their tables of names.
func constants() map[string]int {
	out := map[string]int{}
	for _, names := range [][]string{
		engine.NetModeNames(), engine.RoleNames(), engine.PhysicsNames(), engine.DormancyNames(), engine.NetConditionNames(),
	} {
		for i, n := range names {
			out[n] = i
		}
	}
	return out
}

// Constants are the globals that are numbers: NM_*, ROLE_*, PHYS_*, DORM_*, COND_*.
func Constants() map[string]int { return constants() }

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
