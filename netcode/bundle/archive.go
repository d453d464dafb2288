package bundle

import (
	"bytes"
	"compress/flate"
	"errors"
	"io"
	"slices"
	"sort"
	"sync"

	"github.com/tidelock/tidelock/netcode/wire"
)

const (
	// groupBytes is roughly how many bytes of files are compressed together: text after 32 KB of similar text
	// shrinks to two thirds of its separate size, and groups beyond some times that gain nothing.
	groupBytes = 96 << 10
	// window is how far back DEFLATE looks, in bytes: older text is useless as a dictionary.
	window = 32 << 10
	// level is the compression level: each archive is compressed once, and sent to everybody.
	level = flate.BestCompression
)

// Archive is one or several files for a client, compressed together (wire.Chunk). It is compressed on first use,
// once for all clients; many goroutines may use it.
type Archive struct {
	// Hash and Files identify the content, Base the dictionary, and Size is the inflated size in bytes: all as in
	// wire.Chunk.
	Hash  wire.Hash
	Files []byte
	Base  wire.Hash
	Size  int

	body *body
}

// Single returns the archive of a single file.
func Single(h wire.Hash, data []byte) *Archive {
	return &Archive{Hash: h, Size: len(data), body: &body{plain: [][]byte{data}}}
}

// Nothing returns the archive which says that the requested files do not exist. files is copied.
func Nothing(h wire.Hash, files []byte) *Archive {
	b := &body{}
	b.once.Do(func() {})
	return &Archive{Hash: h, Files: slices.Clone(files), body: b}
}

// body is the bytes of an archive. Bundles that have the same files share it.
type body struct {
	once  sync.Once
	plain [][]byte
	dict  []byte
	data  []byte
}

// Packed returns the compressed archive.
func (p *Archive) Packed() []byte {
	b := p.body
	b.once.Do(func() {
		b.data = deflate(b.plain, b.dict)
		b.plain, b.dict = nil, nil
	})
	return b.data
}

// writers pools compressors without a dictionary: creating one takes a megabyte, and a host compresses each file
// separately.
var writers = sync.Pool{New: func() any { return newWriter(nil) }}

func newWriter(dict []byte) *flate.Writer {
	w, err := flate.NewWriterDict(nil, level, dict)
	if err != nil {
		panic(err) // only for an invalid level
	}
	return w
}

func deflate(plain [][]byte, dict []byte) []byte {
	var out bytes.Buffer
	var w *flate.Writer
	if dict == nil {
		w = writers.Get().(*flate.Writer)
		defer writers.Put(w)
	} else {
		w = newWriter(dict)
	}
	w.Reset(&out)
	for _, p := range plain {
		_, _ = w.Write(p) // a buffer accepts everything
	}
	_ = w.Close()
	return out.Bytes()
}

// Inflate unpacks an archive, which is untrusted: if it does not give exactly size bytes, that is an error. It
// allocates at most twice the size, and less if the archive ends early.
func Inflate(packed []byte, size int, dict []byte) ([]byte, error) {
	in := bytes.NewReader(packed)
	r := flate.NewReaderDict(in, dict)
	out := make([]byte, 0, min(size, 8*len(packed)+512))
	for {
		if len(out) == cap(out) {
			if len(out) >= size {
				break
			}
			more := make([]byte, len(out), min(size, 2*cap(out)))
			copy(more, out)
			out = more
		}
		n, err := r.Read(out[len(out):cap(out)])
		out = out[:len(out)+n]
		if err != nil {
			if !errors.Is(err, io.EOF) || len(out) != size {
				return nil, errPacked
			}
			break
		}
	}
	var end [1]byte
	if n, err := r.Read(end[:]); n != 0 || !errors.Is(err, io.EOF) || in.Len() != 0 {
		return nil, errPacked
	}
	return out, nil
}

// errPacked has no details: nobody needs to know what is wrong with untrusted bytes.
var errPacked = errors.New("an archive of files that does not inflate to what it says")

// ErrBase reports an archive whose base files are not here.
var ErrBase = errors.New("an archive of files on the base of others that are not here")

// Dictionary returns the dictionary for files of one manifest on the base of another: the files of the same names.
// get returns a file by its hash; a missing one is an error.
func Dictionary(files, base []Entry, get func(wire.Hash) []byte) ([]byte, error) {
	var dict []byte
	for i := range files {
		e := find(base, files[i].Name)
		if e == nil {
			continue
		}
		data := get(e.Hash)
		if data == nil {
			return nil, ErrBase
		}
		dict = append(dict, data...)
	}
	return Tail(dict), nil
}

// Tail returns the useful part of a dictionary.
func Tail(dict []byte) []byte { return dict[max(0, len(dict)-window):] }

// find returns the file of a name, or nil. Entries are in order of their names.
func find(list []Entry, name string) *Entry {
	i := sort.Search(len(list), func(i int) bool { return list[i].Name >= name })
	if i < len(list) && list[i].Name == name {
		return &list[i]
	}
	return nil
}

// Set adds file i to a set of files of a manifest, which grows as needed.
func Set(files []byte, i int) []byte {
	for len(files) <= i/8 {
		files = append(files, 0)
	}
	files[i/8] |= 1 << (i % 8)
	return files
}

// Has reports whether file i is in a set of files of a manifest.
func Has(files []byte, i int) bool { return i/8 < len(files) && files[i/8]>>(i%8)&1 != 0 }

// Chosen returns the files of a manifest that are in a set.
func Chosen(list []Entry, files []byte) []Entry {
	var out []Entry
	for i := range list {
		if Has(files, i) {
			out = append(out, list[i])
		}
	}
	return out
}
