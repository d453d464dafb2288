package sandbox

import lua "github.com/yuin/gopher-lua"

// allocations measures what calls allocate (G8): it reads the process's counter around every call from the engine
// and whenever the budget is checked. That costs two readings per call, 0.4 µs, so it is only on while it is
// needed. The counter includes what other goroutines allocate meanwhile, so it shows who allocates much, not
// exactly how much. Small objects are counted in blocks of 8 KB, which evens out over many calls.
type allocations struct {
	on     bool
	seen   uint64 // the process's counter up to which everything is reported
	report func(bytes uint64, fn *lua.LFunction)
}

// note reports what was allocated since the last note. fn is as in Options.Allocated.
func (a *allocations) note(now uint64, fn *lua.LFunction) {
	if now > a.seen && a.report != nil {
		a.report(now-a.seen, fn)
	}
	a.seen = now
}

// end reports the rest of a call.
func (a *allocations) end(b *budget, fn *lua.LFunction) {
	if a.on {
		a.note(b.readAllocated(), fn)
	}
}

// MeasureAllocations turns Options.Allocated on or off, between two calls.
func (vm *VM) MeasureAllocations(on bool) { vm.budget.allocations.on = on }
