//go:build unix

package hostile

import (
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/tidelock/tidelock/tests/program"
)

const (
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
	*program.Process
	mu   sync.Mutex
	most int64 // bytes, the highest resident size since it was taken last
}

// start starts a program; it is killed with the test at the latest.
func start(t *testing.T, dir string, env []string, path string, args ...string) *process {
	t.Helper()
	p := &process{Process: program.Start(t, program.Options{Path: path, Dir: dir, Args: args, Env: env, Keep: func(line string, n int) bool {
		return n < maxLines || n < maxLines+maxSteering && steering.MatchString(line)
	}})}
	go p.sample() // ends with the process
	return p
}

// sample follows the resident size.
func (p *process) sample() {
	tick := time.NewTicker(200 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-p.Done():
			return
		case <-tick.C:
		}
		n := resident(p.Cmd.Process.Pid)
		p.mu.Lock()
		p.most = max(p.most, n)
		p.mu.Unlock()
		if n > ceiling {
			p.Note(fmt.Sprintf("panic: ended by the test, since it took %d MB", n>>20))
			_ = p.Signal(syscall.SIGKILL) // it may be gone
			return
		}
	}
}

// takeResident is the highest resident size since the last call, in bytes; 0 where the system does not tell.
func (p *process) takeResident() int64 {
	now := resident(p.Cmd.Process.Pid)
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

// tail are its last lines but those that every run ends with.
func (p *process) tail(n int) string {
	return p.Tail(n, func(l string) bool { return strings.HasSuffix(l, "left: the player left") })
}
