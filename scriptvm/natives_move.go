package scriptvm

import (
	"maps"
	"slices"
	"strings"

	lua "github.com/yuin/gopher-lua"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/engine/geom"
	"github.com/tidelock/tidelock/scriptvm/api"
)

// moveState is an engine.MoveState that a script keeps: it can give it back, and nothing else.
type moveState struct{ engine.MoveState }

func (*moveState) String() string       { return "movestate" }
func (*moveState) Type() lua.LValueType { return lua.LTUserData }

const (
	// maxCorrections bounds the corrections of one world that are kept; the oldest go first.
	maxCorrections = 1000
	// maxCorrectionText bounds each text of a correction, in bytes; the rest is cut off, so that scripts cannot keep memory in them.
	maxCorrectionText = 100
)

// Correction is one of R9.8: a player's own move with different results on the server and on their machine.
type Correction struct {
	Time           float64 // of the player's world, in seconds
	Field          string  // what differed first
	Client, Server engine.Value
	Move           []MoveInput
}

// MoveInput is one of the inputs of a corrected move.
type MoveInput struct {
	Name  string
	Value engine.Value
}

// Corrections are those that scripts noted, from the oldest on; the caller must not change them.
func (v *VM) Corrections() []Correction { return v.corrections }

// moveNatives are what scripts predict and correct movement with (R9), by what they are called on.
func (v *VM) moveNatives() map[api.Namespace]natives {
	list := map[api.Namespace]natives{
		api.Actor: {
			"IsMovedByPlayer": func(L *lua.LState) int { return boolean(L, v.self(L).MovedByPlayer()) },
			"AutonomousPhysics": func(L *lua.LState) int {
				a := v.pawn(L)
				return boolean(L, a.AutonomousPhysics(checkNumber(L, 2), optNumber(L, 3, -1)))
			},
			"LimitSpeed": func(L *lua.LState) int { v.pawn(L).LimitSpeed(checkNumber(L, 2)); return 0 },
			"GetMaxSpeed": func(L *lua.LState) int {
				a := v.pawn(L)
				return number(L, a.MoveSpeed(optFlag(L, 2, a.IsRunning()), optFlag(L, 3, a.IsAiming())))
			},
			"SaveMove": func(L *lua.LState) int {
				L.Push(&moveState{v.pawn(L).SaveMove()})
				return 1
			},
			"RestoreMove": func(L *lua.LState) int {
				a := v.pawn(L)
				s, ok := L.Get(2).(*moveState)
				if !ok {
					argError(L, 2, "what SaveMove gave")
				}
				a.RestoreMove(s.MoveState)
				return 0
			},
			"AdjustMove": func(L *lua.LState) int {
				a := v.pawn(L)
				if err := a.AdjustMove(checkVector(L, 2), checkVector(L, 3), engine.Physics(checkNumber(L, 4)), v.optActor(L, 5, ""), optNumber(L, 6, a.CollisionHeight)); err != nil {
					L.RaiseError("AdjustMove: %v", err)
				}
				return 0
			},
			"ForgetMove": func(L *lua.LState) int { v.pawn(L).ForgetMove(); return 0 },
			"SmoothMove": func(L *lua.LState) int {
				a := v.pawn(L)
				a.Smooth(checkVector(L, 2), a.Rotation)
				return 0
			},
			"GetMovePlace": func(L *lua.LState) int {
				s := v.pawn(L).SaveMove()
				L.Push(vec(s.Location))
				L.Push(luaActor(v.world.Actor(s.Base)))
				return 2
			},
			"PackAcceleration":   func(L *lua.LState) int { return number(L, float64(v.pawn(L).PackAcceleration(checkVector(L, 2)))) },
			"UnpackAcceleration": func(L *lua.LState) int { return vector(L, v.pawn(L).UnpackAcceleration(int(checkNumber(L, 2)))) },
		},
		api.Controller: {"NoteCorrection": v.noteCorrection},
	}
	maps.Copy(list[api.Actor], v.movePartNatives())
	return list
}

// pawn is the live pawn a method is called on.
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

// noted is a text as a correction keeps it; what is cut off is not kept alive.
func noted(s string) string {
	if len(s) <= maxCorrectionText {
		return s
	}
	return strings.Clone(s[:maxCorrectionText])
}

// plainValue is a value of no declared type; none for what has no form outside of the VM.
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
