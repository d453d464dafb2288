package dynamics

import (
	"math"

	"github.com/tidelock/tidelock/engine/collision"
	"github.com/tidelock/tidelock/engine/geom"
)

// Step advances the simulation by dt seconds; env may be nil. Only awake bodies and what they touch cost time;
// with none awake and no mover moving it returns at once.
func (s *Space) Step(dt float64, env Surroundings) {
	s.Hits = s.Hits[:0]
	if dt > 0 {
		s.followMovers(dt)
		if s.awake > 0 {
			n := max(1, int(math.Ceil(dt/MaxStep-1e-9)))
			for range n {
				s.step(dt/float64(n), env)
			}
		}
	}
	s.Woke, s.waking = s.waking, s.Woke[:0]
	s.Slept, s.settling = s.settling, s.Slept[:0]
}

// followMovers updates the velocities of movers, and wakes what lies on those that move.
func (s *Space) followMovers(dt float64) {
	for i := range s.movers {
		m := &s.movers[i]
		at := s.query.World.MoverOffset(m.id)
		m.velocity = at.Sub(m.offset).Mul(1 / dt).ClampSize(MaxLinVel)
		if at != m.offset {
			m.offset = at
			s.WakeBox(s.query.World.MoverBounds(m.id))
		}
	}
}

// softness describes a spring with a frequency and a damping over a substep (Catto, "Soft Constraints").
type softness struct{ bias, mass, load float64 }

func soften(hertz, damping, h float64) softness {
	w := 2 * math.Pi * hertz
	a1 := 2*damping + h*w
	a2 := h * w * a1
	a3 := 1 / (1 + a2)
	return softness{w / a1, a2 * a3, a3}
}

func (s *Space) step(dt float64, env Surroundings) {
	for i := range s.order {
		if b := &s.bodies[s.order[i]]; !b.asleep {
			b.begin(s.Gravity)
			if b.wheels != nil {
				b.wheels.roll(s, b, dt)
			}
		}
	}
	s.collide(dt, env)
	s.wakeTouched()
	h := dt / substeps
	soft := soften(min(contactHertz, 0.25/h), contactDamping, h)
	hard := soften(2*min(contactHertz, 0.25/h), contactDamping, h)
	s.prepare()
	for range substeps {
		s.accelerate(h)
		s.warm()
		s.solve(h, &soft, &hard, true)
		s.integrate(h)
		s.solve(h, &soft, &hard, false)
	}
	s.bounceOff()
	s.tell()
	s.pushObstacles(env)
	s.keepOut()
	s.joinIslands()
	s.payPushing()
	for i := range s.order {
		if b := &s.bodies[s.order[i]]; !b.asleep {
			b.force, b.torque = vec{}, vec{}
			b.AwakeFor += dt
		}
	}
	s.rest(dt)
}

// begin records the body's state at the start of a step.
func (b *Body) begin(gravity vec) {
	b.start, b.turned, b.moved, b.held, b.deep = b.Position, vec{}, vec{}, false, false
	b.energy = b.Energy() + b.height(gravity)
}

// height returns the potential energy in kg·uu²/s².
func (b *Body) height(gravity vec) float64 { return -b.Mass * b.GravityScale * gravity.Dot(b.Position) }

// wakeTouched wakes bodies that are hit; a sleeping body that something slow leans on counts as immovable.
func (s *Space) wakeTouched() {
	for i := range s.contacts {
		c := &s.contacts[i]
		if c.kind != HitBody || !s.bodies[c.other].asleep {
			continue
		}
		a := &s.bodies[c.a]
		if a.LinVel.Size()+a.AngVel.Size()*a.reach() < wakeSpeed {
			continue
		}
		for k := range c.count {
			if p := &c.points[k]; p.sep < margin/2 && -a.VelocityAt(a.Position.Add(p.ra)).Dot(c.normal) < -wakeSpeed/4 {
				s.Wake(c.other)
				break
			}
		}
	}
	for i := range s.order { // bodies that woke together with it
		if b := &s.bodies[s.order[i]]; !b.asleep && b.AwakeFor == 0 {
			b.begin(s.Gravity)
		}
	}
}

// other returns the second body of a contact if it can move, else nil.
func (s *Space) other(c *contact) *Body {
	if c.kind == HitBody {
		if b := &s.bodies[c.other]; !b.asleep {
			return b
		}
	}
	return nil
}

func (s *Space) prepare() {
	for i := range s.contacts {
		c := &s.contacts[i]
		a, b := &s.bodies[c.a], s.other(c)
		c.approach, c.spinLoad = 0, vec{}
		for k := range c.count {
			p := &c.points[k]
			across := func(n vec) float64 {
				m := a.invMass + n.Dot(a.invI(p.ra.Cross(n)).Cross(p.ra))
				if b != nil {
					m += b.invMass + n.Dot(b.invI(p.rb.Cross(n)).Cross(p.rb))
				}
				m += c.yields
				return 1 / m
			}
			p.mass, p.mass1, p.mass2 = across(c.normal), across(c.t1), across(c.t2)
			p.most = 0
			a.deep = a.deep || p.sep < -1 && b == nil
			p.speed = c.relative(a, b, p).Dot(c.normal)
			c.approach = max(c.approach, -p.speed)
		}
	}
}

// relative returns the velocity of the other at a point, relative to a.
func (c *contact) relative(a, b *Body, p *point) vec {
	v := c.surface
	if b != nil {
		v = b.LinVel.Add(b.AngVel.Cross(p.rb))
	}
	return v.Sub(a.LinVel).Sub(a.AngVel.Cross(p.ra))
}

func (c *contact) apply(a, b *Body, p *point, impulse vec) {
	a.LinVel = a.LinVel.MulAdd(impulse, -a.invMass)
	a.AngVel = a.AngVel.Sub(a.invI(p.ra.Cross(impulse)))
	if b != nil {
		b.LinVel = b.LinVel.MulAdd(impulse, b.invMass)
		b.AngVel = b.AngVel.Add(b.invI(p.rb.Cross(impulse)))
	} else if c.yields > 0 {
		c.surface = c.surface.MulAdd(impulse, c.yields)
	}
}

// accelerate adds a substep's forces.
func (s *Space) accelerate(h float64) {
	for i := range s.order {
		b := &s.bodies[s.order[i]]
		if b.asleep {
			continue
		}
		b.LinVel = b.LinVel.MulAdd(s.Gravity, h*b.GravityScale).MulAdd(b.force, h*b.invMass)
		b.AngVel = b.AngVel.MulAdd(b.invI(b.torque), h)
		b.gyrate(h)
		b.LinVel = b.LinVel.Mul(1 / (1 + h*b.LinearDamping))
		b.AngVel = b.AngVel.Mul(1 / (1 + h*b.AngularDamping))
		b.limit()
	}
}

// gyrate rotates the spin axis of a tumbling body by its unequal inertias: one implicit step, which never adds
// energy.
func (b *Body) gyrate(h float64) {
	i := b.inertia
	if b.Shape == Sphere || math.Abs(i.X-i.Y)+math.Abs(i.Y-i.Z) < 0.01*i.X || b.AngVel.SizeSquared() < 0.01 {
		return
	}
	w := vec{X: b.AngVel.Dot(b.axes[0]), Y: b.AngVel.Dot(b.axes[1]), Z: b.AngVel.Dot(b.axes[2])}
	iw := vec{X: i.X * w.X, Y: i.Y * w.Y, Z: i.Z * w.Z}
	f := w.Cross(iw).Mul(h)
	// J = I + h(skew(ω)I − skew(Iω)), by rows.
	r0 := vec{X: i.X, Y: h * (-w.Z*i.Y + iw.Z), Z: h * (w.Y*i.Z - iw.Y)}
	r1 := vec{X: h * (w.Z*i.X - iw.Z), Y: i.Y, Z: h * (-w.X*i.Z + iw.X)}
	r2 := vec{X: h * (-w.Y*i.X + iw.Y), Y: h * (w.X*i.Y - iw.X), Z: i.Z}
	c0, c1, c2 := r1.Cross(r2), r2.Cross(r0), r0.Cross(r1)
	det := r0.Dot(c0)
	if math.Abs(det) < 1e-12 {
		return
	}
	d := c0.Mul(f.X).MulAdd(c1, f.Y).MulAdd(c2, f.Z).Mul(1 / det)
	n := w.Sub(d)
	if n.SizeSquared() > w.SizeSquared() {
		n = n.ClampSize(w.Size())
	}
	b.AngVel = b.axes[0].Mul(n.X).MulAdd(b.axes[1], n.Y).MulAdd(b.axes[2], n.Z)
}

func (s *Space) warm() {
	for i := range s.contacts {
		c := &s.contacts[i]
		a, b := &s.bodies[c.a], s.other(c)
		for k := range c.count {
			p := &c.points[k]
			c.apply(a, b, p, c.normal.Mul(p.load).MulAdd(c.t1, p.drag1).MulAdd(c.t2, p.drag2))
		}
	}
}

func (s *Space) solve(h float64, soft, hard *softness, springs bool) {
	for i := range s.contacts {
		c := &s.contacts[i]
		a, b := &s.bodies[c.a], s.other(c)
		spring := soft
		if b == nil {
			spring = hard
		}
		load := 0.0
		for k := range c.count {
			p := &c.points[k]
			// Present distance between the two: their motion and rotation in this step so far.
			d := a.moved.Add(a.turned.Cross(p.ra)).Neg()
			if b != nil {
				d = d.Add(b.moved).Add(b.turned.Cross(p.rb))
			}
			sep := p.sep + d.Dot(c.normal)
			bias, mass, keep := 0.0, 1.0, 0.0
			switch {
			case sep > 0:
				bias = sep / h
			case springs:
				bias = max(spring.bias*min(0, sep+slop), -pushOut)
				mass, keep = spring.mass, spring.load
			}
			v := c.relative(a, b, p).Dot(c.normal)
			was := p.load
			p.load = max(0, was-p.mass*mass*(v+bias)-keep*was)
			p.most = max(p.most, p.load)
			c.apply(a, b, p, c.normal.Mul(p.load-was))
			load += p.load
		}
		for k := range c.count {
			p := &c.points[k]
			v := c.relative(a, b, p)
			d1, d2 := p.drag1-p.mass1*v.Dot(c.t1), p.drag2-p.mass2*v.Dot(c.t2)
			if most, square := c.friction*p.load, d1*d1+d2*d2; square > most*most {
				k := most / math.Sqrt(square)
				d1, d2 = d1*k, d2*k
			}
			impulse := c.t1.Mul(d1-p.drag1).MulAdd(c.t2, d2-p.drag2)
			p.drag1, p.drag2 = d1, d2
			c.apply(a, b, p, impulse)
		}
		if c.spin > 0 && load > 0 {
			// A ball's load is never exactly below its centre: that brakes its rolling.
			w := a.AngVel
			if b != nil {
				w = w.Sub(b.AngVel)
			}
			was := c.spinLoad
			now := was.MulAdd(w, -a.inertia.X).ClampSize(c.spin * load)
			c.spinLoad = now
			d := now.Sub(was)
			a.AngVel = a.AngVel.Add(a.invI(d))
			if b != nil {
				b.AngVel = b.AngVel.Sub(b.invI(d))
			}
		}
	}
}

func (s *Space) integrate(h float64) {
	for i := range s.order {
		b := &s.bodies[s.order[i]]
		if b.asleep {
			continue
		}
		d, r := b.LinVel.Mul(h), b.AngVel.Mul(h)
		b.moved, b.turned = b.moved.Add(d), b.turned.Add(r)
		b.Position = b.Position.Add(d)
		b.Rotation = b.Rotation.spun(r)
	}
}

// bounceOff applies restitution to fast contacts. It restores speeds along the normal, regardless of what
// friction did meanwhile; together the two can create energy (Kane's paradox), which payPushing removes.
func (s *Space) bounceOff() {
	for i := range s.contacts {
		c := &s.contacts[i]
		if c.bounce == 0 || c.approach < bounceSpeed {
			continue
		}
		a, b := &s.bodies[c.a], s.other(c)
		for k := range c.count {
			p := &c.points[k]
			if p.speed > -bounceSpeed || p.most == 0 {
				continue
			}
			v := c.relative(a, b, p).Dot(c.normal)
			was := p.load
			p.load = max(0, was-p.mass*(v+c.bounce*p.speed))
			p.most = max(p.most, p.load)
			c.apply(a, b, p, c.normal.Mul(p.load-was))
		}
	}
}

// tell records hits and touches.
func (s *Space) tell() {
	for i := range s.contacts {
		c := &s.contacts[i]
		sum, at := 0.0, vec{}
		for k := range c.count {
			p := &c.points[k]
			sum += p.most
			at = at.MulAdd(p.ra, p.most)
		}
		c.touching = sum > 0
		a := &s.bodies[c.a]
		if c.touching && c.kind == HitObstacle && c.surface.SizeSquared() > sleepSpeed*sleepSpeed ||
			c.touching && c.kind == HitMover && !c.surface.IsZero() {
			a.held = true
		}
		if !c.touching || c.approach < hitSpeed || c.wasTouching && c.approach < 4*hitSpeed {
			continue
		}
		b := s.other(c)
		if !a.Hits && (b == nil || !b.Hits) {
			continue
		}
		other := c.other
		hit := Hit{
			Body: a.id, Kind: c.kind, Other: other, At: a.start.MulAdd(at, 1/sum), Normal: c.normal.Neg(), Impulse: sum, Speed: c.approach,
		}
		if a.Hits {
			s.Hits = append(s.Hits, hit)
		}
		if b != nil && b.Hits {
			hit.Body, hit.Other, hit.Normal = b.id, a.id, c.normal
			s.Hits = append(s.Hits, hit)
		}
	}
}

// pushObstacles reports the new velocities of obstacles that have a mass.
func (s *Space) pushObstacles(env Surroundings) {
	for i := range s.contacts {
		c := &s.contacts[i]
		if c.yields == 0 || !c.touching {
			continue
		}
		if d := c.surface.Sub(s.obstacles[c.part].Velocity); !d.IsZero() {
			env.PushObstacle(c.other, s.bodies[c.a].User, d)
		}
	}
}

// keepOut stops bodies that would have passed through something in this step.
func (s *Space) keepOut() {
	for i := range s.order {
		b := &s.bodies[s.order[i]]
		if b.asleep {
			continue
		}
		core := coreShare * b.least()
		way := b.Position.Sub(b.start)
		if way.SizeSquared() > core*core/16 || b.deep {
			b.Position = s.stopAt(b, way, core)
		}
		if !b.Position.IsFinite() {
			b.Position, b.LinVel, b.AngVel = b.start, vec{}, vec{}
		}
		b.limit()
		b.pose()
		b.box = b.bounds()
	}
}

func (s *Space) stopAt(b *Body, way vec, core float64) vec {
	from, to := b.start, b.Position
	half := vec{X: core, Y: core, Z: core}
	best := 1.0
	if h := s.query.Sweep(from, to, half, collision.Filter{}); h.Blocked() {
		best = h.Fraction
	}
	// Other bodies are hit where the body's core meets their boxes, as they were at the start of the step.
	for i := range s.pairs {
		p := &s.pairs[i]
		var f float64
		switch {
		case p.a == b.id && p.kind == HitObstacle:
			o := &s.obstacles[p.part]
			f = entry(from.Sub(o.Centre), way, vec{X: o.Radius*0.7 + core, Y: o.Radius*0.7 + core, Z: o.HalfHeight*0.9 + core})
		case p.kind == HitBody && (p.a == b.id || p.other == b.id):
			o := &s.bodies[p.other]
			if p.other == b.id {
				o = &s.bodies[p.a]
			}
			r, w := from.Sub(o.Position), way
			if !o.asleep {
				r, w = from.Sub(o.start), way.Sub(o.moved)
			}
			e := o.Half
			if o.Shape == Sphere {
				e = vec{X: o.Radius, Y: o.Radius, Z: o.Radius}.Mul(0.7)
			}
			q := &o.axes
			f = entry(vec{X: r.Dot(q[0]), Y: r.Dot(q[1]), Z: r.Dot(q[2])}, vec{X: w.Dot(q[0]), Y: w.Dot(q[1]), Z: w.Dot(q[2])},
				e.Add(half))
		default:
			continue
		}
		best = min(best, f)
	}
	if best >= 1 {
		return to
	}
	return from.MulAdd(way, best)
}

// entry returns the share of a movement after which a point enters a box around the origin; 1 if it does not,
// or began inside.
func entry(from, way, half vec) float64 {
	enter, leave := -1.0, 1.0
	axis := func(p, d, h float64) bool {
		if math.Abs(d) < 1e-9 {
			return math.Abs(p) < h
		}
		a, b := (-h-p)/d, (h-p)/d
		if a > b {
			a, b = b, a
		}
		enter, leave = max(enter, a), min(leave, b)
		return enter < leave
	}
	if !axis(from.X, way.X, half.X) || !axis(from.Y, way.Y, half.Y) || !axis(from.Z, way.Z, half.Z) || enter <= 0 {
		return 1
	}
	return enter
}

func mix(a, b float64) float64 { return math.Sqrt(a * b) }

// anyAcross returns a unit vector at right angles to a unit vector.
func anyAcross(n vec) vec {
	if math.Abs(n.Z) < 0.7 {
		return geom.V(n.Y, -n.X, 0).Normal()
	}
	return geom.V(0, n.Z, -n.Y).Normal()
}
