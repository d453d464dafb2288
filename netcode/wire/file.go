package wire

// Want asks for a file from an offset on: a script, a class table, a manifest.
//
//	[8, hash, offset]
type Want struct {
	Hash   Hash
	Offset int
}

// AppendWant appends a request for a file.
func AppendWant(b []byte, m *Want) []byte {
	b = AppendBin(appendMessage(b, KindWant, 2), m.Hash[:])
	return AppendUint(b, uint64(m.Offset))
}

// Want reads the fields of a request for a file.
func (r *Reader) Want(fields int) (m Want) {
	if r.fields(fields, 2) {
		m.Hash = r.hash()
		m.Offset = int(r.IntIn(0, MaxFile))
	}
	return m
}

// Chunk is a piece of a file:
//
//	[9, hash, offset, total, data]
//
// total int is the whole file's size; data bin ≤ 16 384. A file that is not there has total 0 and no data: no
// empty file is ever asked for. The receiver holds no more than what came: a file is whole when offset and data
// reach total, and right when its SHA-256 is its name.
type Chunk struct {
	Hash          Hash
	Offset, Total int
	// Data points into what was read.
	Data []byte
}

// AppendChunk appends a piece of a file.
func AppendChunk(b []byte, m *Chunk) []byte {
	b = AppendBin(appendMessage(b, KindChunk, 4), m.Hash[:])
	b = AppendUint(AppendUint(b, uint64(m.Offset)), uint64(m.Total))
	return AppendBin(b, m.Data)
}

// Chunk reads the fields of a piece of a file. Pieces that do not lie inside it are an error.
func (r *Reader) Chunk(fields int) (m Chunk) {
	if !r.fields(fields, 4) {
		return m
	}
	m.Hash = r.hash()
	m.Offset, m.Total = int(r.IntIn(0, MaxFile)), int(r.IntIn(0, MaxFile))
	m.Data = r.Bytes(MaxChunk)
	if m.Offset+len(m.Data) > m.Total {
		r.Fail(ErrRange)
	}
	if r.err != nil {
		return Chunk{}
	}
	return m
}

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

// ManifestFile is one file of a manifest. Name points into what was read.
type ManifestFile struct {
	Name []byte
	Size int
	Hash Hash
}

// Manifest reads the head of a manifest and gives the number of its files.
func (r *Reader) Manifest() int {
	n := r.Array()
	if n%3 != 0 {
		r.Fail(ErrFields)
		return 0
	}
	return n / 3
}

// ManifestFile reads one file of a manifest. The name is any text: who makes a path of it checks it.
func (r *Reader) ManifestFile() (f ManifestFile) {
	f.Name = r.Bytes(MaxText)
	f.Size = int(r.IntIn(0, MaxFile))
	f.Hash = r.hash()
	return f
}
