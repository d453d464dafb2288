package classfile

import (
	"sort"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/scriptvm/api"
)

// vocabulary is every name that scripts have without declaring it.
type vocabulary struct {
	constants     map[string]float64 // ROLE_Authority → 3
	constantNames []string
	// globals may be read anywhere; latent ones only in the code of a state, define ones only in declarations.
	globals, latent, define map[string]bool
	globalNames             []string
	// libraries are the members of string, table, math, coroutine.
	libraries map[string][]string
	events    map[string]bool
	// methods are all natives by name: what x:Name() on an unknown x may be.
	methods map[string][]*api.Function
	// named are the arguments of methods that name something.
	named map[string]namedArg
	// members are the parts of vectors and rotators: axis numbers from 0.
	axes map[string]int
	// connection are the names that exist in replication conditions only.
	connection map[string]bool
}

// words is read-only: it is made of the registry and of engine constants.
var words = makeVocabulary()

// plainGlobals are the functions of Lua that are left (docs/lua-api.md, Globals).
var plainGlobals = []string{
	"pairs", "ipairs", "next", "select", "type", "tostring", "tonumber", "pcall", "error", "assert", "unpack",
	"setmetatable", "getmetatable", "rawget", "rawset", "rawequal",
}

// libraryMembers are the safe parts of the libraries. TestLibrariesAreTheSandboxes holds them to what is there.
var libraryMembers = map[string][]string{
	"string": {"byte", "char", "find", "format", "gmatch", "gsub", "len", "lower", "match", "rep", "reverse", "sub", "upper"},
	"table":  {"concat", "insert", "maxn", "remove", "sort"},
	"math": {
		"abs", "acos", "asin", "atan", "atan2", "ceil", "cos", "cosh", "deg", "exp", "floor", "fmod", "frexp", "huge",
		"ldexp", "log", "log10", "max", "min", "modf", "pi", "pow", "rad", "random", "randomseed", "sin", "sinh", "sqrt", "tan", "tanh",
	},
	"coroutine": {"create", "resume", "running", "status", "wrap", "yield"},
}

func makeVocabulary() *vocabulary {
	v := &vocabulary{
		constants: map[string]float64{}, globals: map[string]bool{}, latent: map[string]bool{}, define: map[string]bool{},
		libraries: libraryMembers, events: map[string]bool{}, methods: map[string][]*api.Function{}, named: map[string]namedArg{},
		axes:       map[string]int{"X": 0, "Y": 1, "Z": 2, "Pitch": 0, "Yaw": 1, "Roll": 2},
		connection: map[string]bool{"bNetInitial": true, "bNetOwner": true, "bNetDirty": true, "bIsPlayer": true},
	}
	for _, names := range [][]string{
		engine.RoleNames(), engine.NetModeNames(), engine.PhysicsNames(), engine.DormancyNames(), engine.NetConditionNames(),
	} {
		for i, n := range names {
			v.constants[n] = float64(i)
			v.constantNames = append(v.constantNames, n)
			v.globals[n] = true
		}
	}
	for _, n := range plainGlobals {
		v.globals[n] = true
	}
	for n := range libraryMembers { // any order: a union of sets
		v.globals[n] = true
	}
	for _, f := range api.Functions() {
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
	sort.Strings(v.constantNames)
	for _, n := range engine.EventNames() {
		v.events[n] = true
	}
	for _, e := range api.Events() {
		v.events[e.Name] = true
	}
	return v
}
