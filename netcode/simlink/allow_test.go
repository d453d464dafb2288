package simlink

import (
	"bytes"
	"fmt"
	"testing"
	"time"
)

// TestAllow: the reliable stream keeps to what it is allowed, with what it sends again, and everything arrives in order.
func TestAllow(t *testing.T) {
	for _, loss := range []float64{0, 0.2} {
		t.Run(fmt.Sprintf("loss %g", loss), func(t *testing.T) {
			p := newPair(Config{Seed: 5}, Symmetric(Impairment{Lag: 30 * time.Millisecond, Loss: loss}))
			s, _ := p.join(t)
			p.run(time.Second)
			var want [][]byte
			for i := range 60 {
				want = append(want, bytes.Repeat([]byte{byte(i)}, 10+i*37%900))
			}
			left, enough := 0, 300 // 300 bytes come in each tick; a packet may exceed them
			for n := 0; len(p.c.messages) < len(want) || s.Stats().Unacked > 0; n++ {
				if n == 1000 {
					t.Fatalf("%d of %d messages came", len(p.c.messages), len(want))
				}
				if n < len(want) {
					if err := s.Send(want[n]); err != nil {
						t.Fatal(err)
					}
				}
				before := s.Stats().BytesOut
				p.now += tickTime
				p.server.Poll(p.now, &p.s)
				left = min(left+300-int(s.Stats().BytesOut-before), 600)
				before = s.Stats().BytesOut
				s.Allow(left, enough)
				waiting := s.Stats().Waiting
				p.server.Flush(p.now)
				out := int(s.Stats().BytesOut - before)
				const always = timeSize + PacketOverhead // the time, once a second, in a packet of its own at worst
				if out > max(0, left)+always && (left < enough || out > left+maxPlain+PacketOverhead) {
					t.Fatalf("tick %d: %d bytes are allowed, %d went out", n, left, out)
				}
				if out == 0 && waiting > 0 && left >= enough {
					t.Fatalf("tick %d: %d bytes wait, %d are allowed, and none goes", n, waiting, left)
				}
				left -= out
				p.client.Poll(p.now, &p.c)
				p.client.Flush(p.now)
			}
			for i := range want {
				if !bytes.Equal(p.c.messages[i], want[i]) {
					t.Fatalf("message %d is not the one sent", i)
				}
			}
			if w := s.Stats().Waiting; w != 0 {
				t.Errorf("%d bytes wait after everything came", w)
			}
			s.Allow(-1, 0)
			if err := s.Send([]byte("not now")); err != nil {
				t.Fatal(err)
			}
			before := s.Stats().MessageBytesOut
			p.run(100 * time.Millisecond)
			if s.Stats().MessageBytesOut != before || s.Stats().Waiting == 0 {
				t.Error("nothing is allowed, and something goes")
			}
		})
	}
}
