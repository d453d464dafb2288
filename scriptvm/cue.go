package scriptvm

import (
	lua "github.com/yuin/gopher-lua"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/scriptvm/syntax"
)

// Functions that the looks of a class name in `on` tell viewers of their calls ([engine.Actor.Cue]). A call by the engine
// passes VM.run and its kin, which test one flag of the function. A call by a script takes the function from the table of its
// class: there stands, for these functions alone, one in Lua that tells and calls on, so that latent code may run through it.

const (
	cueName   = "=cue"
	cueSource = "local cue, fn = ... return function(self, ...) cue(self) return fn(self, ...) end"
)

// cued is what scripts get for a function of a class: itself, or one that tells viewers first.
func (v *VM) cued(ec *engine.Class, name string, f *engine.Function) *lua.LFunction {
	fn := v.entry(f)
	if !f.Cued || f.Kind != engine.CallLocal || ec.Looks == nil || !ec.Looks.Wants(name) || fn == v.noop {
		return fn
	}
	if v.cueMaker == nil {
		chunk, err := syntax.Parse(cueName, cueSource)
		if err == nil {
			err = syntax.Harden(chunk, v.vm.HardenOptions())
		}
		if err != nil {
			panic(err) // a constant
		}
		if err = syntax.Harden(chunk, v.vm.HardenOptions()); err != nil {
			panic(err) // a constant
		}
		proto, err := syntax.Compile(chunk)
		if err != nil {
			panic(err) // a constant
		}
		v.cueMaker = proto
	}
	tell := v.native(func(L *lua.LState) int {
		if o := objectOf(L.Get(1)); o != nil && !o.gone {
			o.actor.Cue(name)
		}
		return 0
	})
	made, err := v.vm.Call(cueName, v.vm.Load(v.cueMaker, v.vm.Globals()), tell, fn)
	if wrapped, ok := made.(*lua.LFunction); err == nil && ok {
		return wrapped
	}
	return fn // the budget is spent: the call that made the table ends anyway
}
