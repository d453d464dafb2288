package engine

import "github.com/tidelock/tidelock/engine/collision"

// bodyState is what collision and movement keep about an actor between ticks. Its zero value is an actor
// outside of space: a component, or one that is being destroyed.
//
// Invariant: number != 0 exactly while the actor is in one of the grids; touching holds an actor exactly
// while that one's holds this.
type bodyState struct {
	number   int32 // in the grids and among the movers; 0 is outside of space
	collides bool  // is in the grid of those that collide
	brushes  bool  // owns brushes: its body are hulls, not a cylinder
	rested   bool  // stands still on the level; nothing to do until something changes
	onFloor  bool  // floor is known from the last tick
	fell     bool  // FellOutOfWorld was called and it is still down there
	wedged   uint8 // falling steps in a row without getting anywhere
	limited  bool  // in an autonomous move, and after LimitSpeed: limit is the speed, and not what variables say
	met      bool  // in the present autonomous move something stopped or turned it
	told     bool  // of a copy: said is where the server said last that it is
	moved    uint32
	ports    uint32 // teleports

	touching []*Actor // in order of spawning
	riders   []*Actor // whose Base this is, in order of spawning

	limit float64
	owed  float64 // seconds that it has not moved for, see moved.go
	said  vec
	floor vec // normal of the floor of a walking actor
	wall  vec // kerb of the wall it pressed against in the last part, zero for none

	hang   *hanging   // where an attached actor hangs, nil for others
	mover  *moverPart // of actors with brushes or on a way, nil for others
	turned turning    // what PHYS_Rotating has left over
	rigid  *rigidPart // of actors with PHYS_RigidBody, nil for others; see rigid.go
	seen   *visual    // how what is seen differs, nil for not at all; see visual.go
	ported uint64     // one more than the frame in which a teleport was received
}

// hanging is where an attached actor is as its base sees it.
type hanging struct {
	at  vec    // from the base's Location, turned back by the base's yaw
	yaw uint16 // of the actor, less the base's
}

// moverPart is a mover's way.
type moverPart struct {
	home  vec // the place from which offsets count
	way   travel
	hulls []collision.Hull // its brushes, where it was made
}

// solidBody is the cylinder that others meet, or a rigid body's turned box.
func (a *Actor) solidBody() collision.Body {
	b := collision.Body{Centre: a.Location, Radius: a.CollisionRadius, HalfHeight: a.CollisionHeight, Mask: maskBody}
	if !a.BBlockActors || !a.BBlockPlayers {
		b.Mask |= maskSoft
	}
	if p := a.body.rigid; p != nil {
		p.solid(&b)
	} else {
		b.Mask |= maskUpright
	}
	return b
}

// half is the upright box that meets brushes.
func (a *Actor) half() vec {
	return vec{X: a.CollisionRadius, Y: a.CollisionRadius, Z: a.CollisionHeight}
}

// hash adds everything here that a later tick depends on.
func (b *bodyState) hash(h *Hash) {
	h.Word(uint64(b.number)) // movers are looked at by it
	h.Bool(b.collides)
	h.Bool(b.rested)
	h.Bool(b.onFloor)
	h.Bool(b.fell)
	h.Word(uint64(b.wedged))
	h.Float(b.owed)
	h.Vector(b.floor)
	h.Vector(b.wall)
	h.Word(uint64(len(b.touching)))
	for _, t := range b.touching {
		h.Word(uint64(t.id))
	}
	if b.hang != nil {
		h.Vector(b.hang.at)
		h.Word(uint64(b.hang.yaw))
	}
	if m := b.mover; m != nil {
		h.Vector(m.home)
		m.way.hash(h)
	}
	if b.rigid != nil {
		b.rigid.hash(h)
	}
	h.Float(b.turned.pitch)
	h.Float(b.turned.yaw)
	h.Float(b.turned.roll)
}
