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
)

// growth is how much more memory the page and its worker may hold at the end of a long match than in its middle, in bytes: pools
// and caches still fill a little then.
const growth = 8 << 20

// heap is what JavaScript of the page holds after a collection, in bytes.
func (w *tab) heap() (bytes float64) {
	w.t.Helper()
	w.run(heapprofiler.CollectGarbage(), chromedp.ActionFunc(func(ctx context.Context) (err error) {
		bytes, _, _, _, err = runtime.GetHeapUsage().Do(ctx)
		return err
	}))
	return bytes
}

// A match that the bots' brain plays leaves the console empty and memory as it was.
func TestMatch(t *testing.T) {
	needsTime(t)
	h := startHost(t, "arena?game=DeathMatch?bots=6?goalscore=0?timelimit=0")
	w := openTab(t, h, "/?name=Ann&auto=1")
	from := w.until("the player is in", func(d debug) bool { return d.State == "playing" && d.Counts.DrawnFrames > 0 })
	lasts := longer(20*time.Second, 5*time.Minute)
	const samples = 10
	var page, wasm []float64
	for range samples {
		pass(lasts / samples)
		page, wasm = append(page, w.heap()), append(wasm, w.state().Numbers.Memory)
	}
	d := w.state()
	if d.State != "playing" || d.Tick <= from.Tick || d.Counts.DrawnFrames <= from.Counts.DrawnFrames || d.Counts.ContextsLost > 0 || d.Actors.Refused > 0 {
		t.Errorf("after %v the page is %+v", lasts, d)
	}
	middle, end := slices.Min(page[samples/2-2:samples/2+1]), slices.Min(page[samples-3:])
	t.Logf("JavaScript of the page %.1f MB in the middle, %.1f at the end; engine %.1f and %.1f; %d corrections, %d ticks, %d frames drawn",
		middle/1e6, end/1e6, wasm[samples/2]/1e6, wasm[samples-1]/1e6, d.Numbers.Corrections, d.Tick-from.Tick, d.Counts.DrawnFrames)
	// The engine's memory never shrinks, so it is held to what it had when all had been seen once.
	if *long && (end-middle > growth || wasm[samples-1]-wasm[samples/2] > growth) {
		t.Errorf("memory grew by more than %d MB", growth>>20)
	}
	h.quiet()
	w.quiet()
}
