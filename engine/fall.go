package engine

import (
	"math"

	"github.com/tidelock/tidelock/engine/collision"
)

// Falling. Gravity is the world's times GravityScale. A pawn steers by AirControl, the share of AccelRate that
// it has in the air, and steering never makes it faster than GroundSpeed. An obstacle turns its movement along
// the surface. It comes to stand on a floor of at most 45° that it moves against, and a pawn also in a cleft of
// two steep slopes whose crease rises by at most 45°.
//
// A pawn that lands walks: the mode and the base are set, the move's own events are called, then
// Landed(normal), then BaseChange; the rest of the tick is walked. Any other actor bounces, if it has a Bounce
// (HitWall is called for it), until it is slow, and then comes to rest: velocity 0, PHYS_None, resting on what
// it fell on, Landed(normal), BaseChange.

const (
	bounceStop  = 30 // uu/s towards a floor: slower ones do not bounce off it
	wedgedParts = 3  // falling steps without progress until a pawn stands
)

// fall moves for a part of dt and returns the remaining time.
func (w *World) fall(a *Actor, dt float64) (left float64) {
	part := math.Min(dt, maxFallPart)
	pawn := a.Class.IsPawn()
	v, way := w.ballistic(a, part, pawn)

	var m motion
	m.begin(w, a, vec{X: math.Abs(way.X) + 1, Y: math.Abs(way.Y) + 1, Z: math.Abs(way.Z) + 1})
	r := m.slide(way, v, part, pawn, a.number(knBounce, 0))
	if m.deep > 2*collision.Gap {
		w.unstick(a, &m)
	}
	left = dt - r.used
	if pawn && !r.landed && r.touched && way.Z < 0 && m.at.Distance(m.from) < wedge/4 {
		// In a cleft there is nowhere to fall. A pawn stands there; otherwise it would hang forever.
		if a.body.wedged++; a.body.wedged >= wedgedParts {
			r.landed, r.floor = true, obstacle{normal: vec{Z: 1}}
		}
	} else {
		a.body.wedged = 0
	}
	a.setVelocity(r.v)
	ok := m.commit()
	if !ok || a.Physics != PhysFalling || !r.landed {
		return left
	}
	w.land(a, &r.floor, pawn)
	return left
}

// land puts a falling actor on the floor it reached.
func (w *World) land(a *Actor, floor *obstacle, pawn bool) {
	by := floor.actor
	if by != nil && by.destroying {
		by = nil
	}
	v := a.Velocity
	if by != nil {
		v = v.Sub(by.Velocity)
	}
	mode := PhysWalking
	if v.Z = 0; !pawn {
		v, mode = vec{}, PhysNone
	}
	a.setVelocity(v)
	a.Physics = mode
	a.body.onFloor, a.body.floor, a.body.wedged, a.body.rested = true, floor.normal, 0, false
	if p := a.Class.physics; p != nil {
		a.Touched(p)
	}
	w.refreshTick(a)
	if by == nil || a.BAttached || w.restsOn(by, a) {
		a.Event(EvLanded, Vec(floor.normal))
		return
	}
	old := w.linkBase(a, by, false)
	a.Event(EvLanded, Vec(floor.normal))
	w.tellBase(a, old, by)
}

// ballistic returns how an actor in the air moves in t seconds: the final velocity and the displacement, exact
// for any t.
func (w *World) ballistic(a *Actor, t float64, steers bool) (v, way vec) {
	level := vec{X: a.Velocity.X, Y: a.Velocity.Y}
	v, way = level, level.Mul(t)
	accel := vec{X: a.Acceleration.X, Y: a.Acceleration.Y}
	if steers && !accel.IsZero() {
		rate, speed := a.number(knAccelRate, defaultAccel), a.speed()
		goal := wish(accel, rate, speed)
		// An actor that is faster already keeps its speed: steering only changes its direction.
		if dir := goal.Normal(); level.Dot(dir) > goal.Dot(dir) {
			goal = dir.Mul(level.Dot(dir))
		}
		v, way = approach(level, goal, rate*a.number(knAirControl, 0.05), 0, speed, t)
	}
	v.Z, way.Z = plunge(a.Velocity.Z, w.gravityOf(a)*a.number(knGravityScale, 1), t)
	return v, way.Add(w.zoneVelocity(a).Mul(t))
}

// slid is the result of a movement through the air.
type slid struct {
	v       vec
	used    float64 // seconds
	landed  bool
	touched bool // something turned it
	floor   obstacle
}

// slide performs a movement through the air, along whatever it meets, until it is complete or lands.
func (m *motion) slide(way, v vec, t float64, pawn bool, bounce float64) slid {
	r := slid{v: v, used: t}
	var planes [maxSlides]vec
	n := 0
	done := 0.0 // share of t
	for range maxSlides {
		o := m.sweep(m.at.Add(way))
		m.advance(o.at)
		if !o.hit {
			return r
		}
		done += (1 - done) * o.fraction
		way = way.Mul(1 - o.fraction)
		r.touched = true
		if !pawn && bounce > 0 && r.v.Dot(o.normal) < -bounceStop {
			m.tell(&o)
			r.v = r.v.MulAdd(o.normal, -2*r.v.Dot(o.normal)).Mul(bounce)
			r.used = t * done
			return r
		}
		if o.normal.Z >= Walkable && r.v.Dot(o.normal) <= 0 {
			r.landed, r.floor, r.used = true, o, t*done
			return r
		}
		m.tell(&o)
		if pawn && r.v.Z <= 0 {
			for _, p := range planes[:n] {
				if f, ok := cleft(p, o.normal); ok {
					r.landed, r.used = true, t*done
					r.floor = obstacle{normal: f, actor: o.actor}
					return r
				}
			}
		}
		planes[n] = o.normal
		n++
		way, r.v = clip(way, planes[:n]), clip(r.v, planes[:n])
		if way.SizeSquared() < 1e-12 {
			return r
		}
	}
	return r
}

// clip removes the components of v that lead into the planes: the result runs along one plane, along the crease
// of two, or is zero.
func clip(v vec, planes []vec) vec {
	for i, p := range planes {
		if v.Dot(p) >= 0 {
			continue
		}
		c := v.MulAdd(p, -v.Dot(p))
		free := true
		for j, q := range planes {
			if j == i || c.Dot(q) >= -1e-9 {
				continue
			}
			// Into another plane: along the crease of the two, unless a third one blocks that.
			line := p.Cross(q).Normal()
			c = line.Mul(v.Dot(line))
			for k, o := range planes {
				if k != i && k != j && c.Dot(o) < -1e-9 {
					return vec{}
				}
			}
			free = false
			break
		}
		if v = c; !free {
			return v
		}
	}
	return v
}
