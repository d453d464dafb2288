package sandbox

import (
	lua "github.com/yuin/gopher-lua"

	"github.com/tidelock/tidelock/engine/count"
)

// SampleUnits is how many units of cost, instructions and the declared work of natives, there are between two
// samples: the function that runs at a sample is charged all of them. A sample costs about a microsecond, this many
// instructions about 150.
const SampleUnits = 8192

// meter counts the cost of all calls of a VM (G6). The count depends only on what scripts did, and so do the points
// at which samples are taken; only the measured time does not.
type meter struct {
	total int64 // units, updated by budget.measure
	next  int64 // of total, when the next sample is due
	left  int64 // what the call had left when total was updated
	// sample receives the units of each sample while the frames of the running functions exist; nil takes none.
	sample func(units int64)

	// Some of the engine's calls are timed, chosen at random, including their setup: short calls cost more per unit
	// than long ones. timed and timedAt are the clock and the total when such a call began; untimed is how many
	// calls come before the next.
	timing         bool
	untimed        uint32
	chance         uint32
	timed, timedAt int64
	elapsed, units int64 // sums of timed calls
}

// timedCalls: one in this many calls is timed.
const timedCalls = 32

// begin starts a call by the engine with the given units.
func (m *meter) begin(units int64, elapsed func() int64) {
	m.left = units
	if elapsed == nil {
		return
	}
	if m.untimed > 0 {
		m.untimed--
		return
	}
	m.chance = m.chance*1664525 + 1013904223
	m.untimed = m.chance >> 16 % (2 * timedCalls)
	m.timing, m.timed, m.timedAt = true, elapsed(), m.total
}

// end ends a timed call.
func (m *meter) end(elapsed func() int64) {
	m.timing = false
	m.elapsed += elapsed() - m.timed
	m.units += m.total - m.timedAt
}

// due returns how many units there are until the next sample, at least 1.
func (m *meter) due() int64 { return max(m.next-m.total, 1) }

// measure updates the meter, and takes a sample if one is due and the frames exist.
func (b *budget) measure(standing bool) {
	m := &b.meter
	left := b.left()
	m.total += m.left - left
	count.Add(count.Instructions, int(m.left-left))
	m.left = left
	if !standing || m.total < m.next {
		return
	}
	n := (m.total-m.next)/SampleUnits + 1
	m.next += n * SampleUnits
	if m.sample != nil {
		m.sample(n * SampleUnits)
	}
}

// Idle reports whether no call is running.
func (vm *VM) Idle() bool { return vm.budget.depth == 0 }

// Spent returns the cost of all calls so far, in units.
func (vm *VM) Spent() int64 { return vm.budget.meter.total }

// TakeTimed returns the time by Options.Elapsed of a number of units, and starts over; ok is false, and counting
// continues, if there are fewer than least.
func (vm *VM) TakeTimed(least int64) (elapsed, units int64, ok bool) {
	m := &vm.budget.meter
	elapsed, units = m.elapsed, m.units
	if units < least {
		return 0, 0, false
	}
	m.elapsed, m.units = 0, 0
	return elapsed, units, true
}

// EachRunning visits the functions of scripts that are running, innermost first, those of the calls around the
// present one included, until visit returns false.
func (vm *VM) EachRunning(visit func(*lua.FunctionProto) bool) {
	going := true
	vm.eachState(func(state *lua.LState, _ string) {
		for level := 0; going && level < callDepth+2; level++ {
			debug, ok := state.GetStack(level)
			if !ok {
				return
			}
			value, err := state.GetInfo("f", debug, lua.LNil)
			fn, ok := value.(*lua.LFunction)
			if err != nil || !ok || fn.IsG || fn.Proto.SourceName == bootName {
				continue
			}
			going = visit(fn.Proto)
		}
	})
}
