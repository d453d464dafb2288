package mods_test

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/tidelock/tidelock/cmd/host/mods"
)

func TestManifest(t *testing.T) {
	got, err := mods.Parse("hats/mod.toml", []byte("# worn on heads\nname = \"hats\"\nversion = \"1.2\"\nrequires = [\"caps\", \"low-gravity >= 0.3.1\"]\n"))
	want := mods.Manifest{Name: "hats", Version: "1.2", Requires: []mods.Requirement{{Name: "caps"}, {Name: "low-gravity", Least: "0.3.1"}}}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, %v", got, err)
	}
}

// What a mod.toml says wrongly, and nonsense of any size, is one line with its place.
func TestManifestErrors(t *testing.T) {
	const ok = "name = \"hats\"\nversion = \"1\"\n"
	for _, c := range []struct{ name, text, says string }{
		{"empty", "", `m: name is missing; write what the mod is called: name = "hats"`},
		{"no version", "name = \"hats\"", `m: version is missing; write which one it is: version = "1.0"`},
		{"unknown key", ok + "reqires = []", `m:3: unknown key "reqires"; did you mean "requires"?; the keys are name, requires, version`},
		{"the first wrong line", ok + "b = 1\na = 1\n", `m:3: unknown key "b"; the keys are`},
		{"a table", ok + "[limits]\nmemory = 999\n", `m:3: unknown key "limits"`},
		{"type of name", "name = 3", `m:1: name: expected a text`},
		{"form of name", "name = \"../etc\"", `m:1: mod name "../etc": small letters`},
		{"capitals", "name = \"Hats\"", `m:1: mod name "Hats": small letters`},
		{"long name", "name = \"" + strings.Repeat("a", 41) + "\"", `m:1: mod name "aaaa`},
		{"version", "name = \"hats\"\nversion = \"1.x\"", `m:2: version: expected one to four numbers`},
		{"version as a number", "name = \"hats\"\nversion = 1.2", `m:2: version: expected one to four numbers`},
		{"long version", "name = \"hats\"\nversion = \"" + strings.Repeat("9", 400) + "\"", `m:2: version: `},
		{"requires no list", ok + "requires = \"caps\"", `m:3: requires: expected a list`},
		{"requires numbers", ok + "requires = [1]", `m:3: requires: expected names of mods in quotes`},
		{"requires nonsense", ok + "requires = [\"caps <= 2\"]", `m:3: requires: "caps <= 2" is not a requirement`},
		{"requires itself", ok + "requires = [\"hats\"]", `m:3: requires: the mod names itself; remove "hats"`},
		{"requires twice", ok + "requires = [\"caps\", \"caps >= 1\"]", `m:3: requires: "caps" is listed twice`},
		{"requires many", ok + "requires = [" + strings.Repeat("\"a\",", 65) + "]", `m:3: requires: 65 mods; at most 64`},
		{"no TOML", "name = \"hats\"\nversion = = 1", `m:2: `},
		{"binary", "\x00\xff\xfe", `m: not UTF-8 text`},
		{"control characters", "na\x1b[31mme = 1", `m:1: `},
		{"deep", ok + "requires = " + strings.Repeat("[", 5000), `m:3: brackets nested more than`},
		{"a key of a thousand parts", strings.Repeat("a.", 5000) + "a = 1", `m:1: a key of more than`},
		{"braces", "name = {a = 1}", `m:1: tables in braces`},
		{"large", strings.Repeat("#\n", mods.MaxBytes), `m: more than 65536 bytes`},
	} {
		m, err := mods.Parse("m", []byte(c.text))
		var e *mods.Error
		if !errors.As(err, &e) || !strings.HasPrefix(err.Error(), c.says) {
			t.Errorf("%s: got  %v\nwant %s", c.name, err, c.says)
			continue
		}
		if !reflect.DeepEqual(m, mods.Manifest{}) {
			t.Errorf("%s: something is left: %+v", c.name, m)
		}
		if text := err.Error(); len(text) > 400 || strings.ContainsFunc(text, func(r rune) bool { return r < ' ' }) {
			t.Errorf("%s: no line: %q", c.name, text)
		}
	}
}

func FuzzManifest(f *testing.F) {
	f.Add([]byte("name = \"hats\"\nversion = \"1.0\"\nrequires = [\"caps >= 1\"]\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		m, err := mods.Parse("m", text)
		if err == nil {
			if e := mods.CheckName(m.Name); e != nil {
				t.Error(e)
			}
			return
		}
		if strings.ContainsFunc(err.Error(), func(r rune) bool { return r < ' ' }) || len(err.Error()) > 1000 {
			t.Errorf("no line: %q", err)
		}
	})
}

func TestNames(t *testing.T) {
	for folder, want := range map[string]string{"hats": "hats", "My Mod": "my-mod", "..": "mod", "Größe": "gr--e", "_x_": "x", strings.Repeat("a", 90): strings.Repeat("a", 40)} {
		got := mods.NameOf(folder)
		if got != want || mods.CheckName(got) != nil {
			t.Errorf("%s: %s", folder, got)
		}
	}
	for _, name := range []string{"", "-a", "a/b", "..", "a b", "ä", "A", strings.Repeat("a", 41)} {
		if mods.CheckName(name) == nil {
			t.Errorf("%q is a name", name)
		}
	}
}

func TestVersions(t *testing.T) {
	for _, c := range []struct {
		version, least string
		want           bool
	}{
		{"1.2", "1.2", true}, {"1.2", "1.2.0", true}, {"1.10", "1.9", true}, {"1.2", "1.2.1", false}, {"2", "1.9.9.9", true}, {"0.9", "1", false}, {"", "0.1", false},
	} {
		if got := mods.AtLeast(c.version, c.least); got != c.want {
			t.Errorf("%s >= %s: %v", c.version, c.least, got)
		}
	}
}
