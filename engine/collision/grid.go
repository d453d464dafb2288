package collision

import (
	"fmt"
	"math"
	"slices"

	"github.com/tidelock/tidelock/engine/geom"
)

// Grid finds upright bodies by location. A body is in one cell of the level whose cells fit its radius, so a
// move inside a cell costs one store and large bodies do not slow the search for small ones. Cells are hashed:
// memory grows with bodies, not with the level.
//
// Invariant: every list of results is in ascending order of id, and nearest results prefer the lower id, so
// nothing depends on the order in which bodies were added.
//
// The zero value is not ready: use [NewGrid]. One goroutine owns a grid, because queries are counted. Only
// Insert allocates, when there are more bodies, or higher ids, than ever before.
type Grid struct {
	few     uint32     // see NewGrid
	slots   []slot     // by id
	buckets [][2]int32 // ids: heads of the chains, of bodies with and without a bit of few; a power of two
	levels  [gridLevels + 1]gridLevel
	count   int
	work    uint64
}

// Work counts what all queries examined, in [WorkUnit]s.
func (g *Grid) Work() uint64 { return g.work }

const (
	gridLevels = 8   // cells of 128 to 16 384 uu; wider bodies are in a last level without cells
	gridCell   = 128 // uu, the smallest cell
)

type gridLevel struct {
	size  float64  // of a cell, uu
	head  [2]int32 // first body of the level, with and without a bit of few
	count int32
}

type slot struct {
	Body
	used         bool
	level        int8
	many         int8  // 1 for a body without a bit of few
	x, y         int32 // cell
	next, prev   int32 // in the bucket's chain; 0 ends
	lnext, lprev int32 // in the level's
}

// NewGrid makes an empty grid. Bodies with a bit of few are stored separately from those without, of which
// there may be thousands in one location: a query for bits of few does not examine these.
func NewGrid(few uint32) *Grid {
	g := &Grid{few: few, buckets: make([][2]int32, 64)}
	for i := range g.levels {
		g.levels[i].size = gridCell * float64(int(1)<<i)
	}
	return g
}

// Len is the number of bodies.
func (g *Grid) Len() int { return g.count }

// Insert adds a body, or replaces the one with that id. Ids are small and dense, 1 to [MaxBodyID]; others
// panic.
func (g *Grid) Insert(id int32, b Body) {
	if id < 1 || id > MaxBodyID {
		panic(fmt.Sprintf("collision: body id %d out of range", id))
	}
	for int(id) >= len(g.slots) {
		g.slots = append(g.slots, slot{})
	}
	g.Remove(id)
	if g.count++; g.count > len(g.buckets) {
		g.grow()
	}
	g.slots[id] = slot{Body: b, used: true}
	if b.Mask&g.few == 0 {
		g.slots[id].many = 1
	}
	g.link(id)
}

// Get returns the body with that id; ok is false if there is none.
func (g *Grid) Get(id int32) (b Body, ok bool) {
	if !g.has(id) {
		return Body{}, false
	}
	return g.slots[id].Body, true
}

// Move moves a body. An unknown id panics.
func (g *Grid) Move(id int32, centre geom.Vector) {
	s := g.slot(id)
	s.Centre = centre
	l := &g.levels[s.level]
	if x, y := centre.X-float64(s.x)*l.size, centre.Y-float64(s.y)*l.size; x >= 0 && x < l.size && y >= 0 && y < l.size {
		return // in the same cell; cheaper than a division, and exact because sizes are powers of two
	}
	if x, y := cellOf(centre.X, l.size), cellOf(centre.Y, l.size); x != s.x || y != s.y {
		g.unlink(id)
		g.link(id)
	}
}

// Resize changes a body's radius and half height (for example when crouching). An unknown id panics.
func (g *Grid) Resize(id int32, radius, halfHeight float64) {
	s := g.slot(id)
	g.unlink(id)
	s.Radius, s.HalfHeight = radius, halfHeight
	g.link(id)
}

// Remove removes a body; an unknown id is ignored.
func (g *Grid) Remove(id int32) {
	if g.has(id) {
		g.unlink(id)
		g.slots[id] = slot{}
		g.count--
	}
}

// AppendBodies adds to dst the ids, ascending, of the bodies whose bounds share a point with the box and
// whose mask shares a bit with mask.
func (g *Grid) AppendBodies(dst []int32, box geom.Bounds, mask uint32) []int32 {
	from := len(dst)
	g.each(box, mask, func(id int32, s *slot) {
		if s.Mask&mask != 0 && s.Bounds().Overlaps(box) {
			dst = append(dst, id)
		}
	})
	slices.Sort(dst[from:])
	return dst
}

// EachBody visits the bodies with a bit of mask whose bounds overlap a box, in no particular order. f must not
// query the grid.
func (g *Grid) EachBody(box geom.Bounds, mask uint32, f func(id int32)) {
	g.each(box, mask, func(id int32, s *slot) {
		if s.Mask&mask != 0 && s.Bounds().Overlaps(box) {
			f(id)
		}
	})
}

// AppendOverlaps adds to dst the ids, ascending, of the bodies that a cylinder overlaps by more than a touch.
func (g *Grid) AppendOverlaps(dst []int32, b Body) []int32 {
	from := len(dst)
	g.each(b.Bounds(), b.Mask, func(id int32, s *slot) {
		if s.Mask&b.Mask != 0 {
			if depth, _ := Overlap(&b, &s.Body); depth > touch {
				dst = append(dst, id)
			}
		}
	})
	slices.Sort(dst[from:])
	return dst
}

// Sweep moves an upright cylinder among the bodies and returns the first it hits; if there is none, ID is 0,
// Fraction 1 and Location end. Bodies without a bit of mask, the body ignore (0 for none) and those for which
// skip (nil for none) returns true are ignored; skip is called in no particular order.
func (g *Grid) Sweep(start, end geom.Vector, radius, halfHeight float64, mask uint32, ignore int32, skip func(id int32) bool) BodyHit {
	best := BodyHit{Fraction: 1, Location: end}
	g.each(swept(start, end, radius, halfHeight), mask, func(id int32, s *slot) {
		if s.Mask&mask == 0 || id == ignore {
			return
		}
		h, hit := sweepCylinder(start, end, radius, halfHeight, &s.Body, Gap, slack)
		if !hit || h.Fraction > best.Fraction || h.Fraction == best.Fraction && best.ID != 0 && id > best.ID ||
			skip != nil && skip(id) {
			return
		}
		h.ID = id
		best = h
	})
	return best
}

// Line traces a line among the bodies and returns the first it hits, exactly, as Sweep does.
func (g *Grid) Line(start, end geom.Vector, mask uint32, ignore int32, skip func(id int32) bool) BodyHit {
	best := BodyHit{Fraction: 1, Location: end}
	g.each(swept(start, end, 0, 0), mask, func(id int32, s *slot) {
		if s.Mask&mask == 0 || id == ignore {
			return
		}
		h, hit := sweepCylinder(start, end, 0, 0, &s.Body, 0, 0)
		if !hit || h.Fraction > best.Fraction || h.Fraction == best.Fraction && best.ID != 0 && id > best.ID ||
			skip != nil && skip(id) {
			return
		}
		h.ID = id
		best = h
	})
	return best
}

// AppendHits adds to dst every body that the cylinder meets along its movement, or overlaps at the start and
// does not leave, by fraction and then id: what it touches among bodies that do not block.
func (g *Grid) AppendHits(dst []BodyHit, start, end geom.Vector, radius, halfHeight float64, mask uint32, ignore int32) []BodyHit {
	from := len(dst)
	g.each(swept(start, end, radius, halfHeight), mask, func(id int32, s *slot) {
		if s.Mask&mask == 0 || id == ignore {
			return
		}
		if h, hit := sweepCylinder(start, end, radius, halfHeight, &s.Body, Gap, slack); hit {
			h.ID = id
			dst = append(dst, h)
		}
	})
	slices.SortFunc(dst[from:], func(a, b BodyHit) int {
		switch {
		case a.Fraction < b.Fraction:
			return -1
		case a.Fraction > b.Fraction:
			return 1
		}
		return int(a.ID - b.ID)
	})
	return dst
}

func swept(start, end geom.Vector, radius, halfHeight float64) geom.Bounds {
	b := geom.Bounds{Min: start, Max: start}.Union(geom.Bounds{Min: end, Max: end})
	return b.Expand(geom.V(radius+Gap, radius+Gap, halfHeight+Gap))
}

// each visits the bodies that may share a point with the box and a bit with mask, in unspecified order.
func (g *Grid) each(box geom.Bounds, mask uint32, visit func(id int32, s *slot)) {
	chains := 2
	if mask&^g.few == 0 {
		chains = 1
	}
	for i := range g.levels {
		l := &g.levels[i]
		if l.count == 0 {
			continue
		}
		// A body extends at most half a cell out of its own.
		x0, x1 := cellOf(box.Min.X-l.size/2, l.size), cellOf(box.Max.X+l.size/2, l.size)
		y0, y1 := cellOf(box.Min.Y-l.size/2, l.size), cellOf(box.Max.Y+l.size/2, l.size)
		cells := (int64(x1) - int64(x0) + 1) * (int64(y1) - int64(y0) + 1)
		if i == gridLevels || cells > int64(l.count) {
			for _, head := range l.head[:chains] {
				for id := head; id != 0; id = g.slots[id].lnext {
					g.work += workBody
					visit(id, &g.slots[id])
				}
			}
			continue
		}
		for x := x0; x <= x1; x++ {
			for y := y0; y <= y1; y++ {
				g.work += workNode
				for _, head := range g.buckets[g.bucket(int8(i), x, y)][:chains] {
					for id := head; id != 0; id = g.slots[id].next {
						g.work += workBody
						if s := &g.slots[id]; s.x == x && s.y == y && s.level == int8(i) {
							visit(id, s)
						}
					}
				}
			}
		}
	}
}

func (g *Grid) has(id int32) bool {
	return id > 0 && int(id) < len(g.slots) && g.slots[id].used
}

func (g *Grid) slot(id int32) *slot {
	if !g.has(id) {
		panic(fmt.Sprintf("collision: no body %d", id))
	}
	return &g.slots[id]
}

// cellOf clamps: beyond 2^30 cells everything is in the outermost one.
func cellOf(x, size float64) int32 {
	return int32(max(-1<<30, min(1<<30, math.Floor(x/size))))
}

func (g *Grid) bucket(level int8, x, y int32) int {
	h := uint64(uint32(x))*0x9E3779B97F4A7C15 ^ uint64(uint32(y))*0xC2B2AE3D27D4EB4F ^ uint64(level)*0x165667B19E3779F9
	return int((h ^ h>>29) >> 7 & uint64(len(g.buckets)-1))
}

func (g *Grid) link(id int32) {
	s := &g.slots[id]
	s.level = 0
	for s.level < gridLevels && 2*s.Radius > g.levels[s.level].size {
		s.level++
	}
	l := &g.levels[s.level]
	s.x, s.y = cellOf(s.Centre.X, l.size), cellOf(s.Centre.Y, l.size)
	head := &g.buckets[g.bucket(s.level, s.x, s.y)][s.many]
	s.prev, s.next = 0, *head
	if s.next != 0 {
		g.slots[s.next].prev = id
	}
	*head = id
	s.lprev, s.lnext = 0, l.head[s.many]
	if s.lnext != 0 {
		g.slots[s.lnext].lprev = id
	}
	l.head[s.many] = id
	l.count++
}

func (g *Grid) unlink(id int32) {
	s := &g.slots[id]
	if s.next != 0 {
		g.slots[s.next].prev = s.prev
	}
	if s.prev != 0 {
		g.slots[s.prev].next = s.next
	} else {
		g.buckets[g.bucket(s.level, s.x, s.y)][s.many] = s.next
	}
	l := &g.levels[s.level]
	if s.lnext != 0 {
		g.slots[s.lnext].lprev = s.lprev
	}
	if s.lprev != 0 {
		g.slots[s.lprev].lnext = s.lnext
	} else {
		l.head[s.many] = s.lnext
	}
	l.count--
}

func (g *Grid) grow() {
	g.buckets = make([][2]int32, 2*len(g.buckets))
	for i := range g.levels {
		g.levels[i].head, g.levels[i].count = [2]int32{}, 0
	}
	for id := range g.slots {
		if g.slots[id].used {
			g.link(int32(id))
		}
	}
}
