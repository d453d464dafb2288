package scriptvm

import (
	"fmt"

	lua "github.com/yuin/gopher-lua"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/engine/geom"
	"github.com/tidelock/tidelock/scriptvm/api"
)

// spawnCost is the cost of spawning an actor in instructions: an actor is a few KB that stay, so one call can spawn
// at most a few thousand.
const spawnCost = 250

// actorNatives returns natives that create and destroy actors, and query their identity and their player's actions.
func actorNatives() []native {
	return []native{
		{
			Space: api.Actor, Name: "Spawn", Params: "class: class, props?: SpawnTable", Returns: "Actor?",
			Doc:     "Spawns an actor. props are set before PreBeginPlay: Location, Rotation, Owner, Instigator, Tag and any variable of the class; Owner and Instigator default to nobody. nil if it destroyed itself at once.",
			Example: `local r = self:Spawn("Rocket", { Location = self.Location, Owner = self })`,
			Do:      func(v *VM, L *lua.LState) int { v.self(L); return v.spawn(L, 2) },
		},
		{
			Space: api.Actor, Name: "SpawnEffect", Params: "class: class, at?: vector Place", Returns: "Actor?",
			Doc:     "Spawns a cosmetic actor: on players' machines and standalone, never on a dedicated server, never replicated.",
			Example: `self:SpawnEffect("Explosion", self.Location)`,
			Do:      (*VM).spawnEffect,
		},
		{
			Space: api.Actor, Name: "Destroy", Returns: "boolean",
			Doc:     "Destroys the actor: Destroyed is called, references to it become nil. False if it is bStatic or bNoDelete.",
			Example: "self:Destroy()",
			Do:      (*VM).destroy,
		},
		{
			Space: api.Actor, Name: "AddComponent", Params: "class: class, name: string", Returns: "ActorComponent",
			Doc:     "Adds a component at run time; it is self.<name> from then on.",
			Example: `self:AddComponent("CombatComponent", "Combat")`,
			Do: func(v *VM, L *lua.LState) int {
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
		},
		{
			Space: api.Actor, Name: "IsA", Params: "class: class", Returns: "boolean", Pure: true,
			Doc:     "Whether the actor is of a class or a child of it.",
			Example: `if other:IsA("Pawn") then`,
			Do:      (*VM).isA,
		},
		{
			Space: api.Actor, Name: "HasAuthority", Returns: "boolean", Pure: true,
			Doc:     "Whether this peer has authority over the actor.",
			Example: "if self:HasAuthority() then",
			Do:      (*VM).hasAuthority,
		},
		{
			Space: api.Actor, Name: "GetOwningPlayer", Returns: "PlayerController?", Pure: true,
			Doc:     "The PlayerController at the end of the chain of owners, or nil.",
			Example: "local pc = self:GetOwningPlayer()",
			Do: func(v *VM, L *lua.LState) int {
				if top := v.self(L).TopOwner(); top.Class.IsPlayerController() {
					L.Push(luaActor(top))
					return 1
				}
				return 0
			},
		},
		{
			Space: api.Actor, Name: "IsLocallyControlled", Returns: "boolean", Pure: true,
			Doc:     "Whether the owning player is at this machine.",
			Example: "if self:IsLocallyControlled() then",
			Do: func(v *VM, L *lua.LState) int {
				return boolean(L, v.world.IsLocallyControlled(v.self(L)))
			},
		},
		{
			Space: api.Actor, Name: "IsActionDown", Params: "action: ActionName", Returns: "boolean",
			Doc:     "Whether the owning player, at this machine, holds an action down: a key, a button of a gamepad or a touch (docs/input.md). False on every other machine, the server included. An axis counts as down from half of its range.",
			Example: `if self:IsActionDown("Horn") then`,
			Do:      func(v *VM, L *lua.LState) int { return boolean(L, v.actionState(L).Down) },
		},
		{
			Space: api.Actor, Name: "WasActionPressed", Params: "action: ActionName", Returns: "boolean",
			Doc:     "Whether the owning player pressed an action in this tick. InputAction is called then, too.",
			Example: `if self:WasActionPressed("Horn") then`,
			Do:      func(v *VM, L *lua.LState) int { return boolean(L, v.actionState(L).Pressed) },
		},
		{
			Space: api.Actor, Name: "WasActionReleased", Params: "action: ActionName", Returns: "boolean",
			Doc:     "Whether the owning player released an action in this tick.",
			Example: `if self:WasActionReleased("Horn") then`,
			Do:      func(v *VM, L *lua.LState) int { return boolean(L, v.actionState(L).Released) },
		},
		{
			Space: api.Actor, Name: "GetActionValue", Params: "action: ActionName", Returns: "number",
			Doc:     "The value of an action of the owning player: -1 to 1 for an axis, 0 or 1 for a button.",
			Example: `local lean = self:GetActionValue("Lean")`,
			Do:      func(v *VM, L *lua.LState) int { return number(L, v.actionState(L).Value) },
		},
		{
			Space: api.Actor, Name: "GetClass", Returns: "string", Pure: true,
			Doc:     "The name of the actor's class.",
			Example: "log(other:GetClass())",
			Do:      (*VM).getClass,
		},
		{
			Space: api.Actor, Name: "GetId", Returns: "integer", Pure: true,
			Doc:     "The actor's number in this world; world:ActorById finds it again.",
			Example: "local id = self:GetId()",
			Do:      func(v *VM, L *lua.LState) int { return number(L, float64(v.self(L).ID())) },
		},
		{
			Space: api.Actor, Name: "Log", Params: "...: any",
			Doc:     "Writes a line with the actor's name to the host's log, 20 per second and class and 100 at once; more are dropped and counted.",
			Example: `self:Log("armed", self.Fuse)`,
			Do:      (*VM).log,
		},
	}
}

func (v *VM) destroy(L *lua.LState) int {
	o := objectOf(L.Get(1))
	if o != nil && o.gone {
		return boolean(L, true) // destroying twice is harmless
	}
	a := v.self(L)
	v.checkMayGo(L, a)
	return boolean(L, a.Destroy())
}

func (v *VM) isA(L *lua.LState) int {
	a := v.self(L)
	return boolean(L, a.Class.Descends(v.checkClass(L, 2)))
}

func (v *VM) hasAuthority(L *lua.LState) int { return boolean(L, v.self(L).HasAuthority()) }

func (v *VM) getClass(L *lua.LState) int {
	L.Push(lua.LString(v.self(L).Class.Name))
	return 1
}

func (v *VM) log(L *lua.LState) int {
	a := v.self(L)
	v.logText(L, a, 2)
	return 0
}

// actionState returns the state of an action of the owning player (W4.3). An undeclared name is an error; an action
// that the player does not have now, and one of a remote player, is up.
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

// self returns the live actor a method is called on.
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
