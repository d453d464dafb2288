package engine

import (
	"fmt"
	"math"

	"github.com/tidelock/tidelock/engine/geom"
	"github.com/tidelock/tidelock/engine/profile"
)

// Movement of a player's pawn (R9). The tick does not move it: on the player's own machine and on the server,
// scripts perform its moves one by one, with the durations that the player's machine used. Everything that two
// peers must agree on, so that a move has the same result, is in [MoveState]: the same state, duration and
// acceleration give the same state again, to the last bit, if the surroundings are the same.
//
// Invariant: after an autonomous move Location and Velocity are 32-bit numbers, so that they are sent exactly.

// AutonomousPhysics performs the movement of a pawn's physics for dt seconds, in which nothing else in the
// world moves. speed is the maximum walking or flying speed, in uu/s; below 0 its variables decide
// ([Actor.MoveSpeed]).
//
// met reports whether something stopped or turned it, or it left or reached the ground: then two moves do not
// have the same result as one of their total length.
func (a *Actor) AutonomousPhysics(dt, speed float64) (met bool) {
	if a.body.number == 0 || a.deleted {
		return false
	}
	before := a.Physics
	a.body.limit, a.body.met = speed, false
	a.body.limited = speed >= 0
	outer := a.world.Profile.Enter(profile.Movement)
	a.PerformPhysics(dt)
	a.world.Profile.Leave(outer)
	a.body.limited = false
	a.roundMove()
	return a.body.met || a.Physics != before
}

// LimitSpeed sets the maximum walking or flying speed of the actor in the present tick, in uu/s, in place of
// its variables ([Actor.MoveSpeed]). A speed below 0 sets nothing.
func (a *Actor) LimitSpeed(speed float64) { a.body.limit, a.body.limited = speed, speed >= 0 }

// roundMove rounds location and velocity to 32 bits, so that they are sent exactly.
func (a *Actor) roundMove() {
	if a.destroying {
		return
	}
	a.setVelocity(single(a.Velocity))
	if at := single(a.Location); at != a.Location && a.body.number != 0 {
		rested := a.body.rested
		a.world.place(a, at)
		a.body.rested = rested
	}
}

// single rounds to 32 bits.
func single(v vec) vec {
	return vec{X: float64(float32(v.X)), Y: float64(float32(v.Y)), Z: float64(float32(v.Z))}
}

// MoveState is the whole state of an actor that its next move depends on. If it rests on a base, its location
// is relative to that.
type MoveState struct {
	Location, Velocity vec
	Physics            Physics
	Base               ActorID
	Radius, Height     float64
	Rotation           geom.Rotator

	floor, wall vec
	onFloor     bool
	wedged      uint8
}

// SaveMove returns the actor's movement state.
func (a *Actor) SaveMove() MoveState {
	s := MoveState{
		Location: a.Location, Velocity: a.Velocity, Physics: a.Physics, Radius: a.CollisionRadius, Height: a.CollisionHeight,
		Rotation: a.Rotation,
		floor:    a.body.floor, wall: a.body.wall, onFloor: a.body.onFloor, wedged: a.body.wedged,
	}
	if b := a.moveBase(); b != nil {
		s.Base = b.id
		s.Location = a.Location.Sub(b.Location)
	}
	return s
}

// moveBase returns the actor that this one rests on and moves with.
func (a *Actor) moveBase() *Actor {
	if a.BAttached {
		return nil
	}
	return a.world.Actor(a.Base)
}

// RestoreMove restores a movement state of the actor. It calls no events except Touch and UnTouch.
func (a *Actor) RestoreMove(s MoveState) {
	w := a.world
	if a.body.number == 0 || a.destroying {
		return
	}
	if a.CollisionRadius != s.Radius || a.CollisionHeight != s.Height {
		a.setSize(s.Radius, s.Height)
	}
	b := w.Actor(s.Base)
	if b != nil && (b.destroying || b.Outer != nil || b == a || w.restsOn(b, a)) {
		b = nil
	}
	if !a.BAttached {
		w.linkBase(a, b, false)
	}
	at := s.Location
	if b != nil {
		at = at.Add(b.Location)
	}
	if a.Physics != s.Physics {
		a.setMode(s.Physics)
		w.refreshTick(a)
	}
	a.setVelocity(s.Velocity)
	a.Rotation = s.Rotation
	a.body.floor, a.body.wall, a.body.onFloor, a.body.wedged = s.floor, s.wall, s.onFloor, s.wedged
	a.body.rested = false
	if at = insideWorld(at); at != a.Location && at.IsFinite() {
		w.place(a, at)
		w.retouch(a)
	}
}

// AdjustMove sets the actor to the state that the server computed for a move: location (relative to the base,
// if there is one) and velocity, mode, base and half the height of the body. Other state of the last move is
// cleared, as [Actor.ForgetMove] does on the server when it sends that.
func (a *Actor) AdjustMove(at, velocity vec, mode Physics, base *Actor, height float64) error {
	if !at.IsFinite() || !velocity.IsFinite() || mode >= numPhysics || !(height >= 0 && height <= 10000) {
		return fmt.Errorf("expected a location, a velocity and a physics mode, got %v, %v, %d and a height of %g", at, velocity, mode, height)
	}
	s := a.SaveMove()
	s.Location, s.Velocity, s.Physics, s.Base, s.Height = at, velocity, mode, 0, height
	if base != nil {
		s.Base = base.id
	}
	a.RestoreMove(s)
	a.ForgetMove()
	return nil
}

// ForgetMove clears what the last move found out about floor and walls, so that an adjustment contains
// everything that the next move depends on.
func (a *Actor) ForgetMove() {
	b := &a.body
	b.floor, b.wall, b.onFloor, b.wedged, b.rested = vec{}, vec{}, false, 0, false
	a.roundMove()
}

// setSize changes the size of the body even if something is in the way.
func (a *Actor) setSize(r, h float64) {
	a.CollisionRadius, a.CollisionHeight = r, h
	a.touchNative("CollisionRadius")
	a.touchNative("CollisionHeight")
	a.world.rehash(a)
}

// The encoding of an acceleration in a move: its direction, and its share of AccelRate.
//
//	bits 0–11    yaw, 1/4096 of a turn
//	bits 12–15   share of AccelRate, in fifteenths; 0 is none at all
//	bits 16–27   pitch, 1/4096 of a turn, if it is not horizontal
const (
	accelYaws   = 4096
	accelShares = 15
	accelPitchs = 4096
	// MaxPackedAcceleration is the largest encoded acceleration.
	MaxPackedAcceleration = 1<<28 - 1
)

// PackAcceleration encodes an acceleration of the actor's; it is at most AccelRate.
func (a *Actor) PackAcceleration(v vec) int {
	n := v.Size()
	if !(n > 1e-9) || math.IsInf(n, 0) {
		return 0
	}
	rate := a.number(knAccelRate, defaultAccel)
	share := accelShares
	if rate > 0 && n < rate {
		share = int(math.Max(1, math.Round(n/rate*accelShares)))
	}
	yaw := 0
	if v.X != 0 || v.Y != 0 {
		yaw = int(math.Round(math.Atan2(v.Y, v.X)/(2*math.Pi)*accelYaws)) & (accelYaws - 1)
	}
	if v.Z == 0 {
		return yaw | share<<12
	}
	pitch := int(math.Round(math.Asin(math.Max(-1, math.Min(1, v.Z/n))) / (2 * math.Pi) * accelPitchs))
	if pitch == accelPitchs/4 || pitch == -accelPitchs/4 {
		yaw = 0 // straight up or down has no yaw
	}
	return yaw | share<<12 | pitch&(accelPitchs-1)<<16
}

// UnpackAcceleration decodes an acceleration.
func (a *Actor) UnpackAcceleration(n int) vec {
	share := n >> 12 & 15
	if share == 0 {
		return vec{}
	}
	size := a.number(knAccelRate, defaultAccel) * float64(share) / accelShares
	s, c := math.Sincos(float64(n&(accelYaws-1)) * (2 * math.Pi / accelYaws))
	pitch := n >> 16 & (accelPitchs - 1)
	if pitch == 0 {
		return vec{X: c * size, Y: s * size}
	}
	up, level := math.Sincos(float64(pitch) * (2 * math.Pi / accelPitchs))
	return vec{X: c * level * size, Y: s * level * size, Z: up * size}
}
