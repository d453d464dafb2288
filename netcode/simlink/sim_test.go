package simlink

import (
	"container/heap"
	"encoding/binary"
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
	onMessage      func(b []byte)
	onDatagram     func(b []byte)
}

func (r *recorder) Opened(c link.Conn) { r.opened = append(r.opened, c.(*Conn)) }
func (r *recorder) Closed(c link.Conn, why link.Reason) {
	r.closed, r.why = append(r.closed, c.(*Conn)), append(r.why, why)
}

func (r *recorder) Message(_ link.Conn, b []byte) {
	if r.onMessage != nil {
		r.onMessage(b)
		return
	}
	r.messages = append(r.messages, slices.Clone(b))
}

func (r *recorder) Datagram(_ link.Conn, b []byte) {
	if r.onDatagram != nil {
		r.onDatagram(b)
	}
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

// What loses nothing sends nothing again: neither before the first acknowledgement, also where the way is longer than the first
// time-out and packets of the handshake were lost, nor later, however much round trips vary.
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
		const early, all = 20, 320
		for i := range all {
			if i == early {
				p.run(2 * time.Second)
				p.client.SetPath(p.now, Symmetric(Impairment{Lag: 40 * time.Millisecond, Jitter: 10 * time.Millisecond}))
			}
			if s.Send(make([]byte, 1000)) != nil || c.Send(make([]byte, 1000)) != nil {
				t.Fatal("not sent")
			}
			if i >= early {
				p.step(20 * time.Millisecond)
			}
		}
		p.run(time.Second)
		again := s.Stats().RetransmittedOut + c.Stats().RetransmittedOut
		if len(p.s.messages) != all || len(p.c.messages) != all || again != 0 {
			t.Errorf("%d packets of the handshake lost: %d and %d of %d messages came, %d bytes were sent again", lost,
				len(p.s.messages), len(p.c.messages), all, again)
		}
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
		p := newPair(Config{Seed: rapid.Uint64().Draw(t, "seed")}, Path{drawImpairment(t, 0.5), drawImpairment(t, 0.5)})
		sc, cc := p.join(t)
		type side struct {
			c           *Conn
			sent        [][]byte
			seen        map[uint32]bool
			grams       int
			bytes, gram uint64
		}
		sides := [2]*side{{c: sc, seen: map[uint32]bool{}}, {c: cc, seen: map[uint32]bool{}}}
		for i, r := range []*recorder{&p.c, &p.s} { // index: who sent
			r.onDatagram = func(b []byte) {
				n := binary.BigEndian.Uint32(b)
				if sides[i].seen[n] || len(b) != 4+int(n%50) {
					t.Fatalf("datagram %d twice, or of %d bytes", n, len(b))
				}
				sides[i].seen[n] = true
			}
		}
		dt := rapid.SampledFrom([]time.Duration{tickTime, time.Second / 20, time.Second / 144}).Draw(t, "tick")
		for range rapid.IntRange(1, 100).Draw(t, "ticks") {
			for _, x := range sides {
				for range rapid.IntRange(0, 2).Draw(t, "messages") {
					b := make([]byte, rapid.SampledFrom([]int{0, 1, 20, 127, 128, 300, 1157, 1158, 1159, 5000}).Draw(t, "size"))
					for k := range b {
						b[k] = byte(len(x.sent) + k)
					}
					if x.c.Send(b) == nil {
						x.sent, x.bytes = append(x.sent, b), x.bytes+uint64(len(b))
					}
				}
				if rapid.Bool().Draw(t, "datagram") {
					b := append(binary.BigEndian.AppendUint32(nil, uint32(x.grams)), make([]byte, x.grams%50)...)
					if err := x.c.SendDatagram(b); err != nil {
						t.Fatal(err)
					}
					x.grams, x.gram = x.grams+1, x.gram+uint64(len(b))
				}
			}
			p.step(dt)
		}
		if rapid.Bool().Draw(t, "mend") { // change while running
			p.client.SetPath(p.now, Symmetric(Impairment{Lag: 25 * time.Millisecond, Jitter: 5 * time.Millisecond}))
		}
		for n := 0; sc.Stats().Unacked+cc.Stats().Unacked > 0 && sc.Open() && cc.Open(); n++ {
			if n > 400_000 {
				t.Fatalf("not through after %v: %+v, %+v", p.now, sc.Stats(), cc.Stats())
			}
			p.step(tickTime)
		}
		if !sc.Open() || !cc.Open() {
			return // half a second of bad luck, twenty times over: a time-out is right
		}
		p.client.SetPath(p.now, Path{})
		p.run(time.Second) // what is on its way arrives
		for i, r := range []*recorder{&p.c, &p.s} {
			x := sides[i]
			if !slices.EqualFunc(r.messages, x.sent, slices.Equal) {
				t.Fatalf("%d messages arrived of %d, or others", len(r.messages), len(x.sent))
			}
			if s := x.c.Stats(); s.MessageBytesOut != x.bytes || s.DatagramBytesOut != x.gram {
				t.Fatalf("%+v, sent %d and %d bytes", s, x.bytes, x.gram)
			}
		}
		for to, tr := range map[*End]Traffic{p.server: p.net.Up, &p.client.End: p.net.Down} { // any order
			for _, k := range to.inbox { // on its way; the lines are empty by now
				tr.Delivered, tr.DeliveredBytes = tr.Delivered+1, tr.DeliveredBytes+uint64(k.size())
			}
			if tr.Packets+tr.Doubled != tr.Delivered+tr.Lost+tr.Dropped ||
				tr.Bytes+tr.DoubledBytes != tr.DeliveredBytes+tr.LostBytes+tr.DroppedBytes {
				t.Fatalf("packets or bytes do not add up: %+v", tr)
			}
		}
	})
}

// What one datagram and one message cost, to the byte, and what is too large.
func TestSizesOnTheWire(t *testing.T) {
	p := newPair(Config{}, Path{})
	sc, cc := p.join(t)
	_, _ = sc.SendDatagram(nil), cc.SendDatagram(nil) // the first time frames go along
	p.run(20 * time.Millisecond)
	const headers = 28 + 25
	costs := func(what string, want uint64, c *Conn, send func(b []byte) error, sizes ...int) {
		t.Helper()
		before := c.Stats()
		for _, n := range sizes {
			if err := send(make([]byte, n)); err != nil {
				t.Error(err)
			}
		}
		p.step(time.Millisecond)
		p.step(time.Millisecond)
		if now := c.Stats(); now.BytesOut-before.BytesOut != want || now.PacketsOut-before.PacketsOut != 1 {
			t.Errorf("%s: %d bytes in %d packets, want %d", what, now.BytesOut-before.BytesOut,
				now.PacketsOut-before.PacketsOut, want)
		}
	}
	costs("two datagrams", headers+3+200+3+100, sc, sc.SendDatagram, 200, 100)
	costs("the largest datagram", 1228, sc, sc.SendDatagram, MaxDatagram)
	before := cc.Stats().BytesOut
	costs("two small messages", headers+17+11+21, sc, sc.Send, 10, 20)
	if got := cc.Stats().BytesOut - before; got != headers+15 {
		t.Errorf("an acknowledgement takes %d bytes", got)
	}
	if sc.SendDatagram(make([]byte, MaxDatagram+1)) != link.ErrTooLarge ||
		sc.Send(make([]byte, link.MaxMessage+1)) != link.ErrTooLarge {
		t.Error("what is too large is taken")
	}
	_ = sc.SendDatagram(make([]byte, 30)) // it waits, and then is never sent
	for range 2 {
		if a := sc.Account(); a.Waiting != 33 || sc.Stats().BytesOut+a.Waiting != a.Payload+a.Retransmitted+a.Overhead {
			t.Errorf("%d bytes sent, of which %+v; want 33 waiting", sc.Stats().BytesOut, a)
		}
		sc.becomeDead()
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

// through sends n packets of a size down the client's line and all others, and returns how long each took, in order of arrival.
func through(p *pair, n, size int, gap time.Duration) (took []time.Duration, order []int) {
	for i := range n {
		for _, r := range p.net.routes {
			k := p.net.packet()
			k.route, k.kind, k.number, k.buf = r, packetData, uint64(i), make([]byte, size)
			r.down.send(time.Duration(i)*gap, k)
		}
	}
	for p.client.inbox.Len() > 0 {
		k := heap.Pop(&p.client.inbox).(*packet)
		took, order = append(took, k.at-time.Duration(k.number)*gap), append(order, int(k.number))
	}
	return took, order
}

func near(t *testing.T, what string, got, want, tol float64) {
	t.Helper()
	if got < want-tol || got > want+tol {
		t.Errorf("%s: %.4f, want %.4f ± %.4f", what, got, want, tol)
	}
}

// A client more does not change what another one meets.
func TestPathsAreIndependent(t *testing.T) {
	fates := func(others int) []int {
		p := newPair(Config{Seed: 9}, Symmetric(Impairment{Loss: 0.3}))
		for range others {
			p.net.Dial(0, Symmetric(Impairment{Loss: 0.5}))
		}
		_, order := through(p, 200, 10, tickTime)
		return order
	}
	if a, b := fates(0), fates(5); len(a) < 50 || !slices.Equal(a, b) {
		t.Fatalf("%v\n%v", a, b)
	}
}

func TestStatisticsOfImpairments(t *testing.T) {
	const n = 20000
	met := func(imp Impairment, gap time.Duration) (took []time.Duration, order []int, share func(of uint64) float64, tr *Traffic) {
		p := newPair(Config{Seed: 42}, Path{Down: imp})
		took, order = through(p, n, 10, gap)
		return took, order, func(of uint64) float64 { return float64(of) / n }, &p.net.Down
	}
	_, _, share, tr := met(Impairment{Loss: 0.1}, time.Millisecond)
	near(t, "lost", share(tr.Lost), 0.1, 0.007)

	_, order, share, tr := met(Impairment{Loss: 0.3, Burst: 5}, time.Millisecond)
	near(t, "lost in bursts", share(tr.Lost), 0.3, 0.03)
	bursts := 0
	for i := 1; i < len(order); i++ {
		if order[i] != order[i-1]+1 {
			bursts++
		}
	}
	near(t, "length of a burst", float64(tr.Lost)/float64(bursts), 5, 0.6)

	took, order, _, _ := met(Impairment{Lag: 50 * time.Millisecond, Jitter: 20 * time.Millisecond}, 40*time.Millisecond)
	var sum time.Duration
	for _, d := range took {
		sum += d
	}
	if slices.Min(took) < 50*time.Millisecond || slices.Max(took) > 70*time.Millisecond || !slices.IsSorted(order) ||
		len(order) != n {
		t.Error("jitter:", slices.Min(took), slices.Max(took), len(order))
	}
	near(t, "mean in ms", float64(sum)/n/1e6, 60, 0.2)
	if _, order, _, _ = met(Impairment{Lag: 50 * time.Millisecond, Jitter: 30 * time.Millisecond}, time.Millisecond); !slices.IsSorted(order) {
		t.Error("jitter lets packets overtake")
	}

	_, order, share, tr = met(Impairment{Lag: 20 * time.Millisecond, Reorder: 0.2}, time.Millisecond)
	near(t, "reordered", share(tr.Reordered), 0.2, 0.01)
	late, newest := uint64(0), -1
	for _, i := range order {
		if i < newest {
			late++
		}
		newest = max(newest, i)
	}
	near(t, "overtaken", share(late), 0.2, 0.03)

	_, order, share, tr = met(Impairment{Dup: 0.25}, time.Millisecond)
	near(t, "doubled", share(tr.Doubled), 0.25, 0.01)
	if len(order) != n+int(tr.Doubled) {
		t.Errorf("%d packets arrived of %d", len(order), n)
	}
}

// Packets leave the bottleneck at the rate, to the nanosecond. What does not fit the queue is dropped from its end, and what waits
// when the rate changes leaves at the new one.
func TestBandwidthIsExact(t *testing.T) {
	for _, rate := range []int{2600, 7777, 20000, 99999} {
		const size, wire, gap = 300, 300 + PacketOverhead, 2 * time.Millisecond
		p := newPair(Config{}, Path{Down: Impairment{Rate: rate}})
		took, order := through(p, 30_000, size, gap)
		n := len(took)
		if got, want := time.Duration(order[n-1])*gap+took[n-1], time.Duration(n*wire*int(time.Second)/rate); got != want {
			t.Errorf("rate %d: %d packets take %v, want %v", rate, n, got, want)
		}
		line := &p.client.route.down
		if limit := max(rate, 2*(maxPlain+PacketOverhead)); line.queued > limit || line.queued < limit-wire ||
			p.net.Down.Dropped == 0 {
			t.Errorf("rate %d: %d bytes wait, the queue has %d; %d were dropped", rate, line.queued, limit,
				p.net.Down.Dropped)
		}
	}
	p := newPair(Config{}, Path{Down: Impairment{Rate: 1000, Queue: 1 << 20}})
	through(p, 100, 1000, 0)
	line := &p.client.route.down
	line.pump(3 * time.Second)
	early := p.client.inbox.Len()
	p.client.SetPath(3*time.Second, Path{})
	line.pump(4200 * time.Millisecond) // the one under way takes its time
	if early > 3 || p.client.inbox.Len() != 99 {
		t.Errorf("%d packets left at the old rate and %d of 99 in all", early, p.client.inbox.Len())
	}
}

// A killed peer says no goodbye and is gone after the silence; a goodbye is told once; neither leaves anything behind.
func TestKillGoodbyeAndTimeout(t *testing.T) {
	p := newPair(Config{}, Symmetric(Impairment{Lag: 75 * time.Millisecond, Jitter: 15 * time.Millisecond, Loss: 0.02}))
	sc, _ := p.join(t)
	p.client.Kill()
	p.run(9 * time.Second)
	if len(p.s.closed) != 0 || !slices.Equal(p.server.Conns(nil), []*Conn{sc}) {
		t.Fatal("closed too early", p.s.why)
	}
	p.run(5 * time.Second)
	if len(p.s.closed) != 1 || p.s.why[0].Code != "timeout" || sc.Send(nil) != link.ErrClosed ||
		sc.SendDatagram(nil) != link.ErrClosed || len(p.c.closed) != 0 {
		t.Fatal(p.s.why, p.c.why)
	}
	if len(p.net.routes) != 0 || len(p.server.conns) != 0 {
		t.Fatal("something is left of a dead connection")
	}
	p = newPair(Config{Seed: 4}, Symmetric(Impairment{Lag: 150 * time.Millisecond, Jitter: 30 * time.Millisecond, Loss: 0.075, Rate: 2600}))
	_, cc := p.join(t)
	bye := link.Reason{Code: "bye", Text: "had enough"}
	for _, why := range []link.Reason{bye, {}} {
		cc.Close(why)
		p.run(2 * time.Second)
		if len(p.c.closed) != 1 || p.c.why[0] != bye || len(p.s.closed) != 1 || p.s.why[0] != bye {
			t.Fatal(p.c.why, p.s.why)
		}
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

// A message that no other follows arrives within a few round trips, though it is lost again and again (R5.8).
func TestLoneMessagesUnderLoss(t *testing.T) {
	const trip = 200 * time.Millisecond
	p := newPair(Config{Seed: 3}, Symmetric(Impairment{Lag: trip / 2, Loss: 0.3, Dup: 0.25, Reorder: 0.3}))
	sc, _ := p.join(t)
	var took []time.Duration
	p.c.onMessage = func(b []byte) {
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

func TestReplayWindow(t *testing.T) {
	var w replay
	for i, c := range []struct {
		n     uint64
		fresh bool
	}{{0, true}, {5000, true}, {5000, false}, {4999, true}, {4999, false}, {0, false}, {4998 - replayWindow, false}, {5001, true}, {5001, false}} {
		if got := w.take(c.n); got != c.fresh {
			t.Errorf("%d: packet %d is taken: %v", i, c.n, got)
		}
	}
}

func TestSteadyStateAllocatesNothing(t *testing.T) {
	p := newPair(Config{Seed: 1}, Symmetric(Impairment{Lag: 50 * time.Millisecond, Jitter: 10 * time.Millisecond, Loss: 0.05, Dup: 0.05, Reorder: 0.05, Rate: 200000}))
	p.s.onMessage, p.c.onMessage = func([]byte) {}, func([]byte) {}
	sc, cc := p.join(t)
	big, small := make([]byte, 900), make([]byte, 60)
	step := func() {
		_, _ = sc.SendDatagram(big), sc.Send(small)
		_, _ = cc.SendDatagram(small), cc.Send(small)
		p.step(tickTime)
	}
	for range 20000 {
		step()
	}
	if n := testing.AllocsPerRun(5000, step); n != 0 {
		t.Fatalf("%v allocations a tick", n)
	}
}
