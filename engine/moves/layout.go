package moves

import (
	"cmp"
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"github.com/tidelock/tidelock/engine"
)

// Table has the layouts of a set of classes. It never changes.
type Table struct {
	parts   map[*engine.Class]*Part
	layouts map[*engine.Class]*Layout
}

// Layout lists everything that can take part in the moves of a class of pawns.
type Layout struct {
	Class *engine.Class
	// Pawn is the part of the pawn itself.
	Pawn *Part
	// Static are its participating static components, in the order of their declaration.
	Static []Slot
	// Added are the other classes of participating components, by name: one of each may be added at run time.
	Added []*Part
	// Held are the classes of participating weapons, by name: the one in the hand takes part.
	Held []*Part

	heldBits int
}

// Slot is a static component.
type Slot struct {
	Name string
	Part *Part
}

// Roster lists the participants of a move besides the pawn: bits for Layout.Static and Layout.Added, and the
// index in Layout.Held plus one, 0 for no weapon.
type Roster struct {
	Static, Added uint64
	Held          int
}

// Entry is a participant of a move.
type Entry struct {
	// Key identifies it in its layout, in order: 0 is the pawn.
	Key  int
	Part *Part
}

// New makes the table of a set of classes. Exceeding a bound is an error, reported at the variable that takes
// most.
func New(classes *engine.Classes) (*Table, []engine.Diagnostic) {
	t := &Table{parts: map[*engine.Class]*Part{}, layouts: map[*engine.Class]*Layout{}}
	var added, held []*Part
	for _, c := range classes.All() {
		if !c.JoinsMoves {
			continue
		}
		p := newPart(c)
		t.parts[c] = p
		switch {
		case c.IsComponent():
			added = append(added, p)
		case !c.IsPawn():
			held = append(held, p)
		}
	}
	byName := func(a, b *Part) int { return cmp.Compare(a.Class.Name, b.Class.Name) }
	slices.SortFunc(added, byName)
	slices.SortFunc(held, byName)
	var diags []engine.Diagnostic
	said := map[engine.Pos]bool{}
	for _, c := range classes.All() {
		if !c.IsPawn() {
			continue
		}
		l := &Layout{Class: c, Pawn: t.parts[c], Held: held, heldBits: bits.Len(uint(len(held)))}
		if l.Pawn == nil {
			l.Pawn = &Part{Class: c}
		}
		for _, cs := range c.Components {
			if p := t.parts[classes.Find(cs.Class)]; p != nil {
				l.Static = append(l.Static, Slot{cs.Name, p})
			}
		}
		for _, p := range added {
			if !slices.ContainsFunc(l.Static, func(s Slot) bool { return s.Part == p }) {
				l.Added = append(l.Added, p)
			}
		}
		t.layouts[c] = l
		if d, ok := l.check(); ok && !said[d.Pos] {
			said[d.Pos] = true
			diags = append(diags, d)
		}
	}
	return t, diags
}

// Of returns the layout of a class of pawns; nil for other classes.
func (t *Table) Of(c *engine.Class) *Layout { return t.layouts[c] }

// Part returns what instances of a class contribute, nil if they take no part.
func (t *Table) Part(c *engine.Class) *Part { return t.parts[c] }

// Plain returns the roster of a pawn with only its static components.
func (l *Layout) Plain() Roster { return Roster{Static: 1<<len(l.Static) - 1} }

// Entries returns those of a roster in their order: the pawn, static components, added ones, the weapon.
func (l *Layout) Entries(r Roster) []Entry {
	out := make([]Entry, 1, 2+bits.OnesCount64(r.Static)+bits.OnesCount64(r.Added))
	out[0] = Entry{0, l.Pawn}
	for i := range l.Static {
		if r.Static>>i&1 != 0 {
			out = append(out, Entry{1 + i, l.Static[i].Part})
		}
	}
	for i, p := range l.Added {
		if r.Added>>i&1 != 0 {
			out = append(out, Entry{1 + len(l.Static) + i, p})
		}
	}
	if r.Held > 0 {
		out = append(out, Entry{1 + len(l.Static) + len(l.Added) + r.Held - 1, l.Held[r.Held-1]})
	}
	return out
}

// Name returns a variable's name for messages: Charge of the pawn, Jet.Fuel of a component, Cannon.Heat of a
// weapon.
func (l *Layout) Name(e Entry, variable string) string {
	switch i := e.Key - 1; {
	case e.Key == 0:
		return variable
	case i < len(l.Static):
		return l.Static[i].Name + "." + variable
	default:
		return e.Part.Class.Name + "." + variable
	}
}

// AddedIndex and HeldIndex return the index of a class in Added and Held, −1 for none.
func (l *Layout) AddedIndex(c *engine.Class) int { return indexOf(l.Added, c) }

// HeldIndex returns the index of a class in Held, −1 for none.
func (l *Layout) HeldIndex(c *engine.Class) int { return indexOf(l.Held, c) }

func indexOf(list []*Part, c *engine.Class) int {
	return slices.IndexFunc(list, func(p *Part) bool { return p.Class == c })
}

// header returns the most bits that a roster takes.
func (l *Layout) header() int { return 1 + l.heldBits + 1 + len(l.Static) + len(l.Added) }

// writeRoster writes the participants: a zero bit for only the static components; otherwise a one, the weapon,
// and a bit that says whether the components differ, followed in that case by a bit for each.
func (l *Layout) writeRoster(w *writer, r Roster) {
	w.flag(r != l.Plain())
	if r == l.Plain() {
		return
	}
	w.put(uint64(r.Held), l.heldBits)
	odd := r.Static != l.Plain().Static || r.Added != 0
	w.flag(odd)
	if odd {
		w.put(^r.Static, len(l.Static))
		w.put(r.Added, len(l.Added))
	}
}

func (l *Layout) readRoster(r *reader) Roster {
	out := l.Plain()
	if !r.flag() {
		return out
	}
	out.Held = int(r.get(l.heldBits))
	if out.Held > len(l.Held) {
		r.fail(ErrRoster)
		out.Held = 0
	}
	if r.flag() {
		out.Static &^= r.get(len(l.Static))
		out.Added = r.get(len(l.Added))
	}
	return out
}

// check finds what exceeds the bounds.
func (l *Layout) check() (engine.Diagnostic, bool) {
	if n := max(len(l.Static), len(l.Added)); n > MaxComponents {
		return engine.Diagnostic{Pos: l.Class.Spec.Pos, Severity: engine.SevError, Rule: "moves-too-large", Text: fmt.Sprintf(
			"class %s: %d components can take part in its moves, at most %d", l.Class.Name, n, MaxComponents)}, true
	}
	if d, ok := l.checkBlock("carry", MaxInputBytes, func(p *Part) (*Block, int) { return &p.Inputs, p.Inputs.bits }); ok {
		return d, true
	}
	return l.checkBlock("depend on", MaxStateBytes, func(p *Part) (*Block, int) { return &p.State, p.stateBits() })
}

// stateBits returns the most bits that the state takes.
func (p *Part) stateBits() int {
	if p.Text {
		return p.State.bits + 1 + textBits + 8*MaxTextBytes
	}
	return p.State.bits
}

func (l *Layout) checkBlock(what string, most int, of func(*Part) (*Block, int)) (engine.Diagnostic, bool) {
	sum := l.header()
	type share struct {
		name string
		part *Part
		bits int
	}
	var list []share
	add := func(name string, p *Part) {
		_, n := of(p)
		sum += n
		if n > 0 {
			list = append(list, share{name, p, n})
		}
	}
	add(l.Class.Name, l.Pawn)
	for _, s := range l.Static {
		add(s.Name+" ("+s.Part.Class.Name+")", s.Part)
	}
	for _, p := range l.Added {
		add("an added "+p.Class.Name, p)
	}
	if len(l.Held) > 0 {
		p := slices.MaxFunc(l.Held, func(a, b *Part) int {
			_, x := of(a)
			_, y := of(b)
			return cmp.Compare(x, y)
		})
		add("in its hand "+p.Class.Name, p)
	}
	if sum <= 8*most {
		return engine.Diagnostic{}, false
	}
	slices.SortStableFunc(list, func(a, b share) int { return b.bits - a.bits })
	big := list[0].part
	d := engine.Diagnostic{Pos: big.Class.Spec.Pos, Severity: engine.SevError, Rule: "moves-too-large"}
	var names []string
	for _, s := range list {
		names = append(names, fmt.Sprintf("%s %d bits", s.name, s.bits))
	}
	hint := "; make its GetMoveState variables of .moves"
	if b, _ := of(big); len(b.Vars) > 0 {
		v := slices.MaxFunc(b.Vars, func(a, b Var) int { return cmp.Compare(a.bits, b.bits) })
		d.Pos = v.Pos
		hint = fmt.Sprintf("; most takes %s.%s, %s, with %d bits: give it a range or a smaller max, or leave it out", big.Class.Name, v.Prop.Name, v.Prop.Type, v.bits)
	}
	d.Text = fmt.Sprintf("class %s: what its moves %s takes up to %d bytes, at most %d fit: %s%s", l.Class.Name, what, (sum+7)/8, most, strings.Join(names, ", "), hint)
	return d, true
}
