package serve

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"runtime/metrics"
	"time"

	"github.com/tidelock/tidelock/cmd/host/cputime"
	"github.com/tidelock/tidelock/engine"
)

const (
	// shortest is the upper bound of a spread's first bucket, and growth the ratio of each bucket's bound to
	// the one before. The last bucket begins above a minute, which no tick should take.
	shortest = 10 * time.Microsecond
	growth   = 1.05
	buckets  = 330
)

// spread counts durations by size, with a precision of 5 %. It allocates nothing; the zero value is empty.
type spread struct {
	count   [buckets]int
	n       int
	longest time.Duration
}

func (s *spread) add(d time.Duration) {
	s.n++
	s.longest = max(s.longest, d)
	i := 0
	if d > shortest {
		i = min(int(math.Log(float64(d)/float64(shortest))/math.Log(growth))+1, buckets-1)
	}
	s.count[i]++
}

// quantile returns the duration that a share q of all does not exceed, rounded up to its bucket's bound; 0 for
// none.
func (s *spread) quantile(q float64) time.Duration {
	if s.n == 0 {
		return 0
	}
	rank := max(int(math.Ceil(q*float64(s.n))), 1)
	for i, n := range s.count {
		if rank -= n; rank <= 0 && i < buckets-1 {
			return min(time.Duration(float64(shortest)*math.Pow(growth, float64(i))), s.longest)
		}
	}
	return s.longest
}

// health contains the figures since the last query (docs/hosting.md, Commands). It belongs to the loop's
// goroutine.
type health struct {
	since   time.Time
	clock   func() int64 // processor time of the loop's thread: excludes other programs and the garbage collector
	ticks   spread
	dropped int
}

// step runs a tick, measures it and returns its processor time.
func (h *health) step(step func()) time.Duration {
	before := h.clock()
	step()
	took := time.Duration(h.clock() - before)
	h.ticks.add(took)
	return took
}

// begin resets the measurement.
func (h *health) begin() {
	*h = health{since: time.Now(), clock: cputime.NewThread()}
}

// String returns one line. Times are in milliseconds of processor time.
func (h *health) String() string {
	seconds := time.Since(h.since).Seconds()
	return fmt.Sprintf("%d ticks in %.1f s (%.1f/s), %d dropped; a tick took p50 %.2f ms, p99 %.2f ms, at most %.2f ms",
		h.ticks.n, seconds, float64(h.ticks.n)/max(seconds, 1e-9), h.dropped, ms(h.ticks.quantile(0.5)), ms(h.ticks.quantile(0.99)), ms(h.ticks.longest))
}

func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// askHealth executes the command health. It collects garbage first, concurrently with the ticks, so that it
// reports the memory in use; then it resets the measurement.
func (s *server) askHealth(ctx context.Context) ([]string, error) {
	runtime.GC()
	samples := []metrics.Sample{
		{Name: "/memory/classes/heap/objects:bytes"}, {Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"},
	}
	metrics.Read(samples)
	mb := func(i int) float64 { return float64(samples[i].Value.Uint64()) / (1 << 20) }
	var line string
	err := s.do(ctx, func() error {
		st := s.Game.Status()
		line = fmt.Sprintf("health: %v; %.1f MB live, %.1f MB held; %s, %s", &s.health, mb(0), mb(1)-mb(2), engine.Counted(st.Actors, "actor"), engine.Counted(st.Players, "player"))
		s.health.begin()
		return nil
	})
	if err != nil {
		return nil, err
	}
	return []string{line}, nil
}
