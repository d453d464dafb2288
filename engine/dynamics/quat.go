package dynamics

import (
	"math"

	"github.com/tidelock/tidelock/engine/geom"
)

type vec = geom.Vector

// Quat is an orientation as a unit quaternion. The zero value is none: use [Identity].
type Quat struct{ X, Y, Z, W float64 }

// Identity returns no rotation.
func Identity() Quat { return Quat{W: 1} }

// Mul returns the rotation by o followed by q.
func (q Quat) Mul(o Quat) Quat {
	return Quat{
		q.W*o.X + q.X*o.W + q.Y*o.Z - q.Z*o.Y,
		q.W*o.Y - q.X*o.Z + q.Y*o.W + q.Z*o.X,
		q.W*o.Z + q.X*o.Y - q.Y*o.X + q.Z*o.W,
		q.W*o.W - q.X*o.X - q.Y*o.Y - q.Z*o.Z,
	}
}

// Conj returns the inverse rotation.
func (q Quat) Conj() Quat { return Quat{-q.X, -q.Y, -q.Z, q.W} }

// Normal returns q with length 1; a zero quaternion becomes Identity.
func (q Quat) Normal() Quat {
	n := math.Sqrt(q.X*q.X + q.Y*q.Y + q.Z*q.Z + q.W*q.W)
	if !(n > 1e-12) || math.IsInf(n, 0) {
		return Identity()
	}
	return Quat{q.X / n, q.Y / n, q.Z / n, q.W / n}
}

// Three returns three numbers that represent the orientation, each between −1 and 1: X, Y and Z over 1 + W,
// with the sign that makes W not negative. [FromThree] derives all four from them (R10.1). Plain X, Y and Z
// would be enough except near half a turn: W is then the root of a difference of nearly equal numbers, and a
// rounding to 16 bits turns the body by half a degree.
func (q Quat) Three() vec {
	if q.W < 0 {
		q = Quat{-q.X, -q.Y, -q.Z, -q.W}
	}
	return vec{X: q.X, Y: q.Y, Z: q.Z}.Mul(1 / (1 + q.W))
}

// FromThree reverses [Quat.Three].
func FromThree(v vec) Quat {
	n := v.SizeSquared()
	return Quat{2 * v.X, 2 * v.Y, 2 * v.Z, 1 - n}.Normal()
}

// Axes returns the rotated axes X, Y and Z: the columns of the matrix.
func (q Quat) Axes() [3]vec {
	x, y, z, w := q.X, q.Y, q.Z, q.W
	return [3]vec{
		{X: 1 - 2*(y*y+z*z), Y: 2 * (x*y + w*z), Z: 2 * (x*z - w*y)},
		{X: 2 * (x*y - w*z), Y: 1 - 2*(x*x+z*z), Z: 2 * (y*z + w*x)},
		{X: 2 * (x*z + w*y), Y: 2 * (y*z - w*x), Z: 1 - 2*(x*x+y*y)},
	}
}

// Rotate turns a vector.
func (q Quat) Rotate(v vec) vec {
	a := q.Axes()
	return a[0].Mul(v.X).MulAdd(a[1], v.Y).MulAdd(a[2], v.Z)
}

// RotationVector returns the rotation as an axis whose length is the angle in radians, at most π.
func (q Quat) RotationVector() vec {
	v := vec{X: q.X, Y: q.Y, Z: q.Z}.Mul(math.Copysign(1, q.W))
	s := v.Size()
	if s < 1e-12 {
		return vec{}
	}
	return v.Mul(2 * math.Atan2(s, math.Abs(q.W)) / s)
}

// spun returns q after a small rotation vector.
func (q Quat) spun(r vec) Quat {
	d := Quat{r.X / 2, r.Y / 2, r.Z / 2, 0}.Mul(q)
	return Quat{q.X + d.X, q.Y + d.Y, q.Z + d.Z, q.W + d.W}.Normal()
}

// FromRotator returns the orientation of a rotator, whose axes are [geom.Rotator.Axes].
func FromRotator(r geom.Rotator) Quat {
	f, rt, up := r.Axes()
	// Shepperd's method: the largest of the four is computed from the diagonal, the others from it.
	t := f.X + rt.Y + up.Z
	var q Quat
	switch {
	case t > 0:
		s := math.Sqrt(t+1) * 2
		q = Quat{(rt.Z - up.Y) / s, (up.X - f.Z) / s, (f.Y - rt.X) / s, s / 4}
	case f.X > rt.Y && f.X > up.Z:
		s := math.Sqrt(1+f.X-rt.Y-up.Z) * 2
		q = Quat{s / 4, (rt.X + f.Y) / s, (up.X + f.Z) / s, (rt.Z - up.Y) / s}
	case rt.Y > up.Z:
		s := math.Sqrt(1+rt.Y-f.X-up.Z) * 2
		q = Quat{(rt.X + f.Y) / s, s / 4, (up.Y + rt.Z) / s, (up.X - f.Z) / s}
	default:
		s := math.Sqrt(1+up.Z-f.X-rt.Y) * 2
		q = Quat{(up.X + f.Z) / s, (up.Y + rt.Z) / s, s / 4, (f.Y - rt.X) / s}
	}
	return q.Normal()
}

// Rotator returns the orientation in rotator units, rounded to the nearest.
func (q Quat) Rotator() geom.Rotator {
	a := q.Axes()
	f := a[0]
	pitch := math.Atan2(f.Z, math.Hypot(f.X, f.Y))
	if math.Hypot(f.X, f.Y) < 1e-6 { // straight up or down: yaw and roll coincide, so all of it is yaw
		return geom.Rotator{Pitch: geom.FromRadians(pitch), Yaw: geom.FromRadians(math.Atan2(-a[1].X, a[1].Y))}
	}
	return geom.Rotator{
		Pitch: geom.FromRadians(pitch), Yaw: geom.FromRadians(math.Atan2(f.Y, f.X)),
		Roll: geom.FromRadians(math.Atan2(-a[1].Z, a[2].Z)),
	}
}
