package shadow

import (
	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/netcode/schema"
	"github.com/tidelock/tidelock/netcode/wire"
)

// View reads a Shadow and cannot write it. Any number of goroutines may use views of one shadow at once, as long as nothing
// writes it. The zero View is of none; nothing may be asked of it.
type View struct{ s *Shadow }

// Class is the class whose numbers the values have.
func (v View) Class() *schema.Class { return v.s.class }

// Slot is the channel's number, the same on every connection.
func (v View) Slot() int { return int(v.s.slot) }

// Rank is the number in the relevancy index of the actor whose priority counts.
func (v View) Rank() int32 { return v.s.rank }

// At is the Location as it crosses.
func (v View) At() wire.Quantised { return v.s.At }

// PositionOf is the place of a net update, where that is known; of update 0 there is none.
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

// Answer is [Shadow.Answer].
func (v View) Answer(in engine.CondInput) (mask wire.Mask, update uint32, ok bool) {
	return v.s.Answer(in)
}

// Answered is [Shadow.Answered].
func (v View) Answered(in engine.CondInput) (mask uint64, ok bool) { return v.s.Answered(in) }

// Append appends the values of variables, whole. Where each ends is put into val.Ends.
func (v View) Append(b []byte, val *wire.Values, mask *wire.Mask) []byte {
	return v.s.class.Layout.Append(b, val, &wire.Storage{Words: v.s.Words, Strs: v.s.Strs}, mask)
}

// Slots reads which channel's number an actor has, by its number in the relevancy index. The zero Slots knows none.
type Slots struct{ of []int32 }

// NewSlots reads a table, 0 for none, as it is until the table grows.
func NewSlots(of []int32) Slots { return Slots{of} }

// Of is the channel's number of the actor with a number that the index gave, 0 where it has none.
func (s Slots) Of(number int32) int { return int(s.of[number]) }
