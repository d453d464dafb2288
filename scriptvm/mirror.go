package scriptvm

import (
	"slices"

	"github.com/tidelock/tidelock/scriptvm/classfile"
)

// Functions that the server has disabled are also disabled on its clients (G2): a player's moves are the same at
// both ends only if the same functions perform them.

// mirrors reports whether both ends may run a function: validators and conditions only run on the server.
func mirrors(d *classfile.Def) bool {
	return d.What == classfile.DefFunction || d.What == classfile.DefCode
}

// OutOfUse returns the disabled functions, as Class:Function or Class:State.Function, ascending. Conditions and
// validators are left out: no client runs them.
func (v *VM) OutOfUse() []string {
	var names []string
	for _, d := range v.program.Defs {
		if b := v.fns[d.Number]; b != nil && b.duty != onDuty && mirrors(d) {
			names = append(names, functionName(d))
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// OutOfUseChanged counts changes of the list of disabled functions.
func (v *VM) OutOfUseChanged() uint64 { return v.duties }

// Mirror disables the named functions, and enables those again that an earlier call named and this one does not.
// Unknown names are ignored: a client may still run other classes than its server. It is called between two ticks.
func (v *VM) Mirror(names []string) {
	want := make(map[string]bool, len(names))
	for _, n := range names {
		want[n] = true
	}
	for _, d := range v.program.Defs {
		b := v.fns[d.Number]
		if b == nil || !mirrors(d) {
			continue
		}
		switch named := want[functionName(d)]; {
		case named && b.duty == onDuty:
			b.def, b.mirrored = d, true
			v.dismiss(b, quarantined)
		case !named && b.mirrored:
			b.mirrored, b.duty = false, onDuty
			v.duties++
			v.redispatch(b.class.data)
			v.restartLatent(b)
		}
	}
}
