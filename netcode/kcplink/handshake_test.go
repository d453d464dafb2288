package kcplink

import (
	"bytes"
	"encoding/binary"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tidelock/tidelock/netcode/kcplink/impair"
	"github.com/tidelock/tidelock/netcode/link"
)

func TestHandshakeOpensBothSides(t *testing.T) {
	inWorld(t, impair.Rule{Lag: 20 * time.Millisecond}, func(w *world) {
		var asked link.Identity
		s := w.server(Server{Accept: func(id link.Identity) (link.Reason, bool) { asked = id; return link.Reason{}, true }}, Limits{})
		c := w.client(0)
		sizes := map[byte][]int{}
		w.tap = func(_, _ netip.AddrPort, b []byte) bool {
			sizes[b[0]] = append(sizes[b[0]], len(b))
			return true
		}
		cc := c.dial(Dial{Options: "name=Ann", ServerKey: s.l.PublicKey()})
		start := w.now
		w.until("open", time.Second, func() bool { return len(s.opened) == 1 && len(c.opened) == 1 })
		if took := w.now - start; took > 6*20*time.Millisecond+7*stepTime {
			t.Errorf("three round trips of 40 ms took %v", took)
		}
		want := link.Identity{Key: testKey(10).Public, Options: "name=Ann", Addr: "10.0.0.2:40000"}
		if got := s.opened[0].Identity(); got != want || asked.Key != want.Key || asked.Options != want.Options ||
			cc.Identity().Key != testKey(1).Public {
			t.Errorf("the server sees %+v, Accept was asked about %+v, the client sees %+v", got, asked, cc.Identity())
		}
		r, q := sizes[typeResponse], sizes[typeConnect]
		if !slices.Equal(sizes[typeHello], []int{1000}) || !slices.Equal(sizes[typeCookie], []int{21}) ||
			len(r) != 1 || len(q) != 1 || r[0] > q[0] {
			t.Errorf("hello %v, cookie %v, connect %v, response %v: each answer is to be smaller", sizes[typeHello],
				sizes[typeCookie], q, r)
		}
		w.run(4 * time.Second)
		for _, x := range []link.Conn{s.opened[0], cc} {
			if rtt := x.Stats().RTT; rtt < 40*time.Millisecond || rtt > 40*time.Millisecond+2*stepTime {
				t.Errorf("round trip %v of 40 ms", rtt)
			}
		}
	})
}

// Handshakes get through a bad line, and idle connections stay on a worse one.
func TestHandshakeThroughLoss(t *testing.T) {
	for seed := range uint64(5) {
		inWorld(t, impair.Rule{Lag: 30 * time.Millisecond, Jitter: 30 * time.Millisecond, Loss: 0.3, Dup: 0.2, Reorder: 0.3}, func(w *world) {
			w.seed = 100 * seed
			s := w.server(Server{Password: "tide"}, Limits{})
			for i := range 10 {
				w.client(i).dial(Dial{Password: "tide"})
			}
			w.until("all open", 10*time.Second, func() bool {
				return len(s.opened) == 10 && !slices.ContainsFunc(w.peers[1:], func(c *peer) bool { return len(c.opened) == 0 })
			})
			w.run(time.Second)
			if seed == 0 { // silence makes heartbeats hurry
				w.setRule(impair.Rule{Lag: 200 * time.Millisecond, Loss: 0.4})
				w.run(time.Minute)
			}
			if s.l.Open() != 10 || len(s.closed) > 0 {
				t.Errorf("%d open, closed %v", s.l.Open(), s.closed)
			}
		})
	}
}

// TestHandshakeOverALongWay: an answer that takes longer than a client waits before it requests another cookie still finds the
// dial that it belongs to. So it is on a link by satellite, and with a host whose ticks take seconds since its machine is busy.
func TestHandshakeOverALongWay(t *testing.T) {
	for _, lag := range []time.Duration{700 * time.Millisecond, 800 * time.Millisecond, 1200 * time.Millisecond, 1600 * time.Millisecond} {
		inWorld(t, impair.Rule{Lag: lag}, func(w *world) {
			s, c := w.server(Server{}, Limits{}), w.client(0)
			c.dial(Dial{})
			w.until("open", 6*lag+100*time.Millisecond, func() bool { return len(s.opened) == 1 && len(c.opened) == 1 })
		})
	}
	// The way grows longer after the cookie, as where a machine becomes busy: how long it took says nothing.
	inWorld(t, impair.Rule{Lag: 20 * time.Millisecond}, func(w *world) {
		s, c := w.server(Server{}, Limits{DialTimeout: time.Minute}), w.client(0)
		c.l.limits.DialTimeout = time.Minute
		w.tap = func(_, _ netip.AddrPort, b []byte) bool {
			switch b[0] {
			case typeConnect, typeHello:
				w.setRule(impair.Rule{Lag: 20 * time.Millisecond})
			case typeResponse:
				w.setRule(impair.Rule{Lag: 2 * time.Second})
			}
			return true
		}
		c.dial(Dial{})
		w.until("open", 30*time.Second, func() bool { return len(s.opened) == 1 && len(c.opened) == 1 })
	})
}

// Everything by which a server says no, with the reason as the client gets it. The server's handler is told of none of them.
func TestRefusals(t *testing.T) {
	for _, tt := range []struct {
		name   string
		server Server
		limits Limits
		dial   Dial
		before int // clients already in, from the same address
		tap    func(b []byte)
		want   string
	}{
		{name: "wrong password", server: Server{Password: "tide"}, dial: Dial{Password: "ebb"}, want: "password"},
		{name: "no password", server: Server{Password: "tide"}, want: "password"},
		{name: "accept", server: Server{Accept: func(link.Identity) (link.Reason, bool) {
			return link.Reason{Code: "banned", Text: "go\naway"}, false
		}}, want: "banned"},
		{name: "full", limits: Limits{Conns: 1}, before: 1, want: "full"},
		{name: "address", limits: Limits{ConnsPerAddress: 1}, before: 1, want: "address"},
		{name: "server key", dial: Dial{ServerKey: testKey(99).Public}, want: "server_key"},
		{name: "version", tap: func(b []byte) {
			if b[0] == typeConnect {
				b[1] = 200
			}
		}, want: "version"},
		{name: "token in open mode", dial: Dial{Token: func() string {
			s, _ := IssueToken([32]byte{1}, TokenClaims{Expires: time.Unix(1e9, 0)})
			return s
		}()}, want: "no_tokens"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			inWorld(t, impair.Rule{Lag: 10 * time.Millisecond}, func(w *world) {
				s := w.server(tt.server, tt.limits)
				for i := range tt.before {
					b := w.add(netip.AddrPortFrom(clientAddr.Addr(), uint16(50000+i)), Config{})
					b.dial(Dial{})
					w.until("the ones before", 3*time.Second, func() bool { return len(b.opened) == 1 })
				}
				w.tap = func(_, _ netip.AddrPort, b []byte) bool {
					if tt.tap != nil {
						tt.tap(b)
					}
					return true
				}
				c := w.client(0)
				c.dial(tt.dial)
				w.until("closed", 5*time.Second, func() bool { return len(c.closed) == 1 })
				if text := c.closed[0].Text; c.lastReason() != tt.want || len(c.opened) != 0 || text == "" ||
					strings.ContainsAny(text, "\n\r\x1b") {
					t.Errorf("closed with %+v, want %q in one line", c.closed, tt.want)
				}
				w.run(7 * time.Second)
				if len(s.opened) != tt.before || len(s.closed) != 0 || len(s.l.halves) != 0 || s.l.Open() != tt.before {
					t.Errorf("the server: opened %d closed %v, %d half-open, %d open", len(s.opened), s.closed, len(s.l.halves), s.l.Open())
				}
			})
		})
	}
}

func TestNobodyThere(t *testing.T) {
	inWorld(t, impair.Rule{}, func(w *world) {
		c := w.client(0)
		hellos := 0
		w.tap = func(netip.AddrPort, netip.AddrPort, []byte) bool { hellos++; return true }
		c.dial(Dial{})
		w.run(9900 * time.Millisecond)
		if len(c.closed) != 0 {
			t.Fatalf("gave up early: %v", c.closed)
		}
		w.run(200 * time.Millisecond)
		if c.lastReason() != "unreachable" || hellos < 18 || hellos > 24 {
			t.Errorf("closed %v after %d hellos", c.closed, hellos)
		}
		given := c.dial(Dial{})
		w.run(50 * time.Millisecond)
		given.Close(link.Reason{Code: "changed", Text: "changed our mind"})
		given.Close(link.Reason{Code: "again"})
		w.run(50 * time.Millisecond)
		if c.lastReason() != "changed" || len(c.l.timers.heap) != 0 || len(c.l.dials) != 0 {
			t.Errorf("closed %v, or something is left of a dial", c.closed)
		}
	})
}

func TestDialRefusesBadArguments(t *testing.T) {
	inWorld(t, impair.Rule{}, func(w *world) {
		c := w.client(0)
		for _, d := range []Dial{
			{},
			{Addr: netip.AddrPortFrom(serverAddr.Addr(), 0)},
			{Addr: serverAddr, Options: string(make([]byte, MaxOptions+1))},
			{Addr: serverAddr, Options: "\xff"},
			{Addr: serverAddr, Token: "not a token"},
			{Addr: serverAddr, Token: "AAAA"},
		} {
			if _, err := c.l.Dial(d); err == nil || len(c.l.dials) != 0 {
				t.Errorf("dialled %+v, or %d dials are left", d, len(c.l.dials))
			}
		}
	})
}

func TestNewRefusesBadConfigurations(t *testing.T) {
	for _, cfg := range []Config{
		{Limits: Limits{Conns: -1}},
		{Limits: Limits{Silence: -1}},
		{Limits: Limits{Conns: 70000}},
		{Addr: "nonsense"},
		{Key: Key{Private: [32]byte{1}}},
		{Server: &Server{TokenKey: &[32]byte{1}}},
		{Server: &Server{TokenKey: &[32]byte{}, Wall: time.Now}},
		{Server: &Server{TokenKey: &[32]byte{1}, Wall: time.Now, Password: "x"}},
		{Server: &Server{Name: string(make([]byte, 65))}},
	} {
		if l, err := New(cfg); err == nil {
			t.Errorf("accepted %+v", cfg)
			_ = l.Close()
		}
	}
}

// Before a cookie comes back, nothing is remembered and no answer is larger than its question.
func TestHelloBuysNothing(t *testing.T) {
	inWorld(t, impair.Rule{}, func(w *world) {
		s := w.server(Server{}, Limits{Hellos: 1 << 20, HellosPerAddress: 1 << 20})
		sent := map[bool]int{} // bytes, by whether the server sent them
		w.tap = func(from, _ netip.AddrPort, b []byte) bool { sent[from == serverAddr] += len(b); return true }
		for i := range 2000 {
			w.send(netip.AddrPortFrom(netip.AddrFrom4([4]byte{11, byte(i >> 8), byte(i), 1}), 1), serverAddr, helloPacket())
			if i%200 == 0 {
				w.step()
			}
		}
		w.run(100 * time.Millisecond)
		if n := s.l.Counters().Cookies; n == 0 || sent[true]*40 > sent[false] {
			t.Errorf("%d cookies, %d bytes in, %d out", n, sent[false], sent[true])
		}
		if len(s.l.table) != 0 || len(s.l.addresses.by) != 0 || len(s.l.halves) != 0 || len(s.l.timers.heap) != 0 {
			t.Error("a HELLO made the server remember something")
		}
	})
}

func helloPacket() []byte {
	b := make([]byte, helloSize)
	b[0] = typeHello
	copy(b[1:], magic)
	b[5] = Version
	return b
}

// letsIn checks that the throttle of one address does not hit another.
func (w *world) letsIn(c *peer) {
	w.t.Helper()
	c.dial(Dial{})
	w.until("another address is let in", time.Second, func() bool { return len(c.opened) == 1 })
}

func TestHellosAreThrottledByAddress(t *testing.T) {
	inWorld(t, impair.Rule{}, func(w *world) {
		s := w.server(Server{}, Limits{})
		for range 40 {
			for range 50 {
				w.send(thief, serverAddr, helloPacket())
			}
			w.step()
		}
		if n := s.l.Counters(); n.Cookies > 120 || n.HellosThrottled < 1800 {
			t.Errorf("%d answered, %d throttled", n.Cookies, n.HellosThrottled)
		}
		w.letsIn(w.client(0))
	})
}

// Handshakes cost a quarter of a millisecond each: they are throttled by address, and others are not hit.
func TestHandshakesAreThrottled(t *testing.T) {
	inWorld(t, impair.Rule{}, func(w *world) {
		s := w.server(Server{}, Limits{HandshakesPerAddress: 2})
		greedy := w.add(thief, Config{})
		for range 40 {
			greedy.dial(Dial{})
		}
		w.run(500 * time.Millisecond)
		if n := len(s.opened); n > 6 || s.l.Counters().DeniedBy("busy") == 0 {
			t.Errorf("%d handshakes of one address, or none was told busy", n)
		}
		w.letsIn(w.client(0))
	})
}

// A cookie is of one address, and of its time.
func TestCookie(t *testing.T) {
	c := newCookies([32]byte{1})
	a, b := netip.MustParseAddrPort("10.0.0.1:1"), netip.MustParseAddrPort("10.0.0.1:2")
	raw := func(now time.Duration, a netip.AddrPort) []byte {
		return append(binary.BigEndian.AppendUint32(nil, slotOf(now)), c.sum(slotOf(now), a)...)
	}
	now := 95 * time.Second
	good := raw(now, a)
	for _, tt := range []struct {
		name string
		raw  []byte
		from netip.AddrPort
		now  time.Duration
		want bool
	}{
		{"fresh", good, a, now, true},
		{"next slot", good, a, 109 * time.Second, true},
		{"expired", good, a, 111 * time.Second, false},
		{"from the future", good, a, 80 * time.Second, false},
		{"another port", good, b, now, false},
		{"another address", good, netip.MustParseAddrPort("10.0.0.2:1"), now, false},
		{"zero", make([]byte, rawCookie), a, now, false},
		{"mapped address", raw(now, netip.MustParseAddrPort("[::ffff:10.0.0.1]:1")), a, now, true},
	} {
		if got := c.valid(tt.raw, tt.from, tt.now); got != tt.want {
			t.Errorf("%s: %v", tt.name, got)
		}
	}
	if newCookies([32]byte{2}).valid(good, a, now) {
		t.Error("a cookie of another server is good")
	}
}

// Half-open connections are bounded and go away by themselves.
func TestHalfOpenIsBounded(t *testing.T) {
	inWorld(t, impair.Rule{}, func(w *world) {
		s := w.server(Server{}, Limits{HalfOpen: 5, Handshakes: 1000, HandshakesPerAddress: 1000})
		w.tap = func(_, _ netip.AddrPort, b []byte) bool { return b[0] != typeConfirm }
		for i := range 12 {
			w.client(i).dial(Dial{})
		}
		w.run(2 * time.Second)
		if n := len(s.l.halves); n != 5 || s.l.Counters().DeniedBy("busy") == 0 {
			t.Errorf("%d half-open of at most 5, or nobody was told that the server is busy", n)
		}
		w.tap = nil
		w.until("all get in, in the end", 20*time.Second, func() bool { return len(s.opened) == 12 })
		w.run(10 * time.Second)
		if len(s.l.halves) != 0 {
			t.Errorf("%d half-open are left", len(s.l.halves))
		}
	})
}

// The identity that the server sees is proved: a client that shows another's key cannot confirm.
func TestConfirmOfAnotherExchangeIsRefused(t *testing.T) {
	inWorld(t, impair.Rule{}, func(w *world) {
		s := w.server(Server{}, Limits{})
		a, b := w.client(0), w.client(1)
		var fromA []byte
		w.tap = func(from, _ netip.AddrPort, p []byte) bool {
			if p[0] == typeConfirm {
				if from == a.addr {
					fromA = bytes.Clone(p)
					return false
				}
				copy(p[confirmHeader:], fromA[confirmHeader:]) // b shows what a made
			}
			return true
		}
		a.dial(Dial{})
		w.run(100 * time.Millisecond)
		b.dial(Dial{})
		w.run(100 * time.Millisecond)
		if len(s.opened) != 0 || s.l.Counters().BadHandshakes == 0 {
			t.Errorf("opened %d", len(s.opened))
		}
	})
}

// One link may dial for many players, each with a key of their own.
func TestDialAsSomebodyElse(t *testing.T) {
	inWorld(t, impair.Rule{Lag: 20 * time.Millisecond}, func(w *world) {
		s, c := w.server(Server{}, Limits{}), w.client(0)
		c.dial(Dial{Options: "itself"})
		c.dial(Dial{Options: "another", Key: testKey(77)})
		w.until("open", time.Second, func() bool { return len(s.opened) == 2 && len(c.opened) == 2 })
		for _, o := range s.opened {
			if id := o.Identity(); id.Key != map[string]Key{"itself": testKey(10), "another": testKey(77)}[id.Options].Public {
				t.Errorf("%s has the key %x", id.Options, id.Key)
			}
		}
		half := Key{Private: testKey(77).Private, Public: testKey(10).Public}
		if _, err := c.l.Dial(Dial{Addr: s.l.Addr(), Key: half}); err == nil {
			t.Error("halves of keys that do not belong together are taken")
		}
	})
}

// Wrong passwords are counted by network, with a wait that grows (G16): of 1 000 from one /64, half of them at once, a
// handful are looked at, none gets in, and the right one does not either while the wait lasts; players from elsewhere are let in
// as fast as before.
func TestWrongPasswordsWait(t *testing.T) {
	inWorld(t, impair.Rule{Lag: 10 * time.Millisecond}, func(w *world) {
		s := w.server(Server{Password: "tide"}, Limits{})
		network := netip.MustParsePrefix("2001:db8::/64")
		at := func(i int) *peer {
			a := network.Addr().As16()
			a[15] = byte(i)
			return w.add(netip.AddrPortFrom(netip.AddrFrom16(a), uint16(1000+i)), Config{})
		}
		var bad []*peer
		for i := range 20 {
			bad = append(bad, at(i))
		}
		try := func(p *peer, password string) {
			if w.piped { // the carrier of a dial ends with it; these let themselves be used again
				w.pipe(p, s.addr).closed, w.pipe(s, p.addr).closed = nil, nil
			}
			p.dial(Dial{Password: password})
		}
		for i := range 50 {
			for _, p := range bad {
				try(p, "ebb")
			}
			if i%10 == 0 {
				c := w.client(i)
				c.dial(Dial{Password: "tide"})
				w.until("a player from elsewhere is in", 300*time.Millisecond, func() bool { return len(c.opened) == 1 })
			}
			w.run(500 * time.Millisecond)
		}
		n := s.l.Counters()
		// Three for nothing and one after each wait that has passed: 1, 2, 4, 8, 16 s.
		if n.WrongPasswords < 4 || n.WrongPasswords > 3+6 || n.DeniedBy("password_wait") < 500 || len(s.opened) != 5 {
			t.Errorf("%d wrong passwords were looked at, %d were told to wait, %d are in; want at most 9, hundreds, and the five who know the password", n.WrongPasswords, n.DeniedBy("password_wait"), len(s.opened))
		}
		var told []Guess
		s.l.Guesses(func(g Guess) { told = append(told, g) })
		if len(told) != int(n.WrongPasswords) {
			t.Fatalf("told of %d wrong passwords of %d", len(told), n.WrongPasswords)
		}
		if last := told[len(told)-1]; last.Count != len(told) || last.Wait < time.Second ||
			!network.Contains(last.Addr.Addr()) {
			t.Errorf("the last one is told as %+v", last)
		}
		s.l.Guesses(func(g Guess) { t.Errorf("told twice of %+v", g) })
		late := at(99)
		late.dial(Dial{Password: "tide"})
		w.until("the right password waits, too", time.Second, func() bool { return late.lastReason() == "password_wait" })
		w.run(10 * time.Minute)
		try(late, "tide")
		w.until("after the wait it is let in", time.Second, func() bool { return len(late.opened) == 1 })
	})
}
