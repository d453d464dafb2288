//go:build !unix

package tests

import (
	"os"
	"os/exec"
	"syscall"
)

func newGroup() *syscall.SysProcAttr { return nil }

func signalGroup(cmd *exec.Cmd, sig os.Signal) error { return cmd.Process.Signal(sig) }
