package engine

import "math"

// Flying. Velocity approaches what Acceleration requests in all three directions, at most AirSpeed, without
// gravity; without Acceleration it approaches rest. Obstacles turn it along the surface (HitWall, Bump).

// fly moves for a part of dt and returns the remaining time.
func (w *World) fly(a *Actor, dt float64) (left float64) {
	part := math.Min(dt, maxWalkPart)
	rate, speed := a.number(knAccelRate, defaultAccel), a.speed()
	goal := wish(a.Acceleration, rate, speed)
	if goal.IsZero() {
		rate = math.Max(rate, leastBrake)
	}
	v, way := approach(a.Velocity, goal, rate, a.number(knGroundFriction, defaultFriction), speed, part)
	way = way.Add(w.zoneVelocity(a).Mul(part))
	if way.IsZero() {
		return 0
	}
	var m motion
	m.begin(w, a, way)
	v = m.glide(way, v)
	if m.deep > 1 {
		w.unstick(a, &m)
	}
	a.setVelocity(v)
	m.commit()
	return dt - part
}

// glide performs a movement along whatever it meets and returns the remaining velocity.
func (m *motion) glide(way, v vec) vec {
	var planes [maxSlides]vec
	n, wished := 0, way
	for range maxSlides {
		o := m.sweep(m.at.Add(way))
		m.advance(o.at)
		if !o.hit {
			break
		}
		m.tell(&o)
		planes[n] = o.normal
		n++
		way, v = clip(way.Mul(1-o.fraction), planes[:n]), clip(v, planes[:n])
		if way.Dot(wished) < 0 { // a corner: it would only be thrown back and forth
			v = vec{}
			break
		}
		if way.SizeSquared() < 1e-12 {
			break
		}
	}
	return v
}

// swim moves for a part of dt and returns the remaining time.
func (w *World) swim(a *Actor, dt float64) (left float64) {
	part := math.Min(dt, maxFallPart)
	rate, speed := a.number(knAccelRate, defaultAccel), a.speed()
	fluid := defaultFluid
	if v := w.volumeAt(a.Location); v != nil {
		fluid = v.number(knFluidFriction, defaultFluid)
	}
	goal := wish(a.Acceleration, rate, speed)
	if goal.IsZero() {
		rate = math.Max(fluid*speed, 1) // in water, only the fluid's friction brakes
	}
	sink := w.gravityOf(a) * a.number(knGravityScale, 1) * (1 - a.number(knBuoyancy, defaultBuoyancy))
	v, way := approach(a.Velocity, goal, rate, fluid, speed, part)
	way = way.Add(vec{Z: sink * part * part / 2}).Add(w.zoneVelocity(a).Mul(part))
	v.Z += sink * part
	var m motion
	m.begin(w, a, way)
	v = m.glide(way, v)
	a.setVelocity(v)
	m.commit()
	return dt - part
}
