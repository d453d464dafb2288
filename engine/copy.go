package engine

import (
	"fmt"

	"github.com/tidelock/tidelock/engine/geom"
)

// A copy is a client's actor that represents one of the server's. The network code controls its life:
//
//	SpawnCopy    class and location are known: it is spawned; PreBeginPlay, BeginPlay, PostBeginPlay run (R5.1).
//	             It is in space, so that others meet it, but touches nothing and does not tick yet.
//	             AddCopyComponent adds components that its class does not declare (R5.20).
//	FinishCopy   its initial variables have arrived: PostNetBeginPlay, the auto state (R7.3), touching, ticks.
//	SetRoles     another role (R2.2).
//	DestroyCopy  the server closed it.
//	Release      the server sends no more of it (R5.17): role and behaviour stay, and the client may end it.
//	TearOff      the client controls it from here on (R5.18).
//
// AdoptCopy is SpawnCopy for an actor of the client's own level (R1.4). Those that may replicate begin as
// simulated proxies, so that a client never decides on its own what the server decides.

// CopyParams says how a copy begins.
type CopyParams struct {
	// Location is in uu. Rotation is used if HasRotation is set (bNetInitialRotation); otherwise the copy has
	// its class's default.
	Location    geom.Vector
	Rotation    geom.Rotator
	HasRotation bool
	// Role is that of this peer, RemoteRole that of the other end: the server's pair swapped (R2.1).
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

// ownRoles gives this client authority over an actor of its own (R2.3): nobody else receives it. A level actor
// that may replicate becomes a simulated proxy instead.
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

// own sets which peer controls an actor and its components; components that this peer added stay its own.
func (a *Actor) own(kind copyKind) {
	a.copy = kind
	for _, k := range a.Components {
		if k.copy != copyNone {
			k.copy = kind
		}
	}
}

// SetRoles changes the local and the remote role of this peer's copy (R2.2). No event is called: an actor that
// is no longer a simulated proxy runs everything from the next call on. For a component it does nothing.
func (a *Actor) SetRoles(role, remote Role) {
	if a.Outer != nil || a.Role == role && a.RemoteRole == remote {
		return
	}
	if a.Role != role {
		a.body.rested, a.body.onFloor = false, false // another peer moves it now
	}
	a.Role, a.RemoteRole = role, remote
	a.markWhole(markCond | markNet)
}

// TearOff gives this client control of a copy (R5.18): Role becomes Authority, RemoteRole None, and TornOff is
// called regardless of the role. From then on it does not replicate, and it continues locally. Tearing off
// twice does nothing.
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

// Release leaves a bNetTemporary copy to this client after its channel closed (R5.17): its role, and therefore
// what runs on it, stays, but scripts, its LifeSpan and falling out of the world may end it.
func (a *Actor) Release() {
	if a.Outer != nil || a.copy != copyServers || a.deleted || a.destroying {
		return
	}
	a.own(copyReleased)
	a.resumeLifeSpan()
}

// IsCopy reports whether the server controls the actor or component: made by SpawnCopy or AdoptCopy, and
// neither torn off nor released. It is always false on a server.
func (a *Actor) IsCopy() bool { return a.copy == copyServers }

// Released reports whether the copy was left to this client (R5.17).
func (a *Actor) Released() bool { return a.copy == copyReleased }

// resumeLifeSpan ends, with the next timers, an actor whose LifeSpan was over while the server decided about
// its end.
func (a *Actor) resumeLifeSpan() {
	for _, x := range append([]*Actor{a}, a.Components...) {
		if x.lapsed {
			x.lapsed = false
			x.SetLifeSpan(lapsedSpan)
		}
	}
}

// lapsedSpan is practically no time, in seconds, but not 0, which means never.
const lapsedSpan = 1e-9

// refuseDestroy reports a client's Destroy of an actor that the server controls (R5.17).
func (w *World) refuseDestroy(a *Actor) {
	if !w.sayOnce(saidKey{what: saidDestroy, class: a.Class.Name}) {
		return
	}
	w.Script.Report(SevWarning, a, fmt.Sprintf("%s: Destroy of %s: it is the server's, and only the server can end it (R5.17); "+
		"ask for self:HasAuthority() before, or hide it here with bHidden", a.Class.Name, a))
}

// sayOnce reports whether a message is to be logged for the first time.
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

// SetOwnedElsewhere records, on a client, that some player owns the actor although the owner is not known here:
// other players' controllers are relevant to nobody but them. Only the routing of remote functions uses it
// (R6.3).
func (a *Actor) SetOwnedElsewhere(owned bool) { a.owned = owned }

// nameInLevel remembers an actor by its name in the level.
func (w *World) nameInLevel(a *Actor) {
	if w.levelNames == nil {
		w.levelNames = map[string]ActorID{}
	}
	w.levelNames[a.LevelName] = a.id
}

// ActorByLevelName returns the actor that LoadEntities spawned under a name in the level ([Actor.LevelName]),
// or nil if there is none or it was destroyed. Server and client identify level actors by it (R1.4).
func (w *World) ActorByLevelName(name string) *Actor {
	a := w.Actor(w.levelNames[name])
	if a == nil || a.deleted {
		return nil
	}
	return a
}
