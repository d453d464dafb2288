package engine

import (
	"fmt"
	"slices"
)

// A default that a reload changes reaches live actors: values that still equal the old default become the new
// one. Structs and arrays follow member by member and element by element. A value that was set to what the
// default was cannot be distinguished from one that was never set, and follows, too.

const (
	// maxCounted bounds the members and elements of one variable whose changes are counted; all of them follow.
	maxCounted = 16
	// maxKept bounds the different values that are counted separately for one default.
	maxKept = 4
)

// DefaultChange is a default that a reload changed: of a variable, or of one member or element of it.
type DefaultChange struct {
	// Class is the topmost class with this change; its children inherit it.
	Class *Class
	Prop  *Property
	// Name is the variable's name, with the member or element: "Width", "Stats.Max", "Slots[2]".
	Name     string
	Old, New Value
	// Follow counts the live actors that had the old default and have the new one now.
	Follow int
	// Keep lists the values of other live actors, up to maxKept different ones; Others counts the actors with
	// further values. Actors that had the new default already are in neither.
	Keep   []Kept
	Others int

	part      *Type // of a declared variable
	word, str int   // offsets of the part within the variable's storage
}

// Kept is a value that live actors keep over a change of the default, and how many do.
type Kept struct {
	Value Value
	Count int
}

// Follows reports whether live actors follow a changed default of the variable. Variables that are set when an
// actor is spawned (its location) or when the level is loaded (whether it belongs to the level) do not follow.
func (p *Property) Follows() bool {
	n := p.Native
	if n == nil {
		return p.Type.Kind != KindFastArray
	}
	switch n.Name {
	case "Location", "Rotation", "bStatic", "bNoDelete":
		return false
	}
	return !n.readOnly
}

// Follow changes a stored value as a live actor's changes when the default does: parts that equal old become
// now. All three are stored in the same form, with the words and strs of the type. It reports whether anything
// changed.
func (t *Type) Follow(words []uint64, strs []string, old, now []uint64, oldStrs, nowStrs []string) (changed bool) {
	switch t.Kind {
	case KindStruct:
		for i := range t.Fields {
			f := &t.Fields[i]
			if f.Type.Follow(words[f.word:], strs[f.str:], old[f.word:], now[f.word:], oldStrs[f.str:], nowStrs[f.str:]) {
				changed = true
			}
		}
	case KindArray:
		w, s := t.Elem.words, t.Elem.strs
		for i := range t.Len {
			if t.Elem.Follow(words[i*w:], strs[i*s:], old[i*w:], now[i*w:], oldStrs[i*s:], nowStrs[i*s:]) {
				changed = true
			}
		}
	case KindFastArray:
	default:
		w, s := t.words, t.strs
		if equalWords(old[:w], now[:w]) && equalStrs(oldStrs[:s], nowStrs[:s]) || !equalWords(words[:w], old[:w]) || !equalStrs(strs[:s], oldStrs[:s]) {
			return false
		}
		copy(words[:w], now)
		copy(strs[:s], nowStrs)
		changed = true
	}
	return changed
}

// Followed is a variable of a live actor that followed its default, wholly or in part, and its old value.
type Followed struct {
	Prop *Property
	Old  Value
}

// Follower is a [Remote] that is notified of variables that followed a changed default.
type Follower interface {
	// Followed is called once for each such variable, after the variables of all actors have followed: in order
	// of actors, then of variables.
	Followed(a *Actor, p *Property, old Value)
}

// newDefault is a declared variable whose default a reload changed.
type newDefault struct {
	prop  *Property // of the new class
	words []uint64  // the old default, as stored in the new set of classes
	strs  []string
	parts []*DefaultChange
}

// newNative is one of the engine's own variables whose default a reload changed.
type newNative struct {
	prop     *Property
	old, now Value
	change   *DefaultChange
}

// comparison finds the defaults that differ between two versions of a class.
type comparison struct {
	old, now *Classes
	from, to *Class
}

// declared returns the change of a declared variable's default, which both versions have with the same type;
// nil if it is equal. words and strs are the old default as stored in the new set.
func (c *comparison) declared(t *Property, words []uint64, strs []string) *newDefault {
	nw, ns := c.to.defWords[t.word:t.word+t.Type.words], c.to.defStrs[t.str:t.str+t.Type.strs]
	if !t.Follows() || equalWords(words, nw) && equalStrs(strs, ns) {
		return nil
	}
	d := &newDefault{prop: t, words: words, strs: strs}
	c.parts(d, t.Type, t.Name, 0, 0)
	return d
}

// parts lists the members and elements that differ.
func (c *comparison) parts(d *newDefault, t *Type, name string, word, str int) {
	p := d.prop
	w, s := p.word+word, p.str+str
	if len(d.parts) >= maxCounted || equalWords(d.words[word:word+t.words], c.to.defWords[w:]) && equalStrs(d.strs[str:str+t.strs], c.to.defStrs[s:]) {
		return
	}
	switch t.Kind {
	case KindStruct:
		for i := range t.Fields {
			f := &t.Fields[i]
			c.parts(d, f.Type, name+"."+f.Name, word+f.word, str+f.str)
		}
	case KindArray:
		for i := range t.Len {
			c.parts(d, t.Elem, fmt.Sprintf("%s[%d]", name, i+1), word+i*t.Elem.words, str+i*t.Elem.strs)
		}
	default:
		d.parts = append(d.parts, &DefaultChange{
			Class: c.to, Prop: p, Name: name, part: t, word: word, str: str,
			Old: loadValue(c.now, t, d.words[word:], d.strs[str:]), New: loadValue(c.now, t, c.to.defWords[w:], c.to.defStrs[s:]),
		})
	}
}

// natives returns the changed defaults of the engine's own variables.
func (c *comparison) natives() []newNative {
	if c.from.defVars == c.to.defVars || c.from.native != c.to.native {
		return nil
	}
	var out []newNative
	for _, p := range c.to.Properties {
		if p.Native == nil {
			continue
		}
		if old, now := c.from.Default(p), c.to.Default(p); !sameValue(old, now) {
			out = append(out, newNative{p, old, now, &DefaultChange{Class: c.to, Prop: p, Name: p.Name, Old: old, New: now}})
		}
	}
	return out
}

// inherited attributes a change to the topmost class that has it.
func (c *comparison) inherited(d *DefaultChange) {
	for {
		up := d.Class.Parent
		if up == nil {
			return
		}
		from, now := c.old.byName[up.Name], up.byName[d.Prop.Name]
		if from == nil || now == nil {
			return
		}
		was := from.byName[d.Prop.Name]
		if was == nil || !was.Type.Same(now.Type) || !sameValue(d.value(from, was), d.Old) || !sameValue(d.value(up, now), d.New) {
			return
		}
		d.Class, d.Prop = up, now
	}
}

// value returns a class's default of the part that the change is about.
func (d *DefaultChange) value(c *Class, p *Property) Value {
	if p.Native != nil {
		return c.Default(p)
	}
	return loadValue(c.set, d.part, c.defWords[p.word+d.word:], c.defStrs[p.str+d.str:])
}

// count records what happens to a live actor with the value v.
func (d *DefaultChange) count(v Value, follows bool) {
	switch {
	case sameValue(v, d.New):
		return
	case follows && sameValue(v, d.Old):
		d.Follow++
		return
	}
	for i := range d.Keep {
		if sameValue(d.Keep[i].Value, v) {
			d.Keep[i].Count++
			return
		}
	}
	if len(d.Keep) < maxKept {
		d.Keep = append(d.Keep, Kept{v, 1})
	} else {
		d.Others++
	}
}

// add merges the counts of a child class.
func (d *DefaultChange) add(o *DefaultChange) {
	d.Follow += o.Follow
	d.Others += o.Others
next:
	for _, k := range o.Keep {
		for i := range d.Keep {
			if sameValue(d.Keep[i].Value, k.Value) {
				d.Keep[i].Count += k.Count
				continue next
			}
		}
		if len(d.Keep) < maxKept {
			d.Keep = append(d.Keep, k)
		} else {
			d.Others += k.Count
		}
	}
}

// follow makes an actor's declared variables follow their defaults, and records which native ones will; its
// class and storage are the new ones.
func (p *plan) follow(a *Actor, m *Migration) {
	cs := a.world.Classes
	for _, d := range p.defaults {
		t := d.prop
		words, strs := a.words[t.word:t.word+t.Type.words], a.strs[t.str:t.str+t.Type.strs]
		for _, c := range d.parts {
			c.count(loadValue(cs, c.part, words[c.word:], strs[c.str:]), true)
		}
		old := loadValue(cs, t.Type, words, strs)
		if t.Type.Follow(words, strs, d.words, p.to.defWords[t.word:], d.strs, p.to.defStrs[t.str:]) {
			m.Followed = append(m.Followed, Followed{t, old})
		}
	}
	for i := range p.natives {
		n := &p.natives[i]
		v := n.prop.Native.get(a)
		follows := n.prop.Follows() && (n.prop.Name != "RemoteRole" || a.role() == RoleAuthority) // the server decides about a copy's values
		n.change.count(v, follows)
		if follows && sameValue(v, n.old) {
			m.natives = append(m.natives, n)
		}
	}
}

// changeList merges changes of classes with those of the classes that they inherit them from.
type changeList struct{ changes []*DefaultChange }

// Reclassed is what a reload did to live actors.
type Reclassed struct {
	// Migrations are those with something to report, in order of spawning.
	Migrations []Migration
	// Defaults are the changed defaults of classes that have live actors, parents first.
	Defaults []DefaultChange
}

// Former is a variable that a reload took from an actor, with its last value. Default tells that it was the class's default, which nobody
// gave to this actor.
type Former struct {
	Name    string
	Value   Value
	Default bool
}

// Migration says what a reload did to one actor.
type Migration struct {
	Actor *Actor
	// Added are new variables, Reset those whose type changed, Removed those that no longer exist, with the
	// last value of both.
	Added          []*Property
	Reset, Removed []Former
	// Followed are variables that followed a changed default.
	Followed []Followed
	// StateLost is the state that the actor was in, if the class no longer has it.
	StateLost string

	natives []*newNative // native variables that must follow
}

// plan describes how the storage of one class's actors is converted into the new layout.
type plan struct {
	comparison
	defaults []*newDefault
	natives  []newNative
	same     bool // the storage can stay as it is
	moves    []move
	added    []*Property
	reset    []*Property // of from
	removed  []*Property // of from
	classes  []uint64    // new class reference by old one
	hasClass bool
}

type move struct{ from, to *Property }

func (l *changeList) put(d *DefaultChange) {
	for _, o := range l.changes {
		if o.Class == d.Class && o.Name == d.Name {
			o.add(d)
			return
		}
	}
	l.changes = append(l.changes, d)
}

// sorted is the list by class, parents first, and variable.
func (l *changeList) sorted() []DefaultChange {
	place := func(d *DefaultChange) int { return slices.Index(d.Class.Properties, d.Prop) }
	slices.SortStableFunc(l.changes, func(a, b *DefaultChange) int {
		if n := a.Class.Index - b.Class.Index; n != 0 {
			return n
		}
		return place(a) - place(b)
	})
	out := make([]DefaultChange, len(l.changes))
	for i, d := range l.changes {
		slices.SortStableFunc(d.Keep, func(a, b Kept) int { return b.Count - a.Count })
		out[i] = *d
	}
	return out
}

// report puts the plan's changes into a list.
func (p *plan) report(l *changeList) {
	for _, d := range p.defaults {
		for _, c := range d.parts {
			p.inherited(c)
			l.put(c)
		}
	}
	for i := range p.natives {
		p.inherited(p.natives[i].change)
		l.put(p.natives[i].change)
	}
}

func (m *Migration) empty() bool {
	return m.Removed == nil && m.Reset == nil && m.Added == nil && m.Followed == nil && m.StateLost == "" && m.natives == nil
}
