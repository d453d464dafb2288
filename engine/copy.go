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

// own sets whose an actor and its components are; components that this peer added stay its own.
func (a *Actor) own(kind copyKind) {
	a.copy = kind
	for _, k := range a.Components {
		if k.copy != copyNone {
			k.copy = kind
		}
	}
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
