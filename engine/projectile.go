package engine

import "math"

// Projectiles fly straight on at their Velocity; Acceleration steers them, GravityScale (0 if the class
// declares none) bends their path, and MaxSpeed, if above 0, limits them. Each sweep covers the whole movement,
// so no speed tunnels through anything.
//
// A projectile stops at whatever it begins to touch, calls Touch there, and continues from there for the rest
// of the tick if it still exists. If brushes or a blocking actor stop it, HitWall or Bump is called, with its
// Velocity of the flight; then it bounces off at Bounce times its speed, or, with a Bounce of 0, stays there:
// Velocity 0, PHYS_None. It never meets its Owner and its Instigator.

// shoot moves for a part of dt and returns the remaining time.
func (w *World) shoot(a *Actor, dt float64) (left float64) {
	part := dt
	gravity := w.gravityOf(a) * a.number(knGravityScale, 0)
	if gravity != 0 || !a.Acceleration.IsZero() {
		part = math.Min(dt, maxFallPart)
	}
	before := a.Velocity
	v, way := before, before.Mul(part)
	if push := a.Acceleration.Add(vec{Z: gravity}); !push.IsZero() {
		v, way = v.MulAdd(push, part), way.MulAdd(push, part*part/2)
	}
	if most := a.number(knMaxSpeed, 0); most > 0 && (v.SizeSquared() > most*most || before.SizeSquared() > most*most) {
		v = v.ClampSize(most)
		way = before.ClampSize(most).Add(v).Mul(part / 2)
	}
	if way.IsZero() {
		return 0
	}
	var m motion
	m.begin(w, a, way)
	o := m.sweep(insideWorld(m.at.Add(way)))
	done := o.fraction
	if f, at, ok := m.firstTouch(o.at); ok {
		// Only as far as that: Touch is called there.
		done *= f
		m.probe, m.probeTo = o.at, f
		m.advance(at)
		a.setVelocity(before.Lerp(v, done))
		m.commit()
		return dt - part*done
	}
	m.advance(o.at)
	if !o.hit {
		a.setVelocity(v)
		m.commit()
		return dt - part
	}
	v = before.Lerp(v, done)
	a.setVelocity(v)
	m.tell(&o)
	if !m.commit() || a.Physics != PhysProjectile || a.Velocity != v {
		return dt - part*done // the script decides what follows
	}
	into := v.Dot(o.normal)
	bounce := a.number(knBounce, 0)
	if o.actor != nil && !o.actor.destroying {
		into -= o.actor.Velocity.Dot(o.normal)
	}
	if bounce > 0 && v.SizeSquared() > bounceStop*bounceStop {
		a.setVelocity(v.MulAdd(o.normal, -2*math.Min(0, into)).Mul(bounce))
		return dt - part*done
	}
	a.setVelocity(vec{})
	a.SetPhysics(PhysNone)
	return 0
}

// firstTouch returns how far along a straight movement to at the first touch is, and its location.
func (m *motion) firstTouch(to vec) (fraction float64, at vec, ok bool) {
	fraction = 2
	for i := range m.near {
		n := &m.near[i]
		if !n.touch || !n.actor.initialized || m.a.body.touches(n.actor) >= 0 {
			continue
		}
		if f, hit := m.w.sweepNeighbour(m.a, n, m.at, to); hit && f < fraction {
			fraction = f
		}
	}
	if fraction > 1 {
		return 1, to, false
	}
	return fraction, m.at.MulAdd(to.Sub(m.at), fraction), true
}
