package scenario_test

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tidelock/tidelock/cmd/host/match"
	"github.com/tidelock/tidelock/cmd/host/scenario"
	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/scriptvm"
	script "github.com/tidelock/tidelock/scriptvm/scenario"
)

// wireless is a Network that carries nothing but logins, after a tenth of a second: enough to see that the
// stage drives a network as it should.
type wireless struct {
	peers  scenario.Peers
	server *match.Match
	conns  []*radio
	calls  map[string]int
}

func (w *wireless) Serve(m *match.Match, _ script.ServerOptions) error {
	w.calls["serve"]++
	w.server = m
	return nil
}

func (w *wireless) Stop(string) { w.calls["stop"]++ }
func (w *wireless) Close()      { w.calls["close"]++ }
func (w *wireless) Send(_ float64, n bool) {
	w.calls["send"]++
	if n {
		w.calls["net update"]++
	}
}

func (w *wireless) Receive(now float64) {
	w.calls["receive"]++
	for _, c := range w.conns {
		if c.wants && c.pc == nil && now >= c.since+0.1 {
			c.pc, _ = w.server.Login("", c.opt.Options, false)
		}
	}
}

func (w *wireless) Connect(o script.ClientOptions) (scenario.Connection, error) {
	if o.Name == "" {
		return nil, errors.New("t:client: a client of this network has a name")
	}
	c := &radio{net: w, opt: o, wants: o.Join}
	var err error
	if c.m, err = w.peers.Open("client "+o.Name, "flat", &c.lines); err != nil {
		return nil, err
	}
	w.conns = append(w.conns, c)
	return c, nil
}

func (w *wireless) Why(_ scenario.Connection, a *engine.Actor, property string) (code, text string, err error) {
	return "R3.2", a.Name + "." + property, nil
}

// radio is a client of it.
type radio struct {
	net   *wireless
	opt   script.ClientOptions
	m     *match.Match
	pc    *engine.Actor
	lines []string
	wants bool
	since float64
	gone  string
	input engine.Input
	link  script.LinkOptions
}

func (c *radio) Name() string         { return "client " + c.opt.Name }
func (c *radio) World() *engine.World { return c.m.World }
func (c *radio) VM() *scriptvm.VM     { return c.m.VM }
func (c *radio) Epoch() int           { return 0 }
func (c *radio) Log() []string        { return c.lines }

func (c *radio) Controller(script.Client) (*engine.Actor, error) { return nil, nil }
func (c *radio) Copy(script.Peer, engine.ActorID) *engine.Actor  { return nil }
func (c *radio) Input(change func(*engine.Input)) error          { change(&c.input); return nil }
func (c *radio) Join() error                                     { c.wants = true; return nil }
func (c *radio) Leave() error                                    { c.gone = "left"; return nil }
func (c *radio) Kill() error                                     { c.gone = "killed"; return nil }
func (c *radio) Link(l script.LinkOptions) error                 { c.link = l; return nil }
func (c *radio) Failure() (text, code string)                    { return c.gone, strings.ToUpper(c.gone) }

func (c *radio) Corrections() []script.Correction {
	return []script.Correction{{Time: 1, Field: "Location", Client: engine.Int(1), Server: engine.Int(2), Move: 3}}
}

func (c *radio) Trace() []script.TraceEvent {
	return []script.TraceEvent{{Event: "opened", Actor: c.Player(), Class: "PlayerController", Time: 0.5}, {Event: "set", Name: "X", Value: engine.Int(4)}}
}

func (c *radio) Traffic() script.Traffic {
	return script.Traffic{Total: script.Count{Bytes: 100, Count: 2}, ByClass: map[string]script.Count{"Pawn": {Bytes: 60}}}
}

func (c *radio) Rate() float64 { return float64(c.opt.Tick) * c.opt.Timescale }
func (c *radio) Tick(float64)  { c.m.World.Step(1 / float64(c.opt.Tick)) }

func (c *radio) Player() engine.ActorID {
	if c.pc == nil {
		return 0
	}
	return c.pc.ID()
}

func (c *radio) ToServer(id engine.ActorID) engine.ActorID { return 0 }

const clients = `
scenario("a network is driven tick by tick", function(t)
	t:error(function() t:client{ name = "a" } end, "after t:server")
	local s = t:server{ tick = 60, net = 20 }
	t:error(function() t:client{} end, "has a name")
	local a = t:client{ name = "a", options = "?name=Ann", preset = "internet", loss = 0.5 }
	local b = t:client{ name = "b", tick = 30, timescale = 2, join = false }
	t:eq(a.name, "client a")
	t:eq(s:controller(a), nil, "joining takes time")
	t:eq(s:pawn(a), nil)
	t:run(1)
	t:eq(s:controller(a).PlayerReplicationInfo.PlayerName, "Ann")
	t:eq(s:pawn(a), s:controller(a).Pawn)
	t:eq(s:controller(b), nil)
	t:near(a.time, 1, 1e-6)
	t:near(b.time, 2, 1e-6, "its clock runs twice as fast")
	b:join()
	t:within(1, function() return s:controller(b) ~= nil end)
	t:error(function() s:controller(s) end, "no local player")
	t:error(function() s:controller(5) end, "expected a client")

	local pc = s:controller(a)
	t:eq(t:trace(a), { { event = "opened", actor = pc, class = "PlayerController", name = "", time = 0.5 },
		{ event = "set", class = "", name = "X", value = 4, time = 0 } })
	t:eq(t:traffic(a).total.bytes, 100)
	t:eq(t:traffic(a).by_class.Pawn.bytes, 60)
	local code, text = t:why(a, pc, "Pawn")
	t:eq(code, "R3.2")
	t:eq(text, pc.Name .. ".Pawn")
	t:eq(a:corrections()[1].server, 2)
	t:eq(a:copy(pc), nil)
	a:input{ forward = 1 }
	a:link{ preset = "modem", lag = 0.3 }
	t:eq(a.error, nil)
	a:kill()
	t:eq(a.error, "killed")
	t:eq(a.error_code, "KILLED")
	t:eq(a:eval("return world.NetMode"), NM_Client)
	t:eq(a:eval("return world.Game"), nil)
	t:eq(#a:log(), 0)
	t:expect_error("^Actor:SetTimer: .*%(Actor_0, client a%)")
	a:spawn("Actor"):SetTimer(-1, false, "Destroy")
	t:eq(#a:log(), 1)
	t:restart()
	t:run(0.5)
end)
`

func TestANetworkIsDrivenTickByTick(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "f.lua", clients)
	var net *wireless
	code, out, errs := run(t, scenario.Options{
		Files: []string{filepath.Join(dir, "f.lua")},
		Network: func(transport string, _ uint64, p scenario.Peers) (scenario.Network, error) {
			if transport != "sim" {
				t.Errorf("transport %q", transport)
			}
			net = &wireless{peers: p, calls: map[string]int{}}
			return net, nil
		},
	})
	if code != 0 {
		t.Fatalf("exit %d\n%s%s", code, out, errs)
	}
	for what, want := range map[string]int{"serve": 2, "stop": 1, "close": 1} {
		if net.calls[what] != want {
			t.Errorf("%s: %d times, want %d", what, net.calls[what], want)
		}
	}
	if n := net.calls["receive"]; n != net.calls["send"] || n < 90 || net.calls["net update"] != n/3 {
		t.Errorf("%v", net.calls)
	}
	a := net.conns[0]
	if a.input.Forward != 1 || a.link.Lag != 0.3 || a.link.Down != 2600 || a.opt.Link.Loss != 0.5 || a.opt.Link.Lag != 0.075 {
		t.Errorf("%+v %+v %+v", a.input, a.link, a.opt.Link)
	}
}
