package engine

import "github.com/tidelock/tidelock/engine/geom"

// nudge is how far, in uu, a teleport may move an actor out of brushes: locations written by hand or rounded on
// the wire may be slightly inside a floor.
const nudge = 1

// fixed reports whether the actor is part of the level and has begun to play: it never moves again.
func (a *Actor) fixed() bool { return a.BStatic && a.initialized }

// SetLocation teleports the actor. It returns false, and the actor stays, if the actor is bStatic, if the
// location is outside of the world or, for an actor with bCollideWorld, deeper than 1 uu inside brushes; up to
// that it is corrected. Other actors do not prevent it. Attached actors move along; actors that stand on it
// stay, and it leaves its own base. UnTouch is called for what it left, then Touch for what it is in now.
func (a *Actor) SetLocation(at vec) bool {
	w := a.world
	if !at.IsFinite() || outsideWorld(at) || a.fixed() {
		return false
	}
	if a.body.number == 0 {
		a.Location = at
		a.touchNative("Location")
		return true
	}
	if a.body.brushes {
		if w.pushMove(a, at.Sub(a.Location)) != nil {
			return false
		}
		a.ported()
		return true
	}
	if w.space.overlapsSolid(a, at, a.half()) {
		way, ok := w.space.depenetrate(a, at, a.half(), nudge)
		if !ok {
			return false
		}
		at = at.Add(way)
	}
	a.ported()
	w.putAt(a, at)
	return true
}

// putAt teleports to a location that has been checked.
func (w *World) putAt(a *Actor, at vec) {
	delta := at.Sub(a.Location)
	w.place(a, at)
	moved := a.body.moved
	a.body.onFloor = false
	if a.BAttached {
		w.rehang(a)
	}
	// A copy, because the list changes meanwhile; nested teleports append theirs.
	first := len(w.space.riding)
	w.space.riding = append(w.space.riding, a.body.riders...)
	last := len(w.space.riding)
	for i := first; i < last; i++ {
		r := w.space.riding[i]
		switch {
		case r.Base != a.id || r.destroying:
		case r.BAttached:
			w.putAt(r, r.Location.Add(delta))
		default:
			w.setBase(r, nil, false)
		}
	}
	clear(w.space.riding[first:last])
	w.space.riding = w.space.riding[:first]
	if a.Base != 0 && !a.BAttached && !a.destroying && a.body.moved == moved {
		w.setBase(a, nil, false)
	}
	if !a.destroying && a.body.moved == moved {
		w.retouch(a)
	}
}

// Teleports counts the teleports of the actor: if the number changed between two net updates, the movement is
// not smoothed.
func (a *Actor) Teleports() uint32 { return a.body.ports }

// SetRotation turns the actor and, around it, what is attached. Bodies are upright, so nothing collides.
func (a *Actor) SetRotation(r geom.Rotator) {
	if a.Rotation == r {
		return
	}
	turned := a.Rotation.Yaw != r.Yaw
	a.Rotation = r
	if p := a.Class.rotation; p != nil {
		a.Touched(p)
	}
	if a.BAttached && a.body.hang != nil {
		a.world.rehang(a)
	}
	if turned {
		a.world.carry(a, vec{})
	}
}

// setVelocity sets Velocity for physics.
func (a *Actor) setVelocity(v vec) {
	if a.Velocity == v {
		return
	}
	a.Velocity = v
	if p := a.Class.velocity; p != nil {
		a.Touched(p)
	}
}

// SetPhysics changes the actor's movement mode. A pawn that stops walking leaves its base and keeps the base's
// velocity.
func (a *Actor) SetPhysics(p Physics) {
	old := a.Physics
	if old == p {
		return
	}
	a.Physics = p
	a.body.rested, a.body.onFloor, a.body.wedged, a.body.wall = false, false, 0, vec{}
	if q := a.Class.physics; q != nil {
		a.Touched(q)
	}
	a.world.refreshTick(a)
	if old == PhysWalking && a.Base != 0 && !a.BAttached {
		a.world.leaveBase(a)
	}
}

// collisionChanged is called after a collision variable was set.
func (a *Actor) collisionChanged() {
	if a.world == nil || a.body.number == 0 {
		return
	}
	a.world.rehash(a)
	a.world.retouch(a)
}

// SetCollision sets bCollideActors, bBlockActors and bBlockPlayers together, then calls UnTouch and Touch for
// what that changed.
func (a *Actor) SetCollision(actors, blockActors, blockPlayers bool) {
	if a.BCollideActors == actors && a.BBlockActors == blockActors && a.BBlockPlayers == blockPlayers {
		return
	}
	a.setFlag("bCollideActors", &a.BCollideActors, actors)
	a.setFlag("bBlockActors", &a.BBlockActors, blockActors)
	a.setFlag("bBlockPlayers", &a.BBlockPlayers, blockPlayers)
	a.collisionChanged()
}

// setFlag sets a native boolean with journal and mark, without other effects.
func (a *Actor) setFlag(name string, f *bool, v bool) {
	if *f == v {
		return
	}
	p := a.Class.byName[name]
	a.world.journalNative(a, p, Bool(*f))
	*f = v
	a.Touched(p)
}

// SetCollisionSize changes the body around its centre: radius and half height, in uu. It returns false, and
// nothing changes, if a larger body would be in brushes, or in an actor that stops it and did not overlap it
// before.
func (a *Actor) SetCollisionSize(r, h float64) bool {
	const most = 10000
	if !(r >= 0 && r <= most && h >= 0 && h <= most) {
		return false
	}
	r, h = float64(float32(r)), float64(float32(h))
	w := a.world
	if r == a.CollisionRadius && h == a.CollisionHeight {
		return true
	}
	if a.body.number != 0 && !a.body.brushes && (r > a.CollisionRadius || h > a.CollisionHeight) && !w.fits(a, r, h) {
		return false
	}
	for _, s := range [...]struct {
		name string
		f    *float64
		v    float64
	}{{"CollisionRadius", &a.CollisionRadius, r}, {"CollisionHeight", &a.CollisionHeight, h}} {
		if p := a.Class.byName[s.name]; p != nil && *s.f != s.v {
			w.journalNative(a, p, Float(*s.f))
			*s.f = s.v
			a.Touched(p)
		}
	}
	a.collisionChanged()
	return true
}

// fits reports whether an enlarged body has room where the actor is.
func (w *World) fits(a *Actor, r, h float64) bool {
	if w.space.overlapsSolid(a, a.Location, vec{X: r, Y: r, Z: h}) {
		return false
	}
	if !a.BCollideActors {
		return true
	}
	s := &w.space
	base := len(s.near)
	defer func() { s.near = s.near[:base] }()
	grown := a.solidBody()
	grown.Radius, grown.HalfHeight = r, h
	for _, n := range w.neighbours(a, grown.Bounds(), true) {
		if n.stops && overlapping(&grown, &n.body) && !w.within(a, n.actor) {
			return false
		}
	}
	return true
}

// copyRounding is how far, in uu, a location may be inside brushes because it was rounded on the wire.
const copyRounding = 2

// ReceiveLocation sets the location that the authoritative peer sent for a copy. Unlike SetLocation it always
// moves the actor there. Locations are sent rounded, so a body up to 2 uu inside brushes is corrected; one that
// is deeper does not fit this world, and bSimGravityDisabled keeps it from falling through until it does
// (R10.5).
func (a *Actor) ReceiveLocation(at vec) {
	w := a.world
	if !at.IsFinite() {
		return
	}
	at = insideWorld(at)
	if a.body.number == 0 || a.body.brushes {
		if a.body.brushes {
			w.shove(a, at.Sub(a.Location))
			return
		}
		a.Location = at
		return
	}
	misfit := false
	if w.space.overlapsSolid(a, at, a.half()) {
		way, ok := w.space.depenetrate(a, at, a.half(), copyRounding)
		if misfit = !ok; ok {
			at = at.Add(way)
		}
	}
	a.BSimGravityDisabled = misfit
	if at == a.Location {
		return
	}
	from := a.Location
	var m motion // so that Touch and UnTouch are called along the way
	m.begin(w, a, at.Sub(from))
	m.advance(at)
	m.commit()
	a.smooth(from, a.Rotation)
}

// MovedByPlayer reports whether scripts move the actor instead of the tick: a player's pawn on their own
// machine, and on the server the pawn of a player at another machine. A pawn with bReplicateMovementToOwner is
// moved by the server.
func (a *Actor) MovedByPlayer() bool {
	if a.BReplicateMovementToOwner || !a.Class.IsPawn() {
		return false
	}
	switch {
	case a.Role == RoleAutonomousProxy:
		return true
	case a.Role != RoleAuthority || a.RemoteRole != RoleAutonomousProxy:
		return false
	}
	p := a.Class.known[knController]
	if p == nil || p.Native != nil {
		return false
	}
	c := a.world.Actor(ActorID(a.words[p.word]))
	if c == nil || !c.Class.IsPlayerController() {
		return false
	}
	_, here := a.world.inputs[c.id]
	return !here
}

// followsServer reports whether a pawn follows the server's state instead of its own physics: other players'
// pawns, and the player's own if its class says so.
func (a *Actor) followsServer() bool {
	return a.Class.IsPawn() && (a.Role == RoleSimulatedProxy || a.Role == RoleAutonomousProxy && a.BReplicateMovementToOwner)
}

// setMode changes Physics and nothing else.
func (a *Actor) setMode(p Physics) {
	if a.Physics == p {
		return
	}
	a.Physics = p
	if q := a.Class.physics; q != nil {
		a.Touched(q)
	}
}
