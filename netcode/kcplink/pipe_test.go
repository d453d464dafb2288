package kcplink

import (
	"errors"
	"fmt"
	"net/netip"
	"testing"
	"time"

	"github.com/tidelock/tidelock/netcode/kcplink/impair"
	"github.com/tidelock/tidelock/netcode/link"
)

// talks checks that messages cross both ways.
func talks(t *testing.T, w *world, sc, cc link.Conn, s, c *peer) {
	t.Helper()
	up, down := len(s.messages), len(c.messages)
	must(t, sc.Send([]byte("down")), cc.Send([]byte("up")))
	w.until("messages cross", 5*time.Second, func() bool { return len(s.messages) > up && len(c.messages) > down })
}

// A connection goes on when its peer opens another pipe, whatever became of the first (W1.4), and a pipe that nobody needs
// any more is closed.
func TestAnotherPipe(t *testing.T) {
	for _, broken := range []bool{false, true} {
		inOne(t, impair.Rule{Lag: 30 * time.Millisecond, Loss: 0.2}, true, func(w *world) {
			s, c, sc, cc := w.pair(Limits{})
			talks(t, w, sc, cc, s, c)
			if n := s.l.Counters(); n.PipePacketsIn == 0 || n.PipePacketsIn != n.PacketsIn || n.PipeBytesOut == 0 || n.PipeBytesOut != n.BytesOut {
				t.Errorf("all went over pipes, counted %+v", n)
			}
			first := w.pipe(s, c.addr)
			if broken {
				first.pipe.Break(link.Reason{Code: "gone"})
				w.run(2 * time.Second)
				if len(s.closed) > 0 {
					t.Fatalf("an accepted connection ended with its pipe: %v", s.closed)
				}
			}
			moved := netip.MustParseAddrPort("99.0.0.1:1234")
			w.nat[c.addr] = moved // the server sees another pipe, from another address
			talks(t, w, sc, cc, s, c)
			w.until("moved", time.Second, func() bool { return sc.Identity().Addr == moved.String() })
			if len(first.closed) != 1 || first.closed[0] != "moved" {
				t.Errorf("the old pipe was closed %v", first.closed)
			}
			if now := w.pipe(s, moved); len(now.closed) > 0 || !now.pipe.Accepted() || now.pipe.users != 1 {
				t.Errorf("the new pipe: %v, accepted %v, %d users", now.closed, now.pipe.Accepted(), now.pipe.users)
			}
		})
	}
}

// What was dialled over a pipe ends when it breaks, at once and with its reason, in every state.
func TestBreakEndsADial(t *testing.T) {
	reason := link.Reason{Code: "unreachable", Text: "nobody there"}
	inOne(t, impair.Rule{Lag: 20 * time.Millisecond}, true, func(w *world) {
		s, c, _, _ := w.pair(Limits{})
		w.pipe(c, serverAddr).pipe.Break(reason)
		w.pipe(c, serverAddr).pipe.Break(link.Reason{Code: "again"})
		w.step()
		if len(c.closed) != 1 || c.closed[0] != reason {
			t.Errorf("told %v", c.closed)
		}
		if len(s.closed) != 0 {
			t.Errorf("the server ended %v", s.closed)
		}
		for n, wait := range []time.Duration{0, 25 * time.Millisecond, 65 * time.Millisecond} {
			d := w.client(n + 1)
			d.dial(Dial{})
			w.run(wait)
			w.pipe(d, serverAddr).pipe.Break(reason)
			w.step()
			if len(d.opened) > 0 || len(d.closed) != 1 || d.closed[0] != reason {
				t.Errorf("after %v: %d opened, told %v", wait, len(d.opened), d.closed)
			}
		}
		w.run(15 * time.Second)
		if s.l.Open() != 0 || len(s.l.halves) != 0 || len(s.l.timers.heap) != 0 {
			t.Error("something is left at the server")
		}
	})
}

// The carrier is closed once its connection has said goodbye, at both ends, and not before; a link that ends closes all.
func TestPipesAreClosed(t *testing.T) {
	inOne(t, impair.Rule{Lag: 20 * time.Millisecond}, true, func(w *world) {
		s, c, sc, _ := w.pair(Limits{})
		at, from := w.pipe(s, c.addr), w.pipe(c, s.addr)
		sc.Close(link.Reason{Code: "kick"})
		w.until("the client is told", time.Second, func() bool { return c.lastReason() == "kick" })
		if len(at.closed) != 0 {
			t.Error("closed before the goodbye could be repeated")
		}
		w.run(2 * time.Second)
		if fmt.Sprint(at.closed, from.closed) != "[kick] [closed]" || at.pipe.users != 0 || from.pipe.users != 0 {
			t.Errorf("closed %v and %v, %d and %d users are left", at.closed, from.closed, at.pipe.users,
				from.pipe.users)
		}
	})
	inOne(t, impair.Rule{Lag: 20 * time.Millisecond}, true, func(w *world) {
		s, c, _, _ := w.pair(Limits{})
		stranger, at := w.pipe(s, thief), w.pipe(s, c.addr)
		must(t, s.l.Close())
		if len(at.closed) != 1 || len(stranger.closed) != 1 {
			t.Errorf("closed %v and %v", at.closed, stranger.closed)
		}
		if _, err := s.l.Pipe(clientAddr, at); !errors.Is(err, link.ErrClosed) {
			t.Errorf("a pipe on a closed link: %v", err)
		}
		at.pipe.Receive(make([]byte, 100))
		at.pipe.Break(link.Reason{})
		w.until("told", time.Second, func() bool { return c.lastReason() == "closed" })
	})
}

// A refused client keeps its pipe and can dial over it again.
func TestRefusedKeepsThePipe(t *testing.T) {
	inOne(t, impair.Rule{Lag: 20 * time.Millisecond}, true, func(w *world) {
		s, c := w.server(Server{Password: "sesame"}, Limits{}), w.client(0)
		c.dial(Dial{Password: "wrong"})
		w.until("refused", 5*time.Second, func() bool { return c.lastReason() == "password" })
		w.run(10 * time.Second)
		at := w.pipe(s, c.addr)
		if len(at.closed) != 0 || at.pipe.Accepted() || at.pipe.users != 0 {
			t.Fatalf("closed %v, accepted %v, %d users", at.closed, at.pipe.Accepted(), at.pipe.users)
		}
		w.pipe(c, s.addr).closed = nil // the carrier of a dial ends with it; this one lets itself be used again
		c.dial(Dial{Password: "sesame"})
		w.until("open", 5*time.Second, func() bool { return len(c.opened) == 1 && len(s.opened) == 1 })
		if !at.pipe.Accepted() || at.pipe.users != 1 {
			t.Errorf("accepted %v, %d users", at.pipe.Accepted(), at.pipe.users)
		}
	})
}

// What no packet can be is dropped before it is queued, and what nobody polls is bounded.
func TestPipesAreBounded(t *testing.T) {
	inOne(t, impair.Rule{}, true, func(w *world) {
		s := w.server(Server{}, Limits{Inbound: 40})
		p := w.pipe(s, clientAddr).pipe
		for _, b := range [][]byte{nil, {typeData}, make([]byte, 100), append([]byte{typeData}, make([]byte, 64<<10)...)} {
			p.Receive(b)
		}
		if c := s.l.Counters(); c.DroppedShort != 2 || c.DroppedType != 1 || c.DroppedLong != 1 {
			t.Errorf("counted %+v", c)
		}
		for range 100 {
			p.Receive(helloPacket())
		}
		if c := s.l.Counters(); len(s.l.in.wait) != 10 || c.DroppedFull != 90 || s.l.Arrived() != 104 {
			t.Errorf("%d wait, %d dropped of %d that arrived", len(s.l.in.wait), c.DroppedFull, s.l.Arrived())
		}
	})
}

// A link without a socket dials over pipes of its own alone, and says so.
func TestPipesOnly(t *testing.T) {
	l, other := onLoopback(t, Config{PipesOnly: true}).l, onLoopback(t, Config{PipesOnly: true}).l
	p, err := other.Pipe(netip.AddrPort{}, new(worldPipe))
	must(t, err)
	if _, err := l.Dial(Dial{Addr: serverAddr}); err == nil || l.Addr().IsValid() {
		t.Errorf("dialled an address without a socket, or bound to %v", l.Addr())
	}
	if _, err := l.Dial(Dial{Pipe: p}); err == nil {
		t.Error("dialled over another link's pipe")
	}
}
