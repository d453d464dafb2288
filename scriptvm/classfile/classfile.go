package classfile

import (
	"sync"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/engine/moves"
	"github.com/tidelock/tidelock/engine/rewind"
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
	// Place is where the file is in the script set, the same on all peers: core/Pawn.lua, mods/hats/Hat.lua. Empty leaves it to the
	// path: what follows the last folder called scripts.
	Place string
	// Trust is whose file it is; the zero value leaves it to the place: core and lib are core, mods/NAME is the mod NAME, all else
	// is the game's.
	Trust Trust
}

// Options of Load. Only Cache is required: without the others it checks no content and keeps no slots.
type Options struct {
	// Prev are the classes a running world has now: their slots are kept (hot reload).
	Prev *engine.Classes
	// Last is the program that a running world has now, nil for none: files that are the same as its own are not looked up.
	Last *Program
	// Cache knows the natives that files are held to. Any number of loads may share it at once.
	Cache *Cache
	// Content reports whether a content file exists; nil does not check.
	Content func(name string) bool
	// Notifies are the names of all animation notifies of the content, by which names in `on` of looks are judged; nil does
	// not judge them.
	Notifies []string
	// Actions are the names of the actions that content/input.toml declares, by which names of actions in scripts are judged; nil
	// does not judge them.
	Actions []string
	// Check adds the advisory warnings of `host check`, and has calls judged.
	Check bool
	// Calls has calls judged by the types of their arguments, as `host check` does. The trees of all files of the last load
	// that requested it stay in the cache: about thirty times the size of their text.
	Calls bool
}

// Program is a consistent set of class files, ready to run. It never changes, and all worlds of a process that run the same
// files behind the same classes share it: what one of them makes of it, its functions first of all, it keeps by itself, at
// the places that Def.Number and engine.Dispatch.Index give.
type Program struct {
	Classes *engine.Classes
	// Files are the class files, parents' before children's.
	Files []*File
	// Libs are the modules by the name they are required by.
	Libs map[string]*File
	// HitBoxes are those of the classes that declare some (R11.2).
	HitBoxes rewind.Table
	// Moves says what classes add to the moves of players, and how that is packed (R9.9).
	Moves *moves.Table
	// Defs are those of all class files, each at the place of its number.
	Defs []*Def

	units   []*unit // in the order of the sources
	sources []Source
	byPath  map[string]*File // of Files
	// libByPath are Libs by path.
	libByPath map[string]*File

	bodies    sync.Once
	functions map[*lua.FunctionProto]*engine.Function // made when it is requested
}

// Present is the def of this program that stands where one of an earlier program stood, or nil. Conditions have no name to
// be found by.
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

// FunctionOf is the class function that a compiled body belongs to, nil for helpers.
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

// Sources are the files that the program was made of, in the order in which they were given. They must not be changed.
func (p *Program) Sources() []Source { return p.sources }

// File is the class file of a path, or nil.
func (p *Program) File(path string) *File { return p.byPath[path] }

// CodeOf is the file that a function's bytecode belongs to and, of a body of a class or what stands in one, the def; both nil for
// what is no part of the program. Bytecode of before a reload is that of the file as it is now, as far as one can tell.
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
	// Trust is whose file it is.
	Trust Trust

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

// Def is one function body of a class file. The engine's data points at it ([engine.Function.Script], Validator,
// [engine.State.Code], [engine.RuleSpec.Script] are *Def), so that a caller finds the body wherever the function was inherited
// to.
type Def struct {
	// Class and State say where it stands; State is "" outside states. Name of a DefCode is "Code", of a
	// DefCondition the first variable of its rule.
	Class, State, Name string
	What               DefKind
	Pos                engine.Pos
	File               *File
	// Index is the number the chunk hands to (def), from 1.
	Index int
	// Number counts the defs of the program, from 0: a place for a slice of the runtime's own. Program is that program.
	Number  int
	Program *Program
	// Spec is the function's specification, of DefFunction and DefValidator.
	Spec *engine.FunctionSpec
	// Rule is the rule of a DefCondition.
	Rule *engine.RuleSpec
	// Proto is the body's bytecode.
	Proto *lua.FunctionProto
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
