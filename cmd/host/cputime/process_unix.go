//go:build unix

package cputime

import "syscall"

// process returns the processor time of this process so far, in nanoseconds.
func process() (int64, bool) {
	var use syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &use) != nil {
		return 0, false
	}
	return use.Utime.Nano() + use.Stime.Nano(), true
}
