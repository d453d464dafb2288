package scriptvm

import (
	lua "github.com/yuin/gopher-lua"

	"github.com/tidelock/tidelock/scriptvm/api"
)

// native is one function that scripts can call: what the reference says about it, and what it does. The literals stand beside
// what they call, in the file of their subject.
type native struct {
	Space api.Namespace
	Name  string
	// Params and Returns are what api.Params reads: "class: class, props?: SpawnTable", "Actor?". The guard looks at the
	// arguments by that before Do runs.
	Params, Returns string
	// Pure natives change nothing and may stand in replication conditions (R5.5).
	Pure bool
	Doc  string
	// Example is one line of Lua.
	Example string
	// Do runs a call: arguments are on the stack of L, the receiver first, and it returns how many results it pushed.
	Do func(v *VM, L *lua.LState) int
}

// entry is a native as all VMs of the process share it.
type entry struct {
	*api.Function
	do   func(v *VM, L *lua.LState) int
	args []guarded
	self bool // see hasSelf
}

// registry is all natives.
type registry struct {
	*api.Registry
	entries []entry // in the order of the literals
}
