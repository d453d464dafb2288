package scriptvm

import (
	"runtime/metrics"

	lua "github.com/yuin/gopher-lua"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/engine/bus"
	"github.com/tidelock/tidelock/engine/canvas"
	"github.com/tidelock/tidelock/engine/geom"
	"github.com/tidelock/tidelock/engine/moves"
	"github.com/tidelock/tidelock/engine/navigation"
	"github.com/tidelock/tidelock/engine/rewind"
	"github.com/tidelock/tidelock/scriptvm/api"
	"github.com/tidelock/tidelock/scriptvm/classfile"
	"github.com/tidelock/tidelock/scriptvm/sandbox"
)

// The state that a VM keeps for each of its parts, and the values that it gives out. The files above use it.

// account is the cost of one function, in units.
type account struct {
	total  int64 // since it was first loaded
	open   int64 // in the present second of world time
	tick   int64 // in the present tick
	closed int64 // in the last whole second
}

// accounts holds the accounts of one VM.
type accounts struct {
	of []account // by classfile.Def.Number
	// inTick and inOpen list the defs with a cost in tick and in open.
	inTick, inOpen []int32
	inClosed       []int32
	other          int64 // spent outside of functions of classes
	ticks          uint64
	since          float64 // world time when the present second began
	spent          int64   // the sandbox's count when it began
	total          float64 // milliseconds per tick that all scripts took in the last second
	length         float64 // length of that second
	seconds        float64 // average length of its ticks
	scale          float64 // nanoseconds of a unit
	tickFrom       int64   // the sandbox's count at the last tick
	ceiling        bool    // Options.Ceiling was reached
	mods           bool    // the program has mods
}

// Cost is the cost of one function of a class.
type Cost struct {
	// Class and Function identify it, the function with its state.
	Class, Function string
	// Trust is its layer and mod.
	Trust classfile.Trust
	// Units since it was first loaded.
	Units int64
	// Milliseconds per tick, on average over the last whole second of world time.
	Milliseconds float64
}

// bound is a native in a VM: the data of its Lua function.
type bound struct {
	entry
	vm *VM
}

// culprit is the function that a fault is charged to.
type culprit struct {
	def   *classfile.Def // nil if no function of a class was on the stack
	trust classfile.Trust
	// path and line are its location, "" and 0 if unknown; called is set if the fault arose elsewhere.
	path         string
	line, column int // column is determined when it is reported
	frame        *sandbox.Frame
	called       bool
}

// bodyOf is this VM's function for a def of the loader, with its class. It stays the same across reloads as long as
// its file does.
type bodyOf struct {
	fn    *lua.LFunction
	class *class
	def   *classfile.Def // of the present program, updated on first use, see VM.defOf
	duty  duty           // see quarantine.go
	// called is the world time of the engine's last call, if wasCalled.
	called    float64
	wasCalled bool
	strikes   []float64 // world times of the latest faults
	// mirrored: disabled because the server has disabled it (mirror.go).
	mirrored bool
	// rested is how many seconds a function of core rested last, and until when.
	rested, until float64
}

// ReportKind is the kind of a Report.
type ReportKind uint8

// The kinds of reports.
const (
	ReportError      ReportKind = iota // a script error
	ReportWarning                      // something refused or dropped; not an error of the script
	ReportQuarantine                   // a function or a class was quarantined, or a function of core rests
)

// Report is one message about scripts. Text is the whole line: `Class:Function: file:line:column: what, called at
// file:line:column (actor, peer) [layer]` (G4). Class and Function are charged with it; the call is given if the
// fault arose elsewhere, the layer if it is not the game.
type Report struct {
	Kind            ReportKind
	Text            string
	Class, Function string
	File            string
	Line, Column    int // Column is 0 if it is unknown, or nothing is shown
	Message         string
	// Trust is the layer of the charged function.
	Trust classfile.Trust
	Actor string
	// Peer is the player whose call was running, "" for none: the fault counts against them (R6.7).
	Peer  string
	Stack []string
	// Count is how often it happened so far. It is reported at 1 and then at every power of ten. First and Last are
	// the world's time, in seconds, when it happened first and last; 0 for a notice that is not counted.
	Count       int
	First, Last float64
}

type faultBook struct {
	seen  map[string]*Report
	order []string
	stats Stats
}

// kind is how the guard handles an argument.
type kind uint8

// guarded is the guard's data for an argument, or for a member of a table.
type guarded struct {
	kind     kind
	measure  api.Measure
	whole    bool
	optional bool
	name     string
	members  []guarded // of records
	prefix   string    // of constants
	values   int       // how many of them there are, from 0
	from     int       // for a line's end: the index of its start among the arguments or members; −1 for the actor itself
}

// guest is the cost of the guests of one mod.
type guest struct {
	mod  string
	load load
	by   map[int32]int64 // units of the present second by def, for the log line
	// moving is the engine's cost of moving them, and the mod's own actors, in units.
	moving int64
}

// latent is the running Code() of an actor's state: a coroutine that waits for a time, a condition or the end of a
// movement. While it sleeps it is in a heap ordered by time and costs nothing.
type latent struct {
	object *object
	state  *engine.State
	thread *sandbox.Thread
	wait   waitKind
	wake   float64 // world time, of waitSleep
	cond   *lua.LFunction
	// resumes counts how often it was resumed: with its line, this is its position for the state hash.
	resumes int
	parked  bool // under a pushed state
	done    bool
	// answered and answer are those of waitAnswer.
	answered bool
	answer   []lua.LValue
	heap     int // index in the heap of sleepers, −1 outside
}

type waitKind uint8

// latentQueue holds all latent code of a world.
type latentQueue struct {
	asleep  []*latent // heap ordered by wake, then actor
	polling []*latent // ready, or waiting for a condition or a movement
	running *latent
	scratch []*latent
}

// flow is the log output that one class, mod or player causes. The zero flow may log a whole burst.
type flow struct {
	// name is its name in the line about dropped ones.
	name  string
	trust classfile.Trust
	class string // of a class; "" for others

	spent   float64 // lines of the burst
	at      float64 // world time of spent
	dropped int
	since   float64 // world time of the first of dropped
}

// lines holds the flows of a VM that do not belong to its classes.
type lines struct {
	// rest is for lines that no class can be charged with.
	rest flow
	mods map[string]*flow
	// peers is indexed by the name of a player in calls; players beyond maxPeerFlows share others.
	peers  map[string]*flow
	others flow
	// dropping lists those that have dropped lines, in the order in which they began.
	dropping []*flow
}

// module is a file of scripts/lib as require returns it.
type module struct {
	file  *classfile.File
	value lua.LValue
	// raw is the table that value is a view of.
	raw lua.LValue
	// dropped: its data was removed; it has to run again.
	dropped bool
	// users holds the paths of files that required it, directly or through another module.
	users map[string]bool
}

// staged is a program that has been run but is not yet in use: a reload that fails drops it and nothing
// has changed.
type staged struct {
	vm      *VM
	program *classfile.Program
	old     *classfile.Program
	modules map[string]*module
	classes map[string]*class // new ones; existing ones keep their table
	rerun   map[string]bool   // paths of the files that were run again
	fns     []*bodyOf         // by number of the def
}

// holder is a class or a module that keeps memory.
type holder struct {
	name   string
	trust  classfile.Trust
	class  *class  // nil for a module
	module *module // nil for a class

	kept, dead int64 // as found by the last walk
	before     int64 // kept as found by the walk before
	allocated  float64
	open, last float64 // bytes allocated in the present and in the last second
	sinceWalk  float64
	unjudged   float64 // bytes allocated up to the last walk and since memory.judged
	// churns: a walk found that it had allocated much and kept none of it; doubted: the last walk found more kept
	// than the other holders can have allocated.
	churns, doubted bool

	patience float64
	// forgiven is how many bytes others gave it.
	forgiven int64
	rebuilt  bool // since it was last found in order
	told     bool // a core class: it is reported once
}

// memory is what a VM knows of the memory of scripts.
type memory struct {
	holders map[string]*holder
	bytes   []float64 // recently allocated, by classfile.Def.Number
	watched bool
	scale   float64 // how many bytes a byte measured in this tick represents
	ticks   uint64
	walk    *memoryWalk

	samples []metrics.Sample
	cycles  uint64
	live    uint64 // the heap after the last collection
	base    uint64 // the size from which its growth is measured
	// judged is the world time at which holders were last judged by whether they release what they allocate, grown is what all
	// holders together have kept more since then.
	judged float64
	grown  int64
	again  bool    // a walk is due whatever the heap's size is
	until  float64 // world time until which everything is measured
}

// memoryWalk measures what all classes and modules hold: the file locals of their functions, the tables of their
// actors with private fields and strings, and the local variables of their threads. Shared memory counts for the
// least trusted holder; of equals, for the one that allocated most.
type memoryWalk struct {
	holders []*holder
	at      int // of holders
	began   bool
	actors  map[*class][]*object
	threads map[string][]*sandbox.Thread
	found   *sandbox.Holdings
	files   map[*lua.FunctionProto]*classfile.File // functions at the top level of a file
}

// moveParts are the participants of a pawn's move: the result of GetMoveParts, an array of components and the
// weapon, stores it under partsKey.
type moveParts struct {
	layout *moves.Layout
	roster moves.Roster
	// entries and members describe the same participants, the pawn first.
	entries []moves.Entry
	members []*object
	table   *lua.LTable
}

// moveInputs is what a move contains of them; consecutive equal ones share one value.
type moveInputs struct {
	*moves.Values
	text          string // packed; unknown for those that were received
	asks, presses bool
	view          geom.Rotator // for those that were received
}

// moveBook is what the VM stores for one pawn.
type moveBook struct {
	own    *moveParts    // the local participants
	named  [4]*moveParts // participants that inputs named recently
	next   int           // in named
	inputs *moveInputs   // the last saved ones
}

// canvasValue is the argument of DrawHUD: the canvas of the VM's player.
type canvasValue struct {
	canvas.Canvas
	vm      *VM
	drawing bool // DrawHUD runs
	told    bool // that a frame had too much, once per world
}

// Correction is one correction of R9.8: a player's own move with different results on the server and on their
// machine.
type Correction struct {
	Time           float64 // of the player's world, in seconds
	Field          string  // the first difference
	Client, Server engine.Value
	Move           []MoveInput
}

// MoveInput is one of the inputs of a corrected move.
type MoveInput struct {
	Name  string
	Value engine.Value
}

// navState is the navigation graph of the world's level, built when a script first requests a path.
type navState struct {
	of    *engine.World
	level any // the level that it was built for; another one after a travel
	graph *navigation.Graph
	work  *navigation.Work // not nil while another goroutine builds it
}

// past is the VM's data for lag compensation: on a server the history of its pawns, on a client the clock (R11).
type past struct {
	history *rewind.History // nil until it is needed
	records bool            // it is recorded: a server whose weapons need it
	targets []*engine.Actor // scratch
	clock   rewind.Clock
	// clockSteps is engine.World.TimeStep's count that clock belongs to.
	clockSteps int
	refused    map[engine.ActorID]int // rejected claims by PlayerController
}

// SightKind says how a script queried a line.
type SightKind uint8

const (
	// SightTrace is Trace: the first thing that a line or a body meets.
	SightTrace SightKind = iota
	// SightLine is FastTrace or VisibleFrom: whether the level leaves a line free.
	SightLine
	// SightShot is TraceShot or TraceRewound: pawns are hit by their boxes.
	SightShot
)

var sightKinds = [...]string{"trace", "line", "shot"}

func (k SightKind) String() string { return sightKinds[k] }

// Sight is a line that a script queried.
type Sight struct {
	Kind SightKind
	// Time is the world's, in seconds.
	Time float64
	// To is where it was blocked, or its end.
	From, To geom.Vector
	Blocked  bool
	// By is the name of the actor whose script asked, "" for none.
	By string
}

// JudgedClaim is a shot that was judged in the past (R11.3): those of remote players, and others that claim an earlier time than the present.
type JudgedClaim struct {
	// Time is when it was judged, Seen the time that it claims, both of the world, in seconds.
	Time, Seen float64
	// Refused says that the claim was older than the player's latency explains: nothing was traced.
	Refused  bool
	By       string
	From, To geom.Vector
	// Hit is the name of the actor that was hit, which may be gone since, Box that of its box; "" for none.
	Hit, Box string
	// Targets are where the nearest targets were put.
	Targets []JudgedTarget
}

// JudgedTarget is where a target was at the time of a claim.
type JudgedTarget struct {
	// Actor is the target's name.
	Actor string
	// Then is its location at that time, Now when the claim was judged.
	Then, Now geom.Vector
	Solids    []rewind.Solid
}

// watch is what is remembered while somebody watches; nil while nobody does, so that it costs a comparison.
type watch struct {
	until  float64 // world time
	sights []Sight // ring from next on
	next   int
	claims []JudgedClaim // the oldest first
}

// worldValue is the global `world`.
type worldValue struct{ vm *VM }

// storeValue is the global `store`.
type storeValue struct{ vm *VM }

// profileValue is the global `Profile` (C2).
type profileValue struct{ vm *VM }

// clusterValue is the global `cluster`.
type clusterValue struct{ vm *VM }

// messaging is what a VM has of messages.
type messaging struct {
	topics  map[string][]*topic // by subject
	waiting []arrived
	lost    int // because too many waited
	told    bool
	rates   map[string]*messageBudget // by namespace
	count   map[string]int            // topics by namespace
}

type topic struct {
	actor  *engine.Actor
	ns     string
	name   string
	fn     *lua.LFunction
	cancel func()
}

type arrived struct {
	t  *topic
	in bus.In
}

type messageBudget struct {
	left  float64
	until float64 // world time of the last use
}

// duty is whether a function is in use.
type duty uint8

const (
	onDuty      duty = iota
	quarantined      // until the next reload
	resting          // of core, until bodyOf.until
)

// router handles a script's calls of one replicated function. There is one for each function, which every table
// with the function shares; it stays the same across reloads, and f is then the present function.
type router struct {
	routerKey
	f  *engine.Function // nil if a reload removed it
	fn *lua.LFunction
}

// routerKey identifies a function of a class or, if state is not "", of a state of it.
type routerKey struct {
	class       *class
	state, name string
}

// load is the time that a class took.
type load struct {
	open  int64 // units in the present second
	tick  int64 // in the present tick
	longs int   // ticks of the present second in which it took too long
	// over is the ratio of its time in the last second to its share: above 1 it is over it.
	over float64
	// every is the number of ticks per call of its actors; 0 and 1 mean every tick.
	every int
	// overFor counts the seconds that it has been over its share despite throttling.
	overFor int
	// peaks counts consecutive seconds in which more than one of its ticks took too long, without those that had no call.
	peaks int
}

// object is the engine's handle inside an actor's table, in slot 1. Scripts could only reach it by indexing an
// actor with a number, and cannot do anything with it.
type object struct {
	actor *engine.Actor
	table *lua.LTable
	class *class
	vm    *VM
	// latent is the actor's running state code, nil if there is none.
	latent *latent
	// stack is the latent code that PushState suspended, oldest first; nil entries had none.
	stack []*latent
	// halted: the code of the actor's present state does not run because its class is quarantined.
	halted bool
	gone   bool
	// owed is the time of the ticks in which Tick was skipped (throttle.go), in seconds.
	owed float64
}

// cause is why the engine called a script.
type cause uint8

// callContext is how the engine entered the script that runs now, the innermost entry.
type callContext struct {
	f     *engine.Function // nil for latent code and for a call by the host
	cause cause
	guest *guest // whose account it is charged to, nil for that of the running function
	actor *engine.Actor
}

// shelf keeps the values of variables that reloads removed or reset from living actors: a reload that brings an earlier set
// of scripts back (Prepared.Back) gives them their values again. A saved file that declares a variable of an old name again
// does not: there it is a new one.
type shelf map[*engine.Actor]map[string]engine.Value

// put keeps a value; a later one of the same name replaces it. A default is not kept: the actor has that of the scripts that are
// brought back, whatever it was in between.
func (s shelf) put(a *engine.Actor, list []engine.Former) {
	for _, as := range list {
		if as.Default {
			delete(s[a], as.Name)
			continue
		}
		if as.Value.Kind == engine.KindFastArray {
			continue // its items are not in the value
		}
		if s[a] == nil {
			s[a] = map[string]engine.Value{}
		}
		s[a][as.Name] = as.Value
	}
}

// sweep forgets destroyed actors.
func (s shelf) sweep() {
	for a := range s { // any order: each on its own
		if a.Deleted() {
			delete(s, a)
		}
	}
}

func stateName(state, name string) string {
	if state != "" {
		return state + "." + name
	}
	return name
}

// SaveRequest is a world:Save of a script. The owner of the VM takes it between two ticks and answers it with [VM.Saved].
type SaveRequest struct {
	// Name is the requested name of the saved world; store.CheckKey accepts it.
	Name   string
	number uint64
}

// saveWait is a script that waits for its answer: with a function, or with latent code.
type saveWait struct {
	number uint64
	owner  *engine.Class // whose function asked, nil if it is not known
	fn     *lua.LFunction
	latent *latent
}

// saves are the saves of a VM that are requested or under way.
type saves struct {
	number  uint64
	asked   []SaveRequest
	waiting []saveWait
}
