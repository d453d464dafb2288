package reference

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/scriptvm"
	"github.com/tidelock/tidelock/scriptvm/api"
	"github.com/tidelock/tidelock/scriptvm/classfile"
	"github.com/tidelock/tidelock/scriptvm/syntax"
)

// Version counts incompatible changes of api.json: something renamed or removed, not added.
const Version = 1

// Model is everything that scripts can use. Its JSON is api.json.
type Model struct {
	Version   int        `json:"version"`
	Constants []Constant `json:"constants"`
	Functions []Function `json:"functions"`
	Variables []Variable `json:"variables"`
	Events    []Event    `json:"events"`
	// Aliases are types with names of their own, Records tables with members of fixed names.
	Aliases []Alias  `json:"aliases"`
	Records []Record `json:"records"`
	// Properties are the engine's own variables.
	Properties []Property `json:"properties"`
	// Classes are those of the Lua files, parents before children.
	Classes []Class `json:"classes"`
}

// Constant is a global number.
type Constant struct {
	Name  string `json:"name"`
	Value int    `json:"value"`
}

// Param is an argument or a result; Type as LuaLS writes it.
type Param struct {
	Name     string `json:"name,omitempty"`
	Type     string `json:"type"`
	Optional bool   `json:"optional,omitempty"`
}

// Function is a native.
type Function struct {
	Space   string  `json:"space"`
	Name    string  `json:"name"`
	Params  []Param `json:"params"`
	Returns []Param `json:"returns"`
	Pure    bool    `json:"pure,omitempty"`
	Latent  bool    `json:"latent,omitempty"`
	Doc     string  `json:"doc"`
	Example string  `json:"example,omitempty"`
}

// Variable is a global value or a member of one.
type Variable struct {
	Space string `json:"space"`
	Name  string `json:"name"`
	Type  string `json:"type"`
	Doc   string `json:"doc"`
}

// Alias is a type with a name of its own.
type Alias struct {
	Name string `json:"name"`
	Of   string `json:"of"`
	Doc  string `json:"doc"`
	// Prefix is the common prefix of the type's constants.
	Prefix string `json:"prefix,omitempty"`
}

// Record is a table with members of fixed names.
type Record struct {
	Name   string  `json:"name"`
	Doc    string  `json:"doc"`
	Fields []Field `json:"fields"`
}

// Field is a member of a record.
type Field struct {
	Name     string `json:"name"`
	Type     string `json:"type"`
	Optional bool   `json:"optional,omitempty"`
	Doc      string `json:"doc"`
}

// Event is a function that the engine calls if a class defines it.
type Event struct {
	Name   string  `json:"name"`
	Params []Param `json:"params"`
	Doc    string  `json:"doc"`
}

// Property is a typed variable: of the engine, or declared by a class.
type Property struct {
	Name string `json:"name"`
	// Type is written as a modder would, Lua as LuaLS does.
	Type     string `json:"type"`
	Lua      string `json:"lua"`
	Default  string `json:"default,omitempty"`
	ReadOnly bool   `json:"readOnly,omitempty"`
	// Replicated says when the variable is sent, "" for never. Notify is "changed" or "always".
	Replicated string `json:"replicated,omitempty"`
	Notify     string `json:"notify,omitempty"`
	Doc        string `json:"doc,omitempty"`
	Line       int    `json:"line,omitempty"`
	// On are the root classes that have an engine variable.
	On []string `json:"on,omitempty"`
}

// Method is a function that a class file defines.
type Method struct {
	Name      string  `json:"name"`
	Params    []Param `json:"params"`
	Simulated bool    `json:"simulated,omitempty"`
	// Kind is where a replicated function runs: server, client, multicast, remote; console for a command; "" for other
	// local ones.
	Kind     string `json:"kind,omitempty"`
	Reliable bool   `json:"reliable,omitempty"`
	Doc      string `json:"doc,omitempty"`
	Line     int    `json:"line,omitempty"`
}

// Class is a class of a Lua file: what the file itself declares.
type Class struct {
	Name       string     `json:"name"`
	Parent     string     `json:"parent,omitempty"`
	File       string     `json:"file"`
	Line       int        `json:"line"`
	Doc        string     `json:"doc,omitempty"`
	Properties []Property `json:"properties,omitempty"`
	// Defaults are inherited variables with another default.
	Defaults   []Property        `json:"defaults,omitempty"`
	Functions  []Method          `json:"functions,omitempty"`
	States     []string          `json:"states,omitempty"`
	Components map[string]string `json:"components,omitempty"`
}

// Text returns the source of a file by the path in messages; "" if it is not available.
type Text func(file string) string

// Build makes the model of a set of classes. classes may be nil: then it has only the host's own part.
func Build(classes *engine.Classes, text Text) *Model {
	m := &Model{Version: Version, Constants: constants()}
	for _, f := range scriptvm.Natives().Functions() {
		m.Functions = append(m.Functions, Function{
			Space: string(f.Space), Name: f.Name, Params: params(f.Params), Returns: params(f.Returns),
			Pure: f.Pure, Latent: f.Latent(), Doc: f.Doc, Example: f.Example,
		})
	}
	for _, v := range api.Variables() {
		m.Variables = append(m.Variables, Variable{string(v.Space), v.Name, v.Type, v.Doc})
	}
	for _, e := range api.Events() {
		m.Events = append(m.Events, Event{e.Name, params(e.Params), e.Doc})
	}
	for _, a := range api.Aliases() {
		m.Aliases = append(m.Aliases, Alias{a.Name, a.Of, a.Doc, a.Prefix})
	}
	for _, r := range api.Records() {
		record := Record{Name: r.Name, Doc: r.Doc}
		for _, f := range r.Fields {
			record.Fields = append(record.Fields, Field{f.Name, f.Type, f.Optional, f.Doc})
		}
		m.Records = append(m.Records, record)
	}
	for _, n := range engine.NativeProperties() {
		m.Properties = append(m.Properties, Property{Name: n.Name, Type: n.Type.String(), Lua: n.Type.Stub(), ReadOnly: n.ReadOnly(), Doc: n.Doc, On: rootsOf(classes, n)})
	}
	if classes == nil {
		return m
	}
	b := builder{classes: classes, text: text, chunks: map[string]*syntax.Chunk{}}
	for _, c := range classes.All() {
		m.Classes = append(m.Classes, b.class(c))
	}
	return m
}

func rootsOf(classes *engine.Classes, n *engine.NativeProperty) []string {
	if classes == nil {
		return nil
	}
	var out []string
	for _, root := range []string{string(api.Actor), string(api.Component)} {
		if c := classes.Find(root); c != nil {
			if p := c.Property(n.Name); p != nil && p.Native == n {
				out = append(out, root)
			}
		}
	}
	return out
}

func params(list []api.Param) []Param {
	out := make([]Param, len(list))
	for i, p := range list {
		out[i] = Param{p.Name, p.Type, p.Optional}
	}
	return out
}

func constants() []Constant {
	var out []Constant
	for _, names := range [][]string{
		engine.NetModeNames(), engine.RoleNames(), engine.PhysicsNames(), engine.DormancyNames(), engine.NetConditionNames(),
	} {
		for i, n := range names {
			out = append(out, Constant{n, i})
		}
	}
	return out
}

// builder extracts from the texts what engine classes do not keep: comments and names of arguments.
type builder struct {
	classes *engine.Classes
	text    Text
	chunks  map[string]*syntax.Chunk
}

func (b *builder) chunk(file string) *syntax.Chunk {
	if c, ok := b.chunks[file]; ok {
		return c
	}
	var c *syntax.Chunk
	if b.text != nil {
		c, _ = syntax.Parse(file, b.text(file)) // already loaded once; on an error without comments
	}
	b.chunks[file] = c
	return c
}

func (b *builder) doc(pos engine.Pos) string {
	if c := b.chunk(pos.File); c != nil && pos.Line > 0 {
		return clean(c.Doc(pos.Line))
	}
	return ""
}

// clean removes the annotations of a language server from a comment.
func clean(doc string) string {
	var out []string
	for line := range strings.SplitSeq(doc, "\n") {
		if !strings.HasPrefix(strings.TrimSpace(line), "@") {
			out = append(out, strings.TrimRight(line, " \t"))
		}
	}
	return strings.TrimSpace(strings.Join(out, "\n"))
}

func (b *builder) class(c *engine.Class) Class {
	out := Class{Name: c.Name, File: c.Spec.Pos.File, Line: c.Spec.Pos.Line}
	if c.Parent != nil {
		out.Parent = c.Parent.Name
	}
	if ch := b.chunk(out.File); ch != nil {
		out.Doc = clean(ch.Leading())
		if above := clean(ch.Above(out.Line)); above != "" {
			out.Doc = above
		}
	}
	for _, p := range c.Properties {
		if p.Class != c || p.Native != nil {
			continue
		}
		out.Properties = append(out.Properties, b.property(c, p))
	}
	for _, d := range c.Spec.Defaults {
		if p := c.Property(d.Name); p != nil {
			out.Defaults = append(out.Defaults, b.variable(c, p, d.Pos))
		}
	}
	for i := range c.Spec.Functions {
		f := &c.Spec.Functions[i]
		m := Method{Name: f.Name, Params: b.params(f), Doc: b.doc(f.Pos), Line: f.Pos.Line}
		if r := c.Functions[f.Name]; r != nil {
			m.Simulated, m.Reliable = r.Simulated, r.Reliable
			if r.Kind != engine.CallLocal {
				m.Kind = r.Kind.String()
			}
		}
		if name, ok := strings.CutPrefix(f.Name, classfile.ConsoleSpace); ok {
			m.Name, m.Kind = name, consoleKind
			optional(m.Params, f)
		}
		out.Functions = append(out.Functions, m)
	}
	for i := range c.Spec.States {
		out.States = append(out.States, c.Spec.States[i].Name)
	}
	for _, k := range c.Spec.Components {
		if out.Components == nil {
			out.Components = map[string]string{}
		}
		out.Components[k.Name] = k.Class
	}
	return out
}

// consoleKind is the kind of a command.
const consoleKind = "console"

// optional marks the arguments of a command that may be left out.
func optional(params []Param, f *engine.FunctionSpec) {
	d, _ := f.Script.(*classfile.Def)
	if d == nil {
		return
	}
	for i := range params {
		params[i].Optional = i < len(d.Console.Optional) && d.Console.Optional[i] || i == 0 && d.Console.Caller
	}
}

// variable returns a variable with its default in a class, and its comment at a position of the file.
func (b *builder) variable(c *engine.Class, p *engine.Property, at engine.Pos) Property {
	return Property{Name: p.Name, Type: p.Type.String(), Lua: p.Type.Stub(), Default: c.Default(p).Literal(), Doc: b.doc(at), Line: at.Line}
}

func (b *builder) property(c *engine.Class, p *engine.Property) Property {
	out := b.variable(c, p, p.Pos)
	if p.Rule == nil {
		return out
	}
	switch {
	case p.Rule.Named != 0:
		out.Replicated = conditionName(p.Rule.Named)
		if p.Rule.Group != "" {
			out.Replicated += " " + p.Rule.Group
		}
	case p.Rule.Cond != nil || p.Rule.Script != nil:
		out.Replicated = "a condition"
	default:
		out.Replicated = "whenever it changed"
	}
	switch p.Rule.Notify {
	case engine.NotifyNone:
	case engine.NotifyChanged:
		out.Notify = "changed"
	case engine.NotifyAlways:
		out.Notify = "always"
	}
	return out
}

func conditionName(c engine.NetCondition) string {
	if names := engine.NetConditionNames(); int(c) < len(names) {
		return names[c]
	}
	return fmt.Sprint(c)
}

var signature = regexp.MustCompile(`function\s+[\w.]+\s*[:.]\s*\w+\s*\(([^)]*)\)`)

// params returns the names in the function's text with the declared types of a replicated function.
func (b *builder) params(f *engine.FunctionSpec) []Param {
	var out []Param
	if b.text != nil {
		lines := strings.Split(b.text(f.Pos.File), "\n")
		if n := f.Pos.Line; n > 0 && n <= len(lines) {
			if m := signature.FindStringSubmatch(strings.Join(lines[n-1:min(n+4, len(lines))], " ")); m != nil {
				for name := range strings.SplitSeq(m[1], ",") {
					if name = strings.TrimSpace(name); name != "" {
						out = append(out, Param{Name: name, Type: "any"})
					}
				}
			}
		}
	}
	for i, p := range f.Params {
		if i >= len(out) {
			name := p.Name
			if name == "" {
				name = "arg" + strconv.Itoa(i+1)
			}
			out = append(out, Param{Name: name})
		}
		out[i].Type = p.Type.Stub()
	}
	if len(f.Params) == 0 {
		for _, e := range api.Events() {
			if e.Name == f.Name {
				for i, p := range e.Params {
					if i < len(out) {
						out[i].Type, out[i].Optional = p.Type, p.Optional
					}
				}
			}
		}
	}
	if out == nil {
		out = []Param{}
	}
	return out
}

// JSON returns api.json.
func (m *Model) JSON() []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(m); err != nil {
		panic("reference: " + err.Error()) // plain structs of strings and numbers
	}
	return b.Bytes()
}

// Space lists the natives of a namespace in the order of the registry.
func (m *Model) Space(name string) []Function {
	var out []Function
	for _, f := range m.Functions {
		if f.Space == name {
			out = append(out, f)
		}
	}
	return out
}

// Members lists the variables of a namespace.
func (m *Model) Members(name string) []Variable {
	var out []Variable
	for _, v := range m.Variables {
		if v.Space == name {
			out = append(out, v)
		}
	}
	return out
}
