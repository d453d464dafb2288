// Package store is what outlives a match: records by key, in a backend that holds them safely (C1).
//
// A [Backend] is a database, used by one goroutine outside of the world: package cmd/host/store has one on a disk, [Memory] is
// for scenarios. A [Client] belongs to a world: it turns what scripts want into requests, merges writes to one key, and
// retries what another host overtook. The two exchange [Request] and [Reply] values, which the host carries between ticks, so
// that a tick waits for nothing.
//
// Guarantees: Never waits: requests and answers are values that the host carries. The same value is the same bytes;
// bytes from a file cause no panic.
package store

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Bounds (C1).
const (
	MaxKey   = 128       // bytes of a key as a script writes it
	MaxValue = 64 << 10  // bytes of a value, encoded
	MaxBlob  = 256 << 20 // bytes of what the host itself keeps: saved worlds
	MaxList  = 1000      // keys of one answer
	MaxTx    = 64        // writes of one transaction
)

// Revision counts the writes of a backend: every write of a record gives it a higher one. 0 is that of a record that is not
// there.
type Revision uint64

// Any as [Write].If writes whatever is there.
const Any = ^Revision(0)

// Record is what is stored at a key. Revision 0 means nothing is, and Value is nil.
type Record struct {
	Value    []byte
	Revision Revision
}

// Write replaces a record, or removes it if Value is nil. If is the revision that the record must have, 0 that there must be
// none, [Any] that it does not matter.
type Write struct {
	Key   string
	Value []byte
	If    Revision
}

// Backend holds records. One goroutine calls it, and it may wait for disks and networks. Keys are full: [Full] makes them. An
// error other than [ErrConflict] and [ErrQuota] says whether something may have been stored: [Unsure].
type Backend interface {
	// Get returns the record at a key. What is damaged is an error that names the key.
	Get(key string) (Record, error)
	// List returns keys that begin with a prefix, in order, from the first one after a key ("" for the first), at most a number.
	List(prefix, after string, most int) ([]string, error)
	// Commit makes all writes or none, and returns, when they are safe, the revision that each record has then (0 for removed ones).
	// [ErrConflict] means that a record had another revision.
	Commit(writes []Write) ([]Revision, error)
}

// ErrConflict means that a record was written by another meanwhile; nothing was stored.
var ErrConflict = errors.New("the record was written by another meanwhile")

// ErrQuota means that a namespace is full; nothing was stored. Errors of quotas wrap it.
var ErrQuota = errors.New("quota")

// UnsureError is an error after which nobody knows whether the writes were stored: the answer is lost.
type UnsureError struct{ Err error }

func (e *UnsureError) Error() string { return e.Err.Error() + " (it may or may not be stored)" }

func (e *UnsureError) Unwrap() error { return e.Err }

// Unsure reports whether an error leaves it open that the writes were stored.
func Unsure(err error) bool {
	var u *UnsureError
	return errors.As(err, &u)
}

// Namespaces of the host itself; mods have "mod/" and their name (C1).
const (
	Profiles = "profile" // C2
	Worlds   = "world"   // C3
)

// Game is the namespace of scripts that belong to no mod.
const Game = "game"

// OfMod returns the namespace of a mod's scripts, [Game] for "".
func OfMod(mod string) string {
	if mod == "" {
		return Game
	}
	return "mod." + mod
}

// Full joins a namespace and a key.
func Full(namespace, key string) string { return namespace + "/" + key }

// Split takes a full key apart.
func Split(full string) (namespace, key string) {
	namespace, key, _ = strings.Cut(full, "/")
	return namespace, key
}

// CheckKey returns an error for what is no key: 1 to [MaxKey] bytes of letters, digits and - _ . / : @ + =.
func CheckKey(key string) error {
	if key == "" || len(key) > MaxKey {
		return fmt.Errorf("a key has 1 to %d bytes; this one has %d", MaxKey, len(key))
	}
	for i := range len(key) {
		c := key[i]
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.IndexByte("-_./:@+=", c) >= 0 {
			continue
		}
		r, _ := utf8.DecodeRuneInString(key[i:])
		return fmt.Errorf("key %q: %q is not allowed; use letters, digits and - _ . / : @ + =", key, r)
	}
	return nil
}

// MaxFull bounds a key with its namespace, in bytes.
const MaxFull = 512

// CheckFull returns an error for what is no full key, in any backend.
func CheckFull(key string) error {
	space, name, ok := strings.Cut(key, "/")
	switch {
	case !ok || space == "" || name == "":
		return fmt.Errorf("key %q: expected a namespace, a slash and a name, for example %s/NAME", key, Game)
	case len(key) > MaxFull:
		return fmt.Errorf("key %.40q…: it has %d bytes with its namespace, at most %d are allowed", key, len(key), MaxFull)
	case !utf8.ValidString(key) || strings.ContainsFunc(key, unicode.IsControl):
		return fmt.Errorf("key %q: expected text without control characters", key)
	}
	return nil
}
