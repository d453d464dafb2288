package wire

import (
	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/engine/geom"
)

// Open introduces an actor (R5.1):
//
//	[10, channel, net, what, place, turn, outer, role, from, mask, value…]
//
// channel int, the actor's number on this connection; net int, its number in references, 0 if it has none; what
// int, its class, or str ≤ 255, its name in the level (R1.4) or inside outer; place vector | nil; turn rotator |
// nil (bNetInitialRotation); outer int | nil, the channel of the actor that a component lives in (R5.20); role int
// 1…7, the copy's role (R2.1), an engine.Role, plus 4 if some player owns the actor (R6.3); from int, the first
// datagram whose deltas may be for this opening: older ones were for an earlier one. Then follow those variables
// that differ from the class's defaults (R5.2): mask as in deltas, each value as in deltas, never relative; an
// empty mask if there are none.
//
// An open of an actor that the client already has, by its net number, binds that copy to the channel and sets the
// variables of the mask, whatever their values were: this wakes a dormant actor (R4.7), and sends a torn-off one
// its last state (R5.18).
//
//	9c 0a 05 cd 01 f4 0c 93 d0 9c 40 58 40 c0 01 07 f6 2a 64
//	channel 5, actor 500, class 12 at (−100, 64, 88) facing yaw 64, a simulated proxy, from datagram 7 on, variables 0 and 3: 42 and 100
type Open struct {
	Channel uint16
	Net     uint32
	// Class is the actor's class if Name is empty.
	Class uint32
	// Name is a slice of the input.
	Name            []byte
	HasPlace, Turns bool
	Place           Quantised
	Rotation        geom.Rotator
	Inside          bool
	Outer           uint16
	Role            engine.Role
	Owned           bool
	From            Seq
	Mask            Mask
}

// openFields is the number of an open's fields up to its mask.
const openFields = 9

// AppendOpen appends an open up to its mask; the values of the mask's variables are to follow, in order.
func AppendOpen(b []byte, m *Open) []byte {
	b = appendMessage(b, KindOpen, openFields+m.Mask.Len())
	b = AppendUint(b, uint64(m.Channel))
	b = AppendUint(b, uint64(m.Net))
	if len(m.Name) > 0 {
		b = AppendString(b, cut(string(m.Name), MaxText))
	} else {
		b = AppendUint(b, uint64(m.Class))
	}
	if m.HasPlace {
		b = AppendVector(b, Grid{1, 16}, m.Place)
	} else {
		b = append(b, mpNil)
	}
	if m.Turns {
		b = AppendRotator(b, m.Rotation)
	} else {
		b = append(b, mpNil)
	}
	if m.Inside {
		b = AppendUint(b, uint64(m.Outer))
	} else {
		b = append(b, mpNil)
	}
	b = AppendUint(append(b, roleByte(m.Role, m.Owned)), uint64(m.From))
	return AppendMask(b, &m.Mask)
}

// Open reads an open up to its mask; the caller reads or skips the values.
func (r *Reader) Open(fields int) (m Open) {
	m.Channel = r.uint16()
	m.Net = r.uint32()
	if s := r.Peek(); s == ShapeString || s == ShapeBin {
		m.Name = r.Bytes(MaxText)
		if len(m.Name) == 0 {
			r.Fail(ErrRange)
		}
	} else {
		m.Class = r.uint32()
	}
	if !r.Nil() {
		m.HasPlace, m.Place = true, r.Vector(Grid{1, 16})
	}
	if !r.Nil() {
		m.Turns, m.Rotation = true, r.Rotator()
	}
	if !r.Nil() {
		m.Inside, m.Outer = true, r.uint16()
	}
	m.Role, m.Owned = r.role()
	m.From = Seq(r.uint16())
	m.Mask = r.Mask()
	if r.err != nil || !r.fields(fields, openFields+m.Mask.Len()) {
		return Open{}
	}
	return m
}

// SkipValues skips the values of a mask's variables, none of which is relative.
func (r *Reader) SkipValues(m *Mask) {
	for n := m.Len(); n > 0 && r.err == nil; n-- {
		r.Skip()
	}
}
