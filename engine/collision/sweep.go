package collision

import (
	"math"

	"github.com/tidelock/tidelock/engine/geom"
)

// NoBrush is Hit.Brush if nothing was hit.
const NoBrush = -1

// Query queries a world. The zero value with a World is ready. One goroutine owns a query.
type Query struct {
	World *World
	// Sweeps and Lines count the queries since they were last set to 0 (box sweeps; line traces).
	Sweeps, Lines uint64
	// Work counts what all queries examined, in [WorkUnit]s: the same queries to the same world in the same
	// order give the same count.
	Work uint64

	// shade is the index, plus 1, of the static hull that hid the end of the last line of [Query.Clear]; 0 for
	// none. Successive lines from one location are mostly hidden by the same wall, so that hull is tried first.
	shade int32
}

// Filter excludes things from a query. The zero value excludes nothing.
type Filter struct {
	NoStatic bool  // exclude the static hulls
	NoMovers bool  // no mover
	Ignore   int32 // exclude this mover; 0 means none
}

// Hit is the result of a sweep or a line.
type Hit struct {
	Fraction float64     // free share of the movement, 0 to 1
	Location geom.Vector // location of the centre at the end
	Normal   geom.Vector // of the surface hit, length 1; zero if nothing was hit
	Brush    int32       // index of the hull hit, in its world or mover; NoBrush
	Mover    int32       // the mover hit; 0 for a static hull or nothing

	// StartSolid reports that the start was in something by more than Gap, StartDepth by how much (uu, the
	// deepest among what the movement came near). Such a movement is free if it leads out, and 0 if it leads
	// deeper; but it may catch on seams, so call [Query.Depenetrate] first. Lines that start in something
	// report it too, from 1/1000 uu.
	StartSolid bool
	StartDepth float64
}

// Blocked reports whether something was hit.
func (h Hit) Blocked() bool { return h.Brush != NoBrush }

// Sweep moves an upright box of half extents half from start towards end and returns how far it gets. It ends
// at least Gap from what it hits, or where it started if it was nearer. Of several surfaces hit at once it
// reports the one that faces the movement most. Coordinates must be finite.
func (q *Query) Sweep(start, end, half geom.Vector, f Filter) Hit {
	q.Sweeps++
	s := newSweep(start, end, half, Gap, slack)
	q.World.sweep(&s, f)
	q.Work += s.work
	return s.hit()
}

// SweepMover is Sweep against only that mover, solid or not. To find what a moving mover pushes, sweep the body
// by the mover's movement reversed.
func (q *Query) SweepMover(id int32, start, end, half geom.Vector) Hit {
	q.Sweeps++
	s := newSweep(start, end, half, Gap, slack)
	s.against(q.World.mover(id))
	q.Work += s.work
	return s.hit()
}

// Line traces from start to end and returns what it hits first, exactly (no gap). It ignores hulls with
// LinesPass.
func (q *Query) Line(start, end geom.Vector, f Filter) Hit {
	q.Lines++
	s := newSweep(start, end, geom.Vector{}, 0, 0)
	s.line = true
	q.World.sweep(&s, f)
	q.Work += s.work
	return s.hit()
}

// Clear reports whether nothing is between the two points; it may stop at the first thing found.
func (q *Query) Clear(start, end geom.Vector, f Filter) bool {
	q.Lines++
	s := newSweep(start, end, geom.Vector{}, 0, 0)
	s.line, s.any = true, true
	if static := &q.World.static; q.shade > 0 && !f.NoStatic && int(q.shade) <= len(static.list) { // a new level has other hulls, which do as well
		if s.try(static, q.shade-1); s.brush != NoBrush {
			q.Work += s.work
			return false
		}
	}
	q.World.sweep(&s, f)
	q.Work += s.work
	if s.brush != NoBrush && s.mover == 0 {
		q.shade = s.last + 1
	}
	return s.brush == NoBrush && !s.startSolid
}

// sweep is one query in progress, in coordinates in which the hulls do not move.
type sweep struct {
	start, end, half geom.Vector // start and end minus the offset of the mover being examined
	delta, inverse   geom.Vector // end − start, and 1/delta (infinite for 0)
	reach            geom.Vector // half + gap: by how much hull bounds are enlarged
	gap, slack       float64

	line, any bool
	work      uint64

	// The nearest so far.
	fraction   float64
	facing     float64 // normal·delta of it, to choose among equal hits
	normal     geom.Vector
	brush      int32
	mover      int32
	startSolid bool
	depth      float64

	origin, goal geom.Vector // as asked
	testing      int32       // the mover being examined
	last         int32       // its hull examined last
}

func newSweep(start, end, half geom.Vector, gap, slack float64) sweep {
	d := end.Sub(start)
	return sweep{
		start: start, end: end, half: half, delta: d,
		inverse: geom.Vector{X: 1 / d.X, Y: 1 / d.Y, Z: 1 / d.Z},
		reach:   geom.Vector{X: half.X + gap, Y: half.Y + gap, Z: half.Z + gap},
		gap:     gap, slack: slack,
		fraction: 1, brush: NoBrush, origin: start, goal: end,
	}
}

func (s *sweep) hit() Hit {
	h := Hit{
		Fraction: s.fraction, Location: s.goal, Normal: s.normal, Brush: s.brush, Mover: s.mover,
		StartSolid: s.startSolid, StartDepth: s.depth,
	}
	if s.brush != NoBrush {
		h.Location = s.origin.MulAdd(s.goal.Sub(s.origin), s.fraction)
	}
	return h
}

func (w *World) sweep(s *sweep, f Filter) {
	if !f.NoStatic {
		s.solids(&w.static)
	}
	if f.NoMovers {
		return
	}
	s.work += workNode * uint64(1+len(w.movers))
	for i := range w.movers {
		m := &w.movers[i]
		if m.off || m.id == f.Ignore || s.any && s.brush != NoBrush || !s.reaches(&m.bounds) {
			continue
		}
		s.against(m)
		s.start, s.end = s.origin, s.goal
	}
}

func (s *sweep) against(m *mover) {
	s.start, s.end, s.testing = s.origin.Sub(m.offset), s.goal.Sub(m.offset), m.id
	s.solids(&m.solids)
}

// reaches reports whether the moving box comes within the gap of the bounds, no later than the nearest hit.
func (s *sweep) reaches(b *geom.Bounds) bool {
	tmin, tmax := 0.0, s.fraction
	lo, hi := b.Min.X-s.reach.X-s.start.X, b.Max.X+s.reach.X-s.start.X
	if s.inverse.X < 0 {
		lo, hi = hi, lo
	}
	// 0 × ∞ is NaN, of which both comparisons are false: a box that runs along the bounds is inside them.
	if t := lo * s.inverse.X; t > tmin {
		tmin = t
	}
	if t := hi * s.inverse.X; t < tmax {
		tmax = t
	}
	lo, hi = b.Min.Y-s.reach.Y-s.start.Y, b.Max.Y+s.reach.Y-s.start.Y
	if s.inverse.Y < 0 {
		lo, hi = hi, lo
	}
	if t := lo * s.inverse.Y; t > tmin {
		tmin = t
	}
	if t := hi * s.inverse.Y; t < tmax {
		tmax = t
	}
	lo, hi = b.Min.Z-s.reach.Z-s.start.Z, b.Max.Z+s.reach.Z-s.start.Z
	if s.inverse.Z < 0 {
		lo, hi = hi, lo
	}
	if t := lo * s.inverse.Z; t > tmin {
		tmin = t
	}
	if t := hi * s.inverse.Z; t < tmax {
		tmax = t
	}
	return tmin <= tmax
}

func (s *sweep) solids(set *solids) {
	if len(set.nodes) == 0 {
		return
	}
	var stack [maxDepth]int32
	n := 1
	for n > 0 {
		n--
		node := &set.nodes[stack[n]]
		s.work += workNode
		if !s.reaches(&node.bounds) {
			continue
		}
		if node.count == 0 {
			// The nearer child is examined first: a hit there saves the other.
			a, b := node.first, node.first+1
			if set.nodes[a].bounds.Centre().Sub(set.nodes[b].bounds.Centre()).Dot(s.delta) > 0 {
				a, b = b, a
			}
			stack[n], stack[n+1] = b, a
			n += 2
			continue
		}
		for i := node.first; i < node.first+node.count; i++ {
			if s.try(set, i); s.any && s.brush != NoBrush {
				return
			}
		}
	}
}

// try examines one hull of a set.
func (s *sweep) try(set *solids, i int32) {
	b := &set.list[i]
	if s.line && b.linesPass {
		return
	}
	s.last = i
	s.work += workSolid + uint64(b.count)/2
	s.solid(b, set.planes[b.first:b.first+b.count])
}

// solid clips the movement against one hull, enlarged by the box (Minkowski), so that the box is a point.
func (s *sweep) solid(b *solid, planes []Plane) {
	c := clip{leave: 1, deep: math.Inf(-1), gap: s.gap, slack: s.slack}
	d := s.start.X - b.bounds.Max.X - s.half.X
	if c.plane(0, d, d+s.delta.X) {
		return
	}
	d = b.bounds.Min.X - s.half.X - s.start.X
	if c.plane(1, d, d-s.delta.X) {
		return
	}
	d = s.start.Y - b.bounds.Max.Y - s.half.Y
	if c.plane(2, d, d+s.delta.Y) {
		return
	}
	d = b.bounds.Min.Y - s.half.Y - s.start.Y
	if c.plane(3, d, d-s.delta.Y) {
		return
	}
	d = s.start.Z - b.bounds.Max.Z - s.half.Z
	if c.plane(4, d, d+s.delta.Z) {
		return
	}
	d = b.bounds.Min.Z - s.half.Z - s.start.Z
	if c.plane(5, d, d-s.delta.Z) {
		return
	}
	for i := range planes {
		p := &planes[i]
		d = p.heightOfBox(s.start, s.half)
		if c.plane(int32(6+i), d, d+p.Normal.Dot(s.delta)) {
			return
		}
	}
	at, fraction, hit := c.result()
	if c.deep < -max(s.slack, touch) {
		s.startSolid = true
		s.depth = max(s.depth, -c.deep)
	}
	if !hit || fraction > s.fraction {
		return
	}
	normal := planeNormal(at, planes)
	facing := normal.Dot(s.delta)
	if fraction == s.fraction && s.brush != NoBrush {
		// Equal fractions: the surface that faces the movement most, then the first by mover and index.
		if facing > s.facing || facing == s.facing &&
			(s.testing > s.mover || s.testing == s.mover && b.brush >= s.brush) {
			return
		}
	}
	s.fraction, s.facing, s.normal, s.brush, s.mover = fraction, facing, normal, b.brush, s.testing
}

func planeNormal(at int32, planes []Plane) geom.Vector {
	if at >= 6 {
		return planes[at-6].Normal
	}
	n := axes[at/2]
	if at%2 == 1 {
		n = n.Neg()
	}
	return n
}

// clip is a segment cut by the planes of one convex set, which is what a sweep comes down to. Heights are
// in uu above a plane, before and after the move.
type clip struct {
	gap, slack float64

	enter, leave float64
	entered      int32
	shell        float64 // height over the entered plane if the movement starts within its gap
	started      bool    // a plane is in front of the start

	deep   float64 // the greatest height at the start: the shortest exit if negative
	deepAt int32
	deepTo float64 // and that plane's height at the end
}

// plane cuts by one plane; true means that the set is not hit at all.
func (c *clip) plane(at int32, from, to float64) bool {
	if from > c.deep {
		c.deep, c.deepAt, c.deepTo = from, at, to
	}
	if from > -c.slack && (to >= c.gap || to >= from-parallelAt(from)) {
		return true // in front of it all along, or parallel to it
	}
	switch {
	case from > c.gap:
		f := (from - c.gap) / (from - to)
		if f > c.enter || !c.started {
			c.enter, c.entered, c.started, c.shell = f, at, true, math.Inf(1)
		}
	case from > 0:
		// Already within the gap: the fraction is 0, and among such planes the one least deep in the gap
		// counts.
		if !c.started || c.enter == 0 && from > c.shell {
			c.entered, c.started, c.shell = at, true, from
		}
	case to > 0:
		c.leave = min(c.leave, from/(from-to))
	}
	return false
}

func parallelAt(height float64) float64 {
	if height > 0 {
		return parallel
	}
	return parallelInside
}

// result returns where the set is hit. A start inside it is a hit at once if the movement leads deeper, and
// none if it leads out.
func (c *clip) result() (at int32, fraction float64, hit bool) {
	if !c.started {
		return c.deepAt, 0, c.deepTo < c.deep-parallelInside
	}
	return c.entered, c.enter, c.enter < c.leave
}
