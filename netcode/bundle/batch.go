package bundle

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"

	"github.com/tidelock/tidelock/netcode/wire"
)

// Batch is files of a manifest that cross together where a client asks for them outside the link, by HTTP (W2.5): neighbors by
// name, one after another without anything between. Which they are follows from the manifest alone.
type Batch struct {
	// Hash is the address: the hash of the hashes of the files, or of the file where it is one alone.
	Hash wire.Hash
	// Files are what is in it, Size how long they are together, in bytes.
	Files []Entry
	Size  int
}

// Batches are all files of a manifest.
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

// Split checks the bytes of a batch, which may be anybody's, and calls put for each file in it. Nothing is put unless all of it
// is as the manifest says. What is put is data's own memory.
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

// Addresses are the hashes by which all of it is to be had with Gzip: the manifest, then its batches.
func (b *Bundle) Addresses() []wire.Hash { return b.addresses }

// Gzip is the batch, the file or the manifest of a hash as gzip (RFC 1952); nil where there is none. What clients get over the
// link is compressed once for both.
func (b *Bundle) Gzip(h wire.Hash) []byte {
	if k, ok := b.batches[h]; ok {
		sum, size := uint32(0), 0
		for _, f := range b.Files[b.first[k]:b.after(k)] {
			sum, size = crc32.Update(sum, crc32.IEEETable, f.Data), size+len(f.Data)
		}
		return asGzip(b.groups[k].Packed(), sum, size)
	}
	data := b.data[h]
	if data == nil {
		return nil
	}
	return asGzip(b.Alone(h).Packed(), crc32.ChecksumIEEE(data), len(data))
}

// asGzip frames compressed bytes, of which it is told the sum and the size of what they were.
func asGzip(packed []byte, sum uint32, size int) []byte {
	out := make([]byte, 0, len(packed)+18)
	out = append(out, 31, 139, 8, 0, 0, 0, 0, 0, 2, 255) // deflate, no name, no time, best compression, no system
	out = append(out, packed...)
	out = binary.LittleEndian.AppendUint32(out, sum)
	return binary.LittleEndian.AppendUint32(out, uint32(size))
}
