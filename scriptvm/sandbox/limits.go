package sandbox

import "github.com/tidelock/tidelock/scriptvm/syntax"

// Limits bound one VM and one call into it. A zero field means the default.
type Limits struct {
	// Instructions of one call from the engine, nested calls included. Natives charge their work in
	// the same unit. Reaching it ends the call with ErrInstructions.
	Instructions int64
	// Allocation is how many bytes the process may allocate during one call from the engine. The count
	// is the whole process's, so half of it is a first strike that only starts the count again; a
	// burst elsewhere costs at most that one. Reaching it twice ends the call with ErrMemory.
	Allocation uint64
	// Elapsed is how long, in the unit of Options.Elapsed, one call may take. It is the net below the
	// instruction count, for single instructions that are slow (comparing two long strings). Reaching
	// it ends the call with ErrTime.
	Elapsed int64
	// Coroutines that scripts made and that neither ended nor were killed: per VM and per owner.
	// Reaching it fails coroutine.create. A suspended one takes about 7 KB.
	Coroutines, CoroutinesPerOwner int
	// Threads of state code (NewThread) that are not dead, per VM and per owner. Reaching it fails NewThread.
	Threads, ThreadsPerOwner int
}

// The defaults, with what they were chosen by.
const (
	// DefaultInstructions: 1 M take 15–30 ms, more than a tick of 60 Hz has.
	DefaultInstructions = 1_000_000
	// DefaultAllocation: together with what the garbage collector lets pile up, a call stays well
	// below the 128 MB that a fault may cost a host.
	DefaultAllocation = 64 << 20
	// DefaultElapsed: a second in nanoseconds, fifty times what the instructions usually take. By which clock is the host's choice; a busy machine should not count.
	DefaultElapsed = 1_000_000_000
	// DefaultCoroutines: 30 MB of suspended ones.
	DefaultCoroutines = 4096
	// DefaultCoroutinesPerOwner: one class cannot take them all.
	DefaultCoroutinesPerOwner = 256
	// DefaultThreads: every actor of a large world in state code.
	DefaultThreads = 65_536
	// DefaultThreadsPerOwner: twice the actors that a class may have, 52 MB (G8).
	DefaultThreadsPerOwner = 8192
)

// Bounds that are the same for every VM.
const (
	// MaxString is the length in bytes of any string a script makes. The instruction count does not
	// see how long '<' on strings takes (1 ns a byte), and this bounds it. Making a longer one is an
	// error of the script.
	MaxString = syntax.MaxLiteral

	// maxNesting is how deep calls may go from natives back into scripts: engine calls within calls,
	// pcall, coroutine.resume. Each level takes Go stack. Going deeper is an error of the script.
	maxNesting = 64

	// callDepth is how many calls one state holds, coroutineDepth one coroutine; going deeper is the
	// error "stack overflow".
	callDepth      = 200
	coroutineDepth = 100

	// The value stack of a state in values (16 bytes each): at first, at most, and by how much it
	// grows. The maximum also bounds how many arguments can be carried about.
	registryStart     = 1024
	coroutineRegistry = 256
	registryMax       = 1 << 14
	registryGrow      = 512

	// maxArray is the index from which gopher-lua keeps a table's items in its hash part. Setting one
	// item fills the array up to it with nil, in one instruction, so a large bound is a memory bomb
	// (67108863 takes 3.3 GB). '#' and the table library know of the bound and count across it.
	maxArray = 1 << 15

	// maxResults is how many values unpack and string.byte give.
	maxResults = 250

	// slice is how many instructions pass between two looks at allocation and time, quietSlice how many
	// when the last slice allocated less than quietBytes. A look takes about 200 ns. One instruction can
	// keep 0.5 MB (an array filled up to maxArray), and it takes three to make it do so.
	slice      = 64
	quietSlice = 256
	quietBytes = 256 << 10

	// caughtError is what catching an error costs in instructions: gopher-lua formats a stack trace.
	caughtError = 300

	// maxPatternDepth is how deep a pattern may nest; Lua 5.1's own bound.
	maxPatternDepth = 200

	// maxCaptures is how many captures a pattern may have; Lua 5.1's own bound.
	maxCaptures = 32
)

// withDefaults fills in the zero fields.
func (l Limits) withDefaults() Limits {
	if l.Instructions == 0 {
		l.Instructions = DefaultInstructions
	}
	if l.Allocation == 0 {
		l.Allocation = DefaultAllocation
	}
	if l.Elapsed == 0 {
		l.Elapsed = DefaultElapsed
	}
	if l.Coroutines == 0 {
		l.Coroutines = DefaultCoroutines
	}
	if l.CoroutinesPerOwner == 0 {
		l.CoroutinesPerOwner = DefaultCoroutinesPerOwner
	}
	if l.Threads == 0 {
		l.Threads = DefaultThreads
	}
	if l.ThreadsPerOwner == 0 {
		l.ThreadsPerOwner = DefaultThreadsPerOwner
	}
	return l
}
