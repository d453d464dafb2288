package sandbox

import (
	"reflect"

	lua "github.com/yuin/gopher-lua"
)

// Holdings measures how much memory values of scripts hold (G8): an estimate, within a factor of two of the heap,
// because gopher-lua does not expose the size of its maps. Each object counts once, for the holder at which it is
// found first. Measuring can stop anywhere and continue later, so that a large value is measured over several
// ticks; objects that scripts change meanwhile may be missed or counted in their old form. It changes nothing.
type Holdings struct {
	vm      *VM
	seen    pointers
	pending []lua.LValue
	table   *lua.LTable // whose pairs are being visited
	key     lua.LValue  // the last of them
	left    int         // remaining pairs of table; changes meanwhile must not make it endless
	bytes   int64
	dead    int64
	// Foreign reports whether a function is charged to another holder; nil for none.
	Foreign func(*lua.FunctionProto) bool
	// Sized lists the tables worth rebuilding: those with many keys whose values are gone, in the order in which
	// they were found.
	Sized []*lua.LTable
}

// Sizes of gopher-lua's objects on the heap, in bytes.
const (
	tableBytes    = 112
	arrayBytes    = 16   // a place of an array
	mapBytes      = 1300 // the maps of a table with few names: between one that knew their number and one that did not
	mapEntryBytes = 130  // of the value, the list of keys and their places
	deadKeyBytes  = 80
	fewEntries    = 32
	functionBytes = 80
	upvalueBytes  = 64
	stringBytes   = 16
	numberBytes   = 8
	valueBytes    = 48 // of the host's own
	threadBytes   = 2300

	// manyDead is how many keys without a value make a table worth rebuilding.
	manyDead = 1024
)

// NewHoldings starts a measurement.
func (vm *VM) NewHoldings() *Holdings { return &Holdings{vm: vm} }

// Add adds a value and everything reachable from it to what Run measures. The engine's tables (Seal) and views of
// modules are not followed.
func (h *Holdings) Add(v lua.LValue) {
	switch v := v.(type) {
	case lua.LNumber:
		h.bytes += numberBytes
	case lua.LString:
		if h.seen.add(reflect.ValueOf(string(v)).Pointer()) {
			h.bytes += int64(len(v))
		}
		h.bytes += stringBytes
	case *lua.LTable:
		if h.vm.sealOf(v) == nil && h.seen.add(reflect.ValueOf(v).Pointer()) {
			h.pending = append(h.pending, v)
		}
	case *lua.LFunction:
		if !v.IsG && !(h.Foreign != nil && h.Foreign(v.Proto)) && h.seen.add(reflect.ValueOf(v).Pointer()) {
			h.pending = append(h.pending, v)
		}
	case *lua.LState, nil, *lua.LNilType, lua.LBool: // threads are measured by their owners
	default:
		h.bytes += valueBytes
	}
}

// AddOwn is Add for the pairs of a table of the engine's: an actor's own values.
func (h *Holdings) AddOwn(tb *lua.LTable) {
	if h.seen.add(reflect.ValueOf(tb).Pointer()) {
		h.pending = append(h.pending, tb)
	}
}

// AddThread measures a suspended thread with its local variables.
func (h *Holdings) AddThread(t *Thread) {
	h.bytes += threadBytes + int64(h.vm.layout.registryLen(t.state))*arrayBytes
	if t.body != nil {
		h.Add(t.body)
	}
	h.vm.eachLocal(t.state, h.Add)
}

// eachLocal visits the values in the frames of a suspended state: variables, intermediate results, and the
// arguments of '...', which precede the variables.
func (vm *VM) eachLocal(L *lua.LState, visit func(lua.LValue)) {
	for level := 0; level < coroutineDepth+2; level++ {
		debug, ok := L.GetStack(level)
		if !ok {
			return
		}
		for n := 1 - vm.layout.varargs(debug); n < 256; n++ {
			name, value := L.GetLocal(debug, n)
			if name == "" {
				break
			}
			visit(value)
		}
	}
}

// Run visits at most the given number of values and returns how many of them are left; 0 or less while there is
// more to do.
func (h *Holdings) Run(steps int) (left int) {
	for steps > 0 {
		if h.table != nil {
			steps -= h.pairs(steps)
			continue
		}
		n := len(h.pending) - 1
		if n < 0 {
			return steps
		}
		v := h.pending[n]
		h.pending[n] = nil
		h.pending = h.pending[:n]
		steps--
		switch v := v.(type) {
		case *lua.LTable:
			h.open(v)
		case *lua.LFunction:
			h.bytes += functionBytes
			for _, u := range v.Upvalues {
				if u != nil && h.seen.add(reflect.ValueOf(u).Pointer()) {
					h.bytes += upvalueBytes
					h.Add(u.Value())
				}
			}
		}
	}
	return 0
}

// Done reports whether everything that was added is measured.
func (h *Holdings) Done() bool { return h.table == nil && len(h.pending) == 0 }

// Take returns the bytes found since the last call, and how many of them are keys whose values are gone.
func (h *Holdings) Take() (bytes, dead int64) {
	bytes, dead = h.bytes, h.dead
	h.bytes, h.dead = 0, 0
	return bytes, dead
}

// open begins with a table.
func (h *Holdings) open(tb *lua.LTable) {
	array, listed, entries := h.vm.layout.sizes(tb)
	h.bytes += tableBytes + int64(array)*arrayBytes
	if listed > 0 {
		h.bytes += max(mapBytes, int64(entries)*mapEntryBytes)
		if dead := int64(max(listed-entries, 0)); dead > 0 {
			h.bytes += dead * deadKeyBytes
			h.dead += dead * deadKeyBytes
			if dead >= manyDead && dead > int64(entries) {
				h.Sized = append(h.Sized, tb)
			}
		}
	}
	if metatable, ok := tb.Metatable.(*lua.LTable); ok {
		h.Add(metatable)
	}
	if array == 0 && entries == 0 {
		return
	}
	h.table, h.key, h.left = tb, lua.LNil, h.vm.layout.arrayLen(tb)+listed+1
}

// pairs visits at most the given number of pairs of the table, and returns how many it visited.
func (h *Holdings) pairs(most int) (done int) {
	tb := h.table
	for done < most {
		done++
		if h.left--; h.left < 0 {
			h.table = nil
			return done
		}
		if index, ok := arrayIndex(h.key); ok || h.key == lua.LNil {
			if index < h.vm.layout.arrayLen(tb) { // the array without a box for each index
				index++
				h.key = h.vm.index(index)
				h.Add(tb.RawGetInt(index))
				continue
			}
		}
		key, value := tb.Next(h.key)
		if key == lua.LNil {
			h.table, h.key = nil, nil
			return done
		}
		h.key = key
		if _, ok := key.(lua.LNumber); !ok {
			h.Add(key)
		}
		h.Add(value)
	}
	return done
}

// index returns a whole number as a value.
func (vm *VM) index(n int) lua.LValue {
	if n < len(vm.small) {
		return vm.small[n]
	}
	return lua.LNumber(n)
}

// Rebuild shrinks tables to their content, because gopher-lua keeps every key that a table ever had. The order of
// pairs stays; a key that is set again comes last from then on, as in a table that never had it. Nobody may be
// listing the table; tables in local variables of suspended threads are skipped, because these may be.
func (vm *VM) Rebuild(tables []*lua.LTable) {
	held := map[*lua.LTable]bool{}
	for _, t := range vm.threads { // any order: it fills a set
		vm.eachLocal(t.state, func(v lua.LValue) {
			if tb, ok := v.(*lua.LTable); ok {
				held[tb] = true
			}
		})
	}
	for _, tb := range tables {
		if held[tb] {
			continue
		}
		_, _, entries := vm.layout.sizes(tb)
		array := vm.layout.arrayLen(tb)
		fresh := vm.root.CreateTable(array, entries)
		fresh.Metatable = tb.Metatable
		for i := 1; i <= array; i++ {
			fresh.RawSetInt(i, tb.RawGetInt(i))
		}
		from := lua.LValue(lua.LNil)
		if array > 0 {
			from = lua.LNumber(array)
		}
		for k, x := tb.Next(from); k != lua.LNil; k, x = tb.Next(k) {
			fresh.RawSetH(k, x)
		}
		*tb = *fresh
	}
}

// pointers is a set of addresses. They only mark what was visited; they are never dereferenced.
type pointers struct {
	slots []uintptr
	used  int
}

// add reports whether an address was not in the set.
func (p *pointers) add(address uintptr) bool {
	if address == 0 {
		return false
	}
	if 2*p.used >= len(p.slots) {
		old := p.slots
		p.slots, p.used = make([]uintptr, max(1024, 2*len(old))), 0
		for _, a := range old {
			if a != 0 {
				p.add(a)
			}
		}
	}
	mask := len(p.slots) - 1
	for i := int(uint64(address)*0x9E3779B97F4A7C15>>32) & mask; ; i = (i + 1) & mask {
		switch p.slots[i] {
		case 0:
			p.slots[i] = address
			p.used++
			return true
		case address:
			return false
		}
	}
}
