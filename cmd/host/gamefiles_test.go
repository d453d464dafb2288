package main

import (
	"log/slog"
	"testing"

	"github.com/tidelock/tidelock/cmd/host/assets"
	"github.com/tidelock/tidelock/cmd/host/door"
	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/netcode/kcplink"
	"github.com/tidelock/tidelock/netcode/server"
)

// TestFilesAreMadeBeforeTheReload: what clients fetch of new scripts is read and compressed where they are checked, not between
// two ticks; what was made of other scripts, or for another level, is not used.
func TestFilesAreMadeBeforeTheReload(t *testing.T) {
	a, err := assets.Open(assets.Options{Root: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	l, err := door.Bind(kcplink.Config{Addr: "127.0.0.1:0", Server: &kcplink.Server{}}, false)
	if err != nil {
		t.Fatal(err)
	}
	g, err := newGame(gameOptions{
		Assets: a, URL: "flat?game=GameInfo", Mode: engine.NMDedicatedServer, Seed: 1,
		Log: slog.New(slog.DiscardHandler), Link: l, Server: server.Config{Tick: 60, Net: 30},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	scripts := func() []assets.Script {
		list, err := a.Scripts(nil)
		if err != nil {
			t.Fatal(err)
		}
		return list
	}
	first, second := scripts(), scripts()
	second[0].Text += "\n-- another line\n"
	g.Check(second)
	made := g.packed.Load()
	if made == nil {
		t.Fatal("nothing was made")
	}
	if r := g.Reload(second); r.Failed || g.served.Load().files != made.files || g.packed.Load() != nil {
		t.Error("what was made is not used, or used twice: ", r.Diagnostics)
	}
	g.Check(second)
	made = g.packed.Load()
	if r := g.Reload(first); r.Failed || g.served.Load().files.Hash == made.files.Hash {
		t.Error("files of other scripts are served: ", r.Diagnostics)
	}
	g.Check(second)
	made = g.packed.Load()
	made.level = "wall"
	if r := g.Reload(second); r.Failed || g.served.Load().files == made.files {
		t.Error("files with another level are served: ", r.Diagnostics)
	}
}
