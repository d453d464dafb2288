//go:build unix

package web

import (
	"strings"

	"github.com/chromedp/chromedp"
)

// console: a key opens it and closes it, a line of Lua runs in the page's own client, in its sandbox, and other lines are commands of
// the host, which need a role. No key plays meanwhile. A phone opens it from the menu.
func (w *tab) console(h *host) {
	t := w.t
	open := func() bool {
		return w.is(`!document.getElementById("console").hidden && document.activeElement.id === "consoleText"`)
	}
	answers := func() string { return w.text("#console [role=log]") }
	run := func(line, answer string) {
		t.Helper()
		w.write(line)
		w.tap("Enter")
		until(t, line+" is answered", func() bool { return strings.Contains(answers(), answer) })
	}
	if open() {
		t.Fatal("the console is open before anybody opened it")
	}
	w.tap("Backquote")
	until(t, "the console is open", open)
	start := h.atRest("Ann")
	run("eval world.NetMode == NM_Client, 20 + 1", "true, 21")
	run(`eval #world:ActorsOf("PlayerController")`, "1") // a client knows its own alone
	run("eval error('not ' .. 'so')", "not so")
	run("eval while true do end", "instruction budget spent")
	if faults := w.text("#console p.fault"); !strings.Contains(faults, "not so") {
		t.Errorf("an error looks like an answer: %q", faults)
	}
	// What a client changes in its copy the server does not know.
	run("eval world.Game", "nil")
	run("eval", "the line of Lua is missing")
	run("help", "eval LUA runs a line of Lua in your own copy")
	run("kick Ann", "only players with a role may give this command")
	w.tap("ArrowUp")
	w.tap("ArrowUp")
	if !w.is(`document.getElementById("consoleText").value === "help"`) {
		t.Error("the arrow does not bring back an earlier line")
	}
	w.tap("ArrowDown")
	w.tap("ArrowDown")
	w.press("KeyW", true)
	w.press("KeyW", false)
	if b, ok := h.body("Ann"); !ok || distance(b.at, start) > 1 {
		t.Errorf("a key played while the console was open: from %v to %v", start, b.at)
	}
	for _, problem := range w.unlabeled() {
		t.Error(problem)
	}
	w.tap("Escape")
	until(t, "Esc closes the console", func() bool { return w.is(`document.getElementById("console").hidden`) })
	w.press("KeyW", true)
	until(t, "keys play again", func() bool {
		b, ok := h.body("Ann")
		return ok && distance(b.at, start) > 50
	})
	w.press("KeyW", false)
	w.tap("Backquote")
	until(t, "it opens again", open)
	if !strings.Contains(answers(), "true, 21") {
		t.Error("earlier answers are gone")
	}
	w.tap("Backquote")
	until(t, "its key closes it", func() bool { return w.is(`document.getElementById("console").hidden`) })

	// A phone.
	w.run(chromedp.EmulateViewport(360, 640))
	w.tap("Escape")
	until(t, "the menu is open", func() bool { return w.is(`document.getElementById("menu").open`) })
	w.eval(`document.getElementById("openConsole").click()`, nil)
	until(t, "the menu's button opens the console", open)
	run("eval 'a long answer ' .. ('word '):rep(60)", "a long answer word")
	if !w.is(`document.documentElement.scrollWidth <= 360 && document.querySelector("#console button").getBoundingClientRect().right <= 360`) {
		t.Error("the console is wider than a phone")
	}
	w.eval(`document.querySelector("#console button").click()`, nil)
	until(t, "its button closes it", func() bool { return w.is(`document.getElementById("console").hidden`) })
	w.eval(`document.getElementById("menu").open && document.getElementById("resume").click()`, nil)
	w.run(chromedp.EmulateViewport(windowWidth, windowHeight))
}
