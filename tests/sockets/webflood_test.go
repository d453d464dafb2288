//go:build unix

package sockets

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net"
	"net/netip"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/quic-go/quic-go"
	"github.com/quic-go/quic-go/http3"
	"github.com/quic-go/webtransport-go"

	"github.com/tidelock/tidelock/netcode/carrier"
	"github.com/tidelock/tidelock/netcode/link"
	"github.com/tidelock/tidelock/tests/heap"
	"github.com/tidelock/tidelock/tests/tier"
)

// webFloodConfig is a process that attacks the web listener of a host, from addresses that are not the players'.
type webFloodConfig struct {
	Addr netip.AddrPort
	// Foes is how many addresses it has.
	Foes int
	// PerSecond is how many packets it sends to the UDP port.
	PerSecond int
	// Upgrades are requests for a WebSocket, as fast as they go, in each turn.
	Upgrades int
	// Idle connections say nothing or the beginning of a TLS handshake, Slow ones a header or a body byte by byte, and Left
	// handshakes of QUIC are begun.
	Idle, Slow, Left int
	// Recorded are packets of a player who is in, overheard on their way.
	Recorded [][]byte
}

// webFloodReport is what it did so far.
type webFloodReport struct {
	Sent uint64
	// Done counts what came of it.
	Done map[string]int
}

// webFlood is the attacker.
type webFlood struct {
	cfg webFloodConfig
	ctx context.Context

	mu     sync.Mutex
	done   map[string]int
	on     chan struct{} // closed while the flood is on
	quota  int           // upgrades that are left in this turn
	dialed int
	held   []io.Closer
}

// foe is one of the attacker's addresses.
func foe(i int) net.IP { return net.IPv4(127, 6, 6, byte(1+i)) }

// count counts something that was done.
func (f *webFlood) count(what string, args ...any) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.done[fmt.Sprintf(what, args...)]++
}

// keep holds something open until the end.
func (f *webFlood) keep(c io.Closer) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.held = append(f.held, c)
}

// turn waits until the flood is on; false at the end.
func (f *webFlood) turn() bool {
	for {
		f.mu.Lock()
		on := f.on
		f.mu.Unlock()
		select {
		case <-on:
			return f.ctx.Err() == nil
		case <-f.ctx.Done():
			return false
		}
	}
}

func (f *webFlood) set(on bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	select {
	case <-f.on:
		if !on {
			f.on = make(chan struct{})
		}
	default:
		if on {
			f.quota += f.cfg.Upgrades
			close(f.on)
		}
	}
}

// rest waits a moment; false at the end.
func (f *webFlood) rest(d time.Duration) bool {
	select {
	case <-f.ctx.Done():
		return false
	case <-time.After(d):
		return true
	}
}

// webPackets are packets of strangers for a port of QUIC. Each call of what it returns gives the next, with a connection
// id that never came before.
func webPackets(recorded [][]byte, rng *rand.Rand) func() []byte {
	type shot struct {
		b  []byte
		at int // where a number is written that makes it another one
	}
	var list []shot
	random := func(n int) []byte {
		b := make([]byte, n)
		for i := range b {
			b[i] = byte(rng.Uint32())
		}
		return b
	}
	// long is a packet with a long header: version, both connection ids of 8 bytes, and in an Initial a token.
	long := func(first byte, version uint32, token int) {
		b := random(1200)
		b[0] = first
		binary.BigEndian.PutUint32(b[1:], version)
		b[5], b[14] = 8, 8
		b[23] = byte(token) // less than 64: a length of one byte
		binary.BigEndian.PutUint16(b[24+token:], 0x4000|uint16(1200-26-token))
		list = append(list, shot{b, 6})
	}
	for range 2 * gunBatch {
		list = append(list, shot{random(1 + rng.IntN(1400)), 0})
		long(0xc3, 1, 0)          // Initial
		long(0xc3, 1, 40)         // with a token of chance
		long(0xd3, 1, 0)          // 0-RTT
		long(0xe3, 1, 0)          // Handshake
		long(0xc3, 0x0a0a0a0a, 0) // another version
		b := random(25 + rng.IntN(1200))
		b[0] = 0x40 | b[0]&0x3f // short header
		list = append(list, shot{b, 1})
	}
	for _, b := range recorded {
		bad := bytes.Clone(b)
		bad[len(bad)-1] ^= 1
		list = append(list, shot{b, -1}, shot{bad, -1}) // sent again; the player's connection, not their seal
		for range gunBatch / 5 {
			next := random(len(b))
			copy(next, b[:min(9, len(b))]) // the player's connection
			list = append(list, shot{next, len(next) - 8})
		}
	}
	rng.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	n := 0
	return func() []byte {
		n++
		s := list[n%len(list)]
		if s.at >= 0 && len(s.b) >= s.at+8 && s.at > 0 {
			binary.BigEndian.PutUint64(s.b[s.at:], rng.Uint64())
		}
		return s.b
	}
}

// dial opens a TCP connection from an address.
func (f *webFlood) dial(i int) (net.Conn, error) {
	d := net.Dialer{LocalAddr: &net.TCPAddr{IP: foe(i % f.cfg.Foes)}, Timeout: patience}
	c, err := d.DialContext(f.ctx, "tcp4", f.cfg.Addr.String())
	if err == nil {
		err = c.SetDeadline(time.Now().Add(patience))
	}
	return c, err
}

// request is one for a WebSocket; origin "" is none.
func (f *webFlood) request(origin string) string {
	s := "GET /ws HTTP/1.1\r\nHost: " + f.cfg.Addr.String() + "\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n"
	if origin != "" {
		s += "Origin: " + origin + "\r\n"
	}
	return s + "\r\n"
}

// upgrades requests WebSockets as long as some are left in the turn, and never speaks in those that stand.
func (f *webFlood) upgrades() {
	for f.turn() {
		f.mu.Lock()
		i := f.dialed
		ok := f.quota > 0
		if ok {
			f.quota--
			f.dialed++
		}
		f.mu.Unlock()
		if !ok {
			if !f.rest(5 * time.Millisecond) {
				return
			}
			continue
		}
		from := i
		if i%2 == 0 {
			from = 0 // half of them from one address, which may not have so many
		}
		c, err := f.dial(from)
		if err != nil {
			f.count("upgrade: connection refused")
			continue
		}
		origin := []string{"", "http://" + f.cfg.Addr.String(), "http://evil.example", "null"}[i/2%4]
		_, _ = io.WriteString(c, f.request(origin)) // one that was refused is told by what is read
		b := make([]byte, 12)
		if _, err := io.ReadFull(c, b); err != nil {
			f.count("upgrade: connection reset")
			_ = c.Close() // refused
			continue
		}
		f.count("upgrade: %s", b[9:])
		if string(b[9:]) == "101" {
			f.keep(c)
		} else {
			_ = c.Close() // refused
		}
	}
}

// idle opens connections and leaves them.
func (f *webFlood) idle() {
	for i := range f.cfg.Idle {
		if !f.turn() {
			return
		}
		c, err := f.dial(i)
		if err != nil {
			f.count("idle: connection refused")
			continue
		}
		if i%2 == 1 {
			_, _ = c.Write([]byte("\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03")) // refused ones may be reset
		}
		f.count("idle: stands")
		f.keep(c)
	}
}

// slow sends a header or a body a byte at a time.
func (f *webFlood) slow(i int) {
	for f.turn() {
		c, err := f.dial(i)
		if err != nil {
			if !f.rest(100 * time.Millisecond) {
				return
			}
			continue
		}
		kind, head := "header", "GET /"
		if i%2 == 1 {
			kind, head = "body", "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100000\r\n\r\n"
		}
		_, err = io.WriteString(c, head)
		for err == nil && f.rest(50*time.Millisecond) {
			_, err = io.WriteString(c, "x")
		}
		_ = c.Close() // ended by the host, or this is the end
		if err != nil {
			f.count("slow %s: closed", kind)
		}
	}
}

// mute is a UDP socket that loses what is sent once it is told to.
type mute struct {
	*net.UDPConn
	left atomic.Int32 // packets that go
}

// WriteTo sends, or does as if.
func (m *mute) WriteTo(b []byte, to net.Addr) (int, error) {
	if m.left.Add(-1) < 0 {
		return len(b), nil
	}
	return m.UDPConn.WriteTo(b, to)
}

// leave begins handshakes of QUIC, with the token that proves the address, and says nothing more.
func (f *webFlood) leave() {
	for i := range f.cfg.Left {
		if !f.turn() {
			return
		}
		conn, err := net.ListenUDP("udp4", &net.UDPAddr{IP: foe(i % f.cfg.Foes)})
		if err != nil {
			f.count("left: %v", err)
			return
		}
		m := &mute{UDPConn: conn}
		m.left.Store(4) // a first flight has two; then one with the token that the host gave
		ctx, cancel := context.WithTimeout(f.ctx, 100*time.Millisecond)
		t := &quic.Transport{Conn: struct{ net.PacketConn }{m}}
		_, _ = t.Dial(ctx, net.UDPAddrFromAddrPort(f.cfg.Addr), trustAll(), carrier.QUIC())
		cancel()
		f.count("left: begun") // whether or not it stands here: the host never hears that
		_ = t.Close()          // it ends nothing that the host would be told of
		_ = conn.Close()       // likewise
	}
}

func trustAll() *tls.Config {
	return &tls.Config{InsecureSkipVerify: true, NextProtos: []string{http3.NextProtoH3}} //nolint:gosec // an attacker does not care
}

// frame is a message of WebSocket as a client sends it.
func frame(op byte, payload []byte) []byte {
	b := []byte{0x80 | op}
	switch n := len(payload); {
	case n < 126:
		b = append(b, 0x80|byte(n))
	case n < 1<<16:
		b = binary.BigEndian.AppendUint16(append(b, 0x80|126), uint16(n))
	default:
		b = binary.BigEndian.AppendUint64(append(b, 0x80|127), uint64(n))
	}
	return append(append(b, 0, 0, 0, 0), payload...) // masked with zeros
}

// hostileSockets are what sessions of WebSocket send without end.
var hostileSockets = map[string]func(*rand.Rand) []byte{
	"oversized": func(*rand.Rand) []byte { return frame(2, make([]byte, 1<<20)) },
	"text":      func(*rand.Rand) []byte { return frame(1, []byte("hello")) },
	"empty":     func(*rand.Rand) []byte { return bytes.Repeat(frame(2, nil), 100) },
	"pings":     func(*rand.Rand) []byte { return bytes.Repeat(frame(9, []byte("ping")), 100) },
	"garbage": func(r *rand.Rand) []byte {
		b := make([]byte, 1+r.IntN(link.MaxPacket))
		for i := range b {
			b[i] = byte(r.Uint32())
		}
		return frame(2, b)
	},
	"no frame": func(r *rand.Rand) []byte { return binary.BigEndian.AppendUint64(nil, r.Uint64()|0x70<<56) },
}

// socket attacks with one kind of message, in one session after the other.
func (f *webFlood) socket(kind string, i int) {
	rng := rand.New(rand.NewPCG(uint64(i), 5))
	for f.turn() && f.rest(100*time.Millisecond) {
		c, err := f.dial(i)
		if err != nil {
			continue
		}
		f.speak(c, kind, rng)
		_ = c.Close() // it has ended
	}
}

func (f *webFlood) speak(c net.Conn, kind string, rng *rand.Rand) {
	if _, err := io.WriteString(c, f.request("")); err != nil {
		return // refused
	}
	in := bufio.NewReader(c)
	head, err := in.ReadString('\n')
	if err != nil || !strings.Contains(head, "101") {
		return // refused, for a while
	}
	over := make(chan string, 1)
	go func() { // ends with the connection
		all, _ := io.ReadAll(io.LimitReader(in, 1<<20))
		// The last frame of a host is a close frame: 0x88, length, status, reason.
		at := bytes.LastIndexByte(all, 0x88)
		if at < 0 || len(all) < at+4 {
			over <- "no close frame"
			return
		}
		text, _, _ := strings.Cut(string(all[at+4:]), ":")
		over <- fmt.Sprintf("%d %s", binary.BigEndian.Uint16(all[at+2:]), text)
	}()
	for err == nil {
		if f.ctx.Err() != nil || !f.turn() {
			_ = c.Close() // the end
			<-over
			return
		}
		_, err = c.Write(hostileSockets[kind](rng))
	}
	f.count("session ws %s: %s", kind, <-over)
}

// hostileSessions are what sessions of WebTransport do without end; an error is the end.
var hostileSessions = map[string]func(*webtransport.Session, *quic.Conn, *rand.Rand) error{
	"garbage": func(s *webtransport.Session, _ *quic.Conn, r *rand.Rand) error {
		b := make([]byte, 1+r.IntN(link.MaxPacket))
		for i := range b {
			b[i] = byte(r.Uint32())
		}
		return s.SendDatagram(b)
	},
	"empty": func(s *webtransport.Session, _ *quic.Conn, _ *rand.Rand) error { return s.SendDatagram(nil) },
	"oversized": func(s *webtransport.Session, _ *quic.Conn, _ *rand.Rand) error {
		return s.SendDatagram(make([]byte, link.MaxPacket+5))
	},
	"foreign": func(_ *webtransport.Session, c *quic.Conn, _ *rand.Rand) error {
		return c.SendDatagram([]byte{0x42, 1, 2, 3})
	}, // of no session
	"streams": func(s *webtransport.Session, c *quic.Conn, _ *rand.Rand) error {
		for range 1000 {
			if u, err := s.OpenUniStream(); err == nil {
				_, _ = u.Write(make([]byte, 1000)) // beyond the window nothing goes
			}
			_, _ = s.OpenStream() // refused by the window of streams
			if u, err := c.OpenUniStream(); err == nil {
				_ = u.SetWriteDeadline(time.Now().Add(10 * time.Millisecond))
				_, _ = u.Write(make([]byte, 1<<20))
				u.CancelWrite(1)
			}
		}
		return context.Cause(c.Context())
	},
}

// session is socket for WebTransport.
func (f *webFlood) session(kind string, i int) {
	rng := rand.New(rand.NewPCG(uint64(i), 6))
	for f.turn() && f.rest(100*time.Millisecond) {
		conn, err := net.ListenUDP("udp4", &net.UDPAddr{IP: foe(i % f.cfg.Foes)})
		if err != nil {
			f.count("session wt: %v", err)
			return
		}
		t := &quic.Transport{Conn: conn}
		f.carry(t, kind, rng)
		_ = t.Close()    // it has ended
		_ = conn.Close() // likewise
	}
}

func (f *webFlood) carry(t *quic.Transport, kind string, rng *rand.Rand) {
	ctx, cancel := context.WithTimeout(f.ctx, patience)
	defer cancel()
	config := carrier.QUIC()
	config.MaxIncomingStreams = -1
	c, err := t.Dial(ctx, net.UDPAddrFromAddrPort(f.cfg.Addr), trustAll(), config)
	if err != nil {
		return // refused, for a while
	}
	defer func() { _ = c.CloseWithError(0, "") }()
	// Anyone who waits at the end gets time for the goodbye below, no more.
	stop := context.AfterFunc(ctx, func() { time.AfterFunc(2*time.Second, func() { _ = c.CloseWithError(0, "") }) })
	defer stop()
	var w webtransport.Transport
	h, err := w.NewClientConn(c)
	if err != nil {
		return
	}
	_, s, err := h.Dial(ctx, "https://"+f.cfg.Addr.String()+"/wt", nil)
	if err != nil {
		return // refused, for a while
	}
	for err == nil && f.turn() {
		select {
		case <-s.Context().Done():
			err = context.Cause(s.Context())
		default:
			err = hostileSessions[kind](s, c, rng)
		}
	}
	if f.ctx.Err() != nil { // a goodbye that gets lost costs the host 15 s
		_ = s.CloseWithError(0, "") // it may have ended
		select {
		case <-c.Context().Done():
		case <-time.After(time.Second):
		}
		return
	}
	<-s.Context().Done()
	now, cancelNow := context.WithCancel(context.Background())
	cancelNow()
	var said *webtransport.SessionError
	if _, e := s.AcceptStream(now); errors.As(e, &said) {
		text, _, _ := strings.Cut(said.Message, ":")
		f.count("session wt %s: %d %s", kind, said.ErrorCode, text)
		return
	}
	f.count("session wt %s: %v", kind, err)
}

// webFloodMain attacks after a line "on" and until another, but for "look".
func webFloodMain(c webFloodConfig) error {
	ctx, cancel := context.WithCancel(context.Background())
	f := &webFlood{cfg: c, ctx: ctx, done: map[string]int{}, on: make(chan struct{})}
	conn, err := net.ListenUDP("udp4", &net.UDPAddr{IP: foe(0)})
	if err != nil {
		cancel()
		return err
	}
	g := startGun(conn, c.Addr, c.PerSecond, webPackets(c.Recorded, rand.New(rand.NewPCG(3, 3))))
	var wait sync.WaitGroup
	for range 16 {
		wait.Go(f.upgrades)
	}
	wait.Go(f.idle)
	wait.Go(f.leave)
	for i := range c.Slow {
		wait.Go(func() { f.slow(i) })
	}
	for i, kind := range slices.Sorted(maps.Keys(hostileSockets)) {
		wait.Go(func() { f.socket(kind, i) })
	}
	for i, kind := range slices.Sorted(maps.Keys(hostileSessions)) {
		wait.Go(func() { f.session(kind, i) })
	}
	err = answer(func(line string) any {
		if line != "look" {
			g.on.Store(line == "on")
			f.set(line == "on")
		}
		f.mu.Lock()
		defer f.mu.Unlock()
		return webFloodReport{g.sent.Load(), maps.Clone(f.done)}
	})
	cancel()
	err = errors.Join(err, g.end())
	wait.Wait()
	for _, c := range f.held {
		_ = c.Close() // held on to until now
	}
	return err
}

// passOn passes TCP connections on to a web listener, beside a tap of its UDP port.
func passOn(t *testing.T, ln net.Listener, to netip.AddrPort) {
	var wait sync.WaitGroup
	var mu sync.Mutex
	var open []net.Conn
	wait.Go(func() {
		for {
			a, err := ln.Accept()
			if err != nil {
				return // closed
			}
			b, err := net.Dial("tcp4", to.String())
			if err != nil {
				_ = a.Close() // as if it had been refused
				continue
			}
			mu.Lock()
			open = append(open, a, b)
			mu.Unlock()
			pipe := func(to, from net.Conn) {
				_, _ = io.Copy(to, from) // ends with either
				_, _ = to.Close(), from.Close()
			}
			wait.Go(func() { pipe(a, b) })
			wait.Go(func() { pipe(b, a) })
		}
	})
	t.Cleanup(func() {
		_ = ln.Close() // ours
		mu.Lock()
		for _, c := range open {
			_ = c.Close() // it may have ended
		}
		mu.Unlock()
		wait.Wait()
	})
}

// lostInKernel is how many packets a UDP socket of this machine had no room for; 0 where the system does not tell.
func lostInKernel(at netip.AddrPort) (n uint64) {
	text, err := os.ReadFile("/proc/net/udp")
	if err != nil {
		return 0
	}
	ip := at.Addr().As4()
	local := fmt.Sprintf("%02X%02X%02X%02X:%04X", ip[3], ip[2], ip[1], ip[0], at.Port())
	for line := range strings.Lines(string(text)) {
		if f := strings.Fields(line); len(f) > 2 && f[1] == local && f[2] == "00000000:0000" {
			_, _ = fmt.Sscan(f[len(f)-1], &n) // 0 stands where there is no number
		}
	}
	return n
}

// TestWebFlood: strangers attack the web listener of a host with players, by every means that it has: packets that no QUIC
// is, upgrades without end, sessions and connections that say nothing, slow ones, handshakes that are left, messages that no
// packet is. Nobody falls out, somebody who joins meanwhile by WebTransport or WebSocket is let in, ticks come as before,
// memory stays, and nothing is left of it in the end (W2.4, W6).
func TestWebFlood(t *testing.T) {
	if !tier.IsChange() && *floodFor == 0 {
		t.Skip("takes half a minute: -flood and .ci/run run it")
	}
	probe, err := net.ListenUDP("udp4", &net.UDPAddr{IP: foe(0)})
	if err != nil {
		t.Skipf("limits go by address, and this system has one of loopback only: %v", err)
	}
	_ = probe.Close() // it has told
	const turns = 4
	flooded, foes, upgrades, idle, slow, left := 2*time.Second, 4, 1000, 100, 20, 0
	long := *floodFor > 0
	if long {
		// As many addresses as could take all sessions that a listener has, each its own share.
		flooded, foes, upgrades, idle, slow, left = *floodFor, 18, 10_000, 1000, 100, 100
	}
	const perSecond, full, others = 20_000, 1, 5
	const players = 3 * (full + others)
	h := startHost(t, hostConfig{level: "arena?game=Crowd?bots=4?maxplayers=64", web: true})
	var way *tap
	var ln net.Listener
	for range 10 { // a port that is free for both
		way = newTap(t, h.web.Addr(), func([]byte) bool { return true })
		if ln, err = net.Listen("tcp4", way.front.LocalAddr().String()); err == nil {
			break
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	passOn(t, ln, h.web.Addr())
	honest := map[carrier.Via]*child{}
	for i, via := range []carrier.Via{carrier.UDP, carrier.WebTransport, carrier.WebSocket} {
		c := crowdConfig{Addr: h.web.Addr(), Via: via, Full: full, Wire: others, Seed: 9 + uint64(100*i), Rate: 240, Ask: true}
		switch via {
		case carrier.UDP:
			c.Addr, c.Via = h.link.Addr(), ""
		case carrier.WebTransport:
			c.First = way.front.LocalAddr().(*net.UDPAddr).AddrPort()
		case carrier.WebSocket:
		}
		honest[via] = startChild(t, childConfig{Crowd: &c})
		joined(t, h, honest[via], full+others, i*(full+others))
	}

	bad := startChild(t, childConfig{Web: &webFloodConfig{
		Addr: h.web.Addr(), Foes: foes, PerSecond: perSecond, Upgrades: upgrades / (turns + 1), Idle: idle, Slow: slow, Left: left, Recorded: way.overheard(),
	}})
	var before, after runtime.MemStats
	liveBefore := heap.Live()
	debug.FreeOSMemory()
	runtime.ReadMemStats(&before)
	goroutines := runtime.NumGoroutine()
	was := h.counters()
	lost := lostInKernel(h.web.Addr())
	used, start := cpu(), time.Now()
	// Quiet and flood take turns, so that what else this machine does weighs on both.
	ticks := map[bool][]time.Duration{}
	work := map[bool][]time.Duration{}
	trips := map[bool]map[carrier.Via][]time.Duration{false: {}, true: {}}
	var hostile uint64
	var seconds float64
	most, standing := 0, 0
	for range turns {
		for _, on := range []bool{false, true} {
			var from, to webFloodReport
			bad.ask(map[bool]string{false: "off", true: "on"}[on], &from)
			for _, k := range honest {
				k.report() // those under way are of the turn before
			}
			h.do(func() { h.ticks, h.work = h.ticks[:0], h.work[:0] })
			at := time.Now()
			pass(flooded / turns)
			h.do(func() { ticks[on], work[on] = append(ticks[on], h.ticks...), append(work[on], h.work...) })
			for via, k := range honest {
				trips[on][via] = append(trips[on][via], k.report().Trips...)
			}
			pipes, conns, _ := h.web.Counts()
			standing, most = max(standing, pipes), max(most, conns)
			bad.ask("off", &to)
			if on {
				hostile, seconds = hostile+to.Sent-from.Sent, seconds+time.Since(at).Seconds()
			}
		}
	}
	runtime.ReadMemStats(&after)
	peak := int64(after.Sys) - int64(before.Sys)
	live := heap.Live() - liveBefore
	debug.FreeOSMemory()
	runtime.ReadMemStats(&after)
	var all webFloodReport
	bad.ask("on", &all)
	late := map[carrier.Via]*child{}
	for i, via := range []carrier.Via{carrier.WebTransport, carrier.WebSocket} {
		at := time.Now()
		late[via] = startChild(t, childConfig{Crowd: &crowdConfig{Addr: h.web.Addr(), Via: via, Full: 1, Seed: 77 + uint64(i)}})
		var r crowdReport
		until(t, "somebody who joins by "+string(via)+" meanwhile in or refused", func() bool {
			r = late[via].report()
			return r.In > 0 || r.Over > 0
		})
		if r.Over > 0 {
			t.Errorf("somebody who joined by %s meanwhile was not let in: %q", via, r.Faults)
			continue
		}
		t.Logf("somebody who joined by %s meanwhile was in after %.1f s", via, time.Since(at).Seconds())
	}
	until(t, "all upgrades answered, slow bodies cut, handshakes left", func() bool {
		bad.ask("look", &all)
		n := 0
		for what, k := range all.Done {
			if strings.HasPrefix(what, "upgrade:") {
				n += k
			}
		}
		return n >= upgrades/(turns+1)*(turns+1) && all.Done["slow body: closed"] > 0 && all.Done["left: begun"] == left
	})
	bad.ask("off", &all)
	lost = lostInKernel(h.web.Addr()) - lost
	used, took := cpu()-used, time.Since(start)
	open := 0
	h.do(func() { open = h.link.Open() })
	is := h.counters()
	_, _, refused := h.web.Counts()

	grown := int64(after.Sys-after.HeapReleased) - int64(before.Sys-before.HeapReleased)
	t.Logf("%.0f packets a second for %v to the port of QUIC: %d sent in all, %d lost in the kernel", float64(hostile)/seconds, flooded, all.Sent, lost)
	t.Logf("at most %d sessions and %d connections stood; refused: %+v; at the link: %d malformed, %d of no session, %d of no type, %d dropped unseen", standing, most, refused,
		is.Malformed-was.Malformed, is.UnknownSession-was.UnknownSession, is.DroppedType-was.DroppedType, is.DroppedFull-was.DroppedFull)
	for _, k := range slices.Sorted(maps.Keys(all.Done)) {
		t.Logf("  %s: %d", k, all.Done[k])
	}
	for _, via := range slices.Sorted(maps.Keys(honest)) {
		q, s := trips[false][via], trips[true][via]
		t.Logf("round trip by %s p50 %.1f ms, p99 %.1f ms quiet; p50 %.1f ms, p99 %.1f ms flooded", via, ms(quantile(q, 0.5)), ms(quantile(q, 0.99)), ms(quantile(s, 0.5)), ms(quantile(s, 0.99)))
		if len(q) == 0 || len(s) < len(q)/4 {
			t.Errorf("by %s: %d round trips flooded, %d quiet", via, len(s), len(q))
		}
	}
	p99, quiet := quantile(ticks[true], 0.99), quantile(ticks[false], 0.99)
	t.Logf("tick p50 %.2f ms, p99 %.2f ms quiet; p50 %.2f ms, p99 %.2f ms flooded: %.2f times; of a processor p99 %.2f ms quiet, %.2f ms flooded", ms(quantile(ticks[false], 0.5)), ms(quiet),
		ms(quantile(ticks[true], 0.5)), ms(p99), float64(p99)/float64(max(1, quiet)), ms(quantile(work[false], 0.99)), ms(quantile(work[true], 0.99)))
	t.Logf("server %.0f %% of a core; heap %+.1f MB, of the system %+.1f MB, with garbage %+.1f MB", 100*used.Seconds()/took.Seconds(), float64(live)/1e6, float64(grown)/1e6, float64(peak)/1e6)
	if open != players+2 || is.Opened-was.Opened != 2 || is.Closed != was.Closed {
		t.Errorf("%d sessions are open, %d were opened and %d closed; want %d, 2 and 0", open, is.Opened-was.Opened, is.Closed-was.Closed, players+2)
	}
	// The attackers have the same processors, so a tick waits for one: what is judged is how long it has it.
	if p99, quiet := quantile(work[true], 0.99), quantile(work[false], 0.99); p99 > 2*quiet {
		figure(t, "tick p99 %v of a processor flooded, %v quiet", p99, quiet)
	}
	// Whatever else the machine does, a tick has no more to do than before.
	if q, s := quantile(work[false], 0.99), quantile(work[true], 0.99); s > 2*q+5*time.Millisecond {
		t.Errorf("of a processor a tick takes %v at p99 flooded, %v quiet", s, q)
	}
	// While up to two thousand connections and sessions stand each has its goroutines' stacks and its buffers, 20 to 30 KB, and there
	// is garbage of those that came and went. That nothing of it stays is looked at below.
	if live > 32<<20 || grown > 64<<20 || peak > 128<<20 {
		t.Errorf("memory grew: heap by %d bytes, of the system by %d, with garbage by %d", live, grown, peak)
	}
	for what, n := range map[string]uint64{
		"too many sessions of an address": refused.Upgrades + refused.Pipes, "packets of strangers": refused.Packets, "upgrades of other pages": refused.Origins, "packets of no type": is.DroppedType - was.DroppedType,
		"answers 101": uint64(all.Done["upgrade: 101"]),
	} {
		if n == 0 {
			t.Errorf("no %s are counted: that attack did not arrive", what)
		}
	}
	for _, k := range honest {
		stayed(t, k, full+others)
	}
	for _, k := range late {
		stayed(t, k, 1)
		k.quit()
	}
	if long {
		bad.kill() // nobody says goodbye: what is left ends by its time
	} else {
		bad.quit()
	}
	until(t, "nothing left of the attack", func() bool { return runtime.NumGoroutine() <= goroutines })
	t.Logf("goroutines were as before %.1f s after the attack", time.Since(start.Add(took)).Seconds())
	live = heap.Live() - liveBefore
	debug.FreeOSMemory()
	runtime.ReadMemStats(&after)
	grown = int64(after.Sys-after.HeapReleased) - int64(before.Sys-before.HeapReleased)
	t.Logf("then heap %+.1f MB, of the system %+.1f MB", float64(live)/1e6, float64(grown)/1e6)
	if live > 32<<20 || grown > 32<<20 {
		t.Errorf("memory stayed: %d bytes on the heap, %d of the system", live, grown)
	}
	for _, k := range honest {
		k.quit()
	}
	h.quiet("turned away at the gate")
}
