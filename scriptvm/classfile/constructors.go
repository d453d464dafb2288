package classfile

import (
	"math"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/engine/geom"
	"github.com/tidelock/tidelock/scriptvm/api"
)

// constructor is a call that denotes a type in declarations: its reference text, and the function that reads it.
type constructor struct {
	Name, Params, Doc, Example string
	// make reads a call as a type and its default. param allows what only arguments may have.
	make func(m *maker, l *lit, what string, param bool) (*engine.Type, engine.Value)
}

// constructors returns all of them. Those of values have no Doc here: they are natives, too, and may be used in
// defaults.
func constructors() []constructor {
	return []constructor{
		{Name: "vector", make: (*maker).vector},
		{Name: "rotator", make: (*maker).rotatorType},
		{
			Name: "int", Params: "default: integer, opts?: table",
			Doc:     "A 32-bit integer; opts: min, max.",
			Example: "int(0, { min = 0, max = 100 })",
			make:    (*maker).numeric,
		},
		{
			Name: "float", Params: "default: number, opts?: table",
			Doc:     "A 32-bit number; opts: min, max.",
			Example: "float(3.0)",
			make:    (*maker).numeric,
		},
		{
			Name: "str", Params: "default: string, opts?: table",
			Doc:     "A string with a maximum of its own; opts: max, in bytes (at most 1000). A plain string literal means at most 255.",
			Example: `str("", { max = 64 })`,
			make:    (*maker).text,
		},
		{
			Name: "quantized", Params: "default: vector, scale: integer",
			Doc:     "A vector that crosses in tenths (10) or hundredths (100) of a uu.",
			Example: "quantized(vector(0, 0, 0), 100)",
			make:    (*maker).quantized,
		},
		{
			Name: "normal", Params: "x: number, y: number, z: number",
			Doc:     "A unit vector, 16 bits a part on the wire.",
			Example: "normal(0, 0, 1)",
			make:    (*maker).vector,
		},
		{
			Name: "enum", Params: "...: string",
			Doc:     "One of some names; the first is the default.",
			Example: `enum("Idle", "Firing")`,
			make:    (*maker).enum,
		},
		{
			Name: "ref", Params: "class: string, opts?: table",
			Doc:     "A reference to an actor of a class or a child; nil by default. In params, opts.wait = true makes a call wait until the other end has the actor, and later reliable calls on the same actor and its components wait behind it (R6.9).",
			Example: `ref("Pawn")`,
			make:    (*maker).pointer,
		},
		{
			Name: "classref", Params: "class: string",
			Doc:     "A class, the named one or a child; nil by default.",
			Example: `classref("Weapon")`,
			make:    (*maker).pointer,
		},
		{
			Name: "array", Params: "elem: type, n: integer",
			Doc:     "n values of one type, counted from 1.",
			Example: "array(int(0), 8)",
			make:    (*maker).array,
		},
		{
			Name: "struct", Params: "members: table",
			Doc:     "Members that cross whole; a member local_(type) does not cross.",
			Example: "struct { Kind = int(0), Since = float(0) }",
			make:    (*maker).structure,
		},
		{
			Name: "fastarray", Params: "struct: type",
			Doc:     "A keyed array of structs of any length, which crosses as adds, changes and removes.",
			Example: "fastarray(struct { Kind = int(0) })",
			make:    (*maker).fastArray,
		},
		{
			Name: "local_", Params: "member: type",
			Doc:     "A struct member that is not replicated.",
			Example: "local_(float(0))",
			make:    (*maker).local,
		},
		{
			Name: "optional", Params: "argument: type",
			Doc:     "In params of a console command: an argument that may be left out; the function gets its default.",
			Example: "optional(int(1))",
			make:    (*maker).optional,
		},
	}
}

// Definitions returns what only declarations call, for the registry of the runtime.
func Definitions() []*api.Function {
	var list []*api.Function
	for _, c := range constructors() {
		if c.Doc != "" {
			list = append(list, &api.Function{
				Space: api.Define, Name: c.Name, Params: api.Params(c.Params), Returns: api.Params("type"), Doc: c.Doc, Example: c.Example,
			})
		}
	}
	return list
}

// need reports whether a call has n readable arguments; form says what is expected.
func (m *maker) need(l *lit, what string, n int, form string) bool {
	if len(l.args) < n {
		m.errorf(l.pos, "bad-type", "%s: expected %s", what, form)
		return false
	}
	for _, a := range l.args {
		if a.kind == litBad {
			return false
		}
	}
	return true
}

// only reports arguments beyond n.
func (m *maker) only(l *lit, what string, n int) {
	if len(l.args) > n {
		m.errorf(l.args[n].pos, "bad-type", "%s: %s takes %d arguments, got %d", what, l.text, n, len(l.args))
	}
}

// class reads the first argument as a class's name.
func (m *maker) class(l *lit, what, form string) (string, bool) {
	if !m.need(l, what, 1, form) {
		return "", false
	}
	switch c := l.args[0]; c.kind {
	case litString, litClass:
		return c.text, true
	default:
		m.errorf(c.pos, "bad-type", "%s: expected a class's name, got %s", what, c.describe())
	}
	return "", false
}

func (m *maker) numeric(l *lit, what string, _ bool) (*engine.Type, engine.Value) {
	none := engine.Value{}
	t := &engine.Type{Kind: engine.KindFloat}
	if l.text == "int" {
		t.Kind = engine.KindInt
	}
	if !m.need(l, what, 1, l.text+"(default)") {
		return nil, none
	}
	n, ok := m.number(l.args[0], what)
	if !ok {
		return nil, none
	}
	o := m.options(l, 1, what, "min", "max")
	if len(o) > 0 {
		t.Ranged, t.Min, t.Max = true, -math.MaxFloat32, math.MaxFloat32
		if t.Kind == engine.KindInt {
			t.Min, t.Max = math.MinInt32, math.MaxInt32
		}
		bound := func(name string, to *float64) {
			b := o[name]
			if b == nil {
				return
			}
			if v, ok := m.number(b, what); ok {
				if _, err := (&engine.Type{Kind: t.Kind}).CheckNumber(v); err != nil {
					m.errorf(b.pos, "bad-type", "%s: %s: %v", what, name, err)
				}
				*to = v
			}
		}
		bound("min", &t.Min)
		bound("max", &t.Max)
		if t.Min > t.Max {
			m.errorf(l.pos, "bad-type", "%s: min %v is above max %v", what, t.Min, t.Max)
			return nil, none
		}
	}
	v := engine.Float(n)
	v.Kind = t.Kind
	return t, v
}

func (m *maker) text(l *lit, what string, _ bool) (*engine.Type, engine.Value) {
	none := engine.Value{}
	if !m.need(l, what, 1, `str("default", { max = n })`) {
		return nil, none
	}
	d := l.args[0]
	if d.kind != litString {
		m.errorf(d.pos, "bad-type", "%s: expected a string, got %s", what, d.describe())
		return nil, none
	}
	t := &engine.Type{Kind: engine.KindString}
	if b := m.options(l, 1, what, "max")["max"]; b != nil {
		n, ok := m.number(b, what)
		if ok && (n != math.Trunc(n) || n < 1 || n > engine.MaxStringBytes) {
			m.errorf(b.pos, "bad-type", "%s: expected max of 1…%d bytes, got %v", what, engine.MaxStringBytes, n)
			return nil, none
		}
		t.MaxLen = int(n)
	}
	return t, engine.String(d.text)
}

func (m *maker) vector(l *lit, what string, _ bool) (*engine.Type, engine.Value) {
	none := engine.Value{}
	n, ok := m.numbers(l, what)
	if !ok {
		return nil, none
	}
	return &engine.Type{Kind: engine.KindVector, Unit: l.text == "normal"}, engine.Vec(geom.V(n[0], n[1], n[2]))
}

func (m *maker) rotatorType(l *lit, what string, _ bool) (*engine.Type, engine.Value) {
	none := engine.Value{}
	v, ok := m.rotator(l, what)
	if !ok {
		return nil, none
	}
	return &engine.Type{Kind: engine.KindRotator}, v
}

func (m *maker) quantized(l *lit, what string, param bool) (*engine.Type, engine.Value) {
	none := engine.Value{}
	if !m.need(l, what, 2, "quantized(vector(x, y, z), 10 or 100)") {
		return nil, none
	}
	m.only(l, what, 2)
	if d := l.args[0]; d.kind != litCall || d.text != "vector" {
		m.errorf(d.pos, "bad-type", "%s: expected vector(x, y, z), got %s", what, d.describe())
		return nil, none
	}
	t, v := m.vector(l.args[0], what, param)
	q, ok := m.number(l.args[1], what)
	if ok && q != 10 && q != 100 {
		m.errorf(l.args[1].pos, "bad-type", "%s: expected a scale of 10 or 100, got %v", what, q)
		return nil, none
	}
	if t == nil || !ok {
		return nil, none
	}
	t.Quant = int(q)
	return t, v
}

func (m *maker) enum(l *lit, what string, _ bool) (*engine.Type, engine.Value) {
	none := engine.Value{}
	t := &engine.Type{Kind: engine.KindEnum}
	if !m.need(l, what, 1, `enum("A", "B", …)`) {
		return nil, none
	}
	for _, a := range l.args {
		if a.kind != litString {
			m.errorf(a.pos, "bad-type", "%s: expected a name in quotes, got %s", what, a.describe())
			return nil, none
		}
		if contains(t.Enum, a.text) {
			m.errorf(a.pos, "repeated", "%s: %q stands twice in the enum", what, a.text)
		}
		t.Enum = append(t.Enum, a.text)
	}
	if len(t.Enum) > 256 {
		m.errorf(l.pos, "bad-type", "%s: an enum of %d names; at most 256", what, len(t.Enum))
		return nil, none
	}
	return t, engine.Enum(t.Enum[0])
}

func (m *maker) pointer(l *lit, what string, param bool) (*engine.Type, engine.Value) {
	none := engine.Value{}
	name, ok := m.class(l, what, l.text+`("Class")`)
	if !ok {
		return nil, none
	}
	t := &engine.Type{Kind: engine.KindRef, Class: name}
	if l.text == "classref" {
		t.Kind = engine.KindClass
		m.only(l, what, 1)
		return t, none
	}
	if w := m.options(l, 1, what, "wait")["wait"]; w != nil {
		switch {
		case w.kind != litBool:
			m.errorf(w.pos, "bad-type", "%s: expected wait = true or false, got %s", what, w.describe())
		case !param:
			m.errorf(w.pos, "bad-type", "%s: wait is for arguments of replicated functions (.params) only", what)
		default:
			t.Wait = w.num != 0
		}
	}
	return t, none
}

func (m *maker) array(l *lit, what string, param bool) (*engine.Type, engine.Value) {
	none := engine.Value{}
	if !m.need(l, what, 2, "array(type, n); a list of changing length is a fastarray(struct { … })") {
		return nil, none
	}
	m.only(l, what, 2)
	e, d := m.typ(l.args[0], what, param)
	n, ok := m.number(l.args[1], what)
	if e == nil || !ok {
		return nil, none
	}
	if n != math.Trunc(n) || n < 1 || n > maxArray {
		m.errorf(l.args[1].pos, "bad-type", "%s: expected 1…%d elements, got %v", what, maxArray, n)
		return nil, none
	}
	if e.Kind == engine.KindArray || e.Kind == engine.KindFastArray {
		m.errorf(l.args[0].pos, "bad-type", "%s: an array of %ss is not possible; use a struct in between", what, e.Kind)
		return nil, none
	}
	t := &engine.Type{Kind: engine.KindArray, Elem: e, Len: int(n)}
	v := engine.Value{Kind: engine.KindArray, List: make([]engine.Value, t.Len)}
	if d.Kind == engine.KindNone {
		d = e.Zero()
	}
	for i := range v.List {
		v.List[i] = d
	}
	return t, v
}

func (m *maker) fastArray(l *lit, what string, param bool) (*engine.Type, engine.Value) {
	none := engine.Value{}
	if !m.need(l, what, 1, "fastarray(struct { … })") {
		return nil, none
	}
	m.only(l, what, 1)
	if s := l.args[0]; s.kind != litCall || s.text != "struct" {
		m.errorf(s.pos, "bad-type", "%s: expected struct { … }, got %s", what, s.describe())
		return nil, none
	}
	if param {
		m.errorf(l.pos, "bad-type", "%s: a fastarray cannot be an argument; pass a struct or an array", what)
		return nil, none
	}
	e, _ := m.typ(l.args[0], what, param)
	if e == nil {
		return nil, none
	}
	return &engine.Type{Kind: engine.KindFastArray, Elem: e}, none
}

func (m *maker) local(l *lit, what string, _ bool) (*engine.Type, engine.Value) {
	m.errorf(l.pos, "bad-type", "%s: local_ is for members of a struct; a variable that stands in no replication rule never crosses", what)
	return nil, engine.Value{}
}

// optional reports where optional(…) cannot stand; elsewhere it is read with the arguments of a command.
func (m *maker) optional(l *lit, what string, _ bool) (*engine.Type, engine.Value) {
	if m.need(l, what, 1, "optional(type)") {
		m.only(l, what, 1)
		m.errorf(l.pos, "bad-type", "%s: optional is for arguments of commands, in .params of a function C.console:Name(…)", what)
	}
	return nil, engine.Value{}
}
