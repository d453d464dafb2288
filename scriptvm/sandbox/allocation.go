package sandbox

import lua "github.com/yuin/gopher-lua"

// allocations measures what calls allocate (G8): the process's count is read around every call of the engine's and
// where the budget looks anyway. That costs two readings a call, 0.4 µs, so it is on only while somebody wants to know. The
// count is the process's: what other goroutines allocate meanwhile is in it, so it says who allocates much, not how much
// exactly. Small objects are counted by the 8 KB; over many calls it evens out.
type allocations struct {
	on     bool
	seen   uint64 // the process's count up to which all is told
	report func(bytes uint64, fn *lua.LFunction)
}

// note tells what was allocated since the last note. fn is as in Options.Allocated.
func (a *allocations) note(now uint64, fn *lua.LFunction) {
	if now > a.seen && a.report != nil {
		a.report(now-a.seen, fn)
	}
	a.seen = now
}

// end notes the rest of a call.
func (a *allocations) end(b *budget, fn *lua.LFunction) {
	if a.on {
		a.note(b.readAllocated(), fn)
	}
}

// MeasureAllocations turns Options.Allocated on or off, between two calls.
func (vm *VM) MeasureAllocations(on bool) { vm.budget.allocations.on = on }
