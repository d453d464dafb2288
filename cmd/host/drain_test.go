package main

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tidelock/tidelock/cmd/host/access"
	"github.com/tidelock/tidelock/cmd/host/command"
	"github.com/tidelock/tidelock/cmd/host/drain"
	"github.com/tidelock/tidelock/cmd/host/join"
	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/engine/store"
)

// crier is a game that notes what players are told.
const crier = `-- Crier: notes what players are told.
local Crier = class("Crier", "GameInfo")
Crier.properties { Said = "" }
function Crier:Broadcast(text, kind)
	self.Said = self.Said .. text .. "|"
	return Crier.super.Broadcast(self, text, kind)
end
return Crier
`

// drainedGame is a party of Crier that notes what it tells the board of a drain.
type drainedGame struct {
	*party
	told []bool
}

func newDrainedGame(t *testing.T, options string) *drainedGame {
	t.Helper()
	root := t.TempDir()
	saveFile(t, root, "scripts/Crier.lua", crier)
	d := &drainedGame{party: newParty(t, root, gameOptions{URL: "flat?game=Crier" + options})}
	d.game.drain.SetUsual(600 * time.Second)
	d.drains = func(is bool) { d.told = append(d.told, is) }
	return d
}

func (d *drainedGame) said() string { return value(d.Game, "Said").Str }

func (d *drainedGame) call(function string, args ...engine.Value) {
	d.t.Helper()
	must(d.t, errOf(d.VM.Call(d.Game, function, args...)))
}

// TestDrainOfAnEmptyHost: with bots alone there is nothing to wait for.
func TestDrainOfAnEmptyHost(t *testing.T) {
	t.Parallel()
	d := newDrainedGame(t, "?bots=2")
	d.drain.Ask() // as the signal does, more than once
	d.drain.Ask()
	d.until("the host is drained", func() bool { return d.drain.Phase() == drain.Drained })
	if d.drain.Since() > 2 {
		t.Errorf("it took %g s", d.drain.Since())
	}
}

// TestDrainOff: while a host drains, nobody new comes in, but a player returns. A drain that is called off leaves no trace: players come in, and a
// travel that was held back follows.
func TestDrainOff(t *testing.T) {
	t.Parallel()
	d := newDrainedGame(t, "?maps=flat,wall?postmatch=1")
	ann := d.joined("Ann")
	o := join.Options{Name: "Cid", Key: newPlayerKey(t)}
	cid := d.enter(o)
	d.until("Cid plays", playing(cid))
	d.drain.Start(nil)
	bob := d.come("Bob")
	d.until("Bob is refused", bob.Over)
	d.leave(cid)
	d.until("Cid is gone", func() bool { return d.Status().Players == 1 })
	cid = d.enter(o)
	d.until("Cid is back", playing(cid))
	d.drain.AskOff()
	d.until("it is off", func() bool { return !d.drain.Active() })
	if d.drain.Notes() != nil || !slices.Equal(d.told, []bool{true, false}) || !strings.HasSuffix(d.said(), "|This server stays in service.|") {
		t.Errorf("notes %q, told %v, players were told %q", d.drain.Notes(), d.told, d.said())
	}
	d.joined("Bob")
	d.drain.Start(nil)
	d.call("EndMatch", engine.String("test"))
	d.until("the round is over", func() bool { return d.drain.Phase() == drain.Leaving })
	if d.Status().Level != "flat" || !strings.HasSuffix(d.said(), "|The round is over, and this server goes out of service.|") {
		t.Errorf("in %s, players were told %q", d.Status().Level, d.said())
	}
	must(t, errOf(d.drain.Stop()))
	d.until("all play in the next level", func() bool {
		return d.Status().Level == "wall" && d.Status().Players == 3 && ann.World() != nil && ann.World().LevelName() == "wall"
	})
}

// TestDrainTurnsAway: a player who is still on the way in when the drain begins is refused, and one who is on the way to the next level is
// not.
func TestDrainTurnsAway(t *testing.T) {
	t.Parallel()
	d := newDrainedGame(t, "?maps=flat,wall")
	ann := d.joined("Ann")
	bob := d.come("Bob")
	d.until("Bob is on the way", func() bool { return d.Status().Waiting > 0 })
	d.drain.Start(nil)
	d.until("Bob is refused", bob.Over)
	if out := bob.Outcome(); out.Code != "draining" {
		t.Errorf("Bob was told %v", out)
	}
	must(t, errOf(d.drain.Stop()))
	must(t, d.TravelTo("wall"))
	d.drain.Start(nil)
	d.until("Ann arrives", func() bool { return ann.World() != nil && ann.World().LevelName() == "wall" && d.Status().Players == 1 })
	if ann.Over() {
		t.Errorf("Ann was told %v", ann.Outcome())
	}
}

// silent is a store that answers when it is told to.
type silent struct{ asked []store.Request }

func (s *silent) Send(r store.Request) { s.asked = append(s.asked, r) }

// TestDrainStoresFirst: the host does not end before the store has answered, and then the loop is told; meanwhile the world stands still.
func TestDrainStoresFirst(t *testing.T) {
	t.Parallel()
	d := newDrainedGame(t, "")
	port := &silent{}
	d.keeping.client.Port = port
	d.keeping.client.Commit([]store.Write{{Key: store.Full(store.Worlds, "a"), Value: []byte("x"), If: store.Any}}, func([]store.Revision, error) {})
	d.drain.Start(nil)
	d.step()
	frame := d.World.Frame()
	d.steps(60 * 10)
	if d.drain.Phase() != drain.Storing || d.World.Frame() != frame {
		t.Fatalf("phase %v, %d frames later, while the store is silent", d.drain.Phase(), d.World.Frame()-frame)
	}
	d.keeping.client.Deliver(store.Reply{ID: port.asked[0].ID})
	d.step()
	must(t, <-d.drain.Over())
	d.keeping.client.Port = d.keeping.mail
}

// TestDrainCommands: the commands are the owner's, take a time, and say what is so.
func TestDrainCommands(t *testing.T) {
	t.Parallel()
	d := newDrainedGame(t, "")
	d.joined("Ann")
	var r command.Registry
	must(t, r.Add(drainCommands(d.game, atOnce{})...))
	do := func(role access.Role, line string) string {
		out, err := r.Do(t.Context(), command.Caller{Name: "Ann", Role: role}, line)
		if err != nil {
			return "error: " + err.Error()
		}
		return strings.Join(out, "|")
	}
	for _, c := range []struct {
		role       access.Role
		line, want string
	}{
		{access.Admin, "drain", "error: drain needs the role owner; yours is admin: ask the host's owner for it"},
		{access.Owner, "drain 10", `error: drain: "10" is no time from 0s to 168h0m0s, such as 10m; 0s waits for the end of the round however long it takes`},
		{access.Owner, "drain -1s", `error: drain: "-1s" is no time from 0s to 168h0m0s, such as 10m; 0s waits for the end of the round however long it takes`},
		{access.Owner, "drain 90s", "draining: no new players; the host ends after this round, in 1m30s at the latest"},
		{access.Owner, "drain", "draining: no new players; the host ends after this round, in 1m30s at the latest"},
		{access.Owner, "drain 0s", "draining: no new players; the host ends after this round"},
		{access.Owner, "drain off", "the host is in service again"},
	} {
		if got := do(c.role, c.line); got != c.want {
			t.Errorf("%s by %v: %q, want %q", c.line, c.role, got, c.want)
		}
	}
}
