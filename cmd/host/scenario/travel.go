package scenario

import (
	"errors"
	"fmt"

	"github.com/tidelock/tidelock/cmd/host/match"
	"github.com/tidelock/tidelock/engine"
	netserver "github.com/tidelock/tidelock/netcode/server"
)

// travel replaces the server's level by another one, as the host does between two ticks (R8.7). Handles of the
// old world are dead. A failure is logged by the server and changes nothing.
func (p *server) travel(url string) {
	s := p.stage
	next, err := p.travelTo(url)
	if err != nil {
		text := s.shown(err.Error())
		s.report(p, engine.SevWarning, fmt.Sprintf("travel to %s failed: %s", url, text))
		p.Match.TravelFailed(url, errors.New(text))
		return
	}
	for _, w := range next.Warnings {
		s.log = append(s.log, p.name+": "+s.shown(w))
	}
	old, local := p.Match, p.local
	p.Match, p.local = next, nil
	p.epoch++
	if n := p.site.network; n != nil {
		n.travel(p, url)
	}
	if local != nil && !local.Deleted() {
		if p.local, err = next.Follow(old, local, p.opt.Options); err != nil {
			s.report(p, engine.SevWarning, "the local player stays behind: "+s.shown(err.Error()))
		}
	}
	old.Close()
}

func (p *server) travelTo(url string) (*match.Match, error) {
	players := 0
	if n := p.site.network; n != nil {
		n.server.Connections(func(*netserver.Conn) { players++ })
	}
	next, err := p.Match.Travel(url, players)
	if err != nil {
		return nil, err
	}
	if n := p.site.network; n != nil {
		if n.bundle, err = next.Bundle(n.bundle); err != nil {
			next.Close()
			return nil, err
		}
	}
	return next, nil
}

// travel moves the connections to the new world.
func (n *network) travel(p *server, url string) {
	before := n.server
	c := n.rules(p.Match, p.opt)
	n.match, n.ids = p.Match, map[uint32]engine.ActorID{}
	n.server = before.Travel(c, url)
	p.Match.World.SetRemote(witness{n.server, n})
	p.Match.World.EachActor(n.note)
	for _, m := range n.metered {
		if m.net == before {
			m.net = n.server
		}
	}
	for _, c := range n.clients {
		if !c.opt.Cold {
			c.cache.warm = n.bundle
		}
		for i := range c.events { // of actors that no longer exist
			c.events[i].Actor = 0
		}
	}
}

// moved checks whether the client is in another world than before, and clears its data about the old one.
func (c *client) moved() {
	w := c.play.World()
	if w == c.world {
		return
	}
	if c.world != nil {
		c.epoch++
		c.ids, c.nets = map[uint32]engine.ActorID{}, map[engine.ActorID]uint32{}
		c.given = 0
	}
	c.world = w
}
