//go:build unix

package web

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/tidelock/tidelock/tests/program"
	"github.com/tidelock/tidelock/tests/tier"
)

// inspected is a host with players, its inspector in a tab, and its token.
type inspected struct {
	*tab
	h     *host
	token string
}

func inspect(t *testing.T, players int) *inspected {
	t.Helper()
	file := filepath.Join(t.TempDir(), "token")
	h := newHost(t, "arena?game=DeathMatch?bots=2", "--admin-token", file)
	h.start()
	t.Cleanup(func() { h.End(syscall.SIGTERM) })
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	p := &inspected{h: h, token: strings.TrimSpace(string(b))}
	if players > 0 {
		program.Start(t, program.Options{Path: shared.host, Args: []string{"bots", h.udp, "-n", fmt.Sprint(players)}})
		until(t, "the players are in", func() bool { return len(p.connections()) == players })
	}
	p.tab = newTab(t)
	p.show("/inspect")
	return p
}

// show opens the inspector and waits until it shows the match.
func (p *inspected) show(path string) {
	p.t.Helper()
	p.run(chromedp.EmulateViewport(1200, 800), chromedp.Navigate(p.address(p.h, path)))
	p.untilTrue("the inspector shows the match", `document.querySelector("#status").dataset.state === "live"`)
}

func (p *inspected) untilTrue(what, expression string) {
	p.t.Helper()
	until(p.t, what, func() (ok bool) { p.eval(expression, &ok); return ok })
}

// text is what an expression gives.
func (p *inspected) text(expression string) (s string) {
	p.t.Helper()
	p.eval("String("+expression+")", &s)
	return s
}

// read is a read of the API.
func (p *inspected) read(path string, into any) {
	p.h.t.Helper()
	r, err := http.Get("http://" + p.h.web + "/api/v1/" + path)
	if err != nil {
		p.h.t.Fatal(err)
	}
	defer func() { _ = r.Body.Close() }()
	if err := json.NewDecoder(r.Body).Decode(into); err != nil || r.StatusCode != 200 {
		p.h.t.Fatalf("%s: %s, %v", path, r.Status, err)
	}
}

func (p *inspected) connections() (list []struct {
	ID              int
	Name, Pawn, Key string
	Channels        int
},
) {
	p.h.t.Helper()
	p.read("connections", &list)
	return list
}

// silent fails the test for every error of the browser's console that holds none of the texts.
func (p *inspected) silent(but ...string) {
	p.t.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
lines:
	for _, l := range p.errors {
		for _, b := range but {
			if strings.Contains(l, b) {
				continue lines
			}
		}
		p.t.Errorf("the browser's console said: %s", l)
	}
}

// picture writes a screenshot for the documents, if asked.
func (p *inspected) picture(name string) {
	p.t.Helper()
	if *pictures == "" {
		return
	}
	var b []byte
	p.run(chromedp.CaptureScreenshot(&b))
	if err := os.WriteFile(filepath.Join(*pictures, name), b, 0o644); err != nil {
		p.t.Fatal(err)
	}
}

// press presses keys, one after the other; letters are typed as they are.
func (p *inspected) press(keys ...string) {
	p.t.Helper()
	for _, k := range keys {
		p.run(chromedp.KeyEvent(k))
	}
}

// fits checks that no panel is wider or higher than a phone's page.
func (p *inspected) fits(panels ...string) {
	p.t.Helper()
	p.run(chromedp.EmulateViewport(390, 780))
	for _, panel := range panels {
		p.eval(fmt.Sprintf(`document.querySelector("#tab-%s").click()`, panel), nil)
		p.untilTrue(panel+" fits a phone", `document.documentElement.scrollWidth <= 390 && document.documentElement.scrollHeight <= 780`)
	}
	p.run(chromedp.EmulateViewport(1200, 800))
}

// TestInspector: every panel shows what the API tells, is reached and used by keyboard, and the console changes the match for the owner alone.
func TestInspector(t *testing.T) {
	p := inspect(t, 2)
	const right, enter, tabKey = kb.ArrowRight, kb.Enter, kb.Tab

	// Map: the level's brushes, the actors.
	var level struct{ Brushes []any }
	p.read("level", &level)
	p.untilTrue("the map has the level", fmt.Sprintf(`document.querySelector("#map").dataset.brushes === "%d"`, len(level.Brushes)))
	p.untilTrue("the map has the actors", `Number(document.querySelector("#map").dataset.actors) > 50`)
	p.untilTrue("the map is drawn", `(() => { const c = document.querySelector("#map canvas"); return new Set(c.getContext("2d").getImageData(0, 0, c.width, c.height).data).size > 20 })()`)
	p.picture("inspector-map.png")

	// Actors, by keyboard alone.
	p.eval(`document.querySelector("#tab-space").focus()`, nil)
	p.press(right)
	p.untilTrue("an arrow opens the next panel", `!document.querySelector("#actors").hidden && document.querySelector("#map").hidden`)
	var actors []struct{ ID int }
	p.read("actors", &actors)
	p.untilTrue("all actors are listed", `document.querySelectorAll("#actors .list tbody tr").length > 50`)
	p.eval(`document.querySelector("#actors input").focus()`, nil)
	p.press("S", "h", "o", "o", "t", "e", "r", "S", "t")
	p.untilTrue("the list is filtered", `document.querySelectorAll("#actors .list tbody tr").length === 1`)
	p.press(tabKey, enter)
	p.untilTrue("a row chosen by Enter is shown", `document.querySelector("#actors").dataset.actor === "ShooterState_0"`)
	p.untilTrue("the reason is given in words for both players", `[...document.querySelectorAll("#actors [aria-label='Who has it'] tbody tr")].filter((r) => r.textContent.includes("bAlwaysRelevant")).length === 2`)
	var detail struct {
		Variables []struct{ Name, Value string }
	}
	p.read("actors/ShooterState_0", &detail)
	for _, v := range detail.Variables {
		if v.Name == "MatchState" && p.text(`[...document.querySelectorAll("#actors [aria-label='Variables'] tbody tr")].find((r) => r.cells[0].textContent === "MatchState").cells[1].textContent`) != v.Value {
			t.Errorf("MatchState is %s", v.Value)
		}
	}
	p.picture("inspector-actors.png")

	// Connections and what they were sent.
	p.eval(`document.querySelector("#tab-connections").click()`, nil)
	for _, c := range p.connections() {
		p.untilTrue("the players are listed", fmt.Sprintf(`[...document.querySelectorAll("#connections tbody tr")].some((r) => r.cells[0].textContent === %q && r.cells[1].textContent === "%d")`, c.Name, c.ID))
	}
	p.eval(`document.querySelector("#tab-traffic").click()`, nil)
	p.untilTrue("traffic is listed", `document.querySelectorAll("#traffic tbody tr").length > 5`)
	var sent []struct {
		Kind  string
		Bytes int
	}
	shown, least, most := 0, 0, 0
	sum := func() (n int) {
		p.read("traffic", &sent)
		for _, s := range sent {
			if s.Kind != "waiting" {
				n += s.Bytes
			}
		}
		return n
	}
	least = sum()
	p.untilTrue("the sum is newer", fmt.Sprintf(`Number(document.querySelector("#traffic").dataset.bytes) >= %d`, least))
	p.eval(`Number(document.querySelector("#traffic").dataset.bytes)`, &shown)
	if most = sum(); shown < least || shown > most {
		t.Errorf("the page shows %d bytes, the API told %d before and %d after", shown, least, most)
	}
	p.picture("inspector-traffic.png")

	p.eval(`document.querySelector("#tab-scripts").click()`, nil)
	var scripts []any
	p.read("scripts", &scripts)
	p.untilTrue("the scripts are listed", fmt.Sprintf(`document.querySelectorAll("#scripts tbody tr").length === %d`, len(scripts)))

	// Tuning: what the API tells, with a slider; a change needs the role.
	p.eval(`document.querySelector("#tab-tuning").click()`, nil)
	p.untilTrue("a class is chosen", `document.querySelectorAll("#tuning .row").length > 20`)
	p.eval(`(() => { const f = document.querySelector("#tuning input[list]"); f.value = "rocket"; f.dispatchEvent(new Event("change")); })()`, nil)
	speed := `document.querySelector("#tuning [data-variable=Speed] input[type=text]")`
	p.untilTrue("the default of the file is shown", speed+`?.value === "1400"`)
	p.picture("inspector-tuning.png")

	// The console: a look needs no role, a change does.
	p.eval(`document.querySelector("#tab-console").click()`, nil)
	said := func(text string) string {
		return fmt.Sprintf(`document.querySelector("#console .output").textContent.includes(%q)`, text)
	}
	p.press("s", "t", "a", "t", "u", "s", enter)
	p.untilTrue("status is answered", said("arena (DeathMatch), dedicated"))
	p.press("e", "v", "a", "l", " ", "1", enter)
	p.untilTrue("a change is refused", said("eval needs the role admin; you have none"))
	p.untilTrue("and the page asks for the token", `document.querySelector("#unlock").open`)
	p.eval(`(document.querySelector("#token").value = "wrong", document.querySelector("#use").click())`, nil)
	p.untilTrue("a wrong token is refused", `document.querySelector("#tokenFault").textContent.includes("not valid")`)
	p.eval(fmt.Sprintf(`(document.querySelector("#token").value = %q, document.querySelector("#use").click())`, p.token), nil)
	p.untilTrue("the owner is known", `document.querySelector("#role").textContent === "Owner"`)
	p.eval(`document.querySelector("#console input").focus()`, nil)
	p.press("s", "p", "a", "w", "n", " ", "C", "r", "a", "t", tabKey)
	p.untilTrue("the class is completed", `document.querySelector("#console input").value === "spawn Crate "`)
	p.press("0", " ", "0", " ", "5", "0", "0", enter)
	p.untilTrue("a crate is spawned", said("at (0, 0, 500)"))
	p.press(kb.ArrowUp)
	p.untilTrue("the last line comes back", `document.querySelector("#console input").value === "spawn Crate 0 0 500"`)
	p.press("x", enter)
	p.untilTrue("what is wrong is said", said(`Z is "500x", not a number`))
	p.picture("inspector-console.png")

	// The owner tunes, for all at once, and takes it back.
	p.eval(`document.querySelector("#tab-tuning").click()`, nil)
	p.eval(`(() => { const r = document.querySelector("#tuning [data-variable=Speed] input[type=range]"); r.value = 700; r.dispatchEvent(new Event("input")); })()`, nil)
	p.untilTrue("what is set is told", `document.querySelector("#tuning .notes").textContent.includes("Rocket.Speed = 700")`)
	var classes []struct {
		Name     string
		Defaults []struct{ Name, Value string }
	}
	p.read("classes", &classes)
	for _, c := range classes {
		for _, d := range c.Defaults {
			if c.Name == "Rocket" && d.Name == "Speed" && d.Value != "700" {
				t.Errorf("Speed is %s", d.Value)
			}
		}
	}
	p.eval(`[...document.querySelectorAll("#tuning button")].find((b) => b.textContent === "Undo").click()`, nil)
	p.untilTrue("it is taken back", speed+`.value === "1400" && document.querySelector("#tuning .notes").textContent.includes("1 change undone")`)
	// The pace: a paused match stands still, and a step is one tick of it.
	var host struct {
		Tick uint64
		Pace float64
	}
	p.eval(`document.querySelector("#pause").click()`, nil)
	until(t, "the match is paused", func() bool { p.read("server", &host); return host.Pace == 0 })
	at := host.Tick
	p.untilTrue("the page says so", `document.querySelector("#status").textContent.includes("paused") && document.querySelector("#pause").textContent === "Go on"`)
	p.eval(`document.querySelector("#step").click()`, nil)
	until(t, "a step is one tick", func() bool { p.read("server", &host); return host.Tick == at+1 })
	p.eval(`document.querySelector("#pause").click()`, nil)
	until(t, "the match goes on", func() bool { p.read("server", &host); return host.Pace == 1 && host.Tick > at+10 })

	p.untilTrue("nothing of the token is shown", fmt.Sprintf(`!document.documentElement.outerHTML.includes(%q)`, p.token))

	p.fits("map", "space", "actors", "connections", "traffic", "tuning", "scripts", "reloads", "console")
	p.silent("401", "status of 400") // what was refused above, which the browser tells
	if len(p.h.log("command")) == 0 {
		t.Error("the host's log tells no command")
	}
}

// TestInspectorViews: the panels of time, of traffic and of the world, with two players; and the page goes on with the next host at its address,
// and shows that one's match.
func TestInspectorViews(t *testing.T) {
	tier.Change(t)
	p := inspect(t, 2)
	p.profile()
	p.rates()
	p.asPlayer()
	p.space()
	p.fits("profile", "traffic", "map", "space")
	p.choose("#map inspect-look select", fmt.Sprint(p.connections()[0].ID))
	p.silent()
	const gone = `document.querySelector("#status").dataset.state === "lost"`
	p.h.End(syscall.SIGKILL)
	p.untilTrue("the page says that the host has gone", gone)
	p.h.level = "flat?game=DeathMatch?bots=1"
	p.h.start()
	p.untilTrue("the page shows the next match", `document.querySelector("#status").textContent.startsWith("flat (DeathMatch)")`)
	for panel, next := range map[string]string{ // any order
		"space":   `document.querySelector("#space").loaded === "flat" && document.querySelector("#space").mesh.name === "flat"`,
		"actors":  `document.querySelectorAll("#actors .list tbody tr").length > 5`,
		"map":     `document.querySelector("#map inspect-look select").value === "0" && document.querySelector("#map inspect-copies").hidden`,
		"traffic": `document.querySelector("#traffic").dataset.seconds < 10`,
		"reloads": `document.querySelector("#reloads").dataset.runs === "1"`,
		"profile": `document.querySelector("#profile").dataset.ticks < 1000`,
	} {
		p.eval(fmt.Sprintf(`document.querySelector("#tab-%s").click()`, panel), nil)
		p.untilTrue(panel+" is of the next match", next)
	}
	p.silent("ERR_", "502", "503", "Failed to load", "network error")
}

// TestInspectorScripts: the panels of scripts and of errors, and the link of a banner.
func TestInspectorScripts(t *testing.T) {
	tier.Change(t)
	p := inspect(t, 1)
	p.reloads()
	p.editor()
	p.errorsPanel()
	p.fits("reloads", "scripts", "errors")
	p.silent("401", "409")
	p.link()
	p.silent("401", "409")
}

// link tries the link of a banner: it makes the browser the owner, without a token, and once.
func (p *inspected) link() {
	t := p.t
	code := func() string {
		t.Helper()
		lines := p.command("link")
		if len(lines) != 1 {
			t.Fatal(lines)
		}
		_, code, _ := strings.Cut(lines[0], "#")
		return code
	}
	p.tab = newTab(t)
	used := code()
	p.show("/inspect?1#" + used)
	p.untilTrue("the browser is the owner", `document.querySelector("#role").textContent === "Owner"`)
	p.untilTrue("the code is gone from the address", `!location.href.includes("code")`)
	p.run(chromedp.Navigate(p.address(p.h, "/?name=Cleo&via=ws&draw=0")))
	key := ""
	until(t, "the browser plays", func() bool {
		for _, c := range p.connections() {
			if c.Name == "Cleo" {
				key = c.Key
			}
		}
		return key != ""
	})
	if lines := p.command("roles"); !slices.ContainsFunc(lines, func(l string) bool { return strings.Contains(l, key) && strings.Contains(l, "owner") }) {
		t.Errorf("the key that the browser plays with, %s, is not the owner's: %q", key, lines)
	}
	p.show("/inspect?2")
	p.untilTrue("it still is after a reload", `document.querySelector("#role").textContent === "Owner"`)
	p.show("/inspect?3#" + used)
	p.untilTrue("a used link makes nobody the owner", `document.querySelector("#role").textContent === "Read only" && document.querySelector("#tokenFault").textContent.includes("was used")`)
}
