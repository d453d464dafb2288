package dynamics

import (
	"fmt"
	"slices"

	"github.com/tidelock/tidelock/engine/collision"
	"github.com/tidelock/tidelock/engine/geom"
)

// Surroundings lists what bodies collide with besides the level and each other. It is called only during Step.
type Surroundings interface {
	// AppendObstacles adds to dst the upright obstacles that may stop a body (its User) inside a box, in a fixed order.
	AppendObstacles(dst []Obstacle, user int64, box geom.Bounds) []Obstacle
	// MoverStops reports whether a mover's brushes stop a body.
	MoverStops(mover int32, user int64) bool
	// PushObstacle receives the velocity of an obstacle with a mass after a body's push, in uu/s.
	PushObstacle(id int32, user int64, change geom.Vector)
}

// Obstacle is an upright cylinder that bodies do not move themselves: a pawn.
type Obstacle struct {
	ID                 int32 // at least 1
	Centre, Velocity   vec
	Radius, HalfHeight float64
	Mass               float64 // kg; 0 if nothing moves it
}

// HitKind says what a body hit.
type HitKind uint8

// The kinds of hits.
const (
	HitLevel HitKind = iota
	HitMover
	HitObstacle
	HitBody
)

// Hit is a body's collision at more than a touch.
type Hit struct {
	Body   int32
	Kind   HitKind
	Other  int32 // mover, obstacle or body
	At     vec
	Normal vec // away from the other object
	// Impulse is that of the contact, in kg·uu/s; Speed the approach speed, in uu/s.
	Impulse, Speed float64
}

// Space holds rigid bodies. One goroutine owns it.
//
// Invariant: awake counts the bodies in use that are not asleep; contacts are sorted by key.
type Space struct {
	Gravity vec
	// Hits lists those of the last Step; Slept and Woke those of it and of the calls since the Step before. The
	// space owns them.
	Hits        []Hit
	Slept, Woke []int32

	waking, settling []int32 // since the last Step

	query   collision.Query
	brushes []brush
	movers  []moverBrushes // by id, ascending

	bodies []Body
	free   []int32
	awake  int
	shares []share // by Def.Share

	order     []int32 // bodies by the low X of their boxes
	pairs     []pair
	contacts  []contact
	last      []contact
	obstacles []Obstacle
	prisms    []prism
	near      []int32
	stack     []int32
	moving    []int32 // bodies whose boxes reach the sweep's position, see sweepOrder
	resting   []int32
	clip      clipper
	islands   []island // by number of body; see island.go

	boxLoops   [][]int32
	boxEdges   []edge
	prismLoops [10][]int32
	prismEdges []edge
}

// share counts the awake bodies of a share, and their pairs in this step; refused reports that a body was not
// woken since the last [Space.Refused].
type share struct {
	awake, most, pairs int
	refused            bool
}

type moverBrushes struct {
	id       int32
	brushes  []brush
	offset   vec // at the end of the last step
	velocity vec
}

// Brushes are static hulls prepared for a space. They never change, and any number of spaces may share them.
type Brushes struct{ list []brush }

// NewBrushes prepares hulls, in their order.
func NewBrushes(hulls []collision.Hull) *Brushes {
	b := &Brushes{list: make([]brush, 0, len(hulls))}
	for i := range hulls {
		b.list = append(b.list, newBrush(&hulls[i]))
	}
	return b
}

// NewSpace makes a space among static hulls. solid is the world of the same hulls, in the same order, which
// finds and sweeps them; bodies meet its movers from AddMover on. Gravity is 0 at first.
func NewSpace(hulls []collision.Hull, solid *collision.World) *Space {
	return NewSpaceAmong(NewBrushes(hulls), solid)
}

// NewSpaceAmong is NewSpace with brushes that may be shared.
func NewSpaceAmong(brushes *Brushes, solid *collision.World) *Space {
	s := &Space{brushes: brushes.list, boxLoops: boxLoops(), boxEdges: boxEdges(), prismLoops: prismLoops(), prismEdges: prismEdges()}
	s.query.World = solid
	return s
}

// Add adds a body and returns its number, at least 0; numbers of removed bodies are reused. An invalid
// definition is corrected: sizes and mass to the minimum, infinities and NaN to 0.
func (s *Space) Add(d Def) int32 {
	var id int32
	if n := len(s.free); n > 0 {
		id = s.free[n-1]
		s.free = s.free[:n-1]
	} else {
		if len(s.bodies) >= MaxBodies {
			panic(fmt.Sprintf("dynamics: more than %d bodies", MaxBodies))
		}
		id = int32(len(s.bodies))
		s.bodies = append(s.bodies, Body{})
	}
	b := &s.bodies[id]
	*b = Body{Def: sane(d), id: id, used: true, asleep: d.Asleep}
	b.setMass()
	b.limit()
	b.pose()
	b.box = b.bounds()
	s.order = append(s.order, id)
	s.share(b.Share)
	if b.asleep = b.asleep || !s.room(b); !b.asleep {
		s.countAwake(b, 1)
	} else {
		b.LinVel, b.AngVel = vec{}, vec{}
	}
	return id
}

func (s *Space) share(of int32) *share {
	for int(of) >= len(s.shares) {
		s.shares = append(s.shares, share{most: MaxShareAwake})
	}
	return &s.shares[of]
}

// LimitShare sets how many bodies of a share, from 1 on, may be awake; at least 1.
func (s *Space) LimitShare(of int32, most int) { s.share(of).most = max(1, most) }

// room reports whether another body like this one may be awake.
func (s *Space) room(b *Body) bool {
	h := &s.shares[b.Share]
	if s.awake < MaxAwake && (b.Share == 0 || h.awake < h.most) {
		return true
	}
	h.refused = true
	return false
}

func (s *Space) countAwake(b *Body, n int) {
	s.awake += n
	s.shares[b.Share].awake += n
}

// Refused reports whether a body of a share was kept asleep since the last call because too many are awake.
func (s *Space) Refused(of int32) bool {
	if int(of) >= len(s.shares) || !s.shares[of].refused {
		return false
	}
	s.shares[of].refused = false
	return true
}

func sane(d Def) Def {
	num := func(x *float64, lo, hi float64) {
		if !(*x >= lo) {
			*x = lo
		}
		*x = min(*x, hi)
	}
	for _, h := range []*float64{&d.Half.X, &d.Half.Y, &d.Half.Z, &d.Radius} {
		num(h, 1, 10000)
	}
	num(&d.Mass, 0.01, 1e9)
	num(&d.Friction, 0, 10)
	num(&d.Restitution, 0, 1)
	num(&d.LinearDamping, 0, 100)
	num(&d.AngularDamping, 0, 100)
	num(&d.GravityScale, -100, 100)
	num(&d.Lift, -1000, 1000)
	d.Share = max(0, d.Share)
	if !d.Position.IsFinite() {
		d.Position = vec{}
	}
	d.Rotation = d.Rotation.Normal()
	return d
}

// Remove removes a body and wakes what it touched.
func (s *Space) Remove(id int32) {
	b := s.body(id)
	box := b.bounds()
	if !b.asleep {
		s.countAwake(b, -1)
	}
	*b = Body{}
	s.free = append(s.free, id)
	if i := slices.Index(s.order, id); i >= 0 {
		s.order = slices.Delete(s.order, i, i+1)
	}
	s.contacts = slices.DeleteFunc(s.contacts, func(c contact) bool { return c.a == id || c.kind == HitBody && c.other == id })
	s.WakeBox(box)
}

// Body returns a body by its number. The pointer is valid until the next Add.
func (s *Space) Body(id int32) *Body { return s.body(id) }

func (s *Space) body(id int32) *Body {
	if id < 0 || int(id) >= len(s.bodies) || !s.bodies[id].used {
		panic(fmt.Sprintf("dynamics: no body %d", id))
	}
	return &s.bodies[id]
}

// Awake returns the number of awake bodies.
func (s *Space) Awake() int { return s.awake }

// Len returns the number of bodies.
func (s *Space) Len() int { return len(s.order) }

// AddMover makes bodies collide with a mover of the solid world; hulls are those of the mover.
func (s *Space) AddMover(id int32, hulls []collision.Hull) {
	m := moverBrushes{id: id, offset: s.query.World.MoverOffset(id)}
	for i := range hulls {
		m.brushes = append(m.brushes, newBrush(&hulls[i]))
	}
	i, _ := slices.BinarySearchFunc(s.movers, id, func(m moverBrushes, id int32) int { return int(m.id) - int(id) })
	s.movers = slices.Insert(s.movers, i, m)
}

// RemoveMover removes a mover, and wakes bodies that touched it. It is called before the mover is removed from
// the solid world; an unknown id is ignored.
func (s *Space) RemoveMover(id int32) {
	for i := range s.movers {
		if s.movers[i].id == id {
			s.WakeBox(s.query.World.MoverBounds(id))
			s.movers = slices.Delete(s.movers, i, i+1)
			return
		}
	}
}

// SetPose moves a body and wakes it, and what it leaves.
func (s *Space) SetPose(id int32, at vec, turn Quat) {
	b := s.body(id)
	if !at.IsFinite() {
		return
	}
	s.WakeBox(b.bounds())
	b.Position, b.Rotation = at, turn.Normal()
	b.pose()
	b.box = b.bounds()
	s.Wake(id)
}

// Tune changes a body except its shape and location: mass, friction, restitution, damping, gravity, and whether
// hits are reported. Lift stays as it is.
func (s *Space) Tune(id int32, d *Def) {
	b := s.body(id)
	n := b.Def
	n.Mass, n.Friction, n.Restitution = d.Mass, d.Friction, d.Restitution
	n.LinearDamping, n.AngularDamping, n.GravityScale, n.Hits = d.LinearDamping, d.AngularDamping, d.GravityScale, d.Hits
	b.Def = sane(n)
	b.setMass()
	b.pose()
}

// Lay moves a body a short distance and puts it to sleep, without waking others.
func (s *Space) Lay(id int32, at vec, turn Quat) {
	b := s.body(id)
	if !at.IsFinite() {
		return
	}
	b.Position, b.Rotation = at, turn.Normal()
	b.pose()
	b.box = b.bounds()
	s.Sleep(id)
}

// SetVelocity sets both velocities and wakes the body unless they are 0. A body that cannot be woken gets none.
func (s *Space) SetVelocity(id int32, linear, angular vec) {
	b := s.body(id)
	b.LinVel, b.AngVel = linear, angular
	b.limit()
	if b.asleep && (!b.LinVel.IsZero() || !b.AngVel.IsZero()) && !s.Wake(id) {
		b.LinVel, b.AngVel = vec{}, vec{}
	}
}

// AddImpulse applies an impulse at a world location, in kg·uu/s, and wakes the body; one that cannot be woken
// stays.
func (s *Space) AddImpulse(id int32, impulse, at vec) {
	b := s.body(id)
	if !impulse.IsFinite() || !at.IsFinite() || impulse.IsZero() {
		return
	}
	if !s.Wake(id) {
		return
	}
	b.push(impulse, at.Sub(b.Position))
	b.limit()
}

// AddForce applies a force during the next step, in kg·uu/s², and wakes the body; one that cannot be woken
// stays.
func (s *Space) AddForce(id int32, force, at vec) {
	b := s.body(id)
	if !force.IsFinite() || !at.IsFinite() || force.IsZero() {
		return
	}
	if !s.Wake(id) {
		return
	}
	b.force = b.force.Add(force)
	b.torque = b.torque.Add(at.Sub(b.Position).Cross(force))
}

func (b *Body) push(impulse, arm vec) {
	b.LinVel = b.LinVel.MulAdd(impulse, b.invMass)
	b.AngVel = b.AngVel.Add(b.invI(arm.Cross(impulse)))
}

// Wake wakes a body and, recursively, the bodies that sleep against it, and reports whether it is awake now: at
// most MaxAwake are.
func (s *Space) Wake(id int32) bool {
	b := s.body(id)
	b.still = 0
	if !b.asleep {
		return true
	}
	if !s.rouse(b) {
		return false
	}
	from := len(s.stack)
	s.stack = append(s.stack, id)
	for len(s.stack) > from {
		at := s.stack[len(s.stack)-1]
		s.stack = s.stack[:len(s.stack)-1]
		box := s.bodies[at].bounds().Expand(vec{X: margin, Y: margin, Z: margin})
		for _, o := range s.order {
			if c := &s.bodies[o]; c.asleep && c.box.Overlaps(box) && s.rouse(c) {
				s.stack = append(s.stack, o)
			}
		}
	}
	return true
}

func (s *Space) rouse(b *Body) bool {
	if !s.room(b) {
		return false
	}
	b.asleep, b.still, b.AwakeFor = false, 0, 0
	s.countAwake(b, 1)
	s.waking = append(s.waking, b.id)
	return true
}

// WakeBox wakes sleeping bodies that overlap a box.
func (s *Space) WakeBox(box geom.Bounds) {
	box = box.Expand(vec{X: margin, Y: margin, Z: margin})
	for _, id := range s.order {
		if b := &s.bodies[id]; b.asleep && b.box.Overlaps(box) {
			s.Wake(id)
		}
	}
}

// Sleep puts a body to sleep in place.
func (s *Space) Sleep(id int32) {
	if b := s.body(id); !b.asleep {
		s.settle(b)
	}
}

func (s *Space) settle(b *Body) {
	b.asleep, b.AwakeFor, b.still = true, 0, 0
	b.LinVel, b.AngVel, b.force, b.torque = vec{}, vec{}, vec{}, vec{}
	b.box = b.bounds()
	s.countAwake(b, -1)
	s.settling = append(s.settling, b.id)
}
