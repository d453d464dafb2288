package main

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/tidelock/tidelock/cmd/host/assets"
	"github.com/tidelock/tidelock/cmd/host/join"
	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/netcode/link"
)

// TestGamePace: a listen server and a player who came over UDP are paused, step, run slowly and travel while paused;
// who joins then is paused, too.
func TestGamePace(t *testing.T) {
	var log bytes.Buffer
	g, addr := hostedGame(t, "flat?game=GameInfo", engine.NMListenServer, slog.NewTextHandler(&log, nil))
	start := time.Now()
	players := []*join.Player{}
	add := func(name string) *join.Player {
		p, err := join.New(join.Options{Target: join.Target{Addr: addr}, Name: name, Timeout: 30 * time.Second})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = p.Close(link.Reason{Code: "left", Text: "the player left"}) }) // the test is over
		players = append(players, p)
		return p
	}
	ann := add("Ann")
	tick := time.NewTicker(2 * time.Millisecond) // packets need real time
	defer tick.Stop()
	turn := func() {
		<-tick.C
		g.Step(1.0 / 60)
		for _, p := range players {
			p.Tick(time.Since(start), 1.0/60)
		}
	}
	until := func(what string, is func() bool) {
		t.Helper()
		for from := time.Now(); !is(); turn() {
			if time.Since(from) > time.Minute || ann.Over() {
				t.Fatalf("%s: not after %v; the player: %v\n%s", what, time.Since(from), ann.Client().Reason(), log.String())
			}
		}
	}
	in := func(p *join.Player) func() bool { return func() bool { return p.Pawn() != nil && p.Joined() } }
	follows := func(p *join.Player, want float64) func() bool {
		return func() bool { scale, pending := p.Pace(); return scale == want && pending == 0 }
	}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	until("the player is in", in(ann))

	must(g.SetPace(0))
	until("the pause arrives", follows(ann, 0))
	frames := func() [2]uint64 { return [2]uint64{g.World.Frame(), ann.World().Frame()} }
	before := frames()
	for range 60 {
		turn()
	}
	g.StandStill(3) // the loop dropped ticks: of a paused world none is missing
	if now := frames(); now != before || g.World.Stood != 0 {
		t.Errorf("paused: frames %v, were %v; stood %v s", now, before, g.World.Stood)
	}
	must(g.StepTicks(5))
	if scale, pending := g.Pace(); scale != 0 || pending != 5 {
		t.Errorf("after step 5: scale %v, %d pending", scale, pending)
	}
	until("the steps have run", func() bool { return frames()[1] >= before[1]+5 })
	for range 60 {
		turn()
	}
	if now := frames(); now[0] != before[0]+5 || now[1] != before[1]+5 {
		t.Errorf("after step 5: frames %v, were %v", now, before)
	}

	g.World.Travel("wall")
	until("the travel", func() bool {
		return g.LevelNow() == "wall" && ann.World() != nil && ann.World().LevelName() == "wall" && ann.Pawn() != nil
	})
	bob := add("Bob")
	until("another player is in", in(bob))
	for range 30 {
		turn()
	}
	if n := []uint64{g.World.Frame(), ann.World().Frame(), bob.World().Frame()}; n[0]+n[1]+n[2] != 0 {
		t.Errorf("the pause did not outlive the travel: frames %v", n)
	}

	must(g.SetPace(0.25))
	until("slow motion arrives", func() bool { return follows(ann, 0.25)() && follows(bob, 0.25)() })
	from := []uint64{g.World.Frame(), ann.World().Frame(), bob.World().Frame()}
	for range 80 {
		turn()
	}
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
		if !strings.Contains(log.String(), want) {
			t.Errorf("the log lacks %q:\n%s", want, log.String())
		}
	}
}

// TestStandalonePace: a match without a network obeys, too.
func TestStandalonePace(t *testing.T) {
	a, err := assets.Open(assets.Options{Root: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	g, err := newGame(gameOptions{Assets: a, URL: "flat?game=GameInfo", Mode: engine.NMStandalone, Seed: 1, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	for _, c := range []struct {
		scale float64
		want  uint64
	}{{1, 60}, {0, 0}, {0.5, 30}, {2, 120}} {
		if err := g.SetPace(c.scale); err != nil {
			t.Fatal(err)
		}
		from := g.World.Frame()
		for range 60 {
			g.Step(1.0 / 60)
		}
		if n := g.World.Frame() - from; n != c.want {
			t.Errorf("scale %v: %d ticks in 60, want %d", c.scale, n, c.want)
		}
	}
}
