package collision

import (
	"math"

	"github.com/tidelock/tidelock/engine/geom"
)

// Contact is the deepest overlap of a box with a hull.
type Contact struct {
	Depth  float64     // uu; 0 if there is none
	Normal geom.Vector // the shortest direction out of that hull
	Brush  int32       // NoBrush if there is none
	Mover  int32       // 0 for a static hull
}

// Overlaps reports whether the box overlaps something by more than a touch (1/1000 uu). Half extents of 0 query
// a point.
func (q *Query) Overlaps(centre, half geom.Vector, f Filter) bool {
	return q.Deepest(centre, half, f).Depth > touch
}

// Deepest returns the deepest overlap of the box with any one hull: for each the shortest separation (exact
// because of the bevels), and of these the longest.
func (q *Query) Deepest(centre, half geom.Vector, f Filter) Contact {
	best := Contact{Brush: NoBrush}
	if !f.NoStatic {
		q.Work += best.look(&q.World.static, centre, half, 0)
	}
	if !f.NoMovers {
		q.Work += workNode * uint64(len(q.World.movers))
		box := geom.BoundsAround(centre, half)
		for i := range q.World.movers {
			m := &q.World.movers[i]
			if !m.off && m.id != f.Ignore && m.bounds.Overlaps(box) {
				q.Work += best.look(&m.solids, centre.Sub(m.offset), half, m.id)
			}
		}
	}
	return best
}

// MoverDepth is Deepest against only that mover, solid or not.
func (q *Query) MoverDepth(id int32, centre, half geom.Vector) Contact {
	best := Contact{Brush: NoBrush}
	m := q.World.mover(id)
	q.Work += best.look(&m.solids, centre.Sub(m.offset), half, id)
	return best
}

// Depenetrate finds a short displacement, at most limit uu, out of everything the box overlaps, so that it ends
// at least about Gap away from all of that. The vector is zero with ok true if the box overlaps nothing. It
// first follows the shortest separations, deepest hull first; if those alternate it searches around in growing
// steps.
func (q *Query) Depenetrate(centre, half geom.Vector, limit float64, f Filter) (way geom.Vector, ok bool) {
	const rounds = 12
	at := centre
	for range rounds {
		c := q.Deepest(at, half, f)
		if c.Depth <= touch {
			if at.Distance(centre) <= limit {
				return at.Sub(centre), true
			}
			break
		}
		at = at.MulAdd(c.Normal, c.Depth+Gap)
	}
	for step := 1.0; step <= limit; step *= 1.5 {
		for _, d := range around {
			if at := centre.MulAdd(d, step); !q.Overlaps(at, half, f) {
				return at.Sub(centre), true
			}
		}
	}
	return geom.Vector{}, false
}

// around lists the directions in which to search for room: up first (bodies sink into floors), then horizontal,
// then the rest.
var around = func() (dirs []geom.Vector) {
	dirs = append(dirs, geom.V(0, 0, 1))
	for _, z := range []float64{0, 1, -1} {
		for i := range 8 {
			s, c := math.Sincos(float64(i) * math.Pi / 4)
			dirs = append(dirs, geom.V(c, s, z).Normal())
		}
	}
	return append(dirs, geom.V(0, 0, -1))
}()

// look returns the cost of what it examined, in WorkUnits.
func (c *Contact) look(set *solids, centre, half geom.Vector, mover int32) (work uint64) {
	if len(set.nodes) == 0 {
		return 0
	}
	box := geom.BoundsAround(centre, half)
	var stack [maxDepth]int32
	n := 1
	for n > 0 {
		n--
		node := &set.nodes[stack[n]]
		work += workNode
		if !node.bounds.Overlaps(box) {
			continue
		}
		if node.count == 0 {
			stack[n], stack[n+1] = node.first+1, node.first
			n += 2
			continue
		}
		for i := node.first; i < node.first+node.count; i++ {
			b := &set.list[i]
			planes := set.planes[b.first : b.first+b.count]
			work += workSolid + uint64(b.count)/2
			depth, at := b.depth(planes, centre, half, c.Depth)
			if depth > c.Depth || depth == c.Depth && depth > 0 && mover == c.Mover && b.brush < c.Brush {
				*c = Contact{depth, planeNormal(at, planes), b.brush, mover}
			}
		}
	}
	return work
}

// depth returns the shortest distance out of the solid and the plane it leads over; it may stop below floor.
func (b *solid) depth(planes []Plane, centre, half geom.Vector, floor float64) (depth float64, at int32) {
	depth = math.Inf(1)
	heights := [6]float64{
		centre.X - half.X - b.bounds.Max.X, b.bounds.Min.X - centre.X - half.X,
		centre.Y - half.Y - b.bounds.Max.Y, b.bounds.Min.Y - centre.Y - half.Y,
		centre.Z - half.Z - b.bounds.Max.Z, b.bounds.Min.Z - centre.Z - half.Z,
	}
	for i, h := range heights {
		if -h < depth {
			depth, at = -h, int32(i)
		}
	}
	for i := range planes {
		if depth < floor || depth <= 0 {
			break
		}
		if h := planes[i].heightOfBox(centre, half); -h < depth {
			depth, at = -h, int32(6+i)
		}
	}
	return depth, at
}

// AppendStatic adds to dst the indices, as given to [NewWorld], of the static hulls whose bounds share a point with a
// box, in a fixed order.
func (w *World) AppendStatic(dst []int32, box geom.Bounds) []int32 {
	set := &w.static
	if len(set.nodes) == 0 {
		return dst
	}
	var stack [maxDepth]int32
	n := 1
	for n > 0 {
		n--
		node := &set.nodes[stack[n]]
		if !node.bounds.Overlaps(box) {
			continue
		}
		if node.count == 0 {
			stack[n], stack[n+1] = node.first+1, node.first
			n += 2
			continue
		}
		for i := node.first; i < node.first+node.count; i++ {
			if set.list[i].bounds.Overlaps(box) {
				dst = append(dst, set.list[i].brush)
			}
		}
	}
	return dst
}
