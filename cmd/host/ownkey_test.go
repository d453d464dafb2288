package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tidelock/tidelock/netcode/kcplink"
)

// configFolder makes a folder of the test the user's config folder.
func configFolder(t *testing.T, dir string) {
	t.Helper()
	for _, name := range []string{"XDG_CONFIG_HOME", "HOME", "AppData"} {
		t.Setenv(name, dir)
	}
}

// identified returns the key of a host join with these flags, what gives it back, and what the user is told.
func identified(t *testing.T, args ...string) (key kcplink.Key, release func(), told string, err error) {
	t.Helper()
	var out bytes.Buffer
	sys := &system{stdout: &out, stderr: &out}
	p, err := parse(append([]string{"join"}, args...), sys)
	must(t, err)
	c := &p.commands.Join
	c.notices.divert(func(text string) { told += text })
	release, err = c.identify(&key)
	return key, release, told, err
}

// TestOwnKey: C2: host join keeps a key by default, which only its user can read. Of two at the same time one is a guest.
func TestOwnKey(t *testing.T) {
	dir := t.TempDir()
	configFolder(t, dir)
	one, release, told, err := identified(t)
	if err != nil || told != "" || one == (kcplink.Key{}) {
		t.Fatal(one, told, err)
	}
	var files []string
	_ = filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		must(t, err)
		i, err := d.Info()
		must(t, err)
		if path != dir && i.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s has mode %v", path, i.Mode())
		}
		if filepath.Base(path) == ownKeyFile {
			files = append(files, path)
		}
		return nil
	})
	if len(files) != 1 {
		t.Fatal(files)
	}
	two, releaseTwo, told, err := identified(t)
	if err != nil || two != (kcplink.Key{}) || !strings.Contains(told, "another host join of yours plays with your key; you play as a guest") || strings.Contains(told, "\n") {
		t.Error(two, told, err)
	}
	releaseTwo()
	named, _, told, err := identified(t, "--key", filepath.Join(dir, "bob.key"))
	if err != nil || told != "" || named == one || named == (kcplink.Key{}) {
		t.Error(named, told, err)
	}
	if i, err := os.Stat(filepath.Join(dir, "bob.key")); err != nil || i.Mode().Perm() != 0o600 {
		t.Error(i, err)
	}
	nowhere := filepath.Join(dir, "no", "such", "folder.key")
	if _, _, _, err := identified(t, "--key", nowhere); err == nil || !strings.Contains(err.Error(), nowhere) || strings.Contains(err.Error(), "\n") {
		t.Error(err)
	}
	release()
	for _, args := range [][]string{{"--guest"}, {"--token", "x"}} {
		if key, _, told, err := identified(t, args...); err != nil || told != "" || key != (kcplink.Key{}) {
			t.Error(args, key, told, err)
		}
	}
	if key, _, _, err := identified(t, "--guest", "--key", filepath.Join(dir, "bob.key")); err != nil || key != named {
		t.Error("--key does not win", err)
	}
	again, release, told, err := identified(t)
	if err != nil || told != "" || again != one {
		t.Error("another key the second time", told, err)
	}
	release()

	// What is no key stays as it is: a new one would be another player.
	must(t, os.WriteFile(files[0], []byte("my dog"), 0o600))
	if key, _, _, err := identified(t); err == nil || key != (kcplink.Key{}) || !strings.Contains(err.Error(), files[0]) || !strings.Contains(err.Error(), "remove it") || strings.Contains(err.Error(), "\n") {
		t.Error(err)
	}
	if b, err := os.ReadFile(files[0]); err != nil || string(b) != "my dog" {
		t.Errorf("%q, %v", b, err)
	}
	must(t, os.Remove(files[0]))
	if key, release, _, err := identified(t); err != nil || key == one || key == (kcplink.Key{}) {
		t.Error("a removed key came back", err)
	} else {
		release()
	}
}

// TestOwnKeyFolder: without a folder to keep a key in, the user plays as a guest and is told.
func TestOwnKeyFolder(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	must(t, os.WriteFile(file, nil, 0o600))
	configFolder(t, file)
	key, release, told, err := identified(t)
	release()
	if err != nil || key != (kcplink.Key{}) || !strings.Contains(told, file) || !strings.Contains(told, "as a guest") {
		t.Error(key, told, err)
	}
}
