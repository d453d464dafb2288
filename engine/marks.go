package engine

// Marks record what changed in an actor since the last net update, so that nothing is polled (R4.5, R4.7):
// which replicated variables were set, whether a condition may have changed, whether relevancy may have, and
// whether the actor moved. An actor with any mark is in the world's list, once.
//
// What a variable marks is computed with its class: see [Classes.Watch].

// netWatched are the engine's own variables that decide which clients receive an actor, and how often (R3, R4).
// NetPriority is not among them: it is read whenever candidates are sorted.
var netWatched = map[string]bool{
	"RemoteRole": true, "Owner": true, "Instigator": true, "Base": true, "bAttached": true, "bHidden": true, "bTearOff": true, "bNetTemporary": true,
	"bAlwaysRelevant": true, "bOnlyRelevantToOwner": true, "bNetUseOwnerRelevancy": true, "bReplicates": true,
	"bOnlyDirtyReplication": true, "NetUpdateFrequency": true, "MinNetUpdateFrequency": true, "NetCullDistance": true,
	"NetDormancy": true, "bBlockPlayers": true, "CollisionRadius": true, "CollisionHeight": true,
	"AmbientSound": true, "SoundRadius": true,
}

// Watch computes what a change of each variable marks. [BuildClasses] calls it; code that later sets conditions
// of rules calls it again, before any actor exists. Calling it twice is harmless.
func (cs *Classes) Watch() {
	for _, c := range cs.sorted {
		c.stateful = c.Parent != nil && c.Parent.stateful
		for _, p := range c.Properties {
			if p.Class != c {
				continue
			}
			p.watch = 0
			if p.Rep >= 0 {
				p.watch |= markRep
			}
			if p.Native == nil {
				continue
			}
			if netWatched[p.Name] {
				p.watch |= markNet
			}
			switch p.Name {
			case "Location":
				p.watch |= markMoved
			case "RemoteRole", "Owner": // they determine bNetOwner and the roles of a connection
				p.watch |= markCond
			}
		}
	}
	for _, c := range cs.sorted {
		for _, p := range c.Replicated {
			if p.Class != c || p.Rule == nil {
				continue
			}
			switch p.Rule.Named {
			case CondSimulatedOrPhysics, CondSimulatedOrPhysicsNoReplay, CondDynamic: // a dynamic condition may become one of these
				if q := c.byName["Physics"]; q != nil {
					q.watch |= markCond
				}
			default:
			}
			cond := p.Rule.Cond
			if cond == nil {
				continue
			}
			c.stateful = c.stateful || cond.ReadsOthers()
			for _, q := range cond.Props() {
				if q = c.byName[q.Name]; q != nil { // the condition may have been compiled against an earlier set
					q.watch |= markCond
				}
			}
		}
	}
	for _, c := range cs.sorted { // marks from a parent's rules apply to its children
		c.stateful = c.stateful || c.Parent != nil && c.Parent.stateful
	}
}

// Touched marks a variable as changed since the last net update.
func (a *Actor) Touched(p *Property) {
	if p.watch == 0 {
		return
	}
	if p.Rep >= 0 {
		a.dirty[p.Rep>>6] |= 1 << (p.Rep & 63)
	}
	if a.marks&markQueued == 0 {
		a.world.dirty = append(a.world.dirty, a)
	}
	a.marks |= p.watch | markQueued
}

// mark sets marks that are not from a variable.
func (a *Actor) mark(m marks) {
	if a.marks&markQueued == 0 {
		a.world.dirty = append(a.world.dirty, a)
	}
	a.marks |= m | markQueued
}

// markWhole marks an actor and its components, which share its owner and its roles.
func (a *Actor) markWhole(m marks) {
	a.mark(m)
	for _, k := range a.Components {
		k.mark(m)
	}
}

// markOwned marks an actor whose owner changed and everything that it owns, recursively: the player at the top
// of the chain decides bNetOwner and roles for each of them.
func (a *Actor) markOwned(m marks, depth int) {
	a.markWhole(m)
	if depth >= maxChain {
		return
	}
	for _, r := range a.refs {
		if r.prop.Native == nil || r.prop.Name != "Owner" {
			continue
		}
		if k := a.world.Actor(r.from); k != nil && k.Owner == a.id && !k.deleted {
			k.markOwned(m, depth+1)
		}
	}
}

// IsDirty reports whether a replicated variable was set since the marks were last taken.
func (a *Actor) IsDirty(p *Property) bool {
	return p.Rep >= 0 && a.dirty[p.Rep>>6]&(1<<(p.Rep&63)) != 0
}

// DirtyMask returns the replicated variables that were set since the last [World.ClearDirty], a bit for each
// [Property.Rep]. The actor owns it: the caller must not keep it.
func (a *Actor) DirtyMask() *[MaxReplicatedProperties / 64]uint64 { return &a.dirty }

// CondDirty reports whether a replication condition of the actor may have changed since the last
// [World.ClearDirty]: a variable that one reads was set, RemoteRole or the owner (or the owner's owner)
// changed, a COND_Custom or COND_Dynamic variable was switched, a condition that reads beyond the actor's
// variables was reloaded, or the actor changed its state and has such conditions. For a PlayerController it is
// also set when its net groups changed. What a condition reads of other actors or of the world's time marks
// nothing.
func (a *Actor) CondDirty() bool { return a.marks&markCond != 0 }

// NetDirty reports whether the actor's relevancy, role, update rate or dormancy may have changed since the last
// [World.ClearDirty]. Movement alone does not set it: see [Actor.Moved].
func (a *Actor) NetDirty() bool { return a.marks&markNet != 0 }

// Moved reports whether Location was set since the last [World.ClearDirty].
func (a *Actor) Moved() bool { return a.marks&markMoved != 0 }

// DirtyActors returns the actors and components with any mark since the last ClearDirty: a replicated variable
// was set, it moved, CondDirty, NetDirty, or it requested a net update. Some may have been destroyed since.
func (w *World) DirtyActors() []*Actor { return w.dirty }

// ClearDirty clears the marks; the net update calls it after reading them.
func (w *World) ClearDirty() {
	for i, a := range w.dirty {
		clear(a.dirty[:])
		a.marks = 0
		w.dirty[i] = nil
	}
	w.dirty = w.dirty[:0]
	w.dirtyDead = 0
}

// forgetDead keeps a world whose marks nobody reads from collecting destroyed actors forever.
func (w *World) forgetDead(a *Actor) {
	if a.marks&markQueued == 0 {
		return
	}
	w.dirtyDead++
	if w.dirtyDead < 64 || w.dirtyDead < len(w.dirty)/4 {
		return
	}
	kept := w.dirty[:0]
	for _, d := range w.dirty {
		if !d.deleted {
			kept = append(kept, d)
		} else {
			d.marks &^= markQueued
		}
	}
	clear(w.dirty[len(kept):])
	w.dirty, w.dirtyDead = kept, 0
}
