//go:build unix

package store

import (
	"os"

	"golang.org/x/sys/unix"
)

// syncFolder makes the names in a folder safe: a file that was made or renamed is there after a power cut.
func syncFolder(name string) error {
	d, err := os.Open(name)
	if err != nil {
		return err
	}
	err = d.Sync()
	if e := d.Close(); err == nil {
		err = e
	}
	return err
}

// unlock gives back the lock of a file.
func unlock(f *os.File) error { return unix.Flock(int(f.Fd()), unix.LOCK_UN) } //nolint:gosec // a descriptor
