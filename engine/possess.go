package engine

// Possess gives a controller a pawn: the old pawn is released, the pawn's old controller loses it, the
// controller becomes its owner, and roles follow (R2.2). Possessed is called on the pawn.
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
	_ = pawn.SetOwner(c) // no loop: a controller's owners never lead to its own pawn
	pawn.SetInstigator(pawn)
	if c.Class.IsPlayerController() && w.NetMode != NMClient && pawn.RemoteRole != RoleNone {
		pawn.setRemoteRole(RoleAutonomousProxy)
	}
	if p := c.Class.known[knPlayerReplicationInfo]; p != nil {
		if q := pawn.Class.known[knPlayerReplicationInfo]; q != nil {
			pawn.setRefKnown(q, w.Actor(ActorID(c.words[p.word])))
		}
	}
	pawn.Event(EvPossessed, Ref(c))
}

// UnPossess releases a controller's pawn; UnPossessed is called on it.
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
	if w.NetMode != NMClient && pawn.RemoteRole != RoleNone {
		pawn.setRemoteRole(RoleSimulatedProxy)
	}
	pawn.Acceleration = vec{}
	pawn.Event(EvUnPossessed)
}

func (a *Actor) setRefKnown(p *Property, to *Actor) {
	a.SetRef(p, to)
	a.world.Script.Changed(a, p)
}

// setRemoteRole changes the role of clients' copies; components have the role of their actor.
func (a *Actor) setRemoteRole(r Role) {
	if a.RemoteRole == r {
		return
	}
	a.RemoteRole = r
	a.touchNative("RemoteRole")
	a.markWhole(markCond | markNet)
}

// IsPlayer implements bIsPlayer of conditions (R5.5): the actor is a PlayerController or the pawn that one
// controls. Other actors that a player owns do not count.
func (a *Actor) IsPlayer() bool {
	if a.Outer != nil {
		a = a.Outer
	}
	if a.Class.IsPlayerController() {
		return true
	}
	p := a.Class.known[knController]
	if p == nil || p.Type.Kind != KindRef || p.Native != nil {
		return false
	}
	c := a.world.Actor(ActorID(a.words[p.word]))
	return c != nil && c.Class.IsPlayerController()
}

// SetLocalPlayer sets the PlayerController that is played at this machine: it has input from then on, and what
// it owns is locally controlled. With nil nobody has, and the previous one loses its input.
func (w *World) SetLocalPlayer(pc *Actor) {
	if old := w.local; old != 0 && (pc == nil || pc.id != old) {
		delete(w.inputs, old)
	}
	w.local = 0
	if pc == nil || pc.deleted {
		return
	}
	w.local = pc.id
	if _, ok := w.inputs[pc.id]; !ok {
		w.inputs[pc.id] = &heldInput{Input: Input{View: pc.Rotation}} // not turned: the server may first set the view
	}
}

// LocalPlayer returns the PlayerController of SetLocalPlayer, nil if there is none or it is destroyed.
func (w *World) LocalPlayer() *Actor {
	a := w.Actor(w.local)
	if a == nil || a.deleted {
		return nil
	}
	return a
}

// IsLocallyControlled reports whether the actor's owning player is at this machine. An actor that no player
// owns is controlled by the peer with authority.
func (w *World) IsLocallyControlled(a *Actor) bool {
	top := a.TopOwner()
	if top.Class.IsPlayerController() {
		_, ok := w.inputs[top.id]
		return ok
	}
	return a.HasAuthority()
}

// DropInputs ends the input of the players at this machine, of a world that was loaded by a host without one.
func (w *World) DropInputs() {
	clear(w.inputs)
	w.local = 0
}
