package kcplink

import (
	"net/netip"
	"slices"
	"testing"
	"time"

	"github.com/tidelock/tidelock/netcode/kcplink/impair"
	"github.com/tidelock/tidelock/netcode/link"
)

// real is links on loopback and on the wall clock.
type real struct {
	t     testing.TB
	start time.Time
	tick  *time.Ticker
	peers []*peer
}

func newReal(t testing.TB) *real {
	r := &real{t: t, start: time.Now(), tick: time.NewTicker(time.Millisecond)}
	t.Cleanup(func() {
		r.tick.Stop()
		for _, p := range r.peers {
			if err := p.l.Close(); err != nil {
				t.Error(err)
			}
		}
	})
	return r
}

func (r *real) add(cfg Config) *peer {
	r.t.Helper()
	cfg.Addr = "127.0.0.1:0"
	l, err := New(cfg)
	must(r.t, err)
	p := &peer{t: r.t, l: l}
	r.peers = append(r.peers, p)
	return p
}

func (r *real) step() {
	<-r.tick.C
	for _, p := range r.peers {
		now := time.Since(r.start)
		p.l.Poll(now, p)
		p.l.Flush(now)
	}
}

// until steps until something has come to be. The bound is for what never comes, not for a busy machine.
func (r *real) until(what string, ok func() bool) {
	r.t.Helper()
	const patience = time.Minute
	for end := time.Now().Add(patience); !ok(); {
		if time.Now().After(end) {
			r.t.Fatalf("not within %v: %s", patience, what)
		}
		r.step()
	}
}

// Real sockets through a bad proxy that changes addresses meanwhile; the counters agree with the proxy's.
func TestLoopbackThroughProxy(t *testing.T) {
	r := newReal(t)
	s, c := r.add(Config{Server: &Server{}}), r.add(Config{})
	bad := impair.Rule{Lag: 5 * time.Millisecond, Jitter: 5 * time.Millisecond, Loss: 0.1, Dup: 0.1, Reorder: 0.2}
	proxy, err := impair.NewProxy(s.l.Addr(), bad, bad, 1)
	must(t, err)
	defer proxy.Close()
	ticks := time.NewTicker(time.Millisecond)
	defer ticks.Stop()
	go proxy.Run(ticks.C)

	cc := c.dial(Dial{Addr: proxy.Addr()})
	r.until("open", func() bool { return len(c.opened) == 1 && len(s.opened) == 1 })
	s.echo = true
	var sent [][]byte
	for i := range 200 {
		sent = append(sent, numbered(i, 300))
		must(t, cc.Send(sent[i]), cc.SendDatagram(sent[i]))
		if i == 100 {
			proxy.Rebind()
		}
		r.step()
	}
	r.until("all came back", func() bool { return len(c.messages) == len(sent) })
	if n := len(c.datagrams); !slices.EqualFunc(c.messages, sent, slices.Equal) || n < len(sent)/2 || n > len(sent) {
		t.Errorf("other messages came back than were sent, or %d of %d datagrams", n, len(sent))
	}
	if s.l.Counters().Moved == 0 || len(s.closed)+len(c.closed) != 0 {
		t.Errorf("%d moves; closed %v %v", s.l.Counters().Moved, s.closed, c.closed)
	}
	r.until("everything sent has come to the proxy", func() bool {
		p, n := proxy.Stats(), c.l.Counters()
		return p.UpIn == n.PacketsOut && p.UpInBytes == n.BytesOut
	})
	if p, down := proxy.Stats(), c.l.Counters(); down.PacketsIn > p.DownOut || p.Overrun != 0 {
		t.Errorf("the client counts %d packets, the proxy handed it %d", down.PacketsIn, p.DownOut)
	}
	cc.Close(link.Reason{Code: "bye", Text: "bye"})
	r.until("goodbye", func() bool { return s.lastReason() == "bye" })
}

// ":0" takes IPv4 and IPv6, and both are told apart by their addresses.
func TestDualStack(t *testing.T) {
	r := newReal(t)
	l, err := New(Config{Server: &Server{}})
	if err != nil {
		t.Skip("no dual stack here:", err)
	}
	s := &peer{t: t, l: l}
	r.peers = append(r.peers, s)
	port := l.Addr().Port()
	four := r.add(Config{})
	four.dial(Dial{Addr: netip.AddrPortFrom(netip.MustParseAddr("127.0.0.1"), port)})
	r.until("IPv4", func() bool { return len(four.opened) == 1 })
	if a := netip.MustParseAddrPort(s.opened[0].Identity().Addr); !a.Addr().Is4() {
		t.Errorf("the server sees %v", a)
	}
	l6, err := New(Config{Addr: "[::1]:0"})
	if err != nil {
		t.Log("no IPv6 here:", err)
		return
	}
	six := &peer{t: t, l: l6}
	r.peers = append(r.peers, six)
	six.dial(Dial{Addr: netip.AddrPortFrom(netip.IPv6Loopback(), port)})
	r.until("IPv6", func() bool { return len(six.opened) == 1 })
}

// A port in use is an error of New.
func TestPortInUse(t *testing.T) {
	r := newReal(t)
	s := r.add(Config{})
	if l, err := New(Config{Addr: s.l.Addr().String()}); err == nil {
		_ = l.Close()
		t.Error("bound twice")
	}
}
