package engine

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
	// relevant (guard.md G11).
	MaxStateBytes = 256 << 10

	// MaxFastBytes bounds the items of one fast array on the wire, in bytes; Add and Set fail beyond it and say so.
	MaxFastBytes = 128 << 10

	// MaxFastArrays bounds the replicated fast arrays of a class, inherited ones included; more is a load error. With
	// MaxStateBytes and MaxFastBytes it bounds the message that opens an actor.
	MaxFastArrays = 16

	// MaxCallBytes bounds what the declared arguments of a replicated function take on the wire at most; more is a load
	// error (guard.md G11).
	MaxCallBytes = 64 << 10

	// MaxArgs bounds the arguments of a replicated function; more is a load error.
	MaxArgs = 32

	// MaxActors bounds the actors alive in a world; Spawn fails beyond it and says so.
	MaxActors = 1 << 20

	// MaxTimers bounds the timers of one actor; SetTimer fails beyond it and says so.
	MaxTimers = 64

	// MaxEventDepth bounds how deep events may nest (a Touch that moves what touches…); deeper ones
	// are dropped with one report. It is far below what a Go or a Lua stack holds.
	MaxEventDepth = 64

	// MaxDelta is the longest step in seconds that is simulated in one go; [World.Step] splits longer ones.
	MaxDelta = 0.25
)
