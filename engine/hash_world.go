package engine

import (
	"sort"

	"github.com/tidelock/tidelock/engine/animation"
)

// hash adds everything here that a later tick depends on.
func (b *bodyState) hash(h *Hash) {
	h.Word(uint64(b.number)) // movers are looked up by it
	h.Bool(b.collides)
	h.Bool(b.rested)
	h.Bool(b.onFloor)
	h.Bool(b.fell)
	h.Word(uint64(b.wedged))
	h.Float(b.owed)
	if b.limited {
		h.Float(b.limit)
	}
	h.Vector(b.floor)
	h.Vector(b.wall)
	h.Word(uint64(len(b.touching)))
	for _, t := range b.touching {
		h.Word(uint64(t.id))
	}
	if b.hang != nil {
		h.Vector(b.hang.at)
		h.Word(uint64(b.hang.yaw))
	}
	if m := b.mover; m != nil {
		h.Vector(m.home)
		m.way.hash(h)
	}
	if b.rigid != nil {
		b.rigid.hash(h)
	}
	h.Float(b.turned.pitch)
	h.Float(b.turned.yaw)
	h.Float(b.turned.roll)
}

// HashState hashes everything that a later tick can depend on: every variable of every actor, declared and
// native, states, timers, the random generator, and what the script side adds (latent positions).
func (w *World) HashState() uint64 {
	h := NewHash()
	w.hash(h)
	w.Script.Hash(h)
	return h.Sum()
}

// HashSaved hashes what a saved world keeps (C3): as HashState does, with private fields of actors that are plain data, and without
// latent positions. A loaded world has that of the saved one.
func (w *World) HashSaved() uint64 {
	h := NewHash()
	w.hash(h)
	w.Script.HashPrivate(h)
	return h.Sum()
}

func (w *World) hash(h *Hash) {
	h.Word(uint64(w.NetMode))
	h.Float(w.Time)
	h.Float(w.Stood)
	h.Float(w.Gravity)
	h.Word(w.frame)
	h.Word(w.nextSeq)
	for _, s := range w.Rand.State() {
		h.Word(s)
	}
	w.hashNumbers(h)
	w.EachActor(func(a *Actor) {
		a.hash(h)
		if in, ok := w.inputs[a.id]; ok {
			in.hash(h)
		}
		for _, g := range w.groups[a.id] {
			h.String(g)
		}
	})
	timers := append(timerHeap(nil), w.timers...)
	sort.Slice(timers, func(i, j int) bool { return timers.less(i, j) })
	for _, t := range timers {
		h.Word(uint64(t.actor))
		h.String(t.function)
		h.Float(t.due)
		h.Float(t.every)
		h.Float(t.heldSince)
		h.Word(t.seq)
	}
	for _, a := range w.animated {
		if !a.deleted {
			h.Word(uint64(a.id))
		}
	}
}

// hashNumbers adds which ids, places and names the next actors get.
func (w *World) hashNumbers(h *Hash) {
	for _, id := range [...]ActorID{w.Game, w.GameState} {
		if w.alive(id) { // the id of a destroyed one is none
			h.Word(uint64(id))
		}
	}
	h.Word(uint64(len(w.table)))
	for _, i := range w.free {
		h.Word(uint64(i))
		h.Word(uint64(w.table[i].gen))
	}
	h.Word(uint64(len(w.space.actors)))
	for _, n := range w.space.free {
		h.Word(uint64(n))
	}
	h.Word(w.timerSeq)
	for _, c := range w.Classes.sorted {
		if n := w.nextNum[c]; n > 0 {
			h.Word(uint64(c.Index))
			h.Word(uint64(n))
		}
	}
}

// hash adds the keys that a player holds.
func (in *Input) hash(h *Hash) {
	h.Float(in.Forward)
	h.Float(in.Strafe)
	h.Float(in.Up)
	for _, b := range [...]bool{in.Jump, in.Fire, in.AltFire, in.Crouch, in.Run, in.Aim, in.Reload, in.Use} {
		h.Bool(b)
	}
	h.Word(uint64(in.Weapon))
	h.Word(in.View.Pack())
}

func (a *Actor) hash(h *Hash) {
	h.Word(uint64(a.id))
	h.Word(a.seq)
	h.String(a.Name)
	h.String(a.Class.Name)
	if a.State != nil {
		h.String(a.State.Name)
	}
	h.Word(uint64(len(a.stack)))
	for _, s := range a.stack {
		h.String(s.name())
	}
	h.Bool(a.tickOff)
	h.Bool(a.Added)
	h.String(a.ComponentName)
	if a.Outer != nil {
		h.Word(uint64(a.Outer.id))
	}
	h.String(a.LevelName)
	h.String(a.MadeBy())
	a.net.hash(h, a.Class)
	a.anim.hash(h)
	if a.copy != copyNone || a.lapsed {
		h.Word(uint64(a.copy))
		h.Bool(a.lapsed)
	}
	for _, p := range a.Class.Properties {
		if p.Native != nil {
			v := p.Native.get(a)
			h.Float(v.Num)
			h.String(v.Str)
			h.Vector(v.Vec)
			h.Word(v.Rot.Pack())
			h.Word(uint64(v.Ref))
			continue
		}
		if p.Type.Kind == KindFastArray {
			f := a.fasts[p.fast]
			h.Word(uint64(f.Len()))
			if f != nil {
				h.Word(uint64(f.next)) // the next key
			}
			for _, it := range f.Items() {
				h.Word(uint64(it.Key))
				h.Word(uint64(it.Rev))
				for _, x := range it.Words {
					h.Word(x)
				}
				for _, s := range it.Strs {
					h.String(s)
				}
			}
			continue
		}
		for _, x := range a.Words(p) {
			h.Word(x)
		}
		for _, s := range a.Strs(p) {
			h.String(s)
		}
	}
	a.body.hash(h)
}

// hash adds what scripts set about replication.
func (n *netState) hash(h *Hash, c *Class) {
	if n == nil {
		return
	}
	h.Bool(n.force)
	h.Bool(n.flush)
	for _, p := range c.Properties {
		if n.inactive[p] {
			h.String(p.Name)
		}
		if cond := n.dynamic[p]; cond != CondNone {
			h.Word(uint64(cond))
		}
	}
}

// hash adds what an actor plays.
func (s *animState) hash(h *Hash) {
	if s == nil {
		return
	}
	for _, p := range [...]*animation.Player{&s.montage, &s.base} {
		h.Bool(p.Playing())
		if p.Playing() {
			h.String(p.Montage.Name)
			h.Word(uint64(p.Section))
			h.Float(p.Position)
			h.Float(p.Rate)
			h.Bool(p.Loop)
		}
	}
	h.Float(s.debt)
	h.Bool(s.moving)
	for _, t := range s.timelines {
		if !t.gone {
			h.String(t.name)
			h.Float(t.Position)
			h.Float(t.Rate)
			h.Word(uint64(len(t.drives)))
		}
	}
}

// name returns the state's name, "" for none.
func (s *State) name() string {
	if s == nil {
		return ""
	}
	return s.Name
}

func (t *travel) hash(h *Hash) {
	h.Bool(t.on)
	h.Bool(t.glide)
	h.Bool(t.back)
	h.Vector(t.from)
	h.Vector(t.to)
	h.Float(t.seconds)
	h.Float(t.at)
	h.Float(t.wait)
}

func (p *rigidPart) hash(h *Hash) {
	b := p.space.Body(p.id)
	h.Vector(b.Position)
	h.Vector(b.LinVel)
	h.Vector(b.AngVel)
	h.Vector(b.Rotation.Three())
	h.Bool(b.Asleep())
}
