package scenario

import (
	"encoding/hex"
	"errors"
	"fmt"
	"time"

	"github.com/tidelock/tidelock/cmd/host/directory"
	"github.com/tidelock/tidelock/cmd/host/drain"
	"github.com/tidelock/tidelock/cmd/host/match"
	netserver "github.com/tidelock/tidelock/netcode/server"
	script "github.com/tidelock/tidelock/scriptvm/scenario"
)

// mostSites bounds the hosts of a run, and firstSeed is above the numbers of the seeds that a run with one host uses.
const (
	mostSites = 8
	firstSeed = 1 << 10
)

// site is one host of a run: its server, its network, and its ends of the store and of the bus.
type site struct {
	stage   *stage
	name    string
	labels  map[string]string
	server  *server
	network *network // nil in a standalone game
	storage *storage
	drain   *drain.Drain // of the present process, or of one that drained; nil before the first and after a kill
}

func (s *stage) addSite(name string) *site {
	h := &site{stage: s, name: name}
	h.storage = &storage{stage: s, site: h}
	s.sites = append(s.sites, h)
	return h
}

func (s *stage) siteNamed(name string) *site {
	for _, h := range s.sites {
		if h.name == name {
			return h
		}
	}
	return nil
}

func (s *stage) clientCount() int {
	n := 0
	for _, h := range s.sites {
		if h.network != nil {
			n += len(h.network.clients)
		}
	}
	return n
}

// Host adds a host to the cluster of the run.
func (s *stage) Host(name string, labels map[string]string, o script.ServerOptions) (script.Peer, error) {
	switch {
	case s.c.transport() != "sim":
		return nil, errors.New(`t:host: several hosts need simulated links; declare the scenario with { transport = "sim" }`)
	case len(s.sites) >= mostSites:
		return nil, fmt.Errorf("t:host: at most %d hosts", mostSites)
	case s.siteNamed(name) != nil:
		return nil, fmt.Errorf("t:host: there is a host %q already", name)
	}
	if err := directory.CheckLabels(labels); err != nil {
		return nil, fmt.Errorf("t:host: %w", err)
	}
	conf, err := configOf(o.Config)
	if err != nil {
		return nil, err
	}
	for _, o := range s.sites {
		if o.storage.profiles != nil {
			o.storage.profiles.Book.Share()
		}
	}
	h := s.addSite(name)
	h.labels = labels
	p := &server{stage: s, site: h, opt: o, name: name, url: conf.url, since: s.now}
	h.server, h.network = p, &network{stage: s, site: h, conf: conf}
	if err := p.start(nil); err != nil {
		s.sites = s.sites[:len(s.sites)-1]
		return nil, err
	}
	return p, nil
}

// hostOf returns the site of a server's peer.
func (s *stage) hostOf(p script.Peer) (*site, error) {
	k, ok := p.(*server)
	if !ok {
		return nil, errors.New("expected a host: what t:server or t:host returned")
	}
	return k.site, nil
}

// KillHost ends a host without a word, as if its process were killed.
func (s *stage) KillHost(p script.Peer) error {
	h, err := s.running(p, "t:kill")
	if err != nil {
		return err
	}
	h.storage.kill()
	if n := h.network; n != nil {
		n.kill()
	}
	h.server.Match.Close()
	h.server.Match, h.server.local, h.drain = nil, nil, nil
	h.server.epoch++
	return nil
}

// RestartHost stops a host as an operator would, unless it was killed, and starts it again.
func (s *stage) RestartHost(p script.Peer) error {
	h, err := s.hostOf(p)
	if err != nil {
		return err
	}
	if h.server.Match == nil {
		return h.server.start(nil)
	}
	return h.server.restart()
}

// Partition cuts a host off from all others and from the store, or joins it again.
func (s *stage) Partition(p script.Peer, off bool) error {
	h, err := s.hostOf(p)
	if err != nil {
		return err
	}
	h.storage.cut = off
	if h.storage.node != nil {
		h.storage.node.Cut(off)
	}
	return nil
}

// A site as its crossing uses it.

// Current implements [crossing.Host].
func (h *site) Current() (*match.Match, *netserver.Server) {
	if h.server == nil {
		return nil, nil
	}
	if h.network == nil {
		return h.server.Match, nil
	}
	return h.server.Match, h.network.server
}

// Directory implements [crossing.Host].
func (h *site) Directory() *directory.Directory { return h.storage.directory }

// Refuses implements [crossing.Host].
func (h *site) Refuses() string {
	if h.drain.Active() {
		return "it is draining"
	}
	return ""
}

// Token implements [crossing.Host]: simulated links need none.
func (h *site) Token(string, [32]byte) (string, error) { return "simulated", nil }

// entry is what the host says of itself.
func (h *site) entry() directory.Entry {
	var key [32]byte
	copy(key[:], h.name)
	key[31] = 1
	e := directory.Entry{Name: h.name, Address: "simulated:1", Key: hex.EncodeToString(key[:]), Carriers: []string{"udp"}, Labels: h.labels}
	m, s := h.Current()
	if m == nil {
		return e
	}
	e.Level, e.Game, e.Draining = directory.Text(levelOf(m)), directory.Text(m.Game.Class.Name), h.drain.Active()
	if s != nil {
		s.Connections(func(*netserver.Conn) { e.Players++ })
		e.Room = max(0, 64-e.Players)
		if most := m.MaxPlayers(); most > 0 {
			e.Room = max(0, most-e.Players-h.storage.crossing.Reserved())
		}
	}
	return e
}

func levelOf(m *match.Match) string {
	if m.World == nil {
		return ""
	}
	return m.World.LevelName()
}

// kill ends a host's network without a goodbye.
func (n *network) kill() {
	n.server, n.match = nil, nil
	if n.link != nil {
		l := n.link
		n.link = nil
		if k, ok := l.(interface{ Kill() }); ok {
			k.Kill()
		}
	}
}

// clock is the time of the run.
func (s *stage) clock() time.Duration { return time.Duration(s.now * float64(time.Second)) }
