package relevancy

import (
	"math"
	"slices"

	"github.com/tidelock/tidelock/engine/count"
	"github.com/tidelock/tidelock/engine/geom"
)

// grid finds the actors whose cull distance reaches a location. They are sorted into layers by that distance,
// each layer a hash grid of square cells that are a fraction of it: so a location is looked up in a bounded
// number of cells for all distances in a level, and few of the actors found do not reach it. Height counts only
// in the last, exact test: levels are wide rather than high.
//
// The zero value is ready. Allocation happens only when it grows: empty cells are reused.
type grid struct {
	layers [gridLayers]layer
	// flat holds actors that reach farther than any layer, and those that are never culled.
	flat    []item
	far     int    // of flat, those that can be culled
	version uint64 // incremented with every change of flat, or of its actors' data
	where   []spot // by number

	clock uint32 // incremented with every change that a Watch must detect
	wraps uint32 // how often clock wrapped
	kins  uint32 // number of kins assigned
}

const (
	gridLayers    = 9    // the last reaches 262 144 uu, the world's half extent
	gridReach     = 1024 // uu that the first layer reaches; each further one twice as far
	cellsPerReach = 2    // a layer's reach in cells: with more, searches examine fewer actors in more cells
	driftsPerCell = 16   // cells per drift: an actor's smallest movement that a Watch must detect
	gridSlack     = 1    // uu by which a search is wider than needed, far above rounding errors
	tallySide     = 64   // cells on each side of a tally; cells farther apart share an entry
)

// layer holds the actors of one order of reach.
type layer struct {
	size    float64 // of a cell, uu; 0 before first use
	reach   float64 // the farthest of any actor since the layer was empty
	actors  int
	cells   []cell
	free    []int32 // cells without actors
	buckets []int32 // heads of the chains, index+1 of a cell, 0 for none; a power of two
	// tally has the clock of the last change in each cell, whether that exists or not: so compact that the data
	// near a viewer, and most of the rest, stays in the cache.
	tally []uint32
	drift float64 // uu that an actor moves before the tally is updated
}

type cell struct {
	x, y  int32
	next  int32 // in the bucket's chain
	items []item
}

// is reports whether it is the cell at a location, and has actors: an empty one waits for reuse.
func (c *cell) is(x, y int32) bool { return c.x == x && c.y == y && len(c.items) > 0 }

// item is an actor in a cell, with all that the search needs.
type item struct {
	at    geom.Vector
	reach float64 // infinite for never culled
	say   int32   // result of a search: the number, or its complement if the actor is bare (grid.mark), never in flat
	kin   uint32  // distinguishes it from others with the same number, and from itself before mark
	told  place   // its location when the tally was last updated
}

// place is a location to a fraction of a uu.
type place [3]float32

func placeOf(v geom.Vector) place { return place{float32(v.X), float32(v.Y), float32(v.Z)} }

func (p place) vector() geom.Vector {
	return geom.V(float64(p[0]), float64(p[1]), float64(p[2]))
}

func (it *item) number() int32 { return it.say ^ it.say>>31 }

// reaches implements R3.8.
func (it *item) reaches(from geom.Vector) bool {
	return it.at.Sub(from).SizeSquared() <= it.reach*it.reach
}

// spot is where an actor is stored. The zero value is nowhere.
type spot struct {
	layer int8 // 1…gridLayers, one more for flat, 0 nowhere
	bare  bool
	cell  int32
	at    int32 // among the items
	kin   uint32
}

// strays reports whether an actor has moved so far that the tally must be updated.
func (y *layer) strays(it *item, at geom.Vector) bool {
	return !(at.Sub(it.told.vector()).SizeSquared() <= y.drift*y.drift)
}

// touch marks a cell changed.
func (g *grid) touch(y *layer, c *cell) {
	if g.clock++; g.clock == 0 { // once in 2^32
		g.wraps++
		for i := range g.layers {
			clear(g.layers[i].tally)
		}
		g.clock = 1
	}
	y.tally[tallyOf(c.x, c.y)] = g.clock
}

// tallyOf returns a cell's index in the tally: neighbours are stored together.
func tallyOf(cx, cy int32) int32 { return cx&(tallySide-1)*tallySide + cy&(tallySide-1) }

const flatLayer = gridLayers + 1

// put inserts an actor, or moves it: reach is its cull distance in uu, 0 for never culled. If neither layer nor
// cell changes it costs one store.
func (g *grid) put(number int32, at geom.Vector, reach float64) {
	for int(number) >= len(g.where) {
		g.where = append(g.where, spot{})
	}
	it := item{at: at, reach: reach, say: number}
	if !(reach > 0) {
		it.reach = math.Inf(1)
	}
	l := layerOf(reach)
	s := &g.where[number]
	if s.layer == 0 {
		g.kins++
		s.kin = g.kins
	}
	it.kin, it.told = s.kin, placeOf(at)
	if l == flatLayer {
		if s.layer != l {
			g.remove(number)
			*s = spot{layer: l, bare: s.bare, kin: it.kin, at: int32(len(g.flat))}
			g.flat = append(g.flat, it)
			g.version++
		} else {
			if math.IsInf(g.flat[s.at].reach, 1) {
				if !(reach > 0) {
					return // at every location
				}
				g.far++
			}
			g.far--
			g.flat[s.at] = it
		}
		if !math.IsInf(it.reach, 1) {
			g.far++
		}
		return
	}
	if s.bare {
		it.say = ^number
	}
	y := &g.layers[l-1]
	if y.size == 0 {
		y.size = gridReach / cellsPerReach * float64(int(1)<<(l-1))
		y.buckets = make([]int32, 16)
		y.tally, y.drift = make([]uint32, tallySide*tallySide), y.size/driftsPerCell
	}
	cx, cy := cellOf(at.X, y.size), cellOf(at.Y, y.size)
	if s.layer == l {
		if c := &y.cells[s.cell]; c.x == cx && c.y == cy {
			if was := &c.items[s.at]; was.reach == reach && !y.strays(was, at) {
				it.told = was.told
			} else {
				g.touch(y, c)
			}
			c.items[s.at] = it
			y.reach = max(y.reach, reach)
			return
		}
	}
	g.remove(number)
	n := y.cell(cx, cy)
	c := &y.cells[n]
	*s = spot{layer: l, bare: s.bare, kin: it.kin, cell: n, at: int32(len(c.items))}
	g.touch(y, c)
	if c.items == nil {
		c.items = make([]item, 0, 8) // so that few cells ever grow
	}
	c.items = append(c.items, it)
	y.actors++
	y.reach = max(y.reach, reach)
}

// step is put for an actor that is present with the same reach, if it stays in its cell; if it returns false
// nothing was done.
func (g *grid) step(number int32, at geom.Vector) bool {
	s := &g.where[number]
	if s.layer == 0 || s.layer == flatLayer {
		return s.layer == flatLayer && math.IsInf(g.flat[s.at].reach, 1) // never culled: at every location
	}
	y := &g.layers[s.layer-1]
	c := &y.cells[s.cell]
	if dx, dy := at.X-float64(c.x)*y.size, at.Y-float64(c.y)*y.size; !(dx >= 0 && dx < y.size && dy >= 0 && dy < y.size) {
		return false
	}
	it := &c.items[s.at]
	it.at = at
	if y.strays(it, at) {
		it.told = placeOf(at)
		g.touch(y, c)
	}
	return true
}

// remove removes an actor; one that is not stored is ignored.
func (g *grid) remove(number int32) {
	if int(number) >= len(g.where) {
		return
	}
	s := g.where[number]
	g.where[number] = spot{bare: s.bare}
	switch s.layer {
	case 0:
	case flatLayer:
		g.version++
		if !math.IsInf(g.flat[s.at].reach, 1) {
			g.far--
		}
		g.flat = g.drop(g.flat, s.at)
	default:
		y := &g.layers[s.layer-1]
		c := &y.cells[s.cell]
		g.touch(y, c)
		c.items = g.drop(c.items, s.at)
		if len(c.items) == 0 {
			y.vacate(s.cell)
		}
		if y.actors--; y.actors == 0 {
			y.reach = 0
		}
	}
}

// drop removes an item from its list and moves the last one into its place.
func (g *grid) drop(list []item, at int32) []item {
	last := len(list) - 1
	if int(at) != last {
		list[at] = list[last]
		g.where[list[at].number()].at = at
	}
	return list[:last]
}

// appendReaching adds the numbers of the actors that reach a location, and for bare ones the complement, below
// 0.
func appendReaching(dst []int32, items []item, from geom.Vector) []int32 {
	count.Add(count.Tested, len(items))
	n := len(dst)
	dst = slices.Grow(dst, len(items))
	out := dst[n : n+len(items)]
	k := 0
	for i := range items {
		it := &items[i]
		out[k] = it.say // branch-free: whether it reaches is unpredictable
		if it.reaches(from) {
			k++
		}
	}
	return dst[:n+k]
}

// mark sets whether an actor is bare: a search needs to know no more about it. This is kept when the actor
// moves.
func (g *grid) mark(number int32, bare bool) {
	for int(number) >= len(g.where) {
		g.where = append(g.where, spot{})
	}
	s := &g.where[number]
	if s.bare == bare {
		return
	}
	s.bare = bare
	if s.layer != 0 && s.layer != flatLayer {
		g.kins++
		s.kin = g.kins
		y := &g.layers[s.layer-1]
		c := &y.cells[s.cell]
		it := &c.items[s.at]
		it.say, it.kin = ^it.say, s.kin
		g.touch(y, c)
	}
}

// layerOf returns the layer for a reach.
func layerOf(reach float64) int8 {
	if !(reach > 0) {
		return flatLayer
	}
	l := int8(1)
	for most := float64(gridReach); reach > most; most *= 2 {
		if l++; l == flatLayer {
			break
		}
	}
	return l
}

// cellOf clamps: everything farther out shares the outermost cells.
func cellOf(x, size float64) int32 {
	return int32(max(-1<<20, min(1<<20, math.Floor(x/size))))
}

func (y *layer) bucket(cx, cy int32) *int32 {
	h := uint64(uint32(cx))*0x9E3779B97F4A7C15 ^ uint64(uint32(cy))*0xC2B2AE3D27D4EB4F
	return &y.buckets[(h^h>>29)>>7&uint64(len(y.buckets)-1)]
}

// find returns the cell at a location of the layer, or −1.
func (y *layer) find(cx, cy int32) int32 {
	for n := *y.bucket(cx, cy) - 1; n >= 0; n = y.cells[n].next - 1 {
		if c := &y.cells[n]; c.x == cx && c.y == cy {
			return n
		}
	}
	return -1
}

// cell returns the cell at a location of the layer, and creates it if needed.
func (y *layer) cell(cx, cy int32) int32 {
	if n := y.find(cx, cy); n >= 0 {
		return n
	}
	var n int32
	if last := len(y.free) - 1; last >= 0 {
		n = y.free[last]
		y.free = y.free[:last]
	} else {
		n = int32(len(y.cells))
		y.cells = append(y.cells, cell{})
		if len(y.cells) > len(y.buckets) {
			y.grow()
		}
	}
	c := &y.cells[n]
	c.x, c.y = cx, cy
	y.link(n)
	return n
}

func (y *layer) link(n int32) {
	c := &y.cells[n]
	head := y.bucket(c.x, c.y)
	c.next, *head = *head, n+1
}

// vacate removes an empty cell from its chain; its memory is reused.
func (y *layer) vacate(n int32) {
	c := &y.cells[n]
	at := y.bucket(c.x, c.y)
	for *at != n+1 {
		at = &y.cells[*at-1].next
	}
	*at = c.next
	c.next = 0
	y.free = append(y.free, n)
}

// grow doubles the buckets. It is called for a new cell when none was free; the caller links it.
func (y *layer) grow() {
	y.buckets = make([]int32, 2*len(y.buckets))
	for n := range int32(len(y.cells) - 1) {
		y.link(n)
	}
}
