//go:build unix

package sockets

import (
	"fmt"
	"testing"
	"time"

	"github.com/tidelock/tidelock/engine"
)

// TestBotTick prints what a tick of the server takes with many bots on the large level, by phase, with eight full
// clients whom it is sent to.
func TestBotTick(t *testing.T) {
	if !*botTicks {
		t.Skip("prints figures; -bots asks for them")
	}
	for _, n := range []int{16, 64} {
		t.Run(fmt.Sprint(n), func(t *testing.T) { botTick(t, n) })
	}
}

func botTick(t *testing.T, n int) {
	const players, measured = 8, 20 * time.Second
	h := startHost(t, hostConfig{level: fmt.Sprintf("estuary?game=Bout?bots=%d?skill=4", n-players), more: bout})
	k := startChild(t, childConfig{Crowd: &crowdConfig{Addr: h.link.Addr(), Full: players, Seed: 9, Brain: true}})
	joined(t, h, k, players, 0)
	pass(3 * time.Second) // until they have met
	script, record := &timedScript{}, &timedRecorder{}
	h.do(func() {
		w := h.match.World
		script.Script, record.vm = w.Script, h.match.VM
		w.Script = script
		w.SetRecorder(record)
		h.ticks, h.work, h.stepped, h.dropped = h.ticks[:0], h.work[:0], h.stepped[:0], 0
	})
	pass(measured)
	h.do(func() {
		h.match.World.Script = script.Script
		h.match.World.SetRecorder(h.match.VM)
		ticks := float64(len(h.work))
		mean := func(list []time.Duration) float64 {
			sum := 0.0
			for _, d := range list {
				sum += d.Seconds()
			}
			return 1000 * sum / ticks
		}
		// Scripts and history are told by the wall, so they are taken as shares of the step, which is told by the processor.
		wall := mean(h.ticks) / mean(h.work)
		all, step := mean(h.work), mean(h.stepped)
		lua, past := 1000*script.spent.Seconds()/ticks/wall, 1000*record.spent.Seconds()/ticks/wall
		t.Logf("%d bots, %d of them clients: %.2f ms of a processor a tick (p99 %.2f): script %.2f with its natives, physics and the rest of the step %.2f, rewind history %.3f, network %.2f; %.0f ticks, %d dropped",
			n, players, all, ms(quantile(h.work, 0.99)), lua, step-lua-past, past, all-step, ticks, h.dropped)
	})
	if r := k.report(); r.Over > 0 || len(r.Faults) > 0 {
		t.Errorf("%d players did not stay: %q", r.Over, r.Faults)
	}
	h.quiet(comeAgain, "is refused")
	k.quit()
}

// timedRecorder measures how long the history of hit boxes takes.
type timedRecorder struct {
	vm    engine.Recorder
	spent time.Duration
}

func (r *timedRecorder) Record(now float64) {
	start := time.Now()
	r.vm.Record(now)
	r.spent += time.Since(start)
}

// timedScript measures how long the scripts of a world take: every entry from the engine, with all that it calls.
type timedScript struct {
	engine.Script
	spent time.Duration
	deep  int
}

func (s *timedScript) in() time.Time {
	s.deep++
	return time.Now()
}

func (s *timedScript) out(start time.Time) {
	if s.deep--; s.deep == 0 {
		s.spent += time.Since(start)
	}
}

func (s *timedScript) Tick(a *engine.Actor, f *engine.Function, dt float64) {
	defer s.out(s.in())
	s.Script.Tick(a, f, dt)
}

func (s *timedScript) Event(a *engine.Actor, f *engine.Function, args []engine.Value) {
	defer s.out(s.in())
	s.Script.Event(a, f, args)
}

func (s *timedScript) Timer(a *engine.Actor, function string) {
	defer s.out(s.in())
	s.Script.Timer(a, function)
}

func (s *timedScript) RunLatent() {
	defer s.out(s.in())
	s.Script.RunLatent()
}
