package scriptvm

import (
	lua "github.com/yuin/gopher-lua"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/engine/geom"
)

// maxLogLine bounds a line that a script logs, in bytes; the rest is cut and marked.
const maxLogLine = 1000

// listedCost is what an actor in a list costs.
const listedCost = 4

// spawnCost is what making an actor takes from a call's instructions: an actor is a few KB that stay, so a
// call makes a few thousand at most.
const spawnCost = 250

// actorNatives are the methods of every actor (namespace Actor).
func (v *VM) actorNatives() natives {
	n := natives{
		"Spawn":       func(L *lua.LState) int { v.self(L); return v.spawn(L, 2) },
		"SpawnEffect": v.spawnEffect,
		"AddComponent": func(L *lua.LState) int {
			a := v.self(L)
			c, name := v.checkClass(L, 2), checkString(L, 3)
			v.checkOnlyPart(L, a, c, name)
			k, err := a.AddScripted(c, name, v.runningMod())
			if err != nil {
				L.RaiseError("%v", err)
			}
			L.Push(luaActor(k))
			return 1
		},
		"GetOwningPlayer": func(L *lua.LState) int {
			if top := v.self(L).TopOwner(); top.Class.IsPlayerController() {
				L.Push(luaActor(top))
				return 1
			}
			return 0
		},
		"IsLocallyControlled": func(L *lua.LState) int {
			return boolean(L, v.world.IsLocallyControlled(v.self(L)))
		},
		"IsActionDown":      func(L *lua.LState) int { return boolean(L, v.actionState(L).Down) },
		"WasActionPressed":  func(L *lua.LState) int { return boolean(L, v.actionState(L).Pressed) },
		"WasActionReleased": func(L *lua.LState) int { return boolean(L, v.actionState(L).Released) },
		"GetActionValue":    func(L *lua.LState) int { return number(L, v.actionState(L).Value) },
		"GetId":             func(L *lua.LState) int { return number(L, float64(v.self(L).ID())) },
		"PushState": func(L *lua.LState) int {
			if err := v.self(L).PushState(checkString(L, 2)); err != nil {
				L.RaiseError("%v", err)
			}
			return 0
		},
		"PopState": func(L *lua.LState) int {
			if err := v.self(L).PopState(); err != nil {
				L.RaiseError("%v", err)
			}
			return 0
		},

		"SetLocation": func(L *lua.LState) int { return boolean(L, v.self(L).SetLocation(checkVector(L, 2))) },
		"SetRotation": func(L *lua.LState) int {
			v.setByName(L, "Rotation", engine.Rotation(checkRotator(L, 2)))
			return 0
		},
		"Move": func(L *lua.LState) int {
			hit, ok := v.self(L).Move(checkVector(L, 2))
			return v.pushHit(L, hit, ok)
		},
		"SetPhysics": func(L *lua.LState) int {
			v.setByName(L, "Physics", engine.Float(checkNumber(L, 2)))
			return 0
		},
		"SetBase": func(L *lua.LState) int {
			a := v.self(L)
			if err := a.SetBase(v.optActor(L, 2, ""), lua.LVAsBool(L.Get(3))); err != nil {
				L.RaiseError("%v", err)
			}
			return 0
		},
		"StartMove": func(L *lua.LState) int {
			if err := v.self(L).StartMove(checkVector(L, 2), checkNumber(L, 3), lua.LVAsBool(L.Get(4))); err != nil {
				L.RaiseError("%v", err)
			}
			return 0
		},
		"StopMove": func(L *lua.LState) int { v.self(L).StopMove(); return 0 },
		"SetOwner": func(L *lua.LState) int {
			a := v.self(L)
			v.setByName(L, "Owner", engine.Ref(v.optActor(L, 2, "")))
			_ = a
			return 0
		},
		"SetCollision": func(L *lua.LState) int {
			a := v.self(L)
			block := func(i int, def bool) bool {
				if L.Get(i) == lua.LNil {
					return def
				}
				return lua.LVAsBool(L.Get(i))
			}
			a.SetCollision(lua.LVAsBool(L.Get(2)), block(3, a.BBlockActors), block(4, a.BBlockPlayers))
			return 0
		},
		"SetCollisionSize": func(L *lua.LState) int {
			return boolean(L, v.self(L).SetCollisionSize(checkNumber(L, 2), checkNumber(L, 3)))
		},
		"Trace": func(L *lua.LState) int {
			a := v.self(L)
			opt := v.traceOptions(L, 4)
			opt.Ignore = append(opt.Ignore, a)
			from, to := checkVector(L, 2), checkVector(L, 3)
			hit, ok := v.world.Trace(from, to, opt)
			return v.pushHit(L, hit, ok)
		},
		"FastTrace": func(L *lua.LState) int {
			from := v.self(L).Location
			if L.Get(3) != lua.LNil {
				from = checkVector(L, 3)
			}
			return boolean(L, v.world.FastTrace(from, checkVector(L, 2)))
		},
		"VisibleFrom": func(L *lua.LState) int { return boolean(L, v.self(L).VisibleFrom(checkVector(L, 2))) },
		"ActorsOf":    func(L *lua.LState) int { v.self(L); return v.actorsOf(L, 2) },
		"ActorsInRadius": func(L *lua.LState) int {
			at := v.self(L).Location
			if L.Get(4) != lua.LNil {
				at = checkVector(L, 4)
			}
			return v.actorsInRadius(L, v.checkClass(L, 2), at, checkNumber(L, 3))
		},
		"ActorsInSight": v.actorsInSight,
		"Touching": func(L *lua.LState) int {
			a := v.self(L)
			var of *engine.Class
			if L.Get(2) != lua.LNil {
				of = v.checkClass(L, 2)
			}
			var out []*engine.Actor
			for _, t := range a.Touching() {
				if of == nil || t.Class.Descends(of) {
					out = append(out, t)
				}
			}
			return v.pushActors(L, out)
		},

		"HurtRadius": func(L *lua.LState) int {
			v.world.HurtRadius(v.self(L), checkNumber(L, 2), checkNumber(L, 3), v.optActor(L, 4, "Pawn"),
				optString(L, 5, ""), optNumber(L, 6, 0))
			return 0
		},

		"SetNetDormancy": func(L *lua.LState) int {
			v.setByName(L, "NetDormancy", engine.Float(checkNumber(L, 2)))
			return 0
		},
	}
	for name, f := range v.sharedNatives() { // any order: from one map to another
		n[name] = f
	}
	return n
}

// sharedNatives are what actors and components have in common.
func (v *VM) sharedNatives() natives {
	return natives{
		"Destroy": func(L *lua.LState) int {
			o := objectOf(L.Get(1))
			if o != nil && o.gone {
				return boolean(L, true) // destroying twice is harmless
			}
			a := v.self(L)
			v.checkMayGo(L, a)
			return boolean(L, a.Destroy())
		},
		"IsA": func(L *lua.LState) int {
			a := v.self(L)
			return boolean(L, a.Class.Descends(v.checkClass(L, 2)))
		},
		"HasAuthority": func(L *lua.LState) int { return boolean(L, v.self(L).HasAuthority()) },
		"GetClass": func(L *lua.LState) int {
			L.Push(lua.LString(v.self(L).Class.Name))
			return 1
		},
		"GotoState": func(L *lua.LState) int {
			a := v.self(L)
			name := optString(L, 2, "")
			if !a.GotoState(name) {
				L.RaiseError("%s has no state %q%s", a.Class.Name, name, engine.Nearest(name, a.Class.StateNames()))
			}
			return 0
		},
		"IsInState": func(L *lua.LState) int {
			return boolean(L, v.self(L).State.Is(checkString(L, 2)))
		},
		"GetStateName": func(L *lua.LState) int {
			name := ""
			if s := v.self(L).State; s != nil {
				name = s.Name
			}
			L.Push(lua.LString(name))
			return 1
		},
		"SetTimer": func(L *lua.LState) int {
			o := v.selfOf(L)
			seconds, fn := checkNumber(L, 2), optString(L, 4, "Timer")
			if !v.hasFunction(o, fn) {
				L.RaiseError("SetTimer: %s has no function %q%s", o.class.data.Name, fn, engine.Nearest(fn, o.class.functionNames()))
			}
			if err := o.actor.SetTimer(seconds, lua.LVAsBool(L.Get(3)), fn); err != nil {
				L.RaiseError("%v", err)
			}
			return 0
		},
		"ClearTimer": func(L *lua.LState) int {
			return boolean(L, v.self(L).ClearTimer(optString(L, 2, "Timer")))
		},
		"GetTimerLeft": func(L *lua.LState) int {
			left, ok := v.self(L).TimerLeft(optString(L, 2, "Timer"))
			if !ok {
				return 0
			}
			return number(L, left)
		},
		"ProtectedCall": func(L *lua.LState) int {
			o, name := v.selfOf(L), checkString(L, 2)
			if !v.hasFunction(o, name) {
				L.RaiseError("ProtectedCall: %s has no function %q%s", o.class.data.Name, name, engine.Nearest(name, o.class.functionNames()))
			}
			args := make([]lua.LValue, 0, 4)
			for i := 3; i <= L.GetTop(); i++ {
				args = append(args, L.Get(i))
			}
			_, err := v.callLua(o.actor, name, args)
			if err != nil {
				v.vm.Spend(faultCost) // so that a loop over calls that fail ends
			}
			return boolean(L, err == nil)
		},
		"SetTickEnabled": func(L *lua.LState) int {
			v.self(L).SetTickEnabled(lua.LVAsBool(L.Get(2)))
			return 0
		},
		"ForceNetUpdate": func(L *lua.LState) int {
			v.self(L).ForceNetUpdate()
			return 0
		},
		"FlushNetDormancy": func(L *lua.LState) int {
			v.self(L).FlushNetDormancy()
			return 0
		},
		"SetCustomIsActive": func(L *lua.LState) int {
			a := v.self(L)
			if err := a.SetCustomIsActive(checkString(L, 2), lua.LVAsBool(L.Get(3))); err != nil {
				L.RaiseError("%v", err)
			}
			return 0
		},
		"SetDynamicCondition": func(L *lua.LState) int {
			a := v.self(L)
			if err := a.SetDynamicCondition(checkString(L, 2), engine.NetCondition(checkNumber(L, 3))); err != nil {
				L.RaiseError("%v", err)
			}
			return 0
		},
		"Log": func(L *lua.LState) int {
			a := v.self(L)
			v.logText(L, a, 2)
			return 0
		},
	}
}

func (v *VM) componentNatives() natives {
	n := natives{
		"GetOwner": func(L *lua.LState) int {
			L.Push(luaActor(v.self(L).Outer))
			return 1
		},
	}
	for name, f := range v.sharedNatives() { // any order: from one map to another
		n[name] = f
	}
	return n
}

func (v *VM) controllerNatives() natives {
	return natives{
		"Possess": func(L *lua.LState) int {
			v.world.Possess(v.self(L), v.checkActor(L, 2, "Pawn"))
			return 0
		},
		"UnPossess": func(L *lua.LState) int {
			v.world.UnPossess(v.self(L))
			return 0
		},
	}
}

func (v *VM) playerControllerNatives() natives {
	return natives{
		"IsLocalPlayer": func(L *lua.LState) int {
			_, ok := v.world.Input(v.self(L))
			return boolean(L, ok)
		},
		"JoinNetGroup":  func(L *lua.LState) int { return v.netGroup(L, "JoinNetGroup", true) },
		"LeaveNetGroup": func(L *lua.LState) int { return v.netGroup(L, "LeaveNetGroup", false) },
	}
}

// actionState is what an action of the owning player does (W4.3). A name that nothing declares is an error; an action that the player
// does not have now, and one of a player at another machine, is up.
func (v *VM) actionState(L *lua.LState) (s engine.ActionState) {
	name := checkString(L, 2)
	if top := v.self(L).TopOwner(); top.Class.IsPlayerController() {
		var known bool
		if s, known = v.world.ActionState(top, name); known {
			return s
		}
	}
	if !v.world.KnowsAction(name) {
		L.RaiseError("unknown action %q%s; declare it in content/input.toml or in a class's .actions", engine.OneLine(name, 60), engine.Nearest(name, v.world.ActionNames()))
	}
	return s
}

// netGroup puts a player's connection into a group or takes it out; only the server can, so elsewhere it is an error
// rather than nothing.
func (v *VM) netGroup(L *lua.LState, name string, in bool) int {
	a := v.self(L)
	if !a.HasAuthority() {
		L.RaiseError("%s: groups of connections are the server's; call it there, by a server function", name)
	}
	a.SetNetGroup(checkString(L, 2), in)
	return 0
}

// self is the live actor a method is called on.
func (v *VM) self(L *lua.LState) *engine.Actor {
	o := objectOf(L.Get(1))
	if o == nil {
		raiseSelf(L, "an actor", "actor")
	}
	if o.gone {
		v.raiseGone(L, o)
	}
	return o.actor
}

// setByName assigns a native variable as self.Name = x would.
func (v *VM) setByName(L *lua.LState, name string, x engine.Value) {
	a := v.self(L)
	if err := a.Set(a.Class.Property(name), x); err != nil {
		L.RaiseError("%s.%s: %v", a.Class.Name, name, err)
	}
}

// spawn is Spawn(class, props) with the class at argument i.
func (v *VM) spawn(L *lua.LState, i int) int {
	v.vm.Charge(L, spawnCost)
	c := v.checkClass(L, i)
	var sp engine.SpawnParams
	if L.Get(i+1) != lua.LNil {
		t, ok := L.Get(i + 1).(*lua.LTable)
		if !ok || objectOf(t) != nil {
			argError(L, i+1, "a table of variables")
		}
		if err := v.spawnParams(c, t, &sp); err != nil {
			L.RaiseError("Spawn: %v", err)
		}
	}
	sp.Script, sp.By = true, v.runningMod()
	a, err := v.world.Spawn(c, sp)
	if err != nil {
		L.RaiseError("%v", err)
	}
	if a == nil {
		return 0
	}
	L.Push(luaActor(a))
	return 1
}

// spawnParams reads the table of a Spawn.
func (v *VM) spawnParams(c *engine.Class, t *lua.LTable, sp *engine.SpawnParams) (err error) {
	each(t, func(k, x lua.LValue) {
		if err != nil {
			return
		}
		err = v.spawnParam(c, k, x, sp)
	})
	return err
}

func (v *VM) spawnEffect(L *lua.LState) int {
	a := v.self(L)
	c := v.checkClass(L, 2)
	at := a.Location
	if L.Get(3) != lua.LNil {
		at = checkVector(L, 3)
	}
	if v.world.NetMode == engine.NMDedicatedServer {
		return 0
	}
	v.vm.Charge(L, spawnCost)
	e, err := v.world.Spawn(c, engine.SpawnParams{Location: at, Rotation: a.Rotation, Effect: true, Script: true, By: v.runningMod()})
	if err != nil {
		L.RaiseError("%v", err)
	}
	if e == nil {
		return 0
	}
	L.Push(luaActor(e))
	return 1
}

func (v *VM) traceOptions(L *lua.LState, i int) (opt engine.TraceOptions) {
	if L.Get(i) == lua.LNil {
		return opt
	}
	t, ok := L.Get(i).(*lua.LTable)
	if !ok {
		argError(L, i, "a table of options")
	}
	each(t, func(k, x lua.LValue) {
		name, _ := k.(lua.LString)
		switch string(name) {
		case "actors":
			opt.NoActors = !lua.LVAsBool(x)
		case "pawns":
			opt.NoPawns = !lua.LVAsBool(x)
		case "radius":
			n, _ := x.(lua.LNumber)
			opt.Radius = float64(n)
		case "height":
			n, _ := x.(lua.LNumber)
			opt.Height = float64(n)
		case "ignore":
			if o := objectOf(x); o != nil {
				opt.Ignore = append(opt.Ignore, o.actor)
			} else if list, ok := x.(*lua.LTable); ok {
				for j := 1; j <= list.Len(); j++ {
					if o := objectOf(list.RawGetInt(j)); o != nil {
						opt.Ignore = append(opt.Ignore, o.actor)
					}
				}
			}
		default:
			L.RaiseError("Trace: unknown option %s%s", keyText(k), engine.Nearest(keyText(k), []string{"actors", "pawns", "ignore", "radius", "height"}))
		}
	})
	if opt.Radius < 0 || opt.Height < 0 {
		L.RaiseError("Trace: radius and height are not negative")
	}
	return opt
}

func (v *VM) pushHit(L *lua.LState, hit engine.Hit, ok bool) int {
	if !ok {
		return 0
	}
	t := newTable(0, 4)
	if hit.Actor != nil {
		t.RawSetString("Actor", luaActor(hit.Actor))
	}
	t.RawSetString("Location", vec(hit.Location))
	t.RawSetString("Normal", vec(hit.Normal))
	t.RawSetString("Distance", lua.LNumber(hit.Distance))
	L.Push(t)
	return 1
}

func (v *VM) pushActors(L *lua.LState, list []*engine.Actor) int {
	t := newTable(len(list), 0)
	for i, a := range list {
		t.RawSetInt(i+1, luaActor(a))
	}
	v.vm.Charge(L, listedCost*int64(len(list)))
	L.Push(t)
	return 1
}

func (v *VM) actorsOf(L *lua.LState, i int) int {
	return v.pushActors(L, v.world.ActorsOf(v.checkClass(L, i).Name))
}

func (v *VM) actorsInRadius(L *lua.LState, c *engine.Class, at geom.Vector, r float64) int {
	return v.pushActors(L, v.world.ActorsInRadius(c, at, r))
}
