package server

import (
	"math/bits"

	"github.com/tidelock/tidelock/netcode/wire"
)

// wide are the variables of a repState from number 64 on; those before stand in the repState itself, where nearly all are.
type wide struct {
	pending, repeat, send, ever [wire.MaxVariables/64 - 1]uint64
}

// widen makes room for the variables of its class. Sets are void where the class became another.
func (r *repState) widen() {
	switch {
	case r.of.Class().Small:
		r.wide = nil
	case r.wide == nil:
		r.wide = &wide{}
	}
}

func whole(lo uint64, hi *[wire.MaxVariables/64 - 1]uint64) (m wire.Mask) {
	m[0] = lo
	copy(m[1:], hi[:])
	return m
}

func (r *repState) pendingAll() wire.Mask {
	if r.wide == nil {
		return wire.Mask{r.pending}
	}
	return whole(r.pending, &r.wide.pending)
}

func (r *repState) setPending(m *wire.Mask) {
	if r.pending = m[0]; r.wide != nil {
		copy(r.wide.pending[:], m[1:])
	}
}

// pend makes variables pending.
func (r *repState) pend(m *wire.Mask) {
	if r.pending |= m[0]; r.wide != nil {
		for i := range r.wide.pending {
			r.wide.pending[i] |= m[i+1]
		}
	}
}

// pendOne makes one variable pending.
func (r *repState) pendOne(n int) {
	var m wire.Mask
	m.Set(n)
	r.pend(&m)
}

// unpend takes variables out of the pending ones.
func (r *repState) unpend(m *wire.Mask) {
	if r.pending &^= m[0]; r.wide != nil {
		for i := range r.wide.pending {
			r.wide.pending[i] &^= m[i+1]
		}
	}
}

// pends reports whether anything is pending, pendsAny whether something of a set is, pendsOne whether a variable is.
func (r *repState) pends() bool {
	return r.pending != 0 || r.wide != nil && r.wide.pending != [wire.MaxVariables/64 - 1]uint64{}
}

func (r *repState) pendsAny(m *wire.Mask) bool {
	p := r.pendingAll()
	return meets(&p, m)
}

func (r *repState) pendsOne(n int) bool {
	p := r.pendingAll()
	return p.Has(n)
}

// repeats reports whether anything waits to be sent once more, repeatsAny whether something of a set does.
func (r *repState) repeats() bool {
	return r.repeat != 0 || r.wide != nil && r.wide.repeat != [wire.MaxVariables/64 - 1]uint64{}
}

func (r *repState) repeatsAny(m *wire.Mask) bool {
	p := r.repeatAll()
	return meets(&p, m)
}

func (r *repState) repeatAll() wire.Mask {
	if r.wide == nil {
		return wire.Mask{r.repeat}
	}
	return whole(r.repeat, &r.wide.repeat)
}

func (r *repState) setRepeat(m *wire.Mask) {
	if r.repeat = m[0]; r.wide != nil {
		copy(r.wide.repeat[:], m[1:])
	}
}

func (r *repState) sendAll() wire.Mask {
	if r.wide == nil {
		return wire.Mask{r.send}
	}
	return whole(r.send, &r.wide.send)
}

func (r *repState) setSend(m *wire.Mask) {
	if r.send = m[0]; r.wide != nil {
		copy(r.wide.send[:], m[1:])
	}
}

// wasSent notes variables as sent since the channel was opened, setSent says which were, wasEverSent requests one.
func (r *repState) wasSent(m *wire.Mask) {
	if r.ever |= m[0]; r.wide != nil {
		for i := range r.wide.ever {
			r.wide.ever[i] |= m[i+1]
		}
	}
}

func (r *repState) setSent(m *wire.Mask) {
	if r.ever = m[0]; r.wide != nil {
		copy(r.wide.ever[:], m[1:])
	}
}

func (r *repState) wasEverSent(n int) bool {
	m := wire.Mask{r.ever}
	if r.wide != nil {
		m = whole(r.ever, &r.wide.ever)
	}
	return m.Has(n)
}

// sends is how many variables may go now.
func (r *repState) sends() int {
	if r.wide == nil {
		return bits.OnesCount64(r.send)
	}
	m := r.sendAll()
	return m.Len()
}
