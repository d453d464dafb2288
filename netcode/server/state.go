package server

import (
	"math/bits"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/netcode/server/shadow"
	"github.com/tidelock/tidelock/netcode/wire"
)

// varSet names one of the sets of variables that a sendState keeps.
type varSet uint8

const (
	pending varSet = iota // the client is not known to have them
	repeat                // sent once, to be sent again in the next datagram (R5.22)
	send                  // scratch: what of it may be sent now
	ever                  // sent since the channel was opened
)

// wide holds the sets from variable number 64 on. Lower numbers, which nearly all are, are in the sendState itself.
type wide [ever + 1][wire.MaxVariables/64 - 1]uint64

// sendState is the part of a replication state that sending needs: what the client lacks of an actor, and which
// datagrams hold what. A worker reads and writes it while it fills the connection's datagrams; it leads to the
// actor's shadow and to nothing else. A group keeps one for all its members (sharedState). A net update touches
// thousands: the fields that it needs for each come first and are adjacent.
type sendState struct {
	of      shadow.View
	pending uint64 // variables the client is not known to have, up to number 63; the others are in wide, here and below
	repeat  uint64 // sent once, to be sent again in the next datagram (R5.22)
	send    uint64 // scratch: what of it may be sent now
	bitsFor uint32 // Server.owners for which bits holds
	// The datagrams that brought the position: bit k of positions is that of number positionNo − k. The connection
	// knows which of them arrived (sender.base).
	positionNo, positions uint32
	lastNo                uint32           // number + 1 of the last datagram that held something of it, 0 for none
	bits                  engine.CondInput // of Conn.input, those that only an owner or a role can change
	open                  bool             // the channel is open: phase is repOpen
	initial               bool             // bNetInitial
	dirty                 bool             // bNetDirty
	queued                bool             // it is in sender.due
	waits                 bool             // the message after is not known to be processed yet
	isLate                bool             // late is not empty
	opening               bool             // it is in Conn.toOpen

	serial uint32  // as repState.serial
	after  uint16  // newest reliable message about it
	ever   uint64  // sent since it was opened
	served float64 // world time of the last send
	wants  float64 // world time since which it has had something to send and no turn, 0 for nothing
	wide   *wide   // nil if the class is small

	late wire.Mask // initial ones that waited for an actor: bNetInitial still holds for them (R5.13)
}

type repPhase uint8

const (
	repLooked  repPhase = iota // relevancy tests it; the client has nothing
	repOpen                    // has a channel
	repDormant                 // no channel, but the client has the copy (R4.7)
	repLeft                    // no channel and never again: temporary, torn off
)

// widen makes room for the variables of its class. It clears the sets if the class has changed.
func (r *sendState) widen() {
	switch {
	case r.of.Class().Small:
		r.wide = nil
	case r.wide == nil:
		r.wide = &wide{}
	}
}

// low returns the part of a set below variable number 64.
func (r *sendState) low(s varSet) *uint64 {
	switch s {
	case pending:
		return &r.pending
	case repeat:
		return &r.repeat
	case send:
		return &r.send
	case ever:
	}
	return &r.ever
}

// get returns a whole set, put replaces one. Hot loops over small classes use the fields instead.
func (r *sendState) get(s varSet) (m wire.Mask) {
	if m[0] = *r.low(s); r.wide != nil {
		copy(m[1:], r.wide[s][:])
	}
	return m
}

func (r *sendState) put(s varSet, m wire.Mask) {
	if *r.low(s) = m[0]; r.wide != nil {
		copy(r.wide[s][:], m[1:])
	}
}

// add adds variables to a set, remove removes them.
func (r *sendState) add(s varSet, m wire.Mask) { r.put(s, r.get(s).Or(m)) }

func (r *sendState) remove(s varSet, m wire.Mask) { r.put(s, r.get(s).Without(m)) }

// has reports whether a set has a variable, meets whether it has any of several, any whether it is not empty.
func (r *sendState) has(s varSet, n int) bool {
	if n < 64 {
		return *r.low(s)>>n&1 != 0
	}
	return r.wide != nil && r.wide[s][n>>6-1]>>(n&63)&1 != 0
}

func (r *sendState) meets(s varSet, m wire.Mask) bool { return r.get(s).Meets(m) }

func (r *sendState) any(s varSet) bool {
	return *r.low(s) != 0 || r.wide != nil && r.wide[s] != [wire.MaxVariables/64 - 1]uint64{}
}

// pendOne makes one variable pending.
func (r *sendState) pendOne(n int) {
	var m wire.Mask
	m.Set(n)
	r.add(pending, m)
}

// lack makes variables pending that changed or did not arrive.
func (r *sendState) lack(m *wire.Mask) {
	if r.dirty = true; r.wide == nil {
		r.pending |= m[0]
	} else {
		r.add(pending, *m)
	}
}

func trailing(m uint64) int { return bits.TrailingZeros64(m) }

// bNetInitial ends for an actor when the client has processed its opening (R5.5). It does not end for a variable
// whose value the client still lacks: one that refers to an actor that the client does not have yet (R5.13), or one
// that changed meanwhile and whose datagram was lost (R5.8). Such a variable is late (sendState.late) until a
// datagram or a reliable message that holds its complete value arrives.
//
// Only variables whose condition depends on bNetInitial are ever late (schema.Class.Initial).

// makeLate keeps bNetInitial for variables.
func (r *sendState) makeLate(m wire.Mask) {
	r.late = r.late.Or(m.And(r.of.Class().Initial))
	r.isLate = !r.late.Empty()
}

// lateDue reports whether a late variable has something to send.
func (r *sendState) lateDue() bool {
	return r.isLate && (r.meets(pending, r.late) || r.meets(repeat, r.late))
}

// fresh reports whether something of an actor may be sent that was not sent before.
func (st *sendState) fresh() bool {
	if st.of.Class().Small {
		return st.send&st.pending != 0
	}
	all := st.get(send)
	return st.meets(pending, all)
}

// estimate returns the approximate size in bytes of what may be sent.
func (st *sendState) estimate() int {
	if st.wide == nil {
		return 3 + 8*bits.OnesCount64(st.send)
	}
	all := st.get(send)
	return 3 + 8*all.Len()
}

// choose determines what may be sent now from earlier results of conditions. It returns false if they must be
// evaluated.
func (st *sendState) choose(owners uint32) bool {
	k := st.of.Class()
	if !k.Steady || !k.Small || st.lateDue() || st.bitsFor != owners {
		return false
	}
	mask, ok := st.of.Answered(st.inputBits() & k.InputMask)
	st.send = (st.pending | st.repeat) & mask
	return ok
}

// note records that the permitted variables were sent in a datagram, or a payload, with a number: they are no
// longer pending, and those sent for the first time are repeated once, except variables whose notify runs on every
// arrival.
func (st *sendState) note(no uint32) {
	k := st.of.Class()
	if k.Location >= 0 && st.has(send, k.Location) {
		st.positions = st.positions<<(no-st.positionNo) | 1
		st.positionNo = no
	}
	st.lastNo = no + 1
	if k.Small {
		st.ever |= st.send
		st.repeat = st.send & st.pending &^ k.Always[0]
		st.pending &^= st.send
		return
	}
	all := st.get(send)
	st.add(ever, all)
	st.put(repeat, st.get(pending).And(all).Without(k.Always))
	st.remove(pending, all)
}

// inputBits returns the connection's relation to the actor, for steady conditions; bits must be valid.
func (st *sendState) inputBits() engine.CondInput {
	in := st.bits
	if st.initial {
		in |= engine.CondInput(engine.MaskInitial)
	}
	if st.dirty {
		in |= engine.CondInput(engine.MaskDirty)
	}
	return in
}

// allow sets what may be sent of what is pending or to be repeated.
func (st *sendState) allow(cond wire.Mask) {
	st.put(send, st.get(pending).Or(st.get(repeat)).And(cond))
}

// broughtPosition reports whether a datagram brought the actor's position.
func (r *sendState) broughtPosition(no uint32) bool {
	return r.positions != 0 && r.positions>>(r.positionNo-no)&1 != 0
}
