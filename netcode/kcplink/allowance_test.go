package kcplink

import (
	"slices"
	"testing"
	"time"

	"github.com/tidelock/tidelock/netcode/kcplink/impair"
)

// TestAllow: the reliable stream keeps to what it is allowed, with what KCP sends again, and everything arrives in order.
func TestAllow(t *testing.T) {
	for name, rule := range map[string]impair.Rule{"perfect": {}, "loss 20 %": {Lag: 25 * time.Millisecond, Loss: 0.2}} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, rule, func(w *world) {
				s, c, sc, _ := w.pair(Limits{})
				w.run(time.Second)
				const (
					rate   = 8000 // bytes a second
					tick   = rate / int(time.Second/stepTime)
					enough = 200
					always = 100 // acknowledgements and the time, in the last packets
				)
				var want [][]byte
				var sent []uint64
				left, before := 0, sc.Stats().BytesOut
				spent := func() (n int) {
					n, before = int(sc.Stats().BytesOut-before), sc.Stats().BytesOut
					return n
				}
				for n := 0; len(c.messages) < len(want) || n < 80 || sc.Stats().Unacked > 0; n++ {
					if n < 80 {
						want = append(want, numbered(n, 10+n*37%900))
						must(t, sc.Send(want[n]))
					}
					w.pass(stepTime)
					s.l.Poll(w.now, s)
					left = min(left+tick-spent(), enough+tick)
					sc.Allow(left, enough)
					s.l.Flush(w.now)
					left -= spent()
					c.l.Poll(w.now, c)
					c.l.Flush(w.now)
					sent = append(sent, before)
					if k := len(sent) - 1 - int(time.Second/stepTime); n == 6000 || k >= 0 && int(before-sent[k]) > rate+maxPacket+udpOverhead+always {
						t.Fatalf("step %d: %d of %d messages came, %d bytes in the last second at %d", n, len(c.messages), len(want), before-sent[max(0, k)], rate)
					}
				}
				if st := sc.Stats(); !slices.EqualFunc(c.messages, want, slices.Equal) || st.Waiting != 0 || rule.Loss > 0 && st.RetransmittedOut == 0 {
					t.Errorf("other messages came, %d bytes wait, or nothing of %d was sent again", st.Waiting, st.BytesOut)
				}
				sc.Allow(-1, 0)
				must(t, sc.Send([]byte("not now")))
				out := sc.Stats().MessageBytesOut
				w.run(200 * time.Millisecond)
				if sc.Stats().MessageBytesOut != out || sc.Stats().Waiting == 0 {
					t.Error("nothing is allowed, and something goes")
				}
			})
		})
	}
}
