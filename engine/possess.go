package engine

// Possess gives a controller a pawn: the old pawn is let go, the pawn's old controller loses it, the pawn
// belongs to the controller from then on, and roles follow (R2.2). Possessed is called on the pawn.
func (w *World) Possess(c, pawn *Actor) {
	pc, pp := c.Class.known[knPawn], pawn.Class.known[knController]
	if pc == nil || pp == nil {
		return
	}
	if ActorID(c.words[pc.word]) == pawn.id && ActorID(pawn.words[pp.word]) == c.id {
		return
	}
	w.UnPossess(c)
	if old := w.Actor(ActorID(pawn.words[pp.word])); old != nil {
		w.UnPossess(old)
	}
	if c.deleted || pawn.deleted {
		return
	}
	c.setRefKnown(pc, pawn)
	pawn.setRefKnown(pp, c)
	_ = pawn.SetOwner(c) // a controller owns no chain that leads back to a pawn of its own
	pawn.SetInstigator(pawn)
	if c.Class.IsPlayerController() && w.NetMode != NMClient {
		pawn.setRemoteRole(RoleAutonomousProxy)
	}
	if p := c.Class.known[knPlayerReplicationInfo]; p != nil {
		if q := pawn.Class.known[knPlayerReplicationInfo]; q != nil {
			pawn.setRefKnown(q, w.Actor(ActorID(c.words[p.word])))
		}
	}
	pawn.Event(EvPossessed, Ref(c))
}

// UnPossess lets go of a controller's pawn; UnPossessed is called on it.
func (w *World) UnPossess(c *Actor) {
	pc := c.Class.known[knPawn]
	if pc == nil {
		return
	}
	pawn := w.Actor(ActorID(c.words[pc.word]))
	if pawn == nil {
		return
	}
	c.setRefKnown(pc, nil)
	if pp := pawn.Class.known[knController]; pp != nil {
		pawn.setRefKnown(pp, nil)
	}
	_ = pawn.SetOwner(nil)
	pawn.setRemoteRole(RoleSimulatedProxy)
	pawn.Acceleration = vec{}
	pawn.Event(EvUnPossessed)
}

func (a *Actor) setRefKnown(p *Property, to *Actor) {
	a.SetRef(p, to)
	a.world.Script.Changed(a, p)
}

func (a *Actor) setRemoteRole(r Role) {
	if a.RemoteRole != r && a.RemoteRole != RoleNone {
		a.RemoteRole = r
		a.touchNative("RemoteRole")
	}
}

// IsLocallyControlled reports whether the actor's owning player sits at this machine. What no player owns
// is controlled where it is true.
func (w *World) IsLocallyControlled(a *Actor) bool {
	top := a.TopOwner()
	if top.Class.IsPlayerController() {
		_, ok := w.inputs[top.id]
		return ok
	}
	return a.HasAuthority()
}

// ServerTime is the server's time in seconds as far as this peer knows; on the server it is Time.
func (w *World) ServerTime() float64 { return w.Time }
