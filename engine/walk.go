package engine

import (
	"math"

	"github.com/tidelock/tidelock/engine/collision"
)

// Walking. Velocity is horizontal and approaches what Acceleration requests (see approach); the pawn keeps its
// horizontal speed on slopes and stairs, and its feet stay on the floor as long as that is within MaxStepHeight
// below them. In one part of a tick:
//
//   - the movement follows the floor's plane; a floor of another slope continues it along that;
//   - a wall is stepped over if its top is at most MaxStepHeight above the feet and can be stood on;
//   - otherwise the pawn moves along the line in which the wall meets the floor, and the velocity loses its component into
//     the wall. If each of two walls leads into the other it steps over one of them, or follows the crease of the two, off
//     the floor (see outOfCorner), or it stops;
//   - then the floor is searched. If there is none the pawn begins to fall: Falling is called after the
//     events of the move, then BaseChange; the mode is PHYS_Falling already in both.
//
// Two steep slopes that support the pawn between them form a floor together, a cleft, if their crease rises by
// at most 45°.

// maxSlides bounds how often one part of a walk may turn.
const maxSlides = 5

// walk moves for a part of dt and returns the remaining time.
func (w *World) walk(a *Actor, dt float64) (left float64) {
	b := &a.body
	v := vec{X: a.Velocity.X, Y: a.Velocity.Y}
	accel := vec{X: a.Acceleration.X, Y: a.Acceleration.Y}
	zone := w.zoneVelocity(a)
	zone.Z = 0
	if b.rested && v.IsZero() && accel.IsZero() && zone.IsZero() {
		return 0
	}
	part := math.Min(dt, maxWalkPart)
	rate, speed := a.number(knAccelRate, defaultAccel), a.speed()
	goal := wish(accel, rate, speed)
	if goal.IsZero() {
		rate = math.Max(rate, leastBrake)
	}
	g := gait{goal, rate, a.number(knGroundFriction, defaultFriction), speed, b.wall}
	before := v
	v, way := g.gain(before, part)
	way = way.Add(zone.Mul(part))
	step := math.Max(0, a.number(knMaxStepHeight, defaultStep))

	var m motion
	far := math.Hypot(way.X, way.Y) + 1
	m.begin(w, a, vec{X: far, Y: far, Z: 2*step + far})
	if !b.onFloor {
		b.floor = vec{Z: 1}
	}
	if !way.IsZero() {
		v = m.walkAlong(way, v, step)
	}
	if g.pressed() && m.tolds == 0 {
		if part > pressStep {
			// The wall ends somewhere along the movement: use smaller parts.
			part = pressStep
			m.at, m.turns, m.wall = m.from, 0, vec{}
			v, way = g.gain(before, part)
			way = way.Add(zone.Mul(part))
			v = m.walkAlong(way, v, step)
		}
		if m.tolds == 0 {
			g.wall = vec{}
			v, _ = g.gain(before, part)
		}
	}
	if m.tolds > 1 && v.Dot(goal) < 0 {
		v = vec{} // thrown from one wall onto another, away from its direction: it comes to rest in the corner
	}
	floor, normal, found := m.findFloor(step)
	if !found && b.onFloor && m.turns == 1 && m.tolds == 0 {
		// It began to fall at the ledge, not at the end of the part: the remaining time is for falling.
		part *= m.backToLedge(step)
		v, _ = g.gain(before, part)
	}
	left = dt - part
	if m.deep > 2*collision.Gap {
		w.unstick(a, &m)
	}
	b.onFloor, b.floor, b.wall = found, normal, m.wall
	a.setVelocity(v)
	rest := found && floor == nil && v.IsZero() && accel.IsZero() && m.at == m.from
	// The floor is part of the move; the notifications of others come after it.
	if !m.commit() || a.Physics != PhysWalking {
		return left
	}
	if !found {
		w.startFalling(a)
		return left
	}
	w.standOn(a, floor)
	b.rested = rest
	return left
}

// gait computes how a pawn's velocity changes in one part of a walk.
type gait struct {
	goal                  vec
	rate, friction, speed float64
	wall                  vec // see bodyState.wall
}

func (g *gait) pressed() bool { return !g.wall.IsZero() && g.goal.Dot(g.wall) < 0 }

// gain returns the velocity after t seconds and the displacement. Against a wall the speed gained towards it is
// lost at once; otherwise the speed along it would depend on the length of a part.
func (g *gait) gain(v vec, t float64) (after, way vec) {
	if !g.pressed() {
		return approach(v, g.goal, g.rate, g.friction, g.speed, t)
	}
	n := math.Ceil(t / pressStep)
	for range int(n) {
		var w vec
		v, w = approach(v, g.goal, g.rate, g.friction, g.speed, t/n)
		way = way.Add(w)
		if into := v.Dot(g.wall); into < 0 {
			v = v.MulAdd(g.wall, -into)
		}
	}
	return v, way
}

// startFalling handles a walking actor whose floor is gone.
func (w *World) startFalling(a *Actor) {
	base := w.Actor(a.Base)
	a.Physics = PhysFalling
	a.body.onFloor, a.body.wedged = false, 0
	if p := a.Class.physics; p != nil {
		a.Touched(p)
	}
	if base != nil && !a.BAttached {
		a.setVelocity(a.Velocity.Add(base.Velocity))
	}
	a.Event(EvFalling)
	if base != nil && !a.BAttached && !a.destroying && a.Base == base.id && a.Physics != PhysWalking {
		w.setBase(a, nil, false)
	}
}

// walkAlong performs a horizontal movement along the floor and returns what is left of the velocity v.
func (m *motion) walkAlong(way, v vec, step float64) vec {
	floor, wished := m.a.body.floor, way // wished is the remaining movement, not bent by any wall
	var walls [maxSlides]vec
	n, low := 0, false // low: one of them is low enough to step over
	for range maxSlides {
		o := m.sweep(m.at.Add(alongFloor(way, floor)))
		m.advance(o.at)
		if !o.hit {
			return v
		}
		way, wished = way.Mul(1-o.fraction), wished.Mul(1-o.fraction)
		if o.normal.Z >= Walkable && o.normal.Dot(floor) < 1-1e-9 {
			floor = o.normal // another slope begins
			continue
		}
		before := way.Size()
		stepped, tall := m.stepUp(&o, &way, step, &floor, false)
		if stepped {
			if way.SizeSquared() < 1e-12 {
				return v
			}
			wished = wished.Mul(way.Size() / before)
			continue
		}
		if o.normal.Z >= Walkable {
			return v // the floor itself, by a rounding error
		}
		m.tell(&o)
		walls[n] = o.normal
		n++
		low = low || !tall
		bent, edge, ok := along(wished, floor, walls[:n])
		if !ok {
			if floor, ok = m.outOfCorner(wished, floor, walls[:n]); ok {
				bent, edge, ok = along(wished, floor, walls[:n])
			}
		}
		if !ok {
			if low {
				if way, ok = m.stepInCorner(&o, wished, step, &floor, walls[:n]); ok {
					wished, n, low = way, 0, false
					continue
				}
			}
			m.wall = kerb(floor, o.normal)
			return vec{} // a corner: it would only be thrown back and forth
		}
		way = bent
		if !edge.IsZero() {
			m.wall = edge
			v = v.MulAdd(edge, -v.Dot(edge))
		}
		if way.SizeSquared() < 1e-12 {
			return v
		}
	}
	return v
}

// outOfCorner looks for a cleft of two of the walls that a body follows, when it can follow neither wall along
// the floor. It returns the floor that the two form.
func (m *motion) outOfCorner(way, floor vec, walls []vec) (vec, bool) {
	last := len(walls) - 1
	for i := range last {
		p, q := walls[i], walls[last]
		f, ok := cleft(p, q)
		if !ok {
			continue
		}
		bent, _, ok := along(way, f, walls)
		if ok && alongFloor(bent, f).Dot(floor) >= -1e-9 {
			return f, true
		}
	}
	return floor, false
}

// stepInCorner tries to leave a corner by a step, straight on or along one of its walls, and returns the
// remaining movement.
func (m *motion) stepInCorner(o *obstacle, way vec, step float64, floor *vec, walls []vec) (left vec, ok bool) {
	left = way
	if ok, _ = m.stepUp(o, &left, step, floor, true); ok {
		return left, true
	}
	for _, wall := range walls {
		e := kerb(*floor, wall)
		left = way.MulAdd(e, -way.Dot(e))
		if left.SizeSquared() < 1e-12 {
			continue
		}
		if ok, _ = m.stepUp(o, &left, step, floor, true); ok {
			return left, true
		}
	}
	return way, false
}

// backToLedge moves a straight movement back to where it lost the floor and returns the share that is left.
func (m *motion) backToLedge(step float64) float64 {
	way := m.at.Sub(m.from)
	lo, hi := 0.0, 1.0
	for hi-lo > 1.0/64 {
		mid := (lo + hi) / 2
		at := m.from.MulAdd(way, mid)
		if o := m.sweepFrom(at, at.Sub(vec{Z: step + 2*collision.Gap})); o.hit && o.normal.Z >= Walkable {
			lo = mid
		} else {
			hi = mid
		}
	}
	m.at = m.from.MulAdd(way, hi)
	m.corners[0] = m.at
	return hi
}

// alongFloor projects a horizontal movement onto a floor's plane; it keeps its horizontal length.
func alongFloor(way, floor vec) vec {
	if floor.Z < Walkable/2 {
		return way
	}
	way.Z = -(floor.X*way.X + floor.Y*way.Y) / floor.Z
	return way
}

// stepUp tries to step over an obstacle: up, forward, and down onto it. It subtracts the used part from way. A
// cornered pawn may also come down on the other side. tall reports that the wall is too high from every side.
func (m *motion) stepUp(wall *obstacle, way *vec, step float64, floor *vec, cornered bool) (ok, tall bool) {
	if step < collision.Gap {
		return false, false
	}
	if b := wall.actor; b != nil && !b.body.brushes &&
		b.Location.Z+b.CollisionHeight > m.at.Z-m.half.Z+step+2*collision.Gap {
		return false, true // no need to try
	}
	// Most walls are higher than a step: one check from there is enough, unless the head is in something there.
	raised, least := m.at.Add(vec{Z: step}), collision.Gap/way.Size()
	deep := m.deep
	m.deep = 0
	on := m.sweepFrom(raised, raised.Add(*way))
	clear := m.deep == 0
	m.deep = deep
	if clear && on.hit && on.fraction < least && (on.actor == nil || on.actor.body.brushes) {
		return false, on.normal.Dot(wall.normal) > 0.999
	}
	up := m.sweep(raised)
	rise := up.at.Z - m.at.Z
	if rise < collision.Gap {
		return false, false
	}
	if up.hit || !clear {
		on = m.sweepFrom(up.at, up.at.Add(*way))
	}
	if on.hit && on.fraction < least {
		return false, false
	}
	// It must not end higher than a step above the feet, and may end where it began.
	down := m.sweepFrom(on.at, on.at.Sub(vec{Z: rise + collision.Gap}))
	if down.hit && down.normal.Z < Walkable {
		// The riser leans, and the top is behind it: as far forward as a pawn gets in pressStep at its speed,
		// which is the same at every tick rate and for a standing pawn.
		reach := m.a.speed() * pressStep
		if on.hit || way.Size() >= reach {
			return false, false
		}
		on = m.sweepFrom(up.at, up.at.MulAdd(way.Normal(), reach))
		down = m.sweepFrom(on.at, on.at.Sub(vec{Z: rise + collision.Gap}))
		if !down.hit || down.normal.Z < Walkable || !cornered && down.at.Z < m.at.Z+1 {
			return false, false // or past an edge, onto the floor it stands on
		}
		on.fraction = 1 // nothing of the movement is left
	}
	m.advance(up.at)
	m.advance(on.at)
	if down.hit {
		m.advance(down.at)
		*floor = down.normal
	} else {
		m.advance(on.at.Sub(vec{Z: rise}))
	}
	*way = way.Mul(1 - on.fraction)
	return true, false
}

// findFloor puts the feet on a floor at most a step below them. floor is nil for the level. If only steep
// surfaces support the body, normal is that of the floor that they form together.
func (m *motion) findFloor(step float64) (floor *Actor, normal vec, found bool) {
	deep := vec{Z: step + 2*collision.Gap}
	o := m.sweep(m.at.Sub(deep))
	if !o.hit {
		return nil, vec{Z: 1}, false
	}
	if o.normal.Z >= Walkable {
		m.advance(o.at)
		return o.actor, o.normal, true
	}
	// Something steep. Walkable floor may be beside it: slide down and check again.
	way := m.at.Sub(deep).Sub(o.at)
	way = way.MulAdd(o.normal, -way.Dot(o.normal))
	side := m.sweepFrom(o.at, o.at.Add(way))
	if side.hit && side.normal.Z >= Walkable {
		m.advance(o.at)
		m.advance(side.at)
		return side.actor, side.normal, true
	}
	down := m.sweepFrom(side.at, vec{X: side.at.X, Y: side.at.Y, Z: m.at.Z - deep.Z})
	if down.hit && down.normal.Z >= Walkable {
		m.advance(o.at)
		m.advance(side.at)
		m.advance(down.at)
		return down.actor, down.normal, true
	}
	if side.hit {
		if f, ok := cleft(o.normal, side.normal); ok {
			m.advance(o.at)
			m.advance(side.at)
			return o.actor, f, true
		}
	}
	if m.at.Z-down.at.Z < wedge {
		return o.actor, vec{Z: 1}, true // between steep walls: nowhere to fall to
	}
	return nil, vec{Z: 1}, false
}

// wedge is how far a body may sink between steep walls, in uu, and still count as standing on them.
const wedge = 0.25

// unstick moves an actor that is inside brushes (spawned there, or its location was rounded) out of them, if
// there is room within its own radius. It does not try every tick, because searching is expensive.
func (w *World) unstick(a *Actor, m *motion) {
	if w.frame%8 != a.seq%8 && m.deep > 1 && !a.MovedByPlayer() { // results that two peers must agree on do not depend on the frame
		return
	}
	way, ok := w.space.depenetrate(a, m.at, m.half, math.Max(a.CollisionRadius, 1))
	if ok && !way.IsZero() {
		m.advance(m.at.Add(way))
	}
}

// along bends a horizontal movement on a floor so that it leads into none of the walls and keeps as much of its
// length as possible. It returns the movement itself, or its part along one of the walls, with that wall's
// kerb. ok is false in a corner, where every such movement leads into another wall.
func along(way, floor vec, walls []vec) (bent, edge vec, ok bool) {
	var kerbs [maxSlides]vec
	least := -1e-9 * way.Size()
	free := true
	for i, wall := range walls {
		kerbs[i] = kerb(floor, wall)
		free = free && way.Dot(kerbs[i]) >= least
	}
	if free {
		return way, vec{}, true
	}
	most := 0.0
	for i := range walls {
		e := kerbs[i]
		into := way.Dot(e)
		if into >= least {
			continue
		}
		w := way.MulAdd(e, -into)
		size := w.SizeSquared()
		if size <= most {
			continue
		}
		clear := true
		for j := range walls {
			if j != i && w.Dot(kerbs[j]) < least {
				clear = false
				break
			}
		}
		if clear {
			bent, edge, ok, most = w, e, true, size
		}
	}
	return bent, edge, ok
}
