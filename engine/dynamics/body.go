package dynamics

import (
	"math"

	"github.com/tidelock/tidelock/engine/geom"
)

// ShapeKind is the kind of a body's shape.
type ShapeKind uint8

// The shapes.
const (
	Box ShapeKind = iota
	Sphere
)

// Def describes a new body.
type Def struct {
	Shape  ShapeKind
	Half   vec     // half extents of a box, uu; each at least 1
	Radius float64 // of a sphere, uu; at least 1
	Mass   float64 // kg; at least 0.01
	// Friction is Coulomb's coefficient; for two bodies in contact the geometric mean counts. Restitution is
	// the share of speed kept; of two the larger counts. Damping is the share of speed lost per second, as a
	// rate (1/s).
	Friction, Restitution         float64
	LinearDamping, AngularDamping float64
	GravityScale                  float64
	Position                      vec
	Rotation                      Quat
	LinVel, AngVel                vec // uu/s and rad/s
	// Lift moves the centre of mass, in uu along the box's own Z: below 0 a vehicle does not overturn easily.
	Lift float64
	// Hits requests [Space.Hits] for this body.
	Hits bool
	// Asleep starts the body asleep: it costs nothing until something wakes it.
	Asleep bool
	// Share is the share that counts it among its awake bodies, from 1 on; 0 is none, bounded only by MaxAwake.
	Share int32
	User  int64 // the caller's
}

// BoxDef returns a box of a mass with the defaults of everything else.
func BoxDef(half vec, mass float64) Def {
	return Def{
		Shape: Box, Half: half, Mass: mass, Friction: 0.6, LinearDamping: 0.02, AngularDamping: 0.1,
		GravityScale: 1, Rotation: Identity(),
	}
}

// SphereDef returns a sphere of a mass with the defaults of everything else.
func SphereDef(radius, mass float64) Def {
	d := BoxDef(vec{}, mass)
	d.Shape, d.Radius = Sphere, radius
	return d
}

// Body is one rigid body. Its fields are read-only; change them by the space's methods, which wake the affected
// bodies.
type Body struct {
	Def
	// AwakeFor is how long it has been awake, in seconds; 0 while it sleeps.
	AwakeFor float64

	id      int32
	used    bool
	asleep  bool
	still   float64 // seconds it has been slow
	invMass float64
	inertia vec // about the own axes
	invLoc  vec

	axes     [3]vec
	invWorld [3]vec // rows (and columns) of the inverse inertia in the world
	box      geom.Bounds
	poly     poly
	verts    [8]vec
	normals  [6]vec
	dists    [6]float64

	force, torque vec // for the next step
	start         vec // location at the start of the step
	turned, moved vec // in this step so far
	island        int32
	energy        float64 // kinetic and potential, at the start of the step, kg·uu²/s²
	deep          bool    // overlaps something immovable by more than a touch
	held          bool    // rests on something that moves, so that it may not sleep

	meets int32 // bodies that it may meet in this step

	wheels *Wheels
}

// Asleep reports whether the body sleeps.
func (b *Body) Asleep() bool { return b.asleep }

// Bounds returns the body's bounds at the start of the last step.
func (b *Body) Bounds() geom.Bounds { return b.bounds() }

// Axes returns the body's own axes in the world.
func (b *Body) Axes() [3]vec { return b.axes }

// least returns the radius of the largest ball inside.
func (b *Body) least() float64 {
	if b.Shape == Sphere {
		return b.Radius
	}
	return min(b.Half.X, b.Half.Y, b.Half.Z)
}

// reach returns the radius of the smallest enclosing ball.
func (b *Body) reach() float64 {
	if b.Shape == Sphere {
		return b.Radius
	}
	return b.Half.Size()
}

// VelocityAt returns the velocity of a point of the body at a world location, in uu/s.
func (b *Body) VelocityAt(at vec) vec { return b.LinVel.Add(b.AngVel.Cross(at.Sub(b.Position))) }

// Energy returns the kinetic energy in kg·uu²/s².
func (b *Body) Energy() float64 {
	w := vec{X: b.AngVel.Dot(b.axes[0]), Y: b.AngVel.Dot(b.axes[1]), Z: b.AngVel.Dot(b.axes[2])}
	return b.Mass*b.LinVel.SizeSquared()/2 + (b.inertia.X*w.X*w.X+b.inertia.Y*w.Y*w.Y+b.inertia.Z*w.Z*w.Z)/2
}

func (b *Body) setMass() {
	b.invMass = 1 / b.Mass
	if b.Shape == Sphere {
		i := 0.4 * b.Mass * b.Radius * b.Radius
		b.inertia = vec{X: i, Y: i, Z: i}
	} else {
		x, y, z := b.Half.X*b.Half.X, b.Half.Y*b.Half.Y, b.Half.Z*b.Half.Z
		b.inertia = vec{X: y + z, Y: x + z, Z: x + y}.Mul(b.Mass / 3)
	}
	b.invLoc = vec{X: 1 / b.inertia.X, Y: 1 / b.inertia.Y, Z: 1 / b.inertia.Z}
}

// pose computes what depends on location and orientation.
func (b *Body) pose() {
	b.axes = b.Rotation.Axes()
	if b.Shape == Sphere {
		for i, e := range [3]vec{{X: 1}, {Y: 1}, {Z: 1}} {
			b.invWorld[i] = e.Mul(b.invLoc.X)
		}
		return
	}
	a := &b.axes
	row := func(x, y, z float64) vec {
		return a[0].Mul(x*b.invLoc.X).MulAdd(a[1], y*b.invLoc.Y).MulAdd(a[2], z*b.invLoc.Z)
	}
	b.invWorld[0] = row(a[0].X, a[1].X, a[2].X)
	b.invWorld[1] = row(a[0].Y, a[1].Y, a[2].Y)
	b.invWorld[2] = row(a[0].Z, a[1].Z, a[2].Z)
}

func (b *Body) bounds() geom.Bounds {
	if b.Shape == Sphere {
		return geom.BoundsAround(b.Position, vec{X: b.Radius, Y: b.Radius, Z: b.Radius})
	}
	a, h := &b.axes, b.Half
	c := b.hullCentre()
	return geom.BoundsAround(c, vec{
		X: math.Abs(a[0].X)*h.X + math.Abs(a[1].X)*h.Y + math.Abs(a[2].X)*h.Z,
		Y: math.Abs(a[0].Y)*h.X + math.Abs(a[1].Y)*h.Y + math.Abs(a[2].Y)*h.Z,
		Z: math.Abs(a[0].Z)*h.X + math.Abs(a[1].Z)*h.Y + math.Abs(a[2].Z)*h.Z,
	})
}

// hullCentre is the middle of the shape; Position is the centre of mass.
func (b *Body) hullCentre() vec { return b.Position.MulAdd(b.axes[2], -b.Lift) }

// invI returns the inverse inertia times a vector.
func (b *Body) invI(v vec) vec {
	return vec{X: b.invWorld[0].Dot(v), Y: b.invWorld[1].Dot(v), Z: b.invWorld[2].Dot(v)}
}

func (b *Body) limit() {
	if !b.LinVel.IsFinite() {
		b.LinVel = vec{}
	}
	if !b.AngVel.IsFinite() {
		b.AngVel = vec{}
	}
	b.LinVel, b.AngVel = b.LinVel.ClampSize(MaxLinVel), b.AngVel.ClampSize(MaxAngVel)
}
