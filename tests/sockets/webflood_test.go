//go:build unix

package sockets

import (
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tidelock/tidelock/netcode/carrier"
	"github.com/tidelock/tidelock/tests/tier"
)

// webFlood is what of the attacker is no packet of UDP.
type webFlood struct {
	cfg floodConfig
	ctx context.Context

	mu     sync.Mutex
	done   map[string]int
	on     chan struct{} // closed while the flood is on
	quota  int           // upgrades that are left in this turn
	dialed int
	held   []io.Closer
}

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
func webPackets(rng *rand.Rand) func() []byte {
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

// TestWebFlood: strangers attack the web listener of a host with players: packets that no QUIC is, and upgrades without end, of which
// nobody speaks. Nobody falls out, somebody who joins meanwhile by WebTransport or WebSocket is let in, ticks come as before, memory stays,
// and nothing is left of it in the end (W2.4, W6). What malformed messages and slow connections come to is tried in netcode/carrier,
// cmd/host/web and tests/hostile.
func TestWebFlood(t *testing.T) {
	if !tier.IsChange() && *floodFor == 0 {
		t.Skip("takes half a minute: -flood and .ci/run run it")
	}
	probe, err := net.ListenUDP("udp4", &net.UDPAddr{IP: foe(0)})
	if err != nil {
		t.Skipf("limits go by address, and this system has one of loopback only: %v", err)
	}
	_ = probe.Close() // it has told
	flooded, foes, upgrades := 2*time.Second, 4, 1000
	long := *floodFor > 0
	if long {
		// As many addresses as could take all sessions that a listener has, each its own share.
		flooded, foes, upgrades = *floodFor, 18, 10_000
	}
	const perSecond, each = 20_000, 2
	const players = 3 * each
	h := startHost(t, hostConfig{level: "arena?game=Crowd?bots=4?maxplayers=64", web: true})
	vias := []carrier.Via{carrier.UDP, carrier.WebTransport, carrier.WebSocket}
	var honest []*child
	for i, via := range vias {
		c := crowdConfig{Addr: h.web.Addr(), Via: via, Full: each, Seed: 9 + uint64(100*i)}
		if via == carrier.UDP {
			c.Addr, c.Via = h.link.Addr(), ""
		}
		honest = append(honest, startChild(t, childConfig{Crowd: &c}))
		joined(t, h, honest[i], each, i*each)
	}

	bad := startChild(t, childConfig{Flood: &floodConfig{
		Addr: h.web.Addr(), PerSecond: perSecond, Foes: foes, Upgrades: upgrades / (turns + 1),
	}})
	before, goroutines, was := memoryNow(), runtime.NumGoroutine(), h.counters()
	w := h.alternate(bad, flooded, honest...)
	grown := memoryNow().since(before)
	var all floodReport
	bad.ask("on", &all)
	var late []*child
	for i, via := range vias[1:] {
		k := startChild(t, childConfig{Crowd: &crowdConfig{Addr: h.web.Addr(), Via: via, Full: 1, Seed: 77 + uint64(i)}})
		joined(t, h, k, 1, players+i)
		late = append(late, k)
	}
	until(t, "all upgrades answered", func() bool {
		bad.ask("look", &all)
		n := 0
		for what, k := range all.Done {
			if strings.HasPrefix(what, "upgrade:") {
				n += k
			}
		}
		return n >= upgrades/(turns+1)*(turns+1)
	})
	bad.ask("off", &all)
	open := 0
	h.do(func() { open = h.link.Open() })
	is := h.counters()
	_, _, refused := h.web.Counts()

	t.Logf("%.0f packets a second for %v to the port of QUIC; refused: %+v; %v", w.perSecond, flooded, refused, all.Done)
	for i, via := range vias {
		w.print(t, honest[i], string(via))
	}
	t.Log(grown)
	if open != players+2 || is.Opened-was.Opened != 2 || is.Closed != was.Closed {
		t.Errorf("%d sessions are open, %d were opened and %d closed; want %d, 2 and 0", open, is.Opened-was.Opened, is.Closed-was.Closed, players+2)
	}
	// The attackers have the same processors, so a tick waits for one: what is judged is how long it has it. Whatever else the machine
	// does, a tick has no more to do than before.
	if q, s := quantile(w.work[false], 0.99), quantile(w.work[true], 0.99); s > 2*q+5*time.Millisecond {
		t.Errorf("of a processor a tick takes %v at p99 flooded, %v quiet", s, q)
	}
	// While up to two thousand connections and sessions stand each has its goroutines' stacks and its buffers, 20 to 30 KB, and there
	// is garbage of those that came and went. That nothing of it stays is looked at below.
	if grown.live > 32<<20 || grown.held > 64<<20 || grown.system > 128<<20 {
		t.Errorf("memory grew: %v", grown)
	}
	for what, n := range map[string]uint64{ // any order
		"too many sessions of an address": refused.Upgrades + refused.Pipes, "packets of strangers": refused.Packets,
		"upgrades of other pages": refused.Origins, "answers 101": uint64(all.Done["upgrade: 101"]),
	} {
		if n == 0 {
			t.Errorf("no %s are counted: that attack did not arrive", what)
		}
	}
	for _, k := range honest {
		stayed(t, k, each)
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
	if grown = memoryNow().since(before); grown.live > 32<<20 || grown.held > 32<<20 {
		t.Errorf("memory stayed: %v", grown)
	}
	for _, k := range honest {
		k.quit()
	}
	h.quiet("turned away at the gate")
}
