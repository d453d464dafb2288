package engine

import (
	"fmt"
	"math"

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

// DefaultGravity is Unreal's, in uu/s² (docs/lua-api.md).
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
