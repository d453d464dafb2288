package engine

// MaxEffects bounds the effects kept between two calls of TakeEffects; the oldest go first.
const MaxEffects = 1024

// mayEnd reports whether this peer decides about the actor's end by LifeSpan or falling out of the world.
func (a *Actor) mayEnd() bool {
	if a.copy == copyServers && a.Outer == nil && a.BNetTemporary {
		return true // sent once: the client decides about its end, also while it is not acknowledged yet
	}
	return a.role() == RoleAuthority || a.copy == copyReleased || a.Outer != nil && a.copy == copyNone
}

// AddEffect records an effect to be shown.
func (w *World) AddEffect(e Effect) {
	if len(w.effects) >= MaxEffects { // drops an eighth at once: moving all for each effect would cost more
		w.effects = w.effects[:copy(w.effects, w.effects[MaxEffects/8:])]
	}
	w.effects = append(w.effects, e)
}

// Cue records for viewers an event that the class's looks use: an animation notify, an event or a function of
// that name. Cues of a component belong to its actor. All other events, and dedicated servers, which have no
// viewers, pay only one test.
func (a *Actor) Cue(name string) {
	l := a.Class.Looks
	if l == nil || a.world.NetMode == NMDedicatedServer || !l.Wants(name) {
		return
	}
	o := a
	if a.Outer != nil {
		o = a.Outer
	}
	a.world.AddEffect(Effect{Kind: EffectCue, Actor: o.id, At: o.Location, Name: name, Class: a.Class.Name})
}

// Runs reports whether the engine may call a function of an actor on this peer (R7.1).
func (w *World) Runs(a *Actor, f *Function) bool { return w.runs(a, f) }

// RunsLatent reports whether an actor's state code runs on this peer: on a simulated proxy only that of a
// simulated state (R7.3).
func (w *World) RunsLatent(a *Actor) bool {
	return a.role() > RoleSimulatedProxy || a.State != nil && a.State.Simulated
}

// runs reports whether the engine may call a function of an actor here: on a simulated proxy only simulated
// functions run (R7.1). f is nil for functions that are never simulated.
func (w *World) runs(a *Actor, f *Function) bool {
	return a.role() > RoleSimulatedProxy || f != nil && f.Simulated
}

// Event calls an event of the actor if its class, in its state, defines it. args are copied.
func (a *Actor) Event(ev Event, args ...Value) {
	f := a.Dispatch.Event[ev]
	if f == nil || a.deleted {
		if !a.deleted && a.Class.Looks != nil && !a.Dispatch.Ignored[eventNames[ev]] {
			a.Cue(eventNames[ev])
		}
		return
	}
	if !a.world.runs(a, f) && ev != EvReplicatedEvent && ev != EvTornOff {
		return
	}
	a.call(f, args...)
}

// Defines reports whether calling the event on the actor would run anything.
func (a *Actor) Defines(ev Event) bool { return a.Dispatch.Event[ev] != nil }

func (a *Actor) call(f *Function, args ...Value) {
	w := a.world
	if w.depth >= MaxEventDepth {
		if !w.deepest {
			w.deepest = true
			w.Script.Report(SevError, a, "events are nested "+itoa(MaxEventDepth)+" deep at "+f.Name+" of "+a.Name+"; further ones are dropped. Does a Touch move what touches again?")
		}
		return
	}
	// Arguments are stored on a stack of the world's own, so that a call through the interface allocates
	// nothing.
	base := len(w.argStack)
	w.argStack = append(w.argStack, args...)
	w.depth++
	w.Script.Event(a, f, w.argStack[base:len(w.argStack):len(w.argStack)])
	w.depth--
	clear(w.argStack[base:])
	w.argStack = w.argStack[:base]
}

func itoa(n int) string {
	if n < 10 {
		return string(rune('0' + n))
	}
	return itoa(n/10) + string(rune('0'+n%10))
}
