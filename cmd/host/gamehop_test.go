package main

import (
	"bytes"
	"context"
	"encoding/hex"
	"log/slog"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/tidelock/tidelock/cmd/host/directory"
	"github.com/tidelock/tidelock/cmd/host/drain"
	"github.com/tidelock/tidelock/cmd/host/join"
	disk "github.com/tidelock/tidelock/cmd/host/store"
	"github.com/tidelock/tidelock/cmd/host/web"
	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/engine/bus"
	"github.com/tidelock/tidelock/engine/store"
	"github.com/tidelock/tidelock/netcode/client/comeback"
	"github.com/tidelock/tidelock/netcode/kcplink"
	"github.com/tidelock/tidelock/netcode/link"
)

const hub = `-- Hub: a place with doors to other hosts.
local Hub = class("Hub", "DeathMatch")
Hub.defaults { PlayerStateClass = "HubPlayer", PlayerControllerClass = "HubController", MinPlayers = 1 }
Hub.properties { Answer = "", Came = "" }
function Hub:Go(target)
	for _, pc in ipairs(self:ActorsOf("PlayerController")) do
		pc:Teleport(target, { Door = "north", At = vector(1, 2, 3) }, function(ok, err) self.Answer = tostring(ok) .. " " .. tostring(err) end)
	end
end
return Hub
`

const hubController = `-- HubController: tells the game who came.
local HubController = class("HubController", "PlayerController")
function HubController:Teleported(data, from, back)
	world.Game.Came = ("%s %s %s %s"):format(self.PlayerReplicationInfo.PlayerName, data and data.Door or "", from, tostring(back))
end
return HubController
`

const hubPlayer = `-- HubPlayer: a player with gold.
local HubPlayer = class("HubPlayer", "PlayerState")
HubPlayer.persistent { Gold = int(5, { min = 0 }) }
return HubPlayer
`

// node is a host of a cluster in this process.
type node struct {
	*game
	addr netip.AddrPort
	web  *web.Listener
	log  *bytes.Buffer
	dead bool
}

// newNodes starts two hosts that share a store, and reach each other; the second has a password.
func newNodes(t *testing.T) (one, two *node) {
	t.Helper()
	s := disk.Start(&store.Memory{}, disk.ServiceOptions{})
	t.Cleanup(func() {
		if err := s.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	b := &bus.Local{}
	return newNode(t, "one", b, s, &kcplink.Server{}), newNode(t, "two", b, s, &kcplink.Server{Password: "secret"})
}

func newNode(t *testing.T, name string, b bus.Bus, s *disk.Service, gate *kcplink.Server) *node {
	t.Helper()
	root := t.TempDir()
	for name, text := range map[string]string{"Hub": hub, "HubPlayer": hubPlayer, "HubController": hubController} {
		saveFile(t, root, "scripts/"+name+".lua", text)
	}
	gate.OwnKey, gate.Wall = &[32]byte{name[0]}, time.Now
	l := bound(t, gate)
	n := &node{log: &bytes.Buffer{}, addr: l.Addr()}
	var err error
	n.game, err = newGame(gameOptions{
		Assets: assetsIn(t, root), URL: "flat?game=Hub", Mode: engine.NMDedicatedServer, Seed: 1, Log: slog.New(slog.NewTextHandler(n.log, nil)), Link: l, Server: patient(),
		Store: s, Bus: b,
	})
	must(t, err)
	t.Cleanup(n.Close)
	if n.web, err = web.Listen(web.Options{Addr: "127.0.0.1:0", Link: l, Log: slog.New(slog.DiscardHandler), Now: time.Now}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := n.web.Close(); err != nil {
			t.Error(err)
		}
	})
	key := l.PublicKey()
	err = n.keeping.hosts.begin(n.keeping.cluster, slog.New(slog.DiscardHandler), func() directory.Entry {
		players, _ := n.door.Players()
		return directory.Entry{
			Name: name, Level: n.levelName(), Game: "Hub", Draining: n.drain.Active(), Players: players, Room: 8 - players, Address: l.Addr().String(), Key: hex.EncodeToString(key[:]), Carriers: []string{"udp"},
			Web: n.web.Addrs()[0], Labels: map[string]string{"arena": ""},
		}
	})
	must(t, err)
	return n
}

// travel is a player among nodes.
type travels struct {
	t     *testing.T
	nodes []*node
	p     *join.Player
	start time.Time
	tick  *time.Ticker
	lines []string
	moved []string
}

func newTravels(t *testing.T, o join.Options, nodes ...*node) *travels {
	t.Helper()
	tr := &travels{t: t, nodes: nodes, start: time.Now(), tick: time.NewTicker(2 * time.Millisecond)} // packets need real time; the worlds may be faster than it
	o.Target, o.Name, o.Timeout = join.Target{Addr: nodes[0].addr}, "Ann", 30*time.Second
	if o.Elsewhere == nil {
		o.Elsewhere = join.Elsewhere
	}
	o.Key, o.ComeBack = newPlayerKey(t), &comeback.Options{Seed: 1}
	o.Say = func(l join.Line) { tr.lines = append(tr.lines, l.Text) }
	var err error
	tr.p, err = join.New(o)
	must(t, err)
	t.Cleanup(func() {
		tr.tick.Stop()
		_ = tr.p.Close(link.Reason{Code: "left", Text: "the player left"}) // the test is over
	})
	return tr
}

func (tr *travels) until(what string, is func() bool) {
	tr.t.Helper()
	for !is() {
		if <-tr.tick.C; time.Since(tr.start) > 2*time.Minute || tr.p.Over() {
			logs := ""
			for _, n := range tr.nodes {
				logs += n.log.String() + "\n"
			}
			tr.t.Fatalf("%s: not after %v; the player: %v\n%v\n%s", what, time.Since(tr.start), tr.p.Client().Reason(), tr.lines, logs)
		}
		for _, n := range tr.nodes {
			if !n.dead {
				n.Step(1.0 / 60)
			}
		}
		tr.p.Tick(time.Since(tr.start), 1.0/60)
		if next, name := tr.p.Moved(); next != nil {
			tr.p, tr.moved = next, append(tr.moved, name)
		}
	}
}

// state returns the PlayerState at a node, nil if the player is not there.
func (n *node) state(name string) *engine.Actor {
	for _, a := range n.World.ActorsOf("HubPlayer") {
		if value(a, "PlayerName").Str == name && !a.Deleted() {
			if n.door.Server().ConnectionOf(n.World.Actor(a.Owner)) != nil {
				return a
			}
		}
	}
	return nil
}

func (n *node) text(name string) string { return value(n.Game, name).Str }

func (n *node) send(t *testing.T, target string) {
	t.Helper()
	must(t, errOf(n.VM.Call(n.Game, "Go", engine.String(target))))
}

// arrives waits until the player is at a host, after so many hops.
func (tr *travels) arrives(n *node, hops int) *engine.Actor {
	tr.t.Helper()
	tr.until("the player is in", func() bool {
		return tr.p.Controller() != nil && n.state("Ann") != nil && len(tr.moved) == hops
	})
	return n.state("Ann")
}

// TestTeleportOverSockets: a player walks from one host's match into another's, through its password, and back, whatever carries them, and
// keeps score, profile and identity; a host that cannot take them is told, and they stay (C6). At the end of a drain they go to another host
// that plays the same game (C7).
func TestTeleportOverSockets(t *testing.T) {
	t.Parallel()
	one, two := newNodes(t)
	for _, via := range []string{"wt", "ws"} {
		var o join.Options
		(&viaFlag{Via: via}).carry(one.web.Addr().String(), false, &o)
		tr := newTravels(t, o, one, two)
		tr.arrives(one, 0)
		for i, n := range []*node{two, one} {
			[]*node{one, two}[i].send(t, []string{"two", "one"}[i])
			tr.arrives(n, i+1)
			if sessions, _, _ := n.web.Counts(); sessions != 1 {
				t.Errorf("%s: %d sessions", via, sessions)
			}
		}
		must(t, tr.p.Close(link.Reason{Code: "left", Text: "the player left"}))
		for one.state("Ann") != nil {
			one.Step(1.0 / 60)
		}
	}
	tr := newTravels(t, join.Options{}, one, two)
	pri := tr.arrives(one, 0)
	id := value(pri, "UniqueId").Str
	set := func(a *engine.Actor, n int) {
		t.Helper()
		must(t, a.Set(a.Class.Property("Gold"), engine.Int(n)))
	}
	set(pri, 70)
	one.send(t, "nowhere")
	tr.until("the refusal is told", func() bool { return strings.HasPrefix(one.text("Answer"), "nil") })
	if got := one.text("Answer"); got != `nil Teleport("nowhere"): no host is called "nowhere" or has that label` {
		t.Error(got)
	}
	one.send(t, "two")
	at := tr.arrives(two, 1)
	if one.state("Ann") != nil || value(at, "Gold").Num != 70 || value(at, "UniqueId").Str != id || tr.moved[0] != "two" {
		t.Errorf("at one: %v; gold %v, id %q", one.state("Ann"), value(at, "Gold"), value(at, "UniqueId").Str)
	}
	if came := two.text("Came"); !strings.HasPrefix(came, "Ann north ") || !strings.HasSuffix(came, " false") {
		t.Errorf("Teleported: %q", came)
	}
	tr.until("the script is told", func() bool { return strings.HasPrefix(one.text("Answer"), "true") })
	set(at, 71)
	two.send(t, "one")
	if gold := value(tr.arrives(one, 2), "Gold").Num; gold != 71 || two.state("Ann") != nil {
		t.Errorf("back with %v gold; at two: %v", gold, two.state("Ann"))
	}

	limit := 0.5
	one.drain.Start(&limit)
	tr.arrives(two, 3)
	tr.until("the host is drained", func() bool { return one.drain.Phase() == drain.Drained })
	if err := <-one.drain.Over(); err != nil || two.state("Ann") == nil {
		t.Errorf("%v; at two: %v", err, two.state("Ann"))
	}
}

// TestComesBack: a player whom the target lets down after it had them sent for is back at the source, with what they had (C6).
func TestComesBack(t *testing.T) {
	t.Parallel()
	one, two := newNodes(t)
	tr := newTravels(t, join.Options{}, one, two)
	pri := tr.arrives(one, 0)
	must(t, pri.Set(pri.Class.Property("Gold"), engine.Int(33)))
	one.send(t, "two")
	tr.until("the source lets the player go", func() bool {
		if one.state("Ann") == nil { // the target stands still from now on, as if it were killed
			two.dead = true
		}
		return two.dead
	})
	if two.state("Ann") != nil {
		t.Fatal("the player is in already")
	}
	two.hops.Away(value(pri, "UniqueId").Str) // what the end of the process does with the lease: nobody renews it
	tr.until("the player is back", func() bool { return one.state("Ann") != nil })
	at := one.state("Ann")
	if gold := value(at, "Gold").Num; gold != 33 {
		t.Errorf("back with %v gold", gold)
	}
	if came := one.text("Came"); !strings.HasSuffix(came, " true") {
		t.Errorf("Teleported: %q", came)
	}
}
