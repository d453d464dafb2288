package control_test

import (
	"context"
	"errors"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tidelock/tidelock/cmd/host/access"
	"github.com/tidelock/tidelock/cmd/host/assets/assetstest"
	"github.com/tidelock/tidelock/cmd/host/command"
	"github.com/tidelock/tidelock/cmd/host/control"
	"github.com/tidelock/tidelock/cmd/host/match"
	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/netcode/server"
)

// world is a match without a network, whose turns come at once.
type world struct {
	m      *match.Match
	travel []string
	scale  float64
	steps  int
	gone   error // what Do returns, for a host that ends
}

func (w *world) Current() (*match.Match, *server.Server) { return w.m, nil }
func (w *world) Levels() []string                        { return []string{"arena", "flat"} }
func (w *world) SetPace(scale float64) error             { w.scale = scale; return nil }
func (w *world) StepTicks(n int) error                   { w.scale, w.steps = 0, n; return nil }
func (w *world) Pace() (float64, int)                    { return w.scale, w.steps }

func (w *world) TravelTo(url string) error {
	if url == "nowhere" {
		return errors.New("level \"nowhere\": no file")
	}
	w.travel = append(w.travel, url)
	return nil
}

func (w *world) Do(_ context.Context, f func() error) error {
	if w.gone != nil {
		return w.gone
	}
	return f()
}

// host is the commands on a match of two bots.
type host struct {
	*world
	*command.Registry
	t    *testing.T
	list *access.List
	who  command.Caller
}

func newHost(t *testing.T) *host {
	t.Helper()
	a, sources := assetstest.Shipped(t)
	m, err := match.Open(match.Options{Sources: sources, Content: a.Content(), URL: "flat?game=DeathMatch?bots=2", NetMode: engine.NMDedicatedServer})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(m.Close)
	for range 120 {
		m.World.Step(1.0 / 60)
	}
	list, err := access.Open(filepath.Join(t.TempDir(), "access.toml"))
	if err != nil {
		t.Fatal(err)
	}
	h := &host{world: &world{m: m, scale: 1}, Registry: &command.Registry{}, t: t, list: list, who: command.Caller{Name: "terminal", Role: access.Owner}}
	err = h.Add(control.Commands(control.Options{
		Host: h.world, Turns: h.world, Access: list, Log: slog.New(slog.DiscardHandler), Notes: func() []string { return []string{"set: nothing"} },
		Dropped: func() uint64 { return 3 },
	})...)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// says gives a line, whose answer or error must hold a text.
func (h *host) says(line, want string) string {
	h.t.Helper()
	answer, err := h.Registry.Do(h.t.Context(), h.who, line)
	text := strings.Join(answer, "\n")
	if err != nil {
		text = "error: " + err.Error()
	}
	if !strings.Contains(text, want) || strings.HasPrefix(text, "error: ") != strings.HasPrefix(want, "error: ") {
		h.t.Errorf("%s: %s, want %s", line, text, want)
	}
	return text
}

func TestCommandsOfAMatch(t *testing.T) {
	h := newHost(t)
	w := h.m.World
	var bots []string
	for _, l := range strings.Split(h.says("players", "bot"), "\n")[1:] {
		bots = append(bots, strings.Fields(l)[0])
	}
	if len(bots) != 2 {
		t.Fatalf("players: %q", bots)
	}
	pawns := w.ActorsOf("ShooterPawn")
	h.says("status", "flat (DeathMatch), dedicated, 2 s\n0 players, 2 bots")
	h.says("status", "set: nothing")

	h.says("spawn crate 1 2 300", "Crate_0 at (1, 2, 300)")
	h.says("spawn Crat", `error: there is no class "Crat"; did you mean "Crate"?`)
	h.says("spawn Crate 1 2", "error: a place has three numbers")
	h.says("spawn Crate 1 2 9e99", "error: ")
	h.says("show Crate_0 location", "vector(1, 2, 300)")
	h.says("show crate_0 Locatoin", `error: Crate has no variable "Locatoin"; did you mean "Location"?`)
	h.says("kill Crate_0", "")
	h.says("show Crate_0", `error: there is no actor "Crate_0"`)
	h.says("kill "+h.m.Game.Name, "error: ")

	h.says("teleport "+bots[0]+" 100 200 900", "")
	if at := pawns[0].Location; at.X != 100 || at.Y != 200 || at.Z != 900 {
		t.Errorf("%s is at %v", bots[0], at)
	}
	h.says("teleport "+bots[1]+" "+bots[0], "")
	if d := pawns[1].Location.Sub(pawns[0].Location); d.X != 0 || d.Y != 0 || d.Z <= 0 {
		t.Errorf("%s is %v from %s", bots[1], d, bots[0])
	}
	h.says("teleport "+bots[0]+" 1 2", "error: a place has three numbers")
	h.says("teleport "+bots[0]+" nan 1 2", "error: a place has three numbers")
	h.says("teleport "+bots[0]+" -9e99 1 2", "error: a place has three numbers")
	h.says("teleport Nobody "+bots[0], `error: there is no player "Nobody"`)
	h.says("kill "+bots[0], "")
	if health := pawns[0].Get(pawns[0].Class.Property("Health")).Num; health > 0 {
		t.Errorf("%s has a health of %g", bots[0], health)
	}
	h.says("teleport "+bots[0]+" 1 2 3", `error: "`+bots[0]+`" has no pawn now`)

	h.says("eval world.TimeSeconds > 1, world.Game.GoalScore", "true, ")
	h.says("eval world.Game.GoalScore = 7", "")
	h.says("eval world.Game.GoalScore = 8 error('no')", "error: ")
	h.says("eval world.Game.GoalScore", "7")

	h.says("map arena?bots=1", "")
	h.says("map nowhere", `error: level "nowhere"`)
	h.says("restart", "")
	if !slices.Equal(h.travel, []string{"arena?bots=1", "flat"}) {
		t.Errorf("travelled to %q", h.travel)
	}
	h.says("slomo 0.25", "")
	h.says("status", "runs at 0.25 times its normal speed")
	h.says("pause", "")
	h.says("status", "paused (pause off)")
	h.says("pause", "")
	h.says("step 3", "")
	h.says("status", "paused, 3 ticks to run")

	for _, line := range []string{"stat net", "why Rocket_0 " + bots[1], "log net Crate"} {
		h.says(line, "error: ") // there is no network
	}
	for line, want := range map[string]string{
		"teleport ":                "teleport " + bots[0],
		"show " + bots[1]:          "",
		"spawn Crat":               "spawn Crate",
		"map ar":                   "map arena",
		"show DeathMatch_0 GoalSc": "show DeathMatch_0 GoalScore",
	} {
		if list := h.Complete(h.who, line); want != "" && !slices.Contains(list, want) {
			t.Errorf("%q is completed to %q", line, list)
		}
	}
	h.gone = errors.New("the loop has ended")
	h.says("status", "error: the loop has ended")
	if list := h.Complete(h.who, "teleport "); list != nil {
		t.Errorf("a host that ends completes to %q", list)
	}
}

// TestBadLinkCommands: lag and loss are for admins, bounded, and need a network.
func TestBadLinkCommands(t *testing.T) {
	h := newHost(t)
	h.says("lag Ann 100", "error: this world has no network")
	h.says("loss Ann 5", "error: this world has no network")
	h.says("lag Ann", "error: expected lag PLAYER MS")
	h.says("lag Ann 2001", `error: lag: MS is "2001", not a number from 0 to 2000`)
	h.says("lag Ann -1", `error: lag: MS is "-1"`)
	h.says("loss Ann 91", `error: loss: PERCENT is "91", not a number from 0 to 90`)
	h.says("loss Ann nan", `error: loss: PERCENT is "nan"`)
	h.who = command.Caller{Name: "Mo", Role: access.Moderator}
	h.says("lag Ann 100", "error: lag needs the role admin")
	h.says("loss Ann 5", "error: loss needs the role admin")
}

// TestAccessCommands: who is banned, listed or has a role is changed by key, by address, and by nobody whose own role is not above.
func TestAccessCommands(t *testing.T) {
	h := newHost(t)
	ann, bob := "key-"+strings.Repeat("a", 32), "key-"+strings.Repeat("b", 32)
	h.says("bans", "nobody is banned")
	h.says("ban "+ann+" 30 spams  a lot", "banned "+ann)
	h.says("ban 203.0.113.7 0", "banned 203.0.113.7")
	h.says("ban 127.0.0.1", "error: ")
	h.says("ban Nobody", `error: no player is called "Nobody", and it is neither a key nor an address`)
	h.says("ban "+ann+" -1", "error: ")
	if why := h.list.Check(ann, ""); why == nil || !strings.Contains(why.Text, "spams  a lot") {
		t.Errorf("the player is told %v", why)
	}
	h.says("bans", "terminal")
	if list := h.Complete(h.who, "unban key"); !slices.Equal(list, []string{"unban " + ann}) {
		t.Errorf("completed to %q", list)
	}
	h.says("unban "+ann, "no longer banned")
	h.says("unban "+ann, "error: ")

	h.says("whitelist add "+bob, "")
	h.says("whitelist on", "")
	h.says("whitelist list", "the whitelist is on\n"+bob)
	if h.list.Check(bob, "") != nil || h.list.Check(ann, "") == nil {
		t.Error("the whitelist does not decide")
	}
	h.says("whitelist remove "+bob, "")
	h.says("whitelist off", "")

	h.says("roles", "nobody has a role")
	h.says("role "+ann+" admin", "")
	h.says("role "+bob+" amdin", `error: "amdin" is not a role; did you mean "admin"?`)
	h.says("roles", "admin  "+ann)
	h.who = command.Caller{Name: "Mo", Role: access.Moderator}
	h.says("ban "+ann, "error: "+ann+" has the role admin; only a higher one may ban them")
	h.says("role "+bob+" owner", "error: role needs the role owner")
	h.who.Role = access.Owner
	h.says("role "+ann+" none", "")
	h.says("roles", "nobody has a role")
}
