package engine

import "fmt"

// Why a replicated call is dropped (R6.3).
const (
	dropNotOwner   = "the actor is not this player's, and a player may call server functions of their own actors only"
	dropNotOurs    = "the actor is another player's, and a remote function goes to its owner or to the server"
	dropReleased   = "the server has left the actor to this client (bNetTemporary), so it hears nothing of it"
	dropDestroyed  = "the actor or component is being destroyed, so its copy is gone; call before Destroy"
	dropUnreplicas = "the actor is not replicated, so its owner has no copy; set bReplicates and a RemoteRole"
)

// ownership is the owner of an actor, as far as this peer knows.
type ownership uint8

const (
	ownedByNobody ownership = iota
	ownedByServer           // a player without a connection: the listen server's own
	ownedByClient           // on the server: a connection's player; on a client: this one
	ownedByOther            // on a client: any other player
)

// Route decides where a call of a replicated function runs when a script of this peer makes it (R6.3): here, at
// the other end, both (a multicast of the server), or neither, and then returns the reason. Without a network,
// for a client's own actors (R2.3) and for actors that do not replicate, it runs here.
func (w *World) Route(a *Actor, f *Function) (here, away bool, dropped string) {
	if f.Kind == CallLocal || w.remote == nil || w.NetMode == NMStandalone {
		return true, false, ""
	}
	ends := a.destroying
	if a.Outer != nil {
		if w.NetMode == NMClient && a.copy == copyNone {
			return true, false, "" // a component that this client added
		}
		a = a.Outer
		ends = ends || a.destroying
	}
	if w.NetMode == NMClient {
		return w.routeClient(a, f, ends)
	}
	return w.routeServer(a, f, ends)
}

// routeServer is Route on a server; ends reports that the actor, or the component called on, is being
// destroyed.
func (w *World) routeServer(a *Actor, f *Function, ends bool) (here, away bool, dropped string) {
	replicated := a.BReplicates && a.RemoteRole != RoleNone
	switch f.Kind {
	case CallMulticast:
		return true, replicated && !ends, ""
	case CallClient, CallRemote:
		switch {
		case w.ownership(a) != ownedByClient:
			return true, false, ""
		case ends:
			return false, false, dropDestroyed
		case !replicated:
			return false, false, dropUnreplicas
		}
		return false, true, ""
	default:
	}
	return true, false, ""
}

// routeClient is Route on a client; ends as for routeServer.
func (w *World) routeClient(a *Actor, f *Function, ends bool) (here, away bool, dropped string) {
	if a.Role == RoleAuthority || f.Kind == CallClient || f.Kind == CallMulticast {
		return true, false, ""
	}
	owner := w.ownership(a)
	switch {
	case f.Kind == CallRemote && owner == ownedByNobody:
		return true, false, ""
	case a.copy == copyReleased:
		return false, false, dropReleased
	case ends:
		return false, false, dropDestroyed
	case owner == ownedByClient:
		return false, true, ""
	case f.Kind == CallRemote:
		return false, false, dropNotOurs
	}
	return false, false, dropNotOwner
}

func (w *World) ownership(a *Actor) ownership {
	if w.remote.Owns(a) {
		return ownedByClient
	}
	top := a.TopOwner()
	player := top.Class.IsPlayerController()
	if w.NetMode != NMClient {
		if player {
			return ownedByServer
		}
		return ownedByNobody
	}
	// Other players' controllers are not known here; a pawn played by somebody shows that it has one.
	if player || a.owned || top.owned || top.playsForSomebody() {
		return ownedByOther
	}
	return ownedByNobody
}

// playsForSomebody reports whether a pawn has the PlayerReplicationInfo of a person.
func (a *Actor) playsForSomebody() bool {
	p := a.Class.known[knPlayerReplicationInfo]
	if p == nil || p.Type.Kind != KindRef || !a.Class.IsPawn() {
		return false
	}
	info := a.world.Actor(ActorID(a.words[p.word]))
	if info == nil {
		return false
	}
	bot := info.Class.byName["bBot"]
	return bot == nil || bot.Native != nil || bot.Type.Kind != KindBool || info.words[bot.word] == 0
}

// CallRemote sends a script's call of a replicated function to the right peer and reports whether it also, or
// only, runs here. The script side calls it for every such call; args fit f.Params. A dropped call is counted
// by Remote.Dropped and reported once per class and function (R6.3); it is not an error in the script. A call
// that exceeds the send limit is an error, and runs nowhere (R6.5); by is the mod whose script calls, "" for
// core and the game.
func (w *World) CallRemote(a *Actor, f *Function, args []Value, by string) (here bool, err error) {
	here, away, dropped := w.Route(a, f)
	if away {
		if err := w.remote.Call(a, f, args, by); err != nil {
			return false, err
		}
	}
	if dropped != "" {
		w.remote.Dropped(a, f, dropped)
		if w.sayOnce(saidKey{saidDropped, a.Class.Name, f.Name}) {
			w.Script.Report(SevWarning, a, fmt.Sprintf("%s:%s: the call on %s went nowhere: %s (R6.3); further ones are only counted",
				a.Class.Name, f.Name, a, dropped))
		}
	}
	return here, nil
}
