//go:build !linux

package cputime

// thread returns the whole process's time: the system does not report that of a thread, or only expensively.
func thread() (int64, bool) { return process() }
