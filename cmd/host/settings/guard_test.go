package settings

import (
	"reflect"
	"strings"
	"testing"

	"github.com/BurntSushi/toml"

	"github.com/tidelock/tidelock/cmd/host/plain"
	"github.com/tidelock/tidelock/engine"
)

// read is the settings of a file that has tables alone.
func read(t *testing.T, text string) (*Settings, error) {
	t.Helper()
	raw := map[string]any{}
	if _, err := toml.Decode(text, &raw); err != nil {
		t.Fatal(err)
	}
	s := New("serve", nil)
	s.file, s.lines = "host.toml", plain.Lines(text)
	return s, s.guard(raw)
}

func TestGuard(t *testing.T) {
	s, err := read(t, "[mods.hats]\nenabled = false\nshare = 0.5\n\n[ mods . \"low-gravity\" ]\nmemory = 100\nenabled = true\n[classes.Rocket]\nactors = 10\n")
	if err != nil {
		t.Fatal(err)
	}
	g := s.Guard()
	d := DefaultLimits()
	for _, c := range []struct {
		what      string
		got, want any
	}{
		{"hats", g.OfMod("hats"), Limits{0.5, d.Memory, d.Actors}},
		{"low-gravity", g.OfMod("low-gravity"), Limits{d.Share, 100, d.Actors}},
		{"another mod", g.OfMod("caps"), d},
		{"Rocket", g.Classes["Rocket"], Limits{Actors: 10}},
		{"off", g.Off, []string{"hats"}},
		{"shares", g.Shares(), map[string]float64{"hats": 0.5}},
		{"memory", g.Memory(), map[string]int64{"low-gravity": 100 << 20}},
		{"actors", g.ActorLimits(), engine.ActorLimits{Classes: map[string]int{"Rocket": 10}, Mods: map[string]int{}}},
		{"lines", s.GuardLines()[1:], []string{
			"", "[mods.hats]", "enabled = false  # host.toml:2", "share = 0.5  # host.toml:3", "", "[mods.low-gravity]", "enabled = true  # host.toml:7", "memory = 100  # host.toml:6",
			"", "[classes.Rocket]", "actors = 10  # host.toml:9",
		}},
		{"unknown", s.Unknown("mods", []string{"hat"}), []string{
			`host.toml: [mods.hats] has no effect: nothing has that name; did you mean "hat"?`, `host.toml: [mods.low-gravity] has no effect: nothing has that name`,
		}},
	} {
		if !reflect.DeepEqual(c.got, c.want) {
			t.Errorf("%s: got  %v\nwant %v", c.what, c.got, c.want)
		}
	}
	other, err := read(t, "[mods.hats]\nshare = 0.25\n[mods.caps]\nenabled = false\n")
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"[mods.caps] enabled = false", "[mods.hats] share = 0.25", "[mods.hats] enabled is the default", "[mods.low-gravity] enabled is the default",
		"[mods.low-gravity] memory is the default", "[classes.Rocket] actors is the default",
	}
	if got := g.Changes(other.Guard()); !reflect.DeepEqual(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	if got := g.Changes(g); got != nil {
		t.Errorf("nothing changed, and %q", got)
	}
	if none := New("serve", nil); len(none.Guard().Shares()) != 0 || none.Guard().OfMod("hats") != d || len(none.GuardLines()) != 1 {
		t.Error("without a file there are limits")
	}
}

// What is wrong in the tables is one line with its place; the first in the file is told.
func TestGuardErrors(t *testing.T) {
	for _, c := range []struct{ text, says string }{
		{"[mods.hats]\nshare = 0.5\nmemroy = 1\n", `host.toml:3: unknown key "memroy" in [mods.hats]; did you mean "memory"?`},
		{"[mods.hats]\nb = 1\na = 1\n[classes.Rocket]\nc = 1\n", `host.toml:2: unknown key "b" in [mods.hats]`},
		{"[classes.Rocket]\nenabled = false\n", `host.toml:2: unknown key "enabled" in [classes.Rocket]`},
		{"[mods.hats]\ntick = 30\n", `host.toml:2: unknown key "tick" in [mods.hats]; the keys are enabled, share, memory, actors, and settings of the host stand above`},
		{"[mods.Hats]\n", `host.toml:1: mod name "Hats": small letters`},
		{"[mods.\"../x\"]\n", `host.toml:1: mod name "../x": small letters`},
		{"[classes.rocket]\n", `host.toml:1: class name "rocket": expected one that begins with a capital`},
		{"mods = 1\n", `host.toml:1: mods: expected tables, one for each name: [mods.hats]`},
		{"mods.hats = 1\n", `host.toml:1: "hats": expected a table: [mods.hats]`},
		{"[mods.hats]\nenabled = 0\n", `host.toml:2: [mods.hats] enabled: expected true or false, got 0`},
		{"[mods.hats]\nshare = \"all\"\n", `host.toml:2: [mods.hats] share: expected a number, got all`},
		{"[mods.hats]\nshare = 0\n", `host.toml:2: [mods.hats] share: 0 is out of bounds; give a number, 0.001…1`},
		{"[mods.hats]\nshare = nan\n", `host.toml:2: [mods.hats] share: NaN is out of bounds`},
		{"[mods.hats]\nmemory = 257\n", `host.toml:2: [mods.hats] memory: 257 is out of bounds; give a whole number, 1…256`},
		{"mods.hats = { actors = 1.5 }\n", `host.toml:1: [mods.hats] actors: 1.5 is out of bounds; give a whole number, 1…65536`},
	} {
		if _, err := read(t, c.text); err == nil || !strings.HasPrefix(err.Error(), c.says) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q\ngot  %v\nwant %s", c.text, err, c.says)
		}
	}
}
