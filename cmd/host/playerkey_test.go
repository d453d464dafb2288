package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestPlayerKey: a player's key is made once, is nobody else's to read, and is the same each time.
func TestPlayerKey(t *testing.T) {
	file := filepath.Join(t.TempDir(), "ann.key")
	one, err := playerKey(file)
	must(t, err)
	if st, err := os.Stat(file); err != nil || st.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", st.Mode(), err)
	}
	if two, err := playerKey(file); err != nil || two != one {
		t.Errorf("another key the second time, %v", err)
	}
	must(t, os.WriteFile(file, []byte("my dog"), 0o600))
	for _, f := range []string{file, filepath.Join(t.TempDir(), "no", "such", "folder.key")} {
		if _, err := playerKey(f); err == nil || !strings.Contains(err.Error(), f) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v", f, err)
		}
	}
}
