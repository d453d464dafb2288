//go:build unix

package main

import (
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestService is the real program under a service manager: it is ready when players can join, gives signs of life, reloads at
// SIGHUP and stops at SIGTERM, and says so.
func TestService(t *testing.T) {
	t.Parallel()
	exe, err := os.Executable()
	must(t, err)
	dir, err := os.MkdirTemp("", "service") // a short path for the socket
	must(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(dir) }) // a temporary folder
	name := filepath.Join(dir, "s")
	manager, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: name, Net: "unixgram"})
	must(t, err)
	defer manager.Close() //nolint:errcheck // the test is over
	cmd := exec.Command(exe, "flat?game=GameInfo", "--listen", "127.0.0.1:0", "--web", "off")
	cmd.Args[0] = "host"
	cmd.Dir = t.TempDir()
	cmd.Env = append(os.Environ(), "XDG_CACHE_HOME="+t.TempDir(), "NOTIFY_SOCKET="+name, "WATCHDOG_USEC=600000")
	var said strings.Builder
	cmd.Stdout, cmd.Stderr = &said, &said // one writer: exec uses one goroutine for both
	must(t, cmd.Start())
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()       // ends with the program, which is killed below
	defer func() { _ = cmd.Process.Kill() }() // it may have ended
	var seen []string
	await := func(state string) {
		t.Helper()
		must(t, manager.SetReadDeadline(time.Now().Add(2 * time.Minute)))
		for b := make([]byte, 4096); ; {
			n, err := manager.Read(b)
			if err != nil {
				t.Fatalf("no %s: %v; %q came", state, err, seen)
			}
			seen = append(seen, string(b[:n]))
			for line := range strings.SplitSeq(string(b[:n]), "\n") {
				if strings.HasPrefix(line, state) {
					return
				}
			}
		}
	}
	await("READY=1")
	await("STATUS=flat, 0 of 64 players")
	await("WATCHDOG=1")
	must(t, cmd.Process.Signal(syscall.SIGHUP))
	await("RELOADING=1")
	await("READY=1")
	await("WATCHDOG=1")
	must(t, cmd.Process.Signal(syscall.SIGTERM))
	await("STOPPING=1")
	if err := <-ended; err != nil {
		t.Errorf("%v\n%s", err, said.String())
	}
	if strings.Contains(said.String(), "service manager") {
		t.Errorf("the host complains:\n%s", said.String())
	}
}
