//go:build unix

package web

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tidelock/tidelock/tests/tier"
)

// soon is how soon a saved file is seen by the page (W3.7), of twenty times the slowest left out.
const soon = 400 * time.Millisecond

// A saved script, look, sound, model, picture and level are seen without a reload of the page, and a script with an error is refused
// (W3.7, W6).
func TestSaved(t *testing.T) {
	tier.Change(t)
	h := startHost(t, "flat?game=WebGame")
	w := openTab(t, h, "/?name=Ann&draw=0")
	w.plays()
	w.eval(`window.sameDocument = true`, nil)
	text := h.script(t, "WebSign.lua")
	var took []time.Duration
	for round := 1; round <= longer(5, 50); round++ {
		x := 10 * round
		took = append(took, w.after(fmt.Sprintf(`Math.abs((tidelock.seen.find((a) => a.class === "WebSign")?.place[0] ?? -1) - %d) < 0.5`, x), func() {
			h.save("WebSign.lua", strings.Replace(text, "vector(0, 600, 100)", fmt.Sprintf("vector(%d, 600, 100)", x), 1))
		}))
	}
	w.soon(took)
	h.quiet()

	h.save("WebSign.lua", "local WebSign = class(\"WebSign\"\n")
	until(t, "the host refuses it", func() bool { return len(h.log("ERROR ")) > 0 })
	from := w.state().Tick
	if d := w.until("the page goes on", func(d debug) bool { return d.Tick > from+60 }); d.State != "playing" {
		t.Errorf("the page is %s", d.State)
	}

	took = took[:0]
	look := func(keys string) {
		h.save("WebSign.lua", strings.Replace(text, "function WebSign.simulated:Tick", "WebSign.looks { "+keys+" }\n\nfunction WebSign.simulated:Tick", 1))
	}
	for round := range longer(5, 50) {
		color := fmt.Sprintf("#%06x", 0x102030+round)
		took = append(took, w.after(`tidelock.seen.find((a) => a.class === "WebSign")?.color === "`+color+`"`, func() { look(`color = "` + color + `"`) }))
	}
	w.soon(took)

	took = took[:0]
	for round := range longer(3, 50) {
		caption := fmt.Sprintf("a sign creaks for the %dth time", round)
		took = append(took, w.after(`tidelock.captions["sounds/sign.toml"] === "`+caption+`"`, func() {
			h.put("sounds/sign.toml", fmt.Appendf(nil, "radius = 500\ncaption = %q\n", caption))
		}))
	}
	w.soon(took)

	same := func() {
		t.Helper()
		if !w.is(`window.sameDocument === true`) {
			t.Error("the page was reloaded")
		}
		w.quiet()
	}
	same()
	if n := len(h.log(`"Ann"`)); n != 1 {
		t.Errorf("the player came in %d times", n)
	}
	w.open(w.address(h, "/?name=Ann")) // software draws slowly: what follows is not timed
	w.plays()
	w.eval(`window.sameDocument = true`, nil)
	for _, file := range []string{"models/arrow.glb", "images/sign.png"} {
		data, err := os.ReadFile("testdata/content/" + file)
		if err != nil {
			t.Fatal(err)
		}
		h.put(file, data)
	}
	look(`shape = "none", parts = { { shape = "box", model = "models/arrow.glb" }, { shape = "sprite", image = "images/sign.png" } }`)
	w.until("the page shows both", func(d debug) bool { return d.Shown.Models == 2 })

	before := w.drawn(func(debug) bool { return true })
	h.put("materials/floor.toml", []byte("color = \"#d02020\"\n"))
	until(t, "the floor is red", func() bool { return changed(t, before, w.picture()) > seenPixels })

	level, err := os.ReadFile(filepath.Join(root, "content/levels/flat.map"))
	if err != nil {
		t.Fatal(err)
	}
	triangles := w.state().Level.Triangles
	floor := regexp.MustCompile(`(?s)\{\n\( -16000.*?\n\}\n`).Find(level)
	higher := strings.NewReplacer("16000", "500", " 0 )", " 20 )", "-128", "10").Replace(string(floor))
	h.put("levels/flat.map", []byte(strings.Replace(string(level), string(floor), string(floor)+higher, 1)))
	until(t, "the host has looked at the level", func() bool { return len(h.log("level flat changed")) > 0 })
	h.say("reload level")
	d := w.until("the level has another brush", func(d debug) bool { return d.Level.Triangles > triangles && d.State == "playing" })
	if d.Level.Name != "flat" {
		t.Errorf("the level is %q", d.Level.Name)
	}
	same()
	h.quiet("WebSign.lua", "reload")
}

// after does something, and gives the time until an expression of the page is true.
func (w *tab) after(is string, do func()) time.Duration {
	w.t.Helper()
	w.eval(fmt.Sprintf(`(window.waiting = new Promise((done) => {
		const look = () => %s ? done(performance.timeOrigin + performance.now()) : setTimeout(look, 4);
		look();
	}), true)`, is), nil)
	saved := time.Now()
	do()
	var at float64 // ms of Unix time
	w.eval("window.waiting", &at)
	return time.UnixMicro(int64(at * 1000)).Sub(saved)
}

// soon judges how long after they were saved files were seen.
func (w *tab) soon(took []time.Duration) {
	w.t.Helper()
	slices.Sort(took)
	p95 := took[(len(took)*95+99)/100-1]
	w.t.Logf("seen %v to %v after it was saved, p95 of %d: %v", took[0].Round(time.Millisecond), took[len(took)-1].Round(time.Millisecond), len(took), p95.Round(time.Millisecond))
	if tier.IsLong() && p95 > soon {
		w.t.Errorf("p95 is %v, at most %v are allowed (W3.7)", p95, soon)
	}
}
