package cputime

// Limit is how many nanoseconds of New's clock one call of a script may take; 0 leaves it to the default. A browser tells
// wall time only, and a tab may stand still for seconds: calls are bounded by instructions and allocation there, and time is
// the last resort (W1.5).
func Limit() int64 { return 60_000_000_000 }
