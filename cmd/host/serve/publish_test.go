package serve_test

import (
	"io"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tidelock/tidelock/cmd/host/metrics"
	"github.com/tidelock/tidelock/cmd/host/serve"
)

// TestPublishes: figures come once a second, ticks that are too long are counted, and the board knows where the host is
// in its life.
func TestPublishes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		board := metrics.NewBoard(time.Now)
		f := &fake{slow: 6}
		opt := options(t, f, io.Discard, io.Discard)
		opt.Board, opt.RunFor = board, 10*time.Second+100*time.Millisecond
		time.AfterFunc(9*time.Second+500*time.Millisecond, func() {
			if ok, line := board.Ready(); !ok || board.State() != metrics.Running {
				t.Errorf("ready %v: %s", ok, line)
			}
			var got metrics.Figures
			if age := board.Read(&got); age <= 0 || age > time.Second {
				t.Errorf("figures are %v old", age)
			}
			if n := got.Ticks; n < 530 || n > 550 {
				t.Errorf("%d ticks", n)
			}
			if got.Actors != 7 || got.Overrun != got.Ticks/6 || got.TickPeriod != 1.0/60 {
				t.Errorf("got %+v", got)
			}
		})
		if code := serve.Run(t.Context(), opt); code != serve.ExitOK {
			t.Errorf("exit %d", code)
		}
		if ok, _ := board.Ready(); ok || board.State() != metrics.Stopping {
			t.Error("a host that has stopped says that it is ready")
		}
	})
}
