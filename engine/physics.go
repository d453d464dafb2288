package engine

import "math"

// volumeDefaults are those of a volume whose class declares no such variables.
const (
	defaultWaterSpeed = 220 // uu/s
	defaultBuoyancy   = 0.98
	defaultFluid      = 1.2 // 1/s
	waterEntry        = 0.5 // what is left of a fall's speed when it ends in water
)

// Walkable is the least upward part of a floor's normal that a pawn can stand on: slopes of up to 45°, with
// a hair's breadth for the planes of 45° that editors write.
const Walkable = 0.7071

const (
	// MaxSpeed bounds what physics makes of Velocity and Acceleration, in uu/s and uu/s²: whatever is longer
	// is shortened to it.
	MaxSpeed = 100000

	// TerminalSpeed is how fast gravity makes anything fall, in uu/s (Unreal's terminal velocity).
	TerminalSpeed = 4000

	defaultStep     = 35   // MaxStepHeight of a class that declares none, uu
	defaultSpeed    = 440  // GroundSpeed and AirSpeed, uu/s
	defaultAccel    = 2048 // AccelRate, uu/s²
	defaultFriction = 8    // GroundFriction, 1/s
	leastBrake      = 256  // uu/s²: who accelerates less still comes to rest

	// Parts of a tick that are worked out at once, in seconds. Ways are exact over any time; what is bounded
	// is how far a chord of a falling body's curve may lie off it (0.14 uu) and how many stairs one
	// sweep may have to take.
	maxWalkPart = 1.0 / 20
	maxFallPart = 1.0 / 30

	pressStep = 1.0 / 60 // seconds in which a pawn against a wall gains speed and has it taken again

	maxParts  = 48   // of one tick; the rest of the tick is let go
	leastPart = 1e-6 // seconds; less is no time
)

// Travelling reports whether the actor is on its way: a mover that StartMove sent somewhere, or an actor with a
// Destination it has not reached.
func (a *Actor) Travelling() bool {
	if m := a.body.mover; m != nil && m.way.on {
		return true
	}
	p := a.Class.known[knDestination]
	return p != nil && p.Native == nil && p.Type.Kind == KindVector && !LoadVector(a.words[p.word:]).IsZero()
}

// number is a float or int variable that the class declares under a name the engine knows, or def.
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

// approach changes a velocity towards the one wished for, straight through the space of velocities, for t
// seconds, and gives the velocity then and the way made. It slows the difference by rate uu/s², and by
// friction times what of it is above free, so that turning about is quicker than starting. The answer is
// exact: two halves of a time lead where the whole leads, at whatever tick rate.
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
	area, left := 0.0, t // area: the sum of the difference over time
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

// relax is what exponential decay at k adds up to over t, (1 − e^−kt)/k, and what that adds up to again,
// (kt − 1 + e^−kt)/k²; both are good for any k, down to 0.
func relax(k, t float64) (once, twice float64) {
	x := k * t
	if x < 1e-3 {
		return t * (1 - x/2 + x*x/6 - x*x*x/24), t * t * (0.5 - x/6 + x*x/24)
	}
	once = -math.Expm1(-x) / k
	return once, (t - once) / k
}

// plunge is free fall: the vertical speed after t seconds and the way made, exact for any t. Gravity makes
// nothing faster than TerminalSpeed.
func plunge(v, gravity, t float64) (after, way float64) {
	sign := 1.0
	if gravity < 0 {
		sign = -1
	}
	g, u := gravity*sign, v*sign // falling is now towards +
	switch {
	case g == 0 || u >= TerminalSpeed:
		return v, v * t
	case u+g*t > TerminalSpeed:
		part := (TerminalSpeed - u) / g
		return TerminalSpeed * sign, (u*part + g*part*part/2 + TerminalSpeed*(t-part)) * sign
	}
	return (u + g*t) * sign, (u*t + g*t*t/2) * sign
}

// wish is the velocity that an actor's Acceleration requests: its direction, and of the speed the share
// that it is of AccelRate, whole for anything longer.
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

// MoveSpeed is the most a pawn walks at by itself, in uu/s: GroundSpeed (AirSpeed in flight, WaterSpeed in water), times
// RunningSpeedModifier where it runs, TargetingSpeedModifier where it aims, CrouchedPct where it crouches; crouching
// ends running and aiming slows both.
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

// speed is what bounds the actor in the present move.
func (a *Actor) speed() float64 {
	if a.body.limited {
		return a.body.limit
	}
	return a.MoveSpeed(a.flag(knRunning), a.flag(knAiming))
}

// IsRunning and IsAiming are what the variables bRunning and bAiming say of an actor that has them.
func (a *Actor) IsRunning() bool { return a.flag(knRunning) }

// IsAiming is bAiming.
func (a *Actor) IsAiming() bool { return a.flag(knAiming) }

// safeVelocity bounds what scripts may have put into Velocity and Acceleration, so that no sum of physics
// overflows.
func safeVelocity(v vec) vec {
	if !v.IsFinite() {
		return vec{}
	}
	big := math.Max(math.Abs(v.X), math.Max(math.Abs(v.Y), math.Abs(v.Z)))
	if big > MaxSpeed {
		v = vec{X: v.X / big, Y: v.Y / big, Z: v.Z / big}.Mul(MaxSpeed) // first: squares of it may overflow
	}
	return v.ClampSize(MaxSpeed)
}

// flag is a boolean that the class declares under a name the engine knows, or false.
func (a *Actor) flag(k known) bool {
	p := a.Class.known[k]
	return p != nil && p.Native == nil && p.Type.Kind == KindBool && a.words[p.word] != 0
}
