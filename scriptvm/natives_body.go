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

// bodyNatives returns natives that push rigid bodies and query their visible state.
func bodyNatives() []native {
	return []native{
		{
			Space: api.Actor, Name: "AddImpulse", Params: "impulse: vector Amount, at?: vector Place",
			Doc:     "Applies an impulse, in kg·uu/s, to a rigid body at a world location or at its centre of mass, and wakes it. The change of speed in uu/s is the impulse divided by Mass.",
			Example: "crate:AddImpulse(vector(0, 0, 300) * crate.Mass)",
			Do: func(v *VM, L *lua.LState) int {
				return must(L, v.self(L).AddImpulse(checkVector(L, 2), optVector(L, 3)))
			},
		},
		{
			Space: api.Actor, Name: "AddForce", Params: "force: vector Amount, at?: vector Place",
			Doc:     "Applies a force, in kg·uu/s², to a rigid body during the next tick.",
			Example: "self:AddForce(wind)",
			Do:      func(v *VM, L *lua.LState) int { return must(L, v.self(L).AddForce(checkVector(L, 2), optVector(L, 3))) },
		},
		{
			Space: api.Actor, Name: "UpdateBody",
			Doc:     "Applies the actor's present variables to its rigid body: Mass, Friction, LinearDamping and so on. Its shape stays.",
			Example: "self:UpdateBody()",
			Do:      func(v *VM, L *lua.LState) int { return must(L, v.self(L).UpdateBody()) },
		},
		{
			Space: api.Actor, Name: "Wake",
			Doc:     "Wakes a rigid body and the sleeping bodies in contact with it.",
			Example: "self:Wake()",
			Do:      func(v *VM, L *lua.LState) int { return must(L, v.self(L).WakeBody()) },
		},
		{
			Space: api.Actor, Name: "PutToSleep",
			Doc:     "Puts a rigid body to rest where it is, until something wakes it.",
			Example: "self:PutToSleep()",
			Do:      func(v *VM, L *lua.LState) int { return must(L, v.self(L).SleepBody()) },
		},
		{
			Space: api.Actor, Name: "HasRigidBody", Returns: "boolean", Pure: true,
			Doc:     "Whether the actor has a rigid body: its Physics is PHYS_RigidBody and it has begun to play.",
			Example: "if other:HasRigidBody() then",
			Do:      func(v *VM, L *lua.LState) int { return boolean(L, v.self(L).HasBody()) },
		},
		{
			Space: api.Actor, Name: "IsAwake", Returns: "boolean", Pure: true,
			Doc:     "Whether the actor has a rigid body that moves.",
			Example: "if crate:IsAwake() then",
			Do:      func(v *VM, L *lua.LState) int { return boolean(L, v.self(L).BodyAwake()) },
		},
		{
			Space: api.Actor, Name: "GetAngularVelocity", Returns: "vector", Pure: true,
			Doc:     "The angular velocity of a rigid body, in rad/s about each axis; zero without one.",
			Example: "local spin = self:GetAngularVelocity()",
			Do: func(v *VM, L *lua.LState) int {
				return vector(L, v.self(L).AngularVelocity())
			},
		},
		{
			Space: api.Actor, Name: "SetAngularVelocity", Params: "velocity: vector Amount",
			Doc:     "Sets the angular velocity of a rigid body, in rad/s about each axis.",
			Example: "self:SetAngularVelocity(vector(0, 0, 5))",
			Do:      func(v *VM, L *lua.LState) int { return must(L, v.self(L).SetAngularVelocity(checkVector(L, 2))) },
		},
		{
			Space: api.Actor, Name: "GetUpVector", Returns: "vector", Pure: true,
			Doc:     "Where the actor's own Z axis points.",
			Example: "if self:GetUpVector().Z < 0 then",
			Do:      func(v *VM, L *lua.LState) int { return vector(L, v.self(L).BodyUp()) },
		},
		{
			Space: api.Actor, Name: "GetBodyError", Returns: "distance: number, angle: number", Pure: true,
			Doc:     "How far a rigid body is from its RigidBodyState: uu, and radians of turning.",
			Example: "local off = self:GetBodyError()",
			Do: func(v *VM, L *lua.LState) int {
				distance, angle := v.self(L).BodyError()
				number(L, distance)
				return 1 + number(L, angle)
			},
		},
		{
			Space: api.Actor, Name: "IsStateAtRest", Returns: "boolean", Pure: true,
			Doc:     "Whether RigidBodyState describes a sleeping body.",
			Example: "if self:IsStateAtRest() then",
			Do: func(v *VM, L *lua.LState) int {
				st, ok := v.self(L).ReceivedState()
				return boolean(L, ok && st.AtRest())
			},
		},
		{
			Space: api.Actor, Name: "CorrectBody", Params: "share: number, seconds?: number",
			Doc:     "Corrects a rigid body towards its RigidBodyState (R10.2): the given share of the error at once, the rest by velocity within the given seconds; 1 corrects all at once.",
			Example: "self:CorrectBody(0.2, 0.2)",
			Do: func(v *VM, L *lua.LState) int {
				return must(L, v.self(L).CorrectBody(checkNumber(L, 2), optNumber(L, 3, 0)))
			},
		},
		{
			Space: api.Actor, Name: "SetWheels", Params: "wheels: Wheel[]",
			Doc:     "Puts a rigid body on sprung wheels: a list of { At, Rest, Radius, Spring, Damper, Grip, Steers, Drives }.",
			Example: "self:SetWheels(wheels)",
			Do:      (*VM).setWheels,
		},
		{
			Space: api.Actor, Name: "Drive", Params: "force: number, brake: number, steer: number",
			Doc:     "Sets the controls of the wheels until the next call: force of the engine and of the brakes in kg·uu/s², steering in radians to the right.",
			Example: "self:Drive(gas, brake, steer)",
			Do: func(v *VM, L *lua.LState) int {
				return must(L, v.self(L).Drive(checkNumber(L, 2), checkNumber(L, 3), checkNumber(L, 4)))
			},
		},
		{
			Space: api.Actor, Name: "GetWheels", Returns: "WheelState[]", Pure: true,
			Doc:     "The present state of each wheel: Length of its spring, Load, Steer, Turned (radians), Contact, bGround, bSlips.",
			Example: "for _, wheel in ipairs(self:GetWheels()) do",
			Do:      (*VM).getWheels,
		},
		{
			Space: api.Actor, Name: "GetVisualLocation", Returns: "vector", Pure: true,
			Doc:     "The location at which the actor is drawn: Location plus what is left of a correction that is being smoothed (R10.6). On the server it equals Location.",
			Example: "local seen = other:GetVisualLocation()",
			Do:      func(v *VM, L *lua.LState) int { return vector(L, v.self(L).VisualLocation()) },
		},
		{
			Space: api.Actor, Name: "GetVisualRotation", Returns: "rotator", Pure: true,
			Doc:     "The rotation at which the actor is drawn, smoothed as GetVisualLocation is.",
			Example: "local seen = other:GetVisualRotation()",
			Do: func(v *VM, L *lua.LState) int {
				L.Push(rot(v.self(L).VisualRotation()))
				return 1
			},
		},
	}
}

// setWheels is SetWheels(list): each element is a table with At, Rest, Radius, Spring, Damper, Grip, Steers,
// Drives.
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
				w.At = geom.Vector(x.(vec)) // the guard checked it
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
	return must(L, a.SetWheels(wheels))
}

// getWheels is GetWheels(): a table of the present state of each wheel.
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
