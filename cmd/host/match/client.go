package match

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/engine/level"
	"github.com/tidelock/tidelock/netcode/bundle"
	"github.com/tidelock/tidelock/netcode/client"
	"github.com/tidelock/tidelock/netcode/wire"
	"github.com/tidelock/tidelock/scriptvm"
	"github.com/tidelock/tidelock/scriptvm/classfile"
)

// ClientHost creates the world of a client from the server's files. It implements client.Host; the zero value
// works.
type ClientHost struct {
	// VM are the options of the script side: receivers of logs and reports, the cache of compiled files,
	// limits. The server's scripts run in the same sandbox as local ones.
	VM   scriptvm.Options
	Seed uint64
	// Now measures the duration of a reload, and Slice; it may be nil.
	Now func() time.Time
	// Slice is how long a tick may work on the preparation of the next world. A piece of work is never
	// interrupted: a tick exceeds it by at most one, a file or the classes of all. 0, or a nil Now, leaves
	// everything to the tick that opens the world, as virtual time needs.
	Slice time.Duration
	// Reloaded receives the result of every reload, including failed ones; it may be nil.
	Reloaded func(scriptvm.ReloadResult)
	// Navigation, if not nil, builds every level's navigation graph as soon as it is loaded, for a player with a
	// brain: it receives work of up to a second that may run on another goroutine, and calls pause, if not nil,
	// between its parts.
	Navigation func(work func(pause func()))

	// Levels are shared by the worlds of a process; nil shares none.
	Levels *level.Cache
	// Shown replaces the server's sounds and animations if their files are equal; nil reads those.
	Shown *Shown

	match    *Match
	outOfUse []string           // functions disabled by the server (duty.go)
	loading  *classfile.Loading // of Prepare
	manifest wire.Hash          // of loading
}

var (
	_ client.Host     = (*ClientHost)(nil)
	_ client.Preparer = (*ClientHost)(nil)
)

// Match returns the client's match, nil before Open.
func (h *ClientHost) Match() *Match { return h.match }

// Prepare compiles the files that the server listed, for Slice in each call. Open reports their errors.
func (h *ClientHost) Prepare(w *wire.Welcome, files []bundle.File) (done bool) {
	if h.Now == nil || h.Slice <= 0 {
		return true
	}
	if h.loading == nil || h.manifest != w.Manifest {
		if h.VM.Cache == nil {
			h.VM.Cache = classfile.NewCache(scriptvm.Natives())
		}
		h.loading, h.manifest = compile(files, h.VM.Cache, h.VM.Calls), w.Manifest
	}
	for start := h.Now(); h.loading.Step(); {
		if h.Now().Sub(start) >= h.Slice {
			return false
		}
	}
	return true
}

// Compile begins to compile the scripts among the files of a match, before there is a ClientHost, which uses
// the same cache.
func Compile(files []bundle.File, cache *classfile.Cache) *classfile.Loading {
	return compile(files, cache, false)
}

func compile(files []bundle.File, cache *classfile.Cache, calls bool) *classfile.Loading {
	return classfile.Begin(Sources(files), classfile.Options{Cache: cache, Calls: calls})
}

// Open creates the world from the files that the server listed.
func (h *ClientHost) Open(w *wire.Welcome, files []bundle.File) (*engine.World, error) {
	h.Close()
	h.loading, h.outOfUse = nil, nil
	shown := h.Shown
	if shown == nil || !shown.is(files) {
		var err error
		if shown, err = shownOf(files); err != nil {
			return nil, err
		}
	}
	m, err := open(Options{Sources: Sources(files), URL: w.Level, NetMode: engine.NMClient, Seed: h.Seed, VM: h.VM}, func(name string, o level.Options) (*level.Level, bundle.File, error) {
		return h.levelOf(files, name, o)
	}, shown)
	if err != nil {
		return nil, err
	}
	h.match = m
	if h.Navigation != nil {
		m.VM.BuildNavigation(h.Navigation)
	}
	return m.World, nil
}

// ParseLevel parses the level among the files of a match, before there is a ClientHost, which uses the same
// cache; nil if there is none, or more than one, or it is broken, which Open reports. The match plays this
// level unless its URL has options for reading the level.
func ParseLevel(files []bundle.File, levels *level.Cache) *level.Level {
	var found *bundle.File
	for i := range files {
		if strings.HasPrefix(files[i].Name, levelFolder) {
			if found != nil {
				return nil
			}
			found = &files[i]
		}
	}
	if found == nil {
		return nil
	}
	lv, err := levels.Parse(found.Name, found.Data, level.Options{})
	if err != nil {
		return nil
	}
	return lv
}

// levelOf reads a level from a bundle.
func (h *ClientHost) levelOf(files []bundle.File, name string, o level.Options) (*level.Level, bundle.File, error) {
	file := levelFolder + name + levelEnd
	for i := range files {
		if files[i].Name == file {
			lv, err := h.Levels.Parse(file, files[i].Data, o)
			return lv, files[i], err
		}
	}
	return nil, bundle.File{}, fmt.Errorf("level %q: the server plays it and sent no file %s", name, file)
}

// Reload swaps scripts, sounds and animations between two ticks, all or nothing.
func (h *ClientHost) Reload(files []bundle.File) error {
	if h.match == nil {
		return errors.New("a reload before the match was opened")
	}
	shown := h.match.shown
	if !shown.is(files) {
		var err error
		if shown, err = shownOf(files); err != nil {
			return err
		}
	}
	p := h.match.VM.Prepare(NextSources(h.match.VM.Sources(), files))
	if shown != h.match.shown && !p.Result().Failed {
		h.match.Show(shown)
	}
	r := p.Apply(h.Now)
	h.match.VM.Mirror(h.outOfUse) // the server may have disabled functions of the new scripts during the download
	if h.Reloaded != nil {
		h.Reloaded(r)
	}
	if r.Failed {
		return &LoadError{r.Diagnostics}
	}
	return nil
}

// Close frees the match. The world must not be stepped afterwards.
func (h *ClientHost) Close() {
	if h.match != nil {
		h.match.Close()
		h.match = nil
	}
}
