//go:build unix

package web

import "testing"

// crowd checks that five hundred moving actors of one look are drawn by as many calls of the graphics driver as one of them.
func crowd(t *testing.T, h *host, w *tab) {
	t.Helper()
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
}
