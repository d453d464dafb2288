package mods_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/tidelock/tidelock/cmd/host/mods"
)

// mod is one called name, of version 1.0, with requirements as mod.toml has them.
func mod(t *testing.T, name string, requires ...string) *mods.Mod {
	t.Helper()
	list := ""
	for _, r := range requires {
		list += fmt.Sprintf("%q,", r)
	}
	m, err := mods.Parse("s/"+name+"/mod.toml", fmt.Appendf(nil, "name = %q\nversion = \"1.0\"\nrequires = [%s]\n", name, list))
	if err != nil {
		t.Fatal(err)
	}
	return &mods.Mod{Manifest: m, Show: "s/" + name}
}

func off(m *mods.Mod) *mods.Mod {
	m.Off = true
	return m
}

// Mods come after what they require, and else by name; each that cannot be used has one line, and the others go on.
func TestOrder(t *testing.T) {
	for _, c := range []struct {
		name  string
		list  []*mods.Mod
		order string
		says  []string
	}{
		{"none", nil, "", nil},
		{"by name", []*mods.Mod{mod(t, "c"), mod(t, "a"), mod(t, "b")}, "a b c", nil},
		{"requirements first", []*mods.Mod{mod(t, "a", "c"), mod(t, "b"), mod(t, "c")}, "b c a", nil},
		{"a version that is there", []*mods.Mod{mod(t, "a", "b >= 1.0"), mod(t, "b")}, "b a", nil},
		{"missing", []*mods.Mod{mod(t, "hats", "cap"), mod(t, "caps"), mod(t, "z", "hats")}, "caps", []string{
			`s/hats/mod.toml: mod hats requires cap, which is not there; did you mean "caps"?; add its folder`,
			`s/z/mod.toml: mod z requires hats, which is left out`,
		}},
		{"left out comes later in the alphabet", []*mods.Mod{mod(t, "a", "z"), mod(t, "z", "none")}, "", []string{
			`s/a/mod.toml: mod a requires z, which is left out`, `s/z/mod.toml: mod z requires none, which is not there; add its folder`,
		}},
		{"too old", []*mods.Mod{mod(t, "a", "b >= 1.1"), mod(t, "b")}, "b", []string{
			`s/a/mod.toml: mod a requires b >= 1.1, and version 1.0 is there; add a later one`,
		}},
		{"no version", []*mods.Mod{mod(t, "a", "b >= 0.1"), {Manifest: mods.Manifest{Name: "b"}, Show: "x/b", Bare: true}}, "b", []string{
			`s/a/mod.toml: mod a requires b >= 0.1, and the folder x/b has no mod.toml that says its version`,
		}},
		{"off", []*mods.Mod{mod(t, "a", "b"), off(mod(t, "b")), off(mod(t, "c", "none"))}, "", []string{
			`s/a/mod.toml: mod a requires b, which is off; turn it on in host.toml`,
		}},
		{"twice", []*mods.Mod{mod(t, "a"), mod(t, "a")}, "a", []string{`s/a/mod.toml: mod a already exists, in s/a; give one of them another name or remove it`}},
		{"a circle", []*mods.Mod{mod(t, "a", "b"), mod(t, "b", "c"), mod(t, "c", "a"), mod(t, "d", "c"), mod(t, "e")}, "e", []string{
			`s/a/mod.toml: mod a requires itself: a → b → c → a; remove one of these requirements`,
			`s/b/mod.toml: mod b requires itself: b → c → a → b; remove one of these requirements`,
			`s/c/mod.toml: mod c requires itself: c → a → b → c; remove one of these requirements`,
			`s/d/mod.toml: mod d requires mods that require each other; see the lines about those`,
		}},
	} {
		order, problems := mods.Order(c.list)
		var names, says []string
		for _, m := range order {
			names = append(names, m.Name)
			if m.Problem != nil {
				t.Errorf("%s: %s is used and has a problem", c.name, m.Name)
			}
		}
		for _, p := range problems {
			says = append(says, p.Error())
		}
		slices.Sort(says)
		want := slices.Clone(c.says)
		slices.Sort(want)
		if got := strings.Join(names, " "); got != c.order || !slices.Equal(says, want) {
			t.Errorf("%s: order %q, want %q\n got  %q\n want %q", c.name, got, c.order, says, want)
		}
	}
}

// A circle of hundreds is a short line each, and quick; what goes beyond the bound is left out.
func TestOrderOfMany(t *testing.T) {
	var list []*mods.Mod
	for i := range mods.Max + 10 {
		list = append(list, mod(t, fmt.Sprintf("m%d", i), fmt.Sprintf("m%d", (i+1)%mods.Max)))
	}
	order, problems := mods.Order(list)
	if len(order) != 0 || len(problems) != len(list) {
		t.Errorf("%d in order, %d problems", len(order), len(problems))
	}
	for _, p := range problems {
		if len(p.Error()) > 300 {
			t.Fatal(p)
		}
	}
}

func TestNeeds(t *testing.T) {
	order, _ := mods.Order([]*mods.Mod{mod(t, "a"), mod(t, "b", "a"), mod(t, "c", "b"), mod(t, "d")})
	for _, c := range []struct {
		who  int
		what string
		want bool
	}{{2, "a", true}, {2, "b", true}, {1, "a", true}, {3, "a", false}, {0, "c", false}, {0, "a", false}} {
		if got := mods.Needs(order[c.who], c.what, order); got != c.want {
			t.Errorf("%s needs %s: %v", order[c.who].Name, c.what, got)
		}
	}
}
