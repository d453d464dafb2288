package engine

import (
	"fmt"
	"math"
	"sort"

	"github.com/tidelock/tidelock/engine/animation"
	"github.com/tidelock/tidelock/engine/geom"
	"github.com/tidelock/tidelock/engine/level"
)

type vec = geom.Vector

// Config is what a world is made from.
type Config struct {
	Classes *Classes
	Script  Script // nil: NoScript
	NetMode NetMode
	Seed    uint64
	Level   *level.Level // nil: an empty world without a floor
	// Sounds are what is known of sounds by name; others have defaults.
	Sounds map[string]Sound
	// Animations are what can be played on actors; nil is none.
	Animations *animation.Library
	// Actions are those that content declares. It must not change.
	Actions []Action
	// Gravity in uu/s², negative downwards; 0 means the level's or DefaultGravity.
	Gravity float64
}

// DefaultGravity is Unreal's, in uu/s² (lua-api.md).
const DefaultGravity = -980

// World is one level being played. One goroutine owns it; nothing in it is safe to share.
type World struct {
	Classes *Classes
	Script  Script
	NetMode NetMode
	Rand    Rand
	Level   *level.Level
	// Time is the world's age in seconds, Delta the length of the current tick.
	Time, Delta float64
	// Stood is how long the world stood still so far, in seconds: ticks that the host dropped, as one does that was stopped for a while.
	Stood float64
	// Gravity in uu/s², KillZ the height under which actors fall out of the world.
	Gravity, KillZ float64
	// Game and GameState are the GameInfo and the GameReplicationInfo, 0 where there is none. GameState is the first
	// that there is, the copy of the server's on a client (R8.6), until it is set to another.
	Game, GameState ActorID

	table   []slotEntry // by index of id
	free    []int       // indices to use again, the latest last
	order   []*Actor    // all live actors in order of spawning; nil where one has gone
	gone    int         // nils in order
	live    int
	nextSeq uint64
	nextNum map[*Class]int // for names

	controllers, tickers tickList
	doomed               []*Actor // destroyed in this tick, freed at its end
	dirty                []*Actor // with marks, see marks.go
	dirtyDead            int      // of them, destroyed

	frame    uint64
	inStep   bool
	depth    int // nesting of events
	deepest  bool
	timers   timerHeap
	timerSeq uint64
	looked   uint64 // actors of lists that were looked at, see Work
	argStack []Value
	volumes  []*Actor // in order of spawning, see volume.go
	journal  journal
	// actions are those of content, actionsEpoch counts how often they were replaced, actionSets the sets made of them.
	actions                  []Action
	actionsEpoch, actionSets int

	inputs   map[ActorID]*heldInput
	groups   map[ActorID][]string // net groups of PlayerControllers
	effects  []Effect
	sounds   map[string]Sound
	heard    []HeardSound // see sound.go
	messages []Message    // see message.go
	// messageNumber is the latest message's.
	messageNumber uint64

	animations *animation.Library
	animRates  []AnimationRate
	animated   []*Actor        // those on which something plays, see animate.go
	cues       []animation.Cue // a stack of those that are being told

	travel     string             // see travel.go
	prepare    string             // see travel.go
	remote     Remote             // nil without a network
	recorder   Recorder           // nil for nobody
	local      ActorID            // the local player, see SetLocalPlayer
	timeOffset float64            // what the server's clock shows more than Time
	timeSynced bool               // by SyncServerTime
	levelNames map[string]ActorID // by Actor.LevelName
	late       []lateLink         // see receive.go
	hung       []ActorID          // copies that were told where they hang
	said       map[saidKey]bool   // warnings that are given once
	space      space              // the collision side, see body.go
	condFaults condFaults         // see condition.go
	census     censuses           // see census.go
}

type slotEntry struct {
	actor *Actor
	gen   uint32
}

// NewWorld is an empty world with the level's brushes; nothing is spawned yet.
func NewWorld(c Config) *World {
	w := &World{
		Classes: c.Classes, Script: c.Script, NetMode: c.NetMode, Level: c.Level,
		Gravity: c.Gravity, sounds: c.Sounds, animations: c.Animations, animRates: DefaultAnimationRates(), nextNum: map[*Class]int{}, inputs: map[ActorID]*heldInput{}, actions: c.Actions, groups: map[ActorID][]string{},
	}
	if w.Script == nil {
		w.Script = NoScript{}
	}
	if w.Gravity == 0 && c.Level != nil && !math.IsNaN(c.Level.Gravity) {
		w.Gravity = -math.Abs(c.Level.Gravity) // Quake's levels write it without the sign
	} else if w.Gravity == 0 {
		w.Gravity = DefaultGravity
	}
	w.KillZ = DefaultKillZ
	w.Rand.Seed(c.Seed)
	w.openSpace()
	return w
}

// Frame counts the ticks so far.
func (w *World) Frame() uint64 { return w.frame }

// Live is the number of actors alive, components not counted.
func (w *World) Live() int { return w.live }

// InStep reports whether the world is inside a tick.
func (w *World) InStep() bool { return w.inStep }

// Actor is the actor of an id, or nil where it is gone or the id is 0.
func (w *World) Actor(id ActorID) *Actor {
	i := id.index()
	if i < 0 || i >= len(w.table) {
		return nil
	}
	e := &w.table[i]
	if e.gen != uint32(id>>32) {
		return nil
	}
	return e.actor
}

// ActorByName is the live actor of that name, in order of spawning the first, or nil.
func (w *World) ActorByName(name string) *Actor {
	for i, a := range w.order {
		if a != nil && !a.deleted && a.Outer == nil && a.Name == name {
			w.looked += uint64(i)
			return a
		}
	}
	w.looked += uint64(len(w.order))
	return nil
}

// EachActor calls f for every live actor and component in order of spawning. f may spawn and destroy;
// what it spawns is not visited.
func (w *World) EachActor(f func(*Actor)) {
	n := len(w.order)
	for i := 0; i < n && i < len(w.order); i++ {
		if a := w.order[i]; a != nil && !a.deleted {
			f(a)
		}
	}
}

// ActorsOf lists the live actors of a class and its children, in order of spawning.
func (w *World) ActorsOf(class string) []*Actor {
	var out []*Actor
	c := w.Classes.Find(class)
	if c == nil {
		return nil
	}
	w.looked += uint64(len(w.order))
	w.EachActor(func(a *Actor) {
		if a.Class.Descends(c) {
			out = append(out, a)
		}
	})
	return out
}

// Descends reports whether the class is, or is a child of, another of the same set.
func (c *Class) Descends(of *Class) bool {
	for c != nil && c.depth > of.depth {
		c = c.Parent
	}
	return c == of
}

// SpawnParams says how an actor starts. The zero value is at the origin, owned by nobody.
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
	// Script marks what a script makes, which the bounds on actors hold for (G9). By is the mod whose script that is, "" for core
	// and the game.
	Script bool
	By     string
	// Effect marks what a client spawns for the eyes only: it is never replicated (R2.3).
	Effect bool

	level string // the name in the level, of what LoadEntities makes
}

// Assignment is a variable and what it is set to.
type Assignment struct {
	Name  string
	Value Value
}

// Spawn makes an actor. It calls PreBeginPlay, BeginPlay, PostBeginPlay and, where this peer is not a
// client or the actor its own, PostNetBeginPlay, then enters the class's AutoState. The actor first ticks in the next tick
// (R1.3). It returns nil without an error where the actor destroyed itself in one of these.
// Something in the way does not make it fail (lua-api.md).
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

// beginEvents are the life-cycle events of an actor that is made.
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

// enterPlay is the end of an actor's beginning: states, ticks, and what it touches.
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

// tellSpawned tells the network code of an actor that began, and of its components.
func (w *World) tellSpawned(a *Actor) {
	if a.deleted || a.Outer != nil && !a.Outer.told {
		return // a component that comes before its actor's telling is told with it
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

// discard takes back an actor that never began.
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

// addComponent makes a component of an actor (R5.20).
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

// AddComponent makes a component at run time and calls its life-cycle events (R5.20).
func (a *Actor) AddComponent(c *Class, name string) (*Actor, error) {
	return a.addComponent(c, name, nil)
}

// AddScripted is AddComponent for a script, which the bounds on actors hold for (G9); by is the script's mod, "" for core and the
// game.
func (a *Actor) AddScripted(c *Class, name, by string) (*Actor, error) {
	pays := a.world.payerOf(c, by)
	if err := a.world.admit(c, pays, by); err != nil {
		return nil, fmt.Errorf("component %s of %s: %w", name, a, err)
	}
	return a.addComponent(c, name, pays)
}

// addComponent is AddComponent, counted for a payer where that is not nil.
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

// ComponentNamed is the component of that name, or nil.
func (a *Actor) ComponentNamed(name string) *Actor {
	for _, k := range a.Components {
		if k.ComponentName == name {
			return k
		}
	}
	return nil
}

// Destroy ends an actor. UnTouch and Destroyed are called at once; afterwards the actor gets no further
// call, every variable that referred to it is nil, and its memory is freed at the end of the tick
// (R1.3). Destroying a destroyed actor does nothing. bStatic and bNoDelete actors refuse and the result is false;
// so does a client's copy of what is the server's, with a warning once a class (R5.17).
func (a *Actor) Destroy() bool {
	if a.deleted || a.destroying {
		return true
	}
	if a.BStatic || a.BNoDelete {
		return false
	}
	if a.IsCopy() && a.role() < RoleAuthority && !a.mayEnd() {
		a.world.refuseDestroy(a)
		return false
	}
	return a.end()
}

// end is Destroy without asking whose the actor is.
func (a *Actor) end() bool {
	w := a.world
	a.destroying = true
	if w.remote != nil {
		w.remote.Destroyed(a)
	}
	if a.State != nil {
		a.Event(EvEndState, String(""))
	}
	w.leaveSpace(a)
	for i := len(a.Components) - 1; i >= 0 && i < len(a.Components); i-- {
		if k := a.Components[i]; !k.deleted && !k.destroying {
			k.end()
		}
	}
	a.Event(EvDestroyed)
	a.deleted = true
	a.delist()
	if o := a.Outer; o != nil {
		for i, k := range o.Components {
			if k == a {
				o.Components = append(o.Components[:i:i], o.Components[i+1:]...)
				break
			}
		}
	} else {
		w.live--
	}
	a.clearTimers()
	w.purgeRefs(a)
	delete(w.inputs, a.id)
	delete(w.groups, a.id)
	w.Script.Detach(a)
	w.doomed = append(w.doomed, a)
	if !w.inStep && w.depth == 0 {
		w.bury()
	}
	return true
}

// purgeRefs turns every variable that refers to a destroyed actor nil.
func (w *World) purgeRefs(a *Actor) {
	refs := a.refs
	a.refs = nil
	for _, r := range refs {
		f := w.Actor(r.from)
		if f == nil || f.deleted || !w.refersTo(r, a.id) {
			continue
		}
		if n := r.prop.Native; n != nil {
			n.put(f, Value{Kind: KindRef})
			f.Touched(r.prop)
			switch n.Name {
			case "Base":
				f.baseLost()
			case "Owner":
				f.markOwned(markCond|markNet, 0)
			}
			continue
		}
		if r.prop.Type.Kind == KindFastArray {
			f.fasts[r.prop.fast].forget(r.prop.Type.Elem, a.id)
		} else {
			f.words[r.prop.word+int(r.word)] = 0
		}
		f.Touched(r.prop)
		w.Script.Changed(f, r.prop)
	}
}

// refersTo reports whether an edge still holds.
func (w *World) refersTo(r refEdge, id ActorID) bool {
	f := w.Actor(r.from)
	if f == nil || f.Class.byName[r.prop.Name] != r.prop {
		return false
	}
	if r.prop.Native != nil {
		return r.prop.Native.get(f).Ref == id
	}
	if r.prop.Type.Kind == KindFastArray {
		return f.fasts[r.prop.fast].refersTo(r.prop.Type.Elem, id)
	}
	return f.words[r.prop.word+int(r.word)] == uint64(id)
}

// bury frees what was destroyed: ids stop resolving and their places may be used again.
func (w *World) bury() {
	for _, a := range w.doomed {
		i := a.id.index()
		w.table[i] = slotEntry{gen: w.table[i].gen + 1}
		w.free = append(w.free, i)
		w.dropTick(a)
		w.forgetDead(a)
		// order is sorted by seq, so the place is found without a search of all.
		k := sort.Search(len(w.order), func(k int) bool { return w.order[k] == nil || w.order[k].seq >= a.seq })
		for k < len(w.order) && w.order[k] != a {
			k++
		}
		if k < len(w.order) {
			w.order[k] = nil
			w.gone++
		}
	}
	clear(w.doomed)
	w.doomed = w.doomed[:0]
	if w.gone > 64 && w.gone > len(w.order)/4 {
		kept := w.order[:0]
		for _, a := range w.order {
			if a != nil {
				kept = append(kept, a)
			}
		}
		clear(w.order[len(kept):])
		w.order, w.gone = kept, 0
	}
}

// SetOwner changes the actor's owner; nil is none. A loop is an error that names the actors.
func (a *Actor) SetOwner(o *Actor) error {
	if o != nil && o.deleted {
		o = nil
	}
	for k := o; k != nil; k = a.world.Actor(k.Owner) {
		if k == a {
			return fmt.Errorf("SetOwner: %s already owns %s, directly or further up; a loop of owners is not possible", a, o)
		}
	}
	var id ActorID
	if o != nil {
		id = o.id
	}
	if a.Owner == id {
		return nil
	}
	a.Owner = id
	p := a.Class.byName["Owner"]
	if o != nil {
		o.addRef(refEdge{a.id, p, 0})
	}
	a.Touched(p)
	a.markOwned(markCond|markNet, 0)
	return nil
}

// SetInstigator changes which pawn gets the credit; nil is none.
func (a *Actor) SetInstigator(o *Actor) {
	var id ActorID
	if o != nil && !o.deleted {
		id = o.id
	}
	if a.Instigator == id {
		return
	}
	a.Instigator = id
	p := a.Class.byName["Instigator"]
	if id != 0 {
		o.addRef(refEdge{a.id, p, 0})
	}
	a.Touched(p)
}
