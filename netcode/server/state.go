package server

import (
	"math/bits"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/netcode/server/shadow"
	"github.com/tidelock/tidelock/netcode/wire"
)

// wide are the variables of a repState from number 64 on; those before stand in the repState itself, where nearly all are.
type wide struct {
	pending, repeat, send, ever [wire.MaxVariables/64 - 1]uint64
}

// repState is the replication state of one actor on one connection: what the client lacks of it, and which datagrams hold
// what. A worker reads and writes it while it fills the connection's datagrams; it leads to the actor's shadow and to nothing
// else. A net update touches thousands: what it needs of each comes first and lies together.
type repState struct {
	of      shadow.View
	pending uint64 // variables the client is not known to have, up to number 63; the rest is in wide, here and below
	repeat  uint64 // sent once, to be sent again in the next datagram (R5.22)
	send    uint64 // scratch: what of it may go now
	bitsFor uint32 // Server.owners for which bits holds
	// The datagrams that brought the place: bit k of placed is that of number placeNo − k. Which of them arrived, the
	// connection knows (sender.base).
	placeNo, placed uint32
	lastNo          uint32           // number + 1 of the last datagram that held something of it, 0 for none
	bits            engine.CondInput // of Conn.input, those that only an owner or a role can change
	open            bool             // the channel is open: rec.state is recOpen
	initial         bool             // bNetInitial
	dirty           bool             // bNetDirty
	queued          bool             // stands in sender.due
	waits           bool             // after is not known to be processed yet
	isLate          bool             // late is not empty
	opening         bool             // stands in Conn.toOpen

	serial uint32  // as rec.serial
	after  uint16  // newest reliable message about it
	ever   uint64  // sent since it was opened
	served float64 // world time of the last send
	wants  float64 // world time since which it has had something to send and no turn, 0 for nothing
	wide   *wide   // nil where the class is small

	late wire.Mask // initial ones that waited for an actor: for them bNetInitial still holds (R5.13)
}

type recState uint8

const (
	recLooked  recState = iota // relevancy looks at it; the client has nothing
	recOpen                    // has a channel
	recDormant                 // no channel, but the client has the copy (R4.7)
	recLeft                    // no channel and never again: temporary, torn off
)

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

// wasSent notes variables as sent since the channel was opened, setSent says which were, wasEverSent asks for one.
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

func meets(a, b *wire.Mask) bool {
	return a[0]&b[0]|a[1]&b[1]|a[2]&b[2]|a[3]&b[3] != 0
}

func and(a, b *wire.Mask) wire.Mask {
	return wire.Mask{a[0] & b[0], a[1] & b[1], a[2] & b[2], a[3] & b[3]}
}

func or(a, b *wire.Mask) wire.Mask {
	return wire.Mask{a[0] | b[0], a[1] | b[1], a[2] | b[2], a[3] | b[3]}
}

func without(a, b *wire.Mask) wire.Mask {
	return wire.Mask{a[0] &^ b[0], a[1] &^ b[1], a[2] &^ b[2], a[3] &^ b[3]}
}

func trailing(m uint64) int { return bits.TrailingZeros64(m) }

// bNetInitial ends for an actor when the client has processed its opening (R5.5). It does not end for a variable whose
// value the client lacks all the same: one that refers to an actor which the client does not have yet (R5.13), or one
// that changed meanwhile and whose datagram was lost (R5.8). Such a variable is late, repState.late, until a datagram
// arrives that holds its whole value, or a reliable message does.
//
// Only variables whose condition depends on bNetInitial are ever late (schema.Class.Initial).

// makeLate keeps bNetInitial for variables.
func (r *repState) makeLate(m *wire.Mask) {
	late := and(m, &r.of.Class().Initial)
	r.late = or(&r.late, &late)
	r.isLate = !r.late.Empty()
}

// lateDue reports whether a late variable has something to send.
func (r *repState) lateDue() bool {
	return r.isLate && (r.pendsAny(&r.late) || r.repeatsAny(&r.late))
}

// fresh reports whether something may go of an actor that has not gone before.
func (st *repState) fresh() bool {
	if st.of.Class().Small {
		return st.send&st.pending != 0
	}
	all := st.sendAll()
	return st.pendsAny(&all)
}

// estimate is about how many bytes it takes to send what may go.
func (st *repState) estimate() int { return 3 + 8*st.sends() }

// inputBits is what the connection is to the actor, for steady conditions; bits must hold.
func (st *repState) inputBits() engine.CondInput {
	in := st.bits
	if st.initial {
		in |= engine.CondInput(engine.MaskInitial)
	}
	if st.dirty {
		in |= engine.CondInput(engine.MaskDirty)
	}
	return in
}

// allow sets what may go, of what is pending or to be repeated, and reports whether that is anything.
func (st *repState) allow(cond *wire.Mask) bool {
	p, again := st.pendingAll(), st.repeatAll()
	p = or(&p, &again)
	p = and(&p, cond)
	st.setSend(&p)
	return !p.Empty()
}

// broughtPlace reports whether a datagram brought the actor's place.
func (r *repState) broughtPlace(no uint32) bool {
	return r.placed != 0 && r.placed>>(r.placeNo-no)&1 != 0
}
