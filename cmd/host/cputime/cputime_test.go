package cputime

import "testing"

func TestTheLesserOfTheTwoCounts(t *testing.T) {
	var wall, cpu int64 = 500, 900
	known := true
	now := clock(func() int64 { return wall }, func() (int64, bool) { return cpu, known })
	check := func(what string, want int64) {
		t.Helper()
		if got := now(); got != want {
			t.Errorf("%s: %d, want %d", what, got, want)
		}
	}
	check("nothing passed", 0)
	wall += 1000
	cpu += 10
	check("the machine did something else", 10)
	wall += 100
	cpu += 800
	check("other cores worked too", 110)
	cpu -= 5
	wall += 50
	check("a clock that goes back does not count", 110)
	known = false
	wall += 70
	check("no processor time: wall time", 180)
}

func TestTheProcessIsMeasured(t *testing.T) {
	now := New()
	before := now()
	sum := 0
	for now()-before < 5_000_000 {
		for i := range 100_000 {
			sum += i * i
		}
	}
	if sum == 1 {
		t.Log("never")
	}
}
