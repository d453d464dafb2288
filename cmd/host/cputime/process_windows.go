//go:build windows

package cputime

import "syscall"

// process returns the processor time of this process so far, in nanoseconds.
func process() (int64, bool) {
	handle, err := syscall.GetCurrentProcess()
	if err != nil {
		return 0, false
	}
	var created, ended, kernel, user syscall.Filetime
	if syscall.GetProcessTimes(handle, &created, &ended, &kernel, &user) != nil {
		return 0, false
	}
	// A Filetime is a number of 100 ns; only the differences count.
	ticks := func(f syscall.Filetime) int64 { return int64(f.HighDateTime)<<32 | int64(f.LowDateTime) }
	return (ticks(kernel) + ticks(user)) * 100, true
}
