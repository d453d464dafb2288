package animation

import (
	"math"
	"strings"
)

// maxBoxOffset bounds how far a track moves a hit box along each direction, in uu.
const maxBoxOffset = 1000

// boxPrefix begins the names of curves that move hit boxes: Box.head.X.
const boxPrefix = "Box."

// BoxCurves is how a track moves a hit box of anyone who plays it. A server knows no pose: the boxes stand where the pawn's
// class says (R11.3), and by as much as this elsewhere while the body leans, say.
type BoxCurves struct {
	// Name is the box's, in the class's table.
	Name string
	axes [3]*Curve // nil for none
}

// At is how far the box is from its place at a time of the track, in uu forward, right and up as its pawn sees it.
func (b *BoxCurves) At(t float64) (offset [3]float64) {
	for i, c := range b.axes {
		if c != nil {
			offset[i] = c.At(t)
		}
	}
	return offset
}

// reach is at least the longest offset.
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

// takeBox makes a curve one of a hit box, if its name says so.
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
