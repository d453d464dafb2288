package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tidelock/tidelock/netcode/kcplink"
)

// G15: a host that is started again at its port is the same host.
func TestHostKey(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("XDG_CACHE_HOME", dir)
	t.Setenv("HOME", dir)
	key := func(file, listen string) kcplink.Key {
		k, err := hostKey(file, listen)
		must(t, err)
		return k
	}
	a := key("", "127.0.0.1:7777")
	if a == (kcplink.Key{}) || key("", ":7777") != a || key("", ":7778") == a {
		t.Error("the key does not follow from the port")
	}
	if key("", "127.0.0.1:0") != (kcplink.Key{}) {
		t.Error("a port that nobody chose has a key")
	}
	named := filepath.Join(t.TempDir(), "key")
	if b := key(named, ":0"); b == (kcplink.Key{}) || key(named, ":1") != b {
		t.Error("a named file does not give its key")
	}
	if i, err := os.Stat(named); err != nil || i.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", i, err)
	}
	bad := filepath.Join(t.TempDir(), "bad")
	must(t, os.WriteFile(bad, []byte("x\n"), 0o600))
	if _, err := hostKey(bad, ":7777"); err == nil || !strings.HasPrefix(err.Error(), "--host-key: key file ") {
		t.Error(err)
	}
	file := filepath.Join(t.TempDir(), "file")
	must(t, os.WriteFile(file, nil, 0o600))
	t.Setenv("XDG_CACHE_HOME", file)
	if key("", ":7777") != (kcplink.Key{}) {
		t.Error("no folder, and a key")
	}
}
