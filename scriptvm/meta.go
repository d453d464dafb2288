package scriptvm

import (
	lua "github.com/yuin/gopher-lua"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/engine/canvas"
	"github.com/tidelock/tidelock/engine/geom"
	"github.com/tidelock/tidelock/scriptvm/api"
	"github.com/tidelock/tidelock/scriptvm/classfile"
)

// installMeta creates the two metatables of a VM: that of actors' tables, and that of our own kinds of values.
func (v *VM) installMeta() {
	v.actorMeta = newTable(0, 4)
	v.actorMeta.RawSetString("__index", v.native(v.actorIndex))
	v.actorMeta.RawSetString("__newindex", v.native(v.actorNewIndex))
	v.actorMeta.RawSetString("__tostring", v.native(v.actorString))
	v.actorMeta.RawSetString("__metatable", lua.LString("an actor's metatable is locked"))

	m := newTable(0, 12)
	for name, fn := range map[string]lua.LGFunction{ // any order: scripts cannot list the table
		"__index": v.valueIndex, "__newindex": v.valueNewIndex, "__len": v.valueLen, "__tostring": v.valueString,
		"__add": v.valueAdd, "__sub": v.valueSub, "__mul": v.valueMul, "__div": v.valueDiv, "__unm": v.valueUnm,
	} {
		m.RawSetString(name, v.native(fn))
	}
	m.RawSetString("__metatable", lua.LString("a value's metatable is locked"))
	// Setting it for any value of ours sets the metatable of the whole type.
	v.vm.SetTypeMetatable(vec{}, m)
}

// actorIndex reads what an actor's table does not hold itself: native variables, functions, declared variables by
// name (another actor's), and slots that are nil.
func (v *VM) actorIndex(L *lua.LState) int {
	o := v.checkTable(L)
	key, ok := L.Get(2).(lua.LString)
	if !ok {
		if o.gone {
			v.raiseGone(L, o)
		}
		L.Push(lua.LNil) // actors are not arrays
		return 1
	}
	L.Push(v.indexActor(L, o, string(key)))
	return 1
}

func (v *VM) indexActor(L *lua.LState, o *object, key string) lua.LValue {
	if o.gone {
		if key == "bDeleteMe" {
			return lua.LTrue
		}
		v.raiseGone(L, o)
	}
	if v.conn != nil {
		if x, ok := v.connBit(key); ok {
			return x
		}
	}
	if p := o.class.data.Property(key); p != nil {
		if p.Native != nil {
			return v.readNative(o, p.Native)
		}
		return o.table.RawGetInt(p.Slot + slotOffset)
	}
	if f := o.dispatch().RawGetString(key); f != lua.LNil {
		return f
	}
	if k := o.actor.ComponentNamed(key); k != nil {
		return luaActor(k)
	}
	if _, event := engine.EventNamed(key); event {
		return v.noop // every event exists on Actor
	}
	return lua.LNil
}

func (o *object) dispatch() *lua.LTable {
	return o.vm.dispatch(o.actor.Class, o.actor.Dispatch)
}

// actorNewIndex sets a variable by name, or a private value of the script.
func (v *VM) actorNewIndex(L *lua.LState) int {
	o := v.checkTable(L)
	v.assignActor(L, o, L.Get(2), L.Get(3))
	return 0
}

func (v *VM) assignActor(L *lua.LState, o *object, key, val lua.LValue) {
	if o.gone {
		v.raiseGone(L, o)
	}
	name, ok := key.(lua.LString)
	if !ok {
		L.RaiseError("%s: a variable's name is a string, got a %s", o.actor, typeName(key))
	}
	p := o.class.data.Property(string(name))
	switch {
	case p != nil && p.Native != nil:
		v.writeNative(L, o, p.Native, val)
	case p != nil:
		v.assign(L, o, p, val)
	case o.dispatch().RawGetString(string(name)) != lua.LNil:
		L.RaiseError("%s.%s is a function of class %s and cannot be assigned", o.actor, name, o.class.data.Name)
	case o.actor.ComponentNamed(string(name)) != nil:
		L.RaiseError("%s.%s is a component and cannot be assigned", o.actor, name)
	default:
		v.mayOwn(L, o, string(name))
		o.class.own = 1
		o.table.RawSetString(string(name), val)
	}
}

func (v *VM) actorString(L *lua.LState) int {
	o := v.checkTable(L)
	L.Push(lua.LString(o.actor.Name))
	return 1
}

// checkTable returns the object of the actor's table in the first argument.
func (v *VM) checkTable(L *lua.LState) *object {
	if o := objectOf(L.Get(1)); o != nil {
		return o
	}
	L.RaiseError("expected an actor, got a %s", typeName(L.Get(1)))
	return nil
}

func (v *VM) raiseGone(L *lua.LState, o *object) {
	L.RaiseError("%s (%s) is destroyed; check bDeleteMe before using it", o.actor.Name, o.class.data.Name)
}

// valueIndex reads a member or a method of a vector, a rotator, an array, a struct or a fast array.
func (v *VM) valueIndex(L *lua.LState) int {
	key := L.Get(2)
	switch x := L.Get(1).(type) {
	case vec:
		switch key {
		case lua.LString("X"):
			L.Push(lua.LNumber(x.X))
			return 1
		case lua.LString("Y"):
			L.Push(lua.LNumber(x.Y))
			return 1
		case lua.LString("Z"):
			L.Push(lua.LNumber(x.Z))
			return 1
		}
		return v.method(L, v.vectorMethods, "vector", key)
	case rot:
		switch key {
		case lua.LString("Pitch"):
			L.Push(lua.LNumber(x.Pitch))
			return 1
		case lua.LString("Yaw"):
			L.Push(lua.LNumber(x.Yaw))
			return 1
		case lua.LString("Roll"):
			L.Push(lua.LNumber(x.Roll))
			return 1
		}
		return v.method(L, v.rotatorMethods, "rotator", key)
	case *part:
		return v.partIndex(L, x, key)
	case *worldValue:
		return v.worldIndex(L, key)
	case *storeValue:
		return v.method(L, v.storeMethods, "store", key)
	case *clusterValue:
		return v.method(L, v.clusterMethods, "cluster", key)
	case *profileValue:
		return v.method(L, v.profileMethods, "Profile", key)
	case *canvasValue:
		return v.canvasIndex(L, key)
	}
	L.RaiseError("attempt to index a %s", typeName(L.Get(1)))
	return 0
}

func (v *VM) method(L *lua.LState, methods *lua.LTable, what string, key lua.LValue) int {
	if name, ok := key.(lua.LString); ok {
		if f := methods.RawGetString(string(name)); f != lua.LNil {
			L.Push(f)
			return 1
		}
	}
	L.RaiseError("a %s has no member %s%s", what, keyText(key), engine.Nearest(keyText(key), v.registry.Members(api.Namespace(what))))
	return 0
}

func (v *VM) partIndex(L *lua.LState, x *part, key lua.LValue) int {
	if x.object.gone {
		v.raiseGone(L, x.object)
	}
	t := x.part.Type
	switch t.Kind {
	case engine.KindArray:
		i, ok := key.(lua.LNumber)
		if !ok || float64(i) != float64(int(i)) || i < 1 || int(i) > t.Len {
			L.RaiseError("%s.%s: index %s is outside 1…%d", x.object.actor, x.part.Prop.Name, keyText(key), t.Len)
		}
		L.Push(v.readPart(x.object, x.part.Elem(int(i)-1)))
		return 1
	case engine.KindStruct:
		if name, ok := key.(lua.LString); ok {
			if f := t.FieldNamed(string(name)); f != nil {
				L.Push(v.readPart(x.object, x.part.Member(f)))
				return 1
			}
		}
		L.RaiseError("%s.%s has no member %s%s", x.object.actor, x.part.Prop.Name, keyText(key), engine.Nearest(keyText(key), fieldNames(t)))
	case engine.KindFastArray:
		return v.method(L, v.fastMethods, "fastarray", key)
	default:
	}
	return 0
}

func fieldNames(t *engine.Type) []string {
	names := make([]string, len(t.Fields))
	for i := range t.Fields {
		names[i] = t.Fields[i].Name
	}
	return names
}

func (v *VM) readPart(o *object, pt engine.Part) lua.LValue {
	switch pt.Type.Kind {
	case engine.KindStruct, engine.KindArray:
		return &part{o, pt}
	default:
	}
	return v.toLua(o.actor.GetPart(pt))
}

// valueNewIndex sets an element or a member; vectors and rotators are immutable.
func (v *VM) valueNewIndex(L *lua.LState) int {
	key := L.Get(2)
	switch x := L.Get(1).(type) {
	case vec:
		L.RaiseError("a vector cannot be changed in place; assign a new one: v = v:With{ %s = … }", keyText(key))
	case rot:
		L.RaiseError("a rotator cannot be changed in place; assign a new one: r = r:With{ %s = … }", keyText(key))
	case *part:
		if x.object.gone {
			v.raiseGone(L, x.object)
		}
		pt := x.part
		switch pt.Type.Kind {
		case engine.KindArray:
			i, ok := key.(lua.LNumber)
			if !ok || float64(i) != float64(int(i)) || i < 1 || int(i) > pt.Type.Len {
				L.RaiseError("%s.%s: index %s is outside 1…%d", x.object.actor, pt.Prop.Name, keyText(key), pt.Type.Len)
			}
			pt = pt.Elem(int(i) - 1)
		case engine.KindStruct:
			name, ok := key.(lua.LString)
			f := pt.Type.FieldNamed(string(name))
			if !ok || f == nil {
				L.RaiseError("%s.%s has no member %s%s", x.object.actor, pt.Prop.Name, keyText(key), engine.Nearest(keyText(key), fieldNames(pt.Type)))
			}
			pt = pt.Member(f)
		default:
			L.RaiseError("%s.%s is a fastarray; use Add, Set and Remove", x.object.actor, pt.Prop.Name)
		}
		val, err := v.fromLua(pt.Type, L.Get(3))
		if err == nil {
			err = x.object.actor.SetPart(pt, val)
		}
		if err != nil {
			L.RaiseError("%s.%s[%s]: %v", x.object.actor, pt.Prop.Name, keyText(key), err)
		}
	case *worldValue:
		L.RaiseError("world.%s cannot be assigned", keyText(key))
	case *storeValue:
		L.RaiseError("store.%s cannot be assigned; write store:Set(key, value)", keyText(key))
	case *clusterValue:
		L.RaiseError("cluster.%s cannot be assigned; write cluster:Publish(topic, value)", keyText(key))
	case *profileValue:
		L.RaiseError("Profile.%s cannot be assigned", keyText(key))
	case *canvasValue:
		L.RaiseError("canvas.%s cannot be assigned", keyText(key))
	default:
		L.RaiseError("attempt to set a member of a %s", typeName(L.Get(1)))
	}
	return 0
}

func (v *VM) valueLen(L *lua.LState) int {
	if x, ok := L.Get(1).(*part); ok {
		switch x.part.Type.Kind {
		case engine.KindArray:
			L.Push(lua.LNumber(x.part.Type.Len))
			return 1
		case engine.KindFastArray:
			L.Push(lua.LNumber(x.object.actor.Fast(x.part.Prop).Len()))
			return 1
		default:
		}
	}
	L.RaiseError("attempt to get the length of a %s", typeName(L.Get(1)))
	return 0
}

func (v *VM) valueString(L *lua.LState) int {
	L.Push(lua.LString(L.Get(1).String()))
	return 1
}

func (v *VM) valueAdd(L *lua.LState) int {
	switch a := L.Get(1).(type) {
	case vec:
		if b, ok := L.Get(2).(vec); ok {
			L.Push(vec{a.X + b.X, a.Y + b.Y, a.Z + b.Z})
			return 1
		}
	case rot:
		if b, ok := L.Get(2).(rot); ok {
			L.Push(rot(geom.Rotator(a).Add(geom.Rotator(b))))
			return 1
		}
	}
	return v.badArith(L, "add")
}

func (v *VM) valueSub(L *lua.LState) int {
	switch a := L.Get(1).(type) {
	case vec:
		if b, ok := L.Get(2).(vec); ok {
			L.Push(vec{a.X - b.X, a.Y - b.Y, a.Z - b.Z})
			return 1
		}
	case rot:
		if b, ok := L.Get(2).(rot); ok {
			L.Push(rot(geom.Rotator(a).Sub(geom.Rotator(b))))
			return 1
		}
	}
	return v.badArith(L, "subtract")
}

func (v *VM) valueMul(L *lua.LState) int {
	x, y := L.Get(1), L.Get(2)
	if k, ok := x.(lua.LNumber); ok {
		x, y = y, k
	}
	switch a := x.(type) {
	case vec:
		switch b := y.(type) {
		case lua.LNumber:
			k := float64(b)
			L.Push(vec{a.X * k, a.Y * k, a.Z * k})
			return 1
		case vec:
			L.Push(vec{a.X * b.X, a.Y * b.Y, a.Z * b.Z})
			return 1
		}
	case rot:
		if k, ok := y.(lua.LNumber); ok {
			L.Push(rot(geom.Rotator(a).Mul(float64(k))))
			return 1
		}
	}
	return v.badArith(L, "multiply")
}

func (v *VM) valueDiv(L *lua.LState) int {
	if k, ok := L.Get(2).(lua.LNumber); ok {
		switch a := L.Get(1).(type) {
		case vec:
			f := float64(k)
			L.Push(vec{a.X / f, a.Y / f, a.Z / f})
			return 1
		case rot:
			if k == 0 {
				L.RaiseError("attempt to divide a rotator by 0")
			}
			L.Push(rot(geom.Rotator(a).Mul(1 / float64(k))))
			return 1
		}
	}
	return v.badArith(L, "divide")
}

func (v *VM) valueUnm(L *lua.LState) int {
	switch a := L.Get(1).(type) {
	case vec:
		L.Push(vec{-a.X, -a.Y, -a.Z})
		return 1
	case rot:
		L.Push(rot(geom.Rotator(a).Neg()))
		return 1
	}
	L.RaiseError("attempt to negate a %s", typeName(L.Get(1)))
	return 0
}

func (v *VM) badArith(L *lua.LState, verb string) int {
	L.RaiseError("attempt to %s a %s and a %s", verb, typeName(L.Get(1)), typeName(L.Get(2)))
	return 0
}

// hasFunction reports whether an actor's class has a function with that name, in its state or outside.
func (v *VM) hasFunction(o *object, name string) bool {
	if o.actor.Dispatch.Functions[name] != nil || o.class.data.Functions[name] != nil {
		return true
	}
	return o.dispatch().RawGetString(name) != lua.LNil
}

func (v *VM) canvasIndex(L *lua.LState, key lua.LValue) int {
	switch key {
	case lua.LString("SizeX"):
		return number(L, canvas.SizeX)
	case lua.LString("SizeY"):
		return number(L, canvas.SizeY)
	}
	return v.method(L, v.canvasMethods, string(api.Canvas), key)
}

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
		return number(L, w.Time+w.Stood+w.Late)
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

// mayOwn raises an error if the running function may not write a private field of an actor.
func (v *VM) mayOwn(L *lua.LState, o *object, name string) {
	if v.program == nil || v.staging != nil {
		return
	}
	fn, _ := v.vm.Frame(L, 1)
	if fn == nil {
		return // the host's own
	}
	file, def := v.program.CodeOf(fn.Proto)
	if file == nil || file.Trust.Layer == classfile.LayerCore {
		return
	}
	class := o.class.data
	if owner := v.trustOfClass(class); owner == file.Trust && owner.Layer == classfile.LayerGame || owner.Layer == classfile.LayerCore && file.Trust.Layer == classfile.LayerGame {
		return // the operator's own scripts, like the game's, trust each other
	}
	if def != nil {
		if c := v.program.Classes.Find(def.Class); c != nil && class.Descends(c) {
			return
		}
	} else {
		for up := class; up != nil; up = up.Parent {
			if f := v.program.File(up.Spec.Pos.File); f == file || f != nil && file.Lib != "" && f.Trust == file.Trust {
				return
			}
		}
	}
	L.RaiseError("%s.%s: only functions of class %s and its parents write its private fields; declare %s in %s.properties, or call a function of %s that sets it",
		class.Name, name, class.Name, name, class.Name, class.Name)
}
