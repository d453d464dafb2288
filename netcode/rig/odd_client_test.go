package rig_test

import (
	"testing"
	"time"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/netcode/bundle"
	"github.com/tidelock/tidelock/netcode/client"
	"github.com/tidelock/tidelock/netcode/link"
	"github.com/tidelock/tidelock/netcode/rig"
	"github.com/tidelock/tidelock/netcode/simlink"
	"github.com/tidelock/tidelock/netcode/wire"
)

// mute is a link's connection that takes everything.
type mute struct {
	link.Conn
	closed bool
}

func (*mute) Send([]byte) error         { return nil }
func (*mute) SendDatagram([]byte) error { return nil }
func (m *mute) Close(link.Reason)       { m.closed = true }
func (*mute) Poll(time.Duration, link.Handler) {
}
func (*mute) Flush(time.Duration) {}

// idle is a link that gives nothing.
type idle struct{ link.Link }

func (idle) Poll(time.Duration, link.Handler) {}
func (idle) Flush(time.Duration)              {}

// tick is what a client's owner does.
func tick(c *client.Client) {
	c.Receive(time.Second)
	c.Send(time.Second)
}

// TestServerWithoutOrder: what a server says before its welcome, or at all, in no sound order, closes the connection with a
// reason and breaks nothing.
func TestServerWithoutOrder(t *testing.T) {
	for name, x := range map[string]struct { // any order: each on its own
		b    []byte
		want client.State
	}{
		"classes":          {wire.AppendClasses(nil, &wire.Classes{Epoch: 2}), client.Closed},
		"open":             {wire.AppendOpen(nil, &wire.Open{Channel: 1, Net: 1, Role: engine.RoleSimulatedProxy}), client.Closed},
		"ready":            {wire.AppendReady(nil, 1, 0), client.Closed},
		"welcome, version": {wire.AppendWelcome(nil, &wire.Welcome{Version: wire.Version + 1, Tick: 60, Net: 30}), client.Closed},
		"close":            {wire.AppendClose(nil, wire.Close{Channel: 9, Why: wire.CloseDestroyed}), client.Connecting},
		"role":             {wire.AppendRole(nil, wire.Role{Channel: 9, Role: engine.RoleSimulatedProxy}), client.Connecting},
		"call":             {wire.AppendCall(nil, wire.Call{Channel: 9, Function: 3}), client.Connecting},
	} {
		c, m := client.New(client.Config{Link: idle{}}), &mute{}
		c.Opened(m)
		c.Message(m, x.b)
		tick(c)
		closed := x.want == client.Closed
		if c.State() != x.want || m.closed != closed || closed && c.Reason().Code == "" {
			t.Errorf("%s: the client is %s (%v)", name, c.State(), c.Reason())
		}
	}
}

// single is the only chunk of a small file that nobody requested.
func single(data []byte) []byte {
	p := bundle.Single(wire.HashOf(data), data)
	return wire.AppendChunk(nil, &wire.Chunk{Hash: p.Hash, Size: p.Size, Packed: len(p.Packed()), Data: p.Packed()})
}

// TestServerFloods: a server that sends messages to wait for a reload that never comes is left before it has filled the
// client's memory.
func TestServerFloods(t *testing.T) {
	h := newHostile(t)
	conn := h.p.Session().Conn
	h.p.Message(conn, wire.AppendClasses(nil, &wire.Classes{Epoch: 2, Manifest: wire.Hash{1}}))
	big := append([]byte{0x92, byte(wire.KindCall)}, wire.AppendBin(nil, make([]byte, 50_000))...)
	n := 0
	for ; n < 4000 && h.p.State() == client.Playing; n++ {
		h.p.Message(conn, big)
	}
	if h.p.State() != client.Closed || h.p.Reason().Code != "protocol" {
		t.Errorf("after %d MB that wait the client is %s: %v", n/20, h.p.State(), h.p.Reason())
	}
}

// TestChannelOpenedTwice: a channel that a server opens for another actor is that one's; the copy it had is not left behind.
func TestChannelOpenedTwice(t *testing.T) {
	h := newHostile(t)
	conn := h.p.Session().Conn
	index := uint32(h.mine.Class.Index)
	before := len(h.p.World().ActorsOf("Hero"))
	for n := range 5 {
		h.p.Message(conn, wire.AppendOpen(nil, &wire.Open{Channel: 300, Net: uint32(9000 + n), Class: index, Role: engine.RoleSimulatedProxy}))
	}
	h.Run(0.1)
	if n := len(h.p.World().ActorsOf("Hero")); n != before+1 {
		t.Errorf("%d copies, want %d", n, before+1)
	}
	h.p.Message(conn, wire.AppendClose(nil, wire.Close{Channel: 300, Why: wire.CloseDestroyed}))
	h.Run(0.1)
	if n := len(h.p.World().ActorsOf("Hero")); n != before {
		t.Errorf("%d copies after the close, want %d", n, before)
	}
	// The number of one, the channel of another: that of the first becomes free, the other's copy goes.
	h.p.Message(conn, wire.AppendOpen(nil, &wire.Open{Channel: h.channel(h.theirs), Net: h.Server.NetOf(h.mine.ID()), Class: index, Role: engine.RoleAutonomousProxy}))
	h.p.Message(conn, wire.AppendClose(nil, wire.Close{Channel: h.channel(h.mine), Why: wire.CloseDestroyed}))
	h.Run(0.1)
	if h.p.Copy(h.mine) == nil || h.p.State() != client.Playing {
		t.Error("the copy that moved to another channel is gone")
	}
}

// TestComponentsOfNothing: components inside what cannot have any.
func TestComponentsOfNothing(t *testing.T) {
	h := newHostile(t)
	conn := h.p.Session().Conn
	open := func(ch uint16, net uint32, outer uint16, name string) {
		h.p.Message(conn, wire.AppendOpen(nil, &wire.Open{Channel: ch, Net: net, Name: []byte(name), Inside: true, Outer: outer, Role: engine.RoleSimulatedProxy}))
	}
	mine := h.channel(h.mine)
	open(301, 9001, 301, "X:Hero")
	open(302, 9002, mine, "X:Actor")
	open(303, 9003, 302, "Y:Actor")
	open(304, 9004, 303, "Z:Actor")
	open(305, 9005, mine, "V:Actor")
	open(305, 9006, 305, "W:Actor")
	open(mine, h.Server.NetOf(h.mine.ID()), mine, "X:Actor")
	h.Run(0.1)
	h.p.Message(conn, wire.AppendRole(nil, wire.Role{Channel: 302, Role: engine.RoleAutonomousProxy}))
	h.p.Message(conn, wire.AppendClose(nil, wire.Close{Channel: mine, Why: wire.CloseDestroyed}))
	h.Run(0.1)
	if h.other.State() != client.Playing {
		t.Error("another client is gone")
	}
}

// TestReloadAndUnreliableCalls: an unreliable call of the new classes is not taken for another one by a client that has not
// heard of them (R5.23).
func TestReloadAndUnreliableCalls(t *testing.T) {
	n := []engine.Param{{Name: "n", Type: &engine.Type{Kind: engine.KindInt}}}
	horn := func(names ...string) *engine.ClassSpec {
		s := &engine.ClassSpec{Name: "Horn", Parent: "Actor"}
		for _, f := range names {
			s.Functions = append(s.Functions, engine.FunctionSpec{Name: f, Kind: engine.CallMulticast, Stated: true, Params: n})
		}
		return s
	}
	r := rig.New(horn("Blow", "Crack")).Start()
	p := r.Join(simlink.Path{})
	p.Trace = true
	r.Run(1)
	a := r.Spawn("Horn", engine.SpawnParams{})
	r.Run(0.5)
	blow := func(n int) { r.Server.Call(a, a.Class.Functions["Blow"], []engine.Value{engine.Int(n)}, "") }
	blow(1)
	r.Run(0.1)
	p.End.SetPath(r.Now, path(0, 1))
	r.Reload(horn("Ask", "Blow", "Crack"))
	r.Step(1)
	p.End.SetPath(r.Now, simlink.Path{})
	blow(2)
	r.Run(2)
	blow(3)
	r.Run(0.1)
	last := 0
	for _, e := range p.Events {
		if e.Kind != client.Called {
			continue
		}
		if last = int(e.Args[0].Num); e.Name != "Blow" {
			t.Errorf("the client ran %s(%d)", e.Name, last)
		}
	}
	if last != 3 {
		t.Errorf("the last call is %d", last)
	}
}
