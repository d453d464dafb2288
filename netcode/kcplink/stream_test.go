package kcplink

import (
	"bytes"
	"errors"
	"net/netip"
	"slices"
	"testing"
	"time"

	"github.com/tidelock/tidelock/netcode/kcplink/impair"
	"github.com/tidelock/tidelock/netcode/link"
)

// Messages arrive once and in order whatever the line does; datagrams never twice. What the counters say is what the wire carried.
func TestDeliveryOnBadLines(t *testing.T) {
	for name, rule := range map[string]impair.Rule{
		"perfect":                 {},
		"loss 30 %":               {Lag: 25 * time.Millisecond, Loss: 0.3},
		"doubling and reordering": {Lag: 50 * time.Millisecond, Jitter: 40 * time.Millisecond, Dup: 0.25, Reorder: 0.3},
		"all of it":               {Lag: 100 * time.Millisecond, Jitter: 100 * time.Millisecond, Loss: 0.3, Dup: 0.25, Reorder: 0.3},
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, rule, func(w *world) {
				var wire, packets uint64
				w.tap = func(from, _ netip.AddrPort, b []byte) bool {
					if from == clientAddr {
						wire, packets = wire+uint64(len(b))+28, packets+1
					}
					return true
				}
				s, c, sc, cc := w.pair(Limits{})
				var sent [][]byte
				const n = 400
				total := uint64(0)
				for i := range n {
					size := 8 + i*37%200
					switch {
					case i == 5:
						size = 0 // an empty message is one, too
					case i%97 == 0:
						size = 20_000
					case i%31 == 0:
						size = 3000
					}
					sent = append(sent, numbered(i, size)[:size])
					total += uint64(size)
				}
				for i := 0; i < n; i += 4 {
					for _, b := range sent[i : i+4] {
						must(t, cc.Send(b), sc.Send(b))
					}
					must(t, cc.SendDatagram(numbered(i, 100)))
					w.step()
				}
				w.until("all arrived", time.Minute, func() bool { return len(s.messages) == n && len(c.messages) == n })
				if !slices.EqualFunc(s.messages, sent, bytes.Equal) ||
					!slices.EqualFunc(c.messages, sent, bytes.Equal) {
					t.Error("other messages came than were sent")
				}
				seen := map[string]bool{}
				for _, d := range s.datagrams {
					seen[string(d)] = true
				}
				if len(seen) != len(s.datagrams) || len(seen) < n/4*6/10 || rule.Loss == 0 && len(seen) != n/4 {
					t.Errorf("%d datagrams of %d, %d of them different", len(s.datagrams), n/4, len(seen))
				}
				w.until("all acknowledged", 10*time.Second, func() bool { return cc.Stats().Unacked == 0 && sc.Stats().Unacked == 0 })
				st, all := cc.Stats(), c.l.Counters()
				if st.MessageBytesOut != total || st.DatagramBytesOut != n/4*100 || all.BytesOut != wire ||
					all.PacketsOut != packets {
					t.Errorf("%+v, %+v; want %d and %d bytes of payload, %d of the wire in %d packets", st, all, total,
						n/4*100, wire, packets)
				}
				if out, in := all.PipeBytesOut, all.PipePacketsIn; w.piped &&
					(out != all.BytesOut || in != all.PacketsIn) || !w.piped && out+in != 0 {
					t.Errorf("over pipes %v, counted %+v", w.piped, all)
				}
				const hello, confirm = 1028, confirmLeast + 28
				if shake := wire - st.BytesOut; shake < hello+connectSize+28+confirm ||
					shake > 4*(hello+connectSize+confirm) {
					t.Errorf("%d bytes of the wire are not the connection's", shake)
				}
				if (rule.Loss > 0) != (st.RetransmittedOut > 0) && rule.Reorder == 0 {
					t.Errorf("%d bytes retransmitted", st.RetransmittedOut)
				}
				if cap(cc.strm.queue.b) > bigQueue || cap(cc.strm.in) > bigQueue {
					t.Error("an idle connection keeps large buffers")
				}
			})
		})
	}
}

// Small messages of one tick share a packet, with the datagrams of that tick.
func TestBundling(t *testing.T) {
	inWorld(t, impair.Rule{}, func(w *world) {
		s, _, _, cc := w.pair(Limits{})
		w.run(time.Second)
		before := cc.Stats().PacketsOut
		for i := range 20 {
			must(t, cc.Send(numbered(i, 20)), cc.SendDatagram(numbered(i, 20)))
		}
		w.step()
		w.step()
		if n := cc.Stats().PacketsOut - before; n != 1 || len(s.messages) != 20 || len(s.datagrams) != 20 {
			t.Errorf("%d packets for %d messages and %d datagrams", n, len(s.messages), len(s.datagrams))
		}
	})
}

func TestSendLimits(t *testing.T) {
	inWorld(t, impair.Rule{}, func(w *world) {
		s, _, _, cc := w.pair(Limits{})
		fails := func(want error, message, datagram int) {
			t.Helper()
			if a, b := cc.Send(make([]byte, message)), cc.SendDatagram(make([]byte, datagram)); !errors.Is(a, want) ||
				!errors.Is(b, want) {
				t.Errorf("%v and %v, want %v", a, b, want)
			}
		}
		fails(link.ErrTooLarge, link.MaxUpMessage+1, cc.MaxDatagram()+1)
		large := 0
		w.tap = func(_, _ netip.AddrPort, b []byte) bool { large = max(large, len(b)); return true }
		must(t, cc.Send(make([]byte, link.MaxUpMessage)), cc.SendDatagram(make([]byte, cc.MaxDatagram())))
		w.until("the largest", 5*time.Second, func() bool { return len(s.messages) == 1 && len(s.datagrams) == 1 })
		if large != link.MaxPacket {
			t.Errorf("the largest packet is %d bytes", large)
		}
		cc.Close(link.Reason{Code: "bye", Text: "bye"})
		fails(link.ErrClosed, 0, 0)
	})
}

// A queue that is full is one connection's trouble: its owner closes it, the others go on.
func TestQueueOverflowHitsOneConnection(t *testing.T) {
	for _, limits := range []Limits{{QueueBytes: 20_000}, {QueueMessages: 20}} {
		inWorld(t, impair.Rule{}, func(w *world) {
			s, a, stuck, _ := w.pair(limits)
			b := w.client(1)
			b.dial(Dial{})
			w.until("open", time.Second, func() bool { return len(s.opened) == 2 })
			fine := s.opened[1]
			w.tap = func(from, _ netip.AddrPort, _ []byte) bool { return from != a.addr } // acknowledges nothing
			full := 0
			for i := range 100 {
				must(t, fine.Send(numbered(i, 900)))
				if full == 0 {
					if err := stuck.Send(numbered(i, 900)); errors.Is(err, link.ErrQueueFull) {
						full = i
						stuck.Close(link.Reason{Code: "overflow", Text: "too much waits unacknowledged"})
					} else {
						must(t, err)
					}
				}
				w.step()
			}
			if full < 19 || full > 23 || s.lastReason() != "overflow" || a.lastReason() != "overflow" {
				t.Errorf("full after %d messages, closed %v and %v", full, s.closed, a.closed)
			}
			w.until("the other got all", time.Second, func() bool { return len(b.messages) == 100 })
			if len(b.closed) != 0 || s.l.Open() != 1 {
				t.Errorf("b closed %v, %d open", b.closed, s.l.Open())
			}
		})
	}
}

func TestStreamRate(t *testing.T) {
	inWorld(t, impair.Rule{Lag: 20 * time.Millisecond}, func(w *world) {
		s, _, _, cc := w.pair(Limits{})
		cc.SetStreamRate(10_000)
		must(t, cc.Send(make([]byte, 50_000)))
		start := w.now
		w.until("arrived", 10*time.Second, func() bool { return len(s.messages) == 1 })
		if took := w.now - start; took < 4500*time.Millisecond || took > 5500*time.Millisecond {
			t.Errorf("50 000 bytes at 10 000 a second took %v", took)
		}
	})
}

// A large queue gets through a thin line that drops what is too much, and hardly anything of it is sent twice.
func TestThinLine(t *testing.T) {
	inWorld(t, impair.Rule{Lag: 50 * time.Millisecond, Rate: 50_000}, func(w *world) {
		s, _, _, cc := w.pair(Limits{})
		for range 4 {
			must(t, cc.Send(make([]byte, 50_000)))
		}
		w.until("arrived", 40*time.Second, func() bool { return len(s.messages) == 4 })
		if n := cc.Stats().RetransmittedOut; n > 60_000 {
			t.Errorf("200 kB over 50 kB/s: %d bytes were sent again", n)
		}
	})
}

// Handlers may do anything to a connection while they are called.
func TestClosingInsideHandlers(t *testing.T) {
	inWorld(t, impair.Rule{}, func(w *world) {
		s, c, _, cc := w.pair(Limits{})
		got := 0
		s.onMessage = func(c link.Conn, _ []byte) {
			got++
			c.Close(link.Reason{Code: "enough", Text: "enough"})
			if err := c.Send(nil); !errors.Is(err, link.ErrClosed) {
				t.Errorf("send after close: %v", err)
			}
		}
		for i := range 10 {
			must(t, cc.Send(numbered(i, 10)), cc.SendDatagram(numbered(i, 10)))
		}
		w.run(100 * time.Millisecond)
		if got != 1 || s.lastReason() != "enough" || c.lastReason() != "enough" {
			t.Errorf("%d messages, closed %v and %v", got, s.closed, c.closed)
		}
	})
}

// A message that no other follows arrives within a few round trips, though it is lost again and again (R5.8).
func TestLoneMessagesUnderLoss(t *testing.T) {
	const trip, n = 200 * time.Millisecond, 400
	inWorld(t, impair.Rule{Lag: trip / 2, Loss: 0.3, Dup: 0.25, Reorder: 0.3}, func(w *world) {
		_, c, conn, _ := w.pair(Limits{})
		sc := conn.(*Conn)
		var took []time.Duration
		for i := range n {
			sent := w.now
			must(t, sc.Send(numbered(i, 20)))
			w.until("arrived", 20*time.Second, func() bool { return len(c.messages) == i+1 })
			took = append(took, w.now-sent)
			w.run(2 * trip)
		}
		slices.Sort(took)
		at := func(share float64) float64 { return took[int(float64(n-1)*share)].Seconds() / trip.Seconds() }
		if at(0.99) > 6 || at(1) > 8 {
			t.Errorf("p50 %.1f, p99 %.1f, worst %.1f round trips; %d bytes sent again", at(0.5), at(0.99), at(1),
				sc.Stats().RetransmittedOut)
		}
		w.run(5 * time.Second)
		if len(sc.strm.repeats.list) > 0 || sc.Stats().Unacked > 0 {
			t.Errorf("%d repeats of what has come long ago", len(sc.strm.repeats.list))
		}
	})
}

// A client that has just connected is sent as much as a match's files are, in a few round trips and hardly anything twice: the
// handshake has measured the way, and packets that it loses by itself do not make the window small.
func TestFreshConnection(t *testing.T) {
	const size, seeds = 95_000, 10
	for _, tt := range []struct {
		lag   time.Duration // one way
		loss  float64
		trips float64 // round trips at most, in the mean
		again int     // bytes sent twice at most, in the mean
	}{
		{40 * time.Millisecond, 0, 5, 0},
		{75 * time.Millisecond, 0, 5, 0},
		{120 * time.Millisecond, 0, 5, 0},
		{200 * time.Millisecond, 0, 5, 0},
		{40 * time.Millisecond, 0.05, 8, 18000},
		{75 * time.Millisecond, 0.05, 8, 18000},
		{120 * time.Millisecond, 0.05, 8, 18000},
	} {
		var took time.Duration
		again := 0
		for seed := range seeds {
			inOne(t, impair.Rule{Lag: tt.lag, Loss: tt.loss}, false, func(w *world) {
				w.seed = uint64(seed)
				s, c := w.server(Server{}, Limits{}), w.client(0)
				c.dial(Dial{})
				w.until("open", 5*time.Second, func() bool { return len(s.opened) == 1 })
				for range size / 5000 {
					must(t, s.opened[0].Send(make([]byte, 5000)))
				}
				start := w.now
				w.until("arrived", 20*time.Second, func() bool { return len(c.messages) == size/5000 })
				took += w.now - start
				again += int(s.opened[0].Stats().RetransmittedOut)
			})
		}
		trips := float64(took) / seeds / float64(2*tt.lag)
		t.Logf("round trip %v, loss %g: %.1f round trips, %v, %d bytes sent again", 2*tt.lag, tt.loss, trips,
			took/seeds, again/seeds)
		if trips > tt.trips || again/seeds > tt.again {
			t.Errorf("round trip %v, loss %g: more than %g round trips or %d bytes twice", 2*tt.lag, tt.loss, tt.trips,
				tt.again)
		}
	}
}

// TestAllow: the reliable stream keeps to what it is allowed, with what KCP sends again, and everything arrives in order.
func TestAllow(t *testing.T) {
	for name, rule := range map[string]impair.Rule{"perfect": {}, "loss 20 %": {Lag: 25 * time.Millisecond, Loss: 0.2}} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, rule, func(w *world) {
				s, c, sc, _ := w.pair(Limits{})
				w.run(time.Second)
				const (
					rate   = 8000 // bytes a second
					tick   = rate / int(time.Second/stepTime)
					enough = 200
					always = 100 // acknowledgements and the time, in the last packets
				)
				var want [][]byte
				var sent []uint64
				left, before := 0, sc.Stats().BytesOut
				spent := func() (n int) {
					n, before = int(sc.Stats().BytesOut-before), sc.Stats().BytesOut
					return n
				}
				for n := 0; len(c.messages) < len(want) || n < 80 || sc.Stats().Unacked > 0; n++ {
					if n < 80 {
						want = append(want, numbered(n, 10+n*37%900))
						must(t, sc.Send(want[n]))
					}
					w.pass(stepTime)
					s.l.Poll(w.now, s)
					left = min(left+tick-spent(), enough+tick)
					sc.Allow(left, enough)
					s.l.Flush(w.now)
					left -= spent()
					c.l.Poll(w.now, c)
					c.l.Flush(w.now)
					sent = append(sent, before)
					if k := len(sent) - 1 - int(time.Second/stepTime); n == 6000 || k >= 0 &&
						int(before-sent[k]) > rate+maxPacket+udpOverhead+always {
						t.Fatalf("step %d: %d of %d messages came, %d bytes in the last second at %d", n,
							len(c.messages), len(want), before-sent[max(0, k)], rate)
					}
				}
				if st := sc.Stats(); !slices.EqualFunc(c.messages, want, slices.Equal) || st.Waiting != 0 ||
					rule.Loss > 0 && st.RetransmittedOut == 0 {
					t.Errorf("other messages came, %d bytes wait, or nothing of %d was sent again", st.Waiting,
						st.BytesOut)
				}
				sc.Allow(-1, 0)
				must(t, sc.Send([]byte("not now")))
				out := sc.Stats().MessageBytesOut
				w.run(200 * time.Millisecond)
				if sc.Stats().MessageBytesOut != out || sc.Stats().Waiting == 0 {
					t.Error("nothing is allowed, and something goes")
				}
			})
		})
	}
}
