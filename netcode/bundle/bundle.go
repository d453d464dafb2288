// Package bundle is what a client must have to run a server's match: its scripts and its level, as files named by their
// hashes and listed in a manifest (docs/protocol.md, Files).
package bundle

import (
	"errors"
	"fmt"
	"path"
	"sort"
	"strings"

	"github.com/tidelock/tidelock/netcode/wire"
)

// File is one file of a match. Name is a path with slashes; scripts lie under "scripts/", levels under "levels/".
type File struct {
	Name string
	Data []byte
}

// Cache keeps files by their hash, over connections and runs. Get gives nil for one that is not there. What Get
// gives need not be trusted: it is checked.
type Cache interface {
	Get(h wire.Hash) []byte
	Put(h wire.Hash, data []byte)
}

// Bundle is a complete set of files. It is immutable.
type Bundle struct {
	Manifest []byte
	Hash     wire.Hash
	// Files in order of their names.
	Files []File

	hashes []wire.Hash
	data   map[wire.Hash][]byte
}

// New makes a bundle. A file that is empty, too large (wire.MaxFile) or given twice is an error, and so are more than
// MaxFiles.
func New(files []File) (*Bundle, error) {
	if len(files) > MaxFiles {
		return nil, fmt.Errorf("%d files; clients fetch at most %d: put small scripts together", len(files), MaxFiles)
	}
	b := &Bundle{Files: append([]File(nil), files...), data: map[wire.Hash][]byte{}}
	sort.Slice(b.Files, func(i, j int) bool { return b.Files[i].Name < b.Files[j].Name })
	b.Manifest = wire.AppendManifest(nil, len(b.Files))
	for i := range b.Files {
		f := &b.Files[i]
		if err := checkName(f.Name); err != nil {
			return nil, err
		}
		if i > 0 && b.Files[i-1].Name == f.Name {
			return nil, fmt.Errorf("%s: given twice", f.Name)
		}
		if len(f.Data) == 0 { // on the wire a file of no bytes is one that is not there
			return nil, fmt.Errorf("%s: the file is empty, and clients cannot fetch it; write something into it or take it away", f.Name)
		}
		if len(f.Data) > wire.MaxFile {
			return nil, fmt.Errorf("%s: %d bytes; a file that clients fetch has at most %d", f.Name, len(f.Data), wire.MaxFile)
		}
		h := wire.HashOf(f.Data)
		b.hashes = append(b.hashes, h)
		b.data[h] = f.Data
		b.Manifest = wire.AppendManifestFile(b.Manifest, f.Name, len(f.Data), &h)
	}
	b.Hash = wire.HashOf(b.Manifest)
	b.data[b.Hash] = b.Manifest
	return b, nil
}

// Get is the file of a hash, the manifest included, or nil.
func (b *Bundle) Get(h wire.Hash) []byte { return b.data[h] }

// MaxFiles bounds the files of a manifest.
const MaxFiles = 4096

// Entry is a file of a manifest that was read.
type Entry struct {
	Name string
	Size int
	Hash wire.Hash
}

// Read reads a manifest. Names are checked: none leads out of its folder, none is there twice.
func Read(manifest []byte) ([]Entry, error) {
	if err := wire.GuardNodes(manifest, 3*MaxFiles+1); err != nil {
		return nil, err
	}
	r := wire.NewReader(manifest)
	n := r.Manifest()
	if n > MaxFiles {
		return nil, wire.ErrRange
	}
	out := make([]Entry, 0, n)
	for range n {
		f := r.ManifestFile()
		if r.Err() != nil {
			return nil, r.Err()
		}
		e := Entry{Name: string(f.Name), Size: f.Size, Hash: f.Hash}
		if err := checkName(e.Name); err != nil {
			return nil, err
		}
		if len(out) > 0 && out[len(out)-1].Name >= e.Name {
			return nil, errors.New("manifest: names do not ascend")
		}
		out = append(out, e)
	}
	return out, r.End()
}

func checkName(name string) error {
	if name == "" || name == "." || len(name) > wire.MaxText || path.Clean(name) != name || strings.HasPrefix(name, "/") || strings.HasPrefix(name, "..") ||
		strings.ContainsAny(name, "\\:\x00") {
		return fmt.Errorf("%q: not the name of a file of a match: expected a clean path with slashes", name)
	}
	return nil
}
