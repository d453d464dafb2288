package classfile

import (
	"slices"
	"sort"
	"strings"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/scriptvm/api"
)

// checker checks the facts of all files against the classes.
type checker struct {
	*loader
	assigned map[string]map[string]bool // class → names its own functions assign on self
	parts    map[string]map[string]bool // class → components its own functions add; under "", those added to other actors
	called   map[string]bool            // by any file
	said     map[engine.Pos]bool        // places with an error already
	libs     []string                   // names of modules
	fields   fieldNames                 // for calls
	actions  []string                   // names of all actions; nil until first use
}

func (l *loader) check() {
	c := &checker{loader: l, assigned: map[string]map[string]bool{}, parts: map[string]map[string]bool{}, called: map[string]bool{}, said: map[engine.Pos]bool{}}
	for _, d := range l.diags {
		if d.Severity == engine.SevError {
			c.said[d.Pos] = true
		}
	}
	for _, u := range l.units {
		if u.src.Lib != "" {
			c.libs = append(c.libs, u.src.Lib)
		}
		for n := range u.facts.called { // any order: a union of sets
			c.called[n] = true
		}
		for _, k := range u.classes {
			if c.assigned[k.name] == nil {
				c.assigned[k.name] = map[string]bool{}
			}
			for n := range u.facts.loose { // any order: a union of sets
				c.assigned[k.name][n] = true
			}
		}
		for _, f := range u.facts.writes {
			c.assigned[f.def.class.name][f.name] = true
		}
		for _, f := range u.facts.parts {
			class := ""
			if f.def != nil {
				class = f.def.class.name
			}
			if c.parts[class] == nil {
				c.parts[class] = map[string]bool{}
			}
			c.parts[class][f.name] = true
		}
	}
	for _, u := range l.units {
		c.names(u)
		c.literals(u)
		for _, k := range u.classes {
			c.functions(k)
		}
		if l.opt.Check {
			c.advice(u)
		}
	}
	if l.opt.Check || l.opt.Calls {
		l.opt.Cache.withTrees(l.units, func(trees []*unit) {
			read := l.units
			l.units = trees
			c.calls()
			l.units = read
		})
	}
}

// error reports one error per place.
func (c *checker) error(pos engine.Pos, rule, format string, args ...any) {
	if c.said[pos] {
		return
	}
	c.said[pos] = true
	c.errorf(pos, rule, format, args...)
}

// assigns reports whether the class or a parent assigns a name on self.
func (c *checker) assigns(k *engine.Class, name string) bool {
	for ; k != nil; k = k.Parent {
		if c.assigned[k.Name][name] {
			return true
		}
	}
	return false
}

// hasPart reports whether self.name may be a component: one of the class, or one that its functions add.
func (c *checker) hasPart(k *engine.Class, name string) bool {
	for i := range k.Components {
		if k.Components[i].Name == name {
			return true
		}
	}
	for ; k != nil; k = k.Parent {
		if c.parts[k.Name][name] {
			return true
		}
	}
	return false
}

// memberNames returns all names of a class that self can have, for "did you mean".
func (c *checker) memberNames(k *engine.Class, variables bool) []string {
	var out []string
	if variables {
		out = append(out, k.PropertyNames()...)
		for i := range k.Components {
			out = append(out, k.Components[i].Name)
		}
		for p := k; p != nil; p = p.Parent {
			for n := range c.assigned[p.Name] { // any order: the nearest name is the same whatever the order
				out = append(out, n)
			}
			for n := range c.parts[p.Name] { // any order: the nearest name is the same whatever the order
				out = append(out, n)
			}
		}
	}
	out = append(out, k.FunctionNames()...)
	for _, f := range c.natives.Functions() {
		switch f.Space {
		case api.Actor, api.Component, api.Controller, api.PlayerController:
			if c.natives.methodOf(k, f.Name) == f {
				out = append(out, f.Name)
			}
		default:
		}
	}
	sort.Strings(out)
	return out
}

// names checks what is read, written and called on self.
func (c *checker) names(u *unit) {
	for _, f := range u.facts.reads {
		k := c.built.Find(f.def.class.name)
		if k.Property(f.name) != nil || c.hasPart(k, f.name) || c.parts[""][f.name] || c.assigns(k, f.name) || c.natives.hasFunction(k, f.name) {
			continue
		}
		if words.connection[f.name] {
			if f.def.what != DefCondition {
				c.error(f.pos, "unknown-name", "class %s: %s exists in replication conditions only, where it is asked for one connection; found in %s", k.Name, f.name, label(f.def))
			}
			continue
		}
		c.error(f.pos, "unknown-name", "class %s: unknown name self.%s%s; neither %s nor its parents declare or ever assign it", k.Name, f.name,
			engine.Nearest(f.name, c.memberNames(k, true)), k.Name)
	}
	for _, f := range u.facts.calls {
		k := c.built.Find(f.def.class.name)
		if c.natives.hasFunction(k, f.name) || c.assigns(k, f.name) {
			continue
		}
		if p := k.Property(f.name); p != nil {
			c.error(f.pos, "unknown-name", "class %s: self:%s(…) calls a variable (%s, declared at %s); expected a function", k.Name, f.name, p.Type, p.Pos)
			continue
		}
		c.error(f.pos, "unknown-name", "class %s: unknown function self:%s%s", k.Name, f.name, engine.Nearest(f.name, c.memberNames(k, false)))
	}
	for _, f := range u.facts.supers {
		k := c.built.Find(f.def.class.name)
		if words.events[f.name] || f.def.state != "" && k.StateSuper(f.def.state, f.name) != nil {
			continue
		}
		if k.Parent == nil {
			c.error(f.pos, "unknown-name", "class %s is a root and has no super", k.Name)
			continue
		}
		if k.Parent.Functions[f.name] != nil || c.natives.methodOf(k.Parent, f.name) != nil {
			continue
		}
		c.error(f.pos, "unknown-name", "class %s: super.%s: %s has no such function%s", k.Name, f.name, k.Parent.Name,
			engine.Nearest(f.name, c.memberNames(k.Parent, false)))
	}
	for _, f := range u.facts.writes {
		k := c.built.Find(f.def.class.name)
		p := k.Property(f.name)
		switch {
		case words.connection[f.name] && p == nil:
			c.error(f.pos, "read-only", "class %s: %s belongs to the connection and cannot be assigned", k.Name, f.name)
		case p == nil && (k.Functions[f.name] != nil || c.natives.methodOf(k, f.name) != nil):
			c.error(f.pos, "read-only", "class %s: self.%s is a function of %s and cannot be assigned", k.Name, f.name, k.Name)
		case p == nil && c.hasPart(k, f.name):
			c.error(f.pos, "read-only", "class %s: self.%s is a component and cannot be assigned", k.Name, f.name)
		case p == nil:
		case p.Native != nil && p.Native.ReadOnly():
			c.error(f.pos, "read-only", "class %s: self.%s is set by the engine and cannot be assigned", k.Name, f.name)
		case p.Type.Kind == engine.KindFastArray:
			c.error(f.pos, "read-only", "class %s: self.%s is a fastarray and cannot be assigned; use Add, Set and Remove", k.Name, f.name)
		case f.constant:
			if _, err := p.Type.Check(nil, f.value); err != nil || f.value.Kind == engine.KindNone && p.Type.Kind != engine.KindRef && p.Type.Kind != engine.KindClass {
				if err == nil {
					c.error(f.pos, "type-error", "class %s: self.%s: expected %s, got nil", k.Name, f.name, p.Type)
				} else {
					c.error(f.pos, "type-error", "class %s: self.%s: %v", k.Name, f.name, err)
				}
			}
		}
	}
}

// classNames returns the names of all classes.
func (c *checker) classNames() []string {
	var names []string
	for _, k := range c.built.All() {
		names = append(names, k.Name)
	}
	return names
}

// literals checks quoted names that natives accept.
func (c *checker) literals(u *unit) {
	for _, f := range u.facts.lits {
		var k *engine.Class
		if f.def != nil {
			k = c.built.Find(f.def.class.name)
		}
		switch f.kind {
		case namesClass:
			if c.built.Find(f.text) == nil {
				c.error(f.pos, "unknown-class", "%s: unknown class %q%s", f.by, clip(f.text), engine.Nearest(f.text, c.classNames()))
			}
		case namesModule:
			if !slices.Contains(c.libs, f.text) {
				c.error(f.pos, "unknown-module", "require: no module %q%s; modules are the files of scripts/lib, named lib.<name>, and nothing else can be required", clip(f.text), engine.Nearest(f.text, c.libs))
			}
		case namesState:
			if k == nil || f.text == "" {
				continue
			}
			if !slices.ContainsFunc(c.built.All(), func(d *engine.Class) bool { return d.States[f.text] != nil && d.Descends(k) }) {
				var states []string
				for _, d := range c.built.All() {
					if d.Descends(k) {
						states = append(states, d.StateNames()...)
					}
				}
				c.error(f.pos, "unknown-state", "class %s: %s: unknown state %q%s", k.Name, f.by, clip(f.text), engine.Nearest(f.text, states))
			}
		case namesFunction:
			if k != nil && f.text != "" && !c.natives.hasFunction(k, f.text) {
				c.error(f.pos, "unknown-name", "class %s: %s: unknown function %q%s", k.Name, f.by, clip(f.text), engine.Nearest(f.text, c.memberNames(k, false)))
			}
		case namesVariable:
			if k != nil && k.Property(f.text) == nil {
				c.error(f.pos, "unknown-name", "class %s: %s: unknown variable %q%s", k.Name, f.by, clip(f.text), engine.Nearest(f.text, k.PropertyNames()))
			}
		case namesContent:
			if c.opt.Content != nil && !c.opt.Content(f.text) {
				c.warnf(f.pos, "unknown-content", "%s: no content file %q", f.by, clip(f.text))
			}
		case namesAction:
			if c.opt.Actions != nil && !contains(c.actionNames(), f.text) {
				c.error(f.pos, "unknown-action", "%s: unknown action %q%s; declare it in content/input.toml or in a class's .actions", f.by, clip(f.text), engine.Nearest(f.text, c.actionNames()))
			}
		}
	}
}

// handlers are prefixes of functions that are called for a variable.
var handlers = []string{"OnRep_", "OnAdd_", "OnChange_", "OnRemove_"}

// functions checks the functions that a class defines.
func (c *checker) functions(decl *classDecl) {
	k := c.built.Find(decl.name)
	c.consoleCommands(decl)
	for _, d := range decl.defs {
		if d.what != DefFunction || d.console != nil {
			continue
		}
		c.moveFunctions(k, d)
		handled := false
		for _, h := range handlers {
			name, ok := strings.CutPrefix(d.name, h)
			if !ok {
				continue
			}
			handled = true
			p := k.Property(name)
			switch {
			case p == nil:
				c.error(d.pos, "misspelt-event", "class %s: %s is called when the variable %s is received, and there is no such variable%s", k.Name, d.name, name, engine.Nearest(name, k.PropertyNames()))
			case h != "OnRep_" && p.Type.Kind != engine.KindFastArray:
				c.error(d.pos, "misspelt-event", "class %s: %s is called for a fastarray, and %s is %s; expected OnRep_%s", k.Name, d.name, name, p.Type, name)
			case h == "OnRep_" && p.Rule == nil && p.Native == nil:
				c.warnf(d.pos, "never-called", "class %s: %s is never called: %s stands in no replication rule", k.Name, d.name, name)
			}
		}
		if handled || words.events[d.name] || c.called[d.name] || d.stated {
			continue
		}
		if c.natives.methodOf(k, d.name) != nil {
			continue // an override of a native
		}
		if k.Parent != nil && k.Parent.Functions[d.name] != nil {
			continue
		}
		if near := d.near(); near != "" {
			c.error(d.pos, "misspelt-event", `class %s: nothing calls %s, and the engine has no such event; did you mean "%s"?`, k.Name, d.name, near)
		}
	}
	for _, s := range decl.states {
		if !s.declared && !c.inheritsState(k, s.name) {
			c.error(s.pos, "unknown-state", `class %s: unknown state %s%s; declare it: %s.state("%s")`, k.Name, s.name, engine.Nearest(s.name, k.StateNames()), k.Name, s.name)
		}
		for _, d := range decl.defs {
			// The engine never calls a state's function that does not exist outside the state.
			if d.state != s.name || d.what != DefFunction || d.name != "BeginState" && d.name != "EndState" {
				continue
			}
			if len(d.params) > 1 {
				c.error(d.pos, "bad-function", "class %s: %s takes the name of the other state alone, got %d arguments", k.Name, label(d), len(d.params))
			}
		}
	}
}

func (c *checker) inheritsState(k *engine.Class, name string) bool {
	for p := k.Parent; p != nil; p = p.Parent {
		for i := range p.Spec.States {
			if p.Spec.States[i].Name == name {
				return true
			}
		}
	}
	return false
}

// nearEvent returns the event that a name was most likely meant to be, "" if none is near enough. A short name must
// have the same letters, because a function of the game may have a similar name.
func nearEvent(name string) string {
	names := make([]string, 0, len(words.events))
	for n := range words.events { // any order: the nearest name is the same whatever the order
		names = append(names, n)
	}
	near := engine.NearestName(name, names)
	if len(near) < 6 && len(name) == len(near) && !sameLetters(name, near) {
		return ""
	}
	return near
}

// sameLetters reports whether two names have the same letters in any order and case.
func sameLetters(a, b string) bool {
	x, y := []byte(strings.ToLower(a)), []byte(strings.ToLower(b))
	slices.Sort(x)
	slices.Sort(y)
	return string(x) == string(y)
}

// advice gives the warnings of `host check`.
func (c *checker) advice(u *unit) {
	for _, decl := range u.classes {
		k := c.built.Find(decl.name)
		for _, d := range decl.defs {
			if d.what != DefFunction || d.state != "" || !d.stated {
				continue
			}
			f := k.Functions[d.name]
			if f == nil || f.Kind != engine.CallServer && f.Kind != engine.CallRemote {
				continue
			}
			if f.Undeclared() {
				c.warnf(d.pos, "no-params", "class %s: %s comes from clients and its arguments are not declared; write %s.params { %s = { … } }", k.Name, d.name, k.Name, d.name)
			}
			if f.Validator == nil && len(d.params) > 0 {
				c.warnf(d.pos, "no-validate", "class %s: %s comes from clients and nothing judges it; write function %s.validate:%s(%s)", k.Name, d.name, k.Name, d.name, strings.Join(d.params, ", "))
			}
		}
	}
	for _, f := range u.facts.writes {
		if !f.constant || !f.plain || f.def.what != DefFunction || f.def.state != "" {
			continue
		}
		switch f.def.name {
		case "PreBeginPlay", "BeginPlay", "PostBeginPlay":
		default:
			continue
		}
		k := c.built.Find(f.def.class.name)
		if p := k.Property(f.name); p != nil && (p.Native == nil || !p.Native.ReadOnly()) {
			c.warnf(f.pos, "begin-constant", "class %s: %s assigns a constant to %s; as a default it costs nothing and is not sent: %s.defaults { %s = … }", k.Name, f.def.name, f.name, k.Name, f.name)
		}
	}
	c.dirtyEveryTick(u)
}

// dirtyEveryTick warns about bNetDirty in conditions of variables that are written every tick: it saves nothing.
func (c *checker) dirtyEveryTick(u *unit) {
	for _, f := range u.facts.reads {
		if f.def.what != DefCondition || f.name != "bNetDirty" {
			continue
		}
		k := c.built.Find(f.def.class.name)
		for _, n := range f.def.rule.names {
			if by := c.tickWriter(k, n.name); by != "" {
				c.warnf(f.pos, "dirty-every-tick", "class %s: bNetDirty is always true for %s, which %s writes every tick", k.Name, n.name, by)
				break
			}
		}
	}
}

// tickWriter returns a Tick of the class, a parent or a child that assigns a variable, as messages name it.
func (c *checker) tickWriter(k *engine.Class, name string) string {
	for _, u := range c.units {
		for _, f := range u.facts.writes {
			if f.name != name || f.def.what != DefFunction || f.def.name != "Tick" && f.def.name != "PlayerTick" {
				continue
			}
			if w := c.built.Find(f.def.class.name); w.Descends(k) || k.Descends(w) {
				return w.Name + ":" + f.def.name
			}
		}
	}
	return ""
}
