package scriptvm

import (
	"os"
	"testing"
	"time"
)

// long skips under -short, as the race detector's step runs these tests: one goroutine fills memory or plays minutes in them, where there is
// no race to find, and `go test` runs them whole.
func long(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("one goroutine, for long; run without -short")
	}
}

// turn skips the i-th of some cases that take a second of the processor each unless it is its turn: a third runs each day, and all with
// TIDELOCK_CI or TIDELOCK_SEEDS, which mutants are tried with.
func turn(t *testing.T, i int) {
	t.Helper()
	if os.Getenv("TIDELOCK_CI") == "" && os.Getenv("TIDELOCK_SEEDS") == "" && (i+int(time.Now().Unix()/86400))%3 != 0 {
		t.Skip("its turn is another day; TIDELOCK_CI=1 runs it")
	}
}
