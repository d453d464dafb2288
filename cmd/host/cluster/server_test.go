package cluster_test

import (
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/tidelock/tidelock/cmd/host/cluster"
	"github.com/tidelock/tidelock/cmd/host/cluster/rig"
)

// TestPinned: the module that nats-server is built from has the version that is told.
func TestPinned(t *testing.T) {
	b, err := os.ReadFile("natsserver/server.mod")
	must(t, err)
	if m := regexp.MustCompile(`github.com/nats-io/nats-server/v2 (\S+)`).FindSubmatch(b); m == nil || string(m[1]) != cluster.ServerVersion {
		t.Errorf("%q, want %s", m, cluster.ServerVersion)
	}
}

// TestOldServer: a nats-server on the PATH that is too old is not used, which is told.
func TestOldServer(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("programs have other names there")
	}
	rig.Server(t) // it is built, if there is none
	old := t.TempDir()
	if err := os.WriteFile(filepath.Join(old, "nats-server"), []byte("#!/bin/sh\necho nats-server: v2.10.27\n"), 0o700); err != nil { //nolint:gosec // a program
		t.Fatal(err)
	}
	t.Setenv("PATH", old+string(os.PathListSeparator)+os.Getenv("PATH"))
	var said []string
	p, err := cluster.FindServer(t.Context(), func(line string) { said = append(said, line) })
	if err != nil || strings.HasPrefix(p, old) || len(said) == 0 || !strings.Contains(said[0], "2.12") {
		t.Errorf("%s, %v, %q", p, err, said)
	}
}
