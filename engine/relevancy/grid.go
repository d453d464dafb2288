package relevancy

import (
	"math"
	"slices"

	"github.com/tidelock/tidelock/engine/geom"
)

// grid finds the actors whose cull distance reaches a place. They are sorted into layers by how far they reach, each
// layer a hash grid of square cells that are a fraction of that reach: so a place is looked up in a bounded number of
// cells whatever the distances in a level are, and what is found is little more than what reaches it. Height counts
// only in the last, exact test: levels are wide rather than high.
//
// The zero value is ready. Nothing allocates but growth: cells that ran empty are used again.
type grid struct {
	layers [gridLayers]layer
	// flat holds what reaches farther than any layer, and what is never culled.
	flat    []item
	far     int    // of flat, those that are culled all the same
	version uint64 // goes up with every change of flat, or of what is known of its actors
	where   []spot // by number
}

const (
	gridLayers    = 9    // the last reaches 262 144 uu, the world's half extent
	gridReach     = 1024 // uu that the first layer reaches; each further one twice as far
	cellsPerReach = 2    // a layer's reach is so many cells: more look at fewer actors in more cells
	gridSlack     = 1    // uu that a search is wider than need be, far above rounding
)

// layer is the actors of one order of reach.
type layer struct {
	size    float64 // of a cell, uu; 0 before first use
	reach   float64 // the farthest of any actor since the layer was empty
	actors  int
	cells   []cell
	free    []int32 // cells without actors
	buckets []int32 // heads of the chains, index+1 of a cell, 0 for none; a power of two
}

type cell struct {
	x, y  int32
	next  int32 // in the bucket's chain
	items []item
}

// item is an actor in a cell, with all that the search needs.
type item struct {
	at     geom.Vector
	reach2 float64 // squared; infinite for never culled
	number int32
	say    int32 // what a search is told: the number, or its complement where the actor is bare (grid.mark), never in flat
}

// spot is where an actor is. The zero value is nowhere.
type spot struct {
	layer int8 // 1…gridLayers, one more for flat, 0 nowhere
	bare  bool
	cell  int32
	at    int32 // among the items
}

const flatLayer = gridLayers + 1

// put places an actor, or moves it: reach is its cull distance in uu, 0 for never culled. Where neither layer nor cell
// changes it is a store.
func (g *grid) put(number int32, at geom.Vector, reach float64) {
	for int(number) >= len(g.where) {
		g.where = append(g.where, spot{})
	}
	it := item{at: at, reach2: reach * reach, number: number, say: number}
	if !(reach > 0) {
		it.reach2 = math.Inf(1)
	}
	l := layerOf(reach)
	s := &g.where[number]
	if l == flatLayer {
		if s.layer != l {
			g.remove(number)
			*s = spot{layer: l, bare: s.bare, at: int32(len(g.flat))}
			g.flat = append(g.flat, it)
			g.version++
		} else {
			if math.IsInf(g.flat[s.at].reach2, 1) {
				if !(reach > 0) {
					return // wherever it is
				}
				g.far++
			}
			g.far--
			g.flat[s.at] = it
		}
		if !math.IsInf(it.reach2, 1) {
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
	}
	cx, cy := cellOf(at.X, y.size), cellOf(at.Y, y.size)
	if s.layer == l {
		if c := &y.cells[s.cell]; c.x == cx && c.y == cy {
			c.items[s.at] = it
			y.reach = max(y.reach, reach)
			return
		}
	}
	g.remove(number)
	n := y.cell(cx, cy)
	c := &y.cells[n]
	*s = spot{layer: l, bare: s.bare, cell: n, at: int32(len(c.items))}
	if c.items == nil {
		c.items = make([]item, 0, 8) // so that few cells ever grow
	}
	c.items = append(c.items, it)
	y.actors++
	y.reach = max(y.reach, reach)
}

// step is put for an actor that is there and reaches as far as before, where it stays in its cell; false where not, and
// nothing was done.
func (g *grid) step(number int32, at geom.Vector) bool {
	s := &g.where[number]
	if s.layer == 0 || s.layer == flatLayer {
		return s.layer == flatLayer && math.IsInf(g.flat[s.at].reach2, 1) // never culled: wherever it is
	}
	y := &g.layers[s.layer-1]
	c := &y.cells[s.cell]
	if dx, dy := at.X-float64(c.x)*y.size, at.Y-float64(c.y)*y.size; !(dx >= 0 && dx < y.size && dy >= 0 && dy < y.size) {
		return false
	}
	c.items[s.at].at = at
	return true
}

// remove takes an actor out; one that is nowhere is left so.
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
		if !math.IsInf(g.flat[s.at].reach2, 1) {
			g.far--
		}
		g.flat = g.drop(g.flat, s.at)
	default:
		y := &g.layers[s.layer-1]
		c := &y.cells[s.cell]
		c.items = g.drop(c.items, s.at)
		if len(c.items) == 0 {
			y.vacate(s.cell)
		}
		if y.actors--; y.actors == 0 {
			y.reach = 0
		}
	}
}

// drop takes an item out of its list and the last one into its place.
func (g *grid) drop(list []item, at int32) []item {
	last := len(list) - 1
	if int(at) != last {
		list[at] = list[last]
		g.where[list[at].number].at = at
	}
	return list[:last]
}

// appendNear adds to dst the numbers of the actors of the layers that reach a place, in an order that follows from the calls made.
func (g *grid) appendNear(dst []int32, from geom.Vector) []int32 {
	for i := range g.layers {
		y := &g.layers[i]
		if y.actors == 0 {
			continue
		}
		r := y.reach + gridSlack
		x0, x1 := cellOf(from.X-r, y.size), cellOf(from.X+r, y.size)
		rows := int(x1-x0) + 1
		if rows*rows > len(y.cells) {
			for j := range y.cells {
				dst = appendReaching(dst, y.cells[j].items, from)
			}
			continue
		}
		// First all cells are looked up, then what is in them: so the processor waits for many pieces of memory at once.
		var cells [32]int32
		n := 0
		for cx := x0; cx <= x1; cx++ {
			// How far the circle reaches along y at the part of the column that is nearest to its centre.
			away := max(0, float64(cx)*y.size-from.X, from.X-float64(cx+1)*y.size)
			half := math.Sqrt(max(0, r*r-away*away)) + gridSlack
			for cy, end := cellOf(from.Y-half, y.size), cellOf(from.Y+half, y.size); cy <= end; cy++ {
				if c := y.find(cx, cy); c >= 0 {
					if n == len(cells) {
						dst, n = y.appendCells(dst, cells[:], from), 0
					}
					cells[n] = c
					n++
				}
			}
		}
		dst = y.appendCells(dst, cells[:n], from)
	}
	return dst
}

// appendCells is appendReaching for cells.
func (y *layer) appendCells(dst []int32, cells []int32, from geom.Vector) []int32 {
	var lists [32][]item
	for i, n := range cells {
		lists[i] = y.cells[n].items
	}
	for _, items := range lists[:len(cells)] {
		dst = appendReaching(dst, items, from)
	}
	return dst
}

// appendReaching adds the numbers of those that reach a place, and of the bare among them the complement, below 0.
func appendReaching(dst []int32, items []item, from geom.Vector) []int32 {
	n := len(dst)
	dst = slices.Grow(dst, len(items))
	out := dst[n : n+len(items)]
	k := 0
	for i := range items {
		it := &items[i]
		out[k] = it.say // no branch: whether it reaches cannot be foretold
		if it.at.Sub(from).SizeSquared() <= it.reach2 {
			k++
		}
	}
	return dst[:n+k]
}

// mark says whether an actor is bare: what finds it need not know more of it. It stays so wherever the actor is put.
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
		g.layers[s.layer-1].cells[s.cell].items[s.at].say ^= -1
	}
}

// layerOf is the layer for a reach.
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

// cellOf clamps: whatever is so far out shares the outermost cells.
func cellOf(x, size float64) int32 {
	return int32(max(-1<<20, min(1<<20, math.Floor(x/size))))
}

func (y *layer) bucket(cx, cy int32) *int32 {
	h := uint64(uint32(cx))*0x9E3779B97F4A7C15 ^ uint64(uint32(cy))*0xC2B2AE3D27D4EB4F
	return &y.buckets[(h^h>>29)>>7&uint64(len(y.buckets)-1)]
}

// find is the cell at a place of the layer, or −1.
func (y *layer) find(cx, cy int32) int32 {
	for n := *y.bucket(cx, cy) - 1; n >= 0; n = y.cells[n].next - 1 {
		if c := &y.cells[n]; c.x == cx && c.y == cy {
			return n
		}
	}
	return -1
}

// cell is the cell at a place of the layer, made where there is none.
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

// vacate takes a cell that ran empty out of its chain; its memory waits for the next.
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

// grow doubles the buckets. It is called for a cell that is new because none was free; its maker links it.
func (y *layer) grow() {
	y.buckets = make([]int32, 2*len(y.buckets))
	for n := range int32(len(y.cells) - 1) {
		y.link(n)
	}
}
