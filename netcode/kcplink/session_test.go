package kcplink

import (
	"bytes"
	"net/netip"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/tidelock/tidelock/netcode/kcplink/impair"
	"github.com/tidelock/tidelock/netcode/link"
)

func TestGoodbye(t *testing.T) {
	for _, byServer := range []bool{true, false} {
		inWorld(t, impair.Rule{Lag: 30 * time.Millisecond, Loss: 0.3}, func(w *world) {
			s, c, sc, cc := w.pair(Limits{})
			closer, other, conn := c, s, link.Conn(cc)
			if byServer {
				closer, other, conn = s, c, sc
			}
			conn.Close(link.Reason{Code: "kick", Text: "no\x1b[31mway"})
			if len(closer.closed) != 0 {
				t.Error("Closed was called inside Close")
			}
			w.step()
			if closer.lastReason() != "kick" {
				t.Errorf("the closer was told %v", closer.closed)
			}
			w.run(5 * time.Second)
			if len(other.closed) != 1 || other.closed[0] != (link.Reason{Code: "kick", Text: "no?[31mway"}) {
				t.Errorf("told %q", other.closed)
			}
			if len(closer.closed) != 1 || len(s.l.timers.heap) != 0 || s.l.Open() != 0 || c.l.Open() != 0 {
				t.Error("something is left")
			}
		})
	}
}

func TestLinkCloseSaysGoodbye(t *testing.T) {
	inWorld(t, impair.Rule{Lag: 30 * time.Millisecond}, func(w *world) {
		s, c, _, _ := w.pair(Limits{})
		must(t, s.l.Close())
		w.peers = w.peers[1:]
		w.until("told", time.Second, func() bool { return c.lastReason() == "closed" })
		if _, err := s.l.Dial(Dial{Addr: serverAddr}); err == nil {
			t.Error("dialled on a closed link")
		}
		s.l.Poll(w.now, s)
		s.l.Flush(w.now)
		must(t, s.l.Close())
	})
}

// A peer that falls silent is given up after Silence, and not before, however idle its connections, which cost few packets and no
// goroutine. They leave nothing: slots, timers, counts by address.
func TestTimeout(t *testing.T) {
	inWorld(t, impair.Rule{Lag: 50 * time.Millisecond}, func(w *world) {
		s, c, sc, cc := w.pair(Limits{HandshakesPerAddress: 1000, Handshakes: 1000, HellosPerAddress: 1000})
		goroutines := runtime.NumGoroutine()
		for range 49 {
			c.dial(Dial{})
		}
		w.until("all in", 5*time.Second, func() bool { return len(s.opened) == 50 && len(c.opened) == 50 })
		w.run(time.Second)
		a, b := sc.Stats(), cc.Stats()
		w.run(time.Minute)
		out, in, bytes := sc.Stats().PacketsOut-a.PacketsOut, cc.Stats().PacketsOut-b.PacketsOut, cc.Stats().BytesOut-b.BytesOut
		if len(s.closed)+len(c.closed) != 0 || out < 18 || out > 21 || in < 18 || in > 21 ||
			bytes > 21*(28+25+timeSize) || runtime.NumGoroutine() > goroutines {
			t.Fatalf("idle connections: closed %v %v; each %d and %d packets, %d bytes a minute; %d goroutines more",
				s.closed, c.closed, out, in, bytes, runtime.NumGoroutine()-goroutines)
		}
		for _, x := range s.opened {
			must(t, x.Send(make([]byte, 10_000)))
		}
		w.setRule(impair.Rule{Loss: 1})
		w.run(6900 * time.Millisecond) // the last packet may be a heartbeat old
		if len(s.closed)+len(c.closed) != 0 {
			t.Errorf("closed early: %v %v", s.closed, c.closed)
		}
		w.run(5300 * time.Millisecond)
		for _, p := range []*peer{s, c} {
			if len(p.closed) != 50 || p.lastReason() != "timeout" || len(p.l.timers.heap) != 0 || p.l.Open() != 0 ||
				p.l.accepted != 0 || len(p.l.halves) != 0 {
				t.Errorf("closed %v, or something is left", p.closed)
			}
			if slices.ContainsFunc(p.l.table, func(c *Conn) bool { return c != nil }) {
				t.Error("a slot is not free")
			}
			for _, a := range p.l.addresses.by { // any order
				if a.conns != 0 || a.halves != 0 {
					t.Errorf("an address counts %d and %d", a.conns, a.halves)
				}
			}
		}
	})
}

// Every datagram of a session, sent again at any time and from anywhere, does nothing. A packet that was held back is read when it
// comes, but neither it nor a forged one moves the session to where it came from.
func TestReplay(t *testing.T) {
	inWorld(t, impair.Rule{Lag: 10 * time.Millisecond}, func(w *world) {
		s, c := w.server(Server{}, Limits{}), w.client(0)
		var sent [][]byte
		recording, hold := true, false
		w.tap = func(from, _ netip.AddrPort, b []byte) bool {
			if from != clientAddr || !recording {
				return true
			}
			sent = append(sent, bytes.Clone(b))
			held := hold && b[0] == typeData
			hold = hold && !held
			return !held
		}
		cc := c.dial(Dial{})
		w.until("open", time.Second, func() bool { return len(c.opened) == 1 })
		for i := range 50 {
			hold = i == 10
			must(t, cc.SendDatagram(numbered(i, 30)), cc.Send(numbered(i, 30)))
			w.step()
		}
		w.run(time.Second)
		recording = false
		if len(s.datagrams) != 49 {
			t.Fatalf("%d datagrams", len(s.datagrams))
		}
		forged := bytes.Clone(sent[len(sent)-1])
		forged[8] += 100 // a number of the future
		w.send(thief, serverAddr, forged)
		for _, from := range []netip.AddrPort{thief, clientAddr} {
			for _, b := range sent {
				w.send(from, serverAddr, b)
			}
			w.run(7 * time.Second) // over the end of what a repeated CONNECT leaves half-open
		}
		if len(s.opened) != 1 || len(s.messages) != 50 || len(s.datagrams) != 50 || s.l.Open() != 1 ||
			len(s.l.halves) != 0 {
			t.Errorf("opened %d, messages %d, datagrams %d, open %d, half-open %d", len(s.opened), len(s.messages), len(s.datagrams), s.l.Open(), len(s.l.halves))
		}
		if n := s.l.Counters(); n.Replayed < 100 || n.Moved+n.PathsTried != 0 || n.BadSeals != 1 ||
			s.opened[0].Identity().Addr != clientAddr.String() {
			t.Errorf("%d replays counted, %d bad seals, %d moves, at %s", n.Replayed, n.BadSeals, n.Moved,
				s.opened[0].Identity().Addr)
		}
	})
}

// The window against a plain set, with numbers at the wraps of what is sent of them.
func TestWindow(t *testing.T) {
	for _, start := range []uint64{0, 63, 1<<32 - 700, 5<<32 - 1} {
		w := window{next: start}
		seen := map[uint64]bool{}
		x := uint32(1)
		top := start
		for range 20_000 {
			x = x*1664525 + 1013904223
			n := top + uint64(x>>20)%40
			if back := uint64(x>>8) % 1500; x&1 == 0 && top > start+back {
				n = top - back
			}
			if x>>4&255 == 0 {
				n = top + uint64(x>>12)%5000
			}
			if got := w.number(uint32(n)); got != n {
				t.Fatalf("number %d is taken for %d with %d next", n, got, w.next)
			}
			want := !seen[n] && (n >= w.next || w.next-n <= replayWindow)
			if got := w.fresh(n); got != want {
				t.Fatalf("fresh(%d) is %v with %d next", n, got, w.next)
			}
			if want {
				w.mark(n)
				seen[n] = true
				top = max(top, n+1)
			}
		}
	}
	if w := (&window{}); w.number(1<<32-1) != 1<<32-1 || w.number(0) != 0 {
		t.Error("the first numbers")
	}
}

// Each side's packets are sealed with its own key, each with a number of its own.
func TestPacketsOfOneSideDoNotOpenOnTheOther(t *testing.T) {
	inWorld(t, impair.Rule{}, func(w *world) {
		s, c, _, cc := w.pair(Limits{})
		numbers := map[[2]string]bool{}
		w.tap = func(from, to netip.AddrPort, b []byte) bool {
			if b[0] == typeData {
				k := [2]string{from.String(), string(b[5:9])}
				if numbers[k] {
					t.Error("a number was used twice")
				}
				numbers[k] = true
				if from == clientAddr { // reflected, with the session that the client knows
					r := bytes.Clone(b)
					copy(r[1:5], []byte{byte(cc.id >> 24), byte(cc.id >> 16), byte(cc.id >> 8), byte(cc.id)})
					w.lines[[2]netip.AddrPort{serverAddr, clientAddr}].Put(w.now, r, len(r))
				}
			}
			return true
		}
		for i := range 20 {
			must(t, cc.SendDatagram(numbered(i, 20)))
			w.step()
		}
		w.run(50 * time.Millisecond)
		if n := c.l.Counters(); len(c.datagrams) != 0 || n.BadSeals+n.Replayed < 20 || len(s.datagrams) != 20 {
			t.Errorf("%d reflected datagrams arrived, %d of 20 others; %+v", len(c.datagrams), len(s.datagrams), n)
		}
	})
}

// An authentic peer that sends without end is throttled, then closed; the others notice nothing.
func TestFloodOfAnAuthenticPeer(t *testing.T) {
	inWorld(t, impair.Rule{}, func(w *world) {
		s := w.server(Server{}, Limits{PacketsIn: 100, FloodDrops: 200})
		bad, good := w.client(0), w.client(1)
		bc, gc := bad.dial(Dial{}), good.dial(Dial{})
		w.until("open", time.Second, func() bool { return len(bad.opened) == 1 && len(good.opened) == 1 })
		for i := range 400 {
			for range 3 {
				if bc.SendDatagram(make([]byte, 1100)) != nil {
					break
				}
			}
			if i%20 == 0 {
				must(t, gc.SendDatagram(numbered(i, 20)))
			}
			w.step()
		}
		if bad.lastReason() != "flood" || len(good.closed) != 0 || s.l.Open() != 1 {
			t.Errorf("bad closed %v, good closed %v", bad.closed, good.closed)
		}
		if n := len(slices.DeleteFunc(s.datagrams, func(d []byte) bool { return len(d) != 20 })); n != 20 {
			t.Errorf("%d of the good one's 20 datagrams", n)
		}
	})
}

// A packet that is authentic and unreadable ends the connection that it came on, and no other.
func TestUnreadablePacketsEndTheirConnection(t *testing.T) {
	for name, plain := range map[string][]byte{
		"unknown frame":    {99},
		"truncated frame":  {frameDatagram, 0, 9, 1},
		"empty push":       append([]byte{framePush}, make([]byte, 16)...),
		"endless message":  {framePush, 0, 64, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 3, 0xff, 0xff, 0xff},
		"gigantic message": {framePush, 0, 64, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 3, 0xff, 0xff, 0x7f},
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, impair.Rule{}, func(w *world) {
				s, c, _, cc := w.pair(Limits{})
				other := w.client(1)
				other.dial(Dial{})
				w.until("the other", time.Second, func() bool { return len(other.opened) == 1 })
				o := cc.room(len(plain))
				cc.outN += copy(o.b[headerSize+cc.outN:], plain)
				cc.touch()
				w.run(100 * time.Millisecond)
				if s.lastReason() != "protocol" || c.lastReason() != "protocol" || s.l.Open() != 1 || len(other.closed) != 0 {
					t.Errorf("closed %v and %v, %d open", s.closed, c.closed, s.l.Open())
				}
			})
		})
	}
}

// Every transition that is drawn is named, and none but those is possible.
func TestStates(t *testing.T) {
	for s := range states {
		if s.String() == "?" {
			t.Errorf("state %d has no name", s)
		}
		for n := range states {
			drawn := slices.Contains(after[s], n)
			func() {
				defer func() {
					if panicked := recover() != nil; panicked == drawn {
						t.Errorf("from %v to %v: drawn %v, panicked %v", s, n, drawn, panicked)
					}
				}()
				(&Conn{state: s}).become(n)
			}()
		}
	}
	for d := denial(1); d < denials; d++ {
		if r := d.reason(9); r.Code == "denied" || r.Text == "" {
			t.Errorf("denial %d has no reason", d)
		}
	}
}

// TestRelimit: new limits are those of the link, but for the size of its queue; wrong ones change nothing.
func TestRelimit(t *testing.T) {
	l := onLoopback(t, Config{Addr: "127.0.0.1:0", Server: &Server{}, Limits: Limits{Inbound: 512, PacketsIn: 10}}).l
	if err := l.Relimit(Limits{ConnsPerAddress: 3, Inbound: 9}); err != nil || l.limits.ConnsPerAddress != 3 ||
		l.limits.Inbound != 512 || l.limits.PacketsIn != 1000 {
		t.Errorf("%v, %+v", err, l.limits)
	}
	before := l.limits
	if err := l.Relimit(Limits{Conns: -1}); err == nil || l.limits != before {
		t.Errorf("%v, %+v", err, l.limits)
	}
}

// TestSetPassword: a password can be given and taken away, but not beside tokens, nor where nobody is admitted.
func TestSetPassword(t *testing.T) {
	l := onLoopback(t, Config{Addr: "127.0.0.1:0", Server: &Server{}}).l
	for _, p := range []string{"sesame", ""} {
		if err := l.SetPassword(p); err != nil || l.server.Password != p {
			t.Errorf("%q: %v, %q", p, err, l.server.Password)
		}
	}
	l.server.TokenKey = &[32]byte{1}
	must(t, l.SetPassword(""))
	if err := l.SetPassword("sesame"); err == nil || l.server.Password != "" {
		t.Errorf("a password beside tokens: %v", err)
	}
	l.server = nil
	if err := l.SetPassword("sesame"); err == nil {
		t.Error("a password where nobody is admitted")
	}
}

// TestGather: Poll handles what was gathered before it, and what came since waits for the next one.
func TestGather(t *testing.T) {
	inWorld(t, impair.Rule{Lag: 10 * time.Millisecond}, func(w *world) {
		s, c, _, cc := w.pair(Limits{})
		w.run(time.Second)
		before := len(s.datagrams)
		s.l.Gather()
		s.l.Gather() // a second time takes no more
		must(t, cc.SendDatagram([]byte("later")))
		c.l.Flush(w.now)
		w.pass(50 * time.Millisecond) // it arrives, and nobody polls
		for polls := range 2 {
			s.l.Poll(w.now, s)
			if n := len(s.datagrams) - before; n != polls {
				t.Errorf("%d datagrams by Poll %d, expected %d", n, polls, polls)
			}
		}
	})
}
