package main

import (
	"bytes"
	"log/slog"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/tidelock/tidelock/cmd/host/assets"
	"github.com/tidelock/tidelock/cmd/host/door"
	"github.com/tidelock/tidelock/cmd/host/join"
	"github.com/tidelock/tidelock/cmd/host/query"
	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/netcode/kcplink"
	"github.com/tidelock/tidelock/netcode/link"
	"github.com/tidelock/tidelock/netcode/server"
)

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// errOf returns the error of a call whose value nobody needs.
func errOf[T any](_ T, err error) error { return err }

// saveFile writes a file as an editor saves it.
func saveFile(t testing.TB, root, name, text string) {
	t.Helper()
	file := filepath.Join(root, filepath.FromSlash(name))
	must(t, os.MkdirAll(filepath.Dir(file), 0o755))
	must(t, os.WriteFile(file, []byte(text), 0o644))
}

// assetsIn are the assets that are compiled in, with a folder's scripts and content laid over them.
func assetsIn(t *testing.T, root string) *assets.Assets {
	t.Helper()
	a, err := assets.Open(assets.Options{Root: root})
	must(t, err)
	return a
}

// bound is a port of this machine for players over UDP.
func bound(t *testing.T, s *kcplink.Server) *kcplink.Link {
	t.Helper()
	l, err := door.Bind(kcplink.Config{Addr: "127.0.0.1:0", Server: s}, false)
	must(t, err)
	return l
}

// patient gives players long to join: the world may be much faster than their packets.
func patient() server.Config {
	return server.Config{Tick: 60, Net: 30, Limits: server.Limits{LoginTime: 3600}}
}

// openedGame opens a host's match behind a port of this machine; what o leaves open has the tests' usual values.
func openedGame(t *testing.T, root string, o gameOptions, log slog.Handler) (*game, netip.AddrPort) {
	t.Helper()
	if o.Link == nil {
		o.Link = bound(t, &kcplink.Server{})
	}
	o.Assets, o.Seed, o.Log, o.Server = assetsIn(t, root), 1, slog.New(log), patient()
	if o.About == nil {
		o.About = &query.Description{Name: "Test"}
	}
	g, err := newGame(o)
	must(t, err)
	return g, o.Link.Addr()
}

// hostedGame is a dedicated server's match of what is compiled in, until the test ends.
func hostedGame(t *testing.T, url string) *game {
	t.Helper()
	return newParty(t, t.TempDir(), gameOptions{URL: url}).game
}

// party is a match behind a port of this machine with the players who come over UDP. The test runs its ticks.
type party struct {
	*game
	t       *testing.T
	addr    netip.AddrPort
	players []*join.Player
	begun   time.Time // packets need real time: it is the players', and the worlds may be faster
	tick    *time.Ticker
	log     bytes.Buffer // shown where the test fails
	between func()       // runs before each tick; nil does nothing
}

// newParty opens a match, of a dedicated server unless o has another mode, with what lies in root laid over what is compiled in.
func newParty(t *testing.T, root string, o gameOptions) *party {
	t.Helper()
	p := &party{t: t, begun: time.Now(), tick: time.NewTicker(2 * time.Millisecond)}
	t.Cleanup(p.tick.Stop)
	if o.Mode == 0 {
		o.Mode = engine.NMDedicatedServer
	}
	p.game, p.addr = openedGame(t, root, o, slog.NewTextHandler(&p.log, nil))
	t.Cleanup(p.Close)
	t.Cleanup(func() {
		if t.Failed() {
			t.Log(p.log.String())
		}
	})
	return p
}

// come lets a player join.
func (p *party) come(name string) *join.Player {
	p.t.Helper()
	return p.enter(join.Options{Name: name})
}

// enter lets a player join with options of their own.
func (p *party) enter(o join.Options) *join.Player {
	p.t.Helper()
	o.Target.Addr, o.Target.Shown, o.Timeout = p.addr, "here", time.Hour
	x, err := join.New(o)
	must(p.t, err)
	p.t.Cleanup(func() { _ = x.Close(link.Reason{Code: "left", Text: "the player left"}) }) // it may be over
	p.players = append(p.players, x)
	return x
}

// leave ends a player's connection as the player's own decision.
func (p *party) leave(x *join.Player) {
	p.t.Helper()
	p.players = slices.DeleteFunc(p.players, func(y *join.Player) bool { return x == y })
	must(p.t, x.Close(link.Reason{Code: "left", Text: "the player left"}))
}

// step runs a tick of the host and of the players.
func (p *party) step() {
	<-p.tick.C
	if p.between != nil {
		p.between()
	}
	p.Step(1.0 / 60)
	for _, x := range p.players {
		if !x.Over() {
			x.Tick(time.Since(p.begun), 1.0/60)
		}
	}
}

func (p *party) steps(n int) {
	for range n {
		p.step()
	}
}

// until runs ticks until something holds.
func (p *party) until(what string, is func() bool) {
	p.t.Helper()
	for begun := time.Now(); !is(); p.step() {
		if time.Since(begun) > time.Minute {
			for _, x := range p.players {
				p.t.Log(x.Outcome())
			}
			p.t.Fatalf("%s: not within a minute", what)
		}
	}
}

// joined lets a player join, and waits until they play.
func (p *party) joined(name string) *join.Player {
	p.t.Helper()
	x := p.come(name)
	p.until(name+" plays", playing(x))
	return x
}

func playing(x *join.Player) func() bool { return func() bool { return x.Pawn() != nil && x.Joined() } }
