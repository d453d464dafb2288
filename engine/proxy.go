package engine

import "math"

// followServer moves a pawn that another peer controls (R10.5): it continues at its last known Velocity, and
// its mode follows from its location. It decides nothing: no Falling and no Landed, no change of Base;
// obstacles bend its path and do not change Velocity.
//
// If it walks, with floor within a step below it and no upward speed, it keeps walking; otherwise, if
// bSimulateGravity is set, it falls. While bSimGravityDisabled marks a location that does not fit this world,
// it moves straight on.
func (w *World) followServer(a *Actor, dt float64) (left float64) {
	part := math.Min(dt, maxFallPart)
	left = dt - part
	v := a.Velocity
	if a.Physics == PhysNone || a.Physics == PhysRigidBody {
		return 0
	}
	step := math.Max(0, a.number(knMaxStepHeight, defaultStep))
	way := v.Mul(part)
	var m motion
	m.begin(w, a, vec{X: math.Abs(way.X) + 1, Y: math.Abs(way.Y) + 1, Z: math.Abs(way.Z) + 2*step + 1})
	if a.BSimGravityDisabled || !a.BSimulateGravity || a.Physics == PhysFlying || a.Physics == PhysSwimming || a.Physics == PhysInterpolating {
		m.glide(way, v)
		m.commitQuietly()
		return left
	}
	if v.Z <= 0 && a.Physics == PhysWalking {
		if m.walks(vec{X: way.X, Y: way.Y}, step) {
			a.setMode(PhysWalking)
			a.setVelocity(vec{X: v.X, Y: v.Y})
			m.commitQuietly()
			return left
		}
		m.at, m.turns, m.tolds = m.from, 0, 0
	}
	fallen, way := w.ballistic(a, part, false)
	r := m.slide(way, fallen, part, true, 0)
	if r.landed {
		a.setMode(PhysWalking)
		fallen.Z = 0
	} else {
		a.setMode(PhysFalling)
	}
	a.setVelocity(vec{X: v.X, Y: v.Y, Z: fallen.Z})
	m.commitQuietly()
	return left
}

// walks performs a movement along the floor if there is floor to begin with, and reports whether there is floor
// at the end, too.
func (m *motion) walks(way vec, step float64) bool {
	b := &m.a.body
	if !b.onFloor {
		if _, normal, found := m.findFloor(step); found {
			b.floor = normal
		} else {
			return false
		}
	}
	if !way.IsZero() {
		m.walkAlong(way, way, step)
	}
	_, normal, found := m.findFloor(step)
	b.onFloor, b.floor = found, normal
	return found
}
