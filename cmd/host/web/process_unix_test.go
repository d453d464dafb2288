//go:build linux

package web

import (
	"os"
	"path/filepath"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"
)

// fakeGo is a go command whose build names two of three packages, waits for a line in the pipe "on", and goes on.
const fakeGo = `#!/bin/sh
case $1 in
env) echo "$FAKE";;
list) printf 'a\nb\nc\nmain\n';;
build)
	printf 'a\ngo: downloading x v1.0.0\nb\n' >&2
	read -r line <"$FAKE/on"
	printf 'c\nmain\n' >&2
	printf '\0asm' >"$4";;
esac
`

// The progress of a build is known by package; a build yields to the first player, with all that it starts; and Close ends it.
func TestProgress(t *testing.T) {
	leaks := goleak.IgnoreCurrent()
	fake := t.TempDir()
	t.Setenv("FAKE", fake)
	t.Setenv("PATH", fake+":"+os.Getenv("PATH"))
	writeFile(t, filepath.Join(fake, "lib/wasm/wasm_exec.js"), nil, time.Now())
	if err := os.WriteFile(filepath.Join(fake, "go"), []byte(fakeGo), 0o700); err != nil { //nolint:gosec // it is run
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(filepath.Join(fake, "on"), 0o600); err != nil {
		t.Fatal(err)
	}
	var playing atomic.Bool
	options := BuilderOptions{Source: Source{Checkout: fake}, Dir: t.TempDir(), Playing: playing.Load}
	b := built(t, options)
	halfway := func(b *Builder) func() bool { return func() bool { return b.join().Begun == 2 } }
	eventually(t, "two packages have begun", halfway(b))
	if j := b.join(); j.State != "building" || j.Of != 3 || j.Text != "compiling, 2 of 3 packages" {
		t.Errorf("%+v", j)
	}
	nice := func(process int) int { // 0 is the test's
		n, err := syscall.Getpriority(syscall.PRIO_PROCESS, process)
		if err != nil {
			t.Fatal(err)
		}
		return 20 - n // the system call gives 20 less the niceness
	}
	if own := nice(0); own < niceness {
		b.tool.mu.Lock()
		build := b.tool.running.Process.Pid
		b.tool.mu.Unlock()
		if before := nice(build); before != own {
			t.Errorf("niceness %d before anybody plays, the host has %d", before, own)
		}
		playing.Store(true)
		eventually(t, "the build yields", func() bool { return nice(build) == niceness })
	}
	if err := os.WriteFile(filepath.Join(fake, "on"), []byte("\n"), 0); err != nil {
		t.Fatal(err)
	}
	<-b.done
	if j := b.join(); j.State != "ready" || j.Text != "built from source" || j.Size != 4 {
		t.Errorf("%+v", j)
	}

	b = built(t, options)
	eventually(t, "two packages have begun again", halfway(b))
	b.Close()
	b.Close()
	if j := b.join(); j.State != "failed" || j.Text != "the host is shutting down" {
		t.Errorf("%+v", j)
	}
	goleak.VerifyNone(t, leaks)
}
