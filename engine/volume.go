package engine

import "math"

// Physics volumes: brushes of class PhysicsVolume, or its cylinder where it has none, in which other laws hold. Both sides of a connection have them from the
// level, so a player's move meets the same ones (R9.10). What counts is where an actor's centre is; of several volumes the
// one with the highest Priority, among equals the first of the level.
//
//	GravityZ       uu/s² instead of the world's gravity
//	ZoneVelocity   uu/s by which everything in it is carried that moves by itself; who walks only by the level part
//	bWaterVolume   pawns swim in it (PHYS_Swimming)
//	FluidFriction  1/s by which it slows who swims
//
// Swimming. Velocity goes towards what Acceleration requests in all directions, WaterSpeed at most; what gravity leaves
// of a body after Buoyancy, its share that the water carries, pulls it down or up. A pawn that leaves the water falls, or
// walks where there is floor below.

// volumeAt is the physics volume that a place is in, nil outside any. Without volumes it costs nothing.
func (w *World) volumeAt(at vec) *Actor {
	var best *Actor
	most := math.Inf(-1)
	for _, v := range w.volumes {
		if p := v.number(knPriority, 0); p > most && v.holds(at) {
			best, most = v, p
		}
	}
	return best
}

// holds reports whether a place is inside the actor's body.
func (a *Actor) holds(at vec) bool {
	s := &a.world.space
	if a.body.brushes {
		return s.solid.MoverBounds(a.body.number).Contains(at) && s.query.MoverDepth(a.body.number, at, vec{}).Depth > 0
	}
	way := at.Sub(a.Location)
	return math.Abs(way.Z) <= a.CollisionHeight && way.Size2D() <= a.CollisionRadius
}

// Volume is the physics volume that the actor's centre is in, nil outside any.
func (a *Actor) Volume() *Actor {
	if a.world == nil || a.body.number == 0 {
		return nil
	}
	return a.world.volumeAt(a.Location)
}

// gravityOf is the gravity that acts on an actor where it is, in uu/s², without its own GravityScale.
func (w *World) gravityOf(a *Actor) float64 {
	if len(w.volumes) > 0 {
		if v := w.volumeAt(a.Location); v != nil {
			return v.number(knGravityZ, w.Gravity)
		}
	}
	return w.Gravity
}

// zoneVelocity is what the actor's volume carries it by.
func (w *World) zoneVelocity(a *Actor) vec {
	if len(w.volumes) == 0 {
		return vec{}
	}
	v := w.volumeAt(a.Location)
	if v == nil {
		return vec{}
	}
	p := v.Class.known[knZoneVelocity]
	if p == nil || p.Native != nil || p.Type.Kind != KindVector {
		return vec{}
	}
	return LoadVector(v.words[p.word:])
}

// inWater reports whether the actor's centre is in water.
func (w *World) inWater(a *Actor) bool {
	if len(w.volumes) == 0 {
		return false
	}
	v := w.volumeAt(a.Location)
	return v != nil && v.flag(knWaterVolume)
}

// wade changes the mode of a pawn that came into water or out of it.
func (w *World) wade(a *Actor) {
	if len(w.volumes) == 0 && a.Physics != PhysSwimming || !a.Class.IsPawn() || a.followsServer() {
		return
	}
	switch wet := w.inWater(a); {
	case wet && (a.Physics == PhysWalking || a.Physics == PhysFalling):
		if a.Physics == PhysFalling && a.Velocity.Z < 0 {
			v := a.Velocity
			v.Z *= waterEntry
			a.setVelocity(v)
		}
		a.SetPhysics(PhysSwimming)
	case !wet && a.Physics == PhysSwimming:
		a.SetPhysics(PhysFalling)
	}
}
