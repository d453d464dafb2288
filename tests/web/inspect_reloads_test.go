//go:build unix

package web

import (
	"fmt"
	"strings"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// history is that of the scripts, as the API tells it.
type history struct {
	Versions []struct {
		Number int
		Why    string
		Runs   bool
		Files  []struct {
			Path           string
			Added, Removed int
			Lines          []string
		}
	}
	Attempts []struct {
		What    string
		Failed  bool
		Version int
		Lines   []string
	}
	Differences []string
}

// own makes the browser the owner, by the token.
func (p *inspected) own() {
	p.t.Helper()
	p.eval(fmt.Sprintf(`(document.querySelector("#role").click(), document.querySelector("#token").value = %q, document.querySelector("#use").click())`, p.token), nil)
	p.untilTrue("the owner is known", `document.querySelector("#role").textContent === "Owner"`)
}

// reloads tries the history of the scripts: every version is shown as the API tells it, with its difference, and every attempt with its
// result; undo and redo need a role, and work by keyboard. It makes the browser the owner.
func (p *inspected) reloads() {
	t := p.t
	const panel = `document.querySelector("#reloads")`
	told := func() (r history) { p.read("reloads", &r); return r }
	p.eval(`document.querySelector("#tab-reloads").click()`, nil)
	p.untilTrue("the first version is shown", panel+`.dataset.runs === "1"`)
	const kite = "local Kite = class(\"Kite\", \"Actor\")\n\nKite.properties {\n\tPull = float(600), -- uu/s\n}\n\nreturn Kite\n"
	p.h.save("Kite.lua", kite)
	until(t, "the file runs", func() bool { return len(told().Attempts) == 1 })
	if a := told().Attempts[0]; a.Failed {
		t.Fatalf("%+v", a)
	}
	p.command("set Kite.Pull 700")
	p.command("set Kite.Pull 800")
	p.h.save("Kite.lua", kite+")")
	until(t, "the broken file has failed", func() bool { a := told().Attempts; return len(a) == 4 && a[3].Failed })
	p.h.save("Kite.lua", kite+"-- whole\n")
	until(t, "the file is whole again", func() bool { a := told().Attempts; return len(a) == 5 && !a[4].Failed })
	r := told()
	if len(r.Versions) < 4 || r.Versions[3].Why != "set Kite.Pull = 800" {
		t.Fatalf("%+v", r.Versions)
	}
	rows := func(table string, cell int) string {
		return fmt.Sprintf(panel+`.querySelectorAll("[aria-label='%s'] tbody tr").values().map((r) => r.cells[%d].textContent).toArray()`, table, cell)
	}
	var numbers, whys, results []string
	for i := range r.Versions {
		v := r.Versions[len(r.Versions)-1-i]
		numbers, whys = append(numbers, fmt.Sprint(v.Number)), append(whys, v.Why)
	}
	for i := range r.Attempts {
		a := r.Attempts[len(r.Attempts)-1-i]
		result := fmt.Sprintf("version %d", a.Version)
		if a.Failed {
			result = "failed"
		}
		results = append(results, result)
	}
	p.same("the versions are those of the API", rows("Versions", 0), numbers)
	p.same("and what made them", rows("Versions", 2), whys)
	p.same("attempts have their results", rows("Attempts", 1), results)

	// By keyboard: the version of the second set, its difference, and undo, which needs the role.
	p.eval(panel+`.querySelector("[aria-label=Versions] tbody tr").focus()`, nil)
	steps := len(r.Versions) - 4
	for range steps {
		p.run(chromedp.KeyEvent(kb.ArrowDown))
	}
	p.run(chromedp.KeyEvent(kb.Enter))
	p.untilTrue("Enter shows a version", panel+`.dataset.chosen === "4"`)
	if f := r.Versions[3].Files; len(f) != 1 || f[0].Added != 1 || f[0].Removed != 1 {
		t.Fatalf("%+v", f)
	}
	p.same("its difference is the API's", panel+`.querySelectorAll(".diff span").values().map((s) => s.textContent.trimEnd()).toArray()`, trimmed(r.Versions[3].Files[0].Lines))
	p.picture("inspector-reloads.png")
	p.eval(panel+`.undo.focus()`, nil)
	p.run(chromedp.KeyEvent(kb.Enter))
	p.untilTrue("a change needs a role", `document.querySelector("#unlock").open`)
	p.eval(`document.querySelector("#unlock").close("close")`, nil)
	p.own()
	runs := p.text(panel + `.dataset.runs`)
	p.eval(panel+`.undo.focus()`, nil)
	p.run(chromedp.KeyEvent(kb.Enter))
	p.untilTrue("undo makes another version run", panel+`.dataset.runs !== `+fmt.Sprintf("%q", runs))
	p.eval(`document.querySelectorAll("#reloads [aria-label=Versions] tbody tr").values().find((r) => r.cells[0].textContent === "3").click()`, nil)
	p.untilTrue("a version that does not run can be chosen to", `!`+panel+`.go.disabled`)
	p.eval(panel+`.go.click()`, nil)
	p.untilTrue("and runs then", panel+`.dataset.runs === "3"`)
	for _, v := range told().Versions {
		if v.Runs != (v.Number == 3) {
			t.Errorf("version %d: runs %t", v.Number, v.Runs)
		}
	}
	p.eval(panel+`.write.click()`, nil)
	p.untilTrue("what runs is written", panel+`.write.disabled && `+panel+`.told.textContent.includes("what the files say")`)
	if text := p.h.script(t, "Kite.lua"); !strings.Contains(text, "Pull = float(700), -- uu/s") {
		t.Error("the file does not have what ran")
	}
	p.eval(`document.querySelectorAll("#reloads [aria-label=Attempts] tbody tr").values().find((r) => r.cells[1].textContent === "failed").click()`, nil)
	p.untilTrue("an attempt that failed says why", panel+`.querySelector(".details .bad")?.textContent.includes("Kite.lua")`)
}

// trimmed are lines without the spaces at their ends.
func trimmed(lines []string) (out []string) {
	for _, l := range lines {
		out = append(out, strings.TrimRight(l, " \t"))
	}
	return out
}
