//go:build unix

package main

import (
	"net"
	"os"
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
	dir, err := os.MkdirTemp("", "service") // a short path for the socket
	must(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(dir) }) // a temporary folder
	name := filepath.Join(dir, "s")
	manager, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: name, Net: "unixgram"})
	must(t, err)
	defer manager.Close() //nolint:errcheck // the test is over
	host := startWith(t, []string{"NOTIFY_SOCKET=" + name, "WATCHDOG_USEC=600000"}, t.TempDir(), "flat?game=GameInfo", "--listen", "127.0.0.1:0", "--web", "off")
	var seen []string
	await := func(state string) {
		t.Helper()
		must(t, manager.SetReadDeadline(time.Now().Add(2*time.Minute)))
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
	host.signal(syscall.SIGHUP)
	await("RELOADING=1")
	await("READY=1")
	await("WATCHDOG=1")
	host.signal(syscall.SIGTERM)
	await("STOPPING=1")
	if code := host.code(); code != 0 || strings.Contains(host.text(), "service manager") {
		t.Errorf("exit code %d, or the host complains", code)
	}
}
