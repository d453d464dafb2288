package classfile

import (
	"slices"
	"strings"

	"github.com/yuin/gopher-lua/ast"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/engine/action"
)

// A class file declares the actions that a player has while they play with an actor of the class as
//
//	C.actions {
//		Horn = { keys = { "KeyH" }, buttons = { "ls" }, label = "Horn" },
//		Lights = false, -- not the parent's
//	}
//
// (W4.3). The keys of a declaration are those of content/input.toml except the name; package action checks them.

// actions reads C.actions{…}: the literals. Their meaning is resolved when all classes are known.
func (u *unit) actions(c *classDecl, table *ast.TableExpr) {
	c.actions = u.literal(table, "class "+c.name+": .actions")
}

// classActions creates the actions of every class, parents first.
func (l *loader) classActions() {
	for _, k := range l.built.All() {
		var list []engine.Action
		if k.Parent != nil {
			list = k.Parent.Actions
		}
		info := l.classes[k.Name]
		if info == nil || info.decl.actions == nil {
			k.Actions = list
			continue
		}
		k.Actions = l.actionsOf(k, info.decl.actions, slices.Clone(list))
		if n := len(k.Actions); n > engine.MaxClassActions {
			l.errorf(info.decl.seen["actions"], "bad-action", "class %s: .actions: %d actions, inherited ones included; at most %d", k.Name, n, engine.MaxClassActions)
		}
	}
}

// actionsOf merges a class's block with its parent's actions.
func (l *loader) actionsOf(k *engine.Class, block *lit, list []engine.Action) []engine.Action {
	where := "class " + k.Name + ": .actions"
	seen := map[string]engine.Pos{}
	for i := range block.fields {
		f := &block.fields[i]
		bad := func(pos engine.Pos, format string, args ...any) {
			l.errorf(pos, "bad-action", where+": "+format, args...)
		}
		if f.value.kind == litBad {
			continue
		}
		if f.name == "" {
			bad(f.pos, "expected Name = { … }, got %s", f.value.describe())
			continue
		}
		if at, twice := seen[f.name]; twice {
			l.errorf(f.pos, "repeated", "%s: %s stands twice, first at %s", where, f.name, at)
			continue
		}
		seen[f.name] = f.pos
		at := slices.IndexFunc(list, func(a engine.Action) bool { return a.Name == f.name })
		switch {
		case f.value.kind == litBool && f.value.num == 0 && at >= 0:
			list = slices.Delete(list, at, at+1)
			continue
		case f.value.kind == litBool && f.value.num == 0:
			bad(f.pos, "%s = false takes away an action of the parent, which has none of that name", f.name)
			continue
		case f.value.kind != litTable:
			bad(f.value.pos, "%s: expected a table { keys = { … }, … }, got %s", f.name, f.value.describe())
			continue
		case contains(l.opt.Actions, f.name):
			bad(f.pos, "%s is declared in content/input.toml, too; give it another name", f.name)
			continue
		}
		a, ok := l.action(k, f, where+": "+f.name)
		switch {
		case !ok:
		case at >= 0:
			list[at] = a
		default:
			list = append(list, a)
		}
	}
	return list
}

// action reads one declaration.
func (l *loader) action(k *engine.Class, f *litField, where string) (engine.Action, bool) {
	a := engine.Action{Name: f.name, Class: k.Name}
	places := map[string]engine.Pos{"name": f.pos}
	ok := true
	bad := func(pos engine.Pos, format string, args ...any) {
		ok = false
		l.errorf(pos, "bad-action", where+": "+format, args...)
	}
	for i := range f.value.fields {
		e := &f.value.fields[i]
		v := e.value
		if v.kind == litBad {
			ok = false
			continue
		}
		if _, twice := places[e.name]; twice || e.name == "" {
			bad(e.pos, "expected keys = { … } and the like, each once")
			continue
		}
		places[e.name] = e.pos
		text, list := "", []string(nil)
		switch e.name {
		case "keys", "negative", "buttons":
			var is bool
			if list, is = listedWords(v); !is {
				bad(v.pos, `%s: expected a list of names, { "KeyH" }, got %s`, e.name, v.describe())
				continue
			}
		case "label", "negative_label", "kind", "touch", "terminal", "terminal_negative":
			if v.kind != litString {
				bad(v.pos, "%s: expected a string, got %s", e.name, v.describe())
				continue
			}
			text = v.text
		default:
			names := action.Fields[1:] // the name precedes the table
			ok = false
			l.errorf(e.pos, "unknown-key", "%s: unknown key %q%s; it takes %s", where, clip(e.name), engine.Nearest(e.name, names), strings.Join(names, ", "))
			continue
		}
		switch e.name {
		case "keys":
			a.Keys = list
		case "negative":
			a.Negative = list
		case "buttons":
			a.Buttons = list
		case "label":
			a.Label = text
		case "negative_label":
			a.NegativeLabel = text
		case "touch":
			a.Touch = text
		case "terminal":
			a.Terminal = text
		case "terminal_negative":
			a.TerminalNegative = text
		case "kind":
			kind, err := action.Kind(text)
			if err != nil {
				bad(v.pos, "kind: %v", err)
			}
			a.Kind = kind
		}
	}
	if !ok {
		return a, false
	}
	if field, err := action.Check(&a); err != nil {
		pos, has := places[field]
		if !has {
			pos = f.pos
		}
		bad(pos, "%s: %v", field, err)
	}
	return a, ok
}

// listedWords returns the strings of a list, or of one string alone.
func listedWords(l *lit) ([]string, bool) {
	if l.kind == litString {
		return []string{l.text}, true
	}
	if l.kind != litTable {
		return nil, false
	}
	out := []string{}
	for i := range l.fields {
		e := &l.fields[i]
		if e.name != "" || e.value.kind != litString {
			return nil, false
		}
		out = append(out, e.value.text)
	}
	return out, true
}

// actionNames returns the names of all actions, of content and of the classes.
func (c *checker) actionNames() []string {
	if c.actions == nil {
		c.actions = slices.Clone(c.opt.Actions)
		for _, k := range c.built.All() {
			for i := range k.Actions {
				c.actions = append(c.actions, k.Actions[i].Name)
			}
		}
	}
	return c.actions
}
