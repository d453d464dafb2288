package engine

import (
	"github.com/tidelock/tidelock/engine/collision"
	"github.com/tidelock/tidelock/engine/dynamics"
	"github.com/tidelock/tidelock/engine/geom"
)

// bodyState is what collision and movement keep about an actor between ticks. Its zero value is an actor
// outside of space: a component, or one that is being destroyed.
//
// Invariant: number != 0 exactly while the actor is in one of the grids; touching holds an actor exactly
// while that one's holds this.
type bodyState struct {
	number   int32 // in the grids and among the movers; 0 is outside of space
	member   int32 // place in its class's list of the population
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

// neighbour is an actor that one on the move may meet.
type neighbour struct {
	actor *Actor
	body  collision.Body
	stops bool // a cylinder in the way
	touch bool // may touch
}

// meeting is an actor met on the way and how far along that was.
type meeting struct {
	along float64
	actor *Actor
}

// travel is a way under way. The zero value is none.
type travel struct {
	on       bool
	glide    bool // starts and ends gently
	back     bool // encroached: on the way back to its start
	from, to vec  // offsets from home
	seconds  float64
	at       float64 // seconds since the start
	wait     float64 // seconds until it sets out again
}

// pushed is a body in a mover's way, where it was and where it is to be.
type pushed struct {
	actor    *Actor
	from, to vec
	rides    bool
	hitch    vec // normal of the brushes that met a body which does not block
}

// turning is what is left over of an actor's turning, in rotator units below one.
type turning struct{ pitch, yaw, roll float64 }

// rigidWorld is the bodies of a world.
type rigidWorld struct {
	space *dynamics.Space
	list  []*Actor // that have a body, in order of spawning
	numOf []*Actor // by number of body
	hits  []hitOf  // of the step that is told of
	// mods are those whose bodies there were, by share from 1 on (guard.md G6): each may have so many awake.
	mods []string
	told []float64 // world time when it was last said that a share, or all of them, has too many awake
}

// rigidPart is what an actor with a body has. Invariant: at, turn and velocity are the actor's own as the last step left
// them; where they differ, a script has set them.
type rigidPart struct {
	id       int32
	at       vec
	turn     geom.Rotator
	velocity vec
	shape    collision.Oriented
	reach    float64
	state    rigidStateLayout
	woke     bool
	slept    bool
	sphere   bool
	space    *dynamics.Space
}

// hitOf is a hit of an actor's body; other is nil for the level.
type hitOf struct {
	actor, other *Actor
	*dynamics.Hit
}

// rigidStateLayout says where in a class's words the members are.
type rigidStateLayout struct {
	prop                      *Property
	position, quat, lin, spin int
}

const (
	maskBody    = 1 << iota // a cylinder, or a rigid body
	maskBrush               // hulls; its cylinder only holds them
	maskSoft                // one of maskBody that does not stop all
	maskUpright             // one of maskBody that is no rigid body

	// maskFew is what all have but rigid bodies that stop all: of those there may be thousands in a heap, and each that moves queries
	// for the others.
	maskFew = maskBrush | maskSoft | maskUpright
)

// space is what is where: the brushes of the level, movers, and every actor by place.
type space struct {
	solid  *collision.World
	query  collision.Query
	bodies *collision.Grid // actors that collide
	others *collision.Grid // actors that are only somewhere
	actors []*Actor        // by body number; 0 is unused
	free   []int32
	kinds  population // the same by class
	// choosy are movers that stop pawns but not other actors, or the other way round.
	choosy []*Actor
	rigid  *rigidWorld // nil until the first rigid body
	// brushes are what the next actor to enter owns.
	brushes []collision.Hull

	// Scratch. ids is used where no event can come between; the others are stacks.
	ids    []int32
	listed []*Actor // what ActorsInRadius found last
	near   []neighbour
	riding []*Actor
	met    []meeting
	moves  []pushed
	party  []*Actor
}

// visual is how what is seen of an actor differs from where it is. nil is not at all.
type visual struct {
	offset           vec
	pitch, yaw, roll float64 // rotator units
	since            float64 // world time at which these held
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

func (b *bodyState) addRider(a *Actor)  { b.riders = addBySpawn(b.riders, a) }
func (b *bodyState) dropRider(a *Actor) { b.riders = dropFrom(b.riders, a) }

// solid makes the body that others meet of the cylinder: the turned box, or the cylinder that holds a sphere.
func (p *rigidPart) solid(b *collision.Body) {
	if p.sphere {
		b.Radius, b.HalfHeight = p.shape.Half.X, p.shape.Half.X
		return
	}
	b.Turned = &p.shape
}

// gridBody is where the grids look for it: its reach however it turns.
func (p *rigidPart) gridBody(a *Actor) collision.Body {
	b := a.solidBody()
	if !p.sphere {
		b.Radius, b.HalfHeight = p.reach, p.reach
	}
	return b
}

func addBySpawn(list []*Actor, a *Actor) []*Actor {
	list = append(list, a)
	for i := len(list) - 1; i > 0 && list[i-1].seq > a.seq; i-- {
		list[i-1], list[i] = list[i], list[i-1]
	}
	return list
}

func dropFrom(list []*Actor, a *Actor) []*Actor {
	for i, o := range list {
		if o == a {
			copy(list[i:], list[i+1:])
			list[len(list)-1] = nil
			return list[:len(list)-1]
		}
	}
	return list
}
