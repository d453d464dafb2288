//go:build unix

package sockets

import (
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/tidelock/tidelock/tests/heap"
	"github.com/tidelock/tidelock/tests/tier"
)

// TestKill: a process of sixteen players is killed while they play. Their slots are free when the silence is over, at the host and in its
// match, and nothing of them is left.
func TestKill(t *testing.T) {
	tier.Change(t)
	leaks := goleak.IgnoreCurrent()
	const silence, rounds, killed = 4 * time.Second, 6, 16
	h := startHost(t, hostConfig{level: "arena?game=Crowd?bots=0?maxplayers=64", silence: silence})
	var live []int64
	for round := range rounds {
		k := startChild(t, childConfig{Crowd: &crowdConfig{Addr: h.link.Addr(), Full: killed, Seed: uint64(round + 1)}})
		joined(t, h, k, killed, 0)
		k.kill()
		start := time.Now()
		until(t, "the slots of the killed free", func() bool { return h.players() == 0 })
		took := time.Since(start)
		h.do(func() {
			g := h.match.Game
			listed, infos := g.Get(g.Class.Property("NumPlayers")).Num, len(h.match.World.ActorsOf("PlayerReplicationInfo"))
			if open := h.link.Open(); open != 0 || listed != 0 || infos != 0 {
				t.Errorf("%d sessions are open, NumPlayers is %g, and there are %d PlayerReplicationInfos; want none", open, listed, infos)
			}
			h.ticks, h.work = nil, nil
		})
		live = append(live, heap.Live())
		t.Logf("round %d: slots free after %.1f s of silence %v; %.2f MB live", round+1, took.Seconds(), silence, float64(live[round])/1e6)
	}
	// The first round warms up; sixteen players that were kept would be some megabytes each time.
	if grown := heap.PerRound(live[1:]); grown > 1<<18 {
		t.Errorf("%d bytes a round are left of sixteen players", grown)
	}
	h.quiet(comeAgain, "lines about players dropped") // of so many who vanish within a minute
	h.close()
	if err := goleak.Find(leaks); err != nil {
		t.Error(err)
	}
}
