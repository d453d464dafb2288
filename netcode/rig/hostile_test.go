package rig_test

import (
	"math"
	"testing"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/netcode/client"
	"github.com/tidelock/tidelock/netcode/link"
	"github.com/tidelock/tidelock/netcode/rig"
	"github.com/tidelock/tidelock/netcode/server"
	"github.com/tidelock/tidelock/netcode/simlink"
	"github.com/tidelock/tidelock/netcode/wire"
)

// hero is a class with everything that a client may send.
func hero() *engine.ClassSpec {
	arrow := []engine.Param{
		{Name: "at", Type: &engine.Type{Kind: engine.KindVector}},
		{Name: "power", Type: &engine.Type{Kind: engine.KindFloat, Ranged: true, Min: 0, Max: 1}},
		{Name: "who", Type: &engine.Type{Kind: engine.KindRef, Class: "Pawn"}},
		{Name: "text", Type: &engine.Type{Kind: engine.KindString, MaxLen: 20}},
		{Name: "n", Type: &engine.Type{Kind: engine.KindInt, Ranged: true, Min: 0, Max: 7}},
		{Name: "mode", Type: &engine.Type{Kind: engine.KindEnum, Enum: []string{"a", "b"}}},
	}
	up := engine.ScriptCondition(true)
	return &engine.ClassSpec{
		Name: "Hero", Parent: "Pawn",
		Properties: []engine.PropertySpec{
			{Name: "Wish", Type: &engine.Type{Kind: engine.KindInt, Ranged: true, Min: 0, Max: 10}},
			{Name: "Gold", Type: &engine.Type{Kind: engine.KindInt}},
			{Name: "Aim", Type: &engine.Type{Kind: engine.KindFloat}},
		},
		Rules: []engine.RuleSpec{{Names: []string{"Wish", "Aim"}, Cond: up}, {Names: []string{"Gold"}}},
		Functions: []engine.FunctionSpec{
			{Name: "ServerShoot", Kind: engine.CallServer, Stated: true, Params: arrow},
			{Name: "ServerBuy", Kind: engine.CallServer, Reliable: true, Stated: true, Params: arrow[4:5]},
			{Name: "ClientSay", Kind: engine.CallClient, Stated: true, Params: arrow[3:4]},
		},
	}
}

// calls is a script side that remembers what reached it.
type calls struct {
	engine.NoScript
	got []string
	bad []string
}

func (s *calls) Received(a *engine.Actor, f *engine.Function, args []engine.Value, from string) engine.Receipt {
	s.got = append(s.got, f.Name)
	for i, v := range args {
		if math.IsNaN(v.Num) || math.IsInf(v.Num, 0) || len(v.Str) > 255 || i >= len(f.Params) || v.Kind != engine.KindNone && v.Kind != f.Params[i].Type.Kind {
			s.bad = append(s.bad, f.Name)
		}
		if _, err := f.Params[i].Type.Check(a.World(), v); err != nil && v.Kind != engine.KindNone {
			s.bad = append(s.bad, f.Name+": "+err.Error())
		}
	}
	if from != "" && !a.HasAuthority() {
		s.bad = append(s.bad, "a call of a peer on a proxy")
	}
	return engine.Accepted
}

// Condition implements the upstream rule: always.
func (s *calls) Condition(*engine.Rule, *engine.Actor, engine.ConnBits) bool { return true }

type hostileRig struct {
	*rig.Rig
	script   *calls
	p, other *rig.Peer
	mine     *engine.Actor
	theirs   *engine.Actor
	conn     *server.Conn
}

func newHostile(tb testing.TB) *hostileRig {
	h := &hostileRig{Rig: rig.New(hero())}
	h.Rig.Script = func(w *engine.World) engine.Script {
		c := &calls{}
		if w.NetMode != engine.NMClient {
			h.script = c
		}
		return c
	}
	h.Start()
	h.p, h.other = h.Join(simlink.Path{}), h.Join(simlink.Path{})
	h.Run(0.5)
	h.mine = h.Spawn("Hero", engine.SpawnParams{Owner: h.p.Controller()})
	h.mine.RemoteRole = engine.RoleAutonomousProxy
	h.theirs = h.Spawn("Hero", engine.SpawnParams{Owner: h.other.Controller()})
	h.Run(0.5)
	if h.p.Copy(h.mine) == nil || h.p.Copy(h.theirs) == nil {
		tb.Fatal("no copies: ", h.Lines)
	}
	h.conn = h.Server.ConnectionOf(h.p.Controller())
	return h
}

// fake is a link connection that stands for the peer's, whose bytes are made up.
func (h *hostileRig) datagram(b []byte) { h.Server.Datagram(h.conn.Session().Conn, b) }
func (h *hostileRig) message(b []byte)  { h.Server.Message(h.conn.Session().Conn, b) }

func (h *hostileRig) header() []byte {
	return wire.AppendHeader(nil, wire.Header{Seq: h.p.Session().Next() + 5})
}

func (h *hostileRig) channel(a *engine.Actor) uint16 { return h.Server.ChannelOf(a.ID()) }

// FuzzServer feeds a server what a player's client may send: nothing panics, nothing that does not fit reaches a script,
// nobody but the player themselves is thrown out.
func FuzzServer(f *testing.F) {
	h := newHostile(f)
	mine, theirs := h.channel(h.mine), h.channel(h.theirs)
	shoot := func(b []byte, ch uint16, power float32) []byte {
		b = wire.AppendCall(b, wire.Call{Channel: ch, Function: 2, Args: 3})
		b = wire.AppendVector(b, wire.Grid{Scale: 1, Bits: 16}, wire.Quantised{1, 2, 3})
		return append(wire.AppendFloat(b, power), 0)
	}
	f.Add(true, shoot(h.header(), mine, 0.5))
	f.Add(true, shoot(h.header(), mine, float32(math.NaN())))
	f.Add(true, shoot(h.header(), theirs, 0.5))
	f.Add(false, wire.AppendInt(wire.AppendCall(nil, wire.Call{Channel: mine, Function: 1, Args: 1}), 3))
	f.Add(false, wire.AppendInt(wire.AppendCall(nil, wire.Call{Channel: mine, Function: 1, Args: 1}), 99))
	f.Add(false, wire.AppendWant(nil, &wire.Want{Files: []byte{7}}))
	f.Add(false, wire.AppendReady(nil, 1, 0))
	f.Add(false, wire.AppendHello(nil, &wire.Hello{Version: wire.Version}))
	f.Add(false, []byte{0xc1, 0xff})
	var asm wire.Assembler
	asm.Reset(500)
	m := wire.Mask{}
	m.Set(h.mine.Class.Property("Wish").Rep)
	asm.Add(mine, &wire.RunKey{Mask: m}, []byte{5})
	f.Add(true, asm.Append(h.header(), 1))
	f.Fuzz(func(t *testing.T, datagram bool, b []byte) {
		h := newHostile(t)
		if datagram {
			h.datagram(b)
		} else {
			h.message(b)
		}
		h.Run(0.1)
		if len(h.script.bad) > 0 {
			t.Fatal("reached a script: ", h.script.bad)
		}
		if h.other.State() != client.Playing || h.Server.ConnectionOf(h.other.Controller()) == nil {
			t.Fatal("another player is gone: ", h.Lines)
		}
		if w := rig.Get(h.mine, "Wish").Num; w < 0 || w > 10 {
			t.Fatal("Wish is ", w)
		}
		if rig.Get(h.mine, "Gold").Num != 0 || rig.Get(h.theirs, "Wish").Num != 0 {
			t.Fatal("a variable that is not the client's to set was set")
		}
	})
}

// FuzzClient feeds a client what a server may send.
func FuzzClient(f *testing.F) {
	h := newHostile(f)
	mine := h.channel(h.mine)
	f.Add(false, wire.AppendClose(nil, wire.Close{Channel: mine, Why: wire.CloseDestroyed}))
	f.Add(false, wire.AppendRole(nil, wire.Role{Channel: mine, Role: engine.RoleSimulatedProxy}))
	f.Add(false, wire.AppendOpen(nil, &wire.Open{Channel: 77, Net: 900, Class: 1, Role: engine.RoleSimulatedProxy}))
	f.Add(false, wire.AppendOpen(nil, &wire.Open{Channel: 78, Net: 901, Name: []byte("nobody"), Role: engine.RoleSimulatedProxy}))
	f.Add(false, wire.AppendOpen(nil, &wire.Open{Channel: 78, Net: 901, Name: []byte("X:Hero"), Inside: true, Outer: mine, Role: engine.RoleSimulatedProxy}))
	f.Add(false, wire.AppendClasses(nil, &wire.Classes{Epoch: 2}))
	f.Add(false, wire.AppendKick(nil, wire.Refusal{Code: "x", Text: "y"}))
	f.Add(true, wire.AppendTell(h.header(), wire.Tell{Stamp: 1, Time: 2}))
	var asm wire.Assembler
	asm.Reset(500)
	m := wire.Mask{}
	m.Set(h.mine.Class.Property("Gold").Rep)
	asm.Add(mine, &wire.RunKey{Mask: m, Waits: true, After: 9}, []byte{5})
	f.Add(true, asm.Append(h.header(), 1))
	f.Fuzz(func(t *testing.T, datagram bool, b []byte) {
		h := newHostile(t)
		var c link.Conn = h.p.Session().Conn
		if datagram {
			h.p.Datagram(c, b)
		} else {
			h.p.Message(c, b)
		}
		h.Run(0.1)
		if h.other.State() != client.Playing {
			t.Fatal("another client is gone")
		}
	})
}

// TestWhatIsNotAllowed holds the promises one by one (R6.7, R6.8, R5.16).
func TestWhatIsNotAllowed(t *testing.T) {
	power := func(b []byte) []byte { return wire.AppendFloat(b, 0.5) }
	for name, c := range map[string]struct {
		fn      string
		theirs  bool
		message bool                  // not a datagram
		args    func(b []byte) []byte // behind the first, nil for none at all
	}{
		"a call that is right": {fn: "ServerShoot", args: power},
		"NaN":                  {fn: "ServerShoot", args: func(b []byte) []byte { return wire.AppendFloat64(b, math.NaN()) }},
		"infinity":             {fn: "ServerShoot", args: func(b []byte) []byte { return wire.AppendFloat64(b, math.Inf(1)) }},
		"out of range":         {fn: "ServerShoot", args: func(b []byte) []byte { return wire.AppendFloat(b, 2) }},
		"a wrong type":         {fn: "ServerShoot", args: func(b []byte) []byte { return wire.AppendString(b, "x") }},
		"cut off":              {fn: "ServerShoot", args: func(b []byte) []byte { return power(b)[:len(b)+2] }},
		"another's actor":      {fn: "ServerShoot", theirs: true, args: power},
		"the wrong way":        {fn: "ServerShoot", message: true},
		"a client's function":  {fn: "ClientSay"},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHostile(t)
			before, a := len(h.script.got), h.mine
			if c.theirs {
				a = h.theirs
			}
			call := wire.Call{Channel: h.channel(a), Function: h.Server.FunctionOf(a, c.fn)}
			send, b := h.datagram, h.header()
			if c.message {
				send, b = h.message, nil
			}
			if c.args == nil {
				send(wire.AppendCall(b, call))
			} else {
				call.Args = 2
				send(c.args(wire.AppendVector(wire.AppendCall(b, call), wire.Grid{Scale: 1, Bits: 16}, wire.Quantised{1, 2, 3})))
			}
			if got, want := len(h.script.got) > before, name == "a call that is right"; got != want {
				t.Errorf("reached the script: %v, want %v; %v", got, want, h.Lines)
			}
			if len(h.script.bad) > 0 {
				t.Error(h.script.bad)
			}
		})
	}
}
