package animation

import (
	"math"
	"strings"
)

// maxBoxOffset bounds how far a track moves a hit box along each direction, in uu.
const maxBoxOffset = 1000

// boxPrefix is the prefix of curves that move hit boxes: Box.head.X.
const boxPrefix = "Box."

// BoxCurves moves a hit box of an actor that plays the track. A server has no poses: the boxes are where the
// pawn's class places them (R11.3), plus this offset, for example while the body leans.
type BoxCurves struct {
	// Name is the box's name in the class's table.
	Name string
	axes [3]*Curve // nil for none
}

// At returns the offset of the box at a time of the track, in uu forward, right and up relative to its pawn.
func (b *BoxCurves) At(t float64) (offset [3]float64) {
	for i, c := range b.axes {
		if c != nil {
			offset[i] = c.At(t)
		}
	}
	return offset
}

// reach returns an upper bound of the offset.
func (b *BoxCurves) reach() float64 {
	sum := 0.0
	for _, c := range b.axes {
		most := 0.0
		if c != nil {
			for _, k := range c.Keys {
				most = max(most, math.Abs(k.Value))
			}
		}
		sum += most * most
	}
	return math.Sqrt(sum)
}

// takeBox stores a curve as one of a hit box, if its name says so.
func (s *Sequence) takeBox(c *Curve) error {
	rest, ok := strings.CutPrefix(c.Name, boxPrefix)
	if !ok {
		return nil
	}
	dot := strings.LastIndexByte(rest, '.')
	axis := -1
	if dot > 0 {
		axis = strings.Index("XYZ", rest[dot+1:])
	}
	if axis < 0 || len(rest) != dot+2 {
		return fieldErrorf("curve", c.Name, "expected %sNAME.X, .Y or .Z: uu by which the hit box NAME is forward, right or up of its place", boxPrefix)
	}
	for i, k := range c.Keys {
		if math.Abs(k.Value) > maxBoxOffset {
			return fieldErrorf("curve", c.Name, "key %d: expected at most %d uu either way, got %g", i+1, maxBoxOffset, k.Value)
		}
	}
	for i := range s.Boxes {
		if s.Boxes[i].Name == rest[:dot] {
			s.Boxes[i].axes[axis] = c
			return nil
		}
	}
	b := BoxCurves{Name: rest[:dot]}
	b.axes[axis] = c
	s.Boxes = append(s.Boxes, b)
	return nil
}
