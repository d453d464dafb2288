package main

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tidelock/tidelock/cmd/host/access"
	"github.com/tidelock/tidelock/cmd/host/assets"
	"github.com/tidelock/tidelock/cmd/host/command"
	"github.com/tidelock/tidelock/cmd/host/drain"
	"github.com/tidelock/tidelock/cmd/host/join"
	"github.com/tidelock/tidelock/cmd/host/metrics"
	"github.com/tidelock/tidelock/cmd/host/query"
	disk "github.com/tidelock/tidelock/cmd/host/store"
	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/engine/store"
	"github.com/tidelock/tidelock/netcode/kcplink"
	"github.com/tidelock/tidelock/netcode/link"
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

// drainedGame is a game whose loop is the test's, with players over UDP.
type drainedGame struct {
	*game
	t       *testing.T
	players []*join.Player
	start   time.Time
	tick    *time.Ticker
	log     bytes.Buffer
	told    []bool // by drains
	options func(name string) join.Options
}

func newDrainedGame(t *testing.T, url string) *drainedGame {
	t.Helper()
	d := &drainedGame{t: t, start: time.Now(), tick: time.NewTicker(2 * time.Millisecond)} // packets need real time; the world may be faster than it
	t.Cleanup(d.tick.Stop)
	root := t.TempDir()
	saveFile(t, root, "scripts/Crier.lua", crier)
	g, addr := hostedGameIn(t, root, url, engine.NMDedicatedServer, slog.NewTextHandler(&d.log, nil))
	d.game = g
	g.drain.SetUsual(600 * time.Second)
	g.drains = func(is bool) { d.told = append(d.told, is) }
	d.options = func(name string) join.Options {
		return join.Options{Target: join.Target{Addr: addr, Shown: "here"}, Name: name, Timeout: 30 * time.Second}
	}
	t.Cleanup(func() {
		if t.Failed() {
			t.Log(d.log.String())
		}
	})
	return d
}

func (d *drainedGame) join(o join.Options) *join.Player {
	d.t.Helper()
	p, err := join.New(o)
	if err != nil {
		d.t.Fatal(err)
	}
	d.t.Cleanup(func() { _ = p.Close(link.Reason{Code: "left", Text: "the player left"}) }) // it may be over
	d.players = append(d.players, p)
	return p
}

// leave ends a player's connection as the player's own decision.
func (d *drainedGame) leave(p *join.Player) {
	d.t.Helper()
	d.players = slices.DeleteFunc(d.players, func(x *join.Player) bool { return x == p })
	if err := p.Close(link.Reason{Code: "left", Text: "the player left"}); err != nil {
		d.t.Fatal(err)
	}
}

// step runs a tick of the host and of the players.
func (d *drainedGame) step() {
	d.Step(1.0 / 60)
	for _, p := range d.players {
		p.Tick(time.Since(d.start), 1.0/60)
	}
}

func (d *drainedGame) until(what string, is func() bool) {
	d.t.Helper()
	for begun := time.Now(); !is(); d.step() {
		if <-d.tick.C; time.Since(begun) > time.Minute {
			d.t.Fatalf("%s: not within a minute", what)
		}
	}
}

func (d *drainedGame) said() string { return d.Game.Get(d.Game.Class.Property("Said")).Str }

func (d *drainedGame) call(function string, args ...engine.Value) {
	d.t.Helper()
	if _, err := d.VM.Call(d.Game, function, args...); err != nil {
		d.t.Fatal(err)
	}
}

// result returns what the loop is told, and whether it was.
func (d *drainedGame) result() (error, bool) { //nolint:revive // as a channel has it
	select {
	case err := <-d.drain.Over():
		return err, true
	default:
		return nil, false
	}
}

func (d *drainedGame) ended() func() bool {
	return func() bool { return d.drain.Phase() == drain.Drained }
}

func playing(p *join.Player) func() bool { return func() bool { return p.Pawn() != nil } }

// TestDrainEndsWithTheRound: no new player comes in while the round goes on, those who are in play on, those who lost their connection
// return, and when the round is over all are told and the host ends (C7).
func TestDrainEndsWithTheRound(t *testing.T) {
	d := newDrainedGame(t, "flat?game=Crier?postmatch=1")
	ann := d.join(d.options("Ann"))
	o := d.options("Cid")
	var err error
	if o.Key, err = kcplink.NewKey(); err != nil {
		t.Fatal(err)
	}
	cid := d.join(o)
	d.until("both play", func() bool { return playing(ann)() && playing(cid)() })

	first := d.drain.Start(nil)
	if want := "draining: no new players; the host ends after this round, in 10m0s at the latest"; first != want {
		t.Errorf("said %q, want %q", first, want)
	}
	if got, want := d.said(), "This server goes out of service after this round, in 10 minutes at the latest.|"; got != want {
		t.Errorf("players were told %q, want %q", got, want)
	}
	d.until("two seconds have passed", func() bool { return d.drain.Since() > 2 })
	if line := d.drain.Start(nil); line == first || d.drain.Left() > 599 {
		t.Errorf("a second drain began anew: %s", line)
	}
	bob := d.join(d.options("Bob"))
	d.until("Bob is refused", bob.Over)
	if out := bob.Outcome(); out == nil || out.Code != "draining" || out.Exit != join.ExitRefused || !strings.Contains(out.Error(), drain.RefusedText) {
		t.Errorf("Bob was told %v", out)
	}
	d.leave(cid)
	d.until("Cid is gone", func() bool { return d.Status().Players == 1 })
	cid = d.join(o)
	d.until("Cid is back", playing(cid))

	d.call("EndMatch", engine.String("test"))
	d.until("the round is over", func() bool { return d.drain.Phase() == drain.Leaving })
	if d.drain.Held() != "flat" || !strings.HasSuffix(d.said(), "|The round is over, and this server goes out of service.|") {
		t.Errorf("before a travel to %q, players were told %q", d.drain.Held(), d.said())
	}
	if ann.Over() || d.Status().Players != 2 {
		t.Error("players had no time to read it")
	}
	d.until("the host is drained", d.ended())
	if err, ok := d.result(); err != nil || !ok {
		t.Errorf("the loop was told %v, %t", err, ok)
	}
	for _, p := range []*join.Player{ann, cid} {
		d.until("the player knows", p.Over)
		if out := p.Outcome(); out == nil || out.Code != "stopping" || !strings.Contains(out.Error(), drain.RoundOver) {
			t.Errorf("a player was told %v", out)
		}
	}
	if !slices.Equal(d.told, []bool{true}) {
		t.Errorf("the board was told %v", d.told)
	}
}

// TestDrainTime: a round that does not end is cut short when the time is over, and players are told a minute before that.
func TestDrainTime(t *testing.T) {
	d := newDrainedGame(t, "flat?game=Crier")
	ann := d.join(d.options("Ann"))
	d.until("Ann plays", playing(ann))
	five := 300.0
	d.drain.Start(&five)
	d.drain.Step(239)
	if strings.Contains(d.said(), "one minute") {
		t.Errorf("too early: %q", d.said())
	}
	d.drain.Step(1)
	d.drain.Step(1)
	if got := strings.Count(d.said(), "This server goes out of service in one minute.|"); got != 1 {
		t.Errorf("told %d times: %q", got, d.said())
	}
	if lines := d.drain.Notes(); len(lines) != 1 || lines[0] != "draining: no new players; the host ends after this round, in 59s at the latest" {
		t.Errorf("the status says %q", lines)
	}
	d.drain.Step(59)
	if d.drain.Phase() != drain.Leaving || !strings.HasSuffix(d.said(), "|The time is over, and this server goes out of service.|") {
		t.Errorf("phase %v, players were told %q", d.drain.Phase(), d.said())
	}
	d.until("the host is drained", d.ended())
	d.until("Ann knows", ann.Over)
	if out := ann.Outcome(); !strings.Contains(out.Error(), drain.TimeOver) {
		t.Errorf("Ann was told %v", out)
	}
	if _, err := d.drain.Stop(); !errors.Is(err, drain.ErrGone) {
		t.Errorf("drain off after that: %v", err)
	}
}

// TestDrainWithoutATime: 0 waits however long the round takes.
func TestDrainWithoutATime(t *testing.T) {
	d := newDrainedGame(t, "flat?game=Crier")
	ann := d.join(d.options("Ann"))
	d.until("Ann plays", playing(ann))
	d.drain.AskWithin(time.Millisecond) // no time is not the shortest one
	d.step()
	if d.drain.Left() > 1 {
		t.Errorf("a drain within a millisecond takes %g s", d.drain.Left())
	}
	if _, err := d.drain.Stop(); err != nil {
		t.Fatal(err)
	}
	d.drain.SetUsual(0)
	if line := d.drain.Start(nil); line != "draining: no new players; the host ends after this round" {
		t.Error(line)
	}
	d.drain.Step(1e6)
	if d.drain.Phase() != drain.Draining || !math.IsInf(d.drain.Left(), 1) {
		t.Errorf("phase %v after %g s", d.drain.Phase(), 1e6)
	}
}

// TestDrainOfAnEmptyHost: with nobody there is nothing to wait for, but for a player who may return.
func TestDrainOfAnEmptyHost(t *testing.T) {
	d := newDrainedGame(t, "flat?game=Crier?bots=2")
	d.drain.Ask() // as the signal does, more than once
	d.drain.Ask()
	d.until("the host is drained", d.ended())
	if d.drain.Since() > 2 {
		t.Errorf("it took %g s", d.drain.Since())
	}

	d = newDrainedGame(t, "flat?game=Crier?grace=20")
	ann := d.join(d.options("Ann"))
	d.until("Ann plays", playing(ann))
	d.leave(ann)
	d.until("Ann is gone", func() bool { return d.Status().Players+d.Status().Waiting == 0 })
	d.drain.AskWithin(5 * time.Minute)
	for range 60 * 15 {
		d.step()
	}
	if d.drain.Phase() != drain.Draining {
		t.Errorf("phase %v while Ann may return", d.drain.Phase())
	}
	d.until("the host is drained", d.ended())
	if d.drain.Left() < 240 {
		t.Errorf("it waited for %g s", 300-d.drain.Left())
	}
}

// TestDrainOff: a drain that is called off leaves no trace: players come in, and a travel that was held back follows.
func TestDrainOff(t *testing.T) {
	d := newDrainedGame(t, "flat?game=Crier?maps=flat,wall?postmatch=1")
	ann := d.join(d.options("Ann"))
	d.until("Ann plays", playing(ann))
	d.drain.Start(nil)
	d.drain.AskOff()
	d.until("it is off", func() bool { return !d.drain.Active() })
	if d.drain.Notes() != nil || !slices.Equal(d.told, []bool{true, false}) || !strings.HasSuffix(d.said(), "|This server stays in service.|") {
		t.Errorf("notes %q, told %v, players were told %q", d.drain.Notes(), d.told, d.said())
	}
	bob := d.join(d.options("Bob"))
	d.until("Bob plays", playing(bob))
	if line, err := d.drain.Stop(); line != "the host is in service" || err != nil {
		t.Errorf("off once more: %q, %v", line, err)
	}

	d.drain.Start(nil)
	d.call("EndMatch", engine.String("test"))
	d.until("the round is over", func() bool { return d.drain.Phase() == drain.Leaving })
	if d.Status().Level != "flat" {
		t.Errorf("in %s", d.Status().Level)
	}
	if _, err := d.drain.Stop(); err != nil {
		t.Fatal(err)
	}
	d.until("all play in the next level", func() bool {
		return d.Status().Level == "wall" && d.Status().Players == 2 && ann.World() != nil && ann.World().LevelName() == "wall"
	})
}

// TestDrainTurnsAway: a player who is still on the way in when the drain begins is refused, and one who is on the way to the next level is
// not.
func TestDrainTurnsAway(t *testing.T) {
	d := newDrainedGame(t, "flat?game=Crier?maps=flat,wall")
	ann := d.join(d.options("Ann"))
	d.until("Ann plays", playing(ann))
	bob := d.join(d.options("Bob"))
	d.until("Bob is on the way", func() bool { return d.Status().Waiting > 0 })
	d.drain.Start(nil)
	d.until("Bob is refused", bob.Over)
	if out := bob.Outcome(); out.Code != "draining" {
		t.Errorf("Bob was told %v", out)
	}
	if _, err := d.drain.Stop(); err != nil {
		t.Fatal(err)
	}
	if err := d.TravelTo("wall"); err != nil {
		t.Fatal(err)
	}
	d.drain.Start(nil)
	d.until("Ann arrives", func() bool { return ann.World() != nil && ann.World().LevelName() == "wall" && d.Status().Players == 1 })
	if ann.Over() {
		t.Errorf("Ann was told %v", ann.Outcome())
	}
}

// silent is a store that answers when it is told to.
type silent struct{ asked []store.Request }

func (s *silent) Send(r store.Request) { s.asked = append(s.asked, r) }

// TestDrainStoresFirst: the host ends when the store has answered, or with an error when it does not; meanwhile the world stands still.
func TestDrainStoresFirst(t *testing.T) {
	for _, answers := range []bool{true, false} {
		d := newDrainedGame(t, "flat?game=Crier")
		port := &silent{}
		d.keeping.client.Port = port
		d.keeping.client.Commit([]store.Write{{Key: store.Full(store.Worlds, "a"), Value: []byte("x"), If: store.Any}}, func([]store.Revision, error) {})
		d.drain.Start(nil)
		d.step()
		frame := d.World.Frame()
		for range 60 * 10 {
			d.step()
		}
		if d.drain.Phase() != drain.Storing || d.World.Frame() != frame {
			t.Fatalf("phase %v, %d frames later, while the store is silent", d.drain.Phase(), d.World.Frame()-frame)
		}
		if answers {
			d.keeping.client.Deliver(store.Reply{ID: port.asked[0].ID})
			d.step()
		} else {
			d.drain.Step(drain.StoreFor)
		}
		err, ok := d.result()
		if !ok || (err == nil) != answers {
			t.Errorf("answers %t: the loop was told %v, %t", answers, err, ok)
		}
		d.keeping.client.Port = d.keeping.mail
		if !answers {
			d.keeping.client.Deliver(store.Reply{ID: port.asked[0].ID, Err: errNoStore}) // so that Close need not wait
		}
	}
}

// TestDrainIsShown: the probe, the figures, the answer to queries and the status all say that the host drains.
func TestDrainIsShown(t *testing.T) {
	d := newDrainedGame(t, "flat?game=Crier")
	ann := d.join(d.options("Ann"))
	d.until("Ann plays", playing(ann))
	board := metrics.NewBoard(time.Now)
	d.drains = board.SetDraining
	board.SetState(metrics.Running)
	check := func(want bool) {
		t.Helper()
		board.Tick(time.Now())
		ready, line := board.Ready()
		var f metrics.Figures
		d.Figures(&f)
		if ready == want || f.Draining != want || want && line != "not ready: draining" {
			t.Errorf("ready %t (%s), figures %t, want draining %t", ready, line, f.Draining, want)
		}
		asked := make(chan query.Answer, 1)
		go func() { // ends with the answer, or after a minute
			ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
			defer cancel()
			a, err := query.Ask(ctx, d.options("").Addr)
			if err != nil {
				t.Error(err)
			}
			asked <- a
		}()
		var a *query.Answer
		d.until("the query is answered", func() bool {
			select {
			case x := <-asked:
				a = &x
			default:
			}
			return a != nil
		})
		if a.Draining != want {
			t.Errorf("the query says %+v", a)
		}
	}
	check(false)
	d.drain.Start(nil)
	d.step()
	check(true)
	if _, err := d.drain.Stop(); err != nil {
		t.Fatal(err)
	}
	d.step()
	check(false)
}

// turnsNow gives a turn at once.
type turnsNow struct{}

func (turnsNow) Do(_ context.Context, f func() error) error { return f() }

// TestDrainCommands: the commands are the owner's, take a time, and say what is so.
func TestDrainCommands(t *testing.T) {
	d := newDrainedGame(t, "flat?game=Crier")
	ann := d.join(d.options("Ann"))
	d.until("Ann plays", playing(ann))
	var r command.Registry
	if err := r.Add(drainCommands(d.game, turnsNow{})...); err != nil {
		t.Fatal(err)
	}
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

// TestDrainSavesProfiles: what a player has earned is safe when the drain is over, before the game is closed: a process that is killed then
// has lost nothing (C2, C7).
func TestDrainSavesProfiles(t *testing.T) {
	root := t.TempDir()
	saveFile(t, root, "scripts/Bank.lua", bank)
	saveFile(t, root, "scripts/BankPlayer.lua", bankPlayer)
	file := filepath.Join(t.TempDir(), "store.db")
	play := func(then func(*game, *engine.Actor)) {
		t.Helper()
		a, err := assets.Open(assets.Options{Root: root})
		if err != nil {
			t.Fatal(err)
		}
		b, err := disk.Open(file, disk.Options{})
		if err != nil {
			t.Fatal(err)
		}
		service := disk.Start(b, disk.ServiceOptions{})
		defer func() {
			if err := service.Close(context.Background()); err != nil {
				t.Error(err)
			}
		}()
		g, err := openGame(gameOptions{Assets: a, URL: "?game=Bank", Mode: engine.NMListenServer, Seed: 1, Log: slog.New(slog.DiscardHandler), Name: "Ann", Store: service})
		if err != nil {
			t.Fatal(err)
		}
		g.Step(1.0 / 60)
		player := g.World.Actor(g.local.Get(g.local.Class.Property("PlayerReplicationInfo")).Ref)
		then(g, player)
	}
	play(func(g *game, player *engine.Actor) {
		if err := player.Set(player.Class.Property("Gold"), engine.Int(70)); err != nil {
			t.Fatal(err)
		}
		at := 0.1
		g.drain.Start(&at)
		pace := time.NewTicker(time.Second / 60) // a disk needs real time
		defer pace.Stop()
		for begun := time.Now(); g.drain.Phase() != drain.Drained; g.Step(1.0 / 60) {
			if <-pace.C; time.Since(begun) > time.Minute {
				t.Fatalf("in phase %v after a minute", g.drain.Phase())
			}
		}
		if err := <-g.drain.Over(); err != nil {
			t.Error(err)
		}
	})
	play(func(g *game, player *engine.Actor) {
		if gold := player.Get(player.Class.Property("Gold")).Num; gold != 70 {
			t.Errorf("%v gold is left", gold)
		}
		g.Close()
	})
}
