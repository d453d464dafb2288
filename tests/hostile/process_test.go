//go:build unix

package hostile

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

const (
	// patience is how long is waited for what must come, however busy the machine is.
	patience = 3 * time.Minute
	// ceiling is the resident size in bytes at which a process is killed, eight honest players in one of them: the machine is not
	// to suffer from a host that fails.
	ceiling = 4 << 30
	// maxLines bounds the lines of a process that are kept; of further ones only those that steer a test are, up to so many more.
	maxLines, maxSteering = 20_000, 2_000
)

// steering are lines that a test waits for, and those that no host may write.
var steering = regexp.MustCompile(`^health: |INF stage: | in to the end|^panic: |^fatal error: |left: |quarantined`)

// process is a host or its bots, with what it says.
type process struct {
	t    *testing.T
	name string
	cmd  *exec.Cmd
	in   io.WriteCloser

	mu    sync.Mutex
	lines []string
	bytes int64
	news  chan struct{} // closed and replaced with every line

	done chan struct{} // closed when it has ended and all is read
	err  error         // of its end, after done
	most int64         // bytes, the highest resident size since it was taken last
}

// start starts a program; it is killed with the test at the latest.
func start(t *testing.T, name, dir string, env []string, path string, args ...string) *process {
	t.Helper()
	p := &process{t: t, name: name, cmd: exec.Command(path, args...), news: make(chan struct{}), done: make(chan struct{})}
	p.cmd.Dir, p.cmd.Env = dir, append(os.Environ(), env...)
	var err error
	if p.in, err = p.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	p.cmd.Stdout, p.cmd.Stderr = w, w
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	_ = w.Close() // it has its own
	var readers sync.WaitGroup
	readers.Go(func() { p.read(r) }) // ends with the process
	go func() {                      // ends with the process, awaited by kill
		readers.Wait()
		err := p.cmd.Wait()
		p.mu.Lock()
		p.err = err
		p.mu.Unlock()
		close(p.done)
	}()
	go p.sample() // ends with the process
	t.Cleanup(p.kill)
	return p
}

func (p *process) read(r io.Reader) {
	in := bufio.NewReaderSize(r, 1<<16)
	for {
		line, err := in.ReadString('\n')
		if line != "" {
			p.mu.Lock()
			p.bytes += int64(len(line))
			if len(p.lines) < maxLines || len(p.lines) < maxLines+maxSteering && steering.MatchString(line) {
				p.lines = append(p.lines, strings.TrimRight(line, "\n"))
			}
			close(p.news)
			p.news = make(chan struct{})
			p.mu.Unlock()
		}
		if err != nil {
			return
		}
	}
}

// sample follows the resident size.
func (p *process) sample() {
	tick := time.NewTicker(200 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-p.done:
			return
		case <-tick.C:
		}
		n := resident(p.cmd.Process.Pid)
		p.mu.Lock()
		p.most = max(p.most, n)
		if n > ceiling {
			p.lines = append(p.lines, fmt.Sprintf("panic: ended by the test, since it took %d MB", n>>20))
		}
		p.mu.Unlock()
		if n > ceiling {
			_ = p.cmd.Process.Kill() // it may be gone
			return
		}
	}
}

// takeResident is the highest resident size since the last call, in bytes; 0 where the system does not tell.
func (p *process) takeResident() int64 {
	now := resident(p.cmd.Process.Pid)
	p.mu.Lock()
	defer p.mu.Unlock()
	most := max(p.most, now)
	p.most = now
	return most
}

var residentLine = regexp.MustCompile(`(?m)^VmRSS:\s+(\d+) kB`)

// resident is the resident size of a process in bytes, 0 where the system does not tell.
func resident(pid int) int64 {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0
	}
	m := residentLine.FindSubmatch(b)
	if m == nil {
		return 0
	}
	n, _ := strconv.ParseInt(string(m[1]), 10, 64) // digits
	return n << 10
}

// find is the first line from the one of a number on that matches, and its number; ok is false where there is none yet.
func (p *process) find(from int, re *regexp.Regexp) (line string, at int, ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for i := from; i < len(p.lines); i++ {
		if re.MatchString(p.lines[i]) {
			return p.lines[i], i, true
		}
	}
	return "", 0, false
}

// errEnded is a process that ended while something was expected of it.
var errEnded = errors.New("it has ended")

// await waits for a line from the one of a number on, and gives the number after it.
func (p *process) await(from int, pattern string) (line string, next int, err error) {
	re := regexp.MustCompile(pattern)
	deadline := time.NewTimer(patience)
	defer deadline.Stop()
	for {
		p.mu.Lock()
		news := p.news
		p.mu.Unlock()
		if line, at, ok := p.find(from, re); ok {
			return line, at + 1, nil
		}
		select {
		case <-news:
		case <-p.done:
			if line, at, ok := p.find(from, re); ok {
				return line, at + 1, nil
			}
			return "", 0, fmt.Errorf("%s: no line %q: %w\n%s", p.name, pattern, errEnded, p.tail(15))
		case <-deadline.C:
			return "", 0, fmt.Errorf("%s: no line %q within %v\n%s", p.name, pattern, patience, p.tail(15))
		}
	}
}

// all are the lines so far.
func (p *process) all() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.lines[:len(p.lines):len(p.lines)]
}

// written is how many bytes it said.
func (p *process) written() int64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.bytes
}

// tail are its last lines, shortened, without those that every run ends with.
func (p *process) tail(n int) string {
	lines := slices.DeleteFunc(slices.Clone(p.all()), func(l string) bool { return strings.HasSuffix(l, "left: the player left") })
	lines = lines[max(0, len(lines)-n):]
	var b strings.Builder
	for _, l := range lines {
		fmt.Fprintf(&b, "\t%s: %.300s\n", p.name, l)
	}
	return b.String()
}

// typed sends a line to its standard input.
func (p *process) typed(line string) error {
	_, err := io.WriteString(p.in, line+"\n")
	return err
}

// interrupt asks it to end, as Ctrl-C does.
func (p *process) interrupt() error { return p.cmd.Process.Signal(syscall.SIGINT) }

// ended waits for its end and gives the exit code.
func (p *process) ended() (int, error) {
	deadline := time.NewTimer(patience)
	defer deadline.Stop()
	select {
	case <-p.done:
		return p.cmd.ProcessState.ExitCode(), nil
	case <-deadline.C:
		return 0, fmt.Errorf("%s has not ended within %v", p.name, patience)
	}
}

// kill ends it at once; what has ended already stays as it is.
func (p *process) kill() {
	_ = p.cmd.Process.Kill() // it may be gone
	<-p.done
	_ = p.in.Close() // nobody reads
}
