package scriptvm

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/tidelock/tidelock/engine"
)

// Changes returns lines about what the reload changed: defaults, with how many live actors follow and what the
// others keep; variables, conditions, functions and any other difference in what runs. It is empty if only comments
// and spaces differ, or the reload failed. It compares files, which takes as long as reading the changed ones.
func (r *ReloadResult) Changes() []string {
	if r.now == nil {
		return nil
	}
	list := slices.Clone(r.defaults)
	for _, d := range r.now.Classes.DefaultsSince(r.old.Classes, func(c *engine.Class) bool { return r.touched[c.Name] }) {
		counted := func(o engine.DefaultChange) bool { return o.Class == d.Class && o.Name == d.Name }
		if !slices.ContainsFunc(list, counted) {
			list = append(list, d) // no actor has this class
		}
	}
	var out []string
	for i := 0; i < len(list); {
		n := 1
		for i+n < len(list) && list[i+n].Prop == list[i].Prop && defaultLine(&list[i+n], "") == defaultLine(&list[i], "") {
			n++ // elements of an array that change in the same way
		}
		name := list[i].Class.Name + "." + list[i].Name
		if n > 1 {
			name += fmt.Sprintf(" and %d more", n-1)
		}
		out = append(out, defaultLine(&list[i], name))
		i += n
	}
	for _, c := range r.now.Changes(r.old) {
		out = append(out, c.String())
	}
	return out
}

// maxSummary bounds the changes that a summary lists.
const maxSummary = 8

// Summary returns the changes in one line, only the first of them if there are many.
func (r *ReloadResult) Summary() string {
	list := r.Changes()
	if len(list) == 0 {
		return "nothing that runs"
	}
	if n := len(list) - maxSummary; n > 0 {
		list = append(list[:maxSummary], fmt.Sprintf("%d more", n))
	}
	return strings.Join(list, " | ")
}

// defaultLine returns a line such as "Chest.Width 100 → 300; 3 follow, 2 keep 80".
func defaultLine(d *engine.DefaultChange, name string) string {
	var who []string
	if d.Follow > 0 {
		who = append(who, fmt.Sprintf("%d %s", d.Follow, verb(d.Follow, "follow")))
	}
	for _, k := range d.Keep {
		who = append(who, fmt.Sprintf("%d %s %s", k.Count, verb(k.Count, "keep"), defaultText(k.Value)))
	}
	if d.Others > 0 {
		who = append(who, fmt.Sprintf("%d %s other values", d.Others, verb(d.Others, "keep")))
	}
	s := fmt.Sprintf("%s %s → %s", name, defaultText(d.Old), defaultText(d.New))
	if len(who) > 0 {
		s += "; " + strings.Join(who, ", ")
	}
	return s
}

func verb(n int, word string) string {
	if n == 1 {
		return word + "s"
	}
	return word
}

// maxShownText bounds a string in a line, in bytes.
const maxShownText = 40

// defaultText formats a value as a class file would.
func defaultText(v engine.Value) string {
	number := func(n float64) string { return strconv.FormatFloat(n, 'g', -1, 32) }
	switch v.Kind {
	case engine.KindBool:
		return strconv.FormatBool(v.Num != 0)
	case engine.KindInt:
		return strconv.FormatInt(int64(v.Num), 10)
	case engine.KindFloat:
		return number(v.Num)
	case engine.KindString, engine.KindEnum:
		if len(v.Str) > maxShownText {
			return strconv.Quote(strings.ToValidUTF8(v.Str[:maxShownText], "")) + "…"
		}
		return strconv.Quote(v.Str)
	case engine.KindVector:
		return fmt.Sprintf("(%s, %s, %s)", number(v.Vec.X), number(v.Vec.Y), number(v.Vec.Z))
	case engine.KindRotator:
		return fmt.Sprintf("(%d, %d, %d)", v.Rot.Pitch, v.Rot.Yaw, v.Rot.Roll)
	case engine.KindClass:
		if v.Str != "" {
			return v.Str
		}
	default: // a reference has no default but nil; structs and arrays are shown by their members
	}
	return "nil"
}
