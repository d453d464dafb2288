package main

import (
	"bytes"
	"context"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tidelock/tidelock/cmd/host/access"
	"github.com/tidelock/tidelock/cmd/host/command"
	"github.com/tidelock/tidelock/cmd/host/join"
	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/netcode/link"
)

// turnsOf gives functions their turn where a test steps the world.
type turnsOf chan func()

func (c turnsOf) Do(ctx context.Context, f func() error) error {
	done := make(chan error, 1)
	select {
	case c <- func() { done <- f() }:
	case <-ctx.Done():
		return ctx.Err()
	}
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// TestCommandsOfPlayers: a chat line that begins with "/" is a command with the role of the player's key, which may be taken away; only that player
// sees the answer. Nobody else learns of it, and who has no role, floods or sends oversized lines gets a line at most.
func TestCommandsOfPlayers(t *testing.T) {
	var log bytes.Buffer
	defer func() {
		if t.Failed() {
			t.Log(log.String())
		}
	}()
	logger := slog.New(slog.NewTextHandler(&log, nil))
	root := t.TempDir()
	saveFile(t, root, "scripts/shooter/Vault.lua", vault("Vault"))
	g, addr := hostedGameIn(t, root, "flat?game=Vault", engine.NMDedicatedServer, logger.Handler())
	list, err := access.Open(filepath.Join(t.TempDir(), "access.toml"))
	if err != nil {
		t.Fatal(err)
	}
	turns := make(turnsOf)
	r := steered(t, g, logger.Handler())
	clock := time.Duration(0)
	g.asks = newPlayerCommands(r, turns, list.RoleOf, logger)
	g.asks.now = func() time.Duration { return clock }
	var gave []command.Caller
	if err := r.Add(command.Command{Name: "who", Needs: access.Moderator, Run: func(c *command.Call) ([]string, error) {
		gave = append(gave, c.Caller)
		return strings.Split(strings.Repeat("a line\n", 40), "\n"), nil
	}}); err != nil {
		t.Fatal(err)
	}
	g.commands.options.Turns = turns
	g.followed()
	defer g.asks.start(g)()

	start := time.Now()
	var players []*join.Player
	add := func(name string) *join.Player {
		p, err := join.New(join.Options{Target: join.Target{Addr: addr}, Name: name, Timeout: 30 * time.Second})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = p.Close(link.Reason{Code: "left", Text: "the player left"}) }) // the test is over
		players = append(players, p)
		return p
	}
	ann, eve := add("Ann"), add("Eve")
	tick := time.NewTicker(2 * time.Millisecond) // packets need real time
	defer tick.Stop()
	turn := func() {
		<-tick.C
		select {
		case f := <-turns:
			f()
		default:
		}
		g.Step(1.0 / 60)
		for _, p := range players {
			p.Tick(time.Since(start), 1.0/60)
		}
	}
	until := func(what string, is func() bool) {
		t.Helper()
		for from := time.Now(); !is(); turn() {
			if time.Since(from) > time.Minute {
				t.Fatalf("%s: not after %v", what, time.Since(from))
			}
		}
	}
	for _, p := range players {
		until("a player is in", func() bool { return p.Pawn() != nil && p.Joined() })
	}
	seen := func(p *join.Player, text string) int {
		n := 0
		for _, m := range p.World().Messages(0, nil) {
			n += strings.Count(m.Text, text)
		}
		return n
	}
	types := func(p *join.Player, text string) {
		t.Helper()
		p.Call(p.Controller(), "ServerSay", engine.String(text), engine.Bool(false))
	}
	key := func(name string) (key string) {
		for _, x := range g.World.ActorsOf("PlayerController") {
			if c := g.door.Server().ConnectionOf(x); c != nil && c.Name == name {
				key = c.Key()
			}
		}
		return key
	}

	types(eve, "/who")
	until("a player without a role is refused", func() bool { return seen(eve, "only players with a role") == 1 })
	types(eve, "  /players")
	until("nor sees what others may", func() bool { return seen(eve, "only players with a role") == 2 })
	types(eve, "/look nothing")
	until("but may what the game lets everybody do", func() bool { return seen(eve, `there is no actor "nothing"`) == 1 })
	if len(gave) != 0 || !strings.Contains(log.String(), `who=Eve role=none via=game line=who`) {
		t.Errorf("%v", gave)
	}

	if err := list.SetRole(key("Ann"), access.Moderator); err != nil {
		t.Fatal(err)
	}
	types(ann, "/who")
	until("the answer comes, cut", func() bool { return seen(ann, "22 more lines") == 1 })
	if len(gave) != 1 || gave[0].Key != key("Ann") || gave[0].Role != access.Moderator || gave[0].Name != "Ann" || gave[0].Connection == 0 {
		t.Errorf("given by %+v", gave)
	}
	types(ann, "/kill Eve")
	until("a command above the role", func() bool { return seen(ann, "kill needs the role admin; yours is moderator") == 1 })
	types(ann, "/coins add Eve 2")
	until("a command of the game", func() bool { return seen(ann, "now 5") == 1 })

	clock += time.Minute
	if err := list.SetRole(key("Ann"), access.None); err != nil {
		t.Fatal(err)
	}
	types(ann, "/who")
	until("the role is taken away", func() bool { return seen(ann, "only players with a role") == 1 })

	clock += time.Minute
	types(eve, "/"+strings.Repeat("x", 240))
	until("a long line", func() bool { return seen(eve, "only players with a role") == 3 })
	types(eve, "/"+strings.Repeat("x", 2000)) // more than a call takes: it is not even sent
	for range 200 {
		types(eve, "/who")
		turn()
	}
	until("a flood gets a line", func() bool { return seen(eve, "You give commands too fast") == 1 })
	for range 120 {
		turn()
	}
	if n := seen(eve, "only players with a role"); n > 3+int(playerBurst) {
		t.Errorf("a flood was answered %d times", n)
	}
	if seen(ann, "Eve") != 0 && seen(ann, "who") != 0 || seen(eve, "a line") != 0 || seen(eve, "now 5") != 0 || seen(ann, "/") != 0 || seen(eve, "/") != 0 {
		t.Error("a command or its answer was shown to others")
	}
	if len(gave) != 1 {
		t.Errorf("given %d times", len(gave))
	}
	types(ann, "hello")
	until("chat is passed on", func() bool { return seen(eve, "hello") == 1 })
}
