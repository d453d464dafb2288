package main

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"testing"

	"github.com/tidelock/tidelock/cmd/host/assets"
	disk "github.com/tidelock/tidelock/cmd/host/store"
	"github.com/tidelock/tidelock/engine"
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

// TestKept: what the player at this machine has, and what scripts store, is there when the host starts again with the same file, and
// not with another one; without a store the match is played, and scripts are told (C1, C2).
func TestKept(t *testing.T) {
	root := t.TempDir()
	for name, text := range map[string]string{"Bank": bank, "BankPlayer": bankPlayer} {
		if err := os.MkdirAll(filepath.Join(root, "scripts"), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(root, "scripts", name+".lua"), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	file := filepath.Join(t.TempDir(), "store.db")
	play := func(file string) (gold, visits float64, answer string) {
		t.Helper()
		a, err := assets.Open(assets.Options{Root: root})
		if err != nil {
			t.Fatal(err)
		}
		o := gameOptions{Assets: a, URL: "?game=Bank", Mode: engine.NMListenServer, Seed: 1, Log: slog.New(slog.DiscardHandler), Name: "Ann"}
		if file != "" {
			b, err := disk.Open(file, disk.Options{})
			if err != nil {
				t.Fatal(err)
			}
			o.Store = disk.Start(b, disk.ServiceOptions{})
			defer func() {
				if err := o.Store.Close(context.Background()); err != nil {
					t.Error(err)
				}
			}()
		}
		g, err := openGame(o)
		if err != nil {
			t.Fatal(err)
		}
		defer g.Close()
		value := func(a *engine.Actor, name string) engine.Value { return a.Get(a.Class.Property(name)) }
		if g.keeping.client != nil && !g.keeping.await(func() bool { return g.keeping.client.Waiting() == 0 }, profileTime) {
			t.Fatal("no answer")
		}
		g.Step(1.0 / 60)
		player := g.World.Actor(value(g.local, "PlayerReplicationInfo").Ref)
		gold = value(player, "Gold").Num
		if err := player.Set(player.Class.Property("Gold"), engine.Int(int(gold)+20)); err != nil {
			t.Fatal(err)
		}
		return gold, value(g.Game, "Visits").Num, value(g.Game, "Answer").Str
	}
	for i, want := range []struct{ gold, visits float64 }{{5, 1}, {25, 2}, {45, 3}} {
		if gold, visits, answer := play(file); gold != want.gold || visits != want.visits || answer != "" {
			t.Errorf("start %d: %v gold, %v visits %s; want %v", i+1, gold, visits, answer, want)
		}
	}
	if gold, visits, _ := play(filepath.Join(t.TempDir(), "other.db")); gold != 5 || visits != 1 {
		t.Errorf("another store: %v gold, %v visits", gold, visits)
	}
	if gold, _, answer := play(""); gold != 5 || answer == "" {
		t.Errorf("no store: %v gold, the answer is %q", gold, answer)
	}
}
