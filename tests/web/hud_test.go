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

// What the sample's HUD draws in Lua reaches the page and its pixels: health, ammunition, the clock, the table of scores while its key is
// held, and what the dead wait for (W4.1).
func TestHUD(t *testing.T) {
	tier.Change(t)
	h := startHost(t, "flat?game=WebGame?timelimit=9")
	w := openTab(t, h, "/?name=Ann")
	w.plays()
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
	d := w.until("the HUD shows the clock and the ammunition", func(d debug) bool { return d.says(`^[0-8]:\d\d$`, "top") && ammo(d) > 0 })
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
	h.quiet()
	w.quiet()
}

// What a player types is read by the others, and what is typed to the team by the team alone (W4.2).
func TestChat(t *testing.T) {
	tier.Change(t)
	h := startHost(t, "flat?game=TeamDeathMatch?bots=0")
	names := []string{"Ann", "Bea", "Cid"}
	tabs := map[string]*tab{}
	for _, name := range names {
		w := openTab(t, h, "/?name="+name+"&draw=0")
		w.plays()
		tabs[name] = w
	}
	teams := map[string]int{}
	tabs["Ann"].until("the teams are known", func(d debug) bool {
		for _, a := range d.Seen {
			if a.Class == "ShooterPawn" {
				teams[a.Player] = a.Team
			}
		}
		return len(teams) == len(names)
	})
	if teams["Ann"] != teams["Cid"] || teams["Ann"] == teams["Bea"] {
		t.Fatalf("the teams are %v: Ann and Cid were to be in one", teams)
	}
	say := func(w *tab, key, kind, text string) {
		t.Helper()
		w.tap(key)
		w.until("the line is open", func(d debug) bool { return d.Chat == kind })
		w.write(text)
		w.tap("Enter")
		w.until("it is closed", func(d debug) bool { return d.Chat == "" })
	}
	reads := func(name, text string) {
		t.Helper()
		tabs[name].until(name+" reads "+text, func(d debug) bool { return d.says("^"+text+"$", "bottom-left") })
	}
	say(tabs["Ann"], "KeyT", "all", "wide open")
	for _, name := range names {
		reads(name, "Ann: wide open")
	}
	say(tabs["Ann"], "KeyY", "team", "left flank")
	reads("Cid", "Ann: left flank")
	// What is said later comes later: where this is read, the other would have been.
	say(tabs["Cid"], "Enter", "all", "good luck")
	reads("Bea", "Cid: good luck")
	if tabs["Bea"].state().says("left flank", "") || len(h.log("(team): left flank")) != 1 {
		t.Error("what was said to the team is read by the other")
	}
	for _, w := range tabs {
		w.quiet()
	}
	h.quiet()
}

// Settings take effect at once: motion, quality, the palette of the teams' colors and captions (W3.5, W4.3).
func TestSettings(t *testing.T) {
	tier.Change(t)
	h := startHost(t, "flat?game=WebGame")
	w := openTab(t, h, "/?name=Ann")
	w.plays()

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
	h.say("say team 0")
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
	back := func(deaths int) {
		t.Helper()
		until(t, "Ann is back", func() bool { b, ok := h.body("Ann"); return ok && b.health > 0 && b.deaths == deaths })
	}
	back(0)
	before := w.state().Shown.Sounds
	h.say("say hurt 100")
	w.until("the death is heard", func(d debug) bool { return d.Shown.Sounds > before })
	back(1)
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
	h.quiet()
	w.quiet()
}

// Pictures of the HUD in a match, with -pictures: in a fight, with the scores, dead.
func TestHUDPictures(t *testing.T) {
	if *pictures == "" {
		t.Skip("without -pictures")
	}
	h := startHost(t, "arena?game=DeathMatch?bots=7?goalscore=0")
	w := newTab(t)
	w.best(90)
	w.run(chromedp.EmulateViewport(960, 540))
	w.open(w.address(h, "/?name=Ann&auto=1"))
	w.plays()
	w.until("somebody was killed", func(d debug) bool { return d.says(".", "top-right") && d.says(`^\d+$`, "bottom-left") })
	save(t, "hud-fight.png", w.picture())
	w.press("Tab", true)
	w.until("the scores are there", func(d debug) bool { return d.says("^deaths$", "center") })
	save(t, "hud-scores.png", w.picture())
	w.press("Tab", false)
	w.until("the player is dead", func(d debug) bool { return d.says("^You come back", "center") })
	from := w.state().Counts.DrawnFrames
	w.until("the eyes have left the body", func(d debug) bool { return d.Counts.DrawnFrames > from+2 })
	save(t, "hud-death.png", w.picture())
	w.quiet()
}
