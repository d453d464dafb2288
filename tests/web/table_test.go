//go:build unix

package web

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/profiler"
	"github.com/chromedp/chromedp"
)

// sizeOf is what a file of the host's page weighs on its way, in bytes.
func sizeOf(t *testing.T, h *host, path, encoding string) int64 {
	t.Helper()
	r, err := http.NewRequest(http.MethodGet, "http://"+h.web+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Accept-Encoding", encoding)
	answer, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = answer.Body.Close() }()
	n, err := io.Copy(io.Discard, answer.Body)
	if err != nil || answer.StatusCode != http.StatusOK {
		t.Fatalf("%s: %s, %v", path, answer.Status, err)
	}
	if got := answer.Header.Get("Content-Encoding"); encoding == "br" && got != encoding {
		return 0
	}
	return n
}

// late are files that the page loads when something needs them: a model, the list of keys, a touch screen.
var late = []string{"glb.js", "vendor/gltf.js", "controls.js", "touch.js"}

// TestTable prints the sizes and times that W5 bounds, with -table. It judges sizes; times depend on the machine.
func TestTable(t *testing.T) {
	if !*table {
		t.Skip("without -table")
	}
	h := startHost(t, "arena?game=DeathMatch?bots=6?goalscore=0?timelimit=0")
	var join struct{ Client struct{ Wasm, Exec string } }
	r, err := http.Get("http://" + h.web + "/join.json")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = r.Body.Close() }()
	if err := json.NewDecoder(r.Body).Decode(&join); err != nil {
		t.Fatal(err)
	}
	wasm, br := sizeOf(t, h, join.Client.Wasm, "gzip"), sizeOf(t, h, join.Client.Wasm, "br")
	index, err := http.Get("http://" + h.web + "/")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = index.Body.Close() }()
	text, err := io.ReadAll(index.Body)
	if err != nil {
		t.Fatal(err)
	}
	folder := regexp.MustCompile(`/p/[0-9a-f]+/`).FindString(string(text))
	page := sizeOf(t, h, "/", "gzip") + sizeOf(t, h, join.Client.Exec, "gzip")
	files := os.DirFS(filepath.Join(root, "cmd/host/web/page"))
	err = fs.WalkDir(files, ".", func(p string, e fs.DirEntry, err error) error {
		// What reads models is loaded where one is shown, the panel of the keys with the menu, the touch screen where there is one.
		if err == nil && !e.IsDir() && p != "index.html" && !slices.Contains(late, p) && !strings.HasPrefix(p, "vendor/LICENSE") {
			page += sizeOf(t, h, folder+p, "gzip")
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}

	// The world is seen when its first frame has been drawn; the clock starts with the address.
	const look = `new Promise((done) => { const look = () => tidelock.counts.drawnFrames ? done(performance.now()) : setTimeout(look, 4); look(); })`
	const rounds = 5
	var first, second []float64
	firstMarks, secondMarks := map[string][]float64{}, map[string][]float64{}
	var w *tab
	seen := func(marks map[string][]float64) (ms float64) {
		w.eval(look, &ms)
		var at map[string]float64
		w.eval(`tidelock.loading`, &at)
		for what, ms := range at {
			marks[what] = append(marks[what], ms)
		}
		return ms
	}
	for n := range rounds {
		w = openTab(t, h, fmt.Sprintf("/?name=Cold%d&auto=1", n))
		first = append(first, seen(firstMarks))
		// A second visit begins once the first has ended: to clear away a page that draws takes its time, too.
		w.run(chromedp.Navigate("about:blank"))
		pass(2 * time.Second)
		w.open(w.address(h, fmt.Sprintf("/?name=Warm%d&auto=1", n)))
		second = append(second, seen(secondMarks))
		if n < rounds-1 {
			w.open(w.address(h, "/"))
		}
	}
	w.plays()
	until(t, "the level's shading is baked", func() bool { return w.is("tidelock.level.shaded") })
	pass(2 * time.Second)
	script := w.script(10 * time.Second)
	d := w.state()
	n := d.Numbers
	fmt.Printf("%-44s %10s  %s\n", "browser client", "measured", "to reach (W5)")
	for _, row := range []struct {
		what string
		is   float64
		unit string
		want string
	}{
		{"wasm, gzip", float64(wasm) / 1e6, "MB", "4.8"},
		{"wasm, brotli (.ci/release makes it)", float64(br) / 1e6, "MB", "3.9"},
		{"page and libraries, gzip", float64(page) / 1e3, "KB", "250"},
		{"first sight, cold browser, median of 5", median(first) / 1000, "s", "4"},
		{"second sight, median of 5", median(second) / 1000, "s", "2"},
		{"tick in the Worker, p50", n.TickP50, "ms", ""},
		{"tick in the Worker, p95", n.TickP95, "ms", "8"},
		{"engine's memory", n.Memory / 1e6, "MB", ""},
		{"Go heap of it", n.Heap / 1e6, "MB", "60"},
		{"JavaScript of the page", w.heap() / 1e6, "MB", ""},
		{"a drawn frame, this machine's graphics included", n.DrawMs, "ms", ""},
		{"JavaScript per drawn frame, graphics left out", script, "ms", "4"},
		{"draw calls", float64(d.Counts.Calls), "", "150"},
	} {
		fmt.Printf("%-44s %7.2f %-3s %s\n", row.what, row.is, row.unit, row.want)
	}
	for _, marks := range []map[string][]float64{firstMarks, secondMarks} {
		at := map[string]float64{}
		for what, of := range marks {
			at[what] = median(of)
		}
		fmt.Println("ms from the address on until:", at)
	}
	if wasm > 4_800_000 || br > 3_900_000 || page > 250_000 {
		t.Error("too large")
	}
}

// script is how long the page's own JavaScript runs for a drawn frame, in ms: what the graphics driver does in its calls, which is
// the processor's work on a machine without a graphics card, is left out.
func (w *tab) script(lasts time.Duration) float64 {
	w.t.Helper()
	before := w.state().Counts.DrawnFrames
	w.run(profiler.Enable(), profiler.Start())
	pass(lasts)
	var p *profiler.Profile
	w.run(chromedp.ActionFunc(func(ctx context.Context) (err error) {
		p, err = profiler.Stop().Do(ctx)
		return err
	}), profiler.Disable())
	own := map[int64]bool{}
	for _, n := range p.Nodes {
		own[n.ID] = n.CallFrame.URL != ""
	}
	var microseconds int64
	for i, id := range p.Samples {
		if own[id] {
			microseconds += p.TimeDeltas[i]
		}
	}
	return float64(microseconds) / 1000 / max(1, float64(w.state().Counts.DrawnFrames-before))
}

func median(of []float64) float64 {
	slices.Sort(of)
	return of[len(of)/2]
}
