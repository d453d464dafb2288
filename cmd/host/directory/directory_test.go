package directory

import (
	"bytes"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tidelock/tidelock/engine/bus"
)

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

const tick = 20 * time.Millisecond

// fleet is a cluster on a virtual clock.
type fleet struct {
	t     testing.TB
	net   *bus.Network
	now   time.Duration
	hosts []*host
	made  int
}

type host struct {
	bus     *bus.Simulated
	client  *bus.Client
	dir     *Directory
	entry   Entry
	log     bytes.Buffer
	stopped bool // its process is stopped: it does not tick
}

func newFleet(t testing.TB, seed uint64) *fleet { return &fleet{t: t, net: bus.NewNetwork(seed)} }

func (f *fleet) join() *host {
	f.made++
	id := fmt.Sprintf("h%03d", f.made)
	h := &host{bus: f.net.Host(id), entry: Entry{
		Name: "Host " + id, Level: "arena", Game: "DeathMatch", Version: "v1", Players: 3, Room: 5, Address: "10.0.0.1:7777", Key: strings.Repeat("ab", 32),
		Web: "http://10.0.0.1:7780", Carriers: []string{"udp", "webtransport", "websocket"}, Hashes: []string{strings.Repeat("cd", 32)},
		Labels: map[string]string{"region": "eu", "hub": ""},
	}}
	h.client = &bus.Client{Bus: h.bus, Host: id}
	d, err := New(Options{Bus: h.client, Self: func() Entry { return h.entry }, Log: slog.New(slog.NewTextHandler(&h.log, nil))})
	must(f.t, err)
	h.dir = d
	f.hosts = append(f.hosts, h)
	return h
}

// remove takes a host from the fleet, without a goodbye.
func (f *fleet) remove(h *host) {
	h.bus.Leave()
	f.hosts = slices.DeleteFunc(f.hosts, func(o *host) bool { return o == h })
}

func (f *fleet) run(for_ time.Duration) {
	for end := f.now + for_; f.now < end; {
		f.step()
	}
}

func (f *fleet) step() {
	f.now += tick
	f.net.Deliver(f.now)
	for _, h := range f.hosts {
		if !h.stopped {
			h.client.Deliver(f.now)
			h.dir.Tick(f.now)
		}
	}
}

func ids(list []Entry) string {
	var out []string
	for i := range list {
		out = append(out, list[i].Host)
	}
	return strings.Join(out, " ")
}

func (f *fleet) want(h *host, list string) {
	f.t.Helper()
	if got := ids(h.dir.List()); got != list {
		f.t.Errorf("at %v %s lists %q, want %q", f.now, h.client.Host, got, list)
	}
}

func TestAllListAll(t *testing.T) {
	f := newFleet(t, 1)
	a, b := f.join(), f.join()
	f.run(100 * time.Millisecond)
	f.want(a, "h001 h002")
	f.want(b, "h001 h002")
	if got := b.dir.List()[0]; !reflect.DeepEqual(got, func() Entry { e := a.entry; e.Host = "h001"; return e }()) {
		t.Errorf("h002 has %+v of h001", got)
	}
	// A host that comes later asks, and has the list within a round trip, long before the others' next announcement.
	f.run(2 * Soonest)
	c := f.join()
	f.run(4 * tick)
	f.want(c, "h001 h002 h003")
	f.want(a, "h001 h002 h003")
}

func TestChangesAreToldAtOnce(t *testing.T) {
	f := newFleet(t, 1)
	a, b := f.join(), f.join()
	f.run(time.Second)
	before := b.dir.Changed()
	a.entry.Players++
	f.run(Soonest + 3*tick)
	if got := b.dir.List()[0].Players; got != 4 {
		t.Errorf("h002 sees %d players, want 4", got)
	}
	if b.dir.Changed() == before {
		t.Error("Changed stays the same")
	}
	// The load alone waits for the next announcement.
	a.entry.Load = 0.5
	f.run(Soonest + 3*tick)
	if got := b.dir.List()[0].Load; got != 0 {
		t.Errorf("the load was announced at once: %v", got)
	}
	f.run(Every)
	if got := b.dir.List()[0].Load; got != 0.5 {
		t.Errorf("load %v, want 0.5", got)
	}
	before = b.dir.Changed()
	f.run(3 * Every)
	if b.dir.Changed() != before {
		t.Error("Changed counts announcements that change nothing")
	}
}

func TestAnnouncementsAreFewASecond(t *testing.T) {
	f := newFleet(t, 1)
	a := f.join()
	f.join()
	sent := 0
	f.net.Passed = func(from, to string, m bus.Message) bool {
		if from == "h001" && to == "h002" && m.Subject == subject {
			sent++
		}
		return false
	}
	f.run(time.Second)
	sent = 0
	for range 500 { // ten seconds
		a.entry.Players++
		must(t, f.hosts[1].client.Publish(subjectAsk, nil))
		f.step()
	}
	if sent < 30 || sent > 41 {
		t.Errorf("%d announcements in 10 s of changes and questions, want 4 a second", sent)
	}
	sent = 0
	f.run(20 * time.Second)
	if sent < 9 || sent > 11 {
		t.Errorf("%d announcements in 20 s without a change, want one every 2 s", sent)
	}
}

// A host that says goodbye is gone at once, one that dies after Expiry, one that is cut off until it is back.
func TestHostsEnd(t *testing.T) {
	f := newFleet(t, 1)
	a, b, c, d := f.join(), f.join(), f.join(), f.join()
	f.run(3 * time.Second)
	d.dir.Close()
	d.dir.Close()         // does nothing
	f.run(Every + 3*tick) // d's ticks announce nothing any more
	f.want(a, "h001 h002 h003")
	last := f.now // at the latest
	f.remove(c)
	f.run(Expiry - Every - tick)
	f.want(a, "h001 h002 h003")
	f.run(last + Expiry + 4*tick - f.now)
	f.want(a, "h001 h002")

	b.bus.Cut(true)
	f.run(Expiry + 4*tick)
	f.want(a, "h001")
	f.want(b, "h002")
	b.bus.Cut(false)
	f.run(Soonest + 4*tick) // it asks
	f.want(a, "h001 h002")
	f.want(b, "h001 h002")
	// A cut that is shorter than Expiry removes nobody.
	before := a.dir.Changed()
	b.bus.Cut(true)
	f.run(Expiry - Every - 4*tick)
	b.bus.Cut(false)
	f.run(Expiry)
	if a.dir.Changed() != before {
		t.Error("a short partition changed the list")
	}
}

// A host that hung for a minute has received what others said meanwhile when it goes on.
func TestStoppedHostKeepsTheList(t *testing.T) {
	f := newFleet(t, 1)
	a, b := f.join(), f.join()
	f.run(time.Second)
	a.stopped = true
	f.run(time.Minute)
	f.want(b, "h002")
	a.stopped = false
	f.step()
	f.want(a, "h001 h002")
	f.run(Soonest)
	f.want(b, "h001 h002")
}

func TestBadAnnouncements(t *testing.T) {
	f := newFleet(t, 1)
	a := f.join()
	evil := &bus.Client{Bus: f.net.Host("evil"), Host: "evil"}
	f.run(time.Second)
	say := func(host, name string) []byte {
		b, err := encode(&Entry{Host: host, Name: name})
		must(t, err)
		return b
	}
	for name, body := range map[string][]byte{ // any order: each by itself
		"forged": say("h001", "x"), "control characters": say("evil", "a\x1b[2Jb"), "no JSON": []byte("{"), "long": bytes.Repeat([]byte{'x'}, MaxBody+1),
		"list": []byte("[]"), "no host": []byte("{}"), "null": []byte("null"), "types": []byte(`{"host":"evil","players":"many"}`),
	} {
		if err := evil.Publish(subject, body); err != nil {
			t.Fatal(name, err)
		}
		f.run(3 * tick)
		f.want(a, "h001")
	}
	if n := strings.Count(a.log.String(), "\n"); n != 1 {
		t.Errorf("%d lines about bad announcements within a minute, want 1:\n%s", n, a.log.String())
	}
	f.run(quiet)
	if n := strings.Count(a.log.String(), "\n"); n != 2 || !strings.Contains(a.log.String(), "count=7") {
		t.Errorf("want one line more, for the other 7:\n%s", a.log.String())
	}
	if strings.Contains(a.log.String(), "\x1b") {
		t.Error("the log has control characters of a stranger")
	}
}

func TestFull(t *testing.T) {
	f := newFleet(t, 1)
	a := f.join()
	stranger := f.net.Host("strangers")
	f.run(time.Second)
	for i := range MaxHosts + 100 {
		id := fmt.Sprintf("s%03d", i)
		body, err := encode(&Entry{Host: id})
		must(t, err)
		must(t, (&bus.Client{Bus: stranger, Host: id}).Publish(subject, body))
	}
	f.run(4 * tick)
	if n := len(a.dir.List()); n != MaxHosts {
		t.Errorf("%d hosts, want %d", n, MaxHosts)
	}
	f.run(Expiry + tick)
	f.want(a, "h001")
}

// What cannot be announced is not announced, and the host is told.
func TestBadSelf(t *testing.T) {
	f := newFleet(t, 1)
	a, b := f.join(), f.join()
	f.run(time.Second)
	a.entry.Name = "new\nline"
	f.run(Expiry + Soonest + 4*tick)
	f.want(a, "h002")
	f.want(b, "h002")
	if !strings.Contains(a.log.String(), "U+000A") {
		t.Errorf("log: %s", a.log.String())
	}
}

// After any sequence of joins, deaths, goodbyes, changes and cuts, all see the same list within Expiry.
func TestAllAgree(t *testing.T) {
	for seed := range uint64(60) {
		f := newFleet(t, seed)
		f.net.Delay = 5 * time.Millisecond
		r := rand.New(rand.NewPCG(seed, 5))
		for range 3 {
			f.join()
		}
		for range 40 {
			switch n := len(f.hosts); r.IntN(7) {
			case 0, 1:
				if n < 12 {
					f.join()
				}
			case 2:
				if n > 1 {
					f.remove(f.hosts[r.IntN(n)])
				}
			case 3:
				if n > 1 {
					h := f.hosts[r.IntN(n)]
					h.dir.Close()
					f.run(3 * tick) // the last message leaves
					f.remove(h)
				}
			case 4:
				f.hosts[r.IntN(n)].entry.Players = r.IntN(64)
			case 5:
				f.hosts[r.IntN(n)].bus.Cut(true)
			case 6:
				f.hosts[r.IntN(n)].bus.Cut(false)
			}
			f.run(time.Duration(r.Int64N(int64(4 * time.Second))))
		}
		for _, h := range f.hosts {
			h.bus.Cut(false)
		}
		f.run(Expiry + 2*f.net.Delay + 2*tick)
		want := f.hosts[0].dir.List()
		if len(want) != len(f.hosts) {
			t.Fatalf("seed %d: %q, but there are %d hosts", seed, ids(want), len(f.hosts))
		}
		for _, h := range f.hosts {
			if !reflect.DeepEqual(h.dir.List(), want) {
				t.Fatalf("seed %d: %s lists %q, %s %q", seed, h.client.Host, ids(h.dir.List()), f.hosts[0].client.Host, ids(want))
			}
		}
	}
}

func TestFind(t *testing.T) {
	list := []Entry{
		{Host: "a", Name: "Alpha", Room: 4, Players: 2, Labels: map[string]string{"hub": "", "mode": "duel"}},
		{Host: "b", Name: "Beta", Room: 1, Players: 7, Labels: map[string]string{"hub": "true"}},
		{Host: "c", Name: "Beta", Room: 0, Players: 8, Labels: map[string]string{"hub": "true"}},
		{Host: "d", Name: "Delta", Room: 9, Players: 9, Draining: true, Labels: map[string]string{"hub": "true"}},
		{Host: "e", Name: "Eps", Room: 9, Players: 8, Load: 0.95, Labels: map[string]string{"hub": "true"}},
		{Host: "f", Name: "Phi", Room: 9, Players: 9, Load: 0.9, Labels: map[string]string{"hub": "false"}},
		{Host: "g", Name: "Gamma", Room: 2, Players: 2, Load: 0.1, Labels: map[string]string{"hub": "true"}},
	}
	for _, c := range []struct{ what, want string }{
		{"Alpha", "a"},
		{"a", "a"},
		{"Beta", "b c"},
		{"hub", "b a g e c d"},
		{"hub=true", "b g e c d"},
		{"hub=false", "f"},
		{"mode=duel", "a"},
		{"mode=", ""},
		{"mode", ""},
		{"alpha", ""},
		{"", ""},
		{"=", ""},
	} {
		if got := ids(Find(list, c.what)); got != c.want {
			t.Errorf("Find(%q) = %q, want %q", c.what, got, c.want)
		}
	}
}

// BenchmarkFifty is the cost of one host's directory for a second among 50 hosts whose load always changes (C9: less than 1 % of a
// core, which is 10 ms).
func BenchmarkFifty(b *testing.B) {
	f := newFleet(b, 1)
	for range 50 {
		f.join()
	}
	f.run(time.Second)
	var spent time.Duration
	one := f.hosts[0]
	b.ReportAllocs()
	b.ResetTimer()
	for i := range b.N {
		for range int(time.Second / tick) {
			f.now += tick
			f.net.Deliver(f.now)
			for j, h := range f.hosts {
				h.entry.Load = float64(i*7+j) / 1000
				start := time.Now()
				h.client.Deliver(f.now)
				h.dir.Tick(f.now)
				if h == one {
					h.dir.List()
					spent += time.Since(start)
				}
			}
		}
	}
	b.ReportMetric(float64(spent.Nanoseconds())/float64(b.N), "ns/host-second")
}
