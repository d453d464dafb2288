// Package navigation finds paths for bots: a graph of locations where an upright body can stand, built from a
// level once at load, and searches in it.
//
// [Build] samples floors (several above each other) on a tree of squares: large ones on open floor, small ones
// near obstacles. It links neighbours between which a body can walk as the engine walks (steps, slopes to 45°),
// then one-way drops, jumps, and lifts. [Graph.Path] returns a path with its cost in seconds, straightened
// wherever a body can walk straight.
//
// Where a body can only crouch there are nodes and links, too, marked Low. [Graph.Path] and [Graph.WidePath]
// ignore them, [Graph.LowPath] uses them if that is quicker, or the only path; all other queries include them.
//
// The same level gives the same graph. Work is bounded by counts of nodes and sweeps, never by a clock. A graph
// does not change after Build, but one goroutine owns it: queries about walking use scratch of its own. Worlds
// of one process that play the same level share everything else by a [Cache].
//
// Actors other than movers are ignored; a follower goes around them. Doors (movers too thin to stand on) are
// assumed to open, unless they wait for a Trigger.
//
// Guarantees: The same level gives the same graph; work is bounded by counts, not by a clock. Worlds of a process share
// it; scripts query it.
package navigation

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/engine/geom"
)

type vec = geom.Vector

// Options describe the body that a graph is for. Zero values mean the default of each.
type Options struct {
	Radius, HalfHeight float64 // of the body, in uu; 34 and 88, a Character's
	StepHeight         float64 // uu that are stepped over; 35
	Speed              float64 // uu/s on the ground; 440
	JumpZ              float64 // uu/s upwards of a jump; 420. Below 0 for a body that never jumps
	Gravity            float64 // uu/s², below 0; the world's
	CrouchHalfHeight   float64 // of the body while it crouches, in uu; 44. Below 0 for a body that never crouches
	CrouchSpeed        float64 // share of Speed while it crouches, up to 1; 0.5
	Spacing            float64 // uu between samples in narrow places, at least Radius; 128
	MaxDrop            float64 // uu, the deepest jump down; 1000
	WideRadius         float64 // uu; half the width of a body that uses wide links; 90
	// MaxNodes and MaxSweeps bound the graph and the work of building it; 20000 and 20 million. Build fails
	// beyond them.
	MaxNodes  int
	MaxSweeps uint64
}

func (o Options) withDefaults(w *engine.World) (Options, error) {
	def := func(p *float64, v float64) {
		if *p == 0 {
			*p = v
		}
	}
	def(&o.Radius, 34)
	def(&o.HalfHeight, 88)
	def(&o.StepHeight, 35)
	def(&o.Speed, 440)
	def(&o.JumpZ, 420)
	def(&o.Gravity, w.Gravity)
	def(&o.CrouchHalfHeight, 44)
	def(&o.CrouchSpeed, 0.5)
	def(&o.Spacing, 128)
	def(&o.MaxDrop, 1000)
	def(&o.WideRadius, 90)
	if o.MaxNodes == 0 {
		o.MaxNodes = 20000
	}
	if o.MaxSweeps == 0 {
		o.MaxSweeps = 20e6
	}
	for _, x := range [...]struct {
		name   string
		v, low float64
	}{
		{"Radius", o.Radius, 1},
		{"HalfHeight", o.HalfHeight, 1},
		{"StepHeight", o.StepHeight, 0.1},
		{"Speed", o.Speed, 1},
		{"CrouchSpeed", o.CrouchSpeed, 0.01},
		{"Spacing", o.Spacing, o.Radius},
		{"MaxDrop", o.MaxDrop, 0},
		{"WideRadius", o.WideRadius, 1},
		{"MaxNodes", float64(o.MaxNodes), 1},
	} {
		if !(x.v >= x.low && x.v <= engine.WorldExtent) {
			return o, fmt.Errorf("navigation: Options.%s is %v, expected %v to %d", x.name, x.v, x.low, engine.WorldExtent)
		}
	}
	if o.CrouchSpeed > 1 || math.IsNaN(o.CrouchHalfHeight) {
		return o, fmt.Errorf("navigation: Options.CrouchSpeed is %v and CrouchHalfHeight %v, expected a share up to 1 and a number", o.CrouchSpeed, o.CrouchHalfHeight)
	}
	if math.IsNaN(o.JumpZ) || math.IsInf(o.JumpZ, 0) || math.IsNaN(o.Gravity) || math.IsInf(o.Gravity, 0) {
		return o, fmt.Errorf("navigation: Options.JumpZ is %v and Gravity %v, expected numbers", o.JumpZ, o.Gravity)
	}
	return o, nil
}

// NodeID is the index of a node in its graph, from 0.
type NodeID int32

// None is no node.
const None NodeID = -1

// Node is a location to stand at: Location is that of the body's centre.
type Node struct {
	Location geom.Vector
	// Low says that there is only room to crouch; Location is still that of a standing body's centre.
	Low bool
	// Size is the side of the square that it represents, in uu.
	Size float64
	// Mover is the lift whose top this is, at its start or at its end; 0 for a location on the level.
	Mover engine.ActorID
}

// Kind is how a body moves along a link.
type Kind uint8

// ORDER: link kinds.
const (
	Walk Kind = iota // straight on
	Drop             // straight on over the edge, see [Graph.DropVelocity]
	Jump             // from where the link begins, see [Graph.JumpVelocity]
	Lift             // standing still on a mover until it is there
)

var kindNames = [...]string{"walk", "drop", "jump", "lift"}

func (k Kind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return fmt.Sprintf("kind %d", uint8(k))
}

// Link leads from a node to another, in one direction.
type Link struct {
	To      NodeID
	Kind    Kind
	Low     bool    // a walk that requires crouching, see [Graph.LowPath]
	Wide    bool    // a walk with room for a vehicle, see [Graph.WidePath]
	Seconds float64 // duration, waiting included
}

// Graph is the result of Build.
type Graph struct {
	opt   Options
	nodes []Node
	links [][]Link
	body  body
	built []engine.ActorID // lifts by the ids in nodes
	lifts []engine.ActorID // the same in this graph's world; nil if it was built for that world
	comp  []int32          // by node
	comps int
	// fastest is the greatest horizontal speed of any link, in uu/s, so that an estimate is never too high.
	fastest float64
	looked  uint64  // see Work
	search  *search // the latest, to reuse its memory; nil before the first
	// byX lists the nodes in order of Location.X, then id; widest is the size of the largest.
	byX    []NodeID
	widest float64
	// reached is what can be reached from the component in which RandomWithin was last called, nil before.
	reached reached
}

// reached is a set of nodes, and the work it took to find it.
type reached struct {
	from   int32 // component
	nodes  []bool
	looked uint64
}

// Costs of searches, in collision.WorkUnits: of a node in the list of all, of a link, of a node of a search
// with its position in the heap.
const (
	workNear   = 4
	workLink   = 2
	workSearch = 60
)

// Work counts what all queries of the graph examined, in [collision.WorkUnit]s.
func (g *Graph) Work() uint64 { return g.looked + g.body.q.Work }

// Len returns the number of nodes.
func (g *Graph) Len() int { return len(g.nodes) }

// Node returns the node of an id below Len.
func (g *Graph) Node(id NodeID) Node {
	n := g.nodes[id]
	n.Mover = g.mover(n.Mover)
	return n
}

// mover returns the lift that a node names, in this graph's world.
func (g *Graph) mover(id engine.ActorID) engine.ActorID {
	if id != 0 && g.lifts != nil {
		return g.lifts[slices.Index(g.built, id)]
	}
	return id
}

// Links returns the links that begin at a node. The caller must not change them.
func (g *Graph) Links(id NodeID) []Link { return g.links[id] }

// Components returns the number of sets of nodes that all reach each other.
func (g *Graph) Components() int { return g.comps }

// Component returns the number, below Components, of the set that contains a node: two nodes with the same
// number reach each other.
func (g *Graph) Component(id NodeID) int { return int(g.comp[id]) }

// Reaches reports whether there is a path from a to b.
func (g *Graph) Reaches(a, b NodeID) bool {
	if g.comp[a] == g.comp[b] {
		return true
	}
	return g.reach([]NodeID{a})[b]
}

// Random returns one of the nodes that can be reached from a node, that one included, with equal probability;
// never one where a body can only crouch.
func (g *Graph) Random(r *engine.Rand, from NodeID) NodeID {
	return g.RandomWithin(r, from, geom.Vector{}, math.Inf(1))
}

// RandomWithin is [Graph.Random] among the nodes within some uu of a location; None if there is none.
func (g *Graph) RandomWithin(r *engine.Rand, from NodeID, at geom.Vector, radius float64) NodeID {
	var list []NodeID
	g.looked += workNear * uint64(len(g.nodes))
	for id, yes := range g.fromComponent(from) {
		if yes && !g.nodes[id].Low && g.nodes[id].Location.Distance(at) <= radius {
			list = append(list, NodeID(id))
		}
	}
	if len(list) == 0 {
		return None
	}
	return list[r.Intn(len(list))]
}

// fromComponent marks what can be reached from a node, which is the same for all nodes of its component. It counts as much
// work where that is known as where it is found out.
func (g *Graph) fromComponent(from NodeID) []bool {
	r := &g.reached
	if r.nodes != nil && r.from == g.comp[from] {
		g.looked += r.looked
		return r.nodes
	}
	before := g.looked
	*r = reached{from: g.comp[from], nodes: g.reach([]NodeID{from})}
	r.looked = g.looked - before
	return r.nodes
}

// reach marks what can be reached from any of some nodes.
func (g *Graph) reach(from []NodeID) []bool {
	seen := make([]bool, len(g.nodes))
	g.looked += uint64(len(g.nodes))
	for _, id := range from {
		g.spread(seen, id)
	}
	return seen
}

// spread marks a node and everything that can be reached from it and is not marked.
func (g *Graph) spread(seen []bool, from NodeID) {
	if seen[from] {
		return
	}
	seen[from] = true
	for todo := []NodeID{from}; len(todo) > 0; {
		id := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		g.looked += workNear + workLink*uint64(len(g.links[id]))
		for _, l := range g.links[id] {
			if !seen[l.To] {
				seen[l.To] = true
				todo = append(todo, l.To)
			}
		}
	}
}

// keep removes all nodes that are not marked, and keeps the order.
func (g *Graph) keep(marked []bool) {
	place := make([]NodeID, len(g.nodes))
	n := NodeID(0)
	for id, yes := range marked {
		place[id] = None
		if yes {
			place[id] = n
			g.nodes[n], g.links[n] = g.nodes[id], g.links[id]
			n++
		}
	}
	g.nodes, g.links = g.nodes[:n], g.links[:n]
	for id := range g.links {
		list := g.links[id][:0]
		for _, l := range g.links[id] {
			if l.To = place[l.To]; l.To != None {
				list = append(list, l)
			}
		}
		g.links[id] = list
	}
}

// sortByX fills byX and widest.
func (g *Graph) sortByX() {
	g.byX, g.widest = make([]NodeID, len(g.nodes)), 0
	for i := range g.byX {
		g.byX[i] = NodeID(i)
		g.widest = math.Max(g.widest, g.nodes[i].Size)
	}
	slices.SortStableFunc(g.byX, func(a, b NodeID) int { return cmp.Compare(g.nodes[a].Location.X, g.nodes[b].Location.X) })
}

// findComponents is Tarjan's algorithm with a stack of its own.
func (g *Graph) findComponents() {
	n := len(g.nodes)
	g.comp = make([]int32, n)
	order, low := make([]int32, n), make([]int32, n)
	next := make([]int, n)
	open := make([]bool, n)
	var stack, path []NodeID
	count := int32(0)
	for root := range n {
		if order[root] != 0 {
			continue
		}
		path = append(path[:0], NodeID(root))
		for len(path) > 0 {
			v := path[len(path)-1]
			if order[v] == 0 {
				count++
				order[v], low[v], open[v] = count, count, true
				stack = append(stack, v)
			}
			deeper := false
			for next[v] < len(g.links[v]) {
				to := g.links[v][next[v]].To
				if order[to] == 0 {
					path = append(path, to)
					deeper = true
					break
				}
				if open[to] {
					low[v] = min(low[v], low[to])
				}
				next[v]++
			}
			if deeper {
				continue
			}
			if low[v] == order[v] {
				for {
					u := stack[len(stack)-1]
					stack = stack[:len(stack)-1]
					open[u] = false
					g.comp[u] = int32(g.comps)
					if u == v {
						break
					}
				}
				g.comps++
			}
			path = path[:len(path)-1]
		}
	}
}
