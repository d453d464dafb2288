package scriptvm

import (
	"slices"
	"strings"

	lua "github.com/yuin/gopher-lua"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/engine/geom"
	"github.com/tidelock/tidelock/scriptvm/api"
)

// moveState is an engine.MoveState that a script stores: it can only pass it back.
type moveState struct{ engine.MoveState }

func (*moveState) String() string       { return "movestate" }
func (*moveState) Type() lua.LValueType { return lua.LTUserData }

const (
	// maxCorrections bounds the stored corrections of one world; the oldest are dropped first.
	maxCorrections = 1000
	// maxCorrectionText bounds each text of a correction, in bytes; longer ones are cut, so that scripts cannot
	// store data in them.
	maxCorrectionText = 100
)

// Corrections returns those that scripts noted, the oldest first; the caller must not change them.
func (v *VM) Corrections() []Correction { return v.corrections }

// moveNatives returns natives that predict and correct a player's own movement (R9).
func moveNatives() []native {
	return []native{
		{
			Space: api.Actor, Name: "IsMovedByPlayer", Returns: "boolean", Pure: true,
			Doc:     "Whether scripts move this pawn by AutonomousPhysics instead of the tick: the player's own pawn on their machine, and on the server the pawn of a remote player, unless bReplicateMovementToOwner is set.",
			Example: "if pawn:IsMovedByPlayer() then",
			Do:      func(v *VM, L *lua.LState) int { return boolean(L, v.self(L).MovedByPlayer()) },
		},
		{
			Space: api.Actor, Name: "AutonomousPhysics", Params: "dt: number, speed?: number", Returns: "boolean",
			Doc:     "Performs a pawn's movement for the given seconds, outside of its tick; speed is the maximum walking or flying speed, GetMaxSpeed() by default. Returns whether something stopped or deflected it, or it lost or found the ground. The same state, seconds and Acceleration lead to the same location on every machine; Location and Velocity are rounded to 32 bits.",
			Example: "pawn:AutonomousPhysics(dt, pawn:GetMaxSpeed(true))",
			Do: func(v *VM, L *lua.LState) int {
				a := v.pawn(L)
				return boolean(L, a.AutonomousPhysics(checkNumber(L, 2), optNumber(L, 3, -1)))
			},
		},
		{
			Space: api.Actor, Name: "LimitSpeed", Params: "speed: number",
			Doc:     "Sets the maximum walking or flying speed of a pawn for this tick, in uu/s, instead of GetMaxSpeed(); a negative speed has no effect. It is for pawns that the tick moves; a player's own moves take their speed from GetMoveSpeed.",
			Example: "pawn:LimitSpeed(300)",
			Do:      func(v *VM, L *lua.LState) int { v.pawn(L).LimitSpeed(checkNumber(L, 2)); return 0 },
		},
		{
			Space: api.Actor, Name: "GetMaxSpeed", Params: "running?: boolean, aiming?: boolean", Returns: "number", Pure: true,
			Doc:     "The maximum walking or flying speed of a pawn, in uu/s: GroundSpeed or AirSpeed, times RunningSpeedModifier, TargetingSpeedModifier and CrouchedPct while it runs, aims and crouches. Default arguments: bRunning and bAiming.",
			Example: "local speed = pawn:GetMaxSpeed()",
			Do: func(v *VM, L *lua.LState) int {
				a := v.pawn(L)
				return number(L, a.MoveSpeed(optFlag(L, 2, a.IsRunning()), optFlag(L, 3, a.IsAiming())))
			},
		},
		{
			Space: api.Actor, Name: "SaveMove", Returns: "movestate", Pure: true,
			Doc:     "Saves everything that a pawn's next move depends on, for RestoreMove; its location is relative to its Base.",
			Example: "local before = pawn:SaveMove()",
			Do: func(v *VM, L *lua.LState) int {
				L.Push(&moveState{v.pawn(L).SaveMove()})
				return 1
			},
		},
		{
			Space: api.Actor, Name: "RestoreMove", Params: "state: movestate",
			Doc:     "Restores a pawn's state from SaveMove. No event but Touch and UnTouch is called.",
			Example: "pawn:RestoreMove(before)",
			Do: func(v *VM, L *lua.LState) int {
				a := v.pawn(L)
				s, ok := L.Get(2).(*moveState)
				if !ok {
					argError(L, 2, "what SaveMove gave")
				}
				a.RestoreMove(s.MoveState)
				return 0
			},
		},
		{
			Space: api.Actor, Name: "AdjustMove", Params: "location: vector Place, velocity: vector Amount, physics: Physics, base?: Actor, height?: number",
			Doc:     "Puts a pawn exactly where the server says that a move ended: location is relative to base if there is one; height is half the body's height.",
			Example: "pawn:AdjustMove(location, velocity, PHYS_Walking)",
			Do: func(v *VM, L *lua.LState) int {
				a := v.pawn(L)
				if err := a.AdjustMove(checkVector(L, 2), checkVector(L, 3), engine.Physics(checkNumber(L, 4)), v.optActor(L, 5, ""), optNumber(L, 6, a.CollisionHeight)); err != nil {
					L.RaiseError("AdjustMove: %v", err)
				}
				return 0
			},
		},
		{
			Space: api.Actor, Name: "ForgetMove",
			Doc:     "Forgets what a pawn's last move found out about floor and walls, as AdjustMove does, so that the next move depends on the pawn's variables alone.",
			Example: "pawn:ForgetMove()",
			Do:      func(v *VM, L *lua.LState) int { v.pawn(L).ForgetMove(); return 0 },
		},
		{
			Space: api.Actor, Name: "SmoothMove", Params: "from: vector Place",
			Doc:     "Smooths a correction of the player's own pawn: its visible location starts at the given one and glides to the real one (R9.4).",
			Example: "pawn:SmoothMove(before)",
			Do: func(v *VM, L *lua.LState) int {
				a := v.pawn(L)
				a.Smooth(checkVector(L, 2), a.Rotation)
				return 0
			},
		},
		{
			Space: api.Actor, Name: "GetMovePlace", Returns: "location: vector, base: Actor?", Pure: true,
			Doc:     "The location of a pawn, relative to its Base if it rests on one, and that base.",
			Example: "local at, base = pawn:GetMovePlace()",
			Do: func(v *VM, L *lua.LState) int {
				s := v.pawn(L).SaveMove()
				L.Push(vec(s.Location))
				L.Push(luaActor(v.world.Actor(s.Base)))
				return 2
			},
		},
		{
			Space: api.Actor, Name: "PackAcceleration", Params: "acceleration: vector Amount", Returns: "integer", Pure: true,
			Doc:     "Encodes a pawn's acceleration as the number in a move: its size in 15 steps up to AccelRate, its yaw and pitch in 1/4096 of a turn. A horizontal one is below 65536; 0 is none.",
			Example: "local n = pawn:PackAcceleration(accel)",
			Do: func(v *VM, L *lua.LState) int {
				return number(L, float64(v.pawn(L).PackAcceleration(checkVector(L, 2))))
			},
		},
		{
			Space: api.Actor, Name: "UnpackAcceleration", Params: "n: integer", Returns: "vector", Pure: true,
			Doc:     "The acceleration that a number of PackAcceleration encodes, in uu/s².",
			Example: "pawn.Acceleration = pawn:UnpackAcceleration(n)",
			Do:      func(v *VM, L *lua.LState) int { return vector(L, v.pawn(L).UnpackAcceleration(int(checkNumber(L, 2)))) },
		},
		{
			Space: api.Controller, Name: "NoteCorrection", Params: "field: string, client: any, server: any, move: table",
			Doc:     "Reports a correction of the player's own movement to scenarios and the host: the first difference, both values and the inputs of the move (R9.8).",
			Example: `self:NoteCorrection("Location", mine, theirs, move)`,
			Do:      (*VM).noteCorrection,
		},
	}
}

// pawn returns the live pawn a method is called on.
func (v *VM) pawn(L *lua.LState) *engine.Actor {
	a := v.self(L)
	if !a.Class.IsPawn() {
		L.RaiseError("only pawns are moved by players; %s is a %s", a.Name, a.Class.Name)
	}
	return a
}

func optFlag(L *lua.LState, i int, def bool) bool {
	if L.Get(i) == lua.LNil {
		return def
	}
	return lua.LVAsBool(L.Get(i))
}

// noteCorrection is NoteCorrection(field, client, server, move).
func (v *VM) noteCorrection(L *lua.LState) int {
	v.self(L)
	c := Correction{Time: v.world.Time, Field: noted(checkString(L, 2)), Client: plainValue(L.Get(3)), Server: plainValue(L.Get(4))}
	if t, ok := L.Get(5).(*lua.LTable); ok {
		each(t, func(k, x lua.LValue) {
			if name, ok := k.(lua.LString); ok && plain(x) && len(c.Move) < 64 {
				c.Move = append(c.Move, MoveInput{noted(string(name)), plainValue(x)})
			}
		})
		slices.SortFunc(c.Move, func(a, b MoveInput) int {
			if a.Name < b.Name {
				return -1
			}
			return 1
		})
	}
	if len(v.corrections) >= maxCorrections {
		v.corrections = append(v.corrections[:0], v.corrections[1:]...)
	}
	v.corrections = append(v.corrections, c)
	return 0
}

// noted returns a text as a correction stores it; the part that is cut is not kept in memory.
func noted(s string) string {
	if len(s) <= maxCorrectionText {
		return s
	}
	return strings.Clone(s[:maxCorrectionText])
}

// plainValue returns a value without a declared type; none for one that has no form outside of the VM.
func plainValue(x lua.LValue) engine.Value {
	switch x := x.(type) {
	case lua.LBool:
		return engine.Bool(bool(x))
	case lua.LNumber:
		return engine.Float(float64(x))
	case lua.LString:
		return engine.String(noted(string(x)))
	case vec:
		return engine.Vec(geom.Vector(x))
	case rot:
		return engine.Rotation(geom.Rotator(x))
	case *lua.LTable:
		if o := objectOf(x); o != nil && !o.gone {
			return engine.Ref(o.actor)
		}
	}
	return engine.Value{}
}
