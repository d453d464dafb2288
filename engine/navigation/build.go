package navigation

import (
	"fmt"
	"math"
	"slices"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/engine/collision"
	"github.com/tidelock/tidelock/engine/geom"
)

// largest is the side of the largest square of open floor, in spacings (a power of 2): paths over it are
// straightened in any case, but a node should not be too far away for a search of the nearest.
const largest = 8

// narrow is the factor on the time of links near walls or edges: paths avoid them if possible.
const narrow = 2

// builder is one Build in progress.
type builder struct {
	*Graph
	level  string
	killZ  float64
	starts []vec
	hulls  []collision.Hull // the static hulls
	solids []solid
	lifts  []lift
	cells  []cell
	whole  *collision.World // everything that can be walked on
	near   collision.World  // the nearby part of it, see look
	low    float64          // below everything
	err    error
	pause  func() // see Work.Run; nil for none
	paused uint64 // sweeps at the last pause
}

// solid is a brush prepared for sampling.
type solid struct {
	bounds geom.Bounds
	box    bool // it fills its bounds, and does not move
}

// cell is a square of the tree. Leaves have nodes, other cells have children.
type cell struct {
	x, y, size float64 // its corner and its side
	child      int32   // the first of four; 0 for a leaf
	nodes      []NodeID
}

// Build makes the graph of a world's level, with its movers and player starts as [engine.World.LoadEntities]
// spawned them. Locations that no PlayerStart leads to are left out, if there are any starts. The error says
// which bound was too low; a world without a level has an empty graph.
func Build(w *engine.World, opt Options) (*Graph, error) {
	b, err := read(w, opt)
	if err != nil {
		return nil, err
	}
	return b.build()
}

// read copies from a world everything that a graph depends on; the rest does not use the world.
func read(w *engine.World, opt Options) (*builder, error) {
	opt, err := opt.withDefaults(w)
	if err != nil {
		return nil, err
	}
	b := &builder{Graph: &Graph{opt: opt, fastest: opt.Speed}, level: w.LevelName(), killZ: w.KillZ}
	b.body = body{half: vec{X: opt.Radius, Y: opt.Radius, Z: opt.HalfHeight}, step: opt.StepHeight, avoid: true}
	b.lifts, b.hulls = b.readLevel(w)
	for i := range b.lifts {
		b.built = append(b.built, b.lifts[i].id)
	}
	for _, s := range w.ActorsOf("PlayerStart") {
		b.starts = append(b.starts, s.Location)
	}
	return b, nil
}

func (b *builder) build() (*Graph, error) {
	b.prepare()
	b.sample()
	// linkAir and prune look for the nodes nearest to the player starts, which needs the order by X.
	for _, phase := range []func(){b.linkNeighbours, b.linkLifts, b.sortByX, b.linkAir} {
		if b.err == nil {
			phase()
		}
	}
	if b.err != nil {
		return nil, b.err
	}
	b.prune()
	b.sortByX()
	b.widen()
	b.findComponents()
	for id := range b.links {
		for _, l := range b.links[id] {
			far := b.nodes[l.To].Location.Sub(b.nodes[id].Location).Size2D()
			b.fastest = math.Max(b.fastest, far/l.Seconds)
		}
	}
	return b.Graph, nil
}

// pauseEvery is how many sweeps are between two pauses: a millisecond or two in a native program, and less than
// a tick in a browser, where each pause costs some milliseconds more.
const pauseEvery = 1500

// rest pauses after enough sweeps, if pauses are requested. It is called between small pieces of work.
func (b *builder) rest(sweeps uint64) {
	if sweeps < b.paused { // counted by another body
		b.paused = sweeps
	}
	if b.pause != nil && sweeps-b.paused >= pauseEvery {
		b.paused = sweeps
		b.pause()
	}
}

// tired reports whether the work exceeds its bound; it rests, too.
func (b *builder) tired() bool {
	b.rest(b.body.q.Sweeps)
	if b.err == nil && b.body.q.Sweeps > b.opt.MaxSweeps {
		b.err = fmt.Errorf("navigation: level %q needs more than %d sweeps; raise Options.MaxSweeps or Spacing", b.level, b.opt.MaxSweeps)
	}
	return b.err != nil
}

// prepare converts the hulls for sampling and walking.
func (b *builder) prepare() {
	world := collision.NewWorld(slices.Clone(b.hulls))
	for i := range b.hulls {
		s := solid{bounds: b.hulls[i].Bounds, box: true}
		for _, p := range b.hulls[i].Planes {
			n := p.Normal
			s.box = s.box && math.Abs(n.X)+math.Abs(n.Y)+math.Abs(n.Z) == 1
		}
		b.solids = append(b.solids, s)
	}
	for i := range b.lifts {
		shaft := b.lifts[i].shaft
		world.AddMover(int32(i+1), []collision.Hull{collision.BoxHull(shaft)})
		b.solids = append(b.solids, solid{bounds: shaft})
	}
	b.whole, b.body.q.World = world, world
	if box, ok := world.Bounds(); ok {
		b.low = box.Min.Z - 1
	}
}

// look restricts the body's queries to the solids between two locations and within some uu of that line, seen
// from above, which is faster than querying the whole level. The following queries stay inside that area.
func (b *builder) look(from, to vec, within float64) {
	lo := vec{X: math.Min(from.X, to.X) - within, Y: math.Min(from.Y, to.Y) - within}
	hi := vec{X: math.Max(from.X, to.X) + within, Y: math.Max(from.Y, to.Y) + within}
	b.whole.Near(&b.near, lo, hi)
	b.body.q.World = &b.near
}

// beside returns how far from the line between two locations a walking body extends: the widest body, and a
// margin.
func (b *builder) beside() float64 { return b.opt.Radius + margin + 2 }

// sample creates the tree of squares and the nodes.
func (b *builder) sample() {
	if len(b.solids) == 0 {
		return
	}
	box := b.solids[0].bounds
	all := make([]int32, len(b.solids))
	for i := range b.solids {
		box = box.Union(b.solids[i].bounds)
		all[i] = int32(i)
	}
	size := b.opt.Spacing
	for size < math.Max(box.Max.X-box.Min.X, box.Max.Y-box.Min.Y) {
		size *= 2
	}
	b.cells = append(b.cells, cell{x: box.Min.X, y: box.Min.Y, size: size})
	b.split(0, all)
}

// split fills a square: with one node if everything around it is even, otherwise by its quarters.
func (b *builder) split(at int32, among []int32) {
	c := b.cells[at]
	r := b.opt.Radius + 2*collision.Gap
	var here []int32
	even := c.size <= largest*b.opt.Spacing
	for _, i := range among {
		s := &b.solids[i]
		o := &s.bounds
		if o.Min.X > c.x+c.size+r || o.Max.X < c.x-r || o.Min.Y > c.y+c.size+r || o.Max.Y < c.y-r {
			continue
		}
		here = append(here, i)
		even = even && s.box && o.Min.X <= c.x-r && o.Max.X >= c.x+c.size+r && o.Min.Y <= c.y-r && o.Max.Y >= c.y+c.size+r
	}
	half := c.size / 2
	switch {
	case len(here) == 0 || b.tired():
	case even:
		b.lookAt(&c)
		b.column(at, vec{X: c.x + half, Y: c.y + half}, here)
	case half < b.opt.Spacing:
		// Check beside the centre, too: a ledge or a wall may run through the square.
		b.lookAt(&c)
		q := c.size / 3
		for _, d := range [...][2]float64{{0, 0}, {q, 0}, {-q, 0}, {0, q}, {0, -q}, {q, q}, {-q, -q}, {q, -q}, {-q, q}} {
			b.column(at, vec{X: c.x + half + d[0], Y: c.y + half + d[1]}, here)
		}
	default:
		first := int32(len(b.cells))
		b.cells[at].child = first
		for i := range 4 {
			b.cells = append(b.cells, cell{x: c.x + half*float64(i%2), y: c.y + half*float64(i/2), size: half})
		}
		for i := range int32(4) {
			b.split(first+i, here)
		}
	}
}

func (b *builder) lookAt(c *cell) {
	b.look(vec{X: c.x, Y: c.y}, vec{X: c.x + c.size, Y: c.y + c.size}, b.beside())
}

// column finds the floors at a location: below the sky and below every ceiling.
func (b *builder) column(in int32, at vec, among []int32) {
	top := math.Inf(-1)
	for _, i := range among {
		top = math.Max(top, b.solids[i].bounds.Max.Z)
	}
	b.drop(in, vec{X: at.X, Y: at.Y, Z: top + b.opt.HalfHeight + 1})
	for _, i := range among {
		if o := &b.solids[i].bounds; o.Min.X < at.X+b.opt.Radius && o.Max.X > at.X-b.opt.Radius && o.Min.Y < at.Y+b.opt.Radius && o.Max.Y > at.Y-b.opt.Radius {
			b.drop(in, vec{X: at.X, Y: at.Y, Z: o.Min.Z - b.opt.HalfHeight - 2*collision.Gap})
			b.dropLow(in, vec{X: at.X, Y: at.Y, Z: o.Min.Z - b.opt.CrouchHalfHeight - 2*collision.Gap})
		}
	}
}

// drop lets a body fall and creates a node where it stands, unless the square has one from which a body can
// walk there and back.
func (b *builder) drop(in int32, from vec) {
	if from.Z <= b.low {
		return
	}
	h := b.body.sweep(from, vec{X: from.X, Y: from.Y, Z: b.low})
	if !b.body.stands(&h) || h.Location.Z < b.killZ {
		return
	}
	at := h.Location
	for _, id := range b.cells[in].nodes {
		o := b.nodes[id].Location
		if o.Distance(at) < 1 || b.body.walks(at, o) && b.body.walks(o, at) {
			return
		}
	}
	if !b.body.firm(at) {
		return
	}
	if id := b.addNode(Node{Location: at, Size: b.cells[in].size}); id != None {
		b.cells[in].nodes = append(b.cells[in].nodes, id)
	}
}

func (b *builder) addNode(n Node) NodeID {
	if len(b.nodes) >= b.opt.MaxNodes {
		if b.err == nil {
			b.err = fmt.Errorf("navigation: level %q needs more than %d nodes; raise Options.MaxNodes or Spacing", b.level, b.opt.MaxNodes)
		}
		return None
	}
	b.nodes = append(b.nodes, n)
	b.links = append(b.links, nil)
	return NodeID(len(b.nodes) - 1)
}

// addLink adds a link. A link never takes 0 seconds, because speeds would be infinite.
func (b *builder) addLink(from, to NodeID, kind Kind, seconds float64) {
	b.links[from] = append(b.links[from], Link{To: to, Kind: kind, Seconds: math.Max(seconds, 1e-3)})
}

// leaf returns the leaf at a location, or −1.
func (b *builder) leaf(x, y float64) int32 {
	at := int32(0)
	c := &b.cells[0]
	if !(x >= c.x && x < c.x+c.size && y >= c.y && y < c.y+c.size) {
		return -1
	}
	for c.child != 0 {
		at = c.child
		if x >= c.x+c.size/2 {
			at++
		}
		if y >= c.y+c.size/2 {
			at += 2
		}
		c = &b.cells[at]
	}
	return at
}

// linkNeighbours tries to walk between the nodes of adjacent squares, corners included, and of each square.
func (b *builder) linkNeighbours() {
	var beside []int32
	fine := b.opt.Spacing / 2
	for i := range b.cells {
		c := &b.cells[i]
		if c.child != 0 || len(c.nodes) == 0 {
			continue
		}
		if b.tired() {
			return
		}
		beside = beside[:0]
		look := func(x, y float64) {
			o := b.leaf(x, y)
			if o < int32(i) { // each pair once, from the later one
				for _, have := range beside {
					if have == o {
						return
					}
				}
				if o >= 0 {
					beside = append(beside, o)
				}
			}
		}
		for t := -fine / 2; t < c.size+fine; t += fine {
			look(c.x+t, c.y-1)
			look(c.x+t, c.y+c.size+1)
			look(c.x-1, c.y+t)
			look(c.x+c.size+1, c.y+t)
		}
		for k, a := range c.nodes {
			for _, o := range c.nodes[:k] {
				b.linkWalk(a, o)
			}
			for _, o := range beside {
				for _, n := range b.cells[o].nodes {
					b.linkWalk(a, n)
				}
			}
		}
	}
}

// linkWalk links two nodes in the directions in which a body can walk.
func (b *builder) linkWalk(a, o NodeID) {
	from, to := b.nodes[a].Location, b.nodes[o].Location
	way := to.Sub(from)
	if math.Abs(way.Z) > way.Size2D()*1.1+b.opt.StepHeight {
		return
	}
	b.look(from, to, b.beside())
	if b.nodes[a].Low || b.nodes[o].Low {
		b.linkLow(a, o)
		return
	}
	seconds := way.Size2D() / b.opt.Speed
	if open := b.opt.Spacing * 2; b.nodes[a].Size >= open && b.nodes[o].Size >= open {
		_, there := b.body.walkBy(openStride, from, to)
		if _, back := b.body.walkBy(openStride, to, from); there == arrived && back == arrived {
			b.addLink(a, o, Walk, seconds)
			b.addLink(o, a, Walk, seconds)
		}
		return
	}
	// Between locations of equal height, a path that is safe in one direction is safe in the other.
	there, safe := b.tryWalk(&b.body, a, o)
	if safe && math.Abs(way.Z) < closeBy {
		b.addLink(o, a, Walk, seconds)
		return
	}
	if back, _ := b.tryWalk(&b.body, o, a); !there && !back {
		b.linkLow(a, o) // below something that hangs between them
	}
}

// tryWalk links two nodes if a body can walk from the first to the second, and reports whether it can, and
// whether that is safe.
func (b *builder) tryWalk(m *body, from, to NodeID) (walks, safe bool) {
	at, end := b.nodes[from].Location, b.nodes[to].Location
	walks, safe = m.link(at, end)
	if !walks {
		return false, false
	}
	seconds := end.Sub(at).Size2D() / b.opt.Speed
	if !safe {
		seconds *= narrow
	}
	b.addLink(from, to, Walk, seconds)
	return true, safe
}

// prune removes what no player start leads to: the top of the sky, the insides of walls.
func (b *builder) prune() { b.keep(b.reached()) }

// reached marks what player starts lead to; everything if there is no start.
func (b *builder) reached() []bool {
	b.body.q.World = b.whole
	var from []NodeID
	for _, at := range b.starts {
		if id, ok := b.Nearest(at); ok {
			from = append(from, id)
		}
	}
	seen := b.reach(from)
	for id := range seen {
		seen[id] = seen[id] || len(from) == 0
	}
	return seen
}
