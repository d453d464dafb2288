package view_test

import (
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

// A game that gives no second life says so, and what one can do.
func TestNoSecondLife(t *testing.T) {
	s := sit(t, "flat?game=GameInfo", "?name=Ann", "")
	v := view.New(view.Options{Keys: true})
	s.run(v, 0.2)
	s.kill(view.Pawn(s.pc), nil)
	s.run(v, 0.2)
	shows(t, v, s, "You are dead until the next match. V: watch the others.")
	v.Type([]byte("v"))
	s.run(v, 0.2)
	shows(t, v, s, "You watch from your own place.", "V: play.")
}

// A spectator is told whom they watch and how to play; one who begins to play waits for a pawn, and is told how long.
func TestSpectator(t *testing.T) {
	s := sit(t, "flat?game=DeathMatch?bots=2", "?name=Eve?spectator=1", "")
	v := view.New(view.Options{Keys: true, Spectate: true})
	s.run(v, 0.5)
	shows(t, v, s, "You watch Ada.", "N and P: another player. V: play.", "Eve (you, watches)")
	v.Type([]byte("n"))
	s.run(v, 0.1)
	shows(t, v, s, "You watch Bo.")
	v.Type([]byte("v"))
	s.run(v, 0.1)
	shows(t, v, s, "You come in in 3 s.")
	s.run(v, 3.1)
	shows(t, v, s, "health ")
	v.Type([]byte("v"))
	s.run(v, 0.1)
	shows(t, v, s, "You watch from your own place.")
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

// A match that waits says for what.
func TestMatchThatWaits(t *testing.T) {
	const late = `
local Late = class("Late", "DeathMatch")
Late.defaults { bDelayedStart = true }
`
	s := sit(t, "flat?game=Late?minplayers=2", "?name=Ann", late)
	v := view.New(view.Options{})
	s.run(v, 0.2)
	shows(t, v, s, "The match has not started yet: it waits for players.")
	s = sit(t, "flat?game=Late?warmup=20", "?name=Ann", late)
	s.run(v, 1)
	shows(t, v, s, "The match starts in 1")
}

// Keys reach the world and the program.
func TestKeysOfAView(t *testing.T) {
	s := sit(t, "flat?game=GameInfo", "?name=Ann", "")
	v := view.New(view.Options{Keys: true})
	s.run(v, 0.2)
	at := view.Pawn(s.pc).Location
	v.Type([]byte("w"))
	s.run(v, 1)
	if d := view.Pawn(s.pc).Location.Distance(at); d < 100 {
		t.Errorf("went %g uu", d)
	}
	shows(t, v, s, "forward")
	v.Type([]byte("h"))
	s.run(v, 0.1)
	shows(t, v, s, "a move is latched")
	v.Line("one of the log", false)
	v.Type([]byte("l"))
	s.run(v, 0.1)
	shows(t, v, s, "one of the log", "L hides the log")
	v.Type([]byte("b"))
	s.run(v, 0.1)
	shows(t, v, s, "the brain plays")
	for range 1000 {
		v.Type([]byte("x")) // never waits
	}
	s.run(v, 0.1)
	v.Type([]byte{4})
	if !s.run(v, 0.1) {
		t.Error("Ctrl-D does not leave")
	}
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
