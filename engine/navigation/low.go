package navigation

import (
	"github.com/tidelock/tidelock/engine/collision"
)

// Where a body cannot stand it may crouch. All locations are those of a standing body, so that the heights of a
// path do not depend on crouching; only the queries of the level use the lower body.

// crouching returns the crouching body, among the brushes of b; false if it never crouches.
func (g *Graph) crouching() (body, bool) {
	w := g.body
	w.half.Z = g.opt.CrouchHalfHeight
	return w, w.half.Z > 0 && w.half.Z < g.opt.HalfHeight
}

// less returns how far the centre of a crouching body is below that of a standing one.
func (g *Graph) less() vec { return vec{Z: g.opt.HalfHeight - g.opt.CrouchHalfHeight} }

// crouches reports whether a body can move straight from one location to another crouching, and whether that is
// safe.
func (g *Graph) crouches(from, to vec) (walks, safe bool) {
	w, can := g.crouching()
	if !can {
		return false, false
	}
	walks, safe = w.link(from.Sub(g.less()), to.Sub(g.less()))
	g.body.q.Sweeps, g.body.q.Work = w.q.Sweeps, w.q.Work
	return walks, safe
}

// straight reports whether a body can move safely straight from one location to another, crouching or standing.
func (g *Graph) straight(from, to vec, low bool) bool {
	if !low {
		return g.body.safe(from, to)
	}
	_, safe := g.crouches(from, to)
	return safe
}

// walkTime returns the duration of a straight walk.
func (g *Graph) walkTime(from, to vec, low bool) float64 {
	t := to.Sub(from).Size2D() / g.opt.Speed
	if low {
		t /= g.opt.CrouchSpeed
	}
	return t
}

// settleLow is settle where there is no room to stand: at is the location of a crouching pawn, or of an item.
func (g *Graph) settleLow(at vec) (on vec, low bool) {
	w, can := g.crouching()
	if !can {
		return at, false
	}
	deep := vec{Z: 2 * w.half.Z}
	h := w.sweep(at, at.Sub(deep))
	if h.StartSolid { // the ceiling may be very low: an item is moved to the height that the floor gives
		thin := w
		thin.half = vec{X: 1, Y: 1, Z: 1}
		floor := thin.sweep(at, at.Sub(deep))
		up := floor.Location.Add(vec{Z: w.half.Z - thin.half.Z + collision.Gap})
		w.q.Sweeps = thin.q.Sweeps
		h = w.sweep(up, up.Sub(deep))
	}
	g.body.q.Sweeps = w.q.Sweeps
	if !w.stands(&h) {
		return at, false
	}
	return h.Location.Add(g.less()), true
}

// dropLow lets a crouching body fall, and creates a node where it lands and cannot stand, unless the square has
// one from which it gets there and back.
func (b *builder) dropLow(in int32, from vec) {
	w, can := b.crouching()
	if !can || from.Z <= b.low {
		return
	}
	defer func() { b.body.q.Sweeps = max(b.body.q.Sweeps, w.q.Sweeps) }()
	h := w.sweep(from, vec{X: from.X, Y: from.Y, Z: b.low})
	at := h.Location.Add(b.less())
	if !w.stands(&h) || at.Z < b.killZ {
		return
	}
	b.body.q.Sweeps = w.q.Sweeps
	if up := b.body.sweep(at, at.Add(vec{Z: collision.Gap})); !up.StartSolid {
		return // it can stand: that is another cell's floor, or none
	}
	for _, id := range b.cells[in].nodes {
		o := b.nodes[id].Location
		if o.Distance(at) < 1 {
			return
		}
		if there, _ := b.crouches(at, o); there {
			if back, _ := b.crouches(o, at); back {
				return
			}
		}
	}
	w.q.Sweeps = b.body.q.Sweeps
	if !w.firm(h.Location) {
		return
	}
	if id := b.addNode(Node{Location: at, Low: true, Size: b.cells[in].size}); id != None {
		b.cells[in].nodes = append(b.cells[in].nodes, id)
	}
}

// linkLow links two nodes in the directions in which a crouching body can move.
func (b *builder) linkLow(a, o NodeID) {
	for _, l := range [...][2]NodeID{{a, o}, {o, a}} {
		from, to := b.nodes[l[0]].Location, b.nodes[l[1]].Location
		walks, safe := b.crouches(from, to)
		if !walks {
			continue
		}
		seconds := b.walkTime(from, to, true)
		if !safe {
			seconds *= narrow
		}
		b.addLink(l[0], l[1], Walk, seconds)
		list := b.links[l[0]]
		list[len(list)-1].Low = true
	}
}

// standing returns those links that do not require crouching.
func standing(links []Link) []Link {
	var out []Link
	for _, l := range links {
		if !l.Low {
			out = append(out, l)
		}
	}
	return out
}
