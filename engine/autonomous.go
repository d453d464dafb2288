package engine

import (
	"fmt"
	"math"

	"github.com/tidelock/tidelock/engine/geom"
)

// Movement of a player's pawn (R9). The tick does not move it: on the player's own machine and on the server scripts
// perform its moves one by one, with the times at which the player made them. What two peers must agree in for the same
// move to lead to the same place is a [MoveState], and nothing else: the same state, seconds and acceleration give
// the same state again, to the last bit, among things that stand where they stood.
//
// Invariant: after an autonomous move Location and Velocity are numbers of 32 bits, so that they cross exactly as floats.

// AutonomousPhysics performs the movement of a pawn's physics for dt seconds, in which nothing else of the world moves;
// speed is the most it walks or flies at by itself, in uu/s, below 0 what its variables say ([Actor.MoveSpeed]).
//
// met reports whether something stopped or turned it, or it lost or found the ground: then two moves do not lead where one
// of their length would.
func (a *Actor) AutonomousPhysics(dt, speed float64) (met bool) {
	if a.body.number == 0 || a.deleted {
		return false
	}
	before := a.Physics
	a.body.limit, a.body.met = speed, false
	a.body.limited = speed >= 0
	a.PerformPhysics(dt)
	a.body.limited = false
	a.roundMove()
	return a.body.met || a.Physics != before
}

// LimitSpeed sets the most that the actor walks or flies at by itself in the tick that is under way, in uu/s, in place of
// what its variables say ([Actor.MoveSpeed]). A speed below 0 sets nothing.
func (a *Actor) LimitSpeed(speed float64) { a.body.limit, a.body.limited = speed, speed >= 0 }

// roundMove makes place and velocity numbers that cross exactly.
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

// MoveState is all of an actor that its next move depends on. Where it rests on a base its place is relative to that.
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

// SaveMove gives the actor's state of movement.
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

// moveBase is what the actor rests on and moves with.
func (a *Actor) moveBase() *Actor {
	if a.BAttached {
		return nil
	}
	return a.world.Actor(a.Base)
}

// RestoreMove takes the actor back into a state. Only Touch and UnTouch follow.
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

// AdjustMove puts the actor into the state that the server says a move has led to: place (relative to the base, where
// there is one) and velocity, mode, base and half the height of the body. What else a move depends on is forgotten, as [Actor.ForgetMove] does at
// the server when it says so.
func (a *Actor) AdjustMove(at, velocity vec, mode Physics, base *Actor, height float64) error {
	if !at.IsFinite() || !velocity.IsFinite() || mode >= numPhysics || !(height >= 0 && height <= 10000) {
		return fmt.Errorf("expected a place, a velocity and a way of moving, got %v, %v, %d and a height of %g", at, velocity, mode, height)
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

// ForgetMove lets go of what the last move found out about floor and walls, so that what crosses in an adjustment is all that
// the next one depends on.
func (a *Actor) ForgetMove() {
	b := &a.body
	b.floor, b.wall, b.onFloor, b.wedged, b.rested = vec{}, vec{}, false, 0, false
	a.roundMove()
}

// setSize changes the body whatever is in the way.
func (a *Actor) setSize(r, h float64) {
	a.CollisionRadius, a.CollisionHeight = r, h
	a.touchNative("CollisionRadius")
	a.touchNative("CollisionHeight")
	a.world.rehash(a)
}

// An acceleration as it crosses in a move: its direction and the share that it is of AccelRate.
//
//	bits 0–11    yaw, 1/4096 of a turn
//	bits 12–15   share of AccelRate, in fifteenths; 0 is none at all
//	bits 16–27   pitch, 1/4096 of a turn, where it is not level
const (
	accelYaws   = 4096
	accelShares = 15
	accelPitchs = 4096
	// MaxPackedAcceleration is the largest number that stands for one.
	MaxPackedAcceleration = 1<<28 - 1
)

// PackAcceleration gives the number that stands for an acceleration of the actor's; it is at most AccelRate.
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
		yaw = 0 // straight up or down there is none
	}
	return yaw | share<<12 | pitch&(accelPitchs-1)<<16
}

// UnpackAcceleration is the acceleration that a number stands for.
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
