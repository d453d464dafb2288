package engine

import (
	"fmt"

	"github.com/tidelock/tidelock/engine/geom"
)

// SpawnParams says how an actor starts. The zero value is at the origin, without an owner.
type SpawnParams struct {
	Location geom.Vector
	Rotation geom.Rotator
	// Owner and Instigator may be nil.
	Owner, Instigator *Actor
	// Name is the name in the level; empty for a generated one.
	Name string
	// Init sets further variables before PreBeginPlay; an error ends the spawn.
	Init []Assignment
	// Tag overrides the class's.
	Tag string
	// Script marks a spawn by a script, to which the bounds on actors apply (G9). By is the mod whose script
	// that is, "" for core and the game.
	Script bool
	By     string
	// Effect marks a cosmetic actor that a client spawns: it is never replicated (R2.3).
	Effect bool

	level string // the name in the level, for actors of LoadEntities
}

// Assignment is a variable and its new value.
type Assignment struct {
	Name  string
	Value Value
}

// Spawn spawns an actor. It calls PreBeginPlay, BeginPlay, PostBeginPlay and, if this peer is not a client or
// the actor is its own, PostNetBeginPlay, then enters the class's AutoState. The actor first ticks in the next
// tick (R1.3). It returns nil without an error if the actor destroyed itself in one of these. An obstacle does
// not make it fail (docs/lua-api.md).
func (w *World) Spawn(c *Class, sp SpawnParams) (*Actor, error) {
	switch {
	case c == nil:
		return nil, fmt.Errorf("spawn: no class")
	case c.IsComponent():
		return nil, fmt.Errorf("spawn: %s is a component; use AddComponent", c.Name)
	case !sp.Location.IsFinite():
		return nil, fmt.Errorf("spawn: %s at %s: expected a finite place", c.Name, sp.Location)
	case w.depth >= MaxEventDepth:
		return nil, fmt.Errorf("spawn: %s: events are nested %d deep; does it spawn itself?", c.Name, w.depth)
	}
	pays := w.payerOf(c, sp.By)
	if sp.Script {
		if err := w.admit(c, pays, sp.By); err != nil {
			return nil, fmt.Errorf("spawn: %w", err)
		}
	}
	a := w.alloc(c)
	w.live++
	a.enlist(pays, sp.Script)
	if !sp.Effect {
		w.noteGameState(a)
	}
	a.Location, a.Rotation = sp.Location, sp.Rotation
	a.Name = sp.Name
	if a.Name == "" {
		a.Name = w.makeName(c)
	}
	a.LevelName = sp.level
	if sp.Tag != "" {
		a.Tag = sp.Tag
	}
	if sp.Owner != nil && !sp.Owner.deleted {
		a.Owner = sp.Owner.id
		sp.Owner.addRef(refEdge{a.id, c.byName["Owner"], 0})
	}
	if sp.Instigator != nil && !sp.Instigator.deleted {
		a.Instigator = sp.Instigator.id
		sp.Instigator.addRef(refEdge{a.id, c.byName["Instigator"], 0})
	}
	if a.lifeSpan > 0 {
		a.SetLifeSpan(a.lifeSpan)
	}
	w.Script.Attach(a)
	for _, cs := range c.Components {
		if _, err := w.addComponent(a, w.Classes.Find(cs.Class), cs.Name); err != nil {
			w.discard(a)
			return nil, err
		}
	}
	for _, as := range sp.Init {
		p := c.byName[as.Name]
		if p == nil {
			w.discard(a)
			return nil, fmt.Errorf("spawn: %s has no variable %s%s", c.Name, as.Name, Nearest(as.Name, c.PropertyNames()))
		}
		if err := a.Set(p, as.Value); err != nil {
			w.discard(a)
			return nil, fmt.Errorf("spawn: %s.%s: %w", c.Name, as.Name, err)
		}
		if p.Native == nil {
			w.Script.Changed(a, p)
		}
	}
	if sp.Effect || w.NetMode == NMClient {
		a.ownRoles(sp.level != "" && !sp.Effect)
	}
	if sp.level != "" {
		w.nameInLevel(a)
	}
	w.enterSpace(a)
	w.begin(a)
	if a.deleted {
		return nil, nil
	}
	return a, nil
}

// noteGameState makes a GameReplicationInfo the world's GameState, from its first event on, if there is none.
func (w *World) noteGameState(a *Actor) {
	if a.Class.kind&kindGameState != 0 && !w.alive(w.GameState) {
		w.GameState = a.id
	}
}

// begin calls the life-cycle events of a new actor and its components.
func (w *World) begin(a *Actor) {
	for _, ev := range beginEvents {
		a.eventWhole(ev)
	}
	if !a.postNet {
		a.eventWhole(EvPostNetBeginPlay)
	}
	w.enterPlay(a)
	w.tellSpawned(a)
}

// beginEvents are the life-cycle events of a new actor.
var beginEvents = [...]Event{EvPreBeginPlay, EvBeginPlay, EvPostBeginPlay}

// eventWhole calls an event on the components and then on the actor.
func (a *Actor) eventWhole(ev Event) {
	for i := 0; i < len(a.Components) && !a.deleted; i++ {
		a.Components[i].Event(ev)
	}
	if !a.deleted {
		a.Event(ev)
	}
}

// enterPlay completes an actor's beginning: states, ticks, and touches.
func (w *World) enterPlay(a *Actor) {
	w.startPlay(a)
	for i := 0; i < len(a.Components) && !a.deleted; i++ {
		w.startPlay(a.Components[i])
	}
	if !a.deleted && a.Outer == nil {
		w.began(a)
	}
}

func (w *World) startPlay(a *Actor) {
	if a.deleted || a.initialized {
		return
	}
	a.initialized = true
	if s := a.Class.AutoState; s != nil && a.State == nil {
		a.GotoState(s.Name)
	}
	w.refreshTick(a)
}

// tellSpawned reports a new actor and its components to the network code.
func (w *World) tellSpawned(a *Actor) {
	if a.deleted || a.Outer != nil && !a.Outer.told {
		return // a component that exists before its actor is reported with it
	}
	a.told = true
	if w.remote != nil {
		w.remote.Spawned(a)
	}
	for _, k := range a.Components {
		if !k.told {
			w.tellSpawned(k)
		}
	}
}

func (w *World) alloc(c *Class) *Actor {
	a := &Actor{Vars: c.defVars, Class: c, Dispatch: c.Dispatch, world: w, spawnFrame: w.frame}
	if c.words > 0 {
		a.words = append(make([]uint64, 0, c.words), c.defWords...)
	}
	if c.strs > 0 {
		a.strs = append(make([]string, 0, c.strs), c.defStrs...)
	}
	if c.fasts > 0 {
		a.fasts = make([]*FastArray, c.fasts)
	}
	w.nextSeq++
	a.seq = w.nextSeq
	var i int
	if n := len(w.free); n > 0 {
		i = w.free[n-1]
		w.free = w.free[:n-1]
	} else {
		i = len(w.table)
		w.table = append(w.table, slotEntry{})
	}
	w.table[i].actor = a
	a.id = makeID(i, w.table[i].gen)
	w.order = append(w.order, a)
	return a
}

func (w *World) makeName(c *Class) string {
	n := w.nextNum[c]
	w.nextNum[c] = n + 1
	return fmt.Sprintf("%s_%d", c.Name, n)
}

// discard removes an actor that never began.
func (w *World) discard(a *Actor) {
	for _, k := range a.Components {
		w.discard(k)
	}
	a.deleted = true
	a.delist()
	a.clearTimers()
	w.purgeRefs(a)
	w.Script.Detach(a)
	if a.Outer == nil {
		w.live--
	}
	w.doomed = append(w.doomed, a)
	if !w.inStep {
		w.bury()
	}
}

// addComponent creates a component of an actor (R5.20).
func (w *World) addComponent(a *Actor, c *Class, name string) (*Actor, error) {
	if c == nil || !c.IsComponent() {
		return nil, fmt.Errorf("component %s of %s: not a class that descends from ActorComponent", name, a)
	}
	if a.ComponentNamed(name) != nil {
		return nil, fmt.Errorf("%s already has a component %s", a, name)
	}
	k := w.alloc(c)
	k.Outer, k.ComponentName, k.Name = a, name, a.Name+"."+name
	a.Components = append(a.Components, k)
	w.Script.Attach(k)
	return k, nil
}

// AddComponent creates a component at run time and calls its life-cycle events (R5.20).
func (a *Actor) AddComponent(c *Class, name string) (*Actor, error) {
	return a.addComponent(c, name, nil)
}

// AddScripted is AddComponent for a script, to which the bounds on actors apply (G9); by is the script's mod,
// "" for core and the game.
func (a *Actor) AddScripted(c *Class, name, by string) (*Actor, error) {
	pays := a.world.payerOf(c, by)
	if err := a.world.admit(c, pays, by); err != nil {
		return nil, fmt.Errorf("component %s of %s: %w", name, a, err)
	}
	return a.addComponent(c, name, pays)
}

// addComponent is AddComponent, counted for a payer if that is not nil.
func (a *Actor) addComponent(c *Class, name string, pays *census) (*Actor, error) {
	w := a.world
	k, err := w.addComponent(a, c, name)
	if err != nil {
		return nil, err
	}
	k.Added = true
	if pays != nil {
		k.enlist(pays, true)
	}
	if !a.initialized {
		return k, nil
	}
	for _, ev := range [...]Event{EvPreBeginPlay, EvBeginPlay, EvPostBeginPlay, EvPostNetBeginPlay} {
		if !k.deleted {
			k.Event(ev)
		}
	}
	w.startPlay(k)
	if k.deleted {
		return nil, nil
	}
	w.tellSpawned(k)
	return k, nil
}

// ComponentNamed returns the component of that name, or nil.
func (a *Actor) ComponentNamed(name string) *Actor {
	for _, k := range a.Components {
		if k.ComponentName == name {
			return k
		}
	}
	return nil
}
