package kcplink

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"net"
	"net/netip"
	"os"
	"runtime"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/net/ipv4"

	"github.com/tidelock/tidelock/netcode/kcplink/impair"
	"github.com/tidelock/tidelock/netcode/link"
	"github.com/tidelock/tidelock/tests/heap"
)

// Every packet of a session, in both directions, cut at every byte: nothing happens but counting.
func TestTruncationAtEveryByte(t *testing.T) {
	inWorld(t, impair.Rule{Lag: 10 * time.Millisecond}, func(w *world) {
		tok := token(t, operatorKey, TokenClaims{Name: "Ann"})
		s := w.server(Server{TokenKey: &operatorKey, Name: "eu-1", Wall: func() time.Time { return wallStart }},
			Limits{Hellos: 1 << 30, HellosPerAddress: 1 << 30, PacketsIn: 1 << 30, Handshakes: 1 << 30, HandshakesPerAddress: 1 << 30})
		cut := map[byte]int{}
		var inside bool
		w.tap = func(from, to netip.AddrPort, b []byte) bool {
			if inside {
				return true
			}
			inside = true
			defer func() { inside = false }()
			for n := range b {
				w.send(from, to, b[:n])
				cut[b[0]]++
			}
			return true
		}
		c := w.client(0)
		cc := c.dial(Dial{Token: tok, Options: "hello"})
		used := w.client(1)
		w.until("open", 5*time.Second, func() bool { return len(s.opened) == 1 && len(c.opened) == 1 })
		used.dial(Dial{Token: tok}) // gets a denial
		w.until("denied", 5*time.Second, func() bool { return used.lastReason() == "token_used" })
		c.echo = true
		for i := range 10 {
			if err := cc.Send(numbered(i, 300)); err != nil {
				t.Fatal(err)
			}
			if err := cc.SendDatagram(numbered(i, 200)); err != nil {
				t.Fatal(err)
			}
			w.step()
		}
		w.run(100 * time.Millisecond)
		cc.Close(link.Reason{Code: "done", Text: "done"})
		w.until("closed", time.Second, func() bool { return len(s.closed) == 1 })
		if len(s.opened) != 1 || len(s.messages) != 10 || len(s.datagrams) != 10 || s.lastReason() != "done" {
			t.Errorf("opened %d, messages %d, datagrams %d, closed %v", len(s.opened), len(s.messages), len(s.datagrams), s.closed)
		}
		for typ := byte(typeData); typ <= typeDeny; typ++ {
			if cut[typ] == 0 {
				t.Errorf("no packet of type %d was cut", typ)
			}
		}
	})
}

// Every bit of sealed packets counts.
func TestCorruptionOfEveryByte(t *testing.T) {
	inWorld(t, impair.Rule{Lag: 10 * time.Millisecond}, func(w *world) {
		s := w.server(Server{}, Limits{})
		var inside bool
		w.tap = func(from, to netip.AddrPort, b []byte) bool {
			if inside || b[0] != typeData && b[0] != typeResponse && b[0] != typeConfirm {
				return true
			}
			inside = true
			defer func() { inside = false }()
			for i := range b {
				if b[0] != typeData && i%40 != 10 && i != len(b)-1 {
					continue // a key exchange stands a few failures
				}
				bad := bytes.Clone(b)
				bad[i] ^= 1 << (i % 8)
				w.send(from, to, bad)
			}
			return true
		}
		c := w.client(0)
		cc := c.dial(Dial{})
		w.until("open", 5*time.Second, func() bool { return len(s.opened) == 1 && len(c.opened) == 1 })
		for i := range 5 {
			if err := cc.SendDatagram(numbered(i, 50)); err != nil {
				t.Fatal(err)
			}
			w.step()
		}
		w.run(100 * time.Millisecond)
		if len(s.opened) != 1 || len(s.datagrams) != 5 || len(s.closed)+len(c.closed) != 0 {
			t.Errorf("opened %d, datagrams %d, closed %v %v", len(s.opened), len(s.datagrams), s.closed, c.closed)
		}
		if n := s.l.Counters(); n.BadSeals < 300 || n.BadHandshakes == 0 {
			t.Errorf("%+v", n)
		}
	})
}

// hostilePackets are what strangers send, of each kind, against a server with one session.
func hostilePackets(c *Conn, recorded [][]byte, rng *rand.Rand) [][]byte {
	var out [][]byte
	random := func(n int) []byte {
		b := make([]byte, n)
		for i := range b {
			b[i] = byte(rng.Uint32())
		}
		return b
	}
	kcpRaw := random(60) // kcp-go's own first packet
	binary.LittleEndian.PutUint32(kcpRaw, 77)
	kcpRaw[4], kcpRaw[5] = 81, 0
	out = append(out, kcpRaw, random(12), random(1500), []byte{}, []byte{typeData})
	short := helloPacket()[:500]
	wrong := helloPacket()
	copy(wrong[1:], "EDIT")
	out = append(out, short, wrong, helloPacket())
	badCookie := random(connectSize)
	copy(badCookie, []byte{typeConnect, Version, modeOpen})
	clear(badCookie[7:11]) // of this slot
	clear(badCookie[connectHeader-2 : connectHeader])
	badSeal := random(200)
	badSeal[0] = typeData
	binary.BigEndian.PutUint32(badSeal[1:], c.peer)
	unknown := random(200)
	unknown[0] = typeData
	confirm := random(confirmLeast)
	confirm[0] = typeConfirm
	out = append(out, badCookie, badSeal, unknown, confirm)
	for _, typ := range []byte{typeCookie, typeResponse, typeDeny} {
		b := random(responseSize)
		b[0] = typ
		out = append(out, b)
	}
	return append(out, recorded...)
}

// What strangers send costs a lookup and a counter, and allocates nothing.
func TestHostileDatagramsAllocateNothing(t *testing.T) {
	inWorld(t, impair.Rule{}, func(w *world) {
		s := w.server(Server{}, Limits{})
		c := w.client(0)
		var recorded [][]byte
		w.tap = func(from, _ netip.AddrPort, b []byte) bool {
			if from == clientAddr && b[0] == typeData && len(recorded) < 20 {
				recorded = append(recorded, bytes.Clone(b))
			}
			return true
		}
		cc := c.dial(Dial{})
		w.until("open", time.Second, func() bool { return len(c.opened) == 1 })
		for i := range 30 {
			if err := cc.SendDatagram(numbered(i, 50)); err != nil {
				t.Fatal(err)
			}
			w.step()
		}
		from := netip.MustParseAddrPort("66.6.6.6:666")
		attacks := hostilePackets(cc, recorded, rand.New(rand.NewPCG(1, 1)))
		ps := make([]*packet, 1)
		ps[0] = new(packet)
		before := s.l.Open()
		allocs := testing.AllocsPerRun(50, func() {
			for _, b := range attacks {
				ps[0].n, ps[0].from = copy(ps[0].b[:], b), path{AddrPort: from}
				s.l.in.put(ps)
				batch := s.l.in.take()
				for _, p := range batch {
					s.l.receive(p)
				}
				s.l.in.give(batch)
			}
			s.l.write()
			for _, line := range w.lines { // what the memory network keeps of the answers
				for _, ok := line.Get(w.now + time.Hour); ok; _, ok = line.Get(w.now + time.Hour) {
				}
			}
		})
		// The network in memory clones the cookies that are answered, a few in all before the throttle.
		if allocs >= 3 {
			t.Errorf("%.1f allocations for %d hostile packets", allocs, len(attacks))
		}
		if s.l.Open() != before || len(s.closed) != 0 || len(s.opened) != 1 {
			t.Error("a session came or went")
		}
	})
}

// recorder keeps the first sealed packets that a link sends.
type recorder struct {
	socket
	sent [][]byte
}

func (r *recorder) write(out []*outPacket) (int, error) {
	for _, o := range out {
		if o.b[0] == typeData && len(r.sent) < 5 {
			r.sent = append(r.sent, bytes.Clone(o.b[:o.n]))
		}
	}
	return r.socket.write(out)
}

// The flood: raw KCP, bad hellos, bad cookies, bad seals and replays over loopback, while an honest player
// echoes. A second in CI; TIDELOCK_FLOOD=20s for the long one.
func TestHostileFlood(t *testing.T) {
	long := time.Second
	if s := os.Getenv("TIDELOCK_FLOOD"); s != "" {
		d, err := time.ParseDuration(s)
		if err != nil {
			t.Fatal(err)
		}
		long = d
	}
	const perSecond = 50_000
	server, err := New(Config{Addr: "127.0.0.1:0", Server: &Server{}})
	if err != nil {
		t.Fatal(err)
	}
	client, err := New(Config{Addr: "127.0.0.1:0"})
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	defer client.Close()
	recorded := &recorder{socket: client.sock}
	client.sock = recorded
	start := time.Now()
	s, c := &peer{t: t, l: server, echo: true}, &peer{t: t, l: client}
	cc, err := client.Dial(Dial{Addr: server.Addr()})
	if err != nil {
		t.Fatal(err)
	}
	tick := time.NewTicker(200 * time.Microsecond)
	defer tick.Stop()
	step := func() {
		<-tick.C
		for _, p := range []*peer{c, s} {
			now := time.Since(start)
			p.l.Poll(now, p)
			p.l.Flush(now)
		}
	}
	for len(c.opened) == 0 {
		if step(); time.Since(start) > time.Minute {
			t.Fatal("not open")
		}
	}
	// ping measures round trips for a while, by datagrams.
	ping := func(d time.Duration) time.Duration {
		var trips []time.Duration
		sent := time.Now()
		waiting := false
		for end := time.Now().Add(d); time.Now().Before(end); {
			if !waiting || time.Since(sent) > 100*time.Millisecond {
				if waiting {
					trips = append(trips, time.Since(sent)) // lost
				}
				c.datagrams = c.datagrams[:0]
				if err := cc.SendDatagram(numbered(len(trips), 60)); err != nil {
					t.Fatal(err)
				}
				client.Flush(time.Since(start))
				sent, waiting = time.Now(), true
			}
			step()
			s.datagrams = s.datagrams[:0]
			if len(c.datagrams) > 0 {
				trips = append(trips, time.Since(sent))
				waiting = false
			}
		}
		slices.Sort(trips)
		return trips[len(trips)*99/100]
	}
	quiet := ping(min(long, time.Second))

	var before, after runtime.MemStats
	liveBefore := heap.Live()
	runtime.ReadMemStats(&before)
	var sent atomic.Uint64
	stop, done := make(chan struct{}), make(chan struct{})
	attacks := hostilePackets(cc, recorded.sent, rand.New(rand.NewPCG(3, 3)))
	target := net.UDPAddrFromAddrPort(server.Addr())
	go func() {
		defer close(done)
		conn, err := net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
		if err != nil {
			return
		}
		defer conn.Close()
		batch := ipv4.NewPacketConn(conn)
		ms := make([]ipv4.Message, 50)
		for i := range ms {
			ms[i].Buffers, ms[i].Addr = [][]byte{nil}, target
		}
		tick := time.NewTicker(time.Millisecond)
		defer tick.Stop()
		begin, k := time.Now(), 0
		for {
			select {
			case <-stop:
				return
			case <-tick.C:
			}
			for due := uint64(time.Since(begin).Seconds() * perSecond); sent.Load() < due; {
				for i := range ms {
					ms[i].Buffers[0] = attacks[k%len(attacks)]
					k++
				}
				n, err := batch.WriteBatch(ms, 0)
				if err != nil {
					return
				}
				sent.Add(uint64(n))
			}
		}
	}()
	begin := time.Now()
	flooded := ping(long)
	close(stop)
	<-done
	rate := float64(sent.Load()) / time.Since(begin).Seconds()
	live := heap.Live()
	runtime.ReadMemStats(&after)
	n := server.Counters()
	grown := (live - liveBefore) >> 10
	t.Logf("%.0f hostile packets a second for %v; round trip p99 %v quiet, %v flooded; heap %+d KB, system %+d KB", rate, long, quiet, flooded, grown, (int64(after.Sys)-int64(before.Sys))>>10)
	t.Logf("%+v", n)
	if server.Open() != 1 || len(s.opened) != 1 || len(s.closed)+len(c.closed) != 0 {
		t.Errorf("%d open, opened %d, closed %v %v", server.Open(), len(s.opened), s.closed, c.closed)
	}
	if grown > 32<<10 || int64(after.Sys)-int64(before.Sys) > 32<<20 {
		t.Errorf("memory grew by %d KB", grown)
	}
	if n.Replayed == 0 || n.BadSeals == 0 || n.BadCookies == 0 || n.UnknownSession == 0 || n.Malformed == 0 || n.DroppedType == 0 {
		t.Error("some attack did not arrive")
	}
	// Shared cores: the bound is for a stall, the ratio is in the log. One second tells nothing of a machine that is busy with other
	// things; the long form does.
	if long > time.Second && flooded > 10*quiet+20*time.Millisecond {
		t.Errorf("round trip p99 %v flooded, %v quiet", flooded, quiet)
	}
}
