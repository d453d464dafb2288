package serve

import (
	"time"
)

const (
	// overrunEvery is the least time between two log lines about ticks that ran over; they are counted in
	// between.
	overrunEvery = 10 * time.Second
	// overrunShare is the share of the ticks since the last line that must have run over to be logged: other
	// work of the machine also makes ticks long.
	overrunShare = 0.05
)

// overruns counts ticks that took longer than their period.
type overruns struct {
	ticks, over int           // since the last line, or since there was nothing to log
	worst       time.Duration // of them
	at          time.Time     // when the count began
}

// step runs one tick. It runs on the loop's goroutine.
func (s *server) step(dt float64) {
	began := time.Now()
	s.Game.BeginLate(s.loop.Late)
	s.published.cpu += s.health.step(func() { s.Game.Step(dt) })
	s.ticks++
	ended := time.Now()
	s.overruns.count(s, began, ended, dt)
	s.publish(began, ended, dt)
}

// count counts a tick; once in a while it logs which functions took most of those that ran over (G6).
func (o *overruns) count(s *server, began, ended time.Time, dt float64) {
	if o.ticks == 0 {
		o.at = began
	}
	o.ticks++
	took := ended.Sub(began)
	if took.Seconds() > dt {
		o.over++
		o.worst = max(o.worst, took)
	}
	if ended.Sub(o.at) < overrunEvery {
		return
	}
	if float64(o.over) > overrunShare*float64(o.ticks) {
		scripts, costliest := s.Game.Costs()
		s.Log.Warn("ticks run over", "event", "overrun", "ticks", o.over, "of", o.ticks, "worst", o.worst.Seconds(), "tick", dt,
			"scripts", scripts/1e3, "costliest", costliest)
	}
	*o = overruns{}
}
