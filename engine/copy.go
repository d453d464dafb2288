package engine

import (
	"fmt"

	"github.com/tidelock/tidelock/engine/geom"
)

// A copy is a client's actor that stands for one of the server's. Its life is the network code's to tell:
//
//	SpawnCopy    class and place are known: it is made, and PreBeginPlay, BeginPlay, PostBeginPlay run (R5.1).
//	             It is in space, so that others meet it, but touches nothing and does not tick yet.
//	             AddCopyComponent adds what the class does not have by itself (R5.20).
//	FinishCopy   its initial variables are in: PostNetBeginPlay, the auto state (R7.3), touching, ticks.
//	SetRoles     another role (R2.2).
//	DestroyCopy  the server closed it.
//	Release      the server spends nothing more on it (R5.17): role and behaviour stay, its end is the client's.
//	TearOff      it is the client's own from here on (R5.18).
//
// AdoptCopy is SpawnCopy for an actor of the client's own level (R1.4). Of those, the ones that may replicate
// begin as simulated proxies, so that a client never plays by itself what the server decides.

// copyKind says whose an actor is. It is kept in components, too.
type copyKind uint8

const (
	copyNone     copyKind = iota // this peer's own
	copyLevel                    // of a client's level and may replicate; the server has said nothing of it yet
	copyServers                  // the server's
	copyReleased                 // bNetTemporary, after its channel closed
)

// CopyParams says how a copy begins.
type CopyParams struct {
	// Location is in uu. Rotation counts where HasRotation is set (bNetInitialRotation); otherwise the copy
	// has its class's default.
	Location    geom.Vector
	Rotation    geom.Rotator
	HasRotation bool
	// Role is what this peer is, RemoteRole what the other end is: the server's pair swapped (R2.1).
	Role, RemoteRole Role
	// Name is the actor's name in messages; empty for one made from class and number.
	Name string
}

// SpawnCopy makes a client's copy of a server's actor, with its static components, and calls PreBeginPlay,
// BeginPlay and PostBeginPlay as far as its role runs them (R5.1, R7.1). [Actor.FinishCopy] is to follow.
func (w *World) SpawnCopy(c *Class, sp CopyParams) (*Actor, error) {
	switch {
	case c == nil:
		return nil, fmt.Errorf("copy: no class")
	case c.IsComponent():
		return nil, fmt.Errorf("copy: %s is a component; use AddCopyComponent", c.Name)
	case w.live >= MaxCopies:
		return nil, fmt.Errorf("copy of %s: the world has %d actors, at most %d", c.Name, w.live, MaxCopies)
	case !sp.Location.IsFinite():
		return nil, fmt.Errorf("copy of %s at %s: expected a finite place", c.Name, sp.Location)
	case sp.Role == RoleNone || sp.Role >= numRoles || sp.RemoteRole >= numRoles:
		return nil, fmt.Errorf("copy of %s: roles %s and %s: expected a Role above ROLE_None", c.Name, sp.Role, sp.RemoteRole)
	}
	a := w.alloc(c)
	w.live++
	a.copy, a.postNet = copyServers, true
	w.noteGameState(a)
	a.Location = sp.Location
	if sp.HasRotation {
		a.Rotation = sp.Rotation
	}
	if a.Name = sp.Name; a.Name == "" {
		a.Name = w.makeName(c)
	}
	a.Role, a.RemoteRole = sp.Role, sp.RemoteRole
	if a.lifeSpan > 0 {
		a.SetLifeSpan(a.lifeSpan)
	}
	w.Script.Attach(a)
	for _, cs := range c.Components {
		k, err := w.addComponent(a, w.Classes.Find(cs.Class), cs.Name)
		if err != nil {
			w.discard(a)
			return nil, err
		}
		k.copy, k.postNet = copyServers, true
	}
	w.enterSpace(a)
	w.fitCopy(a)
	for _, ev := range beginEvents {
		a.eventWhole(ev)
	}
	return a, nil
}

// fitCopy moves a copy whose place was rounded into brushes on the wire; see ReceiveLocation.
func (w *World) fitCopy(a *Actor) {
	if a.body.brushes || !w.space.overlapsSolid(a, a.Location, a.half()) {
		return
	}
	way, ok := w.space.depenetrate(a, a.Location, a.half(), copyRounding)
	if a.BSimGravityDisabled = !ok; ok {
		w.place(a, a.Location.Add(way))
	}
}

// AddCopyComponent adds a component that the server's actor has and the class does not declare. It calls
// PreBeginPlay, BeginPlay and PostBeginPlay; PostNetBeginPlay comes with the actor's FinishCopy, or with one of the component where the
// actor's was before. Where the actor has such a component already (its own script made it on both sides), it
// is that one; another class under the name is an error.
func (a *Actor) AddCopyComponent(c *Class, name string) (*Actor, error) {
	if k := a.ComponentNamed(name); k != nil {
		if k.Class != c {
			return nil, fmt.Errorf("copy: component %s of %s is a %s here and a %s on the server", name, a, k.Class, c)
		}
		if k.copy == copyNone {
			k.copy, k.postNet = copyServers, !k.initialized
		}
		return k, nil
	}
	if a.deleted || a.destroying {
		return nil, fmt.Errorf("copy: component %s: %s was destroyed", name, a)
	}
	k, err := a.world.addComponent(a, c, name)
	if err != nil {
		return nil, err
	}
	k.copy, k.postNet = copyServers, true
	for _, ev := range beginEvents {
		if !k.deleted {
			k.Event(ev)
		}
	}
	return k, nil
}

// FinishCopy tells that a copy's initial variables are in: PostNetBeginPlay runs, components first, then it
// enters its class's auto state if its role may (R7.3), touches what is there, and ticks from the next tick
// on. Each of this happens once in a copy's life: calling it again does nothing. For a component it finishes
// that component, if its actor is finished.
func (a *Actor) FinishCopy() {
	if a.deleted || a.destroying || a.Outer != nil && !a.Outer.initialized {
		return
	}
	for i := 0; i < len(a.Components) && !a.deleted; i++ {
		a.Components[i].postNetBegin()
	}
	a.postNetBegin()
	if !a.deleted {
		a.world.enterPlay(a)
	}
}

func (a *Actor) postNetBegin() {
	if a.postNet && !a.deleted {
		a.postNet = false
		a.Event(EvPostNetBeginPlay)
	}
}

// ownRoles makes a client's actor its own (R2.3): nobody else receives it. One of the level that may
// replicate is a simulated proxy instead.
func (a *Actor) ownRoles(level bool) {
	if level && a.BReplicates && a.RemoteRole != RoleNone {
		a.Role, a.RemoteRole = RoleSimulatedProxy, RoleAuthority
		a.copy, a.postNet = copyLevel, true
		for _, k := range a.Components {
			k.copy, k.postNet = copyLevel, true
		}
		return
	}
	a.BReplicates, a.Role, a.RemoteRole = false, RoleAuthority, RoleNone
}

// AdoptCopy makes an actor of the client's own level the copy of the server's (R1.4). Its variables stay.
// FinishCopy is to follow when the initial ones are in.
func (w *World) AdoptCopy(a *Actor, role, remote Role) {
	if a.deleted || a.destroying {
		return
	}
	a.own(copyServers)
	a.SetRoles(role, remote)
}

// own sets whose an actor and its components are; components that this peer added stay its own.
func (a *Actor) own(kind copyKind) {
	a.copy = kind
	for _, k := range a.Components {
		if k.copy != copyNone {
			k.copy = kind
		}
	}
}

// DestroyCopy ends a copy as the server's Destroy does, whatever its role. A bStatic or bNoDelete actor
// stays, as the server's does. The network code is told by Remote.Destroyed as of any other.
func (w *World) DestroyCopy(a *Actor) {
	if a.deleted || a.destroying || a.BStatic || a.BNoDelete {
		return
	}
	a.end()
}

// SetRoles changes what this peer's copy is and what the other end is (R2.2). No event is called: an actor
// that is no longer a simulated proxy runs everything from the next call on. For a component it does nothing.
func (a *Actor) SetRoles(role, remote Role) {
	if a.Outer != nil || a.Role == role && a.RemoteRole == remote {
		return
	}
	if a.Role != role {
		a.body.rested, a.body.onFloor = false, false // another one moves it now
	}
	a.Role, a.RemoteRole = role, remote
	a.markWhole(markCond | markNet)
}

// TearOff makes a copy this client's own (R5.18): Role is Authority, RemoteRole None, and TornOff is called
// whatever the role was. From then on nothing of it crosses, and it goes on by itself. Tearing off twice does
// nothing.
func (a *Actor) TearOff() {
	if a.Outer != nil || a.copy == copyNone || a.deleted || a.destroying {
		return
	}
	a.own(copyNone)
	a.BTearOff, a.BReplicates = true, false
	a.SetRoles(RoleAuthority, RoleNone)
	a.resumeLifeSpan()
	a.Event(EvTornOff)
}

// Release leaves a bNetTemporary copy to this client after its channel closed (R5.17): its role stays, and
// with it what runs on it, but scripts, its LifeSpan and falling out of the world may end it.
func (a *Actor) Release() {
	if a.Outer != nil || a.copy != copyServers || a.deleted || a.destroying {
		return
	}
	a.own(copyReleased)
	a.resumeLifeSpan()
}

// IsCopy reports whether the actor or component is the server's: made by SpawnCopy or AdoptCopy, and neither
// torn off nor released. It is always false on a server.
func (a *Actor) IsCopy() bool { return a.copy == copyServers }

// Released reports whether the copy was left to this client (R5.17).
func (a *Actor) Released() bool { return a.copy == copyReleased }

// mayEnd reports whether this peer decides about the actor's end: LifeSpan, falling out of the world.
func (a *Actor) mayEnd() bool {
	if a.copy == copyServers && a.Outer == nil && a.BNetTemporary {
		return true // sent once: its end is the client's affair, also while that is still being confirmed
	}
	return a.role() == RoleAuthority || a.copy == copyReleased || a.Outer != nil && a.copy == copyNone
}

// resumeLifeSpan ends an actor whose LifeSpan was over while the end was the server's, with the next timers.
func (a *Actor) resumeLifeSpan() {
	for _, x := range append([]*Actor{a}, a.Components...) {
		if x.lapsed {
			x.lapsed = false
			x.SetLifeSpan(lapsedSpan)
		}
	}
}

// lapsedSpan is no time at all, in seconds, but is not 0, which means never.
const lapsedSpan = 1e-9

// refuseDestroy reports a client's Destroy of what is the server's (R5.17).
func (w *World) refuseDestroy(a *Actor) {
	if !w.sayOnce(saidKey{what: saidDestroy, class: a.Class.Name}) {
		return
	}
	w.Script.Report(SevWarning, a, fmt.Sprintf("%s: Destroy of %s: it is the server's, and only the server can end it (R5.17); "+
		"ask for self:HasAuthority() before, or hide it here with bHidden", a.Class.Name, a))
}

// saidKey is a warning that is given once in a world's life.
type saidKey struct {
	what            saidWhat
	class, function string
}

type saidWhat uint8

const (
	saidDestroy saidWhat = iota
	saidDropped
)

// sayOnce reports whether something is to be said for the first time.
func (w *World) sayOnce(k saidKey) bool {
	if w.said[k] {
		return false
	}
	if w.said == nil {
		w.said = map[saidKey]bool{}
	}
	w.said[k] = true
	return true
}

// SetOwnedElsewhere tells, on a client, that some player owns the actor although the owner is not known here:
// other players' controllers are relevant to nobody but them. Only the routing of remote functions asks (R6.3).
func (a *Actor) SetOwnedElsewhere(owned bool) { a.owned = owned }

// nameInLevel remembers an actor by its name in the level.
func (w *World) nameInLevel(a *Actor) {
	if w.levelNames == nil {
		w.levelNames = map[string]ActorID{}
	}
	w.levelNames[a.LevelName] = a.id
}

// ActorByLevelName is the actor that LoadEntities made under a name in the level ([Actor.LevelName]), or nil
// where there is none or it was destroyed. Server and client agree on actors by it (R1.4).
func (w *World) ActorByLevelName(name string) *Actor {
	a := w.Actor(w.levelNames[name])
	if a == nil || a.deleted {
		return nil
	}
	return a
}
