package kcplink

import (
	"bytes"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/tidelock/tidelock/netcode/kcplink/impair"
	"github.com/tidelock/tidelock/netcode/link"
)

func TestMain(m *testing.M) {
	// kcp-go starts some goroutines when it is imported.
	goleak.VerifyTestMain(m, goleak.IgnoreCurrent())
}

// world is links on a network in memory and on virtual time. It is made inside synctest.Test, where KCP's own
// clock is virtual, too.
type world struct {
	t     *testing.T
	now   time.Duration
	rule  impair.Rule
	seed  uint64
	peers []*peer
	socks map[netip.AddrPort]*memSocket
	lines map[[2]netip.AddrPort]*impair.Line[[]byte]
	order [][2]netip.AddrPort
	// nat translates a source address, as a NAT does; addresses not in it stay.
	nat map[netip.AddrPort]netip.AddrPort
	// piped: packets cross by pipes, one for each peer at each end, instead of by the sockets.
	piped bool
	pipes map[[2]netip.AddrPort]*worldPipe // by whose end and whose peer
	// tap sees every datagram sent; false drops it.
	tap func(from, to netip.AddrPort, b []byte) bool
}

const stepTime = 5 * time.Millisecond

func newWorld(t *testing.T, rule impair.Rule, seed uint64) *world {
	return &world{
		t: t, rule: rule, seed: seed, now: time.Hour, // clocks begin anywhere
		socks: map[netip.AddrPort]*memSocket{}, lines: map[[2]netip.AddrPort]*impair.Line[[]byte]{},
		nat: map[netip.AddrPort]netip.AddrPort{}, pipes: map[[2]netip.AddrPort]*worldPipe{},
	}
}

// inWorld runs f in a bubble of virtual time and closes all links after it, once over sockets and once over pipes.
func inWorld(t *testing.T, rule impair.Rule, f func(*world)) {
	t.Helper()
	t.Run("udp", func(t *testing.T) { inOne(t, rule, false, f) })
	t.Run("pipe", func(t *testing.T) { inOne(t, rule, true, f) })
}

func inOne(t *testing.T, rule impair.Rule, piped bool, f func(*world)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, rule, 7)
		w.piped = piped
		defer func() {
			for _, p := range w.peers {
				if err := p.l.Close(); err != nil {
					t.Error(err)
				}
			}
		}()
		f(w)
	})
}

// memSocket is a socket of a world.
type memSocket struct {
	w    *world
	addr netip.AddrPort
	in   chan []packet
	done chan struct{}
}

func (s *memSocket) read(ps []*packet) (int, error) {
	select {
	case got := <-s.in:
		for i := range got {
			*ps[i] = got[i]
		}
		return len(got), nil
	case <-s.done:
		return 0, net.ErrClosed
	}
}

func (s *memSocket) write(out []*outPacket) (int, error) {
	for _, o := range out {
		s.w.send(s.addr, o.to.AddrPort, o.b[:o.n])
	}
	return len(out), nil
}

func (s *memSocket) localAddr() netip.AddrPort { return s.addr }

func (s *memSocket) close() error { close(s.done); return nil }

// worldPipe is one end of a pipe of a world.
type worldPipe struct {
	w        *world
	from, to netip.AddrPort
	pipe     *Pipe
	closed   []string // reasons
}

func (p *worldPipe) Send(b []byte) bool {
	if len(p.closed) == 0 {
		p.w.send(p.from, p.to, b)
	}
	return len(p.closed) == 0
}

func (p *worldPipe) Close(why link.Reason) { p.closed = append(p.closed, why.Code) }

// pipe is the end at one peer of its pipe to another address; it is made when it is first needed.
func (w *world) pipe(at *peer, to netip.AddrPort) *worldPipe {
	key := [2]netip.AddrPort{at.addr, to}
	p := w.pipes[key]
	if p == nil {
		p = &worldPipe{w: w, from: at.addr, to: to}
		var err error
		if p.pipe, err = at.l.Pipe(to, p); err != nil {
			return nil // the link is closed
		}
		w.pipes[key] = p
	}
	return p
}

// peerAt is who has an address.
func (w *world) peerAt(a netip.AddrPort) *peer {
	if i := slices.IndexFunc(w.peers, func(p *peer) bool { return p.addr == a }); i >= 0 {
		return w.peers[i]
	}
	return nil
}

// send is what write does, and what attackers do.
func (w *world) send(from, to netip.AddrPort, b []byte) {
	if a, ok := w.nat[from]; ok {
		from = a
	}
	if w.tap != nil && !w.tap(from, to, b) {
		return
	}
	key := [2]netip.AddrPort{from, to}
	line := w.lines[key]
	if line == nil {
		line = impair.NewLine[[]byte](w.rule, w.seed+uint64(len(w.lines)))
		w.lines[key] = line
		w.order = append(w.order, key)
	}
	line.Put(w.now, bytes.Clone(b), len(b))
}

func (w *world) setRule(r impair.Rule) {
	w.rule = r
	for _, l := range w.lines {
		l.SetRule(r)
	}
}

// deliver puts what has arrived into the sockets and pipes.
func (w *world) deliver() {
	for _, key := range w.order {
		to := key[1]
		for inner, outer := range w.nat {
			switch to {
			case outer:
				to = inner
			case inner:
				to = netip.AddrPort{} // nobody reaches an inner address from outside
			}
		}
		at, s := w.peerAt(to), w.socks[to]
		var batch []packet
		for b, ok := w.lines[key].Get(w.now); ok; b, ok = w.lines[key].Get(w.now) {
			if !w.piped {
				p := packet{from: path{AddrPort: key[0]}}
				p.n = copy(p.b[:], b)
				batch = append(batch, p)
			} else if at != nil {
				if p := w.pipe(at, key[0]); p != nil {
					p.pipe.Receive(b)
				}
			}
		}
		for some := range slices.Chunk(batch, readBatch) {
			if s != nil {
				select {
				case s.in <- some:
				case <-s.done:
				}
			}
		}
	}
}

// pass lets time pass: what arrives waits for who polls.
func (w *world) pass(d time.Duration) {
	time.Sleep(d)
	w.now += d
	w.deliver()
	synctest.Wait()
}

// step is 5 ms of everybody's life.
func (w *world) step() {
	w.pass(stepTime)
	for _, p := range w.peers {
		p.l.Poll(w.now, p)
		p.l.Flush(w.now)
	}
}

func (w *world) run(d time.Duration) {
	for end := w.now + d; w.now < end; {
		w.step()
	}
}

// until runs until ok, and fails the test after most.
func (w *world) until(what string, most time.Duration, ok func() bool) {
	w.t.Helper()
	for end := w.now + most; !ok(); {
		if w.now >= end {
			w.t.Fatalf("not within %v: %s", most, what)
		}
		w.step()
	}
}

// peer is a link with a handler that writes down what it is told.
type peer struct {
	t    testing.TB
	w    *world // nil on real sockets
	l    *Link
	addr netip.AddrPort

	opened    []link.Conn
	closed    []link.Reason
	messages  [][]byte
	datagrams [][]byte
	// echo sends everything back; onMessage is called instead of keeping messages.
	echo      bool
	onMessage func(c link.Conn, b []byte)
	gone      map[uint64]bool
}

func (p *peer) Opened(c link.Conn) {
	if p.gone[c.ID()] {
		p.t.Errorf("opened after closed")
	}
	p.opened = append(p.opened, c)
}

func (p *peer) Message(c link.Conn, b []byte) {
	if p.gone[c.ID()] {
		p.t.Errorf("message after closed")
	}
	if p.onMessage != nil {
		p.onMessage(c, b)
		return
	}
	p.messages = append(p.messages, bytes.Clone(b))
	if p.echo {
		if err := c.Send(b); err != nil {
			p.t.Errorf("echo: %v", err)
		}
	}
}

func (p *peer) Datagram(c link.Conn, b []byte) {
	if p.gone[c.ID()] {
		p.t.Errorf("datagram after closed")
	}
	p.datagrams = append(p.datagrams, bytes.Clone(b))
	if p.echo {
		if err := c.SendDatagram(b); err != nil {
			p.t.Errorf("echo: %v", err)
		}
	}
}

func (p *peer) Closed(c link.Conn, why link.Reason) {
	if p.gone == nil {
		p.gone = map[uint64]bool{}
	}
	if p.gone[c.ID()] {
		p.t.Errorf("closed twice")
	}
	p.gone[c.ID()] = true
	p.closed = append(p.closed, why)
}

func (p *peer) lastReason() string {
	if len(p.closed) == 0 {
		return ""
	}
	return p.closed[len(p.closed)-1].Code
}

// testKey is a key pair that is the same in every run.
func testKey(n byte) Key {
	k, err := KeyFromPrivate([32]byte{1: n, 31: 0x40})
	if err != nil {
		panic(err)
	}
	return k
}

var (
	serverAddr = netip.MustParseAddrPort("10.0.0.1:7777")
	clientAddr = netip.MustParseAddrPort("10.0.0.2:40000")
)

func (w *world) add(addr netip.AddrPort, cfg Config) *peer {
	w.t.Helper()
	s := &memSocket{w: w, addr: addr, in: make(chan []packet, 1024), done: make(chan struct{})}
	w.socks[addr] = s
	cfg.socket = s
	l, err := New(cfg)
	must(w.t, err)
	p := &peer{t: w.t, w: w, l: l, addr: addr}
	w.peers = append(w.peers, p)
	return p
}

func (w *world) server(s Server, limits Limits) *peer {
	w.t.Helper()
	return w.add(serverAddr, Config{Key: testKey(1), Server: &s, Limits: limits})
}

// client makes the nth client, which has not dialled.
func (w *world) client(n int) *peer {
	w.t.Helper()
	a := netip.AddrFrom4([4]byte{10, 0, byte(n >> 8), byte(2 + n)})
	return w.add(netip.AddrPortFrom(a, 40000), Config{Key: testKey(byte(10 + n))})
}

func (p *peer) dial(d Dial) *Conn {
	p.t.Helper()
	if !d.Addr.IsValid() {
		d.Addr = serverAddr
	}
	if p.w != nil && p.w.piped && d.Pipe == nil {
		d.Pipe = p.w.pipe(p, d.Addr).pipe
	}
	c, err := p.l.Dial(d)
	must(p.t, err)
	return c
}

// pair is an open connection between a server and a client.
func (w *world) pair(limits Limits) (s, c *peer, sc link.Conn, cc *Conn) {
	w.t.Helper()
	s, c = w.server(Server{}, limits), w.client(0)
	cc = c.dial(Dial{})
	w.until("open", 5*time.Second, func() bool { return len(s.opened) == 1 && len(c.opened) == 1 })
	return s, c, s.opened[0], cc
}

// must ends a test at the first error.
func must(t testing.TB, errs ...error) {
	t.Helper()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
}

func numbered(i, size int) []byte {
	b := make([]byte, max(size, 8))
	copy(b, fmt.Sprintf("%08d", i))
	for k := 8; k < len(b); k++ {
		b[k] = byte(i * k)
	}
	return b
}
