package collision

import "github.com/tidelock/tidelock/engine/geom"

// Near copies into near all solids within a rectangle seen from above: from min to max, at any height. Sweeps
// whose enlarged box stays over the rectangle hit the same in it, faster if they are many and the rectangle is
// small. Movers are copied as they are now; near is valid until one is moved, added or removed. Its storage is
// reused, so one near serves many calls.
func (w *World) Near(near *World, lo, hi geom.Vector) {
	set := &near.static
	set.list, set.planes, set.nodes = set.list[:0], w.static.planes, set.nodes[:0]
	over := func(b *geom.Bounds) bool {
		return b.Min.X <= hi.X && b.Max.X >= lo.X && b.Min.Y <= hi.Y && b.Max.Y >= lo.Y
	}
	var stack [maxDepth]int32
	bounds := geom.Bounds{}
	for n := min(len(w.static.nodes), 1); n > 0; {
		n--
		from := &w.static.nodes[stack[n]]
		if !over(&from.bounds) {
			continue
		}
		if from.count == 0 {
			stack[n], stack[n+1] = from.first, from.first+1
			n += 2
			continue
		}
		for i := from.first; i < from.first+from.count; i++ {
			b := &w.static.list[i]
			if !over(&b.bounds) {
				continue
			}
			if len(set.list) == 0 {
				bounds = b.bounds
			}
			bounds = bounds.Union(b.bounds)
			set.list = append(set.list, *b)
		}
	}
	if len(set.list) > 0 {
		set.nodes = append(set.nodes, node{bounds: bounds, count: int32(len(set.list))})
	}
	near.movers = near.movers[:0]
	for i := range w.movers {
		if over(&w.movers[i].bounds) {
			near.movers = append(near.movers, w.movers[i])
		}
	}
}
