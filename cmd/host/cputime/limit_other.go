//go:build !js

package cputime

// Limit returns how many nanoseconds of New's clock one call of a script may take; 0 means the default.
func Limit() int64 { return 0 }
