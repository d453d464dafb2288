package kcplink

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"net/netip"
	"testing"
	"time"

	"github.com/tidelock/tidelock/netcode/kcplink/impair"
	"github.com/tidelock/tidelock/netcode/link"
)

// Messages arrive once and in order whatever the line does; datagrams never twice.
func TestDeliveryOnBadLines(t *testing.T) {
	for _, tt := range []struct {
		name string
		rule impair.Rule
	}{
		{"perfect", impair.Rule{}},
		{"loss 30 %", impair.Rule{Lag: 25 * time.Millisecond, Loss: 0.3}},
		{"doubling and reordering", impair.Rule{Lag: 50 * time.Millisecond, Jitter: 40 * time.Millisecond, Dup: 0.25, Reorder: 0.3}},
		{"all of it", impair.Rule{Lag: 100 * time.Millisecond, Jitter: 100 * time.Millisecond, Loss: 0.3, Dup: 0.25, Reorder: 0.3}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			inWorld(t, tt.rule, func(w *world) {
				s, c, sc, cc := w.pair(Limits{})
				var sent [][]byte
				const n = 400
				for i := range n {
					size := 8 + i*37%200
					switch {
					case i%97 == 0:
						size = 20_000
					case i%31 == 0:
						size = 3000
					}
					sent = append(sent, numbered(i, size))
				}
				sent[5] = []byte{} // an empty message is one, too
				i := 0
				for ; i < n; i += 4 {
					for _, b := range sent[i:min(n, i+4)] {
						if err := cc.Send(b); err != nil {
							t.Fatal(err)
						}
						if err := sc.Send(b); err != nil {
							t.Fatal(err)
						}
					}
					if err := cc.SendDatagram(numbered(i, 100)); err != nil {
						t.Fatal(err)
					}
					w.step()
				}
				w.until("all arrived", time.Minute, func() bool { return len(s.messages) == n && len(c.messages) == n })
				for _, p := range []*peer{s, c} {
					for k := range sent {
						if !bytes.Equal(p.messages[k], sent[k]) {
							t.Fatalf("message %d is not the one sent", k)
						}
					}
				}
				seen := map[string]bool{}
				for _, d := range s.datagrams {
					if seen[string(d)] {
						t.Fatal("a datagram came twice")
					}
					seen[string(d)] = true
				}
				if len(seen) < n/4*6/10 || tt.rule.Loss == 0 && len(seen) != n/4 {
					t.Errorf("%d datagrams of %d", len(seen), n/4)
				}
				w.until("all acknowledged", 10*time.Second, func() bool { return cc.Stats().Unacked == 0 && sc.Stats().Unacked == 0 })
				total := 0
				for _, b := range sent {
					total += len(b)
				}
				st := cc.Stats()
				if st.MessageBytesOut != uint64(total) || st.DatagramBytesOut != n/4*100 {
					t.Errorf("payload out %d and %d, want %d and %d", st.MessageBytesOut, st.DatagramBytesOut, total, n/4*100)
				}
				if (tt.rule.Loss > 0) != (st.RetransmittedOut > 0) && tt.rule.Reorder == 0 {
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
			if err := cc.Send(numbered(i, 20)); err != nil {
				t.Fatal(err)
			}
			if err := cc.SendDatagram(numbered(i, 20)); err != nil {
				t.Fatal(err)
			}
		}
		w.step()
		w.step()
		if n := cc.Stats().PacketsOut - before; n != 1 || len(s.messages) != 20 || len(s.datagrams) != 20 {
			t.Errorf("%d packets for %d messages and %d datagrams", n, len(s.messages), len(s.datagrams))
		}
	})
}

// What the counters say is what the wire carried.
func TestBytesAreExact(t *testing.T) {
	inWorld(t, impair.Rule{Lag: 20 * time.Millisecond, Loss: 0.1}, func(w *world) {
		var wire, packets uint64
		w.tap = func(from, _ netip.AddrPort, b []byte) bool {
			if from == clientAddr {
				wire += uint64(len(b)) + 28
				packets++
			}
			return true
		}
		s, _, _, cc := w.pair(Limits{})
		for i := range 200 {
			if err := cc.Send(numbered(i, 500)); err != nil {
				t.Fatal(err)
			}
			w.step()
		}
		w.until("all", 20*time.Second, func() bool { return len(s.messages) == 200 })
		n := w.peers[1].l.Counters()
		if out, in := n.PipeBytesOut, n.PipePacketsIn; w.piped && (out != n.BytesOut || in != n.PacketsIn) || !w.piped && out+in != 0 {
			t.Errorf("over pipes %v, counted %+v", w.piped, n)
		}
		if n.BytesOut != wire || n.PacketsOut != packets {
			t.Errorf("the link counts %d bytes in %d packets, the wire carried %d in %d", n.BytesOut, n.PacketsOut, wire, packets)
		}
		st := cc.Stats()
		handshake := wire - st.BytesOut
		if hello, confirm := uint64(1028), uint64(confirmLeast+28); handshake < hello+connectSize+28+confirm || handshake > 4*(hello+connectSize+confirm) {
			t.Errorf("%d bytes of the wire are not the connection's", handshake)
		}
	})
}

func TestSendLimits(t *testing.T) {
	inWorld(t, impair.Rule{}, func(w *world) {
		s, _, _, cc := w.pair(Limits{})
		if err := cc.Send(make([]byte, link.MaxUpMessage+1)); !errors.Is(err, link.ErrTooLarge) {
			t.Error(err)
		}
		if err := cc.SendDatagram(make([]byte, cc.MaxDatagram()+1)); !errors.Is(err, link.ErrTooLarge) {
			t.Error(err)
		}
		large := 0
		w.tap = func(_, _ netip.AddrPort, b []byte) bool { large = max(large, len(b)); return true }
		if err := errors.Join(cc.Send(make([]byte, link.MaxUpMessage)), cc.SendDatagram(make([]byte, cc.MaxDatagram()))); err != nil {
			t.Error(err)
		}
		w.until("the largest", 5*time.Second, func() bool { return len(s.messages) == 1 && len(s.datagrams) == 1 })
		if large != link.MaxPacket {
			t.Errorf("the largest packet is %d bytes", large)
		}
		cc.Close(link.Reason{Code: "bye", Text: "bye"})
		if err := cc.Send(nil); !errors.Is(err, link.ErrClosed) {
			t.Error(err)
		}
		if err := cc.SendDatagram(nil); !errors.Is(err, link.ErrClosed) {
			t.Error(err)
		}
	})
}

// A queue that is full is one connection's trouble: its owner closes it, the others go on.
func TestQueueOverflowHitsOneConnection(t *testing.T) {
	for _, limits := range []Limits{{QueueBytes: 20_000}, {QueueMessages: 20}} {
		inWorld(t, impair.Rule{}, func(w *world) {
			s := w.server(Server{}, limits)
			a, b := w.client(0), w.client(1)
			a.dial(Dial{})
			b.dial(Dial{})
			w.until("open", time.Second, func() bool { return len(s.opened) == 2 })
			stuck, fine := s.opened[0], s.opened[1]
			if stuck.Identity().Key != a.l.PublicKey() {
				stuck, fine = fine, stuck
			}
			w.tap = func(from, _ netip.AddrPort, _ []byte) bool { return from != a.addr } // acknowledges nothing
			full := false
			for i := range 100 {
				if err := fine.Send(numbered(i, 900)); err != nil {
					t.Fatal(err)
				}
				if !full {
					if err := stuck.Send(numbered(i, 900)); errors.Is(err, link.ErrQueueFull) {
						full = true
						if i < 19 || i > 23 {
							t.Errorf("full after %d messages", i)
						}
						stuck.Close(link.Reason{Code: "overflow", Text: "too much waits unacknowledged"})
					} else if err != nil {
						t.Fatal(err)
					}
				}
				w.step()
			}
			if !full || s.lastReason() != "overflow" {
				t.Errorf("full %v, closed %v", full, s.closed)
			}
			w.until("the other got all", time.Second, func() bool { return len(b.messages) == 100 })
			if a.lastReason() != "overflow" {
				t.Errorf("the stuck one was told %v", a.closed)
			}
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
		if err := cc.Send(make([]byte, 50_000)); err != nil {
			t.Fatal(err)
		}
		start := w.now
		w.until("arrived", 10*time.Second, func() bool { return len(s.messages) == 1 })
		if took := w.now - start; took < 4500*time.Millisecond || took > 5500*time.Millisecond {
			t.Errorf("50 000 bytes at 10 000 a second took %v", took)
		}
	})
}

// A large queue gets through a thin line that drops what is too much.
func TestThinLine(t *testing.T) {
	inWorld(t, impair.Rule{Lag: 50 * time.Millisecond, Rate: 50_000}, func(w *world) {
		s, _, _, cc := w.pair(Limits{})
		for range 4 {
			if err := cc.Send(make([]byte, 50_000)); err != nil {
				t.Fatal(err)
			}
		}
		w.until("arrived", 40*time.Second, func() bool { return len(s.messages) == 4 })
		st := cc.Stats()
		if st.RetransmittedOut > 60_000 {
			t.Error("a thin line is sent too much twice")
		}
		t.Logf("200 kB over 50 kB/s: %v, %d bytes sent again", w.now-time.Hour, st.RetransmittedOut)
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
			if err := errors.Join(cc.Send(numbered(i, 10)), cc.SendDatagram(numbered(i, 10))); err != nil {
				t.Fatal(err)
			}
		}
		w.run(100 * time.Millisecond)
		if got != 1 || s.lastReason() != "enough" || c.lastReason() != "enough" {
			t.Errorf("%d messages, closed %v and %v", got, s.closed, c.closed)
		}
	})
}

func TestFifo(t *testing.T) {
	var f fifo[int]
	rng := rand.New(rand.NewPCG(1, 2))
	next, first := 0, 0
	for range 10_000 {
		if rng.IntN(2) == 0 {
			for range rng.IntN(5) {
				f.push(next)
				next++
			}
		} else {
			n := min(f.len(), rng.IntN(6))
			for i, v := range f.head(n) {
				if v != first+i || f.at(i) != v {
					t.Fatalf("%d at %d, want %d", v, i, first+i)
				}
			}
			f.pop(n)
			first += n
		}
		if f.len() != next-first {
			t.Fatalf("%d long, want %d", f.len(), next-first)
		}
	}
	if cap(f.b) > 4*(next-first)+1000 {
		t.Errorf("grew to %d for %d", cap(f.b), next-first)
	}
}
