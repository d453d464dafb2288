package kcplink

import (
	"net"
	"net/netip"
	"testing"
	"time"

	"github.com/tidelock/tidelock/netcode/kcplink/impair"
)

// onLoopback is a link on a real socket, which is closed at the end.
func onLoopback(t *testing.T, cfg Config) *peer {
	t.Helper()
	l, err := New(cfg)
	must(t, err)
	t.Cleanup(func() { must(t, l.Close()) })
	return &peer{t: t, l: l}
}

// ":0" takes IPv4, here through a proxy, and IPv6, and both are told apart by their addresses; a port in use is an error of New.
func TestDualStack(t *testing.T) {
	probe, err := net.ListenPacket("udp6", "[::1]:0")
	if err != nil {
		t.Skip("no IPv6 here:", err)
	}
	must(t, probe.Close())
	s, start := onLoopback(t, Config{Server: &Server{}}), time.Now()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for i, ip := range []netip.Addr{netip.MustParseAddr("127.0.0.1"), netip.IPv6Loopback()} {
		c := onLoopback(t, Config{Addr: netip.AddrPortFrom(ip, 0).String()})
		to := netip.AddrPortFrom(ip, s.l.Addr().Port())
		if ip.Is4() {
			proxy, err := impair.NewProxy(to, impair.Rule{}, impair.Rule{}, 1)
			must(t, err)
			defer proxy.Close()
			ticks := time.NewTicker(time.Millisecond)
			defer ticks.Stop()
			go proxy.Run(ticks.C)
			to = proxy.Addr()
		}
		c.dial(Dial{Addr: to})
		for len(c.opened) == 0 || len(s.opened) == i {
			if <-tick.C; time.Since(start) > time.Minute { // what never comes, not a busy machine
				t.Fatal("not open by", ip)
			}
			for _, p := range []*peer{s, c} {
				p.l.Poll(time.Since(start), p)
				p.l.Flush(time.Since(start))
			}
		}
		if got := netip.MustParseAddrPort(s.opened[i].Identity().Addr).Addr(); got != ip {
			t.Errorf("the server sees %v, want %v", got, ip)
		}
		if l, err := New(Config{Addr: c.l.Addr().String()}); err == nil {
			_ = l.Close()
			t.Error("bound twice")
		}
	}
}
