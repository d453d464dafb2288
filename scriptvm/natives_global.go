package scriptvm

import (
	lua "github.com/yuin/gopher-lua"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/scriptvm/api"
)

// globalNatives returns natives that are called without a receiver.
func globalNatives() []native {
	return []native{
		{
			Space: api.Global, Name: "log", Params: "...: any",
			Doc:     "Writes a line to the host's log, within the limit of the class whose function is running (see self:Log).",
			Example: `log("hello", world.TimeSeconds)`,
			Do: func(v *VM, L *lua.LState) int {
				v.logText(L, nil, 1)
				return 0
			},
		},
		{
			Space: api.Global, Name: "require", Params: "name: ModuleName", Returns: "any",
			Doc:     "The value a module in scripts/lib returns; nothing else can be required.",
			Example: `local geo = require("lib.geo")`,
			Do:      (*VM).requireNative,
		},
		{
			Space: api.Global, Name: "class", Params: "name: string, parent?: string", Returns: "class",
			Doc:     "Declares a class; top level of a class file, literal arguments. Default parent: Actor.",
			Example: `local Rocket = class("Rocket", "Projectile")`,
			Do: func(_ *VM, L *lua.LState) int {
				L.RaiseError("class(…) stands at the top level of a class file, with literal arguments")
				return 0
			},
		},
	}
}

// constants returns the numeric constants of scripts, from their tables of names.
func constants() map[string]int {
	out := map[string]int{}
	for _, names := range [][]string{
		engine.NetModeNames(), engine.RoleNames(), engine.PhysicsNames(), engine.DormancyNames(), engine.NetConditionNames(),
	} {
		for i, n := range names {
			out[n] = i
		}
	}
	return out
}
