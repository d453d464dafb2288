package main

import (
	"fmt"
	"time"

	"github.com/tidelock/tidelock/cmd/host/match"
	"github.com/tidelock/tidelock/engine"
)

// Saved worlds of the running host (C3). All methods belong to the loop's goroutine.

// patience is how long a host waits for the file of --load before it gives up.
const patience = 30 * time.Second

// savedWorld reads the world of --load, before the loop runs; nil without one.
func (g *game) savedWorld(o gameOptions) (*match.Opened, error) {
	if o.Load == "" {
		return nil, nil //nolint:nilnil // there is none, and nothing is wrong
	}
	type answer struct {
		file *match.Opened
		err  error
	}
	var got *answer
	g.keeper.Find(o.Load, func(file *match.Opened, err error) { got = &answer{file, err} })
	switch {
	case !g.keeping.await(func() bool { return got != nil }, patience):
		return nil, fmt.Errorf("--load: world %q: the store gives no answer", o.Load)
	case got.err != nil:
		return nil, fmt.Errorf("--load: %w", got.err)
	}
	return got.file, nil
}

// openMatch opens a new match, or a saved one.
func openMatch(saved *match.Opened, o match.Options) (*match.Match, error) {
	if saved != nil {
		return match.Load(o, saved)
	}
	return match.Open(o)
}

// SaveWorld is [control.Worlds].
func (g *game) SaveWorld(name string, done func(error)) { g.keeper.Save(name, done) }

// ListWorlds is [control.Worlds].
func (g *game) ListWorlds(done func([]string, error)) { g.keeper.List(done) }

// LoadWorld is [control.Worlds]: it replaces the match by a saved one, with all players.
func (g *game) LoadWorld(name string, done func(error)) {
	g.keeper.Find(name, func(file *match.Opened, err error) {
		if err == nil {
			err = g.load(name, file)
		}
		done(err)
	})
}

// load continues a saved match in place of this one. After an error nothing has changed.
func (g *game) load(name string, file *match.Opened) error {
	start := time.Now()
	next, err := g.Match.Successor(file)
	if err != nil {
		return fmt.Errorf("world %q: %w", name, err)
	}
	next, files, err := g.withFiles(next)
	if err != nil {
		return err
	}
	here := g.World.NetMode != engine.NMDedicatedServer
	pc := next.Resume(here) // before the players are asked to come
	old, local := g.replace(next, files, file.URL())
	if g.local = pc; pc != nil {
		g.Attach(pc)
	} else if local != nil && !local.Deleted() {
		g.bring(old, local)
	}
	g.end(old)
	g.log.Info("World loaded", "event", "load", "name", name, "level", g.levelName(), "game", next.Game.Class.Name, "actors", next.World.Live(),
		"seconds", float64(time.Since(start).Microseconds())/1e6)
	return nil
}
