package store

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"

	"github.com/tidelock/tidelock/engine/store"
)

const (
	// recordHead is the size of what precedes a value, in bytes.
	recordHead = 4 + 8 + 4
	maxFullKey = store.MaxFull
	// format is the version of the file's format. A file with a higher one is refused.
	format = 1
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// DamagedError says what of a file cannot be read. Key is "" if it is no single record.
type DamagedError struct {
	File, Key, What string
}

func (e *DamagedError) Error() string {
	const do = "; host store check lists all damage, host store import restores records from an export"
	if e.Key == "" {
		return fmt.Sprintf("store %s is damaged: %s%s", e.File, e.What, do)
	}
	return fmt.Sprintf("record %s in %s is damaged: %s%s", e.Key, e.File, e.What, do)
}

// DamagedKey returns the key of the record, "" if it is the file.
func (e *DamagedError) DamagedKey() string { return e.Key }

// appendRecord appends a record as it is stored.
func appendRecord(to []byte, key string, r store.Record) []byte {
	at := len(to)
	to = append(to, make([]byte, recordHead)...)
	head := to[at:]
	binary.BigEndian.PutUint64(head[4:], uint64(r.Revision))
	binary.BigEndian.PutUint32(head[12:], crc32.Checksum(r.Value, castagnoli))
	binary.BigEndian.PutUint32(head, headSum(key, head, len(r.Value)))
	return append(to, r.Value...)
}

// headSum is the checksum of a key with the head of its record and the size of the value.
func headSum(key string, head []byte, size int) uint32 {
	var b [maxFullKey + recordHead]byte
	n := copy(b[:], key)
	n += copy(b[n:], head[4:recordHead])
	n += copy(b[n:], binary.BigEndian.AppendUint32(nil, uint32(size))) //nolint:gosec // at most store.MaxBlob
	return crc32.Checksum(b[:n], castagnoli)
}

// headOf checks the head of a stored record of so many bytes and returns the revision.
func headOf(key string, head []byte, size int) (rev store.Revision, what string) {
	if len(head) < recordHead || size < recordHead || len(key) > maxFullKey {
		return 0, "it is too short for a record"
	}
	if binary.BigEndian.Uint32(head) != headSum(key, head, size-recordHead) {
		return 0, "the checksum of its key and revision is wrong"
	}
	return store.Revision(binary.BigEndian.Uint64(head[4:])), ""
}

// recordOf checks a stored record and returns it; the value shares the memory. what is "" for a good one.
func recordOf(key string, stored []byte) (r store.Record, what string) {
	rev, what := headOf(key, stored, len(stored))
	if what != "" {
		return store.Record{}, what
	}
	value := stored[recordHead:]
	if binary.BigEndian.Uint32(stored[12:]) != crc32.Checksum(value, castagnoli) {
		return store.Record{}, "the checksum of its value is wrong"
	}
	return store.Record{Value: value, Revision: rev}, ""
}

// number is a stored number with its checksum: 8 + 4 bytes.
func number(n uint64) []byte { return numbers(n) }

// numbers are stored numbers with a checksum of all.
func numbers(list ...uint64) []byte {
	var b []byte
	for _, n := range list {
		b = binary.BigEndian.AppendUint64(b, n)
	}
	return binary.BigEndian.AppendUint32(b, crc32.Checksum(b, castagnoli))
}

// numbersOf reads so many stored numbers.
func numbersOf(b []byte, into ...*uint64) bool {
	n := 8 * len(into)
	if len(b) != n+4 || binary.BigEndian.Uint32(b[n:]) != crc32.Checksum(b[:n], castagnoli) {
		return false
	}
	for i, p := range into {
		*p = binary.BigEndian.Uint64(b[8*i:])
	}
	return true
}

// checkSize returns an error for a value that is too large for its namespace.
func checkSize(key string, size int) error {
	space, _ := store.Split(key)
	most := store.MaxValue
	if space == store.Worlds || space == store.Profiles {
		most = store.MaxBlob
	}
	if size > most {
		return fmt.Errorf("%s: the value has %d bytes, at most %d are allowed; nothing was stored", key, size, most)
	}
	return nil
}
