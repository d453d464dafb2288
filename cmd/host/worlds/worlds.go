// Package worlds saves running matches and finds saved ones (C3).
//
// A [Keeper] belongs to one host. [Keeper.Step] runs between two ticks: it copies the match where something requests that, which
// takes less than a millisecond; another goroutine makes a file of the copy, and a later Step gives that to the [Store]. One file
// is made at a time, so a match is copied at most as often as files are made.
//
// It deliberately does not know: where files are, or how a loaded match replaces a running one.
//
// Guarantees: The tick that saves only copies; one file is made at a time.
package worlds

import (
	"errors"
	"fmt"
	"log/slog"

	"github.com/tidelock/tidelock/cmd/host/match"
	"github.com/tidelock/tidelock/engine/store"
	"github.com/tidelock/tidelock/scriptvm"
)

// Store keeps files by name; package engine/store describes names and bounds. It calls done between two ticks, or during the call.
type Store interface {
	// Put keeps a file in place of another of its name. done gets nil when it is safe.
	Put(name string, data []byte, done func(error))
	// Get finds a file. An unknown name is an error.
	Get(name string, done func([]byte, error))
	// List lists the names, sorted.
	List(done func([]string, error))
}

// Autosave is the name of the world that a host saves by itself.
const Autosave = "autosave"

// maxWaiting bounds the saves that wait for their turn; more are refused.
const maxWaiting = 8

// Options of a Keeper. Log is needed.
type Options struct {
	// Store is nil on a host that keeps no worlds: then each save fails with [scriptvm.ErrNoWorlds].
	Store Store
	Log   *slog.Logger
	// Every is how often the match is saved as Autosave, in seconds of the loop; 0 never.
	Every float64
	// Aside runs work on another goroutine; nil starts one. Work that runs at once makes runs repeat exactly.
	Aside func(work func())
}

// Keeper saves the matches of a host. The loop's goroutine owns it.
type Keeper struct {
	opt     Options
	waiting []saving
	busy    bool
	sealed  chan sealed // of the one file that is being made
	memory  []byte      // of the last copy
	since   float64     // seconds since the last autosave
	saves   int         // autosaves under way
}

// saving is a requested save.
type saving struct {
	name string
	done func(error)
}

type sealed struct {
	saving
	file  []byte
	bytes int
	saved match.Saved
	err   error
}

// New returns a keeper.
func New(o Options) *Keeper {
	if o.Aside == nil {
		o.Aside = func(work func()) { go work() } // ends within a second; nobody waits for it but Step
	}
	return &Keeper{opt: o, sealed: make(chan sealed, 1)}
}

// SetEvery changes Options.Every from now on; the seconds since the last autosave count. The error is that of a host that keeps no worlds.
func (k *Keeper) SetEvery(seconds float64) error {
	if seconds > 0 && k.opt.Store == nil {
		return scriptvm.ErrNoWorlds
	}
	k.opt.Every = seconds
	return nil
}

// Save saves the running match under a name in the next Step. done, which may be nil, gets nil when the file is safe.
func (k *Keeper) Save(name string, done func(error)) {
	if done == nil {
		done = func(error) {}
	}
	err := store.CheckKey(name)
	switch {
	case err != nil:
		err = fmt.Errorf("the name of a world: %w", err)
	case k.opt.Store == nil:
		err = scriptvm.ErrNoWorlds
	case len(k.waiting) >= maxWaiting:
		err = fmt.Errorf("%d saves wait already", len(k.waiting))
	default:
		k.waiting = append(k.waiting, saving{name, done})
		return
	}
	done(err)
}

// Step does between two ticks what is due; dt is how many seconds of the loop have passed since the last.
func (k *Keeper) Step(m *match.Match, dt float64) {
	for _, r := range m.VM.TakeSaves() {
		vm := m.VM
		k.Save(r.Name, func(err error) {
			if err != nil {
				k.opt.Log.Warn("The world was not saved", "event", "save", "name", r.Name, "error", err.Error())
			}
			vm.Saved(r, err) // of a match that has ended, nobody waits
		})
	}
	if k.opt.Every > 0 {
		if k.since += dt; k.since >= k.opt.Every && k.saves == 0 {
			k.since = 0
			k.saves++
			k.Save(Autosave, func(err error) {
				k.saves--
				if err != nil {
					k.opt.Log.Error("Autosave failed; the next one is due in time", "event", "save", "name", Autosave, "error", err.Error())
				}
			})
		}
	}
	select {
	case s := <-k.sealed:
		k.keep(s)
	default:
	}
	if k.busy || len(k.waiting) == 0 {
		return
	}
	s := sealed{saving: k.waiting[0], saved: m.Save(k.memory)}
	k.memory = nil // until the file is made
	k.waiting = append(k.waiting[:0], k.waiting[1:]...)
	k.busy = true
	for _, line := range m.TakeUnsaved() {
		k.opt.Log.Warn("A private field cannot be saved: it is nil in the loaded world", "event", "save", "field", line)
	}
	k.opt.Aside(func() {
		s.bytes = len(s.saved.Memory())
		s.file, s.err = s.saved.Seal()
		k.sealed <- s
	})
}

// keep gives a file to the store.
func (k *Keeper) keep(s sealed) {
	k.busy, k.memory = false, s.saved.Memory()
	if s.err != nil {
		s.done(s.err)
		return
	}
	k.opt.Store.Put(s.name, s.file, func(err error) {
		if err == nil {
			k.opt.Log.Info("World saved", "event", "save", "name", s.name, "bytes", len(s.file))
		}
		s.done(err)
	})
}

// Finish saves the match as Autosave at the end of the process, if the host saves by itself; without one it does nothing. The
// store must make its last write safe.
func (k *Keeper) Finish(m *match.Match) {
	if k.opt.Every <= 0 {
		return
	}
	failed := func(err error) {
		if err != nil {
			k.opt.Log.Error("The world was not saved at the end", "event", "save", "name", Autosave, "error", err.Error())
		}
	}
	if k.opt.Store == nil {
		failed(scriptvm.ErrNoWorlds)
		return
	}
	file, err := m.Save(nil).Seal()
	if err != nil {
		failed(err)
		return
	}
	k.opt.Store.Put(Autosave, file, failed)
}

// Find reads a saved match. done gets it between two ticks, or during the call.
func (k *Keeper) Find(name string, done func(*match.Opened, error)) {
	if k.opt.Store == nil {
		done(nil, scriptvm.ErrNoWorlds)
		return
	}
	k.opt.Store.Get(name, func(file []byte, err error) {
		if err != nil {
			done(nil, fmt.Errorf("world %q: %w", name, err))
			return
		}
		o, err := match.ReadSaved(file)
		if err != nil {
			err = fmt.Errorf("world %q: %w", name, err)
		}
		done(o, err)
	})
}

// List lists the names of saved worlds.
func (k *Keeper) List(done func([]string, error)) {
	if k.opt.Store == nil {
		done(nil, scriptvm.ErrNoWorlds)
		return
	}
	k.opt.Store.List(done)
}

// ErrUnknown is the error of a [Memory] for a name that it does not have.
var ErrUnknown = errors.New("there is no saved world of that name")
