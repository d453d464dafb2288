package classfile

import (
	"strings"
	"sync"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/engine/moves"
	"github.com/tidelock/tidelock/engine/rewind"
	lua "github.com/yuin/gopher-lua"
)

// Source is the text of one file.
type Source struct {
	// Path is the path shown in messages, "scripts/core/Pawn.lua".
	Path string
	Text string
	// Lib is the name by which a module is required ("lib.geo"); empty for class files.
	Lib string
	// Multi allows several classes in one file with any names: the Lua of a scenario.
	Multi bool
	// LineOffset is added to every line in messages: the line on which a chunk begins inside its file, minus one.
	LineOffset int
	// Place is the path within the script set, the same on all peers: core/Pawn.lua, mods/hats/Hat.lua. If empty,
	// it is derived from Path: the part after the last folder called scripts.
	Place string
	// Trust is the file's layer; the zero value derives it from the place: core and lib are core, mods/NAME is the
	// mod NAME, everything else is the game's.
	Trust Trust
}

// Options of Load. Only Cache is required: without the others it does not check content and keeps no slots.
type Options struct {
	// Prev holds the present classes of a running world: their slots are kept (hot reload).
	Prev *engine.Classes
	// Last is the present program of a running world, nil for none: files that are the same as its own are not
	// looked up.
	Last *Program
	// Cache knows the natives that files are checked against. Any number of loads may share it at once.
	Cache *Cache
	// Content reports whether a content file exists; nil does not check.
	Content func(name string) bool
	// Notifies holds the names of all animation notifies of the content, to check names in `on` of looks; nil does
	// not check them.
	Notifies []string
	// Actions holds the names of the actions that content/input.toml declares, to check names of actions in
	// scripts; nil does not check them.
	Actions []string
	// Check adds the advisory warnings of `host check`, and checks calls.
	Check bool
	// Reserved holds the names of the host's own commands, which no script may declare; nil does not check.
	Reserved []string
	// Calls checks calls by the types of their arguments, as `host check` does. The trees of all files of the last
	// load with this option stay in the cache: about thirty times the size of their text.
	Calls bool
}

// Program is a consistent set of class files, ready to run. It is immutable, and all worlds of a process that run
// the same files after the same classes share it: each world stores what it derives from it, mainly functions,
// itself, indexed by Def.Number and engine.Dispatch.Index.
type Program struct {
	Classes *engine.Classes
	// Files holds the class files, parents' before children's.
	Files []*File
	// Libs holds the modules by the name by which they are required.
	Libs map[string]*File
	// HitBoxes holds those of the classes that declare some (R11.2).
	HitBoxes rewind.Table
	// Moves says what classes add to the moves of players, and how it is packed (R9.9).
	Moves *moves.Table
	// Defs holds those of all class files, each at the index of its number.
	Defs []*Def

	units   []*unit // in the order of the sources
	sources []Source
	byPath  map[string]*File // of Files
	// libByPath holds Libs by path.
	libByPath map[string]*File

	bodies    sync.Once
	functions map[*lua.FunctionProto]*engine.Function // built on first use
}

// Present returns the def of this program that corresponds to one of an earlier program, or nil. Conditions have no
// name by which to find them.
func (p *Program) Present(d *Def) *Def {
	c := p.Classes.Find(d.Class)
	if c == nil {
		return nil
	}
	var body any
	s, f := c.States[d.State], c.Functions[d.Name]
	if s != nil {
		f = s.Dispatch.Functions[d.Name]
	}
	switch {
	case d.State != "" && s == nil:
	case d.What == DefCode && s != nil:
		body = s.Code
	case d.What == DefFunction && f != nil:
		body = f.Script
	case d.What == DefValidator && f != nil:
		body = f.Validator
	}
	now, _ := body.(*Def)
	if now == nil || now.Class != d.Class || now.State != d.State {
		return nil // inherited: another's
	}
	return now
}

// FunctionOf returns the class function that a compiled body belongs to, nil for helpers.
func (p *Program) FunctionOf(proto *lua.FunctionProto) *engine.Function {
	p.bodies.Do(func() {
		p.functions = make(map[*lua.FunctionProto]*engine.Function, len(p.Defs))
		note := func(f *engine.Function) {
			if d, _ := f.Script.(*Def); d != nil && d.Proto != nil {
				p.functions[d.Proto] = f
			}
		}
		for _, c := range p.Classes.All() {
			for _, f := range c.Functions { // any order: no two functions of a class have one body
				note(f)
			}
			for _, s := range c.SortedStates() {
				for _, f := range s.Dispatch.Functions { // any order: no two functions of a state have one body
					note(f)
				}
			}
		}
	})
	return p.functions[proto]
}

// Sources returns the files that the program was built from, in their given order. They must not be changed.
func (p *Program) Sources() []Source { return p.sources }

// File returns the class file of a path, or nil.
func (p *Program) File(path string) *File { return p.byPath[path] }

// CodeOf returns the file that a function's bytecode belongs to and the def that it is or is nested in; both nil
// for code outside of the program. For bytecode from before a reload it returns the present file, as far as that is
// known.
func (p *Program) CodeOf(proto *lua.FunctionProto) (*File, *Def) {
	f := p.byPath[proto.SourceName]
	if f == nil {
		f = p.libByPath[proto.SourceName]
	}
	if f == nil {
		return nil, nil
	}
	return f, f.Owner(proto)
}

// File is one compiled file. Its defs belong to this program; its protos are shared.
type File struct {
	Path string
	// Hash is the hash of the text.
	Hash uint64
	// Lib is the module's name, empty for class files.
	Lib string
	// Proto is the main chunk; its arguments are the natives of [NativeNames].
	Proto *lua.FunctionProto
	// Defs holds what the chunk passes to (def), in the order of their numbers, which count from 1.
	Defs []*Def
	// Classes holds the names of the classes that the file declares, in order.
	Classes []string
	// Trust is the file's layer.
	Trust Trust

	owners map[*lua.FunctionProto]int
}

// Owner returns the def that a proto is or is nested in, or nil: its name in a stack trace.
func (f *File) Owner(p *lua.FunctionProto) *Def {
	if i, ok := f.owners[p]; ok {
		return f.Defs[i]
	}
	return nil
}

// DefKind is the kind of a def.
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

// Def is one function body of a class file. The engine's data points at it ([engine.Function.Script], Validator,
// [engine.State.Code], [engine.RuleSpec.Script] are *Def), so that a caller finds the body from every class that
// inherits the function.
type Def struct {
	// Class and State say where it is defined; State is "" outside states. Name of a DefCode is "Code", of a
	// DefCondition the first variable of its rule.
	Class, State, Name string
	What               DefKind
	Pos                engine.Pos
	File               *File
	// Index is the number that the chunk passes to (def), from 1.
	Index int
	// Number counts the defs of the program, from 0: an index for a slice of the runtime. Program is that program.
	Number  int
	Program *Program
	// Spec is the function's specification, of DefFunction and DefValidator.
	Spec *engine.FunctionSpec
	// Console describes the command that it is, nil for other functions.
	Console *Console
	// Rule is the rule of a DefCondition.
	Rule *engine.RuleSpec
	// Proto is the body's bytecode.
	Proto *lua.FunctionProto
}

// String returns the name of the def in messages: Class:Name, Class.state.State:Name, Class.console:Name.
func (d *Def) String() string {
	s := d.Class
	if d.Console != nil {
		return s + ".console:" + strings.TrimPrefix(d.Name, ConsoleSpace)
	}
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
