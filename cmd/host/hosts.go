package main

import (
	"cmp"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"net"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tidelock/tidelock/cmd/host/console"
	"github.com/tidelock/tidelock/cmd/host/directory"
	"github.com/tidelock/tidelock/cmd/host/metrics"
	"github.com/tidelock/tidelock/cmd/host/web"
	"github.com/tidelock/tidelock/engine/bus"
	"github.com/tidelock/tidelock/netcode/kcplink"
)

// listFlags say how this host appears in the list of hosts (C5); each is a key of host.toml, too.
type listFlags struct {
	PublicAddress string   `placeholder:"HOST:PORT" help:"UDP address of this host as players reach it, for the list of hosts (docs/cluster.md). Default: that of --listen, or the first network address of this machine."`
	PublicWeb     string   `placeholder:"URL" help:"Base URL of this host's page as players reach it, such as https://play.example.org. Default: that of --web, or the first network address of this machine."`
	Label         []string `placeholder:"KEY=VALUE" help:"Labels of this host, by which players and scripts find it: hub,region=eu."`
}

// labels parses --label.
func (f *listFlags) labels() (map[string]string, error) {
	out := map[string]string{}
	for _, l := range f.Label {
		key, value, _ := strings.Cut(l, "=")
		if _, twice := out[key]; twice {
			return nil, usageError{fmt.Errorf("--label: %q is given twice", key)}
		}
		out[key] = value
	}
	if err := directory.CheckLabels(out); err != nil {
		return nil, usageError{fmt.Errorf("--label: %w", err)}
	}
	return out, nil
}

// checkList checks the flags.
func (f *listFlags) checkList() error {
	if f.PublicAddress != "" {
		if err := directory.CheckAddress(f.PublicAddress); err != nil {
			return usageError{fmt.Errorf("--public-address: %w", err)}
		}
	}
	if f.PublicWeb = strings.TrimSuffix(f.PublicWeb, "/"); f.PublicWeb != "" {
		if err := directory.CheckWeb(f.PublicWeb); err != nil {
			return usageError{fmt.Errorf("--public-web: %w", err)}
		}
	}
	_, err := f.labels()
	return err
}

// publicAddress returns where players reach a socket, if the operator does not say: the address that it is bound to, or for all
// addresses the first of the machine's networks.
func publicAddress(bound netip.AddrPort) string {
	if !bound.Addr().IsUnspecified() {
		return bound.String()
	}
	ip := netip.AddrFrom4([4]byte{127, 0, 0, 1})
	list, err := net.InterfaceAddrs()
	if err == nil { // otherwise only this machine is known
		for _, a := range list {
			n, ok := a.(*net.IPNet)
			if x, is := netip.AddrFromSlice(n.IP); ok && is && n.IP.IsGlobalUnicast() && (x.Unmap().Is4() || !bound.Addr().Is4()) {
				ip = x.Unmap()
				break
			}
		}
	}
	return netip.AddrPortFrom(ip, bound.Port()).String()
}

// entry returns what settings say about this host in the list of hosts. l is nil without a network, w without a listener for browsers.
func (c *serveCmd) entry(l *kcplink.Link, w *web.Listener) (directory.Entry, error) {
	labels, err := c.labels()
	if err != nil {
		return directory.Entry{}, err
	}
	e := directory.Entry{Name: directory.Text(c.Title), Version: directory.Text(strings.TrimPrefix(version(), "tidelock ")), Labels: labels}
	if l != nil {
		key := l.PublicKey()
		e.Address, e.Key, e.Carriers = c.PublicAddress, hex.EncodeToString(key[:]), []string{"udp"}
		if e.Address == "" {
			e.Address = publicAddress(l.Addr())
		}
		e.Private = c.Password != "" || c.TokenKey != ""
	}
	if w != nil {
		e.Carriers = append(e.Carriers, "webtransport", "websocket")
		if e.Web = c.PublicWeb; e.Web == "" {
			all := w.Addrs()
			e.Web = all[min(1, len(all)-1)] // the first is this machine's own
		}
	}
	return e, nil
}

// announce adds this host to the list of hosts; w is nil without a listener for browsers. Call it before the first tick.
func (c *serveCmd) announce(g *game, l *kcplink.Link, w *web.Listener, log *slog.Logger) error {
	e, err := c.entry(l, w)
	if err != nil {
		return err
	}
	g.listed = e
	if _, alone := g.keeping.cluster.Bus.(*bus.Local); !alone || c.PublicAddress != "" || c.PublicWeb != "" {
		log.Info("Players are told this address in the list of hosts", "event", "directory", "address", cmp.Or(e.Address, "none"), "web", cmp.Or(e.Web, "none"),
			"do", "if they cannot reach it, give --public-address and --public-web")
	}
	var load loadMeter
	return g.keeping.hosts.begin(g.keeping.cluster, log, func() directory.Entry {
		e := g.listed
		e.Carriers, e.Labels = slices.Clone(e.Carriers), maps.Clone(e.Labels)
		if w != nil {
			for _, h := range w.Hashes() {
				e.Hashes = append(e.Hashes, hex.EncodeToString(h[:]))
			}
		}
		e.Level, e.Game = directory.Text(g.levelName()), directory.Text(g.Game.Class.Name)
		if g.door != nil {
			e.Players, _ = g.door.Players()
			e.Room = max(0, cmp.Or(g.MaxPlayers(), g.most)-e.Players-g.hops.Reserved())
			e.Private = e.Private || g.Locked()
		}
		e.Draining = g.drain.Active()
		e.Load = load.read(&g.counted)
		return e
	})
}

// loadMeter measures which share of the time ticks take. It belongs to the loop's goroutine.
type loadMeter struct {
	at    time.Time
	spent float64 // seconds in all ticks until then
	load  float64
}

// loadOver is over how long the load is measured.
const loadOver = 2 * time.Second

func (m *loadMeter) read(c *counted) float64 {
	now := time.Now()
	if passed := now.Sub(m.at); passed >= loadOver {
		spent := 0.0
		for p := range metrics.PhaseOther {
			spent += c.phases[p].Seconds
		}
		if !m.at.IsZero() {
			m.load = (spent - m.spent) / passed.Seconds()
		}
		m.at, m.spent = now, spent
	}
	return m.load
}

// hosts is the list of hosts, for the loop and for other goroutines.
type hosts struct {
	dir    *directory.Directory // the loop's; nil before begin
	shared bool                 // with hosts of other processes
	told   uint64               // dir.Changed() of view
	view   atomic.Pointer[hostView]
}

// hostView is the list at one moment. It never changes.
type hostView struct {
	self string
	list []directory.Entry
	// public is what web tells players of it, made for the first who asks.
	public func() *web.Hosts
}

func newHostView(self string, shared bool, list []directory.Entry) *hostView {
	v := &hostView{self: self, list: list}
	v.public = sync.OnceValue(func() *web.Hosts {
		b, err := json.Marshal(directory.Listing{Self: self, Hosts: list})
		if err != nil {
			panic("host: the list of hosts: " + err.Error()) // strings and finite numbers only
		}
		p := &web.Hosts{JSON: b, Shared: shared}
		for _, open := range []bool{true, false} { // where players can go first
			for i := range list {
				if e := &list[i]; e.Host != self && e.Web != "" && e.Open() == open {
					p.Pages = append(p.Pages, e.Web)
				}
			}
		}
		return p
	})
	return v
}

// begin makes the directory.
func (h *hosts) begin(c *bus.Client, log *slog.Logger, self func() directory.Entry) (err error) {
	_, alone := c.Bus.(*bus.Local)
	h.shared = !alone
	h.dir, err = directory.New(directory.Options{Bus: c, Self: self, Log: log})
	return err
}

// count returns how many hosts are known, this one included.
func (h *hosts) count() int {
	if v := h.view.Load(); v != nil {
		return len(v.list)
	}
	return 0
}

// tick follows tick of the bus.
func (h *hosts) tick(now time.Duration) {
	if h.dir == nil {
		return
	}
	h.dir.Tick(now)
	if n := h.dir.Changed(); n != h.told {
		h.told = n
		h.view.Store(newHostView(h.dir.Host(), h.shared, h.dir.List()))
	}
}

// end says goodbye to other hosts.
func (h *hosts) end() {
	if h.dir != nil {
		h.dir.Close()
	}
}

// public returns what players are told; any goroutine may call it.
func (h *hosts) public() *web.Hosts {
	if v := h.view.Load(); v != nil {
		return v.public()
	}
	return nil
}

// table returns the list for people; any goroutine may call it.
func (h *hosts) table() []string {
	v := h.view.Load()
	if v == nil {
		return []string{"no hosts are known yet"}
	}
	rows := [][]string{{"name", "level", "game", "address", "labels", "note", "players", "room", "load"}}
	for i := range v.list {
		e := &v.list[i]
		note := hostNote(e)
		if e.Host == v.self {
			note = strings.TrimPrefix(note+", this host", "-, ")
		}
		rows = append(rows, []string{
			cmp.Or(e.Name, "-"), cmp.Or(e.Level, "-"), cmp.Or(e.Game, "-"), cmp.Or(e.Address, "-"), labelText(e.Labels), note,
			strconv.Itoa(e.Players), strconv.Itoa(e.Room), strconv.Itoa(int(e.Load*100+0.5)) + "%",
		})
	}
	return console.Table(rows, 6)
}

// hostNote returns what else players want to know of a host, "-" for nothing.
func hostNote(e *directory.Entry) string {
	var notes []string
	if e.Private {
		notes = append(notes, "private")
	}
	if e.Draining {
		notes = append(notes, "draining")
	}
	return cmp.Or(strings.Join(notes, ", "), "-")
}

// labelText writes labels as --label has them.
func labelText(labels map[string]string) string {
	var out []string
	for k, v := range labels { // any order: sorted below
		if v != "" {
			k += "=" + v
		}
		out = append(out, k)
	}
	slices.Sort(out)
	return cmp.Or(strings.Join(out, ","), "-")
}

// hostsJSON is [admin.Options].Hosts.
func (g *game) hostsJSON() json.RawMessage {
	if p := g.keeping.hosts.public(); p != nil {
		return p.JSON
	}
	return web.NoHosts
}
