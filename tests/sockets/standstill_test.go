//go:build unix

package sockets

import (
	"bufio"
	"fmt"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/tidelock/tidelock/cmd/host/join"
	"github.com/tidelock/tidelock/cmd/host/view"
	"github.com/tidelock/tidelock/tests/port"
	"github.com/tidelock/tidelock/tests/tier"
)

var readyLine = regexp.MustCompile(`^ready: .* players on UDP ([0-9.:]+)`)

// process is the real program as a process of its own, which can be stopped and killed.
type process struct {
	t           *testing.T
	binary, key string
	addr        string
	level       string
	cmd         *exec.Cmd
	mu          sync.Mutex
	lines       []string
	ended       chan struct{}
}

// program builds the host once for all tests, into scratch.
var program = sync.OnceValues(func() (string, error) {
	binary := filepath.Join(scratch, "host")
	build := exec.Command("go", "build", "-o", binary, "./cmd/host")
	build.Dir = filepath.Join("..", "..")
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("the host does not build: %w\n%s", err, out)
	}
	return binary, nil
})

func newProcess(t *testing.T, level string) *process {
	t.Helper()
	binary, err := program()
	if err != nil {
		t.Fatal(err)
	}
	p := &process{t: t, binary: binary, key: filepath.Join(t.TempDir(), "key"), addr: port.Reserve(t, 1), level: level}
	p.start()
	t.Cleanup(p.kill)
	return p
}

// start starts it at the address that it had before.
func (p *process) start() {
	p.t.Helper()
	p.cmd = exec.Command(p.binary, "--listen", p.addr, "--host-key", p.key, "--web", "off", "--log", "json", "--seed", "1", p.level)
	p.cmd.Dir = p.t.TempDir()
	for _, kv := range os.Environ() {
		if !strings.HasPrefix(kv, "TIDELOCK_") {
			p.cmd.Env = append(p.cmd.Env, kv)
		}
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		p.t.Fatal(err)
	}
	logged, err := p.cmd.StderrPipe()
	if err != nil {
		p.t.Fatal(err)
	}
	if err := p.cmd.Start(); err != nil {
		p.t.Fatal(err)
	}
	ready, ended := make(chan struct{}), make(chan struct{})
	var readers sync.WaitGroup
	readers.Go(func() { // ends with the process
		for s := bufio.NewScanner(out); s.Scan(); {
			if m := readyLine.FindStringSubmatch(s.Text()); m != nil {
				p.addr = m[1]
				close(ready)
			}
		}
	})
	readers.Go(func() { // ends with the process
		for s := bufio.NewScanner(logged); s.Scan(); {
			p.mu.Lock()
			p.lines = append(p.lines, s.Text())
			p.mu.Unlock()
		}
	})
	go func(cmd *exec.Cmd) { // ends with the process
		readers.Wait()
		_ = cmd.Wait() // how it ended is not what is tried
		close(ended)
	}(p.cmd)
	p.ended = ended
	select {
	case <-ready:
	case <-ended:
		p.t.Fatalf("the host ended before it was ready: %s", strings.Join(p.lines, "\n"))
	}
}

func (p *process) signal(s syscall.Signal) {
	p.t.Helper()
	if err := p.cmd.Process.Signal(s); err != nil {
		p.t.Fatal(err)
	}
}

func (p *process) kill() {
	_ = p.cmd.Process.Kill() // it may be gone
	<-p.ended
}

// said is the lines from one of a number on, and the number of the next.
func (p *process) said(from int) (lines []string, next int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.lines[from:len(p.lines):len(p.lines)], len(p.lines)
}

// returners are eight bots that play at such a host, and come back.
type returners struct {
	*crowd
	seen  [returning]atomic.Int64 // when a bot played last, in ns of the test's clock: its world has its player, and packets come
	stall atomic.Int64            // how long the next tick of each worker stands still
	start time.Time
}

const returning = 8

func newReturners(t *testing.T, p *process) *returners {
	t.Helper()
	k, err := newCrowd(crowdConfig{Addr: netip.MustParseAddrPort(p.addr), Full: returning, Seed: 5, Brain: true, Back: true})
	if err != nil {
		t.Fatal(err)
	}
	r := &returners{crowd: k, start: time.Now()}
	n := 0
	for _, w := range k.workers {
		first := true
		for _, f := range w.full {
			i, stalls := n, first
			n, first = n+1, false
			var came uint64
			f.tick = func(p *join.Player) {
				if d := r.stall.Load(); stalls && d > 0 {
					pass(time.Duration(d))
					r.stall.Store(0)
				}
				s := p.Client().Session()
				if s == nil || p.Controller() == nil || view.OwnName(p.Controller()) == "" {
					return
				}
				if now := s.Conn.Stats().PacketsIn; now != came {
					came = now
					r.seen[i].Store(int64(time.Since(r.start)))
				}
			}
		}
	}
	if err := k.run(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := k.end(); err != nil {
			t.Error(err)
		}
	})
	r.await(t, "joined")
	return r
}

// playOnWithin is what G15 requires.
const playOnWithin = 5 * time.Second

// await waits until all have played since now, and prints how long that took after what happened.
func (r *returners) await(t *testing.T, after string) {
	t.Helper()
	since := time.Now()
	until(t, "the bots play on: "+after, func() bool {
		for i := range r.seen {
			if r.seen[i].Load() <= int64(since.Sub(r.start)) {
				return false
			}
		}
		return true
	})
	t.Logf("%s: 8 of 8 play on after %v, asked is %v", after, time.Since(since), playOnWithin)
}

// inFull skips under -short: the test waits for the real clock. Otherwise such tests run side by side, since all mostly wait.
func inFull(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("waits for the real clock; run without -short")
	}
	t.Parallel()
}

// TestStandstill: either side stands still for 3 s, the host for 15 s, and it is killed and started again, at once and after a while. All
// eight players play on, as those that they were (G15). That no shot is refused afterwards shows tests/scenarios/net_r15_stand.lua, where
// time is virtual.
func TestStandstill(t *testing.T) {
	tier.Change(t)
	inFull(t)
	p := newProcess(t, "arena?game=DeathMatch?bots=0")
	r := newReturners(t, p)
	stop := func(d time.Duration) {
		p.signal(syscall.SIGSTOP)
		pass(d)
		p.signal(syscall.SIGCONT)
	}
	restart := func(down time.Duration) {
		p.kill()
		pass(down)
		p.start()
	}
	stall := func(d time.Duration) {
		r.stall.Store(int64(d))
		until(t, "the players stood still", func() bool { return r.stall.Load() == 0 })
	}
	for _, c := range []struct {
		what  string
		stand func(time.Duration)
		lasts time.Duration
		stays bool // nobody is timed out
	}{
		{"the players stood still", stall, 3 * time.Second, true},
		{"the host was stopped", stop, 3 * time.Second, true},
		{"the host was stopped", stop, 15 * time.Second, true},
		{"the host was restarted", restart, 0, false},
		{"the host was restarted", restart, longer(3*time.Second, 30*time.Second), false},
	} {
		_, from := p.said(0)
		c.stand(c.lasts)
		r.await(t, fmt.Sprintf("%s for %v", c.what, c.lasts))
		lines, _ := p.said(from)
		for _, l := range lines {
			switch {
			case c.stays && strings.Contains(l, "timeout"):
				t.Errorf("%s for %v: the host says %s", c.what, c.lasts, l)
			case strings.Contains(l, "held to real time"):
				figure(t, "the host says %s", l) // of bots that get no processor for long, later ticks are missing
			}
		}
	}
	names := map[string]bool{}
	if err := r.each(func(f *fullPlayer) { names[view.OwnName(f.player.Controller())] = true }); err != nil {
		t.Fatal(err)
	}
	for i := range returning {
		if name := fmt.Sprint("full", i+1); !names[name] {
			t.Errorf("nobody is called %s: %v", name, names)
		}
	}
	for _, f := range r.report().Faults {
		t.Error(f)
	}
}
