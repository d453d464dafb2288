package scriptvm

import (
	lua "github.com/yuin/gopher-lua"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/scriptvm/syntax"
)

// Functions that the looks of a class list in `on` notify viewers of their calls ([engine.Actor.Cue]). Calls by the
// engine pass VM.run and similar functions, which test one flag of the function. A call by a script takes the
// function from the table of its class: only for these functions, that is a wrapper in Lua that notifies viewers
// and then calls the function, so that latent code can run through it.

const (
	cueName   = "=cue"
	cueSource = "local cue, fn = ... return function(self, ...) cue(self) return fn(self, ...) end"
)

// cued returns what scripts get for a function of a class: the function itself, or the wrapper that notifies
// viewers first.
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
	return fn // the budget is spent: the call that created the table ends anyway
}
