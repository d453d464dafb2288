package engine

import (
	"math"

	"github.com/tidelock/tidelock/engine/geom"
)

// Every bound of this package: what it counts, why it is there, and what happens on reaching it.
const (
	// DefaultStringBytes bounds a declared string without a maximum of its own; assigning a longer value is an
	// error. With 255 bytes, any string fits one datagram easily.
	DefaultStringBytes = 255

	// MaxStringBytes bounds the maximum a class may declare; more is a load error. A variable must
	// fit a datagram of 1 200 bytes.
	MaxStringBytes = 1000

	// MaxReplicatedProperties bounds the replicated variables of one class, inherited ones included; more is a
	// load error. Each has a bit in every actor's dirty mask.
	MaxReplicatedProperties = 256

	// MaxArrayBytes bounds a replicated static array (R5.12); more is a load error.
	MaxArrayBytes = 448

	// MaxStructMembers bounds the members of a struct, counting those of nested structs; more is a load error.
	// A struct is sent whole at each change (R5.11).
	MaxStructMembers = 64

	// MaxStateBytes bounds the size on the wire of the replicated variables of a class, with inherited ones and
	// without fast arrays; more is a load error. It is the largest message that a client receives when the
	// actor becomes relevant (G11).
	MaxStateBytes = 256 << 10

	// MaxUpwardBytes bounds the size on the wire of a variable that a client sends to the server (R5.16); more
	// is a load error. It is sent in one datagram, of 1 172 bytes with its headers.
	MaxUpwardBytes = 1100

	// MaxTypeDepth bounds how deep structs and arrays of a replicated variable or argument may nest; more is a
	// load error. The decoder of messages allows 16 levels, including those of the message itself.
	MaxTypeDepth = 8

	// MaxFastBytes bounds the items of one fast array on the wire, in bytes; Add and Set fail beyond it with an
	// error.
	MaxFastBytes = 128 << 10

	// MaxFastArrays bounds the replicated fast arrays of a class, inherited ones included; more is a load error. With
	// MaxStateBytes and MaxFastBytes it bounds the message that opens an actor.
	MaxFastArrays = 16

	// MaxCallBytes bounds the size on the wire of the declared arguments of a replicated function; more is a
	// load error (G11).
	MaxCallBytes = 64 << 10

	// MaxArgs bounds the arguments of a replicated function; more is a load error.
	MaxArgs = 32

	// MaxActors bounds the live actors of a world, without a client's copies; a script's Spawn fails beyond it
	// with an error (G9). An eighth is reserved for core and the game: mods have MaxModActors.
	MaxActors    = 1 << 16
	MaxModActors = MaxActors - MaxActors/8

	// MaxClassActors and MaxClassSpawns bound the actors of a class, and those of a mod, that are alive at once
	// and that scripts spawn in one tick; Spawn fails beyond either with an error. host.toml raises them
	// (ActorLimits).
	MaxClassActors = 4096
	MaxClassSpawns = 256

	// MaxCopies bounds the actors of a client's world, copies included: more than any server has. A copy beyond it ends the
	// connection.
	MaxCopies = 1 << 20

	// MaxTimers bounds the timers of one actor; SetTimer fails beyond it with an error.
	MaxTimers = 64

	// MaxEventDepth bounds how deep events may nest (a Touch that moves an actor that touches…); deeper ones
	// are dropped with one report. It is far below the limits of the Go and Lua stacks.
	MaxEventDepth = 64

	// MaxDelta is the longest step in seconds that is simulated at once; [World.Step] splits longer ones.
	MaxDelta = 0.25
)

// Limits of what scripts may pass to natives and variables of the engine (G7); more is an error of the caller.
const (
	// MaxPlace bounds each coordinate of a location, in uu to either side of the origin. It is well beyond
	// WorldExtent, so that a search or a trace may begin outside of the world, and squares of distances stay
	// exact.
	MaxPlace = 1e6
	// MaxAmount bounds each component of a vector that is not a location, such as a velocity or a force: its
	// square, times any mass and time, is far from overflowing.
	MaxAmount = 1e12
	// SmallestNormal is the smallest number that is not denormal. Smaller ones count as 0: arithmetic on them
	// is slow and loses digits.
	SmallestNormal = 0x1p-1022
)

// PlainAmount reports whether a vector that is not a location is stored unchanged: finite, within MaxAmount, no
// denormal component.
func PlainAmount(v geom.Vector) bool {
	for _, x := range [...]float64{v.X, v.Y, v.Z} {
		if size := math.Abs(x); !(size <= MaxAmount && (size >= SmallestNormal || x == 0)) {
			return false
		}
	}
	return true
}
