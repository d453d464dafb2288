package serve_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/tidelock/tidelock/cmd/host/assets"
	"github.com/tidelock/tidelock/cmd/host/match"
	"github.com/tidelock/tidelock/cmd/host/metrics"
	"github.com/tidelock/tidelock/cmd/host/serve"
	"github.com/tidelock/tidelock/cmd/host/versions"
	"github.com/tidelock/tidelock/cmd/host/watchdog"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// fake is a world that counts.
type fake struct {
	steps, closed int
	stood, late   float64
	onClose       func()
	reloads       chan []assets.Script
	answer        serve.Reloaded
	shown         chan serve.Media
	mediaError    error
	levels        map[string]error // what is wrong with them
	begun         int              // how often the level was begun again
	said          []string
	onStep        func(n int)
	slow          int // each of so many ticks takes 20 ms; 0 for none
	costs         match.Accounts
	measured      int // how often memory was to be counted
	paused        atomic.Bool
}

func (f *fake) Step(float64) {
	f.steps++
	if f.onStep != nil {
		f.onStep(f.steps)
	}
	if f.slow > 0 && f.steps%f.slow == 0 {
		time.Sleep(20 * time.Millisecond) // of virtual time
	}
}

func (f *fake) Pace() (scale float64, pending int) {
	if f.paused.Load() {
		return 0, 0
	}
	return 1, 0
}

func (f *fake) StandStill(seconds float64)         { f.stood += seconds }
func (f *fake) Check([]assets.Script, serve.Media) {}
func (f *fake) ReadMedia() (serve.Media, error) {
	return "media", f.mediaError
}

func (f *fake) CheckLevel(name string) func() ([]string, error) {
	return func() ([]string, error) { return nil, f.levels[name] }
}

func (f *fake) ReloadLevel() error {
	f.begun++
	return nil
}

func (f *fake) Variable(name string) (versions.Tuned, error) {
	class, variable, _ := strings.Cut(name, ".")
	return versions.Tuned{Class: class, Variable: variable, Path: "scripts/" + class + ".lua"}, nil
}
func (f *fake) BeginLate(late func() time.Duration) { f.late = max(f.late, late().Seconds()) }
func (f *fake) Variables() []string                 { return []string{"Rocket.Speed"} }
func (f *fake) Say(text string) error {
	f.said = append(f.said, text)
	return nil
}

func (f *fake) Costs() (float64, string) { return 14, "Brain:Tick 9.0 ms, Pawn:Tick 2.0 ms" }
func (f *fake) MeasureMemory()           { f.measured++ }
func (f *fake) MemoryKnown() bool        { return f.measured > 0 }
func (f *fake) Accounts() match.Accounts { return f.costs }

func (f *fake) Status() serve.Status {
	return serve.Status{Level: "arena", NetMode: "standalone", Classes: 20, Actors: 7}
}

func (f *fake) Reload(s []assets.Script, m serve.Media, _ bool) serve.Reloaded {
	if m != nil && f.shown != nil {
		f.shown <- m
	}
	if f.reloads != nil {
		f.reloads <- s
	}
	return f.answer
}

func (f *fake) Figures(x *metrics.Figures) { x.Actors = 7 }

func (f *fake) Close() {
	f.closed++
	if f.onClose != nil {
		f.onClose()
	}
}

// buffer may be written and read by several goroutines.
type buffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}

func options(t *testing.T, f *fake, out, log io.Writer) serve.Options {
	t.Helper()
	a, err := assets.Open(assets.Options{Root: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	return serve.Options{
		Game: f, Assets: a, Rate: 60, StopWithin: 5 * time.Second, Out: out,
		Log: slog.New(slog.NewTextHandler(log, nil)),
	}
}

func TestRunForEndsCleanly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fake{}
		var out, log buffer
		opt := options(t, f, &out, &log)
		opt.RunFor = 5*time.Second - time.Millisecond
		if code := serve.Run(t.Context(), opt); code != serve.ExitOK {
			t.Errorf("exit %d", code)
		}
		if f.steps != 300 || f.closed != 1 {
			t.Errorf("%d ticks, closed %d times", f.steps, f.closed)
		}
		if got, want := out.String(), "ready: arena, standalone, 20 classes, 7 actors, 60 ticks/s, not watching\n"; got != want {
			t.Errorf("got  %q\nwant %q", got, want)
		}
		if !strings.Contains(log.String(), "ticks=300") {
			t.Errorf("log: %s", log.String())
		}
	})
}

// TestEnds: signals, what the game delivers and a limit of time end the run, each with its exit code, and what hangs while it ends is abandoned.
func TestEnds(t *testing.T) {
	lost := errors.New("not everything was stored")
	for name, c := range map[string]struct {
		signals []os.Signal // one a second
		over    bool        // after a second
		err     error
		hangs   bool
		code    int
		after   time.Duration
		says    string
	}{
		"interrupt":     {signals: []os.Signal{os.Interrupt}, code: serve.ExitOK, after: time.Second},
		"term":          {signals: []os.Signal{syscall.SIGTERM}, code: serve.ExitOK, after: time.Second},
		"drained":       {over: true, code: serve.ExitOK, after: time.Second, says: "why=drained"},
		"lost":          {over: true, err: lost, code: serve.ExitError, after: time.Second, says: lost.Error()},
		"second signal": {signals: []os.Signal{os.Interrupt, os.Interrupt}, hangs: true, code: 130, after: 2 * time.Second},
		"hangs":         {signals: []os.Signal{os.Interrupt}, hangs: true, code: serve.ExitError, after: 4 * time.Second, says: "did not stop in time"},
	} {
		synctest.Test(t, func(t *testing.T) {
			free := make(chan struct{})
			f := &fake{}
			if f.onClose = func() {}; c.hangs {
				f.onClose = func() { <-free } // a save that hangs
			}
			var log buffer
			opt := options(t, f, io.Discard, &log)
			signals, over := make(chan os.Signal, 2), make(chan error, 1)
			opt.Signals, opt.Over, opt.StopWithin = signals, over, 3*time.Second
			for i, s := range c.signals {
				time.AfterFunc(time.Duration(i+1)*time.Second, func() { signals <- s })
			}
			if c.over {
				time.AfterFunc(time.Second, func() { over <- c.err })
			}
			t0 := time.Now()
			if code := serve.Run(t.Context(), opt); code != c.code || time.Since(t0) != c.after || f.closed != 1 || !strings.Contains(log.String(), c.says) {
				t.Errorf("%s: exit %d after %v, closed %d times:\n%s", name, code, time.Since(t0), f.closed, log.String())
			}
			close(free)
		})
	}
}

func TestHangUpReloads(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fake{reloads: make(chan []assets.Script, 10)}
		var log buffer
		opt := options(t, f, io.Discard, &log)
		ch := make(chan os.Signal, 1)
		opt.Signals = ch
		bad := false
		opt.Reconfigure = func() ([]string, func(), error) {
			if bad {
				return nil, nil, errors.New("host.toml:3: unknown key")
			}
			bad = true
			return []string{"log-level is now debug"}, func() {}, nil
		}
		opt.RunFor = 10 * time.Second
		time.AfterFunc(1*time.Second, func() { ch <- syscall.SIGHUP })
		time.AfterFunc(2*time.Second, func() { ch <- syscall.SIGHUP })
		if code := serve.Run(t.Context(), opt); code != serve.ExitOK {
			t.Errorf("exit %d", code)
		}
		if len(f.reloads) != 2 {
			t.Errorf("%d reloads", len(f.reloads))
		}
		for _, want := range []string{"log-level is now debug", "host.toml:3: unknown key", "msg=reloaded"} {
			if !strings.Contains(log.String(), want) {
				t.Errorf("log lacks %q: %s", want, log.String())
			}
		}
	})
}

// A SIGHUP because the terminal was closed ends the host: it would go on unseen.
func TestHangUpOfTheTerminalEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fake{reloads: make(chan []assets.Script, 10)}
		var log buffer
		opt := options(t, f, io.Discard, &log)
		ch := make(chan os.Signal, 1)
		opt.Signals, opt.RunFor = ch, 10*time.Second
		gone := false
		opt.HungUp = func() bool { return gone }
		time.AfterFunc(1*time.Second, func() { ch <- syscall.SIGHUP })
		time.AfterFunc(2*time.Second, func() { gone = true; ch <- syscall.SIGHUP })
		if code := serve.Run(t.Context(), opt); code != serve.ExitOK {
			t.Errorf("exit %d", code)
		}
		if !strings.Contains(log.String(), `why="its terminal is gone"`) || len(f.reloads) != 1 {
			t.Errorf("%d reloads: %s", len(f.reloads), log.String())
		}
	})
}

// A world that cannot keep up is reported every ten seconds or so. A paused one misses nothing, however slow its loop is: neither the log nor the
// final figures count its ticks.
func TestWorldThatCannotKeepUp(t *testing.T) {
	for _, paused := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			var log buffer
			world := &fake{}
			world.paused.Store(paused)
			opt := options(t, world, io.Discard, &log)
			opt.Game, opt.RunFor = slow{world}, 35*time.Second
			serve.Run(t.Context(), opt)
			if n := strings.Count(log.String(), "cannot keep up"); paused != (n == 0) || n > 4 || n == 1 || paused != strings.Contains(log.String(), "late=0") {
				t.Errorf("paused %v: said %d times in 35 s: %s", paused, n, log.String())
			}
		})
	}
}

type slow struct{ *fake }

func (s slow) Step(float64) { time.Sleep(100 * time.Millisecond) }

// hung is a world whose first tick does not end until it is let go.
type hung struct {
	*fake
	held chan struct{}
}

func (h *hung) Step(dt float64) {
	h.fake.Step(dt)
	<-h.held
}

// TestWatchdogEndsAWorldThatHangs: after 2 s the log says in which function and native, after 30 s the process is ended.
func TestWatchdogEndsAWorldThatHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		world := &hung{&fake{}, make(chan struct{})}
		ended := make(chan watchdog.Hang, 1)
		ctx, stop := context.WithCancel(t.Context())
		done := make(chan int)
		began := time.Now()
		go func() {
			done <- serve.Run(ctx, serve.Options{
				Game: world, Assets: &assets.Assets{}, Rate: 60, Log: slog.New(slog.NewTextHandler(&log, nil)), Out: io.Discard, StopWithin: time.Hour,
				Doing: func() (string, string) { return "Brain:Tick", "world.FindPath" },
				Hung:  func(h watchdog.Hang) { ended <- h },
			})
		}()
		h := <-ended
		if took := time.Since(began); took < watchdog.EndAfter || took > watchdog.EndAfter+time.Second {
			t.Errorf("ended after %v, want %v", took, watchdog.EndAfter)
		}
		if h.Function != "Brain:Tick" || h.Native != "world.FindPath" {
			t.Errorf("ended with %+v", h)
		}
		if want := "one tick has taken 2 s so far, in Brain:Tick, in the native world.FindPath"; !strings.Contains(log.String(), want) {
			t.Errorf("the log does not say %q:\n%s", want, log.String())
		}
		close(world.held)
		stop()
		<-done
	})
}
