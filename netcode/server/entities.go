package server

import (
	"time"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/netcode/server/shadow"
	"github.com/tidelock/tidelock/netcode/wire"
)

// slotRest is how long a channel number stays unused before another actor gets it, unless all are in use: what a
// client sent to the old actor before it knew of its end must not reach the new one.
const slotRest = 5 * time.Second

// Spawned registers an actor that may replicate; it implements engine.Remote.
func (s *Server) Spawned(a *engine.Actor) { s.entityOf(a) }

// joinsMoves reports whether a component was added at run time and takes part in moves (R9.9): the player's machine
// must have it, too, whichever of its variables replicate.
func joinsMoves(k *engine.Actor) bool { return k.Class.JoinsMoves && dynamic(k) }

// entityOf returns the entity of an actor, created if it has none; nil if the actor never replicates.
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
	e.inLevel = a.LevelName != "" && (a.BStatic || a.BNoDelete)
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

// rested returns a number that may be reused; ok is false if a new number is better.
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

// replicates reports whether an actor may ever replicate. Role and the rest of R3.1 are tested each time, because
// they change.
func replicates(a *engine.Actor) bool {
	return a.Class.Spec != nil && !a.Class.IsA("GameInfo")
}

// wakeFor ends DORM_Initial for the actor of a changed entity. On clients whose copy is the level's own there is no
// state of its components, so nothing of a component can be pending: there the actor wakes.
func (s *Server) wakeFor(e *entity) {
	o := e.outer
	if o == nil {
		e.woken = true
		return
	}
	o.woken = true
	if len(e.subs) == len(o.subs) {
		return
	}
	for _, x := range o.subs {
		if x.c.rep(e) == nil {
			x.c.queue(x.r)
		}
	}
}

// addPart opens a new component on every connection that has its actor, and wakes a dormant actor.
func (s *Server) addPart(e *entity) {
	o := e.outer
	if e.dynamic() {
		o.woken = true
	} else if o.untouched() {
		return // the level's own has it, too
	}
	for _, x := range o.subs {
		if x.r.phase == repOpen {
			x.c.want(e, x.r.verdict)
		} else {
			x.c.queue(x.r)
		}
	}
}

// dropPart records that a component of its actor's class was destroyed. Clients whose copy is the level's own did
// not receive it: there the actor wakes.
func (s *Server) dropPart(e *entity) {
	o := e.outer
	o.former = append(o.former, e)
	o.woken = true
	for _, x := range o.subs {
		if !x.r.told {
			x.c.queue(x.r)
		}
	}
}
