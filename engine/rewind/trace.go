package rewind

import (
	"math"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/engine/animation"
	"github.com/tidelock/tidelock/engine/collision"
	"github.com/tidelock/tidelock/engine/geom"
)

// Overshoot is how far the trace continues beyond the claimed point, as a share of the distance (R11.3): what
// the shooter saw was rounded on the wire and smoothed on its screen.
const Overshoot = 0.25

// Shot is a shooter's claim (R11.3).
type Shot struct {
	// Start and End are the start of the trace and the point claimed to be hit.
	Start, End geom.Vector
	// Time is what the shooter saw, in seconds of the server's world; see [Claim.Check] for whether to believe it.
	Time float64
	// Shooter is never hit; nil is nobody.
	Shooter *engine.Actor
	// Targets are the pawns that are rewound; no other actor is hit. Pawns that are not registered are missed.
	Targets []*engine.Actor
}

// CylinderHit is [Hit.Box] if a collision cylinder was hit, or the level.
const CylinderHit = -1

// Hit is what a shot hit.
type Hit struct {
	Actor            *engine.Actor // nil for the level
	Location, Normal geom.Vector
	Distance         float64 // from the start, in uu
	// Box is the index and Name the name of the box in the class's table; CylinderHit and "" if it has none.
	Box  int
	Name string
	// Head says that it is the table's first.
	Head bool
	// Target is the target's pose when it was hit.
	Target Pose
}

// Trace finds what a shot hit: of the targets, as they were at its time, and of the level with its movers, as
// it is now. Of several targets the one nearest the start is hit; of its boxes the head if the line reaches it
// at all before the level, else the nearest. Of two hit at once the level comes first. A target without a
// record of that time is missed. ok is false if nothing was hit, and for locations that are not finite or
// outside of the world.
//
// It does not write to the world, and allocates nothing.
func (h *History) Trace(s Shot) (hit Hit, ok bool) {
	if !inWorld(s.Start) || !inWorld(s.End) {
		return Hit{}, false
	}
	way := s.End.Sub(s.Start).Mul(1 + Overshoot)
	back := way.Normal().Neg()
	limit := math.Inf(1) // the share of the line at which the level ends it
	h.query.World = h.world.Solid()
	if level := h.query.Line(s.Start, s.Start.Add(way), collision.Filter{}); level.StartSolid {
		return Hit{Location: s.Start, Normal: back, Box: CylinderHit}, true
	} else if level.Blocked() {
		limit = level.Fraction
		hit = Hit{Location: level.Location, Normal: level.Normal, Distance: level.Location.Distance(s.Start), Box: CylinderHit}
		ok = true
	}

	m := h.moment(s.Time)
	if !m.ok {
		return hit, ok
	}
	l := line{start: s.Start, way: way, inverse: 1 / way.SizeSquared(), limit: min(1, limit)}
	seen := math.Min(s.Time, h.times[(h.next-1)&uint64(len(h.times)-1)])
	// Targets near the line are tested from the nearest on, so that after a hit the boxes of most others need
	// not be tested.
	var near [mostNear]nearby
	nearest, first, n := limit, len(s.Targets), 0
	for i, a := range s.Targets {
		if a == nil || a == s.Shooter || a.Deleted() {
			continue
		}
		tr := h.find(a)
		if tr == nil {
			continue
		}
		from, to := h.pair(tr, m)
		if from == nil || !from.Stops {
			continue
		}
		enters, ok := l.reaches(tr, from, to, m.part)
		if !ok {
			continue
		}
		k := n
		for ; k > 0 && near[k-1].enters > enters; k-- {
			near[k] = near[k-1]
		}
		near[k] = nearby{track: tr, from: from, to: to, enters: enters, target: i}
		if n++; n == len(near) {
			nearest, first = h.meetAll(near[:n], &s, way, m.part, seen, limit, nearest, first, &hit)
			n = 0
		}
	}
	_, first = h.meetAll(near[:n], &s, way, m.part, seen, limit, nearest, first, &hit)
	ok = ok || first < len(s.Targets)
	return hit, ok
}

// mostNear is how many targets are sorted at a time; more are tested in several batches.
const mostNear = 32

// nearby is a target that a line comes near.
type nearby struct {
	track    *track
	from, to *frame
	enters   float64 // upper bound of the share at which the line enters the target's enclosing volume
	target   int     // its index in Shot.Targets
}

// meetAll finds which of those in order of enters is hit before nearest, a share of the line, and records it.
// first is the index of the target hit so far, which decides between two hit at once.
func (h *History) meetAll(near []nearby, s *Shot, way geom.Vector, part, seen, limit, nearest float64, first int, hit *Hit) (float64, int) {
	for i := range near {
		c := &near[i]
		if c.enters > nearest {
			break
		}
		p := pose(c.from, c.to, part)
		at, e := meet(c.track, &p, boxesBetween(c.from, c.to, part, seen), s.Start, way, limit)
		if at >= nearest && !(at == nearest && nearest < limit && c.target < first) { // at limit, or nothing was hit
			continue
		}
		nearest, first = at, c.target
		*hit = Hit{
			Actor: c.track.pawn, Location: s.Start.MulAdd(way, e.fraction), Normal: e.normal, Distance: way.Size() * e.fraction,
			Box: e.box, Target: p,
		}
		if e.box != CylinderHit {
			hit.Name, hit.Head = c.track.kind.shape.boxes[e.box].Name, e.box == 0
		}
	}
	return nearest, first
}

// TraceNow finds where a line hits a pawn in its present pose, registered or not, as Trace would, but without
// the level and other pawns, and exactly from start to end. ok is false if it misses, or for a pawn that stops
// no trace.
func (h *History) TraceNow(a *engine.Actor, start, end geom.Vector) (hit Hit, ok bool) {
	if a == nil || a.Deleted() || !inWorld(start) || !inWorld(end) {
		return Hit{}, false
	}
	tr := track{pawn: a, kind: h.kindOf(a.Class)}
	var f frame
	h.see(&tr, &f)
	way := end.Sub(start)
	first, at := meet(&tr, &f.Pose, boxesBetween(&f, nil, 0, h.world.Time), start, way, math.Inf(1))
	if !f.Stops || math.IsInf(first, 1) {
		return Hit{}, false
	}
	hit = Hit{
		Actor: a, Location: start.MulAdd(way, at.fraction), Normal: at.normal, Distance: way.Size() * at.fraction,
		Box: at.box, Target: f.Pose,
	}
	if at.box != CylinderHit {
		hit.Name, hit.Head = tr.kind.shape.boxes[at.box].Name, at.box == 0
	}
	return hit, true
}

// inWorld reports whether a location is finite and in the world.
func inWorld(v geom.Vector) bool {
	return math.Abs(v.X) <= engine.WorldExtent && math.Abs(v.Y) <= engine.WorldExtent && math.Abs(v.Z) <= engine.WorldExtent
}

// line is the line of a shot with the values computed once for all targets.
type line struct {
	start, way geom.Vector
	inverse    float64 // 1 / squared length; infinite for length 0
	limit      float64 // the share of the line, at most 1, at which the level ends it
}

// reaches reports, using a sphere that encloses the target, whether a line comes near it before its limit, and
// at which share it enters the sphere. Most targets of most shots end here, so it uses only the location.
func (l *line) reaches(tr *track, from, to *frame, part float64) (enters float64, ok bool) {
	rel := from.Location
	if to != nil {
		rel = rel.Lerp(to.Location, part)
	}
	rel = rel.Sub(l.start)
	away2 := rel.SizeSquared()
	// A line that grazes the sphere is tested exactly, regardless of rounding.
	r2 := tr.reach2(from)*(1+1e-9) + away2*1e-12
	if away2 <= r2 {
		return 0, true
	}
	ahead := rel.Dot(l.way)
	if ahead <= 0 {
		return 0, false
	}
	aside2 := away2 - ahead*ahead*l.inverse
	if aside2 > r2 {
		return 0, false
	}
	enters = ahead*l.inverse - math.Sqrt((r2-aside2)*l.inverse)
	return enters, !(enters > l.limit) // NaN is tested exactly, too
}

// reach2 returns the squared radius of a sphere around a frame's Location that encloses the target, in uu².
func (tr *track) reach2(f *frame) float64 {
	s := tr.kind.shape
	if s == nil {
		return f.Radius*f.Radius + f.HalfHeight*f.HalfHeight
	}
	r := s.reach[f.Stance]
	switch {
	case f.moved != nil:
		r += f.moved.farthest
	case f.montage != nil:
		r += f.montage.BoxReach
	}
	return r * r
}

// entry is where a line enters a box.
type entry struct {
	box      int
	fraction float64
	normal   geom.Vector
}

// boxesAt is a box track at a world time or, if there is none, that of a montage at a position of it.
type boxesAt struct {
	by      *playing // nil for none
	time    float64
	montage *animation.Sequence // nil for none
	place   float64
}

// boxesBetween returns what moved a pawn's boxes between two frames, the second of which may be nil. A montage
// advances evenly from one to the next; if it jumped or ended its position is that of the first.
func boxesBetween(from, to *frame, part, seen float64) boxesAt {
	b := boxesAt{by: from.moved, time: seen, montage: from.montage, place: from.place}
	if to != nil && to.montage == from.montage && to.place > from.place {
		b.place += (to.place - from.place) * part
	}
	return b
}

// offset returns how far a box is from its place: box i of a class, by its name.
func (b *boxesAt) offset(i int, name string) geom.Vector {
	if b.by != nil {
		return b.by.track.offset(i, b.time-b.by.since)
	}
	if b.montage != nil {
		for k := range b.montage.Boxes {
			if m := &b.montage.Boxes[k]; m.Name == name {
				o := m.At(b.place)
				return geom.V(o[0], o[1], o[2])
			}
		}
	}
	return geom.Vector{}
}

// meet finds where a line enters a target before limit: first is the nearest of its boxes, or +Inf if it hits
// none, and at the one that counts.
func meet(tr *track, p *Pose, moved boxesAt, start, way geom.Vector, limit float64) (first float64, at entry) {
	first = math.Inf(1)
	s := tr.kind.shape
	if s == nil {
		if f, n, hit := cylinderLine(p, start, way); hit && f < limit {
			return f, entry{box: CylinderHit, fraction: f, normal: n}
		}
		return first, at
	}
	forward, right, up := geom.Rotator{Yaw: p.Yaw}.Axes()
	head := false
	for i := range s.boxes {
		b := s.boxes[i].put(p, forward, right, up)
		if o := moved.offset(i, s.boxes[i].Name); !o.IsZero() {
			b.centre = b.centre.MulAdd(forward, o.X).MulAdd(right, o.Y).MulAdd(up, o.Z)
		}
		f, n, hit := b.line(start, way)
		if !hit || f >= limit {
			continue
		}
		if i == 0 || !head && f < first {
			at = entry{box: i, fraction: f, normal: n}
		}
		head = head || i == 0
		first = math.Min(first, f)
	}
	return first, at
}
