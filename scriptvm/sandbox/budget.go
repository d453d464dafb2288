package sandbox

import (
	"errors"
	"runtime/metrics"
	"time"

	"github.com/tidelock/tidelock/engine/count"
)

// Reasons why a call ended, for errors.Is.
var (
	// ErrInstructions: the call used up its instructions.
	ErrInstructions = errors.New("instruction budget spent")
	// ErrMemory: the call allocated too much.
	ErrMemory = errors.New("memory budget spent")
	// ErrTime: the call took too long, by the clock of Options.Elapsed.
	ErrTime = errors.New("time budget spent")
	// ErrPanic: a native panicked. The bug is the host's, not the script's.
	ErrPanic = errors.New("internal error in a native function")
	// errNoCall: something ran in the VM without Begin.
	errNoCall = errors.New("script run outside of a call")
	// errStopped: the thread was killed while it ran.
	errStopped = errors.New("thread stopped")
)

// budget is the context of every state of a VM: gopher-lua calls Done before each instruction, so Done is the
// counter. It returns nil while instructions are left; an open channel would work too, but makes select slower, and
// context.WithCancel starts a goroutine.
//
// Invariant: once reason is set, every instruction of every state fails, until the call that set it returns to Go
// (pop). That is why pcall, coroutine.wrap, metamethods, comparators and iterators cannot swallow it: whatever they
// do next fails again.
type budget struct {
	n      int64 // left of the current slice
	held   int64 // of the slice, but kept back until the next probe
	rest   int64 // left beyond it
	reason error

	depth     int // nested calls of push
	limits    Limits
	measuring bool   // the outermost call was checked once
	allocated uint64 // the process's counter when the current strike began
	seen      uint64 // the same at the last check
	strikes   int
	started   int64
	looks     int
	sample    []metrics.Sample
	elapsed   func() int64
	watch     func() bool // reports before each instruction whether the running thread must stop

	closed chan struct{}

	meter       meter
	allocations allocations
	probing     probing
}

func newBudget(limits Limits, elapsed func() int64) *budget {
	b := &budget{
		limits:  limits,
		elapsed: elapsed,
		sample:  []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}},
		closed:  make(chan struct{}),
		meter:   meter{next: SampleUnits},
	}
	close(b.closed)
	return b
}

// Deadline is part of context.Context; there is none.
func (b *budget) Deadline() (time.Time, bool) { return time.Time{}, false }

// Value is part of context.Context; there is none.
func (b *budget) Value(any) any { return nil }

// Err returns why Done returned a channel. gopher-lua raises its text.
func (b *budget) Err() error {
	if b.reason == nil {
		return errNoCall
	}
	return b.reason
}

// Done counts one instruction.
func (b *budget) Done() <-chan struct{} {
	b.n--
	if b.n >= 0 {
		return nil
	}
	b.n = 0
	if b.held > 0 {
		b.step()
	} else if b.look() != nil {
		return b.closed
	}
	b.n-- // the first of the new slice
	return nil
}

// look starts the next slice, if there is one. The length of slices depends on what the process allocates, so only
// the time of checks may depend on where they begin.
func (b *budget) look() <-chan struct{} {
	if b.reason != nil {
		return b.closed
	}
	if b.depth == 0 {
		return b.closed
	}
	b.measure(true)
	if b.rest <= 0 {
		b.reason = ErrInstructions
		return b.closed
	}
	size := int64(quietSlice)
	if b.watch != nil {
		if b.watch() {
			b.reason = errStopped
			return b.closed
		}
		size = 1
	}
	over, busy := b.overAllocated()
	if over {
		b.reason = ErrMemory
		return b.closed
	}
	if busy {
		size = min(size, slice)
	}
	size = min(size, b.rest, b.meter.due())
	b.rest -= size
	b.n = size
	if b.elapsed != nil {
		if b.looks++; b.looks == 1 { // a call of less than a slice does not pay for the clock
			b.started = b.elapsed()
		} else if b.looks%8 == 0 && b.elapsed()-b.started > b.limits.Elapsed {
			b.reason = ErrTime
			b.n = 0
			return b.closed
		}
	}
	b.split()
	return nil
}

// overAllocated checks the process's counter. The first check of a call only stores it, so that a call of less than
// a slice does not pay for it. busy: much was allocated since the last check.
func (b *budget) overAllocated() (over, busy bool) {
	now := b.readAllocated()
	if b.allocations.on {
		b.allocations.note(now, nil)
	}
	if !b.measuring {
		b.measuring = true
		b.allocated, b.seen = now, now
		return false, true
	}
	busy = now-b.seen > quietBytes
	b.seen = now
	if now-b.allocated <= b.limits.Allocation/2 {
		return false, busy
	}
	b.allocated = now
	b.strikes++
	return b.strikes >= 2, busy
}

func (b *budget) readAllocated() uint64 {
	metrics.Read(b.sample)
	return b.sample[0].Value.Uint64()
}

// charge counts the work of a native; it returns false if that much is not left.
func (b *budget) charge(n int64) bool {
	count.Add(count.Instructions, int(-n)) // measure adds it, as it adds instructions
	if n <= b.n {
		b.n -= n
		return true
	}
	if b.held > 0 {
		if b.join(); n <= b.n {
			b.n -= n
			return true
		}
	}
	left := b.n + b.rest - n
	b.n, b.rest = 0, max(left, 0)
	b.measure(b.depth > 0)
	switch {
	case b.reason != nil || b.depth == 0:
		return false
	case left < 0:
		b.reason = ErrInstructions
		return false
	case left == 0:
		return true // the next instruction will notice
	}
	return b.look() == nil // the work may have been all allocation
}

func (b *budget) left() int64 { return b.n + b.held + b.rest }

// outer is the state that a nested call saves.
type outer struct {
	kept   int64 // the outer call's instructions that were not lent to the inner one
	reason error
}

// push begins a call with at most limit instructions, and at most what the outer call has left.
func (b *budget) push(limit int64) outer {
	if b.depth++; b.depth == 1 {
		if b.allocations.on {
			b.allocations.seen = b.readAllocated()
		}
		b.reason = nil
		b.n = min(limit, slice, b.meter.due())
		b.rest = limit - b.n
		if b.probing.probe == nil { // probes would count as the scripts' time
			b.meter.begin(limit, b.elapsed)
		} else {
			b.meter.left = limit
			b.split()
		}
		b.strikes, b.looks, b.measuring = 0, 0, false
		return outer{}
	}
	if b.allocations.on {
		b.allocations.note(b.readAllocated(), nil)
	}
	b.measure(false)
	b.join()
	left := b.left()
	lent := min(limit, left)
	o := outer{kept: left - lent, reason: b.reason}
	if b.reason != nil {
		b.n, b.rest, b.meter.left = 0, 0, 0
		return o
	}
	b.n = min(lent, b.n) // continue within the slice, so that many short calls are checked too
	b.rest = lent - b.n
	b.meter.left = lent
	b.split()
	return o
}

// pop ends it and returns the reason that stopped it, if any. The outer call continues with what is left; memory
// for which an inner call was stopped counts as the outer one's first strike.
func (b *budget) pop(o outer) error {
	reason := b.reason
	b.measure(false)
	b.join()
	if b.depth--; b.depth == 0 {
		b.n, b.rest, b.reason = 0, 0, nil
		if b.meter.timing {
			b.meter.end(b.elapsed)
		}
		return reason
	}
	b.rest += o.kept
	b.meter.left = b.left()
	b.reason = o.reason
	if b.reason != nil || b.watch != nil {
		b.rest, b.n = b.rest+b.n, 0
	}
	if reason == ErrMemory && o.reason == nil {
		b.strikes = 1
		b.allocated = b.readAllocated()
	}
	if reason == ErrTime {
		b.reason = ErrTime // the clock is the reason
	}
	b.split()
	return reason
}
