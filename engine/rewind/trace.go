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
	nearest, size2 := limit, way.SizeSquared()
	seen := math.Min(s.Time, h.times[(h.next-1)&uint64(len(h.times)-1)])
	for _, a := range s.Targets {
		if a == nil || a == s.Shooter || a.Deleted() {
			continue
		}
		tr := h.find(a)
		if tr == nil {
			continue
		}
		from, to := h.pair(tr, m)
		if from == nil || !from.Stops || passes(tr, from, to, &m, s.Start, way, size2, nearest) {
			continue
		}
		p := pose(from, to, m.part)
		first, at := meet(tr, &p, boxesBetween(from, to, m.part, seen), s.Start, way, limit)
		if first >= nearest {
			continue
		}
		nearest = first
		hit = Hit{
			Actor: a, Location: s.Start.MulAdd(way, at.fraction), Normal: at.normal, Distance: math.Sqrt(size2) * at.fraction,
			Box: at.box, Target: p,
		}
		if at.box != CylinderHit {
			hit.Name, hit.Head = tr.kind.shape.boxes[at.box].Name, at.box == 0
		}
		ok = true
	}
	return hit, ok
}

// TraceNow finds where a line meets a pawn as it stands now, whether it is registered or not, in the same way as Trace
// would but for the level and other pawns, which are not asked for, and the way, which is from start to end exactly. ok is
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

// passes reports, by a sphere that holds the target, that a line does not come near it before limit, a part of the way.
// Most targets of most shots end here, so it looks at the place alone.
func passes(tr *track, from, to *frame, m *moment, start, way geom.Vector, size2, limit float64) bool {
	centre := from.Location
	if to != nil {
		centre = centre.Lerp(to.Location, m.part)
	}
	var r2 float64
	if s := tr.kind.shape; s != nil {
		r := s.reach[from.Stance]
		switch {
		case from.moved != nil:
			r += from.moved.farthest
		case from.montage != nil:
			r += from.montage.BoxReach
		}
		r2 = r * r
	} else {
		r2 = from.Radius*from.Radius + from.HalfHeight*from.HalfHeight
	}
	rel := centre.Sub(start)
	k := 0.0
	if size2 > 0 {
		k = max(0, min(1, limit, rel.Dot(way)/size2))
	}
	const slack = 1 + 1e-9 // a line that grazes the sphere is looked at closely
	return rel.MulAdd(way, -k).SizeSquared() > r2*slack
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
