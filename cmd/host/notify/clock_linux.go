package notify

import "golang.org/x/sys/unix"

// monotonic returns the time of CLOCK_MONOTONIC in microseconds, which a reload is identified by.
func monotonic() (usec int64, ok bool) {
	var t unix.Timespec
	if unix.ClockGettime(unix.CLOCK_MONOTONIC, &t) != nil {
		return 0, false
	}
	return t.Nano() / 1000, true
}
