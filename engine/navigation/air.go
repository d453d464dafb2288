package navigation

import (
	"cmp"
	"math"
	"slices"

	"github.com/tidelock/tidelock/engine/geom"
)

const (
	airShare   = 0.95 // share of Speed that a planned jump may need
	takeoff    = 0.3  // seconds for stopping, looking and landing
	worthwhile = 0.5  // seconds that a jump must save over walking to become a link
)

// JumpVelocity returns the velocity of a jump from one location to another (Unreal's SuggestJumpVelocity);
// false if that is too far or too high. A pawn that takes a link of kind [Jump] gets it and falls.
func (g *Graph) JumpVelocity(from, to geom.Vector) (geom.Vector, bool) {
	return g.launch(from, to, g.opt.JumpZ)
}

// DropVelocity returns the velocity with which a pawn that steps off an edge lands at a location below; false
// if that is too far or not below. A pawn that takes a link of kind [Drop] walks on and gets it as soon as it
// falls.
func (g *Graph) DropVelocity(from, to geom.Vector) (geom.Vector, bool) {
	return g.launch(from, to, 0)
}

func (g *Graph) launch(from, to vec, up float64) (vec, bool) {
	t := g.airTime(to.Z-from.Z, up)
	way := to.Sub(from)
	way.Z = 0
	if !(t > 0) || way.Size() > t*g.opt.Speed {
		return vec{}, false
	}
	v := way.Mul(1 / t)
	v.Z = up
	return v, true
}

// airTime returns the time until a jump lands at a height above its start; 0 for never.
func (g *Graph) airTime(rise, up float64) float64 {
	d := up*up + 2*g.opt.Gravity*rise
	if d < 0 || g.opt.Gravity >= 0 || up < 0 {
		return 0
	}
	return (up + math.Sqrt(d)) / -g.opt.Gravity
}

// leap is a candidate for a link.
type leap struct {
	to      NodeID
	kind    Kind
	seconds float64
	octant  int
}

// linkAir adds drops and jumps. It searches them where open floor ends: between small squares with a side to
// which no walk leads.
func (b *builder) linkAir() {
	if b.opt.Gravity >= 0 {
		return
	}
	reach := b.opt.Speed * math.Max(b.airTime(0, math.Max(b.opt.JumpZ, 0)), 1)
	edges := b.edges()
	buckets := map[[2]int][]NodeID{}
	place := func(at vec) [2]int { return [2]int{int(math.Floor(at.X / reach)), int(math.Floor(at.Y / reach))} }
	for _, id := range edges {
		p := place(b.nodes[id].Location)
		buckets[p] = append(buckets[p], id)
	}
	walk := b.links // as they are now: a jump is compared with walking
	walks := make([][]Link, len(walk))
	for i := range walk {
		walks[i] = standing(walk[i])
	}
	s := newSearch(len(b.nodes))
	var list []leap
	reached := b.reached()
	// A location that nobody can reach needs no jumps. A jump may reach more edges, including earlier ones.
	for i, done := 0, make([]bool, len(b.nodes)); i < len(edges); i++ {
		from := edges[i]
		if b.tired() {
			return
		}
		if done[from] || !reached[from] {
			continue
		}
		done[from] = true
		at := b.nodes[from].Location
		p := place(at)
		list = list[:0]
		s.flood(walks, from, 2*reach/b.opt.Speed+worthwhile)
		for x := p[0] - 1; x <= p[0]+1; x++ {
			for y := p[1] - 1; y <= p[1]+1; y++ {
				for _, to := range buckets[[2]int{x, y}] {
					list = b.appendLeaps(list, s, from, to, at, reach)
				}
			}
		}
		// The quickest first; one of each kind in each of eight directions.
		slices.SortStableFunc(list, func(l, o leap) int {
			return cmp.Or(cmp.Compare(l.seconds, o.seconds), cmp.Compare(l.to, o.to))
		})
		var have [8][4]bool
		for _, l := range list {
			if !have[l.octant][l.kind] && b.lands(at, b.nodes[l.to].Location, l.kind) {
				have[l.octant][l.kind] = true
				b.addLink(from, l.to, l.kind, l.seconds)
				if !reached[l.to] {
					b.spread(reached, l.to)
					i = -1
				}
			}
		}
	}
}

func (b *builder) appendLeaps(list []leap, s *search, from, to NodeID, at vec, reach float64) []leap {
	way := b.nodes[to].Location.Sub(at)
	far := way.Size2D()
	if to == from || far > reach || far < 1 || -way.Z > b.opt.MaxDrop {
		return list
	}
	octant := int(math.Floor(math.Atan2(way.Y, way.X)/(math.Pi/4)+8)) % 8
	walk := s.cost(to)
	add := func(kind Kind, up, seconds float64) {
		if t := b.airTime(way.Z, up); t > 0 && far <= seconds*b.opt.Speed && walk > seconds+worthwhile {
			list = append(list, leap{to, kind, seconds, octant})
		}
	}
	if way.Z < -b.opt.StepHeight {
		add(Drop, 0, far/b.opt.Speed+b.airTime(way.Z, 0)+takeoff)
	}
	if t := b.airTime(way.Z, b.opt.JumpZ); far <= t*b.opt.Speed*airShare {
		add(Jump, b.opt.JumpZ, t+takeoff)
	}
	return list
}

// lands reports whether a drop or jump arrives.
func (b *builder) lands(from, to vec, kind Kind) bool {
	b.look(from, to.Add(to.Sub(from)), b.beside()) // twice the distance: a pawn that flies too far may walk back
	var v vec
	ok := false
	if kind == Drop {
		end, out := b.body.walk(from, to)
		if out != ledge {
			return false
		}
		from = end
		v, ok = b.DropVelocity(from, to)
	} else {
		v, ok = b.JumpVelocity(from, to)
	}
	if !ok {
		return false
	}
	at, ok := b.body.fly(from, v, b.opt.Gravity, b.opt.MaxDrop)
	return ok && b.body.walks(at, to)
}

// edges returns the nodes beside which open floor ends.
func (b *builder) edges() []NodeID {
	var list []NodeID
	for id := range b.nodes {
		n := &b.nodes[id]
		if n.Mover != 0 || n.Low || n.Size > b.opt.Spacing*2 {
			continue
		}
		var side [8]bool
		for _, l := range b.links[id] {
			way := b.nodes[l.To].Location.Sub(n.Location)
			side[int(math.Floor(math.Atan2(way.Y, way.X)/(math.Pi/4)+8.5))%8] = true
		}
		if side != [8]bool{true, true, true, true, true, true, true, true} {
			list = append(list, NodeID(id))
		}
	}
	return list
}
