package shadow

import (
	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/netcode/schema"
	"github.com/tidelock/tidelock/netcode/wire"
)

// View reads a Shadow and cannot write it. Any number of goroutines may use views of one shadow at once, as long as
// nothing writes it. The zero View has no shadow; its methods must not be called.
type View struct{ s *Shadow }

// Class returns the class whose numbers the values have.
func (v View) Class() *schema.Class { return v.s.class }

// Slot returns the channel's number, the same on every connection.
func (v View) Slot() int { return int(v.s.slot) }

// Rank returns the number in the relevancy index of the actor whose priority counts.
func (v View) Rank() int32 { return v.s.rank }

// At returns the Location as sent on the wire.
func (v View) At() wire.Quantised { return v.s.At }

// PositionOf returns the position of a net update, if it is known; update 0 has none.
func (v View) PositionOf(update uint32) (at wire.Quantised, ok bool) {
	p := v.s.positions
	if p == nil || update == 0 {
		return at, false
	}
	for k := v.s.positionN; k != 0 && v.s.positionN-k < wire.MaxAge; k-- {
		if x := &p[k%wire.MaxAge]; int32(update-x.update) >= 0 {
			return x.at, true
		}
	}
	return at, false
}

// Answer calls [Shadow.Answer].
func (v View) Answer(in engine.CondInput) (mask wire.Mask, update uint32, ok bool) {
	return v.s.Answer(in)
}

// Answered calls [Shadow.Answered].
func (v View) Answered(in engine.CondInput) (mask uint64, ok bool) { return v.s.Answered(in) }

// Append appends the complete values of variables. It writes the end of each to val.Ends.
func (v View) Append(b []byte, val *wire.Values, mask *wire.Mask) []byte {
	return v.s.class.Layout.Append(b, val, &wire.Storage{Words: v.s.Words, Strs: v.s.Strs}, mask)
}

// Slots maps an actor's number in the relevancy index to its channel number. The zero Slots is empty.
type Slots struct{ of []int32 }

// NewSlots returns a view of a table in which 0 means none, valid until the table grows.
func NewSlots(of []int32) Slots { return Slots{of} }

// Of returns the channel number of the actor with a number in the index, 0 if it has none.
func (s Slots) Of(number int32) int { return int(s.of[number]) }
