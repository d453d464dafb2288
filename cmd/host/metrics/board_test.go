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
	type want struct {
		health, ready         int
		healthLine, readyLine string
	}
	for _, c := range []struct {
		name string
		do   func(b *Board, c *clock)
		want want
	}{
		{"new", func(*Board, *clock) {}, want{200, 503, "ok: starting", "not ready: starting"}},
		{"loading", func(_ *Board, c *clock) { c.pass(40 * time.Second) }, want{200, 503, "ok: starting", "not ready: starting"}},
		{"never starts", func(_ *Board, c *clock) { c.pass(61 * time.Second) }, want{503, 503, "no tick since the start 61.0 s ago; see the log, and restart the host", "not ready: starting"}},
		{"running without a tick", func(b *Board, _ *clock) { b.SetState(Running) }, want{200, 503, "ok: starting", "not ready: starting"}},
		{"ticks", func(b *Board, c *clock) {
			b.SetState(Running)
			c.pass(time.Hour)
			b.Tick(c.now())
			c.pass(4900 * time.Millisecond)
		}, want{200, 200, "ok", "ready"}},
		{"first tick at once", func(b *Board, c *clock) {
			b.SetState(Running)
			b.Tick(c.now())
		}, want{200, 200, "ok", "ready"}},
		{"hangs", func(b *Board, c *clock) {
			b.SetState(Running)
			b.Tick(c.now())
			c.pass(5 * time.Second)
		}, want{503, 503, "no tick for 5.0 s, at most 5 s are healthy; see the log for what hangs, or restart the host", "not ready: no tick for 5.0 s"}},
		{"draining", func(b *Board, c *clock) {
			b.SetState(Running)
			b.Tick(c.now())
			b.SetDraining(true)
		}, want{200, 503, "ok", "not ready: draining"}},
		{"no longer draining", func(b *Board, c *clock) {
			b.SetState(Running)
			b.Tick(c.now())
			b.SetDraining(true)
			b.SetDraining(false)
		}, want{200, 200, "ok", "ready"}},
		{"stopping", func(b *Board, c *clock) {
			b.SetState(Running)
			b.Tick(c.now())
			b.SetState(Stopping)
			c.pass(time.Hour)
		}, want{200, 503, "ok: stopping", "not ready: stopping"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			clock := newClock()
			b := NewBoard(clock.now)
			c.do(b, clock)
			for _, p := range []struct {
				handler http.Handler
				code    int
				line    string
			}{{Health(b), c.want.health, c.want.healthLine}, {Ready(b), c.want.ready, c.want.readyLine}} {
				w := httptest.NewRecorder()
				p.handler.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/", nil))
				if got := w.Body.String(); w.Code != p.code || !strings.HasPrefix(got, p.line) || strings.Count(got, "\n") != 1 {
					t.Errorf("%d %q, want %d %q", w.Code, got, p.code, p.line)
				}
			}
		})
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
