package main

import (
	"context"
	"log/slog"
	"slices"
	"strings"
	"testing"

	"github.com/tidelock/tidelock/cmd/host/access"
	"github.com/tidelock/tidelock/cmd/host/assets"
	"github.com/tidelock/tidelock/cmd/host/command"
	"github.com/tidelock/tidelock/cmd/host/control"
	"github.com/tidelock/tidelock/scriptvm/classfile"
)

// atOnce gives every function its turn at once: the test owns the world.
type atOnce struct{}

func (atOnce) Do(_ context.Context, f func() error) error { return f() }

// vaultCommands is what a game of this test declares; it is appended to a class.
const vaultCommands = `
Vault.properties { Coins = int(3, { min = 0, max = 100 }) }
-- Put coins into the vault of somebody.
function Vault.console:CoinsAdd(Who, Count, bLoud, Colour, Kind, Note)
	self.Coins = self.Coins + Count
	if Note == "fail" then error("no room for " .. Who.Name) end
	return ("%s %d %s %s %s %s\nnow %d"):format(Who.Name, Count, tostring(bLoud), Colour, tostring(Kind), Note, self.Coins)
end
Vault.params {
	CoinsAdd = {
		ref("Controller"), int(1, { min = 1, max = 50 }), optional(false), optional(enum("red", "green")),
		optional(classref("Weapon")), optional("-"),
	},
	Look = { ref("Crate") },
}
Vault.roles { CoinsAdd = "moderator", Look = "none" }
-- Look at a crate.
function Vault.console:Look(Crate) return Crate.Name end
return Vault
`

func vault(name string) string {
	return `local Vault = class("` + name + `", "DeathMatch")` + vaultCommands
}

// steered is a game with the commands of a host.
func steered(t *testing.T, g *game, log slog.Handler) *command.Registry {
	t.Helper()
	r := &command.Registry{Log: func(who command.Caller, line string, err error) { logCommand(slog.New(log), who, line, err) }}
	opt := control.Options{Host: g, Turns: atOnce{}, Log: slog.New(log)}
	must(t, r.Add(control.Commands(opt)...))
	g.commands = &gameCommands{registry: r, options: opt, log: slog.New(log)}
	g.followed()
	return r
}

// says gives a command, and expects an answer or an error that contains something.
func says(t *testing.T, r *command.Registry, who command.Caller, line, want string) {
	t.Helper()
	answer, err := r.Do(t.Context(), who, line)
	text := strings.Join(answer, "|")
	if err != nil {
		text = "error: " + err.Error()
	}
	if !strings.Contains(text, want) || strings.HasPrefix(text, "error: ") != strings.HasPrefix(want, "error: ") {
		t.Errorf("%s: %s, want %s", line, text, want)
	}
}

// TestCommandsOfAGame: what a game declares is a command like the host's own, with its types, role, help and completion; it comes and goes with
// reloads and games, and a command that faults changes nothing.
func TestCommandsOfAGame(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	saveFile(t, root, "scripts/shooter/Vault.lua", vault("Vault"))
	g := newParty(t, root, gameOptions{URL: "flat?game=Vault?bots=2"})
	r := steered(t, g.game, slog.NewTextHandler(&g.log, nil))
	g.steps(60)
	bot := g.World.ActorsOf("Controller")[0].Name
	mo := command.Caller{Name: "Mo", Role: access.Moderator, Via: "api"}
	nobody := command.Caller{Name: "Eve", Via: "api"}
	says := func(who command.Caller, line, want string) {
		t.Helper()
		says(t, r, who, line, want)
	}
	says(mo, "coins add "+bot+" 2", bot+" 2 false red nil -|now 5")
	says(mo, "coins add "+bot+" 1 on green rocketlauncher the rest  of it", bot+" 1 true green class RocketLauncher the rest  of it|now 6")
	says(mo, "coins add "+bot+" 7 on red Rifle fail", "error: "+root+"/scripts/shooter/Vault.lua:6: no room for "+bot)
	says(mo, "coins add "+bot+" 51", "error: coins add: COUNT is \"51\", not a whole number from 1 to 50; expected coins add WHO COUNT [LOUD] [COLOUR] [KIND] [NOTE]")
	says(mo, "coins add "+bot+" 1 on blue", "error: Colour: ")
	says(mo, "coins add "+bot+" 1 on red Crate", "error: Kind: ")
	says(mo, "coins add Nobody 1", `error: there is no player "Nobody"`)
	says(mo, "coins add "+bot, "error: expected coins add WHO COUNT")
	says(mo, "coins add "+bot+" 1 on red Rifle "+strings.Repeat("x", 300), "error: Note: ")
	says(nobody, "coins add "+bot+" 1", "error: coins add needs the role moderator; you have none")
	says(nobody, "look "+bot, "error: ") // no crate
	if n := value(g.Game, "Coins").Num; n != 6 {
		t.Errorf("there are %g coins", n)
	}
	if log := g.log.String(); !strings.Contains(log, `who=Mo role=moderator via=api line="coins add `+bot+` 2"`) || !strings.Contains(log, `who=Eve role=none`) {
		t.Error("the log does not say who")
	}
	for line, want := range map[string]string{
		"coins add " + bot + " 1 on gr": "coins add " + bot + " 1 on green",
		"coins add ":                    "coins add Ada",
		"coins":                         "coins add",
	} {
		if list := r.Complete(mo, line); !slices.Contains(list, want) {
			t.Errorf("%q is completed to %q", line, list)
		}
	}
	if help, err := r.Help(mo, "coins add"); err != nil || !strings.Contains(strings.Join(help, "\n"), "Put coins into the vault of somebody.") {
		t.Errorf("%q, %v", help, err)
	}

	scripts, err := g.assets.Scripts(nil)
	must(t, err)
	changed := func(text string) []assets.Script {
		out := slices.Clone(scripts)
		i := slices.IndexFunc(out, func(s assets.Script) bool { return strings.HasSuffix(s.Path, "Vault.lua") })
		out[i].Text = text
		return out
	}
	if res := g.Reload(changed(strings.ReplaceAll(vault("Vault"), "CoinsAdd", "CoinsGive")), nil, false); res.Failed {
		t.Fatal(res.Diagnostics)
	}
	says(mo, "coins add "+bot+" 2", `error: unknown command "coins"`)
	says(mo, "coins give "+bot+" 2", "now 8")
	res := g.Reload(changed(strings.ReplaceAll(vault("Vault"), "Look", "Kick")), nil, false)
	if !res.Failed || !strings.Contains(res.Diagnostics[0].String(), `Vault.lua:18:24: error: class Vault: console:Kick is typed as "kick", and the host has a command "kick" of its own; rename it`) {
		t.Error(res.Diagnostics)
	}
	says(mo, "coins give "+bot+" 2", "now 10")
	must(t, g.TravelTo("flat?game=GameInfo"))
	says(mo, "coins give "+bot+" 2", `error: unknown command "coins"`)
	must(t, g.TravelTo("flat?game=Vault"))
	says(mo, "coins give Nobody 2", `error: there is no player "Nobody"`)
}

// TestRolesOfCommands: what scripts may write as a role is what the host knows.
func TestRolesOfCommands(t *testing.T) {
	want := []string{"none"}
	for r := access.Moderator; r <= access.Owner; r++ {
		want = append(want, r.String())
	}
	if got := classfile.ConsoleRoles(); !slices.Equal(got, want) {
		t.Errorf("%q, the host has %q", got, want)
	}
}
