package kcplink

import (
	"bytes"
	"net/netip"
	"testing"
	"time"

	"github.com/tidelock/tidelock/netcode/kcplink/impair"
	"github.com/tidelock/tidelock/netcode/link"
)

// renewing is a server and a client that renews its session, which is open.
func (w *world) renewing() (s, c *peer, cc *Conn) {
	w.t.Helper()
	s = w.server(Server{Password: "secret"}, Limits{})
	c = w.add(clientAddr, Config{Key: testKey(10), Renew: true, Limits: Limits{Silence: 20 * time.Second}})
	cc = c.dial(Dial{Password: "secret", Options: "?name=Ann"})
	w.until("open", 5*time.Second, func() bool { return len(s.opened) == 1 && len(c.opened) == 1 })
	return s, c, cc
}

// restart replaces the server by another of the same address, without a goodbye.
func (w *world) restart(s *peer, key Key) *peer {
	w.t.Helper()
	w.peers = w.peers[1:]
	w.tap = func(from, _ netip.AddrPort, _ []byte) bool { return from != serverAddr }
	must(w.t, s.l.Close())
	w.tap = nil
	for key := range w.pipes { // any order: a host's pipes end with it
		if key[0] == serverAddr {
			delete(w.pipes, key)
		}
	}
	return w.add(serverAddr, Config{Key: key, Server: &Server{Password: "secret"}})
}

// G15: a client learns at once that its server was started again, and has another session with it, as the same player.
func TestRestartedServer(t *testing.T) {
	for _, lag := range []time.Duration{time.Millisecond, 75 * time.Millisecond} {
		for _, loss := range []float64{0, 0.1} {
			inWorld(t, impair.Rule{Lag: lag, Loss: loss}, func(w *world) {
				s, c, cc := w.renewing()
				w.run(time.Second)
				s = w.restart(s, testKey(1))
				start := w.now
				must(t, cc.SendDatagram(numbered(1, 20)))
				w.until("open again", 5*time.Second, func() bool {
					if cc.state == stateOpen && (w.now-start)%(50*time.Millisecond) == 0 {
						_ = cc.SendDatagram(numbered(1, 20)) // it plays on until it knows
					}
					return len(c.opened) == 2 && len(s.opened) == 1
				})
				took := w.now - start
				t.Logf("lag %v, loss %v: another session after %v", lag, loss, took)
				if loss == 0 && took > 10*lag+400*time.Millisecond {
					t.Errorf("another session after %v", took)
				}
				if len(c.closed) != 1 || c.closed[0].Code != link.Restarted || cc.state != stateDead {
					t.Errorf("the old session ended %v", c.closed)
				}
				if got := s.opened[0].Identity(); got.Key != c.l.PublicKey() || got.Options != "?name=Ann" {
					t.Errorf("the server knows %+v", got)
				}
				talks(t, w, s.opened[0], c.opened[1], s, c)
				if c.l.Counters().Renewals == 0 || s.l.Open() != 1 {
					t.Errorf("%d renewals, %d open", c.l.Counters().Renewals, s.l.Open())
				}
			})
		}
	}
}

// G15: only the same server is returned to, and a link that was not told to renew does not.
func TestRestartedByAnother(t *testing.T) {
	inOne(t, impair.Rule{Lag: 20 * time.Millisecond}, false, func(w *world) {
		s, c, _ := w.renewing()
		w.restart(s, testKey(3))
		w.run(15 * time.Second)
		if len(c.opened) != 1 || len(c.closed) != 0 {
			t.Errorf("%d sessions, closed %v", len(c.opened), c.closed)
		}
		w.until("the silence ends it", 10*time.Second, func() bool { return c.lastReason() == "timeout" })
		w.run(5 * time.Second)
		if len(c.l.dials) != 0 || len(c.l.timers.heap) != 0 || len(c.opened) != 1 {
			t.Errorf("left: %d dials, %d timers", len(c.l.dials), len(c.l.timers.heap))
		}
	})
}

// G15: forged answers do not hurt. An onlooker who sees every packet says of each that its session is unknown.
func TestForgedUnknown(t *testing.T) {
	for _, loss := range []float64{0, 0.1} {
		for _, quiet := range []bool{false, true} {
			inOne(t, impair.Rule{Lag: 30 * time.Millisecond, Loss: loss}, false, func(w *world) {
				s, c, cc := w.renewing()
				sc := s.opened[0]
				forged, before := 0, s.l.Counters()
				w.tap = func(from, to netip.AddrPort, b []byte) bool {
					if from == clientAddr && b[0] == typeData {
						forged++
						f := append([]byte{typeUnknown}, b[1:unknownSize]...)
						w.lines[[2]netip.AddrPort{serverAddr, clientAddr}].Put(w.now-25*time.Millisecond, f, len(f))
					}
					return true
				}
				if quiet { // nothing but heartbeats: nothing else shows that the session lives
					w.run(time.Minute)
				} else {
					play(t, w, sc, cc, time.Minute, func() {})
				}
				n := c.l.Counters()
				t.Logf("loss %v, quiet %v: %d forged, %d heard, %d handshakes", loss, quiet, forged, n.UnknownsHeard, n.Renewals)
				if forged == 0 || n.UnknownsHeard == 0 {
					t.Error("the attack was none")
				}
				if len(c.opened) != 1 || len(c.closed)+len(s.closed) != 0 || cc.state != stateOpen {
					t.Errorf("%d sessions, closed %v %v", len(c.opened), c.closed, s.closed)
				}
				if after := s.l.Counters(); after.Opened != before.Opened || loss == 0 && n.Renewals != 0 {
					t.Errorf("%d sessions were opened, %d handshakes", after.Opened-before.Opened, n.Renewals)
				}
				w.tap = nil
				w.run(5 * time.Second)
				if cc.doubt != nil || len(c.l.dials) != 0 {
					t.Error("a doubt is left")
				}
			})
		}
	}
}

// G15: the answer is shorter than the question and throttled, and none answers an answer.
func TestUnknownIsNoAmplifier(t *testing.T) {
	inOne(t, impair.Rule{}, false, func(w *world) {
		s := w.server(Server{}, Limits{})
		victim := netip.MustParseAddrPort("99.0.0.9:9")
		in, out, packets := 0, 0, 0
		w.tap = func(from, to netip.AddrPort, b []byte) bool {
			if to == victim {
				out += len(b)
				packets++
			} else {
				in += len(b)
			}
			return true
		}
		for i := range 200 {
			for range 10 {
				b := bytes.Repeat([]byte{byte(i)}, headerSize+tagSize)
				b[0] = typeData
				w.send(victim, serverAddr, b)
				w.send(victim, serverAddr, append([]byte{typeUnknown}, b[1:unknownSize]...))
			}
			w.step()
		}
		if packets == 0 || packets > 3*unknownsPerAddress+10 || out >= in {
			t.Errorf("%d packets, %d bytes for %d", packets, out, in)
		}
		if n := s.l.Counters(); n.UnknownsTold != uint64(packets) {
			t.Errorf("%d counted", n.UnknownsTold)
		}
	})
}

// G15: a link that stood still, as a stopped process or a sleeping laptop does, does not take that for its peers' silence.
func TestStoodStill(t *testing.T) {
	for _, server := range []bool{false, true} {
		inOne(t, impair.Rule{Lag: 20 * time.Millisecond}, false, func(w *world) {
			s, c, cc := w.renewing()
			w.run(time.Second)
			all := w.peers
			w.peers = []*peer{s}
			if server {
				w.peers = []*peer{c}
			}
			asleep := clientAddr
			if server {
				asleep = serverAddr
			}
			w.tap = func(_, to netip.AddrPort, _ []byte) bool { return to != asleep } // its system keeps nothing either
			w.run(15 * time.Second)
			w.tap = nil
			w.peers = all
			came := len(s.messages)
			if cc.state == stateOpen {
				must(t, cc.Send([]byte("again")))
			}
			w.run(3 * time.Second)
			if server {
				if len(c.closed)+len(s.closed) != 0 || len(s.messages) == came {
					t.Errorf("a server that was stopped: closed %v %v, %d messages", s.closed, c.closed, len(s.messages)-came)
				}
				return
			}
			// The server has given the client up; the client learns that when it wakes.
			if len(s.closed) != 1 || len(c.opened) != 2 || len(s.opened) != 2 || c.closed[0].Code != link.Restarted {
				t.Errorf("a client that slept: closed %v %v, %d opened", s.closed, c.closed, len(c.opened))
			}
		})
	}
}
