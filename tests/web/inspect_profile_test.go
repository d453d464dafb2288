//go:build unix

package web

import (
	"fmt"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp/kb"
)

// profile tries the panel of time: it shows what the API tells of phases, functions and stacks, and is searched, zoomed and read by keyboard.
func (p *inspected) profile() {
	t := p.t
	var before, after struct {
		Ticks  int
		Tick   float64
		Phases []struct {
			Name string
			Time float64
		}
	}
	p.read("profile", &before)
	p.eval(`document.querySelector("#tab-profile").click()`, nil)
	p.untilTrue("samples are shown", `document.querySelectorAll("#profile [role=treeitem]").length > 20 && document.querySelectorAll("#profile .list tbody tr").length > 20`)
	p.eval(`[...document.querySelectorAll("#profile button")].find((b) => b.textContent === "Hold").click()`, nil)
	p.read("profile", &after)
	const report = `document.querySelector("#profile").report`
	var ticks int
	p.eval(report+".ticks", &ticks)
	if ticks < before.Ticks || ticks > after.Ticks+200 { // the oldest seconds go
		t.Errorf("the page has %d ticks, the API had %d before and %d after", ticks, before.Ticks, after.Ticks)
	}
	for _, check := range []struct{ what, expression string }{
		{"the phases are those of the API", report + `.phases.every((x) => [...document.querySelectorAll("#profile .phases tbody tr")].some((r) => r.cells[0].textContent === x.name && r.cells[1].textContent === (x.time * 1000).toFixed(3)))`},
		{"they add up to the tick", `Math.abs(` + report + `.phases.reduce((s, x) => s + x.time, 0) - ` + report + `.tick) < 1e-9`},
		{"the functions are those of the API", report + `.functions.every((f, i) => { const r = document.querySelectorAll("#profile .list tbody tr")[i]; return r.cells[0].textContent === (f.class ? f.class + ":" + f.name : f.name) && r.cells[1].textContent === (f.exclusive * 1000).toFixed(3) && r.cells[5].textContent === (f.native ? "native" : f.file ? f.file + ":" + f.line : "") })`},
		{"they add up to the scripts", `Math.abs(` + report + `.functions.reduce((s, x) => s + x.exclusive, 0) - ` + report + `.phases[6].time) < 1e-9`},
		{"boxes are as wide as their time", `(() => { const w = document.querySelector("#profile flame-graph").getBoundingClientRect().width; return [...document.querySelectorAll("#profile [role=treeitem]")].every((b) => Math.abs(b.getBoundingClientRect().width - w * b.node.total / document.querySelector("#profile flame-graph").root.total) < 1) })()`},
		{"the minute is drawn", `(() => { const c = document.querySelector("#profile canvas"); return new Set(c.getContext("2d").getImageData(0, 0, c.width, c.height).data).size > 10 })()`},
	} {
		p.untilTrue(check.what, check.expression)
	}
	p.picture("inspector-time.png")

	// By keyboard: down to a function, which names its place, into it, and out again.
	p.eval(`document.querySelector("#profile [role=treeitem]").focus()`, nil)
	p.press(kb.ArrowDown)
	var leaf bool
	if p.eval(`document.activeElement.node.children.length === 0`, &leaf); leaf { // waiting for a processor, which comes first
		p.press(kb.ArrowRight)
	}
	p.press(kb.ArrowDown)
	p.untilTrue("the arrows go down", `document.activeElement.getAttribute("aria-level") === "3"`)
	p.untilTrue("the place is told", `/^[\w.:() ]+ \((native|[\w/.]+\.lua:\d+)\): [\d.]+ ms by itself/.test(document.querySelector("#profile .place").textContent)`)
	p.press(kb.Enter)
	p.untilTrue("Enter zooms", `document.activeElement.getBoundingClientRect().width > document.querySelector("#profile flame-graph").getBoundingClientRect().width - 2`)
	p.press(kb.Escape, kb.Escape)
	p.untilTrue("Escape zooms out", `document.querySelector("#profile flame-graph").zoomed === ""`)
	p.eval(`[...document.querySelectorAll("#profile [role=treeitem]")].find((b) => b.textContent === "Brain:Play").click()`, nil)
	p.untilTrue("a click zooms and names the file", `document.querySelector("#profile .place").textContent.startsWith("Brain:Play (scripts/core/Brain.lua:") && document.querySelector("#profile flame-graph").zoomed.includes("Brain:Play")`)
	p.eval(`document.querySelector("#profile input").focus()`, nil)
	p.press("B", "r", "a", "i", "n", ":", "P", "l")
	p.untilTrue("a search marks boxes and filters the table", `document.querySelector("#profile .found")?.textContent === "Brain:Play" && [...document.querySelectorAll("#profile .list tbody tr")].every((r) => r.cells[0].textContent.startsWith("Brain:Pl"))`)
	p.eval(`(() => { const i = document.querySelector("#profile input"); i.value = ""; i.dispatchEvent(new Event("input")); const s = document.querySelector("#profile select"); s.value = "classes"; s.dispatchEvent(new Event("change")); })()`, nil)
	p.untilTrue("classes are listed", report+`.classes.every((c, i) => document.querySelectorAll("#profile .list tbody tr")[i].cells[1].textContent === (c.exclusive * 1000).toFixed(3))`)

	p.run(emulation.SetEmulatedMedia().WithFeatures([]*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: "dark"}}))
	p.untilTrue("it is dark", `getComputedStyle(document.querySelector("#profile [aria-level='2']")).color === "rgb(255, 255, 255)"`)
	p.run(emulation.SetEmulatedMedia().WithFeatures(nil))
	p.eval(`[...document.querySelectorAll("#profile button")].find((b) => b.textContent === "Held").click()`, nil)
}

// errorsPanel tries the list of what fails on the server and on a client: it is as the API tells it, and a text of a script shows as it is.
func (p *inspected) errorsPanel() {
	t := p.t
	p.eval(`document.querySelector("#tab-errors").click()`, nil)
	p.untilTrue("the list is asked for", `document.querySelector("#errors").dataset.errors !== undefined`)
	p.h.save("WebFaulty.lua", `-- WebFaulty: fails on the server when it begins, and on players' machines in every tick.
local WebFaulty = class("WebFaulty")

WebFaulty.defaults {
	bAlwaysRelevant = true,
	RemoteRole = ROLE_SimulatedProxy,
}

function WebFaulty:PostBeginPlay()
	error("<b>broken</b> on the server")
end

function WebFaulty.simulated:Tick(_)
	if self.Role < ROLE_Authority then
		error("broken on a client")
	end
end

return WebFaulty
`)
	until(t, "the class is there", func() bool {
		var classes []struct{ Name string }
		p.read("classes", &classes)
		for _, c := range classes {
			if c.Name == "WebFaulty" {
				return true
			}
		}
		return false
	})
	p.command("spawn WebFaulty")
	p.command("spawn WebFaulty")
	row := func(side, message string) string {
		return fmt.Sprintf(`[...document.querySelectorAll("#errors tbody tr")].find((r) => r.cells[5].textContent.startsWith(%q) && r.cells[4].textContent.includes(%q))`, side, message)
	}
	p.untilTrue("the error on the server is listed", row("server", "<b>broken</b> on the server")+`?.cells[1].textContent === "2"`)
	p.untilTrue("its place is named", row("server", "<b>broken</b> on the server")+`.cells[2].textContent.endsWith("WebFaulty.lua:10")`)
	p.untilTrue("that of the client is listed with the player", row("client", "broken on a client")+`?.cells[6].textContent.length > 0`)
	var api struct {
		Errors []struct {
			Side, Message string
			Line          int
			Names         []string
		}
	}
	p.read("errors", &api)
	for _, e := range api.Errors {
		p.untilTrue("every error of the API is listed", row(e.Side, e.Message)+` !== undefined`)
		if e.Side == "client" && (e.Line != 15 || len(e.Names) != 1) {
			t.Errorf("the API tells %+v", e)
		}
	}
	p.eval(`document.querySelector("#errors input").focus()`, nil)
	p.press("o", "n", " ", "a", " ", "c")
	p.untilTrue("the list is filtered", `document.querySelectorAll("#errors tbody tr").length === 1`)
	p.press(kb.Tab, kb.Enter)
	p.untilTrue("a row chosen by Enter is told", `document.querySelector("#errors .place").textContent.includes("broken on a client") && document.querySelector("#errors .place").textContent.includes("WebFaulty.lua:15")`)
	p.picture("inspector-errors.png")
}
