package geom

import (
	"fmt"
	"math"
)

// Vector is a location, direction or velocity, in uu (or uu/s). The zero value is the origin.
type Vector struct{ X, Y, Z float64 }

// V returns the vector (x, y, z).
func V(x, y, z float64) Vector { return Vector{x, y, z} }

func (v Vector) Add(b Vector) Vector             { return Vector{v.X + b.X, v.Y + b.Y, v.Z + b.Z} }
func (v Vector) Sub(b Vector) Vector             { return Vector{v.X - b.X, v.Y - b.Y, v.Z - b.Z} }
func (v Vector) Mul(k float64) Vector            { return Vector{v.X * k, v.Y * k, v.Z * k} }
func (v Vector) Neg() Vector                     { return Vector{-v.X, -v.Y, -v.Z} }
func (v Vector) Dot(b Vector) float64            { return v.X*b.X + v.Y*b.Y + v.Z*b.Z }
func (v Vector) Size() float64                   { return math.Sqrt(v.Dot(v)) }
func (v Vector) SizeSquared() float64            { return v.Dot(v) }
func (v Vector) Size2D() float64                 { return math.Sqrt(v.X*v.X + v.Y*v.Y) }
func (v Vector) Distance(b Vector) float64       { return v.Sub(b).Size() }
func (v Vector) Lerp(b Vector, t float64) Vector { return v.Add(b.Sub(v).Mul(t)) }

// MulAdd returns v + b*k, the step of every integration.
func (v Vector) MulAdd(b Vector, k float64) Vector {
	return Vector{v.X + b.X*k, v.Y + b.Y*k, v.Z + b.Z*k}
}

// Cross returns the cross product in Unreal's left-handed axes, by the usual formula.
func (v Vector) Cross(b Vector) Vector {
	return Vector{v.Y*b.Z - v.Z*b.Y, v.Z*b.X - v.X*b.Z, v.X*b.Y - v.Y*b.X}
}

// Normal returns v with length 1, or the zero vector if v is shorter than 1e-8.
func (v Vector) Normal() Vector {
	n := v.Size()
	if n < 1e-8 {
		return Vector{}
	}
	return v.Mul(1 / n)
}

// Normal2D returns the horizontal direction of v with length 1, or zero if v is vertical.
func (v Vector) Normal2D() Vector {
	return Vector{v.X, v.Y, 0}.Normal()
}

// ClampSize returns v, shortened to max if it is longer.
func (v Vector) ClampSize(max float64) Vector {
	n := v.Size()
	if n <= max || n == 0 {
		return v
	}
	return v.Mul(max / n)
}

// IsZero reports whether all three components are exactly 0.
func (v Vector) IsZero() bool { return v == Vector{} }

// IsFinite reports whether no component is NaN or infinite.
func (v Vector) IsFinite() bool {
	// x-x is 0 for every finite x and NaN otherwise: one test for the three.
	s := (v.X - v.X) + (v.Y - v.Y) + (v.Z - v.Z)
	return s == 0
}

// Rotation returns the rotator that looks along v; roll is 0, and the zero vector looks along +X.
func (v Vector) Rotation() Rotator {
	return Rotator{
		Pitch: FromRadians(math.Atan2(v.Z, v.Size2D())),
		Yaw:   FromRadians(math.Atan2(v.Y, v.X)),
	}
}

func (v Vector) String() string { return fmt.Sprintf("(%g, %g, %g)", v.X, v.Y, v.Z) }
