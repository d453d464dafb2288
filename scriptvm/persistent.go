package scriptvm

import (
	"fmt"
	"slices"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/engine/store"
)

// Persistent variables of PlayerStates, as a profile keeps them (C2): by the namespace of the mod that declares them, and
// by name.

// Persists reports whether any class of the program declares persistent variables.
func (v *VM) Persists() bool {
	return v.program != nil && slices.ContainsFunc(v.program.Classes.All(), persists)
}

// Keeps reports whether a class has persistent variables.
func (v *VM) Keeps(c *engine.Class) bool { return persists(c) }

func persists(c *engine.Class) bool {
	return slices.ContainsFunc(c.Properties, func(p *engine.Property) bool { return p.Persistent })
}

// Persistent returns the persistent variables of an actor on top of what a profile has, which stays where the actor has no such
// variable: a mod that is not there today keeps its data. It returns nil for an actor without any.
func (v *VM) Persistent(a *engine.Actor, profile *store.Table) *store.Table {
	if !persists(a.Class) {
		return nil
	}
	out := &store.Table{}
	if profile != nil {
		for _, p := range profile.Pairs {
			if t, ok := p.Value.(*store.Table); ok {
				p.Value = &store.Table{Pairs: slices.Clone(t.Pairs)}
			}
			out.Pairs = append(out.Pairs, p)
		}
	}
	for _, p := range a.Class.Properties {
		if !p.Persistent {
			continue
		}
		plain, err := v.Export(v.toLuaTyped(p.Type, a.Get(p)), nil) // types of profiles have no actors
		if err != nil {
			v.Report(engine.SevError, a, fmt.Sprintf("%s.%s was not saved: %v", p.Class.Name, p.Name, err))
			continue
		}
		setPair(tableAt(out, store.OfMod(p.Class.Mod())), p.Name, storedOf(plain))
	}
	return out
}

func tableAt(t *store.Table, key string) *store.Table {
	if x, ok := t.Get(key).(*store.Table); ok {
		return x
	}
	x := &store.Table{}
	setPair(t, key, x)
	return x
}

func setPair(t *store.Table, key string, x any) {
	for i := range t.Pairs {
		if t.Pairs[i].Key == key {
			t.Pairs[i].Value = x
			return
		}
	}
	t.Pairs = append(t.Pairs, store.Pair{Key: key, Value: x})
}

// SetPersistent gives an actor the persistent variables of a profile; those that it does not have get their defaults. What does not fit
// its variable any more is reported, and the default stays.
func (v *VM) SetPersistent(a *engine.Actor, profile *store.Table) {
	for _, p := range a.Class.Properties {
		if !p.Persistent {
			continue
		}
		val := a.Class.Default(p)
		var stored any
		if t, ok := profile.Get(store.OfMod(p.Class.Mod())).(*store.Table); ok {
			stored = t.Get(p.Name)
		}
		if stored != nil {
			x, err := v.fromLua(p.Type, luaOf(stored))
			if err == nil {
				x, err = p.Type.Check(v.world, x)
			}
			if err != nil {
				v.Report(engine.SevWarning, a, fmt.Sprintf("%s.%s: the profile's value does not fit any more: %v; it is %v again", p.Class.Name, p.Name, err, p.Type))
			} else {
				val = x
			}
		}
		if err := a.Set(p, val); err != nil {
			v.Report(engine.SevError, a, fmt.Sprintf("%s.%s: %v", p.Class.Name, p.Name, err))
			continue
		}
		v.Changed(a, p)
	}
}
