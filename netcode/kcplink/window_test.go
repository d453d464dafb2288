package kcplink

import (
	"testing"
	"time"

	"github.com/tidelock/tidelock/netcode/kcplink/impair"
)

// A client that has just connected is sent as much as a match's files are, in a few round trips and hardly anything twice: the
// handshake has measured the way, and packets that it loses by itself do not make the window small.
func TestFreshConnection(t *testing.T) {
	const size, seeds = 95_000, 10
	for _, tt := range []struct {
		lag   time.Duration // one way
		loss  float64
		trips float64 // round trips at most, in the mean
		again int     // bytes sent twice at most, in the mean
	}{
		{40 * time.Millisecond, 0, 5, 0},
		{75 * time.Millisecond, 0, 5, 0},
		{120 * time.Millisecond, 0, 5, 0},
		{200 * time.Millisecond, 0, 5, 0},
		{40 * time.Millisecond, 0.05, 8, 18000},
		{75 * time.Millisecond, 0.05, 8, 18000},
		{120 * time.Millisecond, 0.05, 8, 18000},
	} {
		var took time.Duration
		again := 0
		for seed := range seeds {
			inOne(t, impair.Rule{Lag: tt.lag, Loss: tt.loss}, false, func(w *world) {
				w.seed = uint64(seed)
				s, c := w.server(Server{}, Limits{}), w.client(0)
				c.dial(Dial{})
				w.until("open", 5*time.Second, func() bool { return len(s.opened) == 1 })
				for range size / 5000 {
					must(t, s.opened[0].Send(make([]byte, 5000)))
				}
				start := w.now
				w.until("arrived", 20*time.Second, func() bool { return len(c.messages) == size/5000 })
				took += w.now - start
				again += int(s.opened[0].Stats().RetransmittedOut)
			})
		}
		trips := float64(took) / seeds / float64(2*tt.lag)
		t.Logf("round trip %v, loss %g: %.1f round trips, %v, %d bytes sent again", 2*tt.lag, tt.loss, trips, took/seeds, again/seeds)
		if trips > tt.trips || again/seeds > tt.again {
			t.Errorf("round trip %v, loss %g: more than %g round trips or %d bytes twice", 2*tt.lag, tt.loss, tt.trips, tt.again)
		}
	}
}
