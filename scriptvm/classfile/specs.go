package classfile

import (
	"slices"
	"strings"

	"github.com/tidelock/tidelock/engine"
)

// specs builds the engine's class specifications from the declarations of all units. It runs for every load,
// because types and specs belong to one set of classes.
func (l *loader) specs() []*engine.ClassSpec {
	var out []*engine.ClassSpec
	for _, u := range l.units {
		for _, c := range u.classes {
			if o := l.classes[c.name]; o == nil {
				l.classes[c.name] = &classInfo{decl: c, unit: u}
			}
		}
	}
	for _, u := range l.units {
		for _, c := range u.classes {
			out = append(out, l.spec(u, c))
		}
	}
	l.lateDefaults()
	l.dynamicRules()
	return out
}

// classInfo is a class during a load.
type classInfo struct {
	decl *classDecl
	unit *unit
	spec *engine.ClassSpec
	// late holds defaults given by a table, whose type is known once the parents are.
	late []lateDefault
}

type lateDefault struct {
	index int
	lit   *lit
}

func (l *loader) spec(u *unit, c *classDecl) *engine.ClassSpec {
	s := &engine.ClassSpec{
		Name: c.name, Parent: c.parent, Pos: c.pos, Native: rootOf(c.name), Mod: u.src.trust().Mod,
		AutoState: c.autoState, AutoStatePos: c.autoPos, Moves: c.moves,
	}
	info := &classInfo{decl: c, unit: u}
	if i := l.classes[c.name]; i.decl == c {
		info = i
	}
	info.spec = s
	l.declSpec[c] = s
	m := &maker{errorf: l.errorf, constructors: l.natives.constructors}
	for _, p := range c.properties {
		what := "class " + c.name + ": " + p.name
		t, v := m.typ(p.value, what, false)
		if t == nil {
			continue
		}
		m.boolName(p.name, t, p.pos, what)
		s.Properties = append(s.Properties, engine.PropertySpec{Name: p.name, Type: t, Default: v, Pos: p.pos, Persistent: c.persistent[p.name]})
	}
	for _, d := range c.defaults {
		ds := engine.DefaultSpec{Name: d.name, Pos: d.value.pos}
		if d.value.kind == litTable {
			info.late = append(info.late, lateDefault{len(s.Defaults), d.value})
			s.Defaults = append(s.Defaults, ds)
			continue
		}
		v, ok := m.value(d.value, nil, "class "+c.name+": default of "+d.name)
		if !ok {
			continue
		}
		if l.findProperty(c.name, d.name) == nil && !isNative(d.name) {
			ds.Pos = d.pos // the name is what is wrong
		}
		ds.Value = v
		s.Defaults = append(s.Defaults, ds)
	}
	for _, k := range c.components {
		s.Components = append(s.Components, engine.ComponentSpec{Name: k.name, Class: k.value.text, Pos: k.pos})
	}
	if c.hitBoxes != nil {
		if boxes, ok := m.makeHitBoxes(c); ok {
			l.hitBoxes[c.name] = boxes
		}
	}
	l.functionSpecs(c, s)
	for _, r := range c.rules {
		rs := engine.RuleSpec{Group: r.group, Notify: r.notify, Pos: r.pos}
		for _, n := range r.names {
			rs.Names = append(rs.Names, n.name)
			rs.NamePos = append(rs.NamePos, n.pos)
		}
		if r.named != "" {
			rs.Named = engine.NetCondition(words.constants[r.named])
		}
		s.Rules = append(s.Rules, rs)
	}
	return s
}

// functionSpecs creates the functions and states of a class, each pointing at its def.
func (l *loader) functionSpecs(c *classDecl, s *engine.ClassSpec) {
	for _, st := range c.states {
		s.States = append(s.States, engine.StateSpec{
			Name: st.name, Simulated: st.simulated, Extends: st.extends, Ignores: st.ignores, Pos: st.pos,
		})
	}
	state := func(name string) *engine.StateSpec {
		for i := range s.States {
			if s.States[i].Name == name {
				return &s.States[i]
			}
		}
		return nil
	}
	for _, d := range c.defs {
		if d.what != DefFunction {
			continue
		}
		fs := engine.FunctionSpec{
			Name: d.name, Simulated: d.simulated, Kind: d.kind, Reliable: d.reliable, Stated: d.stated,
			Script: l.def(d), Pos: d.pos, Args: d.params, Vararg: d.vararg,
		}
		if d.state == "" {
			s.Functions = append(s.Functions, fs)
		} else {
			st := state(d.state)
			st.Functions = append(st.Functions, fs)
		}
	}
	find := func(name string) *engine.FunctionSpec {
		for i := range s.Functions {
			if s.Functions[i].Name == name {
				return &s.Functions[i]
			}
		}
		return nil
	}
	names := make([]string, len(s.Functions))
	for i := range s.Functions {
		names[i] = s.Functions[i].Name
	}
	for _, d := range c.defs {
		switch d.what {
		case DefValidator:
			fs := find(d.name)
			if fs == nil && l.variableValidator(s, c, d) {
				continue
			}
			if fs == nil {
				l.errorf(d.pos, "unknown-name", "class %s: a validator for %s, which this file does not define%s; it stands beside its function", c.name, d.name, engine.Nearest(d.name, names))
				continue
			}
			fs.Validated, fs.Validator = true, l.def(d)
			l.def(d).Spec = fs
		case DefCode:
			state(d.state).Code = l.def(d)
		case DefFunction, DefCondition, numDefKinds:
		}
	}
	m := &maker{errorf: l.errorf, constructors: l.natives.constructors}
	for _, p := range c.params {
		fs := find(p.name)
		if fs == nil {
			fs = find(ConsoleSpace + p.name)
		}
		if fs == nil {
			l.errorf(p.pos, "unknown-name", "class %s: .params of %s, which this file does not define%s; they stand beside the function", c.name, p.name, engine.Nearest(p.name, names))
			continue
		}
		d := fs.Script.(*Def)
		decl := l.declOf[d]
		fs.Params = []engine.Param{}
		if len(p.types) > len(decl.params) && !decl.vararg {
			l.errorf(p.types[len(decl.params)].pos, "bad-params", "class %s: .params of %s: %d types for a function of %d arguments (%s)", c.name, p.name,
				len(p.types), len(decl.params), strings.Join(decl.params, ", "))
			continue
		}
		for i, tl := range p.types {
			prm := engine.Param{}
			if i < len(decl.params) {
				prm.Name = decl.params[i]
			}
			if tl.kind == litCall && tl.text == "optional" && len(tl.args) == 1 && decl.console != nil && i < len(decl.params) {
				d.Console.Optional[i] = true
				tl = tl.args[0]
			}
			t, v := m.typ(tl, "class "+c.name+": .params of "+p.name+": "+prm.Name, true)
			if t == nil {
				continue
			}
			t.Layout()
			if v.Kind != engine.KindNone {
				checked, err := t.Check(nil, v)
				if err != nil {
					l.errorf(tl.pos, "bad-default", "class %s: .params of %s: %s: %v", c.name, p.name, prm.Name, err)
					continue
				}
				v = checked
			}
			prm.Type, prm.Default = t, v
			fs.Params = append(fs.Params, prm)
		}
	}
	l.consoles(c, s)
	for i := range s.Functions {
		s.Functions[i].Script.(*Def).Spec = &s.Functions[i]
	}
	for i := range s.States {
		for j := range s.States[i].Functions {
			s.States[i].Functions[j].Script.(*Def).Spec = &s.States[i].Functions[j]
		}
	}
}

// lateDefaults reads defaults given as tables, now that the types of all variables are known.
func (l *loader) lateDefaults() {
	m := &maker{errorf: l.errorf, constructors: l.natives.constructors}
	for _, u := range l.units {
		for _, c := range u.classes {
			info := l.classes[c.name]
			if info.decl != c {
				continue
			}
			for _, late := range info.late {
				d := &info.spec.Defaults[late.index]
				p := l.findProperty(c.name, d.Name)
				if p == nil {
					continue
				}
				v, ok := m.value(late.lit, p.Type, "class "+c.name+": default of "+d.Name)
				if !ok {
					v = p.Default // reported; keep the builder quiet
					if v.Kind == engine.KindNone {
						v = p.Type.Zero()
					}
				}
				d.Value = v
			}
		}
	}
}

// dynamicRules removes names from replication rules that the class only ever assigns on self: such a value is any
// Lua value, perhaps a table of changing length, and cannot be replicated.
func (l *loader) dynamicRules() {
	for _, u := range l.units {
		assigned := map[*classDecl]map[string]bool{}
		for _, f := range u.facts.writes {
			if assigned[f.def.class] == nil {
				assigned[f.def.class] = map[string]bool{}
			}
			assigned[f.def.class][f.name] = true
		}
		for _, c := range u.classes {
			s := l.declSpec[c]
			for i := range s.Rules {
				r := &s.Rules[i]
				for j := 0; j < len(r.Names); j++ {
					n := r.Names[j]
					if !assigned[c][n] || isNative(n) || l.findProperty(c.name, n) != nil {
						continue
					}
					l.errorf(r.NamePos[j], "dynamic-replication", "class %s: %s is a value of the script's own and cannot be replicated; declare it in %s.properties, "+
						"a list of changing length as fastarray(struct { … }) (R5.12)", c.name, n, c.name)
					r.Names = append(r.Names[:j:j], r.Names[j+1:]...)
					r.NamePos = append(r.NamePos[:j:j], r.NamePos[j+1:]...)
					j--
				}
			}
		}
	}
}

// findProperty returns the declaration of a variable by a class or its ancestors, or nil. Only the class builder
// finds native variables.
func (l *loader) findProperty(class, name string) *engine.PropertySpec {
	for n := 0; n < 100; n++ {
		info := l.classes[engine.CanonicalClass(class)]
		if info == nil || info.spec == nil {
			break
		}
		for i := range info.spec.Properties {
			if info.spec.Properties[i].Name == name {
				return &info.spec.Properties[i]
			}
		}
		class = info.spec.Parent
	}
	return nil
}

// isNative reports whether the engine has a variable of that name.
func isNative(name string) bool {
	for _, n := range engine.NativeProperties() {
		if n.Name == name {
			return true
		}
	}
	return false
}

// variableValidator accepts a validator of a variable that the class declares: it checks values that a client sends
// (R5.16).
func (l *loader) variableValidator(s *engine.ClassSpec, c *classDecl, d *defDecl) bool {
	for i := range s.Properties {
		p := &s.Properties[i]
		if p.Name != d.name {
			continue
		}
		named := false
		for _, r := range c.rules {
			named = named || slices.ContainsFunc(r.names, func(n litField) bool { return n.name == p.Name })
		}
		if !named {
			l.errorf(d.pos, "unknown-name", "class %s: a validator for the variable %s, which no rule replicates; one judges what a client sends, by a rule that requires self.Role < ROLE_Authority", c.name, d.name)
		}
		p.Validator = l.def(d)
		l.def(d).Spec = &engine.FunctionSpec{Name: d.name, Validated: true, Validator: l.def(d), Pos: d.pos}
		return true
	}
	return false
}
