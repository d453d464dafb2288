package engine

import (
	"fmt"
	"math"

	"github.com/tidelock/tidelock/engine/collision"
)

// Movers: actors that own brushes of the level, and any actor with PHYS_Interpolating that StartMove moves; one
// without brushes passes through everything. The location on a path is a function of the time since its start,
// so no tick rate changes it.
//
// Moving brushes push. In one step of a mover, in order of spawning: actors that rest on it move along, and
// those in the way are pushed ahead of it, each as far as the level, other movers and other actors allow (a
// pushed actor does not push others). Rigid bodies are pushed by their own step. If then a blocking body is in
// the mover, or a rigid body in front of it cannot move away, nobody has moved and the mover is encroached
// upon: EncroachedBy(body) is called on the mover and EncroachedBy(mover) on the body, in order of spawning of
// the bodies, and if they are still in the way the mover does what its class's EncroachType says:
//
//	Return  (the default)  returns to the start of this path, waits half a second, and starts again
//	Stop    (the default where EncroachDamage is above 0)  stands still and tries again in every tick
//	Crush   TakeDamage(10000, nil, place, 0, "crushed") on the body; then as Stop
//	Ignore  goes through
//
// ReachedDestination is called on the mover when its path ends, and never otherwise.

const (
	encroachWait = 0.5 // seconds a mover waits before it starts again
	settled      = 1e-3
)

// place returns the offset after so many seconds.
func (t *travel) place(at float64) vec {
	if at >= t.seconds {
		return t.to
	}
	if at <= 0 {
		return t.from
	}
	s := at / t.seconds
	if t.glide {
		s = s * s * (3 - 2*s)
	}
	return t.from.Lerp(t.to, s)
}

// StartMove moves the actor to an offset from its home, which is its location when it was spawned or first
// moved, in so many seconds; with glide it starts and ends gently, otherwise the speed is constant. It sets
// PHYS_Interpolating. A movement in progress is replaced.
func (a *Actor) StartMove(to vec, seconds float64, glide bool) error {
	switch {
	case a.Outer != nil || a.body.number == 0:
		return fmt.Errorf("StartMove: %s has no place in the world", a)
	case !to.IsFinite() || outsideWorld(to):
		return fmt.Errorf("StartMove: expected an offset within %d uu, got %s", WorldExtent, to)
	case !(seconds >= 0) || math.IsInf(seconds, 0):
		return fmt.Errorf("StartMove: expected seconds, not below 0, got %v", seconds)
	case a.BStatic:
		return fmt.Errorf("StartMove: %s is bStatic and never moves", a)
	}
	m := a.body.mover
	if m == nil {
		m = &moverPart{home: a.Location}
		a.body.mover = m
	}
	m.way = travel{on: true, glide: glide, from: a.Location.Sub(m.home), to: to, seconds: seconds}
	a.SetPhysics(PhysInterpolating)
	return nil
}

// StopMove stops the movement where the actor is. ReachedDestination is not called.
func (a *Actor) StopMove() {
	if m := a.body.mover; m != nil && m.way.on {
		m.way = travel{}
		a.setVelocity(vec{})
	}
}

// Home returns the location from which the offsets of StartMove count.
func (a *Actor) Home() vec {
	if m := a.body.mover; m != nil {
		return m.home
	}
	return a.Location
}

// travelOn performs PHYS_Interpolating.
func (w *World) travelOn(a *Actor, dt float64) {
	m := a.body.mover
	if m == nil || !m.way.on {
		if a.Role == RoleSimulatedProxy && !a.Velocity.IsZero() {
			w.shoveBy(a, a.Velocity.Mul(dt))
		}
		return
	}
	t := &m.way
	if t.wait > 0 {
		if t.wait -= dt; t.wait > 0 {
			return
		}
		dt, t.wait, t.back = -t.wait, 0, false
	}
	at := math.Min(t.at+dt, t.seconds)
	if t.back {
		at = math.Max(t.at-dt, 0)
	}
	delta := m.home.Add(t.place(at)).Sub(a.Location)
	if delta.Size() < 1e-9 {
		delta = vec{}
	}
	way := *t
	if by := w.pushMove(a, delta); by != nil {
		if a.destroying || a.body.mover.way != way {
			return // the events changed its movement
		}
		w.encroached(a, by)
		return
	}
	if a.destroying || a.body.mover.way != way {
		return
	}
	t.at = at
	switch {
	case t.back && at <= 0:
		t.wait = encroachWait
		a.setVelocity(vec{})
	case !t.back && at >= t.seconds:
		m.way = travel{}
		a.setVelocity(vec{})
		a.Event(EvReachedDestination)
	default:
		a.setVelocity(delta.Mul(1 / dt))
	}
}

// encroached handles a body that does not move out of a mover's way.
func (w *World) encroached(a, by *Actor) {
	kind := a.encroachType()
	t := &a.body.mover.way
	a.setVelocity(vec{})
	switch kind {
	case "Return":
		t.back = !t.back
		if t.back && t.at <= 0 {
			t.wait = encroachWait
		}
	case "Crush":
		if !by.destroying {
			by.Event(EvTakeDamage, Float(10000), Ref(nil), Vec(by.Location), Vec(vec{}), String("crushed"))
		}
	}
}

func (a *Actor) encroachType() string {
	if p := a.Class.known[knEncroachType]; p != nil && p.Native == nil && p.Type.Kind == KindEnum {
		return p.Type.Enum[a.words[p.word]]
	}
	if a.number(knEncroachDamage, 0) > 0 {
		return "Stop"
	}
	return "Return"
}

// pushMove moves an actor by delta with all effects of its brushes. It returns the first body that does not
// move away, after EncroachedBy was called and did not help; nothing has moved then.
func (w *World) pushMove(a *Actor, delta vec) (by *Actor) {
	if delta.IsZero() {
		return nil
	}
	if !a.body.brushes {
		w.dragTo(a, a.Location.Add(delta))
		return nil
	}
	if by = w.push(a, delta, false); by == nil {
		return nil
	}
	moved := a.body.moved
	a.Event(EvEncroachedBy, Ref(by))
	if !a.destroying && !by.destroying {
		by.Event(EvEncroachedBy, Ref(a))
	}
	if a.destroying || a.body.moved != moved {
		return by
	}
	// The events may have cleared the way.
	return w.push(a, delta, a.body.mover.way.on && a.encroachType() == "Ignore")
}

// shove moves brushes even if something is in the way.
func (w *World) shove(a *Actor, delta vec) { w.push(a, delta, true) }

// shoveBy moves a proxy, with or without brushes.
func (w *World) shoveBy(a *Actor, delta vec) {
	if a.body.brushes {
		w.push(a, delta, false)
	} else {
		w.dragTo(a, a.Location.Add(delta))
	}
}

// dragTo moves an actor through everything; touches on the way are reported.
func (w *World) dragTo(a *Actor, to vec) {
	var m motion
	m.begin(w, a, to.Sub(a.Location))
	m.advance(insideWorld(to))
	m.commit()
}

// push performs one step of a mover. If it returns a body that is in the way, nothing has happened; with
// through set there is none.
func (w *World) push(a *Actor, delta vec, through bool) *Actor {
	s := &w.space
	if !through {
		if b := w.squeezed(a, delta); b != nil {
			return b
		}
	}
	id := a.body.number
	base := len(s.moves)
	old := a.Location
	w.gatherPushed(a, delta)
	list := s.moves[base:]
	// Bodies that move along are moved in the grid at once, so that those after them see them there.
	for i := range list {
		p := &list[i]
		w.pushOne(a, p, delta)
		s.gridOf(p.actor).Move(p.actor.body.number, p.to)
		p.actor.Location = p.to
	}
	to := insideWorld(old.Add(delta))
	s.solid.MoveMover(id, to.Sub(a.body.mover.home))
	var in *Actor
	for i := range list {
		p := &list[i]
		if !through && in == nil && (p.actor.BBlockActors || p.actor.BBlockPlayers) && w.isIn(a, p.actor) {
			in = p.actor
		}
		// The move itself comes later, with its events.
		s.gridOf(p.actor).Move(p.actor.body.number, p.from)
		p.actor.Location = p.from
	}
	if in != nil {
		s.solid.MoveMover(id, old.Sub(a.body.mover.home))
		s.moves = s.moves[:base]
		return in
	}
	w.place(a, to)
	w.swingRiders(a)
	for i := range list {
		p := list[i]
		if p.actor.destroying {
			continue
		}
		switch at := p.actor.Location; {
		case at == p.from && p.to != at:
			var m motion
			m.begin(w, p.actor, p.to.Sub(at))
			m.advance(p.to)
			m.commit()
		case at == p.from:
		case at.Distance(p.from) <= delta.Size()+settled && w.isIn(a, p.actor):
			// The actor under it was pushed too and moved it along, but not as far as the mover requires.
			var m motion
			m.begin(w, p.actor, p.to.Sub(at))
			m.advance(p.to)
			m.commit()
		default:
			continue // an event moved it elsewhere
		}
		if !p.hitch.IsZero() && !p.actor.destroying {
			w.tellStopped(p.actor, p.hitch, a)
		}
	}
	clear(s.moves[base:])
	s.moves = s.moves[:base]
	if !a.destroying {
		w.retouchVolume(a)
	}
	return nil
}

// squeezed returns a rigid body that a mover would press against an obstacle. Bodies are pushed out by their
// own step, so the mover detects it a tick later. On clients movers go where the server's went.
func (w *World) squeezed(a *Actor, delta vec) *Actor {
	r := w.space.rigid
	if r == nil || a.role() != RoleAuthority {
		return nil
	}
	id, ok := r.space.Squeezed(a.body.number, delta)
	if !ok {
		return nil
	}
	if b := r.numOf[id]; b != nil && !b.destroying && (b.BBlockActors || b.BBlockPlayers) {
		return b
	}
	return nil
}

// gatherPushed lists what a step of a mover may move, in order of spawning.
func (w *World) gatherPushed(a *Actor, delta vec) {
	s := &w.space
	from := len(s.moves)
	for _, r := range a.body.riders {
		if !r.BAttached && !r.destroying {
			s.moves = append(s.moves, pushed{actor: r, from: r.Location, to: r.Location, rides: true})
		}
	}
	if !a.stops(true) && !a.stops(false) {
		return
	}
	box := s.solid.MoverBounds(a.body.number)
	box = box.Union(box.Translate(delta)).Expand(vec{X: 1, Y: 1, Z: 1})
	s.ids = s.bodies.AppendBodies(s.ids[:0], box, maskBody)
	for _, id := range s.ids {
		b := s.actors[id]
		if b.body.rigid != nil {
			continue // rigid bodies are pushed by their own step, which knows their orientation
		}
		if b.Base == a.id || !b.BCollideWorld || b.destroying || !a.stops(b.Class.IsPawn()) || !w.mayCollide(a, b) || w.restsOn(a, b) {
			continue
		}
		s.moves = append(s.moves, pushed{actor: b, from: b.Location, to: b.Location})
		for i := len(s.moves) - 1; i > from && s.moves[i-1].actor.seq > b.seq; i-- {
			s.moves[i-1], s.moves[i] = s.moves[i], s.moves[i-1]
		}
	}
}

// pushOne computes where a body goes when the mover moves by delta.
func (w *World) pushOne(a *Actor, p *pushed, delta vec) {
	s := &w.space
	b := p.actor
	way := delta
	if !p.rides {
		h := s.query.SweepMover(a.body.number, b.Location, b.Location.Sub(delta), b.half())
		if !h.Blocked() {
			return
		}
		way = delta.Mul(1 - h.Fraction)
		if !b.BBlockActors && !b.BBlockPlayers {
			p.hitch = h.Normal
		}
	}
	var m motion
	m.begin(w, b, way)
	m.filter = collision.Filter{Ignore: a.body.number}
	for i := range m.near {
		if n := &m.near[i]; n.stops && (w.restsOn(n.actor, b) || n.actor.Base == a.id && p.rides) {
			n.stops = false // moves along itself
		}
	}
	p.to = m.sweep(insideWorld(b.Location.Add(way))).at
	m.cancel()
}

// isIn reports whether a body overlaps a mover's brushes by more than a touch.
func (w *World) isIn(a, b *Actor) bool {
	return b.BCollideWorld && a.stops(b.Class.IsPawn()) &&
		w.space.query.MoverDepth(a.body.number, b.Location, b.half()).Depth > settled
}

// swingRiders moves the actors attached to a mover.
func (w *World) swingRiders(a *Actor) {
	for _, r := range a.body.riders {
		if r.BAttached {
			w.carry(a, vec{}) // moves attached actors only
			return
		}
	}
}

// retouchVolume updates the touches of non-blocking brushes after they moved.
func (w *World) retouchVolume(a *Actor) {
	if !a.BCollideActors || a.stops(true) && a.stops(false) {
		return
	}
	w.retouch(a)
}

// overlapping reports whether two cylinders share more than a touch.
func overlapping(a, b *collision.Body) bool {
	depth, _ := collision.Overlap(a, b)
	return depth > settled
}

// Move moves the actor by delta until something stops it, and returns the obstacle. It does not slide. Events
// are called as for any move. An actor that owns brushes pushes what is in its way instead, and stays in place
// if that does not move away.
func (a *Actor) Move(delta vec) (Hit, bool) {
	w := a.world
	if a.body.number == 0 || !delta.IsFinite() || a.fixed() {
		return Hit{}, false
	}
	if a.BAttached {
		defer w.rehang(a)
	}
	if !a.BCollideWorld && !a.BCollideActors && !a.BAttached && !a.body.brushes && len(a.body.touching) == 0 {
		if to := a.Location.Add(delta); !outsideWorld(delta) && !outsideWorld(to) { // nothing can stop it or be touched
			if to != a.Location {
				w.place(a, to)
				w.carry(a, delta)
			}
			return Hit{}, false
		}
	}
	delta = delta.ClampSize(2 * WorldExtent)
	from := a.Location
	if a.body.brushes {
		if by := w.pushMove(a, delta); by != nil {
			return Hit{Actor: by, Location: a.Location, Normal: delta.Neg().Normal()}, true
		}
		return Hit{}, false
	}
	var m motion
	m.begin(w, a, delta)
	o := m.sweep(insideWorld(from.Add(delta)))
	m.advance(o.at)
	if !o.hit {
		m.commit()
		return Hit{}, false
	}
	m.tell(&o)
	hit := Hit{Actor: o.actor, Location: o.at, Normal: o.normal, Distance: o.at.Distance(from)}
	m.commit()
	if hit.Actor != nil && hit.Actor.deleted {
		hit.Actor = nil
	}
	return hit, true
}
