package main

import (
	"strings"
	"testing"

	"github.com/tidelock/tidelock/cmd/host/join"
	"github.com/tidelock/tidelock/engine"
)

// TestGamePace: a listen server and a player who came over UDP are paused, step, run slowly and travel while paused;
// who joins then is paused, too.
func TestGamePace(t *testing.T) {
	t.Parallel()
	g := newParty(t, t.TempDir(), gameOptions{URL: "flat?game=GameInfo", Mode: engine.NMListenServer})
	follows := func(p *join.Player, want float64) func() bool {
		return func() bool { scale, pending := p.Pace(); return scale == want && pending == 0 }
	}
	ann := g.joined("Ann")

	must(t, g.SetPace(0))
	g.until("the pause arrives", follows(ann, 0))
	frames := func() [2]uint64 { return [2]uint64{g.World.Frame(), ann.World().Frame()} }
	before := frames()
	g.steps(60)
	g.StandStill(3) // the loop dropped ticks: of a paused world none is missing
	if now := frames(); now != before || g.World.Stood != 0 {
		t.Errorf("paused: frames %v, were %v; stood %v s", now, before, g.World.Stood)
	}
	must(t, g.StepTicks(5))
	if scale, pending := g.Pace(); scale != 0 || pending != 5 {
		t.Errorf("after step 5: scale %v, %d pending", scale, pending)
	}
	g.until("the steps have run", func() bool { return frames()[1] >= before[1]+5 })
	g.steps(60)
	if now := frames(); now[0] != before[0]+5 || now[1] != before[1]+5 {
		t.Errorf("after step 5: frames %v, were %v", now, before)
	}

	g.World.Travel("wall")
	g.until("the travel", func() bool {
		return g.LevelNow() == "wall" && ann.World() != nil && ann.World().LevelName() == "wall" && ann.Pawn() != nil
	})
	bob := g.joined("Bob")
	g.steps(30)
	if n := []uint64{g.World.Frame(), ann.World().Frame(), bob.World().Frame()}; n[0]+n[1]+n[2] != 0 {
		t.Errorf("the pause did not outlive the travel: frames %v", n)
	}

	must(t, g.SetPace(0.25))
	g.until("slow motion arrives", func() bool { return follows(ann, 0.25)() && follows(bob, 0.25)() })
	from := []uint64{g.World.Frame(), ann.World().Frame(), bob.World().Frame()}
	g.steps(80)
	for i, now := range []uint64{g.World.Frame(), ann.World().Frame(), bob.World().Frame()} {
		if n := now - from[i]; n != 20 {
			t.Errorf("slow motion: world %d ran %d ticks in 80, want 20", i, n)
		}
	}
	g.StandStill(2)
	if g.World.Stood != 0.5 {
		t.Errorf("2 s of dropped ticks at 0.25: stood %v s", g.World.Stood)
	}

	for _, scale := range []float64{-1, 0.001, 5} {
		if g.SetPace(scale) == nil {
			t.Errorf("the scale %v was accepted", scale)
		}
	}
	for _, n := range []int{-1, 0, 601} {
		if g.StepTicks(n) == nil {
			t.Errorf("step %d was accepted", n)
		}
	}
	if scale, _ := g.Pace(); scale != 0.25 {
		t.Errorf("a refused command changed the scale to %v", scale)
	}
	for _, want := range []string{"event=pace scale=0 steps=0 level=flat", "event=pace scale=0 steps=5", "event=pace scale=0.25 steps=0 level=wall"} {
		if !strings.Contains(g.log.String(), want) {
			t.Errorf("the log lacks %q:\n%s", want, g.log.String())
		}
	}
}
