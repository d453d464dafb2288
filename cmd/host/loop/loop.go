// Package loop turns wall time into ticks of a world: a fixed rate, with bounded catch-up.
//
// It owns only the pace. One goroutine, the caller's, runs ticks and functions that others pass in by
// [Loop.Do]; that goroutine owns the world. Time comes from package time, so that testing/synctest makes it
// virtual in tests.
//
// It deliberately does not: vary the length of a tick (a world always steps by 1/rate, so that a run can be
// repeated), or catch up forever: surplus ticks are dropped and counted, because a world that is behind and
// works harder falls further behind.
//
//	l := loop.New(loop.Options{Rate: 60, Step: game.Step})
//	err := l.Run(ctx)
//
// Guarantees: Tick n is due at start + n/rate; ticks that are too late to catch up are dropped and counted.
package loop

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"
)

const (
	// MinRate and MaxRate bound the ticks a second. Below, a walking step is longer than a player is wide;
	// above, a tick is shorter than the precision of common system timers.
	MinRate, MaxRate = 1, 1000
	// DefaultCatchUp is how many ticks are run at once at most after a stall: a quarter of a second at 60 Hz.
	// More would be visible as a jump.
	DefaultCatchUp = 15
	// queue is how many functions of Do wait at most; then Do waits for room.
	queue = 64
)

// Pacer computes how many ticks are due. It is a pure function of the times it is given; the zero value is not
// usable, see [NewPacer].
//
// Invariant: tick n is due at start + n/rate exactly, so that rounding does not add up over days.
type Pacer struct {
	rate    int64
	catchUp int64
	start   time.Time
	ticks   int64 // since start, dropped ones included
}

// NewPacer starts pacing: the first tick is due at now.
func NewPacer(rate, catchUp int, now time.Time) *Pacer {
	return &Pacer{rate: int64(rate), catchUp: int64(catchUp), start: now}
}

// at returns when the n-th tick is due. It is split so that n·10⁹ does not overflow within 292 years.
func (p *Pacer) at(n int64) time.Time {
	s, rest := n/p.rate, n%p.rate
	return p.start.Add(time.Duration(s)*time.Second + time.Duration(rest*int64(time.Second)/p.rate))
}

// Next returns when the next tick is due.
func (p *Pacer) Next() time.Time { return p.at(p.ticks) }

// Due returns how many ticks to run now, and how many were dropped because the clock is too far ahead. After
// the clock went back there are no ticks until it has caught up; if it went back by more than a second, it was
// set, and the pace starts again.
func (p *Pacer) Due(now time.Time) (run, dropped int) {
	behind := now.Sub(p.Next())
	if behind < 0 {
		if behind < -time.Second {
			p.start, p.ticks = now, 0
			return 0, 0
		}
		return 0, 0
	}
	// A first guess by division, then exact: rounding may be one off at a boundary.
	n := int64(behind/time.Second)*p.rate + int64(behind%time.Second)*p.rate/int64(time.Second) + 1
	for n > 1 && p.at(p.ticks+n-1).After(now) {
		n--
	}
	for !p.at(p.ticks + n).After(now) {
		n++
	}
	p.ticks += n
	if n > p.catchUp {
		return int(p.catchUp), int(n - p.catchUp)
	}
	return int(n), 0
}

// Options of a loop. Rate and Step are needed.
type Options struct {
	// Rate is the number of ticks per second.
	Rate int
	// CatchUp is how many ticks are run at once at most; 0 means DefaultCatchUp.
	CatchUp int
	// Step runs one tick of dt seconds.
	Step func(dt float64)
	// Dropped, if not nil, is called with the number of ticks that were dropped, on the loop's goroutine.
	Dropped func(ticks int)
	// Late, if not nil, is called with the number of ticks that begin while the next one is due already, without
	// dropped ones, on the loop's goroutine.
	Late func(ticks int)
	// Begin and End, if not nil, bracket every tick and every function passed in, on the loop's goroutine, so
	// that a watchdog can detect a hang.
	Begin, End func()
}

// Loop runs ticks. Do and SetCatchUp may be called from any goroutine, Run once.
type Loop struct {
	opt     Options
	catchUp atomic.Int64 // ticks
	jobs    chan func()

	// doing is held for reading by every Do; end locks it to know that no Do is in progress.
	doing  sync.RWMutex
	ending chan struct{} // closed when Run is about to return

	due time.Time // of the present tick; Run's goroutine owns it
}

// ErrOver is returned for functions passed in after the loop has ended.
var ErrOver = errors.New("the loop has ended")

// New makes a loop. A rate out of bounds is an error.
func New(opt Options) (*Loop, error) {
	if opt.Rate < MinRate || opt.Rate > MaxRate {
		return nil, fmt.Errorf("loop: %d ticks a second; must be %d…%d", opt.Rate, MinRate, MaxRate)
	}
	if opt.CatchUp <= 0 {
		opt.CatchUp = DefaultCatchUp
	}
	l := &Loop{opt: opt, jobs: make(chan func(), queue), ending: make(chan struct{})}
	l.catchUp.Store(int64(opt.CatchUp))
	return l, nil
}

// SetCatchUp changes how many ticks are run at once at most, as in Options.CatchUp, from the next tick on.
func (l *Loop) SetCatchUp(ticks int) {
	if ticks <= 0 {
		ticks = DefaultCatchUp
	}
	l.catchUp.Store(int64(ticks))
}

// Do runs f between two ticks, on the loop's goroutine, and returns without waiting for it. When the queue is
// full it waits for room or for ctx. It must not be called from within Step or another f, which can use the
// world directly.
//
// An accepted function runs even if the loop ends meanwhile.
func (l *Loop) Do(ctx context.Context, f func()) error {
	l.doing.RLock()
	defer l.doing.RUnlock()
	select {
	case <-l.ending:
		return ErrOver
	default:
	}
	select {
	case l.jobs <- f:
		return nil
	case <-l.ending:
		return ErrOver
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Run runs ticks until ctx is done and returns nil then. Functions passed in before run first.
func (l *Loop) Run(ctx context.Context) error {
	defer l.end()
	dt := 1 / float64(l.opt.Rate)
	p := NewPacer(l.opt.Rate, l.opt.CatchUp, time.Now())
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case f := <-l.jobs:
			l.job(f)
		case <-timer.C:
			// The clock is read before every tick: while a world catches up, more ticks fall due, and a tick must
			// never be later than catch-up allows, or honest players would seem to be ahead of the server's time.
			for behind := 0; ctx.Err() == nil; behind-- {
				most := l.catchUp.Load()
				p.catchUp = most
				due, dropped := p.Due(time.Now())
				behind += due
				if surplus := behind - int(most); surplus > 0 {
					behind, dropped = int(most), dropped+surplus
				}
				if dropped > 0 && l.opt.Dropped != nil {
					l.opt.Dropped(dropped)
				}
				if behind == 0 {
					break
				}
				if behind > 1 && l.opt.Late != nil {
					l.opt.Late(1)
				}
				l.due = p.at(p.ticks - int64(behind))
				l.begin()
				l.opt.Step(dt)
				l.over()
				// A loop that is behind always finds the timer ready, and select chooses at random: without
				// this, functions passed in might wait long.
				l.runJobs()
			}
			timer.Reset(time.Until(p.Next()))
		}
	}
}

// Late returns how long ago the present tick was due, at least 0. It is for Step.
func (l *Loop) Late() time.Duration { return max(0, time.Since(l.due)) }

func (l *Loop) job(f func()) {
	l.begin()
	f()
	l.over()
}

func (l *Loop) begin() {
	if l.opt.Begin != nil {
		l.opt.Begin()
	}
}

func (l *Loop) over() {
	if l.opt.End != nil {
		l.opt.End()
	}
}

// end rejects further functions and runs the accepted ones.
func (l *Loop) end() {
	close(l.ending)
	l.doing.Lock() // every Do in progress has returned
	defer l.doing.Unlock()
	l.runJobs()
}

// runJobs runs the accepted functions, at most a queue's worth, so that jobs that add others do not stop the
// ticks.
func (l *Loop) runJobs() {
	for range queue {
		select {
		case f := <-l.jobs:
			l.job(f)
		default:
			return
		}
	}
}
