package look

import (
	"slices"
	"strings"

	"github.com/tidelock/tidelock/engine"
)

// Value is the value of a key. Exactly one of the members counts, by the key's kind; Prop, if it is not nil,
// overrides all of them. Off removes the parent's value.
type Value struct {
	Num   float64
	Vec   [3]float64
	Text  string // a color, a text, a word, a file
	Prop  *engine.Property
	Table Tree
	List  []Tree
	Off   bool
}

// Entry is a key with its value. In `on` the name is one of the class's own, and Key is that of the effect.
type Entry struct {
	Name  string
	Key   *Key
	Value Value
}

// Tree is a table of looks: entries in order of their names, each name once.
type Tree []Entry

// Find returns the value of a key, nil if the tree has none.
func (t Tree) Find(name string) *Value {
	i, ok := slices.BinarySearchFunc(t, name, func(e Entry, name string) int { return strings.Compare(e.Name, name) })
	if !ok {
		return nil
	}
	return &t[i].Value
}

// Sort sorts a new tree.
func (t Tree) Sort() {
	slices.SortFunc(t, func(a, b Entry) int { return strings.Compare(a.Name, b.Name) })
}

// over returns the tree with the entries of another one added, key by key; tables are merged in the same way,
// lists are replaced.
func (t Tree) over(under Tree) Tree {
	out := make(Tree, 0, len(t)+len(under))
	i, j := 0, 0
	for i < len(t) || j < len(under) {
		switch {
		case j == len(under) || i < len(t) && t[i].Name < under[j].Name:
			out = append(out, t[i])
			i++
		case i == len(t) || under[j].Name < t[i].Name:
			out = append(out, under[j])
			j++
		default:
			e := t[i]
			if below := under[j].Value; e.Value.Table != nil && below.Table != nil && !e.Value.Off {
				e.Value.Table = e.Value.Table.over(below.Table)
			}
			out = append(out, e)
			i, j = i+1, j+1
		}
	}
	return out
}

// lit returns the tree without removed entries.
func (t Tree) lit() Tree {
	out := make(Tree, 0, len(t))
	for _, e := range t {
		if e.Value.Off {
			continue
		}
		if e.Value.Table != nil {
			e.Value.Table = e.Value.Table.lit()
		}
		out = append(out, e)
	}
	return out
}

// When is an entry of `when`: the differences while its condition is true.
type When struct {
	Cond engine.Condition
	Tree Tree
}

// Looks are the looks of a class, inherited ones included. They never change.
type Looks struct {
	tree  Tree
	whens []When
	on    []string // in order
}

// New makes the looks of a class from its own and its parent's; parent may be nil. `when` of the parent comes
// before its own, so that its own overrides it. If both are empty the result is nil.
func New(parent *Looks, tree Tree, whens []When) *Looks {
	l := &Looks{tree: tree, whens: whens}
	if parent != nil {
		l.tree = tree.over(parent.tree)
		l.whens = append(slices.Clone(parent.whens), whens...)
	}
	l.note(l.tree)
	for i := range l.whens {
		l.note(l.whens[i].Tree)
	}
	slices.Sort(l.on)
	l.on = slices.Compact(l.on)
	return l
}

func (l *Looks) note(t Tree) {
	if v := t.Find("on"); v != nil && !v.Off {
		for i := range v.Table {
			if !v.Table[i].Value.Off {
				l.on = append(l.on, v.Table[i].Name)
			}
		}
	}
}

// From returns the looks of a class, nil for none.
func From(c *engine.Class) *Looks {
	l, _ := c.Looks.(*Looks)
	return l
}

// Whens counts the entries of `when`.
func (l *Looks) Whens() int { return len(l.whens) }

// On returns the names of `on`, in order. They must not be changed.
func (l *Looks) On() []string { return l.on }

// Wants implements [engine.Looks].
func (l *Looks) Wants(name string) bool {
	_, ok := slices.BinarySearch(l.on, name)
	return ok
}

// Holds returns the entries of `when` that are true for an actor now, a bit each. It allocates nothing. A
// condition that ends in an error counts as false; see [engine.World.TakeCondFault].
func (l *Looks) Holds(a *engine.Actor, in engine.CondInput) (bits uint32) {
	for i := range l.whens {
		if l.whens[i].Cond.Eval(a, in) {
			bits |= 1 << i
		}
	}
	return bits
}

// Faulty calls f with every condition, for reporting the faults of [engine.World.TakeCondFault].
func (l *Looks) Faulty(f func(engine.Condition)) {
	for i := range l.whens {
		f(l.whens[i].Cond)
	}
}

// Variant returns the looks while the entries of bits are true: later ones override earlier ones.
func (l *Looks) Variant(bits uint32) Tree {
	t := l.tree
	for i := range l.whens {
		if bits>>i&1 != 0 {
			t = l.whens[i].Tree.over(t)
		}
	}
	return t.lit()
}

// Effect returns the effect for a name of `on` while the entries of bits are true, "" for none.
func (l *Looks) Effect(bits uint32, name string) string {
	for i := len(l.whens) - 1; i >= 0; i-- {
		if bits>>i&1 != 0 {
			if file, said := effectOf(l.whens[i].Tree, name); said {
				return file
			}
		}
	}
	file, _ := effectOf(l.tree, name)
	return file
}

func effectOf(t Tree, name string) (file string, said bool) {
	on := t.Find("on")
	if on == nil {
		return "", false
	}
	if v := on.Table.Find(name); v != nil && !on.Off {
		return v.Text, true // "" if it was removed
	}
	return "", on.Off
}

// Files calls f with every file that the looks name by a constant, and its key.
func (l *Looks) Files(f func(key, file string)) {
	walkFiles(l.tree, f)
	for i := range l.whens {
		walkFiles(l.whens[i].Tree, f)
	}
}

func walkFiles(t Tree, f func(key, file string)) {
	for i := range t {
		e := &t[i]
		if e.Key.Kind == KindFile || e.Key.Kind == KindEffects && e.Value.Table == nil {
			if e.Value.Prop == nil && !e.Value.Off && e.Value.Text != "" {
				f(e.Name, e.Value.Text)
			}
		}
		walkFiles(e.Value.Table, f)
		for _, part := range e.Value.List {
			walkFiles(part, f)
		}
	}
}
