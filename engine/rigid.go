package engine

import (
	"fmt"
	"math"
	"slices"

	"github.com/tidelock/tidelock/engine/dynamics"
	"github.com/tidelock/tidelock/engine/geom"
)

// PHYS_RigidBody: an actor that falls, tumbles, rolls and rests as a box or a sphere. Package dynamics moves
// all bodies of a world together, after every actor has ticked and before latent code and timers (R1.3).
// Variables that the class declares describe the body (class RigidBody of scripts/core declares them):
//
//	BodyShape        "Box" or "Sphere"; a box if it is not declared
//	BodyExtent       half extents in uu; X is the radius of a sphere; the collision cylinder's if it is zero
//	Mass             kg, 50 if it is not declared
//	Friction, Restitution, LinearDamping, AngularDamping, GravityScale
//	BodyLift         height of the centre of mass above the centre, uu
//	bGenerateHitEvents  whether RigidBodyCollision, Bump and HitWall are called for its hits
//	bStartAsleep     begins at rest
//	RigidBodyState   a struct that the engine updates on the peer with authority, see rigid_state.go
//
// They are read when the body is created: when an initialized actor gets PHYS_RigidBody. Scripts may set
// Location, Rotation and Velocity as for any actor; the body follows before the next step. Others collide with
// the rotated box itself, not a cylinder.
//
// Events, in this order and for each body in order of spawning: touches along the way;
// RigidBodyCollision(other, at, normal, impulse, speed) with Bump or HitWall for each hit; OnWakeRBPhysics or
// OnSleepRBPhysics.
//
// A world without such an actor has no rigidWorld and pays for one comparison per tick.

const (
	defaultMass           = 50
	defaultPawnMass       = 100 // of a pawn that is run over
	offFeet               = 150 // uu/s of a push that lifts a pawn off the ground
	shoveSpeed            = 60  // uu/s that a body needs to push a pawn
	defaultBodyFriction   = 0.6
	defaultLinearDamping  = 0.05
	defaultAngularDamping = 0.2
)

// refreshRigid creates or removes an actor's body, as its Physics requires.
func (w *World) refreshRigid(a *Actor) {
	if want := a.Physics == PhysRigidBody && a.body.number != 0 && !a.deleted && !a.destroying && !a.BStatic; want == (a.body.rigid != nil) {
		return
	} else if !want {
		w.dropRigid(a)
		return
	}
	w.addRigid(a)
}

// rigids returns the world of bodies, created with the first body.
func (w *World) rigids() *rigidWorld {
	s := &w.space
	if s.rigid != nil {
		return s.rigid
	}
	brushes := &dynamics.Brushes{}
	if lv := w.Level; lv != nil {
		brushes = lv.Derive(func() any { return dynamics.NewBrushes(lv.Solids()) }).(*dynamics.Brushes)
	}
	s.rigid = &rigidWorld{space: dynamics.NewSpaceAmong(brushes, s.solid)}
	for _, m := range s.actors {
		if m != nil && m.body.brushes {
			s.rigid.space.AddMover(m.body.number, m.body.mover.hulls)
		}
	}
	return s.rigid
}

// bodyExtent returns the half extents of the actor's body.
func (a *Actor) bodyExtent() vec {
	e := vec{X: a.CollisionRadius, Y: a.CollisionRadius, Z: a.CollisionHeight}
	if p := a.Class.known[knBodyExtent]; p != nil && p.Native == nil && p.Type.Kind == KindVector {
		if v := LoadVector(a.words[p.word:]); v.IsFinite() && v.X > 0 {
			e = v
		}
	}
	return e
}

func (a *Actor) isSphere() bool {
	p := a.Class.known[knBodyShape]
	return p != nil && p.Native == nil && p.Type.Kind == KindEnum && p.Type.Enum[a.words[p.word]] == "Sphere"
}

func (w *World) addRigid(a *Actor) {
	r := w.rigids()
	r.space.Gravity = vec{Z: w.Gravity}
	e := a.bodyExtent()
	d := a.bodyDef()
	d.Share = r.shareOf(a)
	d.Half, d.Rotation, d.LinVel = e, dynamics.FromRotator(a.Rotation), a.Velocity
	d.Asleep = a.flag(knStartAsleep) && a.Velocity.IsZero()
	if a.isSphere() {
		d.Shape, d.Radius, d.Lift = dynamics.Sphere, e.X, 0
		e = vec{X: e.X, Y: e.X, Z: e.X}
	}
	at := a.Location
	if st, ok := a.ReceivedState(); ok && a.role() != RoleAuthority && st != (RigidState{Rotation: dynamics.Identity()}) {
		// A copy begins exactly at the server's state: Location was sent in whole uu.
		at, d.Rotation, d.LinVel, d.AngVel, d.Asleep = st.Position, st.Rotation, st.LinVel, st.AngVel, st.AtRest()
	}
	d.Position = at.MulAdd(d.Rotation.Axes()[2], d.Lift)
	p := &rigidPart{at: a.Location, turn: a.Rotation, velocity: a.Velocity, reach: e.Size()}
	p.id, p.space, p.sphere = r.space.Add(d), r.space, d.Shape == dynamics.Sphere
	p.shape.Half = e
	p.state.find(a.Class)
	a.body.rigid = p
	r.list = addBySpawn(r.list, a)
	for int(p.id) >= len(r.numOf) {
		r.numOf = append(r.numOf, nil)
	}
	r.numOf[p.id] = a
	p.shape.Axes = r.space.Body(p.id).Axes()
	w.rehash(a)
	if a.role() == RoleAuthority {
		w.packRigid(a)
	} else if at != a.Location || a.Rotation != d.Rotation.Rotator() {
		w.followBody(r, a)
	}
}

// shareOf returns the share of awake bodies that an actor's body uses: that of the mod that spawned it, or else
// of its class.
func (r *rigidWorld) shareOf(a *Actor) int32 {
	mod, limit := a.Class.Mod(), dynamics.MaxShareAwake
	if x := a.census; x != nil && x.mod != nil { // a mod with a larger limit of actors may have more of them awake
		mod, limit = x.mod.name, limit*x.mod.most/MaxClassActors
	}
	if mod == "" {
		return 0
	}
	i := slices.Index(r.mods, mod)
	if i < 0 {
		i = len(r.mods)
		r.mods = append(r.mods, mod)
	}
	r.space.LimitShare(int32(i+1), limit)
	return int32(i + 1)
}

// reportKeptAsleep reports whose bodies were kept asleep because too many are awake, each once in ten seconds.
func (w *World) reportKeptAsleep(r *rigidWorld) {
	for i := range len(r.mods) + 1 {
		if !r.space.Refused(int32(i)) || w.NetMode == NMClient { // a client's bodies follow the server's
			continue
		}
		for len(r.told) <= i {
			r.told = append(r.told, math.Inf(-1))
		}
		if w.Time < r.told[i]+10 {
			continue
		}
		r.told[i] = w.Time
		if i == 0 || r.space.Awake() >= dynamics.MaxAwake {
			w.Script.Report(SevWarning, nil, fmt.Sprintf("%d rigid bodies move at once, more may not: the others stay at rest; spawn fewer, or with bStartAsleep (G6)", r.space.Awake()))
			continue
		}
		w.Script.Report(SevWarning, nil, fmt.Sprintf("mod %s has as many rigid bodies that move at once as it may: its others stay at rest; spawn fewer, or with bStartAsleep, or raise actors of [mods.%s] in host.toml (G6)",
			r.mods[i-1], r.mods[i-1]))
	}
}

// tuneRigid updates a body from its class's variables; its shape stays. A reload may have moved them, too.
func (w *World) tuneRigid(a *Actor) {
	p := a.body.rigid
	if p == nil {
		return
	}
	p.state = rigidStateLayout{}
	p.state.find(a.Class)
	d := a.bodyDef()
	p.space.Tune(p.id, &d)
}

// bodyDef returns the description of the actor's body from its variables, except shape and location.
func (a *Actor) bodyDef() dynamics.Def {
	return dynamics.Def{
		Mass: a.number(knMass, defaultMass), Friction: a.number(knFriction, defaultBodyFriction), Restitution: a.number(knRestitution, 0),
		LinearDamping: a.number(knLinearDamping, defaultLinearDamping), AngularDamping: a.number(knAngularDamping, defaultAngularDamping),
		GravityScale: a.number(knGravityScale, 1), Lift: a.number(knBodyLift, 0), Hits: a.flag(knGenerateHitEvents),
		User: int64(a.id),
	}
}

func (w *World) dropRigid(a *Actor) {
	r, p := w.space.rigid, a.body.rigid
	if p == nil {
		return
	}
	r.space.Remove(p.id)
	r.numOf[p.id] = nil
	for i, b := range r.list {
		if b == a {
			r.list = slices.Delete(r.list, i, i+1)
			break
		}
	}
	a.body.rigid = nil
	if a.body.number == 0 || a.destroying {
		return
	}
	w.rehash(a)
	// From here on it is upright again, which may need more room than lying did.
	if w.space.overlapsSolid(a, a.Location, a.half()) {
		if way, ok := w.space.depenetrate(a, a.Location, a.half(), 2*p.reach); ok {
			w.place(a, a.Location.Add(way))
		}
	}
}

// rigidMover adds a new mover to the bodies' world.
func (w *World) rigidMover(a *Actor) {
	if r := w.space.rigid; r != nil {
		r.space.AddMover(a.body.number, a.body.mover.hulls)
	}
}

// rigidLeaves removes an actor that leaves space from the bodies' world, and wakes what rested on it.
func (w *World) rigidLeaves(a *Actor) {
	r := w.space.rigid
	switch {
	case r == nil:
	case a.body.rigid != nil:
		w.dropRigid(a)
	case a.body.brushes:
		r.space.RemoveMover(a.body.number)
	case a.BCollideActors:
		r.space.WakeBox(geom.BoundsAround(a.Location, a.half()))
	}
}

// takeOver applies what scripts and movers did to a body's actor to the body.
func (w *World) takeOver(r *rigidWorld, a *Actor, p *rigidPart) {
	if a.Location == p.at && a.Rotation == p.turn && a.Velocity == p.velocity && !a.BAttached {
		return
	}
	b := r.space.Body(p.id)
	if a.Location != p.at || a.Rotation != p.turn {
		q := b.Rotation
		if a.Rotation != p.turn {
			q = dynamics.FromRotator(a.Rotation)
		}
		r.space.SetPose(p.id, a.Location.MulAdd(q.Axes()[2], b.Lift), q)
		p.at, p.turn = a.Location, a.Rotation
		p.shape.Axes = b.Axes()
	}
	if a.Velocity != p.velocity {
		r.space.SetVelocity(p.id, a.Velocity, b.AngVel)
		if !r.space.Wake(p.id) { // too many are awake: it stays in place
			a.setVelocity(vec{})
		}
		p.velocity = a.Velocity
	}
	if a.BAttached { // an attached actor follows its base
		r.space.Sleep(p.id)
	}
}

// stepRigid moves all bodies.
func (w *World) stepRigid(dt float64) {
	r := w.space.rigid
	if r == nil || len(r.list) == 0 {
		return
	}
	for _, a := range r.list {
		w.takeOver(r, a, a.body.rigid)
	}
	r.space.Step(dt, (*rigidSurroundings)(w))
	w.reportKeptAsleep(r)
	if r.space.Awake() == 0 && len(r.space.Woke) == 0 && len(r.space.Slept) == 0 {
		return
	}
	for _, id := range r.space.Woke {
		if a := r.numOf[id]; a != nil {
			a.body.rigid.woke = true
		}
	}
	s := &w.space
	for _, id := range r.space.Slept {
		if a := r.numOf[id]; a != nil {
			a.body.rigid.slept = true
		}
	}
	// Events may add and remove bodies: the list walked is a copy, on the scratch stack.
	base := len(s.party)
	for _, a := range r.list {
		if p := a.body.rigid; p.woke || p.slept || !r.space.Body(p.id).Asleep() {
			s.party = append(s.party, a)
		}
	}
	// Bodies may be removed meanwhile, and their numbers reused: the actors of each hit are looked up now.
	for i := range r.space.Hits {
		h := &r.space.Hits[i]
		r.hits = append(r.hits, hitOf{r.numOf[h.Body], w.hitActor(r, h), h})
	}
	for _, a := range s.party[base:len(s.party):len(s.party)] {
		if a.body.rigid == nil || a.destroying {
			continue
		}
		w.followBody(r, a)
		for i := range r.hits {
			if r.hits[i].actor == a {
				w.tellHit(&r.hits[i])
			}
		}
		w.tellRest(r, a)
	}
	clear(s.party[base:])
	s.party = s.party[:base]
	clear(r.hits)
	r.hits = r.hits[:0]
}

func (w *World) hitActor(r *rigidWorld, h *dynamics.Hit) *Actor {
	switch h.Kind {
	case dynamics.HitBody:
		return r.numOf[h.Other]
	case dynamics.HitMover, dynamics.HitObstacle:
		return w.space.actors[h.Other]
	case dynamics.HitLevel:
	}
	return nil
}

// followBody moves an actor to its body.
func (w *World) followBody(r *rigidWorld, a *Actor) {
	p := a.body.rigid
	b := r.space.Body(p.id)
	p.shape.Axes = b.Axes()
	to := insideWorld(b.Position.MulAdd(b.Axes()[2], -b.Lift))
	turn := b.Rotation.Rotator()
	p.at, p.turn, p.velocity = to, turn, b.LinVel
	a.setVelocity(b.LinVel)
	if turn != a.Rotation {
		a.SetRotation(turn)
	}
	if to != a.Location && !a.destroying {
		var m motion
		m.follow(w, a, to.Sub(a.Location))
		m.advance(to)
		m.commit()
	}
	if a.destroying || a.body.rigid == nil {
		return
	}
	if a.role() == RoleAuthority {
		w.packRigid(a)
	}
	w.checkFell(a)
}

func (w *World) tellHit(h *hitOf) {
	a, other := h.actor, h.other
	if h.Kind != dynamics.HitLevel && (other == nil || other.destroying) || a.destroying {
		return
	}
	a.Event(EvRigidBodyCollision, Ref(other), Vec(h.At), Vec(h.Normal), Float(h.Impulse), Float(h.Speed))
	switch {
	case a.destroying:
	case other == nil:
		a.Event(EvHitWall, Vec(h.Normal), Ref(nil))
	case other.destroying:
	case other.body.brushes:
		a.Event(EvHitWall, Vec(h.Normal), Ref(other))
	default:
		a.Event(EvBump, Ref(other))
		if h.Kind == dynamics.HitObstacle && !a.destroying && !other.destroying {
			other.Event(EvBump, Ref(a))
		}
	}
}

func (w *World) tellRest(r *rigidWorld, a *Actor) {
	p := a.body.rigid
	if p == nil || a.destroying {
		return
	}
	woke, slept := p.woke, p.slept
	p.woke, p.slept = false, false
	if asleep := r.space.Body(p.id).Asleep(); woke && !asleep {
		a.Event(EvOnWakeRBPhysics)
	} else if slept && asleep {
		a.Event(EvOnSleepRBPhysics)
	}
}

// rigidSurroundings gives the bodies access to the rest of the world.
type rigidSurroundings World

// AppendObstacles lists the upright actors that stop a body.
func (s *rigidSurroundings) AppendObstacles(dst []dynamics.Obstacle, user int64, box geom.Bounds) []dynamics.Obstacle {
	w := (*World)(s)
	a := w.Actor(ActorID(user))
	if a == nil || !a.BCollideActors {
		return dst
	}
	sp := &w.space
	sp.ids = sp.bodies.AppendBodies(sp.ids[:0], box, maskUpright)
	for _, id := range sp.ids {
		b := sp.actors[id]
		if b == a || b.body.rigid != nil || b.destroying || !blocks(a, b) || !w.mayCollide(a, b) || w.restsOn(b, a) {
			continue
		}
		yields := 0.0
		if b.Class.IsPawn() {
			if m := b.number(knMass, defaultPawnMass); a.Class.IsPawn() || shoves(a, b, m) {
				yields = m
			}
		}
		v := b.Velocity
		if base := w.Actor(b.Base); base != nil {
			v = v.Add(base.Velocity)
		}
		dst = append(dst, dynamics.Obstacle{
			ID: id, Centre: b.Location, Velocity: safeVelocity(v), Radius: math.Max(1, b.CollisionRadius), HalfHeight: math.Max(1, b.CollisionHeight),
			Mass: yields,
		})
	}
	return dst
}

// shoves reports whether a body that is not a vehicle pushes a pawn of a mass: it is heavier, comes from the
// side, and moves on its own. A lighter one is stopped, and so is one that the pawn itself pushes or stands on,
// and one that falls on its head, because the pawn cannot give way.
func shoves(a, b *Actor, mass float64) bool {
	if a.number(knMass, defaultMass) < mass || math.Abs(a.Location.Z-b.Location.Z) > b.CollisionHeight {
		return false
	}
	way := b.Location.Sub(a.Location)
	way.Z = 0
	return a.Velocity.Dot(way.Normal()) > shoveSpeed
}

// PushObstacle gives a pawn the velocity that a body gave it, if this peer controls the pawn. A hard push lifts
// it off the ground.
func (s *rigidSurroundings) PushObstacle(id int32, _ int64, change vec) {
	w := (*World)(s)
	a := w.space.actors[id]
	if a == nil || a.destroying || a.role() != RoleAuthority {
		return
	}
	change.Z = math.Max(0, change.Z)
	if a.Physics == PhysWalking && change.SizeSquared() > offFeet*offFeet {
		change.Z = math.Max(change.Z, offFeet)
		a.SetPhysics(PhysFalling)
	}
	a.setVelocity(safeVelocity(a.Velocity.Add(change)))
}

// MoverStops reports whether a mover's brushes stop a body.
func (s *rigidSurroundings) MoverStops(mover int32, user int64) bool {
	w := (*World)(s)
	a, m := w.Actor(ActorID(user)), w.space.actors[mover]
	return a != nil && m != nil && a.BCollideWorld && m.stops(a.Class.IsPawn())
}
