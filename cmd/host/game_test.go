package main

import (
	"log/slog"
	"net/netip"
	"testing"

	"github.com/tidelock/tidelock/cmd/host/assets"
	"github.com/tidelock/tidelock/cmd/host/door"
	"github.com/tidelock/tidelock/cmd/host/query"
	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/netcode/kcplink"
	"github.com/tidelock/tidelock/netcode/server"
)

// hostedGame is a game of what is compiled in, behind a port of this machine, until the test ends.
func hostedGame(t *testing.T, url string, mode engine.NetMode, log slog.Handler) (*game, netip.AddrPort) {
	t.Helper()
	return hostedGameIn(t, t.TempDir(), url, mode, log)
}

// hostedGameIn is hostedGame with what lies in a folder's scripts and content laid over what is compiled in.
func hostedGameIn(t *testing.T, root, url string, mode engine.NetMode, log slog.Handler) (*game, netip.AddrPort) {
	t.Helper()
	g, at := openedGameIn(t, root, url, mode, log)
	t.Cleanup(g.Close)
	return g, at
}

// openedGameIn is hostedGameIn for a caller that closes it.
func openedGameIn(t *testing.T, root, url string, mode engine.NetMode, log slog.Handler) (*game, netip.AddrPort) {
	t.Helper()
	a, err := assets.Open(assets.Options{Root: root})
	if err != nil {
		t.Fatal(err)
	}
	l, err := door.Bind(kcplink.Config{Addr: "127.0.0.1:0", Server: &kcplink.Server{}}, false)
	if err != nil {
		t.Fatal(err)
	}
	g, err := newGame(gameOptions{
		Assets: a, URL: url, Mode: mode, Seed: 1, Log: slog.New(log), Link: l, Server: server.Config{Tick: 60, Net: 30},
		About: &query.Description{Name: "Test"},
	})
	if err != nil {
		t.Fatal(err)
	}
	return g, l.Addr()
}
