// Package cputime measures how long a script call actually ran.
//
// Wall time blames a script for other work of the machine: on an overloaded one, a call of a few milliseconds
// can take a second. Processor time alone blames it for what other cores did. So this clock advances by the
// smaller of the two.
//
// Guarantees: A busy machine is not the script's fault.
package cputime

import "time"

// New returns a clock in nanoseconds for script.Options.Elapsed. It advances by the wall time or by the
// processor time of this process, whichever was less since the last call; if the system does not report
// processor time, by wall time. Only one goroutine may use it: the one that owns the world.
func New() func() int64 {
	start := time.Now()
	return clock(func() int64 { return int64(time.Since(start)) }, process)
}

// NewThread is New with the processor time of the calling thread alone, if the system reports it (Linux): it
// excludes the garbage collector and the sockets. The calling goroutine must be locked to its thread
// (runtime.LockOSThread), otherwise some readings use wall time.
func NewThread() func() int64 {
	start := time.Now()
	return clock(func() int64 { return int64(time.Since(start)) }, thread)
}

// clock is New with any two clocks; cpu returns false if it cannot be read.
func clock(wall func() int64, cpu func() (int64, bool)) func() int64 {
	lastWall := wall()
	lastCPU, _ := cpu()
	total := int64(0)
	return func() int64 {
		now := wall()
		step := now - lastWall
		lastWall = now
		if c, ok := cpu(); ok {
			step = min(step, c-lastCPU)
			lastCPU = c
		}
		total += max(0, step)
		return total
	}
}

// Process returns the processor time of this process so far; false if the system does not report it.
func Process() (time.Duration, bool) {
	t, ok := process()
	return time.Duration(t), ok
}
