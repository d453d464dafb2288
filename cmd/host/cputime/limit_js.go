package cputime

// Limit returns how many nanoseconds of New's clock one call of a script may take; 0 means the default. A
// browser reports only wall time, and a tab may stop for seconds: calls are bounded by instructions and
// allocation there, and time is the last resort (W1.5).
func Limit() int64 { return 60_000_000_000 }
