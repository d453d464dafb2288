// Package join is a player's side: it connects to a host, fetches scripts and level, runs the world at a fixed
// rate, and reports what happens. `host join` is one such player with a view for people; package bots runs
// many.
//
//	p, err := join.New(join.Options{Addr: "localhost", Name: "Ann"})
//	for each tick {
//		p.Tick(now, 1.0/60)
//	}
//	p.Close(link.Reason{Code: "quit", Text: "the player left"})
//
// A Player belongs to one goroutine. Nothing from a server is trusted: its scripts run in the sandbox, and control sequences
// are removed from its texts before they are shown.
//
// The caller decides what the player does by setting the world's input, or leaves it to a brain of the match's
// scripts (see Options.Brain).
//
// Guarantees: Control sequences are removed from texts of a host.
package join

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"runtime"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/tidelock/tidelock/cmd/host/cputime"
	"github.com/tidelock/tidelock/cmd/host/match"
	"github.com/tidelock/tidelock/cmd/host/view"
	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/engine/canvas"
	"github.com/tidelock/tidelock/engine/level"
	"github.com/tidelock/tidelock/engine/navigation"
	"github.com/tidelock/tidelock/netcode/bundle"
	"github.com/tidelock/tidelock/netcode/client"
	"github.com/tidelock/tidelock/netcode/client/comeback"
	"github.com/tidelock/tidelock/netcode/kcplink"
	"github.com/tidelock/tidelock/netcode/link"
	"github.com/tidelock/tidelock/netcode/wire"
	"github.com/tidelock/tidelock/scriptvm"
	"github.com/tidelock/tidelock/scriptvm/classfile"
	"github.com/tidelock/tidelock/scriptvm/sandbox"
)

const (
	// Rate is the number of ticks per second of a player's world.
	Rate = 60
	// DefaultPort is the port of a host without another setting.
	DefaultPort = 7777
	// maxName bounds a player's name, in bytes, as GameInfo does.
	maxName = 32
	// patience is how long a host may be silent before the connection of a player who reconnects counts as
	// lost. It is longer than the host's own timeout, so that a host that was suspended for a while keeps its
	// connections; a host that no longer knows a connection says so at once.
	patience = 20 * time.Second
	// slice is how long a tick may compile what the server sent: the rest of a tick at 60 Hz is for packets.
	slice = 5 * time.Millisecond
)

// Target is a host to join.
type Target struct {
	Addr netip.AddrPort
	// Options of the game, "?team=1?class=Scout"; "" for none.
	Options string
	// Shown is the address as the user wrote it.
	Shown string
}

// Resolve parses what a user types: host, host:port or [IPv6]:port, optionally followed by options of the game:
// localhost?team=1. Names are looked up.
func Resolve(s string) (Target, error) {
	addr, opts, found := strings.Cut(s, "?")
	t := Target{Shown: addr}
	if found {
		t.Options = "?" + opts
	}
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		host, port = strings.Trim(addr, "[]"), strconv.Itoa(DefaultPort)
		if strings.Contains(host, ":") && net.ParseIP(host) == nil {
			return t, fmt.Errorf("%q is not an address; give host, host:port or [IPv6]:port", addr)
		}
	}
	if host == "" {
		host = "localhost"
	}
	n, err := strconv.ParseUint(port, 10, 16)
	if err != nil || n == 0 {
		return t, fmt.Errorf("%q: %q is not a port; give a number from 1 to 65535", addr, port)
	}
	udp, err := net.ResolveUDPAddr("udp", net.JoinHostPort(host, port))
	if err != nil {
		var dns *net.DNSError
		if errors.As(err, &dns) {
			return t, fmt.Errorf("%q: no host of that name is known (%s)", host, dns.Err)
		}
		return t, fmt.Errorf("%q: %w", addr, err)
	}
	t.Addr = netip.AddrPortFrom(udp.AddrPort().Addr().Unmap(), udp.AddrPort().Port())
	return t, nil
}

// CheckName checks a player's name: it becomes an option in a URL, and is shown to everybody.
func CheckName(name string) error {
	switch {
	case len(name) > maxName:
		return fmt.Errorf("the name has %d bytes; give at most %d", len(name), maxName)
	case strings.ContainsAny(name, "?=") || view.Clean(name) != name:
		return fmt.Errorf("the name %q: give one without ?, = and control characters", name)
	}
	return nil
}

// Line is a line about an event.
type Line struct {
	// Fault is set for an error of a script, of the network, of the files.
	Fault bool
	Text  string
}

// Options of New. Target is needed.
type Options struct {
	Target
	// Name is the player's name; the game chooses one for "".
	Name string
	// Password, or Token, as the host requires.
	Password, Token string
	// Carry, if not nil, opens the connection to the host, instead of UDP to Addr. It must not wait: packets
	// sent before the connection is open may be lost.
	Carry func(*kcplink.Link) (*kcplink.Pipe, error)
	// Elsewhere goes to another host, to which this one sends the player: [Elsewhere]. With nil the player stays, and is told. A browser
	// is linked without it.
	Elsewhere func(p *Player, url string)
	// ServerKey, if not zero, is the only key that the host may have.
	ServerKey [32]byte
	// Key identifies the player to a host (R8.8); the zero key means a new one for each connection.
	Key kcplink.Key
	// ComeBack, if not nil, lets the player reconnect after a connection was lost, with the same key, so that
	// their state is restored (R8.8). With nil the end of the connection is final.
	ComeBack *comeback.Options
	// Ask, if not nil, is called when a connection is to be made, including the first: Dial then makes it, or
	// Unreached reports that it is impossible. With nil the player dials at once.
	Ask func()
	// Timeout is how long connecting may take, Silence how long the host may be silent before the connection
	// counts as lost; 0 means 10 s each, but 20 s of silence over UDP with ComeBack.
	Timeout, Silence time.Duration
	// Cache keeps fetched files; nil keeps none. Protos are compiled files, shared by the players of a process.
	Cache  bundle.Cache
	Protos *classfile.Cache
	// Levels, and Ways, their navigation graphs, are shared by the players of a process; nil shares none.
	Levels     *level.Cache
	Navigation *navigation.Cache
	Seed       uint64
	// Brain lets a brain play: in every world that the player enters, their PlayerController's StartBrain is
	// called with Skill, 0 to 7, and from then on scripts of the match press the keys (scripts/core/Brain.lua).
	Brain bool
	Skill int
	// Input, if not nil, sets the player's input. It is called in every tick with a PlayerController, after the
	// host's packets and before the world's step, so that it knows when the host turned the view.
	Input func(pc *engine.Actor)
	// Agent names the program, for the host's log.
	Agent string
	// Say receives the scripts' log lines and errors; nil for none. Trace receives everything from the host.
	Say   func(Line)
	Trace func(client.Event)
}

// Player is a client with a world.
type Player struct {
	opt    Options
	link   *kcplink.Link
	client *client.Client
	host   *match.ClientHost
	costs  match.CostScale
	// running is the VM of the present world, for Doing; nil before there is one.
	running atomic.Pointer[scriptvm.VM]

	back  *comeback.Machine
	ended bool        // back knows that the present connection has ended
	asked bool        // Ask was called, and not answered yet
	why   link.Reason // reason of the last end
	now   time.Duration
	// heard is the number of packets received, and heardAt the time of the last.
	heard   uint64
	heardAt time.Duration
	meter   meter
	strain  strain
	joined  bool // had a PlayerController
	since   time.Duration
	played  *engine.Actor // the PlayerController whose brain was started
	hop     *hop          // to another host; nil for none
}

// BadOption is an option that cannot be used to connect: an incomplete token.
type BadOption struct{ Err error }

func (e *BadOption) Error() string {
	text := strings.TrimPrefix(e.Err.Error(), "kcplink: dial: ")
	if strings.HasPrefix(text, "the connect token") {
		text += "; copy it whole"
	}
	return text
}

func (e *BadOption) Unwrap() error { return e.Err }

// New begins to connect; the first ticks do it. An error is about this machine, or a *BadOption, and never
// about the host.
func New(o Options) (*Player, error) {
	if o.Say == nil {
		o.Say = func(Line) {}
	}
	if o.Key == (kcplink.Key{}) && o.Token == "" {
		o.Options += "?guest=1" // nobody keeps what is known by a key of one visit
	}
	back := comeback.Options{Within: -1}
	if o.ComeBack != nil {
		back = *o.ComeBack
	}
	if o.Key == (kcplink.Key{}) { // one for all connections: hosts identify a player who comes back, or comes from another host, by it
		var err error
		if o.Key, err = kcplink.NewKey(); err != nil {
			return nil, err
		}
	}
	p := &Player{opt: o, back: comeback.New(back)}
	if err := p.open(); err != nil {
		return nil, err
	}
	if o.Ask != nil {
		return p, nil // the first tick asks
	}
	p.back.Due(0)
	if err := p.dial(); err != nil {
		if closing := p.link.Close(); closing != nil {
			return nil, closing
		}
		return nil, err
	}
	return p, nil
}

// pause lets other goroutines run if all share one processor: in a browser, where the Worker's events wait for
// that, too. It is nil otherwise.
var pause = func() func() {
	if runtime.GOOS != "js" {
		return nil
	}
	return func() { time.Sleep(time.Millisecond) }
}()

// open creates the link of the next connection, and its client, before it is connected.
func (p *Player) open() (err error) {
	o := &p.opt
	returns := o.ComeBack != nil
	silence := o.Silence
	if silence == 0 && returns && o.Carry == nil {
		silence = patience
	}
	p.link, err = kcplink.New(kcplink.Config{
		Key: o.Key, PipesOnly: o.Carry != nil, Renew: returns, Limits: kcplink.Limits{DialTimeout: o.Timeout, Silence: silence},
	})
	if err != nil {
		return err
	}
	p.fresh()
	return nil
}

// fresh creates the client of the next connection, on the present link.
func (p *Player) fresh() {
	o := &p.opt
	p.host = &match.ClientHost{
		Seed: o.Seed, Now: time.Now, Slice: slice, Reloaded: p.reloaded, Levels: o.Levels,
		VM: scriptvm.Options{
			Peer: "client", Cache: o.Protos, Navigation: o.Navigation, Log: p.log, Report: p.scriptReport,
			Elapsed: cputime.New(), Limits: sandbox.Limits{Elapsed: cputime.Limit()}, Ceiling: ceiling,
		},
	}
	if o.Brain {
		p.host.Navigation = func(work func(pause func())) { go work(pause) } // it ends within a second or two, and touches no world
	}
	options := o.Options
	if o.Name != "" {
		options += "?name=" + o.Name
	}
	p.client = client.New(client.Config{
		Link: p.link, Host: p.host, Options: options, Agent: o.Agent, Cache: o.Cache, Report: p.report, Trace: o.Trace, Elsewhere: p.sentAway,
	})
	p.ended, p.played, p.heard = false, nil, 0
	p.meter, p.strain = meter{figures: p.meter.figures}, strain{}
}

// dial begins to connect.
func (p *Player) dial() error {
	o := &p.opt
	d := kcplink.Dial{Addr: o.Addr, ServerKey: o.ServerKey, Password: o.Password, Token: o.Token}
	if o.Carry != nil {
		var err error
		if d.Pipe, err = o.Carry(p.link); err != nil {
			return err
		}
	}
	if _, err := p.link.Dial(d); err != nil {
		return &BadOption{err}
	}
	return nil
}

// begin makes the connection that is due. An error ends it as if the host had.
func (p *Player) begin() {
	if old := p.client; old.Succeeded() { // the link has connected already
		p.host.Close()
		p.fresh()
		p.client.Follow(old)
		return
	}
	if p.joined { // the earlier link sends nothing any more
		err := p.link.Close()
		p.host.Close()
		if err == nil {
			err = p.open()
		}
		if err != nil {
			p.lost(link.Reason{Code: "socket", Text: err.Error()})
			return
		}
	}
	if p.opt.Ask != nil {
		p.asked = true
		p.opt.Ask()
		return
	}
	if err := p.dial(); err != nil {
		p.lost(link.Reason{Code: "option", Text: err.Error()})
	}
}

// Dial answers Ask: Carry gives the connection. serverKey, if not zero, is the only key that the host may have.
// Without a pending Ask it does nothing.
func (p *Player) Dial(serverKey [32]byte) {
	if !p.asked {
		return
	}
	p.asked, p.opt.ServerKey = false, serverKey
	if err := p.dial(); err != nil {
		p.lost(link.Reason{Code: "option", Text: err.Error()})
	}
}

// Unreached answers Ask: no connection is possible, and why. It reports whether an Ask was pending.
func (p *Player) Unreached(why link.Reason) bool {
	if !p.asked {
		return false
	}
	p.asked = false
	p.lost(why)
	return true
}

// lost reports that the present connection ended.
func (p *Player) lost(why link.Reason) {
	p.ended, p.why = true, why
	if p.back.Ended(p.now, link.Reason{Code: view.Clean(why.Code), Text: view.Clean(why.Text)}) {
		p.opt.Say(Line{Text: p.back.Line()})
	}
}

func (p *Player) log(a *engine.Actor, text string) {
	if a != nil {
		text = a.Name + ": " + text
	}
	p.opt.Say(Line{Text: view.Clean(text)})
}

func (p *Player) scriptReport(r scriptvm.Report) {
	if r.Kind == scriptvm.ReportError && p.client != nil {
		p.client.ReportFault(&wire.Fault{Function: r.Class + ":" + r.Function, File: r.File, Line: r.Line, Text: r.Message})
	}
	p.opt.Say(Line{Fault: r.Kind != scriptvm.ReportWarning, Text: view.Clean(r.String())})
}

func (p *Player) report(sev engine.Severity, text string) {
	p.opt.Say(Line{Fault: sev == engine.SevError, Text: view.Clean(text)})
}

func (p *Player) reloaded(r scriptvm.ReloadResult) {
	if r.Failed {
		return // it ends the connection, which is reported
	}
	p.opt.Say(Line{Text: view.Clean("the host reloaded its scripts: " + r.Summary())})
}

// Doing returns the running script function, and its native; any goroutine may call it, also while the world
// hangs.
func (p *Player) Doing() (function, native string) {
	if v := p.running.Load(); v != nil {
		return v.Doing()
	}
	return "", ""
}

// Tick processes received packets, runs the world's ticks of dt seconds each, and sends: usually one tick, none while
// the match is paused, fewer or more in slow or fast motion. now counts from any origin and never decreases.
func (p *Player) Tick(now time.Duration, dt float64) {
	p.now = now
	if p.back.Due(now) {
		p.begin()
	}
	p.client.Receive(now)
	p.listen(now)
	p.meter.tick(now, p.client)
	if w := p.World(); w != nil {
		p.running.Store(p.host.Match().VM)
		pc := w.LocalPlayer()
		p.startBrain(pc)
		if pc != nil && p.opt.Input != nil {
			p.opt.Input(pc)
		}
		ran := p.step(w, dt)
		if w.LocalPlayer() != nil {
			if !p.joined {
				p.joined, p.since = true, now
			}
			if p.back.Joined(now) {
				p.opt.Say(Line{Text: p.back.Line()})
			}
		}
		if vm := p.host.Match().VM; ran || vm.OverCeiling() {
			p.leaveStrained(vm, dt)
		}
	}
	p.client.Send(now)
	p.tickHop(now, dt)
	if p.client.State() == client.Closed && !p.ended && p.hop == nil {
		p.lost(p.client.Reason())
	}
}

// listen tells the state machine how long the host has been silent.
func (p *Player) listen(now time.Duration) {
	s := p.client.Session()
	if s == nil {
		return
	}
	if n := s.Conn.Stats().PacketsIn; n != p.heard || p.heardAt == 0 {
		p.heard, p.heardAt = n, now
	}
	if p.back.Silent(now, now-p.heardAt) {
		p.opt.Say(Line{Text: p.back.Line()})
	}
}

// startBrain lets the brain play, if requested, on the player's present PlayerController: a travel replaces it.
func (p *Player) startBrain(pc *engine.Actor) {
	if pc == p.played || pc == nil || !p.opt.Brain {
		return
	}
	p.played = pc
	p.Call(pc, "StartBrain", engine.Int(p.opt.Skill))
}

// Brain reports whether the brain plays.
func (p *Player) Brain() bool { return p.opt.Brain }

// SetBrain switches between the brain and the input.
func (p *Player) SetBrain(on bool) {
	p.opt.Brain = on
	if pc := p.played; !on && pc != nil {
		p.played = nil
		if w := p.World(); w != nil && w.LocalPlayer() == pc {
			p.Call(pc, "StopBrain")
		}
	}
}

// Call calls a function of the player's own scripts, between two ticks. An error is reported as a fault, and
// returns nothing.
func (p *Player) Call(a *engine.Actor, name string, args ...engine.Value) []engine.Value {
	m := p.host.Match()
	if m == nil || a.Deleted() {
		return nil
	}
	if a.Dispatch.Functions[name] == nil {
		p.opt.Say(Line{Fault: true, Text: fmt.Sprintf("the match's scripts have no %s:%s; they are older than this program", view.Clean(a.Class.Name), name)})
		return nil
	}
	out, err := m.VM.Call(a, name, args...)
	if err != nil {
		return nil // the VM has reported it
	}
	return out
}

// DrawHUD lets the match's HUD draw, and returns the calls; nil if there is none. Call it at most once a tick.
func (p *Player) DrawHUD() []canvas.Call {
	m := p.Match()
	if m == nil {
		return nil
	}
	c, _ := m.VM.DrawHUD(p.Controller())
	return c.Calls()
}

// Match returns the player's match: its scripts, its level and its content; nil when World is.
func (p *Player) Match() *match.Match {
	if p.World() == nil {
		return nil
	}
	return p.host.Match()
}

// World returns the player's world, nil before it is loaded and after the connection ended.
func (p *Player) World() *engine.World {
	if p.client.State() != client.Playing {
		return nil
	}
	return p.client.World()
}

// Client returns the network side.
func (p *Player) Client() *client.Client { return p.client }

// Joined reports whether the game admitted the player: they have, or had, a PlayerController.
func (p *Player) Joined() bool { return p.joined }

// Over reports whether the connection has ended, or was never made, and is not tried again.
func (p *Player) Over() bool { return p.back.State() == comeback.Over }

// Away reports whether the player was in the match, lost the connection and is reconnecting; line describes the
// progress.
func (p *Player) Away() (line string, away bool) {
	switch p.back.State() {
	case comeback.Waiting, comeback.Returning:
		return p.back.Line(), true
	default:
		return "", false
	}
}

// Pawn returns the player's pawn, nil if there is none.
func (p *Player) Pawn() *engine.Actor { return view.Pawn(p.Controller()) }

// Controller returns the player's PlayerController, nil if there is none.
func (p *Player) Controller() *engine.Actor {
	if w := p.World(); w != nil {
		return w.LocalPlayer()
	}
	return nil
}

// Close says goodbye, if connected, and frees everything.
func (p *Player) Close(why link.Reason) (err error) {
	p.back.Leave()
	if h := p.hop; h != nil {
		p.hop = nil
		err = h.next.Close(why)
	}
	p.client.Leave(why)
	err = errors.Join(err, p.link.Close())
	p.host.Close()
	return err
}
