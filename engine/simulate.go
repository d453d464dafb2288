package engine

import "math"

// move performs an actor's own movement for dt seconds.
func (w *World) move(a *Actor, dt float64) {
	if a.body.number == 0 {
		return
	}
	if v := safeVelocity(a.Velocity); v != a.Velocity {
		a.setVelocity(v)
	}
	a.Acceleration = safeVelocity(a.Acceleration)
	moved := a.body.moved
	w.simulate(a, dt)
	if a.BAttached && a.body.moved != moved {
		w.rehang(a)
	}
	if !a.destroying {
		w.arrived(a)
	}
	if !a.destroying {
		w.checkFell(a)
	}
}

// PerformPhysics performs an actor's movement for dt seconds, apart from its tick: a player's moves are
// performed with it, with the durations that their machine used (R9).
func (a *Actor) PerformPhysics(dt float64) {
	if !(dt > 0) || a.Physics == PhysNone || a.deleted || a.BStatic {
		return
	}
	w := a.world
	delta := w.Delta
	for dt = math.Min(dt, 4*MaxDelta); dt > 0 && !a.destroying; dt -= MaxDelta {
		w.Delta = math.Min(dt, MaxDelta)
		w.move(a, w.Delta)
	}
	w.Delta = delta
}

// simulate runs the actor's movement mode, part by part: an event may change the mode, and the rest of the tick
// is then moved in the new one.
func (w *World) simulate(a *Actor, dt float64) {
	for parts := 0; dt > leastPart && parts < maxParts && !a.destroying; parts++ {
		if a.followsServer() {
			dt = w.followServer(a, dt)
			continue
		}
		w.wade(a)
		switch a.Physics {
		case PhysWalking:
			dt = w.walk(a, dt)
		case PhysFalling:
			dt = w.fall(a, dt)
		case PhysFlying:
			dt = w.fly(a, dt)
		case PhysSwimming:
			dt = w.swim(a, dt)
		case PhysProjectile:
			dt = w.shoot(a, dt)
		case PhysRotating:
			w.rotate(a, dt)
			return
		case PhysInterpolating:
			w.travelOn(a, dt)
			return
		default: // PhysNone; bodies move PhysRigidBody
			return
		}
	}
}

// checkFell checks whether the actor is below the level. FellOutOfWorld is called once for each fall; an actor
// whose class does not define it is destroyed. Proxies wait for the server's decision.
func (w *World) checkFell(a *Actor) {
	down := a.Location.Z < w.KillZ || outsideWorld(a.Location)
	if !down || !a.mayEnd() {
		a.body.fell = false
		return
	}
	if !a.Defines(EvFellOutOfWorld) {
		a.Destroy()
		return
	}
	if !a.body.fell {
		a.body.fell = true
		a.Event(EvFellOutOfWorld)
	}
}

// arrived calls ReachedDestination for an actor whose class declares a Destination, when its horizontal
// distance is within its own radius. Destination is then reset to the zero vector, which means none.
func (w *World) arrived(a *Actor) {
	p := a.Class.known[knDestination]
	if p == nil || p.Native != nil || p.Type.Kind != KindVector {
		return
	}
	to := LoadVector(a.words[p.word:])
	if to.IsZero() || to.Sub(a.Location).Size2D() > math.Max(a.CollisionRadius, 1) {
		return
	}
	a.setKnown(p, Vec(vec{}))
	a.Event(EvReachedDestination)
}

// rotate performs PHYS_Rotating: RotationRate, signed units per second; fractions of a unit are kept.
func (w *World) rotate(a *Actor, dt float64) {
	t := &a.body.turned
	r := a.Rotation
	turn := func(at *uint16, rate uint16, left *float64) {
		x := *left + float64(int16(rate))*dt
		whole := math.Floor(x)
		*left = x - whole
		*at += uint16(int64(whole))
	}
	turn(&r.Pitch, a.RotationRate.Pitch, &t.pitch)
	turn(&r.Yaw, a.RotationRate.Yaw, &t.yaw)
	turn(&r.Roll, a.RotationRate.Roll, &t.roll)
	a.SetRotation(r)
}
