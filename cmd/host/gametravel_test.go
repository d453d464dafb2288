package main

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/tidelock/tidelock/cmd/host/join"
	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/netcode/link"
)

// TestGameTravels: a listen server plays one level after another, with the player at its machine and one who came over UDP; a
// level that there is not leaves all where they are.
func TestGameTravels(t *testing.T) {
	var log bytes.Buffer
	g, addr := hostedGame(t, "flat?game=GameInfo?bots=1?maps=flat,wall,steps", engine.NMListenServer, slog.NewTextHandler(&log, nil))
	p, err := join.New(join.Options{Target: join.Target{Addr: addr}, Name: "Ann", Timeout: 30 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = p.Close(link.Reason{Code: "left", Text: "the player left"}) }() // the test is over

	start := time.Now()
	tick := time.NewTicker(2 * time.Millisecond) // packets need real time; the worlds may be faster than it
	defer tick.Stop()
	until := func(what string, is func() bool) {
		t.Helper()
		for !is() {
			if <-tick.C; time.Since(start) > time.Minute || p.Over() {
				t.Fatalf("%s: not after %v; the player: %v\n%s", what, time.Since(start), p.Client().Reason(), log.String())
			}
			g.Step(1.0 / 60)
			p.Tick(time.Since(start), 1.0/60)
		}
	}
	in := func(level string) func() bool {
		return func() bool {
			w := p.World()
			return g.Status().Level == level && g.Status().Players == 1 && w != nil && w.LevelName() == level && g.LevelNow() == level && p.Pawn() != nil &&
				g.local != nil && !g.local.Deleted() && g.local.World() == g.World
		}
	}
	until("the player is in", in("flat"))
	for _, level := range []string{"wall", "steps", "flat"} {
		if _, err := g.VM.Call(g.Game, "EndMatch", engine.String("test")); err != nil {
			t.Fatal(err)
		}
		old := g.World
		if _, err := g.VM.Call(g.Game, "RestartGame"); err != nil {
			t.Fatal(err)
		}
		until("travel to "+level, in(level))
		if g.World == old || len(g.World.ActorsOf("AIController")) != 1 {
			t.Error("the bot did not come along")
		}
	}
	before := g.World
	g.World.Travel("nowhere")
	until("the failure is told", func() bool { return strings.Contains(log.String(), "travel failed") })
	if g.World != before || !in("flat")() || !strings.Contains(log.String(), `no file content/levels/nowhere.map`) {
		t.Errorf("a travel that fails moved the match, or was not told:\n%s", log.String())
	}
}
