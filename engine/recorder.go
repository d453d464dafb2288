package engine

// SetRecorder has somebody look at the world at the end of each tick: who keeps a history, say (R11.2). There is one;
// nil is nobody and costs nothing.
func (w *World) SetRecorder(r Recorder) { w.recorder = r }

// RoundTrip is how long a packet takes to the machine of a player and back, smoothed, in seconds, as this peer measures it by
// itself: on the server that of a PlayerController's connection, on a client its own. It is 0 for a player at this machine, and
// before the first measurement.
func (w *World) RoundTrip(pc *Actor) float64 {
	if w.remote == nil || pc == nil {
		return 0
	}
	return w.remote.RoundTrip(pc)
}
