package scriptvm

import (
	"fmt"

	lua "github.com/yuin/gopher-lua"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/engine/geom"
	"github.com/tidelock/tidelock/engine/store"
)

// toStored converts a value of a script to one that can be stored.
func (v *VM) toStored(x lua.LValue) ([]byte, error) {
	var actor *engine.Actor
	plain, err := v.Export(x, func(a *engine.Actor) lua.LValue { actor = a; return lua.LNil })
	if err == nil && actor != nil {
		err = fmt.Errorf("the actor %s (%s) cannot be stored; store its name or its values", actor.Name, actor.Class.Name)
	}
	if err != nil {
		return nil, err
	}
	b, err := store.Append(nil, storedOf(plain))
	v.vm.Spend(int64(len(b) / 8))
	return b, err
}

// storedOf converts a plain value.
func storedOf(x lua.LValue) any {
	switch x := x.(type) {
	case lua.LBool:
		return bool(x)
	case lua.LNumber:
		return float64(x)
	case lua.LString:
		return string(x)
	case vec:
		return geom.Vector(x)
	case rot:
		return geom.Rotator(x)
	case *lua.LTable:
		t := &store.Table{}
		n := x.Len()
		for i := 1; i <= n; i++ {
			t.Array = append(t.Array, storedOf(x.RawGetInt(i)))
		}
		each(x, func(k, e lua.LValue) {
			if i, ok := k.(lua.LNumber); ok && i >= 1 && i <= lua.LNumber(n) && i == lua.LNumber(int(i)) {
				return
			}
			t.Pairs = append(t.Pairs, store.Pair{Key: storedOf(k), Value: storedOf(e)})
		})
		return t
	}
	return nil
}

// fromStored converts stored bytes; nil bytes are nil.
func fromStored(b []byte) (lua.LValue, error) {
	if b == nil {
		return lua.LNil, nil
	}
	x, err := store.Decode(b)
	if err != nil {
		return lua.LNil, err
	}
	return luaOf(x), nil
}

func luaOf(x any) lua.LValue {
	switch x := x.(type) {
	case bool:
		return lua.LBool(x)
	case float64:
		return lua.LNumber(x)
	case string:
		return lua.LString(x)
	case geom.Vector:
		return vec(x)
	case geom.Rotator:
		return rot(x)
	case *store.Table:
		t := newTable(len(x.Array), len(x.Pairs))
		for i, e := range x.Array {
			t.RawSetInt(i+1, luaOf(e))
		}
		for _, p := range x.Pairs {
			t.RawSet(luaOf(p.Key), luaOf(p.Value))
		}
		return t
	}
	return lua.LNil
}
