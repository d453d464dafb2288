package main

import (
	"os"
	"runtime/debug"
)

// loadingPercent is GOGC while files are compiled, which leaves much garbage beside little that stays.
const loadingPercent = 400

// collectRarely has the process collect its garbage more rarely until the returned function is called. What GOGC says in the
// environment stays.
func collectRarely() (end func()) {
	if os.Getenv("GOGC") != "" {
		return func() {}
	}
	before := debug.SetGCPercent(loadingPercent)
	return func() { debug.SetGCPercent(before) }
}
