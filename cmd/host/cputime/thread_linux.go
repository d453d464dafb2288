package cputime

import "golang.org/x/sys/unix"

// thread returns the processor time of the calling thread so far, in nanoseconds.
func thread() (int64, bool) {
	var t unix.Timespec
	if unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &t) != nil {
		return 0, false
	}
	return t.Nano(), true
}
