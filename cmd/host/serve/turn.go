package serve

import (
	"context"
	"errors"
	"sync/atomic"

	"github.com/tidelock/tidelock/cmd/host/loop"
	"github.com/tidelock/tidelock/cmd/host/versions"
)

// Turn gives other goroutines a turn with the world of a host: a function that runs between two ticks, on the goroutine
// that owns the world. The zero value is for [Options].Turn; before Run has started its loop, nothing gets a turn.
type Turn struct {
	loop   atomic.Pointer[loop.Loop]
	server atomic.Pointer[server]
}

// Notes returns lines about scripts that run and are not in the files: set, or undone; nil if there are none. It must not be called in a
// turn.
func (t *Turn) Notes() []string {
	if s := t.server.Load(); s != nil {
		return s.notes()
	}
	return nil
}

// Reloads describes the history of the scripts that ran; the zero Report before Run has begun. It must not be called in a turn.
func (t *Turn) Reloads() versions.Report {
	if s := t.server.Load(); s != nil {
		return s.report()
	}
	return versions.Report{}
}

// errNoTurn is for a turn before the host runs.
var errNoTurn = errors.New("the host has not started yet")

// Do calls f between two ticks, waits for it and returns its error, or ctx's if that ends first; f may run all the same
// then. It must not be called from within a tick or another turn.
func (t *Turn) Do(ctx context.Context, f func() error) error {
	l := t.loop.Load()
	if l == nil {
		return errNoTurn
	}
	done := make(chan error, 1)
	if err := l.Do(ctx, func() { done <- f() }); err != nil {
		return err
	}
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}
