package scriptvm

import (
	"sync/atomic"

	lua "github.com/yuin/gopher-lua"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/engine/bus"
	"github.com/tidelock/tidelock/engine/moves"
	"github.com/tidelock/tidelock/engine/navigation"
	"github.com/tidelock/tidelock/engine/profile"
	"github.com/tidelock/tidelock/engine/store"
	"github.com/tidelock/tidelock/scriptvm/api"
	"github.com/tidelock/tidelock/scriptvm/classfile"
	"github.com/tidelock/tidelock/scriptvm/sandbox"
)

// Options is the configuration of a VM. The zero value works: no logs, no cache shared with other VMs.
type Options struct {
	// Peer is the name of this world in messages: "server", "client a".
	Peer string
	// Log receives what scripts log; a is nil for the global log. Lines beyond LineRate are dropped and counted
	// before (G12).
	Log func(a *engine.Actor, text string)
	// Report receives errors and warnings of scripts, each once and later with counts (see Report), within the same
	// bounds.
	Report func(Report)
	// Content reports whether a content file exists; nil does not check.
	Content func(name string) bool
	// Reserved holds the names of the host's own commands, which scripts may not declare; nil does not check.
	Reserved []string
	// Calls checks calls as `host check` does, at load and before each reload: a call that cannot work is then an
	// error.
	Calls bool
	// Cache is shared by the VMs of a process, so that a class is compiled once.
	Cache *classfile.Cache
	// Elapsed is a clock in nanoseconds that bounds the time of one call; nil means no such bound. A world whose
	// runs must repeat exactly has none.
	Elapsed func() int64
	// Ceiling is how many units of cost scripts may take between two ticks before no more of them are called: a
	// client of a server that sends calls faster than they can run would otherwise never reach its next tick (G17).
	// 0 means none.
	Ceiling int64
	// Navigation is shared by the VMs of a process, so that a level's navigation graph is built once; nil builds a
	// separate one.
	Navigation *navigation.Cache
	// Shares holds the part of a tick that classes and mods may take, by name, if it is not DefaultShare (G6). A
	// class that is not named has its mod's.
	Shares map[string]float64
	// Memory is how many bytes classes, modules and mods may keep, by name, if it is not DefaultMemory; WorldMemory
	// how many all scripts may, 0 means DefaultWorldMemory (G8).
	Memory      map[string]int64
	WorldMemory int64
	// Store is what outlives the world; nil, as on a client, is none.
	Store *store.Client
	// Transactor saves several profiles at once; nil, as without a store, is none.
	Transactor Transactor
	// Teleport begins to send a player to another host by name or label, with the encoded value of a script; done is told, later, that
	// they are there, or why they stay (C6). Nil, as on a client, is no way to other hosts.
	Teleport func(pc *engine.Actor, target string, data []byte, done func(error))
	// Cluster carries messages between hosts; nil, as on a client, is none. Its owner calls Deliver, then [VM.HandleMessages].
	Cluster *bus.Client
	// Actors raises the bounds on actors of classes and mods, by name (G9).
	Actors engine.ActorLimits
	// Limits of scripts; zero fields mean the defaults of package sandbox.
	Limits sandbox.Limits
}

// VM runs the scripts of one world. It implements [engine.Script]. The goroutine that steps the world owns it.
type VM struct {
	opt      Options
	messages messaging
	closed   bool // answers that come later are nobody's

	vm      *sandbox.VM
	world   *engine.World
	program *classfile.Program
	fns     []*bodyOf             // by classfile.Def.Number
	tables  []*lua.LTable         // of functions, by engine.Dispatch.Index; nil until first use
	routers map[routerKey]*router // see remote.go
	sources []classfile.Source
	classes map[string]*class // by name; kept across reloads, so that class values stay the same
	natives []*engine.NativeProperty

	actorMeta, classMeta, superMeta                                                                                       *lua.LTable
	classByTable                                                                                                          map[*lua.LTable]*class // by class value, and by its super
	vectorMethods, rotatorMethods, fastMethods, worldMethods, storeMethods, clusterMethods, profileMethods, canvasMethods *lua.LTable
	registry                                                                                                              *registry
	methodValues                                                                                                          map[api.Namespace]map[string]*lua.LFunction
	events                                                                                                                map[string]bool // names of all events
	noop                                                                                                                  *lua.LFunction
	hidden                                                                                                                []lua.LValue // what class chunks get as arguments
	storeFunction                                                                                                         lua.LValue   // of hidden

	modules  map[string]*module
	loading  []string                    // modules being required, outermost first
	staging  *staged                     // the program being loaded, nil otherwise
	defining *classfile.File             // the file whose top level runs
	cueMaker *lua.FunctionProto          // see cue.go; nil until first use
	places   map[string][]*classfile.Def // functions by file, created when an error needs them
	known    []*classfile.Places         // of files in which errors were, the latest first; see explain.go

	loadRand  engine.Rand
	dt        lua.LValue // of the running tick, boxed once
	dtOf      float64
	clock     float64 // the world's time as scripts read it; clockSet: it is set
	clockSet  bool
	latents   latentQueue
	refused   []func() // answers of a world without a store, for the next tick
	faults    faultBook
	shelf     shelf
	accounts  accounts
	memory    memory
	profiler  profiler
	lines     lines
	spenders  []*class // those with something in load.tick
	throttled bool     // some class is
	guests    map[string]*guest
	duties    uint64   // OutOfUseChanged
	barred    []string // Quarantined, of the program barredOf as of barredAt of duties
	barredOf  *classfile.Program
	barredAt  uint64
	owing     bool             // some class was: its actors may be owed time
	drowned   *class           // took so much in one tick that one of its functions is disabled at once
	resting   []*bodyOf        // functions of core that are disabled for a while
	conn      *engine.ConnBits // of the running condition, nil outside of conditions
	spentAt   uint64           // Stats.Calls when a budget was last found spent
	spentTime float64          // and the world's time
	nav       navState
	past      past           // see natives_rewind.go
	watch     *watch         // nil while nobody watches, see watch.go
	peer      string         // whose call is running, "" for the engine's own
	args      []engine.Value // of the call that is being routed
	canvas    *canvasValue   // of the local player, nil until first use

	saves   saves           // see natives_save.go
	unsaved []string        // see saved.go
	noted   map[string]bool // of unsaved

	corrections []Correction // of the player's own moves, noted by scripts
	moveBooks   map[engine.ActorID]*moveBook
	packer      moves.Packer

	context   callContext // how the engine entered the script, see context.go
	inner     uint64      // what natives within the running one were charged, see cost.go
	doing     atomic.Pointer[engine.Function]
	cause     cause           // of the next entry
	listeners []*engine.Actor // scratch of playSound
}

// class is the VM's data of an engine class.
type class struct {
	data        *engine.Class
	table       *lua.LTable // the class value of scripts
	super       *lua.LTable // the value of C.super
	stateSupers map[string]*lua.LTable
	meta        *lua.LTable // of its function tables, nil until the first is created
	bySlot      []*engine.Property
	// defaults holds the boxed class defaults by slot, shared by all actors until they write; nil, and nil entries,
	// until first use.
	defaults []lua.LValue
	// quarantined: none of the functions that the class itself defines is enabled.
	quarantined bool
	// dropped: its data was removed (memorydrop.go); its file has to run again.
	dropped bool
	// own is 1 once an actor of the class had a private value, which the class does not declare.
	own int
	// choosy: an actor of the class may have an IsNetRelevantFor (R3.11).
	choosy bool
	// load is the time that its functions take; every is the number of ticks per call, 0 and 1 mean every tick.
	load  load
	every int
	// lines is the log output that it causes.
	lines flow
}

// Bind sets the world of the VM; the world must have been created with the VM's classes.
func (v *VM) Bind(w *engine.World) {
	v.world = w
	w.SetActorLimits(v.opt.Actors)
}

// Classes returns the classes loaded, nil before Load.
func (v *VM) Classes() *engine.Classes {
	if v.program == nil {
		return nil
	}
	return v.program.Classes
}

// Stats returns the VM's counters.
func (v *VM) Stats() Stats { return v.faults.stats }

// Stats counts entries into the VM by cause.
type Stats struct {
	// Calls counts the engine's calls of script functions.
	Calls uint64
	// Conditions counts replication conditions that the VM had to evaluate (R5.6).
	Conditions uint64
	// Faults counts calls that ended in an error.
	Faults uint64
}

// worldRand is math.random's source: the world's own generator, so that a seed repeats a match.
type worldRand struct{ v *VM }

func (r worldRand) Uint64() uint64 {
	if r.v.world == nil || r.v.staging != nil {
		return r.v.loadRand.Uint64() // the top level of files: repeatable, and independent of the match
	}
	return r.v.world.Rand.Uint64()
}

func (v *VM) methodTable(space api.Namespace) *lua.LTable {
	t := newTable(0, len(v.methodValues[space]))
	for name, f := range v.methodValues[space] { // any order: scripts cannot list the table
		t.RawSetString(name, f)
	}
	return t
}

// classValue returns the class value of scripts.
func (v *VM) classValue(name string) lua.LValue {
	if c := v.classes[engine.CanonicalClass(name)]; c != nil {
		return c.table
	}
	return lua.LNil
}

// newTable returns a Lua table with room for n items and h names. gopher-lua's method needs no state.
func newTable(n, h int) *lua.LTable { return (*lua.LState)(nil).CreateTable(n, h) }

// native returns a function of the hot path: a panic in it ends the whole call, as the sandbox documents.
func (v *VM) native(f lua.LGFunction) *lua.LFunction { return v.vm.NewPlainFunction(f) }

// profiler is the VM's end of a profile. It implements sandbox.Probe.
type profiler struct {
	vm *VM
	of *profile.Profile // of the measured tick, nil otherwise
	// numbers are those of functions in the profile, for one program and generation.
	numbers    map[*lua.FunctionProto]int32
	natives    map[*bound]int32
	generation int
	program    *classfile.Program
	stack      []int32 // scratch
}
