package main

import (
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/tidelock/tidelock/cmd/host/secret"
	"github.com/tidelock/tidelock/netcode/kcplink"
)

// The operator's key for connect tokens is a file of one line: 64 hexadecimal digits. Anyone who has it can
// admit anybody, so it is created with mode 0600.

// maxKeyFile is how much of a key file is read, in bytes; a longer file is not a key.
const maxKeyFile = 1024

// readTokenKey reads a key file.
func readTokenKey(file string) (key [32]byte, err error) {
	f, err := os.Open(file)
	if err != nil {
		return key, fmt.Errorf("key file %q: %w; make one with host token --new-key --key %s", file, reasonOf(err), file)
	}
	defer f.Close() //nolint:errcheck // it was only read
	if err := secret.Check(f); err != nil {
		return key, fmt.Errorf("key file %q: %w", file, reasonOf(err))
	}
	b, err := io.ReadAll(io.LimitReader(f, maxKeyFile))
	if err != nil {
		return key, fmt.Errorf("key file %q: %w", file, reasonOf(err))
	}
	b = bytes.TrimSpace(b)
	if n, err := hex.Decode(key[:], b[:min(len(b), 2*len(key))]); err != nil || n != len(key) || len(b) != 2*len(key) || key == [32]byte{} {
		return [32]byte{}, fmt.Errorf("key file %q: expected one line of 64 hexadecimal digits, as host token --new-key writes it", file)
	}
	return key, nil
}

// newTokenKey writes a key file with a random key. It never overwrites one, because its tokens would become
// invalid.
func newTokenKey(file string) error {
	var key [32]byte
	if _, err := rand.Read(key[:]); err != nil {
		return err
	}
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return usageError{fmt.Errorf("key file %q already exists; give another name, or remove it, which makes its tokens void", file)}
	}
	if err != nil {
		return usageError{fmt.Errorf("key file %q: %w; name a file that can be written", file, reasonOf(err))}
	}
	_, err = fmt.Fprintln(f, hex.EncodeToString(key[:]))
	if e := f.Close(); err == nil {
		err = e
	}
	return err
}

// playerKey returns a player's key from a file of the same format, which is created if it does not exist.
func playerKey(file string) (kcplink.Key, error) {
	if _, err := os.Stat(file); errors.Is(err, fs.ErrNotExist) {
		if err := newTokenKey(file); err != nil {
			return kcplink.Key{}, err
		}
	}
	private, err := readTokenKey(file)
	if err != nil {
		return kcplink.Key{}, err
	}
	return kcplink.KeyFromPrivate(private)
}

// reasonOf returns an error of a file without the path that the message already has.
func reasonOf(err error) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return pe.Err
	}
	return err
}
