//go:build !unix && !windows && !js

package cputime

// process returns false: it is not implemented for this system.
func process() (int64, bool) { return 0, false }
