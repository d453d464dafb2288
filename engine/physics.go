package engine

import "math"

// Values for a volume whose class does not declare these variables.
const (
	defaultWaterSpeed = 220 // uu/s
	defaultBuoyancy   = 0.98
	defaultFluid      = 1.2 // 1/s
	waterEntry        = 0.5 // share of a fall's speed that is left after entering water
)

// Walkable is the least upward component of the normal of a floor that a pawn can stand on: slopes of up to
// 45°, with a small tolerance for 45° planes from level editors.
const Walkable = 0.7071

const (
	// MaxSpeed bounds Velocity and Acceleration in physics, in uu/s and uu/s²: longer vectors are shortened.
	MaxSpeed = 100000

	// TerminalSpeed is the maximum speed of falling by gravity, in uu/s (Unreal's terminal velocity).
	TerminalSpeed = 4000

	defaultStep     = 35   // MaxStepHeight of a class that declares none, uu
	defaultSpeed    = 440  // GroundSpeed and AirSpeed, uu/s
	defaultAccel    = 2048 // AccelRate, uu/s²
	defaultFriction = 8    // GroundFriction, 1/s
	leastBrake      = 256  // uu/s²: least braking, also of actors that accelerate less

	// Longest parts of a tick that are computed at once, in seconds. Movements are exact over any time; these
	// bound how far a chord of a falling body's curve may deviate from it (0.14 uu) and how many stairs one
	// sweep may climb.
	maxWalkPart = 1.0 / 20
	maxFallPart = 1.0 / 30

	pressStep = 1.0 / 60 // seconds in which a pawn against a wall gains speed and loses it again

	maxParts  = 48   // of one tick; the rest of the tick is dropped
	leastPart = 1e-6 // seconds; less counts as none
)

// Travelling reports whether the actor is moving to a target: a mover after StartMove, or an actor with a
// Destination that it has not reached.
func (a *Actor) Travelling() bool {
	if m := a.body.mover; m != nil && m.way.on {
		return true
	}
	p := a.Class.known[knDestination]
	return p != nil && p.Native == nil && p.Type.Kind == KindVector && !LoadVector(a.words[p.word:]).IsZero()
}

// number returns a float or int variable that the class declares under a name the engine knows, or def.
func (a *Actor) number(k known, def float64) float64 {
	p := a.Class.known[k]
	if p == nil || p.Native != nil {
		return def
	}
	switch p.Type.Kind {
	case KindFloat:
		return math.Float64frombits(a.words[p.word])
	case KindInt:
		return float64(int64(a.words[p.word]))
	default:
	}
	return def
}

// approach changes a velocity towards the requested one, in a straight line in velocity space, for t seconds,
// and returns the final velocity and the displacement. It reduces the difference by rate uu/s², and by friction
// times the part of it above free, so that turning around is quicker than starting. The result is exact: two
// halves of a time give the same as the whole, at every tick rate.
func approach(v, wish vec, rate, friction, free, t float64) (after, way vec) {
	e := v.Sub(wish)
	n := e.Size()
	if n < 1e-9 {
		return wish, wish.Mul(t)
	}
	if !(rate > 0) {
		return v, v.Mul(t)
	}
	dir := e.Mul(1 / n)
	area, left := 0.0, t // area: the integral of the difference over time
	if n > free && friction > 0 {
		// u' = −rate − friction·u, with u = n − free.
		u := n - free
		until := math.Log1p(u*friction/rate) / friction
		part := math.Min(left, until)
		fade, sum := relax(friction, part)
		area += free*part + u*fade - rate*sum
		if left -= part; part < until {
			n = free + u*math.Exp(-friction*part) - rate*fade
		} else {
			n = free
		}
	}
	if left > 0 {
		until := n / rate
		part := math.Min(left, until)
		area += n*part - rate*part*part/2
		if n -= rate * part; part == until {
			n = 0
		}
	}
	way = wish.Mul(t).MulAdd(dir, area)
	if n <= 0 {
		return wish, way
	}
	return wish.MulAdd(dir, n), way
}

// relax returns the integral of exponential decay at k over t, (1 − e^−kt)/k, and the integral of that, (kt − 1
// + e^−kt)/k²; both are accurate for any k, down to 0.
func relax(k, t float64) (once, twice float64) {
	x := k * t
	if x < 1e-3 {
		return t * (1 - x/2 + x*x/6 - x*x*x/24), t * t * (0.5 - x/6 + x*x/24)
	}
	once = -math.Expm1(-x) / k
	return once, (t - once) / k
}

// plunge computes free fall: the vertical speed after t seconds and the displacement, exact for any t. Gravity
// accelerates nothing beyond TerminalSpeed.
func plunge(v, gravity, t float64) (after, way float64) {
	sign := 1.0
	if gravity < 0 {
		sign = -1
	}
	g, u := gravity*sign, v*sign // falling is positive from here
	switch {
	case g == 0 || u >= TerminalSpeed:
		return v, v * t
	case u+g*t > TerminalSpeed:
		part := (TerminalSpeed - u) / g
		return TerminalSpeed * sign, (u*part + g*part*part/2 + TerminalSpeed*(t-part)) * sign
	}
	return (u + g*t) * sign, (u*t + g*t*t/2) * sign
}

// wish returns the velocity that an actor's Acceleration requests: its direction, and a share of the speed
// equal to its share of AccelRate, at most the whole.
func wish(acceleration vec, rate, speed float64) vec {
	n := acceleration.Size()
	if n < 1e-9 {
		return vec{}
	}
	share := 1.0
	if rate > 0 && n < rate {
		share = n / rate
	}
	return acceleration.Mul(share * speed / n)
}

// MoveSpeed returns the maximum speed of a pawn's own movement, in uu/s: GroundSpeed (AirSpeed in flight,
// WaterSpeed in water), times RunningSpeedModifier while it runs, TargetingSpeedModifier while it aims,
// CrouchedPct while it crouches; crouching ends running, and aiming slows both.
func (a *Actor) MoveSpeed(running, aiming bool) float64 {
	speed := a.number(knGroundSpeed, defaultSpeed)
	switch a.Physics {
	case PhysFlying:
		speed = a.number(knAirSpeed, defaultSpeed)
	case PhysSwimming:
		speed = a.number(knWaterSpeed, defaultWaterSpeed)
	default:
	}
	crouched := a.flag(knCrouching)
	if crouched && a.Physics == PhysWalking {
		speed *= a.number(knCrouchedPct, 1)
	} else if running {
		speed *= a.number(knRunningSpeedModifier, 1)
	}
	if aiming {
		speed *= a.number(knTargetingSpeedModifier, 1)
	}
	return speed
}

// speed returns the maximum speed of the actor in the present move.
func (a *Actor) speed() float64 {
	if a.body.limited {
		return a.body.limit
	}
	return a.MoveSpeed(a.flag(knRunning), a.flag(knAiming))
}

// IsRunning and IsAiming return the variables bRunning and bAiming of an actor that has them.
func (a *Actor) IsRunning() bool { return a.flag(knRunning) }

// IsAiming returns bAiming.
func (a *Actor) IsAiming() bool { return a.flag(knAiming) }

// safeVelocity bounds values that scripts set as Velocity and Acceleration, so that no computation of physics
// overflows.
func safeVelocity(v vec) vec {
	if !v.IsFinite() {
		return vec{}
	}
	big := math.Max(math.Abs(v.X), math.Max(math.Abs(v.Y), math.Abs(v.Z)))
	if big > MaxSpeed {
		v = vec{X: v.X / big, Y: v.Y / big, Z: v.Z / big}.Mul(MaxSpeed) // first, because their squares may overflow
	}
	return v.ClampSize(MaxSpeed)
}

// flag returns a boolean that the class declares under a name the engine knows, or false.
func (a *Actor) flag(k known) bool {
	p := a.Class.known[k]
	return p != nil && p.Native == nil && p.Type.Kind == KindBool && a.words[p.word] != 0
}
