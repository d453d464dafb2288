package serve

import (
	"context"
	"fmt"
	"time"

	"github.com/tidelock/tidelock/cmd/host/metrics"
)

// publishEvery is the least time between two publications of the figures for monitoring.
const publishEvery = time.Second

// published is what monitoring shows of the ticks. It belongs to the loop's goroutine.
type published struct {
	at      time.Time // of the last publication
	ticks   metrics.Durations
	overrun int
	cpu     time.Duration // processor time of ticks
}

// setState tells the board, if there is one, where the host is in its life.
func (s *server) setState(state metrics.State) {
	if s.Board != nil {
		s.Board.SetState(state)
	}
}

// attend tells the service manager how the host is, until ctx ends. The channel is closed then.
func (s *server) attend(ctx context.Context) (over <-chan struct{}) {
	done := make(chan struct{})
	if s.Service == nil || s.Board == nil {
		close(done)
		return done
	}
	var f metrics.Figures
	go func() { // ends with ctx, awaited by Run
		defer close(done)
		s.Service.Attend(ctx, s.Board.Healthy, func() string {
			s.Board.Read(&f)
			return status(&f)
		})
	}()
	return done
}

// status describes the host in one line for a service manager.
func status(f *metrics.Figures) string {
	level := f.Level
	if level == "" {
		level = "no level"
	}
	if f.MaxPlayers > 0 {
		level = fmt.Sprintf("%s, %d of %d players", level, f.Players, f.MaxPlayers)
	}
	if f.Draining {
		level += ", draining"
	}
	return level
}

// publish counts a tick for monitoring; once a second it publishes all figures. It runs on the loop's goroutine.
func (s *server) publish(began, ended time.Time, dt float64) {
	if s.Board == nil {
		return
	}
	p := &s.published
	took := ended.Sub(began).Seconds()
	p.ticks.Add(took)
	if took > dt {
		p.overrun++
	}
	s.Board.Tick(ended)
	if ended.Sub(p.at) < publishEvery {
		return
	}
	// While somebody reads, the next tick publishes.
	if s.Board.Publish(ended, func(f *metrics.Figures) { s.fill(f, dt) }) {
		p.at = ended
	}
}

// fill fills in the figures of the loop and the world.
func (s *server) fill(f *metrics.Figures, dt float64) {
	p := &s.published
	f.Ticks, f.Dropped, f.Late, f.Overrun = uint64(s.ticks), uint64(s.skipped), uint64(s.late), uint64(p.overrun)
	f.Tick, f.TickPeriod = p.ticks, dt
	f.TickCPU = p.cpu.Seconds()
	f.Reloads, f.ReloadsFailed = uint64(s.reloads), s.failed.Load()
	s.Game.Figures(f)
}
