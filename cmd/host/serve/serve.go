// Package serve runs a world until it is stopped: ticks, script changes, signals, shutdown.
//
// It owns the life of `host serve`: what runs on which goroutine, in which order things start and stop, and the
// operator's messages. It knows a world only as a [Game].
//
// Goroutines: the loop runs ticks and owns the game; another one passes changed files from the watcher to the
// loop; the watchdog checks that ticks end. Run starts, stops and awaits all of them, within
// Times.StopWithin: a world that hangs is abandoned.
//
// It deliberately does not: open sockets, read flags, or exit the process.
//
// Guarantees: The host stops within --stop-within after a signal, and at once after a second one.
package serve

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/tidelock/tidelock/cmd/host/assets"
	"github.com/tidelock/tidelock/cmd/host/command"
	"github.com/tidelock/tidelock/cmd/host/loop"
	"github.com/tidelock/tidelock/cmd/host/metrics"
	"github.com/tidelock/tidelock/cmd/host/notify"
	"github.com/tidelock/tidelock/cmd/host/versions"
	"github.com/tidelock/tidelock/cmd/host/watch"
	"github.com/tidelock/tidelock/cmd/host/watchdog"
	"github.com/tidelock/tidelock/engine"
)

// Exit codes of the host.
const (
	ExitOK    = 0
	ExitError = 1
	ExitUsage = 2
	// ExitHung: the world hung and the watchdog ended the process. A service manager starts another.
	ExitHung = 70
	// ExitSignal plus the signal's number: a second signal, which exits at once.
	ExitSignal = 128
)

const (
	// droppedEvery is the least time between two log lines about dropped ticks; they are counted in between.
	droppedEvery = 10 * time.Second
	// maxShown is how many diagnostics of one reload are logged; the rest is counted.
	maxShown = 20
)

// Options of Run. Game, Assets, Log and Out are needed.
type Options struct {
	Game    Game
	Assets  *assets.Assets
	Rate    int
	CatchUp int
	// Watcher delivers changed files; nil watches nothing. Run closes it.
	Watcher *watch.Watcher
	// Signals delivers interrupts (end), a second one (exit at once) and SIGHUP (reload).
	Signals <-chan os.Signal
	// Over ends the run with what it delivers: nil, or an error for the log and the exit code. A nil channel never does.
	Over <-chan error
	// Asks delivers signals that request the accounts (SIGUSR2); nil for none.
	Asks <-chan os.Signal
	// HungUp is called at SIGHUP and reports whether the terminal is gone, which ends the run, because nobody
	// could press Ctrl-C any more. Nil means no.
	HungUp func() bool
	// Doing returns the running script function, and its native, on any goroutine; it may be nil.
	Doing func() (function, native string)
	// Hung ends the process when a tick does not end (package watchdog): it must not return. Nil means no
	// watchdog.
	Hung func(watchdog.Hang)
	// RunFor is the duration after which the run ends; 0 means no limit. It, StopWithin and CatchUp can change later ([Turn.Retime]).
	RunFor time.Duration
	// StopWithin bounds the time for the shutdown.
	StopWithin time.Duration
	// Reconfigure reads the configuration again (SIGHUP). It returns lines to log and a function to call after
	// they are logged, because the change may affect the log itself. It may be nil.
	Reconfigure func() (lines []string, apply func(), err error)
	Log         *slog.Logger
	// Board receives the figures for monitoring, once a second; nil for none.
	Board *metrics.Board
	// Service is told how the host is; nil for none. It needs the Board.
	Service *notify.Service
	// Players is the address for players in the ready line: "UDP :7777"; "" if they cannot connect.
	Players string
	// Out receives the ready line, and the answers to commands.
	Out io.Writer
	// In delivers commands, one per line (docs/console.md); nil for none. Its end does not end the host.
	In io.Reader
	// Commands are what can be typed; Run adds its own. Nil means only those.
	Commands *command.Registry
	// Turn lets the commands of others reach the world; nil if there are none.
	Turn *Turn
	// Scripts are those that the game runs at the start.
	Scripts []assets.Script
}

// server is one call of Run.
type server struct {
	Options
	loop *loop.Loop

	hup  chan struct{} // to the carrier: reload everything
	ask  chan struct{} // to the carrier: print the accounts
	quit chan struct{} // closed when a command requests the end
	once sync.Once     // closes quit

	times   atomic.Pointer[Times]
	retimed chan struct{} // to Run: times has changed

	configuring sync.Mutex // held while the configuration is read

	// changing is held while another set of scripts is made to run; it guards versions.
	changing sync.Mutex
	versions *versions.Versions

	// These belong to the loop's goroutine, and to end after the loop.
	overruns  overruns
	dropped   int // since the last log line
	skipped   int // dropped, in all
	late      int // ticks that began a tick or more after they were due
	droppedAt time.Time
	ticks     int
	reloads   int
	failed    atomic.Uint64 // reloads that left the old files in use; counted on any goroutine
	health    health
	published published
}

// Run runs until a signal, the end of RunFor or of ctx, and returns the exit code.
func Run(ctx context.Context, opt Options) int {
	s := &server{Options: opt, hup: make(chan struct{}, 1), ask: make(chan struct{}, 1), quit: make(chan struct{}), retimed: make(chan struct{}, 1)}
	s.times.Store(&Times{CatchUp: opt.CatchUp, RunFor: opt.RunFor, StopWithin: opt.StopWithin})
	begin, end, stopWatch := s.watched()
	defer stopWatch()
	var err error
	s.loop, err = loop.New(loop.Options{
		Begin: begin, End: end,
		Rate: opt.Rate, CatchUp: opt.CatchUp, Dropped: s.onDropped, Late: s.onLate,
		Step: s.step,
	})
	if err != nil {
		s.Log.Error(err.Error())
		return ExitUsage
	}
	if s.Turn == nil {
		s.Turn = &Turn{}
	}
	s.versions = versions.New(s.Scripts)
	s.Turn.loop.Store(s.loop)
	s.Turn.server.Store(s)
	if s.Commands == nil {
		s.Commands = &command.Registry{}
	}
	started := time.Now()
	s.health.begin()
	run, stop := context.WithCancel(ctx)
	defer stop()
	status := s.Game.Status()
	if err := s.Commands.Add(append(s.commands(run), s.tuning(run)...)...); err != nil {
		s.Log.Error(err.Error())
		return ExitError
	}
	if s.Board != nil {
		s.Board.Publish(started, func(f *metrics.Figures) { s.fill(f, 1/float64(opt.Rate)) })
	}

	ended := make(chan struct{})
	go func() { // the loop: ends by stop, awaited by end
		defer close(ended)
		runtime.LockOSThread() // the thread's processor time is that of ticks (cputime.NewThread); it ends with the goroutine
		err := s.loop.Run(run)
		s.Game.Close()
		if err != nil {
			s.Log.Error(err.Error())
		}
	}()
	carried := make(chan struct{})
	go func() { // the carrier: ends by stop, awaited by end
		defer close(carried)
		s.carry(run)
	}()
	s.setState(metrics.Running)
	s.Service.Ready()
	attended := s.attend(run)
	fmt.Fprintln(s.Out, ready(status, s))
	if s.In != nil {
		go s.obey(run) // ends with its input or with the process: a read from a terminal cannot be ended
	}

	limit := deadline{started: time.Now()}
	limit.set(s.times.Load().RunFor)
	defer limit.set(0)
	why := ""
	var failed error
	for why == "" {
		select {
		case <-ctx.Done():
			why = "cancelled"
		case <-limit.over():
			why = limit.String()
		case <-s.retimed:
			limit.set(s.times.Load().RunFor)
		case <-ended:
			why = "the loop ended"
		case <-s.quit:
			why = "a command"
		case failed = <-s.Over:
			why = "drained"
		case <-s.Asks:
			select {
			case s.ask <- struct{}{}:
			default: // a request is pending already
			}
		case sig := <-s.Signals:
			switch {
			case sig != syscall.SIGHUP:
				why = sig.String()
			case s.HungUp != nil && s.HungUp():
				why = "its terminal is gone"
			default:
				s.hangUp()
			}
		}
	}
	s.setState(metrics.Stopping)
	s.Service.Stopping()
	s.Log.Info("stopping", "why", why, "event", "stopping")
	stop()
	<-attended
	code := s.end(started, ended, carried)
	if failed != nil {
		s.Log.Error(failed.Error())
		return max(code, ExitError)
	}
	return code
}

// watched starts the watchdog, if there is one, and returns the functions around every tick and the one that
// ends the watch.
func (s *server) watched() (begin, over, stop func()) {
	if s.Hung == nil {
		return nil, nil, func() {}
	}
	dog := watchdog.Start(watchdog.Options{Doing: s.Doing, Watched: watchedFunction, Say: s.hangs, End: s.Hung})
	return dog.Begin, dog.End, dog.Stop
}

// watchedFunction is only on the stack of the loop's goroutine.
const watchedFunction = "loop.(*Loop).Run"

// hangs reports a hang; it runs on the watchdog's goroutine.
func (s *server) hangs(h watchdog.Hang) {
	if h.Over {
		s.Log.Warn(h.String(), "seconds", h.For.Seconds())
		return
	}
	s.Log.Error(h.String(), "seconds", h.For.Seconds(), "function", h.Function, "native", h.Native, "stacks", h.Stacks)
}

// end waits for the goroutines, but not forever, and not after a second signal.
func (s *server) end(started time.Time, ended, carried <-chan struct{}) int {
	within := s.times.Load().StopWithin
	limit := time.NewTimer(within)
	defer limit.Stop()
	closed := make(chan struct{})
	go func() { // ends with the watcher, awaited below with the carrier
		defer close(closed)
		if s.Watcher != nil {
			s.Watcher.Close()
		}
	}()
	for _, wait := range []<-chan struct{}{ended, closed, carried} {
		for waiting := true; waiting; {
			select {
			case <-wait:
				waiting = false
			case <-limit.C:
				s.Log.Error("the world did not stop in time and was abandoned", "seconds", within.Seconds())
				return ExitError
			case sig := <-s.Signals:
				if n, ok := sig.(syscall.Signal); ok && n != syscall.SIGHUP {
					s.Log.Warn("second signal: leaving at once", "signal", sig.String())
					return ExitSignal + int(n)
				}
			}
		}
	}
	s.Log.Info("stopped", "ticks", s.ticks, "late", s.late, "seconds", time.Since(started).Round(time.Millisecond).Seconds(), "reloads", s.reloads, "event", "stopped")
	return ExitOK
}

// ready returns the line that panels and scripts wait for. It begins with "ready: " in every version.
func ready(st Status, s *server) string {
	level := st.Level
	if level == "" {
		level = "no level"
	}
	watching := "not watching"
	if s.Watcher != nil {
		watching = "watching " + strings.Join(append(s.Assets.Folders(), s.Assets.ContentFolders()...), ", ")
	}
	players := ""
	if s.Players != "" {
		players = ", players on " + s.Players
	}
	return fmt.Sprintf("ready: %s, %s, %d classes, %s, %d ticks/s%s, %s", level, st.NetMode, st.Classes, engine.Counted(st.Actors, "actor"), s.Rate, players, watching)
}

// carry passes changed files to the loop.
func (s *server) carry(ctx context.Context) {
	var sets <-chan watch.Set
	if s.Watcher != nil {
		sets = s.Watcher.C()
	}
	for {
		select {
		case <-ctx.Done():
			return
		case set, ok := <-sets:
			if !ok {
				sets = nil
				continue
			}
			s.take(ctx, set)
		case <-s.ask:
			s.printAccounts(ctx)
		case <-s.hup:
			s.reload(ctx, change{what: []string{"(SIGHUP)"}, scripts: true, media: true})
			s.Service.Ready()
		}
	}
}

// notReloaded is the message for a set of files with an error.
const notReloaded = "not reloaded: the old code stays until the files are fixed"

// tell logs the result of a reload. It runs on the loop's goroutine.
func (s *server) tell(files []string, r Reloaded) {
	what := strings.Join(files, " ")
	shown := 0
	for _, d := range r.Diagnostics {
		if shown == maxShown {
			s.Log.Warn("more of the same", "count", len(r.Diagnostics)-shown)
			break
		}
		shown++
		level := slog.LevelWarn
		if d.Severity == engine.SevError {
			level = slog.LevelError
		}
		s.Log.Log(context.Background(), level, d.String())
	}
	if r.Failed {
		s.failed.Add(1)
		s.Log.Error(notReloaded, "files", what)
		return
	}
	for _, n := range r.Notes {
		s.Log.Warn(n)
	}
	s.reloads++
	s.Log.Info("reloaded", "files", what, "changes", r.Changes, "actors", r.Actors, "seconds", float64(r.Took.Microseconds())/1e6, "event", "reload")
}

// hangUp handles SIGHUP: it reloads configuration and scripts.
func (s *server) hangUp() {
	s.Service.Reloading()
	if err := s.reconfigure(func(line string) { s.Log.Info(line) }); err != nil {
		s.Log.Error("configuration not reloaded: the old one stays", "error", err.Error())
	}
	select {
	case s.hup <- struct{}{}:
	default: // one is pending already and will read the same files
	}
}

// reconfigure reads the configuration again, and tells what changes before it does, because that may be the log. Two at once wait for each
// other.
func (s *server) reconfigure(tell func(line string)) error {
	if s.Reconfigure == nil {
		return nil
	}
	s.configuring.Lock()
	defer s.configuring.Unlock()
	lines, apply, err := s.Reconfigure()
	if err != nil {
		return err
	}
	for _, l := range lines {
		tell(l)
	}
	apply()
	return nil
}

// paused reports whether the world stands still: then no tick of the loop is late or missing.
func (s *server) paused() bool {
	scale, pending := s.Game.Pace()
	return scale == 0 && pending == 0
}

// onLate runs on the loop's goroutine.
func (s *server) onLate(ticks int) {
	if !s.paused() {
		s.late += ticks
	}
}

// onDropped runs on the loop's goroutine.
func (s *server) onDropped(ticks int) {
	s.Game.StandStill(float64(ticks) / float64(s.Rate))
	if s.paused() {
		return
	}
	s.dropped += ticks
	s.skipped += ticks
	s.health.dropped += ticks
	if now := time.Now(); now.Sub(s.droppedAt) >= droppedEvery {
		s.Log.Warn("the world cannot keep up: ticks dropped", "ticks", s.dropped,
			"do", "look for slow scripts, or lower --tick", "event", "overload")
		s.dropped, s.droppedAt = 0, now
	}
}
