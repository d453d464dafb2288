package classfile

import (
	"maps"
	"slices"
	"sort"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/scriptvm/api"
)

// language holds the names that scripts have whatever natives there are.
type language struct {
	constants     map[string]float64 // ROLE_Authority → 3
	constantNames []string
	// libraries holds the members of string, table, math, coroutine.
	libraries map[string][]string
	events    map[string]bool
	// axes maps the components of vectors and rotators to their numbers from 0.
	axes map[string]int
	// connection holds the names that only exist in replication conditions.
	connection map[string]bool
}

// words is read-only: it is built from engine constants and the tables of package api.
var words = makeLanguage()

// vocabulary holds the natives of a runtime, indexed for the checker. It is read-only.
type vocabulary struct {
	*api.Registry
	// globals may be read anywhere; latent ones only in the code of a state, define ones only in declarations.
	globals, latent, define map[string]bool
	globalNames             []string
	// methods holds all natives by name: what x:Name() on an unknown x may be.
	methods map[string][]*api.Function
	// named holds the arguments of methods that are names.
	named map[string]namedArg
	// constructors holds the calls that denote types in declarations, by name.
	constructors map[string]*constructor
}

// plainGlobals lists Lua's own functions that are available (docs/lua-api.md, Globals).
var plainGlobals = []string{
	"pairs", "ipairs", "next", "select", "type", "tostring", "tonumber", "pcall", "error", "assert", "unpack",
	"setmetatable", "getmetatable", "rawget", "rawset", "rawequal",
}

// libraryMembers lists the safe members of the libraries. TestLibrariesAreTheSandboxes compares them with the
// sandbox.
var libraryMembers = map[string][]string{
	"string": {"byte", "char", "find", "format", "gmatch", "gsub", "len", "lower", "match", "rep", "reverse", "sub", "upper"},
	"table":  {"concat", "insert", "maxn", "remove", "sort"},
	"math": {
		"abs", "acos", "asin", "atan", "atan2", "ceil", "cos", "cosh", "deg", "exp", "floor", "fmod", "frexp", "huge",
		"ldexp", "log", "log10", "max", "min", "modf", "pi", "pow", "rad", "random", "randomseed", "sin", "sinh", "sqrt", "tan", "tanh",
	},
	"coroutine": {"create", "resume", "running", "status", "wrap", "yield"},
}

func makeLanguage() *language {
	l := &language{
		constants: map[string]float64{}, libraries: libraryMembers, events: map[string]bool{},
		axes:       map[string]int{"X": 0, "Y": 1, "Z": 2, "Pitch": 0, "Yaw": 1, "Roll": 2},
		connection: map[string]bool{"bNetInitial": true, "bNetOwner": true, "bNetDirty": true, "bIsPlayer": true},
	}
	for _, names := range [][]string{
		engine.RoleNames(), engine.NetModeNames(), engine.PhysicsNames(), engine.DormancyNames(), engine.NetConditionNames(),
	} {
		for i, n := range names {
			l.constants[n] = float64(i)
			l.constantNames = append(l.constantNames, n)
		}
	}
	sort.Strings(l.constantNames)
	for _, n := range engine.EventNames() {
		l.events[n] = true
	}
	for _, e := range api.Events() {
		l.events[e.Name] = true
	}
	return l
}

func newVocabulary(r *api.Registry) *vocabulary {
	v := &vocabulary{
		Registry: r, globals: map[string]bool{}, latent: map[string]bool{}, define: map[string]bool{},
		methods: map[string][]*api.Function{}, named: map[string]namedArg{}, constructors: map[string]*constructor{},
	}
	for _, n := range words.constantNames {
		v.globals[n] = true
	}
	for _, n := range plainGlobals {
		v.globals[n] = true
	}
	for n := range libraryMembers { // any order: a union of sets
		v.globals[n] = true
	}
	list := constructors()
	for i := range list {
		v.constructors[list[i].Name] = &list[i]
	}
	for _, f := range r.Functions() {
		switch f.Space {
		case api.Global:
			v.globals[f.Name] = true
		case api.Latent:
			v.latent[f.Name] = true
		case api.Define:
			v.define[f.Name] = true
		default:
			v.methods[f.Name] = append(v.methods[f.Name], f)
			for i, p := range f.Params {
				if _, known := v.named[f.Name]; !known && kindsOfNames[p.Type] != 0 {
					v.named[f.Name] = namedArg{i, kindsOfNames[p.Type]}
				}
			}
		}
	}
	for _, g := range api.Variables() {
		if g.Space == api.Global {
			v.globals[g.Name] = true
		}
	}
	for n := range v.globals { // any order: sorted below
		v.globalNames = append(v.globalNames, n)
	}
	for n := range v.latent { // any order: sorted below
		v.globalNames = append(v.globalNames, n)
	}
	sort.Strings(v.globalNames)
	return v
}

// methodOf returns the native that self:name(…) calls in a class, or nil.
func (v *vocabulary) methodOf(c *engine.Class, name string) *api.Function {
	return v.Method(func(space string) bool {
		if space == string(api.Actor) {
			return !c.IsComponent()
		}
		return c.IsA(space)
	}, name)
}

// hasFunction reports whether self:name() finds a function in a class, in any of its states.
func (v *vocabulary) hasFunction(k *engine.Class, name string) bool {
	if k.Functions[name] != nil || words.events[name] || v.methodOf(k, name) != nil {
		return true
	}
	for _, s := range k.States { // any order: it asks whether any state has one
		if s.Dispatch.Functions[name] != nil {
			return true
		}
	}
	return false
}

func (v *vocabulary) constructorNames() []string { return slices.Sorted(maps.Keys(v.constructors)) }
