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
