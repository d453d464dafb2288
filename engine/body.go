package engine

import (
	"github.com/tidelock/tidelock/engine/collision"
	"github.com/tidelock/tidelock/engine/dynamics"
	"github.com/tidelock/tidelock/engine/geom"
)

// bodyState is the state of collision and movement of an actor between ticks. Its zero value is an actor
// outside of space: a component, or one that is being destroyed.
//
// Invariant: number != 0 exactly while the actor is in one of the grids; touching contains an actor exactly
// while that one's list contains this one.
type bodyState struct {
	number   int32 // in the grids and among the movers; 0 means outside of space
	member   int32 // index in its class's list of the population
	collides bool  // is in the grid of actors that collide
	brushes  bool  // owns brushes: its body consists of hulls, not a cylinder
	rested   bool  // at rest on the level; nothing to do until something changes
	onFloor  bool  // floor is known from the last tick
	fell     bool  // FellOutOfWorld was called and it is still below the level
	wedged   uint8 // falling steps in a row without progress
	limited  bool  // limit holds the maximum speed, in an autonomous move and after LimitSpeed
	met      bool  // in the present autonomous move something stopped or turned it
	told     bool  // of a copy: said holds the server's last location
	moved    uint32
	ports    uint32 // teleports

	touching []*Actor // in order of spawning
	riders   []*Actor // actors whose Base this one is, in order of spawning

	limit float64
	owed  float64 // seconds by which its movement is behind, see moved.go
	said  vec
	floor vec // normal of the floor of a walking actor
	wall  vec // kerb of the wall it pressed against in the last step, zero for none

	hang   *hanging   // place of an attached actor, nil for others
	mover  *moverPart // of actors with brushes or a path, nil for others
	turned turning    // the remainder of PHYS_Rotating
	rigid  *rigidPart // of actors with PHYS_RigidBody, nil for others; see rigid.go
	seen   *visual    // differences of the visible state, nil for none; see visual.go
	ported uint64     // one more than the frame in which a teleport was received
}

// hanging is the place of an attached actor relative to its base.
type hanging struct {
	at  vec    // from the base's Location, rotated back by the base's yaw
	yaw uint16 // of the actor, minus the base's
}

// moverPart is the state of a mover.
type moverPart struct {
	home  vec // the location from which offsets count
	way   travel
	hulls []collision.Hull // its brushes, where they were created
}

// neighbour is an actor that a moving one may meet.
type neighbour struct {
	actor *Actor
	body  collision.Body
	stops bool // a cylinder in the way
	touch bool // may touch
}

// meeting is an actor met during a movement, and how far along.
type meeting struct {
	along float64
	actor *Actor
}

// travel is a movement in progress. The zero value is none.
type travel struct {
	on       bool
	glide    bool // starts and ends gently
	back     bool // encroached: it returns to its start
	from, to vec  // offsets from home
	seconds  float64
	at       float64 // seconds since the start
	wait     float64 // seconds until it starts again
}

// pushed is a body that a mover pushes: its old and new locations.
type pushed struct {
	actor    *Actor
	from, to vec
	rides    bool
	hitch    vec // normal of the brushes that met a non-blocking body
}

// turning is the remainder of an actor's rotation, in rotator units below one.
type turning struct{ pitch, yaw, roll float64 }

// rigidWorld holds the rigid bodies of a world.
type rigidWorld struct {
	space *dynamics.Space
	list  []*Actor // actors with a body, in order of spawning
	numOf []*Actor // by number of body
	hits  []hitOf  // hits of the step that is being reported
	// mods lists the mods that had bodies, by share from 1 on (guard.md G6): each share limits its awake
	// bodies.
	mods []string
	told []float64 // world time of the last report that a share, or all of them, has too many awake bodies
}

// rigidPart is the state of an actor with a rigid body. Invariant: at, turn and velocity are the actor's own
// after the last step; if they differ, a script has set them.
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

// rigidStateLayout holds the offsets of the members in a class's words.
type rigidStateLayout struct {
	prop                      *Property
	position, quat, lin, spin int
}

const (
	maskBody    = 1 << iota // a cylinder, or a rigid body
	maskBrush               // hulls; its cylinder only encloses them
	maskSoft                // a body that does not stop everything
	maskUpright             // a body that is not a rigid body

	// maskFew matches everything except rigid bodies that stop everything: there may be thousands of those in a
	// pile, and each one that moves queries for the others.
	maskFew = maskBrush | maskSoft | maskUpright
)

// space is the spatial state of the world: the brushes of the level, movers, and the grids of actors.
type space struct {
	solid  *collision.World
	query  collision.Query
	bodies *collision.Grid // actors that collide
	others *collision.Grid // actors that only have a location
	actors []*Actor        // by body number; 0 is unused
	free   []int32
	kinds  population // the same by class
	// choosy lists movers that stop pawns but not other actors, or the other way round.
	choosy []*Actor
	rigid  *rigidWorld // nil until the first rigid body
	// brushes are those of the next actor to enter.
	brushes []collision.Hull

	// Scratch. ids is used only where no event can run in between; the others are stacks.
	ids    []int32
	listed []*Actor // last result of ActorsInRadius
	near   []neighbour
	riding []*Actor
	met    []meeting
	moves  []pushed
	party  []*Actor
}

// population lists the actors in space by class, so that a search for one of a few does not look at everything near. The
// zero value is empty.
type population struct {
	byClass map[*Class]*members
	kin     map[*Class][]*members // of a class and its children, filled by queries
}

// members are the actors in space whose class is exactly one, in no particular order.
type members struct {
	class *Class
	list  []*Actor
}

// visual is the difference between an actor's visible state and its real one. nil means none.
type visual struct {
	offset           vec
	pitch, yaw, roll float64 // rotator units
	since            float64 // world time at which these were valid
}

// solidBody returns the cylinder that others collide with, or a rigid body's rotated box.
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

// half returns the half size of the upright box that collides with brushes.
func (a *Actor) half() vec {
	return vec{X: a.CollisionRadius, Y: a.CollisionRadius, Z: a.CollisionHeight}
}

func (b *bodyState) addRider(a *Actor)  { b.riders = addBySpawn(b.riders, a) }
func (b *bodyState) dropRider(a *Actor) { b.riders = dropFrom(b.riders, a) }

// solid makes the body that others collide with from the cylinder: the rotated box, or the cylinder around a
// sphere.
func (p *rigidPart) solid(b *collision.Body) {
	if p.sphere {
		b.Radius, b.HalfHeight = p.shape.Half.X, p.shape.Half.X
		return
	}
	b.Turned = &p.shape
}

// gridBody returns the body for the grids: its extent in every rotation.
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
