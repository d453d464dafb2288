//go:build unix

package sockets

import (
	"fmt"
	"runtime"
	"testing"
	"time"

	"github.com/tidelock/tidelock/tests/heap"
)

// joined waits until all n of a child's players are in, in their own eyes and, with others, at the host.
func joined(t *testing.T, h *host, k *child, n, others int) {
	t.Helper()
	look := time.Time{}
	until(t, fmt.Sprintf("%d players in", n), func() bool {
		if time.Since(look) < 100*time.Millisecond {
			return false
		}
		look = time.Now()
		r := k.report()
		if r.Over > 0 {
			t.Fatalf("a player did not come in: %q", r.Faults)
		}
		return r.In == n
	})
	if got := h.players(); got != n+others {
		t.Fatalf("%d players at the host, %d came in and %d were", got, n, others)
	}
}

// stayed fails the test where a player of a child did not stay or something went wrong.
func stayed(t *testing.T, k *child, n int) (r crowdReport) {
	t.Helper()
	r = k.report()
	for _, f := range r.Faults {
		t.Error(f)
	}
	if r.In+r.Over != n && r.Over == 0 {
		// A dead player has no pawn for three seconds: that is the game.
		if r.In < n*3/4 {
			t.Errorf("%d of %d players are in", r.In, n)
		}
	}
	if r.Over > 0 {
		t.Errorf("%d of %d players did not stay", r.Over, n)
	}
	return r
}

// TestSoak: players who wander and shoot, for a while. Nobody is disconnected, no script fails; the figures are
// printed.
func TestSoak(t *testing.T) {
	n, measured := longer(8, 40), longer(5*time.Second, 20*time.Second)
	if *fullPlayers > 0 {
		n = *fullPlayers
	}
	if *soakFor > 0 {
		measured = *soakFor
	}
	h := startHost(t, hostConfig{level: fmt.Sprintf("arena?game=Crowd?bots=4?maxplayers=%d", n)})
	k := startChild(t, childConfig{Crowd: &crowdConfig{Addr: h.link.Addr(), Full: n, Seed: 1}})
	began := time.Now()
	joined(t, h, k, n, 0)
	t.Logf("%d players were in after %.1f s", n, time.Since(began).Seconds())

	first := k.report()
	out0, in0 := h.traffic()
	var before, after runtime.MemStats
	liveBefore := heap.Live()
	runtime.ReadMemStats(&before)
	h.do(func() { h.ticks, h.work, h.dropped = h.ticks[:0], h.work[:0], 0 })
	came0, _ := h.calls()
	goroutines, used, start := runtime.NumGoroutine(), cpu(), time.Now()

	pass(measured)

	seconds := time.Since(start).Seconds()
	used = cpu() - used
	last := stayed(t, k, n)
	out, in := h.traffic()
	runtime.ReadMemStats(&after)
	pauses := after.PauseTotalNs - before.PauseTotalNs
	live := heap.Live()
	var ticks, work []time.Duration
	dropped := 0
	h.do(func() { ticks, work, dropped = append(ticks, h.ticks...), append(work, h.work...), h.dropped })
	if len(out) != n {
		t.Fatalf("%d players at the host in the end, %d in the beginning", len(out), n)
	}
	for i := range out {
		out[i], in[i] = (out[i]-out0[i])/seconds, (in[i]-in0[i])/seconds
	}
	t.Logf("tick: p50 %.2f ms, p99 %.2f ms, longest %.2f ms; %d ticks in %.1f s, %d dropped", ms(quantile(ticks, 0.5)), ms(quantile(ticks, 0.99)), ms(quantile(ticks, 1)), len(ticks), seconds, dropped)
	t.Logf("of a processor: p50 %.2f ms, p99 %.2f ms", ms(quantile(work, 0.5)), ms(quantile(work, 0.99)))
	t.Logf("CPU: server %.0f %% of a core, players %.0f %%, of whose ticks %d were dropped", 100*used.Seconds()/seconds, 100*(last.CPU-first.CPU).Seconds()/seconds, last.Dropped-first.Dropped)
	t.Logf("bytes/s a player: down %.0f, least %.0f, most %.0f; up %.0f", quantile(out, 0.5), quantile(out, 0), quantile(out, 1), quantile(in, 0.5))
	came, thrown := h.calls()
	t.Logf("calls of players: %.1f a second of each", float64(came-came0)/seconds/float64(n))
	if thrown > 0 {
		t.Errorf("%d of %d calls of players were thrown away", thrown, came)
	}
	t.Logf("memory of the server: %.1f MB live, %+.1f MB; GC %.2f %% of the time", float64(live)/1e6, float64(live-liveBefore)/1e6, float64(pauses)/1e7/seconds)
	// What waits to be acknowledged is kept: more of it where players and host had to wait for a processor, within bounds.
	switch grown := live - liveBefore; {
	case grown > 8<<20+int64(n)*1_000_000:
		t.Errorf("the server's memory grew by %d bytes: nothing bounds what a connection keeps", grown)
	case grown > 8<<20+int64(n)*150_000:
		figure(t, "the server's memory grew by %d bytes", grown)
	}
	excused := []string{comeAgain, "no PlayerStart", "event=dropped", "DeathMatch: ", "its share"}
	if dropped > len(ticks)/10 {
		t.Logf("this machine had no time: these are figures of its other work, not of the host")
		excused = append(excused, "quarantined for the time that it takes") // which goes by wall time
	}
	for i, b := range out {
		if b < 100 || in[i] < 100 {
			t.Errorf("player %d: %.0f bytes/s down and %.0f up: it does not play", i+1, b, in[i])
		}
	}
	if g := runtime.NumGoroutine(); g > goroutines {
		t.Errorf("%d goroutines at the host, %d before", g, goroutines)
	}
	// So many come at once that neither each of them nor each who finds no start gets a line (G16), and where they are more than this machine has time for, the host
	// says which classes take more of it than their share (G6).
	h.quiet(excused...)
	k.quit()
	until(t, "all players gone after their goodbye", func() bool { return h.players() == 0 })
	h.quiet(comeAgain)
}

func ms(d time.Duration) float64 { return float64(d) / 1e6 }
