package engine

import (
	"math"

	"github.com/tidelock/tidelock/engine/collision"
	"github.com/tidelock/tidelock/engine/geom"
)

// Which actors stop each other, as in Unreal 1–3. Two cylinders stop each other if both have bCollideActors and
// each blocks the other's kind: bBlockPlayers applies to pawns, bBlockActors to all others. So a projectile
// that blocks nothing touches a pawn and does not bump into it. Brushes, the level's and the movers', stop
// boxes that have bCollideWorld; a mover must also collide and block the kind.
//
// Actors that do not stop each other may touch (touch.go).

// stops reports whether the actor's own settings stop pawns, or others.
func (a *Actor) stops(pawns bool) bool {
	if pawns {
		return a.BCollideActors && a.BBlockPlayers
	}
	return a.BCollideActors && a.BBlockActors
}

// blocks reports whether two cylinders stop each other.
func blocks(a, b *Actor) bool {
	return a.stops(b.Class.IsPawn()) && b.stops(a.Class.IsPawn())
}

// mayCollide reports whether two actors may meet at all. A projectile never meets its Owner and its Instigator,
// however long it flies; an attached actor never meets its base, nor other actors attached there.
func (w *World) mayCollide(a, b *Actor) bool {
	if a.Class.kind&kindProjectile != 0 && (a.Owner == b.id || a.Instigator == b.id) ||
		b.Class.kind&kindProjectile != 0 && (b.Owner == a.id || b.Instigator == a.id) {
		return false
	}
	if !a.BAttached && !b.BAttached {
		return true
	}
	return w.hangsFrom(a) != w.hangsFrom(b)
}

// hangsFrom returns the actor at the end of a chain of attachments.
func (w *World) hangsFrom(a *Actor) *Actor {
	for a.BAttached {
		b := w.Actor(a.Base)
		if b == nil {
			break
		}
		a = b
	}
	return a
}

// restsOn reports whether an actor's chain of bases leads to another.
func (w *World) restsOn(a, b *Actor) bool {
	for a != nil && a.Base != 0 {
		if a.Base == b.id {
			return true
		}
		a = w.Actor(a.Base)
	}
	return false
}

// mayTouch reports whether two actors that meet would touch: both collide and neither stops the other.
func (w *World) mayTouch(a, b *Actor) bool {
	if !a.BCollideActors || !b.BCollideActors || a == b || a.body.number == 0 || b.body.number == 0 || !w.mayCollide(a, b) {
		return false
	}
	switch {
	case a.body.brushes && b.body.brushes:
		return false
	case a.body.brushes:
		return !(b.BCollideWorld && a.stops(b.Class.IsPawn()))
	case b.body.brushes:
		return !(a.BCollideWorld && b.stops(a.Class.IsPawn()))
	}
	return !blocks(a, b)
}

// within reports whether two bodies are nearer to each other than the gap that sweeps keep: from that distance
// they touch.
func (w *World) within(a, b *Actor) bool {
	const edge = collision.Gap + 1e-6
	if a.body.brushes {
		a, b = b, a
	}
	if b.body.brushes {
		half := a.half().Add(vec{X: edge, Y: edge, Z: edge})
		return w.space.query.MoverDepth(b.body.number, a.Location, half).Depth > 0
	}
	ca, cb := a.solidBody(), b.solidBody()
	depth, _ := collision.Overlap(&ca, &cb)
	return depth > -edge
}

// neighbours lists the actors that one may meet inside a box, in order of spawning, on top of the scratch
// stack; without stops only those that it may touch. The caller truncates the stack again.
func (w *World) neighbours(a *Actor, box geom.Bounds, stops bool) []neighbour {
	s := &w.space
	from := len(s.near)
	var mask uint32 = maskBody | maskBrush
	if !stops && !a.body.brushes && a.BBlockActors && a.BBlockPlayers {
		mask = maskSoft | maskBrush // all others stop it: a pile of crates has many
	}
	s.ids = s.bodies.AppendBodies(s.ids[:0], box, mask)
	for _, id := range s.ids {
		b := s.actors[id]
		if b == a || b.destroying || !w.mayCollide(a, b) {
			continue
		}
		n := neighbour{actor: b}
		if b.body.brushes || a.body.brushes {
			n.touch = w.mayTouch(a, b)
		} else {
			n.stops = blocks(a, b)
			n.touch = !n.stops
			if n.stops && !stops {
				continue
			}
			n.body = b.solidBody()
		}
		if !n.stops && !n.touch {
			continue
		}
		s.near = append(s.near, n)
		for i := len(s.near) - 1; i > from && s.near[i-1].actor.seq > b.seq; i-- {
			s.near[i-1], s.near[i] = s.near[i], s.near[i-1]
		}
	}
	return s.near[from:]
}

// sweepNeighbour returns how far along a movement an actor comes before it meets another.
func (w *World) sweepNeighbour(a *Actor, n *neighbour, from, to vec) (fraction float64, hit bool) {
	if n.actor.body.brushes {
		h := w.space.query.SweepMover(n.actor.body.number, from, to, a.half())
		return h.Fraction, h.Blocked()
	}
	h, hit := collision.SweepBody(from, to, a.CollisionRadius, a.CollisionHeight, &n.body)
	return h.Fraction, hit
}

// reachBox returns a box that contains everything an actor can meet while it moves at most far.
func (a *Actor) reachBox(far vec) geom.Bounds {
	const edge = 2 * collision.Gap
	return geom.BoundsAround(a.Location, a.half().Add(vec{X: math.Abs(far.X) + edge, Y: math.Abs(far.Y) + edge, Z: math.Abs(far.Z) + edge}))
}
