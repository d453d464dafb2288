package rig_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/engine/geom"
	"github.com/tidelock/tidelock/netcode/client"
	"github.com/tidelock/tidelock/netcode/link"
	"github.com/tidelock/tidelock/netcode/rig"
	"github.com/tidelock/tidelock/netcode/server"
	"github.com/tidelock/tidelock/netcode/simlink"
	"github.com/tidelock/tidelock/netcode/wire"
)

// bad is a way on which everything goes wrong: what is sent before a travel comes long after it.
func bad() simlink.Path {
	return simlink.Symmetric(simlink.Impairment{
		Lag: 200 * time.Millisecond, Jitter: 20 * time.Millisecond, Loss: 0.05, Dup: 0.1, Reorder: 0.3,
	})
}

// arrived waits until all peers are in the server's present world, and know their controllers. Anyone who comes in has guests
// at once, so that what is late finds channels that are open again.
func (o *party) arrived(t *testing.T, peers ...*rig.Peer) {
	t.Helper()
	given := map[*engine.Actor]bool{}
	for range 600 {
		if o.Each != nil {
			o.Each()
		}
		o.Step(1)
		o.Server.Connections(func(c *server.Conn) {
			if pc := c.Player(); !given[pc] {
				given[pc] = true
				for range guests {
					o.Spawn("Guest", engine.SpawnParams{Owner: pc}).RemoteRole = engine.RoleAutonomousProxy
				}
			}
		})
		there := 0
		for _, p := range peers {
			if pc := p.Controller(); pc != nil && o.Server.ConnectionOf(pc) != nil {
				there++
			}
		}
		if there == len(peers) {
			return
		}
	}
	for _, p := range peers {
		t.Logf("%v: %v, controller %v, %v", p.State(), p.Reason(), p.Controller(), p.Lines)
	}
	t.Fatal("not all have arrived: ", o.Lines)
}

// guests is how many a player owns in each world.
const guests = 12

// hint is a player who calls, and sets what goes up, whatever world they are in; the numbers are of that world.
func hint(p *rig.Peer, worlds map[*engine.World]int, ticks int) {
	w := p.World()
	if w == nil {
		return
	}
	if _, seen := worlds[w]; !seen {
		worlds[w] = len(worlds)
	}
	for _, a := range w.ActorsOf("Guest") {
		switch {
		case !p.Owns(a):
		case ticks/60%2 == 0: // a datagram with variables of another world is dropped whole
			p.Call(a, a.Class.Functions["ServerHint"], []engine.Value{engine.Int(1000 * worlds[w])}, "")
		default:
			rig.Set(a, "Wish", engine.Int(1000*worlds[w]+ticks%1000))
		}
	}
}

// foreign are the lines of a world's diary that are of another world.
func (o *party) foreign(w *engine.World, world int) (out []string) {
	for _, l := range o.of[w].lines {
		if !strings.HasSuffix(l, fmt.Sprintf(" %d", 1000*world)) {
			out = append(out, l)
		}
	}
	return out
}

// TestTravel: players go from world to world over a way that loses, doubles and overtakes. Connections stay, everything of
// the new world arrives and nothing of the old one does, calls and clients' variables (R5.16) under way included; numbers of
// actors are not used again; what went along is there.
func TestTravel(t *testing.T) {
	o := newParty(func(r *rig.Rig) {
		r.Warm = true // who loads at once, meets what is late
		r.Config.Limits.CallsPerSecond, r.Config.Limits.BytesPerSecond = 10_000, 1_000_000
	})
	var peers []*rig.Peer
	for range 3 {
		peers = append(peers, o.in(t, bad()))
	}
	var conns []uint64
	for i, p := range peers {
		p.Controller().SetRotation(geom.Rotator{Yaw: uint16(100 * (i + 1))})
		conns = append(conns, o.Server.ConnectionOf(p.Controller()).Session().Conn.ID())
	}
	worlds := make([]map[*engine.World]int, len(peers))
	for i := range worlds {
		worlds[i] = map[*engine.World]int{}
	}
	world, wishes, last := 0, 0, uint32(0)
	o.Each = func() {
		for i, p := range peers {
			hint(p, worlds[i], o.Ticks)
		}
		for _, a := range o.World.ActorsOf("Guest") {
			switch wish := int(rig.Get(a, "Wish").Num); {
			case wish == 0:
			case wish/1000 != world:
				t.Fatalf("in world %d: a wish of world %d", world, wish/1000)
			default:
				wishes++
			}
		}
	}
	o.arrived(t, peers...)
	for n := 1; n <= 20; n++ {
		list := o.World.ActorsOf("Guest")
		for range 90 {
			for _, a := range list {
				rig.Set(a, "N", engine.Int(1000*n+o.Ticks%1000))
			}
			o.call(list[0], "All", engine.Int(1000*(n-1)))
			o.Each()
			o.Step(1)
		}
		if bad := o.foreign(o.World, n-1); len(bad) > 0 {
			t.Errorf("world %d was called %q", n-1, bad)
		}
		for i, p := range peers {
			if bad := o.foreign(p.World(), n-1); len(bad) > 0 {
				t.Errorf("peer %d in world %d was called %q", i, n-1, bad)
			}
			if off := p.World().ServerTime() - o.World.Time; off < -0.2 || off > 0.2 {
				t.Errorf("peer %d in world %d: its clock of the server's time is %.2f s off", i, n-1, off)
			}
			if p.Copy(o.World.ActorsOf("Guest")[0]) == nil {
				t.Fatalf("peer %d has not all of world %d", i, n-1)
			}
			if got, want := p.Copy(o.World.ActorsOf("Guest")[0]).World(), p.World(); got != want {
				t.Errorf("peer %d has copies in two worlds", i)
			}
		}
		first := o.Server.NetOf(list[0].ID())
		if first <= last {
			t.Errorf("an actor of world %d is number %d, one of an earlier world was %d", n-1, first, last)
		}
		last = o.Server.NetOf(list[len(list)-1].ID())
		o.Travel("next", guest(), blob())
		world++
		if o.Loading != len(peers) {
			t.Errorf("the game was told of %d on their way, want %d", o.Loading, len(peers))
		}
		o.arrived(t, peers...)
		if o.Loading != 0 {
			t.Errorf("all have arrived, and the game thinks that %d load", o.Loading)
		}
		for i, p := range peers {
			c := o.Server.ConnectionOf(p.Controller())
			if got := c.Session().Conn.ID(); got != conns[i] {
				t.Errorf("peer %d has another connection", i)
			}
			if got := p.Controller().Rotation.Yaw; got != uint16(100*(i+1)) {
				t.Errorf("peer %d: the yaw that should go along is %d", i, got)
			}
			if p.Reason() != (link.Reason{}) {
				t.Errorf("peer %d: %v", i, p.Reason())
			}
		}
	}
	if o.Lost != 0 || wishes == 0 {
		t.Errorf("%d were lost; %d wishes came", o.Lost, wishes)
	}
	for _, l := range o.Lines {
		if !strings.Contains(l, "joined") {
			t.Error(l)
		}
	}
	for _, p := range peers {
		c := o.Server.ConnectionOf(p.Controller())
		st := c.Session().Conn.Stats()
		if got, want := c.Traffic.Payload(), st.MessageBytesOut+st.DatagramBytesOut; got > want+20_000 || got < want {
			t.Errorf("R13.1: counted %d bytes, the link was given %d", got, want)
		}
	}
}

// TestTravelTwice: a second travel while nobody has arrived from the first nor fetched the scripts of a reload before it, a
// player who joins meanwhile, one whose connection ends, and a reload on top of it.
func TestTravelTwice(t *testing.T) {
	o := newParty(nil)
	a, b := o.in(t, bad()), o.in(t, bad())
	a.Controller().SetRotation(geom.Rotator{Yaw: 700})
	late := o.Join(bad())
	o.Step(3)
	o.Reload(guest(), blob(), &engine.ClassSpec{Name: "Extra", Parent: "Actor"})
	o.Step(1)
	o.Travel("one", guest(), blob())
	o.Step(2)
	o.Travel("two", guest(), blob())
	o.Step(4)
	b.End.Kill()
	after := o.Join(path(20*time.Millisecond, 0))
	o.Step(3)
	more := guest()
	more.Properties = append(more.Properties, engine.PropertySpec{Name: "Extra", Type: &engine.Type{Kind: engine.KindInt}})
	more.Rules = append(more.Rules, engine.RuleSpec{Names: []string{"Extra"}})
	o.Reload(more, blob())
	x := o.Spawn("Guest", engine.SpawnParams{})
	rig.Set(x, "Extra", engine.Int(42))
	o.arrived(t, a, late, after)
	o.Run(2)
	for i, p := range []*rig.Peer{a, late, after} {
		k := p.Copy(x)
		if k == nil {
			t.Fatalf("peer %d has no copy", i)
		}
		if got := rig.Get(k, "Extra").Num; got != 42 {
			t.Errorf("peer %d: Extra is %v", i, got)
		}
	}
	if got := a.Controller().Rotation.Yaw; got != 700 {
		t.Errorf("what goes along is lost on the way: yaw %d", got)
	}
	o.Run(15)
	if o.Lost != 1 {
		t.Errorf("%d players were lost on the way, want 1", o.Lost)
	}
	n := 0
	o.Server.Connections(func(*server.Conn) { n++ })
	if n != 3 || len(o.World.ActorsOf("PlayerController")) != 3 {
		t.Errorf("%d connections and %d controllers, want 3", n, len(o.World.ActorsOf("PlayerController")))
	}
}

// TestTravelWhileAsking: a client does not give up whose hello or wants are on their way when the world is another, or that is
// fetching files.
func TestTravelWhileAsking(t *testing.T) {
	for steps := 0; steps < 50; steps += 2 {
		o := newParty(func(r *rig.Rig) {
			r.Weight = 20_000
			r.Cache = keeping{wire.HashOf([]byte("x")): []byte("x")} // who has something requests what lacks
		})
		p := o.Join(path(60*time.Millisecond, 0))
		o.Step(steps)
		o.Weight = 20_001
		o.Travel("next", guest(), blob())
		o.arrived(t, p)
		if t.Failed() {
			t.Fatalf("when the level ended %d ticks after it dialled", steps)
		}
	}
}

// TestTravelNonsense: a server whose travels do not belong where they are loses that client, and the client nothing but the
// connection.
func TestTravelNonsense(t *testing.T) {
	for name, messages := range map[string][]byte{
		"to another server": wire.AppendTravel(nil, wire.Travel{URL: "192.0.2.1:7777"}),
		"without a welcome": append(wire.AppendTravel(nil, wire.Travel{URL: "x", Seamless: true}), wire.AppendOpen(nil, &wire.Open{Channel: 1})...),
		"welcomed twice": append(wire.AppendWelcome(wire.AppendTravel(nil, wire.Travel{URL: "x", Seamless: true}), &wire.Welcome{Version: wire.Version, Tick: 60, Net: 30}),
			wire.AppendWelcome(nil, &wire.Welcome{Version: wire.Version, Tick: 60, Net: 30})...),
		"with nonsense": wire.AppendTravel(nil, wire.Travel{URL: "x", Seamless: true})[:4],
	} {
		o := newParty(nil)
		p := o.in(t, path(10*time.Millisecond, 0))
		if _, err := o.Server.ConnectionOf(p.Controller()).Session().Send(messages); err != nil {
			t.Fatal(err)
		}
		o.Run(1)
		if p.State() != client.Closed {
			t.Errorf("%s: the client is %v", name, p.State())
		}
		if o.Run(0.5); len(o.World.ActorsOf("PlayerController")) != 0 {
			t.Errorf("%s: the server still has a player", name)
		}
	}
}
