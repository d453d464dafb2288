package serve_test

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tidelock/tidelock/cmd/host/serve"
)

// TestTicksThatRunOver (G6): where more than a few ticks take longer than a tick, a line in ten seconds says how many and which
// functions took how much; one tick in thirty is not worth it.
func TestTicksThatRunOver(t *testing.T) {
	for _, c := range []struct{ slow, lines int }{{0, 0}, {30, 0}, {4, 2}} {
		synctest.Test(t, func(t *testing.T) {
			f := &fake{slow: c.slow}
			var out, log buffer
			opt := options(t, f, &out, &log)
			opt.RunFor = 25 * time.Second
			if code := serve.Run(t.Context(), opt); code != serve.ExitOK {
				t.Errorf("exit %d", code)
			}
			const line = `msg="ticks run over" event=overrun ticks=150 of=600 worst=0.02`
			if n := strings.Count(log.String(), "ticks run over"); n != c.lines || n > 0 && (!strings.Contains(log.String(), line) ||
				!strings.Contains(log.String(), `scripts=0.014 costliest="Brain:Tick 9.0 ms, Pawn:Tick 2.0 ms"`)) {
				t.Errorf("every %d. tick is slow: %d lines, want %d\n%s", c.slow, n, c.lines, log.String())
			}
		})
	}
}
