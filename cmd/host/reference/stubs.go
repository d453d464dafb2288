package reference

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/tidelock/tidelock/scriptvm/api"
)

// StubFolder is the folder of definition files, below the folder that editors open.
const StubFolder = ".tidelock"

// Stubs returns the files that let editors with LuaLS complete and check scripts, by path below the folder that
// is opened: definitions and api.json in [StubFolder], and the server's settings.
func (m *Model) Stubs() map[string][]byte {
	return map[string][]byte{
		StubFolder + "/stubs/host.lua":    m.hostStub(),
		StubFolder + "/stubs/classes.lua": m.classStub(),
		StubFolder + "/api.json":          m.JSON(),
		".luarc.json":                     m.settings(),
	}
}

// absent lists Lua's libraries and functions that do not exist in the sandbox, and are therefore disabled in
// editors.
var absent = []string{"io", "os", "debug", "package", "ffi", "bit", "bit32", "utf8", "jit", "table.new", "table.clear"}

func (m *Model) settings() []byte {
	builtin := map[string]string{}
	for _, a := range absent {
		builtin[a] = "disable"
	}
	b, err := json.MarshalIndent(map[string]any{
		"$schema":                   "https://raw.githubusercontent.com/LuaLS/vscode-lua/master/setting/schema.json",
		"runtime.version":           "Lua 5.1",
		"runtime.builtin":           builtin,
		"runtime.path":              []string{"?.lua"},
		"workspace.library":         []string{StubFolder + "/stubs"},
		"workspace.checkThirdParty": false,
		// A class may be extended by state functions and specifiers; the host checks what the editor cannot.
		"diagnostics.disable": []string{"inject-field", "duplicate-set-field"},
	}, "", "  ")
	if err != nil {
		panic("reference: " + err.Error()) // maps of strings
	}
	return append(b, '\n')
}

type stub struct{ bytes.Buffer }

func (s *stub) line(format string, args ...any) { fmt.Fprintf(s, format+"\n", args...) }

// doc writes a comment.
func (s *stub) doc(text string) {
	if text == "" {
		return
	}
	for l := range strings.SplitSeq(text, "\n") {
		s.line("---%s", l)
	}
}

func (s *stub) field(name, typ, doc string) {
	s.line("%s", strings.TrimRight(fmt.Sprintf("---@field %s %s %s", name, typ, strings.ReplaceAll(doc, "\n", " ")), " "))
}

// params writes the annotations of a function's arguments and results and returns the list of names.
func (s *stub) params(in, out []Param) string {
	names := make([]string, len(in))
	for i, p := range in {
		names[i] = p.Name
		opt := ""
		if p.Optional {
			opt = "?"
		}
		s.line("---@param %s%s %s", p.Name, opt, p.Type)
	}
	for _, r := range out {
		s.line("%s", strings.TrimRight("---@return "+r.Type+" "+r.Name, " "))
	}
	return strings.Join(names, ", ")
}

const stubHead = "---@meta\n-- Written by `host stubs`; changes are overwritten.\n"

func (m *Model) hostStub() []byte {
	s := &stub{}
	s.WriteString(stubHead)
	s.line("\n---@alias class string|Actor|ActorComponent")
	s.line("---@alias type any")
	s.line("---@class movestate")
	s.line("---@class moveinputs")
	s.line("---@class partstate")
	for _, a := range m.Aliases {
		s.line("---@alias %s %s %s", a.Name, a.Of, a.Doc)
	}
	for _, r := range m.Records {
		s.line("")
		s.doc(r.Doc)
		s.line("---@class %s", r.Name)
		for _, f := range r.Fields {
			name := f.Name
			if f.Optional {
				name += "?"
			}
			s.field(name, f.Type, f.Doc)
		}
	}
	for _, v := range []struct{ name, ops string }{
		{"vector", "---@operator add(vector): vector\n---@operator sub(vector): vector\n---@operator mul(number): vector\n---@operator mul(vector): vector\n---@operator div(number): vector\n---@operator unm: vector"},
		{"rotator", "---@operator add(rotator): rotator\n---@operator sub(rotator): rotator\n---@operator mul(number): rotator\n---@operator unm: rotator"},
		{"fastarray", ""},
		{"canvas", ""},
		{"world", ""},
		{"store", ""},
		{"cluster", ""},
		{"Profile", ""},
	} {
		s.line("\n---@class %s", v.name)
		for _, f := range m.Members(v.name) {
			s.field(f.Name, f.Type, f.Doc)
		}
		if v.ops != "" {
			s.line("%s", v.ops)
		}
		holder := v.name
		dot := ":"
		switch api.Namespace(v.name) {
		case api.Profile:
			dot = "."
			fallthrough
		case api.World, api.Store, api.Cluster:
			s.line("%s = {}", holder)
		default:
			holder = v.name + "_"
			s.line("local %s = {}", holder)
		}
		for _, f := range m.Space(v.name) {
			s.native(f, holder+dot+f.Name)
		}
	}
	for _, space := range []api.Namespace{api.Global, api.Latent, api.Define} {
		for _, f := range m.Space(string(space)) {
			if f.Name == "class" {
				continue // classes.lua has one overload for each
			}
			s.native(f, f.Name)
		}
	}
	s.line("")
	for _, c := range m.Constants {
		s.line("%s = %d", c.Name, c.Value)
	}
	return s.Bytes()
}

// native writes a function under a name.
func (s *stub) native(f Function, name string) {
	s.line("")
	s.doc(f.Doc)
	if f.Example != "" {
		s.line("---\n---    %s", f.Example)
	}
	list := s.params(f.Params, f.Returns)
	s.line("function %s(%s) end", name, list)
}

// specifiers are the members of a class through which functions are declared; each has the type of the class
// itself, so that self has its type in `function C.server.reliable:Name()`.
var specifiers = []string{"simulated", "server", "client", "multicast", "remote", "reliable", "unreliable", "validate", "console"}

func (m *Model) classStub() []byte {
	s := &stub{}
	s.WriteString(stubHead)
	for _, c := range m.Classes {
		s.line("")
		s.doc(c.Doc)
		if c.Parent != "" {
			s.line("---@class %s: %s", c.Name, c.Parent)
			s.field("super", c.Parent, "")
		} else {
			s.line("---@class %s", c.Name)
			m.rootFields(s, c.Name)
		}
		for _, sp := range specifiers {
			s.field(sp, c.Name, "")
		}
		s.field("state", fmt.Sprintf("table<string, %s>|fun(name: string, opts?: table)", c.Name), "")
		for _, p := range c.Properties {
			s.field(p.Name, p.Lua, p.Doc)
		}
		for _, name := range slices.Sorted(maps.Keys(c.Components)) {
			s.field(name, c.Components[name], "")
		}
		s.line("local %s = {}", c.Name)
		for _, f := range m.Space(c.Name) {
			s.native(f, c.Name+":"+f.Name)
		}
		defined := map[string]bool{}
		for _, f := range c.Functions {
			if f.Kind == consoleKind {
				continue // no script calls it
			}
			defined[f.Name] = true
			s.native(Function{Params: f.Params, Doc: f.Doc}, c.Name+":"+f.Name)
		}
		if c.Parent == "" {
			for _, e := range m.Events {
				if !defined[e.Name] {
					s.native(Function{Params: e.Params, Doc: e.Doc}, c.Name+":"+e.Name)
				}
			}
		}
	}
	s.line("\n---Declares a class; top level of a class file, literal arguments. Default parent: Actor.")
	for _, c := range m.Classes {
		s.line("---@overload fun(name: %q, parent?: string): %s", c.Name, c.Name)
	}
	s.line("---@param name string\n---@param parent? string\n---@return Actor\nfunction class(name, parent) end")
	return s.Bytes()
}

// rootFields writes what every actor, or every component, has from the engine.
func (m *Model) rootFields(s *stub, root string) {
	for _, p := range m.Properties {
		for _, on := range p.On {
			if on == root {
				s.field(p.Name, p.Lua, p.Doc)
			}
		}
	}
	for _, d := range []struct{ name, doc string }{
		{"properties", "Declares variables: C.properties { Name = type, … }"},
		{"persistent", "On a PlayerState: variables that a player keeps beyond the match: C.persistent { Gold = int(0) }; see docs/data.md."},
		{"defaults", "Other defaults for inherited variables: C.defaults { Name = value, … }"},
		{"replication", "When variables cross: C.replication { rule, … }"},
		{"params", "Argument types of replicated functions: C.params { Name = { type, … } }"},
		{"roles", "The least role of who may give a console command, admin without it: C.roles { BotAdd = \"moderator\" }"},
		{"components", "Static components: C.components { Name = \"Class\" }"},
		{"moves", "What it adds to the moves of a player: C.moves { presses = { \"bDash\" }, flags = { \"bThrust\" }, fields = { \"Throttle\" }, state = { \"Fuel\" } }"},
		{"looks", "How its actors appear: C.looks { shape = \"box\", color = \"#rrggbb\", when = { { \"bHidden\", shape = \"none\" } } }; see docs/see.md."},
		{"hitboxes", "Where shots at the past hit a pawn: C.hitboxes { { name = \"head\", at = vector(…), size = vector(…) }, … }"},
	} {
		s.field(d.name, "fun(t: table)", d.doc)
	}
	s.field("auto_state", "string", "The state an actor starts in.")
}
