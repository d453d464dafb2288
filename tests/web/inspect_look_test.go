//go:build unix

package web

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"syscall"
	"testing"

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

// TestInspectorAsPlayer: the map shows the world as a player's client has it: what the API tells of each copy, chosen by keyboard from the
// connections or on the map, and the server's own view again when the player has gone.
func TestInspectorAsPlayer(t *testing.T) {
	needsTime(t)
	p := inspect(t, 2)
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

	p.run(chromedp.EmulateViewport(390, 780))
	p.untilTrue("the map as a player fits a phone", `document.documentElement.scrollWidth <= 390 && document.documentElement.scrollHeight <= 780`)
	p.run(chromedp.EmulateViewport(1200, 800))
	p.silent()

	p.h.stop(syscall.SIGKILL)
	p.untilTrue("the page says that the host has gone", `document.querySelector("#status").dataset.state === "lost"`)
	p.h.start()
	p.untilTrue("the next match is shown as the server has it", `document.querySelector("#status").dataset.state === "live" && document.querySelector("#map inspect-look select").value === "0" && document.querySelector("#map inspect-copies").hidden`)
	p.silent("ERR_CONNECTION", "ERR_INCOMPLETE", "ERR_EMPTY", "ERR_NETWORK", "502", "Failed to load")
}
