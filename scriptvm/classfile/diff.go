package classfile

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tidelock/tidelock/engine"
)

// Became is what happened to a part of the files between two versions.
type Became uint8

// The values of Became.
const (
	Changed Became = iota
	New
	Gone
	Renamed
)

// Change is a difference between two sets of files in what runs: comments and spaces do not count. Defaults are
// excluded: [engine.Classes.DefaultsSince] has those.
type Change struct {
	// Class is the class, or the module ("lib.aiming").
	Class string
	Kind  PartKind
	// Name is the name of the part: "Open", "On.Touch" of a function of a state, the variable of a rule.
	Name   string
	Became Became
	// Old and Now are the old and the new form of the part, if they are short: types, literals, classes; of Renamed
	// the names.
	Old, Now string
}

// ORDER: Became.
var becameWords = [...]string{"changed", "is new", "is gone", ""}

// String formats the change for a line of the log.
func (c Change) String() string {
	became := becameWords[c.Became]
	fromTo := c.Became == Changed && c.Old != "" && c.Now != ""
	switch c.Kind {
	case PartClass:
		if c.Became == Changed {
			return fmt.Sprintf("%s has the parent %s, and had %s", c.Class, c.Now, c.Old)
		}
		return c.Class + " " + became
	case PartFunction:
		if name, ok := strings.CutPrefix(c.Name, ConsoleSpace); ok {
			return c.Class + ".console:" + name + " " + became
		}
		return c.Class + ":" + c.Name + " " + became
	case PartValidator:
		return c.Class + ".validate:" + c.Name + " " + became
	case PartCode:
		return c.Class + ".state." + c.Name + ":Code " + became
	case PartParams:
		return c.Class + ":" + c.Name + " takes other arguments"
	case PartRole:
		return c.Class + ".console:" + c.Name + ": the role that it needs " + became
	case PartVariable:
		switch c.Became {
		case Changed:
			return fmt.Sprintf("%s.%s is %s, and was %s", c.Class, c.Name, c.Now, c.Old)
		case Renamed:
			return fmt.Sprintf("%s.%s is gone and %s.%s is new (renamed? it begins with its default)", c.Class, c.Old, c.Class, c.Now)
		case New, Gone:
		}
		return c.Class + "." + c.Name + " " + became
	case PartRule:
		switch c.Became {
		case New:
			return c.Class + "." + c.Name + " is replicated"
		case Gone:
			return c.Class + "." + c.Name + " is no longer replicated"
		case Changed, Renamed:
		}
		return c.Class + "." + c.Name + ": condition " + became
	case PartState:
		return c.Class + ": state " + c.Name + " " + became
	case PartComponent:
		if fromTo {
			return fmt.Sprintf("%s: component %s %s → %s", c.Class, c.Name, c.Old, c.Now)
		}
		return c.Class + ": component " + c.Name + " " + became
	case PartHitBoxes:
		return c.Class + ": hit boxes " + plural(became)
	case PartLooks:
		return c.Class + ": looks " + plural(became)
	case PartActions:
		return c.Class + ": actions " + plural(became)
	case PartAutoState:
		return c.Class + ": auto_state " + became
	case PartLocal:
		if fromTo {
			return fmt.Sprintf("%s: local %s %s → %s", c.Class, c.Name, c.Old, c.Now)
		}
		return c.Class + ": local " + c.Name + " " + became
	case PartCommon, numPartKinds:
	}
	return c.Class + ": code outside of functions " + became
}

func plural(became string) string {
	switch became {
	case becameWords[New]:
		return "are new"
	case becameWords[Gone]:
		return "are gone"
	}
	return became
}

// Changes lists what differs from an earlier program, in the order of the new one's files; removed parts come last.
// Unchanged files cost nothing.
func (p *Program) Changes(old *Program) []Change {
	before := map[string]*unit{}
	for _, u := range old.units {
		before[u.src.Path] = u
	}
	var were, are []*unit // that differ
	for _, u := range p.units {
		if o := before[u.src.Path]; o != u {
			are = append(are, u)
			if o != nil {
				were = append(were, o)
			}
		}
		delete(before, u.src.Path)
	}
	for _, u := range old.units {
		if before[u.src.Path] != nil {
			were = append(were, u)
		}
	}
	d := differ{was: merged(were), is: merged(are), old: old.Classes, now: p.Classes}
	d.run()
	return d.out
}

// merged combines the parts of several files.
func merged(units []*unit) *outline {
	all := &outline{parts: map[partKey]part{}}
	for _, u := range units {
		o := u.outlined()
		for _, k := range o.order {
			all.put(k, o.parts[k])
		}
	}
	return all
}

// differ compares two outlines.
type differ struct {
	was, is  *outline
	old, now *engine.Classes
	out      []Change
}

func (d *differ) add(c Change) { d.out = append(d.out, c) }

func (d *differ) run() {
	for _, k := range d.is.order {
		now := d.is.parts[k]
		was, had := d.was.parts[k]
		switch {
		case k.kind == PartClass && !had:
			d.add(Change{Class: k.class, Kind: k.kind, Became: New})
		case d.old.Find(k.class) == nil && d.now.Find(k.class) != nil, had && was.sum == now.sum && k.kind != PartClass:
		case k.kind == PartClass:
			if was.sum != now.sum {
				d.add(Change{Class: k.class, Kind: k.kind, Old: was.text, Now: now.text})
			}
			d.variables(k.class)
		case k.kind == PartRule && !d.both(k):
		case !had && k.kind == PartParams: // of a new function, or one whose arguments were not declared
			if _, function := d.was.parts[partKey{k.class, PartFunction, k.name}]; function {
				d.add(Change{Class: k.class, Kind: k.kind, Name: k.name})
			}
		case !had:
			d.add(Change{Class: k.class, Kind: k.kind, Name: k.name, Became: New})
		default:
			d.add(Change{Class: k.class, Kind: k.kind, Name: k.name, Old: was.text, Now: now.text})
		}
	}
	for _, k := range d.was.order {
		_, has := d.is.parts[k]
		switch {
		case has, k.kind != PartClass && d.now.Find(k.class) == nil && d.old.Find(k.class) != nil, k.kind == PartRule && !d.both(k), k.kind == PartParams:
		default:
			d.add(Change{Class: k.class, Kind: k.kind, Name: k.name, Became: Gone})
		}
	}
}

// both reports whether a rule's variable is in both versions of its class: an added or removed one is reported
// itself.
func (d *differ) both(k partKey) bool {
	a, b := d.old.Find(k.class), d.now.Find(k.class)
	return a != nil && b != nil && own(a, k.name) != nil && own(b, k.name) != nil
}

// own returns a variable that the class itself declares, or nil.
func own(c *engine.Class, name string) *engine.Property {
	if p := c.Property(name); p != nil && p.Native == nil && p.Class == c {
		return p
	}
	return nil
}

// variables compares the variables that a class declares. A removed and an added one of the same type and default
// may be a renamed one.
func (d *differ) variables(class string) {
	was, is := d.old.Find(class), d.now.Find(class)
	if was == nil || is == nil {
		return
	}
	var came, went []*engine.Property
	for _, p := range is.Properties {
		if own(is, p.Name) != p {
			continue
		}
		switch o := own(was, p.Name); {
		case o == nil:
			came = append(came, p)
		case !o.Type.Same(p.Type) || o.Type.String() != p.Type.String():
			d.add(Change{Class: class, Kind: PartVariable, Name: p.Name, Old: clip(o.Type.String()), Now: clip(p.Type.String())})
		}
	}
	for _, p := range was.Properties {
		if own(was, p.Name) == p && own(is, p.Name) == nil {
			went = append(went, p)
		}
	}
	for _, p := range went {
		i := slices.IndexFunc(came, func(q *engine.Property) bool {
			return q.Type.Same(p.Type) && fmt.Sprint(is.Default(q)) == fmt.Sprint(was.Default(p))
		})
		if i < 0 {
			d.add(Change{Class: class, Kind: PartVariable, Name: p.Name, Became: Gone})
			continue
		}
		d.add(Change{Class: class, Kind: PartVariable, Name: came[i].Name, Became: Renamed, Old: p.Name, Now: came[i].Name})
		came = slices.Delete(came, i, i+1)
	}
	for _, p := range came {
		d.add(Change{Class: class, Kind: PartVariable, Name: p.Name, Became: New})
	}
}
