package dynamics

import (
	"math"

	"github.com/tidelock/tidelock/engine/collision"
)

// WheelDef is a sprung wheel, in the box's own coordinates (X forward, Y right, Z up).
type WheelDef struct {
	At     vec     // where the spring is mounted, from the centre of the box, uu
	Rest   float64 // length of the unloaded spring, uu
	Radius float64 // uu
	// Spring is in kg/s² (force in kg·uu/s² a uu), Damper in kg/s.
	Spring, Damper float64
	Grip           float64 // friction of the tyre: the share of its load it can transmit, lengthwise and sideways together
	Steers, Drives bool
}

// Wheel is the state of a wheel.
type Wheel struct {
	WheelDef
	Steer   float64 // radians, to the right
	Length  float64 // of the spring now, uu
	Load    float64 // kg·uu/s²
	Turned  float64 // radians it has rolled
	Ground  bool
	Slips   bool // the tyre's force exceeded its grip
	Contact vec

	normal, under vec // normal and velocity of the ground
}

// Wheels make a box a vehicle: springs by rays, tyres by a friction circle.
type Wheels struct {
	List []Wheel
	// The driver's controls; kept until changed. Drive is the force of all driven wheels together in kg·uu/s²,
	// backwards below 0; Brake that of all wheels, not below 0; Steer is in radians to the right.
	Drive, Brake, Steer float64
}

// SetWheels makes a box a vehicle, or with none a box again.
func (s *Space) SetWheels(id int32, defs []WheelDef) *Wheels {
	b := s.body(id)
	b.wheels = nil
	if len(defs) > 0 {
		b.wheels = &Wheels{}
		for _, d := range defs {
			b.wheels.List = append(b.wheels.List, Wheel{WheelDef: d, Length: d.Rest})
		}
	}
	return b.wheels
}

// Wheels returns a vehicle's wheels, nil for other bodies.
func (b *Body) Wheels() *Wheels { return b.wheels }

// roll applies springs and tyres for dt seconds.
func (w *Wheels) roll(s *Space, b *Body, dt float64) {
	centre, up := b.hullCentre(), b.axes[2]
	grounded, driving := 0, 0
	for i := range w.List {
		k := &w.List[i]
		from := centre.MulAdd(b.axes[0], k.At.X).MulAdd(b.axes[1], k.At.Y).MulAdd(up, k.At.Z)
		reach := k.Rest + k.Radius
		k.Ground, k.Slips, k.Load = false, false, 0
		k.Steer = 0
		if k.Steers {
			k.Steer = w.Steer
		}
		// The ray starts a radius higher, so that a fully compressed spring still finds the ground.
		start := from.MulAdd(up, k.Radius)
		h := s.query.Line(start, from.MulAdd(up, -reach), collision.Filter{})
		if !h.Blocked() || h.Normal.Dot(up) < 0.3 {
			k.Length = k.Rest
			continue
		}
		k.Ground, k.Contact = true, h.Location
		k.Length = max(0, h.Fraction*(reach+k.Radius)-2*k.Radius)
		grounded++
		if k.Drives {
			driving++
		}
		k.under = vec{}
		if h.Mover != 0 {
			k.under = s.moverVelocity(h.Mover)
		}
		v := b.VelocityAt(k.Contact).Sub(k.under)
		along := up.Dot(h.Normal)
		closing := -v.Dot(h.Normal) / along
		k.Load = max(0, k.Spring*(k.Rest-k.Length)+k.Damper*closing)
		k.Load = min(k.Load, b.Mass*20*math.Max(1, s.Gravity.Size()))
		b.pull(h.Normal.Mul(k.Load*along), k.Contact.Sub(b.Position))
		k.normal = h.Normal
	}
	for i := range w.List {
		if k := &w.List[i]; k.Ground {
			w.grip(b, k, dt, driving, grounded)
		}
	}
}

// forward returns the direction in which the wheel rolls.
func (k *Wheel) forward(b *Body) vec {
	sin, cos := math.Sincos(k.Steer)
	return b.axes[0].Mul(cos).MulAdd(b.axes[1], sin)
}

// grip computes the tyre's force: it drives and brakes along the wheel and resists sideways sliding, together
// up to its friction (the friction circle).
func (w *Wheels) grip(b *Body, k *Wheel, dt float64, driving, grounded int) {
	f := k.forward(b)
	side := k.normal.Cross(f).Normal()
	if side.IsZero() {
		return
	}
	f = side.Cross(k.normal)
	v := b.VelocityAt(k.Contact).Sub(k.under)
	// It acts between the axle and the ground, so that hard turning or braking leans the vehicle without
	// overturning it.
	arm := k.Contact.Sub(b.Position)
	arm = arm.MulAdd(b.axes[2], -0.8*arm.Dot(b.axes[2]))
	along := 0.0
	if k.Drives && driving > 0 {
		along = w.Drive / float64(driving) * dt
	}
	if w.Brake > 0 {
		along -= math.Copysign(math.Min(w.Brake/float64(grounded)*dt, math.Abs(v.Dot(f))*b.Mass/float64(grounded)), v.Dot(f))
	}
	mass := 1 / (b.invMass + side.Dot(b.invI(arm.Cross(side)).Cross(arm)))
	across := -v.Dot(side) * mass / float64(len(w.List)) * 1.5
	if most, size := k.Grip*k.Load*dt, math.Hypot(along, across); size > most {
		k.Slips = true
		along, across = along*most/size, across*most/size
	}
	b.pull(f.Mul(along/dt).MulAdd(side, across/dt), arm)
	k.Turned = math.Mod(k.Turned+v.Dot(f)/k.Radius*dt, 2*math.Pi)
}

// pull adds a force for the step that begins: spread over it, a force that balances gravity leaves no residual
// speed.
func (b *Body) pull(force, arm vec) {
	b.force = b.force.Add(force)
	b.torque = b.torque.Add(arm.Cross(force))
}

func (s *Space) moverVelocity(id int32) vec {
	for i := range s.movers {
		if s.movers[i].id == id {
			return s.movers[i].velocity
		}
	}
	return vec{}
}
