package main

import (
	"context"
	"log/slog"
	"path/filepath"
	"testing"
	"time"

	"github.com/tidelock/tidelock/cmd/host/drain"
	disk "github.com/tidelock/tidelock/cmd/host/store"
	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/engine/bus"
	"github.com/tidelock/tidelock/engine/store"
)

const bank = `-- Bank: what players keep.
local Bank = class("Bank", "GameInfo")
Bank.defaults { PlayerStateClass = "BankPlayer" }
Bank.properties { Visits = int(0), Answer = "" }
function Bank:StartPlay()
	Bank.super.StartPlay(self)
	store:Increment("visits", 1, function(n, err)
		self.Visits = n or 0
		self.Answer = err or ""
	end)
end
return Bank
`

const bankPlayer = `-- BankPlayer: a player with gold.
local BankPlayer = class("BankPlayer", "PlayerState")
BankPlayer.persistent { Gold = int(5, { min = 0 }) }
return BankPlayer
`

// banked runs a match of Bank with a store, if not nil, and other hosts, if not nil. Ann plays at its machine.
func banked(t *testing.T, b store.Backend, others bus.Bus, play func(g *game, ann *engine.Actor)) {
	t.Helper()
	root := t.TempDir()
	saveFile(t, root, "scripts/Bank.lua", bank)
	saveFile(t, root, "scripts/BankPlayer.lua", bankPlayer)
	o := gameOptions{Assets: assetsIn(t, root), URL: "?game=Bank", Mode: engine.NMListenServer, Seed: 1, Log: slog.New(slog.DiscardHandler), Name: "Ann", Bus: others}
	if b != nil {
		o.Store = disk.Start(b, disk.ServiceOptions{})
		defer func() {
			if err := o.Store.Close(context.Background()); err != nil {
				t.Error(err)
			}
		}()
	}
	g, err := openGame(o)
	must(t, err)
	g.answered()
	g.Step(1.0 / 60)
	play(g, g.World.Actor(g.local.Get(g.local.Class.Property("PlayerReplicationInfo")).Ref))
}

// answered waits until the store has answered, at most for a profile's time.
func (g *game) answered() bool {
	return g.keeping.client == nil || g.keeping.await(func() bool { return g.keeping.client.Waiting() == 0 }, profileTime)
}

// value returns a property of an actor.
func value(a *engine.Actor, name string) engine.Value { return a.Get(a.Class.Property(name)) }

// openedStore is the store in a file.
func openedStore(t *testing.T, file string) *disk.Bolt {
	t.Helper()
	b, err := disk.Open(file, disk.Options{})
	must(t, err)
	return b
}

// TestKept: what the player at this machine has, and what scripts store, is there when the host starts again with the same file, and
// not with another one; without a store the match is played, and scripts are told (C1, C2).
func TestKept(t *testing.T) {
	t.Parallel()
	play := func(b store.Backend) (gold, visits float64, answer string) {
		t.Helper()
		banked(t, b, nil, func(g *game, ann *engine.Actor) {
			defer g.Close()
			gold, visits, answer = value(ann, "Gold").Num, value(g.Game, "Visits").Num, value(g.Game, "Answer").Str
			must(t, ann.Set(ann.Class.Property("Gold"), engine.Int(int(gold)+20)))
		})
		return gold, visits, answer
	}
	file := filepath.Join(t.TempDir(), "store.db")
	for i, want := range []struct{ gold, visits float64 }{{5, 1}, {25, 2}, {45, 3}} {
		if gold, visits, answer := play(openedStore(t, file)); gold != want.gold || visits != want.visits || answer != "" {
			t.Errorf("start %d: %v gold, %v visits %s; want %v", i+1, gold, visits, answer, want)
		}
	}
	if gold, visits, _ := play(openedStore(t, filepath.Join(t.TempDir(), "other.db"))); gold != 5 || visits != 1 {
		t.Errorf("another store: %v gold, %v visits", gold, visits)
	}
	if gold, _, answer := play(nil); gold != 5 || answer == "" {
		t.Errorf("no store: %v gold, the answer is %q", gold, answer)
	}
}

// TestDrainSavesProfiles: what a player has earned is safe when the drain is over, before the game is closed: a process that is killed then
// has lost nothing (C2, C7).
func TestDrainSavesProfiles(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "store.db")
	banked(t, openedStore(t, file), nil, func(g *game, ann *engine.Actor) {
		must(t, ann.Set(ann.Class.Property("Gold"), engine.Int(70)))
		at := 0.1
		g.drain.Start(&at)
		pace := time.NewTicker(time.Second / 60) // a disk needs real time
		defer pace.Stop()
		for begun := time.Now(); g.drain.Phase() != drain.Drained; g.Step(1.0 / 60) {
			if <-pace.C; time.Since(begun) > time.Minute {
				t.Fatalf("in phase %v after a minute", g.drain.Phase())
			}
		}
		must(t, <-g.drain.Over())
	})
	banked(t, openedStore(t, file), nil, func(g *game, ann *engine.Actor) {
		defer g.Close()
		if gold := value(ann, "Gold").Num; gold != 70 {
			t.Errorf("%v gold is left", gold)
		}
	})
}
