// Package cputime measures how long a script call really ran.
//
// Wall time blames a script for what the machine did meanwhile: on one that is overloaded several times over, a call of
// a few milliseconds can take a second. Processor time alone blames it for what other cores did. So the clock here goes
// on by the lesser of the two.
package cputime

import "time"

// New gives a clock in nanoseconds for script.Options.Elapsed. It goes on by the wall time or by the processor time of
// this process, whichever was less since the last look; where the system does not tell processor time, by wall time.
// One goroutine may use it: the one that owns the world.
func New() func() int64 {
	start := time.Now()
	return clock(func() int64 { return int64(time.Since(start)) }, process)
}

// NewThread is New by the processor time of the calling thread alone, where the system tells it (Linux): of a process whose garbage
// collector and sockets work beside, that is what the caller took. The goroutine that asks has to be locked to its thread
// (runtime.LockOSThread), or some looks are by wall time.
func NewThread() func() int64 {
	start := time.Now()
	return clock(func() int64 { return int64(time.Since(start)) }, thread)
}

// clock is New over any two clocks; cpu is false where it cannot be read.
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
