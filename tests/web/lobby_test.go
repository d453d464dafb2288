//go:build unix

package web

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/tidelock/tidelock/cmd/host/directory"
	hostweb "github.com/tidelock/tidelock/cmd/host/web"
	"github.com/tidelock/tidelock/netcode/kcplink"
)

// lobby is the page of a host that plays nothing, with a list of hosts that the test writes.
type lobby struct {
	listener *hostweb.Listener
	list     atomic.Pointer[hostweb.Hosts]
}

func startLobby(t *testing.T) *lobby {
	t.Helper()
	link, err := kcplink.New(kcplink.Config{Addr: "127.0.0.1:0", Server: &kcplink.Server{}})
	if err != nil {
		t.Fatal(err)
	}
	l := &lobby{}
	l.listener, err = hostweb.Listen(hostweb.Options{
		Addr: "127.0.0.1:0", Link: link, Hosts: l.list.Load, Level: func() string { return "arena" }, Log: slog.New(slog.DiscardHandler), Now: time.Now,
		Client: hostweb.NewBuilder(hostweb.BuilderOptions{Log: slog.New(slog.DiscardHandler), Now: time.Now}),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := l.listener.Close(); err != nil {
			t.Error(err)
		}
		if err := link.Close(); err != nil {
			t.Error(err)
		}
	})
	return l
}

func (l *lobby) url() string { return l.listener.Addrs()[0] }

// tell sets the list.
func (l *lobby) tell(t *testing.T, self string, list ...directory.Entry) {
	t.Helper()
	b, err := json.Marshal(directory.Listing{Self: self, Hosts: list})
	if err != nil {
		t.Fatal(err)
	}
	h := &hostweb.Hosts{JSON: b}
	for i := range list {
		if list[i].Host != self && list[i].Web != "" {
			h.Pages = append(h.Pages, list[i].Web)
		}
	}
	l.list.Store(h)
}

// The lobby: with one host the page is what it always was; with more it lists them with their pings, filters by label, and Play goes
// to the one with room, the label and the lowest ping (C5).
func TestLobby(t *testing.T) {
	needs(t)
	a, b := startLobby(t), startLobby(t)
	here := directory.Entry{Host: "a", Name: "Harbour", Level: "arena", Game: "DeathMatch", Players: 8, Room: 0, Web: a.url(), Labels: map[string]string{"region": "eu"}}
	there := directory.Entry{Host: "b", Name: "Lighthouse", Level: "race", Game: "Race", Players: 3, Room: 5, Web: b.url(), Labels: map[string]string{"region": "us", "hub": "true"}}
	gone := directory.Entry{Host: "c", Name: "<b>Reef", Level: "flat", Game: "TeamMatch", Players: 1, Room: 7, Web: "http://127.0.0.1:1", Private: true}
	bare := directory.Entry{Host: "d", Name: "Shoal", Level: "flat", Room: 7}
	a.tell(t, "a", here)
	b.tell(t, "b", here, there)

	w := newTab(t)
	w.open(a.url() + "/")
	until(t, "the host's answer is told", func() bool { return strings.Contains(w.text("#server"), "arena · answers in") })
	if !w.is(`document.getElementById("lobby").hidden && document.getElementById("here").hidden`) || w.text("#play") != "Join" {
		t.Error("one host alone is shown as a list")
	}

	// A host that comes while the page is open is listed; the page's policy does not know it, so it has no ping.
	a.tell(t, "a", here, there, gone, bare)
	until(t, "the list is shown", func() bool { return w.is(`document.querySelectorAll("#hosts li").length === 4`) })
	w.run(chromedp.Reload())
	row := func(n int) string { return w.text(fmt.Sprintf("#hosts li:nth-child(%d)", n)) }
	until(t, "the pings are measured", func() bool {
		return w.is(`document.querySelectorAll("#hosts li").length === 4`) && strings.Contains(row(1), " ms") && strings.Contains(row(2), " ms")
	})
	for n, wants := range [][]string{{"Harbour", "arena · DeathMatch · this host · full", "8 of 8"}, {"Lighthouse", "race · Race", "3 of 8"}, {"<b>Reef", "needs a password or token", "–"}, {"Shoal", "no page"}} {
		for _, want := range wants {
			if !strings.Contains(row(n+1), want) {
				t.Errorf("%q is missing in %q", want, row(n+1))
			}
		}
	}
	if w.text("#play") != "Play" || w.is(`document.getElementById("here").hidden`) {
		t.Error("there is no choice between Play and this host")
	}
	for _, problem := range w.unlabeled() {
		t.Error(problem)
	}
	if *pictures != "" {
		for name, size := range map[string][2]int64{"lobby.png": {1280, 720}, "lobby-phone.png": {390, 844}} { // any order: each by itself
			w.run(chromedp.EmulateViewport(size[0], size[1]))
			if err := os.WriteFile(filepath.Join(*pictures, name), w.picture(), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}

	// The filter, which offers each label once.
	if got := w.text("#label"); !strings.Contains(got, "hub") || !strings.Contains(got, "region=eu") || !strings.Contains(got, "region=us") {
		t.Errorf("labels: %q", got)
	}
	pick := func(label string) {
		w.eval(fmt.Sprintf(`(document.getElementById("label").value = %q, document.getElementById("label").dispatchEvent(new Event("change")))`, label), nil)
	}
	pick("region=eu")
	if !w.is(`document.querySelectorAll("#hosts li").length === 1`) {
		t.Error("the filter shows others")
	}
	w.eval(`document.getElementById("play").click()`, nil)
	until(t, "Play says that there is no room", func() bool { return strings.Contains(w.text("#line"), "No host with this label has room now") })
	pick("")
	w.eval(`(document.getElementById("name").value = "Ann", void setTimeout(() => document.getElementById("play").click()))`, nil)
	until(t, "Play goes to the other host, with the name", func() bool {
		var at bool
		err := chromedp.Run(w.ctx, chromedp.Evaluate(fmt.Sprintf(`typeof tidelock === "object" && location.href === %q`, b.url()+"/?name=Ann"), &at))
		return err == nil && at // an error while the page goes
	})
	// Of the page that was left, only what is refused: no ping of a host that is not there, and of one that the policy does not have.
	w.quiet("ERR_", "Refused to connect", "Content Security Policy")
}
