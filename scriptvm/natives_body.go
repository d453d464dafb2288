package scriptvm

import (
	lua "github.com/yuin/gopher-lua"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/engine/dynamics"
	"github.com/tidelock/tidelock/engine/geom"
	"github.com/tidelock/tidelock/scriptvm/api"
)

// maxWheels bounds the wheels of one vehicle.
const maxWheels = 16

// bodyNatives are what scripts do with rigid bodies and ask of what is seen, by namespace.
func (v *VM) bodyNatives() map[api.Namespace]natives {
	// at is an optional place argument.
	at := func(L *lua.LState, i int) *geom.Vector {
		if L.Get(i) == lua.LNil {
			return nil
		}
		x := checkVector(L, i)
		return &x
	}
	must := func(L *lua.LState, err error) int {
		if err != nil {
			L.RaiseError("%v", err)
		}
		return 0
	}
	return map[api.Namespace]natives{api.Actor: {
		"AddImpulse":   func(L *lua.LState) int { return must(L, v.self(L).AddImpulse(checkVector(L, 2), at(L, 3))) },
		"AddForce":     func(L *lua.LState) int { return must(L, v.self(L).AddForce(checkVector(L, 2), at(L, 3))) },
		"UpdateBody":   func(L *lua.LState) int { return must(L, v.self(L).UpdateBody()) },
		"Wake":         func(L *lua.LState) int { return must(L, v.self(L).WakeBody()) },
		"PutToSleep":   func(L *lua.LState) int { return must(L, v.self(L).SleepBody()) },
		"HasRigidBody": func(L *lua.LState) int { return boolean(L, v.self(L).HasBody()) },
		"IsAwake":      func(L *lua.LState) int { return boolean(L, v.self(L).BodyAwake()) },
		"GetAngularVelocity": func(L *lua.LState) int {
			return vector(L, v.self(L).AngularVelocity())
		},
		"SetAngularVelocity": func(L *lua.LState) int { return must(L, v.self(L).SetAngularVelocity(checkVector(L, 2))) },
		"GetUpVector":        func(L *lua.LState) int { return vector(L, v.self(L).BodyUp()) },
		"GetBodyError": func(L *lua.LState) int {
			distance, angle := v.self(L).BodyError()
			number(L, distance)
			return 1 + number(L, angle)
		},
		"IsStateAtRest": func(L *lua.LState) int {
			st, ok := v.self(L).ReceivedState()
			return boolean(L, ok && st.AtRest())
		},
		"CorrectBody": func(L *lua.LState) int {
			return must(L, v.self(L).CorrectBody(checkNumber(L, 2), optNumber(L, 3, 0)))
		},
		"SetWheels": v.setWheels,
		"Drive": func(L *lua.LState) int {
			return must(L, v.self(L).Drive(checkNumber(L, 2), checkNumber(L, 3), checkNumber(L, 4)))
		},
		"GetWheels":         v.getWheels,
		"GetVisualLocation": func(L *lua.LState) int { return vector(L, v.self(L).VisualLocation()) },
		"GetVisualRotation": func(L *lua.LState) int {
			L.Push(rot(v.self(L).VisualRotation()))
			return 1
		},
	}}
}

// setWheels is SetWheels(list): each a table with At, Rest, Radius, Spring, Damper, Grip, Steers, Drives.
func (v *VM) setWheels(L *lua.LState) int {
	a := v.self(L)
	list, ok := L.Get(2).(*lua.LTable)
	if !ok || list.Len() > maxWheels {
		argError(L, 2, "a list of at most 16 wheels")
	}
	names := []string{"At", "Rest", "Radius", "Spring", "Damper", "Grip", "Steers", "Drives"}
	var wheels []dynamics.WheelDef
	for i := 1; i <= list.Len(); i++ {
		t, ok := list.RawGetInt(i).(*lua.LTable)
		if !ok {
			L.RaiseError("SetWheels: wheel %d: expected a table, got a %s", i, typeName(list.RawGetInt(i)))
		}
		var w dynamics.WheelDef
		each(t, func(k, x lua.LValue) {
			name := keyText(k)
			n, isNumber := x.(lua.LNumber)
			switch to := map[string]*float64{
				"Rest": &w.Rest, "Radius": &w.Radius, "Spring": &w.Spring, "Damper": &w.Damper, "Grip": &w.Grip,
			}[name]; {
			case to != nil:
				if !isNumber || n < 0 {
					L.RaiseError("SetWheels: wheel %d: %s: expected a number, not below 0, got %s", i, name, keyText(x))
				}
				*to = float64(n)
			case name == "At":
				w.At = geom.Vector(x.(vec)) // the guard looked
			case name == "Steers":
				w.Steers = lua.LVAsBool(x)
			case name == "Drives":
				w.Drives = lua.LVAsBool(x)
			default:
				L.RaiseError("SetWheels: wheel %d has no %s%s", i, name, engine.Nearest(name, names))
			}
		})
		if w.Radius < 1 {
			L.RaiseError("SetWheels: wheel %d: Radius: expected at least 1 uu, got %v", i, w.Radius)
		}
		wheels = append(wheels, w)
	}
	if err := a.SetWheels(wheels); err != nil {
		L.RaiseError("%v", err)
	}
	return 0
}

// getWheels is GetWheels(): a table of what each wheel does now.
func (v *VM) getWheels(L *lua.LState) int {
	wheels := v.self(L).Wheels()
	t := newTable(len(wheels), 0)
	for i := range wheels {
		w := &wheels[i]
		k := newTable(0, 7)
		k.RawSetString("Length", lua.LNumber(w.Length))
		k.RawSetString("Load", lua.LNumber(w.Load))
		k.RawSetString("Steer", lua.LNumber(w.Steer))
		k.RawSetString("Turned", lua.LNumber(w.Turned))
		k.RawSetString("Contact", vec(w.Contact))
		k.RawSetString("bGround", lua.LBool(w.Ground))
		k.RawSetString("bSlips", lua.LBool(w.Slips))
		t.RawSetInt(i+1, k)
	}
	L.Push(t)
	return 1
}
