package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync/atomic"
	"time"

	"github.com/tidelock/tidelock/cmd/host/assets"
	"github.com/tidelock/tidelock/cmd/host/match"
	"github.com/tidelock/tidelock/cmd/host/serve"
	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/scriptvm"
	"github.com/tidelock/tidelock/scriptvm/classfile"
)

// gameOptions is what `host serve` makes a world from.
type gameOptions struct {
	Assets *assets.Assets
	URL    string
	Seed   uint64
	Log    *slog.Logger
}

// game is a match as package serve runs it.
type game struct {
	*match.Match
	assets *assets.Assets
	cache  *classfile.Cache
	// classes are the world's present ones, for Check, which runs on another goroutine.
	classes atomic.Pointer[engine.Classes]
}

var _ serve.Game = (*game)(nil)

// openGame loads scripts and level and starts the match. Scripts with errors are told one by one.
func openGame(o gameOptions) (serve.Game, error) {
	scripts, err := o.Assets.Scripts(nil)
	if err != nil {
		return nil, err
	}
	g := &game{assets: o.Assets, cache: classfile.NewCache()}
	start := time.Now()
	g.Match, err = match.Open(match.Options{
		Sources: sources(scripts), Content: o.Assets.Content(), URL: o.URL, NetMode: engine.NMStandalone, Seed: o.Seed,
		VM: scriptvm.Options{
			Peer:  "host",
			Cache: g.cache,
			Log: func(a *engine.Actor, text string) {
				if a == nil {
					o.Log.Info(text)
				} else {
					o.Log.Info(text, "actor", a.Name)
				}
			},
			Report:  func(r scriptvm.Report) { tellReport(o.Log, r) },
			Elapsed: func() int64 { return int64(time.Since(start)) },
		},
	})
	var bad *match.LoadError
	if errors.As(err, &bad) {
		n := 0
		for _, d := range bad.Diagnostics {
			if d.Severity == engine.SevError {
				n++
				o.Log.Error(d.String())
			}
		}
		return nil, fmt.Errorf("the scripts have %s; mend them, %q finds all", count(n, "error"), "host check")
	}
	if err != nil {
		return nil, usageError{err}
	}
	for _, w := range g.Warnings {
		o.Log.Warn(w)
	}
	g.classes.Store(g.World.Classes)
	return g, nil
}

func tellReport(log *slog.Logger, r scriptvm.Report) {
	level := slog.LevelError
	if r.Kind == scriptvm.ReportWarning {
		level = slog.LevelWarn
	}
	var stack []any
	if len(r.Stack) > 1 { // one line of it stands in the text
		stack = []any{"stack", strings.Join(r.Stack, " < ")}
	}
	log.Log(context.Background(), level, r.String(), stack...)
}

// Step runs one tick.
func (g *game) Step(dt float64) { g.World.Step(dt) }

// Check compiles scripts into the shared cache.
func (g *game) Check(scripts []assets.Script) {
	classfile.Load(sources(scripts), classfile.Options{Prev: g.classes.Load(), Cache: g.cache, Content: hasContent(g.assets)})
}

// Reload swaps scripts between two ticks.
func (g *game) Reload(scripts []assets.Script) serve.Reloaded {
	start := time.Now()
	r := g.VM.Prepare(sources(scripts)).Apply(time.Now)
	g.classes.Store(g.World.Classes)
	return serve.Reloaded{
		Classes: r.Classes, Functions: r.Functions, Variables: r.Variables, Actors: r.Actors, Took: time.Since(start),
		Diagnostics: r.Diagnostics, Failed: r.Failed, Notes: r.Notes,
	}
}

// Status is for the ready line.
func (g *game) Status() serve.Status {
	level := ""
	if g.Level != nil {
		level = g.World.LevelName()
	}
	return serve.Status{
		Level: level, NetMode: "standalone", Time: g.World.Time,
		Classes: len(g.World.Classes.All()), Actors: g.World.Live(),
	}
}
