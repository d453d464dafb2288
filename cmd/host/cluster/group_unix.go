//go:build unix

package cluster

import (
	"os"
	"os/exec"
	"syscall"
)

// inGroup has a command start in a process group, or in a new one of its own if that is 0. It is not that of this process: Ctrl-C on
// a terminal would end NATS servers before the hosts have saved.
func inGroup(c *exec.Cmd, group int) {
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pgid: group}
	endsWithParent(c.SysProcAttr)
}

// groupLives reports whether a process group has any process.
func groupLives(group int) bool { return syscall.Kill(-group, 0) == nil }

// terminate asks a process to end in order.
func terminate(p *os.Process) error { return p.Signal(syscall.SIGTERM) }

// lock waits until no other process has a file, and returns what gives it back.
func lock(file string) (unlock func(), err error) {
	f, err := os.OpenFile(file, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX); err != nil { //nolint:gosec // a descriptor
		_ = f.Close() // the first error counts
		return nil, err
	}
	return func() { _ = f.Close() }, nil // with it goes the lock
}
