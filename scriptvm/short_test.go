package scriptvm

import "testing"

// long skips under -short, as the race detector's step runs these tests: one goroutine fills memory or plays minutes in them, where there is
// no race to find, and `go test` runs them whole.
func long(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("one goroutine, for long; run without -short")
	}
}
