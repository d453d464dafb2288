package scriptvm

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/scriptvm/classfile"
)

// A class file may be deleted while actors of its class exist. The class is then kept as it was, with the files
// that it needs, so that one deleted file does not block every other save. It is removed by the first reload after
// its last actor.

// kept holds the files that a reload keeps though they were deleted.
type kept struct {
	files   []classfile.Source
	classes []string
	notes   []string
	// others are deleted files too, which nothing is known to need.
	others []classfile.Source
}

// keep determines which files of the present program a new set of files has to keep.
func (v *VM) keep(sources []classfile.Source) kept {
	there, brought := map[string]bool{}, map[string]bool{}
	for i := range sources {
		s := &sources[i]
		there[s.Path] = true
		if s.Lib == "" && !s.Multi {
			brought[className(s.Path)] = true // a file has the name of its class
		}
	}
	gone := map[string]*classfile.Source{}
	for i := range v.sources {
		if s := &v.sources[i]; !there[s.Path] && !s.Multi && !(s.Lib == "" && brought[className(s.Path)]) {
			gone[s.Path] = s
		}
	}
	if len(gone) == 0 {
		return kept{}
	}
	live := map[*engine.Class]int{}
	v.world.EachActor(func(a *engine.Actor) { live[a.Class]++ })
	needs := map[string]string{} // path to reason
	for _, c := range v.program.Classes.All() {
		file := c.Spec.Pos.File
		if live[c] == 0 || gone[file] == nil {
			continue
		}
		is := fmt.Sprintf("%d actors of class %s live", live[c], c.Name)
		if live[c] == 1 {
			is = fmt.Sprintf("1 actor of class %s lives", c.Name)
		}
		needs[file] = fmt.Sprintf("%s is gone, and %s: the class is kept as it was until a reload finds none", file, is)
		for up := c.Parent; up != nil; up = up.Parent {
			if f := up.Spec.Pos.File; gone[f] != nil && needs[f] == "" {
				needs[f] = fmt.Sprintf("%s is gone, and class %s, which is kept, descends from %s: it is kept, too", f, c.Name, up.Name)
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(v.modules)) {
		m := v.modules[name]
		if f := m.file.Path; gone[f] != nil {
			for _, user := range slices.Sorted(maps.Keys(m.users)) {
				if needs[user] != "" {
					needs[f] = fmt.Sprintf("%s is gone, and %s, which is kept, requires %s: it is kept, too", f, user, name)
				}
			}
		}
	}
	var k kept
	for _, f := range slices.Sorted(maps.Keys(gone)) {
		if needs[f] != "" {
			k.add(gone[f], needs[f])
		} else {
			k.others = append(k.others, *gone[f])
		}
	}
	return k
}

func (k *kept) add(s *classfile.Source, why string) {
	k.files = append(k.files, *s)
	k.notes = append(k.notes, why)
	if s.Lib == "" {
		k.classes = append(k.classes, className(s.Path))
	}
}

// spread keeps all deleted files if the kept ones cannot be loaded without them; it reports whether that may help.
func (k *kept) spread(diags []engine.Diagnostic) bool {
	if len(k.files) == 0 || len(k.others) == 0 {
		return false
	}
	for _, d := range diags {
		ours := func(s classfile.Source) bool { return s.Path == d.Pos.File }
		if d.Severity == engine.SevError && !slices.ContainsFunc(k.files, ours) {
			return false
		}
	}
	for i := range k.others {
		s := &k.others[i]
		k.add(s, fmt.Sprintf("%s is gone, and a class that is kept names what is in it: it is kept, too", s.Path))
	}
	k.others = nil
	return true
}

// with returns a set of files with the kept ones added in order of paths.
func (k *kept) with(sources []classfile.Source) []classfile.Source {
	if len(k.files) == 0 {
		return sources
	}
	byPath := func(a, b classfile.Source) int { return strings.Compare(a.Path, b.Path) }
	out := append(slices.Clone(sources), k.files...)
	if slices.IsSortedFunc(sources, byPath) {
		slices.SortFunc(out, byPath)
	}
	return out
}

// className returns the class that a file declares: it has its name.
func className(path string) string {
	path = path[strings.LastIndexByte(path, '/')+1:]
	return strings.TrimSuffix(path, ".lua")
}
