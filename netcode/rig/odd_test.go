package rig_test

import (
	"fmt"
	"slices"
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

// guest is a class whose calls name others, by both ways and to all, with a variable of its owner's.
func guest() *engine.ClassSpec {
	n := engine.Param{Name: "n", Type: &engine.Type{Kind: engine.KindInt}}
	who := engine.Param{Name: "who", Type: &engine.Type{Kind: engine.KindRef, Wait: true}}
	return &engine.ClassSpec{
		Name: "Guest", Parent: "Actor",
		Properties: []engine.PropertySpec{
			{Name: "Friend", Type: &engine.Type{Kind: engine.KindRef}},
			{Name: "N", Type: &engine.Type{Kind: engine.KindInt}},
			{Name: "Wish", Type: &engine.Type{Kind: engine.KindInt}},
		},
		Rules: []engine.RuleSpec{{Names: []string{"Friend", "N"}}, {Names: []string{"Wish"}, Cond: engine.ScriptCondition(true)}},
		Functions: []engine.FunctionSpec{
			{Name: "All", Kind: engine.CallMulticast, Reliable: true, Stated: true, Params: []engine.Param{n}},
			{Name: "Meet", Kind: engine.CallMulticast, Reliable: true, Stated: true, Params: []engine.Param{n, who}},
			{Name: "ServerTell", Kind: engine.CallServer, Reliable: true, Stated: true, Params: []engine.Param{n}},
			{Name: "ServerHint", Kind: engine.CallServer, Stated: true, Params: []engine.Param{n}},
		},
	}
}

// diary is a script side that writes down what it was called, and may do something about it.
type diary struct {
	engine.NoScript
	lines []string
	do    func()
}

func (d *diary) Received(_ *engine.Actor, f *engine.Function, args []engine.Value, _ string) engine.Receipt {
	s := fmt.Sprintf("%s %v", f.Name, args[0].Num)
	if len(args) > 1 && args[1].Ref == 0 {
		s += " nobody"
	}
	d.lines = append(d.lines, s)
	if d.do != nil {
		d.do()
	}
	return engine.Accepted
}

func (d *diary) Condition(*engine.Rule, *engine.Actor, engine.ConnBits) bool { return true }

// party is a rig whose sides keep diaries.
type party struct {
	*rig.Rig
	of map[*engine.World]*diary
	// Each runs before every step of arrived.
	Each func()
}

func newParty(edit func(r *rig.Rig)) *party {
	o := &party{Rig: rig.New(guest(), blob()), of: map[*engine.World]*diary{}}
	o.Script = func(w *engine.World) engine.Script {
		o.of[w] = &diary{}
		return o.of[w]
	}
	o.Config.Validate = true
	o.Config.Limits.Budget = 100_000
	if edit != nil {
		edit(o.Rig)
	}
	o.Start()
	return o
}

func (o *party) in(t *testing.T, path simlink.Path) *rig.Peer {
	t.Helper()
	p := o.Join(path)
	for range 200 {
		if o.Step(2); p.Controller() != nil {
			o.Run(0.5)
			return p
		}
	}
	t.Fatal("not in: ", o.Lines, p.Lines)
	return nil
}

// connections is how many players the server has.
func (o *party) connections() (n int) {
	o.Server.Connections(func(*server.Conn) { n++ })
	return n
}

func (o *party) call(a *engine.Actor, fn string, args ...engine.Value) {
	o.Server.Call(a, a.Class.Functions[fn], args, "")
}

// TestThrottledMessagesCount: a reliable message that a limit threw away counts as processed all the same: both ends go on
// counting alike.
func TestThrottledMessagesCount(t *testing.T) {
	o := newOffice(t, func(r *rig.Rig) { r.Config.Limits.BytesPerSecond = 1500 })
	k := o.p.Copy(o.a)
	for n := range 300 {
		call(o.p.Client, k, "ServerFile", n)
	}
	o.Run(2)
	if n := o.heard(o.World, "ServerFile"); n == 0 || n == 300 {
		t.Fatalf("%d of 300 calls were taken: the test tests nothing", n)
	}
	if got, want := o.Server.ConnectionOf(o.p.Controller()).Session().Messages(), o.p.Session().LastMessage(); got != want {
		t.Errorf("the server processed %d of %d messages", got, want)
	}
}

// TestChannelNumberComesAgain: what a client calls on an actor that is gone by then does not reach another that has its
// channel's number, and is no offence (R6.8); and what was under way to the old one does not reach the new one.
func TestChannelNumberComesAgain(t *testing.T) {
	o := newParty(nil)
	p := o.in(t, path(150*time.Millisecond, 0))
	a := o.Spawn("Guest", engine.SpawnParams{Owner: p.Controller()})
	o.Run(1)
	k := p.Copy(a)
	if k == nil {
		t.Fatal("no copy")
	}
	for range 3 { // in the world's own time a few come and go
		a.Destroy()
		o.Step(1)
		b := o.Spawn("Guest", engine.SpawnParams{Owner: p.Controller()})
		c := o.Spawn("Guest", engine.SpawnParams{})
		for n := range 4 {
			p.Call(k, k.Class.Functions["ServerTell"], []engine.Value{engine.Int(n)}, "")
			p.Call(k, k.Class.Functions["ServerHint"], []engine.Value{engine.Int(n)}, "")
			o.Step(3)
		}
		o.Run(1)
		if lines := o.of[o.World].lines; len(lines) > 0 {
			t.Fatalf("calls on an actor that is gone reached %s or %s: %v", b, c, lines)
		}
		for _, l := range o.Lines {
			if strings.Contains(l, "not its own") {
				t.Fatal("an offence: ", l)
			}
		}
		c.Destroy()
		if a, k = b, p.Copy(b); k == nil {
			t.Fatal("no copy of the next")
		}
	}
}

// TestNumbersAreNotUsedUp: many short lives do not use up the numbers of channels.
func TestNumbersAreNotUsedUp(t *testing.T) {
	o := newParty(func(r *rig.Rig) { r.Config.Limits.Budget = 1 << 20 })
	p := o.in(t, simlink.Path{})
	var last []*engine.Actor
	most := uint16(0)
	for range 1200 { // 84 000 in 20 s
		for _, a := range last {
			a.Destroy()
		}
		last = last[:0]
		for range 70 {
			a := o.Spawn("Guest", engine.SpawnParams{Location: geom.Vector{X: 1e6}})
			last = append(last, a)
			most = max(most, o.Server.ChannelOf(a.ID()))
		}
		o.Step(1)
	}
	o.Run(1)
	if most == 0 || p.State() != client.Playing {
		t.Fatalf("the client is %s: %v", p.State(), p.Reason())
	}
	for _, l := range o.Lines {
		if strings.Contains(l, "65535") {
			t.Fatal(l)
		}
	}
}

// TestControllerDestroyed: a script that destroys a player's controller, in a call that the player sent, with calls to
// others in the same tick, costs only them (R8.5).
func TestControllerDestroyed(t *testing.T) {
	for _, later := range []bool{false, true} {
		o := newParty(nil)
		p, other := o.in(t, simlink.Path{}), o.in(t, simlink.Path{})
		pc := p.Controller()
		a := o.Spawn("Guest", engine.SpawnParams{Owner: pc})
		o.Run(0.5)
		end := func() {
			pc.Destroy()
			o.call(o.Spawn("Guest", engine.SpawnParams{}), "All", engine.Int(7))
			o.call(a, "All", engine.Int(8))
		}
		if !later {
			o.of[o.World].do = end
		}
		k := p.Copy(a)
		for n := range 3 {
			p.Call(k, k.Class.Functions["ServerTell"], []engine.Value{engine.Int(n)}, "")
		}
		if o.Step(2); later {
			end()
		}
		o.Run(1)
		if p.State() != client.Closed || p.Reason().Code != "destroyed" {
			t.Errorf("the player is %s: %v", p.State(), p.Reason())
		}
		if other.State() != client.Playing {
			t.Errorf("the other is %s: %v", other.State(), other.Reason())
		}
		if got := o.of[other.World()].lines; !slices.Contains(got, "All 7") || !slices.Contains(got, "All 8") {
			t.Errorf("the other heard %q", got)
		}
	}
}

// TestLinesOfPeers: what a peer does or says takes few lines, each of them one, and leaves room for those of others.
func TestLinesOfPeers(t *testing.T) {
	h := newHostile(t)
	n := len(h.Lines)
	for fn := range 3000 { // each a text of its own, from as many connections as it takes
		if h.conn.Player() == nil {
			break
		}
		h.message(wire.AppendCall(nil, wire.Call{Channel: h.channel(h.mine), Function: uint16(1000 + fn)}))
	}
	h.Run(0.1)
	if got := len(h.Lines) - n; got > 12 {
		t.Errorf("%d lines of one peer", got)
	}
	h.Server.Message(h.Server.ConnectionOf(h.other.Controller()).Session().Conn, wire.AppendKick(nil, wire.Refusal{Code: "left", Text: "bye\nERROR all is lost\x1b[2J\u009b1m"}))
	h.Run(0.1)
	for _, l := range h.Lines {
		if strings.ContainsAny(l, "\n\r\x1b\u009b") {
			t.Errorf("a line of several, or one that steers a terminal: %q", l)
		}
	}
	if last := h.Lines[len(h.Lines)-1]; !strings.Contains(last, "all is lost") {
		t.Errorf("the last line is %q: the test tests nothing", last)
	}
}

// TestLinesOfManyPeers: however many peers offend, an error of the server's own is still told.
func TestLinesOfManyPeers(t *testing.T) {
	o := newParty(func(r *rig.Rig) { r.Config.Limits.Offences = 1 << 20 })
	p := o.in(t, simlink.Path{})
	a := o.Spawn("Guest", engine.SpawnParams{Owner: p.Controller()})
	o.Run(0.3)
	conn := o.Server.ConnectionOf(p.Controller()).Session().Conn
	for fn := range 1100 {
		o.Server.Message(conn, wire.AppendCall(nil, wire.Call{Channel: o.Server.ChannelOf(a.ID()), Function: uint16(1000 + fn)}))
		o.Step(1)
	}
	o.Lines = nil
	a.SetWord(a.Class.Property("N"), 1)
	o.World.ClearDirty() // as if a mark was forgotten
	o.Run(0.2)
	if !slices.ContainsFunc(o.Lines, func(l string) bool { return strings.Contains(l, "without a mark") }) {
		t.Errorf("the error was not told: %q", o.Lines)
	}
}

// TestLeaveBeforeItStands: a client that leaves while it dials does not come in later.
func TestLeaveBeforeItStands(t *testing.T) {
	o := newParty(nil)
	p := o.Join(path(100*time.Millisecond, 0))
	o.Step(1)
	p.Leave(link.Reason{Code: "left"})
	if o.Run(2); o.connections() != 0 || o.Standing() != 0 || len(p.End.Conns(nil)) > 0 {
		t.Errorf("%d players, %d connections", o.connections(), o.Standing())
	}
}
