package classfile

import (
	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/engine/rewind"
	"github.com/tidelock/tidelock/scriptvm/fuse"
	lua "github.com/yuin/gopher-lua"
)

// Source is the text of one file.
type Source struct {
	// Path is the file as messages show it, "scripts/core/Pawn.lua".
	Path string
	Text string
	// Lib is the name a module is required by ("lib.geo"); empty for class files.
	Lib string
	// Multi allows several classes in one file whose name need not match: the Lua of a scenario.
	Multi bool
	// LineOffset is added to every line in messages: where a chunk begins inside its file, less one.
	LineOffset int
}

// Options of Load. The zero value checks no content, keeps no slots and caches nothing.
type Options struct {
	// Prev are the classes a running world has now: their slots are kept (hot reload).
	Prev *engine.Classes
	// Cache may be shared by any number of loads at once.
	Cache *Cache
	// Content reports whether a content file exists; nil does not check.
	Content func(name string) bool
	// Check adds the advisory warnings of `host check`.
	Check bool
}

// Program is a consistent set of class files, ready to run in one world.
type Program struct {
	Classes *engine.Classes
	// Files are the class files, parents' before children's.
	Files []*File
	// Libs are the modules by the name they are required by.
	Libs map[string]*File
	// HitBoxes are those of the classes that declare some (R11.2).
	HitBoxes rewind.Table
}

// File is one compiled file. Its defs belong to this program; its protos are shared.
type File struct {
	Path string
	// Hash is of the text.
	Hash uint64
	// Lib is the module's name, empty for class files.
	Lib string
	// Proto is the main chunk; it takes the natives of [NativeNames] as its arguments.
	Proto *lua.FunctionProto
	// Defs are what the chunk hands to (def), in the order of their numbers, which count from 1.
	Defs []*Def
	// Classes are the names of the classes the file declares, in order.
	Classes []string

	owners map[*lua.FunctionProto]int
}

// Owner is the def whose body a proto is or stands in, or nil: what a stack trace calls it.
func (f *File) Owner(p *lua.FunctionProto) *Def {
	if i, ok := f.owners[p]; ok {
		return f.Defs[i]
	}
	return nil
}

// DefKind says what a def is.
type DefKind uint8

// ORDER: defkinds.
const (
	// DefFunction is a function of a class or of a state.
	DefFunction DefKind = iota
	// DefValidator is C.validate:Name.
	DefValidator
	// DefCode is the latent code of a state.
	DefCode
	// DefCondition is a replication condition that has to run in the VM.
	DefCondition
	numDefKinds
)

var defKindNames = [numDefKinds]string{"function", "validator", "code", "condition"}

func (k DefKind) String() string {
	if k < numDefKinds {
		return defKindNames[k]
	}
	return "DefKind(?)"
}

// Def is one function body of a class file. The engine's data points at it ([engine.Function.Script],
// Validator, [engine.State.Code], [engine.RuleSpec.Script] are *Def), so that whoever calls finds the
// body wherever the function was inherited to.
type Def struct {
	// Class and State say where it stands; State is "" outside states. Name of a DefCode is "Code", of a
	// DefCondition the first variable of its rule.
	Class, State, Name string
	What               DefKind
	Pos                engine.Pos
	File               *File
	// Index is the number the chunk hands to (def), from 1.
	Index int
	// Number counts the defs of the program, from 0: a place for a slice of the runtime's own.
	Number int
	// Spec is the function's specification, of DefFunction and DefValidator.
	Spec *engine.FunctionSpec
	// Rule is the rule of a DefCondition.
	Rule *engine.RuleSpec
	// Proto is the body's bytecode.
	Proto *lua.FunctionProto
	// Fuse is the body as it can be compiled to Go for a set of classes; nil where it has to run in the VM,
	// and Slow says why.
	Fuse *fuse.Func
	Slow *fuse.Refusal
	// Fn is the runtime's: the function of this world's VM.
	Fn any
}

// String names the def as messages do: Class:Name, Class.state.State:Name.
func (d *Def) String() string {
	s := d.Class
	if d.State != "" {
		s += ".state." + d.State
	}
	switch d.What {
	case DefValidator:
		s += ".validate"
	case DefCondition:
		return s + ".replication(" + d.Name + ")"
	case DefFunction, DefCode, numDefKinds:
	}
	return s + ":" + d.Name
}
