package main

import (
	"strings"
	"testing"

	"github.com/tidelock/tidelock/cmd/host/join"
	"github.com/tidelock/tidelock/cmd/host/worlds"
	"github.com/tidelock/tidelock/engine"
)

// TestGameTravels: a listen server plays one level after another, with the player at its machine and one who came over UDP; a
// level that there is not leaves all where they are.
func TestGameTravels(t *testing.T) {
	t.Parallel()
	g := newParty(t, t.TempDir(), gameOptions{URL: "flat?game=GameInfo?bots=1?maps=flat,wall,steps", Mode: engine.NMListenServer})
	p := g.come("Ann")
	in := func(level string) func() bool {
		return func() bool {
			w := p.World()
			return g.Status().Level == level && g.Status().Players == 1 && w != nil && w.LevelName() == level && g.LevelNow() == level && p.Pawn() != nil &&
				g.local != nil && !g.local.Deleted() && g.local.World() == g.World
		}
	}
	g.until("the player is in", in("flat"))
	for _, level := range []string{"wall", "steps", "flat"} {
		must(t, errOf(g.VM.Call(g.Game, "EndMatch", engine.String("test"))))
		old := g.World
		must(t, errOf(g.VM.Call(g.Game, "RestartGame")))
		g.until("travel to "+level, in(level))
		if g.World == old || len(g.World.ActorsOf("AIController")) != 1 {
			t.Error("the bot did not come along")
		}
	}
	before := g.World
	g.World.Travel("nowhere")
	g.until("the failure is told", func() bool { return strings.Contains(g.log.String(), "travel failed") })
	if g.World != before || !in("flat")() || !strings.Contains(g.log.String(), `no file content/levels/nowhere.map`) {
		t.Errorf("a travel that fails moved the match, or was not told:\n%s", g.log.String())
	}
}

// TestLoadKeepsNetworkPlayers: players over the network stay when a saved match takes the place of the running one: who was in it has again what they had then,
// their pawn included, and who was not comes in as a new player. Moves, calls and a second load work after it (C3).
func TestLoadKeepsNetworkPlayers(t *testing.T) {
	t.Parallel()
	g := newParty(t, t.TempDir(), gameOptions{URL: "flat?game=DeathMatch?bots=1", Worlds: &worlds.Memory{}})
	enter := func(name string) *join.Player { return g.enter(join.Options{Name: name, Key: newPlayerKey(t)}) }
	state := func(name string) *engine.Actor {
		for _, a := range g.World.ActorsOf("PlayerReplicationInfo") {
			if value(a, "PlayerName").Str == name && !a.Deleted() {
				return a
			}
		}
		t.Fatalf("%s is not there", name)
		return nil
	}
	score := func(name string) float64 { return value(state(name), "Score").Num }
	set := func(name string, v float64) {
		a := state(name)
		p := a.Class.Property("Score")
		must(t, a.Set(p, engine.Float(v)))
		g.VM.Changed(a, p)
	}
	pawn := func(name string) engine.ActorID { return value(g.World.Actor(state(name).Owner), "Pawn").Ref }
	in := func(p *join.Player) func() bool {
		return func() bool { return p.Pawn() != nil && p.Controller() != nil && p.World().LevelName() == "flat" }
	}
	ann := enter("Ann")
	g.until("Ann is in", in(ann))
	set("Ann", 7)
	saved := false
	g.SaveWorld("one", func(err error) {
		if saved = true; err != nil {
			t.Error(err)
		}
	})
	g.until("it is saved", func() bool { return saved })
	body := pawn("Ann")
	set("Ann", 20)
	bob := enter("Bob")
	g.until("Bob is in", in(bob))
	set("Bob", 3)
	for round := range 2 {
		before, was := g.World, ann.World()
		var err error
		g.LoadWorld("one", func(e error) { err = e })
		if err != nil || g.World == before {
			t.Fatalf("round %d: %v", round, err)
		}
		g.until("Ann and Bob are in the loaded match", func() bool { return ann.World() != was && in(ann)() && in(bob)() && g.Status().Players == 2 })
		if score("Ann") != 7 || score("Bob") != 0 {
			t.Errorf("round %d: Ann has %g, want 7 as saved; Bob %g, want 0, since he was not there", round, score("Ann"), score("Bob"))
		}
		if now := pawn("Ann"); now != body {
			t.Errorf("round %d: Ann has the pawn %v, want %v, which she had", round, now, body)
		}
		if n, bots := len(g.World.ActorsOf("PlayerController")), len(g.World.ActorsOf("AIController")); n != 2 || bots != 1 {
			t.Errorf("round %d: %d controllers of players, want 2; %d bots, want 1", round, n, bots)
		}
	}
	if strings.Contains(g.log.String(), "level=ERROR") {
		t.Errorf("errors:\n%s", g.log.String())
	}
}
