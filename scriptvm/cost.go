package scriptvm

import "github.com/tidelock/tidelock/engine/collision"

// listedCost is the cost of an actor in a list.
const listedCost = 4

// What natives cost (G7). The engine counts what it examines: nodes and brushes of traces, bodies of grids, actors
// of lists, nodes of searches. A native is charged what was counted while it ran, so that an expensive one uses up
// the budget like a loop with the same amount of work; and the count depends only on the match, so that a run
// repeats.

const (
	// unit is the duration of an instruction, and so of a unit of cost, in nanoseconds.
	unit = 20
	// nativeCost is the fixed cost of a call of a native: checking its arguments and creating its results.
	nativeCost = 6
	// lineCost is the cost of a log line, dropped or not: creating its text, and finding whom to charge.
	lineCost = 60
	// faultCost is the cost of a fault that its caller survives: undoing and reporting it.
	faultCost = 5000
)

// worked returns what the world and its navigation graph have examined so far, in collision.WorkUnits.
func (v *VM) worked() uint64 {
	if v.world == nil {
		return 0
	}
	n := v.world.Work()
	if g := v.nav.graph; g != nil {
		n += g.Work()
	}
	if h := v.past.history; h != nil {
		n += h.Work()
	}
	return n
}

// charge charges a native when it ends: the work done since before, minus what natives inside of it were charged.
// The charge of the enclosing native then excludes this one; outer is what it had excluded so far.
func (v *VM) charge(before, outer uint64) {
	done := uint64(0)
	if now := v.worked(); now > before { // a graph created meanwhile starts at 0
		done = now - before
	}
	own := done - min(v.inner, done)
	v.inner = outer + done
	if v.profiler.of != nil {
		v.profiler.look(nil, false)
	}
	v.vm.Spend(nativeCost + int64(own*collision.WorkUnit/unit))
}
