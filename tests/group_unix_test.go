//go:build unix

package tests

import (
	"os"
	"os/exec"
	"syscall"
)

func newGroup() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

// signalGroup signals a command and what it started.
func signalGroup(cmd *exec.Cmd, sig os.Signal) error {
	n, ok := sig.(syscall.Signal)
	if !ok {
		return os.ErrInvalid
	}
	return syscall.Kill(-cmd.Process.Pid, n)
}
