//go:build linux

package kcplink

import (
	"bytes"
	"net"
	"runtime"
	"syscall"
	"testing"
	"time"

	"github.com/xtaci/kcp-go/v5"
	"golang.org/x/net/ipv4"

	"github.com/tidelock/tidelock/netcode/link"
)

func BenchmarkSeal(b *testing.B) {
	aead, nc := newAEAD([32]byte{1}), new(nonce)
	var buf [maxPacket]byte
	b.ReportAllocs()
	for i := range b.N {
		sealPacket(aead, nc, &buf, 300, 1, uint64(i))
	}
}

func BenchmarkOpen(b *testing.B) {
	aead, nc := newAEAD([32]byte{1}), new(nonce)
	var buf, in [maxPacket]byte
	n := sealPacket(aead, nc, &buf, 300, 1, 7)
	b.ReportAllocs()
	for range b.N {
		copy(in[:], buf[:n])
		if _, err := openPacket(aead, nc, in[:n], 7); err != nil {
			b.Fatal(err)
		}
	}
}

// silent is a handler that counts.
type silent struct{ opened, messages int }

func (s *silent) Opened(link.Conn)              { s.opened++ }
func (s *silent) Message(link.Conn, []byte)     { s.messages++ }
func (s *silent) Datagram(link.Conn, []byte)    {}
func (s *silent) Closed(link.Conn, link.Reason) {}

// BenchmarkPollIdle is one Poll of a link with 1 000 idle connections: the heartbeats' share of a 60 Hz tick
// is in it.
func BenchmarkPollIdle(b *testing.B) {
	l, err := New(Config{Server: &Server{}, Limits: Limits{Silence: 1 << 40, Conns: 2000, HalfOpen: 2000}, socket: &sink{done: make(chan struct{})}})
	if err != nil {
		b.Fatal(err)
	}
	defer l.Close()
	h := &silent{}
	now := time.Hour
	l.Poll(now, h)
	l.handler = h
	var m0, m1 runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m0)
	for i := range 1000 {
		c := l.newConn(path{AddrPort: serverAddr})
		c.send, c.recv = newAEAD([32]byte{1}), newAEAD([32]byte{2})
		c.becomeHalfOpen(&half{from: halfKey{session: uint32(i)}})
		c.becomeOpen()
		c.lastOut -= time.Duration(i) * 2 * time.Millisecond // heartbeats are spread
	}
	runtime.GC()
	runtime.ReadMemStats(&m1)
	b.ReportAllocs()
	b.ResetTimer()
	for range b.N {
		now += time.Second / 60
		for _, c := range l.table {
			c.lastIn = now // nobody is silent
		}
		l.Poll(now, h)
	}
	b.ReportMetric(float64(m1.HeapAlloc-m0.HeapAlloc)/1000, "B/session")
}

func cpuTime() time.Duration {
	var r syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &r)
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}

const (
	benchSessions = 1000
	benchHz       = 20
	benchPayload  = 200
)

// BenchmarkEcho is 1 000 clients who each send 200 bytes at 20 Hz and get them back, over loopback: CPU of
// both ends for one message there and back, for this link (reliable messages, sealed), for plain UDP in batches
// (the floor, nothing but the system) and for kcp-go's own sessions (nothing sealed). One operation is a second.
//
//	go test ./netcode/kcplink -run - -bench Echo -benchtime 5x
func BenchmarkEcho(b *testing.B) {
	b.Run("kcplink", func(b *testing.B) { benchKCPLink(b, benchPayload) })
	b.Run("udpbatch", benchUDP)
	b.Run("kcpsessions", func(b *testing.B) { benchSessionsOf(b, benchPayload) })
}

// BenchmarkIdle is 1 000 connections without traffic, both ends, for a second an operation.
func BenchmarkIdle(b *testing.B) {
	b.Run("kcplink", func(b *testing.B) { benchKCPLink(b, 0) })
	b.Run("kcpsessions", func(b *testing.B) { benchSessionsOf(b, 0) })
}

// echoing sends every message back.
type echoing struct{ silent }

func (e *echoing) Message(c link.Conn, m []byte) {
	e.messages++
	_ = c.Send(m)
}

func report(b *testing.B, cpu time.Duration, elapsed time.Duration, messages int, memory uint64, goroutines int) {
	b.ReportMetric(100*cpu.Seconds()/elapsed.Seconds(), "%core")
	if messages > 0 {
		b.ReportMetric(float64(cpu.Microseconds())/float64(messages), "µs/echo")
	}
	b.ReportMetric(float64(memory)/(2*benchSessions), "B/end")
	b.ReportMetric(float64(goroutines)/(2*benchSessions), "goroutines/end")
	b.ReportMetric(0, "ns/op")
}

func benchKCPLink(b *testing.B, payload int) {
	var m0, m1 runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m0)
	g0 := runtime.NumGoroutine()
	many := Limits{Conns: 2000, ConnsPerAddress: 2000, HalfOpen: 2000, HalfOpenPerAddress: 2000, Handshakes: 1 << 20, HandshakesPerAddress: 1 << 20, Hellos: 1 << 20, HellosPerAddress: 1 << 20, DialTimeout: time.Minute}
	server, err := New(Config{Addr: "127.0.0.1:0", Server: &Server{}, Limits: many})
	if err != nil {
		b.Fatal(err)
	}
	defer server.Close()
	client, err := New(Config{Addr: "127.0.0.1:0", Limits: many})
	if err != nil {
		b.Fatal(err)
	}
	defer client.Close()
	start := time.Now()
	sh, ch := &echoing{}, &silent{}
	var conns []*Conn
	tick := time.NewTicker(time.Second / benchHz / 2)
	defer tick.Stop()
	poll := func() {
		client.Poll(time.Since(start), ch)
		client.Flush(time.Since(start))
		server.Poll(time.Since(start), sh)
		server.Flush(time.Since(start))
	}
	for i := 0; ch.opened < benchSessions; i++ {
		if i < benchSessions/10 {
			for range 10 {
				c, err := client.Dial(Dial{Addr: server.Addr()})
				if err != nil {
					b.Fatal(err)
				}
				conns = append(conns, c)
			}
		}
		poll()
		if time.Since(start) > time.Minute {
			b.Fatal(ch.opened, " connected")
		}
	}
	runtime.GC()
	runtime.ReadMemStats(&m1)
	g1 := runtime.NumGoroutine()
	message := bytes.Repeat([]byte{7}, payload)
	b.ReportAllocs()
	b.ResetTimer()
	before, began, cpu := ch.messages, time.Now(), cpuTime()
	for range b.N * benchHz {
		if payload > 0 {
			for _, c := range conns {
				if err := c.Send(message); err != nil {
					b.Fatal(err)
				}
			}
		}
		<-tick.C
		poll()
		<-tick.C
		poll()
	}
	used, took := cpuTime()-cpu, time.Since(began)
	b.StopTimer()
	got := ch.messages - before
	if want := b.N * benchHz * benchSessions; payload > 0 && got < want*9/10 {
		b.Errorf("%d of %d came back", got, want)
	}
	report(b, used, took, got, m1.HeapAlloc-m0.HeapAlloc, g1-g0)
	b.ReportMetric(float64(conns[0].Stats().RetransmittedOut), "resent")
}

// benchUDP has one socket at each end and batches of 64, as the link has.
func benchUDP(b *testing.B) {
	open := func() (*net.UDPConn, *ipv4.PacketConn) {
		c, err := net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
		if err != nil {
			b.Fatal(err)
		}
		_ = c.SetReadBuffer(4 << 20)
		_ = c.SetWriteBuffer(4 << 20)
		return c, ipv4.NewPacketConn(c)
	}
	sc, server := open()
	cc, client := open()
	defer sc.Close()
	defer cc.Close()
	messages := func() []ipv4.Message {
		ms := make([]ipv4.Message, 64)
		for i := range ms {
			ms[i].Buffers = [][]byte{make([]byte, 2048)}
		}
		return ms
	}
	go func() {
		ms := messages()
		for {
			n, err := server.ReadBatch(ms, 0)
			if err != nil {
				return
			}
			for i := range ms[:n] {
				ms[i].Buffers[0] = ms[i].Buffers[0][:ms[i].N]
			}
			_, _ = server.WriteBatch(ms[:n], 0)
			for i := range ms[:n] {
				ms[i].Buffers[0] = ms[i].Buffers[0][:2048]
			}
		}
	}()
	count := make(chan int, 1)
	go func() {
		ms, got := messages(), 0
		for {
			n, err := client.ReadBatch(ms, 0)
			if err != nil {
				count <- got
				return
			}
			got += n
		}
	}()
	out := messages()
	for i := range out {
		out[i].Buffers[0] = make([]byte, benchPayload)
		out[i].Addr = sc.LocalAddr()
	}
	tick := time.NewTicker(time.Second / benchHz)
	defer tick.Stop()
	b.ResetTimer()
	began, cpu := time.Now(), cpuTime()
	for range b.N * benchHz {
		for left := benchSessions; left > 0; {
			n, err := client.WriteBatch(out[:min(left, len(out))], 0)
			if err != nil {
				b.Fatal(err)
			}
			left -= n
		}
		<-tick.C
	}
	used, took := cpuTime()-cpu, time.Since(began)
	b.StopTimer()
	cc.Close()
	report(b, used, took, <-count, 0, 0)
}

// benchSessionsOf is kcp-go as it is ordinarily used: a session and a reading goroutine each.
func benchSessionsOf(b *testing.B, payload int) {
	var m0, m1 runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m0)
	g0 := runtime.NumGoroutine()
	tune := func(s *kcp.UDPSession) {
		s.SetNoDelay(1, 10, 2, 1)
		s.SetWindowSize(segmentWindow, segmentWindow)
		s.SetMtu(maxPacket)
		s.SetWriteDelay(true)
	}
	l, err := kcp.ListenWithOptions("127.0.0.1:0", nil, 0, 0)
	if err != nil {
		b.Fatal(err)
	}
	_ = l.SetReadBuffer(4 << 20)
	_ = l.SetWriteBuffer(4 << 20)
	accepted := make(chan *kcp.UDPSession, benchSessions)
	go func() {
		for {
			s, err := l.AcceptKCP()
			if err != nil {
				return
			}
			tune(s)
			accepted <- s
			go func() {
				buf := make([]byte, 2048)
				for {
					n, err := s.Read(buf)
					if err != nil {
						return
					}
					_, _ = s.Write(buf[:n])
				}
			}()
		}
	}()
	got := make(chan int, benchSessions)
	var sessions, servers []*kcp.UDPSession
	for range benchSessions {
		s, err := kcp.DialWithOptions(l.Addr().String(), nil, 0, 0)
		if err != nil {
			b.Fatal(err)
		}
		tune(s)
		sessions = append(sessions, s)
		go func() {
			buf, n := make([]byte, 2048), 0
			for {
				if _, err := s.Read(buf); err != nil {
					got <- n
					return
				}
				n++
			}
		}()
		if _, err := s.Write([]byte("hello")); err != nil {
			b.Fatal(err)
		}
		servers = append(servers, <-accepted)
	}
	runtime.GC()
	runtime.ReadMemStats(&m1)
	g1 := runtime.NumGoroutine()
	message := bytes.Repeat([]byte{7}, payload)
	tick := time.NewTicker(time.Second / benchHz)
	defer tick.Stop()
	b.ReportAllocs()
	b.ResetTimer()
	began, cpu := time.Now(), cpuTime()
	for range b.N * benchHz {
		if payload > 0 {
			for _, s := range sessions {
				if _, err := s.Write(message); err != nil {
					b.Fatal(err)
				}
			}
		}
		<-tick.C
	}
	used, took := cpuTime()-cpu, time.Since(began)
	b.StopTimer()
	// The listener first: a late packet to a closed session makes a new one.
	_ = l.Close()
	for i := range sessions {
		_ = sessions[i].Close()
		_ = servers[i].Close()
	}
	for len(accepted) > 0 {
		_ = (<-accepted).Close()
	}
	total := 0
	for range sessions {
		total += <-got
	}
	if payload == 0 {
		total = 0
	}
	report(b, used, took, total, m1.HeapAlloc-m0.HeapAlloc, g1-g0)
}
