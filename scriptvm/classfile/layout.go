package classfile

import (
	"sort"
	"strconv"

	"github.com/tidelock/tidelock/engine"
)

// layout is everything about the classes that rewriting a file depends on: the meaning of the names that the file
// uses on its own self. Two loads with equal layouts get the same bytecode, so that a reload leaves files alone
// that no other change concerns.
type layout struct {
	unit *unit
	// classes is indexed like the classes of the unit.
	classes []map[string]place
	// slow is the set of conditions that the VM has to evaluate, by their index in unit.conds.
	slow map[int]bool
}

// place is the meaning of a name on self.
type place struct {
	what  placeKind
	slot  int // of a declared variable; the id of a native one
	parts uint8
}

type placeKind uint8

const (
	placeOther    placeKind = iota // resolved by the metatable
	placeSlot                      // a declared variable
	placeNative                    // a variable of the engine's
	placeFunction                  // a function of the class or a native
)

// Which components a variable has that can be read separately.
const (
	partsNone uint8 = iota
	partsVector
	partsRotator
)

func partsOf(t *engine.Type) uint8 {
	switch t.Kind {
	case engine.KindVector:
		return partsVector
	case engine.KindRotator:
		return partsRotator
	default:
	}
	return partsNone
}

// hasPart reports whether a variable has the part of that name.
func (p place) hasPart(name string) bool {
	switch name {
	case "X", "Y", "Z":
		return p.parts == partsVector
	case "Pitch", "Yaw", "Roll":
		return p.parts == partsRotator
	}
	return false
}

// layout looks up the names a unit uses.
func (l *loader) layout(u *unit) *layout {
	lay := &layout{unit: u, classes: make([]map[string]place, len(u.classes)), slow: map[int]bool{}}
	index := map[*classDecl]int{}
	for i, c := range u.classes {
		index[c] = i
		lay.classes[i] = map[string]place{}
	}
	for _, facts := range [][]nameFact{u.facts.reads, u.facts.writes, u.facts.calls} {
		for _, f := range facts {
			i := index[f.def.class]
			if _, ok := lay.classes[i][f.name]; !ok {
				lay.classes[i][f.name] = u.natives.placeOf(l.built.Find(f.def.class.name), f.name)
			}
		}
	}
	for i, r := range u.conds {
		if l.slow[r] {
			lay.slow[i] = true
		}
	}
	return lay
}

func (v *vocabulary) placeOf(c *engine.Class, name string) place {
	if p := c.Property(name); p != nil {
		if p.Native != nil {
			return place{placeNative, p.Native.ID, partsOf(p.Type)}
		}
		return place{placeSlot, p.Slot, partsOf(p.Type)}
	}
	if c.Functions[name] != nil || words.events[name] || v.methodOf(c, name) != nil {
		return place{what: placeFunction}
	}
	return place{}
}

func (l *layout) key() string {
	var b []byte
	number := func(n int, before byte) { b = strconv.AppendInt(append(b, before), int64(n), 10) }
	for i, m := range l.classes {
		names := make([]string, 0, len(m))
		for n := range m { // any order: sorted below
			names = append(names, n)
		}
		sort.Strings(names)
		number(i, '#')
		for _, n := range names {
			p := m[n]
			b = append(append(b, ' '), n...)
			number(int(p.what), '=')
			number(p.slot, ',')
			number(int(p.parts), ',')
		}
	}
	for i := range l.unit.conds {
		if l.slow[i] {
			number(i, '!')
		}
	}
	return string(b)
}

// of returns the same layout for another reading of the same text.
func (l *layout) of(u *unit) *layout { return &layout{unit: u, classes: l.classes, slow: l.slow} }

// place returns what a name on the self of a def is.
func (l *layout) place(d *defDecl, name string) place {
	for i, c := range l.unit.classes {
		if c == d.class {
			return l.classes[i][name]
		}
	}
	return place{}
}
