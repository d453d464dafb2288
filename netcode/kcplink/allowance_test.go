package kcplink

import (
	"bytes"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tidelock/tidelock/netcode/kcplink/impair"
)

// TestAllow: the reliable stream keeps to what it is allowed, with what KCP sends again, and everything arrives in order.
func TestAllow(t *testing.T) {
	for name, rule := range map[string]impair.Rule{"perfect": {}, "loss 20 %": {Lag: 25 * time.Millisecond, Loss: 0.2}} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, rule, func(w *world) {
				_, c, sc, _ := w.pair(Limits{})
				w.run(time.Second)
				const (
					rate   = 8000 // bytes a second
					tick   = rate / int(time.Second/stepTime)
					enough = 200
					always = 100 // acknowledgements and the time, in the last packets
				)
				var want [][]byte
				var sent []uint64
				left := 0
				for n := 0; len(c.messages) < len(want) || n < 80 || sc.Stats().Unacked > 0; n++ {
					if n == 6000 {
						t.Fatalf("%d of %d messages came, %d bytes are not acknowledged", len(c.messages), len(want), sc.Stats().Unacked)
					}
					if n < 80 {
						want = append(want, numbered(n, 10+n*37%900))
						must(t, sc.Send(want[n]))
					}
					time.Sleep(stepTime)
					w.now += stepTime
					w.deliver()
					synctest.Wait()
					for _, p := range w.peers {
						before := sc.Stats().BytesOut
						p.l.Poll(w.now, p)
						if p != c {
							left = min(left+tick-int(sc.Stats().BytesOut-before), enough+tick)
							sc.Allow(left, enough)
							before = sc.Stats().BytesOut
						}
						p.l.Flush(w.now)
						left -= int(sc.Stats().BytesOut - before)
					}
					sent = append(sent, sc.Stats().BytesOut)
					if k := len(sent) - 1 - int(time.Second/stepTime); k >= 0 {
						if out := int(sent[len(sent)-1] - sent[k]); out > rate+maxPacket+udpOverhead+always {
							t.Fatalf("%d bytes in one second at %d", out, rate)
						}
					}
				}
				for i := range want {
					if !bytes.Equal(c.messages[i], want[i]) {
						t.Fatalf("message %d is not the one sent", i)
					}
				}
				st := sc.Stats()
				if st.Waiting != 0 {
					t.Errorf("%d bytes wait after everything came", st.Waiting)
				}
				if rule.Loss > 0 && st.RetransmittedOut == 0 {
					t.Error("nothing was sent again")
				}
				sc.Allow(-1, 0)
				must(t, sc.Send([]byte("not now")))
				before := sc.Stats().MessageBytesOut
				w.run(200 * time.Millisecond)
				if sc.Stats().MessageBytesOut != before || sc.Stats().Waiting == 0 {
					t.Error("nothing is allowed, and something goes")
				}
			})
		})
	}
}
