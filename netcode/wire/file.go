package wire

// Want requests files:
//
//	[8, hash, files]
//
// With files nil it requests the file of that hash: a manifest, a class table, a script. Else files is bin of at
// most 512 bytes, and it requests those of the manifest of that hash whose bits are set: bit i mod 8 of byte i div
// 8 is its i-th file. So one message can request all missing files.
type Want struct {
	Hash Hash
	// Files is a slice of the input; nil means the file of Hash itself.
	Files []byte
}

// AppendWant appends a request for files.
func AppendWant(b []byte, m *Want) []byte {
	return appendFiles(AppendBin(appendMessage(b, KindWant, 2), m.Hash[:]), m.Files)
}

// Want reads the fields of a request for files.
func (r *Reader) Want(fields int) (m Want) {
	if r.fields(fields, 2) {
		m.Hash, m.Files = r.hash(), r.files()
	}
	if r.err != nil {
		return Want{}
	}
	return m
}

// appendFiles appends which files of a manifest are meant, or nil for the file with the hash itself.
func appendFiles(b, files []byte) []byte {
	if files == nil {
		return append(b, mpNil)
	}
	return AppendBin(b, files)
}

// files reads what appendFiles wrote.
func (r *Reader) files() []byte {
	if r.Nil() {
		return nil
	}
	f := r.bin(MaxFiles / 8)
	if len(f) == 0 {
		r.Fail(ErrRange) // none of them
	}
	return f
}

// bin is Bytes without text.
func (r *Reader) bin(limit int) []byte {
	if s := r.Peek(); s != ShapeBin && s != ShapeNone {
		r.Fail(ErrType)
	}
	return r.Bytes(limit)
}

// Chunk is a part of an archive, which is one or several files, compressed together:
//
//	[9, hash, files, base, size, packed, offset, data]
//
// hash and files identify it, as in [Want]. The archive is packed bytes of raw DEFLATE (RFC 1951), of which these
// are data, bin of at most 16 384, from offset on. They inflate to size bytes: the files, one after the other in
// the manifest's order. base is nil, or identifies the dictionary: for the file itself the file of that hash, for
// files of a manifest the files of the same names of the manifest base, one after the other; of either, the last 32
// 768 bytes. An archive's chunks follow each other, without chunks of another one in between. If the requested files
// do not exist, size and packed are 0.
type Chunk struct {
	Hash Hash
	// Files and Data are slices of the input.
	Files []byte
	// Base is the hash of the dictionary, zeros for none.
	Base                 Hash
	Size, Packed, Offset int
	Data                 []byte
}

// AppendChunk appends a part of an archive.
func AppendChunk(b []byte, m *Chunk) []byte {
	b = appendFiles(AppendBin(appendMessage(b, KindChunk, 7), m.Hash[:]), m.Files)
	if m.Base == (Hash{}) {
		b = append(b, mpNil)
	} else {
		b = AppendBin(b, m.Base[:])
	}
	return AppendBin(appendUints(b, m.Size, m.Packed, m.Offset), m.Data)
}

// Chunk reads the fields of a part of an archive. Parts that exceed it are an error, and so is an archive that can only
// be an attack: one that claims to inflate to more than DEFLATE can.
func (r *Reader) Chunk(fields int) (m Chunk) {
	if !r.fields(fields, 7) {
		return m
	}
	m.Hash, m.Files = r.hash(), r.files()
	if !r.Nil() {
		if m.Base = r.hash(); m.Base == (Hash{}) {
			r.Fail(ErrRange)
		}
	}
	m.Size, m.Packed = int(r.IntIn(0, MaxFile)), int(r.IntIn(0, MaxPacked))
	m.Offset = int(r.IntIn(0, MaxPacked))
	m.Data = r.bin(MaxChunk)
	if m.Offset+len(m.Data) > m.Packed || m.Size > maxRatio*m.Packed || m.Packed > 0 && (m.Size == 0 || len(m.Data) == 0) {
		r.Fail(ErrRange)
	}
	if r.err != nil {
		return Chunk{}
	}
	return m
}

// maxRatio is the highest compression ratio of DEFLATE: 258 bytes for two bits.
const maxRatio = 1032

// A manifest is a file, named by its own hash:
//
//	[name, size, hash, name, size, hash, …]
//
// name str ≤ 255, a path with slashes from the scripts' folder, ascending; size int; hash bin 32.

// AppendManifest appends the head of a manifest of n files.
func AppendManifest(b []byte, n int) []byte { return AppendArray(b, 3*n) }

// AppendManifestFile appends a file of a manifest.
func AppendManifestFile(b []byte, name string, size int, hash *Hash) []byte {
	b = AppendUint(AppendString(b, cut(name, MaxText)), uint64(size))
	return AppendBin(b, hash[:])
}

// ManifestFile is one file of a manifest. Name is a slice of the input.
type ManifestFile struct {
	Name []byte
	Size int
	Hash Hash
}

// Manifest reads the head of a manifest and returns the number of its files.
func (r *Reader) Manifest() int {
	n := r.Array()
	if n%3 != 0 {
		r.Fail(ErrFields)
		return 0
	}
	return n / 3
}

// ManifestFile reads one file of a manifest. The name is arbitrary text: code that makes a path of it must check
// it.
func (r *Reader) ManifestFile() (f ManifestFile) {
	f.Name = r.Bytes(MaxText)
	f.Size = int(r.IntIn(0, MaxFile))
	f.Hash = r.hash()
	return f
}
