package classfile

import (
	"math"
	"strconv"
	"strings"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/engine/geom"
)

// maker converts literals to types and values for one load.
type maker struct {
	constructors map[string]*constructor // by name
	errorf       func(pos engine.Pos, rule, format string, args ...any)
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
		return m.constructors[l.text].make(m, l, what, param)
	case litNil:
		m.errorf(l.pos, "bad-type", `%s: nil is no type; an actor reference is ref("Actor")`, what)
	case litClass:
		m.errorf(l.pos, "bad-type", "%s: a class is no type; a reference to an actor of it is ref(%s), the class itself classref(%s)", what, l.text, l.text)
	case litTable:
		m.errorf(l.pos, "bad-type", "%s: a table is no type; write struct { … }, array(type, n), or for a list of changing length fastarray(struct { … })", what)
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

// boolName requires names that begin with b and a capital to be booleans.
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

// value reads a literal as a value of a type; t may be nil if the variable is unknown.
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
		v := t.Zero() // a shorter list leaves the others at zero
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
