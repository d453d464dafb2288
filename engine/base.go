package engine

import (
	"fmt"
	"math"
)

// Base is what an actor moves with. A walking pawn that stands on a mover or on another actor has that as its
// Base by itself, and none on the level's own brushes; SetBase may give any actor one. A base that moves
// takes along, in order of spawning, what rests on it (as far as nothing is in the way) and what hangs on it
// (attached: rigidly, turning with the base's yaw, through everything).
//
// A change calls, in this order: Detach(self) on the old base, Attach(self) on the new one, BaseChange on the
// actor. While it rests on a base, an actor's Velocity is relative to it: leaving adds the base's velocity,
// coming takes it off.

// Riders lists the actors whose Base this is, in order of spawning.
func (a *Actor) Riders() []*Actor { return append([]*Actor(nil), a.body.riders...) }

// SetBase stands the actor on another or, with attach, hangs it on; nil takes it off. A loop is an error
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
		w.retouch(a) // what hangs together does not touch
	}
	return nil
}

func (w *World) setBase(a, b *Actor, attach bool) {
	old := w.linkBase(a, b, attach)
	w.tellBase(a, old, b)
}

// linkBase changes the base, with no event, and gives the old one.
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

// leaveBase takes an actor off what it stood on, with the velocity that had.
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
			return // two on each other: the older one's feet win
		}
	}
	if floor != nil {
		v = v.Sub(floor.Velocity)
	}
	v.Z = 0
	a.setVelocity(v)
	w.setBase(a, floor, false)
}

// setAttached makes an actor hang on its base, or stand on it. Where it hangs is to be said by rehang.
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

// rehang remembers where an attached actor is now as its base sees it.
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

// carry takes along what is based on an actor that has moved by delta or turned. Brushes carry by pushMove.
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

// swing moves an attached actor to where it hangs.
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

// drag moves an actor that rests on b by delta, as far as nothing but b is in the way.
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
