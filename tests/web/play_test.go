//go:build unix

package web

import (
	"math"
	"slices"
	"testing"

	"github.com/tidelock/tidelock/tests/tier"
)

// same is how far the page and the server may differ of where a body rests, in uu.
const same = 1

// atRest waits until the server's copy of a player's body rests, and returns where.
func (h *host) atRest(name string) (at [3]float64) {
	h.t.Helper()
	var last body
	until(h.t, name+" rests", func() bool {
		b, ok := h.body(name)
		still := ok && b.telling > last.telling && b.speed == 0 && b.at == last.at
		if b.telling > last.telling {
			last = b
		}
		at = b.at
		return still
	})
	return at
}

// arrives opens a page for a player and waits until the host has their body.
func arrives(t *testing.T, h *host, name, via string) *tab {
	t.Helper()
	w := openTab(t, h, "/?name="+name+"&via="+via)
	w.plays()
	if len(h.log(`("`+name+`", 127.0.0.1:`)) != 1 {
		t.Errorf("the host says of the player: %v", h.log(name))
	}
	until(t, "the host sees the player's body", func() bool { _, ok := h.body(name); return ok })
	w.until("the carrier is told", func(d debug) bool { return d.Via == via })
	w.until("the page knows the class of the sign", func(d debug) bool { return slices.Contains(d.Classes, "WebSign") })
	w.until("it is drawn", func(d debug) bool { return d.Counts.DrawnFrames > 0 && d.Actors.Drawn > 0 && d.Counts.Calls > 0 })
	return w
}

// tours turns ten degrees to the right by the mouse, walks ahead and aside by keys, and jumps.
func (w *tab) tours(h *host, name string) {
	w.t.Helper()
	w.capture()
	w.mouse(200, 0)
	const turn = 10 * math.Pi / 180
	w.until("the view has turned", func(d debug) bool { return math.Abs(d.View.Yaw-turn) < 0.001 })
	for key, toward := range map[string]float64{"KeyW": turn, "KeyD": turn + math.Pi/2} { // any order
		start := h.atRest(name)
		w.press(key, true)
		w.until("the body moved by 300 uu", func(d debug) bool { return distance(d.Place, start) > 300 })
		w.press(key, false)
		at := h.agrees(w, name)
		along := (at[0]-start[0])*math.Cos(toward) + (at[1]-start[1])*math.Sin(toward)
		if way := distance(at, start); along < 0.95*way {
			w.t.Errorf("%s led from %v to %v: %.0f uu of %.0f where the view looks", key, start, at, along, way)
		}
	}
	w.press("Space", true)
	w.until("it jumps", func(d debug) bool { return d.Place[2] > 100 })
	w.press("Space", false)
	h.atRest(name)
}

// agrees waits until a player rests, and the page has them where the server has, and returns where that is.
func (h *host) agrees(w *tab, name string) [3]float64 {
	h.t.Helper()
	at := h.atRest(name)
	w.until("the page and the server agree", func(d debug) bool { return distance(d.Place, at) <= same })
	return at
}

// A player who comes with a browser is in, walks by keys and looks by the mouse, and the server agrees on where they are; by either carrier.
// They see another one move.
func TestPlays(t *testing.T) {
	h := joinHost(t)
	w := arrives(t, h, "Ann", "wt")
	w.tours(h, "Ann")
	h.quiet()
	w.quiet()
	if !tier.IsChange() {
		return
	}
	other := arrives(t, h, "Bea", "ws")
	var from [3]float64
	w.until("Bea is seen", func(d debug) (ok bool) { from, ok = d.pawn("Bea"); return ok })
	other.tours(h, "Bea")
	rest := h.atRest("Bea")
	w.until("Bea is seen where the server has her", func(d debug) bool {
		at, ok := d.pawn("Bea")
		return ok && distance(at, rest) <= same && distance(at, from) > 100
	})
	h.quiet()
	w.quiet()
	other.quiet()
}

// A bot that is aimed at by the mouse and shot at dies, and the player scores.
func TestShoots(t *testing.T) {
	tier.Change(t)
	h := startHost(t, "flat?game=WebGame?bots=1")
	w := openTab(t, h, "/?name=Ann")
	w.plays()
	w.capture()
	down := false
	until(t, "the bot died", func() bool {
		bot, ok := h.body("Ada")
		if me, _ := h.body("Ann"); me.score > 0 && bot.deaths > 0 {
			return true
		}
		d := w.state()
		aimed := false
		if ok && bot.health > 0 {
			yaw := math.Atan2(bot.at[1]-d.Place[1], bot.at[0]-d.Place[0]) - d.View.Yaw
			const count = math.Pi / 180 / 20 // radians, at sensitivity 1
			right, up := math.Round(yaw/count), math.Round(-d.View.Pitch/count)
			aimed = math.Abs(right) <= 1 && math.Abs(up) <= 1
			if !aimed {
				w.mouse(right, -up)
			}
		}
		if aimed != down {
			w.button(aimed)
			down = aimed
		}
		return false
	})
	w.button(false)
	h.quiet()
	w.quiet()
}

// pawn is where a page has another player.
func (d debug) pawn(player string) (at [3]float64, ok bool) {
	for _, a := range d.Seen {
		if a.Player == player && a.Class == "ShooterPawn" {
			return a.Place, true
		}
	}
	return at, false
}

// With nothing drawn, over WebTransport and with nobody around, the server corrects none of a player's moves.
func TestRunsUncorrected(t *testing.T) {
	tier.Change(t)
	h := joinHost(t)
	w := openTab(t, h, "/?name=Ann&via=wt&draw=0")
	w.plays()
	before := w.state()
	for range longer(2, 12) {
		for _, hold := range [][]string{{"KeyW"}, {"KeyW", "KeyD"}, {"KeyD", "Space"}, {"KeyS", "ShiftLeft"}, {"KeyA"}, {"KeyA", "Space", "KeyW"}} {
			for _, k := range hold {
				w.press(k, true)
			}
			from := w.state().Tick
			w.until("forty ticks of running", func(d debug) bool { return d.Tick >= from+40 })
			for _, k := range hold {
				w.press(k, false)
			}
		}
	}
	h.agrees(w, "Ann")
	from := w.state().Tick
	d := w.until("two seconds of numbers", func(d debug) bool { return d.Tick >= from+120 })
	if d.Numbers.Corrections != before.Numbers.Corrections || before.Numbers.Corrections != 0 {
		t.Errorf("%d corrections in %d ticks", d.Numbers.Corrections, d.Tick-before.Tick)
	}
	if d.Counts.DrawnFrames != 0 {
		t.Errorf("%d frames were drawn", d.Counts.DrawnFrames)
	}
	t.Logf("%d ticks, ping %.0f ms", d.Tick-before.Tick, d.Numbers.Ping)
	h.quiet()
	w.quiet()
}
