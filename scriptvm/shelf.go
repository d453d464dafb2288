package scriptvm

import (
	"slices"

	"github.com/tidelock/tidelock/engine"
)

// shelf keeps the values of variables that reloads removed or reset from living actors: a reload that brings an earlier set
// of scripts back (Prepared.Back) gives them their values again. A saved file that declares a variable of an old name again
// does not: there it is a new one.
type shelf map[*engine.Actor]map[string]engine.Value

// put keeps a value; a later one of the same name replaces it.
func (s shelf) put(a *engine.Actor, list []engine.Assignment) {
	for _, as := range list {
		if as.Value.Kind == engine.KindFastArray {
			continue // its items are not in the value
		}
		if s[a] == nil {
			s[a] = map[string]engine.Value{}
		}
		s[a][as.Name] = as.Value
	}
}

// sweep forgets destroyed actors.
func (s shelf) sweep() {
	for a := range s { // any order: each on its own
		if a.Deleted() {
			delete(s, a)
		}
	}
}

// shelve keeps what a reload took from actors, and gives back what it brings back.
func (p *Prepared) shelve(migrations []engine.Migration) {
	v := p.vm
	v.shelf.sweep()
	if p.back {
		for i := range migrations {
			v.unshelve(&migrations[i])
		}
	}
	if v.world.NetMode == engine.NMClient {
		return // the server sends what it has
	}
	for i := range migrations {
		m := &migrations[i]
		v.shelf.put(m.Actor, m.Removed)
		v.shelf.put(m.Actor, m.Reset)
	}
}

// unshelve gives an actor the values of variables that are new or of another type, where they fit.
func (v *VM) unshelve(m *engine.Migration) {
	kept := v.shelf[m.Actor]
	if kept == nil || m.Actor.Deleted() {
		return
	}
	names := make([]string, 0, len(m.Added)+len(m.Reset))
	for _, p := range m.Added {
		names = append(names, p.Name)
	}
	for _, as := range m.Reset {
		names = append(names, as.Name)
	}
	slices.Sort(names)
	for _, name := range names {
		x, ok := kept[name]
		p := m.Actor.Class.Property(name)
		if !ok || p == nil {
			continue
		}
		delete(kept, name)
		if m.Actor.Set(p, x) == nil { // one of another type does not fit, and stays at its default
			v.Changed(m.Actor, p)
		}
	}
}
