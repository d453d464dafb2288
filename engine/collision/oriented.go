package collision

import (
	"math"

	"github.com/tidelock/tidelock/engine/geom"
)

// Oriented makes a [Body] a rotated box around its Centre, instead of a cylinder. The body's Radius and
// HalfHeight still enclose it: [Body.Bounds] is used for the search. The owner of the box may change it between
// queries.
type Oriented struct {
	Axes [3]geom.Vector // of length 1, at right angles
	Half geom.Vector    // half extents along them, uu
}

// maxSides bounds the planes of a box enlarged by an upright cylinder: both directions along the box's axes,
// upright, across those, and between two of them where the enlarged box is round.
const maxSides = 18

// sides returns those directions, one of each pair.
func (o *Oriented) sides(dst *[maxSides / 2]geom.Vector) int {
	n := 0
	add := func(v geom.Vector) {
		size := v.Size()
		if size < 1e-3 || n == len(dst) {
			return
		}
		v = v.Mul(1 / size)
		for _, d := range dst[:n] {
			if math.Abs(d.Dot(v)) > 1-1e-9 {
				return
			}
		}
		dst[n] = v
		n++
	}
	up := geom.V(0, 0, 1)
	for _, a := range o.Axes {
		add(a)
	}
	add(up)
	for _, a := range o.Axes {
		add(a.Cross(up))
	}
	flat := func(v geom.Vector) geom.Vector { return geom.V(v.X, v.Y, 0) }
	i, j := 0, 1 // the two most horizontal axes
	switch {
	case math.Abs(o.Axes[0].Z) > math.Abs(o.Axes[1].Z) && math.Abs(o.Axes[0].Z) > math.Abs(o.Axes[2].Z):
		i, j = 1, 2
	case math.Abs(o.Axes[1].Z) > math.Abs(o.Axes[2].Z):
		i, j = 0, 2
	}
	a, b := flat(o.Axes[i]).Normal(), flat(o.Axes[j]).Normal()
	add(a.Add(b))
	add(a.Sub(b))
	return n
}

// reach returns how far the box enlarged by an upright cylinder extends along a direction.
func (o *Oriented) reach(n geom.Vector, radius, halfHeight float64) float64 {
	return math.Abs(n.Dot(o.Axes[0]))*o.Half.X + math.Abs(n.Dot(o.Axes[1]))*o.Half.Y + math.Abs(n.Dot(o.Axes[2]))*o.Half.Z +
		radius*math.Hypot(n.X, n.Y) + halfHeight*math.Abs(n.Z)
}

// sweepOriented sweeps a point against the box enlarged by the moving cylinder, as [SweepBody] does.
func sweepOriented(start, end geom.Vector, radius, halfHeight float64, b *Body, gap, slack float64) (h BodyHit, hit bool) {
	var dirs [maxSides / 2]geom.Vector
	n := b.Turned.sides(&dirs)
	p, q := start.Sub(b.Centre), end.Sub(b.Centre)
	c := clip{leave: 1, deep: math.Inf(-1), gap: gap, slack: slack}
	for i, d := range dirs[:n] {
		reach := b.Turned.reach(d, radius, halfHeight)
		from, to := d.Dot(p), d.Dot(q)
		if c.plane(int32(2*i), from-reach, to-reach) || c.plane(int32(2*i+1), -from-reach, -to-reach) {
			return h, false
		}
	}
	at, fraction, hit := c.result()
	if !hit {
		return h, false
	}
	normal := dirs[at/2]
	if at%2 == 1 {
		normal = normal.Neg()
	}
	return BodyHit{Fraction: fraction, Location: start.MulAdd(end.Sub(start), fraction), Normal: normal, Depth: max(0, -c.deep)}, true
}

// overlapOriented is [Overlap] with a rotated box as the second body.
func overlapOriented(a, b *Body) (depth float64, normal geom.Vector) {
	var dirs [maxSides / 2]geom.Vector
	n := b.Turned.sides(&dirs)
	d := a.Centre.Sub(b.Centre)
	depth = math.Inf(1)
	for _, s := range dirs[:n] {
		along := s.Dot(d)
		if x := b.Turned.reach(s, a.Radius, a.HalfHeight) - math.Abs(along); x < depth {
			depth, normal = x, s
			if along < 0 {
				normal = s.Neg()
			}
		}
	}
	return depth, normal
}
