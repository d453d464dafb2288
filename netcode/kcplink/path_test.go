package kcplink

import (
	"bytes"
	"net/netip"
	"testing"
	"time"

	"github.com/tidelock/tidelock/netcode/kcplink/impair"
	"github.com/tidelock/tidelock/netcode/link"
)

var thief = netip.MustParseAddrPort("66.6.6.6:666")

// play has both sides send a datagram in every third step, as a match does, for a while. each is called after every step.
func play(t *testing.T, w *world, sc, cc link.Conn, d time.Duration, each func()) {
	t.Helper()
	for i, end := 0, w.now+d; w.now < end; i++ {
		if i%3 == 0 {
			must(t, sc.SendDatagram(numbered(i, 120)), cc.SendDatagram(numbered(i, 120)))
		}
		w.step()
		each()
	}
}

// onlooker copies what a client sends, from its own address and sooner, and if relay is set hands on what is sent to it. It drops nothing: it
// is not on the path. It counts bytes.
type onlooker struct {
	w               *world
	relay           bool
	sent, got, back int
}

func (o *onlooker) tap(from, to netip.AddrPort, b []byte) bool {
	o.got += len(b) * map[bool]int{true: 1}[to == thief]
	switch {
	case from == clientAddr && b[0] == typeData:
		key := [2]netip.AddrPort{thief, serverAddr}
		if o.w.lines[key] == nil {
			o.w.lines[key] = impair.NewLine[[]byte](impair.Rule{Lag: 5 * time.Millisecond}, 1)
			o.w.order = append([][2]netip.AddrPort{key}, o.w.order...)
		}
		o.sent += len(b)
		o.w.lines[key].Put(o.w.now, bytes.Clone(b), len(b))
	case to == thief && o.relay:
		o.back++
		key := [2]netip.AddrPort{serverAddr, clientAddr}
		o.w.lines[key].Put(o.w.now-15*time.Millisecond, bytes.Clone(b), len(b)) // it has a quicker line
		return false
	}
	return to != thief
}

// G14: who repeats a client's packets sooner from elsewhere does not get its stream, and not more than three times what they send: not
// even with the challenge handed on, nor where the client's own line loses packets.
func TestRepeatedSoonerFromElsewhere(t *testing.T) {
	for _, relay := range []bool{false, true} {
		for _, loss := range []float64{0, 0.1} {
			inOne(t, impair.Rule{Lag: 20 * time.Millisecond}, false, func(w *world) {
				s, c, sc, cc := w.pair(Limits{})
				w.setRule(impair.Rule{Lag: 20 * time.Millisecond, Loss: loss})
				o := &onlooker{w: w, relay: relay}
				w.tap = o.tap
				steps, away, longest, run := 0, 0, 0, 0
				play(t, w, sc, cc, time.Minute, func() {
					steps++
					if run++; sc.Identity().Addr == clientAddr.String() {
						run = 0
					} else {
						away++
					}
					longest = max(longest, run)
				})
				n := s.l.Counters()
				if n.PathsTried == 0 || o.got > amplification*o.sent {
					t.Errorf("%d candidates; %d bytes were sent to the onlooker for %d", n.PathsTried, o.got, o.sent)
				}
				if loss == 0 && (n.Moved != 0 || away != 0) {
					t.Errorf("the session moved %d times", n.Moved)
				}
				if away > steps/50 || time.Duration(longest)*stepTime > time.Second {
					t.Errorf("the session was elsewhere for %d of %d steps, %d in a row", away, steps, longest)
				}
				if len(s.closed)+len(c.closed) != 0 {
					t.Errorf("closed: %v %v", s.closed, c.closed)
				}
				w.tap = nil
				play(t, w, sc, cc, homeMost, func() {})
				if got := sc.Identity().Addr; got != clientAddr.String() {
					t.Errorf("at the end the session is at %s", got)
				}
			})
		}
	}
}

// G14: until the new address answered, traffic keeps going to the old one, and at most three times what came goes to the new one.
func TestNothingGoesToWhoDoesNotAnswer(t *testing.T) {
	inOne(t, impair.Rule{Lag: 20 * time.Millisecond}, false, func(w *world) {
		s, _, sc, cc := w.pair(Limits{})
		sent, got, home := 0, 0, 0
		w.tap = func(from, to netip.AddrPort, b []byte) bool {
			switch {
			case from == thief:
				sent += len(b)
			case to == clientAddr:
				home++
			case to == thief:
				if got += len(b); got > amplification*sent {
					t.Errorf("%d bytes went to it for %d", got, sent)
				}
			}
			return to != thief
		}
		// The client's next packet arrives from the thief's address, once, and it is not a tick's traffic.
		w.nat[clientAddr] = thief
		must(t, cc.SendDatagram(numbered(0, 20)))
		w.step()
		delete(w.nat, clientAddr)
		w.until("a candidate", time.Second, func() bool { return s.l.Counters().PathsTried == 1 })
		before := home
		play(t, w, sc, cc, 10*time.Second, func() {})
		if sc.Identity().Addr != clientAddr.String() || s.l.Counters().Moved != 0 || sc.(*Conn).trial != nil {
			t.Errorf("the session is at %s after %d moves, or a trial is left", sc.Identity().Addr,
				s.l.Counters().Moved)
		}
		if got == 0 || home-before < 600 {
			t.Errorf("%d bytes for the candidate, %d packets for the client", got, home-before)
		}
	})
}

// G14: a candidate is not challenged beyond its bytes, though nobody else answers.
func TestChallengesKeepToTheLimit(t *testing.T) {
	inOne(t, impair.Rule{Lag: 20 * time.Millisecond}, false, func(w *world) {
		s, _, _, cc := w.pair(Limits{})
		w.run(50 * time.Millisecond)
		first, got := 0, 0
		w.tap = func(from, to netip.AddrPort, b []byte) bool {
			if to == thief {
				got += len(b)
			}
			if from != thief || first > 0 {
				return false
			}
			first = len(b)
			return true
		}
		w.nat[clientAddr] = thief
		must(t, cc.SendDatagram(numbered(0, 20)))
		w.run(trialMost + time.Second)
		if got == 0 || got > amplification*first || s.l.Counters().PathsFailed != 1 {
			t.Errorf("%d bytes went there for %d, %d failed", got, first, s.l.Counters().PathsFailed)
		}
	})
}

// G14: who got a session because the client's own line failed for a moment loses it when that is back.
func TestTheSessionComesHome(t *testing.T) {
	inOne(t, impair.Rule{Lag: 20 * time.Millisecond}, false, func(w *world) {
		s, c, sc, cc := w.pair(Limits{})
		o, cut, taken := &onlooker{w: w, relay: true}, true, false
		w.tap = func(from, to netip.AddrPort, b []byte) bool {
			ok := o.tap(from, to, b)
			return ok && (!cut || from == thief)
		}
		play(t, w, sc, cc, 400*time.Millisecond, func() { taken = taken || sc.Identity().Addr == thief.String() })
		if !taken {
			t.Fatal("the attack was none")
		}
		cut = false
		home := func() bool { return sc.Identity().Addr == clientAddr.String() }
		w.until("the session is home", time.Second, home)
		play(t, w, sc, cc, 10*time.Second, func() {
			if !home() {
				t.Fatal("it went again")
			}
		})
		if len(s.closed)+len(c.closed) != 0 {
			t.Errorf("closed: %v %v", s.closed, c.closed)
		}
	})
}

// G14: after NAT rebinding a session continues within a round trip and 100 ms, also while the line loses packets.
func TestRebindingIsQuick(t *testing.T) {
	for _, lag := range []time.Duration{5 * time.Millisecond, 40 * time.Millisecond, 120 * time.Millisecond} {
		for _, loss := range []float64{0, 0.05} {
			inWorld(t, impair.Rule{Lag: lag, Loss: loss}, func(w *world) {
				s, c, sc, cc := w.pair(Limits{})
				w.run(2 * time.Second)
				for i := range 5 {
					moved := netip.AddrPortFrom(netip.MustParseAddr("99.0.0.1"), uint16(1000+i))
					play(t, w, sc, cc, 300*time.Millisecond, func() {})
					w.nat[clientAddr] = moved
					tried, came := s.l.Counters().PathsTried, len(c.datagrams)
					var first, heard, went time.Duration
					play(t, w, sc, cc, 2*lag+700*time.Millisecond, func() {
						if first == 0 && s.l.Counters().PathsTried > tried {
							first, came = w.now, len(c.datagrams)
						}
						if heard == 0 && first > 0 && len(c.datagrams) > came && w.now-first > lag {
							heard = w.now
						}
						if went == 0 && sc.Identity().Addr == moved.String() {
							went = w.now
						}
					})
					most := 2*lag + 100*time.Millisecond
					if loss == 0 && (went == 0 || went-first > most || heard == 0 || heard-first > most) {
						t.Errorf("lag %v: moved %v and heard %v after the first packet from there", lag, went-first, heard-first)
					}
					if went == 0 {
						t.Errorf("lag %v, loss %v: the session did not move", lag, loss)
					}
				}
				if len(s.closed)+len(c.closed) != 0 || sc.(*Conn).trial != nil && sc.(*Conn).trial.fresh.on {
					t.Errorf("closed %v %v", s.closed, c.closed)
				}
			})
		}
	}
}

// G14: a rebinding while an onlooker copies packets is delayed at most until the onlooker has been seen not to answer.
func TestRebindingUnderTheAttack(t *testing.T) {
	inOne(t, impair.Rule{Lag: 20 * time.Millisecond}, false, func(w *world) {
		s, c, sc, cc := w.pair(Limits{})
		o := &onlooker{w: w}
		moved := netip.MustParseAddrPort("99.0.0.1:1000")
		w.tap = o.tap
		play(t, w, sc, cc, time.Second, func() {})
		w.tap = nil
		w.nat[clientAddr] = moved
		play(t, w, sc, cc, time.Second, func() {})
		if got := sc.Identity().Addr; got != moved.String() || len(s.closed)+len(c.closed) != 0 {
			t.Errorf("the session is at %s, closed %v %v", got, s.closed, c.closed)
		}
	})
}

// A client that sends challenges gets one answer a packet, and a link that dialled does not move.
func TestChallengesDoNotAmplify(t *testing.T) {
	inOne(t, impair.Rule{}, false, func(w *world) {
		_, _, sc, cc := w.pair(Limits{})
		w.run(50 * time.Millisecond)
		before := cc.Stats().PacketsOut
		c := sc.(*Conn)
		o := c.room(100 * challengeSize)
		for range 100 {
			c.outN += len(appendChallenge(o.b[headerSize+c.outN:headerSize+c.outN], frameChallenge, make([]byte, tokenSize)))
		}
		c.touch()
		w.run(50 * time.Millisecond)
		if n := cc.Stats().PacketsOut - before; n != 1 {
			t.Errorf("%d packets for one", n)
		}
	})
}
