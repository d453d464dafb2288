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
	return openedGame(t, root, gameOptions{URL: url, Mode: mode}, log)
}

// hostedGameWith is hostedGame with options of its own.
func hostedGameWith(t *testing.T, o gameOptions, log slog.Handler) (*game, netip.AddrPort) {
	t.Helper()
	g, at := openedGame(t, t.TempDir(), o, log)
	t.Cleanup(g.Close)
	return g, at
}

// openedGame opens a host's match for players over UDP, on a free port of this machine; what o leaves open has the tests' usual values.
func openedGame(t *testing.T, root string, o gameOptions, log slog.Handler) (*game, netip.AddrPort) {
	t.Helper()
	a, err := assets.Open(assets.Options{Root: root})
	if err != nil {
		t.Fatal(err)
	}
	l, err := door.Bind(kcplink.Config{Addr: "127.0.0.1:0", Server: &kcplink.Server{}}, false)
	if err != nil {
		t.Fatal(err)
	}
	o.Assets, o.Seed, o.Log, o.Link, o.Server = a, 1, slog.New(log), l, server.Config{Tick: 60, Net: 30}
	o.About = &query.Description{Name: "Test"}
	g, err := newGame(o)
	if err != nil {
		t.Fatal(err)
	}
	return g, l.Addr()
}
