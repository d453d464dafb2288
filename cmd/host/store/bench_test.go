package store

import (
	"context"
	"fmt"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/tidelock/tidelock/engine/store"
)

// benchKeys is how many keys the benchmarks have in the file (C9).
const benchKeys = 100_000

// filled makes a file with many keys.
func filled(b *testing.B) *Bolt {
	b.Helper()
	f := open(b, filepath.Join(b.TempDir(), "store.db"), Options{})
	in := &Import{}
	for i := range benchKeys {
		in.writes = append(in.writes, store.Write{Key: benchKey(i), Value: make([]byte, 100+i%200), If: store.Revision(i + 1)})
	}
	must(b, f.Import(in))
	return f
}

func benchKey(i int) string { return fmt.Sprintf("profile/player-%06d", i*7919%benchKeys) }

// BenchmarkUpdates reads a record and commits it with its revision, by many callers at once, as 1000 Update calls a second do (C9). It
// reports how many were done in a second, and how many of them shared a transaction.
func BenchmarkUpdates(b *testing.B) {
	for _, callers := range []int{1, 16, 128} {
		b.Run(fmt.Sprint(callers), func(b *testing.B) {
			f := filled(b)
			s := served(b, f, ServiceOptions{})
			all := s.Backend(b.Context())
			var left atomic.Int64
			left.Store(int64(b.N))
			before := f.Figures().Commits
			var work sync.WaitGroup
			b.ResetTimer()
			for c := range callers {
				work.Go(func() {
					for i := c * 1_000_003; left.Add(-1) >= 0; i++ {
						r, err := all.Get(benchKey(i % benchKeys))
						if err == nil {
							_, err = all.Commit([]store.Write{{Key: benchKey(i % benchKeys), Value: make([]byte, 200), If: r.Revision}})
						}
						if err != nil {
							b.Error(err)
							return
						}
					}
				})
			}
			work.Wait()
			b.StopTimer()
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "updates/s")
			if n := f.Figures().Commits - before; n > 0 {
				b.ReportMetric(float64(b.N)/float64(n), "updates/commit")
			}
			must(b, s.Close(context.Background()))
		})
	}
}

// BenchmarkGet reads records of a file with many.
func BenchmarkGet(b *testing.B) {
	f := filled(b)
	for i := 0; b.Loop(); i++ {
		if r, err := f.Get(benchKey(i % benchKeys)); err != nil || r.Revision == 0 {
			b.Fatal(err)
		}
	}
}

// BenchmarkOpen opens a file with many keys, which checks how its pages are linked, and closes it.
func BenchmarkOpen(b *testing.B) {
	f := filled(b)
	must(b, f.Close())
	for b.Loop() {
		g, err := Open(f.path, Options{})
		if err != nil || g.Broken() != nil {
			b.Fatal(err)
		}
		must(b, g.Close())
	}
}
