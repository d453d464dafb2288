package main

import (
	"context"
	"fmt"
	"log/slog"
	"path/filepath"
	"time"

	"github.com/tidelock/tidelock/cmd/host/doctor"
	"github.com/tidelock/tidelock/cmd/host/metrics"
	"github.com/tidelock/tidelock/cmd/host/settings"
	"github.com/tidelock/tidelock/cmd/host/store"
	"github.com/tidelock/tidelock/engine"
)

const (
	// storeFile is the name of the store beside host.toml.
	storeFile = "store.db"
	// storeOff is the value of --store for no store.
	storeOff = "off"
	megabyte = 1 << 20
)

// storeFlags are the flags of the store; each is a key of host.toml and a variable, too.
type storeFlags struct {
	Store      string `placeholder:"FILE" help:"File of what outlives a match: records of scripts, profiles, saved worlds; off for none. Default: store.db beside host.toml, or where host.toml would be read."`
	StoreQuota int    `default:"256" range:"1,1048576" help:"Megabytes of keys and values that each namespace of the store may have: each mod, the game, profiles, saved worlds."`
	StoreKeys  int    `default:"1000000" range:"1,1000000000" help:"Keys that each namespace of the store may have."`
}

// path returns the file, "" for none.
func (f *storeFlags) path(p *parsed) string {
	switch f.Store {
	case storeOff:
		return ""
	case "":
		return filepath.Join(p.settings.Folder(), storeFile)
	}
	return f.Store
}

// options are those of the file.
func (f *storeFlags) options(log *slog.Logger) store.Options {
	return store.Options{Quota: f.quota(), Log: log}
}

// quota is that of every namespace.
func (f *storeFlags) quota() store.Quota {
	return store.Quota{Bytes: int64(f.StoreQuota) * megabyte, Keys: int64(f.StoreKeys)}
}

// open opens the store and starts its goroutine; nil without one. A file that somebody named must be usable. The default one need not
// be: a folder may be read-only, and another host may have been started in it. Then the match goes on without, and every call of a script
// for the store fails.
func (f *storeFlags) open(p *parsed, log *slog.Logger) (*store.Service, error) {
	path := f.path(p)
	if path == "" {
		return nil, nil
	}
	b, err := store.Open(path, f.options(log))
	switch chosen := p.settings.From(p.ctx, "store") != settings.FromDefault; {
	case err != nil && chosen:
		return nil, usageError{fmt.Errorf("--store: %w", err)}
	case err != nil:
		log.Error("No store: nothing that players earn is kept, and scripts' calls fail", "error", err.Error(), "do", "correct it and restart, or give --store FILE; --store off if none is wanted", "event", "store")
		return nil, nil
	case chosen || b.Figures().Keys > 0:
		n := b.Figures()
		log.Info("store", "file", path, "keys", n.Keys, "bytes", n.Bytes, "event", "store")
	}
	return store.Start(b, store.ServiceOptions{Log: log}), nil
}

// closeStore writes what waits and closes the store, within a time limit.
func closeStore(s *store.Service, within time.Duration, log *slog.Logger) {
	if s == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), within)
	defer cancel()
	if err := s.Close(ctx); err != nil {
		log.Error("closing the store: "+err.Error(), "event", "store")
	}
}

// storeFigures fills in what monitoring shows of the store.
func storeFigures(s *store.Service, f *metrics.Figures) {
	if s == nil {
		return
	}
	n, _ := s.Figures()
	c := s.Stats()
	f.Store = metrics.StoreFigures{
		Open: true, Writing: c.Writing, Keys: n.Keys, Bytes: n.Bytes, FileBytes: n.File, Waiting: c.Waiting, WaitingBytes: c.WaitingBytes,
		Commits: uint64(max(n.Commits, 0)), Jobs: c.Jobs, Errors: c.Errors, Conflicts: c.Conflicts, Quotas: c.Quotas, Refused: c.Refused,
		Records: c.Records, Took: c.Took,
	}
}

// checkStore looks at the store as it would be opened.
func (f *storeFlags) checkStore(p *parsed) doctor.Result {
	const check = "store"
	path := f.path(p)
	if path == "" {
		return doctor.Result{Grade: doctor.Skip, Check: check, Text: "no store"}
	}
	h := store.Probe(path)
	switch {
	case h.Missing:
		return doctor.Result{Check: check, Text: path + " is created at the start"}
	case h.Err != nil:
		return doctor.Result{Grade: doctor.Fail, Check: check, Text: h.Err.Error()}
	}
	return doctor.Result{Check: check, Text: fmt.Sprintf("%s can be read, no other host uses it; %s, %.1f MB", path, engine.Counted(h.Keys, "key"), float64(h.File)/megabyte)}
}
