package geom

import (
	"fmt"
	"math"
)

// Rotator is an orientation with 16-bit components: 65 536 is one turn, so arithmetic wraps naturally. Positive
// pitch looks up, positive yaw turns from +X to +Y. The zero value looks along +X.
type Rotator struct{ Pitch, Yaw, Roll uint16 }

// Rot returns the rotator with the given components, in rotator units, wrapped into one turn.
func Rot(pitch, yaw, roll int) Rotator {
	return Rotator{uint16(pitch), uint16(yaw), uint16(roll)}
}

// FromRadians converts an angle to rotator units, rounded to the nearest.
func FromRadians(a float64) uint16 {
	return uint16(int64(math.Round(a * (65536 / (2 * math.Pi)))))
}

// Radians converts rotator units to an angle in [0, 2π).
func Radians(u uint16) float64 { return float64(u) * (2 * math.Pi / 65536) }

// Signed returns u as an angle in [−32 768, 32 767]: the shorter direction.
func Signed(u uint16) int { return int(int16(u)) }

func (r Rotator) Add(b Rotator) Rotator {
	return Rotator{r.Pitch + b.Pitch, r.Yaw + b.Yaw, r.Roll + b.Roll}
}

func (r Rotator) Sub(b Rotator) Rotator {
	return Rotator{r.Pitch - b.Pitch, r.Yaw - b.Yaw, r.Roll - b.Roll}
}

// Mul scales each component, taken as a signed angle, rounding to the nearest unit.
func (r Rotator) Mul(k float64) Rotator {
	f := func(u uint16) uint16 { return uint16(int64(math.Round(float64(Signed(u)) * k))) }
	return Rotator{f(r.Pitch), f(r.Yaw), f(r.Roll)}
}

// Neg returns the rotator with each component negated.
func (r Rotator) Neg() Rotator { return Rotator{-r.Pitch, -r.Yaw, -r.Roll} }

// Vector returns the unit vector in the rotator's direction (its forward).
func (r Rotator) Vector() Vector {
	sp, cp := math.Sincos(Radians(r.Pitch))
	sy, cy := math.Sincos(Radians(r.Yaw))
	return Vector{cp * cy, cp * sy, sp}
}

// Axes returns the unit vectors forward, right and up of the rotator.
func (r Rotator) Axes() (forward, right, up Vector) {
	sp, cp := math.Sincos(Radians(r.Pitch))
	sy, cy := math.Sincos(Radians(r.Yaw))
	sr, cr := math.Sincos(Radians(r.Roll))
	forward = Vector{cp * cy, cp * sy, sp}
	right = Vector{sr*sp*cy - cr*sy, sr*sp*sy + cr*cy, -sr * cp}
	up = Vector{-(cr*sp*cy + sr*sy), cy*sr - cr*sp*sy, cr * cp}
	return forward, right, up
}

// Pack puts the three components into the low 48 bits of a word: pitch, yaw, roll from the lowest.
func (r Rotator) Pack() uint64 {
	return uint64(r.Pitch) | uint64(r.Yaw)<<16 | uint64(r.Roll)<<32
}

// UnpackRotator reverses [Rotator.Pack].
func UnpackRotator(w uint64) Rotator {
	return Rotator{uint16(w), uint16(w >> 16), uint16(w >> 32)}
}

func (r Rotator) String() string { return fmt.Sprintf("(%d, %d, %d)", r.Pitch, r.Yaw, r.Roll) }
