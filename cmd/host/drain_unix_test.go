//go:build unix

package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/tidelock/tidelock/cmd/host/drain"
)

// child is the real program as a child, with what it printed.
type child struct {
	t    testing.TB
	cmd  *exec.Cmd
	in   io.Writer     // its standard input
	done chan struct{} // closed when it has ended
	err  error         // of Wait

	mu   sync.Mutex
	more *sync.Cond
	said strings.Builder
	eof  bool
}

// startProgram starts the program; it is killed at the end of the test.
func startProgram(t testing.TB, dir string, args ...string) *child {
	t.Helper()
	return startWith(t, nil, dir, args...)
}

// startWith is startProgram with more variables of the environment.
func startWith(t testing.TB, env []string, dir string, args ...string) *child {
	t.Helper()
	exe, err := os.Executable()
	must(t, err)
	p := &child{t: t, cmd: exec.Command(exe, args...), done: make(chan struct{})}
	p.more = sync.NewCond(&p.mu)
	p.cmd.Args[0] = "host"
	p.cmd.Dir = dir
	p.cmd.Env = append(append(os.Environ(), "XDG_CACHE_HOME="+dir, "XDG_CONFIG_HOME="+dir, "TIDELOCK_GUEST=false"), env...)
	if p.in, err = p.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, in := io.Pipe()
	p.cmd.Stdout, p.cmd.Stderr = in, in // one writer: exec uses one goroutine for both
	must(t, p.cmd.Start())
	go func() { // ends with the program, which is killed below
		p.err = p.cmd.Wait()
		_ = in.Close() // never fails
		close(p.done)
	}()
	go func() { // ends with the program
		for s := bufio.NewScanner(out); s.Scan(); {
			p.mu.Lock()
			p.said.WriteString(s.Text() + "\n")
			p.mu.Unlock()
			p.more.Broadcast()
		}
		p.mu.Lock()
		p.eof = true
		p.mu.Unlock()
		p.more.Broadcast()
	}()
	t.Cleanup(func() {
		_ = p.cmd.Process.Kill() // it may have ended
		<-p.done
		if t.Failed() {
			t.Logf("host %s:\n%s", strings.Join(args, " "), p.text())
		}
	})
	return p
}

func (p *child) text() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.said.String()
}

// await waits until the program has printed something that matches, and returns the groups; it fails if the program ends without.
func (p *child) await(pattern string) []string {
	p.t.Helper()
	re := regexp.MustCompile(pattern)
	late := time.AfterFunc(2*time.Minute, func() {
		p.mu.Lock()
		p.eof = true
		p.mu.Unlock()
		p.more.Broadcast()
	})
	defer late.Stop()
	p.mu.Lock()
	defer p.mu.Unlock()
	for {
		if m := re.FindStringSubmatch(p.said.String()); m != nil {
			return m
		}
		if p.eof {
			p.t.Fatalf("no %q", pattern)
		}
		p.more.Wait()
	}
}

// types gives the program a line of input.
func (p *child) types(line string) {
	p.t.Helper()
	must(p.t, errOf(io.WriteString(p.in, line+"\n")))
}

func (p *child) signal(s os.Signal) {
	p.t.Helper()
	must(p.t, p.cmd.Process.Signal(s))
}

// code waits for the end and returns the exit code.
func (p *child) code() int {
	p.t.Helper()
	select {
	case <-p.done:
	case <-time.After(2 * time.Minute):
		p.t.Fatal("it does not end")
	}
	var ended *exec.ExitError
	if p.err != nil && !errors.As(p.err, &ended) {
		p.t.Fatal(p.err)
	}
	return p.cmd.ProcessState.ExitCode()
}

// get reads a page of the host.
func get(t *testing.T, url string) (code int, body string) {
	t.Helper()
	r, err := http.Get(url) //nolint:noctx // the test has a deadline
	must(t, err)
	defer r.Body.Close() //nolint:errcheck // it was read
	b, err := io.ReadAll(r.Body)
	must(t, err)
	return r.StatusCode, string(b)
}

// TestDrainOfTheProgram is a drain of the real program over real sockets: SIGUSR1 keeps new players out, everything that watches the host
// says so, the round goes on to its end, and then the player is told, the store is written and the exit code is 0. A second SIGUSR1 changes
// nothing.
func TestDrainOfTheProgram(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	host := startProgram(t, dir, "flat?game=GameInfo?postmatch=1", "--listen", "127.0.0.1:0", "--web", "127.0.0.1:0", "--store", dir+"/store.db", "--log", "json")
	at := host.await(`(?m)^ready: .* players on UDP (127\.0\.0\.1:\d+), browsers on http://localhost:(\d+)`)
	ann := startProgram(t, t.TempDir(), "join", at[1], "--name", "Ann")
	host.await(`"msg":"connection \d+ \(\\"Ann\\", [^)]*\) joined"`)

	host.signal(syscall.SIGUSR1)
	host.await(`"event":"drain","seconds":600,"players":1`)
	host.signal(syscall.SIGUSR1)
	web := "http://127.0.0.1:" + at[2]
	if code, body := get(t, web+"/readyz"); code != http.StatusServiceUnavailable || body != "not ready: draining\n" {
		t.Errorf("/readyz: %d %q", code, body)
	}
	if code, body := get(t, web+"/healthz"); code != http.StatusOK {
		t.Errorf("/healthz: %d %q", code, body)
	}
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(50 * time.Millisecond) { // published once a second
		_, body := get(t, web+"/metrics")
		if strings.Contains(body, "\ntidelock_draining 1\n") {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("/metrics does not say that the host drains")
		}
	}
	asked := startProgram(t, t.TempDir(), "query", at[1], "--json")
	asked.await(`"draining":true`)
	asked = startProgram(t, t.TempDir(), "query", at[1])
	asked.await(`(?m)^state    draining: it takes no new players and ends soon$`)
	bob := startProgram(t, t.TempDir(), "join", at[1], "--name", "Bob")
	if code := bob.code(); code != 4 {
		t.Errorf("Bob's exit code is %d", code)
	}
	bob.await(regexp.QuoteMeta(fmt.Sprintf("refused: %s (draining)", drain.RefusedText)))

	host.types(`eval world.Game:EndMatch("test")`)
	if code := ann.code(); code != 6 {
		t.Errorf("Ann's exit code is %d", code)
	}
	ann.await(regexp.QuoteMeta("the connection ended: " + drain.RoundOver + " (stopping)"))
	if code := host.code(); code != 0 {
		t.Errorf("the exit code is %d", code)
	}
	host.await(`"msg":"Drained: everything is stored"`)
	host.await(`"msg":"stopping","why":"drained"`)
	if n := strings.Count(host.text(), "Draining: no new players come in"); n != 1 {
		t.Errorf("the drain began %d times", n)
	}
}

// TestDrainOfTheProgramIsCutShort: SIGTERM ends a host that drains at once, as it does otherwise.
func TestDrainOfTheProgramIsCutShort(t *testing.T) {
	t.Parallel()
	host := startProgram(t, t.TempDir(), "flat?game=GameInfo", "--listen", "127.0.0.1:0", "--web", "off", "--log", "json", "--drain-time", "0s")
	at := host.await(`(?m)^ready: .* players on UDP (127\.0\.0\.1:\d+)`)
	ann := startProgram(t, t.TempDir(), "join", at[1], "--name", "Ann")
	host.await(`"msg":"connection \d+ \(\\"Ann\\", [^)]*\) joined"`)
	host.signal(syscall.SIGUSR1)
	host.await(`"event":"drain","seconds":0,"players":1`)
	host.signal(syscall.SIGTERM)
	if code := host.code(); code != 0 {
		t.Errorf("the exit code is %d", code)
	}
	host.await(`"msg":"stopping","why":"terminated"`)
	ann.code()
	ann.await(regexp.QuoteMeta(stopping))
}
