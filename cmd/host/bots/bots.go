// Package bots runs many players in one process, each a real client with a socket, a world and scripts of its own. A
// brain of the match's scripts (scripts/core/Brain.lua) controls each, or it walks around at random. It loads a host as
// real players do.
//
// A few players share a goroutine and its pace and belong to it; other goroutines access them through its loop.
//
// Guarantees: Its figures are those of real players.
package bots

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tidelock/tidelock/cmd/host/cache"
	"github.com/tidelock/tidelock/cmd/host/join"
	"github.com/tidelock/tidelock/cmd/host/loop"
	"github.com/tidelock/tidelock/cmd/host/watchdog"
	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/engine/navigation"
	"github.com/tidelock/tidelock/netcode/client"
	"github.com/tidelock/tidelock/netcode/client/comeback"
	"github.com/tidelock/tidelock/netcode/kcplink"
	"github.com/tidelock/tidelock/netcode/link"
)

const (
	// together is how many players share a goroutine.
	together = 8
	// between is the time between the connections of two players: below the handshakes a second that a host
	// accepts from one address by default.
	between = 25 * time.Millisecond
	// maxLate is the share of dropped ticks that is not reported.
	maxLate = 0.01
	// maxFaults is how many different faults are reported; the rest is counted.
	maxFaults = 20
)

// Options of Run.
type Options struct {
	// Options are those of every player; Name is followed by a number. Without Brain they walk around at
	// random.
	join.Options
	// N is how many, Every how often a table is printed, 0 for only at the end. Each lists every bot in all
	// tables.
	N     int
	Every time.Duration
	Each  bool
	// Profiles gives each a key of its own, made from its seed, so that hosts keep a profile of it: anybody can make the same key. Without,
	// they are guests.
	Profiles bool
	// RunFor leaves so long after the last of them joined or was refused; 0 stays.
	RunFor  time.Duration
	Signals <-chan os.Signal
	Out     io.Writer
	// Hung ends the process when a tick does not end (package watchdog): it must not return. Nil means no
	// watchdog.
	Hung func(watchdog.Hang)
}

// bot is one player. It belongs to its worker's loop.
type bot struct {
	name   string
	at     time.Duration // when it begins
	seed   uint64
	mind   *mind // of a bot without a brain
	brain  bool
	player *join.Player
	err    error // of New
	was    client.State
	recent account // since the last table
	all    account
	ended  *join.Ended
}

// worker ticks some bots.
type worker struct {
	run   *run
	bots  []*bot
	loop  *loop.Loop
	start time.Time
	ticks int
	// stepped is the player whose tick is running.
	stepped atomic.Pointer[join.Player]
}

// run is one call of Run.
type run struct {
	Options
	workers []*worker

	mu      sync.Mutex
	faults  map[string]bool
	more    int // faults that were not reported
	dropped int // ticks
}

// Run connects N players and lets them play until a signal, the end of RunFor, or the end of all connections.
// If one could not join or stay, the error is a *join.Ended.
func Run(ctx context.Context, o Options) error {
	r := &run{Options: o, faults: map[string]bool{}}
	r.Navigation = &navigation.Cache{}
	r.Cache = &cache.Memory{Below: o.Cache} // they fetch a file once
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	start := time.Now()
	for i := range o.N {
		if i%together == 0 {
			w := &worker{run: r, start: start}
			begin, over, stopWatch := join.Watched(w.doing, func(h watchdog.Hang) { r.fault(o.Name, h.String()) }, o.Hung)
			defer stopWatch() // of at most as many workers as there are players
			var err error
			if w.loop, err = loop.New(loop.Options{Rate: join.Rate, Step: w.step, Dropped: r.drop, Begin: begin, End: over}); err != nil {
				return err
			}
			r.workers = append(r.workers, w)
		}
		w := r.workers[len(r.workers)-1]
		seed := o.Seed + uint64(i)
		w.bots = append(w.bots, &bot{name: fmt.Sprintf("%s%d", o.Name, i+1), at: time.Duration(i) * between, seed: seed, mind: newMind(seed)})
	}
	var wait sync.WaitGroup
	errs := make(chan error, len(r.workers))
	for _, w := range r.workers {
		wait.Add(1)
		go func() { // a worker: ends with ctx, awaited below
			defer wait.Done()
			errs <- errors.Join(w.loop.Run(ctx), w.leave())
		}()
	}
	ended := make(chan error, 1)
	go func() { // reports: ends with ctx or when nobody is left, awaited by Await
		r.tell(ctx, start)
		stop()
		wait.Wait()
		close(errs)
		var err error
		for e := range errs {
			err = errors.Join(err, e)
		}
		if err == nil {
			err = r.end(start)
		}
		ended <- err
	}()
	return join.Await(ctx, ended, stop, o.Signals, func() {})
}

func (r *run) drop(ticks int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.dropped += ticks
}

// fault reports a fault, each one once.
func (r *run) fault(name, text string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case r.faults[text]:
	case len(r.faults) < maxFaults:
		r.faults[text] = true
		r.line("! " + name + ": " + text)
	default:
		r.more++
	}
}

func (r *run) line(text string) { _, _ = fmt.Fprintln(r.Out, text) } // nobody reads it any more: the bots play on

// step runs a tick of a worker's bots.
func (w *worker) step(dt float64) {
	now := time.Since(w.start)
	w.ticks++
	for _, b := range w.bots {
		switch {
		case b.player == nil && b.err == nil && now >= b.at:
			b.begin(w.run)
		case b.player != nil && b.ended == nil:
			w.stepped.Store(b.player)
			b.step(w.ticks, now, dt)
		}
	}
}

// doing returns what the scripts of the player whose tick is running do; any goroutine may call it.
func (w *worker) doing() (function, native string) {
	if p := w.stepped.Load(); p != nil {
		return p.Doing()
	}
	return "", ""
}

func (b *bot) begin(r *run) {
	o := r.Options.Options
	o.Name, o.Seed = b.name, b.seed
	o.ComeBack = &comeback.Options{Seed: b.seed}
	b.brain = o.Brain
	if r.Profiles {
		if o.Key, b.err = keyOf(b.seed); b.err != nil {
			r.fault(b.name, b.err.Error())
			return
		}
	}
	o.Say = func(l join.Line) {
		if l.Fault {
			r.fault(b.name, l.Text)
		}
	}
	b.player, b.err = join.New(o)
	if b.err != nil {
		r.fault(b.name, b.err.Error())
	}
}

// keyOf returns the key of a bot that is no guest.
func keyOf(seed uint64) (kcplink.Key, error) {
	return kcplink.KeyFromPrivate(sha256.Sum256(fmt.Appendf(nil, "a bot of tidelock, seed %d", seed)))
}

// in reports whether the bot is in the match now.
func (b *bot) in() bool {
	if b.player == nil || !b.player.Joined() {
		return false
	}
	_, away := b.player.Away()
	return !away
}

func (b *bot) step(tick int, now time.Duration, dt float64) {
	p := b.player
	if w := p.World(); w != nil && !b.brain {
		if pc := w.LocalPlayer(); pc != nil {
			w.SetInput(pc, b.mind.think(tick, dt, p.Pawn()))
		}
	}
	p.Tick(now, dt)
	if next, _ := p.Moved(); next != nil {
		b.player, p = next, next
		b.was = client.Connecting
	}
	if b.ended = p.Outcome(); b.ended != nil {
		return
	}
	if tick%join.Rate != 0 {
		return
	}
	f := p.Sample()
	if p.Joined() && b.was == client.Playing { // in the match for the whole second: no download, no partial figures
		b.recent.add(f)
		b.all.add(f)
	}
	b.was = client.Connecting
	if p.Joined() {
		b.was = f.State
	}
}

// leave says goodbye for all bots of a worker, after its loop.
func (w *worker) leave() error {
	var err error
	for _, b := range w.bots {
		if b.player != nil {
			err = errors.Join(err, b.player.Close(link.Reason{Code: "quit", Text: "the player left"}))
		}
	}
	return err
}

// look calls f for every bot on the goroutine that owns it, one after the other; it returns false when ctx is
// done.
func (r *run) look(ctx context.Context, f func(*bot)) bool {
	for _, w := range r.workers {
		done := make(chan struct{})
		err := w.loop.Do(ctx, func() {
			defer close(done)
			for _, b := range w.bots {
				f(b)
			}
		})
		if err != nil {
			return false
		}
		<-done // the loop always runs an accepted function
	}
	return true
}

// tell prints tables until ctx is done, nobody is left, or the time in the match is over.
func (r *run) tell(ctx context.Context, start time.Time) {
	look := time.NewTicker(time.Second)
	defer look.Stop()
	next := start.Add(r.Every)
	told := false
	var leave <-chan time.Time // set once nobody is connecting any more
	for {
		select {
		case <-ctx.Done():
			return
		case <-leave:
			return
		case <-look.C:
		}
		in, over := 0, 0
		if !r.look(ctx, func(b *bot) {
			switch {
			case b.ended != nil || b.err != nil:
				over++
			case b.in():
				in++
			}
		}) {
			return
		}
		if over == r.N {
			return
		}
		if r.RunFor > 0 && leave == nil && in+over == r.N {
			leave = time.After(r.RunFor)
		}
		if in == r.N && !told {
			told = true
			r.line(fmt.Sprintf("all in: %d bots in %s after %.1f s", in, r.Shown, time.Since(start).Seconds()))
		}
		if r.Every <= 0 || time.Now().Before(next) {
			continue
		}
		next = next.Add(r.Every)
		rows, ok := r.rows(ctx)
		if !ok {
			return
		}
		r.line(fmt.Sprintf("%.0f s: %d of %d bots in", time.Since(start).Seconds(), in, r.N))
		for _, l := range table(rows, r.Each) {
			r.line(l)
		}
	}
}

// late returns the share of ticks that were dropped. The workers have ended.
func (r *run) late() float64 {
	ticks := r.dropped
	for _, w := range r.workers {
		ticks += w.ticks
	}
	return float64(r.dropped) / float64(max(1, ticks))
}

// rows returns the bots' figures since the last table.
func (r *run) rows(ctx context.Context) ([]row, bool) {
	var rows []row
	ok := r.look(ctx, func(b *bot) {
		rows = append(rows, b.row(&b.recent))
		b.recent = account{}
	})
	return rows, ok
}

func (b *bot) row(a *account) row {
	out := row{name: b.name, Figures: a.mean()}
	switch {
	case b.err != nil:
		out.note = b.err.Error()
	case b.ended != nil && !b.player.Joined():
		out.note = b.ended.Error()
	case a.n == 0:
		out.note = "-"
	}
	return out
}

// end prints the last table and reports bots that did not join or stay. The workers have ended.
func (r *run) end(start time.Time) error {
	var rows []row
	var first *join.Ended
	reasons := map[string]int{}
	stayed, failed := 0, 0
	var in, out float64
	for _, w := range r.workers {
		for _, b := range w.bots {
			x := b.row(&b.all)
			rows = append(rows, x)
			in, out = in+x.In, out+x.Out
			switch {
			case b.err != nil:
				failed++
				reasons[b.err.Error()]++
			case b.ended != nil:
				failed++
				reasons[b.ended.Error()]++
				if first == nil {
					first = b.ended
				}
			case b.in():
				stayed++
			}
		}
	}
	r.line(fmt.Sprintf("%.0f s in all: %d of %d bots in to the end, together in %s, out %s", time.Since(start).Seconds(), stayed, r.N, join.BytesRate(in), join.BytesRate(out)))
	for _, l := range table(rows, true) {
		r.line(l)
	}
	if late := r.late(); late > maxLate {
		r.line(fmt.Sprintf("! this machine could not keep up with so many: %s of their ticks were dropped, and the figures are its own, not the host's", join.Percent(late)))
	}
	if r.more > 0 {
		r.line("! " + engine.Counted(r.more, "more fault"))
	}
	var list []string
	for text, n := range reasons {
		list = append(list, fmt.Sprintf("%d× %s", n, text))
	}
	slices.Sort(list)
	switch {
	case failed == 0 && stayed == r.N:
		return nil
	case first != nil:
		return first.With(fmt.Sprintf("%d of %d bots did not stay: %s", failed, r.N, strings.Join(list, "; ")))
	case failed > 0:
		return fmt.Errorf("%d of %d bots could not begin: %s", failed, r.N, strings.Join(list, "; "))
	}
	return fmt.Errorf("%d of %d bots were still on their way in, or back", r.N-stayed, r.N)
}
