package kcplink

import (
	"bytes"
	"encoding/binary"
	"net"
	"net/netip"
	"testing"
	"time"

	"github.com/xtaci/kcp-go/v5"

	"github.com/tidelock/tidelock/netcode/link"
)

// Frames decode to what encodes to the same bytes, and segments survive the way to KCP's form and back.
func FuzzFrames(f *testing.F) {
	f.Add(appendDatagram(nil, []byte("x")))
	f.Add(appendTime(nil, 1, 2, 3))
	f.Add(appendClose(nil, "kick", "go"))
	f.Fuzz(func(t *testing.T, b []byte) {
		for len(b) > 0 {
			fr, rest, ok := nextFrame(b)
			if !ok {
				return
			}
			used := b[:len(b)-len(rest)]
			var again []byte
			switch fr.kind {
			case frameDatagram:
				again = appendDatagram(nil, fr.data)
			case frameTime:
				again = appendTime(nil, fr.ts, fr.sn, fr.wnd)
			case frameClose:
				again = appendClose(nil, string(fr.code), string(fr.data))
				if r := fr.reason(); r.Code == "" {
					t.Error("a reason without a code")
				}
			case frameChallenge, frameAnswer:
				again = append([]byte{fr.kind}, fr.data...)
			default:
				seg := fr.appendKCP(nil)
				again = appendSegment(nil, seg)
				if segmentSize(seg) != len(again) {
					t.Errorf("a segment is said to be %d bytes and is %d", segmentSize(seg), len(again))
				}
				if k := kcp.NewKCP(conversation, func([]byte, int) {}); k.Input(seg, kcp.IKCP_PACKET_REGULAR, false) < 0 {
					t.Error("KCP refuses a segment")
				}
			}
			if !bytes.Equal(again, used) {
				t.Errorf("%x decodes to what encodes as %x", used, again)
			}
			b = rest
		}
	})
}

func FuzzConnect(f *testing.F) {
	f.Add(make([]byte, connectSize))
	f.Fuzz(func(t *testing.T, b []byte) {
		c, ok := parseConnect(b)
		if !ok || c.version != Version {
			return
		}
		if got := appendConnectHead(nil, c.mode, c.session, c.cookie, c.token); !bytes.Equal(got, c.head) || !bytes.Equal(got, b[:len(got)]) {
			t.Errorf("%x decodes to what encodes as %x", b, got)
		}
	})
}

func FuzzConfirm(f *testing.F) {
	f.Add(make([]byte, proofSize+2))
	f.Fuzz(func(t *testing.T, b []byte) {
		if p, ok := parseConfirm(b); ok && (len(p.proof) != proofSize || len(p.options) > MaxOptions || proofSize+2+len(p.options) != len(b)) {
			t.Errorf("%x", b)
		}
	})
}

func FuzzToken(f *testing.F) {
	f.Add(make([]byte, tokenLeast), make([]byte, claimsLeast))
	f.Fuzz(func(t *testing.T, tok, claims []byte) {
		if _, ok := unsealToken(operatorKey, tok); ok {
			t.Error("a forged token")
		}
		if c, ok := parseClaims(claims); ok && (len(c.name) > maxName || len(c.server) > maxName || claimsLeast+len(c.name)+len(c.server) != len(claims)) {
			t.Errorf("%x", claims)
		}
	})
}

// sink is a socket that nothing comes from.
type sink struct {
	done chan struct{}
	sent int
}

func (s *sink) read([]*packet) (int, error) { <-s.done; return 0, net.ErrClosed }
func (s *sink) write(out []*outPacket) (int, error) {
	for _, o := range out {
		s.sent += o.n
	}
	return len(out), nil
}
func (s *sink) localAddr() netip.AddrPort { return serverAddr }
func (s *sink) close() error              { close(s.done); return nil }

// lone is a server link with one open connection whose other side is the fuzzer.
func lone(t testing.TB) (*peer, *Conn) {
	l, err := New(Config{Key: testKey(1), Server: &Server{}, Limits: Limits{PacketsIn: 1 << 30}, socket: &sink{done: make(chan struct{})}})
	must(t, err)
	p := &peer{t: t, l: l}
	l.Poll(time.Hour, p)
	l.handler = p
	c := l.newConn(path{AddrPort: clientAddr})
	c.send, c.recv = newAEAD([32]byte{1}), newAEAD([32]byte{2})
	c.becomeHalfOpen(&half{from: halfKey{path: path{AddrPort: clientAddr}}})
	return p, c
}

func (c *Conn) openLone() {
	c.becomeOpen()
	c.l.handler.Opened(c)
}

// Whatever strangers send, in any order, opens nothing, closes nothing and remembers nothing that lasts.
func FuzzDatagrams(f *testing.F) {
	f.Add(helloPacket())
	f.Fuzz(func(t *testing.T, b []byte) {
		p, c := lone(t)
		defer p.l.Close()
		c.openLone()
		var pk packet
		pk.from = path{AddrPort: netip.MustParseAddrPort("66.6.6.6:6")}
		// The input is datagrams, each behind its length.
		for len(b) >= 2 {
			n := min(int(binary.BigEndian.Uint16(b)), len(b)-2, maxPacket)
			pk.n = copy(pk.b[:], b[2:2+n])
			b = b[2+n:]
			if pk.n >= headerSize && pk.b[0] >= typeData && pk.b[0] <= typeDeny {
				p.l.receive(&pk)
			}
		}
		p.l.Poll(time.Hour+time.Second, p)
		if p.l.Open() != 1 || len(p.opened) != 1 || len(p.closed) != 0 || len(p.l.halves) != 0 {
			t.Error("strangers changed something")
		}
	})
}

// Whatever an authentic peer puts into its packets may end its connection, and no more.
func FuzzFramesOfAPeer(f *testing.F) {
	f.Add([]byte{framePush, 0, 64, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 1, 'x'})
	f.Fuzz(func(t *testing.T, b []byte) {
		p, c := lone(t)
		defer p.l.Close()
		c.openLone()
		_ = c.Send([]byte("something in flight"))
		p.l.Flush(time.Hour)
		got := 0
		p.onMessage = func(_ link.Conn, m []byte) { got += len(m) }
		size := len(b)
		for n := uint64(0); len(b) > 0 && c.state == stateOpen; n++ {
			k := min(len(b), maxPlain)
			c.win.mark(n)
			p.l.handler = p
			c.receive(b[:k])
			b = b[k:]
			p.l.Poll(time.Hour+time.Duration(n)*time.Millisecond, p)
		}
		if got > size || len(p.closed) > 1 {
			t.Errorf("%d bytes of messages out of %d; closed %v", got, size, p.closed)
		}
	})
}

// Any stream, cut anywhere, gives the same messages or the same end.
func FuzzStream(f *testing.F) {
	f.Add([]byte{3, 'a', 'b', 'c', 0, 1, 'x'}, uint8(2))
	f.Fuzz(func(t *testing.T, b []byte, cut uint8) {
		run := func(step int) (out []byte, closed bool) {
			p, c := lone(t)
			defer p.l.Close()
			c.openLone()
			p.onMessage = func(_ link.Conn, m []byte) { out = append(append(out, byte(len(m)), byte(len(m)>>8)), m...) }
			for i := 0; i < len(b); i += step {
				if !c.strm.deliver(c, b[i:min(len(b), i+step)]) {
					break
				}
			}
			return out, len(p.closed) > 0
		}
		a, ac := run(max(1, len(b)))
		z, zc := run(int(cut) + 1)
		if !bytes.Equal(a, z) || ac != zc {
			t.Errorf("cut by %d: %x %v, whole: %x %v", int(cut)+1, z, zc, a, ac)
		}
	})
}
