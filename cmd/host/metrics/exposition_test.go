package metrics

import (
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"runtime"
	"testing"

	"github.com/tidelock/tidelock/cmd/host/histogram"
)

// TestExposition holds each rule of the text format to the bytes.
func TestExposition(t *testing.T) {
	var e exposition
	e.family("empty", "A family without samples.", gauge)
	e.family("a", "Back\\slash, \"quotes\" and\nline.", gauge)
	e.sample("l", "back\\slash, \"quotes\",\nline, é and \xff", 1e6)
	e.sample("l", "", math.Inf(-1))
	e.counter("b_total", "b", math.NaN())
	e.gauge("c", "c", math.Inf(1))
	h := histogram.New(histogram.Scale{0.5, 2})
	for _, v := range []float64{0.25, 0.5, 1, 3} {
		h.Add(v)
	}
	e.histogram("d", "d", &h)
	e.count("_count", "", "", 1<<53+1)
	want := `# HELP a Back\\slash, "quotes" and\nline.
# TYPE a gauge
a{l="back\\slash, \"quotes\",\nline, é and �"} 1e+06
a{l=""} -Inf
# HELP b_total b
# TYPE b_total counter
b_total NaN
# HELP c c
# TYPE c gauge
c +Inf
# HELP d d
# TYPE d histogram
d_bucket{le="0.5"} 2
d_bucket{le="2"} 3
d_bucket{le="+Inf"} 4
d_sum 4.75
d_count 4
d_count 9007199254740993
`
	if got := string(e.text); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// TestProcessFigures: a host shows the figures of the runtime and of the process that docs/operating.md names, and no others.
func TestProcessFigures(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux shows all of them")
	}
	doc, err := os.ReadFile("../../../docs/operating.md")
	if err != nil {
		t.Fatal(err)
	}
	named, shown := map[string]bool{}, map[string]bool{}
	for _, m := range regexp.MustCompile("`((?:go|process)_[a-z_]+)").FindAllStringSubmatch(string(doc), -1) {
		named[m[1]] = true
	}
	text := scrape(t, NewBoard(newClock().now))
	for _, m := range regexp.MustCompile(`(?m)^# TYPE ((?:go|process)_\S+)`).FindAllStringSubmatch(text, -1) {
		shown[m[1]] = true
		if !named[m[1]] {
			t.Errorf("docs/operating.md does not name %s", m[1])
		}
	}
	for name := range named { // any order: each on its own
		if !shown[name] {
			t.Errorf("no host shows %s", name)
		}
	}
	if zero := regexp.MustCompile(`(?m)^(?:go_memstats|go_thr|go_gorou|process)\w+ 0$`).FindAllString(text, -1); len(zero) > 0 {
		t.Errorf("%v cannot be", zero)
	}
}

// TestTooManyScrapes: a request beyond the limit is refused, until one of the others has been answered.
func TestTooManyScrapes(t *testing.T) {
	h := &handler{NewBoard(newClock().now), "", make(chan struct{}, 1)}
	code := func() int {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/metrics", nil))
		return w.Code
	}
	if first, second := code(), code(); first != http.StatusOK || second != http.StatusOK {
		t.Fatalf("one after the other: %d, %d", first, second)
	}
	h.running <- struct{}{} // another scrape
	if c := code(); c != http.StatusServiceUnavailable {
		t.Errorf("beyond the limit: %d", c)
	}
}
