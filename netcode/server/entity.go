package server

import (
	"slices"
	"time"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/netcode/schema"
	"github.com/tidelock/tidelock/netcode/server/shadow"
	"github.com/tidelock/tidelock/netcode/wire"
)

// entity is an actor or component as the server knows it: its shadow, which workers read (package shadow), and who has it.
//
// A net update touches thousands: what it asks of each that moved comes first, in the order in which it asks.
type entity struct {
	shadow.Shadow
	id       engine.ActorID
	class    *schema.Class
	slot     int  // its channel's number on every connection
	waiting  bool // stands in Server.late
	woken    bool // DORM_Initial is over: something was set (R4.7)
	dead     bool
	tornOff  bool
	ownPlace bool // opens by its name in the level
	volatile bool // stands in Server.volatiles

	outer *entity
	subs  []sub // connections that have it, or its dormant copy: first those by themselves, alone of them, then those of common
	alone int
	due   float64 // world time from which it may be considered again
	pause float64 // so long after a change, by its NetUpdateFrequency; 0 for at once

	unsent wire.Mask // marked, but not looked at: it is not due yet (R4.5), or nobody has it
	common *common   // what the crowd has of it, nil for nothing

	actor    *engine.Actor
	served   float64 // when it last changed
	commonAt uint32  // net update from which the crowd may serve it again
	net      uint32  // its number in references

	// pieces hold, per variable that crosses by elements or items, when which of them changed.
	pieces     []pieces
	changed    wire.Mask // by the update under way
	parts      []*entity
	former     []*entity // components of its class that were destroyed: copies are made with them (Conn.shed)
	multicasts []multicasts
	few        [8]sub // where subs begins: most are seen by few
}

// sub is a connection that has an entity.
type sub struct {
	r *rec
	c *Conn
}

// entities is the table of them.
type entities struct {
	slots      []*entity // by channel number; 0 is not used
	free       []freed   // numbers of channels that were used, in order of ending; those before freeAt are taken
	freeAt     int
	byActor    []*entity // by the actor's place in the world's table
	slotOf     []int32   // by the same, 0 for none
	count      int
	nextNet    uint32
	byNet      map[uint32]*entity // what clients may name
	late       []*entity          // marked but not due
	placesFree []shadow.Places    // made, and not used yet
	volatiles  []*entity          // of classes whose conditions read more than their own variables
	fresh      []*entity          // since the last net update
	resting    []*entity          // marked since the last net update, but with nothing to send: those that may sleep
	changed    []*entity          // of which relevancy may be another since the last net update
}

// Spawned takes up an actor that may replicate; it implements engine.Remote.
func (s *Server) Spawned(a *engine.Actor) { s.entityOf(a) }

// joinsMoves reports whether a component was added at run time and takes part in moves (R9.9): the player's machine has
// to have it, too, whatever of it replicates.
func joinsMoves(k *engine.Actor) bool { return k.Class.JoinsMoves && dynamic(k) }

// entityOf is the entity of an actor, made where it has none; nil where it never replicates.
func (s *Server) entityOf(a *engine.Actor) *entity {
	if a == nil || a.Deleted() {
		return nil
	}
	if e := s.find(a.ID()); e != nil {
		return e
	}
	k := s.set.Of(a.Class)
	if k == nil || !replicates(a) {
		return nil
	}
	var outer *entity
	if a.Outer != nil {
		if len(k.Vars) == 0 && len(k.Functions) == 0 && !joinsMoves(a) {
			return nil // a component replicates if its class declares anything replicated
		}
		if outer = s.entityOf(a.Outer); outer == nil {
			return nil
		}
	}
	e := &entity{id: a.ID(), class: k, actor: a, outer: outer}
	e.subs = e.few[:0]
	if slot, ok := s.rested(); ok {
		e.slot = slot
	} else {
		if len(s.slots) == 0 {
			s.slots = append(s.slots, nil)
		}
		if len(s.slots) > wire.MaxChannel {
			s.once(engine.SevWarning, "more than 65535 actors replicate; those beyond reach nobody: set bReplicates = false where clients need no copy")
			return nil
		}
		e.slot = len(s.slots)
		s.slots = append(s.slots, nil)
	}
	e.Shadow = shadow.New(e.slot, int32(uint32(e.whole().id)))
	s.slots[e.slot] = e
	s.nextNet++
	e.net = s.nextNet
	if s.byNet == nil {
		s.byNet = map[uint32]*entity{}
	}
	s.byNet[e.net] = e
	for int(uint32(e.id)) >= len(s.byActor) {
		s.byActor, s.slotOf = append(s.byActor, nil), append(s.slotOf, 0)
	}
	s.byActor[uint32(e.id)], s.slotOf[uint32(e.id)] = e, int32(e.slot)
	s.count++
	e.layout()
	e.read(max(1, s.clock))
	e.pace()
	e.ownPlace = a.LevelName != "" && (a.BStatic || a.BNoDelete)
	if outer != nil {
		outer.parts = append(outer.parts, e)
	} else {
		s.index.Add(a)
		s.fresh = append(s.fresh, e)
		for _, part := range a.Components {
			s.entityOf(part)
		}
	}
	if k.Volatile {
		e.volatile = true
		s.volatiles = append(s.volatiles, e)
	}
	if outer != nil {
		s.addPart(e)
	}
	return e
}

// freed is a channel's number that nobody has any more.
type freed struct {
	slot int
	at   time.Duration
}

// slotRest is how long a channel's number rests before another actor has it, unless all are used: what a client said to the
// old one, not knowing yet that it went, must not reach the new one.
const slotRest = 5 * time.Second

// rested takes a number that may be used again; ok is false where a new one is better.
func (s *Server) rested() (slot int, ok bool) {
	if s.freeAt == len(s.free) || s.now-s.free[s.freeAt].at < slotRest && len(s.slots) <= wire.MaxChannel {
		return 0, false
	}
	s.freeAt++
	return s.free[s.freeAt-1].slot, true
}

func (s *Server) release(slot int) {
	if s.freeAt > len(s.free)/2 && len(s.free) == cap(s.free) {
		s.free = s.free[:copy(s.free, s.free[s.freeAt:])]
		s.freeAt = 0
	}
	s.free = append(s.free, freed{slot, s.now})
}

// replicates reports whether an actor may ever cross. Role and the rest of R3.1 are asked again each time: they change.
func replicates(a *engine.Actor) bool {
	return a.Class.Spec != nil && !a.Class.IsA("GameInfo")
}

// find is the entity of an actor, or nil.
func (s *Server) find(id engine.ActorID) *entity {
	if n := int(uint32(id)); n < len(s.byActor) {
		if e := s.byActor[n]; e != nil && e.id == id {
			return e
		}
	}
	return nil
}

// layout sizes the shadow for the class.
func (e *entity) layout() {
	k := e.class
	e.Layout(k)
	e.pieces = nil
	if k.Elements > 0 {
		e.pieces = make([]pieces, k.Elements)
		for n := range k.Vars {
			if v := &k.Vars[n]; v.Piece >= 0 {
				e.pieces[v.Piece].init(v)
			}
		}
	}
}

// read fills the shadow without comparing.
func (e *entity) read(clock uint32) {
	k := e.class
	for n := range k.Vars {
		v := &k.Vars[n]
		switch v.Type.Kind {
		case engine.KindFastArray:
			e.pieces[v.Piece].compareFast(e.actor.Fast(v.Prop), clock)
		case engine.KindArray:
			e.actor.ReadProperty(v.Prop, e.Words[v.Word:], e.Strs[v.Str:])
			el := v.Type.Elem
			words, strs := k.DefaultStorage(n)
			for i := range v.Type.Len {
				w, st := i*el.Words(), i*el.Strs()
				if !sameWords(words[w:w+el.Words()], e.Words[v.Word+w:]) || !sameStrs(strs[st:st+el.Strs()], e.Strs[v.Str+st:]) {
					e.pieces[v.Piece].elems[i] = clock // differs from its default: it is part of an opening
				}
			}
		default:
			e.actor.ReadProperty(v.Prop, e.Words[v.Word:], e.Strs[v.Str:])
		}
	}
	e.Quantize()
}

// Destroyed ends an actor's channels at the end of the tick; it implements engine.Remote.
func (s *Server) Destroyed(a *engine.Actor) {
	e := s.find(a.ID())
	if e == nil || e.dead {
		return
	}
	s.lastCalls(e)
	if a.BTearOff && !e.tornOff && e.outer == nil {
		s.takeMarks(e) // torn off and gone in one tick: anyone who has it keeps it all the same (R5.18)
	}
	e.dead = true
	s.byActor[uint32(e.id)], s.slotOf[uint32(e.id)] = nil, 0
	s.count--
	if e.outer == nil {
		s.index.Remove(a)
	}
	s.queue = append(s.queue, event{kind: eventDestroyed, ent: e})
}

// bury closes a dead entity's channels and frees its slot.
func (s *Server) bury(e *entity) {
	for _, c := range s.conns {
		if len(c.held) > 0 {
			c.releaseHeld() // what waits for it waits for nothing any more
		}
		if r := c.rec(e); r != nil && c.mayLose(r) {
			c.close(r, wire.CloseDestroyed)
			c.forget(r)
		}
	}
	o := e.outer
	if o != nil {
		if i := slices.Index(o.parts, e); i >= 0 {
			o.parts = slices.Delete(o.parts, i, i+1)
		}
		if o.rests() && !o.dead {
			s.resting = append(s.resting, o) // it may have been what kept the actor awake
		}
	}
	if e.volatile {
		for i, v := range s.volatiles {
			if v == e {
				s.volatiles = append(s.volatiles[:i], s.volatiles[i+1:]...)
				break
			}
		}
	}
	if o != nil && !o.dead && !e.dynamic() {
		s.dropPart(e) // keeps its numbers
		return
	}
	for _, p := range append(e.former, e) {
		s.slots[p.slot] = nil
		delete(s.byNet, p.net)
		s.release(p.slot)
	}
	e.former = nil
}

// addSub and dropSub keep who has the entity; a rec comes and goes by itself, not by way of a common.
func (e *entity) addSub(r *rec) {
	if len(e.subs) == 0 {
		r.conn.s.behold(e)
	}
	r.sub = len(e.subs)
	e.subs = append(e.subs, sub{r, r.conn})
	if r.sub == len(e.few) {
		// They have moved. What few still named would stay alive as long as the entity, long after the players left.
		clear(e.few[:])
	}
	e.subAlone(r)
}

func (e *entity) dropSub(r *rec) {
	if r.sub < 0 {
		return
	}
	e.subShared(r)
	last := len(e.subs) - 1
	e.swapSubs(r.sub, last)
	e.subs[last] = sub{}
	e.subs = e.subs[:last]
	r.sub = -1
}

// subAlone and subShared move a rec from one end of the list to the other.
func (e *entity) subAlone(r *rec) {
	e.swapSubs(r.sub, e.alone)
	e.alone++
}

func (e *entity) subShared(r *rec) {
	e.alone--
	e.swapSubs(r.sub, e.alone)
}

func (e *entity) swapSubs(i, j int) {
	a, b := e.subs[i], e.subs[j]
	e.subs[i], e.subs[j] = b, a
	a.r.sub, b.r.sub = j, i
}
