package tier

import (
	_ "embed"
	"flag"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"
)

const (
	// With changeVariable, what must hold for a change runs, with longVariable everything. Any text but "" does.
	changeVariable = "TIDELOCK_CI"
	longVariable   = "TIDELOCK_LONG"
	// fixedVariable leaves out what is drawn: a mutant is judged by the tests that always run.
	fixedVariable = "TIDELOCK_UNDRAWN"
)

// IsLong reports whether everything is to run, as .ci/long does.
func IsLong() bool { return os.Getenv(longVariable) != "" }

// IsChange reports whether what must hold for a change is to run, as .ci/run does. It is part of everything.
func IsChange() bool { return os.Getenv(changeVariable) != "" || IsLong() }

// Change skips a test that plain `go test` leaves out.
func Change(t testing.TB) {
	t.Helper()
	if !IsChange() {
		t.Skip("left to .ci/run: " + changeVariable + "=1 runs it")
	}
}

// Long skips a test that only .ci/long runs.
func Long(t testing.TB) {
	t.Helper()
	if !IsLong() {
		t.Skip("left to .ci/long: " + longVariable + "=1 runs it")
	}
}

// Drawn reports whether .ci/run takes the i-th of a list of which it takes every n-th, from a place that the draw gives. Plain
// `go test` takes none and .ci/long all.
func Drawn(i, n int) bool {
	switch {
	case IsLong():
		return true
	case !IsChange() || os.Getenv(fixedVariable) != "":
		return false
	}
	return (uint64(i)+Number())%uint64(n) == 0
}

// Choose returns the value for the present tier.
func Choose[T any](plain, change, long T) T {
	switch {
	case IsLong():
		return long
	case IsChange():
		return change
	}
	return plain
}

//go:embed draw.txt
var drawn string

// Number is the number in draw.txt, which each landing raises by one: every commit draws something else, and draws it again
// when it is checked out.
func Number() uint64 {
	n, err := strconv.ParseUint(strings.TrimSpace(drawn), 10, 63)
	if err != nil {
		panic(fmt.Sprintf("tests/tier/draw.txt: expected a number: %v", err))
	}
	return n
}

// seed is a number that follows from the draw and a name, and is never 0.
func seed(name string) uint64 {
	h := fnv.New64a()
	_, _ = fmt.Fprintf(h, "%d %s", Number(), name) // a hash has no errors
	return h.Sum64() | 1
}

// Rand returns a source of random numbers that follows from the draw and the test's name.
func Rand(t testing.TB) *rand.Rand { return Named(t.Name()) }

// Named returns a source of random numbers that follows from the draw and a name: for a process that is part of a test.
func Named(name string) *rand.Rand { return rand.New(rand.NewPCG(seed(name), 1)) }

// seeds guards rapid's flag, which is one for all tests of a process.
var seeds sync.Mutex

// Check is rapid.Check with a seed that follows from the draw and the test's name, so that a red run can be repeated. The flag
// -rapid.seed still chooses another. Two tests of a process take turns.
func Check(t *testing.T, prop func(*rapid.T)) {
	t.Helper()
	seeds.Lock()
	defer seeds.Unlock()
	if f := flag.Lookup("rapid.seed"); f.Value.String() == "0" {
		if err := f.Value.Set(strconv.FormatUint(seed(t.Name()), 10)); err != nil {
			t.Fatal(err)
		}
		defer func() { _ = f.Value.Set("0") }() // a number is one
	}
	rapid.Check(t, prop)
}
