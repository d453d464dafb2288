package main

import (
	"errors"
	"log/slog"
	"slices"
	"strings"
	"testing"

	"github.com/tidelock/tidelock/cmd/host/worlds"
	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/scriptvm"
)

// keptGame opens a host's match without a network, with a store.
func keptGame(t *testing.T, o gameOptions) *game {
	t.Helper()
	o.Assets, o.Seed, o.Name = assetsIn(t, t.TempDir()), 1, "Host"
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	g, err := newGame(o)
	must(t, err)
	return g
}

func steps(g *game, n int) {
	for range n {
		g.Step(1.0 / 60)
	}
}

// until steps a host until something is the case.
func until(t *testing.T, g *game, is func() bool) {
	t.Helper()
	for range 600 {
		if g.Step(1.0 / 60); is() {
			return
		}
	}
	t.Fatal("it did not come to be within ten seconds")
}

// A host saves its match by command, loads it in place of a running one, lists it, and continues it with --load; the player at
// its machine goes on with their pawn.
func TestHostKeepsWorlds(t *testing.T) {
	store := &worlds.Memory{}
	g := keptGame(t, gameOptions{URL: "arena?game=DeathMatch?bots=2", Mode: engine.NMStandalone, Worlds: store})
	steps(g, 120)
	// The file is made on another goroutine, so that the hash of the tick that saves must be known before.
	saved, hash := false, uint64(0)
	g.SaveWorld("one", func(err error) {
		if saved = true; err != nil {
			t.Error(err)
		}
	})
	g.tick(1.0 / 60)
	hash = g.SavedHash()
	g.keeper.Step(g.Match, 0)
	until(t, g, func() bool { return saved })
	pawn := value(g.local, "Pawn").Ref
	steps(g, 300)
	var err error
	g.LoadWorld("one", func(e error) { err = e })
	must(t, err)
	if h := g.SavedHash(); h != hash {
		t.Errorf("the loaded match has the hash %016x, the saved one %016x", h, hash)
	}
	if g.local == nil || value(g.local, "Pawn").Ref != pawn {
		t.Error("the player at this machine has another pawn")
	}
	g.LoadWorld("two", func(e error) { err = e })
	if !errors.Is(err, worlds.ErrUnknown) {
		t.Errorf("an unknown world: %v", err)
	}
	g.SaveWorld("not a name", func(e error) { err = e })
	if err == nil || !strings.Contains(err.Error(), "is not allowed") {
		t.Errorf("a wrong name: %v", err)
	}
	g.ListWorlds(func(list []string, _ error) {
		if !slices.Equal(list, []string{"one"}) {
			t.Errorf("the worlds are %q", list)
		}
	})
	g.Close()

	g = keptGame(t, gameOptions{Mode: engine.NMStandalone, Worlds: store, Load: "one"})
	defer g.Close()
	if h := g.SavedHash(); h != hash || g.local == nil || g.levelName() != "arena" {
		t.Errorf("--load: hash %016x, the saved one %016x, level %s", h, hash, g.levelName())
	}
	steps(g, 60)
}

// A dedicated host that loads the world of a host with a player takes them for somebody who has left.
func TestDedicatedHostLoads(t *testing.T) {
	store := &worlds.Memory{}
	g := keptGame(t, gameOptions{URL: "flat?game=GameInfo", Mode: engine.NMStandalone, Worlds: store, Autosave: 60})
	g.Step(1.0 / 60)
	g.Close() // saves, because the host saves by itself
	g = keptGame(t, gameOptions{Mode: engine.NMDedicatedServer, Worlds: store, Load: worlds.Autosave})
	defer g.Close()
	if n := len(g.World.ActorsOf("PlayerController")); n != 0 || g.local != nil {
		t.Errorf("%d players are there", n)
	}
}

// A host saves by itself in time, once at a time, and what a script requests.
func TestHostSavesByItself(t *testing.T) {
	store := &worlds.Memory{}
	g := keptGame(t, gameOptions{URL: "flat?game=GameInfo", Mode: engine.NMStandalone, Worlds: store, Autosave: 2})
	defer g.Close()
	names := func() (list []string) {
		g.ListWorlds(func(l []string, _ error) { list = l })
		return list
	}
	steps(g, 119)
	if len(names()) != 0 {
		t.Error("it saved early")
	}
	until(t, g, func() bool { return len(names()) == 1 })
	if _, err := g.VM.Eval("test", `world:Save("mine")`); err == nil {
		t.Error("a save without a function waited outside of state code")
	}
}

// Without a data folder every save says so.
func TestHostWithoutWorlds(t *testing.T) {
	g := keptGame(t, gameOptions{URL: "flat?game=GameInfo", Mode: engine.NMStandalone})
	defer g.Close()
	n := 0
	refused := func(err error) {
		if n++; !errors.Is(err, scriptvm.ErrNoWorlds) {
			t.Error(err)
		}
	}
	g.SaveWorld("a", refused)
	g.LoadWorld("a", refused)
	g.ListWorlds(func(_ []string, err error) { refused(err) })
	if n != 3 {
		t.Errorf("%d answers", n)
	}
	for _, o := range []gameOptions{{Load: "a"}, {Autosave: 1}} {
		o.Assets, o.Log, o.URL, o.Mode = assetsIn(t, t.TempDir()), slog.New(slog.DiscardHandler), "flat?game=GameInfo", engine.NMStandalone
		if _, err := newGame(o); !errors.Is(err, scriptvm.ErrNoWorlds) {
			t.Errorf("%v", err)
		}
	}
}
