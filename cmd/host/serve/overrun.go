package serve

import (
	"time"
)

const (
	// overrunEvery is how often at most ticks that ran over are logged; between, they are added up.
	overrunEvery = 10 * time.Second
	// overrunShare is which part of the ticks since the last line must have run over to be worth one: a tick may be long
	// because the machine did something else.
	overrunShare = 0.05
)

// overruns counts ticks that took longer than a tick may.
type overruns struct {
	ticks, over int           // since the last line, or since nothing was worth one
	worst       time.Duration // of them
	at          time.Time     // when they began to be counted
}

// step runs one tick. It runs on the loop's goroutine.
func (s *server) step(dt float64) {
	began := time.Now()
	s.health.step(func() { s.Game.Step(dt) })
	s.ticks++
	ended := time.Now()
	s.overruns.count(s, began, ended, dt)
}

// count adds a tick; once in a while it says which functions took how much of those that ran over (G6).
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
		scripts, dearest := s.Game.Costs()
		s.Log.Warn("ticks run over", "event", "overrun", "ticks", o.over, "of", o.ticks, "worst", o.worst.Seconds(), "tick", dt,
			"scripts", scripts/1e3, "dearest", dearest)
	}
	*o = overruns{}
}
