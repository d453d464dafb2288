package sandbox

import (
	"reflect"

	lua "github.com/yuin/gopher-lua"
)

// Probe observes where the time of scripts goes ([VM.SetProbe]). It must not run scripts.
type Probe interface {
	// Begin is called before a call by the engine; End, with its result, after it. Then the frames of the function that
	// was called are gone, and those around it exist.
	Begin() (around uint8)
	End(fn *lua.LFunction, around uint8)
	// Step is called between two instructions of a script, while its frames exist (EachFrame).
	Step()
}

// probeUnits bounds the units of cost between two steps of a probe; they are 1 to this many, at random, so that short
// calls are observed everywhere.
const probeUnits = 48

// probing is the probe of a VM. The budget splits its slices for it: the points at which a budget is checked and samples
// for accounts are taken stay the same.
type probing struct {
	probe  Probe
	random uint32
}

// SetProbe observes all calls from now on; nil ends that. It is called between calls.
func (vm *VM) SetProbe(p Probe) { vm.budget.probing.probe = p }

func (p *probing) begin() uint8 {
	if p.probe == nil {
		return 0
	}
	return p.probe.Begin()
}

func (p *probing) end(fn *lua.LFunction, around uint8) {
	if p.probe != nil {
		p.probe.End(fn, around)
	}
}

// split keeps back all but a first part of the present slice.
func (b *budget) split() {
	p := &b.probing
	if p.probe == nil {
		return
	}
	p.random = p.random*1664525 + 1013904223
	if size := 1 + int64(p.random>>16)%probeUnits; b.n > size {
		b.held += b.n - size
		b.n = size
	}
}

// join ends the splitting of the present slice.
func (b *budget) join() { b.n, b.held = b.n+b.held, 0 }

// step lets the probe look, and continues the slice.
func (b *budget) step() {
	if p := b.probing.probe; p != nil {
		p.Step()
	}
	b.join()
	b.split()
}

// EachFrame visits the functions that are running, innermost first, those of the calls around the present one included,
// until visit returns false: scripts by their bytecode, natives of NewTagged by their tag; one of the two is nil. It
// allocates nothing.
func (vm *VM) EachFrame(visit func(proto *lua.FunctionProto, tag lua.LValue) bool) {
	going := true
	vm.eachState(func(state *lua.LState, _ string) {
		l := &vm.layout
		for frame := reflect.ValueOf(state).Elem().Field(l.current); going && !frame.IsNil(); frame = frame.Elem().Field(l.parent) {
			fn := (*lua.LFunction)(frame.Elem().Field(l.fn).UnsafePointer())
			switch {
			case !fn.IsG:
				going = fn.Proto.SourceName == bootName || visit(fn.Proto, nil)
			case len(fn.Upvalues) > 0:
				going = visit(nil, fn.Upvalues[0].Value())
			}
		}
	})
}
