package session

import (
	"fmt"
	"time"

	"github.com/tidelock/tidelock/cmd/host/cache"
	"github.com/tidelock/tidelock/cmd/host/match"
	"github.com/tidelock/tidelock/engine/level"
	"github.com/tidelock/tidelock/netcode/bundle"
	"github.com/tidelock/tidelock/netcode/wire"
	"github.com/tidelock/tidelock/scriptvm/classfile"
)

// Stock receives what a page fetched by HTTP before it joins, and compiles it, so that the host waits for
// neither (W1.4, W2.5). Nothing of it is trusted: a file is stored by its actual hash, and used if the host
// requests that hash; missing files are sent by the link.
//
//	if err := s.Manifest(b); err == nil { for i := range s.Batches() { if !s.Has(i) { err = s.Batch(i, fetched) } } }
//	for s.Step(8 * time.Millisecond) { pause() }
//
// A Stock belongs to one goroutine.
type Stock struct {
	files   *cache.Memory
	protos  *classfile.Cache
	levels  *level.Cache
	level   *level.Level // kept alive, so that the world finds it in levels
	entries []bundle.Entry
	batches []bundle.Batch
	loading *classfile.Loading // nil before Step, and when there is nothing to do
	fresh   bool               // something arrived that was not compiled
}

// NewStock stores files, compiled scripts and the parsed level in caches, which are those of the sessions.
func NewStock(files *cache.Memory, protos *classfile.Cache, levels *level.Cache) *Stock {
	return &Stock{files: files, protos: protos, levels: levels}
}

// Manifest begins with the files of another manifest. A manifest that cannot be read is an error; then there
// are no batches.
func (s *Stock) Manifest(b []byte) error {
	s.entries, s.batches, s.loading, s.fresh = nil, nil, nil, false
	list, err := bundle.Read(b)
	if err != nil {
		return fmt.Errorf("the list of the match's files cannot be read: %w", err)
	}
	s.files.Put(wire.HashOf(b), b)
	s.entries, s.batches, s.fresh = list, bundle.Batches(list), true
	return nil
}

// Batches returns the number of batches of the manifest.
func (s *Stock) Batches() int { return len(s.batches) }

// Has reports whether all files of a batch are here.
func (s *Stock) Has(i int) bool {
	if i < 0 || i >= len(s.batches) {
		return false
	}
	for _, e := range s.batches[i].Files {
		if s.files.Get(e.Hash) == nil {
			return false
		}
	}
	return true
}

// Batch receives a batch. If it does not match the manifest that is an error, and nothing of it is kept.
func (s *Stock) Batch(i int, data []byte) error {
	if i < 0 || i >= len(s.batches) {
		return fmt.Errorf("there is no batch %d of the match's files", i)
	}
	if err := s.batches[i].Split(data, s.files.Put); err != nil {
		return fmt.Errorf("what came by HTTP is not used: %w", err)
	}
	return nil
}

// Level returns the level of the match, parsed before there is a world; nil if there is none. Step parses it
// first, so that it can be shown while the rest is compiled.
func (s *Stock) Level() *level.Level { return s.level }

// Step compiles for as long as a slice, and at most one piece of work more, and reports whether work remains.
// If files are missing it does nothing; a session compiles them once they arrive. Errors of scripts are
// reported by the session that runs them.
func (s *Stock) Step(slice time.Duration) bool {
	if s.loading == nil {
		if !s.fresh {
			return false
		}
		s.fresh = false
		files := make([]bundle.File, 0, len(s.entries))
		for _, e := range s.entries {
			data := s.files.Get(e.Hash)
			if data == nil {
				return false
			}
			files = append(files, bundle.File{Name: e.Name, Data: data})
		}
		s.loading, s.level = match.Compile(files, s.protos), match.ParseLevel(files, s.levels)
		return true
	}
	for start := time.Now(); s.loading.Step(); {
		if time.Since(start) >= slice {
			return true
		}
	}
	s.loading = nil
	return false
}
