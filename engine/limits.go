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
