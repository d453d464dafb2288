//go:build unix

package port

import (
	"os"
	"syscall"
)

// lock takes a file for this process, and reports whether nobody else has it.
func lock(f *os.File) bool { return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil }
