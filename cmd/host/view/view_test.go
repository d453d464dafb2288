package view_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tidelock/tidelock/cmd/host/assets/assetstest"
	"github.com/tidelock/tidelock/cmd/host/match"
	"github.com/tidelock/tidelock/cmd/host/view"
	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/engine/canvas"
	"github.com/tidelock/tidelock/scriptvm"
	"github.com/tidelock/tidelock/scriptvm/classfile"
)

// seat is the player of a world in this process.
type seat struct {
	t     *testing.T
	m     *match.Match
	pc    *engine.Actor
	brain bool
	now   time.Duration
}

func (s *seat) World() *engine.World      { return s.m.World }
func (s *seat) Controller() *engine.Actor { return s.pc }
func (s *seat) Brain() bool               { return s.brain }
func (s *seat) DrawHUD() []canvas.Call {
	c, _ := s.m.VM.DrawHUD(s.pc)
	return c.Calls()
}
func (s *seat) SetBrain(on bool) { s.brain = on }
func (s *seat) Status() view.Status {
	return view.Status{Place: "this machine", Level: "flat", Game: s.m.Game.Class.Name}
}

func (s *seat) Call(a *engine.Actor, name string, args ...engine.Value) []engine.Value {
	out, err := s.m.VM.Call(a, name, args...)
	if err != nil {
		s.t.Errorf("%s: %v", name, err)
	}
	return out
}

// run lets so many seconds of ticks pass; it reports whether the player asked to leave.
func (s *seat) run(v *view.View, seconds float64) (leave bool) {
	for range int(seconds*60 + 0.5) {
		leave = v.Play(s, s.now) || leave
		s.m.World.Step(1.0 / 60)
		s.m.World.ClearDirty()
		s.now += time.Second / 60
	}
	return leave
}

// sit makes a match with a player at this machine.
func sit(t *testing.T, url, options string, more string) *seat {
	t.Helper()
	a, sources := assetstest.Shipped(t)
	if more != "" {
		sources = append(sources, classfile.Source{Path: "scripts", Text: more, Multi: true})
	}
	m, err := match.Open(match.Options{
		Sources: sources, Content: a.Content(), URL: url, NetMode: engine.NMListenServer, Seed: 1,
		VM: scriptvm.Options{Peer: "test", Log: func(*engine.Actor, string) {}, Report: func(r scriptvm.Report) { t.Error(r) }},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(m.Close)
	pc, err := m.Login("", options, true)
	if err != nil {
		t.Fatal(err)
	}
	return &seat{t: t, m: m, pc: pc}
}

// shows fails where a view does not have all texts.
func shows(t *testing.T, v *view.View, s *seat, texts ...string) {
	t.Helper()
	text := strings.Join(v.Draw(s, 100, 30), "\n")
	for _, want := range texts {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}

func ref(a *engine.Actor, name string) *engine.Actor { return view.Reference(a, name) }

func (s *seat) kill(pawn *engine.Actor, by *engine.Actor) {
	s.Call(pawn, "TakeDamage", engine.Float(1000), engine.Ref(by), engine.Vec(pawn.Location), engine.Value{}, engine.String("rocket"))
}

// The life of a player, as the view tells it: alive, dead with the seconds until the next life, and alive again; deaths and
// lines for players stand in the feed.
func TestLifeOfAPlayer(t *testing.T) {
	s := sit(t, "flat?game=DeathMatch?bots=1", "?name=Ann", "")
	v := view.New(view.Options{Keys: true, Leave: "ends the match"})
	s.run(v, 1)
	shows(t, v, s, "flat (DeathMatch), in progress", "[health]", "100", "sounding rifle", "30 / 60", "dash ready, jet 100 %", "Nobody has scored yet.",
		"Ann (you)", "Ada (bot)", "DeathMatch on flat: 2 players, to 25", "A player", "Ctrl-C ends the match")

	bot := s.m.World.ActorsOf("AIController")[0]
	s.kill(view.Pawn(s.pc), ref(bot, "Pawn"))
	s.run(v, 0.5)
	shows(t, v, s, "You are dead. You come back in 3 s.", "Ada blew up Ann (1 : 0)", "Ada leads with 1; you have 0, place 2 of 2.")
	s.run(v, 1)
	shows(t, v, s, "You come back in 2 s.")
	s.run(v, 2)
	shows(t, v, s, "[health]", "100")

	s.Call(s.pc, "ClientMessage", engine.String("Hello"), engine.String("chat"))
	v.Line("12:00 ERR something\x1b[2J broke", true)
	shows(t, v, s, "Hello", "12:00 ERR something[2J broke")

	s.Call(s.m.Game, "EndMatch", engine.String("test"))
	s.run(v, 0.5)
	shows(t, v, s, "The match is over. The next one starts in 9 s.", "Ada wins with 1; you have 0", "the match is over (test): Ada wins")
}

// Health and weapon are shown once: by the match's HUD, or by the view where that draws nothing.
func TestVitals(t *testing.T) {
	for game, want := range map[string]int{"DeathMatch": 0, "Bare": 1} {
		s := sit(t, "flat?game="+game, "?name=Ann", `
			local NoHUD = class("NoHUD", "HUD")
			NoHUD.defaults { bShowHUD = false }
			local Bare = class("Bare", "DeathMatch")
			Bare.defaults { HUDType = "NoHUD" }
		`)
		v := view.New(view.Options{Keys: true})
		s.run(v, 1)
		text := strings.Join(v.Draw(s, 100, 30), "\n")
		if n := strings.Count(text, "health ████████████████████ 100  sounding rifle 30 +60"); n != want {
			t.Errorf("%s: the view tells of health and weapon %d times, expected %d, in\n%s", game, n, want, text)
		}
		if n := strings.Count(text, "sounding rifle"); n != 1 {
			t.Errorf("%s: the weapon stands %d times in\n%s", game, n, text)
		}
	}
}

// A message stands in the feed once, however often the view is drawn, and stays when another level comes.
func TestFeedShowsEachMessageOnce(t *testing.T) {
	s := sit(t, "flat?game=GameInfo", "?name=Ann", "")
	v := view.New(view.Options{})
	for _, text := range []string{"one", "two", "three"} {
		s.Call(s.pc, "ClientMessage", engine.String(text))
		v.Draw(s, 100, 30)
		v.Draw(s, 100, 30)
	}
	next := sit(t, "wall?game=GameInfo", "?name=Ann", "")
	next.Call(next.pc, "ClientMessage", engine.String("four"))
	text := strings.Join(v.Draw(next, 100, 30), "\n")
	for _, want := range []string{"one", "two", "three", "four"} {
		if n := strings.Count(text, "\n"+want); n != 1 {
			t.Errorf("%s stands %d times in\n%s", want, n, text)
		}
	}
}

// TestConditions: what a player is told of the match, of themselves, and of what keys do.
func TestConditions(t *testing.T) {
	const late = "local Late = class(\"Late\", \"DeathMatch\")\nLate.defaults { bDelayedStart = true }\n"
	type step struct {
		keys    string
		seconds float64
		shows   []string
	}
	for name, c := range map[string]struct {
		url, options string
		spectate     bool
		steps        []step
	}{
		"no second life": {"flat?game=GameInfo", "?name=Ann", false, []step{
			{"KILL", 0.2, []string{"You are dead until the next match. V: watch the others."}},
			{"v", 0.2, []string{"You watch from your own place.", "V: play."}},
		}},
		"a spectator": {"flat?game=DeathMatch?bots=2", "?name=Eve?spectator=1", true, []step{
			{"", 0.5, []string{"You watch Ada.", "N and P: another player. V: play.", "Eve (you, watches)"}},
			{"n", 0.1, []string{"You watch Bo."}},
			{"v", 0.1, []string{"You come in in 3 s."}},
			{"", 3.1, []string{"health "}},
			{"v", 0.1, []string{"You watch from your own place."}},
		}},
		"a match that waits for players": {"flat?game=Late?minplayers=2", "?name=Ann", false, []step{
			{"", 0.2, []string{"The match has not started yet: it waits for players."}},
		}},
		"a match that waits for its time": {"flat?game=Late?warmup=20", "?name=Ann", false, []step{{"", 1, []string{"The match starts in 1"}}}},
		"keys": {"flat?game=GameInfo", "?name=Ann", false, []step{
			{"w", 0.5, []string{"forward"}},
			{"h", 0.1, []string{"a move is latched"}},
			{"l", 0.1, []string{"one of the log", "L hides the log"}},
			{"b", 0.1, []string{"the brain plays"}},
			{strings.Repeat("x", 1000), 0.1, nil}, // never waits
			{"\x04", 0.1, []string{"LEFT"}},
		}},
	} {
		t.Run(name, func(t *testing.T) {
			s := sit(t, c.url, c.options, late)
			v := view.New(view.Options{Keys: true, Spectate: c.spectate})
			v.Line("one of the log", false)
			s.run(v, 0.2)
			for _, step := range c.steps {
				if step.keys == "KILL" {
					s.kill(view.Pawn(s.pc), nil)
				} else {
					v.Type([]byte(step.keys))
				}
				if left := s.run(v, step.seconds); left || slices.Contains(step.shows, "LEFT") {
					if !left || !slices.Contains(step.shows, "LEFT") {
						t.Errorf("%q: leaves: %v", step.keys, left)
					}
					continue
				}
				shows(t, v, s, step.shows...)
			}
		})
	}
}

// In a game of teams scores are the teams', and mates are small letters.
func TestTeams(t *testing.T) {
	s := sit(t, "flat?game=TeamDeathMatch?bots=3", "?name=Ann", "")
	v := view.New(view.Options{})
	s.run(v, 1)
	shows(t, v, s, "Ebb 0, flood 0; you play for", "A enemy  a team-mate")
	mine, _ := view.Number(ref(s.pc, "PlayerReplicationInfo"), "Team")
	state := s.m.World.Actor(s.m.World.GameState)
	q := state.Class.Property("TeamScores")
	scores := state.Get(q)
	scores.List[1-int(mine)].Num = 5
	if err := state.Set(q, scores); err != nil {
		t.Fatal(err)
	}
	names := []string{"ebb", "flood"}
	other := names[1-int(mine)]
	shows(t, v, s, strings.ToUpper(other[:1])+other[1:]+" 5, "+names[int(mine)]+" 0; you play for "+names[int(mine)])
}

// Without colors a view has no style, and never another sequence.
func TestColours(t *testing.T) {
	s := sit(t, "flat?game=DeathMatch?bots=1", "?name=Ann", "")
	for _, colour := range []bool{false, true} {
		v := view.New(view.Options{Colour: colour})
		s.run(v, 0.1)
		if text := strings.Join(v.Draw(s, 100, 30), ""); strings.Contains(text, "\x1b") != colour {
			t.Errorf("colour %v: %q", colour, text)
		}
	}
}
