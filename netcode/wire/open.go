package wire

import "github.com/tidelock/tidelock/engine/geom"

// Open introduces an actor (R5.1):
//
//	[10, channel, net, what, place, turn, outer, mask, value…]
//
// channel int, the actor's number on this connection; net int, its number in references, 0 where it has none;
// what int, its class, or str ≤ 255, its name in the level (R1.4) or inside outer; place vector | nil; turn
// rotator | nil (bNetInitialRotation); outer int | nil, the channel of the actor that a component lives in
// (R5.20). Then those variables that differ from the class's defaults (R5.2): mask as in deltas, each value as
// in deltas, never relative; a mask of no variables where there are none.
//
//	9a 0a 05 cd 01 f4 0c 93 d0 9c 40 58 40 c0 f6 2a 64
//	channel 5, actor 500, class 12 at (−100, 64, 88) facing yaw 64, variables 0 and 3: 42 and 100
type Open struct {
	Channel uint16
	Net     uint32
	// Class is the actor's class where Name is empty.
	Class uint32
	// Name points into what was read.
	Name            []byte
	HasPlace, Turns bool
	Place           Quantised
	Rotation        geom.Rotator
	Inside          bool
	Outer           uint16
	Mask            Mask
}

// AppendOpen appends an open up to its mask; the values of the mask's variables, in order, are to follow.
func AppendOpen(b []byte, m *Open) []byte {
	b = appendMessage(b, KindOpen, 7+m.Mask.Len())
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
	return AppendMask(b, &m.Mask)
}

// Open reads an open up to its mask; the values are to be read, or skipped, by the caller.
func (r *Reader) Open(fields int) (m Open) {
	m.Channel = uint16(r.IntIn(0, MaxChannel))
	m.Net = uint32(r.IntIn(0, 1<<32-1))
	if s := r.Peek(); s == ShapeString || s == ShapeBin {
		m.Name = r.Bytes(MaxText)
		if len(m.Name) == 0 {
			r.Fail(ErrRange)
		}
	} else {
		m.Class = uint32(r.IntIn(0, 1<<32-1))
	}
	if !r.Nil() {
		m.HasPlace, m.Place = true, r.Vector(Grid{1, 16})
	}
	if !r.Nil() {
		m.Turns, m.Rotation = true, r.Rotator()
	}
	if !r.Nil() {
		m.Inside, m.Outer = true, uint16(r.IntIn(0, MaxChannel))
	}
	m.Mask = r.Mask()
	if r.err != nil || !r.fields(fields, 7+m.Mask.Len()) {
		return Open{}
	}
	return m
}

// SkipValues passes over the values of a mask's variables where none is relative.
func (r *Reader) SkipValues(m *Mask) {
	for n := m.Len(); n > 0 && r.err == nil; n-- {
		r.Skip()
	}
}
