//go:build unix

package web

import (
	"testing"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/tidelock/tidelock/tests/tier"
)

// TestInspectorEditor: a file of the scripts opens by keyboard with the host's text, a change of it runs and is written by Ctrl-S while the match goes on, and
// one with an error is told with its line and changes nothing.
func TestInspectorEditor(t *testing.T) {
	tier.Change(t)
	p := inspect(t, 0)
	const kite = "local Kite = class(\"Kite\", \"Actor\")\n\nKite.properties {\n\tPull = float(600), -- uu/s\n}\n\nreturn Kite\n"
	p.h.save("Kite.lua", kite)
	const panel = `document.querySelector("#scripts")`
	p.eval(`document.querySelector("#tab-scripts").click()`, nil)
	row := panel + `.querySelectorAll("tbody tr").values().find((r) => r.cells[0].textContent.endsWith("Kite.lua"))`
	p.untilTrue("the file is listed", `Boolean(`+row+`)`)
	p.eval(row+`.focus()`, nil)
	p.run(chromedp.KeyEvent(kb.Enter))
	p.untilTrue("it opens", panel+`.dataset.open?.endsWith("Kite.lua") && Boolean(`+panel+`.editor)`)
	if got := p.text(panel + `.editor.text()`); got != kite {
		t.Fatalf("the editor has %q", got)
	}
	ctrl := func(key string) { p.run(chromedp.KeyEvent(key, chromedp.KeyModifiers(input.ModifierCtrl))) }
	said := panel + `.querySelector(".said").textContent`
	ctrl(kb.End)
	p.run(chromedp.KeyEvent("-- a note"))
	p.untilTrue("it is typed", panel+`.editor.text().endsWith("-- a note")`)
	ctrl("s")
	p.untilTrue("saving needs a role", `document.querySelector("#unlock").open`)
	if text := p.h.script(t, "Kite.lua"); text != kite {
		t.Fatalf("saved without a role: %q", text)
	}
	p.eval(`document.querySelector("#unlock").close("close")`, nil)
	p.own()
	p.eval(panel+`.editor.focus()`, nil)
	ctrl("s")
	p.untilTrue("it is saved", said+`.startsWith("Saved.")`)
	if text := p.h.script(t, "Kite.lua"); text != kite+"-- a note" {
		t.Errorf("the file has %q", text)
	}
	p.picture("inspector-editor.png")
	p.eval(panel+`.editor.focus()`, nil)
	p.run(chromedp.KeyEvent(kb.Enter), chromedp.KeyEvent(")"))
	ctrl("s")
	p.untilTrue("the text is typed", panel+`.editor.text().endsWith("\n)")`)
	ctrl("s")
	p.untilTrue("an error is told with its line", said+`.includes(`+"`Kite.lua:${"+panel+`.editor.text().split("\n").length}:`+"`)")
	if text := p.h.script(t, "Kite.lua"); text != kite+"-- a note" {
		t.Errorf("a text with an error was written: %q", text)
	}
	// Another file opens in its place.
	p.eval(panel+`.editor.close(), `+panel+`.editor = undefined`, nil)
	p.eval(panel+`.querySelectorAll("tbody tr").values().find((r) => r.cells[0].textContent === "scripts/core/Pawn.lua").click()`, nil)
	p.untilTrue("another file opens", panel+`.dataset.open === "scripts/core/Pawn.lua"`)
	p.untilTrue("and has a text", panel+`.editor?.text().includes("class(\"Pawn\"")`)
	p.silent("401", "409")
}
