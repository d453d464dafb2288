package server

import (
	"slices"
	"strings"
	"time"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/netcode/schema"
	"github.com/tidelock/tidelock/netcode/server/shadow"
	"github.com/tidelock/tidelock/netcode/wire"
)

// entity is an actor or component as the server knows it: its shadow, which workers read (package shadow), and the
// connections that have it. A net update touches thousands: the fields that it reads for each moving actor come
// first, in the order of use.
type entity struct {
	shadow.Shadow
	id       engine.ActorID
	class    *schema.Class
	slot     int  // its channel's number on every connection
	waiting  bool // it is in Server.late
	woken    bool // DORM_Initial is over: something was set (R4.7)
	dead     bool
	tornOff  bool
	inLevel  bool // opens by its name in the level
	volatile bool // it is in Server.volatiles

	outer *entity
	subs  []sub // connections that have it or its dormant copy: first the unshared ones, alone of them, then those of the shared state
	alone int
	due   float64 // world time from which it may be compared again
	pause float64 // minimum seconds between changes, from its NetUpdateFrequency; 0 for none

	unsent wire.Mask    // marked but not compared: it is not due yet (R4.5), or nobody has it
	shared *sharedState // the group's state of it, nil for none

	actor    *engine.Actor
	served   float64 // when it last changed
	sharedAt uint32  // net update from which the group may share it again
	net      uint32  // its number in references

	// versions records, per variable that is sent by elements or items, when each changed.
	versions   []elementVersions
	changed    wire.Mask // by the current update
	parts      []*entity
	former     []*entity // destroyed components of its class: copies are created with them (Conn.closeMissing)
	multicasts []multicasts
	few        [8]sub // initial memory of subs: few connections see most entities
}

// sub is a connection that has an entity.
type sub struct {
	r *repState
	c *Conn
}

// entities is the table of all entities.
type entities struct {
	slots         []*entity // by channel number; 0 is not used
	free          []freed   // numbers of channels that were used, in order of ending; those before freeAt are taken
	freeAt        int
	byActor       []*entity // by the actor's index in the world's table
	slotOf        []int32   // by the same, 0 for none
	count         int
	nextNet       uint32
	byNet         map[uint32]*entity // what clients may refer to
	late          []*entity          // marked but not due
	positionsFree []shadow.Positions // allocated and not used yet
	volatiles     []*entity          // of classes whose conditions read more than their own variables
	fresh         []*entity          // new since the last net update
	resting       []*entity          // marked since the last net update, but with nothing to send: those that may become dormant
	changed       []*entity          // those whose relevancy may have changed since the last net update
}

// freed is a channel number that is no longer in use.
type freed struct {
	slot int
	at   time.Duration
}

// multicasts counts the unreliable multicasts of one function since the actor's last net update (R6.6).
type multicasts struct {
	fn     *engine.Function
	update uint32
	until  float64 // world time of the actor's next net update, by NetUpdateFrequency
	n      int
}

// layout sizes the shadow for the class.
func (e *entity) layout() {
	k := e.class
	e.Layout(k)
	e.versions = nil
	if k.Elements > 0 {
		e.versions = make([]elementVersions, k.Elements)
		for n := range k.Vars {
			if v := &k.Vars[n]; v.Piece >= 0 {
				e.versions[v.Piece].init(v)
			}
		}
	}
}

// load copies a variable's present value into the shadow.
func (e *entity) load(v *schema.Var) { e.actor.ReadProperty(v.Prop, e.Words[v.Word:], e.Strs[v.Str:]) }

// read fills the shadow without comparing.
func (e *entity) read(clock uint32) {
	k := e.class
	for n := range k.Vars {
		v := &k.Vars[n]
		switch v.Type.Kind {
		case engine.KindFastArray:
			e.versions[v.Piece].compareFast(e.actor.Fast(v.Prop), clock)
		case engine.KindArray:
			e.load(v)
			words, strs := k.DefaultStorage(n)
			own, ownStrs := v.In(e.Words, e.Strs)
			e.touchDiffering(v, own, words, ownStrs, strs, clock) // part of an opening
		default:
			e.load(v)
		}
	}
	e.Quantize()
}

// touchDiffering marks the elements of an array as changed in which two values of it differ.
func (e *entity) touchDiffering(v *schema.Var, a, b []uint64, as, bs []string, clock uint32) {
	w, st := v.Type.Elem.Words(), v.Type.Elem.Strs()
	for i := range v.Type.Len {
		if !slices.Equal(a[i*w:][:w], b[i*w:][:w]) || !slices.Equal(as[i*st:][:st], bs[i*st:][:st]) {
			e.versions[v.Piece].elems[i] = clock
		}
	}
}

// subAlone and subShared move a replication state from one end of the list to the other.
func (e *entity) subAlone(r *repState) {
	e.swapSubs(r.sub, e.alone)
	e.alone++
}

func (e *entity) subShared(r *repState) {
	e.alone--
	e.swapSubs(r.sub, e.alone)
}

func (e *entity) swapSubs(i, j int) {
	a, b := e.subs[i], e.subs[j]
	e.subs[i], e.subs[j] = b, a
	a.r.sub, b.r.sub = j, i
}

// whole returns the actor that an entity is or belongs to.
func (e *entity) whole() *entity {
	if e.outer != nil {
		return e.outer
	}
	return e
}

// rests reports whether the actor needs no channel once everything has arrived (settle).
func (e *entity) rests() bool { return e.dormant() || e.whole().actor.BNetTemporary }

// dormant reports whether the actor wants to sleep.
func (e *entity) dormant() bool {
	d := e.whole().actor.NetDormancy
	return d == engine.DormDormantAll || d == engine.DormInitial
}

// marked reports whether something of an entity was set that no net update has compared yet.
func (e *entity) marked() bool {
	return e.unsent != (wire.Mask{}) || wire.Mask(*e.actor.DirtyMask()) != (wire.Mask{})
}

// takeDirty stores what was marked since the last net update.
func (e *entity) takeDirty() { e.unsent = e.unsent.Or(wire.Mask(*e.actor.DirtyMask())) }

// stays reports whether clients keep their copy, which is the level's, while the actor is not relevant to them.
func (e *entity) stays() bool { return e.actor.BStatic || e.actor.BNoDelete }

// untouched reports whether a client's own level copy is up to date: DORM_Initial, and nothing of it or its
// components was set (R4.7).
func (e *entity) untouched() bool {
	return e.inLevel && !e.woken && e.actor.NetDormancy == engine.DormInitial
}

// frequency returns the actor's NetUpdateFrequency; a component has that of its actor.
func (e *entity) frequency() float64 { return e.whole().actor.NetUpdateFrequency }

// pace applies the actor's NetUpdateFrequency, also to its components.
func (e *entity) pace() {
	e.pause = 0
	if f := e.frequency(); f > 0 {
		e.pause = 1 / f
	}
	e.due = min(e.due, e.served+e.pause) // a higher frequency takes effect at once
	for _, p := range e.parts {
		p.pause = e.pause
		p.due = min(p.due, p.served+p.pause)
	}
}

// dynamic reports whether a component is not one that its actor's class creates, so that clients cannot know it.
func (e *entity) dynamic() bool { return dynamic(e.actor) }

func dynamic(k *engine.Actor) bool {
	return k.Added || !slices.ContainsFunc(k.Outer.Class.Components, func(s engine.ComponentSpec) bool { return s.Name == k.ComponentName })
}

// ownedByPlayer reports whether some player owns an actor, also a player at the server itself (R6.3).
func ownedByPlayer(a *engine.Actor) bool { return a.TopOwner().Class.IsPlayerController() }

// refers returns the first actor that a variable refers to and for which f is true, 0 for none.
func (e *entity) refers(n int, f func(engine.ActorID) bool) engine.ActorID {
	v := &e.class.Vars[n]
	if v.Type.Kind != engine.KindFastArray {
		return refIn(v.Type, e.Words[v.Word:], f)
	}
	items := e.actor.Fast(v.Prop).Items()
	for i := range items {
		if id := refIn(v.Type.Elem, items[i].Words, f); id != 0 {
			return id
		}
	}
	return 0
}

// refIn returns the first actor that a stored value refers to and for which f is true, 0 for none. Local members
// are not replicated.
func refIn(t *engine.Type, words []uint64, f func(engine.ActorID) bool) engine.ActorID {
	switch t.Kind {
	case engine.KindRef:
		if id := engine.ActorID(words[0]); id != 0 && f(id) {
			return id
		}
	case engine.KindStruct:
		for i := range t.Fields {
			if m := &t.Fields[i]; !m.Local {
				if id := refIn(m.Type, words[m.Word():], f); id != 0 {
					return id
				}
			}
		}
	case engine.KindArray:
		w := t.Elem.Words()
		for i := range t.Len {
			if id := refIn(t.Elem, words[i*w:], f); id != 0 {
				return id
			}
		}
	default:
	}
	return 0
}

// differing returns the variables of an entity that differ from their class's defaults (R5.2).
func (e *entity) differing() (m wire.Mask) {
	k := e.class
	for n := range k.Vars {
		v := &k.Vars[n]
		differs := false
		if v.Type.Kind == engine.KindFastArray {
			p := &e.versions[v.Piece]
			differs = len(p.items) > 0 || len(p.removed) > 0 || e.actor.Fast(v.Prop).Len() > 0
		} else {
			differs = !k.Default(n, e.Words, e.Strs)
		}
		if differs {
			m.Set(n)
		}
	}
	return m
}

func maskNames(e *entity, m *wire.Mask) string {
	var names []string
	for n := range m.All() {
		names = append(names, e.class.Vars[n].Prop.Name)
	}
	return strings.Join(names, " ")
}
