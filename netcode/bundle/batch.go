package bundle

import (
	"fmt"

	"github.com/tidelock/tidelock/netcode/wire"
)

// Batch is a group of files of a manifest that a client requests together over HTTP, outside the link (W2.5):
// neighbors by name, concatenated. The manifest alone determines the groups.
type Batch struct {
	// Hash is the address: the hash of the hashes of the files, or of the file if there is only one.
	Hash wire.Hash
	// Files lists the content, Size is its total size in bytes.
	Files []Entry
	Size  int
}

// Batches returns the batches that make up a manifest.
func Batches(list []Entry) []Batch {
	var out []Batch
	for i := 0; i < len(list); {
		first, size := i, 0
		for ; i < len(list) && (i == first || size+list[i].Size <= groupBytes); i++ {
			size += list[i].Size
		}
		b := Batch{Hash: list[first].Hash, Files: list[first:i:i], Size: size}
		if len(b.Files) > 1 {
			var all []byte
			for k := range b.Files {
				all = append(all, b.Files[k].Hash[:]...)
			}
			b.Hash = wire.HashOf(all)
		}
		out = append(out, b)
	}
	return out
}

// Split checks the bytes of a batch, which are untrusted, and calls put for each file. It calls put only if all of
// it matches the manifest. The slices passed to put are parts of data.
func (b *Batch) Split(data []byte, put func(h wire.Hash, data []byte)) error {
	if len(data) != b.Size {
		return fmt.Errorf("%d bytes of files; expected %d", len(data), b.Size)
	}
	rest := data
	for i := range b.Files {
		e := &b.Files[i]
		if wire.HashOf(rest[:e.Size]) != e.Hash {
			return fmt.Errorf("the file %q is another than the manifest lists", e.Name)
		}
		rest = rest[e.Size:]
	}
	for i := range b.Files {
		e := &b.Files[i]
		put(e.Hash, data[:e.Size:e.Size])
		data = data[e.Size:]
	}
	return nil
}

// Addresses returns the hashes that a client requests to get everything: the manifest's, then those of the batches.
func (b *Bundle) Addresses() []wire.Hash { return b.addresses }

// Batch returns the batch, the file or the manifest with a hash, or nil.
func (b *Bundle) Batch(h wire.Hash) []byte {
	k, ok := b.batches[h]
	if !ok || b.after(k)-b.first[k] == 1 {
		return b.data[h]
	}
	out := make([]byte, 0, b.groups[k].Size)
	for _, f := range b.Files[b.first[k]:b.after(k)] {
		out = append(out, f.Data...)
	}
	return out
}
