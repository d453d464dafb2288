// Package crossing joins the protocol that sends players between hosts (package teleport) to a host's match, its connections and
// the directory (C6).
//
// It deliberately does not know: sockets, buses, the clock.
//
// Guarantees: Knows neither sockets nor buses nor the clock: the host and scenarios use the same.
package crossing

import (
	"cmp"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"time"

	"github.com/tidelock/tidelock/cmd/host/directory"
	"github.com/tidelock/tidelock/cmd/host/match"
	"github.com/tidelock/tidelock/cmd/host/teleport"
	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/engine/bus"
	"github.com/tidelock/tidelock/netcode/link"
	"github.com/tidelock/tidelock/netcode/server"
)

// TokenFor is how long the token of a player from another host can be used: longer than the protocol waits for them.
const TokenFor = 60 * time.Second

// Host is what a crossing uses of its host.
type Host interface {
	// Current returns the present match, and its network side, nil without one.
	Current() (*match.Match, *server.Server)
	// Directory returns the list of hosts, nil before there is one.
	Directory() *directory.Directory
	// Refuses says why players from other hosts cannot come in, "" if they can.
	Refuses() string
	// Token makes a token for a player who proves a key and has a name of an earlier token, or none: for [TokenFor].
	Token(name string, key [32]byte) (string, error)
}

// Options of New. All but Random are needed.
type Options struct {
	Bus  *bus.Client
	Host Host
	Log  *slog.Logger
	// Random makes the names of hops; nil means crypto/rand.
	Random io.Reader
}

// Crossing is a host's part in sending players to other hosts, and in taking theirs. It implements [match.Hops], and belongs to the
// world's goroutine.
type Crossing struct {
	*teleport.Service

	host Host
	log  *slog.Logger
	// done are answers to scripts, which get them between two ticks.
	done []func()
}

// New makes one.
func New(o Options) (*Crossing, error) {
	h := &Crossing{host: o.Host, log: o.Log}
	var err error
	h.Service, err = teleport.New(teleport.Options{
		Bus: o.Bus, Log: o.Log, Random: o.Random, Find: h.find, Reserve: h.reserve, Offer: h.offer, Take: h.take, End: h.end,
	})
	return h, err
}

// Tick does what is due, after the bus has delivered. now is as in [teleport.Service.Tick].
func (h *Crossing) Tick(now time.Duration) {
	h.Service.Tick(now)
	done := h.done
	h.done = nil
	for _, f := range done {
		f()
	}
}

// Teleport is [scriptvm.Options].Teleport.
func (h *Crossing) Teleport(pc *engine.Actor, target string, data []byte, done func(error)) {
	later := func(err error) { h.done = append(h.done, func() { done(err) }) }
	c := h.connection(pc)
	if c == nil {
		later(errors.New("only players who joined over the network can go to another host"))
		return
	}
	who := traveller(c)
	var err error
	m, _ := h.host.Current()
	if who.State, err = m.Snapshot(pc); err == nil && len(who.State) > teleport.MaxState {
		err = fmt.Errorf("what GetSeamlessTravelState returns takes %d bytes; at most %d can go along", len(who.State), teleport.MaxState)
	}
	if err != nil {
		later(err)
		return
	}
	who.Data = data
	name, shown := c.Name, target
	if target == sameGame {
		shown = "any host of the same game"
	}
	h.Send(who, target, func(err error) {
		if err != nil {
			h.log.Warn("a player stays here", "player", name, "id", who.ID, "to", shown, "error", err.Error(), "event", "teleport_failed")
		} else {
			h.log.Info("a player went to another host", "player", name, "id", who.ID, "to", shown, "event", "teleported")
		}
		later(err)
	})
}

// connection returns that of a player over the network, nil for others.
func (h *Crossing) connection(pc *engine.Actor) *server.Conn {
	_, s := h.host.Current()
	if s == nil {
		return nil
	}
	c := s.ConnectionOf(pc)
	if c == nil || c.Key() == "" {
		return nil
	}
	return c
}

func (h *Crossing) byID(id string) (found *server.Conn) {
	if _, s := h.host.Current(); s != nil {
		s.Connections(func(c *server.Conn) {
			if c.Key() == id {
				found = c
			}
		})
	}
	return found
}

// sameGame is a target that no script can name: any other host that plays this game.
const sameGame = "\x00"

// Evacuate sends all players to other hosts of the same game, if there are any with room.
func (h *Crossing) Evacuate() {
	_, s := h.host.Current()
	if s == nil {
		return
	}
	if hosts, err := h.find(sameGame); err != nil || len(hosts) == 0 {
		return
	}
	var players []*engine.Actor
	s.Connections(func(c *server.Conn) {
		if pc := c.Player(); pc != nil {
			players = append(players, pc)
		}
	})
	for _, pc := range players {
		h.Teleport(pc, sameGame, nil, func(error) {})
	}
}

// find is [teleport.Options].Find.
func (h *Crossing) find(target string) ([]string, error) {
	dir := h.host.Directory()
	if dir == nil {
		return nil, errors.New("this host is in no list of hosts")
	}
	var out []string
	all := dir.Find(target)
	if target == sameGame {
		m, _ := h.host.Current()
		game := directory.Text(m.Game.Class.Name)
		all = slices.DeleteFunc(dir.List(), func(e directory.Entry) bool { return e.Game != game })
		slices.SortStableFunc(all, func(a, b directory.Entry) int { return cmp.Compare(b.Players, a.Players) })
		target = game
	}
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
func (h *Crossing) reserve(t *teleport.Traveller, _ time.Duration) (teleport.Place, error) {
	m, s := h.host.Current()
	dir := h.host.Directory()
	if s == nil || dir == nil {
		return teleport.Place{}, errors.New("it takes no players")
	}
	if server.UniqueID(link.Identity{Key: t.Key, Name: t.Name}) != t.ID {
		return teleport.Place{}, errors.New("the player's id and key do not belong together")
	}
	if why := h.host.Refuses(); why != "" {
		return teleport.Place{}, errors.New(why)
	}
	players := 0
	s.Connections(func(*server.Conn) { players++ })
	if most := m.MaxPlayers(); most > 0 && players+h.Reserved() >= most {
		return teleport.Place{}, errors.New("it is full")
	}
	all := dir.List()
	i := slices.IndexFunc(all, func(e directory.Entry) bool { return e.Host == dir.Host() })
	if i < 0 || all[i].Address == "" {
		return teleport.Place{}, errors.New("its address is not known")
	}
	self := &all[i]
	token, err := h.host.Token(t.Name, t.Key)
	if err != nil {
		return teleport.Place{}, err
	}
	p := teleport.Place{Name: cmp.Or(self.Name, self.Host), Address: self.Address, Token: token, Web: self.Web, Hashes: self.Hashes}
	_, err = hex.Decode(p.ServerKey[:], []byte(self.Key))
	return p, err
}

// offer is [teleport.Options].Offer.
func (h *Crossing) offer(id string, p *teleport.Place) error {
	c := h.byID(id)
	if c == nil {
		return errors.New("the player left")
	}
	c.SendTo(p.URL())
	return nil
}

// take is [teleport.Options].Take.
func (h *Crossing) take(id string, to *teleport.Place) ([]byte, bool) {
	c := h.byID(id)
	if c == nil {
		return nil, false
	}
	m, _ := h.host.Current()
	state := m.Leave(c.Player())
	c.Kick("teleported", "you go to "+to.Name)
	return state, true
}

// end is [teleport.Options].End.
func (h *Crossing) end(id string, to *teleport.Place) {
	if c := h.byID(id); c != nil {
		c.Kick("replaced", "you are on "+to.Name+" now")
	}
}

// Lost makes a player leave whose profile another host has taken; see [match.Profiles.OnLost].
func (h *Crossing) Lost(id, text string) {
	if c := h.byID(id); c != nil {
		c.Kick("profile", text)
	}
}
