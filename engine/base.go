package engine

import (
	"fmt"
	"math"
)

// Base is the actor that another one moves with. A walking pawn that stands on a mover or on another actor gets
// that as its Base, and none on the level's own brushes; SetBase may give any actor one. When a base moves, it
// moves the actors based on it, in order of spawning: those that rest on it as far as nothing is in the way,
// and attached ones rigidly, turning with the base's yaw, through everything.
//
// A change calls, in this order: Detach(self) on the old base, Attach(self) on the new one, BaseChange on the
// actor. While an actor rests on a base, its Velocity is relative to the base: leaving adds the base's
// velocity, landing subtracts it.

// Riders lists the actors whose Base this actor is, in order of spawning.
func (a *Actor) Riders() []*Actor { return append([]*Actor(nil), a.body.riders...) }

// SetBase bases the actor on another one or, with attach, attaches it; nil removes the base. A loop is an error
// that names the actors.
func (a *Actor) SetBase(b *Actor, attach bool) error {
	w := a.world
	if b != nil && b.destroying {
		b = nil
	}
	if a.Outer != nil || b != nil && b.Outer != nil {
		return fmt.Errorf("SetBase: %s on %s: a component has no place of its own; use its actor", a, b)
	}
	for k := b; k != nil; k = w.Actor(k.Base) {
		if k == a {
			return fmt.Errorf("SetBase: %s rests on %s already, directly or further down; a loop of bases is not possible", b, a)
		}
	}
	if a.destroying {
		return nil
	}
	w.setBase(a, b, attach)
	if attach && !a.destroying {
		w.retouch(a) // attached actors do not touch each other
	}
	return nil
}

func (w *World) setBase(a, b *Actor, attach bool) {
	old := w.linkBase(a, b, attach)
	w.tellBase(a, old, b)
}

// linkBase changes the base without events, and returns the old one.
func (w *World) linkBase(a, b *Actor, attach bool) (old *Actor) {
	var id ActorID
	if b != nil {
		id = b.id
	}
	attach = attach && b != nil
	old = w.Actor(a.Base)
	if a.Base == id && a.BAttached == attach {
		if attach {
			w.rehang(a)
		}
		return old
	}
	a.Base = id
	a.body.rested = false
	a.setAttached(attach)
	if attach {
		w.rehang(a)
	}
	p := a.Class.base
	if p != nil {
		a.Touched(p)
	}
	if old == b {
		return old
	}
	if old != nil {
		old.body.dropRider(a)
	}
	if b != nil {
		b.body.addRider(a)
		if p != nil {
			b.addRef(refEdge{a.id, p, 0})
		}
	}
	return old
}

// tellBase calls the events of a change of base, as far as it still holds.
func (w *World) tellBase(a, old, b *Actor) {
	if old == b {
		return
	}
	now := func() bool { return !a.destroying && w.Actor(a.Base) == b }
	if old != nil && !old.destroying {
		old.Event(EvDetach, Ref(a))
	}
	if b != nil && !b.destroying && now() {
		b.Event(EvAttach, Ref(a))
	}
	if now() {
		a.Event(EvBaseChange)
	}
}

// baseLost is called when the base was destroyed; Base is nil already.
func (a *Actor) baseLost() {
	a.setAttached(false)
	a.body.rested, a.body.onFloor = false, false
	a.Event(EvBaseChange)
}

// leaveBase removes an actor's base and adds the base's velocity.
func (w *World) leaveBase(a *Actor) {
	if b := w.Actor(a.Base); b != nil {
		a.setVelocity(a.Velocity.Add(b.Velocity))
	}
	w.setBase(a, nil, false)
}

// standOn makes a walking actor's floor its base; nil is the level.
func (w *World) standOn(a, floor *Actor) {
	if a.BAttached {
		return
	}
	old := w.Actor(a.Base)
	if old == floor {
		return
	}
	v := a.Velocity
	if old != nil {
		v = v.Add(old.Velocity)
	}
	if floor != nil && w.restsOn(floor, a) {
		if floor = nil; old == nil {
			return // two on top of each other: the older one keeps its floor
		}
	}
	if floor != nil {
		v = v.Sub(floor.Velocity)
	}
	v.Z = 0
	a.setVelocity(v)
	w.setBase(a, floor, false)
}

// setAttached switches an actor between attached to its base and standing on it. The caller then calls rehang.
func (a *Actor) setAttached(on bool) {
	if a.BAttached != on {
		a.BAttached = on
		a.touchNative("bAttached")
	}
	if h := a.body.hang; h != nil && (h.at != vec{} || h.yaw != 0) {
		a.touchNative("RelativeLocation")
		a.touchNative("RelativeRotation")
	}
	a.body.hang = nil
	if on {
		a.hangMade()
	}
}

func (a *Actor) hangMade() *hanging {
	if a.body.hang == nil {
		a.body.hang = &hanging{}
	}
	return a.body.hang
}

// rehang records where an attached actor is relative to its base.
func (w *World) rehang(a *Actor) {
	b, h := w.Actor(a.Base), a.body.hang
	if b == nil || h == nil {
		return
	}
	if at := turnYaw(a.Location.Sub(b.Location), -b.Rotation.Yaw); at != h.at {
		h.at = at
		a.touchNative("RelativeLocation")
	}
	if yaw := a.Rotation.Yaw - b.Rotation.Yaw; yaw != h.yaw {
		h.yaw = yaw
		a.touchNative("RelativeRotation")
	}
}

func turnYaw(v vec, yaw uint16) vec {
	if yaw == 0 {
		return v
	}
	s, c := math.Sincos(float64(yaw) * (math.Pi / 32768))
	return vec{X: v.X*c - v.Y*s, Y: v.X*s + v.Y*c, Z: v.Z}
}

// carry moves the actors based on an actor that has moved by delta or turned. Brushes carry by pushMove.
func (w *World) carry(b *Actor, delta vec) {
	if len(b.body.riders) == 0 {
		return
	}
	s := &w.space
	base := len(s.party)
	s.party = append(s.party, b.body.riders...)
	for _, a := range s.party[base:len(s.party):len(s.party)] {
		if a.destroying || a.Base != b.id {
			continue
		}
		if a.BAttached {
			w.swing(a, b)
		} else if delta != (vec{}) {
			w.drag(a, b, delta)
		}
	}
	clear(s.party[base:])
	s.party = s.party[:base]
}

// swing moves an attached actor to its place on the base.
func (w *World) swing(a, b *Actor) {
	h := a.body.hang
	if h == nil {
		return
	}
	if yaw := b.Rotation.Yaw + h.yaw; yaw != a.Rotation.Yaw {
		a.Rotation.Yaw = yaw
		if p := a.Class.rotation; p != nil {
			a.Touched(p)
		}
		w.carry(a, vec{})
	}
	to := insideWorld(b.Location.Add(turnYaw(h.at, b.Rotation.Yaw)))
	if to == a.Location || a.destroying {
		return
	}
	if a.body.brushes {
		w.shove(a, to.Sub(a.Location))
		return
	}
	var m motion
	m.begin(w, a, to.Sub(a.Location))
	m.advance(to)
	m.commit()
}

// drag moves an actor that rests on b by delta, until something other than b is in the way.
func (w *World) drag(a, b *Actor, delta vec) {
	if a.body.brushes {
		w.pushMove(a, delta)
		return
	}
	var m motion
	m.begin(w, a, delta)
	for i := range m.near {
		if n := &m.near[i]; n.actor == b || n.stops && w.restsOn(n.actor, a) {
			n.stops = false
		}
	}
	o := m.sweep(insideWorld(m.at.Add(delta)))
	m.advance(o.at)
	m.commit()
}
