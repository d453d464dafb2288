package serve

import (
	"fmt"
	"time"
)

// Times are the bounds of a run that can change while it goes on ([Turn.Retime]).
type Times struct {
	// CatchUp is [Options].CatchUp in ticks; 0 means the loop's default.
	CatchUp int
	// RunFor is [Options].RunFor, counted from the start of the run: if that time is over already, the run ends at once.
	RunFor time.Duration
	// StopWithin is [Options].StopWithin; a shutdown that has begun keeps its own.
	StopWithin time.Duration
}

// Retime changes the bounds of the run, from now on. Before Run has begun it does nothing. Any goroutine may call it.
func (t *Turn) Retime(x Times) {
	s := t.server.Load()
	if s == nil {
		return
	}
	s.loop.SetCatchUp(x.CatchUp)
	s.times.Store(&x)
	select {
	case s.retimed <- struct{}{}:
	default: // Run has not read the last one yet, and will read this
	}
}

// deadline ends a run after Times.RunFor.
type deadline struct {
	started time.Time
	runFor  time.Duration
	timer   *time.Timer // nil for no limit
}

// set makes the run end so long after its start; 0 is never.
func (d *deadline) set(runFor time.Duration) {
	if d.runFor = runFor; d.timer != nil {
		d.timer.Stop()
		d.timer = nil
	}
	if runFor > 0 {
		d.timer = time.NewTimer(time.Until(d.started.Add(runFor)))
	}
}

// over delivers once the time is over; a nil channel never does.
func (d *deadline) over() <-chan time.Time {
	if d.timer == nil {
		return nil
	}
	return d.timer.C
}

func (d *deadline) String() string { return fmt.Sprintf("%g s are over", d.runFor.Seconds()) }
