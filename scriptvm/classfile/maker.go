package classfile

import (
	"math"
	"strconv"
	"strings"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/engine/geom"
)

// constructors may stand in declarations; the ones of values in defaults too.
var constructors = []string{
	"int", "float", "str", "vector", "rotator", "quantized", "normal", "enum", "ref", "classref", "array",
	"struct", "fastarray", "local_",
}

// maker turns literals into types and values for one load.
type maker struct {
	errorf func(pos engine.Pos, rule, format string, args ...any)
}

func (m *maker) number(l *lit, what string) (float64, bool) {
	switch l.kind {
	case litNumber, litConst:
		return l.num, true
	case litBad:
	default:
		m.errorf(l.pos, "bad-type", "%s: expected a number, got %s", what, l.describe())
	}
	return 0, false
}

// numbers reads up to three numbers; missing ones are 0.
func (m *maker) numbers(l *lit, what string) (n [3]float64, ok bool) {
	ok = true
	if len(l.args) > 3 {
		m.errorf(l.args[3].pos, "bad-type", "%s: %s takes at most 3 numbers, got %d", what, l.text, len(l.args))
		return n, false
	}
	for i, a := range l.args {
		v, good := m.number(a, what)
		n[i], ok = v, ok && good
	}
	return n, ok
}

// options reads the table of options of a type; every key must be known.
func (m *maker) options(l *lit, at int, what string, known ...string) map[string]*lit {
	if len(l.args) > at+1 {
		m.errorf(l.args[at+1].pos, "bad-type", "%s: %s takes at most %d arguments, got %d", what, l.text, at+1, len(l.args))
	}
	if len(l.args) <= at || l.args[at].kind == litBad {
		return nil
	}
	o := l.args[at]
	if o.kind != litTable {
		m.errorf(o.pos, "bad-type", "%s: expected a table of options after the default, got %s", what, o.describe())
		return nil
	}
	out := map[string]*lit{}
	for _, f := range o.fields {
		if !contains(known, f.name) {
			m.errorf(f.pos, "unknown-key", "%s: unknown option %q of %s%s; it takes %s", what, f.name, l.text,
				engine.Nearest(f.name, known), strings.Join(known, ", "))
			continue
		}
		if out[f.name] != nil {
			m.errorf(f.pos, "repeated", "%s: option %s is given twice", what, f.name)
		}
		out[f.name] = f.value
	}
	return out
}

// typ reads a type and its default. param allows what only arguments may have.
func (m *maker) typ(l *lit, what string, param bool) (*engine.Type, engine.Value) {
	none := engine.Value{}
	switch l.kind {
	case litBad:
		return nil, none
	case litBool:
		return &engine.Type{Kind: engine.KindBool}, engine.Bool(l.num != 0)
	case litString:
		return &engine.Type{Kind: engine.KindString}, engine.String(l.text)
	case litNumber, litConst:
		n := strconv.FormatFloat(l.num, 'g', -1, 64)
		if l.kind == litConst {
			n = l.text
		}
		hint := "float(" + n + ")"
		if l.num == math.Trunc(l.num) {
			hint = "int(" + n + ") or " + hint
		}
		m.errorf(l.pos, "bare-number", "%s: a bare number is neither int nor float; write %s", what, hint)
		return nil, none
	case litCall:
		return m.call(l, what, param)
	case litNil:
		m.errorf(l.pos, "bad-type", `%s: nil is no type; an actor reference is ref("Actor")`, what)
	case litClass:
		m.errorf(l.pos, "bad-type", "%s: a class is no type; a reference to an actor of it is ref(%s), the class itself classref(%s)", what, l.text, l.text)
	case litTable:
		m.errorf(l.pos, "bad-type", "%s: a table is no type; write struct { … }, array(type, n), or for a list of changing length fastarray(struct { … })", what)
	}
	return nil, none
}

func (m *maker) call(l *lit, what string, param bool) (*engine.Type, engine.Value) {
	none := engine.Value{}
	need := func(n int, form string) bool {
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
	only := func(n int) {
		if len(l.args) > n {
			m.errorf(l.args[n].pos, "bad-type", "%s: %s takes %d arguments, got %d", what, l.text, n, len(l.args))
		}
	}
	class := func(form string) (string, bool) {
		if !need(1, form) {
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
	switch l.text {
	case "int", "float":
		t := &engine.Type{Kind: engine.KindFloat}
		if l.text == "int" {
			t.Kind = engine.KindInt
		}
		if !need(1, l.text+"(default)") {
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
	case "str":
		if !need(1, `str("default", { max = n })`) {
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
	case "vector", "normal":
		n, ok := m.numbers(l, what)
		if !ok {
			return nil, none
		}
		return &engine.Type{Kind: engine.KindVector, Unit: l.text == "normal"}, engine.Vec(geom.V(n[0], n[1], n[2]))
	case "rotator":
		v, ok := m.rotator(l, what)
		if !ok {
			return nil, none
		}
		return &engine.Type{Kind: engine.KindRotator}, v
	case "quantized":
		if !need(2, "quantized(vector(x, y, z), 10 or 100)") {
			return nil, none
		}
		only(2)
		if d := l.args[0]; d.kind != litCall || d.text != "vector" {
			m.errorf(d.pos, "bad-type", "%s: expected vector(x, y, z), got %s", what, d.describe())
			return nil, none
		}
		t, v := m.call(l.args[0], what, param)
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
	case "enum":
		t := &engine.Type{Kind: engine.KindEnum}
		if !need(1, `enum("A", "B", …)`) {
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
	case "ref", "classref":
		name, ok := class(l.text + `("Class")`)
		if !ok {
			return nil, none
		}
		t := &engine.Type{Kind: engine.KindRef, Class: name}
		if l.text == "classref" {
			t.Kind = engine.KindClass
			only(1)
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
	case "array":
		if !need(2, "array(type, n); a list of changing length is a fastarray(struct { … })") {
			return nil, none
		}
		only(2)
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
	case "struct":
		return m.structure(l, what, param)
	case "fastarray":
		if !need(1, "fastarray(struct { … })") {
			return nil, none
		}
		only(1)
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
	case "local_":
		m.errorf(l.pos, "bad-type", "%s: local_ is for members of a struct; a variable that stands in no replication rule never crosses", what)
	}
	return nil, none
}

// maxArray bounds the elements of a static array. Replicated ones have the narrower bound of R5.12.
const maxArray = 4096

func (m *maker) structure(l *lit, what string, param bool) (*engine.Type, engine.Value) {
	none := engine.Value{}
	if len(l.args) != 1 || l.args[0].kind != litTable {
		if len(l.args) == 0 || l.args[0].kind != litBad {
			m.errorf(l.pos, "bad-type", "%s: expected struct { Name = type, … }", what)
		}
		return nil, none
	}
	t := &engine.Type{Kind: engine.KindStruct}
	v := engine.Value{Kind: engine.KindStruct}
	ok := true
	seen := map[string]bool{}
	for _, f := range l.args[0].fields {
		if f.name == "" {
			m.errorf(f.pos, "bad-type", "%s: expected Name = type, got %s", what, f.value.describe())
			ok = false
			continue
		}
		if seen[f.name] {
			m.errorf(f.pos, "repeated", "%s: member %s is declared twice", what, f.name)
			ok = false
			continue
		}
		seen[f.name] = true
		fl := engine.Field{Name: f.name}
		tl := f.value
		if tl.kind == litCall && tl.text == "local_" {
			fl.Local = true
			if len(tl.args) != 1 {
				m.errorf(tl.pos, "bad-type", "%s.%s: expected local_(type)", what, f.name)
				ok = false
				continue
			}
			tl = tl.args[0]
		}
		ft, fd := m.typ(tl, what+"."+f.name, param)
		if ft == nil {
			ok = false
			continue
		}
		if ft.Kind == engine.KindFastArray {
			m.errorf(tl.pos, "bad-type", "%s.%s: a fastarray cannot stand inside a struct", what, f.name)
			ok = false
			continue
		}
		if !m.boolName(f.name, ft, f.pos, what+"."+f.name) {
			ok = false
		}
		if fd.Kind == engine.KindNone {
			fd = ft.Zero()
		}
		if c, err := ft.Check(nil, fd); err != nil {
			m.errorf(tl.pos, "bad-default", "%s.%s: default: %v", what, f.name, err)
			ok = false
		} else {
			fd = c
		}
		fl.Type, fl.Default = ft, fd
		t.Fields = append(t.Fields, fl)
		v.List = append(v.List, fd)
	}
	if n := members(t); n > engine.MaxStructMembers {
		m.errorf(l.pos, "bad-type", "%s: a struct of %d members, those of structs inside it counted each; at most %d", what, n, engine.MaxStructMembers)
		ok = false
	}
	if !ok {
		return nil, none
	}
	return t, v
}

// members counts the members of a struct; a struct inside it, alone or as the element of an array, counts as its members.
func members(t *engine.Type) (n int) {
	for i := range t.Fields {
		f := t.Fields[i].Type
		for f.Kind == engine.KindArray {
			f = f.Elem
		}
		if f.Kind == engine.KindStruct {
			n += members(f)
		} else {
			n++
		}
	}
	return n
}

// boolName holds names that begin with b and a capital to booleans.
func (m *maker) boolName(name string, t *engine.Type, pos engine.Pos, what string) bool {
	if len(name) < 2 || name[0] != 'b' || name[1] < 'A' || name[1] > 'Z' || t.Kind == engine.KindBool {
		return true
	}
	if t.Kind == engine.KindArray && t.Elem.Kind == engine.KindBool {
		return true
	}
	m.errorf(pos, "boolean-name", "%s: a name that begins with b and a capital is a boolean, got %s; rename it to %s", what, t, name[1:])
	return false
}

func (m *maker) rotator(l *lit, what string) (engine.Value, bool) {
	n, ok := m.numbers(l, what)
	if !ok {
		return engine.Value{}, false
	}
	for i, v := range n {
		if v != math.Trunc(v) || math.Abs(v) > 1<<31 {
			m.errorf(l.args[i].pos, "bad-type", "%s: a rotator's parts are whole units of 65536 a turn, got %v", what, v)
			return engine.Value{}, false
		}
	}
	return engine.Rotation(geom.Rot(int(n[0]), int(n[1]), int(n[2]))), true
}

// value reads a literal as a value of a type; t may be nil where the variable is unknown.
func (m *maker) value(l *lit, t *engine.Type, what string) (engine.Value, bool) {
	switch l.kind {
	case litBad:
		return engine.Value{}, false
	case litNil:
		if t != nil && t.Kind != engine.KindRef && t.Kind != engine.KindClass {
			m.errorf(l.pos, "bad-default", "%s: expected %s, got nil", what, t)
			return engine.Value{}, false
		}
		return engine.Value{}, true
	case litBool:
		return engine.Bool(l.num != 0), true
	case litNumber, litConst:
		return engine.Float(l.num), true
	case litString:
		return engine.String(l.text), true
	case litClass:
		return engine.ClassName(l.text), true
	case litCall:
		switch l.text {
		case "vector", "normal":
			n, ok := m.numbers(l, what)
			return engine.Vec(geom.V(n[0], n[1], n[2])), ok
		case "rotator":
			return m.rotator(l, what)
		}
		m.errorf(l.pos, "bad-default", "%s: expected a value, got %s(…); types stand in .properties, here stands the new default alone", what, l.text)
	case litTable:
		if t == nil {
			return engine.Value{}, true // the unknown name is reported
		}
		return m.tableValue(l, t, what)
	}
	return engine.Value{}, false
}

// tableValue reads a table as a struct or an array of a type.
func (m *maker) tableValue(l *lit, t *engine.Type, what string) (engine.Value, bool) {
	ok := true
	switch t.Kind {
	case engine.KindStruct:
		v := t.Zero()
		v.List = append([]engine.Value(nil), v.List...)
		for _, f := range l.fields {
			i := -1
			names := make([]string, len(t.Fields))
			for j := range t.Fields {
				names[j] = t.Fields[j].Name
				if t.Fields[j].Name == f.name {
					i = j
				}
			}
			if i < 0 {
				m.errorf(f.pos, "bad-default", "%s: no member %q%s; expected %s", what, f.name, engine.Nearest(f.name, names), t)
				ok = false
				continue
			}
			fv, good := m.value(f.value, t.Fields[i].Type, what+"."+f.name)
			v.List[i], ok = fv, ok && good
		}
		return v, ok
	case engine.KindArray:
		list := l.list()
		if len(list) > t.Len || len(list) != len(l.fields) {
			m.errorf(l.pos, "bad-default", "%s: expected a list of at most %d, got %d", what, t.Len, len(list))
			return engine.Value{}, false
		}
		v := t.Zero() // a shorter list leaves the rest at zero
		v.List = append([]engine.Value(nil), v.List...)
		for i, e := range list {
			ev, good := m.value(e, t.Elem, what+"["+strconv.Itoa(i+1)+"]")
			v.List[i], ok = ev, ok && good
		}
		return v, ok
	default:
		m.errorf(l.pos, "bad-default", "%s: expected %s, got a table", what, t)
	}
	return engine.Value{}, false
}

func contains(list []string, s string) bool {
	for _, x := range list {
		if x == s {
			return true
		}
	}
	return false
}
