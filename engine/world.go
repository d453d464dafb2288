package engine

import (
	"github.com/tidelock/tidelock/engine/animation"
	"github.com/tidelock/tidelock/engine/geom"
	"github.com/tidelock/tidelock/engine/level"
	"github.com/tidelock/tidelock/engine/profile"
)

type vec = geom.Vector

// Config describes a new world.
type Config struct {
	Classes *Classes
	Script  Script // nil: NoScript
	NetMode NetMode
	Seed    uint64
	Level   *level.Level // nil: an empty world without a floor
	// Sounds are the sounds by name; others have defaults.
	Sounds map[string]Sound
	// Animations are what can be played on actors; nil is none.
	Animations *animation.Library
	// Actions are those that content declares. The slice must not change.
	Actions []Action
	// Gravity in uu/s², negative downwards; 0 means the level's or DefaultGravity.
	Gravity float64
}

// DefaultGravity is Unreal's, in uu/s² (docs/lua-api.md).
const DefaultGravity = -980

// PlayerCommand is a line that a player gave, which the owner of the world runs.
type PlayerCommand struct {
	// Player is their PlayerController.
	Player ActorID
	Line   string
}

// World is one level being played. One goroutine owns it; nothing in it is safe to share.
type World struct {
	Classes *Classes
	Script  Script
	NetMode NetMode
	Rand    Rand
	Level   *level.Level
	// Time is the world's age in seconds, Delta the length of the current tick.
	Time, Delta float64
	// Stood is how long the world was stopped so far, in seconds: ticks that the host dropped, as after a
	// suspended process.
	Stood float64
	// Late is how much later than it was due the present tick began, in seconds: a host that catches up after a
	// stall runs some ticks at once. Times of other machines are compared with Time + Stood + Late.
	Late float64
	// Profile measures where the time of ticks goes; nil measures nothing. It changes nothing in the world.
	Profile *profile.Profile
	// Gravity in uu/s², KillZ the height under which actors fall out of the world.
	Gravity, KillZ float64
	// Game and GameState are the GameInfo and the GameReplicationInfo, 0 if there is none. GameState is the
	// first one, on a client the copy of the server's (R8.6), until it is set to another.
	Game, GameState ActorID

	table   []slotEntry // by index of id
	free    []int       // indices to reuse, the latest last
	order   []*Actor    // all live actors in order of spawning; nil after one is destroyed
	gone    int         // nils in order
	live    int
	nextSeq uint64
	nextNum map[*Class]int // for names

	controllers, tickers tickList
	doomed               []*Actor // destroyed in this tick, freed at its end
	dirty                []*Actor // actors with marks, see marks.go
	dirtyDead            int      // of those, the destroyed ones

	frame    uint64
	inStep   bool
	depth    int // nesting of events
	deepest  bool
	timers   timerHeap
	timerSeq uint64
	looked   uint64 // examined actors of lists, see Work
	argStack []Value
	volumes  []*Actor // in order of spawning, see volume.go
	journal  journal
	// actions are those of content, actionsEpoch counts their replacements, actionSets the sets made of them.
	actions                  []Action
	actionsEpoch, actionSets int

	inputs   map[ActorID]*heldInput
	groups   map[ActorID][]string // net groups of PlayerControllers
	effects  []Effect
	sounds   map[string]Sound
	heard    []HeardSound // see sound.go
	messages []Message    // see message.go
	// messageNumber is the number of the latest message.
	messageNumber uint64

	animations *animation.Library
	animRates  []AnimationRate
	animated   []*Actor        // actors that play something, see animate.go
	cues       []animation.Cue // a stack of those being reported

	travel     string // see travel.go
	prepare    string // see travel.go
	commands   []PlayerCommand
	remote     Remote   // nil without a network
	recorder   Recorder // nil for nobody
	local      ActorID  // the local player, see SetLocalPlayer
	timeOffset float64  // the server's clock minus Time
	timeSynced bool     // by SyncServerTime
	timeStep   float64  // see TimeStep
	timeSteps  int
	levelNames map[string]ActorID // by Actor.LevelName
	late       []lateLink         // see receive.go
	hung       []ActorID          // copies whose attachment was received
	said       map[saidKey]bool   // warnings that are given only once
	space      space              // the collision side, see body.go
	condFaults condFaults         // see condition.go
	census     censuses           // see census.go
}

type slotEntry struct {
	actor *Actor
	gen   uint32
}

// AnimationRate is how often animations at a distance from the player's eyes are updated: up to Distance in uu,
// so many times per second; 0 is every tick.
type AnimationRate struct{ Distance, Hz float64 }

// ActorLimits raise the bounds for some classes and mods, by name; the zero value is the defaults. A bound on
// live actors also bounds spawns in a tick, at a sixteenth of it.
type ActorLimits struct {
	// Classes and Mods are how many actors of a class, or of a mod, may be alive at once; others have
	// MaxClassActors. None exceeds the bound of the world.
	Classes, Mods map[string]int
}

type payer struct{ class, mod string }

// censuses are all censuses of a world.
type censuses struct {
	limits ActorLimits
	of     map[payer]*census
	mods   map[string]*census
	all    int // alive, of all payers
	ofMods int // of these, actors of mods
}

// saidKey identifies a warning that is given once in a world's life.
type saidKey struct {
	what            saidWhat
	class, function string
}

type saidWhat uint8

const (
	saidDestroy saidWhat = iota
	saidDropped
)

// EffectKind is what an [Effect] is.
type EffectKind uint8

// The kinds of effects.
const (
	EffectSound EffectKind = iota
	EffectMontage
	// EffectCue is a notify, an event or a function that the class's looks name in `on`.
	EffectCue
)

// Effect is a cosmetic effect for viewers.
type Effect struct {
	Kind EffectKind
	// Actor is the actor that causes it, 0 for a sound without one. It may be destroyed before the effect is
	// shown; a pointer would keep the actor, its scripts and its classes alive as long as nobody takes effects.
	Actor ActorID
	At    vec
	// Name is the name of the sound, the montage or the cue.
	Name string
	// Class is the name of the class whose looks want the cue.
	Class string
}

// fastUndo undoes one change of a fast array: an added item is removed, a changed or removed one is restored, and keys that were skipped
// are given again. A changed item with the key 0 is none.
type fastUndo struct {
	change FastChange
	at     int    // index of an added or removed item
	next   uint32 // the last key before the change
	item   FastItem
}

type journalEntry struct {
	actor ActorID
	prop  *Property
	// native is the index of a native property's old value among natives, fast that of the undo of an array's
	// change.
	native, fast int32
	// Offsets of the old storage of a declared property in the arenas, and of the property.
	word, words int32
	str, strs   int32
	atWord      int32
	atStr       int32
}

type journal struct {
	open    int
	undoing bool
	entries []journalEntry
	natives []Value
	fasts   []fastUndo
	words   []uint64
	strs    []string
	scratch struct {
		words []uint64
		strs  []string
	}
}

type scratchSpace struct {
	words []uint64
	strs  []string
}

// Message is a line of text for the player at this machine (PlayerController.ClientMessage).
type Message struct {
	// Number counts the world's messages, from 1.
	Number uint64
	// Text is one line as [OneLine] returns it.
	Text string
	// Kind is the subject: "kill", "event", "chat", …, "" for anything else.
	Kind string
	// From is the name of the player who sent it, "" for the game itself.
	From string
	// Time is the world time at which it arrived.
	Time float64
}

// lateLink is an Owner or a Base that the other end sent. The server's links never make a loop, but updates of
// different actors arrive one by one, so for a moment they may seem to; such a link waits.
type lateLink struct {
	from, to ActorID
	kind     linkKind
}

type linkKind uint8

const (
	linkOwner linkKind = iota
	linkBase
)

// Recorder observes the world after every tick; see [World.SetRecorder].
type Recorder interface {
	// Record is called at the end of each tick, with the world's time in seconds. It must not change the world.
	Record(now float64)
}

// Remote is what a world needs of the network code: it sends calls and is notified of changes. The server side and the client
// side of package netcode implement it; nil stands for no network, as in a standalone world. All calls happen on the goroutine
// that steps the world; none may call back into scripts.
type Remote interface {
	// Spawned reports a new actor or component, after it began. Destroyed reports a destroyed one, before
	// references to it are cleared.
	Spawned(a *Actor)
	Destroyed(a *Actor)
	// Owns reports, on the server, whether a's top owner is the PlayerController of a connection; on a client,
	// whether it is this client's own.
	Owns(a *Actor) bool
	// RoundTrip returns the smoothed round trip to the machine that owns a, in seconds of the world, of which more
	// pass in fast motion: on the server that of its player's connection, on a client its own. It is 0 if there is
	// none or it was not measured yet.
	RoundTrip(a *Actor) float64
	// PaceLead returns, on the server, how much more time of the world has passed for the player who owns a than
	// for the server, in seconds: after the pace of the world changed, until the player's machine has received that.
	PaceLead(a *Actor) (lead, most float64)
	// Call sends a replicated call to the other end (R6.1). The arguments fit the function's parameters and are
	// valid only during the call. by is the mod whose script calls, "" for core and the game. An error says why
	// the call is not sent: too much reliable data is queued (R6.5).
	Call(a *Actor, f *Function, args []Value, by string) error
	// Dropped counts a call that is dropped (R6.3).
	Dropped(a *Actor, f *Function, why string)
}

// Sound describes a sound: how far it is heard, and its properties for playback. Viewers play it. The zero
// value is heard as far as its actor's SoundRadius.
type Sound struct {
	// Name is the path of its file below content/: sounds/boom.toml.
	Name string
	// Radius is how far it is heard, in uu; 0 leaves it to the actor's SoundRadius.
	Radius float64
	// Volume and Pitch are factors of the recording's own; 0 means 1.
	Volume, Pitch float64
	// Caption is the text for listeners without loudspeakers; "" for none.
	Caption string
	// File is the recording below content/, "" if there is none.
	File string
}

// HeardSound is a sound that the player at this machine hears.
type HeardSound struct {
	Sound string
	// Actor is the source, 0 if this peer does not have the actor or the sound has no location.
	Actor ActorID
	// At is where it plays; HasPlace is false for one that plays everywhere (ClientPlaySound).
	At       vec
	HasPlace bool
	// Volume and Pitch are set by a class (ClientCreateAudioComponent), normally 1.
	Volume, Pitch float64
	// Time is the world time at which it began.
	Time float64
}

// tickList holds the actors that need a tick, in order of spawning. Changes are collected and applied between
// ticks, so a tick walks a list that does not change, and idle actors are not in it.
//
// Invariant: after settle, list is sorted by seq, without duplicates, and all of it is tickable.
type tickList struct {
	list    []*Actor
	added   []*Actor
	dropped int
}

// timerHeap is a binary heap, written out so that a push allocates nothing beyond its slice.
type timerHeap []*timer

// Frame counts the ticks so far.
func (w *World) Frame() uint64 { return w.frame }

// Live returns the number of live actors, without components.
func (w *World) Live() int { return w.live }

// InStep reports whether the world is inside a tick.
func (w *World) InStep() bool { return w.inStep }

// Actor returns the actor of an id, or nil if it is destroyed or the id is 0.
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

// ActorByName returns the live actor of that name, the first in order of spawning, or nil.
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

// ServerTime returns the server's time in seconds as far as this peer knows: Time plus the offset of
// SetServerTime, 0 at first and on the server.
func (w *World) ServerTime() float64 { return w.Time + w.timeOffset }

// SetServerTime sets how far the server's world time is ahead of this world's, in seconds, as the network code
// measures it. It applies until scripts measure more precisely, see [World.SyncServerTime].
func (w *World) SetServerTime(offset float64) {
	if !w.timeSynced {
		w.timeOffset = offset
	}
}

// StepServerTime sets the same after one of the two clocks has jumped: the scripts' measurement is discarded
// until they measure again (G15).
func (w *World) StepServerTime(offset float64) {
	w.timeOffset, w.timeSynced = offset, false
	w.timeSteps++
	w.timeStep = w.Time
}

// TimeStep returns this world's time of the last StepServerTime, and how often it was called: measurements that
// began before then say nothing about the clocks now.
func (w *World) TimeStep() (at float64, count int) { return w.timeStep, w.timeSteps }

// SyncServerTime sets the same as measured by the scripts, filtered against jitter (R11.1).
func (w *World) SyncServerTime(offset float64) { w.timeOffset, w.timeSynced = offset, true }
