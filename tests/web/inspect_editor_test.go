//go:build unix

package web

import (
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// editor tries the editor of scripts: a file opens by keyboard with the host's text, a change of it runs and is written by Ctrl-S while the
// match goes on, and one with an error is told with its line and changes nothing. It needs the owner.
func (p *inspected) editor() {
	t := p.t
	const kite = "local Kite = class(\"Kite\", \"Actor\")\n\nreturn Kite\n"
	p.h.save("Kite.lua", kite)
	const panel = `document.querySelector("#scripts")`
	p.eval(`document.querySelector("#tab-scripts").click()`, nil)
	row := panel + `.querySelectorAll("tbody tr").values().find((r) => r.cells[0].textContent.endsWith("Kite.lua"))`
	p.untilTrue("the file is listed", `Boolean(`+row+`)`)
	p.eval(row+`.focus()`, nil)
	p.run(chromedp.KeyEvent(kb.Enter))
	p.untilTrue("it opens", panel+`.dataset.open?.endsWith("Kite.lua") && Boolean(`+panel+`.editor)`)
	until(t, "it has the host's text", func() bool { return p.text(panel+`.editor.text()`) == kite })
	ctrl := func(key string) { p.run(chromedp.KeyEvent(key, chromedp.KeyModifiers(input.ModifierCtrl))) }
	said := panel + `.querySelector(".said").textContent`
	ctrl(kb.End)
	p.run(chromedp.KeyEvent("-- a note"))
	p.untilTrue("it is typed", panel+`.editor.text().endsWith("-- a note")`)
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
}
