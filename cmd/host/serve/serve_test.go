package serve_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"os"
	"path/filepath"
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
	"github.com/tidelock/tidelock/cmd/host/watch"
	"github.com/tidelock/tidelock/cmd/host/watchdog"
	"github.com/tidelock/tidelock/engine"
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

func TestSignals(t *testing.T) {
	for _, sig := range []os.Signal{os.Interrupt, syscall.SIGTERM} {
		synctest.Test(t, func(t *testing.T) {
			f := &fake{}
			opt := options(t, f, io.Discard, io.Discard)
			ch := make(chan os.Signal, 1)
			opt.Signals = ch
			time.AfterFunc(time.Second, func() { ch <- sig })
			if code := serve.Run(t.Context(), opt); code != serve.ExitOK || f.closed != 1 {
				t.Errorf("%v: exit %d, closed %d times", sig, code, f.closed)
			}
		})
	}
}

// TestOver: what the game delivers ends the run, in the end with an error's exit code.
func TestOver(t *testing.T) {
	for _, want := range []error{nil, errors.New("not everything was stored")} {
		synctest.Test(t, func(t *testing.T) {
			f := &fake{}
			var log buffer
			opt := options(t, f, io.Discard, &log)
			over := make(chan error, 1)
			opt.Over = over
			time.AfterFunc(time.Second, func() { over <- want })
			code := serve.Run(t.Context(), opt)
			if f.closed != 1 || f.steps > 61 || !strings.Contains(log.String(), "why=drained") {
				t.Errorf("closed %d times after %d ticks:\n%s", f.closed, f.steps, log.String())
			}
			if want == nil && code != serve.ExitOK || want != nil && (code != serve.ExitError || !strings.Contains(log.String(), want.Error())) {
				t.Errorf("%v: exit %d:\n%s", want, code, log.String())
			}
		})
	}
}

func TestSecondSignalLeavesAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		free := make(chan struct{})
		f := &fake{onClose: func() { <-free }} // a save that hangs
		opt := options(t, f, io.Discard, io.Discard)
		ch := make(chan os.Signal, 2)
		opt.Signals = ch
		time.AfterFunc(time.Second, func() { ch <- os.Interrupt })
		time.AfterFunc(2*time.Second, func() { ch <- os.Interrupt })
		t0 := time.Now()
		if code := serve.Run(t.Context(), opt); code != 130 {
			t.Errorf("exit %d", code)
		}
		if d := time.Since(t0); d != 2*time.Second {
			t.Errorf("left after %v", d)
		}
		close(free)
	})
}

func TestStopWithin(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		free := make(chan struct{})
		f := &fake{onClose: func() { <-free }}
		var log buffer
		opt := options(t, f, io.Discard, &log)
		opt.RunFor, opt.StopWithin = time.Second, 3*time.Second
		t0 := time.Now()
		if code := serve.Run(t.Context(), opt); code != serve.ExitError || time.Since(t0) != 4*time.Second {
			t.Errorf("exit %d after %v", code, time.Since(t0))
		}
		if !strings.Contains(log.String(), "did not stop in time") {
			t.Errorf("log: %s", log.String())
		}
		close(free)
	})
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

// With real files: a saved script reaches the game between two ticks, and a refused one is told with its place.
func TestSavedScriptIsReloaded(t *testing.T) {
	root := t.TempDir()
	dir := filepath.Join(root, "scripts")
	save := func(text string) {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "Rocket.lua"), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	save("one")
	f := &fake{reloads: make(chan []assets.Script, 10)}
	var log buffer
	a, err := assets.Open(assets.Options{Root: root})
	if err != nil {
		t.Fatal(err)
	}
	w, err := watch.New(watch.Options{Dirs: a.Folders(), Match: assets.IsScript, Debounce: 10 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	f.answer = serve.Reloaded{Failed: true, Diagnostics: []engine.Diagnostic{{
		Pos: engine.Pos{File: "scripts/Rocket.lua", Line: 3, Column: 5}, Severity: engine.SevError, Rule: "syntax", Text: "no",
	}}}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan int)
	opt := options(t, f, io.Discard, &log)
	opt.Assets, opt.Watcher = a, w
	go func() { done <- serve.Run(ctx, opt) }() // ends by cancel, awaited below
	save("two")
	select {
	case list := <-f.reloads:
		found := false
		for _, s := range list {
			found = found || strings.HasSuffix(s.Path, "scripts/Rocket.lua") && s.Text == "two"
		}
		if !found {
			t.Errorf("the new text did not come")
		}
	case <-time.After(time.Minute):
		t.Error("no reload came")
	}
	cancel()
	if code := <-done; code != serve.ExitOK {
		t.Errorf("exit %d", code)
	}
	for _, want := range []string{"scripts/Rocket.lua:3:5: error: no [syntax]", "not reloaded"} {
		if !strings.Contains(log.String(), want) {
			t.Errorf("log lacks %q: %s", want, log.String())
		}
	}
}

func TestWorldThatCannotKeepUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log buffer
		opt := options(t, &fake{}, io.Discard, &log)
		opt.Game = slow{&fake{}}
		opt.RunFor = 35 * time.Second
		serve.Run(t.Context(), opt)
		if n := strings.Count(log.String(), "cannot keep up"); n < 2 || n > 4 {
			t.Errorf("said %d times in 35 s: %s", n, log.String())
		}
	})
}

// A paused world misses nothing, however slow its loop is: neither the log nor the final figures count its ticks.
func TestPausedWorldIsNeverLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log buffer
		world := &fake{}
		world.paused.Store(true)
		opt := options(t, world, io.Discard, &log)
		opt.Game = slow{world}
		opt.RunFor = 35 * time.Second
		serve.Run(t.Context(), opt)
		if strings.Contains(log.String(), "cannot keep up") || !strings.Contains(log.String(), "late=0") {
			t.Errorf("the pause counts: %s", log.String())
		}
	})
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
