package rewind

import (
	"math"
	"slices"
)

// ClockSamples is how many samples an estimate uses. More would filter better, but they would be too old: at
// one sample every 5 s the oldest of 32 is 160 s old, and in that time the clocks of two machines drift apart
// by about 3 ms.
const ClockSamples = 32

// TimeSample is one exchange of ServerRequestServerTime and ClientReportServerTime (R11.1), in seconds: the
// client's time of the request, the server's time of the answer, and how long the client waited.
type TimeSample struct{ Stamp, Server, RoundTrip float64 }

// Offset returns how far, by this sample alone, the server's clock is ahead of the client's, in seconds: it
// assumes that the server answered in the middle of the round trip. The error is half the difference between
// the delays of the two directions.
func (s TimeSample) Offset() float64 { return s.Server + s.RoundTrip/2 - (s.Stamp + s.RoundTrip) }

// Valid reports whether all is finite and the round trip not negative.
func (s TimeSample) Valid() bool {
	sum := s.Stamp + s.Server + s.RoundTrip
	return sum-sum == 0 && s.RoundTrip >= 0
}

// EstimateOffset returns how far the server's clock is ahead of the client's, in seconds, filtered against
// jitter, from the last [ClockSamples] of the samples, in any order; ok is false without a valid one. It
// allocates nothing.
//
// A packet can only be late, and its delay is part of the round trip: a sample with the shortest round trip had
// little delay to split unevenly. So samples are weighted by how little they waited beyond the shortest, and
// their mean removes the remaining noise. The scale of the weights follows from the connection: the median
// sample's delay.
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
	const least = 0.001 // s; shorter delays come from the machine, not the connection
	spread := math.Max(least, lates[len(lates)/2])

	base, sum, weights := 0.0, 0.0, 0.0
	for _, s := range samples {
		if !s.Valid() {
			continue
		}
		if weights == 0 {
			base = s.Offset() // offsets are large and similar: only the differences are summed
		}
		late := (s.RoundTrip - shortest) / 2
		w := 1 / (spread*spread + late*late)
		sum += w * (s.Offset() - base)
		weights += w
	}
	return base + sum/weights, true
}

// Clock keeps the last [ClockSamples] samples of one server. The zero value is empty. One sample is off by up
// to half the difference of the two directions; at 150 ± 30 ms of round trip eight give 10 ms, so take several
// in a row at first.
type Clock struct {
	samples [ClockSamples]TimeSample
	count   int
	since   int // the first sample after the last jump of a clock
}

// stepSlack is the allowance for drift and errors of the estimate, in seconds, before a sample shows that one
// of the clocks was set.
const stepSlack = 0.02

// Add adds a sample, replacing the oldest; it returns false, and changes nothing, for one that is not Valid. A
// sample is off by at most half of its round trip: a larger difference shows that a clock has jumped, as that
// of a world does that cannot keep up and drops ticks, and older samples are discarded.
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

// Offset returns the estimate from the samples since the last jump of a clock (see [EstimateOffset]); ok is
// false if there is none.
func (c *Clock) Offset() (offset float64, ok bool) {
	var room [ClockSamples]TimeSample
	n := min(c.count-c.since, ClockSamples)
	for i := range n {
		room[i] = c.samples[(c.count-1-i)%ClockSamples]
	}
	return EstimateOffset(room[:n])
}

// recent is how many samples RoundTrip uses: few, so that it follows a route that has changed.
const recent = 5

// RoundTrip returns the median round trip of the newest samples, in seconds; ok is false if there is none.
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
