package cputime

// process: a browser tells no processor time.
func process() (int64, bool) { return 0, false }
