package web

import (
	"net"
	"net/netip"
	"slices"
	"testing"
	"time"

	"golang.org/x/net/ipv4"
)

// Packets of handshakes are bounded by address, those of a connection that stands are not, and what is no QUIC comes to nobody.
func TestPacketsByAddress(t *testing.T) {
	limits, err := Limits{UpgradesPerSecond: 1}.withDefaults()
	if err != nil {
		t.Fatal(err)
	}
	c := newClock()
	p := newPackets(listenUDP(t), limits, c.now)
	a, b := netip.MustParseAddr("192.0.2.1"), netip.MustParseAddr("192.0.2.2")
	for p.slotOf(b) == p.slotOf(a) {
		b = b.Next() // one in 4 096 shares its bucket
	}
	long, short := []byte{0xc3, 0, 0, 0, 1}, []byte{0x43, 1, 2, 3}
	passed := func(n int, packet []byte, from netip.Addr) (yes int) {
		for range n {
			if p.passes(packet, from, c.now().Sub(p.start)) {
				yes++
			}
		}
		return yes
	}
	const burst = longPerSession * upgradeBurst
	for _, want := range []struct {
		what   string
		got, n int
	}{
		{"a burst", passed(5*burst, long, a), burst},
		{"of a connection that stands", passed(5*burst, short, a), 5 * burst},
		{"another address", passed(1, long, b), 1},
		{"no QUIC", passed(10, []byte{0x3f, 1}, b), 0},
		{"empty", passed(10, nil, b), 0},
	} {
		if want.got != want.n {
			t.Errorf("%s: %d pass, expected %d", want.what, want.got, want.n)
		}
	}
	c.advance(time.Second)
	if n := passed(5*burst, long, a); n != longPerSession {
		t.Errorf("%d pass a second later, expected %d", n, longPerSession)
	}
	if n := p.refused.Load(); n != 4*burst+20+5*burst-longPerSession {
		t.Errorf("%d are counted as refused", n)
	}
}

func listenUDP(t *testing.T) *net.UDPConn {
	t.Helper()
	c, err := net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

// What passes comes whole and in order, with its sender, whatever was between it.
func TestPacketsInABatch(t *testing.T) {
	to, from := listenUDP(t), listenUDP(t)
	limits, err := Limits{}.withDefaults()
	if err != nil {
		t.Fatal(err)
	}
	p := newPackets(to, limits, time.Now)
	if err := to.SetReadDeadline(time.Now().Add(patience)); err != nil {
		t.Fatal(err)
	}
	var want, got []string
	send := func(s string) {
		if _, err := from.WriteTo([]byte(s), to.LocalAddr()); err != nil {
			t.Fatal(err)
		}
	}
	for range 4 {
		for _, s := range []string{"?no QUIC, and a long one", "Cone", "", "\xc3two", "\x00", "Dthree and more"} {
			if send(s); len(s) > 0 && s[0] >= 0x40 {
				want = append(want, s)
			}
		}
	}
	ms := make([]ipv4.Message, 8)
	for i := range ms {
		ms[i].Buffers, ms[i].OOB = [][]byte{make([]byte, 1500)}, make([]byte, 64)
	}
	for len(got) < len(want)/2 {
		n, err := p.ReadBatch(ms, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range ms[:n] {
			if addrPort(m.Addr) != addrPort(from.LocalAddr()) {
				t.Errorf("from %v", m.Addr)
			}
			got = append(got, string(m.Buffers[0][:m.N]))
		}
	}
	b := make([]byte, 1500)
	for len(got) < len(want) { // as other systems read
		n, _, err := p.ReadFrom(b)
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, string(b[:n]))
	}
	if !slices.Equal(got, want) {
		t.Errorf("came %q, expected %q", got, want)
	}
}

// Addresses that take all they get leave something to others.
func TestShare(t *testing.T) {
	limits, err := Limits{}.withDefaults()
	if err != nil {
		t.Fatal(err)
	}
	v := newVisitors(limits, newClock().now)
	at := func(i int) netip.Addr { return netip.AddrFrom4([4]byte{192, 0, 2, byte(i)}) }
	const greedy = 16
	var refused Refused
	for i := range greedy {
		for range limits.ConnsPerAddress {
			if !v.connect(at(i), false, false) {
				refused.Connections++
			}
		}
		for range limits.PipesPerAddress {
			if !v.openPipe(at(i)) {
				refused.Pipes++
			}
		}
	}
	pipes, conns, counted := v.counts()
	if pipes > limits.Pipes*9/10 || conns > limits.Conns*9/10 || pipes < limits.Pipes/2 || conns < limits.Conns/2 {
		t.Errorf("%d addresses have %d of %d sessions and %d of %d connections", greedy, pipes, limits.Pipes, conns, limits.Conns)
	}
	if counted != refused || refused.Connections == 0 || refused.Pipes == 0 {
		t.Errorf("counted %+v, expected %+v", counted, refused)
	}
	for i := range 8 { // the page, and what it plays over
		page, socket := v.connect(at(100+i), false, false), v.connect(at(100+i), false, false)
		if !page || !socket || !v.openPipe(at(100+i)) {
			t.Errorf("newcomer %d is not let in", i)
		}
	}
}

// After Slow a flood is read in small pieces, and is not lost.
func TestSlowReads(t *testing.T) {
	ln, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = ln.Close() }()
	from, err := net.Dial("tcp4", ln.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = from.Close() }()
	accepted, err := ln.Accept()
	if err != nil {
		t.Fatal(err)
	}
	c := &conn{TCPConn: accepted.(*net.TCPConn), release: func() {}}
	defer func() { _ = c.Close() }()
	if _, err := from.Write(make([]byte, 3*slowBytes)); err != nil {
		t.Fatal(err)
	}
	c.Slow()
	start, reads, all := time.Now(), 0, 0
	for all < 3*slowBytes {
		n, err := c.Read(make([]byte, 4096))
		if err != nil || n > slowBytes {
			t.Fatalf("%d bytes at once, %v", n, err)
		}
		reads, all = reads+1, all+n
	}
	if passed := time.Since(start); passed < time.Duration(reads)*slowEvery {
		t.Errorf("%d reads within %v", reads, passed)
	}
}
