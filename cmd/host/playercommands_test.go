package main

import (
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
	t.Parallel()
	root := t.TempDir()
	saveFile(t, root, "scripts/shooter/Vault.lua", vault("Vault"))
	g := newParty(t, root, gameOptions{URL: "flat?game=Vault"})
	logger := slog.New(slog.NewTextHandler(&g.log, nil))
	list, err := access.Open(filepath.Join(t.TempDir(), "access.toml"))
	must(t, err)
	turns := make(turnsOf)
	r := steered(t, g.game, logger.Handler())
	clock := time.Duration(0)
	g.game.asks = newPlayerCommands(r, turns, list.RoleOf, logger)
	g.game.asks.now = func() time.Duration { return clock }
	var gave []command.Caller
	if err := r.Add(command.Command{Name: "who", Needs: access.Moderator, Run: func(c *command.Call) ([]string, error) {
		gave = append(gave, c.Caller)
		return strings.Split(strings.Repeat("a line\n", 40), "\n"), nil
	}}); err != nil {
		t.Fatal(err)
	}
	g.commands.options.Turns = turns
	g.followed()
	defer g.game.asks.start(g.game)()

	g.between = func() {
		select {
		case f := <-turns:
			f()
		default:
		}
	}
	ann, eve := g.come("Ann"), g.come("Eve")
	g.until("both are in", func() bool { return playing(ann)() && playing(eve)() })
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
	g.until("a player without a role is refused", func() bool { return seen(eve, "only players with a role") == 1 })
	types(eve, "  /players")
	g.until("nor sees what others may", func() bool { return seen(eve, "only players with a role") == 2 })
	types(eve, "/look nothing")
	g.until("but may what the game lets everybody do", func() bool { return seen(eve, `there is no actor "nothing"`) == 1 })
	if len(gave) != 0 || !strings.Contains(g.log.String(), `who=Eve role=none via=game line=who`) {
		t.Errorf("%v", gave)
	}

	must(t, list.SetRole(key("Ann"), access.Moderator))
	types(ann, "/who")
	g.until("the answer comes, cut", func() bool { return seen(ann, "22 more lines") == 1 })
	if len(gave) != 1 || gave[0].Key != key("Ann") || gave[0].Role != access.Moderator || gave[0].Name != "Ann" || gave[0].Connection == 0 {
		t.Errorf("given by %+v", gave)
	}
	types(ann, "/kill Eve")
	g.until("a command above the role", func() bool { return seen(ann, "kill needs the role admin; yours is moderator") == 1 })
	types(ann, "/coins add Eve 2")
	g.until("a command of the game", func() bool { return seen(ann, "now 5") == 1 })

	clock += time.Minute
	must(t, list.SetRole(key("Ann"), access.None))
	types(ann, "/who")
	g.until("the role is taken away", func() bool { return seen(ann, "only players with a role") == 1 })

	clock += time.Minute
	types(eve, "/"+strings.Repeat("x", 240))
	g.until("a long line", func() bool { return seen(eve, "only players with a role") == 3 })
	types(eve, "/"+strings.Repeat("x", 2000)) // more than a call takes: it is not even sent
	for range 200 {
		types(eve, "/who")
		g.step()
	}
	g.until("a flood gets a line", func() bool { return seen(eve, "You give commands too fast") == 1 })
	g.steps(120)
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
	g.until("chat is passed on", func() bool { return seen(eve, "hello") == 1 })
}
