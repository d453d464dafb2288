// Package door accepts players: the UDP socket, the network side of the world, and the operator's log of
// players who join, leave and are refused. It enforces the operator's access list.
//
// It belongs to the goroutine of the loop, like the world; only Bind and Open may be called before there is a loop.
//
//	l, err := door.Bind(kcplink.Config{Addr: ":7777", Server: &kcplink.Server{}}, true)
//	d := door.Open(door.Options{Link: l, Server: server.Config{…}, Log: log})
//	for each tick {
//		d.Receive()
//		world.Step(dt)
//		d.Send()
//	}
//	d.Close("the server is shutting down")
//
// It deliberately does not: know scripts or levels (package match), or read flags.
//
// Guarantees: Every connected player is told why the host ends. Log lines that players cause are bounded by address and
// in total.
package door

import (
	"log/slog"
	"net/netip"
	"runtime"
	"time"

	"github.com/tidelock/tidelock/cmd/host/loop"
	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/netcode/bundle"
	"github.com/tidelock/tidelock/netcode/kcplink"
	"github.com/tidelock/tidelock/netcode/link"
	"github.com/tidelock/tidelock/netcode/server"
)

const (
	// tellEvery is the least time between two log lines about connections refused at the gate; they are counted
	// in between, so that strangers cannot fill a disk.
	tellEvery = 10 * time.Second
	// goodbyes is how long the link runs after everybody was told why the server ends: it sends the goodbye at
	// once and after 0.1, 0.3 and 0.7 s, because datagrams get lost.
	goodbyes = 800 * time.Millisecond
	// goodbyeEvery is how often it is processed meanwhile.
	goodbyeEvery = 20 * time.Millisecond
)

// Options of Open. All but Access are needed.
type Options struct {
	// Link is the socket that Bind opened; the door closes it.
	Link *kcplink.Link
	// Server is the world and its rules. Report, Event, Admit, Keep, Parallel and Workers are set here; Tick and Net are world ticks and net updates a second.
	Server server.Config
	Log    *slog.Logger
	// Access decides who may come in and who may stay; nil admits everybody. Any goroutine may change it meanwhile.
	Access Access
}

// Access is a list of who may play; package access implements it. key is a player's identity as logs show it, addr
// their address with its port. The results are nil, or the reason that the player is shown.
type Access interface {
	// Check decides who may come in, Barred who may not stay.
	Check(key, addr string) *link.Reason
	Barred(key, addr string) *link.Reason
	// Version changes with every change of the list.
	Version() uint64
}

// Door is the network entrance of one world.
type Door struct {
	link   *kcplink.Link
	server *server.Server
	log    *slog.Logger
	start  time.Time
	rate   int
	net    int
	ticks  int
	// workers share net updates between all cores; Open starts them and Close ends them.
	workers *loop.Workers

	access  Access
	checked uint64 // version of the access list that all connections were checked with

	told   kcplink.Counters // as last logged
	toldAt time.Time

	counters kcplink.Counters // as Figures last read them

	lines lines
}

// Open puts a world on the network.
func Open(o Options) *Door {
	now := time.Now()
	d := &Door{link: o.Link, log: o.Log, start: now, rate: o.Server.Tick, net: o.Server.Net, access: o.Access, lines: lines{log: o.Log}}
	d.workers = loop.NewWorkers(runtime.GOMAXPROCS(0))
	d.server = server.New(d.rules(o.Server))
	d.server.Attach(o.Link)
	return d
}

// rules completes the configuration of a world with the door's own parts.
func (d *Door) rules(c server.Config) server.Config {
	c.Report = d.report
	if d.access != nil {
		c.Admit, c.Keep = d.access.Check, d.access.Barred
	}
	c.Event = func(e server.Event) { d.lines.event(time.Since(d.start), &e) }
	// Two parts for each core, so that a late worker finds some left.
	c.Parallel, c.Workers = d.workers.Run, 2*runtime.GOMAXPROCS(0)
	return c
}

// report logs a line of the network code that does not concern a single player.
func (d *Door) report(sev engine.Severity, text string) {
	d.lines.line(time.Since(d.start), netip.Addr{}, levelOf(sev), text)
}

// Gather takes what has arrived by now, which is all that the next Receive processes.
func (d *Door) Gather() { d.link.Gather() }

// Receive processes what players sent, before the world's tick.
func (d *Door) Receive() {
	now := time.Since(d.start)
	d.server.Receive(now)
	d.recheck()
	d.link.Guesses(func(g kcplink.Guess) { d.lines.guess(now, g) })
	d.lines.tell(now, false)
	d.tellStrangers()
}

// recheck closes the connections that a change of the access list bars, within a tick of the change.
func (d *Door) recheck() {
	if d.access == nil {
		return
	}
	if v := d.access.Version(); v != d.checked {
		d.checked = v
		d.server.Recheck()
	}
}

// Send sends what the tick made, after it. Net updates are spread evenly over the ticks.
func (d *Door) Send() {
	update := d.due()
	d.server.Send(time.Since(d.start), update)
}

// due counts a tick and reports whether a net update follows it.
func (d *Door) due() bool {
	n := d.ticks
	d.ticks++
	update := n*d.net/d.rate != d.ticks*d.net/d.rate
	if d.ticks == d.rate {
		d.ticks = 0
	}
	return update
}

// Server returns the network side of the world.
func (d *Door) Server() *server.Server { return d.server }

// Reloaded sends new scripts to clients, after the world runs them.
func (d *Door) Reloaded(b *bundle.Bundle) { d.server.Reloaded(b) }

// Retime changes, from now on, the net updates a second and the seconds of relevancy.Config.Timeout; c is as for Open.
func (d *Door) Retime(c server.Config) {
	d.net = c.Net
	d.server.Retime(c.Net, c.Relevancy.Timeout)
}

// Travel replaces the world behind the door; players stay connected (R8.7). c is as for Open.
func (d *Door) Travel(c server.Config, url string) {
	d.server = d.server.Travel(d.rules(c), url)
}

// IssueToken makes a token that this host accepts, once ([kcplink.Link.IssueOwn]).
func (d *Door) IssueToken(c kcplink.TokenClaims) (string, error) { return d.link.IssueOwn(c) }

// Players returns how many players are in the match, and how many are connecting.
func (d *Door) Players() (in, waiting int) {
	d.server.Connections(func(*server.Conn) { in++ })
	return in, max(0, d.link.Open()-in)
}

// Close admits nobody any more, tells the players why, and closes the socket. It takes most of a second if
// there are players.
func (d *Door) Close(why string) error {
	d.server.Refuse()
	players := d.link.Open()
	d.server.Stop(link.Reason{Code: "stopping", Text: why})
	d.workers.Stop()
	if players > 0 {
		d.log.Info("players are told that the server ends", "players", players)
		end := time.Now().Add(goodbyes)
		for time.Now().Before(end) {
			now := time.Since(d.start)
			d.link.Poll(now, d.server)
			d.link.Flush(now)
			time.Sleep(goodbyeEvery)
		}
	}
	d.lines.tell(time.Since(d.start), true)
	return d.link.Close()
}

// refusals are the codes under which the gate counts refused connections.
var refusals = [...]string{
	"version", "busy", "full", "address", "token_needed", "no_tokens", "token", "token_expired", "token_used", "token_server", "password_wait",
}

// tellStrangers logs how many connections were refused before the game knew of them. The link knows no names,
// and their addresses may be forged.
func (d *Door) tellStrangers() {
	now := time.Now()
	if now.Sub(d.toldAt) < tellEvery {
		return
	}
	c := d.link.Counters()
	var what []any
	for _, code := range refusals {
		if n := c.DeniedBy(code) - d.told.DeniedBy(code); n > 0 {
			what = append(what, code, n)
		}
	}
	if n := c.Refused - d.told.Refused; n > 0 {
		what = append(what, "refused", n) // password, or the player's key
	}
	if n := c.HellosThrottled - d.told.HellosThrottled; n > 0 {
		what = append(what, "hellos_throttled", n)
	}
	if n := c.Throttled - d.told.Throttled; n > 0 {
		what = append(what, "packets_throttled", n)
	}
	if what == nil {
		return
	}
	d.told, d.toldAt = c, now
	d.log.Warn("turned away at the gate, before they reached the game", append(what, "event", eventGate)...)
}
