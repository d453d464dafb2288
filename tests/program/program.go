//go:build unix

package program

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// Patience is how long is waited for what must come, however busy the machine is.
const Patience = 3 * time.Minute

// ErrEnded is a process that ended while something was expected of it.
var ErrEnded = errors.New("it has ended")

// Build compiles the host of a checkout into a folder and returns its path.
func Build(root, dir string) (string, error) {
	path := filepath.Join(dir, "host")
	cmd := exec.Command("go", "build", "-o", path, "./cmd/host")
	cmd.Dir = root
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("building the host: %w\n%s", err, out)
	}
	return path, nil
}

// Options are what is run. Env is added to the environment, without the variables of this program's own settings (TIDELOCK_*).
type Options struct {
	Path, Dir string
	Args, Env []string
	// Keep, where not nil, is asked of every line whether it is kept; n is how many are. It is called on one goroutine.
	Keep func(line string, n int) bool
}

// Process is one that runs or has ended.
type Process struct {
	Cmd  *exec.Cmd
	name string
	in   io.WriteCloser

	mu    sync.Mutex
	lines []string
	bytes int64
	news  chan struct{} // closed and replaced with every line

	done chan struct{} // closed when it has ended and all is read
}

// Start starts a process, which is killed with the test at the latest.
func Start(t testing.TB, o Options) *Process {
	t.Helper()
	p, err := Launch(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Kill)
	return p
}

// Launch starts a process that the caller ends. Its standard output and error are one stream.
func Launch(o Options) (*Process, error) {
	p := &Process{Cmd: exec.Command(o.Path, o.Args...), name: filepath.Base(o.Path), news: make(chan struct{}), done: make(chan struct{})}
	p.Cmd.Dir = o.Dir
	for _, kv := range os.Environ() {
		if !strings.HasPrefix(kv, "TIDELOCK_") {
			p.Cmd.Env = append(p.Cmd.Env, kv)
		}
	}
	p.Cmd.Env = append(p.Cmd.Env, o.Env...)
	in, err := p.Cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	r, w, err := os.Pipe()
	if err != nil {
		return nil, errors.Join(err, in.Close())
	}
	p.in, p.Cmd.Stdout, p.Cmd.Stderr = in, w, w
	err = p.Cmd.Start()
	_ = w.Close() // the process has its own
	if err != nil {
		return nil, errors.Join(err, r.Close())
	}
	go func() { // ends with the process, awaited by End
		p.read(r, o.Keep)
		_ = p.Cmd.Wait() // its exit code tells how it ended
		close(p.done)
	}()
	return p, nil
}

func (p *Process) read(r io.ReadCloser, keep func(string, int) bool) {
	defer func() { _ = r.Close() }()
	in := bufio.NewReaderSize(r, 1<<16)
	for {
		line, err := in.ReadString('\n')
		if line != "" {
			text := strings.TrimRight(line, "\n")
			p.mu.Lock()
			n := len(p.lines)
			p.mu.Unlock()
			kept := keep == nil || keep(text, n)
			p.mu.Lock()
			p.bytes += int64(len(line))
			if kept {
				p.lines = append(p.lines, text)
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

// Note adds a line of the test's own to those of the process.
func (p *Process) Note(line string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.lines = append(p.lines, line)
}

// Lines are those kept so far.
func (p *Process) Lines() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.lines[:len(p.lines):len(p.lines)]
}

// Written is how many bytes it said.
func (p *Process) Written() int64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.bytes
}

// Find is the first line from the one of a number on that matches, and its number; ok is false where there is none yet.
func (p *Process) Find(from int, re *regexp.Regexp) (line string, at int, ok bool) {
	lines := p.Lines()
	for i := from; i < len(lines); i++ {
		if re.MatchString(lines[i]) {
			return lines[i], i, true
		}
	}
	return "", 0, false
}

// Await waits for a line from the one of a number on, and returns it and the number after it.
func (p *Process) Await(from int, pattern string) (line string, next int, err error) {
	re := regexp.MustCompile(pattern)
	deadline := time.NewTimer(Patience)
	defer deadline.Stop()
	for {
		p.mu.Lock()
		news := p.news
		p.mu.Unlock()
		if line, at, ok := p.Find(from, re); ok {
			return line, at + 1, nil
		}
		select {
		case <-news:
		case <-p.done:
			if line, at, ok := p.Find(from, re); ok {
				return line, at + 1, nil
			}
			return "", 0, fmt.Errorf("%s: no line %q: %w\n%s", p.name, pattern, ErrEnded, p.Tail(15))
		case <-deadline.C:
			return "", 0, fmt.Errorf("%s: no line %q within %v\n%s", p.name, pattern, Patience, p.Tail(15))
		}
	}
}

// Tail are its last lines, shortened, but those that one of the functions leaves out.
func (p *Process) Tail(n int, without ...func(line string) bool) string {
	lines := slices.Clone(p.Lines())
	for _, out := range without {
		lines = slices.DeleteFunc(lines, out)
	}
	var b strings.Builder
	for _, l := range lines[max(0, len(lines)-n):] {
		fmt.Fprintf(&b, "\t%s: %.300s\n", p.name, l)
	}
	return b.String()
}

// Say writes a line to its standard input.
func (p *Process) Say(line string) error {
	_, err := io.WriteString(p.in, line+"\n")
	return err
}

// Hush closes its standard input.
func (p *Process) Hush() { _ = p.in.Close() } // nobody reads, or it is told so

// Signal sends a signal.
func (p *Process) Signal(s syscall.Signal) error { return p.Cmd.Process.Signal(s) }

// Done is closed when it has ended and all it said is kept.
func (p *Process) Done() <-chan struct{} { return p.done }

// Ended waits for its end and returns the exit code.
func (p *Process) Ended() (int, error) {
	deadline := time.NewTimer(Patience)
	defer deadline.Stop()
	select {
	case <-p.done:
		return p.Cmd.ProcessState.ExitCode(), nil
	case <-deadline.C:
		return 0, fmt.Errorf("%s has not ended within %v", p.name, Patience)
	}
}

// End sends a signal and waits; what has ended already stays as it is.
func (p *Process) End(s syscall.Signal) {
	_ = p.Cmd.Process.Signal(s) // it may be gone
	<-p.done
	p.Hush()
}

// Kill ends it at once, as a power cut does.
func (p *Process) Kill() { p.End(syscall.SIGKILL) }
