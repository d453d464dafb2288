package navigation

import (
	"math"
	"slices"

	"github.com/tidelock/tidelock/engine/collision"
	"github.com/tidelock/tidelock/engine/geom"
)

const (
	wideHalfHeight = 60 // uu; half the height of a vehicle with its driver
	wideStep       = 20 // uu that wheels climb
	wideStride     = 128
	verge          = 8    // uu; half the width of the strip that must be floor on either side
	widePull       = 1500 // uu that a wide path is straightened at once
)

// wheels returns the body of a vehicle, among the brushes of b. Its centre is wideHalfHeight above the floor,
// lower than that of a node.
func (b *body) wheels(radius float64) body {
	w := *b
	w.half = vec{X: radius, Y: radius, Z: wideHalfHeight}
	w.step = wideStep
	return w
}

// lowered converts a location of a standing body into one of a body of wheels.
func (g *Graph) lowered(at vec) vec {
	at.Z += wideHalfHeight - g.opt.HalfHeight
	return at
}

// roomy places a body of wheels at a node and returns where it stands: on slopes higher than a narrow body.
// False if there is no room, or no floor below one of its corners.
func (g *Graph) roomy(w *body, n *Node) (vec, bool) {
	if n.Mover != 0 || n.Low {
		return vec{}, false
	}
	at, r := g.lowered(n.Location), w.half.X
	rise := r * 0.6 // of a slope of 30 degrees, from the centre to a corner
	h := w.sweep(at.Add(vec{Z: rise}), at.Sub(vec{Z: w.step}))
	if !w.stands(&h) || h.Normal.Z > 0.99 && h.Location.Z > at.Z+w.step {
		return vec{}, false // it stands on something beside the node
	}
	if n.Size/2 < r {
		o := *w
		o.half = vec{X: verge, Y: verge, Z: verge}
		for _, d := range [...]vec{{X: r, Y: r}, {X: -r, Y: r}, {X: r, Y: -r}, {X: -r, Y: -r}} {
			from := at.Add(d)
			down := o.sweep(from.Add(vec{Z: rise}), from.Sub(vec{Z: wideHalfHeight + 2*rise}))
			w.q.Sweeps = o.q.Sweeps
			if !o.stands(&down) {
				return vec{}, false
			}
		}
	}
	return h.Location, true
}

// widen marks the links along which a vehicle as wide as Options.WideRadius can drive.
func (b *builder) widen() {
	w := b.body.wheels(b.opt.WideRadius)
	stands := make([]vec, len(b.nodes))
	ok := make([]bool, len(b.nodes))
	within := b.opt.WideRadius + verge + 2
	for id := range b.nodes {
		at := b.nodes[id].Location
		b.look(at, at, within)
		w.q.World = b.body.q.World
		stands[id], ok[id] = b.roomy(&w, &b.nodes[id])
		b.rest(w.q.Sweeps)
	}
	for id := range b.links {
		b.rest(w.q.Sweeps)
		for i := range b.links[id] {
			l := &b.links[id][i]
			if l.Kind != Walk || l.Low || !ok[id] || !ok[l.To] {
				continue
			}
			b.look(stands[id], stands[l.To], within)
			w.q.World = b.body.q.World
			_, out := w.walkBy(wideStride, stands[id], stands[l.To])
			l.Wide = out == arrived
		}
	}
	b.body.q = collision.Query{World: b.whole, Sweeps: w.q.Sweeps}
}

// drives reports whether a body of wheels can move straight between two locations, given as a standing body's:
// nothing is in its way, and there is floor below both its sides.
func (g *Graph) drives(from, to vec) bool {
	w := g.body.wheels(g.opt.WideRadius)
	defer func() { g.body.q.Sweeps, g.body.q.Work = w.q.Sweeps, w.q.Work }()
	from, to = g.lowered(from), g.lowered(to)
	h := w.sweep(from.Add(vec{Z: w.half.X * 0.6}), from)
	if h.StartSolid {
		return false
	}
	if _, out := w.walk(h.Location, to); out != arrived {
		return false
	}
	way := to.Sub(from)
	aside := vec{X: -way.Y, Y: way.X}.Normal().Mul(w.half.X - verge)
	w.half.X, w.half.Y = verge, verge
	for _, side := range [...]vec{aside, aside.Mul(-1)} {
		if _, out := w.walk(from.Add(side), to.Add(side)); out != arrived {
			return false
		}
	}
	return true
}

// WidePath returns the shortest path for a vehicle as wide as Options.WideRadius: only walks, none of them
// narrow. If none leads to the location itself it leads as near as possible, and is Partial. False if it cannot
// drive at all from its start. Seconds are a Character's.
func (g *Graph) WidePath(from, to geom.Vector) (Path, bool) {
	if len(g.nodes) == 0 || !from.IsFinite() || !to.IsFinite() {
		return Path{}, false
	}
	from, _ = g.settle(from)
	to, _ = g.settle(to)
	if from.Distance(to) < widePull && g.drives(from, to) {
		t := to.Sub(from).Size2D() / g.opt.Speed
		return Path{Steps: []Step{{Kind: Walk, To: to, Seconds: t}}, Seconds: t}, true
	}
	s := g.newSearch()
	rest := func(id NodeID) float64 { return g.nodes[id].Location.Sub(to).Size2D() / g.fastest }
	for _, id := range g.near(from, false) {
		if at := g.nodes[id].Location; slices.ContainsFunc(g.links[id], func(l Link) bool { return l.Wide }) && g.body.walks(from, at) {
			s.offer(id, None, 0, at.Sub(from).Size2D()/g.opt.Speed, rest(id))
		}
	}
	var last []NodeID
	for _, id := range g.near(to, false) {
		if g.nodes[id].Mover == 0 && g.drives(g.nodes[id].Location, to) {
			last = append(last, id)
		}
	}
	end, least, exact := None, math.Inf(1), false
	for id := s.next(); id != None && !exact; id = s.next() {
		exact = slices.Contains(last, id)
		if far := g.nodes[id].Location.Distance(to); exact || far < least {
			end, least = id, far
		}
		g.looked += workSearch + 4*workLink*uint64(len(g.links[id]))
		for i, l := range g.links[id] {
			if l.Wide {
				s.offer(l.To, id, int32(i), s.best[id]+l.Seconds, rest(l.To))
			}
		}
	}
	if end == None {
		return Path{}, false
	}
	var raw []Step
	if exact {
		raw = append(raw, Step{Kind: Walk, To: to})
	}
	for id := end; id != None; id = s.from[id] {
		raw = append(raw, Step{Kind: Walk, To: g.nodes[id].Location})
	}
	slices.Reverse(raw)
	p := g.pull(from, raw, func(a, b vec, _ bool) bool { return a.Distance(b) < widePull && g.drives(a, b) })
	p.Partial = !exact
	return p, true
}
