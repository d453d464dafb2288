package scenario

import (
	"fmt"
	"time"

	"github.com/tidelock/tidelock/cmd/host/match"
	"github.com/tidelock/tidelock/cmd/host/teleport/place"
	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/engine/canvas"
	"github.com/tidelock/tidelock/netcode/bundle"
	netclient "github.com/tidelock/tidelock/netcode/client"
	"github.com/tidelock/tidelock/netcode/link"
	"github.com/tidelock/tidelock/netcode/wire"
	"github.com/tidelock/tidelock/scriptvm"
	script "github.com/tidelock/tidelock/scriptvm/scenario"
)

// client is a client's peer. Between connections it has no world: the old one ends with the connection, and its
// handles are dead.
type client struct {
	*seat
	stage *stage
	opt   script.ClientOptions
	link  script.LinkOptions // the present state
	cache *cache
	epoch int
	fate  link.Reason
	// next is the connection to a host that the present one sends the player to (C6), nil for none; place is that host, since when.
	next      *seat
	place     place.Place
	nextSince float64

	held    *engine.Input         // the player's input
	pressed []func(*engine.Input) // changes before they had a controller
	given   engine.ActorID        // the controller that received it

	leaving []farewell
	lines   []string
	events  []script.TraceEvent
	dropped int // events beyond maxEvents

	looks bool // somebody looks at the HUD
	drawn []canvas.Call

	since float64 // its place on the clock
	ticks int
}

// seat is a client's connection to a host, or its place there between two connections, when line is nil.
type seat struct {
	net   *network
	line  line
	play  *netclient.Client
	host  *match.ClientHost
	world *engine.World             // its world at its last tick
	ids   map[uint32]engine.ActorID // copies by their number on the wire, also of closed channels
	nets  map[engine.ActorID]uint32

	conn *meter // the server's end, of the last connection

	heard   uint64 // packets, and the time of the last
	heardAt float64
}

// farewell is an ended connection that repeats its goodbye for a while.
type farewell struct {
	line  line
	play  *netclient.Client
	until time.Duration
}

// lingering is the time for that: somewhat longer than links need.
const lingering = 1500 * time.Millisecond

var _ script.Client = (*client)(nil)

func newClient(n *network, o script.ClientOptions) *client {
	return &client{seat: &seat{net: n}, stage: n.stage, opt: o, link: o.Link, since: n.stage.now, cache: &cache{own: map[wire.Hash][]byte{}}}
}

// Name returns the peer's name in messages.
func (c *client) Name() string { return c.opt.Name }

// World returns the client's world, nil while it is in no match.
func (c *client) World() *engine.World {
	if c.line == nil {
		return nil
	}
	return c.play.World()
}

// VM returns that world's VM.
func (c *client) VM() *scriptvm.VM {
	if c.World() == nil {
		return nil
	}
	return c.host.Match().VM
}

// Epoch counts worlds.
func (c *client) Epoch() int { return c.epoch }

// Log returns the reported lines.
func (c *client) Log() []string { return c.lines }

func (c *client) say(text string) { c.lines = append(c.lines, text) }

// Join connects.
func (c *client) Join() error {
	if c.line != nil {
		return fmt.Errorf("%s:join: it is connected; it can leave() first", c.Name())
	}
	c.fate, c.given = link.Reason{}, 0
	return c.sit(c.seat)
}

// sit connects a seat.
func (c *client) sit(at *seat) error {
	s := c.stage
	w, err := at.net.way.dial(c)
	if err != nil {
		return err
	}
	at.line, at.world = w, nil
	at.ids, at.nets = map[uint32]engine.ActorID{}, map[engine.ActorID]uint32{}
	s.opened++
	at.host = &match.ClientHost{VM: at.reporting(s.vmOptions(c.Name(), &c.lines)), Seed: seedOf(s.seed, s.opened), Now: time.Now, Reloaded: c.reloaded, Levels: &s.c.suite.levels, Shown: s.c.suite.shown()}
	if !c.opt.Cold {
		c.cache.warm = at.net.bundle
	}
	at.play = netclient.New(netclient.Config{
		Link: w, Host: at.host, Options: c.opt.Options, Agent: "scenario", Cache: c.cache,
		Report: func(sev engine.Severity, text string) { s.report(c, sev, s.shown(text)) },
		Trace:  func(e netclient.Event) { c.saw(at, e) }, Elsewhere: c.elsewhere,
	})
	at.net.guests = append(at.net.guests, guest{c, at})
	return nil
}

// reporting sends script errors to the server too, as a player's client does (G5).
func (c *seat) reporting(o scriptvm.Options) scriptvm.Options {
	report := o.Report
	o.Report = func(r scriptvm.Report) {
		if r.Kind == scriptvm.ReportError && c.line != nil {
			c.play.ReportFault(&wire.Fault{Function: r.Class + ":" + r.Function, File: r.File, Line: r.Line, Text: r.Message})
		}
		report(r)
	}
	return o
}

// reloaded logs the notes of a reload; the network code reports a failure.
func (c *client) reloaded(r scriptvm.ReloadResult) {
	for _, n := range r.Notes {
		c.say(n)
		c.stage.log = append(c.stage.log, c.Name()+": "+n)
	}
}

// budget sets the line's capacity to what the server may send (R4.1).
func (c *client) budget() {
	if c.conn != nil && c.link.Down > 0 {
		c.conn.conn.Budget = int(c.link.Down)
	}
}

// Rate returns its ticks per second of the stage.
func (c *client) rate() float64 { return float64(c.opt.Tick) * c.opt.Timescale }

// tick runs one iteration of the client's loop (R1.2): receive, tick, send.
func (c *client) tick() {
	c.ticks++
	now := c.net.now()
	kept := c.leaving[:0]
	for _, f := range c.leaving {
		f.play.Receive(now)
		f.play.Send(now)
		if now < f.until {
			kept = append(kept, f)
		} else {
			_ = f.line.Close() // it is over in any case
		}
	}
	c.leaving = kept
	c.tickNext(now)
	if c.line == nil {
		return
	}
	c.play.Receive(now)
	c.moved()
	if c.play.State() == netclient.Playing {
		w := c.play.World()
		c.press(w)
		dt := 1 / float64(c.opt.Tick)
		ticks := c.play.Ticks(dt)
		if c.opt.Unpaced {
			ticks = 1
		}
		for range ticks {
			w.Step(dt)
		}
		if ticks == 0 && c.play.Paused() {
			c.host.Match().VM.StandStill()
		}
		if c.looks {
			c.draw()
		}
	}
	c.play.Send(now)
	if c.play.State() == netclient.Closed {
		c.fate = c.play.Reason()
		c.end()
	}
}

// Canvas returns what the player's HUD drew.
func (c *client) Canvas() ([]canvas.Call, error) {
	if c.VM() == nil {
		return nil, nil
	}
	if !c.looks {
		c.looks = true
		c.draw()
	}
	return c.drawn, nil
}

func (c *client) draw() {
	drawn, _ := c.VM().DrawHUD(c.World().LocalPlayer())
	c.drawn = drawn.Calls()
}

// press applies the keys to the player's controller when there is a new one.
func (c *client) press(w *engine.World) {
	pc := w.LocalPlayer()
	if pc == nil || c.given == pc.ID() {
		return
	}
	c.given = pc.ID()
	if c.held == nil && len(c.pressed) == 0 {
		return
	}
	in, _ := w.Input(pc)
	if c.held != nil {
		in = *c.held
	}
	for _, change := range c.pressed {
		change(&in)
	}
	c.pressed, c.held = nil, &in
	w.SetInput(pc, in)
}

// end discards an ended connection and its world.
func (c *client) end() {
	c.leaving = append(c.leaving, farewell{c.line, c.play, c.net.now() + lingering})
	c.gone()
}

func (c *client) gone() {
	c.line = nil
	c.host.Close()
	c.epoch++
}

// Leave says goodbye.
func (c *client) Leave() error {
	c.abandon()
	if c.line == nil {
		return fmt.Errorf("%s:leave: it is not connected", c.Name())
	}
	c.play.Leave(link.Reason{Code: "left", Text: "the player left"})
	c.end()
	return nil
}

// Stand stops the machine for a time.
func (c *client) Stand(seconds float64) { c.since += seconds }

// Pace returns the pace that it received, also if it ignores it.
func (c *client) Pace() (scale float64, pending int) { return c.play.Pace() }

// Command is an error: commands are given to the server.
func (c *client) Command(string, script.Client) ([]string, error) {
	return nil, fmt.Errorf("%s:command: a client has no commands; call it on the server", c.Name())
}

// SetPace is an error: only the server does that.
func (c *client) SetPace(float64) error {
	return fmt.Errorf("%s:pace: a client follows the match; call it on the server", c.Name())
}

// StepTicks is an error: only the server does that.
func (c *client) StepTicks(int) error {
	return fmt.Errorf("%s:step: a client follows the match; call it on the server", c.Name())
}

// Kill ends the client without a goodbye.
func (c *client) Kill() error {
	c.abandon()
	if c.line == nil {
		return fmt.Errorf("%s:kill: it is not connected", c.Name())
	}
	c.line.kill()
	c.gone()
	return nil
}

// Impaired returns the impairment of its link.
func (c *client) Impaired() script.LinkOptions { return c.link }

// Link changes the impairment of its link, now and for later connections.
func (c *client) Link(l script.LinkOptions) error {
	c.link = l
	if c.line != nil {
		c.line.impair(l)
	}
	c.budget()
	return nil
}

// Lose drops packets by their numbers, 1 being the next, on the present connection. It replaces earlier numbers
// of that direction.
func (c *client) Lose(up bool, packets []int) error {
	if c.line == nil {
		return fmt.Errorf("%s:lose: it is not connected", c.Name())
	}
	l, ok := c.line.(*simLine)
	if !ok {
		return fmt.Errorf("%s:lose: only simulated links count packets; declare the scenario with { transport = \"sim\" }", c.Name())
	}
	l.lose(up, packets)
	return nil
}

// Failure returns why it is not in the match.
func (c *client) Failure() (text, code string) { return c.fate.Text, c.fate.Code }

// Corrections returns those of the player's own movement in the present world (R9.8).
func (c *client) Corrections() []script.Correction {
	vm := c.VM()
	if vm == nil {
		return nil
	}
	var list []script.Correction
	for _, n := range vm.Corrections() {
		k := script.Correction(n)
		k.Client, k.Server = c.serverValue(n.Client), c.serverValue(n.Server)
		list = append(list, k)
	}
	return list
}

// serverValue returns a value of the client's with the server's actor in place of its copy.
func (c *client) serverValue(v engine.Value) engine.Value {
	if v.Kind == engine.KindRef {
		v.Ref = c.toServer(v.Ref)
	}
	return v
}

// Input changes the keys of the player at this peer; keys pressed before the player has joined take effect
// then.
func (c *client) Input(change func(*engine.Input)) error {
	w := c.World()
	if w == nil || w.LocalPlayer() == nil {
		c.pressed = append(c.pressed, change)
		return nil
	}
	c.press(w)
	in, _ := w.Input(w.LocalPlayer())
	change(&in)
	c.held = &in
	w.SetInput(w.LocalPlayer(), in)
	return nil
}

// Controller returns the client's own PlayerController, or its copy of another client's.
func (c *client) Controller(of script.Client) (*engine.Actor, error) {
	w := c.World()
	if w == nil {
		return nil, nil //nolint:nilnil // it is not in
	}
	if o, ok := of.(*client); ok && o != c {
		return c.copyOf(o.player()), nil
	}
	return w.LocalPlayer(), nil
}

// player returns the client's PlayerController on the server, or nil.
func (c *client) player() *engine.Actor {
	if !c.served() {
		return nil
	}
	return c.conn.conn.Player()
}

// served reports whether its last connection was to the present server.
func (c *client) served() bool {
	return c.conn != nil && c.net.server != nil && c.conn.net == c.net.server
}

// Copy returns this client's copy of an actor of another peer.
func (c *client) Copy(of script.Peer, id engine.ActorID) *engine.Actor {
	w := c.World()
	if w == nil {
		return nil
	}
	if o, ok := of.(*client); ok {
		if o == c {
			return w.Actor(id)
		}
		id = o.toServer(id)
	}
	return c.copyOf(c.net.actor(id))
}

// copyOf returns the copy of an actor of the server's, or nil.
func (c *client) copyOf(a *engine.Actor) *engine.Actor {
	w := c.World()
	if w == nil || a == nil || c.net.server == nil {
		return nil
	}
	if id, ok := c.ids[c.net.server.NetOf(a.ID())]; ok {
		return living(w.Actor(id))
	}
	return twin(w, a, c.copyOf)
}

// toServer returns the server's actor that a client's actor is a copy of, 0 for none.
func (c *client) toServer(id engine.ActorID) engine.ActorID {
	if net, ok := c.nets[id]; ok {
		return c.net.ids[net]
	}
	w := c.World()
	if w == nil || c.net.match == nil {
		return 0
	}
	to := func(a *engine.Actor) *engine.Actor { return c.net.actor(c.toServer(a.ID())) }
	if a := w.Actor(id); a != nil {
		if b := twin(c.net.match.World, a, to); b != nil {
			return b.ID()
		}
	}
	return 0
}

// twin returns the corresponding actor of another world, without using numbers: an actor of the level that both
// keep (R1.4), or a component of an actor that has a counterpart.
func twin(w *engine.World, a *engine.Actor, counterpart func(*engine.Actor) *engine.Actor) *engine.Actor {
	switch {
	case a.Outer != nil:
		if o := counterpart(a.Outer); o != nil {
			return living(o.ComponentNamed(a.ComponentName))
		}
	case a.LevelName != "" && (a.BStatic || a.BNoDelete):
		return living(w.ActorByLevelName(a.LevelName))
	}
	return nil
}

func living(a *engine.Actor) *engine.Actor {
	if a == nil || a.Deleted() {
		return nil
	}
	return a
}

func (c *client) close() {
	for _, f := range c.leaving {
		_ = f.line.Close() // the run is over; there is nobody to tell
	}
	c.abandon()
	if c.line != nil {
		_ = c.line.Close()
		c.gone()
	}
}

// cache holds a client's scripts: those of the server when it joined, and those it has fetched.
type cache struct {
	warm *bundle.Bundle
	own  map[wire.Hash][]byte
}

// Get implements bundle.Cache.
func (c *cache) Get(h wire.Hash) []byte {
	if c.warm != nil {
		if b := c.warm.Get(h); b != nil {
			return b
		}
	}
	return c.own[h]
}

// Put implements bundle.Cache.
func (c *cache) Put(h wire.Hash, data []byte) { c.own[h] = data }

// Empty implements bundle.Cache.
func (c *cache) Empty() bool { return c.warm == nil && len(c.own) == 0 }
