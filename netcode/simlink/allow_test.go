package simlink

import (
	"slices"
	"testing"
	"time"
)

// TestAllow: the reliable stream keeps to what it is allowed, with what it sends again, and everything arrives in order.
func TestAllow(t *testing.T) {
	for _, loss := range []float64{0, 0.2} {
		p := newPair(Config{Seed: 5}, Symmetric(Impairment{Lag: 30 * time.Millisecond, Loss: loss}))
		s, _ := p.join(t)
		p.run(time.Second)
		const tick, enough = 300, 300 // 300 bytes come in each tick; a packet may exceed them
		const always = timeSize + PacketOverhead
		var want [][]byte
		left := 0
		for n := 0; n < 60 || len(p.c.messages) < len(want) || s.Stats().Unacked > 0; n++ {
			if n < 60 {
				want = append(want, slices.Repeat([]byte{byte(n)}, 10+n*37%900))
				_ = s.Send(want[n]) // or it does not come
			}
			before := s.Stats().BytesOut
			p.now += tickTime
			p.server.Poll(p.now, &p.s)
			left = min(left+tick-int(s.Stats().BytesOut-before), 2*tick)
			before = s.Stats().BytesOut
			s.Allow(left, enough)
			waiting := s.Stats().Waiting
			p.server.Flush(p.now)
			out := int(s.Stats().BytesOut - before)
			// The time is sent once a second even without allowance, at worst in a packet of its own.
			if out > max(0, left)+always && (left < enough || out > left+maxPlain+PacketOverhead) || out == 0 &&
				waiting > 0 && left >= enough || n == 1000 {
				t.Fatalf("loss %g, tick %d: %d bytes wait, %d are allowed, %d went out", loss, n, waiting, left, out)
			}
			left -= out
			p.client.Poll(p.now, &p.c)
			p.client.Flush(p.now)
		}
		s.Allow(-1, 0)
		none := s.Stats().Waiting
		_ = s.Send([]byte("not now"))
		before := s.Stats().MessageBytesOut
		p.run(100 * time.Millisecond)
		if !slices.EqualFunc(p.c.messages, want, slices.Equal) || none != 0 || s.Stats().MessageBytesOut != before ||
			s.Stats().Waiting == 0 {
			t.Errorf("loss %g: other messages came, %d bytes wait after the last, or something goes that is not allowed", loss, none)
		}
	}
}
