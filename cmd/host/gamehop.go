package main

import (
	"cmp"
	"encoding/hex"
	"errors"
	"fmt"
	"time"

	"github.com/tidelock/tidelock/cmd/host/directory"
	"github.com/tidelock/tidelock/cmd/host/teleport"
	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/netcode/kcplink"
	"github.com/tidelock/tidelock/netcode/link"
	"github.com/tidelock/tidelock/netcode/server"
)

// tokenFor is how long the token of a player from another host can be used: longer than the protocol waits for them.
const tokenFor = 60 * time.Second

// hops is the game's part in sending players to other hosts, and in taking theirs (C6). It belongs to the loop's goroutine.
type hops struct {
	*teleport.Service

	g *game
	// done are answers to scripts, which get them between two ticks.
	done []func()
}

func newHops(g *game) (*hops, error) {
	h := &hops{g: g}
	var err error
	h.Service, err = teleport.New(teleport.Options{
		Bus: g.keeping.cluster, Log: g.log, Find: h.find, Reserve: h.reserve, Offer: h.offer, Take: h.take, End: h.end,
	})
	return h, err
}

// tick does what is due, after the bus has delivered.
func (h *hops) tick(now time.Duration) {
	h.Tick(now)
	done := h.done
	h.done = nil
	for _, f := range done {
		f()
	}
}

// send is [scriptvm.Options].Teleport.
func (h *hops) send(pc *engine.Actor, target string, data []byte, done func(error)) {
	later := func(err error) { h.done = append(h.done, func() { done(err) }) }
	c := h.connection(pc)
	if c == nil {
		later(errors.New("only players who joined over the network can go to another host"))
		return
	}
	who := traveller(c)
	var err error
	if who.State, err = h.g.Snapshot(pc); err == nil && len(who.State) > teleport.MaxState {
		err = fmt.Errorf("what GetSeamlessTravelState returns takes %d bytes; at most %d can go along", len(who.State), teleport.MaxState)
	}
	if err != nil {
		later(err)
		return
	}
	who.Data = data
	name := c.Name
	h.Send(who, target, func(err error) {
		if err != nil {
			h.g.log.Warn("a player stays here", "player", name, "id", who.ID, "to", target, "error", err.Error(), "event", "teleport_failed")
		} else {
			h.g.log.Info("a player went to another host", "player", name, "id", who.ID, "to", target, "event", "teleported")
		}
		later(err)
	})
}

// connection returns that of a player over the network, nil for others.
func (h *hops) connection(pc *engine.Actor) *server.Conn {
	if h.g.door == nil {
		return nil
	}
	c := h.g.door.Server().ConnectionOf(pc)
	if c == nil || c.Key() == "" {
		return nil
	}
	return c
}

func (h *hops) byID(id string) (found *server.Conn) {
	if h.g.door != nil {
		h.g.door.Server().Connections(func(c *server.Conn) {
			if c.Key() == id {
				found = c
			}
		})
	}
	return found
}

// find is [teleport.Options].Find.
func (h *hops) find(target string) ([]string, error) {
	dir := h.g.keeping.hosts.dir
	if dir == nil {
		return nil, errors.New("this host is in no list of hosts")
	}
	var out []string
	all := dir.Find(target)
	for i := range all {
		if e := &all[i]; e.Host != dir.Host() && e.Open() && e.Address != "" {
			out = append(out, e.Host)
		}
	}
	switch {
	case len(out) > 0:
		return out, nil
	case len(all) == 0:
		return nil, fmt.Errorf("no host is called %q or has that label", target)
	case len(all) == 1 && all[0].Host == dir.Host():
		return nil, fmt.Errorf("this host is %q itself", target)
	}
	return nil, fmt.Errorf("no host %q has room", target)
}

func traveller(c *server.Conn) teleport.Traveller {
	id := c.Identity()
	return teleport.Traveller{ID: c.Key(), Key: id.Key, Name: id.Name}
}

// reserve is [teleport.Options].Reserve.
func (h *hops) reserve(t *teleport.Traveller, _ time.Duration) (teleport.Place, error) {
	g := h.g
	if g.door == nil || g.keeping.hosts.dir == nil {
		return teleport.Place{}, errors.New("it takes no players")
	}
	if server.UniqueID(link.Identity{Key: t.Key, Name: t.Name}) != t.ID {
		return teleport.Place{}, errors.New("the player's id and key do not belong together")
	}
	players, _ := g.door.Players()
	most := g.maxPlayers()
	switch {
	case g.drain.active():
		return teleport.Place{}, errors.New("it is draining")
	case most > 0 && players+h.Reserved() >= most:
		return teleport.Place{}, errors.New("it is full")
	}
	self := g.keeping.hosts.self()
	if self == nil || self.Address == "" {
		return teleport.Place{}, errors.New("its address is not known")
	}
	now := time.Now()
	token, err := g.door.IssueToken(kcplink.TokenClaims{Name: t.Name, Key: t.Key, Issued: now, Expires: now.Add(tokenFor)})
	if err != nil {
		return teleport.Place{}, err
	}
	p := teleport.Place{Name: cmp.Or(self.Name, self.Host), Address: self.Address, Token: token, Web: self.Web, Hashes: self.Hashes}
	_, err = hex.Decode(p.ServerKey[:], []byte(self.Key))
	return p, err
}

// offer is [teleport.Options].Offer.
func (h *hops) offer(id string, p *teleport.Place) error {
	c := h.byID(id)
	if c == nil {
		return errors.New("the player left")
	}
	c.SendTo(p.URL())
	return nil
}

// take is [teleport.Options].Take.
func (h *hops) take(id string, to *teleport.Place) ([]byte, bool) {
	c := h.byID(id)
	if c == nil {
		return nil, false
	}
	state := h.g.Leave(c.Player())
	c.Kick("teleported", "you go to "+to.Name)
	return state, true
}

// end is [teleport.Options].End.
func (h *hops) end(id string, to *teleport.Place) {
	if c := h.byID(id); c != nil {
		c.Kick("replaced", "you are on "+to.Name+" now")
	}
}

// lost is [profiles.Options].Lost: another host has the player's profile.
func (h *hops) lost(id, text string) {
	if c := h.byID(id); c != nil {
		c.Kick("profile", text)
	}
}

// self returns this host as others see it, nil before the first tick.
func (h *hosts) self() *directory.Entry {
	v := h.view.Load()
	if v == nil {
		return nil
	}
	for i := range v.list {
		if v.list[i].Host == v.self {
			return &v.list[i]
		}
	}
	return nil
}
