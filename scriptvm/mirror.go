package scriptvm

import (
	"slices"

	"github.com/tidelock/tidelock/scriptvm/classfile"
)

// Functions that the server has taken out of use are out of use on its clients as well (G2): a player's moves are the same on both
// ends only where the same functions perform them.

// mirrors are what both ends may run: validators and conditions are the server's alone.
func mirrors(d *classfile.Def) bool {
	return d.What == classfile.DefFunction || d.What == classfile.DefCode
}

// OutOfUse names the functions that are out of use, as Class:Function or Class:State.Function, ascending. Conditions and validators
// are left out: no client runs them.
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

// OutOfUseChanged counts how often other functions are out of use than before.
func (v *VM) OutOfUseChanged() uint64 { return v.duties }

// Mirror takes the named functions out of use, and those into use again that an earlier call named and this one does not. Unknown
// names count for nothing: a client may still run other classes than its server. It is called between two ticks.
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
