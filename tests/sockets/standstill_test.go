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
	refused     []time.Time // when lines about refused shots came
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
			if p.lines = append(p.lines, s.Text()); strings.Contains(s.Text(), "is refused") {
				p.refused = append(p.refused, time.Now())
			}
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

// said is how many lines so far hold a text.
func (p *process) said(text string) (n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, l := range p.lines {
		if strings.Contains(l, text) {
			n++
		}
	}
	return n
}

// refusals are the lines about refused shots since a time.
func (p *process) refusals(since time.Time) (n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, at := range p.refused {
		if at.After(since) {
			n++
		}
	}
	return n
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
	r.await(t, "the bots in", r.start)
	return r
}

// playing is how many have played since a time.
func (r *returners) playing(since time.Time) (n int) {
	for i := range r.seen {
		if r.seen[i].Load() > int64(since.Sub(r.start)) {
			n++
		}
	}
	return n
}

// await waits until all have played since a time, and says how long that took.
func (r *returners) await(t *testing.T, what string, since time.Time) time.Duration {
	t.Helper()
	until(t, what, func() bool { return r.playing(since) == returning })
	return time.Since(since)
}

// faultless fails the test where a bot did not stay.
func (r *returners) faultless(t *testing.T) {
	t.Helper()
	for _, f := range r.report().Faults {
		t.Error(f)
	}
}

// within is what G15 requires.
const playOnWithin, settledWithin = 5 * time.Second, 2 * time.Second

// inFull skips under -short, as the race detector's step runs these: they wait for the real clock, and the host that stands still is a
// process of its own, in which that sees nothing. Otherwise they run side by side: each has a host of its own, and all mostly wait.
func inFull(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("waits for the real clock; run without -short")
	}
	t.Parallel()
}

// TestStoppedHost: a host that is stopped for 15 s goes on with its players (G15).
func TestStoppedHost(t *testing.T) {
	tier.Change(t)
	inFull(t)
	p := newProcess(t, "arena?game=DeathMatch?bots=0")
	r := newReturners(t, p)
	p.mu.Lock()
	before := len(p.lines)
	p.mu.Unlock()
	p.signal(syscall.SIGSTOP)
	pass(15 * time.Second)
	p.signal(syscall.SIGCONT)
	took := r.await(t, "the bots play on", time.Now())
	if took > playOnWithin {
		figure(t, "the bots played on after %v, asked is %v", took, playOnWithin)
	}
	p.mu.Lock()
	for _, l := range p.lines[before:] {
		switch {
		case strings.Contains(l, "timeout"):
			t.Errorf("the host says %s", l)
		case strings.Contains(l, "held to real time"):
			figure(t, "the host says %s", l) // of bots that get no processor for long, later ticks are missing
		}
	}
	p.mu.Unlock()
	r.faultless(t)
	t.Logf("stopped for 15 s: 8 of 8 play on after %v", took)
}

// TestRestartedHost: a host is killed and started again, at once and after a while; its players play on (G15).
func TestRestartedHost(t *testing.T) {
	tier.Change(t)
	inFull(t)
	p := newProcess(t, "arena?game=DeathMatch?bots=0")
	r := newReturners(t, p)
	for _, down := range []time.Duration{0, longer(3*time.Second, 30*time.Second)} {
		p.kill()
		pass(down)
		p.start()
		took := r.await(t, "the bots play on", time.Now())
		if took > playOnWithin {
			figure(t, "the bots played on after %v, asked is %v", took, playOnWithin)
		}
		t.Logf("killed, and started again after %v: 8 of 8 play on after %v", down, took)
		pass(time.Second)
	}
	names := map[string]bool{}
	if err := r.each(func(f *fullPlayer) { names[view.OwnName(f.player.Controller())] = true }); err != nil {
		t.Fatal(err)
	}
	for i := range returning {
		if name := "full" + string(rune('1'+i)); !names[name] {
			t.Errorf("nobody is called %s: %v", name, names)
		}
	}
	r.faultless(t)
}

// TestStandstill: either side stands still for 3 s, and all play on (G15). How many shots are refused afterwards is printed; that none is
// shows tests/scenarios/net_r15_stand.lua, where time is virtual.
func TestStandstill(t *testing.T) {
	tier.Change(t)
	inFull(t)
	p := newProcess(t, "arena?game=DeathMatch?bots=0")
	r := newReturners(t, p)
	pass(3 * time.Second)
	const still = 3 * time.Second
	for _, c := range []struct {
		who   string
		stand func()
	}{
		{"nobody", func() { pass(still) }},
		{"the host", func() {
			p.signal(syscall.SIGSTOP)
			pass(still)
			p.signal(syscall.SIGCONT)
		}},
		{"the players", func() {
			r.stall.Store(int64(still))
			until(t, "the players stood still", func() bool { return r.stall.Load() == 0 })
		}},
	} {
		before := time.Now()
		c.stand()
		resumed := time.Now()
		r.await(t, "the bots play on", resumed)
		pass(time.Until(resumed.Add(settledWithin)))
		settled := time.Now()
		early, dropped, behind := p.refusals(before), r.report().Dropped, p.said("cannot keep up")
		pass(4 * time.Second)
		// Ticks that are dropped meanwhile are another standstill, of a machine that has too much to do.
		dropped, behind = r.report().Dropped-dropped, p.said("cannot keep up")-behind
		figure(t, "%s stood still for %v: %d shots refused until %v after, %d later; %d ticks of the players were dropped, and the host could not keep up %d times",
			c.who, still, early, settledWithin, p.refusals(settled), dropped, behind)
	}
	r.faultless(t)
}
