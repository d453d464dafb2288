package main

import (
	"cmp"
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/tidelock/tidelock/cmd/host/console"
	"github.com/tidelock/tidelock/cmd/host/directory"
	"github.com/tidelock/tidelock/cmd/host/join"
	"github.com/tidelock/tidelock/cmd/host/query"
	"github.com/tidelock/tidelock/cmd/host/web"
	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/netcode/carrier"
)

// listCmd asks a host for the list of hosts.
type listCmd struct {
	Lobby      string        `arg:"" optional:"" name:"address" default:"localhost" help:"Any host's address for browsers: HOST, HOST:PORT or a URL; the default port is 7780. Default: this machine."`
	ListWithin time.Duration `only:"cli" name:"within" default:"5s" range:"100ms,10m" help:"How long to wait for the list."`
	PingWithin time.Duration `only:"cli" name:"ping-within" default:"1s" range:"10ms,1m" help:"How long to wait for the answer of each host."`
	JSON       bool          `only:"cli" name:"json" help:"Print the list as JSON, with pings in milliseconds; null for hosts that do not answer."`
}

// pinged is an entry with how long the host takes to answer a query.
type pinged struct {
	directory.Entry
	Ping *float64 `json:"ping"` // ms; nil without an answer
}

// Run prints the list.
func (c *listCmd) Run(sys *system) error {
	root, err := lobbyURL(c.Lobby)
	if err != nil {
		return usageError{err}
	}
	l, err := askLobby(root, c.ListWithin)
	if err != nil {
		return err
	}
	all := ping(l.Hosts, c.PingWithin)
	if c.JSON {
		e := json.NewEncoder(sys.stdout)
		e.SetEscapeHTML(false)
		return e.Encode(struct {
			Self  string   `json:"self"`
			Hosts []pinged `json:"hosts"`
		}{l.Self, all})
	}
	rows := [][]string{{"name", "level", "game", "address", "labels", "note", "players", "room", "ping"}}
	for i := range all {
		e, ms := &all[i].Entry, "-"
		if p := all[i].Ping; p != nil {
			ms = fmt.Sprintf("%.0f ms", *p)
		}
		rows = append(rows, []string{
			cmp.Or(e.Name, "-"), cmp.Or(e.Level, "-"), cmp.Or(e.Game, "-"), cmp.Or(e.Address, "-"), labelText(e.Labels), hostNote(e),
			strconv.Itoa(e.Players), strconv.Itoa(e.Room), ms,
		})
	}
	_, err = fmt.Fprintln(sys.stdout, strings.Join(console.Table(rows, 6), "\n"))
	return err
}

// pings is how many hosts are asked at once.
const pings = 32

// ping asks all hosts for their descriptions, which shows how far away they are.
func ping(list []directory.Entry, within time.Duration) []pinged {
	out := make([]pinged, len(list))
	free := make(chan struct{}, pings)
	var wait sync.WaitGroup
	for i := range list {
		out[i].Entry = list[i]
		if list[i].Address == "" {
			continue
		}
		free <- struct{}{}
		wait.Go(func() { // awaited below; it ends within the time
			defer func() { <-free }()
			target, err := join.Resolve(list[i].Address)
			if err != nil {
				return // a name that is not known here: no ping
			}
			ctx, cancel := context.WithTimeout(context.Background(), within)
			defer cancel()
			if a, err := query.Ask(ctx, target.Addr); err == nil {
				ms := math.Round(float64(a.Ping.Microseconds())) / 1e3
				out[i].Ping = &ms
			}
		})
	}
	wait.Wait()
	return out
}

// lobbyURL returns the base URL of a host's page: of a URL itself, or of HOST or HOST:PORT.
func lobbyURL(s string) (string, error) {
	root := strings.TrimSuffix(s, "/")
	if !strings.Contains(s, "://") {
		if root = s; !hasPort(root) {
			root = net.JoinHostPort(strings.Trim(root, "[]"), strconv.Itoa(defaultWebPort))
		}
		root = "http://" + root
	}
	if directory.CheckWeb(root) != nil {
		return "", fmt.Errorf("%q is no address of a host for browsers; give HOST, HOST:PORT or a URL such as https://play.example.org", s)
	}
	return root, nil
}

// askLobby reads the list of hosts from one of them.
func askLobby(root string, within time.Duration) (directory.Listing, error) {
	client := &http.Client{Timeout: within, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	defer client.CloseIdleConnections()
	a, err := client.Get(root + web.HostsPath)
	if err != nil {
		return directory.Listing{}, fmt.Errorf("no answer from %s: %w; is a host running there with a web listener?", root, errors.Unwrap(err))
	}
	defer a.Body.Close() //nolint:errcheck // it was only read
	if a.StatusCode != http.StatusOK {
		return directory.Listing{}, fmt.Errorf("%s has no list of hosts: %s", root, a.Status)
	}
	l, err := directory.ReadListing(a.Body)
	if err != nil {
		return l, fmt.Errorf("%s: %w", root, err)
	}
	return l, nil
}

// findHost returns the best host of a lobby with a name, an id or a label.
func findHost(lobby, name string, within time.Duration) (directory.Entry, error) {
	root, err := lobbyURL(lobby)
	if err != nil {
		return directory.Entry{}, usageError{fmt.Errorf("--lobby: %w", err)}
	}
	l, err := askLobby(root, within)
	if err != nil {
		return directory.Entry{}, err
	}
	found := directory.Find(l.Hosts, name)
	if len(found) == 0 {
		var names []string
		for i := range l.Hosts {
			e := &l.Hosts[i]
			names = append(names, e.Name, e.Host)
			for k, v := range e.Labels { // any order: the nearest does not depend on it
				names = append(names, k, k+"="+v)
			}
		}
		return directory.Entry{}, usageError{fmt.Errorf("no host at %s has the name or label %q%s", root, name, cmp.Or(engine.Nearest(name, names), `; "host list" shows all`))}
	}
	if e := &found[0]; !e.Open() {
		return *e, fmt.Errorf("%q: all hosts with that name or label are full or draining; try again later", name)
	}
	return found[0], nil
}

// locate finds the host to join: by its address, or by its name in a lobby. It completes the target and, for a lobby, the key that the
// host must have. addr is the address for carriers other than UDP, and secure says that it is one of https.
func (f *clientFlags) locate(o *join.Options) (addr string, secure bool, err error) {
	given, options, found := strings.Cut(f.Addr, "?")
	if found {
		options = "?" + options
	}
	name, lobby := given, f.Lobby
	if i := strings.LastIndexByte(given, '@'); i >= 0 {
		name, lobby = given[:i], given[i+1:]
	} else if o.Target, err = join.Resolve(f.Addr); err == nil {
		return f.Addr, false, nil
	} else if lobby == "" {
		return "", false, usageError{err}
	}
	e, err := findHost(lobby, name, f.Timeout)
	if err != nil {
		return "", false, err
	}
	key, err := hex.DecodeString(e.Key)
	if err != nil || len(key) != len(o.ServerKey) || e.Address == "" {
		return "", false, fmt.Errorf("%q cannot be joined: the list of hosts has no address or no key of it", name)
	}
	o.ServerKey = [32]byte(key)
	if o.Target, err = join.Resolve(e.Address + options); err != nil {
		return "", false, fmt.Errorf("%q is at an address that cannot be used: %w; is --public-address right there?", name, err)
	}
	o.Shown = name + " at " + e.Address
	if carrier.Via(f.Via) == carrier.UDP {
		return e.Address, false, nil
	}
	u, err := url.Parse(e.Web)
	if err != nil || u.Host == "" {
		return "", false, fmt.Errorf("%q has no page, so it can be joined by UDP only; leave out --via", name)
	}
	secure = u.Scheme == "https"
	port := "80"
	if secure {
		port = "443"
	}
	return net.JoinHostPort(u.Hostname(), cmp.Or(u.Port(), port)), secure, nil
}
