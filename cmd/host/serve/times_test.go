package serve_test

import (
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tidelock/tidelock/cmd/host/serve"
)

// TestRetime: new values of run-for, stop-within and catch-up hold for the run that goes on; run-for counts from its start.
func TestRetime(t *testing.T) {
	for _, c := range []struct {
		name  string
		times serve.Times // set after 2 s
		ends  time.Duration
		code  int
	}{
		{"later", serve.Times{RunFor: 10 * time.Second, StopWithin: time.Second}, 11 * time.Second, serve.ExitError},
		{"sooner, and more time to stop", serve.Times{RunFor: 3 * time.Second, StopWithin: 4 * time.Second}, 7 * time.Second, serve.ExitError},
		{"over already", serve.Times{RunFor: time.Second, StopWithin: time.Second}, 3 * time.Second, serve.ExitError},
		{"never", serve.Times{StopWithin: time.Second}, 21 * time.Second, serve.ExitError},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				free := make(chan struct{})
				f := &fake{onClose: func() { <-free }} // stops only by the limit
				opt := options(t, f, io.Discard, io.Discard)
				var turn serve.Turn
				opt.Turn, opt.RunFor, opt.StopWithin = &turn, 5*time.Second, 2*time.Second
				over := make(chan error, 1)
				opt.Over = over
				time.AfterFunc(2*time.Second, func() { turn.Retime(c.times) })
				time.AfterFunc(20*time.Second, func() { over <- nil })
				t0 := time.Now()
				if code := serve.Run(t.Context(), opt); code != c.code || time.Since(t0) != c.ends {
					t.Errorf("exit %d after %v, want %d after %v", code, time.Since(t0), c.code, c.ends)
				}
				close(free)
			})
		})
	}
}

// TestRetimedCatchUp: after a stall as many ticks are dropped as the present bound says.
func TestRetimedCatchUp(t *testing.T) {
	dropped := func(catchUp int) float64 {
		var stood float64
		synctest.Test(t, func(t *testing.T) {
			f := &fake{}
			var log strings.Builder
			opt := options(t, f, io.Discard, &log)
			var turn serve.Turn
			opt.Turn, opt.RunFor, opt.CatchUp = &turn, 4*time.Second, 15
			f.onStep = func(n int) {
				if n == 120 { // at 2 s
					time.Sleep(500 * time.Millisecond)
				}
			}
			time.AfterFunc(time.Second, func() { turn.Retime(serve.Times{CatchUp: catchUp, RunFor: opt.RunFor, StopWithin: opt.StopWithin}) })
			if code := serve.Run(t.Context(), opt); code != serve.ExitOK {
				t.Errorf("exit %d: %s", code, log.String())
			}
			stood = f.stood
		})
		return stood
	}
	few, many, usual := dropped(3), dropped(60), dropped(0)
	if many != 0 || few*60 < 26 || usual*60 > 16 || usual == 0 {
		t.Errorf("dropped %g s with at most 3 ticks at once, %g with 60, %g with the default", few, many, usual)
	}
}
