//go:build unix

package web

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/chromedp/cdproto/heapprofiler"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/tidelock/tidelock/tests/tier"
)

// pageGrowth and growth are how much more memory the page and its worker may hold in the last of five minutes than in the third, in
// bytes: pools and caches still fill a little then.
const pageGrowth, growth = 3 << 20, 8 << 20

// heap is what JavaScript of the page holds after a collection, in bytes.
func (w *tab) heap() (bytes float64) {
	w.t.Helper()
	w.run(heapprofiler.CollectGarbage(), chromedp.ActionFunc(func(ctx context.Context) (err error) {
		bytes, _, _, _, err = runtime.GetHeapUsage().Do(ctx)
		return err
	}))
	return bytes
}

// samples is how often the memory of a match is measured: of five minutes every fifteen seconds.
const samples = 20

// grown is how much more is in use in the last minute of five than in the third, in bytes: a collector leaves more at one time than at
// another, so the least of each minute is taken.
func grown(measured []float64) float64 {
	const minute = samples / 5
	return slices.Min(measured[samples-minute:]) - slices.Min(measured[2*minute:3*minute])
}

// maxCalls is how many calls of the graphics driver a frame of a match of eight takes at most, with shadows.
const maxCalls = 150

// A match of eight that the bots' brain plays leaves the console empty, and memory as it was after two of its five minutes (W6). Its frames
// take few calls of the graphics driver.
func TestMatch(t *testing.T) {
	tier.Change(t)
	h := startHost(t, "arena?game=DeathMatch?bots=7?goalscore=0?timelimit=0")
	w := newTab(t)
	w.best(90)
	w.open(w.address(h, "/?name=Ann&auto=1"))
	from := w.until("the player is in", func(d debug) bool { return d.State == "playing" && d.Counts.DrawnFrames > 0 })
	lasts := longer(40*time.Second, 5*time.Minute)
	var page, engine, heap []float64
	calls, bodies := 0, 0
	for range samples {
		pass(lasts / samples)
		d := w.state()
		page, engine, heap = append(page, w.heap()), append(engine, d.Numbers.Memory), append(heap, d.Numbers.Heap)
		calls, bodies = max(calls, d.Counts.Calls), max(bodies, staged(d, "ShooterPawn"))
	}
	if calls > maxCalls || calls == 0 || bodies < 5 {
		t.Errorf("a frame took %d calls, at most %d are allowed; at most %d of the seven others were there at once", calls, maxCalls, bodies)
	}
	d := w.state()
	if d.State != "playing" || d.Tick <= from.Tick || d.Counts.DrawnFrames <= from.Counts.DrawnFrames || d.Counts.ContextsLost > 0 || d.Actors.Refused > 0 {
		t.Errorf("after %v the page is %+v", lasts, d)
	}
	t.Logf("%d corrections, %d ticks, %d frames drawn, up to %d calls a frame", d.Numbers.Corrections, d.Tick-from.Tick, d.Counts.DrawnFrames, calls)
	for i, m := range []struct {
		what     string
		measured []float64
		bound    float64
	}{{"JavaScript of the page", page, pageGrowth}, {"engine's memory", engine, growth}, {"engine's heap", heap, growth}} {
		more := grown(m.measured)
		t.Logf("%s: %.1f MB of change; %.1f", m.what, more/1e6, scaled(m.measured, 1e-6))
		if slices.Min(m.measured) <= 0 {
			t.Errorf("%s is not measured", m.what)
		}
		// The engine's memory never shrinks, so it is held to what it had when all had been seen once: that takes its time. The page's
		// is measured after a collection.
		if (tier.IsLong() || i == 0) && more > m.bound {
			t.Errorf("%s grew by %.1f MB, at most %.1f MB are allowed", m.what, more/1e6, m.bound/1e6)
		}
	}
	h.quiet()
	w.quiet()
}

// scaled is numbers in another unit.
func scaled(numbers []float64, by float64) []float64 {
	out := slices.Clone(numbers)
	for i := range out {
		out[i] *= by
	}
	return out
}
