package sandbox

import (
	"strconv"
	"weak"

	lua "github.com/yuin/gopher-lua"
)

// identities number the tables, functions, userdata and threads that scripts print, in the order of first printing.
// Addresses would differ between two runs of the same world, and state hashes with them. Numbers are never reused;
// garbage is dropped when the book doubles.
type identities struct {
	last     uint64
	sweepAt  int
	tables   map[weak.Pointer[lua.LTable]]uint64
	funcs    map[weak.Pointer[lua.LFunction]]uint64
	userdata map[weak.Pointer[lua.LUserData]]uint64
	threads  map[weak.Pointer[lua.LState]]uint64
}

func (ids *identities) init() {
	ids.sweepAt = 1024
	ids.tables = make(map[weak.Pointer[lua.LTable]]uint64)
	ids.funcs = make(map[weak.Pointer[lua.LFunction]]uint64)
	ids.userdata = make(map[weak.Pointer[lua.LUserData]]uint64)
	ids.threads = make(map[weak.Pointer[lua.LState]]uint64)
}

func (ids *identities) of(v lua.LValue) uint64 {
	if n := len(ids.tables) + len(ids.funcs) + len(ids.userdata) + len(ids.threads); n >= ids.sweepAt {
		ids.sweep()
	}
	switch v := v.(type) {
	case *lua.LTable:
		return number(ids, ids.tables, v)
	case *lua.LFunction:
		return number(ids, ids.funcs, v)
	case *lua.LUserData:
		return number(ids, ids.userdata, v)
	case *lua.LState:
		return number(ids, ids.threads, v)
	}
	return 0
}

func number[T any](ids *identities, book map[weak.Pointer[T]]uint64, v *T) uint64 {
	key := weak.Make(v)
	n, ok := book[key]
	if !ok {
		ids.last++
		n = ids.last
		book[key] = n
	}
	return n
}

func (ids *identities) sweep() {
	forget(ids.tables)
	forget(ids.funcs)
	forget(ids.userdata)
	forget(ids.threads)
	ids.sweepAt = max(1024, 2*(len(ids.tables)+len(ids.funcs)+len(ids.userdata)+len(ids.threads)))
}

func forget[T any](book map[weak.Pointer[T]]uint64) {
	for key := range book { // any order: unreachable ones are dropped
		if key.Value() == nil {
			delete(book, key)
		}
	}
}

// plainString is tostring without metamethods.
func (vm *VM) plainString(v lua.LValue) string {
	switch v := v.(type) {
	case lua.LString:
		return string(v)
	case lua.LNumber:
		return formatNumber(float64(v))
	case lua.LBool:
		return v.String()
	case *lua.LNilType:
		return "nil"
	}
	return v.Type().String() + ": " + strconv.FormatUint(vm.ids.of(v), 10)
}
