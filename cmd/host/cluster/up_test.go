//go:build unix

package cluster_test

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/tidelock/tidelock/cmd/host/cluster"
	"github.com/tidelock/tidelock/cmd/host/cluster/rig"
	"github.com/tidelock/tidelock/tests/port"
)

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// TestMain is a host, too: one that says so and ends when it is asked to.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "serve" {
		asked := make(chan os.Signal, 1)
		signal.Notify(asked, syscall.SIGTERM)
		folder, _ := os.Getwd() // it is only printed
		fmt.Println("ready in", folder, strings.Join(os.Args[2:], " "))
		<-asked
		fmt.Println("ended in order")
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// output collects lines.
type output struct {
	mu sync.Mutex
	b  strings.Builder
}

func (o *output) Write(b []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.b.Write(b)
}

func (o *output) text() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.b.String()
}

// TestUp: three hosts and three NATS servers run in one process group, each is started again when it is killed, and all end in order:
// first the hosts, then the servers.
func TestUp(t *testing.T) {
	server := rig.Server(t)
	host, err := os.Executable()
	must(t, err)
	out := &output{}
	type event struct {
		name string
		pid  int
	}
	began := make(chan event, 100)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	over := make(chan error, 1)
	data := t.TempDir()
	go func() {
		over <- cluster.Up(ctx, cluster.Options{
			N: 3, Data: data, NATSPort: number(t, port.Reserve(t, 6)), HostPort: 7777, Name: "test", Server: server, Host: host, Args: []string{"arena"}, Out: out,
			Started: func(name string, pid int) { began <- event{name, pid} },
		})
	}()
	pids := map[string]int{}
	next := func() event {
		t.Helper()
		select {
		case e := <-began:
			pids[e.name] = e.pid
			return e
		case err := <-over:
			t.Fatal(err, out.text())
		case <-time.After(30 * time.Second):
			t.Fatal(out.text())
		}
		return event{}
	}
	for range 6 {
		next()
	}
	group := 0
	for _, name := range []string{"host-1", "host-2", "host-3", "nats-1", "nats-2", "nats-3"} {
		g, err := syscall.Getpgid(pids[name])
		if err != nil || group != 0 && g != group {
			t.Errorf("%s is in group %d, others in %d: %v", name, g, group, err)
		}
		group = g
	}
	if own, err := syscall.Getpgid(0); err != nil || own == group {
		t.Error("Ctrl-C would reach the servers before the hosts have saved", err)
	}
	ready := func(n int) {
		for end := time.Now().Add(30 * time.Second); strings.Count(out.text(), "ready in") < n && time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		}
	}
	ready(3)
	for _, name := range []string{"host-2", "nats-3"} {
		must(t, syscall.Kill(pids[name], syscall.SIGKILL))
		if e := next(); e.name != name {
			t.Errorf("%s was started after %s was killed", e.name, name)
		}
		if !strings.Contains(out.text(), name+" ended (signal: killed)") {
			t.Error(out.text())
		}
	}
	ready(4)
	stop()
	must(t, <-over)
	here, err := os.Getwd() // hosts use the scripts of the present folder
	must(t, err)
	text := out.text()
	for _, want := range []string{
		"host-1  | ready in " + here + " --title host-1 --listen 127.0.0.1:7777 --cluster nats://127.0.0.1:", "host-3  | ready in", "arena",
		"cluster | stopping the hosts", "host-1  | ended in order", "host-2  | ended in order", "host-3  | ended in order",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	for name, pid := range pids { // any order: each on its own
		if err := syscall.Kill(pid, 0); err == nil {
			t.Errorf("%s still runs", name)
		}
	}
}

// number returns an address's port.
func number(t *testing.T, addr string) int {
	t.Helper()
	_, text, err := net.SplitHostPort(addr)
	must(t, err)
	n, err := strconv.Atoi(text)
	must(t, err)
	return n
}

// TestPortInUse: what is in the way is named, and nothing is started.
func TestPortInUse(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	defer l.Close() //nolint:errcheck // a test
	err = cluster.Up(t.Context(), cluster.Options{N: 1, Data: t.TempDir(), NATSPort: l.Addr().(*net.TCPAddr).Port, Name: "x", Server: "/nonexistent", Host: "/nonexistent", Out: &output{}})
	if err == nil || !strings.Contains(err.Error(), "--nats-port") {
		t.Error(err)
	}
}
