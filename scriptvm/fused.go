package scriptvm

import (
	lua "github.com/yuin/gopher-lua"

	"github.com/tidelock/tidelock/engine"
)

// Functions that only compute variables of their actor run in Go where the engine calls them (package
// fuse). Nothing but the time differs: whatever the fused form does not expect, it leaves alone, and the VM
// runs the function from the start.

// maxFusedFailures is how many calls in a row may be given up before a function stays in the VM: one that is
// always called with an actor where it expects a number would cost both. A reload tries again.
const maxFusedFailures = 100

// tickFused runs Tick in Go; false means that nothing happened.
func (v *VM) tickFused(b *bodyOf, a *engine.Actor, dt float64) bool {
	o, _ := a.Script.(*object)
	if o == nil || o.gone || v.staging != nil {
		return false
	}
	return v.fusedDone(b, a, b.fused.Tick(&v.frame, a, o, dt))
}

// eventFused is tickFused for any function.
func (v *VM) eventFused(b *bodyOf, a *engine.Actor, args []engine.Value) bool {
	o, _ := a.Script.(*object)
	if o == nil || o.gone || v.staging != nil {
		return false
	}
	return v.fusedDone(b, a, b.fused.Call(&v.frame, a, o, args))
}

func (v *VM) fusedDone(b *bodyOf, a *engine.Actor, done bool) bool {
	if done {
		b.failed = 0
		v.count(b)
		v.faults.stats.Fused++
		v.spend(b.number, b.fusedCost, v.within(a))
		return true
	}
	if b.failed++; b.failed >= maxFusedFailures {
		b.fused = nil
	}
	return false
}

// HasRef is part of [fuse.Script].
func (o *object) HasRef(slot int) bool { return o.table.RawGetInt(slot+slotOffset) != lua.LNil }

// A variable that Go assigned is seldom read by the VM before it is assigned again, and boxing a number
// costs more than computing it. So its read copy becomes nil, which makes a read by the VM reach the
// metatable, and there it is made (fresh). Who reads often gets it made at once for a while.
//
// Invariant: a slot of a kind in lazyKinds that is nil in a live actor's table is such a copy; nothing else
// makes it nil. Everything that reads tables raw goes through fresh or freshen.

// eagerReads is for how many assignments a variable's copy is made at once after the VM had to make it: a
// miss costs about as much as so many boxes. maxEager bounds what is saved up.
const (
	eagerReads = 8
	maxEager   = 1000
)

// lazyKinds are the kinds of variables that fused functions assign.
const lazyKinds = 1<<engine.KindFloat | 1<<engine.KindInt | 1<<engine.KindBool | 1<<engine.KindEnum |
	1<<engine.KindVector | 1<<engine.KindRotator

// Stored is part of [fuse.Script].
func (o *object) Stored(slot int) {
	if e := o.class.eager; e != nil && e[slot] > 0 {
		e[slot]--
		o.vm.refresh(o, o.class.bySlot[slot])
		return
	}
	o.table.RawSetInt(slot+slotOffset, lua.LNil)
}

// fresh is what scripts read in a slot.
func (v *VM) fresh(o *object, p *engine.Property) lua.LValue {
	x := o.table.RawGetInt(p.Slot + slotOffset)
	if x == lua.LNil && lazyKinds>>p.Type.Kind&1 != 0 {
		v.refresh(o, p)
		x = o.table.RawGetInt(p.Slot + slotOffset)
	}
	return x
}

// missing is what compiled code reads in a place of an actor's table that is nil.
func (v *VM) missing(o *object, key lua.LValue) lua.LValue {
	n, ok := key.(lua.LNumber)
	if !ok || !(n > slotOffset && n < lua.LNumber(len(o.class.bySlot)+slotOffset)) || n != lua.LNumber(int(n)) {
		return lua.LNil
	}
	slot := int(n) - slotOffset
	p := o.class.bySlot[slot]
	if p == nil {
		return lua.LNil
	}
	if lazyKinds>>p.Type.Kind&1 != 0 {
		if o.class.eager == nil {
			o.class.eager = make([]uint16, len(o.class.bySlot))
		}
		if e := &o.class.eager[slot]; *e < maxEager {
			*e += eagerReads
		}
	}
	return v.fresh(o, p)
}

// freshen makes all copies of an actor's table, before something looks at the table as a table.
func (v *VM) freshen(t *lua.LTable) {
	if o := objectOf(t); o != nil && !o.gone {
		for _, p := range o.class.bySlot {
			if p != nil {
				v.fresh(o, p)
			}
		}
	}
}
