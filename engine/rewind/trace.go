package rewind

import (
	"math"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/engine/animation"
	"github.com/tidelock/tidelock/engine/collision"
	"github.com/tidelock/tidelock/engine/geom"
)

// Overshoot is how far the trace goes past the claimed point, as a part of the way there (R11.3): what the shooter saw
// was rounded on the wire and smoothed on its screen.
const Overshoot = 0.25

// Shot is what a shooter says it did (R11.3).
type Shot struct {
	// Start and End are where the trace began and the point claimed to be hit.
	Start, End geom.Vector
	// Time is what the shooter saw, in seconds of the server's world; see [Claim.Check] for whether to believe it.
	Time float64
	// Shooter is never hit; nil is nobody.
	Shooter *engine.Actor
	// Targets are the pawns that are rewound; no other actor is met. Pawns that are not registered are missed.
	Targets []*engine.Actor
}

// CylinderHit is [Hit.Box] where a collision cylinder was hit, or the level.
const CylinderHit = -1

// Hit is what a shot met.
type Hit struct {
	Actor            *engine.Actor // nil for the level
	Location, Normal geom.Vector
	Distance         float64 // from the start, in uu
	// Box is the index and Name the name of the box in the class's table; CylinderHit and "" where it has none.
	Box  int
	Name string
	// Head says that it is the table's first.
	Head bool
	// Target is how the pawn stood when it was hit.
	Target Pose
}

// Trace finds what a shot met: of the targets, as they were at its time, and of the level with its movers, as it is. Of
// several targets the one nearest the start is hit; of its boxes the head where the line meets it at all before the
// level, else the nearest. Of two met at once the level comes first. A target without a record of that time is missed.
// ok is false where nothing was hit, and for places that are not finite or outside of the world.
//
// Nothing of the world is written. It allocates nothing.
func (h *History) Trace(s Shot) (hit Hit, ok bool) {
	if !inWorld(s.Start) || !inWorld(s.End) {
		return Hit{}, false
	}
	way := s.End.Sub(s.Start).Mul(1 + Overshoot)
	back := way.Normal().Neg()
	limit := math.Inf(1) // the part of the way at which the level ends it
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
	// Those that the line comes near are met from the nearest on, so that the first hit spares most of the others the look
	// at their boxes.
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

// mostNear is how many targets are put in order at a time; more are met in several rows.
const mostNear = 32

// nearby is a target that a line comes near.
type nearby struct {
	track    *track
	from, to *frame
	enters   float64 // a part of the way at or before which the line enters what holds the target
	target   int     // its place in Shot.Targets
}

// meetAll finds which of those in order of enters is hit before nearest, a part of the way, and writes it down. first is the
// place among the targets of what was hit there so far, which of two met at once goes before the other.
func (h *History) meetAll(near []nearby, s *Shot, way geom.Vector, part, seen, limit, nearest float64, first int, hit *Hit) (float64, int) {
	for i := range near {
		c := &near[i]
		if c.enters > nearest {
			break
		}
		p := pose(c.from, c.to, part)
		at, e := meet(c.track, &p, boxesBetween(c.from, c.to, part, seen), s.Start, way, limit)
		if at >= nearest && !(at == nearest && nearest < limit && c.target < first) { // at limit, or nowhere at all, nothing was hit
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

// TraceNow finds where a line meets a pawn as it stands now, whether it is registered or not, in the same way as Trace
// would but for the level and other pawns, which are not requested, and the way, which is from start to end exactly. ok is
// false where it misses, or for what stops no trace.
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

// inWorld reports whether a place is finite and in the world.
func inWorld(v geom.Vector) bool {
	return math.Abs(v.X) <= engine.WorldExtent && math.Abs(v.Y) <= engine.WorldExtent && math.Abs(v.Z) <= engine.WorldExtent
}

// line is the way of a shot and what is worked out of it once for all targets.
type line struct {
	start, way geom.Vector
	inverse    float64 // of the way's squared length; infinite where it has none
	limit      float64 // the part of the way, at most 1, at which the level ends it
}

// reaches reports, by a sphere that holds the target, that a line comes near it before its limit, and at which part of the
// way it enters the sphere. Most targets of most shots end here, so it looks at the place alone.
func (l *line) reaches(tr *track, from, to *frame, part float64) (enters float64, ok bool) {
	rel := from.Location
	if to != nil {
		rel = rel.Lerp(to.Location, part)
	}
	rel = rel.Sub(l.start)
	away2 := rel.SizeSquared()
	// A line that grazes the sphere is looked at closely, however the figures are rounded.
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
	return enters, !(enters > l.limit) // what is not a number is looked at closely, too
}

// reach2 is the squared radius of a sphere about a frame's Location that holds the target, in uu².
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

// boxesAt is a box track at a time of the world or, where there is none, that of a montage at a place of it.
type boxesAt struct {
	by      *playing // nil for none
	time    float64
	montage *animation.Sequence // nil for none
	place   float64
}

// boxesBetween is what moved a pawn's boxes between two frames, the second of which may be nil. A montage goes on evenly from
// one to the next; where it jumped or ended it is where the first has it.
func boxesBetween(from, to *frame, part, seen float64) boxesAt {
	b := boxesAt{by: from.moved, time: seen, montage: from.montage, place: from.place}
	if to != nil && to.montage == from.montage && to.place > from.place {
		b.place += (to.place - from.place) * part
	}
	return b
}

// offset is how far a box is from its place: box i of a class, by its name.
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

// meet finds where a line enters a target before limit: first is the nearest of its boxes, or +Inf where it meets none,
// and at the one that counts.
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
