package versions_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/tidelock/tidelock/cmd/host/assets"
	"github.com/tidelock/tidelock/cmd/host/versions"
	"github.com/tidelock/tidelock/tests/tier"
)

// file is a class with two variables, and one that is inherited.
func file(class string, a, b int) assets.Script {
	return assets.Script{Path: "scripts/" + class + ".lua", Text: fmt.Sprintf(
		"-- %s\nlocal %[1]s = class(%[1]q, \"Actor\")\n\n%[1]s.properties {\n\tA = int(%[2]d), -- the first\n\tB = %[3]d,\n}\n\nreturn %[1]s\n", class, a, b)}
}

func tuned(class, variable, value string) versions.Tuned {
	return versions.Tuned{Class: class, Variable: variable, Value: value, Path: "scripts/" + class + ".lua"}
}

// valuesOf reads the variables of a text.
func valuesOf(text string) map[string]string {
	out := map[string]string{}
	for _, l := range strings.Split(text, "\n") {
		name, v, ok := strings.Cut(strings.TrimSpace(l), " = ")
		if !ok || strings.HasPrefix(name, "local") {
			continue
		}
		v, _, _ = strings.Cut(v, ",")
		out[name] = strings.TrimSuffix(strings.TrimPrefix(v, "int("), ")")
	}
	return out
}

func texts(list []assets.Script) map[string]map[string]string {
	out := map[string]map[string]string{}
	for _, s := range list {
		out[s.Path] = valuesOf(s.Text)
	}
	return out
}

// TestVersions: whatever is set, unset, saved, undone and redone, what runs is what a model says, and the differences from the files are those that
// there are.
func TestVersions(t *testing.T) {
	tier.Check(t, func(t *rapid.T) {
		type state struct {
			files map[string][2]int // as read
			tuned map[string]string // Class.Variable
		}
		files := func(m map[string][2]int) (out []assets.Script) {
			for _, c := range slices.Sorted(maps.Keys(m)) {
				out = append(out, file(c, m[c][0], m[c][1]))
			}
			return out
		}
		disk := map[string][2]int{"Cat": {1, 2}, "Dog": {3, 4}}
		model, at := []state{{disk, map[string]string{}}}, 0
		v := versions.New(files(disk))
		push := func(s state) {
			if maps.Equal(s.files, model[at].files) && maps.Equal(s.tuned, model[at].tuned) {
				return // nothing changed
			}
			model = append(model[:at+1:at+1], s)
			if len(model) > versions.Kept+1 {
				model = model[1:]
			}
			at = len(model) - 1
		}
		class := rapid.SampledFrom([]string{"Cat", "Dog"})
		variable := rapid.SampledFrom([]string{"A", "B", "NetPriority"})
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			now := model[at]
			fails := rapid.IntRange(0, 9).Draw(t, "fails") == 0 // it does not run: nothing is committed
			commit := func(p versions.Pending, err error, s state) {
				if err != nil {
					t.Fatal(err)
				}
				if !fails {
					v.Commit(p)
					push(s)
				}
			}
			switch rapid.IntRange(0, 4).Draw(t, "what") {
			case 0:
				c, x, value := class.Draw(t, "class"), variable.Draw(t, "variable"), fmt.Sprint(rapid.IntRange(0, 99).Draw(t, "value"))
				p, err := v.Set(tuned(c, x, value))
				next := state{now.files, maps.Clone(now.tuned)}
				next.tuned[c+"."+x] = value
				commit(p, err, next)
			case 1:
				c, x := class.Draw(t, "class"), variable.Draw(t, "variable")
				p, err := v.Unset(c, x)
				if _, ok := now.tuned[c+"."+x]; !ok {
					if err == nil {
						t.Fatal("something that was not set is unset")
					}
					continue
				}
				next := state{now.files, maps.Clone(now.tuned)}
				delete(next.tuned, c+"."+x)
				commit(p, err, next)
			case 2: // a file is saved
				disk = maps.Clone(disk)
				disk[class.Draw(t, "class")] = [2]int{rapid.IntRange(0, 9).Draw(t, "a"), rapid.IntRange(0, 9).Draw(t, "b")}
				p := v.Read(files(disk), "saved")
				v.Files(files(disk))
				if len(p.Dropped) > 0 {
					t.Fatal(p.Dropped)
				}
				next := state{disk, map[string]string{}}
				for k, value := range now.tuned {
					c, x, _ := strings.Cut(k, ".")
					if x == "A" && fmt.Sprint(disk[c][0]) == value || x == "B" && fmt.Sprint(disk[c][1]) == value {
						continue // the file has it by now
					}
					next.tuned[k] = value
				}
				commit(p, nil, next)
			default:
				n := rapid.IntRange(-3, 3).Draw(t, "back")
				p, err := v.Step(n)
				if to := at - n; to < 0 || to >= len(model) {
					if err == nil {
						t.Fatal("beyond the versions")
					}
					continue
				} else if err != nil {
					t.Fatal(err)
				} else if !fails {
					v.Commit(p)
					at = to
				}
			}
			want := map[string]map[string]string{}
			now = model[at]
			for c, f := range now.files {
				want["scripts/"+c+".lua"] = map[string]string{"A": fmt.Sprint(f[0]), "B": fmt.Sprint(f[1])}
			}
			for k, value := range now.tuned {
				c, x, _ := strings.Cut(k, ".")
				want["scripts/"+c+".lua"][x] = value
			}
			got := texts(v.Running())
			for path, values := range want {
				if !maps.Equal(got[path], values) {
					t.Fatalf("%s runs with %v, want %v", path, got[path], values)
				}
			}
			if len(v.Tuned()) != len(now.tuned) || v.Undone() != len(model)-1-at {
				t.Fatalf("set: %v, want %v; %d undone of %d", v.Tuned(), now.tuned, v.Undone(), len(model)-1-at)
			}
			var differ []string
			for _, s := range files(disk) {
				if !maps.Equal(got[s.Path], valuesOf(s.Text)) {
					differ = append(differ, s.Path)
				}
			}
			if list := v.Differences(); !slices.Equal(list, differ) {
				// A default that is set to what the file has by itself does not count.
				t.Fatalf("differ: %v, want %v", list, differ)
			}
		}
	})
}

// TestDropped: what is set and no longer fits the files is told and gone.
func TestDropped(t *testing.T) {
	v := versions.New([]assets.Script{file("Cat", 1, 2), file("Dog", 3, 4)})
	for _, x := range []versions.Tuned{tuned("Cat", "A", "5"), tuned("Dog", "A", "6")} {
		p, err := v.Set(x)
		if err != nil {
			t.Fatal(err)
		}
		v.Commit(p)
	}
	enum := file("Cat", 1, 2)
	enum.Text = strings.Replace(enum.Text, "int(1)", `enum("X", "Y")`, 1)
	p := v.Read([]assets.Script{enum}, "saved")
	if len(p.Dropped) != 2 || !strings.Contains(fmt.Sprint(p.Dropped), "enum(…)") || !strings.Contains(fmt.Sprint(p.Dropped), "Dog.lua is gone") {
		t.Error(p.Dropped)
	}
	if v.Commit(p); len(v.Tuned()) != 0 {
		t.Error(v.Tuned())
	}
}
