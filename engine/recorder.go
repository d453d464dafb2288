package engine

// SetRecorder sets an observer that is called at the end of each tick, for example to keep a history (R11.2).
// There is only one; nil removes it and costs nothing.
func (w *World) SetRecorder(r Recorder) { w.recorder = r }

// PaceLead returns, on the server, how many more seconds of the world have passed for a player than for the server,
// because a change of the world's pace takes time to reach the player's machine: negative after the world became
// faster. Durations that a player claims are compared with the server's time plus this. most is what it can be at most, as far
// as the server knows: the player's machine may have received a faster pace whose confirmation is still on its way. Both are 0 for a
// player at this machine, and on clients.
func (w *World) PaceLead(pc *Actor) (lead, most float64) {
	if w.remote == nil || pc == nil {
		return 0, 0
	}
	return w.remote.PaceLead(pc)
}

// RoundTrip returns the smoothed round-trip time to a player's machine, in seconds of the world (in slow motion
// fewer pass than real seconds), as this peer measures it: on the server that of a PlayerController's connection, on a client its own. It is 0 for a player at this
// machine, and before the first measurement.
func (w *World) RoundTrip(pc *Actor) float64 {
	if w.remote == nil || pc == nil {
		return 0
	}
	return w.remote.RoundTrip(pc)
}
