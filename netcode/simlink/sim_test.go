package simlink

import (
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"slices"
	"testing"
	"time"

	"github.com/tidelock/tidelock/netcode/link"
	"github.com/tidelock/tidelock/tests/tier"
	"pgregory.net/rapid"
)

const tickTime = time.Second / 60

// recorder is a Handler that remembers.
type recorder struct {
	opened, closed []*Conn
	why            []link.Reason
	messages       [][]byte
	datagrams      [][]byte
	onMessage      func(c link.Conn, b []byte)
	onDatagram     func(c link.Conn, b []byte)
}

func (r *recorder) Opened(c link.Conn) { r.opened = append(r.opened, c.(*Conn)) }
func (r *recorder) Closed(c link.Conn, why link.Reason) {
	r.closed, r.why = append(r.closed, c.(*Conn)), append(r.why, why)
}

func (r *recorder) Message(c link.Conn, b []byte) {
	if r.onMessage != nil {
		r.onMessage(c, b)
		return
	}
	r.messages = append(r.messages, slices.Clone(b))
}

func (r *recorder) Datagram(c link.Conn, b []byte) {
	if r.onDatagram != nil {
		r.onDatagram(c, b)
		return
	}
	r.datagrams = append(r.datagrams, slices.Clone(b))
}

// pair is a server and a client on one network.
type pair struct {
	net    *Network
	server *End
	client *Client
	s, c   recorder
	now    time.Duration
}

func newPair(cfg Config, path Path) *pair {
	p := &pair{net: New(cfg)}
	p.server = p.net.Server()
	p.client = p.net.Dial(0, path)
	return p
}

// step is one tick of both.
func (p *pair) step(dt time.Duration) {
	p.now += dt
	p.server.Poll(p.now, &p.s)
	p.client.Poll(p.now, &p.c)
	p.server.Flush(p.now)
	p.client.Flush(p.now)
}

func (p *pair) run(d time.Duration) {
	for end := p.now + d; p.now < end; {
		p.step(tickTime)
	}
}

// join runs until both are open.
func (p *pair) join(t interface{ Fatal(...any) }) (s, c *Conn) {
	for range 1200 {
		if len(p.s.opened) == 1 && len(p.c.opened) == 1 {
			return p.s.opened[0], p.c.opened[0]
		}
		p.step(tickTime)
	}
	t.Fatal("the handshake did not end")
	return nil, nil
}

func TestJoinTakesARoundTrip(t *testing.T) {
	p := newPair(Config{}, Symmetric(Impairment{Lag: 100 * time.Millisecond}))
	p.run(90 * time.Millisecond)
	if len(p.s.opened) != 0 {
		t.Fatal("open before anything can have arrived")
	}
	p.run(50 * time.Millisecond)
	if len(p.s.opened) != 1 || len(p.c.opened) != 0 {
		t.Fatal("the server knows first", len(p.s.opened), len(p.c.opened))
	}
	p.run(80 * time.Millisecond)
	if len(p.c.opened) != 1 {
		t.Fatal("not open after a round trip")
	}
}

// What goes before the first acknowledgement is not sent again on a way that is longer than the first time-out: the handshake has
// shown how long it is, also where packets of it were lost.
func TestFirstMessagesGoOnce(t *testing.T) {
	for _, lost := range []int{0, 1, 2} {
		p := newPair(Config{}, Symmetric(Impairment{Lag: 150 * time.Millisecond, Jitter: 10 * time.Millisecond}))
		n := 0
		fate := func() Fate {
			n++
			return Fate{Lost: n <= lost}
		}
		p.client.Judge(fate, fate)
		s, c := p.join(t)
		for range 20 {
			for _, conn := range []*Conn{s, c} {
				if err := conn.Send(make([]byte, 1000)); err != nil {
					t.Fatal(err)
				}
			}
		}
		p.run(2 * time.Second)
		if len(p.s.messages) != 20 || len(p.c.messages) != 20 {
			t.Fatalf("%d and %d of 20 messages came", len(p.s.messages), len(p.c.messages))
		}
		for _, conn := range []*Conn{s, c} {
			if n := conn.Stats().RetransmittedOut; n != 0 {
				t.Errorf("%d packets of the handshake lost: %d bytes were sent again", lost, n)
			}
		}
	}
}

func TestDialOfNobody(t *testing.T) {
	p := newPair(Config{}, Symmetric(Impairment{Loss: 1}))
	p.run(9900 * time.Millisecond)
	if len(p.c.closed) != 0 {
		t.Fatal("gave up early", p.c.why)
	}
	p.run(200 * time.Millisecond)
	if len(p.c.closed) != 1 || p.c.why[0].Code != "unreachable" || len(p.c.opened) != 0 {
		t.Fatal(p.c.why)
	}
}

func drawImpairment(t *rapid.T, worst float64) Impairment {
	ms := func(name string, most int) time.Duration {
		return time.Duration(rapid.IntRange(0, most).Draw(t, name)) * time.Millisecond
	}
	i := Impairment{
		Lag: ms("lag", 300), Jitter: ms("jitter", 100), Loss: rapid.Float64Range(0, worst).Draw(t, "loss"),
		Burst: rapid.Float64Range(0, 4).Draw(t, "burst"), Dup: rapid.Float64Range(0, 0.5).Draw(t, "dup"), Reorder: rapid.Float64Range(0, 0.5).Draw(t, "reorder"),
	}
	if rapid.IntRange(0, 2).Draw(t, "bound") == 0 {
		i.Rate = rapid.IntRange(3000, 50000).Draw(t, "rate")
	}
	return i
}

// Reliable messages: once, in order, complete, whatever the line does. Datagrams: never twice. Counters: exact.
func TestContractUnderAnyImpairment(t *testing.T) {
	tier.Check(t, func(t *rapid.T) {
		cfg := Config{Seed: rapid.Uint64().Draw(t, "seed")}
		p := newPair(cfg, Path{drawImpairment(t, 0.5), drawImpairment(t, 0.5)})
		sc, cc := p.join(t)
		var sent [2][][]byte
		var payload [2]uint64
		var grams [2]int
		seen := [2]map[uint32]bool{{}, {}}
		for i, r := range []*recorder{&p.c, &p.s} { // index: who sent
			r.onDatagram = func(_ link.Conn, b []byte) {
				n := binary.BigEndian.Uint32(b)
				if seen[i][n] || len(b) != 4+int(n%50) {
					t.Fatalf("datagram %d twice, or of %d bytes", n, len(b))
				}
				seen[i][n] = true
			}
		}
		dts := []time.Duration{tickTime, time.Second / 20, time.Second / 144}
		dt := rapid.SampledFrom(dts).Draw(t, "tick")
		for range rapid.IntRange(1, 100).Draw(t, "ticks") {
			for i, c := range []*Conn{sc, cc} {
				for range rapid.IntRange(0, 2).Draw(t, "messages") {
					size := rapid.SampledFrom([]int{0, 1, 20, 127, 128, 300, 1157, 1158, 1159, 5000}).Draw(t, "size")
					b := make([]byte, size)
					for k := range b {
						b[k] = byte(len(sent[i]) + k)
					}
					if c.Send(b) == nil {
						sent[i] = append(sent[i], b)
						payload[i] += uint64(size)
					}
				}
				if rapid.Bool().Draw(t, "datagram") {
					b := binary.BigEndian.AppendUint32(nil, uint32(grams[i]))
					if err := c.SendDatagram(append(b, make([]byte, grams[i]%50)...)); err != nil {
						t.Fatal(err)
					}
					grams[i]++
				}
			}
			p.step(dt)
		}
		if rapid.Bool().Draw(t, "mend") { // change while running
			p.client.SetPath(p.now, Symmetric(Broadband()))
		}
		quiet := func() bool { return sc.Stats().Unacked == 0 && cc.Stats().Unacked == 0 }
		for n := 0; !quiet() && sc.Open() && cc.Open(); n++ {
			if n > 400_000 {
				t.Fatalf("not through after %v: %+v, %+v", p.now, sc.Stats(), cc.Stats())
			}
			p.step(tickTime)
		}
		if !sc.Open() || !cc.Open() {
			return // half a second of bad luck, twenty times over: a time-out is right
		}
		for i, r := range []*recorder{&p.c, &p.s} {
			if len(r.messages) != len(sent[i]) {
				t.Fatalf("%d messages arrived of %d", len(r.messages), len(sent[i]))
			}
			for k := range sent[i] {
				if string(r.messages[k]) != string(sent[i][k]) {
					t.Fatalf("message %d is not what was sent", k)
				}
			}
		}
		p.client.SetPath(p.now, Path{})
		p.run(time.Second) // what is on its way arrives
		for i, c := range []*Conn{sc, cc} {
			if s := c.Stats(); s.MessageBytesOut != payload[i] {
				t.Fatalf("MessageBytesOut %d, sent %d", s.MessageBytesOut, payload[i])
			}
		}
		var expect uint64
		for n := range grams[0] {
			expect += uint64(4 + n%50)
		}
		if got := sc.Stats().DatagramBytesOut; got != expect {
			t.Fatalf("DatagramBytesOut %d, sent %d", got, expect)
		}
	})
}

// Everything sent is delivered, lost, dropped or on its way, to the byte, and connections count what the network
// counts.
func TestEveryByteIsAccountedFor(t *testing.T) {
	bad := Impairment{Lag: 40 * time.Millisecond, Jitter: 20 * time.Millisecond, Loss: 0.1, Dup: 0.1, Reorder: 0.1, Rate: 20000}
	p := newPair(Config{Seed: 3}, Symmetric(bad))
	sc, cc := p.join(t)
	for i := range 600 {
		_ = sc.Send(make([]byte, 100+i))
		_ = cc.SendDatagram(make([]byte, i))
		p.step(tickTime)
	}
	p.client.SetPath(p.now, Path{})
	p.run(5 * time.Second)
	for _, d := range []struct {
		name string
		tr   Traffic
		out  link.Stats
		to   *End
	}{{"up", p.net.Up, cc.Stats(), p.server}, {"down", p.net.Down, sc.Stats(), &p.client.End}} {
		for _, k := range d.to.inbox { // on its way; the lines are empty by now
			d.tr.Delivered++
			d.tr.DeliveredBytes += uint64(k.size())
		}
		if d.tr.Packets+d.tr.Doubled != d.tr.Delivered+d.tr.Lost+d.tr.Dropped {
			t.Errorf("%s: packets do not add up: %+v", d.name, d.tr)
		}
		if d.tr.Bytes+d.tr.DoubledBytes != d.tr.DeliveredBytes+d.tr.LostBytes+d.tr.DroppedBytes {
			t.Errorf("%s: bytes do not add up: %+v", d.name, d.tr)
		}
		if d.out.BytesOut != d.tr.Bytes-d.tr.HandshakeBytes {
			t.Errorf("%s: the sender counts %d bytes, the network %d", d.name, d.out.BytesOut, d.tr.Bytes-d.tr.HandshakeBytes)
		}
		if d.tr.Lost == 0 || d.tr.Doubled == 0 || d.tr.Reordered == 0 {
			t.Errorf("%s: the line was not bad enough: %+v", d.name, d.tr)
		}
	}
	for _, c := range []*Conn{sc, cc} {
		if a := c.Account(); c.Stats().BytesOut+a.Waiting != a.Payload+a.Retransmitted+a.Overhead || c == sc && a.Retransmitted == 0 || a.Waiting > 0 {
			t.Errorf("%d bytes sent, of which %+v", c.Stats().BytesOut, a)
		}
	}
	if err := sc.SendDatagram(make([]byte, 30)); err != nil {
		t.Fatal(err)
	}
	if a := sc.Account(); a.Waiting != 33 || sc.Stats().BytesOut+a.Waiting != a.Payload+a.Retransmitted+a.Overhead {
		t.Errorf("a datagram waits: %d bytes sent, of which %+v", sc.Stats().BytesOut, a)
	}
	sc.becomeDead()
	if a := sc.Account(); a.Waiting != 33 || sc.Stats().BytesOut+a.Waiting != a.Payload+a.Retransmitted+a.Overhead {
		t.Errorf("and was never sent: %d bytes sent, of which %+v", sc.Stats().BytesOut, a)
	}
	if p.net.Up.Dropped == 0 && p.net.Down.Dropped == 0 {
		t.Error("nothing was dropped")
	}
}

// What one datagram and one message cost, to the byte.
func TestSizesOnTheWire(t *testing.T) {
	p := newPair(Config{}, Path{})
	sc, cc := p.join(t)
	_, _ = sc.SendDatagram(nil), cc.SendDatagram(nil) // the first time frames go along
	p.run(20 * time.Millisecond)
	a, b := sc.Stats(), cc.Stats()
	_ = sc.SendDatagram(make([]byte, 200))
	_ = sc.SendDatagram(make([]byte, 100))
	p.step(time.Millisecond)
	if got := sc.Stats().BytesOut - a.BytesOut; got != 28+25+3+200+3+100 || sc.Stats().PacketsOut-a.PacketsOut != 1 {
		t.Errorf("two datagrams take %d bytes", got)
	}
	p.step(time.Millisecond)
	a = sc.Stats()
	_ = sc.Send(make([]byte, 10))
	_ = sc.Send(make([]byte, 20))
	p.step(time.Millisecond)
	p.step(time.Millisecond)
	if got := sc.Stats().BytesOut - a.BytesOut; got != 28+25+17+11+21 {
		t.Errorf("two small messages take %d bytes", got)
	}
	if got := cc.Stats().BytesOut - b.BytesOut; got != 28+25+15 {
		t.Errorf("an acknowledgement takes %d bytes", got)
	}
	if err := sc.SendDatagram(make([]byte, MaxDatagram+1)); err != link.ErrTooLarge {
		t.Error(err)
	}
	a = sc.Stats()
	if err := sc.SendDatagram(make([]byte, MaxDatagram)); err != nil {
		t.Error(err)
	}
	p.step(time.Millisecond)
	if got := sc.Stats().BytesOut - a.BytesOut; got != 1228 {
		t.Errorf("the largest datagram takes %d bytes", got)
	}
	if err := sc.Send(make([]byte, link.MaxMessage+1)); err != link.ErrTooLarge {
		t.Error(err)
	}
}

func TestQueueIsBounded(t *testing.T) {
	p := newPair(Config{QueueBytes: 1000, QueueMessages: 5}, Path{})
	sc, _ := p.join(t)
	if err := sc.Send(make([]byte, 1001)); err != link.ErrQueueFull {
		t.Error(err)
	}
	for i := range 6 {
		if err := sc.Send(nil); (err == nil) != (i < 5) {
			t.Errorf("message %d: %v", i, err)
		}
	}
	p.run(time.Second)
	if err := sc.Send(nil); err != nil {
		t.Error("the queue must be free again:", err)
	}
}

// A run as a hash of everything that either side was handed, and when.
func runHash(seed uint64) (string, Traffic) {
	h := fnv.New64a()
	n := New(Config{Seed: seed})
	server := n.Server()
	var now time.Duration
	note := func(who int) *recorder {
		r := &recorder{}
		r.onMessage = func(c link.Conn, b []byte) { fmt.Fprintln(h, who, now, c.ID(), "m", b) }
		r.onDatagram = func(c link.Conn, b []byte) { fmt.Fprintln(h, who, now, c.ID(), "d", b) }
		return r
	}
	hs := note(0)
	var clients []*Client
	var handlers []*recorder
	presets := []Impairment{LAN(), Broadband(), Internet(), Modem(), {Lag: time.Millisecond, Dup: 0.3, Reorder: 0.3, Loss: 0.2, Burst: 3}}
	for i := range 1800 {
		now += tickTime
		if i%100 == 0 && len(clients) < 8 {
			clients = append(clients, n.Dial(now, Symmetric(presets[len(clients)%len(presets)])))
			handlers = append(handlers, note(len(clients)))
		}
		server.Poll(now, hs)
		for k, c := range clients {
			c.Poll(now, handlers[k])
			if c.Conn().Open() {
				_ = c.Conn().SendDatagram(binary.BigEndian.AppendUint64(nil, uint64(i*k)))
				if i%10 == 0 {
					_ = c.Conn().Send(make([]byte, i))
				}
			}
			c.Flush(now)
		}
		for _, c := range server.Conns(nil) {
			_ = c.SendDatagram(make([]byte, i%700))
			if i%7 == 0 {
				_ = c.Send(make([]byte, i%50))
			}
		}
		server.Flush(now)
		if i == 900 {
			clients[1].Kill()
			clients[2].SetPath(now, Symmetric(Modem()))
		}
	}
	return fmt.Sprintf("%x %+v %+v", h.Sum64(), n.Up, n.Down), n.Down
}

func TestSameSeedSameRun(t *testing.T) {
	a, _ := runHash(1)
	if b, _ := runHash(1); a != b {
		t.Fatalf("two runs of one seed differ:\n%s\n%s", a, b)
	}
	if c, _ := runHash(2); a == c {
		t.Fatal("another seed gives the same run")
	}
}

// A client more does not change what another one meets.
func TestPathsAreIndependent(t *testing.T) {
	fates := func(others int) (out []byte) {
		n := New(Config{Seed: 9})
		server := n.Server()
		hs := &recorder{}
		me := n.Dial(0, Symmetric(Impairment{Loss: 0.3}))
		mine := &recorder{}
		for range others {
			n.Dial(0, Symmetric(Impairment{Loss: 0.5}))
		}
		mine.onDatagram = func(_ link.Conn, b []byte) { out = append(out, b[0]) }
		for i, now := 0, tickTime; i < 200; i, now = i+1, now+tickTime {
			server.Poll(now, hs)
			me.Poll(now, mine)
			for _, c := range server.Conns(nil) {
				if me.Conn().Peer() == c && me.Conn().Open() {
					_ = c.SendDatagram([]byte{byte(i)})
				}
			}
			me.Flush(now)
			server.Flush(now)
		}
		return out
	}
	if a, b := fates(0), fates(5); len(a) < 50 || !slices.Equal(a, b) {
		t.Fatalf("%v\n%v", a, b)
	}
}

// statistics sends n numbered datagrams every gap and tells when each arrived, in order of arrival.
func statistics(imp Impairment, n int, gap time.Duration) (at []time.Duration, order []int, tr Traffic) {
	p := newPair(Config{Seed: 42}, Path{Down: imp})
	for len(p.c.opened) == 0 {
		p.step(time.Millisecond)
	}
	start, before := p.now, p.net.Down
	var sentAt []time.Duration
	p.c.onDatagram = func(_ link.Conn, b []byte) {
		i := int(binary.BigEndian.Uint32(b))
		at = append(at, p.now-sentAt[i])
		order = append(order, i)
	}
	sc := p.s.opened[0]
	sc.lastTime = 1 << 60 // no time frames
	for i := range n {
		for p.now-start < time.Duration(i)*gap {
			p.now += time.Millisecond
			p.client.Poll(p.now, &p.c)
		}
		sentAt = append(sentAt, p.now)
		_ = sc.SendDatagram(binary.BigEndian.AppendUint32(nil, uint32(i)))
		sc.flush(p.now)
	}
	for range 20000 {
		p.now += time.Millisecond
		p.client.Poll(p.now, &p.c)
	}
	tr = p.net.Down
	tr.Packets -= before.Packets
	tr.Lost -= before.Lost
	tr.Dropped -= before.Dropped
	tr.Doubled -= before.Doubled
	tr.Reordered -= before.Reordered
	tr.Bytes -= before.Bytes
	return at, order, tr
}

func near(t *testing.T, what string, got, want, tol float64) {
	t.Helper()
	if got < want-tol || got > want+tol {
		t.Errorf("%s: %.4f, want %.4f ± %.4f", what, got, want, tol)
	}
}

func TestStatisticsOfImpairments(t *testing.T) {
	const n = 20000
	t.Run("loss", func(t *testing.T) {
		_, _, tr := statistics(Impairment{Loss: 0.1}, n, time.Millisecond)
		near(t, "lost", float64(tr.Lost)/float64(tr.Packets), 0.1, 0.007)
	})
	t.Run("bursts", func(t *testing.T) {
		_, order, tr := statistics(Impairment{Loss: 0.1, Burst: 5}, n, time.Millisecond)
		near(t, "lost", float64(tr.Lost)/float64(tr.Packets), 0.1, 0.02)
		bursts := 0
		for i := 1; i < len(order); i++ {
			if order[i] != order[i-1]+1 {
				bursts++
			}
		}
		near(t, "length of a burst", float64(tr.Lost)/float64(bursts), 5, 0.6)
	})
	t.Run("lag and jitter", func(t *testing.T) {
		at, order, _ := statistics(Impairment{Lag: 50 * time.Millisecond, Jitter: 20 * time.Millisecond}, n, 40*time.Millisecond)
		var sum time.Duration
		lo, hi := time.Hour, time.Duration(0)
		for _, d := range at {
			sum, lo, hi = sum+d, min(lo, d), max(hi, d)
		}
		if lo < 50*time.Millisecond || hi > 71*time.Millisecond || !slices.IsSorted(order) || len(at) != n {
			t.Error(lo, hi, len(at))
		}
		near(t, "mean in ms", float64(sum)/n/1e6, 60.5, 0.2) // half a poll late on average
	})
	t.Run("jitter keeps the order", func(t *testing.T) {
		_, order, _ := statistics(Impairment{Lag: 50 * time.Millisecond, Jitter: 30 * time.Millisecond}, n, time.Millisecond)
		if !slices.IsSorted(order) {
			t.Error("overtaken")
		}
	})
	t.Run("reordering", func(t *testing.T) {
		_, order, tr := statistics(Impairment{Lag: 20 * time.Millisecond, Reorder: 0.2}, n, time.Millisecond)
		near(t, "reordered", float64(tr.Reordered)/float64(tr.Packets), 0.2, 0.01)
		late, newest := 0, -1
		for _, i := range order {
			if i < newest {
				late++
			}
			newest = max(newest, i)
		}
		near(t, "overtaken", float64(late)/n, 0.2, 0.03)
	})
	t.Run("doubles", func(t *testing.T) {
		at, _, tr := statistics(Impairment{Dup: 0.25}, n, time.Millisecond)
		near(t, "doubled", float64(tr.Doubled)/float64(tr.Packets), 0.25, 0.01)
		if len(at) != n {
			t.Errorf("%d datagrams handed over of %d", len(at), n)
		}
	})
}

// Over any window, the bytes that come out of the bottleneck are the rate's and one packet's at most; while there is something to
// send they are no fewer. What does not fit the queue is dropped from its end.
func TestBandwidthIsExact(t *testing.T) {
	for _, rate := range []int{2600, 20000, 99999} {
		const size = 300
		wire := size + datagramHeader + PacketOverhead
		p := newPair(Config{}, Path{Down: Impairment{Rate: rate}})
		sc, _ := p.join(t)
		p.run(2 * time.Second)
		sc.lastTime = 1 << 60
		var arrivals []time.Duration
		p.c.onDatagram = func(link.Conn, []byte) { arrivals = append(arrivals, p.now) }
		start := p.now
		for i := 0; p.now-start < 60*time.Second; i++ {
			p.now += time.Millisecond
			if i%2 == 0 { // 150 kB/s offered
				_ = sc.SendDatagram(make([]byte, size))
				sc.flush(p.now)
			}
			p.client.Poll(p.now, &p.c)
		}
		got := float64(len(arrivals)*wire) / (arrivals[len(arrivals)-1] - start).Seconds()
		near(t, fmt.Sprintf("rate %d", rate), got, float64(rate), float64(rate)*0.0005+float64(wire)/30)
		j := 0
		for i := range arrivals { // any window of one second
			for arrivals[i]-arrivals[j] >= time.Second {
				j++
			}
			if bytes := (i - j + 1) * wire; bytes > rate+2*wire {
				t.Fatalf("rate %d: %d bytes within a second", rate, bytes)
			}
		}
		limit := max(rate, 2*(maxPlain+PacketOverhead))
		waited := p.client.route.down.queued
		if waited > limit || waited < limit-wire {
			t.Errorf("rate %d: %d bytes wait, the queue has %d", rate, waited, limit)
		}
		if p.net.Down.Dropped == 0 {
			t.Error("nothing was dropped")
		}
	}
}

// Every departure at its nanosecond: n packets take n·size/rate, with nothing lost to rounding.
func TestBottleneckLosesNoNanosecond(t *testing.T) {
	p := newPair(Config{}, Path{Down: Impairment{Rate: 7777, Queue: 1 << 30}})
	sc, _ := p.join(t)
	l := &p.client.route.down
	p.run(time.Second)
	l.free, l.rest = p.now, 0
	sc.lastTime = 1 << 60
	n, size := 1000, 0
	for range n {
		_ = sc.SendDatagram(make([]byte, 97))
		size += 97 + datagramHeader + PacketOverhead
		sc.flush(p.now)
	}
	start := p.now
	l.pump(start + time.Hour)
	if got, want := l.free-start, time.Duration(int64(size)*int64(time.Second)/7777); got != want {
		t.Fatalf("%d bytes take %v, want %v", size, got, want)
	}
}

func TestRateChangesWhatWaits(t *testing.T) {
	p := newPair(Config{}, Path{Down: Impairment{Rate: 1000, Queue: 1 << 20}})
	sc, _ := p.join(t)
	got := 0
	p.c.onDatagram = func(link.Conn, []byte) { got++ }
	for range 100 {
		_ = sc.SendDatagram(make([]byte, 1000))
	}
	p.run(3 * time.Second)
	if got > 4 {
		t.Fatal("too fast:", got)
	}
	p.client.SetPath(p.now, Path{})
	p.run(1200 * time.Millisecond) // the one under way takes its time
	if got != 100 {
		t.Fatal("what waited must leave at the new rate:", got)
	}
}

func TestKillGoodbyeAndTimeout(t *testing.T) {
	p := newPair(Config{}, Symmetric(Internet()))
	sc, cc := p.join(t)
	for range 60 {
		_ = cc.SendDatagram(nil)
		p.step(tickTime)
	}
	p.client.Kill()
	p.run(9 * time.Second)
	if len(p.s.closed) != 0 {
		t.Fatal("closed too early", p.s.why)
	}
	p.run(1500 * time.Millisecond)
	if len(p.s.closed) != 1 || p.s.why[0].Code != "timeout" || sc.Open() {
		t.Fatal(p.s.why)
	}
	if len(p.c.closed) != 0 {
		t.Fatal("the killed one is told nothing")
	}
	p.run(3 * time.Second)
	if len(p.net.routes) != 0 || len(p.server.conns) != 0 {
		t.Fatal("something is left of a dead connection")
	}
	if sc.Send(nil) != link.ErrClosed || sc.SendDatagram(nil) != link.ErrClosed {
		t.Fatal("a closed connection takes nothing")
	}

	p = newPair(Config{Seed: 4}, Symmetric(Modem()))
	_, cc = p.join(t)
	cc.Close(link.Reason{Code: "bye", Text: "had enough"})
	p.run(2 * time.Second)
	if len(p.c.closed) != 1 || p.c.why[0].Code != "bye" || len(p.s.closed) != 1 || p.s.why[0] != (link.Reason{Code: "bye", Text: "had enough"}) {
		t.Fatal(p.c.why, p.s.why)
	}
	cc.Close(link.Reason{})
	p.run(2 * time.Second)
	if len(p.c.closed) != 1 || len(p.s.closed) != 1 {
		t.Fatal("closed twice")
	}

	p = newPair(Config{}, Symmetric(Broadband()))
	p.join(t)
	_ = p.server.Close()
	p.run(time.Second)
	if len(p.s.closed) != 0 || len(p.c.closed) != 1 {
		t.Fatal(p.s.why, p.c.why)
	}
}

// Idle connections stay, at little cost.
func TestHeartbeatKeepsAnIdleConnection(t *testing.T) {
	p := newPair(Config{Seed: 8}, Symmetric(Impairment{Lag: 75 * time.Millisecond, Loss: 0.3}))
	sc, cc := p.join(t)
	p.run(10 * time.Minute)
	if !sc.Open() || !cc.Open() {
		t.Fatal(p.s.why, p.c.why)
	}
	if perSecond := float64(sc.Stats().BytesOut) / 600; perSecond > 60 {
		t.Errorf("an idle connection takes %.0f bytes a second", perSecond)
	}
	near(t, "round trip in ms", float64(sc.Stats().RTT/time.Millisecond), 158, 20)
}

func TestServerRestart(t *testing.T) {
	p := newPair(Config{}, Symmetric(LAN()))
	p.join(t)
	old := p.server
	p.server = p.net.Server()
	p.s = recorder{}
	p.run(11 * time.Second)
	if len(p.c.closed) != 1 || p.c.why[0].Code != "timeout" || len(p.s.opened) != 0 {
		t.Fatal(p.c.why)
	}
	old.Poll(p.now, &p.s)
	p.client = p.net.Dial(p.now, Path{})
	p.c = recorder{}
	p.join(t)
}

func TestHandlersMayClose(t *testing.T) {
	p := newPair(Config{}, Path{})
	sc, cc := p.join(t)
	for range 5 {
		_ = cc.Send([]byte("x"))
		_ = cc.SendDatagram([]byte("y"))
	}
	got := 0
	p.s.onMessage = func(c link.Conn, _ []byte) { got++; c.Close(link.Reason{Code: "enough"}) }
	p.s.onDatagram = func(link.Conn, []byte) {}
	p.run(3 * time.Second)
	if got != 1 || len(p.s.closed) != 1 || len(p.c.closed) != 1 || sc.Open() {
		t.Fatal(got, p.s.why, p.c.why)
	}
}

// Against KCP as measured, of which nothing goes along with later packets: 100 messages of 100 bytes a second, 50 ms round
// trip; p99 28, 120, 182, 228, 342 ms at 0, 5, 10, 20, 30 % loss.
func TestLatencyIsKCPs(t *testing.T) {
	kcp := map[float64]float64{0: 28, 0.05: 120, 0.1: 182, 0.2: 228, 0.3: 342}
	for _, loss := range []float64{0, 0.05, 0.1, 0.2, 0.3} {
		p := newPair(Config{Seed: 5}, Symmetric(Impairment{Lag: 25 * time.Millisecond, Loss: loss}))
		sc, _ := p.join(t)
		var took []time.Duration
		p.c.onMessage = func(_ link.Conn, b []byte) {
			took = append(took, p.now-time.Duration(binary.BigEndian.Uint64(b)))
		}
		for i := range 60_000 {
			if i%10 == 0 {
				_ = sc.Send(append(binary.BigEndian.AppendUint64(nil, uint64(p.now)), make([]byte, 92)...))
			}
			p.step(time.Millisecond)
		}
		slices.Sort(took)
		p99 := float64(took[len(took)*99/100]) / float64(time.Millisecond)
		t.Logf("%2.0f %% loss: p50 %3.0f ms, p99 %3.0f ms (KCP %3.0f)", loss*100, float64(took[len(took)/2])/1e6, p99, kcp[loss])
		if p99 < kcp[loss]*0.5 || p99 > kcp[loss]*1.6 {
			t.Errorf("%2.0f %% loss: p99 %.0f ms, KCP has %.0f", loss*100, p99, kcp[loss])
		}
	}
}

// A message that has nothing behind it, and is lost again and again, is there within a few round trips all the same (R5.8).
func TestLoneMessagesUnderLoss(t *testing.T) {
	const trip = 200 * time.Millisecond
	p := newPair(Config{Seed: 3}, Symmetric(Impairment{Lag: trip / 2, Loss: 0.3, Dup: 0.25, Reorder: 0.3}))
	sc, _ := p.join(t)
	var took []time.Duration
	p.c.onMessage = func(_ link.Conn, b []byte) {
		took = append(took, p.now-time.Duration(binary.BigEndian.Uint64(b)))
	}
	for range 3000 {
		_ = sc.Send(binary.BigEndian.AppendUint64(nil, uint64(p.now)))
		for range 3 * trip / (5 * time.Millisecond) {
			p.step(5 * time.Millisecond)
		}
	}
	slices.Sort(took)
	at := func(share float64) float64 { return took[int(float64(len(took)-1)*share)].Seconds() / trip.Seconds() }
	t.Logf("p50 %.1f, p99 %.1f, p99.9 %.1f, worst %.1f round trips; %d bytes sent again", at(0.5), at(0.99), at(0.999), at(1), sc.Stats().RetransmittedOut)
	if at(0.99) > 5.5 || at(1) > 8 {
		t.Error("too long")
	}
}

// What neither loses nor reorders has nothing sent again, however much its round trips vary.
func TestNothingIsSentAgainWithoutLoss(t *testing.T) {
	p := newPair(Config{Seed: 3}, Symmetric(Impairment{Lag: 40 * time.Millisecond, Jitter: 10 * time.Millisecond}))
	sc, _ := p.join(t)
	for range 500 {
		_ = sc.Send(make([]byte, 300))
		p.step(20 * time.Millisecond)
	}
	if n := sc.Stats().RetransmittedOut; n != 0 {
		t.Errorf("%d bytes", n)
	}
}

func TestPresets(t *testing.T) {
	for _, name := range []string{"lan", "broadband", "internet", "modem"} {
		if i, ok := Preset(name); !ok || i.Loss == 0 {
			t.Error(name)
		}
	}
	if _, ok := Preset("pigeon"); ok {
		t.Error("pigeon")
	}
}

func TestReplayWindow(t *testing.T) {
	tier.Check(t, func(t *rapid.T) {
		var w replay
		seen := map[uint64]bool{}
		top := uint64(0)
		for range 300 {
			n := uint64(rapid.IntRange(0, 4000).Draw(t, "n"))
			want := !seen[n] && n+replayWindow > top-min(top, 1) || top == 0
			if n+replayWindow < top {
				want = false
			}
			got := w.take(n)
			if got && seen[n] {
				t.Fatalf("%d twice", n)
			}
			if !got && want && n+replayWindow > top {
				t.Fatalf("%d refused, newest %d", n, top)
			}
			if got {
				seen[n] = true
				top = max(top, n+1)
			}
		}
	})
}

// steady is a pair in the middle of a busy exchange.
func steady(imp Impairment) (*pair, func()) {
	p := newPair(Config{Seed: 1}, Symmetric(imp))
	nothing := func(link.Conn, []byte) {}
	p.s.onMessage, p.s.onDatagram, p.c.onMessage, p.c.onDatagram = nothing, nothing, nothing, nothing
	for len(p.s.opened) == 0 || len(p.c.opened) == 0 {
		p.step(tickTime)
	}
	sc, cc := p.s.opened[0], p.c.opened[0]
	big, small := make([]byte, 900), make([]byte, 60)
	return p, func() {
		_ = sc.SendDatagram(big)
		_ = sc.Send(small)
		_ = cc.SendDatagram(small)
		_ = cc.Send(small)
		p.step(tickTime)
	}
}

func TestSteadyStateAllocatesNothing(t *testing.T) {
	_, step := steady(Impairment{Lag: 50 * time.Millisecond, Jitter: 10 * time.Millisecond, Loss: 0.05, Dup: 0.05, Reorder: 0.05, Rate: 200000})
	for range 20000 {
		step()
	}
	if n := testing.AllocsPerRun(5000, step); n != 0 {
		t.Fatalf("%v allocations a tick", n)
	}
}

func BenchmarkTick(b *testing.B) {
	for _, c := range []struct {
		name string
		imp  Impairment
	}{{"perfect", Impairment{}}, {"internet", Internet()}} {
		b.Run(c.name, func(b *testing.B) {
			_, step := steady(c.imp)
			for range 1000 {
				step()
			}
			b.ReportAllocs()
			for b.Loop() {
				step()
			}
		})
	}
}
