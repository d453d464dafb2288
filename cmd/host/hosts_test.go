package main

import (
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tidelock/tidelock/cmd/host/directory"
	"github.com/tidelock/tidelock/cmd/host/join"
	"github.com/tidelock/tidelock/engine/bus"
)

// TestHostsAreShown: what one host announces, another shows to people and to players, and a host that ends is gone at once.
func TestHostsAreShown(t *testing.T) {
	net := bus.NewNetwork(1)
	make := func(id string, e directory.Entry) (*hosts, *bus.Client) {
		c := &bus.Client{Bus: net.Host(id), Host: id}
		h := &hosts{}
		must(t, h.begin(c, slog.New(slog.DiscardHandler), func() directory.Entry { return e }))
		return h, c
	}
	a, ca := make("a", directory.Entry{Name: "Alpha", Level: "arena", Room: 3, Web: "http://a:7780", Labels: map[string]string{"hub": "", "region": "eu"}})
	b, cb := make("b", directory.Entry{Name: "Beta", Room: 0, Web: "http://b:7780", Private: true})
	c, cc := make("c", directory.Entry{Name: "Gamma", Room: 1, Web: "http://c:7780", Load: 0.255})
	if a.public() != nil || len(a.table()) != 1 {
		t.Error("a list before the first tick")
	}
	now := time.Duration(0)
	run := func(d time.Duration) {
		for end := now + d; now < end; {
			now += 20 * time.Millisecond
			net.Deliver(now)
			for i, x := range []*bus.Client{ca, cb, cc} {
				x.Deliver(now)
				[]*hosts{a, b, c}[i].tick(now)
			}
		}
	}
	run(time.Second)
	public := a.public()
	var l directory.Listing
	if err := json.Unmarshal(public.JSON, &l); err != nil || l.Self != "a" || len(l.Hosts) != 3 {
		t.Fatalf("%s: %v", public.JSON, err)
	}
	if want := []string{"http://c:7780", "http://b:7780"}; !slices.Equal(public.Pages, want) {
		t.Errorf("pages %v, want %v: the one with room first, its own not", public.Pages, want)
	}
	if a.public() != public {
		t.Error("the list is encoded again though nothing changed")
	}
	table := strings.Join(a.table(), "\n")
	for _, want := range []string{"Alpha  arena", "hub,region=eu", "this host", "private", "26%"} {
		if !strings.Contains(table, want) {
			t.Errorf("the table has no %q:\n%s", want, table)
		}
	}
	c.end()
	run(100 * time.Millisecond)
	if n := len(a.view.Load().list); n != 2 {
		t.Errorf("%d hosts after a goodbye, want 2", n)
	}
	if n := len(l.Hosts); n != 3 || len(public.Pages) != 2 {
		t.Error("an older view changed")
	}
}

func TestPublicAddress(t *testing.T) {
	for in, want := range map[string]string{"127.0.0.1:7777": "127.0.0.1:7777", "10.1.2.3:1": "10.1.2.3:1", "[2001:db8::1]:7": "[2001:db8::1]:7"} { // any order
		if got := publicAddress(netip.MustParseAddrPort(in)); got != want {
			t.Errorf("%s: %s, want %s", in, got, want)
		}
	}
	for _, in := range []string{"0.0.0.0:7777", "[::]:7777"} {
		got := publicAddress(netip.MustParseAddrPort(in))
		if err := directory.CheckAddress(got); err != nil || netip.MustParseAddrPort(got).Addr().IsUnspecified() || !strings.HasSuffix(got, ":7777") {
			t.Errorf("%s: %s: %v", in, got, err)
		}
	}
}

func TestListFlags(t *testing.T) {
	good := listFlags{PublicAddress: "play.example:7777", PublicWeb: "https://play.example/", Label: []string{"hub", "region=eu", "mode=a=b"}}
	if err := good.checkList(); err != nil || good.PublicWeb != "https://play.example" {
		t.Errorf("%v, %q", err, good.PublicWeb)
	}
	if l, err := good.labels(); err != nil || l["hub"] != "" || l["region"] != "eu" || l["mode"] != "a=b" {
		t.Errorf("%v, %v", l, err)
	}
	for want, f := range map[string]listFlags{ // any order: each by itself
		"--public-address: ": {PublicAddress: "play.example"},
		"--public-web: ":     {PublicWeb: "play.example"},
		"--label: label":     {Label: []string{"a b"}},
		"--label: \"hub\"":   {Label: []string{"hub", "hub=1"}},
	} {
		if err := f.checkList(); err == nil || !strings.HasPrefix(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%+v: %v, want %s…", f, err, want)
		}
	}
}

func TestLobbyURL(t *testing.T) {
	for in, want := range map[string]string{ // any order: each by itself
		"localhost": "http://localhost:7780", "a:1": "http://a:1", "::1": "http://[::1]:7780", "[::1]:5": "http://[::1]:5", "https://a.example/b/": "https://a.example/b",
		"ftp://a": "", "http://u@a": "", "http://a?x": "", "http://": "", "a b": "",
	} {
		if got, err := lobbyURL(in); got != want || (err == nil) != (want != "") {
			t.Errorf("%q: %q, %v; want %q", in, got, err, want)
		}
	}
}

// TestLocate: a name is looked up only if it is no address, and the host that is found must prove the listed key.
func TestLocate(t *testing.T) {
	key := strings.Repeat("0a", 32)
	entries := []directory.Entry{
		{Host: "h1", Name: "Arena One", Room: 3, Players: 1, Address: "127.0.0.1:7001", Key: key, Web: "https://127.0.0.1", Labels: map[string]string{"hub": ""}},
		{Host: "h2", Name: "Arena Two", Room: 3, Players: 2, Address: "127.0.0.1:7002", Key: key, Web: "http://127.0.0.1:81", Labels: map[string]string{"hub": "true"}},
		{Host: "h3", Name: "Full", Address: "127.0.0.1:7003", Key: key},
		{Host: "h4", Name: "Keyless", Room: 1, Address: "127.0.0.1:7004"},
		{Host: "h5", Name: "Bare", Room: 1, Address: "127.0.0.1:7005", Key: key},
	}
	answer, err := json.Marshal(directory.Listing{Self: "h1", Hosts: entries})
	must(t, err)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/hosts.json":
			_, _ = w.Write(answer)
		case "/evil/hosts.json":
			_, _ = w.Write([]byte(`{"hosts":[{"host":"x","name":"\u001b[2J"}]}`))
		case "/other/hosts.json":
			_, _ = w.Write([]byte("<html>"))
		case "/moved/hosts.json":
			http.Redirect(w, r, "/hosts.json", http.StatusFound)
		default:
			http.NotFound(w, r)
		}
	}))
	defer s.Close()
	for _, c := range []struct {
		given, lobby, via string
		shown, addr       string // of the target, and for carriers
		err               string
	}{
		{given: "127.0.0.1:9", lobby: s.URL, shown: "127.0.0.1:9", addr: "127.0.0.1:9"},
		{given: "Arena One", lobby: s.URL, shown: "Arena One at 127.0.0.1:7001", addr: "127.0.0.1:7001"},
		{given: "Arena One?team=1", lobby: s.URL, shown: "Arena One at 127.0.0.1:7001", addr: "127.0.0.1:7001"},
		{given: "hub@" + s.URL, shown: "hub at 127.0.0.1:7002", addr: "127.0.0.1:7002"},
		{given: "h1@" + s.URL, via: "ws", shown: "h1 at 127.0.0.1:7001", addr: "127.0.0.1:443"},
		{given: "hub@" + s.URL, via: "wt", shown: "hub at 127.0.0.1:7002", addr: "127.0.0.1:81"},
		{given: "Bare@" + s.URL, via: "wt", err: `"Bare" has no page`},
		{given: "Arena Tow@" + s.URL, err: `has the name or label "Arena Tow"; did you mean "Arena Two"?`},
		{given: "zzz@" + s.URL, err: `"host list" shows all`},
		{given: "Full@" + s.URL, err: "full or draining"},
		{given: "Keyless@" + s.URL, err: "no key"},
		{given: "a@ftp://x", err: "--lobby: "},
		{given: "a@" + s.URL + "/evil", err: "U+001B"},
		{given: "a@" + s.URL + "/other", err: "no list of hosts"},
		{given: "a@" + s.URL + "/moved", err: "302"},
		{given: "a@" + s.URL + "/none", err: "404"},
	} {
		f := clientFlags{Addr: c.given, Lobby: c.lobby, Timeout: time.Minute}
		if f.Via = c.via; c.via == "" {
			f.Via = "udp"
		}
		var o join.Options
		addr, secure, err := f.locate(&o)
		if c.err != "" {
			if err == nil || !strings.Contains(err.Error(), c.err) || strings.ContainsAny(err.Error(), "\n\x1b") {
				t.Errorf("%s: %v, want %q in one line", c.given, err, c.err)
			}
			continue
		}
		if err != nil || o.Shown != c.shown || addr != c.addr || secure != strings.HasSuffix(addr, ":443") {
			t.Errorf("%s: %q %q %v %v, want %q %q", c.given, o.Shown, addr, secure, err, c.shown, c.addr)
		}
		if looked := c.shown != c.given; looked != (o.ServerKey != [32]byte{}) {
			t.Errorf("%s: the key is %x", c.given, o.ServerKey)
		}
		if strings.Contains(c.given, "?team=1") != (o.Target.Options == "?team=1") {
			t.Errorf("%s: options %q", c.given, o.Target.Options)
		}
	}
}
