//go:build unix

package web

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// command runs a command line as the owner and returns its answer.
func (p *inspected) command(line string) (lines []string) {
	p.h.t.Helper()
	body, err := json.Marshal(map[string]string{"line": line})
	if err != nil {
		p.h.t.Fatal(err)
	}
	r, err := http.NewRequest(http.MethodPost, "http://"+p.h.web+"/api/v1/exec", bytes.NewReader(body))
	if err != nil {
		p.h.t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+p.token)
	r.Header.Set("Content-Type", "application/json")
	a, err := http.DefaultClient.Do(r)
	if err != nil {
		p.h.t.Fatal(err)
	}
	defer func() { _ = a.Body.Close() }()
	b, err := io.ReadAll(a.Body)
	var got struct{ Answer []string }
	if err != nil || a.StatusCode != 200 || json.Unmarshal(b, &got) != nil {
		p.h.t.Fatalf("%s: %s %v: %s", line, a.Status, err, b)
	}
	return got.Answer
}

// choose chooses an option of a select, as a person does.
func (p *inspected) choose(selector, value string) {
	p.t.Helper()
	p.eval(fmt.Sprintf(`(() => { const s = document.querySelector(%q); s.value = %q; s.dispatchEvent(new Event("change")); })()`, selector, value), nil)
}

// same fails the test unless an expression of the page gives what the API told, as JSON.
func (p *inspected) same(what, expression string, want any) {
	p.t.Helper()
	b, err := json.Marshal(want)
	if err != nil {
		p.t.Fatal(err)
	}
	p.untilTrue(what, fmt.Sprintf(`JSON.stringify(%s) === JSON.stringify(%s)`, expression, b))
}

// asPlayer tries the map as a player's client has the world: what the API tells of each copy, chosen by keyboard from the connections or on
// the map.
func (p *inspected) asPlayer() {
	t := p.t
	type copied struct {
		ID          int
		Name, State string
		At          *[3]float64
		Error       float64
	}
	of := func(connection int) (list []copied) {
		p.read(fmt.Sprintf("copies?connection=%d", connection), &list)
		return list
	}
	players := p.connections()
	until(t, "the players have their copies", func() bool { return len(of(players[0].ID)) > 20 && len(of(players[1].ID)) > 20 })
	p.command("pause")

	p.eval(`document.querySelector("#tab-connections").click()`, nil)
	p.untilTrue("the players are listed", `document.querySelectorAll("#connections tbody tr").length === 2`)
	p.eval(`document.querySelectorAll("#connections tbody tr")[1].focus()`, nil)
	p.run(chromedp.KeyEvent(kb.Enter))
	p.untilTrue("Enter opens the map as the player", fmt.Sprintf(`!document.querySelector("#map").hidden && document.querySelector("#map select").value === "%d"`, players[1].ID))
	for i := range players {
		c := &players[len(players)-1-i] // the second, then the first
		p.choose("#map inspect-look select", fmt.Sprint(c.ID))
		want := map[string]string{}
		until(t, "a paused match comes to rest", func() bool { // what was sent before the pause arrives
			for _, x := range of(c.ID) {
				want[x.Name] = ""
				if x.At != nil {
					want[x.Name] = fmt.Sprintf("%.1f uu", x.Error)
				}
				if x.Error > 1 && x.State == "open" {
					return false
				}
			}
			return true
		})
		p.same("the copies are those that the API tells", `(() => { const o = {}; for (const r of document.querySelectorAll("#map inspect-copies tbody tr")) o[r.cells[0].textContent] = r.cells[1].textContent; return Object.fromEntries(Object.entries(o).sort()); })()`, want)
	}
	p.picture("inspector-copies.png")
	bright := func() string {
		return p.text(`(() => { const c = document.querySelector("#map canvas"); const d = c.getContext("2d").getImageData(0, 0, c.width, c.height).data; let n = 0; for (let i = 0; i < d.length; i += 4) n = (n * 31 + d[i] + 7 * d[i + 1] + 13 * d[i + 2]) >>> 0; return n; })()`)
	}
	p.untilTrue("actors are drawn", `document.querySelector("#map").dataset.drawn > 0`)
	before := bright()
	p.eval(`document.querySelector("#map [data-overlay=relevancy]").focus()`, nil)
	p.run(chromedp.KeyEvent(" "))
	until(t, "an overlay is switched off by keyboard", func() bool { return bright() != before })
	p.run(chromedp.KeyEvent(" "))
	until(t, "and on again", func() bool { return bright() == before })
	p.command("pause off")
}

// space tries the 3D view: it has the level's triangles and the actors, is moved by mouse and keyboard, opens the actor that is picked, and
// draws nothing while it is hidden; with a map of the same overlays.
func (p *inspected) space() {
	t := p.t
	const space = `document.querySelector("#space")`
	p.eval(`document.querySelector("#tab-space").click()`, nil)
	var mesh struct {
		Groups []struct {
			Count    int
			Contents string
			Model    int
		}
	}
	p.read("mesh", &mesh)
	triangles := 0
	for _, g := range mesh.Groups {
		triangles += g.Count / 3
	}
	if triangles < 100 {
		t.Fatalf("%d triangles", triangles)
	}
	p.untilTrue("the view is drawn", space+`.dataset.frames > 3 && `+space+`.dataset.triangles > 0`)
	colors := func() (n int) {
		p.eval(`(() => { const s = `+space+`; s.frame(); const c = document.createElement("canvas"); c.width = s.canvas.width; c.height = s.canvas.height; const g = c.getContext("2d"); g.drawImage(s.canvas, 0, 0); const d = g.getImageData(0, 0, c.width, c.height).data; const all = new Set(); for (let i = 0; i < d.length; i += 4) all.add(d[i] << 16 | d[i + 1] << 8 | d[i + 2]); return all.size; })()`, &n)
		return n
	}
	if n := colors(); n < 20 {
		t.Errorf("the view has %d colors", n)
	}
	p.picture("inspector-3d.png")
	p.eval(`(() => { const c = `+space+`.cut; c.value = c.max; c.dispatchEvent(new Event("input")); })()`, nil)
	p.untilTrue("it has all triangles that can be seen", fmt.Sprintf(space+`.dataset.triangles <= %d && `+space+`.dataset.triangles > %d`, triangles, triangles*3/4))

	// Keyboard: turn, fly, the next player, who is opened by Enter.
	p.command("pause")
	p.eval(space+`.canvas.focus()`, nil)
	at := func() string { return p.text(`JSON.stringify(` + space + `.camera)`) }
	for _, key := range []string{kb.ArrowLeft, kb.ArrowUp, "+", "w", "d", "e", "0", "n"} {
		before := at()
		p.run(chromedp.KeyEvent(key))
		until(t, "the key "+key+" moves the camera", func() bool { return at() != before })
	}
	p.untilTrue("the names of players are shown", `[...document.querySelectorAll("#space .labels span")].some((l) => !l.hidden && l.textContent)`)
	name := p.text(space + `.selected`)
	p.run(chromedp.KeyEvent(kb.Enter))
	p.untilTrue("Enter opens the player", fmt.Sprintf(`document.querySelector("#actors").dataset.actor === %q`, name))
	frames := p.text(space + `.dataset.frames`)
	p.untilTrue("the state goes on", `document.querySelector("#status").dataset.state === "live"`)
	p.command("step 5")
	until(t, "steps are told", func() bool { return p.text(`document.querySelector("#map").dataset.actors`) != "" })
	if now := p.text(space + `.dataset.frames`); now != frames {
		t.Errorf("the hidden view was drawn: %s frames, then %s", frames, now)
	}

	// Mouse: a drag turns, a click picks.
	p.eval(`document.querySelector("#tab-space").click()`, nil)
	p.untilTrue("it is drawn again", space+`.dataset.frames > `+frames)
	before := at()
	p.eval(`(() => { const c = `+space+`.canvas, r = c.getBoundingClientRect(), e = (type, x, y) => c.dispatchEvent(new PointerEvent(type, { pointerId: 1, clientX: r.left + x, clientY: r.top + y, bubbles: true })); c.setPointerCapture = () => {}; e("pointerdown", 300, 200); e("pointermove", 340, 220); e("pointerup", 340, 220); })()`, nil)
	if at() == before {
		t.Error("a drag does not turn the view")
	}
	p.eval(`document.querySelector("#actors").open("ShooterState_0")`, nil)
	p.eval(fmt.Sprintf(`(() => { const s = `+space+`; s.frame(); const a = s.state.actors.find((a) => a.name === %q); const at = s.spot(a.at); s.pick(at.x, at.y); })()`, name), nil)
	p.untilTrue("a click opens the actor", fmt.Sprintf(`!document.querySelector("#actors").hidden && document.querySelector("#actors").dataset.actor === %q`, name))

	// Overlays: what each draws on the map and in the 3D view is what the API tells.
	p.command("pause off")
	var nodes struct {
		Built bool
		Nodes []any
		Links map[string][]int
	}
	until(t, "bots have a graph", func() bool { p.read("navigation", &nodes); return nodes.Built })
	links := 0
	for _, l := range nodes.Links {
		links += len(l) / 2
	}
	for _, panel := range []string{"map", "space"} {
		p.eval(fmt.Sprintf(`document.querySelector("#tab-%s").click()`, panel), nil)
		lines := func() (n int) {
			p.eval(fmt.Sprintf(`Number(document.querySelector("#%s").dataset.lines)`, panel), &n)
			return n
		}
		set := func(name string) {
			p.eval(fmt.Sprintf(`document.querySelector("#%s [data-overlay=%s]").click()`, panel, name), nil)
		}
		set("navigation")
		until(t, "the graph is drawn on "+panel, func() bool { return lines() >= links+2*len(nodes.Nodes) })
		set("navigation")
		until(t, "and is not any more", func() bool { return lines() < links })
		set("brushes")
		until(t, "brushes are drawn on "+panel, func() bool { return lines() > 50 })
		set("brushes")
		var boxes []struct{ Solids []struct{ Name string } }
		p.read("boxes", &boxes)
		named := 0
		for _, b := range boxes {
			for _, s := range b.Solids {
				if s.Name != "" {
					named++
				}
			}
		}
		if named == 0 {
			t.Error("no pawn has hit boxes")
		}
		set("boxes")
		until(t, "hit boxes are drawn on "+panel, func() bool { return lines() >= 12*named })
		set("boxes")
		set("traces")
		until(t, "traces are drawn on "+panel, func() bool {
			var told []any
			p.read("traces", &told)
			return len(told) > 0 && lines() >= 1
		})
		set("traces")
		p.picture("inspector-overlays-" + panel + ".png")
	}
}
