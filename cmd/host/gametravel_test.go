package main

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/tidelock/tidelock/cmd/host/join"
	"github.com/tidelock/tidelock/cmd/host/worlds"
	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/netcode/kcplink"
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

// TestLoadKeepsNetworkPlayers: players over the network stay when a saved match takes the place of the running one: who was in it has again what they had then,
// their pawn included, and who was not comes in as a new player. Moves, calls and a second load work after it (C3).
func TestLoadKeepsNetworkPlayers(t *testing.T) {
	var log bytes.Buffer
	g, addr := hostedGameWith(t, gameOptions{URL: "flat?game=DeathMatch?bots=1", Mode: engine.NMDedicatedServer, Worlds: &worlds.Memory{}}, slog.NewTextHandler(&log, nil))
	start := time.Now()
	tick := time.NewTicker(2 * time.Millisecond) // packets need real time; the worlds may be faster than it
	defer tick.Stop()
	var players []*join.Player
	enter := func(name string) *join.Player {
		key, err := kcplink.NewKey()
		if err != nil {
			t.Fatal(err)
		}
		p, err := join.New(join.Options{Target: join.Target{Addr: addr}, Name: name, Key: key, Timeout: 30 * time.Second})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = p.Close(link.Reason{Code: "left", Text: "the player left"}) }) // the test is over
		players = append(players, p)
		return p
	}
	until := func(what string, is func() bool) {
		t.Helper()
		for begun := time.Now(); !is(); {
			if <-tick.C; time.Since(begun) > time.Minute {
				t.Fatalf("%s: not after %v\n%s", what, time.Since(begun), log.String())
			}
			g.Step(1.0 / 60)
			for _, p := range players {
				if p.Over() {
					t.Fatalf("%s: somebody is not in any more: %v\n%s", what, p.Client().Reason(), log.String())
				}
				p.Tick(time.Since(start), 1.0/60)
			}
		}
	}
	state := func(name string) *engine.Actor {
		for _, a := range g.World.ActorsOf("PlayerReplicationInfo") {
			if a.Get(a.Class.Property("PlayerName")).Str == name && !a.Deleted() {
				return a
			}
		}
		return nil
	}
	score := func(name string) float64 {
		a := state(name)
		if a == nil {
			return -1
		}
		return a.Get(a.Class.Property("Score")).Num
	}
	set := func(name string, v float64) {
		a := state(name)
		p := a.Class.Property("Score")
		if err := a.Set(p, engine.Float(v)); err != nil {
			t.Fatal(err)
		}
		g.VM.Changed(a, p)
	}
	pawn := func(name string) (found engine.ActorID) {
		for _, a := range g.World.ActorsOf("PlayerController") {
			if a.Get(a.Class.Property("PlayerReplicationInfo")).Ref == state(name).ID() {
				found = a.Get(a.Class.Property("Pawn")).Ref
			}
		}
		return found
	}
	in := func(p *join.Player) func() bool {
		return func() bool { return p.Pawn() != nil && p.Controller() != nil && p.World().LevelName() == "flat" }
	}
	ann := enter("Ann")
	until("Ann is in", in(ann))
	set("Ann", 7)
	saved := false
	g.SaveWorld("one", func(err error) {
		if saved = true; err != nil {
			t.Error(err)
		}
	})
	until("it is saved", func() bool { return saved })
	body := pawn("Ann")
	set("Ann", 20)
	bob := enter("Bob")
	until("Bob is in", in(bob))
	set("Bob", 3)
	for round := range 2 {
		before, was := g.World, ann.World()
		var err error
		g.LoadWorld("one", func(e error) { err = e })
		if err != nil || g.World == before {
			t.Fatalf("round %d: %v", round, err)
		}
		until("Ann and Bob are in the loaded match", func() bool { return ann.World() != was && in(ann)() && in(bob)() && g.Status().Players == 2 })
		if score("Ann") != 7 || score("Bob") != 0 {
			t.Errorf("round %d: Ann has %g, want 7 as saved; Bob %g, want 0, since he was not there", round, score("Ann"), score("Bob"))
		}
		if now := pawn("Ann"); now != body {
			t.Errorf("round %d: Ann has the pawn %v, want %v, which she had", round, now, body)
		}
		if n := len(g.World.ActorsOf("PlayerController")); n != 2 {
			t.Errorf("round %d: %d controllers of players, want 2", round, n)
		}
		if n := len(g.World.ActorsOf("AIController")); n != 1 {
			t.Errorf("round %d: %d bots, want 1", round, n)
		}
	}
	if strings.Contains(log.String(), "level=ERROR") {
		t.Errorf("errors:\n%s", log.String())
	}
}
