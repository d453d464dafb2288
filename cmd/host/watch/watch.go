package watch

import (
	"errors"
	"path"
	"path/filepath"
	"slices"
	"sort"
	"sync"
	"time"

	"github.com/fsnotify/fsnotify"
)

// defaultPoll is the default of Options.Poll.
const defaultPoll = 2 * time.Second

// Options of a watcher. Only Dirs is needed.
type Options struct {
	// Dirs are the folders, with all their sub-folders. A missing one is added when it appears.
	Dirs []string
	// Match reports whether a file matters, by its path below the folder with slashes; nil accepts every file
	// whose name does not begin with a dot.
	Match func(name string) bool
	// Debounce is how long files must stay the same before they are reported; 0 means 100 ms.
	Debounce time.Duration
	// Poll is how often the folders are scanned without any event; 0 means 2 s. It finds changes on file
	// systems that send no events.
	Poll time.Duration
	// Patience is how long one file that keeps changing may delay the others; 0 means 5 s. After that the
	// others are reported, and the set contains its old version.
	Patience time.Duration
	// NoEvents uses only polling, as if the system had no events left.
	NoEvents bool
	// OnError is called for errors of a scan: a file that cannot be read keeps its state. It is called on the
	// watcher's goroutine, once for each new text. Nil drops them.
	OnError func(error)
}

// Set is a complete state of the folders, and its differences from the last reported one.
type Set struct {
	// Added, Changed and Removed are paths (folder and file, with slashes), sorted. Saved are those of files
	// that were written again with the same text.
	Added, Changed, Removed, Saved []string
	// Files contains everything: folder as in Options.Dirs → path below it with slashes → text.
	Files map[string]map[string]string
}

// Paths returns all paths that differ or were written again, sorted.
func (s Set) Paths() []string {
	out := slices.Concat(s.Added, s.Changed, s.Removed, s.Saved)
	sort.Strings(out)
	return out
}

// Watcher watches until it is closed.
type Watcher struct {
	opt    Options
	events *fsnotify.Watcher // nil if the system has none left
	out    chan Set
	stop   chan struct{}
	done   chan struct{}
	once   sync.Once
	poll   chan time.Duration // to run: Options.Poll from now on

	// The rest belongs to the goroutine of run.
	scan  *scanner
	known tree // as last received by the reader of C
}

// New starts a watcher. The present content of the folders is the state with which changes are compared. Close
// stops and awaits the goroutine.
func New(opt Options) (*Watcher, error) {
	if len(opt.Dirs) == 0 {
		return nil, errors.New("watch: no folder to watch")
	}
	if opt.Debounce <= 0 {
		opt.Debounce = 100 * time.Millisecond
	}
	if opt.Poll <= 0 {
		opt.Poll = defaultPoll
	}
	if opt.Patience <= 0 {
		opt.Patience = 5 * time.Second
	}
	if opt.Match == nil {
		opt.Match = func(name string) bool { return path.Base(name)[0] != '.' }
	}
	w := &Watcher{opt: opt, out: make(chan Set), stop: make(chan struct{}), done: make(chan struct{}), poll: make(chan time.Duration)}
	w.scan = newScanner(opt)
	if !opt.NoEvents {
		var err error
		if w.events, err = fsnotify.NewWatcher(); err != nil {
			// No inotify instances left, for example: polling still works, only later.
			w.scan.report(err)
			w.events = nil
		}
		w.scan.events = w.events
	}
	w.known = w.scan.look(nil, nil)
	go w.run()
	return w, nil
}

// C returns the channel of sets, in order. A set that nobody has read yet is extended by further changes, so a
// slow reader misses nothing and never has to catch up. Close closes it.
func (w *Watcher) C() <-chan Set { return w.out }

// SetPoll changes Options.Poll; 0 means its default. It waits for a scan that is in progress. A closed watcher ignores it.
func (w *Watcher) SetPoll(every time.Duration) {
	if every <= 0 {
		every = defaultPoll
	}
	select {
	case w.poll <- every:
	case <-w.done:
	}
}

// Close stops the watcher and waits until it has.
func (w *Watcher) Close() {
	w.once.Do(func() { close(w.stop) })
	<-w.done
}

// run is the watcher's goroutine.
//
// Invariant: while candidate is set the settle timer runs, and no scan happens before it ends: two equal scans
// are at least one debounce apart. Events do not postpone the timer, otherwise a file that is written all the
// time would block everything.
func (w *Watcher) run() {
	defer close(w.done)
	defer close(w.out)
	var events <-chan fsnotify.Event
	var failures <-chan error
	if w.events != nil {
		events, failures = w.events.Events, w.events.Errors
		defer func() { _ = w.events.Close() }() // nothing is lost with it
	}
	poll := time.NewTicker(w.opt.Poll)
	defer poll.Stop()
	settle := time.NewTimer(w.opt.Debounce)
	settle.Stop()
	defer settle.Stop()

	var (
		candidate tree      // the latest scan, while not yet confirmed
		since     time.Time // when candidate first differed from known
		ready     tree      // confirmed and waiting for the reader
		touched   = map[string]bool{}
	)
	// look scans again and returns whether that confirms the last scan.
	look := func() {
		base := w.known
		if ready != nil {
			base = ready
		}
		prev := candidate
		if prev == nil {
			prev = base
		}
		now := w.scan.look(prev, touched)
		clear(touched)
		switch {
		case now.equal(base):
			candidate = nil
		case candidate != nil && now.equal(candidate):
			ready, candidate = now, nil
		default:
			if candidate == nil {
				since = time.Now()
			} else if time.Since(since) > w.opt.Patience {
				if calm := now.without(candidate, base); !calm.equal(base) {
					ready = calm
				}
				since = time.Now()
			}
			candidate = now
			settle.Reset(w.opt.Debounce)
		}
		if ready != nil && ready.equal(w.known) {
			ready = nil // changed back before anyone read it
		}
	}
	for {
		var out chan<- Set
		var set Set
		if ready != nil {
			out, set = w.out, w.diff(ready)
		}
		select {
		case <-w.stop:
			return
		case e, ok := <-events:
			if !ok {
				events = nil
				continue
			}
			if !w.scan.matters(e) {
				continue
			}
			touched[e.Name] = true
			if candidate == nil {
				look()
			}
		case err, ok := <-failures:
			if !ok {
				failures = nil
				continue
			}
			w.scan.report(err) // an overflow, mostly: scan everything
			if candidate == nil {
				look()
			}
		case <-settle.C:
			look()
		case <-poll.C:
			if candidate == nil {
				look()
			}
		case every := <-w.poll:
			poll.Reset(every)
		case out <- set:
			w.known, ready = ready, nil
		}
	}
}

// diff compares a scan with what the reader knows.
func (w *Watcher) diff(now tree) Set {
	s := Set{Files: map[string]map[string]string{}}
	for dir, files := range now {
		texts := make(map[string]string, len(files))
		for name, f := range files {
			texts[name] = f.text
			old, had := w.known[dir][name]
			switch {
			case !had:
				s.Added = append(s.Added, show(dir, name))
			case old.text != f.text:
				s.Changed = append(s.Changed, show(dir, name))
			case !old.same(f):
				s.Saved = append(s.Saved, show(dir, name))
			}
		}
		for name := range w.known[dir] {
			if _, has := files[name]; !has {
				s.Removed = append(s.Removed, show(dir, name))
			}
		}
		s.Files[dir] = texts
	}
	sort.Strings(s.Added)
	sort.Strings(s.Changed)
	sort.Strings(s.Removed)
	sort.Strings(s.Saved)
	return s
}

func show(dir, name string) string { return path.Join(filepath.ToSlash(filepath.Clean(dir)), name) }
