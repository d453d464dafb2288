package rewind

import "fmt"

// DefaultTolerance is how much more than its measured latency a shooter may claim, in seconds: for jitter, and
// a clock that is 10 ms off.
const DefaultTolerance = 0.05

// SeenTime returns the time that a shooter sees, in seconds of the server's world, given its estimate of the
// server's time, its round trip and the delay with which it shows others (R11.3).
func SeenTime(serverTime, roundTrip, interpolation float64) float64 {
	return serverTime - roundTrip/2 - interpolation
}

// Claim is the time that a shooter claims to have seen, and what the server knows about that. All are in
// seconds. The latency is the server's own measurement, never the shooter's.
type Claim struct {
	// Time is the claimed time, Now the server's time on arrival.
	Time, Now float64
	// RoundTrip is measured: half of it for the update, half of it for the shot.
	RoundTrip float64
	// Interpolation is the delay with which clients show others.
	Interpolation float64
	// Tolerance allows for jitter; 0 allows none (see DefaultTolerance).
	Tolerance float64
}

// ClaimError is a rejected claim: its age, and the age that the shooter's latency explains, in seconds.
type ClaimError struct{ Age, Allowed float64 }

func (e ClaimError) Error() string {
	return fmt.Sprintf("rewind: shot refused: it claims to have seen the world of %.0f ms ago, expected at most %.0f ms by its latency; "+
		"send server time less half the round trip less the interpolation delay", e.Age*1000, e.Allowed*1000)
}

// Check rejects, with a [ClaimError], a claim older than the shooter's latency and the tolerance explain
// (R11.3), and anything that is not a finite number. A time after Now is no advantage, because it uses the
// newest frame, and passes.
func (c Claim) Check() error {
	age, allowed := c.Now-c.Time, c.RoundTrip+c.Interpolation+c.Tolerance
	// A claim exactly at the bound must pass although sums of times are rounded.
	const rounding = 1e-9
	if age-allowed <= rounding && age-age == 0 && allowed-allowed == 0 { // x−x is 0 only for finite numbers
		return nil
	}
	return ClaimError{Age: age, Allowed: allowed}
}
