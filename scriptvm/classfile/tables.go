package classfile

import (
	"fmt"
	"strings"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/scriptvm/api"
	"github.com/yuin/gopher-lua/ast"
)

// entry is a member of a table constructor: its name, "" for a positional one, and its position.
type entry struct {
	name       string
	key, value ast.Expr
}

// maxMembers bounds the assignments to members of one local that are considered for each use of it: no table of
// options has as many, and more would take time proportional to their product. A table with more is not checked.
const maxMembers = 64

// table returns the members that an argument has when it is used: of a table constructor there, or of one that a
// local is set to once, with earlier assignments to its members. It returns false if that is not certain.
func (f *flow) table(arg ast.Expr) (list []entry, ok bool) {
	t, ok := arg.(*ast.TableExpr)
	if ok {
		return entries(t), true
	}
	s := f.symbol(arg)
	if s == nil || s.Assigned || len(f.members[s]) > maxMembers {
		return nil, false
	}
	if t, ok = s.Init.(*ast.TableExpr); !ok {
		return nil, false
	}
	list = entries(t)
	at := f.start(arg)
	for _, m := range f.members[s] {
		if m.name == "" || m.value == nil || f.of(m.value).kinds&isNil != 0 {
			return nil, false // a member may be removed again
		}
		if p := f.start(m.key); !s.Captured && (p.Line < at.Line || p.Line == at.Line && p.Column < at.Column) {
			list = append(list, m)
		}
	}
	return list, true
}

// entries returns the members of a table constructor, except those with a computed key.
func entries(t *ast.TableExpr) []entry {
	var out []entry
	for _, field := range t.Fields {
		if field.Key == nil {
			out = append(out, entry{"", field.Value, field.Value})
		} else if s, ok := field.Key.(*ast.StringExpr); ok {
			out = append(out, entry{s.Value, field.Key, field.Value})
		}
	}
	return out
}

// spawnTable checks the members of a table for Spawn.
func (f *flow) spawnTable(list []entry, native string, of known) {
	for _, m := range list {
		if m.name == "" {
			f.report(m.key, "unknown-key", "%s: expected variables of %s by name", native, of.class.Name)
			continue
		}
		f.spawnMember(m, native, of)
	}
}

func (f *flow) spawnMember(m entry, native string, of known) {
	k := f.of(m.value)
	var want known
	switch m.name {
	case "Name":
		want = known{kinds: isString}
	case "Owner", "Instigator":
		want = known{kinds: isActor | isNil}
	}
	if want.kinds != 0 {
		if why := k.fits(want); why != "" {
			f.report(m.value, "argument-type", "%s: %s.%s: %s", native, of.class.Name, m.name, why)
		}
		return
	}
	var p *engine.Property
	f.c.candidates(of, func(d *engine.Class) bool { p = d.Property(m.name); return p != nil })
	if p == nil {
		f.c.error(f.at(m.key), "unknown-name", "%s%s: %s has no variable %s%s", f.where(), native, of.class.Name, m.name, engine.Nearest(m.name, of.class.PropertyNames()))
		return
	}
	if of.class.Property(m.name) == nil {
		return // a child's variable, of any type
	}
	f.value(m.value, fmt.Sprintf("%s: %s.%s", native, of.class.Name, m.name), "argument-type", k, p.Type)
}

// value checks a value for a variable of a type.
func (f *flow) value(e ast.Expr, label, rule string, k known, t *engine.Type) {
	if why := f.c.fitsType(k, t); why != "" {
		f.report(e, rule, "%s: %s", label, why)
		return
	}
	if t.Kind == engine.KindStruct {
		if list, ok := f.table(e); ok {
			f.structTable(list, label, t)
		}
	}
	if table, ok := e.(*ast.TableExpr); ok && t.Kind == engine.KindArray {
		f.arrayTable(table, label, t)
	}
}

func (f *flow) structTable(list []entry, label string, of *engine.Type) {
	for _, e := range list {
		m := of.FieldNamed(e.name)
		if m == nil {
			names := make([]string, len(of.Fields))
			for i := range of.Fields {
				names[i] = of.Fields[i].Name
			}
			f.report(e.key, "unknown-key", "%s: unknown member %s%s", label, e.name, engine.Nearest(e.name, names))
			continue
		}
		f.value(e.value, label+": "+e.name, "argument-type", f.of(e.value), m.Type)
	}
}

// arrayTable checks a list constructor for an array.
func (f *flow) arrayTable(t *ast.TableExpr, label string, of *engine.Type) {
	n := 0
	for _, field := range t.Fields {
		if field.Key != nil || givesSeveral(field.Value) {
			return
		}
		n++
		if n > of.Len {
			f.report(field.Value, "type-error", "%s: expected at most %d elements, got %d", label, of.Len, len(t.Fields))
			return
		}
		f.value(field.Value, fmt.Sprintf("%s[%d]", label, n), "type-error", f.of(field.Value), of.Elem)
	}
}

// record checks the members of a table with fixed members.
func (f *flow) record(list []entry, label string, r *api.Record) {
	names := r.Names()
	for _, e := range list {
		m := r.Field(e.name)
		if m == nil {
			f.report(e.key, "unknown-key", "%s: unknown member %s%s; it has %s", label, e.name, engine.Nearest(e.name, names), strings.Join(names, ", "))
			continue
		}
		want := f.c.ofName(m.Type)
		if want.kinds&isTable != 0 && want.elem != nil || want.kinds == isBool {
			want.kinds |= isActor | isTable | isNil
		}
		if why := f.of(e.value).fits(want); why != "" && !m.Optional || why != "" && f.of(e.value).kinds != isNil {
			f.report(e.value, "argument-type", "%s: %s: %s", label, e.name, why)
		}
	}
}
