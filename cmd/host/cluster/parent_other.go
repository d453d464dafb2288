//go:build unix && !linux

package cluster

import "syscall"

// endsWithParent does nothing: the system has no such signal. If this process is killed, the others have to be ended by hand.
func endsWithParent(*syscall.SysProcAttr) {}
