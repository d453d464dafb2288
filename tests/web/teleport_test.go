//go:build unix

package web

import (
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/tidelock/tidelock/cmd/host/cluster/rig"
)

// ferry is a game from which an operator sends everybody to another host, and which counts visits for good.
const ferry = `-- Ferry: the tests' game; send TARGET sends everybody to another host.
local Ferry = class("Ferry", "WebGame")
Ferry.defaults { PlayerStateClass = "FerryPlayer" }
-- Send everybody.
function Ferry.console:Send(Target)
	for _, pc in ipairs(self:ActorsOf("PlayerController")) do
		pc:Teleport(Target, {}, function(ok, err) log(("SENT %s %s"):format(tostring(ok), tostring(err))) end)
	end
end
Ferry.params { Send = { str("", { max = 32 }) } }
function Ferry:PostLogin(pc)
	Ferry.super.PostLogin(self, pc)
	local player = pc.PlayerReplicationInfo
	player.Visits = player.Visits + 1
	log(("VISIT %s %d"):format(player.PlayerName, player.Visits))
end
return Ferry
`

const ferryPlayer = `-- FerryPlayer: counts visits of hosts.
local FerryPlayer = class("FerryPlayer", "PlayerState")
FerryPlayer.persistent { Visits = int(0, { min = 0 }) }
return FerryPlayer
`

// startFerry starts a host of a cluster.
func startFerry(t *testing.T, r *rig.Rig, name string) *host {
	t.Helper()
	h := newHost(t, "flat?game=Ferry", "--cluster", r.URL(), "--label", name, "--title", name)
	h.save("Ferry.lua", ferry)
	h.save("FerryPlayer.lua", ferryPlayer)
	h.begin()
	t.Cleanup(func() {
		if t.Failed() {
			lines := h.log("")
			t.Logf("%s:\n%s", name, strings.Join(lines[max(0, len(lines)-30):], "\n"))
		}
	})
	return h
}

// visits waits until a host has counted a visit.
func (h *host) visits(w *tab, name string, n int) {
	w.t.Helper()
	until(w.t, fmt.Sprintf("visit %d of %s is counted", n, name), func() bool { return len(h.log(fmt.Sprintf("VISIT %s %d", name, n))) > 0 })
}

// page is the base address of the host's page in the list of hosts.
func (h *host) page() string { return "http://localhost" + h.web[strings.LastIndexByte(h.web, ':'):] }

// lists waits until a host lists another one.
func (h *host) lists(other *host) {
	h.t.Helper()
	until(h.t, "the hosts know each other", func() bool {
		a, err := http.Get(h.page() + "/hosts.json")
		if err != nil {
			h.t.Fatal(err)
		}
		defer func() { _ = a.Body.Close() }()
		body, err := io.ReadAll(a.Body)
		if err != nil {
			h.t.Fatal(err)
		}
		return strings.Contains(string(body), other.page())
	})
}

// A player in a browser goes where the host sends them: to a host that the page knew when it was loaded by another connection, in the
// same page, over either carrier; to one that came later by that host's page. Their profile goes along, and the end of the host whose
// page it is does not end their match (C6).
func TestTeleport(t *testing.T) {
	needs(t)
	r := rig.Start(t, 1, rig.Options{})
	a, b := startFerry(t, r, "harbour"), startFerry(t, r, "lighthouse")
	for _, via := range []string{"wt", "ws"} {
		t.Run(via, func(t *testing.T) {
			w := newTab(t)
			a.lists(b)
			w.open(w.address(a, "/?draw=0&via="+via+"&name="+via))
			at := func() string {
				var u string
				w.eval("location.host", &u)
				return u
			}
			page := at()
			t.Cleanup(func() {
				if t.Failed() {
					t.Log(w.errors, w.text("#told"))
				}
			})
			visit := 1
			for _, h := range []*host{b, a, b} {
				w.plays()
				from := map[*host]*host{a: b, b: a}[h]
				from.visits(w, via, visit)
				visit++
				from.say("send " + map[*host]string{a: "harbour", b: "lighthouse"}[h])
				h.visits(w, via, visit)
				until(t, "the other host lets go", func() bool { return len(from.log("SENT true")) > 0 })
				w.until("the page shows the other host", func(d debug) bool { return d.Host == h.page() || d.Host == "" && h == a })
				if d := w.plays(); d.Via != via {
					t.Errorf("by %s", d.Via)
				}
				if at() != page {
					t.Fatalf("the page left for %s", at())
				}
			}
			if via == "wt" {
				// From the page's own host to one that came after the page was loaded: its own page takes over, with the same player.
				b.say("send harbour")
				a.visits(w, via, visit+1)
				w.plays()
				c := startFerry(t, r, "lagoon")
				a.lists(c)
				a.say("send lagoon")
				c.visits(w, via, visit+2)
				until(t, "the other page is there", func() bool { return w.is(`typeof tidelock === "object"`) })
				w.until("the other page plays", func(d debug) bool { return d.State == "playing" && d.Host == "" })
				var address string
				w.eval("location.href", &address)
				u, err := url.Parse(address)
				if err != nil || !strings.HasPrefix(address, c.page()+"/") || u.Fragment != "" {
					t.Errorf("the page is %s", regexp.MustCompile(`player=.*`).ReplaceAllString(address, "player=…"))
				}
				w.run(chromedp.Reload())
				c.visits(w, via, visit+3) // the same player, as long as the tab is open
				until(t, "the page is there", func() bool { return w.is(`typeof tidelock === "object"`) })
				w.plays()
			} else {
				// The page's own host dies: the match on the other one goes on.
				a.signal(syscall.SIGKILL)
				was := w.state().Tick
				w.until("more ticks", func(d debug) bool { return d.Tick > was+120 })
				// The list that the page has is that of its host, which is gone.
				c := startFerry(t, r, "reef")
				b.lists(c)
				b.say("send reef")
				w.until("the player is told", func(d debug) bool { return strings.Contains(strings.Join(d.Errors, " "), "does not list it") })
				w.plays()
				b.quiet("SENT false", "a player stays here") // where the page leaves before the hop is confirmed
			}
			w.quiet("does not list it", "ERR_CONNECTION_REFUSED", "Content Security Policy")
		})
	}
}
