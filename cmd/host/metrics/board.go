package metrics

import (
	"fmt"
	"sync"
	"sync/atomic"
	"time"
)

const (
	// TickWithin is how long ago the last tick may be on a healthy host.
	TickWithin = 5 * time.Second
	// StartWithin is how long a host may take from its board to its first tick.
	StartWithin = time.Minute
)

// State is where a host is in its life.
type State int32

// The states. A new board is Starting.
const (
	Starting State = iota
	Running
	Stopping
	states
)

// String names the state.
func (s State) String() string { return [states]string{"starting", "running", "stopping"}[s] }

// Board is where the loop's goroutine publishes and others read. Tick and Publish are for that goroutine alone, all
// other methods for any.
type Board struct {
	now    func() time.Time
	began  time.Time
	state  atomic.Int32
	drains atomic.Bool
	tickAt atomic.Int64 // of the last tick, since began
	ticked atomic.Bool  // there was one

	back *Figures // the loop's
	// mu guards front and at. The loop only tries to lock it: while somebody copies, it publishes a moment later.
	mu    sync.Mutex
	front *Figures
	at    time.Time
}

// NewBoard returns a board of a host that starts. now is the wall clock, with its monotonic part.
func NewBoard(now func() time.Time) *Board {
	t := now()
	return &Board{now: now, began: t, at: t, front: &Figures{}, back: &Figures{}}
}

// SetState says where the host is in its life.
func (b *Board) SetState(s State) { b.state.Store(int32(s)) }

// SetDraining says whether a running host takes no new players because it ends soon.
func (b *Board) SetDraining(is bool) { b.drains.Store(is) }

// Draining reports what SetDraining said last.
func (b *Board) Draining() bool { return b.drains.Load() }

// State returns where the host is in its life.
func (b *Board) State() State { return State(b.state.Load()) }

// Tick says that a tick ended now.
func (b *Board) Tick(now time.Time) {
	b.tickAt.Store(int64(now.Sub(b.began)))
	b.ticked.Store(true)
}

// Publish has fill complete figures, and shows them from now on. fill gets an earlier version, whose slices it reuses. It
// reports whether they are shown: not while somebody reads the earlier ones.
func (b *Board) Publish(now time.Time, fill func(*Figures)) bool {
	fill(b.back)
	if !b.mu.TryLock() {
		return false
	}
	b.front, b.back, b.at = b.back, b.front, now
	b.mu.Unlock()
	return true
}

// Read copies the last published figures and returns their age.
func (b *Board) Read(to *Figures) (age time.Duration) {
	b.mu.Lock()
	b.front.copyTo(to)
	at := b.at
	b.mu.Unlock()
	return b.now().Sub(at)
}

// Playing reports whether the latest figures have players in the match, or on their way.
func (b *Board) Playing() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.front.Players+b.front.Connecting > 0
}

// sinceTick returns how long ago the last tick ended; without one, since the board was made.
func (b *Board) sinceTick() (ago time.Duration, ticked bool) {
	return b.now().Sub(b.began) - time.Duration(b.tickAt.Load()), b.ticked.Load()
}

// Healthy reports whether the host works, with a line that says why or why not. A host is healthy while ticks of its loop advance, those of
// a paused match included, and for a limited time while it starts. One that stops is healthy: it ends by itself.
func (b *Board) Healthy() (ok bool, line string) {
	ago, ticked := b.sinceTick()
	switch {
	case b.State() == Stopping:
		return true, "ok: stopping"
	case !ticked && ago < StartWithin:
		return true, "ok: starting"
	case !ticked:
		return false, fmt.Sprintf("no tick since the start %.1f s ago; see the log, and restart the host", ago.Seconds())
	case ago >= TickWithin:
		return false, fmt.Sprintf("no tick for %.1f s, at most %g s are healthy; see the log for what hangs, or restart the host", ago.Seconds(), TickWithin.Seconds())
	}
	return true, "ok"
}

// Ready reports whether the host answers new players, with a line that says why or why not. A full host is ready: it
// answers with "full", and players who lost their connection may come back.
func (b *Board) Ready() (ok bool, line string) {
	if s := b.State(); s != Running {
		return false, "not ready: " + s.String()
	}
	if ok, line := b.Healthy(); !ok {
		return false, "not ready: " + line
	}
	if _, ticked := b.sinceTick(); !ticked {
		return false, "not ready: " + Starting.String()
	}
	if b.drains.Load() {
		return false, "not ready: draining"
	}
	return true, "ready"
}
