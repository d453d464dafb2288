// Package bundle holds the files that a client needs to run a server's match: scripts and level, named by their hashes.
// A manifest lists them (docs/protocol.md, Files).
//
// Guarantees: A name never leads out of its folder; an archive never inflates to more than it declares; each is
// compressed once for all clients.
package bundle

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"sort"
	"strings"
	"sync"

	"github.com/tidelock/tidelock/netcode/wire"
)

// File is one file of a match. Name is a path with slashes; scripts are under "scripts/", levels under "levels/".
type File struct {
	Name string
	Data []byte
}

// Cache keeps files by their hash, across connections and runs. Get returns nil for a missing one. What Get returns
// need not be trusted: it is verified.
type Cache interface {
	Get(h wire.Hash) []byte
	Put(h wire.Hash, data []byte)
	// Empty reports whether the cache is empty; then every file is needed from the server.
	Empty() bool
}

// Bundle is a complete set of files. It is immutable, except that it caches what it has compressed; many goroutines
// may use it.
type Bundle struct {
	Manifest []byte
	Hash     wire.Hash
	// Files in order of their names.
	Files []File

	entries   []Entry
	data      map[wire.Hash][]byte
	groups    []*Archive        // all files, grouped for compression: Batches
	first     []int             // of each group
	batches   map[wire.Hash]int // numbers of groups
	addresses []wire.Hash
	whole     *Archive // the manifest

	mu     sync.Mutex
	single map[wire.Hash]*Archive // single files, by the hash under which they were requested
	alone  []*Archive             // the same as files of the manifest, by number
}

// New returns a bundle. A file that is empty, too large (wire.MaxFile) or given twice is an error, and so are more
// than MaxFiles.
func New(files []File) (*Bundle, error) { return Next(nil, files) }

// Next returns the successor of another bundle, which may be nil, and reuses its compressed archives. Errors are the
// same as New's.
func Next(before *Bundle, files []File) (*Bundle, error) {
	if len(files) > MaxFiles {
		return nil, fmt.Errorf("%d files; clients fetch at most %d: put small scripts together", len(files), MaxFiles)
	}
	b := &Bundle{Files: append([]File(nil), files...), data: map[wire.Hash][]byte{}, single: map[wire.Hash]*Archive{}}
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
		if len(f.Data) == 0 { // on the wire an empty file means a missing one
			return nil, fmt.Errorf("%s: the file is empty, and clients cannot fetch it; write something into it or take it away", f.Name)
		}
		if len(f.Data) > wire.MaxFile {
			return nil, fmt.Errorf("%s: %d bytes; a file that clients fetch has at most %d", f.Name, len(f.Data), wire.MaxFile)
		}
		h := wire.HashOf(f.Data)
		b.entries = append(b.entries, Entry{Name: f.Name, Size: len(f.Data), Hash: h})
		b.data[h] = f.Data
		b.Manifest = wire.AppendManifestFile(b.Manifest, f.Name, len(f.Data), &h)
	}
	b.Hash = wire.HashOf(b.Manifest)
	b.data[b.Hash] = b.Manifest
	b.alone = make([]*Archive, len(b.Files))
	b.whole = Single(b.Hash, b.Manifest)
	b.group(before)
	return b, nil
}

// group groups the files that are compressed together: neighbors by name, which are similar.
func (b *Bundle) group(before *Bundle) {
	b.batches, b.addresses = map[wire.Hash]int{}, []wire.Hash{b.Hash}
	i := 0
	for _, batch := range Batches(b.entries) {
		first := i
		p := &Archive{Hash: b.Hash, Size: batch.Size}
		for ; i < first+len(batch.Files); i++ {
			p.Files = Set(p.Files, i)
		}
		if p.body = before.packed(batch.Files); p.body == nil {
			p.body = &body{}
			for k := first; k < i; k++ {
				p.body.plain = append(p.body.plain, b.Files[k].Data)
			}
		}
		b.batches[batch.Hash] = len(b.groups)
		b.addresses = append(b.addresses, batch.Hash)
		b.groups, b.first = append(b.groups, p), append(b.first, first)
	}
}

// packed returns the body of a group of the same files, or nil.
func (b *Bundle) packed(list []Entry) *body {
	if b == nil {
		return nil
	}
	for k, p := range b.groups {
		mine := b.entries[b.first[k]:b.after(k)]
		if slices.EqualFunc(mine, list, func(x, y Entry) bool { return x.Hash == y.Hash }) {
			return p.body
		}
	}
	return nil
}

// after returns the number of the file after a group.
func (b *Bundle) after(group int) int {
	if group+1 < len(b.first) {
		return b.first[group+1]
	}
	return len(b.Files)
}

// Get returns the file of a hash, the manifest included, or nil.
func (b *Bundle) Get(h wire.Hash) []byte { return b.data[h] }

// Pack compresses what a client without any files gets, so that nobody waits for it later.
func (b *Bundle) Pack() {
	b.whole.Packed()
	for _, p := range b.groups {
		p.Packed()
	}
}

// Alone returns the archive of a single file with a hash, the manifest included, or nil.
func (b *Bundle) Alone(h wire.Hash) *Archive {
	if h == b.Hash {
		return b.whole
	}
	data := b.data[h]
	if data == nil {
		return nil
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	p := b.single[h]
	if p == nil {
		p = Single(h, data)
		b.single[h] = p
	}
	return p
}

// All appends the archives of all files.
func (b *Bundle) All(out []*Archive) []*Archive { return append(out, b.groups...) }

// Archives appends the archives of a set of files: whole groups, and for incomplete groups each file separately, so
// that nothing is compressed for one client only.
func (b *Bundle) Archives(out []*Archive, files []byte) []*Archive {
	b.mu.Lock()
	defer b.mu.Unlock()
	for k, g := range b.groups {
		n := 0
		for i := b.first[k]; i < b.after(k); i++ {
			if Has(files, i) {
				n++
			}
		}
		if n == b.after(k)-b.first[k] {
			out = append(out, g)
			continue
		}
		for i := b.first[k]; i < b.after(k) && n > 0; i++ {
			if !Has(files, i) {
				continue
			}
			if b.alone[i] == nil {
				b.alone[i] = &Archive{Hash: b.Hash, Files: Set(nil, i), Size: len(b.Files[i].Data), body: &body{plain: [][]byte{b.Files[i].Data}}}
			}
			out = append(out, b.alone[i])
		}
	}
	return out
}

// Update is what one bundle has and another lacks.
type Update struct {
	// Files are those files of the new manifest, nil for none.
	Files []byte
	// Delta holds the archives for a client that has all of the old bundle, the manifest first: a small change of a
	// large file is small. Full holds the same for other clients.
	Delta, Full []*Archive
}

// Since returns the update from another bundle, which may be nil.
func (b *Bundle) Since(before *Bundle) *Update {
	u := &Update{Full: []*Archive{b.whole}}
	if before == nil {
		before = &Bundle{}
	}
	for i := range b.entries {
		if before.Get(b.entries[i].Hash) == nil {
			u.Files = Set(u.Files, i)
		}
	}
	u.Delta = append(u.Delta, b.whole)
	if before.Manifest != nil {
		u.Delta[0] = &Archive{Hash: b.Hash, Base: before.Hash, Size: len(b.Manifest), body: &body{plain: [][]byte{b.Manifest}, dict: Tail(before.Manifest)}}
	}
	u.Full = b.Archives(u.Full, u.Files)
	// A useful dictionary must be within the window: files are grouped as long as their old text fits.
	for i := 0; i < len(b.entries); {
		if !Has(u.Files, i) {
			i++
			continue
		}
		p := &Archive{Hash: b.Hash, body: &body{}}
		old := 0
		for ; i < len(b.entries); i++ {
			if !Has(u.Files, i) {
				continue
			}
			was := find(before.entries, b.entries[i].Name)
			if p.Size > 0 && (p.Size+b.entries[i].Size > groupBytes || was != nil && old+was.Size > window) {
				break
			}
			if was != nil {
				old += was.Size
				p.body.dict = append(p.body.dict, before.data[was.Hash]...)
			}
			p.Files, p.Size = Set(p.Files, i), p.Size+len(b.Files[i].Data)
			p.body.plain = append(p.body.plain, b.Files[i].Data)
		}
		if p.body.dict = Tail(p.body.dict); len(p.body.dict) > 0 {
			p.Base = before.Hash
		}
		u.Delta = append(u.Delta, p)
	}
	return u
}

// MaxFiles bounds the files of a manifest.
const MaxFiles = wire.MaxFiles

// Entry is a file in a manifest that was read.
type Entry struct {
	Name string
	Size int
	Hash wire.Hash
}

// Read reads a manifest. It checks names: none leads out of its folder, and none occurs twice.
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
