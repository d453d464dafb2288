package rewind

import (
	"math"
	"slices"
)

// ClockSamples is how many samples an estimate looks at. More would filter better, but at one every 5 s the oldest of
// 32 is 160 s old, in which two machines' clocks (20 in a million, mostly) drift apart by 3 ms.
const ClockSamples = 32

// TimeSample is one exchange of ServerRequestServerTime and ClientReportServerTime (R11.1), in seconds: when the client
// asked by its own clock, the server's time when it answered, and how long the client waited.
type TimeSample struct{ Stamp, Server, RoundTrip float64 }

// Offset is how far this sample alone says that the server's clock is ahead of the client's, in seconds: half the round
// trip after its answer it is the stamp and the round trip later here. It is wrong by half of what one way took longer
// than the other.
func (s TimeSample) Offset() float64 { return s.Server + s.RoundTrip/2 - (s.Stamp + s.RoundTrip) }

// Valid reports whether all is finite and the round trip not negative.
func (s TimeSample) Valid() bool {
	sum := s.Stamp + s.Server + s.RoundTrip
	return sum-sum == 0 && s.RoundTrip >= 0
}

// EstimateOffset is how far the server's clock is ahead of the client's, in seconds, filtered against jitter, from the
// last [ClockSamples] of the samples, whose order does not matter; ok is false without a valid one. It allocates nothing.
//
// A packet can only be late, and what it is late by is in the round trip: a sample with the shortest round trip had
// little delay to split unevenly. So samples weigh by how little they waited beyond the shortest, and the mean of
// these takes out what is left. How little is little follows from the line: the median sample's delay.
func EstimateOffset(samples []TimeSample) (offset float64, ok bool) {
	samples = samples[max(0, len(samples)-ClockSamples):]
	shortest := math.Inf(1)
	for _, s := range samples {
		if s.Valid() {
			shortest = math.Min(shortest, s.RoundTrip)
		}
	}
	if math.IsInf(shortest, 1) {
		return 0, false
	}
	var room [ClockSamples]float64
	lates := room[:0]
	for _, s := range samples {
		if s.Valid() {
			lates = append(lates, (s.RoundTrip-shortest)/2)
		}
	}
	slices.Sort(lates)
	const least = 0.001 // s; delays below are the machine's, not the line's
	spread := math.Max(least, lates[len(lates)/2])

	base, sum, weights := 0.0, 0.0, 0.0
	for _, s := range samples {
		if !s.Valid() {
			continue
		}
		if weights == 0 {
			base = s.Offset() // offsets are large and alike: only the differences are summed
		}
		late := (s.RoundTrip - shortest) / 2
		w := 1 / (spread*spread + late*late)
		sum += w * (s.Offset() - base)
		weights += w
	}
	return base + sum/weights, true
}

// Clock keeps the last [ClockSamples] samples of one server. The zero value is empty. One sample is off by up to half
// the difference of the two ways; at 150 ± 30 ms of round trip eight are good for 10 ms, so ask some times in a row at
// first.
type Clock struct {
	samples [ClockSamples]TimeSample
	count   int
	since   int // the sample with which the clocks as they are now began
}

// stepSlack is what clocks may drift apart and what estimates may be off, in seconds, before a sample says that one of
// the clocks was set.
const stepSlack = 0.02

// Add takes a sample, in place of the oldest; it is false, and nothing changes, for one that is not Valid. However the
// two ways differed, a sample is off by half of its round trip at most: one that is off by more says that a clock has
// jumped, as a world's does that cannot keep up and drops ticks, and what is known from before is worth nothing.
func (c *Clock) Add(s TimeSample) bool {
	if !s.Valid() {
		return false
	}
	if now, ok := c.Offset(); ok && math.Abs(s.Offset()-now) > s.RoundTrip/2+stepSlack {
		c.since = c.count
	}
	c.samples[c.count%ClockSamples] = s
	c.count++
	return true
}

// Offset is the estimate of the samples since a clock jumped last (see [EstimateOffset]); ok is false where there is
// none.
func (c *Clock) Offset() (offset float64, ok bool) {
	var room [ClockSamples]TimeSample
	n := min(c.count-c.since, ClockSamples)
	for i := range n {
		room[i] = c.samples[(c.count-1-i)%ClockSamples]
	}
	return EstimateOffset(room[:n])
}

// recent is how many samples RoundTrip looks at: few, so that it follows a way that has changed.
const recent = 5

// RoundTrip is the median round trip of the newest samples, in seconds; ok is false where there is none.
func (c *Clock) RoundTrip() (seconds float64, ok bool) {
	n := min(c.count, recent)
	if n == 0 {
		return 0, false
	}
	var room [recent]float64
	for i := range n {
		room[i] = c.samples[(c.count-1-i)%ClockSamples].RoundTrip
	}
	slices.Sort(room[:n])
	return room[n/2], true
}
