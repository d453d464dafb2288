package scenario

import (
	"errors"
	"fmt"
	"time"

	"github.com/tidelock/tidelock/cmd/host/match"
	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/netcode/bundle"
	"github.com/tidelock/tidelock/netcode/link"
	netserver "github.com/tidelock/tidelock/netcode/server"
	"github.com/tidelock/tidelock/scriptvm"
	script "github.com/tidelock/tidelock/scriptvm/scenario"
)

// network connects the peers of one run: the server's network code, its clients, and the transport between
// them, which is created with the first client. The stage drives it: receive before the server's tick, send
// after it, and each client's tick in its turn.
type network struct {
	stage *stage
	site  *site
	conf  config
	way   transport // nil before the first client

	server  *netserver.Server
	match   *match.Match
	link    link.Link
	probe   *probe         // the same with what is counted
	bundle  *bundle.Bundle // what the server runs now
	ids     map[uint32]engine.ActorID
	clients []*client // that t:client made for this host; a teleport may have taken them to another one
	guests  []guest   // every connection that was dialled
	metered []*meter  // every connection of the server in this run
}

// transport connects the peers of a run.
type transport interface {
	// listen creates the server's end, again after each restart, when the previous one is closed.
	listen() (link.Link, error)
	// dial begins a connection of a client.
	dial(c *client) (line, error)
	// now converts a time of the stage for links and network code.
	now(at float64) time.Duration
	// wait returns when it is time for a tick at a time of the stage.
	wait(at float64)
	// audit reports counters of links and lines that do not add up (R13.1).
	audit(metered []*meter) []string
	close()
}

// line is a client's end of one connection.
type line interface {
	link.Link
	// impair changes the impairment of the line.
	impair(l script.LinkOptions)
	// kill ends it without a goodbye.
	kill()
	// leadsTo reports whether a connection of the server's is the other end; introduce is called before the
	// server is told about it.
	leadsTo(c link.Conn) bool
	introduce(c link.Conn)
}

func (n *network) now() time.Duration {
	if n.way != nil {
		return n.way.now(n.stage.now)
	}
	return virtual(n.stage.now)
}

// virtual is a time of the stage.
func virtual(at float64) time.Duration { return time.Duration(at*float64(time.Second) + 0.5) }

// serve connects a server's world, again after each restart.
func (n *network) serve(m *match.Match, o script.ServerOptions) error {
	b, err := m.Bundle(n.bundle)
	if err != nil {
		return err
	}
	n.match, n.bundle, n.ids = m, b, map[uint32]engine.ActorID{}
	n.server = netserver.New(n.rules(m, o))
	m.World.SetRemote(witness{n.server, n})
	m.World.EachActor(n.note)
	if n.way == nil {
		return nil
	}
	return n.listen()
}

// rules returns the configuration of the server's network code.
func (n *network) rules(m *match.Match, o script.ServerOptions) netserver.Config {
	c := n.conf.server
	c.World, c.Game, c.Bundle = m.World, m.NetGame(), n.bundle
	c.Level, c.GameClass = m.NetLevel(), m.Game.Class.Name
	c.Tick, c.Net = o.Tick, o.Net
	c.Admit = func(key, _ string) *link.Reason { return n.site.drain.Refuses(key) }
	c.Report = func(sev engine.Severity, text string) { n.stage.report(n.site.server, sev, text) }
	return c
}

func (n *network) listen() error {
	l, err := n.way.listen()
	if err != nil {
		return err
	}
	n.link = l
	n.probe = &probe{Link: l, net: n, conns: map[link.Conn]*meter{}}
	n.server.Attach(n.probe)
	return nil
}

// witness reports new actors to the network once they have their numbers.
type witness struct {
	*netserver.Server
	net *network
}

// Spawned implements engine.Remote.
func (w witness) Spawned(a *engine.Actor) {
	w.Server.Spawned(a)
	w.net.note(a)
}

// note stores the number of an actor as long as it may be needed: clients learn about its end after it is gone.
func (n *network) note(a *engine.Actor) {
	if net := n.server.NetOf(a.ID()); net != 0 {
		n.ids[net] = a.ID()
	}
	for _, k := range a.Components {
		n.note(k)
	}
}

// stop shuts the server down, telling the players why.
func (n *network) stop(why link.Reason) error {
	n.server.Stop(why)
	n.server, n.match = nil, nil
	if n.link == nil {
		return nil
	}
	l := n.link
	n.link = nil
	return l.Close()
}

func (n *network) receive() { n.server.Receive(n.now()) }

func (n *network) send(netUpdate bool) { n.server.Send(n.now(), netUpdate) }

// reloaded tells clients about the server's new scripts.
func (n *network) reloaded(b *bundle.Bundle) {
	n.bundle = b
	n.server.Reloaded(b)
	n.match.World.EachActor(n.note)
}

// guest is a connection of a client.
type guest struct {
	c  *client
	at *seat
}

// ready creates the transport with the first client.
func (n *network) ready() error {
	if n.server == nil {
		return fmt.Errorf("host %s does not run", n.site.name)
	}
	if n.way != nil {
		return nil
	}
	n.way = n.newWay()
	return n.listen()
}

// connect makes a client.
func (n *network) connect(o script.ClientOptions) (*client, error) {
	if err := n.ready(); err != nil {
		return nil, err
	}
	if o.Name == "" {
		o.Name = fmt.Sprintf("client %d", n.stage.clientCount()+1)
	}
	for _, h := range n.stage.sites {
		if h.network == nil {
			continue
		}
		for _, c := range h.network.clients {
			if c.opt.Name == o.Name {
				return nil, fmt.Errorf("t:client: there is a client %q already", o.Name)
			}
		}
		if o.Name == h.server.name {
			return nil, fmt.Errorf("t:client: %q is the server; give the client another name", o.Name)
		}
	}
	c := newClient(n, o)
	n.clients = append(n.clients, c)
	if o.Join {
		return c, c.Join()
	}
	return c, nil
}

// open counts the connections of players and of those who are on their way in.
func (n *network) open() (count int) {
	if n.link == nil {
		return 0
	}
	for _, m := range n.probe.conns { // any order: they are counted
		if !m.closed {
			count++
		}
	}
	return count
}

// actor is a live actor of the server's world, or nil.
func (n *network) actor(id engine.ActorID) *engine.Actor {
	if n.match == nil {
		return nil
	}
	return living(n.match.World.Actor(id))
}

func (n *network) why(c *client, a *engine.Actor, property string) (code, text string, err error) {
	if !c.served() {
		return netserver.WhyNever, c.Name() + " is not connected", nil
	}
	return n.server.Why(c.conn.conn, a, property)
}

// audit reports what does not add up by R13.1.
func (n *network) audit() []string {
	if n.way == nil {
		return nil
	}
	return n.way.audit(n.metered)
}

func (n *network) close() {
	for _, c := range n.clients {
		c.close()
	}
	if n.link != nil {
		_ = n.link.Close() // the run is over; there is nobody to tell
	}
	if n.way != nil {
		n.way.close()
	}
}

// errNoNetwork is what t:client says in a standalone game.
var errNoNetwork = errors.New(`t:client: nobody can join a standalone game; make the server with mode = "listen" or without a mode`)

// report handles a message of a peer's network code: errors count as script errors of the peer, warnings are
// logged.
func (s *stage) report(p peer, sev engine.Severity, text string) {
	text += " (" + p.Name() + ")"
	s.log = append(s.log, p.Name()+": "+text)
	switch sev {
	case engine.SevError:
		p.say(text)
		s.hear(scriptvm.Report{Kind: scriptvm.ReportError, Text: text, Message: text, Count: 1})
	case engine.SevWarning:
		p.say(text)
	case engine.SevInfo:
	}
}

// peer is a peer with a log.
type peer interface {
	script.Peer
	say(text string)
}
