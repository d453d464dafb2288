package cputime

import (
	"runtime"
	"sync/atomic"
	"testing"
	"time"
)

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

// TestOthersAreNotMeasured: what other threads of the process do meanwhile is not the caller's.
func TestOthersAreNotMeasured(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the system does not tell a thread's time")
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var stop atomic.Bool
	defer stop.Store(true)
	for range 2 {
		go func() {
			for !stop.Load() {
			}
		}()
	}
	now := NewThread()
	before := now()
	time.Sleep(100 * time.Millisecond)
	if took := now() - before; took > 20_000_000 {
		t.Errorf("a sleep took %d ns of the thread", took)
	}
}

func TestTheProcessIsMeasured(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	for _, now := range []func() int64{New(), NewThread()} {
		measured(t, now)
	}
}

func measured(t *testing.T, now func() int64) {
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
