//go:build unix

package secret_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/tidelock/tidelock/cmd/host/secret"
)

// TestCheck (G16): a secret belongs to its owner alone; what decides about others may be read by them, but not written.
func TestCheck(t *testing.T) {
	name := filepath.Join(t.TempDir(), "key")
	if err := os.WriteFile(name, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	shared, writable := secret.ErrShared, secret.ErrWritable
	for mode, want := range map[os.FileMode][2]error{ // any order: each on its own
		0o600: {}, 0o400: {}, 0o700: {}, 0o640: {shared, nil}, 0o604: {shared, nil}, 0o644: {shared, nil}, 0o601: {shared, nil},
		0o620: {shared, writable}, 0o602: {shared, writable}, 0o666: {shared, writable},
	} {
		if err := os.Chmod(name, mode); err != nil {
			t.Fatal(err)
		}
		f, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		for i, check := range []func(*os.File) error{secret.Check, secret.CheckWrite} {
			if err := check(f); !errors.Is(err, want[i]) {
				t.Errorf("mode %04o: %v, want %v", mode, err, want[i])
			}
		}
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	}
}
