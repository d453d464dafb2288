package engine

import "math"

// Physics volumes: the brushes, or without brushes the cylinder, of a PhysicsVolume, in which different physics
// apply. Both sides of a connection load them from the level, so a player's move meets the same ones (R9.10). A
// volume applies to actors whose centre is in it; of several volumes the one with the highest Priority counts,
// among equals the first of the level.
//
//	GravityZ       uu/s² instead of the world's gravity
//	ZoneVelocity   uu/s by which everything that moves in it is carried; walking pawns only by the horizontal part
//	bWaterVolume   pawns swim in it (PHYS_Swimming)
//	FluidFriction  1/s by which it slows swimming pawns
//
// Swimming. Velocity approaches what Acceleration requests in all directions, at most WaterSpeed; the gravity
// that remains after Buoyancy, the share of the weight that water supports, pulls the body down or up. A pawn
// that leaves the water falls, or walks if there is floor below.

// volumeAt returns the physics volume at a location, nil outside of any. Without volumes it costs nothing.
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

// holds reports whether a location is inside the actor's body.
func (a *Actor) holds(at vec) bool {
	s := &a.world.space
	if a.body.brushes {
		return s.solid.MoverBounds(a.body.number).Contains(at) && s.query.MoverDepth(a.body.number, at, vec{}).Depth > 0
	}
	way := at.Sub(a.Location)
	return math.Abs(way.Z) <= a.CollisionHeight && way.Size2D() <= a.CollisionRadius
}

// Volume returns the physics volume that contains the actor's centre, nil outside of any.
func (a *Actor) Volume() *Actor {
	if a.world == nil || a.body.number == 0 {
		return nil
	}
	return a.world.volumeAt(a.Location)
}

// gravityOf returns the gravity that acts on an actor where it is, in uu/s², without its own GravityScale.
func (w *World) gravityOf(a *Actor) float64 {
	if len(w.volumes) > 0 {
		if v := w.volumeAt(a.Location); v != nil {
			return v.number(knGravityZ, w.Gravity)
		}
	}
	return w.Gravity
}

// zoneVelocity returns the current of the actor's volume.
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

// wade changes the mode of a pawn that entered or left water.
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
