package relevancy

import (
	"math"
	"slices"

	"github.com/tidelock/tidelock/engine/geom"
)

// Watch is what one connection remembers of its last search, so that the next looks again only at what changed near its
// viewer (R3.11): cells in which nobody came, went or moved far are not searched, and an actor in sight, or hidden, is not
// asked about before its next trace is due (R3.9). What it makes a search find is what one without it finds.
//
// The zero Watch is ready. It is for one connection and one index: neither its viewer's own actors nor its Sights are to
// be those of another.
//
// Like a neighbour list of molecular dynamics it has a skin: it holds all that a viewer could come to reach within its skin
// of where it was made (the anchor), while actors drift a little unheard (layer.drift). Only what lies about as near to the
// edge of its reach as viewer and actor have moved since is measured in every search.
type Watch struct {
	// Kept is how many actors the last search found relevant by what is remembered of them alone, which it did not list:
	// their Sights lag behind. Lost are those, by number, that were kept before that search and no longer are, found or
	// not: anyone who keeps a Sight of one tells it that it was Seen at Before, the time of the search before that one, in the
	// world's seconds, before it is asked anything. A caller that queries a kept one tells it before that, and not again until
	// the next search: the answer counts from then on.
	Kept   int
	Lost   []int32
	Before float64
	// Hidden is how many the last search passed over since nothing but a trace that is not due yet could make them relevant
	// (R3.9); Shown are those, by number, that were passed over before that search and no longer are. Their Sights do not lag.
	Hidden int
	Shown  []int32

	at      float64 // time of the last search
	of      *grid
	anchor  geom.Vector
	skin    float64 // uu that the viewer goes from there before all is searched again
	clock   uint32  // of the grid at the last search
	wraps   uint32
	reach   [gridLayers]float64
	own     [3]int32
	blocks  []block
	ends    [gridLayers]int32 // of the layers' blocks
	entries []entry           // in the order of blocks
}

// skinsPerCell: a watch's skin is such a part of the cells of the finest layer.
const skinsPerCell = 8

// block is one cell of a layer near a viewer, whether there is one or not.
type block struct {
	x, y  int32
	cell  int32 // −1 for none
	tally int32 // its place in the layer's tally
	end   int32 // of its entries
	layer int8
}

// entry is an actor that reaches the viewer, or nearly.
type entry struct {
	until  float64 // to when it is kept, or passed over (below 0, and its complement); 0 for neither
	say    int32   // as that of the item, as kin
	kin    uint32
	margin float32 // how much farther than to the anchor it reached where the tally last heard of it, uu
	item   int32   // in the cell
}

// Keeps reports whether an actor that the last search found and [Index.Sensed] was asked about is kept now, or passed over
// where that said no.
func (w *Watch) Keeps(f Found) bool { return f.at > 0 && w.entries[f.at-1].until != 0 }

// Drop has the next search list an actor again that was just found, as if Sensed had not been asked.
func (w *Watch) Drop(f Found) { w.keep(f.at, 0) }

// Forget has the next search list an actor again that is kept or passed over, as if nothing were known of it; nor will it be
// among the Lost or the Shown.
func (w *Watch) Forget(number int32) {
	for i := range w.entries {
		if e := &w.entries[i]; e.say == number || e.say == ^number {
			e.until = 0
		}
	}
}

// keep notes that the actor found as entry at−1 is relevant until some time, if nothing changes; below 0: that it is not.
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

// place is where an actor is that was found as entry at−1.
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

// nearby adds the actors of the grid's layers that reach a viewer to out, but for those that are kept.
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
	if own != w.own { // they can be found another way, too
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
		sure := float32(moved + g.layers[l].drift) // so far from its edge the anchor's answer holds
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

// ask lists the entries that are neither surely near and kept or passed over nor surely far and not, and counts the first.
func ask(list []int32, entries []entry, sure float32, now float64) (asked []int32, kept, hidden int) {
	list = slices.Grow(list, len(entries))[:len(entries)]
	n := 0
	for i := range entries {
		e := &entries[i]
		list[n] = int32(i)
		// No branch: which of them it is cannot be foretold.
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

// reaches is R3.8 for an entry of a block; sure is how far from its edge the anchor's answer holds.
func (w *Watch) reaches(b *block, e *entry, from geom.Vector, sure float32) bool {
	return e.margin > sure || e.margin >= -sure && w.of.layers[b.layer].cells[b.cell].items[e.item].reaches(from)
}

// outgrown reports whether actors have come that reach farther than any before, so that a cell may be missing.
func (w *Watch) outgrown() bool {
	for l := range w.of.layers {
		if w.of.layers[l].reach > w.reach[l] {
			return true
		}
	}
	return false
}

// renew looks again at the cells that changed.
func (w *Watch) renew(q *Search) {
	g := w.of
	start, moved := int32(0), int32(0)
	for k := range w.blocks {
		b := &w.blocks[k]
		b.end += moved
		if g.layers[b.layer].tally[b.tally] > w.clock {
			q.old = w.fill(b, w.entries[start:b.end], false, q.old[:0])
			if grown := start + int32(len(q.old)) - b.end; grown == 0 { // most often: who moved is still there
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

// build searches all cells that a viewer at a place could come to see into; what is kept stays so.
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
			// How far the circle reaches along y at the part of the column that is nearest to its centre.
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

// before is the order of blocks.
func (b *block) before(c *block) bool {
	if b.layer != c.layer {
		return b.layer < c.layer
	}
	if b.x != c.x {
		return b.x < c.x
	}
	return b.y < c.y
}

// fill adds a block's entries to out. was are those it had; same: its cell has not changed since.
func (w *Watch) fill(b *block, was []entry, same bool, out []entry) []entry {
	y := &w.of.layers[b.layer]
	if !same && (b.cell < 0 || !y.cells[b.cell].is(b.x, b.y)) {
		b.cell = y.find(b.x, b.y)
	}
	var items []item
	if b.cell >= 0 {
		items = y.cells[b.cell].items
	}
	out = slices.Grow(out, len(items))
	next := 0                            // of was
	skin := w.skin + y.drift + gridSlack // how far from its edge an actor may be and matter
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

// is reports whether both are of the same actor, which stayed as it is.
func (e *entry) is(f *entry) bool { return e.say == f.say && e.kin == f.kin }

// find is where the entry of the same actor is, or −1: mostly the next one.
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
