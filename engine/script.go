package engine

import "github.com/tidelock/tidelock/engine/archive"

// Script is the interface to the gameplay side. Package scriptvm implements it; tests may use [NoScript]. All
// calls happen on the goroutine that steps the world, some of them nested: an event may spawn, and the spawn
// calls further events before it returns.
//
// An implementation reports its own errors; nothing it does may panic or block.
type Script interface {
	// Attach creates the script side of a new actor, before its first event. Detach ends it, after its last.
	Attach(a *Actor)
	Detach(a *Actor)
	// Tick calls an actor's Tick. It is separate from Event because it is called every frame.
	Tick(a *Actor, f *Function, dt float64)
	// Event calls a function of an actor. args is valid during the call only.
	Event(a *Actor, f *Function, args []Value)
	// Timer calls the function that SetTimer named.
	Timer(a *Actor, function string)
	// Held reports whether a due looping timer of that function must wait for a later tick because its class
	// exceeds its share of the time (G6).
	Held(a *Actor, function string) bool
	// Changed reports that the engine set a declared variable: the script's read copy must follow.
	Changed(a *Actor, p *Property)
	// StateChanged reports that the actor entered another state (nil for none), after its functions were
	// switched and before BeginState and the similar events. Latent code of the old state ends, or pauses if
	// the new one was pushed; that of the new one starts, or continues if the old one was popped.
	StateChanged(a *Actor, old *State, how StateChange)
	// RunLatent continues all latent code that is due, in the order of actors; it is called after actors
	// ticked.
	RunLatent()
	// Received runs a replicated call from the other end. If it is from a player (fromPeer is not empty and is
	// their name for messages) the validator runs first. Faults count against that peer, not the class.
	Received(a *Actor, f *Function, args []Value, fromPeer string) Receipt
	// Valid calls the validator of a variable (Property.Judge) with a value that a player sent (R5.16).
	Valid(a *Actor, judge *Function, v Value, fromPeer string) Receipt
	// Condition evaluates a condition that the engine cannot (Condition.Native is false).
	Condition(r *Rule, a *Actor, bits ConnBits) bool
	// Relevant calls an actor's IsNetRelevantFor(viewer) (R3.11); asked is false if its class has none.
	Relevant(a, viewer *Actor) (relevant, asked bool)
	// Notify reports to a client's copy that a variable declared with notify was received, after the whole
	// update (R5.14). It runs regardless of the copy's role.
	Notify(a *Actor, p *Property, old Value)
	// FastEvent reports to a client's copy a change in a fast array (R5.12), in the same way.
	FastEvent(a *Actor, p *Property, how FastChange, key uint32, item Value)
	// Report reports a message of the engine about gameplay, in one line.
	Report(sev Severity, a *Actor, text string)
	// Hash adds the script side's state (latent positions) to a hash of the world.
	Hash(h *Hash)
	// HashPrivate adds what SaveState writes of the script side: private fields of actors that are plain data (C3).
	HashPrivate(h *Hash)
	// SaveState appends the script side's state to an archive, and LoadState reads it when all actors were attached and have their
	// variables. note adds a line for the log. Neither calls a script; a fault is the reader's.
	SaveState(out *archive.Writer)
	LoadState(in *archive.Reader, note func(line string))
	// Restored calls the event of that name on all actors, when a loaded world is complete, and lets latent code begin.
	Restored()
}

// Receipt is the result of a call or a value that came from the other end.
type Receipt uint8

// The receipts. A script's fault is not an offence of the player who called it (G18).
const (
	Accepted Receipt = iota // it ran, or there was nothing to run
	Refused                 // its validator rejected it
	Faulted                 // its validator or the function failed
)

// StateChange is how an actor entered its state.
type StateChange uint8

// The ways into a state.
const (
	StateEntered StateChange = iota // GotoState
	StatePushed                     // PushState
	StatePopped                     // PopState
)

// FastChange is what happened to an item of a fast array.
type FastChange uint8

// The changes.
const (
	FastAdded FastChange = iota
	FastChanged
	FastRemoved
)

// NoScript is a Script that does nothing; worlds without gameplay and tests embed it.
type NoScript struct{}

func (NoScript) Attach(*Actor)                                          {}
func (NoScript) Detach(*Actor)                                          {}
func (NoScript) Tick(*Actor, *Function, float64)                        {}
func (NoScript) Event(*Actor, *Function, []Value)                       {}
func (NoScript) Timer(*Actor, string)                                   {}
func (NoScript) Held(*Actor, string) bool                               { return false }
func (NoScript) Changed(*Actor, *Property)                              {}
func (NoScript) StateChanged(*Actor, *State, StateChange)               {}
func (NoScript) RunLatent()                                             {}
func (NoScript) Received(*Actor, *Function, []Value, string) Receipt    { return Accepted }
func (NoScript) Valid(*Actor, *Function, Value, string) Receipt         { return Accepted }
func (NoScript) Condition(*Rule, *Actor, ConnBits) bool                 { return false }
func (NoScript) Relevant(_, _ *Actor) (bool, bool)                      { return false, false }
func (NoScript) Notify(*Actor, *Property, Value)                        {}
func (NoScript) FastEvent(*Actor, *Property, FastChange, uint32, Value) {}
func (NoScript) Report(Severity, *Actor, string)                        {}
func (NoScript) Hash(*Hash)                                             {}
func (NoScript) HashPrivate(*Hash)                                      {}
func (NoScript) SaveState(*archive.Writer)                              {}
func (NoScript) LoadState(*archive.Reader, func(string))                {}
func (NoScript) Restored()                                              {}
