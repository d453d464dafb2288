//go:build unix

package web

import (
	"testing"

	"github.com/tidelock/tidelock/tests/tier"
)

// maxCalls is how many calls of the graphics driver a frame of a match of eight takes at most.
const maxCalls = 150

// Five hundred moving actors of one look are drawn by as many calls of the graphics driver as one of them.
func TestCrowd(t *testing.T) {
	tier.Change(t)
	h := startHost(t, "flat?game=WebGame")
	w := newTab(t)
	w.best(90) // with the pass of the shadows
	w.open(w.address(h, "/?name=Ann"))
	w.plays()
	// calls is what a frame takes once so many dots are there, and effects are over.
	calls := func(dots int) int {
		t.Helper()
		d := w.until("the dots are there", func(d debug) bool { return staged(d, "WebDot") == dots && d.Shown.Particles == 0 })
		from := d.Counts.DrawnFrames
		return w.until("they are drawn", func(d debug) bool { return d.Counts.DrawnFrames >= from+3 }).Counts.Calls
	}
	none := calls(0)
	empty := w.picture()
	h.say("say crowd 1")
	one := calls(1)
	h.say("say crowd 500")
	all := calls(500)
	t.Logf("%d calls without a dot, %d with one, %d with 500", none, one, all)
	if one <= none {
		t.Errorf("%d calls with a dot and %d without: it is not drawn", one, none)
	}
	if all != one {
		t.Errorf("500 dots take %d calls more than one", all-one)
	}
	if n := changed(t, empty, w.picture()); n < 10*500 {
		t.Errorf("%d pixels change when 500 dots are there, at least ten for each were expected", n)
	}
	at := func(d debug) map[int]float64 {
		heights := map[int]float64{}
		for _, a := range d.Seen {
			if a.Class == "WebDot" {
				heights[a.Slot] = a.Place[2]
			}
		}
		return heights
	}
	before := at(w.state())
	w.until("all of them move", func(d debug) bool {
		moved := 0
		for slot, z := range at(d) {
			if z > before[slot] {
				moved++
			}
		}
		return moved == 500
	})
	h.quiet()
	w.quiet()
}

// A match of eight in the arena takes at most 150 calls a frame, with shadows.
func TestDrawCalls(t *testing.T) {
	tier.Change(t)
	h := startHost(t, "arena?game=DeathMatch?bots=7?goalscore=0?timelimit=0")
	w := newTab(t)
	w.best(90)
	w.open(w.address(h, "/?name=Ann&auto=1"))
	w.until("the player is in", func(d debug) bool { return d.State == "playing" && d.Counts.DrawnFrames > 0 })
	most, bodies, from := 0, 0, w.state().Tick
	w.until("a while of the match has been drawn", func(d debug) bool {
		most, bodies = max(most, d.Counts.Calls), max(bodies, staged(d, "ShooterPawn"))
		return d.Tick > from+longer(300, 3600)
	})
	t.Logf("up to %d calls a frame", most)
	if most > maxCalls || most == 0 {
		t.Errorf("a frame took %d calls, at most %d are allowed", most, maxCalls)
	}
	if bodies < 5 {
		t.Errorf("at most %d of the seven others were there at once", bodies)
	}
	h.quiet()
	w.quiet()
}
