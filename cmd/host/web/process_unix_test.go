//go:build linux

package web

import (
	"os/exec"
	"syscall"
	"testing"
)

func init() { niceness = 0 } // a build of a test is waited for

// A build yields to matches, with all that it starts.
func TestYields(t *testing.T) {
	niceness = 10
	defer func() { niceness = 0 }()
	cmd := exec.CommandContext(t.Context(), "sleep", "60")
	apart(cmd)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	yield(cmd)
	n, err := syscall.Getpriority(syscall.PRIO_PGRP, cmd.Process.Pid)
	if n = 20 - n; err != nil || n != niceness { // the system call gives 20 less the niceness
		t.Errorf("niceness %d (%v), want %d", n, err, niceness)
	}
	_ = cmd.Cancel()
	_ = cmd.Wait()
}
