//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package web

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"time"
)

// apart gives a command its own process group, so that the compilers that go build starts are killed with it.
func apart(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}

// niceness is that of a build while somebody plays: the match has priority, while on a permanently busy machine
// the build gets a tenth of a match's share and still finishes.
const niceness = 10

// yield lowers the priority of a command and of its children. If the system refuses, the build only disturbs
// more.
func yield(cmd *exec.Cmd) { _ = syscall.Setpriority(syscall.PRIO_PGRP, cmd.Process.Pid, niceness) }

// lockRetry is how often a lock held by another host is tried again: waiting inside flock could not be
// cancelled.
const lockRetry = 250 * time.Millisecond

// lock locks a file against other processes and other Builders until unlock is called. The error is ctx's if
// that ended.
func lock(ctx context.Context, name string) (unlock func(), err error) {
	f, err := os.OpenFile(name, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, lockError(err)
	}
	timer := time.NewTicker(lockRetry)
	defer timer.Stop()
	for {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if err == nil {
			return func() { _ = f.Close() }, nil // closing unlocks
		}
		if !errors.Is(err, syscall.EWOULDBLOCK) && !errors.Is(err, syscall.EINTR) {
			return nil, lockError(errors.Join(err, f.Close()))
		}
		select {
		case <-ctx.Done():
			_ = f.Close()
			return nil, ctx.Err()
		case <-timer.C:
		}
	}
}

func lockError(err error) error {
	return fmt.Errorf("locking the folder for built clients: %w; make it writable", err)
}
