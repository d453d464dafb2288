package sandbox

import "github.com/tidelock/tidelock/scriptvm/syntax"

// Limits bounds one VM and one call into it. A zero field means the default.
type Limits struct {
	// Instructions of one call from the engine, nested calls included. Natives charge their work in
	// the same unit. Reaching it ends the call with ErrInstructions.
	Instructions int64
	// Allocation is how many bytes the process may allocate during one call from the engine. The counter is the
	// whole process's, so reaching half of it the first time is only a strike that restarts the count; a burst
	// elsewhere costs at most that one. The second time ends the call with ErrMemory.
	Allocation uint64
	// Elapsed is how long, in the unit of Options.Elapsed, one call may take. It complements the instruction count
	// for single instructions that are slow (comparing two long strings). Reaching it ends the call with ErrTime.
	Elapsed int64
	// Coroutines that scripts created and that neither ended nor were killed: per VM and per owner. Reaching the
	// limit fails coroutine.create. A suspended one takes about 7 KB.
	Coroutines, CoroutinesPerOwner int
	// Threads of state code (NewThread) that are not dead, per VM and per owner. Reaching it fails NewThread.
	Threads, ThreadsPerOwner int
}

// The defaults, and their reasons.
const (
	// DefaultInstructions: 1 M take 15–30 ms, more than a tick of 60 Hz has.
	DefaultInstructions = 1_000_000
	// DefaultAllocation: together with garbage that was not collected yet, a call stays well below the 128 MB that
	// a fault may cost a host.
	DefaultAllocation = 64 << 20
	// DefaultElapsed: a second in nanoseconds, fifty times what the instructions usually take. The host chooses the
	// clock; time of a busy machine should not count.
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
	// MaxString is the length in bytes of any string a script makes. The instruction count does not include the
	// duration of '<' on strings (1 ns per byte), which this bounds. Making a longer one is an error of the script.
	MaxString = syntax.MaxLiteral

	// maxNesting bounds the nesting of calls from natives back into scripts: engine calls within calls, pcall,
	// coroutine.resume. Each level takes Go stack. Exceeding it is an error of the script.
	maxNesting = 64

	// callDepth is how many calls one state holds, coroutineDepth one coroutine; exceeding it is the error "stack
	// overflow".
	callDepth      = 200
	coroutineDepth = 100

	// The value stack of a state in values (16 bytes each): the initial size, the maximum and the growth. The
	// maximum also bounds the number of arguments.
	registryStart     = 1024
	coroutineRegistry = 256
	registryMax       = 1 << 14
	registryGrow      = 512

	// maxArray is the index from which gopher-lua keeps a table's items in its hash part. Setting one item fills
	// the array up to it with nil, in one instruction, so a large bound is a memory bomb (67108863 takes 3.3 GB).
	// '#' and the table library take the bound into account.
	maxArray = 1 << 15

	// maxResults bounds the results of unpack and string.byte.
	maxResults = 250

	// slice is how many instructions there are between two checks of allocation and time, quietSlice how many if
	// the last slice allocated less than quietBytes. A check takes about 200 ns. One instruction can keep 0.5 MB
	// (an array filled up to maxArray), and it takes three to make it do so.
	slice      = 64
	quietSlice = 256
	quietBytes = 256 << 10

	// caughtError is the cost of catching an error, in instructions: gopher-lua formats a stack trace.
	caughtError = 300

	// maxPatternDepth bounds the nesting of a pattern; Lua 5.1's own bound.
	maxPatternDepth = 200

	// maxCaptures bounds the captures of a pattern; Lua 5.1's own bound.
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
