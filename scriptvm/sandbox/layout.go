package sandbox

import (
	"fmt"
	"reflect"

	lua "github.com/yuin/gopher-lua"
)

// layout locates a few fields that gopher-lua does not export: the lengths of a table's array and key list, and the
// instruction that called a frame. They are only read, by reflection, and New fails if they are not where the
// pinned version has them.
type layout struct {
	array, dict, strdict, keys, places int // fields of lua.LTable
	frame                              int // field of lua.Debug
	fn, pc, parent, base, localBase    int // fields of the frame
	registry, values                   int // fields of lua.LState and of what it points to
	current                            int // field of lua.LState: its innermost frame
}

func findLayout() (layout, error) {
	var l layout
	var err error
	find := func(t reflect.Type, name string, kind reflect.Kind) int {
		field, ok := t.FieldByName(name)
		if !ok || field.Type.Kind() != kind {
			if err == nil {
				err = fmt.Errorf("sandbox: this gopher-lua has no %s %s in %s; the sandbox needs v1.1.2's", kind, name, t)
			}
			return 0
		}
		return field.Index[0]
	}
	table := reflect.TypeFor[lua.LTable]()
	l.array = find(table, "array", reflect.Slice)
	l.dict = find(table, "dict", reflect.Map)
	l.strdict = find(table, "strdict", reflect.Map)
	l.keys = find(table, "keys", reflect.Slice)
	l.places = find(table, "k2i", reflect.Map)
	debug := reflect.TypeFor[lua.Debug]()
	l.frame = find(debug, "frame", reflect.Pointer)
	if err != nil {
		return l, err
	}
	state := reflect.TypeFor[lua.LState]()
	l.registry = find(state, "reg", reflect.Pointer)
	l.current = find(state, "currentFrame", reflect.Pointer)
	if err != nil {
		return l, err
	}
	l.values = find(state.Field(l.registry).Type.Elem(), "array", reflect.Slice)
	frame := debug.Field(l.frame).Type.Elem()
	l.fn = find(frame, "Fn", reflect.Pointer)
	l.pc = find(frame, "Pc", reflect.Int)
	l.parent = find(frame, "Parent", reflect.Pointer)
	l.base = find(frame, "Base", reflect.Int)
	l.localBase = find(frame, "LocalBase", reflect.Int)
	return l, err
}

// arrayLen returns the length of a table's array part, including empty slots.
func (l *layout) arrayLen(tb *lua.LTable) int {
	return reflect.ValueOf(tb).Elem().Field(l.array).Len()
}

// sizes returns how far a table's array may grow, how many keys it lists, and how many of them have values.
func (l *layout) sizes(tb *lua.LTable) (array, listed, entries int) {
	v := reflect.ValueOf(tb).Elem()
	return v.Field(l.array).Cap(), v.Field(l.keys).Len(), v.Field(l.dict).Len() + v.Field(l.strdict).Len()
}

// registryLen returns how many values a state has room for.
func (l *layout) registryLen(L *lua.LState) int {
	return reflect.ValueOf(L).Elem().Field(l.registry).Elem().Field(l.values).Len()
}

// varargs returns how many arguments of '...' a frame has.
func (l *layout) varargs(debug *lua.Debug) int {
	frame := reflect.ValueOf(debug).Elem().Field(l.frame)
	if frame.IsNil() {
		return 0
	}
	return max(int(frame.Elem().Field(l.localBase).Int()-frame.Elem().Field(l.base).Int())-1, 0)
}

// deadKeys returns how many listed keys of the table have no value: gopher-lua never forgets one.
func (l *layout) deadKeys(tb *lua.LTable) int {
	v := reflect.ValueOf(tb).Elem()
	keys := v.Field(l.keys).Len()
	if keys == 0 {
		return 0
	}
	return keys - v.Field(l.dict).Len() - v.Field(l.strdict).Len()
}

// keyPlace returns the index of a key in the list of keys, -1 if it is not there.
func (l *layout) keyPlace(tb *lua.LTable, key lua.LValue) int {
	place := reflect.ValueOf(tb).Elem().Field(l.places).MapIndex(reflect.ValueOf(&key).Elem())
	if !place.IsValid() {
		return -1
	}
	return int(place.Int())
}

// boundary finds what a yield cannot cross between the running native and the bottom of its state, and returns its
// name: a native that calls back, or a metamethod or iterator, which gopher-lua runs in separate loops. The native
// itself is level 0.
func (l *layout) boundary(L *lua.LState) string {
	debug, ok := L.GetStack(0)
	if !ok {
		return ""
	}
	frame := reflect.ValueOf(debug).Elem().Field(l.frame)
	for level := 0; !frame.IsNil(); level++ {
		parent := frame.Elem().Field(l.parent)
		if parent.IsNil() {
			return ""
		}
		fn := parent.Elem().Field(l.fn).Elem()
		if fn.FieldByName("IsG").Bool() {
			name := "a native function"
			if dbg, ok := L.GetStack(level + 1); ok {
				if _, err := L.GetInfo("n", dbg, lua.LNil); err == nil && dbg.Name != "" && dbg.Name != "(anonymous)" {
					name = dbg.Name
				}
			}
			return name
		}
		pc := int(parent.Elem().Field(l.pc).Int()) - 1
		code := fn.FieldByName("Proto").Elem().FieldByName("Code")
		if pc < 0 || pc >= code.Len() {
			return "a metamethod"
		}
		switch int(code.Index(pc).Uint() >> 26) {
		case lua.OP_CALL:
		case lua.OP_TFORLOOP:
			return "an iterator"
		default:
			return "a metamethod"
		}
		frame = parent
	}
	return ""
}

// wanted returns how many results the call expects that a suspended state yielded from, -1 for any number.
func (l *layout) wanted(L *lua.LState) int {
	debug, ok := L.GetStack(0)
	if !ok {
		return -1
	}
	frame := reflect.ValueOf(debug).Elem().Field(l.frame).Elem()
	fn := frame.Field(l.fn).Elem()
	if fn.FieldByName("IsG").Bool() {
		return -1
	}
	code := fn.FieldByName("Proto").Elem().FieldByName("Code")
	pc := int(frame.Field(l.pc).Int()) - 1
	if pc < 0 || pc >= code.Len() || int(code.Index(pc).Uint()>>26) != lua.OP_CALL {
		return -1
	}
	return int(code.Index(pc).Uint()>>9&0x1ff) - 1
}
