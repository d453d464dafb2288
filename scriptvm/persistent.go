package scriptvm

import (
	"fmt"
	"math"
	"slices"
	"sort"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/engine/geom"
	"github.com/tidelock/tidelock/engine/store"
)

// Persistent variables of PlayerStates, as a profile keeps them (C2): by the namespace of the mod that declares them, and
// by name. A struct is a table by the names of its members; a fast array is a table of
//
//	Items  the structs by their keys
//	Last   the last key that was given: none is given twice
const (
	fastItems = "Items"
	fastLast  = "Last"
)

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
		var x any
		if p.Type.Kind == engine.KindFastArray {
			x = keptArray(a, p)
		} else {
			x = keptOf(p.Type, a.Get(p))
		}
		setPair(tableAt(out, store.OfMod(p.Class.Mod())), p.Name, x)
	}
	return out
}

// keptOf converts a value of a type that a profile keeps.
func keptOf(t *engine.Type, x engine.Value) any {
	switch t.Kind {
	case engine.KindBool:
		return x.Num != 0
	case engine.KindInt, engine.KindFloat:
		return x.Num
	case engine.KindString, engine.KindEnum:
		return x.Str
	case engine.KindVector:
		return x.Vec
	case engine.KindRotator:
		return x.Rot
	case engine.KindStruct:
		out := &store.Table{Pairs: make([]store.Pair, len(t.Fields))}
		for i := range t.Fields {
			f := &t.Fields[i]
			out.Pairs[i] = store.Pair{Key: f.Name, Value: keptOf(f.Type, x.List[i])}
		}
		return out
	case engine.KindArray:
		out := &store.Table{Array: make([]any, len(x.List))}
		for i := range x.List {
			out.Array[i] = keptOf(t.Elem, x.List[i])
		}
		return out
	default:
	}
	panic("a persistent variable of the type " + t.String()) // a class with one does not load
}

func keptArray(a *engine.Actor, p *engine.Property) any {
	f := a.Fast(p)
	items := &store.Table{Pairs: make([]store.Pair, f.Len())}
	list := f.Items()
	for i := range list {
		items.Pairs[i] = store.Pair{Key: float64(list[i].Key), Value: keptOf(p.Type.Elem, a.FastValue(p, &list[i]))}
	}
	return &store.Table{Pairs: []store.Pair{{Key: fastItems, Value: items}, {Key: fastLast, Value: float64(f.LastKey())}}}
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
// its variable any more is reported, and the default stays; items of a fast array that do not fit are left out.
func (v *VM) SetPersistent(a *engine.Actor, profile *store.Table) {
	for _, p := range a.Class.Properties {
		if !p.Persistent {
			continue
		}
		v.setPersistent(a, p, keptIn(profile, p))
	}
}

// keptIn returns what a profile has of a variable, nil for nothing.
func keptIn(profile *store.Table, p *engine.Property) any {
	if t, ok := profile.Get(store.OfMod(p.Class.Mod())).(*store.Table); ok {
		return t.Get(p.Name)
	}
	return nil
}

// setPersistent is SetPersistent for one variable.
func (v *VM) setPersistent(a *engine.Actor, p *engine.Property, stored any) {
	l := loading{}
	if p.Type.Kind == engine.KindFastArray {
		l.array(v, a, p, stored)
	} else if !l.value(v, a, p, stored) {
		return
	}
	if l.dropped != "" {
		v.Report(engine.SevWarning, a, fmt.Sprintf("%s.%s: the profile has a member %s, which the struct does not have any more; it is dropped", p.Class.Name, p.Name, l.dropped))
	}
	v.Changed(a, p)
}

// persistents returns what the profiles of players have, and what one would have of players without one, before a reload changes
// variables. On a client, which gets them from the server, there are none.
func (v *VM) persistents() map[*engine.Actor]*store.Table {
	if v.world.NetMode == engine.NMClient {
		return nil
	}
	kept := map[*engine.Actor]*store.Table{}
	for _, a := range v.world.ActorsOf("PlayerReplicationInfo") {
		var t *store.Table
		if v.opt.Transactor != nil {
			t = v.opt.Transactor.Capture(a)
		}
		if t == nil {
			t = v.Persistent(a, nil)
		}
		if t != nil {
			kept[a] = t
		}
	}
	return kept
}

// loading reads one variable of a profile.
type loading struct {
	dropped string // the first member that the type does not have
}

// value sets a variable that is no fast array, and reports whether it could.
func (l *loading) value(v *VM, a *engine.Actor, p *engine.Property, stored any) bool {
	val := a.Class.Default(p)
	if stored != nil {
		x, err := l.valueOf(p.Type, stored)
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
		return false
	}
	return true
}

// array sets a fast array.
func (l *loading) array(v *VM, a *engine.Actor, p *engine.Property, stored any) {
	list, last, ok := keyedOf(stored)
	if !ok {
		v.Report(engine.SevWarning, a, fmt.Sprintf("%s.%s: the profile's value does not fit any more: expected %v; it is empty again", p.Class.Name, p.Name, p.Type))
	}
	items := make([]engine.KeyedItem, 0, len(list))
	left := 0
	var why error
	for _, it := range list {
		x, err := l.valueOf(p.Type.Elem, it.stored)
		if err == nil {
			x, err = p.Type.Elem.Check(v.world, x)
		}
		if err == nil {
			items = append(items, engine.KeyedItem{Key: it.key, Value: x})
		} else if left++; why == nil {
			why = fmt.Errorf("item %d: %w", it.key, err)
		}
	}
	n, reason := a.FastRestore(p, last, items)
	if why == nil {
		why = reason
	}
	if left += n; left > 0 {
		v.Report(engine.SevWarning, a, fmt.Sprintf("%s.%s: %d of the profile's %d items do not fit any more and are left out: %v", p.Class.Name, p.Name, left, len(list), why))
	}
}

// keyed is an item as it is stored.
type keyed struct {
	key    uint32
	stored any
}

// keyedOf returns the items of a stored fast array in order of their keys, and the last key that was given. ok is false for what is no
// such array; nil is an empty one.
func keyedOf(stored any) (list []keyed, last uint32, ok bool) {
	if stored == nil {
		return nil, 0, true
	}
	t, _ := stored.(*store.Table)
	items, _ := t.Get(fastItems).(*store.Table)
	if items == nil {
		return nil, 0, false
	}
	if x := t.Get(fastLast); x != nil && x != 0.0 {
		if last, ok = keyOf(x); !ok {
			return nil, 0, false
		}
	}
	list = make([]keyed, 0, len(items.Array)+len(items.Pairs))
	for i, x := range items.Array { // keys 1, 2, … of a table that was written by hand
		list = append(list, keyed{uint32(i) + 1, x})
	}
	for _, x := range items.Pairs {
		key, ok := keyOf(x.Key)
		if !ok {
			return nil, 0, false
		}
		list = append(list, keyed{key, x.Value})
	}
	sort.Slice(list, func(i, j int) bool { return list[i].key < list[j].key }) // the generic one is 4 KB more of the browsers' download
	kept := list[:0]
	for _, x := range list {
		if len(kept) == 0 || kept[len(kept)-1].key != x.key {
			kept = append(kept, x)
		}
	}
	return kept, last, true
}

// keyOf returns the key of an item.
func keyOf(stored any) (key uint32, ok bool) {
	n, ok := stored.(float64)
	if !ok || n < 1 || n > math.MaxUint32 || n != math.Trunc(n) {
		return 0, false
	}
	return uint32(n), true
}

// valueOf converts a stored value to one of a type, which the engine checks afterwards. Members of structs that are not stored have
// their defaults; those that are stored and not declared any more are dropped.
func (l *loading) valueOf(t *engine.Type, stored any) (engine.Value, error) {
	switch x := stored.(type) {
	case bool:
		return engine.Bool(x), nil
	case float64:
		return engine.Float(x), nil
	case string:
		return engine.String(x), nil
	case geom.Vector:
		return engine.Vec(x), nil
	case geom.Rotator:
		return engine.Rotation(x), nil
	case *store.Table:
		switch t.Kind {
		case engine.KindStruct:
			return l.structOf(t, x)
		case engine.KindArray:
			return l.arrayOf(t, x)
		default:
		}
		return engine.Value{}, fmt.Errorf("expected %s, got a table", t)
	}
	return engine.Value{}, fmt.Errorf("expected %s, got nil", t)
}

func (l *loading) structOf(t *engine.Type, x *store.Table) (engine.Value, error) {
	if len(x.Array) > 0 {
		return engine.Value{}, fmt.Errorf("expected %s, got a table with the key 1", t)
	}
	out := t.Zero()
	for _, p := range x.Pairs {
		name, ok := p.Key.(string)
		if !ok {
			return engine.Value{}, fmt.Errorf("expected %s, got a table with the key %v", t, p.Key)
		}
		i := slices.IndexFunc(t.Fields, func(f engine.Field) bool { return f.Name == name })
		if i < 0 {
			if l.dropped == "" {
				l.dropped = name
			}
			continue
		}
		var err error
		if out.List[i], err = l.valueOf(t.Fields[i].Type, p.Value); err != nil {
			return engine.Value{}, fmt.Errorf("member %s: %w", name, err)
		}
	}
	return out, nil
}

func (l *loading) arrayOf(t *engine.Type, x *store.Table) (engine.Value, error) {
	if len(x.Array) != t.Len || len(x.Pairs) > 0 {
		return engine.Value{}, fmt.Errorf("expected %s, got a table of %d", t, len(x.Array)+len(x.Pairs))
	}
	out := engine.Value{Kind: engine.KindArray, List: make([]engine.Value, t.Len)}
	for i := range out.List {
		var err error
		if out.List[i], err = l.valueOf(t.Elem, x.Array[i]); err != nil {
			return engine.Value{}, fmt.Errorf("element %d: %w", i+1, err)
		}
	}
	return out, nil
}
