package kcplink

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"net/netip"
	"testing"
	"time"

	"github.com/tidelock/tidelock/netcode/kcplink/impair"
	"github.com/tidelock/tidelock/netcode/link"
)

// before is a tap that sends others before every packet.
func (w *world) before(others func(from, to netip.AddrPort, b []byte)) func(from, to netip.AddrPort, b []byte) bool {
	inside := false
	return func(from, to netip.AddrPort, b []byte) bool {
		if !inside {
			inside = true
			others(from, to, b)
			inside = false
		}
		return true
	}
}

// Every packet of a session, in both directions, cut at every byte: nothing happens but counting.
func TestTruncationAtEveryByte(t *testing.T) {
	inWorld(t, impair.Rule{Lag: 10 * time.Millisecond}, func(w *world) {
		tok := token(t, operatorKey, TokenClaims{Name: "Ann"})
		s := w.server(Server{TokenKey: &operatorKey, Name: "eu-1", Wall: func() time.Time { return wallStart }},
			Limits{Hellos: 1 << 30, HellosPerAddress: 1 << 30, PacketsIn: 1 << 30, Handshakes: 1 << 30, HandshakesPerAddress: 1 << 30})
		cut := map[byte]int{}
		w.tap = w.before(func(from, to netip.AddrPort, b []byte) {
			for n := range b {
				w.send(from, to, b[:n])
				cut[b[0]]++
			}
		})
		c := w.client(0)
		cc := c.dial(Dial{Token: tok, Options: "hello"})
		used := w.client(1)
		w.until("open", 5*time.Second, func() bool { return len(s.opened) == 1 && len(c.opened) == 1 })
		used.dial(Dial{Token: tok}) // gets a denial
		w.until("denied", 5*time.Second, func() bool { return used.lastReason() == "token_used" })
		c.echo = true
		for i := range 10 {
			must(t, cc.Send(numbered(i, 300)), cc.SendDatagram(numbered(i, 200)))
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
		w.tap = w.before(func(from, to netip.AddrPort, b []byte) {
			for i := range b {
				// A key exchange stands a few failures.
				if b[0] == typeData || (b[0] == typeResponse || b[0] == typeConfirm) && (i%40 == 10 || i == len(b)-1) {
					bad := bytes.Clone(b)
					bad[i] ^= 1 << (i % 8)
					w.send(from, to, bad)
				}
			}
		})
		c := w.client(0)
		cc := c.dial(Dial{})
		w.until("open", 5*time.Second, func() bool { return len(s.opened) == 1 && len(c.opened) == 1 })
		for i := range 5 {
			must(t, cc.SendDatagram(numbered(i, 50)))
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
		s, c := w.server(Server{}, Limits{}), w.client(0)
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
			must(t, cc.SendDatagram(numbered(i, 50)))
			w.step()
		}
		from := netip.MustParseAddrPort("66.6.6.6:666")
		attacks := hostilePackets(cc, recorded, rand.New(rand.NewPCG(1, 1)))
		ps := make([]*packet, 1)
		ps[0] = new(packet)
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
		if s.l.Open() != 1 || len(s.closed) != 0 || len(s.opened) != 1 {
			t.Error("a session came or went")
		}
		if n := s.l.Counters(); n.Replayed == 0 || n.BadSeals == 0 || n.BadCookies == 0 || n.UnknownSession == 0 ||
			n.Malformed == 0 {
			t.Errorf("some attack did not arrive: %+v", n)
		}
	})
}
