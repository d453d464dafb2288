//go:build unix

package sockets

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"net"
	"net/netip"
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/net/ipv4"

	"github.com/tidelock/tidelock/tests/heap"
)

// floodConfig is a process that attacks a host, from addresses that are not the players'.
type floodConfig struct {
	Addr netip.AddrPort
	// PerSecond is how many packets it sends. Recorded are packets of a player who is in, overheard on their way.
	PerSecond int
	Recorded  [][]byte
	// Foes, where not 0, makes it attack a listener for browsers, from so many addresses: it requests so many WebSockets in each
	// turn, as fast as they go, and never speaks in those that stand.
	Foes, Upgrades int
}

// floodReport is what it did so far.
type floodReport struct {
	Sent uint64
	Done map[string]int
}

// foe is one of the attacker's addresses.
func foe(i int) net.IP { return net.IPv4(127, 6, 6, byte(1+i)) }

// attacks are packets of strangers, of every kind (docs/transport.md).
func attacks(recorded [][]byte, rng *rand.Rand) [][]byte {
	random := func(n int, head ...byte) []byte {
		b := make([]byte, n)
		for i := range b {
			b[i] = byte(rng.Uint32())
		}
		copy(b, head)
		return b
	}
	const data, hello, cookie, connect, response, confirm, deny = 1, 2, 3, 4, 5, 6, 7
	bare := random(60) // the first packet of a program that speaks KCP alone
	binary.LittleEndian.PutUint32(bare, 77)
	bare[4], bare[5] = 81, 0
	good := make([]byte, 1000)
	copy(good, "\x02TIDE\x01")
	otherMagic := bytes.Clone(good)
	copy(otherMagic[1:], "EDIT")
	otherVersion := bytes.Clone(good)
	otherVersion[5] = 99
	out := [][]byte{
		bare,
		{},
		{data},
		random(12), random(1400),
		good, good[:500], otherMagic, otherVersion,
		random(200, data), random(170, confirm), random(100, response), random(21, cookie), random(15, deny), random(64, hello),
	}
	for slot := range uint32(6) { // cookies of chance, of a minute's slots, in open mode
		b := random(200, connect, 1, 0)
		binary.BigEndian.PutUint32(b[7:], slot)
		binary.BigEndian.PutUint16(b[27:], 0)
		out = append(out, b)
	}
	for _, b := range recorded {
		out = append(out, b) // replayed
		bad := bytes.Clone(b)
		bad[len(bad)-1] ^= 1
		out = append(out, bad) // the player's session and number, not their seal
		next := random(len(b), b[:5]...)
		out = append(out, next) // the player's session
	}
	return out
}

// floodMain attacks after a line "on" and until another, but for "look".
func floodMain(c floodConfig) error {
	conn, err := net.ListenUDP("udp4", &net.UDPAddr{IP: foe(0)})
	if err != nil { // a system with one loopback address
		conn, err = net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	}
	if err != nil {
		return err
	}
	rng := rand.New(rand.NewPCG(3, 3))
	ctx, cancel := context.WithCancel(context.Background())
	f := &webFlood{cfg: c, ctx: ctx, done: map[string]int{}, on: make(chan struct{})}
	var next func() []byte
	var wait sync.WaitGroup
	if c.Foes > 0 {
		next = webPackets(rng)
		for range 16 {
			wait.Go(f.upgrades)
		}
	} else {
		list, n := attacks(c.Recorded, rng), 0
		next = func() []byte { n++; return list[n%len(list)] }
	}
	g := startGun(conn, c.Addr, c.PerSecond, next)
	err = answer(func(line string) any {
		if line != "look" {
			g.on.Store(line == "on")
			f.set(line == "on")
		}
		f.mu.Lock()
		defer f.mu.Unlock()
		return floodReport{g.sent.Load(), maps.Clone(f.done)}
	})
	cancel()
	err = errors.Join(err, g.end())
	wait.Wait()
	for _, c := range f.held {
		_ = c.Close() // held on to until now
	}
	return err
}

// gun sends packets at a rate while it is on.
type gun struct {
	conn   *net.UDPConn
	sent   atomic.Uint64
	on     atomic.Bool
	stop   chan struct{}
	failed chan error
}

// gunBatch packets are sent at once: next must give as many different buffers before one comes again.
const gunBatch = 50

// startGun makes one that is off. It closes conn in the end.
func startGun(conn *net.UDPConn, at netip.AddrPort, perSecond int, next func() []byte) *gun {
	g := &gun{conn: conn, stop: make(chan struct{}), failed: make(chan error, 1)}
	go func() { // ends by stop, awaited by end
		batch := ipv4.NewPacketConn(conn)
		ms := make([]ipv4.Message, gunBatch)
		for i := range ms {
			ms[i].Buffers, ms[i].Addr = [][]byte{nil}, net.UDPAddrFromAddrPort(at)
		}
		tick := time.NewTicker(time.Millisecond)
		defer tick.Stop()
		last, due := time.Now(), 0.0
		for {
			select {
			case <-g.stop:
				g.failed <- nil
				return
			case <-tick.C:
			}
			now := time.Now()
			// What this machine had no time for is made up for up to a tenth of a second.
			due = min(due+now.Sub(last).Seconds()*float64(perSecond), float64(perSecond)/10)
			last = now
			if !g.on.Load() {
				due = 0
			}
			for due > 0 {
				for i := range ms {
					ms[i].Buffers[0] = next()
				}
				k, err := batch.WriteBatch(ms, 0)
				if err != nil {
					g.failed <- err
					return
				}
				g.sent.Add(uint64(k))
				due -= float64(k)
			}
		}
	}()
	return g
}

func (g *gun) end() error {
	close(g.stop)
	err := <-g.failed
	_ = g.conn.Close() // it has sent what it had to
	return err
}

// tap passes the packets of one player on and overhears what they send.
type tap struct {
	front, back *net.UDPConn
	wait        sync.WaitGroup

	mu       sync.Mutex
	client   netip.AddrPort
	recorded [][]byte
}

// maxRecorded packets are kept.
const maxRecorded = 8

// newTap passes on what comes to a free port, and keeps packets that are worth it.
func newTap(t *testing.T, to netip.AddrPort, worth func([]byte) bool) *tap {
	t.Helper()
	p := &tap{}
	var err error
	if p.front, err = net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)}); err != nil {
		t.Fatal(err)
	}
	if p.back, err = net.DialUDP("udp4", nil, net.UDPAddrFromAddrPort(to)); err != nil {
		t.Fatal(err)
	}
	p.wait.Go(func() {
		b := make([]byte, 2048)
		for {
			n, from, err := p.front.ReadFromUDPAddrPort(b)
			if err != nil {
				return // closed
			}
			p.mu.Lock()
			p.client = from
			if n > 0 && len(p.recorded) < maxRecorded && worth(b[:n]) {
				p.recorded = append(p.recorded, bytes.Clone(b[:n]))
			}
			p.mu.Unlock()
			_, _ = p.back.Write(b[:n]) // a line may lose
		}
	})
	p.wait.Go(func() {
		b := make([]byte, 2048)
		for {
			n, err := p.back.Read(b)
			if err != nil {
				return // closed
			}
			p.mu.Lock()
			to := p.client
			p.mu.Unlock()
			_, _ = p.front.WriteToUDPAddrPort(b[:n], to) // a line may lose
		}
	})
	t.Cleanup(func() {
		_ = p.front.Close() // sockets of our own
		_ = p.back.Close()
		p.wait.Wait()
	})
	return p
}

// addr is where the player connects.
func (p *tap) addr() netip.AddrPort { return p.front.LocalAddr().(*net.UDPAddr).AddrPort() }

func (p *tap) overheard() [][]byte {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([][]byte(nil), p.recorded...)
}

// turns is how many times quiet and flood take turns, so that what else this machine does weighs on both.
const turns = 4

// weather is what quiet (false) and flood (true) were like.
type weather struct {
	ticks, work map[bool][]time.Duration
	trips       map[bool]map[*child][]time.Duration
	perSecond   float64 // packets of the flood
}

// alternate lets a flood come and go, for so long in all.
func (h *host) alternate(bad *child, lasts time.Duration, honest ...*child) weather {
	h.t.Helper()
	w := weather{
		ticks: map[bool][]time.Duration{}, work: map[bool][]time.Duration{},
		trips: map[bool]map[*child][]time.Duration{false: {}, true: {}},
	}
	var sent uint64
	var took time.Duration
	for i := range 2 * turns {
		on := i%2 == 1
		var from, to floodReport
		bad.ask(map[bool]string{false: "off", true: "on"}[on], &from)
		h.do(func() { h.ticks, h.work = h.ticks[:0], h.work[:0] })
		at := time.Now()
		pass(lasts / turns)
		h.do(func() { w.ticks[on], w.work[on] = append(w.ticks[on], h.ticks...), append(w.work[on], h.work...) })
		for _, k := range honest {
			w.trips[on][k] = append(w.trips[on][k], k.report().Trips...)
		}
		bad.ask("off", &to)
		if on {
			sent, took = sent+to.Sent-from.Sent, took+time.Since(at)
		}
	}
	w.perSecond = float64(sent) / took.Seconds()
	return w
}

// print prints how much longer round trips and ticks took in the flood.
func (w weather) print(t *testing.T, k *child, who string) {
	t.Helper()
	for _, c := range []struct {
		what string
		by   map[bool][]time.Duration
	}{
		{"round trip of " + who, map[bool][]time.Duration{false: w.trips[false][k], true: w.trips[true][k]}},
		{"tick", w.ticks},
		{"tick of a processor", w.work},
	} {
		t.Logf("%s: p50 %.1f ms, p99 %.1f ms quiet; p50 %.1f ms, p99 %.1f ms flooded", c.what, ms(quantile(c.by[false], 0.5)),
			ms(quantile(c.by[false], 0.99)), ms(quantile(c.by[true], 0.5)), ms(quantile(c.by[true], 0.99)))
	}
}

// memory is what this process takes, in bytes: alive on the heap, taken of the system, and of that not given back.
type memory struct{ live, system, held int64 }

func memoryNow() memory {
	live := heap.Live()
	debug.FreeOSMemory()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return memory{live, int64(m.Sys), int64(m.Sys - m.HeapReleased)}
}

func (m memory) since(was memory) memory {
	return memory{m.live - was.live, m.system - was.system, m.held - was.held}
}

func (m memory) String() string {
	return fmt.Sprintf("heap %+.1f MB, of the system %+.1f MB, of it held %+.1f MB", float64(m.live)/1e6, float64(m.system)/1e6, float64(m.held)/1e6)
}

// TestFlood: strangers send 50 000 packets a second at a host with players: what is no packet at all, hellos and
// connects without end, guessed seals, packets of a player overheard and sent again. Nobody gets in, nobody falls out,
// somebody who joins meanwhile is let in, memory stays.
func TestFlood(t *testing.T) {
	flooded := max(2*time.Second, *floodFor)
	const perSecond, players = 50_000, 8
	h := startHost(t, hostConfig{level: "arena?game=Crowd?bots=4?maxplayers=64"})
	way := newTap(t, h.link.Addr(), func(b []byte) bool { return b[0] == 1 })
	honest := startChild(t, childConfig{Crowd: &crowdConfig{Addr: h.link.Addr(), First: way.addr(), Full: players, Seed: 9}})
	joined(t, h, honest, players, 0)

	before, was := memoryNow(), h.counters()
	bad := startChild(t, childConfig{Flood: &floodConfig{Addr: h.link.Addr(), PerSecond: perSecond, Recorded: way.overheard()}})
	w := h.alternate(bad, flooded, honest)
	grown := memoryNow().since(before) // of the flood: anyone who joins next has a world of their own in this process
	var all floodReport
	bad.ask("on", &all)
	late, err := newCrowd(crowdConfig{Addr: h.link.Addr(), Full: 1, Seed: 77})
	if err != nil {
		t.Fatal(err)
	}
	if err := late.run(); err != nil {
		t.Fatal(err)
	}
	until(t, "somebody who joins during the flood in", func() bool { return late.report().In == 1 })
	bad.ask("off", &all)
	open := 0
	h.do(func() { open = h.link.Open() })
	is := h.counters()
	bad.quit()

	t.Logf("%.0f hostile packets a second for %v; %d came to be looked at, %d were dropped unseen", w.perSecond, flooded, is.PacketsIn-was.PacketsIn, is.DroppedFull-was.DroppedFull)
	w.print(t, honest, "players")
	t.Log(grown)
	if open != players+1 || is.Opened-was.Opened != 1 || is.Closed != was.Closed {
		t.Errorf("%d sessions are open, %d were opened and %d closed; want %d, 1 and 0", open, is.Opened-was.Opened, is.Closed-was.Closed, players+1)
	}
	if grown.live > 32<<20 || grown.system > 32<<20 {
		t.Errorf("memory grew: %v", grown)
	}
	for what, n := range map[string]uint64{ // any order
		"replayed packets": is.Replayed - was.Replayed, "bad seals": is.BadSeals - was.BadSeals, "bad cookies": is.BadCookies - was.BadCookies,
		"unknown sessions": is.UnknownSession - was.UnknownSession, "malformed packets": is.Malformed - was.Malformed,
		"throttled hellos": is.HellosThrottled - was.HellosThrottled, "packets of no type": is.DroppedType - was.DroppedType,
	} {
		if n == 0 {
			t.Errorf("no %s were counted: that attack did not arrive", what)
		}
	}
	stayed(t, honest, players)
	if err := late.end(); err != nil {
		t.Error(err)
	}
	honest.quit()
	h.quiet("turned away at the gate")
}
