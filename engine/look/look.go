package look

import (
	"slices"
	"strings"

	"github.com/tidelock/tidelock/engine"
)

// Value is what a key has. Exactly one of the members counts, by the key's kind; Prop, where it is not nil, counts before
// all of them. Off takes away what the parent has.
type Value struct {
	Num   float64
	Vec   [3]float64
	Text  string // a color, a text, a word, a file
	Prop  *engine.Property
	Table Tree
	List  []Tree
	Off   bool
}

// Entry is a key with its value. In `on` the name is one of the class's own, and Key that of the effect.
type Entry struct {
	Name  string
	Key   *Key
	Value Value
}

// Tree is a table of looks: entries in order of their names, each name once.
type Tree []Entry

// Find is the value of a key, nil where the tree has none.
func (t Tree) Find(name string) *Value {
	i, ok := slices.BinarySearchFunc(t, name, func(e Entry, name string) int { return strings.Compare(e.Name, name) })
	if !ok {
		return nil
	}
	return &t[i].Value
}

// Sort puts a tree that was just made in order.
func (t Tree) Sort() {
	slices.SortFunc(t, func(a, b Entry) int { return strings.Compare(a.Name, b.Name) })
}

// over is the tree with the entries of another on top, key by key; tables are merged in the same way, lists replaced whole.
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

// lit is the tree without what was taken away.
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

// When is an entry of `when`: what is different while its condition holds.
type When struct {
	Cond engine.Condition
	Tree Tree
}

// Looks are those of a class, inherited ones included. They never change.
type Looks struct {
	tree  Tree
	whens []When
	on    []string // in order
}

// New makes the looks of a class of what it says itself and what its parent has; parent may be nil. `when` of the parent
// comes before its own, so that its own has the last word. Where both say nothing it is nil.
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

// From are the looks of a class, nil for none.
func From(c *engine.Class) *Looks {
	l, _ := c.Looks.(*Looks)
	return l
}

// Whens counts the entries of `when`.
func (l *Looks) Whens() int { return len(l.whens) }

// On are the names of `on`, in order. They must not be changed.
func (l *Looks) On() []string { return l.on }

// Wants implements [engine.Looks].
func (l *Looks) Wants(name string) bool {
	_, ok := slices.BinarySearch(l.on, name)
	return ok
}

// Holds are the entries of `when` that hold for an actor now, a bit each. It allocates nothing. A condition that ends in an
// error does not hold; see [engine.World.TakeCondFault].
func (l *Looks) Holds(a *engine.Actor, in engine.CondInput) (bits uint32) {
	for i := range l.whens {
		if l.whens[i].Cond.Eval(a, in) {
			bits |= 1 << i
		}
	}
	return bits
}

// Faulty calls f with every condition, for those who report what [engine.World.TakeCondFault] has of it.
func (l *Looks) Faulty(f func(engine.Condition)) {
	for i := range l.whens {
		f(l.whens[i].Cond)
	}
}

// Variant is the looks while the entries of bits hold: later ones override earlier ones.
func (l *Looks) Variant(bits uint32) Tree {
	t := l.tree
	for i := range l.whens {
		if bits>>i&1 != 0 {
			t = l.whens[i].Tree.over(t)
		}
	}
	return t.lit()
}

// Effect is the effect that the looks name in `on` for a name while the entries of bits hold, "" for none.
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
		return v.Text, true // "" where it was taken away
	}
	return "", on.Off
}

// Files calls f with the name of every file that the looks name by a constant, with its key.
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
