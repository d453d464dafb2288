// Package watchdog detects a world that hangs, logs where, and ends the process so that a service manager restarts it
// (G7).
//
// Budgets end scripts, and every native ends; the watchdog is for unforeseen cases. The watched goroutine marks
// the beginning and the end of a piece of work, which costs an atomic addition. The watchdog's own goroutine
// checks that at every tick of its clock.
//
// It counts its own ticks instead of wall time: while the process is suspended, or gets no processor, the
// watchdog gets none either, so a stalled machine is not mistaken for a hung world.
//
// It deliberately does not: exit on its own (the caller's End does), or check that work is fast. The loop
// reports a slow tick.
//
//	dog := watchdog.Start(watchdog.Options{Doing: vm.Doing, Say: say, End: end})
//	defer dog.Stop()
//	dog.Begin(); world.Step(dt); dog.End()
//
// Guarantees: Counts its own ticks, not wall time, so a suspended machine is not a hang.
package watchdog

import (
	"bytes"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

const (
	// Every is the time between two checks.
	Every = 100 * time.Millisecond
	// WarnAfter is the duration of one piece of work after which it is reported, and EndAfter the one after
	// which the process ends.
	WarnAfter = 2 * time.Second
	EndAfter  = 30 * time.Second
	// maxStacks bounds the reported stacks, in bytes; they begin with the one that hangs.
	maxStacks = 16 << 10
	// maxRead bounds the stacks that are read to find it.
	maxRead = 1 << 20
)

// Options of a watchdog. Say and End are needed.
type Options struct {
	// Doing returns the running script function and its native, "" each for none. It is called on the
	// watchdog's goroutine while the watched one hangs. It may be nil.
	Doing func() (function, native string)
	// Watched is a function that is only on the watched goroutine's stack: that stack is reported first.
	Watched string
	// Say is called for a hang once, and again when it is over.
	Say func(Hang)
	// End ends the process. It is called once; the watchdog stops before.
	End func(Hang)
	// Ticks is the clock: it returns a channel of ticks, and a function that stops it. Nil uses a ticker of
	// package time.
	Ticks func(every time.Duration) (<-chan time.Time, func())
	// Stacks reads the stacks of all goroutines, at most so many bytes; nil uses the runtime.
	Stacks func(most int) []byte
}

// Hang is a piece of work that does not end.
type Hang struct {
	// For is how long it has lasted while the watchdog ran.
	For time.Duration
	// Function and Native are the running script function and native, "" for none.
	Function, Native string
	// Stacks are Go's stacks without addresses, bounded, the watched goroutine's first.
	Stacks string
	// Over says that it ended after it had been reported.
	Over bool
}

// String describes it in one line.
func (h Hang) String() string {
	seconds := h.For.Round(Every).Seconds()
	where := "outside of scripts"
	switch {
	case h.Function != "" && h.Native != "":
		where = "in " + h.Function + ", in the native " + h.Native
	case h.Function != "":
		where = "in " + h.Function
	case h.Native != "":
		where = "in the native " + h.Native
	}
	if h.Over {
		return fmt.Sprintf("the world goes on after %g s", seconds)
	}
	return fmt.Sprintf("the world hangs: one tick has taken %g s so far, %s", seconds, where)
}

// Dog watches one goroutine.
type Dog struct {
	opt Options
	// work counts beginnings and ends: it is odd while work is in progress.
	work atomic.Uint64
	stop chan struct{}
	once sync.Once
	done chan struct{}
}

// Start starts a watchdog. Its goroutine ends by Stop, or before it calls End.
func Start(o Options) *Dog {
	if o.Ticks == nil {
		o.Ticks = func(every time.Duration) (<-chan time.Time, func()) {
			t := time.NewTicker(every)
			return t.C, t.Stop
		}
	}
	if o.Stacks == nil {
		o.Stacks = func(most int) []byte {
			buf := make([]byte, most)
			return buf[:runtime.Stack(buf, true)]
		}
	}
	if o.Doing == nil {
		o.Doing = func() (string, string) { return "", "" }
	}
	d := &Dog{opt: o, stop: make(chan struct{}), done: make(chan struct{})}
	go d.watch() // ends by Stop, or when it ends the process; awaited by Stop
	return d
}

// Begin and End bracket a piece of work. One goroutine calls them alternately.
func (d *Dog) Begin() { d.work.Add(1) }

// End ends what Begin began.
func (d *Dog) End() { d.work.Add(1) }

// Stop ends the watch and waits for its goroutine. It may be called more than once, but not by Say or End.
func (d *Dog) Stop() {
	d.once.Do(func() { close(d.stop) })
	<-d.done
}

func (d *Dog) watch() {
	defer close(d.done)
	ticks, stop := d.opt.Ticks(Every)
	defer stop()
	var seen uint64
	var stuck time.Duration
	told := false
	for {
		select {
		case <-d.stop:
			return
		case <-ticks:
		}
		now := d.work.Load()
		if now != seen || now%2 == 0 {
			if told {
				d.opt.Say(Hang{For: stuck, Over: true})
			}
			seen, stuck, told = now, 0, false
			continue
		}
		stuck += Every
		switch {
		case stuck >= EndAfter:
			h := d.hang(stuck)
			d.opt.End(h)
			return
		case stuck >= WarnAfter && !told:
			told = true
			d.opt.Say(d.hang(stuck))
		}
	}
}

func (d *Dog) hang(stuck time.Duration) Hang {
	h := Hang{For: stuck}
	h.Function, h.Native = d.opt.Doing()
	h.Stacks = shown(d.opt.Stacks(maxRead), d.opt.Watched)
	return h
}

// withoutAddresses replaces numbers that differ from run to run, of memory and of instructions: 0xc000012345?, +0x1f.
func withoutAddresses(dump []byte) []byte {
	var out []byte
	for {
		before, after, found := bytes.Cut(dump, []byte("0x"))
		if !found {
			return append(out, dump...)
		}
		dump = bytes.TrimPrefix(bytes.TrimLeft(after, "0123456789abcdef"), []byte("?"))
		out = append(append(out, bytes.TrimSuffix(before, []byte("+"))...), "…"...)
	}
}

// shown returns a dump of stacks with the watched goroutine's first, without addresses, cut to a bound.
func shown(dump []byte, watched string) string {
	stacks := bytes.Split(bytes.TrimSpace(dump), []byte("\n\n"))
	if watched != "" {
		for i, s := range stacks {
			if bytes.Contains(s, []byte(watched)) {
				copy(stacks[1:i+1], stacks[:i])
				stacks[0] = s
				break
			}
		}
	}
	out := withoutAddresses(bytes.Join(stacks, []byte("\n\n")))
	if len(out) > maxStacks {
		out = append(bytes.ToValidUTF8(out[:maxStacks:maxStacks], nil), "\n… more goroutines"...)
	}
	return string(out)
}
