//go:build unix

package secret_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/tidelock/tidelock/cmd/host/secret"
)

// TestCheck (G16): a secret belongs to its owner alone.
func TestCheck(t *testing.T) {
	name := filepath.Join(t.TempDir(), "key")
	if err := os.WriteFile(name, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for mode, good := range map[os.FileMode]bool{ // any order: each on its own
		0o600: true, 0o400: true, 0o700: true, 0o640: false, 0o604: false, 0o644: false, 0o620: false, 0o602: false, 0o601: false,
	} {
		if err := os.Chmod(name, mode); err != nil {
			t.Fatal(err)
		}
		f, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		err = secret.Check(f)
		if good && err != nil || !good && !errors.Is(err, secret.ErrShared) {
			t.Errorf("mode %04o: %v", mode, err)
		}
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestCheckWrite: what decides about others may be read by them, but not written.
func TestCheckWrite(t *testing.T) {
	name := filepath.Join(t.TempDir(), "access.toml")
	if err := os.WriteFile(name, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for mode, good := range map[os.FileMode]bool{0o600: true, 0o644: true, 0o640: true, 0o620: false, 0o602: false, 0o666: false} { // any order: each on its own
		if err := os.Chmod(name, mode); err != nil {
			t.Fatal(err)
		}
		f, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		err = secret.CheckWrite(f)
		if good && err != nil || !good && !errors.Is(err, secret.ErrWritable) {
			t.Errorf("mode %04o: %v", mode, err)
		}
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	}
}
