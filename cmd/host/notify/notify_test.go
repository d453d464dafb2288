//go:build unix

package notify

import (
	"context"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"
)

// manager is the service manager's end of the socket.
type manager struct {
	t    *testing.T
	conn *net.UnixConn
	env  map[string]string
}

func newManager(t *testing.T) *manager {
	t.Helper()
	dir, err := os.MkdirTemp("", "notify") // a short path: that of a socket has at most about 100 bytes
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) }) // a temporary folder
	name := filepath.Join(dir, "s")
	conn, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: name, Net: "unixgram"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() }) // the test is over
	return &manager{t, conn, map[string]string{"NOTIFY_SOCKET": name}}
}

func (m *manager) lookup(name string) (string, bool) {
	v, ok := m.env[name]
	return v, ok
}

func (m *manager) open() *Service {
	m.t.Helper()
	s, err := Open(m.lookup, 42)
	if err != nil || s == nil {
		m.t.Fatalf("got %v, %v", s, err)
	}
	s.Failed = func(err error) { m.t.Error(err) }
	m.t.Cleanup(func() { _ = s.Close() }) // it may be closed
	return s
}

// next returns the next state.
func (m *manager) next() string {
	m.t.Helper()
	if err := m.conn.SetReadDeadline(time.Now().Add(time.Minute)); err != nil {
		m.t.Fatal(err)
	}
	b := make([]byte, 4096)
	n, err := m.conn.Read(b)
	if err != nil {
		m.t.Fatal(err)
	}
	return string(b[:n])
}

func TestStates(t *testing.T) {
	m := newManager(t)
	s := m.open()
	s.Ready()
	if got := m.next(); got != "READY=1" {
		t.Errorf("got %q", got)
	}
	s.Reloading()
	got := m.next()
	usec, ok := strings.CutPrefix(got, "RELOADING=1\nMONOTONIC_USEC=")
	if n, err := strconv.ParseInt(usec, 10, 64); runtime.GOOS == "linux" && (!ok || err != nil || n <= 0) {
		t.Errorf("got %q", got)
	}
	s.Stopping()
	if got := m.next(); got != "STOPPING=1\nSTATUS=Stopping" {
		t.Errorf("got %q", got)
	}
}

// TestAttend: signs of life come while the world works and not while it hangs; the status says so, in one line.
func TestAttend(t *testing.T) {
	m := newManager(t)
	m.env["WATCHDOG_USEC"], m.env["WATCHDOG_PID"] = "30000", "42"
	s := m.open()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	asked, done := 0, make(chan struct{})
	go func() { // ends by cancel, awaited below
		defer close(done)
		s.Attend(ctx, func() (bool, string) {
			asked++
			return asked <= 3 || asked > 6, "no tick for 6.0 s"
		}, func() string { return "arena,\nREADY=1 3 of 64 players" })
	}()
	for i, want := range []string{
		"WATCHDOG=1\nSTATUS=arena, READY=1 3 of 64 players", "WATCHDOG=1", "WATCHDOG=1", "STATUS=no tick for 6.0 s", "WATCHDOG=1",
	} {
		if got := m.next(); got != want {
			t.Errorf("%d: got %q, want %q", i, got, want)
		}
	}
	cancel()
	<-done
}

func TestOpen(t *testing.T) {
	none := func(string) (string, bool) { return "", false }
	s, err := Open(none, 1)
	if s != nil || err != nil {
		t.Errorf("without a manager: %v, %v", s, err)
	}
	s.Ready() // nobody is told
	s.Reloading()
	s.Stopping()
	s.Attend(t.Context(), nil, nil)
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	for _, socket := range []string{"relative", filepath.Join(t.TempDir(), "none")} {
		s, err := Open(func(name string) (string, bool) { return socket, name == "NOTIFY_SOCKET" }, 1)
		if err == nil || !strings.HasPrefix(err.Error(), "NOTIFY_SOCKET: ") {
			t.Errorf("%s: %v, %v", socket, s, err)
		}
	}
}

func TestWatchdog(t *testing.T) {
	for _, c := range []struct {
		usec, pid string
		want      time.Duration
	}{
		{"", "", 0},
		{"60000000", "", time.Minute},
		{"60000000", "42", time.Minute},
		{"60000000", "41", 0},
		{"-5", "42", 0},
		{"much", "42", 0},
		{"9223372036854775807", "42", 0},
	} {
		got := watchdog(func(name string) (string, bool) {
			v := map[string]string{"WATCHDOG_USEC": c.usec, "WATCHDOG_PID": c.pid}[name]
			return v, v != ""
		}, 42)
		if got != c.want {
			t.Errorf("%q for %q: %v, want %v", c.usec, c.pid, got, c.want)
		}
	}
}

// TestNobodyReads: a manager that went away is reported once.
func TestNobodyReads(t *testing.T) {
	m := newManager(t)
	s := m.open()
	failed := 0
	s.Failed = func(error) { failed++ }
	if err := m.conn.Close(); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		s.Ready()
	}
	if failed != 1 {
		t.Errorf("reported %d times", failed)
	}
}
