package match_test

import (
	"strings"
	"testing"

	"github.com/tidelock/tidelock/cmd/host/match"
	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/scriptvm"
)

func TestOnward(t *testing.T) {
	for _, c := range []struct{ from, to, want string }{
		{"arena", "flat", "flat"},
		{"arena?bots=4", "flat", "flat?bots=4"},
		{"arena?bots=4?password=x", "flat?BOTS=2", "flat?BOTS=2?password=x"},
		{"arena?bots=4", "?bots=5", "arena?bots=5"},
		{"arena?next=flat?bots=1", "flat", "flat?bots=1"},
		{"arena?game=DeathMatch", "flat?game=TeamGame", "flat?game=TeamGame"},
		{"arena?scale=2?bots=1", "arena", "arena?scale=2?bots=1"},
		{"arena?scale=2?bots=1", "flat", "flat?bots=1"},
		{"arena?scale=2", "arena?scale=3", "arena?scale=3"},
		{"arena?game=DeathMatch??x", "flat?next=arena", "flat?next=arena?game=DeathMatch?x"},
	} {
		if got := match.ParseURL(c.from).Onward(c.to); got != c.want {
			t.Errorf("from %s to %s: %s, want %s", c.from, c.to, got, c.want)
		}
	}
}

// TestTravel: what fails on the way to the next match leaves this one as it was, and so does a rehearsal beside it. Journeys that succeed are
// in tests/scenarios (R8.7).
func TestTravel(t *testing.T) {
	var faults []string
	report := func(r scriptvm.Report) { faults = append(faults, r.Text) }
	m := open(t, "flat?game=Voyage?bots=1", engine.NMStandalone, scriptvm.Options{Peer: "test", Report: report}, chunk(`
		local Voyage = class("Voyage", "GameInfo")
		function Voyage:GetSeamlessTravelState(controller) return { Pawn = controller } end
		function Voyage:PostSeamlessTravel(state) error("a leg broke") end
		function Voyage:StartPlay()
			if self:ParseOption(self.options, "sink") then error("it sinks") end
			Voyage.super.StartPlay(self)
		end
	`))
	m.World.Step(0.1)
	pc, err := m.Login("", "?name=Ann", true)
	if err != nil {
		t.Fatal(err)
	}
	before := m.World.Live()
	for _, url := range []string{"wall", "nowhere"} { // aside, as the host does while the match goes on
		work, done := m.Rehearse(url), make(chan struct{})
		go func() { work(); close(done) }() // awaited below
		for waiting := true; waiting; {
			select {
			case <-done:
				waiting = false
			default:
				m.World.Step(0.01)
			}
		}
	}
	if len(faults) > 0 || m.World.Live() != before {
		t.Errorf("a rehearsal was noticed: %v, %d actors of %d", faults, m.World.Live(), before)
	}
	for _, url := range []string{"nowhere", "wall?game=Nothing", "wall?maxplayers=none", "wall?sink=1"} {
		if next, err := m.Travel(url, 0); err == nil {
			next.Close()
			t.Errorf("%s: no error", url)
		}
		if m.World.Live() != before || pc.Deleted() {
			t.Errorf("%s: %d actors, and %d before", url, m.World.Live(), before)
		}
	}

	// What a game's scripts do wrong is told; who it is about comes as if they were new.
	next, err := m.Travel("wall", 0)
	if err != nil {
		t.Fatal(err)
	}
	defer next.Close()
	if here, err := next.Follow(m, pc, "?name=Ann"); err != nil || here == nil || here.World() != next.World {
		t.Errorf("who is new after all: %v", err)
	}
	if all := strings.Join(faults, "\n"); !strings.Contains(all, "cannot move to another world") || !strings.Contains(all, "a leg broke") {
		t.Errorf("faults are %q", all)
	}
}
