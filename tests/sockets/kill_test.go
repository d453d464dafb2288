//go:build unix

package sockets

import (
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/tidelock/tidelock/cmd/host/join"
	"github.com/tidelock/tidelock/scriptvm"
	"github.com/tidelock/tidelock/tests/heap"
	"github.com/tidelock/tidelock/tests/tier"
)

// TestKill: a process of sixteen players is killed while they play. Their slots are free when the silence is over, the
// list of players is right at the host and at those who stayed, and nothing of them is left.
func TestKill(t *testing.T) {
	tier.Change(t)
	leaks := goleak.IgnoreCurrent()
	silence := longer(4*time.Second, 10*time.Second)
	const killed, stay = 16, 2
	rounds := longer(4, 6)
	h := startHost(t, hostConfig{level: "arena?game=Crowd?bots=0?maxplayers=64", silence: silence})
	survivors, err := newCrowd(crowdConfig{Addr: h.link.Addr(), Full: stay, Seed: 100})
	if err != nil {
		t.Fatal(err)
	}
	if err := survivors.run(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		if survivors != nil {
			_ = survivors.end() // the test has failed already
		}
	}()
	until(t, "the survivors in", func() bool { return survivors.report().In == stay })
	var live []int64
	for round := range rounds {
		k := startChild(t, childConfig{Crowd: &crowdConfig{Addr: h.link.Addr(), Full: 8, Wire: 8, Seed: uint64(round + 1)}})
		joined(t, h, k, killed, stay)
		if round == 0 {
			listed(t, h, survivors, killed+stay)
		}
		k.kill()
		start := time.Now()
		until(t, "the slots of the killed free", func() bool { return h.players() == stay })
		took := time.Since(start)
		if took > silence+5*time.Second {
			figure(t, "the slots of the killed were free after %v, asked is %v of silence", took, silence)
		}
		open := 0
		h.do(func() { open = h.link.Open() })
		if open != stay {
			t.Errorf("%d sessions are open, %d players stayed", open, stay)
		}
		listed(t, h, survivors, stay)
		h.do(func() { h.ticks, h.work = nil, nil })
		live = append(live, heap.Live())
		t.Logf("round %d: slots free after %.1f s of silence %v; %.2f MB live", round+1, took.Seconds(), silence, float64(live[round])/1e6)
	}
	// The first round warms up; sixteen players that were kept would be some megabytes each time.
	if grown := heap.PerRound(live[1:]); grown > 1<<18 {
		t.Errorf("%d bytes a round are left of sixteen players", grown)
	}
	r := survivors.report()
	for _, f := range r.Faults {
		t.Error(f)
	}
	if err := survivors.end(); err != nil {
		t.Error(err)
	}
	survivors = nil
	h.quiet(comeAgain, "lines about players dropped") // of a hundred who vanish within a minute
	h.close()
	if err := goleak.Find(leaks); err != nil {
		t.Error(err)
	}
}

// listed waits until n players are listed: by the game, in the world, and by every one of a crowd.
func listed(t *testing.T, h *host, k *crowd, n int) {
	t.Helper()
	g := h.match.Game
	count, infos := 0, 0
	h.do(func() {
		count = int(g.Get(g.Class.Property("NumPlayers")).Num)
		infos = len(h.match.World.ActorsOf("PlayerReplicationInfo"))
	})
	if count != n || infos != n {
		t.Errorf("NumPlayers is %d and there are %d PlayerReplicationInfos; want %d", count, infos, n)
	}
	until(t, "the right list of players at those who stayed", func() bool {
		right := true
		err := k.each(func(f *fullPlayer) { right = right && playersOf(f.player) == n })
		if err != nil {
			t.Fatal(err)
		}
		return right
	})
}

// playersOf is how many players a player's own list has, −1 where it has none yet.
func playersOf(p *join.Player) int {
	w := p.World()
	if w == nil || w.LocalPlayer() == nil {
		return -1
	}
	out, err := w.Script.(*scriptvm.VM).Call(w.LocalPlayer(), "Listed")
	if err != nil || len(out) != 1 {
		return -1
	}
	return int(out[0].Num)
}
