//go:build !linux

package cputime

// thread is the whole process's: the system does not tell that of a thread, or not by a call that is cheap.
func thread() (int64, bool) { return process() }
