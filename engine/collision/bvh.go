package collision

import (
	"math"
	"slices"

	"github.com/tidelock/tidelock/engine/geom"
)

// node of the bounding volume hierarchy. A leaf holds solids[first : first+count]; an inner node has
// count 0 and its children at first and first+1.
type node struct {
	bounds geom.Bounds
	first  int32
	count  int32
}

// solid is a hull prepared for sweeps: the six axial planes as bounds, the others in a run of the world's plane
// array.
type solid struct {
	bounds    geom.Bounds
	first     int32 // into planes
	count     int32
	brush     int32 // the caller's index
	linesPass bool
}

// solids is a set of hulls prepared for sweeps: the static world, or one mover at offset 0.
type solids struct {
	list   []solid
	planes []Plane // planes of list, the axial ones left out
	nodes  []node  // nodes[0] is the root; empty where list is
}

func newSolids(hulls []Hull) solids {
	var s solids
	for i := range hulls {
		h := &hulls[i]
		first := len(s.planes)
		for _, p := range h.Planes {
			if !isBound(p, h.Bounds) {
				s.planes = append(s.planes, p)
			}
		}
		s.list = append(s.list, solid{
			bounds: h.Bounds, first: int32(first), count: int32(len(s.planes) - first),
			brush: int32(i), linesPass: h.LinesPass,
		})
	}
	if len(s.list) > 0 {
		s.nodes = append(make([]node, 0, 2*len(s.list)/leafSize+1), node{count: int32(len(s.list))})
		s.split(0, 0)
	}
	return s
}

// isBound reports whether the bounds already contain the plane.
func isBound(p Plane, b geom.Bounds) bool {
	const eps = 1e-9
	switch {
	case p.Normal.X == 1:
		return p.Dist > b.Max.X-eps
	case p.Normal.X == -1:
		return p.Dist > -b.Min.X-eps
	case p.Normal.Y == 1:
		return p.Dist > b.Max.Y-eps
	case p.Normal.Y == -1:
		return p.Dist > -b.Min.Y-eps
	case p.Normal.Z == 1:
		return p.Dist > b.Max.Z-eps
	case p.Normal.Z == -1:
		return p.Dist > -b.Min.Z-eps
	}
	return false
}

// split computes a node's bounds and divides it if the surface area heuristic finds that cheaper.
func (s *solids) split(at, depth int) {
	const bins = 12
	n := s.nodes[at]
	list := s.list[n.first : n.first+n.count]
	bounds, centres := list[0].bounds, geom.Bounds{}
	centres.Min = list[0].bounds.Centre()
	centres.Max = centres.Min
	for i := range list {
		c := list[i].bounds.Centre()
		bounds = bounds.Union(list[i].bounds)
		centres = centres.Union(geom.Bounds{Min: c, Max: c})
	}
	s.nodes[at].bounds = bounds
	if len(list) <= 2 {
		return
	}
	bestCost, bestAxis, bestCut := math.Inf(1), -1, 0.0
	for axis := range axes {
		lo, hi := component(centres.Min, axis), component(centres.Max, axis)
		if hi-lo < 1e-6 {
			continue
		}
		var count [bins]int
		var box [bins]geom.Bounds
		for i := range list {
			k := min(bins-1, int((component(list[i].bounds.Centre(), axis)-lo)/(hi-lo)*bins))
			if count[k] == 0 {
				box[k] = list[i].bounds
			}
			box[k] = box[k].Union(list[i].bounds)
			count[k]++
		}
		for cut := 1; cut < bins; cut++ {
			left, nLeft := merged(box[:cut], count[:cut])
			right, nRight := merged(box[cut:], count[cut:])
			if nLeft == 0 || nRight == 0 {
				continue
			}
			cost := surface(left)*float64(nLeft) + surface(right)*float64(nRight)
			if cost < bestCost {
				bestCost, bestAxis, bestCut = cost, axis, float64(cut)/bins
			}
		}
	}
	if bestAxis < 0 || len(list) <= leafSize && bestCost >= surface(bounds)*float64(len(list)) {
		if len(list) <= leafSize {
			return
		}
		bestAxis = 0 // all centres are equal: any halves do
	}
	lo, hi := component(centres.Min, bestAxis), component(centres.Max, bestAxis)
	mid := 0
	if depth < sahLevels && hi > lo {
		slices.SortStableFunc(list, func(a, b solid) int {
			return sideOf(a, bestAxis, lo, hi, bestCut, bins) - sideOf(b, bestAxis, lo, hi, bestCut, bins)
		})
		for mid < len(list) && sideOf(list[mid], bestAxis, lo, hi, bestCut, bins) == 0 {
			mid++
		}
	}
	if mid == 0 || mid == len(list) {
		slices.SortStableFunc(list, func(a, b solid) int {
			ca, cb := component(a.bounds.Centre(), bestAxis), component(b.bounds.Centre(), bestAxis)
			switch {
			case ca < cb:
				return -1
			case ca > cb:
				return 1
			}
			return 0
		})
		mid = len(list) / 2
	}
	left := int32(len(s.nodes))
	s.nodes = append(s.nodes,
		node{first: n.first, count: int32(mid)},
		node{first: n.first + int32(mid), count: n.count - int32(mid)})
	s.nodes[at].first, s.nodes[at].count = left, 0
	s.split(int(left), depth+1)
	s.split(int(left)+1, depth+1)
}

// sideOf returns 0 left of the cut and 1 right of it, by the same arithmetic as the bins.
func sideOf(s solid, axis int, lo, hi, cut float64, bins int) int {
	k := min(bins-1, int((component(s.bounds.Centre(), axis)-lo)/(hi-lo)*float64(bins)))
	if float64(k) < math.Round(cut*float64(bins)) {
		return 0
	}
	return 1
}

func merged(boxes []geom.Bounds, counts []int) (b geom.Bounds, n int) {
	for i, c := range counts {
		switch {
		case c == 0:
		case n == 0:
			b = boxes[i]
		default:
			b = b.Union(boxes[i])
		}
		n += c
	}
	return b, n
}

func surface(b geom.Bounds) float64 {
	d := b.Max.Sub(b.Min)
	return d.X*d.Y + d.Y*d.Z + d.Z*d.X
}

func component(v geom.Vector, axis int) float64 {
	switch axis {
	case 0:
		return v.X
	case 1:
		return v.Y
	}
	return v.Z
}
