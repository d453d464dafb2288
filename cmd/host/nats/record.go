package nats

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"hash/crc32"

	"github.com/tidelock/tidelock/engine/store"
)

// A record's message: checksum 4 | kind 1 | rest. Numbers are big-endian.
const recordHead = 4 + 1

// kind is what follows the head of a record.
type kind byte

const (
	kindValue   kind = 1 // the value
	kindPointer kind = 2 // where the value is, see pointer
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// DamagedError says why a record cannot be read: it was damaged, or somebody wrote it who is no host (C8).
type DamagedError struct{ Key, What string }

func (e *DamagedError) Error() string {
	return fmt.Sprintf("record %s in the cluster's store is damaged: %s; write it again, or restore an export", e.Key, e.What)
}

// DamagedKey returns the key of the record.
func (e *DamagedError) DamagedKey() string { return e.Key }

// sumOf is the CRC-32C of a key with the kind and rest of its record.
func sumOf(key string, body []byte) uint32 {
	return crc32.Update(crc32.Checksum([]byte(key), castagnoli), castagnoli, body)
}

// appendRecord makes a record's message.
func appendRecord(key string, k kind, rest []byte) []byte {
	b := make([]byte, recordHead, recordHead+len(rest))
	b[4] = byte(k)
	b = append(b, rest...)
	binary.BigEndian.PutUint32(b, sumOf(key, b[4:]))
	return b
}

// parseRecord checks a record's message. Exactly one of value and at is there, which share its memory.
func parseRecord(key string, b []byte) (value []byte, at *pointer, err error) {
	if len(b) < recordHead {
		return nil, nil, &DamagedError{key, "it is too short for a record"}
	}
	if binary.BigEndian.Uint32(b) != sumOf(key, b[4:]) {
		return nil, nil, &DamagedError{key, "its checksum is wrong"}
	}
	rest := b[recordHead:]
	switch kind(b[4]) {
	case kindValue:
		if len(rest) > mostOf(key) {
			return nil, nil, &DamagedError{key, fmt.Sprintf("its value has %d bytes, at most %d are allowed", len(rest), mostOf(key))}
		}
		return rest, nil, nil
	case kindPointer:
		p, ok := parsePointer(rest)
		if !ok || p.size > uint64(mostOf(key)) { //nolint:gosec // a constant
			return nil, nil, &DamagedError{key, "it does not tell where its value is"}
		}
		return nil, p, nil
	}
	return nil, nil, &DamagedError{key, fmt.Sprintf("its kind %d is not known to this host; update it if others are newer", b[4])}
}

// pointer tells where a long value is: in the messages of so many chunks, whose subjects have its id and their number.
//
//	id 16 | chunks 4 | size 8 | SHA-256 of the value 32
type pointer struct {
	id     [16]byte
	chunks uint32
	size   uint64
	sum    [sha256.Size]byte
}

const pointerSize = 16 + 4 + 8 + sha256.Size

func (p *pointer) bytes() []byte {
	b := bytes.Clone(p.id[:])
	b = binary.BigEndian.AppendUint32(b, p.chunks)
	b = binary.BigEndian.AppendUint64(b, p.size)
	return append(b, p.sum[:]...)
}

func parsePointer(b []byte) (*pointer, bool) {
	if len(b) != pointerSize {
		return nil, false
	}
	p := &pointer{
		id: [16]byte(b), chunks: binary.BigEndian.Uint32(b[16:]), size: binary.BigEndian.Uint64(b[20:]), sum: [sha256.Size]byte(b[28:]),
	}
	return p, p.size <= store.MaxBlob && uint64(p.chunks) == (p.size+chunkSize-1)/chunkSize
}
