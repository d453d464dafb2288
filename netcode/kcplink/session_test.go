package kcplink

import (
	"bytes"
	"net/netip"
	"testing"
	"time"

	"github.com/tidelock/tidelock/netcode/kcplink/impair"
	"github.com/tidelock/tidelock/netcode/link"
)

func TestGoodbye(t *testing.T) {
	for _, byServer := range []bool{true, false} {
		inWorld(t, impair.Rule{Lag: 30 * time.Millisecond, Loss: 0.3}, func(w *world) {
			s, c, sc, cc := w.pair(Limits{})
			closer, other := c, s
			conn := link.Conn(cc)
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
			w.until("the other is told", 2*time.Second, func() bool { return len(other.closed) == 1 })
			if got := other.closed[0]; got.Code != "kick" || got.Text != "no?[31mway" {
				t.Errorf("told %q", got)
			}
			w.run(3 * time.Second)
			if len(s.closed) != 1 || len(c.closed) != 1 || len(s.l.timers.heap) != 0 || s.l.Open() != 0 || c.l.Open() != 0 {
				t.Error("something is left")
			}
		})
	}
}

func TestLinkCloseSaysGoodbye(t *testing.T) {
	inWorld(t, impair.Rule{Lag: 30 * time.Millisecond}, func(w *world) {
		s, c, _, _ := w.pair(Limits{})
		if err := s.l.Close(); err != nil {
			t.Fatal(err)
		}
		w.peers = w.peers[1:]
		w.until("told", time.Second, func() bool { return c.lastReason() == "closed" })
		if _, err := s.l.Dial(Dial{Addr: serverAddr}); err == nil {
			t.Error("dialled on a closed link")
		}
		s.l.Poll(w.now, s)
		s.l.Flush(w.now)
		if err := s.l.Close(); err != nil {
			t.Error(err)
		}
	})
}

// A peer that falls silent is given up after Silence, and not before, however idle the connection.
func TestTimeout(t *testing.T) {
	inWorld(t, impair.Rule{Lag: 50 * time.Millisecond}, func(w *world) {
		s, c, _, _ := w.pair(Limits{})
		w.run(time.Minute)
		if len(s.closed)+len(c.closed) != 0 {
			t.Fatalf("an idle connection closed: %v %v", s.closed, c.closed)
		}
		w.setRule(impair.Rule{Loss: 1})
		w.run(6900 * time.Millisecond) // the last packet may be a heartbeat old
		if len(s.closed)+len(c.closed) != 0 {
			t.Errorf("closed early: %v %v", s.closed, c.closed)
		}
		w.run(3300 * time.Millisecond)
		if s.lastReason() != "timeout" || c.lastReason() != "timeout" {
			t.Errorf("closed %v %v", s.closed, c.closed)
		}
		w.run(2 * time.Second)
		if len(s.l.timers.heap)+len(c.l.timers.heap) != 0 {
			t.Error("something is left")
		}
	})
}

// Idle connections on a bad line stay: silence makes heartbeats hurry.
func TestIdleOnABadLine(t *testing.T) {
	inWorld(t, impair.Rule{Lag: 200 * time.Millisecond, Loss: 0.4}, func(w *world) {
		s := w.server(Server{}, Limits{})
		for i := range 20 {
			c := w.client(i)
			c.dial(Dial{})
		}
		w.run(25 * time.Second) // those whose client gave up before it knew are gone, too
		n := s.l.Open()
		w.run(time.Minute)
		if s.l.Open() != n || n < 15 {
			t.Errorf("%d of %d are left after a minute at 40 %% loss", s.l.Open(), n)
		}
	})
}

func TestIdleCostsFewPackets(t *testing.T) {
	inWorld(t, impair.Rule{Lag: 20 * time.Millisecond}, func(w *world) {
		_, _, sc, cc := w.pair(Limits{})
		w.run(time.Second)
		a, b := sc.Stats(), cc.Stats()
		w.run(time.Minute)
		for _, d := range []uint64{sc.Stats().PacketsOut - a.PacketsOut, cc.Stats().PacketsOut - b.PacketsOut} {
			if d < 18 || d > 21 {
				t.Errorf("%d packets a minute", d)
			}
		}
		if d := cc.Stats().BytesOut - b.BytesOut; d > 21*(28+25+timeSize) {
			t.Errorf("%d bytes a minute", d)
		}
	})
}

// A session is not its address: a NAT may change it at any time.
func TestRebinding(t *testing.T) {
	inWorld(t, impair.Rule{Lag: 20 * time.Millisecond}, func(w *world) {
		s, c, sc, cc := w.pair(Limits{})
		c.echo = true
		for i := range 5 {
			moved := netip.AddrPortFrom(netip.MustParseAddr("99.0.0.1"), uint16(1000+i))
			w.nat[clientAddr] = moved
			if err := cc.Send(numbered(i, 50)); err != nil {
				t.Fatal(err)
			}
			w.until("heard", time.Second, func() bool { return len(s.messages) == i+1 })
			if err := sc.Send(numbered(i, 50)); err != nil {
				t.Fatal(err)
			}
			w.until("answered", time.Second, func() bool { return len(c.messages) == i+1 })
			w.until("moved", time.Second, func() bool { return sc.Identity().Addr == moved.String() })
			c.messages, s.messages = c.messages[:i+1], s.messages[:0:0]
			w.run(200 * time.Millisecond)
			s.messages = make([][]byte, i+1)
		}
		if n := s.l.Counters(); n.Moved != 5 || len(s.closed)+len(c.closed) != 0 {
			t.Errorf("%d moves, closed %v %v", n.Moved, s.closed, c.closed)
		}
	})
}

// Neither a forged packet nor an old one moves a session.
func TestOnlyTheNewestAuthenticPacketMoves(t *testing.T) {
	inWorld(t, impair.Rule{Lag: 20 * time.Millisecond}, func(w *world) {
		s, _, sc, cc := w.pair(Limits{})
		thief := netip.MustParseAddrPort("66.6.6.6:666")
		var held []byte
		w.tap = func(from, _ netip.AddrPort, b []byte) bool {
			if from == clientAddr && b[0] == typeData && held == nil {
				held = bytes.Clone(b)
				return false
			}
			return true
		}
		for i := range 3 {
			if err := cc.SendDatagram(numbered(i, 20)); err != nil {
				t.Fatal(err)
			}
			w.run(50 * time.Millisecond)
		}
		if len(s.datagrams) != 2 {
			t.Fatalf("%d datagrams", len(s.datagrams))
		}
		w.send(thief, serverAddr, held)
		forged := bytes.Clone(held)
		forged[8] += 100 // a number of the future
		w.send(thief, serverAddr, forged)
		w.run(50 * time.Millisecond)
		if len(s.datagrams) != 3 {
			t.Error("the late packet is to be read, though")
		}
		if n := s.l.Counters(); n.Moved != 0 || n.BadSeals != 1 || sc.Identity().Addr != clientAddr.String() {
			t.Errorf("moved %d, bad seals %d, at %s", n.Moved, n.BadSeals, sc.Identity().Addr)
		}
	})
}

// Every datagram of a session, sent again at any time and from anywhere, does nothing.
func TestReplay(t *testing.T) {
	inWorld(t, impair.Rule{Lag: 10 * time.Millisecond}, func(w *world) {
		s := w.server(Server{}, Limits{})
		c := w.client(0)
		var sent [][]byte
		recording := true
		w.tap = func(from, _ netip.AddrPort, b []byte) bool {
			if from == clientAddr && recording {
				sent = append(sent, bytes.Clone(b))
			}
			return true
		}
		cc := c.dial(Dial{})
		w.until("open", time.Second, func() bool { return len(c.opened) == 1 })
		for i := range 50 {
			if err := cc.SendDatagram(numbered(i, 30)); err != nil {
				t.Fatal(err)
			}
			if err := cc.Send(numbered(i, 30)); err != nil {
				t.Fatal(err)
			}
			w.step()
		}
		w.run(100 * time.Millisecond)
		recording = false
		opened, messages, datagrams := len(s.opened), len(s.messages), len(s.datagrams)
		if messages != 50 || datagrams != 50 {
			t.Fatalf("%d messages, %d datagrams", messages, datagrams)
		}
		for _, from := range []netip.AddrPort{clientAddr, netip.MustParseAddrPort("66.6.6.6:666")} {
			for _, b := range sent {
				w.send(from, serverAddr, b)
			}
			w.run(7 * time.Second) // over the end of what a repeated CONNECT leaves half-open
		}
		if len(s.opened) != opened || len(s.messages) != messages || len(s.datagrams) != datagrams || s.l.Open() != 1 || len(s.l.halves) != 0 {
			t.Errorf("opened %d, messages %d, datagrams %d, open %d, half-open %d", len(s.opened), len(s.messages), len(s.datagrams), s.l.Open(), len(s.l.halves))
		}
		if n := s.l.Counters(); n.Replayed < 100 || n.Moved != 0 {
			t.Errorf("%d replays counted, %d moves", n.Replayed, n.Moved)
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
	var w window
	if w.number(1<<32-1) != 1<<32-1 || w.number(0) != 0 {
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
			if err := cc.SendDatagram(numbered(i, 20)); err != nil {
				t.Fatal(err)
			}
			w.step()
		}
		w.run(50 * time.Millisecond)
		if len(c.datagrams) != 0 || c.l.Counters().BadSeals != 20 && c.l.Counters().BadSeals+c.l.Counters().Replayed < 20 {
			t.Errorf("%d reflected datagrams arrived; %+v", len(c.datagrams), c.l.Counters())
		}
		if len(s.datagrams) != 20 {
			t.Error(len(s.datagrams))
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
				if err := gc.SendDatagram(numbered(i, 20)); err != nil {
					t.Fatal(err)
				}
			}
			w.step()
		}
		if bad.lastReason() != "flood" || len(good.closed) != 0 || s.l.Open() != 1 {
			t.Errorf("bad closed %v, good closed %v", bad.closed, good.closed)
		}
		n := 0
		for _, d := range s.datagrams {
			if len(d) == 20 {
				n++
			}
		}
		if n != 20 {
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
			drawn := false
			for _, a := range after[s] {
				drawn = drawn || a == n
			}
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
