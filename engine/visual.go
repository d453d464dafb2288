package engine

import (
	"math"

	"github.com/tidelock/tidelock/engine/geom"
)

// The visible state of a copy (R10.6). Between updates a copy moves by dead reckoning: Location is the only
// location that scripts, physics and traces know, and it is where the actor should be now. When the server then
// sends another one, Location jumps and the visible location does not: the difference stays as an offset that
// fades within about a fifth of a second.
//
// InterpolationDelay is therefore 0: what is shown is not the past of the server plus a delay, but the newest
// known state, extrapolated. A shot at what was seen is aimed at the server's time less half the round trip
// (R11.3).
//
// A teleport (a Location that a script set, R10.6) is not smoothed: TeleportCount is sent with the location,
// and a copy whose count changes is shown there at once. The same applies to distances above SnapDistance.

const (
	// InterpolationDelay is the delay in seconds between receiving a state and showing it.
	InterpolationDelay = 0

	// smoothTime is the time constant of the fading, in seconds: after three of them 5 % remain.
	smoothTime = 0.06
	// SnapDistance is the longest distance in uu that is smoothed; longer jumps are shown at once.
	SnapDistance = 300
)

func (v *visual) left(now float64) float64 { return math.Exp(-(now - v.since) / smoothTime) }

// smooth lets the visible state continue from where the actor was a moment ago. A peer's own correction (R9.4)
// is smoothed like an update of the server.
func (a *Actor) smooth(from vec, turn geom.Rotator) {
	if a.Location == from && a.Rotation == turn || !a.initialized || a.body.ported == a.world.frame+1 {
		return
	}
	now := a.world.Time
	v := a.body.seen
	if v == nil {
		v = &visual{since: now}
		a.body.seen = v
	}
	k := v.left(now)
	v.offset = v.offset.Mul(k).Add(from.Sub(a.Location))
	v.pitch = v.pitch*k + float64(geom.Signed(turn.Pitch-a.Rotation.Pitch))
	v.yaw = v.yaw*k + float64(geom.Signed(turn.Yaw-a.Rotation.Yaw))
	v.roll = v.roll*k + float64(geom.Signed(turn.Roll-a.Rotation.Roll))
	v.since = now
	if v.offset.SizeSquared() > SnapDistance*SnapDistance {
		a.body.seen = nil
	}
}

// Smooth is called after a peer corrected its own actor by setting its location: the visible state continues
// from there.
func (a *Actor) Smooth(from vec, turn geom.Rotator) { a.smooth(from, turn) }

// ported counts a teleport: the actor is shown there at once.
func (a *Actor) ported() {
	a.body.ports++
	a.body.seen = nil
	a.touchNative("TeleportCount")
}

// receiveTeleport applies the server's count of teleports. The location that belongs to it comes in the same
// update, before or after it.
func (a *Actor) receiveTeleport(count uint32) {
	if a.body.ports&255 == count {
		return
	}
	a.body.ports = count
	a.body.seen = nil
	a.body.ported = a.world.frame + 1
}

// VisualLocation returns where the actor is shown, in uu: Location plus the offset that is being smoothed. On
// the peer that moves it the two are equal.
func (a *Actor) VisualLocation() vec {
	v := a.body.seen
	if v == nil {
		return a.Location
	}
	k := v.left(a.world.Time)
	if k < 0.003 {
		a.body.seen = nil
		return a.Location
	}
	return a.Location.MulAdd(v.offset, k)
}

// VisualRotation returns the rotation in which the actor is shown.
func (a *Actor) VisualRotation() geom.Rotator {
	v := a.body.seen
	if v == nil {
		return a.Rotation
	}
	k := v.left(a.world.Time)
	turn := func(at uint16, off float64) uint16 { return at + uint16(int64(math.Round(off*k))) }
	r := a.Rotation
	return geom.Rotator{Pitch: turn(r.Pitch, v.pitch), Yaw: turn(r.Yaw, v.yaw), Roll: turn(r.Roll, v.roll)}
}
