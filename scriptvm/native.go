package scriptvm

import (
	lua "github.com/yuin/gopher-lua"

	"github.com/tidelock/tidelock/scriptvm/api"
)

// native is one function that scripts can call: its reference text, and its implementation. The literals are next
// to the functions that they call, in the file of their subject.
type native struct {
	Space api.Namespace
	Name  string
	// Params and Returns are in the syntax of api.Params: "class: class, props?: SpawnTable", "Actor?". The guard
	// checks the arguments by them before Do runs.
	Params, Returns string
	// Pure natives change nothing and may be used in replication conditions (R5.5).
	Pure bool
	Doc  string
	// Example is one line of Lua.
	Example string
	// Do runs a call: arguments are on the stack of L, the receiver first; it returns the number of results that it
	// pushed.
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
