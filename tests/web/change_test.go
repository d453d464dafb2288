//go:build unix

package web

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

// soon is how soon a saved file is seen by the page (W3.7), of twenty times the slowest left out.
const soon = 400 * time.Millisecond

// A saved script runs in the browser without a reload of the page.
func TestSavedScript(t *testing.T) {
	needsTime(t)
	h := startHost(t, "flat?game=WebGame")
	w := openTab(t, h, "/?name=Ann&draw=0")
	w.plays()
	w.eval(`window.sameDocument = true`, nil)
	text := h.script(t, "WebSign.lua")
	var took []time.Duration
	for round := 1; round <= longer(5, 50); round++ {
		x := 10 * round
		w.eval(fmt.Sprintf(`(window.waiting = new Promise((done) => {
			const look = () => Math.abs((tidelock.seen.find((a) => a.class === "WebSign")?.place[0] ?? -1) - %d) < 0.5 ? done(performance.timeOrigin + performance.now()) : setTimeout(look, 4);
			look();
		}), true)`, x), nil)
		saved := time.Now()
		h.save("WebSign.lua", strings.Replace(text, "vector(0, 600, 100)", fmt.Sprintf("vector(%d, 600, 100)", x), 1))
		var at float64 // ms of Unix time
		w.eval("window.waiting", &at)
		took = append(took, time.UnixMicro(int64(at*1000)).Sub(saved))
	}
	var same bool
	w.eval(`window.sameDocument === true`, &same)
	if !same {
		t.Error("the page was reloaded")
	}
	if n := len(h.log("(Ann, ")); n != 1 {
		t.Errorf("the player came in %d times", n)
	}
	slices.Sort(took)
	p95 := took[(len(took)*95+99)/100-1]
	t.Logf("seen %v to %v after it was saved, p95 of %d: %v", took[0].Round(time.Millisecond), took[len(took)-1].Round(time.Millisecond), len(took), p95.Round(time.Millisecond))
	if *long && p95 > soon {
		t.Errorf("p95 is %v, at most %v are allowed (W3.7)", p95, soon)
	}
	h.quiet()
	w.quiet()
}

// A script with an error is refused, and the page plays on.
func TestBrokenScript(t *testing.T) {
	needsTime(t)
	h := startHost(t, "flat?game=WebGame")
	w := openTab(t, h, "/?name=Ann&draw=0")
	w.plays()
	h.save("WebSign.lua", "local WebSign = class(\"WebSign\"\n")
	until(t, "the host refuses it", func() bool { return len(h.log("ERROR ")) > 0 })
	from := w.state().Tick
	d := w.until("the page goes on", func(d debug) bool { return d.Tick > from+60 })
	if d.State != "playing" {
		t.Errorf("the page is %s", d.State)
	}
	h.quiet("WebSign.lua", "reload")
	w.quiet()
}
