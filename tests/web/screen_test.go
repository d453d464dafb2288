//go:build unix

package web

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/tidelock/tidelock/tests/tier"
)

// Joining, by the keyboard alone: a password in the address is not used, a wrong one is told with what to do, and the right one,
// typed where the keyboard is put, lets the player in (W4.4, W4.5).
func TestJoinScreen(t *testing.T) {
	h := startHost(t, "flat?game=WebGame", "--password", "sesame")
	w := openTab(t, h, "/?draw=0&password=sesame")
	if w.is(`location.search.includes("password")`) || !strings.Contains(w.text("#line"), "The address had a password in it") {
		t.Errorf("the address is kept, or nothing is said: %q", w.text("#line"))
	}
	until(t, "the host's answer is told", func() bool { return strings.Contains(w.text("#server"), "flat · answers in") })
	h.say(`eval world.GameState.JoinText = "The best\n1. <b>Ann</b>: 12 kills"`)
	until(t, "what the game tells is there, as text", func() bool {
		return w.text("#joinText") == "The best\n1. <b>Ann</b>: 12 kills" && w.is(`document.getElementById("joinText").getBoundingClientRect().height > 20`)
	})
	if !w.is(`document.activeElement.id === "name"`) {
		t.Error("the keyboard is not where the name goes")
	}
	w.write("Ann")
	w.tap("Enter")
	w.until("the host refuses", func(d debug) bool { return d.State == "closed" })
	for _, want := range []string{"Wrong password", "Type it below"} {
		if !strings.Contains(w.text("#fault"), want) {
			t.Errorf("%q is missing in %q", want, w.text("#fault"))
		}
	}
	until(t, "the keyboard is where the password goes", func() bool { return w.is(`document.activeElement.id === "password"`) })
	w.write("sesame")
	w.tap("Enter")
	w.plays()
	h.quiet("turned away at the gate", "wrong password")
	w.quiet()
}

// The menu: keys are bound to others and kept, settings take effect at once, F3 shows numbers; and the player's key, taken along,
// is the same player elsewhere: the newest one plays and the other is told (W4.3, W4.5, W4.6).
func TestMenu(t *testing.T) {
	tier.Change(t)
	h := joinHost(t)
	w := openTab(t, h, "/?name=Ann&draw=0")
	w.plays()
	w.tap("F3")
	until(t, "F3 shows numbers", func() bool {
		return strings.Contains(w.text("#numbers"), "WebTransport") && strings.Contains(w.text("#numbers table"), "B/s")
	})
	w.tap("Escape")
	until(t, "the menu is open", func() bool { return w.is(`document.getElementById("menu").open`) })

	// The keyboard reaches everything: tabs by arrows, the field of view by the arrow of a slider.
	w.eval(`document.getElementById("set-fov").focus()`, nil)
	w.tap("ArrowRight")
	if !w.is(`JSON.parse(localStorage.getItem("tidelock.settings")).fov === 91`) {
		t.Error("the field of view is not kept")
	}
	w.eval(`document.getElementById("tabSettings").focus()`, nil)
	w.tap("ArrowRight")
	if !w.is(`!document.getElementById("controls").hidden && document.activeElement.id === "tabControls"`) {
		t.Error("an arrow does not go to the next tab")
	}
	until(t, "the keys are shown", func() bool { return w.is(`document.querySelector("#actions [aria-label^='Forward: W']")`) })
	w.eval(`document.querySelector("#actions [aria-label^='Forward: W']").click()`, nil)
	w.tap("F3")
	if text := w.text("#controlsNote"); !strings.Contains(text, "F3 shows the numbers") {
		t.Errorf("a key of the page is taken: %q", text)
	}
	w.tap("KeyV")
	until(t, "the conflict is shown", func() bool { return strings.Contains(w.text("#actions"), "V is Third person, too") })
	for _, problem := range w.unlabeled() {
		t.Error(problem)
	}
	w.eval(`document.getElementById("resume").click()`, nil)
	until(t, "the menu is closed", func() bool { return !w.is(`document.getElementById("menu").open`) })
	walks := func(code string) {
		t.Helper()
		start := h.atRest("Ann")
		w.press(code, true)
		until(t, "the server sees the player walk by "+code, func() bool {
			b, ok := h.body("Ann")
			return ok && distance(b.at, start) > 100
		})
		w.press(code, false)
	}
	walks("KeyV")

	// Taken along: the key of the player, not the keys of the keyboard.
	var key string
	w.tap("Escape")
	w.eval(`(document.getElementById("tabPlayer").click(), document.getElementById("exportKey").click())`, nil)
	until(t, "the key is shown", func() bool {
		w.eval(`document.getElementById("keyText").value`, &key)
		return strings.HasPrefix(key, "tidelock-key:")
	})
	other := openTab(t, h, "/?draw=0")
	other.eval(fmt.Sprintf(`(document.getElementById("options").click(), document.getElementById("tabPlayer").click(), document.getElementById("keyText").value = %q,
		document.getElementById("importKey").click())`, key), nil)
	until(t, "the key is taken", func() bool { return strings.Contains(other.text("#keyNote"), "from the next join on") })
	other.eval(`(document.getElementById("resume").click(), document.getElementById("name").value = "Ann", document.getElementById("play").click())`, nil)
	other.plays()
	w.until("the first tab is told", func(d debug) bool { return d.State == "closed" })
	if text := w.text("#fault"); !strings.Contains(text, "You joined from somewhere else") {
		t.Errorf("it says %q", text)
	}
	if other.state().State != "playing" {
		t.Error("the newest does not play")
	}
	// What was bound is kept.
	w.run(chromedp.Reload())
	w.until("the page is back", func(d debug) bool { return d.State == "playing" })
	w.plays()
	walks("KeyV")
	h.quiet()
	w.quiet("(moved)", "(replaced)")
}

// unlabeled names controls of the menu and the join screen that a screen reader could say nothing of.
func (w *tab) unlabeled() (problems []string) {
	w.t.Helper()
	w.eval(`[...document.querySelectorAll("#console button, #console input, #menu button, #menu input, #menu select, #menu textarea, #join button, #join input")]
		.filter((e) => !(e.getAttribute("aria-label") || e.textContent.trim() || e.labels?.length))
		.map((e) => "no label: " + e.outerHTML.slice(0, 100))`, &problems)
	return problems
}
