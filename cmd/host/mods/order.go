package mods

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tidelock/tidelock/engine"
)

// Max bounds how many mods a host runs; further ones are left out with a message.
const Max = 256

// maxCycle bounds the names in a message about a circle.
const maxCycle = 8

// Mod is a mod that was found.
type Mod struct {
	Manifest
	// Dir is its folder on this machine, Show the folder as messages name it.
	Dir, Show string
	// Bare is set if it has no mod.toml.
	Bare bool
	// Off is set if host.toml turned it off.
	Off bool
	// Problem is why it is left out, nil if it is not.
	Problem *Error
}

// At returns the file to which messages about the mod point.
func (m *Mod) At() string {
	if m.Bare {
		return m.Show
	}
	return m.Show + "/" + File
}

// Title returns the mod's name and version.
func (m *Mod) Title() string {
	if m.Version == "" {
		return m.Name
	}
	return m.Name + " " + m.Version
}

// Order returns the usable mods, each after the ones it requires, otherwise by name. The others get a Problem,
// which is also returned, except those that are off. Of two mods with one name the first of the list is used.
func Order(list []*Mod) (order []*Mod, problems []*Error) {
	refuse := func(m *Mod, format string, args ...any) {
		m.Problem = &Error{File: m.At(), Text: fmt.Sprintf(format, args...)}
		problems = append(problems, m.Problem)
	}
	byName, off := map[string]*Mod{}, map[string]bool{}
	var names []string
	for _, m := range list {
		m.Problem = nil
		switch first := byName[m.Name]; {
		case m.Off:
			off[m.Name] = true
		case first != nil:
			refuse(m, "mod %s already exists, in %s; give one of them another name or remove it", m.Name, first.Show)
		case len(byName) == Max:
			refuse(m, "more than %d mods; turn some off in host.toml or remove them", Max)
		default:
			byName[m.Name] = m
			names = append(names, m.Name)
		}
	}
	slices.Sort(names)
	all := slices.Clone(names)
	for again := true; again; { // a mod that requires one that is left out is left out, too
		again = false
		for i := 0; i < len(names); i++ {
			m := byName[names[i]]
			why := ""
			for _, r := range m.Requires {
				if why = unmet(r, byName, off, all); why != "" {
					break
				}
			}
			if why != "" {
				refuse(m, "mod %s requires %s", m.Name, why)
				names = slices.Delete(names, i, i+1)
				i--
				again = true
			}
		}
	}
	placed := map[string]bool{}
	for len(order) < len(names) {
		var next *Mod
		for _, n := range names {
			m := byName[n]
			if !placed[n] && !slices.ContainsFunc(m.Requires, func(r Requirement) bool { return !placed[r.Name] }) {
				next = m
				break
			}
		}
		if next == nil {
			break
		}
		placed[next.Name] = true
		order = append(order, next)
	}
	for _, n := range names {
		if !placed[n] {
			m := byName[n]
			if cycle := circle(m, byName); cycle != "" {
				refuse(m, "mod %s requires itself: %s; remove one of these requirements", n, cycle)
			} else {
				refuse(m, "mod %s requires mods that require each other; see the lines about those", n)
			}
		}
	}
	return order, problems
}

// unmet returns why a requirement is not met, "" if it is.
func unmet(r Requirement, byName map[string]*Mod, off map[string]bool, names []string) string {
	m := byName[r.Name]
	switch {
	case m == nil && off[r.Name]:
		return r.Name + ", which is off; turn it on in host.toml"
	case m == nil:
		return r.Name + ", which is not there" + engine.Nearest(r.Name, names) + "; add its folder"
	case m.Problem != nil:
		return r.Name + ", which is left out"
	case r.Least != "" && m.Version == "":
		return r.String() + ", and the folder " + m.Show + " has no mod.toml that says its version"
	case r.Least != "" && !AtLeast(m.Version, r.Least):
		return r.String() + ", and version " + m.Version + " is there; add a later one"
	}
	return ""
}

// circle returns the chain of requirements from a mod back to itself, "" if there is none.
func circle(m *Mod, byName map[string]*Mod) string {
	seen := map[string]bool{}
	var walk func(at *Mod) []string
	walk = func(at *Mod) []string {
		for _, r := range at.Requires {
			if r.Name == m.Name {
				return []string{at.Name, m.Name}
			}
			if next := byName[r.Name]; next != nil && !seen[r.Name] {
				seen[r.Name] = true
				if cycle := walk(next); cycle != nil {
					return append([]string{at.Name}, cycle...)
				}
			}
		}
		return nil
	}
	cycle := walk(m)
	if len(cycle) > maxCycle {
		cycle = append(append(cycle[:maxCycle-2:maxCycle-2], "…"), cycle[len(cycle)-1])
	}
	return strings.Join(cycle, " → ")
}

// Needs reports whether a mod requires another one, directly or indirectly. order is the result of Order.
func Needs(m *Mod, name string, order []*Mod) bool {
	needed := map[string]bool{m.Name: true}
	for _, o := range slices.Backward(order) { // requirements come before the mods that have them
		if needed[o.Name] {
			for _, r := range o.Requires {
				needed[r.Name] = true
			}
		}
	}
	return needed[name] && name != m.Name
}
