package engine

// Remote is what a world needs of the network code: it sends calls and is notified of changes. The server side and the client
// side of package netcode implement it; nil stands for no network, as in a standalone world. All calls happen on the goroutine
// that steps the world; none may call back into scripts.
type Remote interface {
	// Spawned tells of a new actor or component, after it began. Destroyed tells of one that went, before
	// references to it are gone.
	Spawned(a *Actor)
	Destroyed(a *Actor)
	// Owns reports, on the server, whether a's top owner is the PlayerController of a connection; on a client,
	// whether it is this client's own.
	Owns(a *Actor) bool
	// RoundTrip is the smoothed round trip to the machine that owns a, in seconds: on the server that of its player's
	// connection, on a client its own. It is 0 where there is none or it was not measured yet.
	RoundTrip(a *Actor) float64
	// Call sends a replicated call to the other end (R6.1). The arguments fit the function's parameters and
	// hold during the call only. by is the mod whose script calls, "" for core and the game. An error says why the call goes to
	// nobody: too much was sent reliably before (R6.5).
	Call(a *Actor, f *Function, args []Value, by string) error
	// Dropped tells of a call that goes nowhere (R6.3), for the counters.
	Dropped(a *Actor, f *Function, why string)
}

// SetRemote connects the world to the network code; nil disconnects it.
func (w *World) SetRemote(r Remote) { w.remote = r }
