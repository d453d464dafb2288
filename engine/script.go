package engine

// Script is what the engine needs of the gameplay side. Package scriptvm implements it; tests may use
// [NoScript]. All calls happen on the goroutine that steps the world, some of them nested: an event may
// spawn, and the spawn calls further events before it returns.
//
// An implementation reports its own errors; nothing it does may panic or block.
type Script interface {
	// Attach makes the script side of a new actor, before its first event. Detach ends it, after its last.
	Attach(a *Actor)
	Detach(a *Actor)
	// Tick calls an actor's Tick. It is apart from Event because it is the one call made every frame.
	Tick(a *Actor, f *Function, dt float64)
	// Event calls a function of an actor. args is valid during the call only.
	Event(a *Actor, f *Function, args []Value)
	// Timer calls the function that SetTimer named.
	Timer(a *Actor, function string)
	// Held reports whether a looping timer of that function that is due is to wait for a later tick: its class takes more than
	// its share of the time (G6).
	Held(a *Actor, function string) bool
	// Changed tells that the engine set a declared variable: the script's read copy is to follow.
	Changed(a *Actor, p *Property)
	// StateChanged tells that the actor entered another state (nil for none), after its functions were
	// switched and before BeginState or its kin. Latent code of the old state ends, or stands still where the
	// new one was pushed; that of the new one starts, or goes on where the old one was popped.
	StateChanged(a *Actor, old *State, how StateChange)
	// RunLatent goes on with all latent code that is due, in the order of actors; it is called after actors ticked.
	RunLatent()
	// Received runs a replicated call that came from the other end. From a player (fromPeer not empty, their name for
	// messages) the validator runs first. Faults count against that peer, not the class.
	Received(a *Actor, f *Function, args []Value, fromPeer string) Receipt
	// Valid asks the validator of a variable (Property.Judge) about a value that a player sent (R5.16).
	Valid(a *Actor, judge *Function, v Value, fromPeer string) Receipt
	// Condition answers a condition that the engine cannot evaluate itself (Condition.Native is false).
	Condition(r *Rule, a *Actor, bits ConnBits) bool
	// Relevant asks an actor's IsNetRelevantFor(viewer) (R3.11); asked is false where its class has none.
	Relevant(a, viewer *Actor) (relevant, asked bool)
	// Notify tells a client's copy that a variable declared with notify came, after the whole update (R5.14). It runs
	// whatever the copy's role.
	Notify(a *Actor, p *Property, old Value)
	// FastEvent tells a client's copy of a change in a fast array (R5.12), in the same way.
	FastEvent(a *Actor, p *Property, how FastChange, key uint32, item Value)
	// Report takes what the engine itself has to say about gameplay, one line.
	Report(sev Severity, a *Actor, text string)
	// Hash adds the script side's state (latent positions) to a hash of the world.
	Hash(h *Hash)
}

// Receipt says what became of a call or a value that came from the other end.
type Receipt uint8

// The receipts. A script's fault is no offence of the player whose call it was (G18).
const (
	Accepted Receipt = iota // it ran, or there was nothing to run
	Refused                 // its validator said no
	Faulted                 // its validator or the function failed
)

// StateChange is how an actor came into its state.
type StateChange uint8

// The ways into a state.
const (
	StateEntered StateChange = iota // GotoState
	StatePushed                     // PushState
	StatePopped                     // PopState
)

// FastChange says what became of an item of a fast array.
type FastChange uint8

// The changes.
const (
	FastAdded FastChange = iota
	FastChanged
	FastRemoved
)

// NoScript is a Script in which nothing happens; worlds without gameplay and tests embed it.
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
