package main

import (
	"crypto/sha256"
	"io/fs"

	"github.com/tidelock/tidelock/cmd/host/media"
	"github.com/tidelock/tidelock/netcode/bundle"
	"github.com/tidelock/tidelock/netcode/wire"
)

// serves sets the files that clients fetch from now on. Browsers may still request the previous ones.
func (g *game) serves(files *bundle.Bundle) {
	s := &servedFiles{files: files, art: map[wire.Hash]string{}}
	art, err := media.ArtOf(files.Files)
	if err != nil {
		g.log.Warn(err.Error()) // it was made here and can be read
	}
	for i := range art {
		s.art[art[i].Hash] = art[i].Name
	}
	if old := g.served.Load(); old != nil {
		s.before = &servedFiles{files: old.files, art: old.art}
	}
	g.served.Store(s)
}

// File returns what a browser may fetch by its hash: the files and batches of the match, and its recordings,
// models and pictures (W2.5). It may be called on any goroutine.
func (g *game) File(hash [sha256.Size]byte) []byte {
	h := wire.Hash(hash)
	for s := g.served.Load(); s != nil; s = s.before {
		if data := s.files.Batch(h); data != nil {
			return data
		}
		name, ok := s.art[h]
		if !ok {
			continue
		}
		data, err := fs.ReadFile(g.assets.Content(), name)
		if err == nil && len(data) <= media.MaxArtBytes && wire.HashOf(data) == h {
			return data
		}
		// It was saved since; its new hash comes by a reload.
	}
	return nil
}

// webFiles returns the addresses from which a page fetches the match's files before it joins. If players need a secret to join there are
// none: then nobody learns the scripts' hashes, which are needed to fetch them. It may be called on any goroutine.
func (g *game) webFiles() [][sha256.Size]byte {
	if g.secret.Load() {
		return nil
	}
	var out [][sha256.Size]byte
	if s := g.served.Load(); s != nil {
		for _, h := range s.files.Addresses() {
			out = append(out, h)
		}
	}
	return out
}
