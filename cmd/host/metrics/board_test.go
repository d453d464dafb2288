package metrics

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"
)

// clock is a wall clock that tests move.
type clock struct {
	mu sync.Mutex
	t  time.Time
}

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.t
}

func (c *clock) pass(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.t = c.t.Add(d)
}

func newClock() *clock { return &clock{t: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)} }

func TestProbes(t *testing.T) {
	const hangs = "no tick for 5.0 s, at most 5 s are healthy; see the log for what hangs, or restart the host"
	for _, c := range []struct {
		steps             string // durations pass
		health, ready     int
		healthy, readable string
	}{
		{"", 200, 503, "ok: starting", "not ready: starting"},
		{"40s", 200, 503, "ok: starting", "not ready: starting"},
		{"61s", 503, 503, "no tick since the start 61.0 s ago; see the log, and restart the host", "not ready: starting"},
		{"run", 200, 503, "ok: starting", "not ready: starting"},
		{"run tick", 200, 200, "ok", "ready"},
		{"run 1h tick 4900ms", 200, 200, "ok", "ready"},
		{"run tick 5s", 503, 503, hangs, "not ready: no tick for 5.0 s"},
		{"run tick drain", 200, 503, "ok", "not ready: draining"},
		{"run tick drain undrain", 200, 200, "ok", "ready"},
		{"run tick stop 1h", 200, 503, "ok: stopping", "not ready: stopping"},
	} {
		clock := newClock()
		b := NewBoard(clock.now)
		for _, step := range strings.Fields(c.steps) {
			switch step {
			case "run":
				b.SetState(Running)
			case "tick":
				b.Tick(clock.now())
			case "drain", "undrain":
				b.SetDraining(step == "drain")
			case "stop":
				b.SetState(Stopping)
			default:
				d, err := time.ParseDuration(step)
				if err != nil {
					t.Fatal(err)
				}
				clock.pass(d)
			}
		}
		for _, p := range []struct {
			handler http.Handler
			code    int
			line    string
		}{{Health(b), c.health, c.healthy}, {Ready(b), c.ready, c.readable}} {
			w := httptest.NewRecorder()
			p.handler.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/", nil))
			if got := w.Body.String(); w.Code != p.code || !strings.HasPrefix(got, p.line) || strings.Count(got, "\n") != 1 {
				t.Errorf("%s: %d %q, want %d %q", c.steps, w.Code, got, p.code, p.line)
			}
		}
	}
}

func TestProbesReadOnly(t *testing.T) {
	w := httptest.NewRecorder()
	Health(NewBoard(newClock().now)).ServeHTTP(w, httptest.NewRequest(http.MethodPost, "/", nil))
	if w.Code != http.StatusMethodNotAllowed || w.Header().Get("Allow") != "GET, HEAD" {
		t.Errorf("POST: %d %v", w.Code, w.Header())
	}
}

// TestReadersDoNotDelayTicks: while somebody reads, Publish returns at once; the next one shows the figures.
func TestReadersDoNotDelayTicks(t *testing.T) {
	clock := newClock()
	b := NewBoard(clock.now)
	set := func(n uint64) func(*Figures) { return func(f *Figures) { f.Ticks = n } }
	if !b.Publish(clock.now(), set(1)) {
		t.Fatal("not published without a reader")
	}
	b.mu.Lock() // a reader that copies
	if b.Publish(clock.now(), set(2)) {
		t.Error("published below a reader")
	}
	b.mu.Unlock()
	clock.pass(3 * time.Second)
	var f Figures
	if age := b.Read(&f); f.Ticks != 1 || age != 3*time.Second {
		t.Errorf("tick %d, %v old", f.Ticks, age)
	}
	b.Publish(clock.now(), set(3))
	if age := b.Read(&f); f.Ticks != 3 || age != 0 {
		t.Errorf("tick %d, %v old", f.Ticks, age)
	}
}

// TestReadCopies: what was read does not change when the loop publishes again and again, and two buffers are enough.
func TestReadCopies(t *testing.T) {
	clock := newClock()
	b := NewBoard(clock.now)
	var classes Classes
	fill := func(n uint64) func(*Figures) {
		return func(f *Figures) {
			classes.Begin()
			classes.Add("Pawn", n)
			f.Sent = classes.Append(f.Sent[:0])
			f.Reports = append(f.Reports[:0], Count{"fault", n})
		}
	}
	b.Publish(clock.now(), fill(1))
	var f Figures
	b.Read(&f)
	for n := range uint64(4) {
		b.Publish(clock.now(), fill(10+n))
	}
	if f.Sent[0].Bytes != 1 || f.Reports[0].N != 1 {
		t.Errorf("changed to %+v, %+v", f.Sent, f.Reports)
	}
	again := fill(99)
	if n := testing.AllocsPerRun(100, func() {
		b.Tick(clock.now())
		b.Publish(clock.now(), again)
	}); n != 0 {
		t.Errorf("publishing allocates %g times", n)
	}
}
