package kcplink

import (
	"slices"
	"testing"
	"time"

	"github.com/tidelock/tidelock/netcode/kcplink/impair"
)

// A message that has nothing behind it, and is lost again and again, is there within a few round trips all the same (R5.8).
func TestLoneMessagesUnderLoss(t *testing.T) {
	const trip, n = 200 * time.Millisecond, 400
	inWorld(t, impair.Rule{Lag: trip / 2, Loss: 0.3, Dup: 0.25, Reorder: 0.3}, func(w *world) {
		_, c, conn, _ := w.pair(Limits{})
		sc := conn.(*Conn)
		var took []time.Duration
		for i := range n {
			sent := w.now
			must(t, sc.Send(numbered(i, 20)))
			w.until("arrived", 20*time.Second, func() bool { return len(c.messages) == i+1 })
			took = append(took, w.now-sent)
			w.run(2 * trip)
		}
		slices.Sort(took)
		at := func(share float64) float64 { return took[int(float64(n-1)*share)].Seconds() / trip.Seconds() }
		t.Logf("p50 %.1f, p99 %.1f, worst %.1f round trips; %d bytes sent again", at(0.5), at(0.99), at(1), sc.Stats().RetransmittedOut)
		if at(0.99) > 6 || at(1) > 8 {
			t.Error("too long")
		}
		w.run(5 * time.Second)
		if len(sc.strm.repeats.list) > 0 || sc.Stats().Unacked > 0 {
			t.Errorf("%d repeats of what has come long ago", len(sc.strm.repeats.list))
		}
	})
}
