package scriptvm

import (
	"math"

	lua "github.com/yuin/gopher-lua"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/engine/geom"
)

// The natives that rewritten class code calls for variables of self (see classfile). They are the hot path of every
// script: no lookup by name, no allocation except the number's own box.

// setSlot is (set)(self, slot, value): checks, stores in the engine and in the script's read copy, marks.
func (v *VM) setSlot(L *lua.LState) int {
	t, _ := L.Get(1).(*lua.LTable)
	if t == nil {
		v.checkTable(L)
	}
	o, _ := t.RawGetInt(slotObject).(*object)
	if o == nil || o.gone {
		o = v.checkTable(L)
		v.raiseGone(L, o)
	}
	slot := int(L.Get(2).(lua.LNumber))
	p := o.class.bySlot[slot-slotOffset]
	if p == nil {
		L.RaiseError("%s: the variable this code sets is gone since the class was reloaded", o.actor)
	}
	v.assign(L, o, p, L.Get(3))
	return 0
}

// assign sets a declared variable of any type from a script's value.
func (v *VM) assign(L *lua.LState, o *object, p *engine.Property, val lua.LValue) {
	slot := p.Slot + slotOffset
	switch p.Type.Kind { // the common cases, without an intermediate Value
	case engine.KindFloat:
		if n, ok := val.(lua.LNumber); ok {
			f := float64(float32(n))
			if f-f == 0 && (!p.Type.Ranged || f >= p.Type.Min && f <= p.Type.Max) {
				if f != float64(n) {
					val = lua.LNumber(f)
				}
				o.actor.SetWord(p, math.Float64bits(f))
				o.table.RawSetInt(slot, val)
				return
			}
		}
	case engine.KindInt:
		if n, ok := val.(lua.LNumber); ok {
			i := int64(n)
			if float64(i) == float64(n) && i == int64(int32(i)) &&
				(!p.Type.Ranged || float64(n) >= p.Type.Min && float64(n) <= p.Type.Max) {
				if i == 0 {
					val = lua.LNumber(0) // and never -0, which differs from the stored value
				}
				o.actor.SetWord(p, uint64(i))
				o.table.RawSetInt(slot, val)
				return
			}
		}
	case engine.KindBool:
		if b, ok := val.(lua.LBool); ok {
			var w uint64
			if b {
				w = 1
			}
			o.actor.SetWord(p, w)
			o.table.RawSetInt(slot, val)
			return
		}
	case engine.KindRotator:
		if r, ok := val.(rot); ok {
			o.actor.SetWord(p, geom.Rotator(r).Pack())
			o.table.RawSetInt(slot, val)
			return
		}
	case engine.KindRef:
		if val == lua.LNil {
			o.actor.SetRef(p, nil)
			o.table.RawSetInt(slot, lua.LNil)
			return
		}
		if to := objectOf(val); to != nil && !to.gone && (p.Type.Class == "" || to.actor.IsA(p.Type.Class)) {
			o.actor.SetRef(p, to.actor)
			o.table.RawSetInt(slot, val)
			return
		}
	default:
	}
	x, err := v.fromLua(p.Type, val)
	if err == nil {
		err = o.actor.Set(p, x)
	}
	if err != nil {
		L.RaiseError("%s.%s: %v", o.class.data.Name, p.Name, err)
	}
	v.refresh(o, p)
}

// refresh updates the script's read copy of a variable.
func (v *VM) refresh(o *object, p *engine.Property) {
	o.table.RawSetInt(p.Slot+slotOffset, v.read(o, p))
}

// getNative is (get)(self, id): reads one of the engine's own variables.
func (v *VM) getNative(L *lua.LState) int {
	n := v.natives[int(L.Get(2).(lua.LNumber))]
	if o := objectOf(L.Get(1)); o != nil && o.gone && n.Name == "bDeleteMe" {
		L.Push(lua.LTrue) // the only thing that can be read of a destroyed actor
		return 1
	}
	o := v.selfOf(L)
	L.Push(v.readNative(o, n))
	return 1
}

// putNative is (put)(self, id, value).
func (v *VM) putNative(L *lua.LState) int {
	o := v.selfOf(L)
	v.writeNative(L, o, v.natives[int(L.Get(2).(lua.LNumber))], L.Get(3))
	return 0
}

// selfOf returns the live object of the first argument.
func (v *VM) selfOf(L *lua.LState) *object {
	t, ok := L.Get(1).(*lua.LTable)
	if !ok {
		return v.checkTable(L)
	}
	o, _ := t.RawGetInt(slotObject).(*object)
	if o == nil {
		return v.checkTable(L)
	}
	if o.gone {
		v.raiseGone(L, o)
	}
	return o
}

// partOf is (part)(self, slot, axis): X, Y or Z of a declared vector, Pitch, Yaw or Roll of a rotator, without
// creating the vector.
func (v *VM) partOf(L *lua.LState) int {
	o := v.selfOf(L)
	p := o.class.bySlot[int(L.Get(2).(lua.LNumber))-slotOffset]
	if p == nil {
		L.RaiseError("%s: the variable this code reads is gone since the class was reloaded", o.actor)
	}
	axis := int(L.Get(3).(lua.LNumber))
	w := o.actor.Words(p)
	switch p.Type.Kind {
	case engine.KindVector:
		L.Push(lua.LNumber(math.Float64frombits(w[axis])))
	case engine.KindRotator:
		L.Push(lua.LNumber(rotatorAxis(geom.UnpackRotator(w[0]), axis)))
	default:
		L.RaiseError("%s.%s is %s since the class was reloaded", o.actor, p.Name, p.Type)
	}
	return 1
}

// nativePartOf is (npart)(self, id, axis), the same for the engine's own variables.
func (v *VM) nativePartOf(L *lua.LState) int {
	o := v.selfOf(L)
	axis := int(L.Get(3).(lua.LNumber))
	switch n := v.natives[int(L.Get(2).(lua.LNumber))]; n.Type.Kind {
	case engine.KindVector:
		var x geom.Vector
		switch n.Name {
		case "Location":
			x = o.actor.Location
		case "Velocity":
			x = o.actor.Velocity
		default:
			x = n.Read(o.actor).Vec
		}
		L.Push(lua.LNumber([3]float64{x.X, x.Y, x.Z}[axis]))
	default:
		L.Push(lua.LNumber(rotatorAxis(n.Read(o.actor).Rot, axis)))
	}
	return 1
}

func rotatorAxis(r geom.Rotator, axis int) uint16 {
	return [3]uint16{r.Pitch, r.Yaw, r.Roll}[axis]
}

// readNative returns the script's value of one of the engine's own variables.
func (v *VM) readNative(o *object, n *engine.NativeProperty) lua.LValue {
	if v.conn != nil {
		if x, ok := v.connBit(n.Name); ok {
			return x // the roles as the connection sees them
		}
	}
	if n.Type.Kind == engine.KindVector {
		switch n.Name {
		case "Location":
			return vec(o.actor.Location)
		case "Velocity":
			return vec(o.actor.Velocity)
		}
	}
	return v.toLua(n.Read(o.actor))
}

// writeNative assigns one of the engine's own variables.
func (v *VM) writeNative(L *lua.LState, o *object, n *engine.NativeProperty, val lua.LValue) {
	outer := v.inner
	v.inner = 0
	defer v.charge(v.worked(), outer) // setting the location moves the actor
	x, err := v.fromLua(n.Type, val)
	if err == nil {
		x, err = nativeValue(n, x)
	}
	if err == nil {
		err = o.actor.Set(o.actor.Class.Property(n.Name), x)
	}
	if err != nil {
		L.RaiseError("%s.%s: %v", o.class.data.Name, n.Name, err)
	}
}

// indexSelf is (index)(self, key) for self[expression]: actors are not arrays, so that a number cannot reach the
// engine's own slots.
func (v *VM) indexSelf(L *lua.LState) int {
	t := L.Get(1)
	o := objectOf(t)
	if o == nil {
		L.Push(L.GetTable(t, L.Get(2)))
		return 1
	}
	key, ok := L.Get(2).(lua.LString)
	if !ok {
		L.RaiseError("%s: a variable's name is a string, got a %s", o.actor, typeName(L.Get(2)))
	}
	if local := o.table.RawGetString(string(key)); local != lua.LNil {
		L.Push(local)
		return 1
	}
	L.Push(v.indexActor(L, o, string(key)))
	return 1
}

// newIndexSelf is (newindex)(self, key, value).
func (v *VM) newIndexSelf(L *lua.LState) int {
	t := L.Get(1)
	o := objectOf(t)
	if o == nil {
		L.SetTable(t, L.Get(2), L.Get(3))
		return 0
	}
	v.assignActor(L, o, L.Get(2), L.Get(3))
	return 0
}

// connBit returns the value of a name in a condition that runs in the VM: the properties of the connection.
func (v *VM) connBit(key string) (lua.LValue, bool) {
	b := v.conn
	if b == nil {
		return nil, false
	}
	switch key {
	case "bNetInitial":
		return lua.LBool(b.Initial), true
	case "bNetOwner":
		return lua.LBool(b.Owner), true
	case "bNetDirty":
		return lua.LBool(b.Dirty), true
	case "bIsPlayer":
		return lua.LBool(b.IsPlayer), true
	case "Role":
		return lua.LNumber(b.Role), b.Role != engine.RoleNone
	case "RemoteRole":
		return lua.LNumber(b.RemoteRole), b.RemoteRole != engine.RoleNone
	}
	return nil, false
}
