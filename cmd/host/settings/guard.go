package settings

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/tidelock/tidelock/cmd/host/mods"
	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/scriptvm"
)

// Limits are the limits of a class, or of all classes of a mod together (G6, G8, G9). A field of 0 is the
// default.
type Limits struct {
	// Share is the share of a tick.
	Share float64
	// Memory is what scripts may keep, in MB.
	Memory int
	// Actors is how many of a class may be alive at once; for a mod, of all its classes together.
	Actors int
}

// DefaultLimits returns those of every class and mod that host.toml does not name.
func DefaultLimits() Limits { return Limits{Share: scriptvm.DefaultShare, Memory: 64, Actors: 4096} }

// or sets missing values to those of d.
func (l Limits) or(d Limits) Limits {
	return Limits{cmp.Or(l.Share, d.Share), cmp.Or(l.Memory, d.Memory), cmp.Or(l.Actors, d.Actors)}
}

// Guard contains host.toml's tables [mods.NAME] and [classes.NAME]. The zero value has none.
type Guard struct {
	// Mods and Classes are limits by name; missing values are 0.
	Mods, Classes map[string]Limits
	// Off are the names of mods that are not used, sorted.
	Off []string

	items []guardItem
}

// guardItem is one key of a table.
type guardItem struct {
	kind, name, key string // mods, hats, share
	value           string
	line            int
}

// OfMod returns the limits of a mod.
func (g *Guard) OfMod(name string) Limits { return g.Mods[name].or(DefaultLimits()) }

// some collects by name one value of a table of limits.
func some[T comparable](limits map[string]Limits, of func(Limits) T) map[string]T {
	out := map[string]T{}
	for name, l := range limits { // any order: they are independent
		if x := of(l); x != *new(T) {
			out[name] = x
		}
	}
	return out
}

// Shares returns the shares of a tick by class and mod that are not the default, for scriptvm.Options.Shares.
// Names of mods and classes differ in their first letter: small, or a capital. g may be nil.
func (g *Guard) Shares() map[string]float64 {
	if g == nil {
		return nil
	}
	share := func(l Limits) float64 { return l.Share }
	out := some(g.Mods, share)
	maps.Copy(out, some(g.Classes, share))
	return out
}

// Memory returns how many bytes classes and mods may keep by name, if not the default, for
// scriptvm.Options.Memory. A class that is not named there counts for its mod. g may be nil.
func (g *Guard) Memory() map[string]int64 {
	if g == nil {
		return nil
	}
	memory := func(l Limits) int64 { return int64(l.Memory) << 20 }
	out := some(g.Mods, memory)
	maps.Copy(out, some(g.Classes, memory))
	return out
}

// ActorLimits returns how many actors of classes and mods may be alive, if not the default. g may be nil.
func (g *Guard) ActorLimits() (out engine.ActorLimits) {
	if g == nil {
		return out
	}
	actors := func(l Limits) int { return l.Actors }
	return engine.ActorLimits{Classes: some(g.Classes, actors), Mods: some(g.Mods, actors)}
}

// Changes lists, key by key, the differences of another file.
func (g *Guard) Changes(now *Guard) []string {
	value := func(of *Guard, like guardItem) string {
		for _, i := range of.items {
			if i.kind == like.kind && i.name == like.name && i.key == like.key {
				return i.value
			}
		}
		return "the default"
	}
	var out []string
	for _, i := range now.items {
		if was := value(g, i); was != i.value {
			out = append(out, fmt.Sprintf("[%s.%s] %s = %s", i.kind, i.name, i.key, i.value))
		}
	}
	for _, i := range g.items {
		if value(now, i) == "the default" {
			out = append(out, fmt.Sprintf("[%s.%s] %s is the default", i.kind, i.name, i.key))
		}
	}
	return out
}

// tables are the kinds of tables and their keys.
var tables = map[string][]string{"mods": {"enabled", "share", "memory", "actors"}, "classes": {"share", "memory", "actors"}}

// bounds of the keys, both included.
var bounds = map[string][2]float64{"share": {0.001, 1}, "memory": {1, 256}, "actors": {1, 65536}}

// guard reads the tables of mods and classes out of a file.
func (s *Settings) guard(raw map[string]any) error {
	s.guardian = Guard{Mods: map[string]Limits{}, Classes: map[string]Limits{}}
	at := s.lines
	var wrong []*Error
	fail := func(path, format string, args ...any) {
		line := at[path]
		for line == 0 && strings.Contains(path, ".") { // an inline table: use its own line
			path = path[:strings.LastIndexByte(path, '.')]
			line = at[path]
		}
		where := s.file
		if line > 0 {
			where = fmt.Sprintf("%s:%d", s.file, line)
		}
		wrong = append(wrong, &Error{where, fmt.Sprintf(format, args...), line})
	}
	for kind, keys := range tables { // any order: errors are sorted by line, items by name
		v, ok := raw[kind]
		if !ok {
			continue
		}
		list, ok := v.(map[string]any)
		if !ok {
			fail(kind, "%s: expected tables, one for each name: [%s.%s]", kind, kind, exampleOf(kind))
			continue
		}
		for name, v := range list {
			path := kind + "." + name
			table, ok := v.(map[string]any)
			if !ok {
				fail(path, "%q: expected a table: [%s.%s]", name, kind, exampleOf(kind))
				continue
			}
			if err := nameOf(kind, name); err != nil {
				fail(path, "%s", err)
				continue
			}
			for key, v := range table {
				if !contains(keys, key) {
					fail(path+"."+key, "unknown key %q in [%s]%s; the keys are %s, and settings of the host stand above the first table",
						key, path, engine.Nearest(key, keys), strings.Join(keys, ", "))
					continue
				}
				value, err := s.guardian.set(kind, name, key, v)
				if err != nil {
					fail(path+"."+key, "[%s] %s: %v", path, key, err)
					continue
				}
				s.guardian.items = append(s.guardian.items, guardItem{kind, name, key, value, at[path+"."+key]})
			}
		}
	}
	if len(wrong) > 0 {
		return slices.MinFunc(wrong, func(a, b *Error) int { return cmp.Or(cmp.Compare(a.line, b.line), strings.Compare(a.Text, b.Text)) })
	}
	slices.Sort(s.guardian.Off)
	slices.SortFunc(s.guardian.items, func(a, b guardItem) int { // mods first
		return cmp.Or(strings.Compare(b.kind, a.kind), strings.Compare(a.name, b.name),
			cmp.Compare(slices.Index(tables[a.kind], a.key), slices.Index(tables[a.kind], b.key)))
	})
	return nil
}

func exampleOf(kind string) string {
	if kind == "mods" {
		return "hats"
	}
	return "Rocket"
}

func nameOf(kind, name string) error {
	if kind == "mods" {
		return mods.CheckName(name)
	}
	if name == "" || name[0] < 'A' || name[0] > 'Z' {
		return fmt.Errorf("class name %q: expected one that begins with a capital: Rocket", name)
	}
	return nil
}

// set stores a key's value and returns it in TOML.
func (g *Guard) set(kind, name, key string, v any) (string, error) {
	if key == "enabled" {
		on, ok := v.(bool)
		if !ok {
			return "", fmt.Errorf("expected true or false, got %v", v)
		}
		if !on {
			g.Off = append(g.Off, name)
		}
		return strconv.FormatBool(on), nil
	}
	var n float64
	switch v := v.(type) {
	case int64:
		n = float64(v)
	case float64:
		n = v
	default:
		return "", fmt.Errorf("expected a number, got %v", v)
	}
	whole := key != "share"
	if b := bounds[key]; math.IsNaN(n) || n < b[0] || n > b[1] || whole && n != math.Trunc(n) {
		what := "a number"
		if whole {
			what = "a whole number"
		}
		return "", fmt.Errorf("%v is out of bounds; give %s, %v…%v", v, what, b[0], b[1])
	}
	list := g.Mods
	if kind == "classes" {
		list = g.Classes
	}
	l := list[name]
	switch key {
	case "share":
		l.Share = n
	case "memory":
		l.Memory = int(n)
	case "actors":
		l.Actors = int(n)
	}
	list[name] = l
	return strconv.FormatFloat(n, 'f', -1, 64), nil
}

// Guard returns the file's limits of mods and classes.
func (s *Settings) Guard() *Guard { return &s.guardian }

// GuardLines returns the tables of mods and classes in the format of host.toml, each key with its origin.
func (s *Settings) GuardLines() []string {
	d := DefaultLimits()
	out := []string{fmt.Sprintf("# limits of each class and mod that no table names: share = %v, memory = %d, actors = %d  # default", d.Share, d.Memory, d.Actors)}
	table := ""
	for _, i := range s.guardian.items {
		if head := "[" + i.kind + "." + i.name + "]"; head != table {
			out, table = append(out, "", head), head
		}
		where := s.file
		if i.line > 0 {
			where = fmt.Sprintf("%s:%d", s.file, i.line)
		}
		out = append(out, fmt.Sprintf("%s = %s  # %s", i.key, i.value, where))
	}
	return out
}

// Unknown returns warnings about names in the tables of a kind, mods or classes, that do not exist.
func (s *Settings) Unknown(kind string, known []string) []string {
	var out []string
	told := map[string]bool{}
	for _, i := range s.guardian.items {
		if i.kind != kind || told[i.name] || contains(known, i.name) {
			continue
		}
		told[i.name] = true
		out = append(out, fmt.Sprintf("%s: [%s.%s] has no effect: nothing has that name%s", s.file, kind, i.name, engine.Nearest(i.name, known)))
	}
	return out
}
