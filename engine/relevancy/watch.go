package relevancy

import (
	"math"
	"slices"

	"github.com/tidelock/tidelock/engine/count"
	"github.com/tidelock/tidelock/engine/geom"
)

// Watch is what one connection remembers of its last search, so that the next examines only what changed near
// its viewer (R3.11): cells in which nothing came, left or moved far are not searched, and an actor in sight,
// or hidden, is not decided again before its next trace is due (R3.9). The results are the same as without a
// Watch.
//
// The zero Watch is ready. It is for one connection and one index, and its viewer's own actors and Sights must
// not belong to another.
//
// Like a neighbour list of molecular dynamics it has a skin: it contains everything that a viewer could reach
// within its skin of the location where it was built (the anchor), while actors may drift a little without an
// update (layer.drift). Each search measures only actors about as near to the edge of their reach as viewer and
// actor have moved since.
type Watch struct {
	// Kept is how many actors the last search found relevant by memory alone, which it did not list: their
	// Sights are not updated meanwhile. Lost lists those, by number, that were kept before that search and no
	// longer are, found or not: a caller with a Sight of one calls Seen on it with Before, the time of the
	// previous search in the world's seconds, before anything else. A caller that decides a kept one calls that
	// first, and then not again until the next search.
	Kept   int
	Lost   []int32
	Before float64
	// Hidden is how many the last search skipped because only a trace that is not due yet could make them
	// relevant (R3.9); Shown lists those, by number, that were skipped before that search and no longer are.
	// Their Sights are up to date.
	Hidden int
	Shown  []int32

	at      float64 // time of the last search
	of      *grid
	anchor  geom.Vector
	skin    float64 // uu that the viewer may move from there before everything is searched again
	clock   uint32  // of the grid at the last search
	wraps   uint32
	reach   [gridLayers]float64
	own     [3]int32
	blocks  []block
	ends    [gridLayers]int32 // of the layers' blocks
	entries []entry           // in the order of blocks
}

// skinsPerCell divides the cell size of the finest layer to give a watch's skin.
const skinsPerCell = 8

// block is one cell of a layer near a viewer, whether it exists or not.
type block struct {
	x, y  int32
	cell  int32 // −1 for none
	tally int32 // its index in the layer's tally
	end   int32 // of its entries
	layer int8
}

// entry is an actor that reaches the viewer, or nearly.
type entry struct {
	until  float64 // end of being kept, or of being skipped (below 0, its complement); 0 for neither
	say    int32   // as in the item, like kin
	kin    uint32
	margin float32 // reach beyond the anchor at the tally's last update, in uu
	item   int32   // in the cell
}

// Keeps reports whether an actor that the last search found and [Index.Sensed] decided is kept now, or skipped
// if the decision was no.
func (w *Watch) Keeps(f Found) bool { return f.at > 0 && w.entries[f.at-1].until != 0 }

// Drop makes the next search list an actor again that was just found, as if Sensed had not been called.
func (w *Watch) Drop(f Found) { w.keep(f.at, 0) }

// Forget makes the next search list a kept or skipped actor again, as if nothing were known about it; it will
// not be in Lost or Shown.
func (w *Watch) Forget(number int32) {
	for i := range w.entries {
		if e := &w.entries[i]; e.say == number || e.say == ^number {
			e.until = 0
		}
	}
}

// keep records that the actor found as entry at−1 is relevant until some time, if nothing changes; below 0:
// that it is not.
func (w *Watch) keep(at int32, until float64) {
	if w != nil && at > 0 {
		w.entries[at-1].until = until
	}
}

func (w *Watch) lose(e *entry) {
	switch {
	case e.until > 0:
		w.Lost = append(w.Lost, e.say^e.say>>31)
	case e.until < 0:
		w.Shown = append(w.Shown, e.say^e.say>>31)
	}
	e.until = 0
}

// place returns the location of the actor found as entry at−1.
func (x *Index) place(w *Watch, at int32) geom.Vector {
	lo, hi := 0, len(w.blocks)-1
	for lo < hi { // the first block that ends behind it
		if mid := (lo + hi) / 2; w.blocks[mid].end < at {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	b := &w.blocks[lo]
	return x.grid.layers[b.layer].cells[b.cell].items[w.entries[at-1].item].at
}

// nearby adds to out the actors of the grid's layers that reach a viewer, except those that are kept.
func (x *Index) nearby(q *Search, w *Watch, v *Viewer, now float64, out []Found) []Found {
	g := &x.grid
	from := v.Location
	w.Lost, w.Shown, w.Kept, w.Hidden = w.Lost[:0], w.Shown[:0], 0, 0
	w.Before, w.at = w.at, now
	if w.of != g {
		*w = Watch{at: now, of: g, Lost: w.Lost, Shown: w.Shown, blocks: slices.Grow(w.blocks[:0], 32), entries: slices.Grow(w.entries[:0], 160)}
		w.build(q, from)
	} else if away := from.Sub(w.anchor).SizeSquared(); !(away <= w.skin*w.skin) || w.wraps != g.wraps || w.outgrown() {
		w.build(q, from)
	} else {
		w.renew(q)
	}
	w.clock, w.wraps = g.clock, g.wraps

	own := [...]int32{^numberOf(v.Player), ^numberOf(v.Target), ^numberOf(v.Pawn)}
	if own != w.own { // they can be found otherwise, too
		w.own = own
		for i := range w.entries {
			if e := &w.entries[i]; slices.Contains(own[:], e.say) {
				w.lose(e)
			}
		}
	}
	moved := from.Sub(w.anchor).Size() + gridSlack
	k, start := 0, int32(0)
	for l, blocks := range w.ends {
		if int(blocks) == k {
			continue
		}
		end := w.blocks[blocks-1].end
		sure := float32(moved + g.layers[l].drift) // at this distance from its edge the anchor's result is still valid
		var kept, hidden int
		q.near, kept, hidden = ask(q.near[:0], w.entries[start:end], sure, now)
		w.Kept, w.Hidden = w.Kept+kept, w.Hidden+hidden
		for _, i := range q.near {
			i += start
			e := &w.entries[i]
			for w.blocks[k].end <= i {
				k++
			}
			if !w.reaches(&w.blocks[k], e, from, sure) {
				w.lose(e)
				continue
			}
			if now < math.Abs(e.until) {
				if e.until > 0 {
					w.Kept++
				} else {
					w.Hidden++
				}
				continue
			}
			w.lose(e)
			if e.say >= 0 || slices.Contains(own[:], e.say) {
				out = x.emit(q, out, e.say^e.say>>31)
				continue
			}
			out = append(out, Found{Number: ^e.say, Plain: true, bare: true, at: i + 1})
		}
		k, start = int(blocks), end
	}
	return out
}

// ask lists the entries that are not certain: except those surely near and kept or skipped, and those surely
// far. It counts the kept ones.
func ask(list []int32, entries []entry, sure float32, now float64) (asked []int32, kept, hidden int) {
	count.Add(count.Tested, len(entries))
	list = slices.Grow(list, len(entries))[:len(entries)]
	n := 0
	for i := range entries {
		e := &entries[i]
		list[n] = int32(i)
		// Branch-free, because the case is unpredictable.
		near, far, holds, held := bit(e.margin > sure), bit(e.margin < -sure), bit(now < math.Abs(e.until)), bit(e.until != 0)
		no := bit(e.until < 0)
		kept += near & holds &^ no
		hidden += near & holds & no
		n += 1 ^ (near&holds | far&^held)
	}
	return list[:n], kept, hidden
}

func bit(b bool) int {
	if b {
		return 1
	}
	return 0
}

// reaches is R3.8 for an entry of a block; sure is the distance from its edge at which the anchor's result is
// valid.
func (w *Watch) reaches(b *block, e *entry, from geom.Vector, sure float32) bool {
	return e.margin > sure || e.margin >= -sure && w.of.layers[b.layer].cells[b.cell].items[e.item].reaches(from)
}

// outgrown reports whether actors were added that reach farther than any before, so that a cell may be missing.
func (w *Watch) outgrown() bool {
	for l := range w.of.layers {
		if w.of.layers[l].reach > w.reach[l] {
			return true
		}
	}
	return false
}

// renew searches the changed cells again.
func (w *Watch) renew(q *Search) {
	g := w.of
	start, moved := int32(0), int32(0)
	for k := range w.blocks {
		b := &w.blocks[k]
		b.end += moved
		if g.layers[b.layer].tally[b.tally] > w.clock {
			q.old = w.fill(b, w.entries[start:b.end], false, q.old[:0])
			if grown := start + int32(len(q.old)) - b.end; grown == 0 { // mostly the actors that moved are still there
				copy(w.entries[start:], q.old)
			} else {
				w.entries = slices.Replace(w.entries, int(start), int(b.end), q.old...)
				b.end += grown
				moved += grown
			}
		}
		start = b.end
	}
}

// build searches all cells that a viewer at a location could come to see into; kept actors stay kept.
func (w *Watch) build(q *Search, from geom.Vector) {
	g := w.of
	q.old, q.blocks = append(q.old[:0], w.entries...), append(q.blocks[:0], w.blocks...)
	w.entries, w.blocks = w.entries[:0], w.blocks[:0]
	w.anchor, w.skin = from, math.Inf(1)
	for l := range g.layers {
		if y := &g.layers[l]; y.actors > 0 {
			w.skin = min(w.skin, y.size/skinsPerCell)
		}
	}
	old, at := 0, int32(0)
	drop := func(b *block) {
		for ; at < b.end; at++ {
			w.lose(&q.old[at])
		}
		old++
	}
	for l := range g.layers {
		y := &g.layers[l]
		w.reach[l], w.ends[l] = y.reach, int32(len(w.blocks))
		if y.actors == 0 {
			continue
		}
		r := y.reach + w.skin + y.drift + gridSlack
		for cx, end := cellOf(from.X-r, y.size), cellOf(from.X+r, y.size); cx <= end; cx++ {
			// Extent of the circle along y at the part of the column nearest to its centre.
			aside := max(0, float64(cx)*y.size-from.X, from.X-float64(cx+1)*y.size)
			half := math.Sqrt(max(0, r*r-aside*aside)) + gridSlack
			for cy, end := cellOf(from.Y-half, y.size), cellOf(from.Y+half, y.size); cy <= end; cy++ {
				b := block{layer: int8(l), x: cx, y: cy, tally: tallyOf(cx, cy), cell: -1}
				for old < len(q.blocks) && q.blocks[old].before(&b) {
					drop(&q.blocks[old])
				}
				var was []entry
				same := false
				if old < len(q.blocks) && !b.before(&q.blocks[old]) {
					was, at, b.cell = q.old[at:q.blocks[old].end], q.blocks[old].end, q.blocks[old].cell
					same = w.wraps == g.wraps && y.tally[b.tally] <= w.clock
					old++
				}
				w.blocks = append(w.blocks, b)
				w.entries = w.fill(&w.blocks[len(w.blocks)-1], was, same, w.entries)
				w.blocks[len(w.blocks)-1].end = int32(len(w.entries))
			}
		}
		w.ends[l] = int32(len(w.blocks))
	}
	for old < len(q.blocks) {
		drop(&q.blocks[old])
	}
}

// before orders blocks.
func (b *block) before(c *block) bool {
	if b.layer != c.layer {
		return b.layer < c.layer
	}
	if b.x != c.x {
		return b.x < c.x
	}
	return b.y < c.y
}

// fill adds a block's entries to out. was are its former entries; same means that its cell has not changed
// since.
func (w *Watch) fill(b *block, was []entry, same bool, out []entry) []entry {
	y := &w.of.layers[b.layer]
	if !same && (b.cell < 0 || !y.cells[b.cell].is(b.x, b.y)) {
		b.cell = y.find(b.x, b.y)
	}
	var items []item
	if b.cell >= 0 {
		items = y.cells[b.cell].items
	}
	count.Add(count.Tested, len(items))
	out = slices.Grow(out, len(items))
	next := 0                            // of was
	skin := w.skin + y.drift + gridSlack // distance from its edge at which an actor may matter
	for i := range items {
		it := &items[i]
		away2, far := it.told.vector().Sub(w.anchor).SizeSquared(), it.reach+skin
		if !(away2 <= far*far) {
			continue
		}
		e := entry{say: it.say, kin: it.kin, margin: float32(it.reach - math.Sqrt(away2)), item: int32(i)}
		if same {
			for next < len(was) && was[next].item < e.item {
				next++
			}
			if next < len(was) && was[next].item == e.item {
				e.until, was[next].until = was[next].until, 0
				next++
			}
		} else if k := find(was, next, &e); k >= 0 {
			e.until, was[k].until = was[k].until, 0
			next = k + 1
		}
		out = append(out, e)
	}
	for i := range was {
		w.lose(&was[i])
	}
	return out
}

// is reports whether both are of the same actor without a change.
func (e *entry) is(f *entry) bool { return e.say == f.say && e.kin == f.kin }

// find returns the index of the same actor's entry, or −1: mostly the next one.
func find(was []entry, next int, e *entry) int {
	for k := next; k < len(was); k++ {
		if was[k].is(e) {
			return k
		}
	}
	for k := range min(next, len(was)) {
		if was[k].is(e) {
			return k
		}
	}
	return -1
}
