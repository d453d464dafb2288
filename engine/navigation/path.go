package navigation

import (
	"cmp"
	"math"
	"slices"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/engine/geom"
)

// Path is a path from one location to another. The zero value is none.
type Path struct {
	Steps   []Step
	Seconds float64 // at full speed, waiting included
	// Partial says that the requested location cannot be reached by walking from a node near it: the path ends
	// at the node nearest to it.
	Partial bool
}

// Step is a straight part of a path.
type Step struct {
	Kind Kind
	// To is the location of the body's centre at its end.
	To geom.Vector
	// Low says that it requires crouching; To is still the centre of a standing body.
	Low bool
	// Mover is the lift that a step of kind Lift waits on, or that a Walk leads onto or off; a Walk onto it
	// must wait until it is where the step ends. 0 for other steps.
	Mover   engine.ActorID
	Seconds float64
}

const (
	doors   = 8    // nodes tried as the first or the last of a path
	pullFar = 2000 // uu that a path is straightened at once
)

// search implements A* and the search without a goal; it is reset by a counter, not by clearing.
type search struct {
	best []float64
	from []NodeID
	via  []int32 // index of the link
	seen []uint32
	done []uint32
	turn uint32
	heap []entry
}

type entry struct {
	key float64
	id  NodeID
}

func newSearch(n int) *search {
	return &search{best: make([]float64, n), from: make([]NodeID, n), via: make([]int32, n), seen: make([]uint32, n), done: make([]uint32, n)}
}

// newSearch begins a search in the graph; it ends the previous one and reuses its memory.
func (g *Graph) newSearch() *search {
	if g.search == nil {
		g.search = newSearch(len(g.nodes))
	}
	g.looked += 2 * uint64(len(g.nodes))
	g.search.reset()
	return g.search
}

func (s *search) reset() {
	s.turn++
	s.heap = s.heap[:0]
}

// cost returns the cost of reaching a node, infinite if the search did not reach it.
func (s *search) cost(id NodeID) float64 {
	if s.seen[id] != s.turn {
		return math.Inf(1)
	}
	return s.best[id]
}

func (s *search) offer(id, from NodeID, via int32, cost, rest float64) {
	if cost >= s.cost(id) {
		return
	}
	s.seen[id], s.best[id], s.from[id], s.via[id] = s.turn, cost, from, via
	s.heap = append(s.heap, entry{cost + rest, id})
	for i := len(s.heap) - 1; i > 0 && less(s.heap[i], s.heap[(i-1)/2]); i = (i - 1) / 2 {
		s.heap[i], s.heap[(i-1)/2] = s.heap[(i-1)/2], s.heap[i]
	}
}

func less(a, b entry) bool { return a.key < b.key || a.key == b.key && a.id < b.id }

// next returns the cheapest node that was not processed yet, or None.
func (s *search) next() NodeID {
	for len(s.heap) > 0 {
		top := s.heap[0]
		last := len(s.heap) - 1
		s.heap[0] = s.heap[last]
		s.heap = s.heap[:last]
		for i := 0; ; {
			c := 2*i + 1
			if c >= last {
				break
			}
			if c+1 < last && less(s.heap[c+1], s.heap[c]) {
				c++
			}
			if !less(s.heap[c], s.heap[i]) {
				break
			}
			s.heap[i], s.heap[c] = s.heap[c], s.heap[i]
			i = c
		}
		if s.done[top.id] != s.turn {
			s.done[top.id] = s.turn
			return top.id
		}
	}
	return None
}

// flood computes the costs of all nodes within so many seconds of one.
func (s *search) flood(links [][]Link, from NodeID, within float64) {
	s.reset()
	s.offer(from, None, 0, 0, 0)
	for id := s.next(); id != None; id = s.next() {
		for i, l := range links[id] {
			if c := s.best[id] + l.Seconds; c <= within {
				s.offer(l.To, id, int32(i), c, 0)
			}
		}
	}
}

// Nearest returns the node nearest to a location, preferring those among the first few that are connected to it
// by a straight walk in either direction; false for an empty graph.
func (g *Graph) Nearest(at geom.Vector) (NodeID, bool) {
	place, low := g.settle(at)
	if low {
		at = place
	}
	list := g.near(at, low)
	for _, id := range list {
		n := g.nodes[id].Location
		if low {
			if there, _ := g.crouches(at, n); there {
				return id, true
			}
		} else if g.body.walks(at, n) || g.body.walks(n, at) {
			return id, true
		}
	}
	if len(list) == 0 {
		return None, false
	}
	return list[0], true
}

// near returns the few nodes whose squares are nearest, height counting double; low ones if low is set.
func (g *Graph) near(at vec, low bool) []NodeID {
	type found struct {
		far, mid float64
		id       NodeID
	}
	if !at.IsFinite() {
		return nil
	}
	var best [doors + 1]found
	list := best[:0]
	reach := math.Inf(1) // no node farther in X is one of the nearest
	look := func(id NodeID) {
		g.looked += workNear
		n := &g.nodes[id]
		if n.Low && !low {
			return
		}
		d := n.Location.Sub(at)
		outX, outY, up := math.Max(0, math.Abs(d.X)-n.Size/2), math.Max(0, math.Abs(d.Y)-n.Size/2), 2*math.Max(0, math.Abs(d.Z)-g.opt.StepHeight)
		if len(list) == doors && math.Max(outX, outY)+up > list[doors-1].far {
			return // the usual case: saves the square root
		}
		f := found{math.Hypot(outX, outY) + up, d.Size(), id}
		i, _ := slices.BinarySearchFunc(list, f, func(a, b found) int {
			return cmp.Or(cmp.Compare(a.far, b.far), cmp.Compare(a.mid, b.mid), cmp.Compare(a.id, b.id))
		})
		if i == doors {
			return
		}
		list = slices.Insert(list, i, f)
		if len(list) >= doors {
			list = list[:doors]
			reach = list[doors-1].far + g.widest/2
		}
	}
	up, _ := slices.BinarySearchFunc(g.byX, at.X, func(id NodeID, x float64) int { return cmp.Compare(g.nodes[id].Location.X, x) })
	down := up - 1
	for up < len(g.byX) || down >= 0 { // outwards on both sides
		if up < len(g.byX) {
			if id := g.byX[up]; g.nodes[id].Location.X-at.X > reach {
				up = len(g.byX)
			} else {
				look(id)
				up++
			}
		}
		if down >= 0 {
			if id := g.byX[down]; at.X-g.nodes[id].Location.X > reach {
				down = -1
			} else {
				look(id)
				down--
			}
		}
	}
	out := make([]NodeID, len(list))
	for i := range list {
		out[i] = list[i].id
	}
	return out
}

// settle moves a location onto the floor below it, if there is one within a body's height. A location too near
// the floor for a body's centre is that of an item that lies there, which is a valid goal. If there is room to
// crouch but not to stand, the location is low.
func (g *Graph) settle(at vec) (on vec, low bool) {
	h := g.body.sweep(at, at.Sub(vec{Z: 2 * g.opt.HalfHeight}))
	if h.StartSolid {
		up := at.Add(vec{Z: g.opt.HalfHeight})
		h = g.body.sweep(up, up.Sub(vec{Z: 2 * g.opt.HalfHeight}))
	}
	if g.body.stands(&h) {
		return h.Location, false
	}
	if h.StartSolid {
		return g.settleLow(at)
	}
	return at, false
}

// Path returns the quickest path that the graph knows for a body that does not crouch; false if there is none.
// See Path.Partial for a location where it cannot stand.
func (g *Graph) Path(from, to geom.Vector) (Path, bool) { return g.path(from, to, false) }

// LowPath is the same for a body that crouches where it has to: on steps that are Low.
func (g *Graph) LowPath(from, to geom.Vector) (Path, bool) { return g.path(from, to, true) }

func (g *Graph) path(from, to vec, low bool) (Path, bool) {
	if len(g.nodes) == 0 || !from.IsFinite() || !to.IsFinite() {
		return Path{}, false
	}
	from, fromLow := g.settle(from)
	to, toLow := g.settle(to)
	if lies := fromLow || toLow; from.Distance(to) < pullFar && (low || !lies) && g.straight(from, to, lies) {
		t := g.walkTime(from, to, lies)
		return Path{Steps: []Step{{Kind: Walk, To: to, Low: lies, Seconds: t}}, Seconds: t}, true
	}
	s := g.newSearch()
	rest := func(id NodeID) float64 { return g.nodes[id].Location.Sub(to).Size2D() / g.fastest }
	g.enter(s, from, low, fromLow, rest)
	ends, exact := g.ends(to, low, toLow)
	end, total := None, math.Inf(1)
	for id := s.next(); id != None && s.best[id]+rest(id) < total; id = s.next() {
		if c := s.best[id] + ends[id].seconds; slices.Contains(exact.list, id) && c < total {
			end, total = id, c
		}
		g.looked += workSearch + 4*workLink*uint64(len(g.links[id]))
		for i, l := range g.links[id] {
			if l.Low && !low {
				continue
			}
			c := s.best[id] + l.Seconds
			s.offer(l.To, id, int32(i), c, rest(l.To))
		}
	}
	if end == None {
		return Path{}, false
	}
	var raw []Step
	if exact.walked {
		raw = append(raw, Step{Kind: Walk, To: to, Low: ends[end].low})
	}
	for id := end; id != None; id = s.from[id] {
		st := Step{Kind: Walk, To: g.nodes[id].Location, Mover: g.nodes[id].Mover, Low: s.via[id] == lowDoor}
		if f := s.from[id]; f != None {
			l := g.links[f][s.via[id]]
			st.Kind, st.Seconds, st.Low = l.Kind, l.Seconds, l.Low
			if st.Mover == 0 && l.Kind == Walk {
				st.Mover = g.nodes[f].Mover
			}
		}
		raw = append(raw, st)
	}
	slices.Reverse(raw)
	p := g.pull(from, raw, g.straight)
	p.Partial = !exact.walked
	for i := range p.Steps {
		p.Steps[i].Mover = g.mover(p.Steps[i].Mover)
	}
	return p, true
}

// lowDoor, in place of a link, marks that the first node of a path is reached crouching.
const lowDoor = -1

// enter adds the nodes that can be reached by walking from a location, crouching if that is allowed; if there
// is none, the nearest. lies says that there is no room to stand at the location.
func (g *Graph) enter(s *search, from vec, low, lies bool, rest func(NodeID) float64) {
	list := g.near(from, low)
	entered := false
	for _, id := range list {
		n := g.nodes[id]
		if n.Mover != 0 {
			continue
		}
		if !lies && !n.Low && g.body.walks(from, n.Location) {
			s.offer(id, None, 0, g.walkTime(from, n.Location, false), rest(id))
			entered = true
		} else if low {
			if there, _ := g.crouches(from, n.Location); there {
				s.offer(id, None, lowDoor, g.walkTime(from, n.Location, true), rest(id))
				entered = true
			}
		}
	}
	if !entered && len(list) > 0 {
		s.offer(list[0], None, 0, g.nodes[list[0]].Location.Distance(from)/g.opt.Speed, rest(list[0]))
	}
}

// goal is the set of nodes at which a path may end.
type goal struct {
	list   []NodeID
	walked bool // on to the place itself
}

// lastStep is the step from the last node of a path to the location itself.
type lastStep struct {
	seconds float64
	low     bool
}

func (g *Graph) ends(to vec, low, lies bool) (map[NodeID]lastStep, goal) {
	list := g.near(to, low)
	costs := map[NodeID]lastStep{}
	var out goal
	for _, id := range list {
		n := g.nodes[id]
		if n.Mover != 0 {
			continue
		}
		stands := !lies && !n.Low && g.body.walks(n.Location, to)
		if !stands && low {
			low, _ := g.crouches(n.Location, to)
			stands = low
			costs[id] = lastStep{g.walkTime(n.Location, to, true), true}
		} else {
			costs[id] = lastStep{g.walkTime(n.Location, to, false), false}
		}
		if stands {
			out.list = append(out.list, id)
			out.walked = true
		}
	}
	if !out.walked {
		out.list = list[:min(1, len(list))]
		clear(costs)
	}
	return costs, out
}

// farthest returns the last of the steps from i on whose end can be reached straight from a location. It
// searches in strides that double until one fails, and then between the last two: near enough, with few walks.
func farthest(at vec, raw []Step, i int, plain func(i int) bool, safe func(from, to vec) bool) int {
	end := i
	for end+1 < len(raw) && plain(end+1) && raw[end+1].To.Distance(at) < pullFar {
		end++
	}
	straight := func(j int) bool { return safe(at, raw[j].To) }
	good, bad := i, end+1
	for leap := 1; good < end; leap *= 2 {
		j := min(good+leap, end)
		if !straight(j) {
			bad = j
			break
		}
		good = j
	}
	for bad-good > 1 {
		if j := (good + bad) / 2; straight(j) {
			good = j
		} else {
			bad = j
		}
	}
	return good
}

// pull removes intermediate locations of a path that can be skipped by walking straight. Crouching and standing
// parts are treated separately.
func (g *Graph) pull(from vec, raw []Step, safe func(from, to vec, low bool) bool) Path {
	var p Path
	at := from
	for i := 0; i < len(raw); i++ {
		low := raw[i].Low
		plain := func(i int) bool { return raw[i].Kind == Walk && raw[i].Mover == 0 && raw[i].Low == low }
		if plain(i) {
			i = farthest(at, raw, i, plain, func(from, to vec) bool { return safe(from, to, low) })
		}
		st := raw[i]
		if st.Kind == Walk { // straight now, also for a pawn that is there already
			st.Seconds = g.walkTime(at, st.To, low)
		}
		if st.To.Distance(at) < closeBy && st.Kind == Walk && i+1 < len(raw) {
			continue
		}
		p.Steps = append(p.Steps, st)
		p.Seconds += st.Seconds
		at = st.To
	}
	return p
}
