package engine

import "github.com/tidelock/tidelock/engine/geom"

// Variables for the network code: read in their stored form (storage.go), compared, and set on behalf of the
// other end. Setting does not journal, does not mark anything as dirty and calls no notify; the effects of
// native variables still happen.

// ReadProperty copies a variable, native or declared, in its stored form: words and strs have room for
// [Type.Words] and [Type.Strs] of p.Type. It allocates nothing. A fast array has neither: see [Actor.Fast].
func (a *Actor) ReadProperty(p *Property, words []uint64, strs []string) {
	if n := p.Native; n != nil {
		n.load(a, words, strs)
		return
	}
	switch p.Type.words {
	case 0:
	case 1:
		words[0] = a.words[p.word]
	default:
		copy(words, a.words[p.word:p.word+p.Type.words])
	}
	if p.Type.strs > 0 {
		copy(strs, a.strs[p.str:p.str+p.Type.strs])
	}
}

// SameProperty reports whether a variable holds exactly what is stored in words and strs, and receiving that
// would change nothing: it would discard a link that waits (see ReceiveProperty). For a fast array it is true.
func (a *Actor) SameProperty(p *Property, words []uint64, strs []string) bool {
	t := p.Type
	if n := p.Native; n != nil {
		var now [3]uint64
		var text [1]string
		n.load(a, now[:], text[:])
		return equalWords(now[:t.words], words[:t.words]) && equalStrs(text[:t.strs], strs[:t.strs]) && !a.waitsFor(p, words)
	}
	return equalWords(a.words[p.word:p.word+t.words], words[:t.words]) && equalStrs(a.strs[p.str:p.str+t.strs], strs[:t.strs])
}

// waitsFor reports whether another value of a native variable waits to be applied than the present one.
func (a *Actor) waitsFor(p *Property, words []uint64) bool {
	if h := a.wish; h != nil {
		switch p.Name {
		case "bAttached":
			return h.attached != (words[0] != 0)
		case "RelativeLocation":
			return h.at != LoadVector(words)
		case "RelativeRotation":
			return h.yaw != geom.UnpackRotator(words[0]).Yaw
		}
	}
	if a.world == nil { // a class's template
		return false
	}
	for _, l := range a.world.late {
		if l.from == a.id && (p.Name == "Owner" && l.kind == linkOwner || p.Name == "Base" && l.kind == linkBase) {
			return true
		}
	}
	return false
}

// load packs a native variable without a Value in between.
func (n *NativeProperty) load(a *Actor, words []uint64, strs []string) {
	switch {
	case n.word != nil:
		words[0] = n.word(a)
	case n.vec != nil:
		StoreVector(words, *n.vec(a))
	default:
		strs[0] = n.text(a)
	}
}

// ReceiveProperty sets a variable to what the other end sent, in its stored form. It marks nothing as dirty; a
// server that accepts a variable from its owner (R5.16) and replicates it to others calls [Actor.Touched] then.
// References to actors that are not alive become nil. Effects of native variables:
//
//   - Location is [Actor.ReceiveLocation], with Touch and UnTouch along the way.
//   - Rotation turns attached actors along; collision and size are updated, with Touch and UnTouch.
//   - Physics changes only the mode: no base is left and no velocity gained.
//   - Owner and Base link; one that would make a loop is nil until the link that blocks it was received, too.
//     A change of Base calls its events, but not on a simulated pawn (R10.5). bAttached, RelativeLocation and RelativeRotation say whether and
//     where the actor is attached, from the next tick on; Location and the yaw of Rotation then change nothing.
//   - Role and RemoteRole are not changed: they have their own messages, [Actor.SetRoles].
//
// For a declared variable Script.Changed is called. [Actor.ReceiveFast] changes a fast array.
func (a *Actor) ReceiveProperty(p *Property, words []uint64, strs []string) {
	if a.deleted {
		return
	}
	if p.Native != nil {
		a.receiveNative(p, words, strs)
		return
	}
	if a.SameProperty(p, words, strs) {
		return
	}
	t := p.Type
	copy(a.words[p.word:p.word+t.words], words)
	copy(a.strs[p.str:p.str+t.strs], strs)
	if t.refs {
		a.dropDead(p.Whole())
		a.noteRefs(p.Whole())
	}
	a.world.Script.Changed(a, p)
}

func (a *Actor) receiveNative(p *Property, words []uint64, strs []string) {
	w := a.world
	dirty := a.IsDirty(p)
	switch p.Name {
	case "Role", "RemoteRole", "Name", "bDeleteMe", "Outer":
		return
	case "Location":
		if !a.hangsByWire() {
			a.body.said, a.body.told = LoadVector(words), true
			a.ReceiveLocation(a.body.said)
		}
	case "Rotation":
		r := geom.UnpackRotator(words[0])
		if a.hangsByWire() {
			r.Yaw = a.Rotation.Yaw
		}
		turn := a.Rotation
		a.SetRotation(r)
		a.smooth(a.Location, turn)
		a.hangByWish() // rotating an attached actor changes its attachment
	case "bAttached", "RelativeLocation", "RelativeRotation":
		a.receiveHanging(p.Name, words)
	case "TeleportCount":
		a.receiveTeleport(uint32(words[0]))
	case "Physics":
		a.receivePhysics(Physics(words[0]))
	case "Owner":
		w.receiveLink(lateLink{a.id, ActorID(words[0]), linkOwner})
	case "Base":
		w.receiveLink(lateLink{a.id, ActorID(words[0]), linkBase})
	default:
		if a.SameProperty(p, words, strs) {
			return
		}
		v := loadValue(w.Classes, p.Type, words, strs)
		if v.Kind == KindRef {
			to := w.Actor(v.Ref)
			if to == nil || to.deleted {
				v.Ref = 0
			} else {
				to.addRef(refEdge{a.id, p, 0})
			}
		}
		p.Native.put(a, v)
		switch p.Name {
		case "bCollideActors", "bCollideWorld", "bBlockPlayers", "bBlockActors", "CollisionRadius", "CollisionHeight":
			a.collisionChanged()
		case "bStatic":
			w.refreshTick(a)
		case "Velocity", "Acceleration":
			a.body.rested = false
			if p.Name == "Velocity" && v.Vec.IsZero() && a.body.told && a.Role == RoleSimulatedProxy && !a.hangsByWire() {
				// It has stopped at the last location that was received: on the wire the location is the same,
				// so it was not sent again, and this copy continued from there.
				a.ReceiveLocation(a.body.said)
			}
		}
	}
	if !dirty && p.Rep >= 0 {
		a.dirty[p.Rep>>6] &^= 1 << (p.Rep & 63)
	}
}

func (a *Actor) receivePhysics(to Physics) {
	if to >= numPhysics || a.Physics == to {
		return
	}
	a.setMode(to)
	a.body.rested, a.body.onFloor, a.body.wedged, a.body.wall = false, false, 0, vec{}
	a.world.refreshTick(a)
}

// receiveLink makes a link, or postpones it if it would close a loop: the variable is nil until then. Every
// change may enable links that wait.
func (w *World) receiveLink(l lateLink) {
	for i, o := range w.late {
		if o.from == l.from && o.kind == l.kind {
			w.late = append(w.late[:i], w.late[i+1:]...)
			break
		}
	}
	if !w.link(l) {
		w.link(lateLink{from: l.from, kind: l.kind}) // the old link ends in any case
		w.late = append(w.late, l)
	}
	for i := 0; i < len(w.late); i++ {
		o := w.late[i]
		if !w.link(o) {
			continue
		}
		w.late = append(w.late[:i], w.late[i+1:]...)
		i = -1 // this one may have blocked an earlier one
	}
}

// link makes a link and returns false if it would close a loop.
func (w *World) link(l lateLink) bool {
	a := w.Actor(l.from)
	if a == nil || a.deleted {
		return true
	}
	to := w.Actor(l.to)
	if to != nil && (to.deleted || to.destroying) {
		to = nil
	}
	if l.kind == linkOwner {
		return a.SetOwner(to) == nil
	}
	attach := to != nil && a.wish != nil && a.wish.attached
	switch {
	case !a.Class.IsPawn() || a.Role != RoleSimulatedProxy:
		if a.SetBase(to, attach) != nil {
			return false
		}
	case to == nil || to.Outer == nil: // R10.5: nothing is decided here, so no event is called
		w.linkBase(a, to, attach)
		w.retouch(a)
	}
	a.hangByWish()
	return true
}

// hangsByWire reports whether the actor is attached by a received value.
func (a *Actor) hangsByWire() bool { return a.wish != nil && a.wish.attached && a.BAttached }

func (a *Actor) receiveHanging(name string, words []uint64) {
	if a.wish == nil {
		a.wish = &hangWish{}
	}
	switch name {
	case "bAttached":
		a.wish.attached = words[0] != 0
		if to := a.world.Actor(a.Base); to != nil && a.BAttached != a.wish.attached {
			a.world.linkBase(a, to, a.wish.attached)
			a.world.retouch(a)
		}
	case "RelativeLocation":
		a.wish.at = LoadVector(words)
	case "RelativeRotation":
		a.wish.yaw = geom.UnpackRotator(words[0]).Yaw
	}
	a.hangByWish()
}

// hangByWish moves an attached copy to its place in the next tick, when the rest of the update has arrived.
func (a *Actor) hangByWish() {
	if !a.hangsByWire() || !a.wish.at.IsFinite() {
		return
	}
	a.body.hang.at, a.body.hang.yaw = a.wish.at, a.wish.yaw
	a.world.hung = append(a.world.hung, a.id)
}

// swingHung moves the copies whose attachment was received.
func (w *World) swingHung() {
	for i := 0; i < len(w.hung); i++ { // events may add to it
		a := w.Actor(w.hung[i])
		if a == nil || a.destroying || !a.hangsByWire() {
			continue
		}
		if b := w.Actor(a.Base); b != nil {
			w.swing(a, b)
		}
	}
	w.hung = w.hung[:0]
}

// ReceiveFast sets an item of a fast array as the other end has it, under the other end's key, and reports
// whether it is new here. Items stay in order of their keys: one that the other end restored is not the last.
func (a *Actor) ReceiveFast(p *Property, key uint32, words []uint64, strs []string) (added bool) {
	t := p.Type.Elem
	f := a.fasts[p.fast]
	if f == nil {
		f = &FastArray{}
		a.fasts[p.fast] = f
	}
	it := f.find(key)
	if added = it == nil; added {
		at, _ := f.place(key)
		f.insert(at, FastItem{Key: key, Words: make([]uint64, t.words), Strs: make([]string, t.strs)})
		it = &f.items[at]
		f.next = max(f.next, key)
	}
	copy(it.Words, words)
	copy(it.Strs, strs)
	it.Rev++
	if t.refs {
		eachRef(t, it.Words, func(w *uint64) {
			if !a.world.alive(ActorID(*w)) {
				*w = 0
			}
		})
		a.noteFastRefs(p, it.Words)
	}
	a.world.Script.Changed(a, p)
	return added
}

// DropFast removes an item of a fast array that the other end no longer has, and reports whether it existed.
// Read it by [Actor.FastGet] before: OnRemove_ gets its value.
func (a *Actor) DropFast(p *Property, key uint32) (dropped bool) {
	f := a.fasts[p.fast]
	i, found := f.place(key)
	if found {
		f.items = append(f.items[:i], f.items[i+1:]...)
		a.world.Script.Changed(a, p)
	}
	return found
}
