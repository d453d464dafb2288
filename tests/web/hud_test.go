//go:build unix

package web

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/tidelock/tidelock/tests/tier"
)

// call is a call of the canvas: its kind, and its parts that are texts.
type call struct {
	kind  string
	texts []string
}

// calls are what the match's HUD draws.
func (d debug) calls() (list []call) {
	for _, parts := range d.Canvas {
		c := call{}
		for i, part := range parts {
			switch text, ok := part.(string); {
			case !ok:
			case i == 0:
				c.kind = text
			default:
				c.texts = append(c.texts, text)
			}
		}
		list = append(list, c)
	}
	return list
}

// says reports whether the HUD draws a text that a pattern matches, at an anchor; "" is any.
func (d debug) says(pattern, anchor string) bool { return d.said(pattern, anchor) != "" }

// said is the first text that the HUD draws of those, "" for none.
func (d debug) said(pattern, anchor string) string {
	re := regexp.MustCompile(pattern)
	for _, c := range d.calls() {
		if c.kind == "text" && len(c.texts) == 4 && re.MatchString(c.texts[0]) && (anchor == "" || c.texts[3] == anchor) {
			return c.texts[0]
		}
	}
	return ""
}

// ink is the color of the canvas at a place, whose x and y are those of a call at an anchor at the left or the top.
func (w *tab) ink(x, y float64, anchor string) (color string) {
	w.t.Helper()
	var rgba [4]int
	w.eval(fmt.Sprintf(`(() => {
		const c = document.getElementById("canvas"), scale = Math.min(c.width / 1920, c.height / 1080);
		return [...c.getContext("2d").getImageData(%v * scale, (%q.startsWith("bottom") ? c.height : 0) + %v * scale, 1, 1).data];
	})()`, x, anchor, y), &rgba)
	return fmt.Sprintf("#%02x%02x%02x", rgba[0], rgba[1], rgba[2])
}

// set chooses a setting of the panel, as a player does.
func (w *tab) set(key, value string) {
	w.t.Helper()
	w.eval(fmt.Sprintf(`(() => {
		const field = document.getElementById("set-" + %q);
		if (field.type === "checkbox") field.checked = %q === "true";
		else field.value = %q;
		field.dispatchEvent(new Event("change", { bubbles: true }));
	})()`, key, value, value), nil)
}

// What a player has on the page of a match: the HUD, the chat, the console and the settings.
func TestHUD(t *testing.T) {
	tier.Change(t)
	h := startHost(t, "flat?game=WebGame?timelimit=30")
	w := openTab(t, h, "/?name=Ann")
	w.plays()
	w.hud(h)
	w.chat(h)
	w.console(h)
	w.settings(h)
	h.quiet("WARN command") // that it was refused
	w.quiet()
}

// hud: what the sample's HUD draws in Lua reaches the page and its pixels: health, ammunition, the clock, the table of scores while its key is
// held, and what the dead wait for (W4.1).
func (w *tab) hud(h *host) {
	t := w.t
	// The bar below the health is full in its left part at any health.
	const barX, barY = 66, -50
	health := func(value, color string) {
		t.Helper()
		w.until("the HUD shows a health of "+value, func(d debug) bool { return d.says("^"+value+"$", "bottom-left") })
		until(t, "the bar is "+color, func() bool { return w.ink(barX, barY, "bottom-left") == color })
	}
	ammo := func(d debug) int {
		n, err := strconv.Atoi(d.said(`^\d+$`, "bottom-right"))
		if err != nil {
			return -1
		}
		return n
	}
	health("100", "#5bc0be")
	d := w.until("the HUD shows the clock and the ammunition", func(d debug) bool { return d.says(`^[0-9]+:\d\d$`, "top") && ammo(d) > 0 })
	loaded := ammo(d)
	if !slices.ContainsFunc(d.calls(), func(c call) bool { return c.kind == "icon" && c.texts[0] == "ammo" }) {
		t.Error("there is no icon of ammunition")
	}
	w.capture()
	down := false
	w.until("a shot is taken off", func(d debug) bool {
		down = !down // the page may not know yet that the mouse is captured
		w.button(down)
		return ammo(d) < loaded && ammo(d) >= 0
	})
	w.button(false)
	h.say("say hurt 80")
	health("20", "#ff6b60")
	if d := w.state(); d.says("^deaths$", "") {
		t.Error("the table of scores is there without its key")
	}
	w.press("Tab", true)
	w.until("Tab shows the scores", func(d debug) bool { return d.says("^deaths$", "center") && d.says("^Ann$", "center") })
	w.press("Tab", false)
	w.until("the scores are gone", func(d debug) bool { return !d.says("^deaths$", "") })
	h.say("say hurt 100")
	w.until("the HUD says when the player comes back", func(d debug) bool { return d.says(`^You come back in \d s$`, "center") })
	health("100", "#5bc0be")
}

// chat: what a player types is said to all or to the team, by the key that opened the line, and is read (W4.2). Whom it reaches is tried in
// tests/scenarios/chat.lua.
func (w *tab) chat(h *host) {
	h.say("say team 0")
	h.say("eval world.Game.bTeamGame = true")
	for _, c := range []struct{ key, kind, text, said string }{
		{"KeyT", "all", "wide open", ": wide open"}, {"KeyY", "team", "left flank", "(team): left flank"}, {"Enter", "all", "good luck", ": good luck"},
	} {
		w.tap(c.key)
		w.until("the line is open", func(d debug) bool { return d.Chat == c.kind })
		w.write(c.text)
		w.tap("Enter")
		w.until("it is closed", func(d debug) bool { return d.Chat == "" })
		w.until("it is read: "+c.text, func(d debug) bool { return d.says("^Ann: "+c.text+"$", "bottom-left") })
		if len(h.log(c.said)) != 1 {
			w.t.Errorf("expected the host to say %q once: %q", c.said, h.log(c.text))
		}
	}
}

// settings take effect at once: motion, quality, the palette of the teams' colors and captions (W3.5, W4.3).
func (w *tab) settings(h *host) {
	t := w.t
	quiet := func(d debug) bool { return d.Shown.Particles == 0 }

	// Motion: an explosion shakes the picture, unless the player or the system says no.
	shakes := func() bool {
		t.Helper()
		from := w.until("what was before is over", quiet)
		h.stage("Explosion")
		w.until("it has been seen", func(d debug) bool { return d.Shown.Effects > from.Shown.Effects && d.Shown.Particles > 0 })
		d := w.until("it is over", quiet)
		h.stage("")
		return d.Counts.Shaken > from.Counts.Shaken
	}
	w.set("motion", "full")
	if !shakes() {
		t.Error("an explosion does not shake the picture")
	}
	w.set("motion", "reduced")
	if shakes() {
		t.Error("the picture shakes though motion is reduced")
	}
	w.set("motion", "system")
	if !shakes() {
		t.Error("an explosion does not shake the picture where the system says nothing")
	}
	w.run(chromedp.ActionFunc(emulation.SetEmulatedMedia().WithFeatures([]*emulation.MediaFeature{{Name: "prefers-reduced-motion", Value: "reduce"}}).Do))
	if shakes() {
		t.Error("the picture shakes though the system asks for little motion")
	}

	// Quality: with shadows there is a pass more, and the fast picture has half the pixels on each side.
	frame := func(what string, quality int) debug {
		t.Helper()
		d := w.until(what, func(d debug) bool { return d.Counts.Quality == quality && quiet(d) })
		return w.until("it is drawn", func(n debug) bool { return n.Counts.DrawnFrames >= d.Counts.DrawnFrames+3 })
	}
	width := func() (pixels int) { w.eval(`document.getElementById("view").width`, &pixels); return pixels }
	w.set("quality", "best")
	best, wide := frame("the quality is best", 0).Counts.Calls, width()
	w.set("quality", "fast")
	fast, narrow := frame("the quality is low", 3).Counts.Calls, width()
	if fast >= best || 2*narrow != wide {
		t.Errorf("best are %d calls and %d pixels, fast %d and %d: shadows take calls, and half the pixels were expected", best, wide, fast, narrow)
	}

	// The palette: the own body, in third person, has other colors in the next frame, and its own ones again.
	w.until("the player has a team", func(d debug) bool {
		return slices.ContainsFunc(d.Seen, func(a seen) bool { return a.Own && a.Team == 0 && a.Class == "ShooterPawn" })
	})
	w.tap("KeyV")
	h.atRest("Ann")
	look := func() []byte { t.Helper(); return w.drawn(quiet) }
	look()
	first := look()
	noise := changed(t, first, look())
	for _, palette := range []string{"deuteranopia", "tritanopia", "contrast"} {
		w.set("palette", palette)
		if n := changed(t, first, look()); n < seenPixels+3*noise {
			t.Errorf("palette %s changes %d pixels, %d change by themselves", palette, n, noise)
		}
	}
	w.set("palette", "match")
	if n := changed(t, first, look()); n > seenPixels+2*noise {
		t.Errorf("%d pixels are not as they were with the match's colors, %d change by themselves", n, noise)
	}

	// Captions are of what is heard, once they are requested.
	me, _ := h.body("Ann")
	before := w.state().Shown.Sounds
	h.say("say hurt 100")
	w.until("the death is heard", func(d debug) bool { return d.Shown.Sounds > before })
	until(t, "Ann is back", func() bool { b, ok := h.body("Ann"); return ok && b.health > 0 && b.deaths == me.deaths+1 })
	if text := w.text("#captions"); text != "" {
		t.Errorf("there are captions, which nobody asked for: %q", text)
	}
	w.set("captions", "true")
	h.say("say hurt 100")
	until(t, "a caption tells of the death", func() bool { return w.text("#captions") == "[a last cry]" })
	w.set("captions", "false")
	if text := w.text("#captions"); text != "" {
		t.Errorf("captions stay: %q", text)
	}
}
