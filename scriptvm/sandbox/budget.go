package sandbox

import (
	"errors"
	"runtime/metrics"
	"time"
)

// What ended a call, for errors.Is.
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

// budget is the context of every state of a VM: gopher-lua asks Done before each instruction, so Done
// is the counter. It gives nil while there is something left; a channel that is open would do too, but
// makes select slower and context.WithCancel start a goroutine.
//
// Invariant: once reason is set every instruction of every state fails, until the call that set it
// returns to Go (pop). That is why pcall, coroutine.wrap, metamethods, comparators and iterators
// cannot swallow it: whatever they do next fails again.
type budget struct {
	n      int64 // left of the current slice
	rest   int64 // left beyond it
	reason error

	depth     int // nested calls of push
	limits    Limits
	allocated uint64 // the process's count when the current strike began
	strikes   int
	started   int64
	looks     int
	sample    []metrics.Sample
	elapsed   func() int64
	watch     func() bool // asks before each instruction whether the running thread is to stop

	closed chan struct{}
}

func newBudget(limits Limits, elapsed func() int64) *budget {
	b := &budget{
		limits:  limits,
		elapsed: elapsed,
		sample:  []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}},
		closed:  make(chan struct{}),
	}
	close(b.closed)
	return b
}

// Deadline is part of context.Context; there is none.
func (b *budget) Deadline() (time.Time, bool) { return time.Time{}, false }

// Value is part of context.Context; there is none.
func (b *budget) Value(any) any { return nil }

// Err says why Done gave a channel. gopher-lua raises its text.
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
	return b.look()
}

// look starts the next slice, if there is one. The instruction that asked belongs to it.
func (b *budget) look() <-chan struct{} {
	if b.reason != nil {
		return b.closed
	}
	if b.depth == 0 {
		return b.closed
	}
	if b.rest <= 0 {
		b.reason = ErrInstructions
		return b.closed
	}
	size := int64(slice)
	if b.watch != nil {
		if b.watch() {
			b.reason = errStopped
			return b.closed
		}
		size = 1
	}
	size = min(size, b.rest)
	b.rest -= size
	b.n = size - 1
	if b.overAllocated() {
		b.reason = ErrMemory
		b.n = 0
		return b.closed
	}
	if b.elapsed != nil {
		if b.looks++; b.looks%8 == 0 && b.elapsed()-b.started > b.limits.Elapsed {
			b.reason = ErrTime
			b.n = 0
			return b.closed
		}
	}
	return nil
}

func (b *budget) overAllocated() bool {
	now := b.readAllocated()
	if now-b.allocated <= b.limits.Allocation/2 {
		return false
	}
	b.allocated = now
	b.strikes++
	return b.strikes >= 2
}

func (b *budget) readAllocated() uint64 {
	metrics.Read(b.sample)
	return b.sample[0].Value.Uint64()
}

// charge counts the work of a native; false means that nothing is left.
func (b *budget) charge(n int64) bool {
	b.n -= n
	if b.n >= 0 {
		return true
	}
	b.rest = max(b.rest+b.n, 0)
	b.n = 0
	// A native's work may have been all allocation, so look now; the look takes one instruction.
	return b.look() == nil
}

func (b *budget) left() int64 { return b.n + b.rest }

// outer is what a nested call sets aside.
type outer struct {
	kept   int64 // of the outer call's instructions, not lent to the inner one
	lent   int64
	reason error
}

// push begins a call with at most limit instructions, never more than the outer call has left.
func (b *budget) push(limit int64) outer {
	if b.depth++; b.depth == 1 {
		b.n, b.rest, b.reason = 0, limit, nil
		b.strikes, b.looks = 0, 0
		b.allocated = b.readAllocated()
		if b.elapsed != nil {
			b.started = b.elapsed()
		}
		return outer{}
	}
	left := b.left()
	lent := min(limit, left)
	o := outer{kept: left - lent, reason: b.reason}
	b.n, b.rest = 0, lent
	return o
}

// pop ends it and gives what stopped it, if anything did. The outer call goes on with what is left;
// the memory that an inner call was stopped for counts as the outer one's first strike.
func (b *budget) pop(o outer) error {
	reason := b.reason
	if b.depth--; b.depth == 0 {
		b.n, b.rest, b.reason = 0, 0, nil
		return reason
	}
	b.rest += b.n + o.kept
	b.n = 0
	b.reason = o.reason
	if reason == ErrMemory && o.reason == nil {
		b.strikes = 1
		b.allocated = b.readAllocated()
	}
	if reason == ErrTime {
		b.reason = ErrTime // the clock is one
	}
	return reason
}
