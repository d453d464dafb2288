//go:build !js

package cputime

// Limit is how many nanoseconds of New's clock one call of a script may take; 0 leaves it to the default.
func Limit() int64 { return 0 }
