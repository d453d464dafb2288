package engine

import (
	"math"

	"github.com/tidelock/tidelock/engine/geom"
)

// Every bound of this package: what it counts, why it is there, and what happens on reaching it.
const (
	// DefaultStringBytes bounds a declared string without a maximum of its own; a longer value is
	// refused at the assignment. 255 keeps any string inside one datagram with room to spare.
	DefaultStringBytes = 255

	// MaxStringBytes bounds the maximum a class may declare; more is a load error. A variable must
	// fit a datagram of 1 200 bytes.
	MaxStringBytes = 1000

	// MaxReplicatedProperties bounds the variables of one class, inherited ones included, that stand
	// in replication blocks; more is a load error. Each has a bit in every actor's dirty mark.
	MaxReplicatedProperties = 256

	// MaxArrayBytes bounds a replicated static array (R5.12); more is a load error.
	MaxArrayBytes = 448

	// MaxStructMembers bounds the members of a struct, those of structs inside it counted each; more is a load error. A
	// struct crosses whole at each change (R5.11).
	MaxStructMembers = 64

	// MaxStateBytes bounds what the replicated variables of a class, inherited ones included and fast arrays left out, take
	// on the wire at most; more is a load error. It is what a client may be told in one message when the actor becomes
	// relevant (G11).
	MaxStateBytes = 256 << 10

	// MaxUpwardBytes bounds what a variable that a client sends to the server takes on the wire at most (R5.16); more is a load
	// error. It goes in one datagram, of 1 172 bytes with its headers.
	MaxUpwardBytes = 1100

	// MaxTypeDepth bounds how deep structs and arrays of a replicated variable or argument may nest; more is a load error. The
	// guard in front of every message takes 16 levels, messages' own included.
	MaxTypeDepth = 8

	// MaxFastBytes bounds the items of one fast array on the wire, in bytes; Add and Set fail beyond it and say so.
	MaxFastBytes = 128 << 10

	// MaxFastArrays bounds the replicated fast arrays of a class, inherited ones included; more is a load error. With
	// MaxStateBytes and MaxFastBytes it bounds the message that opens an actor.
	MaxFastArrays = 16

	// MaxCallBytes bounds what the declared arguments of a replicated function take on the wire at most; more is a load
	// error (G11).
	MaxCallBytes = 64 << 10

	// MaxArgs bounds the arguments of a replicated function; more is a load error.
	MaxArgs = 32

	// MaxActors bounds the actors alive in a world that are its own, a client's copies left out; a script's Spawn fails beyond it
	// and says so (G9). An eighth is for core and the game: mods have MaxModActors.
	MaxActors    = 1 << 16
	MaxModActors = MaxActors - MaxActors/8

	// MaxClassActors and MaxClassSpawns bound the actors of a class, and those of a mod, that are alive at once and that scripts
	// make in one tick; Spawn fails beyond either and says so. host.toml raises them (ActorLimits).
	MaxClassActors = 4096
	MaxClassSpawns = 256

	// MaxCopies bounds the actors of a client's world, copies included: more than any server has. A copy beyond it ends the
	// connection.
	MaxCopies = 1 << 20

	// MaxTimers bounds the timers of one actor; SetTimer fails beyond it and says so.
	MaxTimers = 64

	// MaxEventDepth bounds how deep events may nest (a Touch that moves what touches…); deeper ones
	// are dropped with one report. It is far below what a Go or a Lua stack holds.
	MaxEventDepth = 64

	// MaxDelta is the longest step in seconds that is simulated in one go; [World.Step] splits longer ones.
	MaxDelta = 0.25
)

// What scripts may give natives and variables of the engine (G7); more is an error of the caller.
const (
	// MaxPlace bounds each coordinate of a place, in uu either side of the origin. It lies well outside of WorldExtent, so that a
	// search or a trace may begin outside of the world, and squares of distances stay exact.
	MaxPlace = 1e6
	// MaxAmount bounds each part of a vector that is no place, such as a velocity or a force: its square, times any mass and
	// time, is far from overflowing.
	MaxAmount = 1e12
	// SmallestNormal is the smallest number that is no denormal. Smaller ones are taken as 0: arithmetic on them is slow and loses
	// digits.
	SmallestNormal = 0x1p-1022
)

// PlainAmount reports whether a vector that is no place is stored as it is: finite, within MaxAmount, no part a denormal.
func PlainAmount(v geom.Vector) bool {
	for _, x := range [...]float64{v.X, v.Y, v.Z} {
		if size := math.Abs(x); !(size <= MaxAmount && (size >= SmallestNormal || x == 0)) {
			return false
		}
	}
	return true
}
