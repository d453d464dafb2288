package main

import (
	"runtime"
	"testing"

	"github.com/tidelock/tidelock/tests/bench/movers"
)

// BenchmarkNetUpdate is world B: 100 connections, each of which has about 60 of 5 000 actors, of which about 12 changed. A
// turn is a tick's changes, taking in the acknowledgements, and the net update with all its datagrams.
//
//	go test ./tests/bench -run - -bench NetUpdate -benchmem
func BenchmarkNetUpdate(b *testing.B) {
	for _, c := range []struct {
		name    string
		n, m, k int
		near    bool
	}{{"near", 5000, 1000, 100, true}, {"all", 200, 100, 32, false}} {
		b.Run(c.name, func(b *testing.B) {
			x, err := newBench(movers.New(c.n, c.m, c.k), c.near, runtime.GOMAXPROCS(0))
			if err != nil {
				b.Fatal(err)
			}
			turn := func() {
				x.w.Tick()
				x.apply()
				x.send()
			}
			for range 300 {
				turn()
			}
			b.ReportAllocs()
			b.ResetTimer()
			for range b.N {
				turn()
			}
		})
	}
}
