package engine

import (
	"math"

	"github.com/tidelock/tidelock/engine/geom"
)

// What is seen of a copy (R10.6). Between updates a copy goes on by dead reckoning: Location is the one place that
// scripts, physics and traces know, and it is where the actor should be now. When the server then says otherwise, Location
// jumps and what is seen does not: the difference stays as an offset that fades within about a fifth of a second.
//
// InterpolationDelay is therefore 0: what is shown is not the past of the server plus a wait, but the newest that is known,
// moved on. A shot at what was seen is aimed at the server's time less half the round trip (R11.3).
//
// A teleport (a Location that a script set, R10.6) is not smoothed: TeleportCount crosses with the place, and a copy
// whose count changes is seen there at once. Nor is what is further off than SnapDistance.

const (
	// InterpolationDelay is how many seconds later than it is known something is shown.
	InterpolationDelay = 0

	// smoothTime is the time constant of the fading, in seconds: after three of them 5 % are left.
	smoothTime = 0.06
	// SnapDistance is the longest way in uu that is smoothed; what jumps further is seen there at once.
	SnapDistance = 300
)

func (v *visual) left(now float64) float64 { return math.Exp(-(now - v.since) / smoothTime) }

// smooth makes what is seen go on from where the actor was a moment ago. A correction that is the peer's own affair (R9.4)
// is smoothed as what the server says is.
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

// Smooth is called after a peer corrected an actor of its own by setting its place: what is seen goes on from there.
func (a *Actor) Smooth(from vec, turn geom.Rotator) { a.smooth(from, turn) }

// ported counts a teleport: what is seen is there at once, too.
func (a *Actor) ported() {
	a.body.ports++
	a.body.seen = nil
	a.touchNative("TeleportCount")
}

// receiveTeleport is the server's count of teleports. The place that belongs to it comes in the same update, before or
// after it.
func (a *Actor) receiveTeleport(count uint32) {
	if a.body.ports&255 == count {
		return
	}
	a.body.ports = count
	a.body.seen = nil
	a.body.ported = a.world.frame + 1
}

// VisualLocation is where the actor is seen, in uu: Location but for what is being smoothed. On a peer that moves it itself
// the two are the same.
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

// VisualRotation is how the actor is seen turned.
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
