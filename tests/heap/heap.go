// Package heap measures, for tests, what lives on the heap of this process and whether it grows from round to round.
//
// One collection's figure scatters by a megabyte or two without any growth: finalizers run late, pools are emptied one
// collection later, what another goroutine was doing just then is alive. So Live collects until the figure settles, and
// PerRound judges a trend over many rounds and no pair of them. It depends on the runtime only.
//
// Guarantees: Judges trends over rounds, never two single collections.
package heap

import (
	"runtime"
	"slices"
)

const (
	// settled is how much two collections may differ by, in bytes, when nothing is left to be freed.
	settled = 64 << 10
	// mostCollections bounds the wait for that; then the least figure counts.
	mostCollections = 12
)

// Live is how many bytes live on the heap once collections no longer free more.
func Live() int64 {
	var least int64 = 1 << 62
	for range mostCollections {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		now := int64(m.HeapAlloc)
		if now > least-settled {
			return min(now, least)
		}
		least = now
		for range 100 {
			runtime.Gosched() // lets finalizers and cleanups run, which have a goroutine of their own
		}
	}
	return least
}

// PerRound is by how many bytes a figure taken once a round grows from one round to the next: the median of the slopes
// between all pairs of rounds (Theil and Sen), which a few rounds that are off do not move. It is 0 for fewer than two.
func PerRound(rounds []int64) int64 {
	var slopes []int64
	for i := range rounds {
		for j := i + 1; j < len(rounds); j++ {
			slopes = append(slopes, (rounds[j]-rounds[i])/int64(j-i))
		}
	}
	if len(slopes) == 0 {
		return 0
	}
	slices.Sort(slopes)
	return slopes[len(slopes)/2]
}
