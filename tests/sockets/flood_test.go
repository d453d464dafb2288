//go:build unix

package sockets

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"net"
	"net/netip"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/net/ipv4"

	"github.com/tidelock/tidelock/tests/heap"
)

// floodConfig is a process that attacks a host.
type floodConfig struct {
	Addr netip.AddrPort
	// PerSecond is how many packets it sends.
	PerSecond int
	// Recorded are sealed packets of a player who is in, overheard on their way.
	Recorded [][]byte
}

// floodReport is what it sent.
type floodReport struct{ Sent uint64 }

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

// floodMain floods from an address of loopback that is not the players', after a line "on" and until another.
func floodMain(c floodConfig) error {
	conn, err := net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 6, 6, 6)})
	if err != nil { // a system with one loopback address
		conn, err = net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	}
	if err != nil {
		return err
	}
	list := attacks(c.Recorded, rand.New(rand.NewPCG(3, 3)))
	n := 0
	g := startGun(conn, c.Addr, c.PerSecond, func() []byte { n++; return list[n%len(list)] })
	err = answer(func(line string) any {
		g.on.Store(line == "on")
		return floodReport{g.sent.Load()}
	})
	return errors.Join(err, g.end())
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

func (p *tap) overheard() [][]byte {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([][]byte(nil), p.recorded...)
}

// TestFlood: strangers send 50 000 packets a second at a host with players: what is no packet at all, hellos and
// connects without end, guessed seals, packets of a player overheard and sent again. Nobody gets in, nobody falls out,
// somebody who joins meanwhile is let in, memory stays.
func TestFlood(t *testing.T) {
	flooded := 2 * time.Second
	if *floodFor > 0 {
		flooded = *floodFor
	}
	const perSecond, full, others = 50_000, 4, 20
	h := startHost(t, hostConfig{level: "arena?game=Crowd?bots=4?maxplayers=64"})
	way := newTap(t, h.link.Addr(), func(b []byte) bool { return b[0] == 1 })
	honest := startChild(t, childConfig{Crowd: &crowdConfig{Addr: h.link.Addr(), First: way.front.LocalAddr().(*net.UDPAddr).AddrPort(), Full: full, Wire: others, Seed: 9, Rate: 240, Ask: true}})
	joined(t, h, honest, full+others, 0)

	var before, after runtime.MemStats
	liveBefore := heap.Live()
	runtime.ReadMemStats(&before)
	was := h.counters()
	h.do(func() { h.ticks, h.work = h.ticks[:0], h.work[:0] })
	used, start := cpu(), time.Now()
	bad := startChild(t, childConfig{Flood: &floodConfig{Addr: h.link.Addr(), PerSecond: perSecond, Recorded: way.overheard()}})
	// Quiet and flood take turns, so that what else this machine does weighs on both.
	var quiet, storm []time.Duration
	var hostile uint64
	var seconds float64
	const turns = 4
	for range turns {
		for _, on := range []bool{false, true} {
			var from, to floodReport
			bad.ask(map[bool]string{false: "off", true: "on"}[on], &from)
			honest.report() // those under way are of the turn before
			at := time.Now()
			pass(flooded / turns)
			trips := honest.report().Trips
			bad.ask("off", &to)
			if on {
				storm, hostile, seconds = append(storm, trips...), hostile+to.Sent-from.Sent, seconds+time.Since(at).Seconds()
			} else {
				quiet = append(quiet, trips...)
			}
		}
	}
	rate := float64(hostile) / seconds
	live := heap.Live() - liveBefore
	runtime.ReadMemStats(&after) // of the flood: anyone who joins next has a world of their own in this process
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
	used, took := cpu()-used, time.Since(start)
	var ticks []time.Duration
	open := 0
	h.do(func() { ticks, open = append(ticks, h.ticks...), h.link.Open() })
	is := h.counters()
	bad.quit()

	grown := int64(after.Sys) - int64(before.Sys)
	t.Logf("%.0f hostile packets a second for %v; %d came to be looked at, %d were dropped unseen", rate, flooded, is.PacketsIn-was.PacketsIn, is.DroppedFull-was.DroppedFull)
	t.Logf("round trip of players p50 %.1f ms, p99 %.1f ms quiet; p50 %.1f ms, p99 %.1f ms flooded: %.2f times", ms(quantile(quiet, 0.5)), ms(quantile(quiet, 0.99)),
		ms(quantile(storm, 0.5)), ms(quantile(storm, 0.99)), float64(quantile(storm, 0.99))/float64(max(1, quantile(quiet, 0.99))))
	t.Logf("tick p50 %.2f ms, p99 %.2f ms; server %.0f %% of a core; heap %+.1f MB, of the system %+.1f MB", ms(quantile(ticks, 0.5)), ms(quantile(ticks, 0.99)), 100*used.Seconds()/took.Seconds(),
		float64(live)/1e6, float64(grown)/1e6)
	if open != full+others+1 || is.Opened-was.Opened != 1 || is.Closed != was.Closed {
		t.Errorf("%d sessions are open, %d were opened and %d closed; want %d, 1 and 0", open, is.Opened-was.Opened, is.Closed-was.Closed, full+others+1)
	}
	if live > 32<<20 || grown > 32<<20 {
		t.Errorf("memory grew: heap by %d bytes, of the system by %d", live, grown)
	}
	for _, c := range []struct {
		what string
		n    uint64
	}{
		{"replayed packets", is.Replayed - was.Replayed},
		{"bad seals", is.BadSeals - was.BadSeals},
		{"bad cookies", is.BadCookies - was.BadCookies},
		{"unknown sessions", is.UnknownSession - was.UnknownSession},
		{"malformed packets", is.Malformed - was.Malformed},
		{"throttled hellos", is.HellosThrottled - was.HellosThrottled},
		{"packets of no type", is.DroppedType - was.DroppedType},
	} {
		if c.n == 0 {
			t.Errorf("no %s were counted: that attack did not arrive", c.what)
		}
	}
	// The bounds are for a stall, the ratio is in the log.
	if len(quiet) == 0 || len(storm) < len(quiet)/4 {
		figure(t, "%d round trips flooded, %d quiet", len(storm), len(quiet))
	}
	if limit := 5*quantile(quiet, 0.99) + 100*time.Millisecond; quantile(storm, 0.99) > limit {
		figure(t, "round trip p99 %v flooded, %v quiet", quantile(storm, 0.99), quantile(quiet, 0.99))
	}
	stayed(t, honest, full+others)
	if err := late.end(); err != nil {
		t.Error(err)
	}
	honest.quit()
	h.quiet("turned away at the gate")
}
