//go:build unix

package sockets

import (
	"strings"
	"testing"
	"time"

	"github.com/tidelock/tidelock/engine"
)

// greedy is a class of a mod or of the game whose copies on clients keep a megabyte a tick; on the server it keeps nothing.
const greedy = `
local Greedy = class("Greedy", "Actor")
Greedy.defaults { bAlwaysRelevant = true }
local kept = {}
function Greedy.simulated:Tick(_)
	if self.Role == ROLE_Authority then return end
	local t = {}
	for i = 1, 30 do t[i] = #kept .. ":" .. i .. ("x"):rep(30000) end
	kept[#kept + 1] = t
end
local Host = class("GreedyHost", "DeathMatch")
function Host:StartPlay()
	Host.super.StartPlay(self)
	self:Spawn("Greedy")
end
`

// TestDropsForMemory: what a mod keeps on a player's machine is dropped there, and the player stays (G8).
func TestDropsForMemory(t *testing.T) {
	h := startHost(t, hostConfig{level: "arena?game=DeathMatch?bots=1", mod: greedy})
	k := startChild(t, childConfig{Crowd: &crowdConfig{Addr: h.link.Addr(), Full: 1, Seed: 3}})
	joined(t, h, k, 1, 0)
	h.do(func() {
		if _, err := h.match.World.Spawn(h.match.World.Classes.Find("Greedy"), engine.SpawnParams{}); err != nil {
			t.Error(err)
		}
	})
	var r crowdReport
	until(t, "the player has dropped it", func() bool {
		r = k.report()
		return strings.Contains(strings.Join(r.Faults, "\n"), "Greedy")
	})
	said := strings.Join(r.Faults, "\n")
	t.Logf("%s", said)
	if r.Over > 0 || !strings.Contains(said, "at most 64 MB allowed") || !strings.Contains(said, "private fields") {
		t.Errorf("%d players are over: %s", r.Over, said)
	}
	pass(2 * time.Second)
	if r = k.report(); r.Over > 0 {
		t.Errorf("the player left: %q", r.Faults)
	}
}

// TestLeavesForMemory: a player whose machine's memory a host's scripts fill leaves with a line that names the class, before it is
// full, and the host plays on (G8, G17).
func TestLeavesForMemory(t *testing.T) {
	h := startHost(t, hostConfig{level: "arena?game=GreedyHost?bots=1", more: greedy})
	k := startChild(t, childConfig{Crowd: &crowdConfig{Addr: h.link.Addr(), Full: 1, Seed: 3}})
	var r crowdReport
	until(t, "the player has left", func() bool { r = k.report(); return r.Over == 1 })
	said := strings.Join(r.Faults, "\n")
	t.Logf("%s", said)
	for _, want := range []string{"the host's scripts take too much memory here", "Greedy", "64 MB"} {
		if !strings.Contains(said, want) {
			t.Errorf("the player's line has no %q: %s", want, said)
		}
	}
	until(t, "the host has let it go", func() bool { return h.players() == 0 })
	h.quiet()
}
