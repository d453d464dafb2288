// Package histogram counts durations by size, for monitoring.
//
// A [Histogram] is a value of a fixed size: copying it takes a snapshot, and counting allocates nothing.
//
//	h := histogram.New(histogram.Jobs)
//	h.Add(0.012)
//
// It deliberately does not: know Prometheus (package metrics shows it), locks or clocks.
//
// Guarantees: Has a fixed size; counting allocates nothing.
package histogram

// MaxBuckets is how many bounds there can be.
const MaxBuckets = 16

// Scale is a list of upper bounds in seconds, rising, at most [MaxBuckets].
type Scale []float64

// Jobs returns the bounds for reads and writes of a store: from a disk's to those of a cluster that elects.
func Jobs() Scale {
	return Scale{0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10}
}

// Hops returns the bounds for the way of a player to another host.
func Hops() Scale { return Scale{0.1, 0.25, 0.5, 1, 2, 5, 10, 20, 30, 60} }

// Histogram counts durations. The zero value counts them without buckets.
type Histogram struct {
	bounds  Scale // never written
	buckets [MaxBuckets]uint64
	count   uint64
	sum     float64
}

// New returns an empty histogram. It panics for more than [MaxBuckets] bounds.
func New(s Scale) Histogram {
	if len(s) > MaxBuckets {
		panic("histogram: too many bounds")
	}
	return Histogram{bounds: s}
}

// Add counts a duration in seconds.
func (h *Histogram) Add(seconds float64) {
	h.count++
	h.sum += seconds
	for i, b := range h.bounds {
		if seconds <= b {
			h.buckets[i]++
			return
		}
	}
}

// Count returns how many durations were counted, and Sum their sum in seconds.
func (h *Histogram) Count() uint64 { return h.count }

// Sum returns the sum of all durations, in seconds.
func (h *Histogram) Sum() float64 { return h.sum }

// Each calls a function with every bound and how many durations were not above it.
func (h *Histogram) Each(f func(bound float64, below uint64)) {
	below := uint64(0)
	for i, b := range h.bounds {
		below += h.buckets[i]
		f(b, below)
	}
}
