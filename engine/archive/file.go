package archive

import (
	"bytes"
	"compress/flate"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// Bounds.
const (
	// MaxContent bounds the content of a file, in bytes, before compression.
	MaxContent = 128 << 20
	// Version is that of the files that Seal makes. Open refuses others: what is saved changes with the engine.
	Version = 1

	magic = "TLWORLD"
	// level of the compression: the fastest makes a world a third larger than the best does, in a twelfth of the time.
	level = flate.BestSpeed
)

// Errors of [Open]; it wraps them in one line.
var (
	ErrFormat  = errors.New("not a saved world")
	ErrVersion = errors.New("saved by another version")
	ErrDamaged = errors.New("damaged")
)

// Seal makes a file of a content: it is compressed and gets a checksum. It may run on any goroutine.
func Seal(content []byte) ([]byte, error) {
	if len(content) > MaxContent {
		return nil, fmt.Errorf("the world takes %d bytes, at most %d can be saved", len(content), MaxContent)
	}
	var b bytes.Buffer
	b.Grow(len(content)/3 + 1024)
	b.WriteString(magic)
	b.WriteByte(Version)
	b.Write(binary.AppendUvarint(nil, uint64(len(content))))
	f, err := flate.NewWriter(&b, level)
	if err != nil {
		panic("archive: " + err.Error()) // the level is a constant
	}
	if _, err := f.Write(content); err != nil {
		return nil, err
	}
	if err := f.Close(); err != nil {
		return nil, err
	}
	sum := sha256.Sum256(b.Bytes())
	b.Write(sum[:])
	return b.Bytes(), nil
}

// Open checks a file and returns its content. It may run on any goroutine. Memory is taken as the content grows, up to the size
// that the file declares and never beyond [MaxContent].
func Open(file []byte) ([]byte, error) {
	head := len(magic) + 1
	if len(file) < head || string(file[:len(magic)]) != magic {
		return nil, ErrFormat
	}
	if v := file[len(magic)]; v != Version {
		return nil, fmt.Errorf("%w: it has version %d, this host reads %d", ErrVersion, v, Version)
	}
	if len(file) < head+sha256.Size {
		return nil, fmt.Errorf("%w: it is cut off", ErrDamaged)
	}
	body := file[:len(file)-sha256.Size]
	if sum := sha256.Sum256(body); subtle.ConstantTimeCompare(sum[:], file[len(body):]) != 1 {
		return nil, fmt.Errorf("%w: its checksum does not match", ErrDamaged)
	}
	size, n := binary.Uvarint(body[head:])
	if n <= 0 || size > MaxContent {
		return nil, fmt.Errorf("%w: it declares a wrong size", ErrDamaged)
	}
	f := flate.NewReader(bytes.NewReader(body[head+n:]))
	content, err := io.ReadAll(io.LimitReader(f, int64(size)+1))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	if uint64(len(content)) != size {
		return nil, fmt.Errorf("%w: it declares %d bytes and has other ones", ErrDamaged, size)
	}
	return content, nil
}
