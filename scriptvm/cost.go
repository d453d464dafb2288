package scriptvm

import "github.com/tidelock/tidelock/engine/collision"

// What natives cost (G7). The engine counts what it looks at: nodes and brushes of traces, bodies of grids, actors of
// lists, nodes of searches. A native is charged what was counted while it ran, so that one that does much ends by the budget
// as a loop of as much work would; and the count follows from the match alone, so that a run repeats.

const (
	// unit is what an instruction takes, in nanoseconds, and with it a unit of cost.
	unit = 20
	// nativeCost is what a call of a native costs whatever it does: to look at its arguments, and to make what it returns.
	nativeCost = 6
	// lineCost is that of a line for the log whether it is dropped or not: its text is made, and who is charged with it is looked up.
	lineCost = 60
	// faultCost is that of a fault which its caller outlives: to undo and to report it.
	faultCost = 5000
)

// worked is what the world and its graph of ways have looked at so far, in collision.WorkUnits.
func (v *VM) worked() uint64 {
	if v.world == nil {
		return 0
	}
	n := v.world.Work()
	if g := v.ways.graph; g != nil {
		n += g.Work()
	}
	if h := v.past.history; h != nil {
		n += h.Work()
	}
	return n
}

// charge ends a native: it costs what was done since before, less what natives inside of it were charged for. What is charged
// to the native around it then leaves out this one; outer is what that had within it so far.
func (v *VM) charge(before, outer uint64) {
	done := uint64(0)
	if now := v.worked(); now > before { // a graph that was made meanwhile begins at 0
		done = now - before
	}
	own := done - min(v.inner, done)
	v.inner = outer + done
	v.vm.Spend(nativeCost + int64(own*collision.WorkUnit/unit))
}
