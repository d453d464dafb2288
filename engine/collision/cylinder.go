package collision

import (
	"math"

	"github.com/tidelock/tidelock/engine/geom"
)

// Body is an upright cylinder, or a turned box.
type Body struct {
	Centre     geom.Vector
	Radius     float64 // uu, ≥ 0
	HalfHeight float64 // uu, ≥ 0
	// Mask holds the caller's kinds; a query meets bodies that share a bit with its own mask.
	Mask uint32
	// Turned, if not nil, makes the body a rotated box, which Radius and HalfHeight enclose.
	Turned *Oriented
}

// Bounds returns the bounds of the cylinder.
func (b *Body) Bounds() geom.Bounds {
	return geom.BoundsAround(b.Centre, geom.V(b.Radius, b.Radius, b.HalfHeight))
}

// BodyHit is the result of a sweep of a cylinder against cylinders.
type BodyHit struct {
	ID       int32       // 0 where nothing was hit
	Fraction float64     // free share of the movement, 0 to 1
	Location geom.Vector // location of the centre at the end
	Normal   geom.Vector // away from the body hit, length 1
	Depth    float64     // uu, how deep the start was in the body hit; 0 if it was outside
}

// Overlap returns how deep two cylinders overlap (the shortest separation, uu; negative if they are apart) and
// the direction in which it moves the first out of the second.
func Overlap(a, b *Body) (depth float64, normal geom.Vector) {
	switch {
	case b.Turned != nil:
		return overlapOriented(a, b)
	case a.Turned != nil:
		depth, normal = overlapOriented(b, a)
		return depth, normal.Neg()
	}
	d := a.Centre.Sub(b.Centre)
	flat := d.Size2D()
	depth, normal = a.Radius+b.Radius-flat, d.Normal2D()
	if normal.IsZero() {
		normal = geom.V(1, 0, 0)
	}
	if z := a.HalfHeight + b.HalfHeight - math.Abs(d.Z); z < depth {
		depth, normal = z, geom.V(0, 0, math.Copysign(1, d.Z))
	}
	return depth, normal
}

// SweepBody moves an upright cylinder from start to end against one body, with the guarantees of [Query.Sweep]:
// it keeps the distance Gap, and one that starts inside can leave and not go deeper. hit is false if nothing
// stops it.
func SweepBody(start, end geom.Vector, radius, halfHeight float64, b *Body) (h BodyHit, hit bool) {
	return sweepCylinder(start, end, radius, halfHeight, b, Gap, slack)
}

// sweepCylinder sweeps a point against the body grown by the moving one: two planes and a circle, cut by the
// same rules as hulls.
func sweepCylinder(start, end geom.Vector, radius, halfHeight float64, b *Body, gap, slack float64) (h BodyHit, hit bool) {
	if b.Turned != nil {
		return sweepOriented(start, end, radius, halfHeight, b, gap, slack)
	}
	p, d := start.Sub(b.Centre), end.Sub(start)
	r, half := radius+b.Radius, halfHeight+b.HalfHeight

	c := clip{leave: 1, deep: math.Inf(-1), gap: gap, slack: slack}
	if c.plane(0, p.Z-half, p.Z-half+d.Z) || c.plane(1, -p.Z-half, -p.Z-half-d.Z) {
		return h, false
	}
	const side = 2
	a := d.X*d.X + d.Y*d.Y
	along := p.X*d.X + p.Y*d.Y // < 0: towards the axis
	flat := p.Size2D()
	from := flat - r
	// The circle's height at the end represents its lowest along the movement: at the end or where it passes
	// the axis.
	lowest := from
	if along < 0 {
		t := min(1, -along/a)
		lowest = math.Hypot(p.X+d.X*t, p.Y+d.Y*t) - r
	}
	if from > c.deep {
		c.deep, c.deepAt, c.deepTo = from, side, lowest
	}
	if from > -slack && (lowest >= gap || lowest >= from-parallelAt(from)) {
		return h, false
	}
	// Roots of |p + d·t| = R: R is r + gap for entering; a start outside the circle also leaves the gap. Unlike
	// a plane, one straight movement can both enter and leave a circle.
	reach := r + gap
	if from <= 0 {
		reach = r
	}
	root := along*along - a*(flat*flat-reach*reach)
	switch {
	case from > gap:
		if root <= 0 {
			return h, false
		}
		if f := (-along - math.Sqrt(root)) / a; f > c.enter || !c.started {
			c.enter, c.entered, c.started = max(0, f), side, true
		}
	case from > 0:
		if !c.started || c.enter == 0 && from > c.shell {
			c.entered, c.started = side, true
		}
	}
	if a > 0 {
		c.leave = min(c.leave, (-along+math.Sqrt(max(0, root)))/a)
	}
	at, fraction, hit := c.result()
	if !hit {
		return h, false
	}
	h = BodyHit{Fraction: fraction, Location: start.MulAdd(d, fraction), Depth: max(0, -c.deep)}
	switch at {
	case 0:
		h.Normal = geom.V(0, 0, 1)
	case 1:
		h.Normal = geom.V(0, 0, -1)
	default:
		h.Normal = p.MulAdd(d, fraction).Normal2D()
	}
	return h, true
}
