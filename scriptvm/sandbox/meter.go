package sandbox

import lua "github.com/yuin/gopher-lua"

// SampleUnits is after how many units of cost, instructions and the declared work of natives, a sample is taken: who runs
// then is charged all of them. A sample costs about a microsecond, so many instructions about 150.
const SampleUnits = 8192

// meter counts what all calls of a VM cost (G6). The count depends on nothing but what scripts did, and so does
// where samples are taken; only the clock's share of it does not.
type meter struct {
	total int64 // units, brought up to date by budget.measure
	next  int64 // of total, when the next sample is due
	left  int64 // what the call had left when total was brought up to date
	// sample gets the units of each sample while the frames of who spends them stand; nil has none taken.
	sample func(units int64)

	// Some of the engine's calls are timed, by chance and whole, with what it takes to begin and end them: short calls cost more
	// by the unit than long ones. timed and timedAt are the clock and the total when such a call began; untimed is how many calls
	// come before the next.
	timing         bool
	untimed        uint32
	chance         uint32
	timed, timedAt int64
	elapsed, units int64 // sums of what was timed
}

// timedCalls: one of so many calls is timed.
const timedCalls = 32

// begin is the beginning of a call by the engine with so many units.
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

// end is the end of a call that is timed.
func (m *meter) end(elapsed func() int64) {
	m.timing = false
	m.elapsed += elapsed() - m.timed
	m.units += m.total - m.timedAt
}

// due is how many units there are until the next sample, at least 1.
func (m *meter) due() int64 { return max(m.next-m.total, 1) }

// measure brings the meter up to date, and takes a sample if one is due and the frames stand.
func (b *budget) measure(standing bool) {
	m := &b.meter
	left := b.left()
	m.total += m.left - left
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

// Spent is what all calls so far cost, in units.
func (vm *VM) Spent() int64 { return vm.budget.meter.total }

// TakeTimed gives how long so many units took by Options.Elapsed, and begins again; ok is false, and it goes on, where there are
// fewer than least.
func (vm *VM) TakeTimed(least int64) (elapsed, units int64, ok bool) {
	m := &vm.budget.meter
	elapsed, units = m.elapsed, m.units
	if units < least {
		return 0, 0, false
	}
	m.elapsed, m.units = 0, 0
	return elapsed, units, true
}

// EachRunning visits the functions of scripts that are running, innermost first, those of the calls around the present one
// included, until visit says no.
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
