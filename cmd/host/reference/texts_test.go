package reference_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/tidelock/tidelock/scriptvm/api"
)

// Whatever a modder finds on the page or in an editor says what it does: a name alone sends the reader to the source.
func TestEverythingHasAText(t *testing.T) {
	m := load(t)
	for _, c := range m.Classes {
		for _, f := range c.Functions {
			if strings.TrimSpace(f.Doc) == "" {
				t.Errorf("%s:%d: %s:%s has no text in docs/lua-api.md; write a comment above it: what it does, units, what it returns, where it runs", c.File, f.Line, c.Name, f.Name)
			}
		}
		for _, p := range c.Properties {
			if strings.TrimSpace(p.Doc) == "" {
				t.Errorf("%s:%d: %s.%s has no text in docs/lua-api.md; write a comment behind it: unit and meaning", c.File, p.Line, c.Name, p.Name)
			}
		}
	}
	for _, r := range m.Records {
		for _, f := range r.Fields {
			if strings.TrimSpace(f.Doc) == "" {
				t.Errorf("record %s: %s has no text", r.Name, f.Name)
			}
		}
	}
	for _, e := range m.Events {
		if strings.TrimSpace(e.Doc) == "" {
			t.Errorf("event %s has no text", e.Name)
		}
	}
}

func record(t *testing.T, name string) *api.Record {
	t.Helper()
	for _, r := range api.Records() {
		if r.Name == name {
			return r
		}
	}
	t.Fatalf("no record %s", name)
	return nil
}

func read(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(root, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// What crosses of a shot is what the page says of shots.
func TestShotsAreDescribed(t *testing.T) {
	shot := record(t, "WeaponShot")
	for _, c := range load(t).Classes {
		if c.Name != "Weapon" {
			continue
		}
		for _, f := range c.Functions {
			if f.Name != "ServerFire" {
				continue
			}
			members := regexp.MustCompile(`(\w+): `).FindAllStringSubmatch(f.Params[0].Type, -1)
			if len(members) < 10 {
				t.Fatalf("%d members in %s", len(members), f.Params[0].Type)
			}
			for _, n := range members {
				if shot.Field(n[1]) == nil {
					t.Errorf("a shot crosses with %s, which WeaponShot in scriptvm/api/records.go does not describe", n[1])
				}
			}
			return
		}
	}
	t.Error("no Weapon:ServerFire")
}

// What a class of pawns, components or weapons can use of a move is on the page, and so are flags and keys.
func TestMovesAreDescribed(t *testing.T) {
	move := record(t, "SavedMove")
	for _, name := range []string{"core/Pawn.lua", "core/ActorComponent.lua", "core/Vehicle.lua", "shooter/ShooterPawn.lua", "lib/savedmove.lua"} {
		for _, n := range regexp.MustCompile(`\b(?:move|old|new|next)\.([A-Z]\w*)`).FindAllStringSubmatch(read(t, "scripts/"+name), -1) {
			if move.Field(n[1]) == nil {
				t.Errorf("scripts/%s uses %s of a move, which SavedMove in scriptvm/api/records.go does not describe", name, n[1])
			}
		}
	}
	page := read(t, "docs/movement.md")
	flags := regexp.MustCompile(`(?m)^savedmove\.([A-Z]+\d?) = (\d+)$`).FindAllStringSubmatch(read(t, "scripts/lib/savedmove.lua"), -1)
	if len(flags) < 8 {
		t.Fatalf("%d flags in lib/savedmove.lua", len(flags))
	}
	for _, f := range flags {
		if f[1] != "WRAP" && !strings.Contains(page, "| `"+f[1]+"` | "+f[2]+" |") {
			t.Errorf("docs/movement.md does not describe the flag %s = %s", f[1], f[2])
		}
	}
	for _, c := range load(t).Classes {
		for _, p := range c.Properties {
			key := regexp.MustCompile(`^[ab][A-Z]`).MatchString(p.Name) || p.Name == "WeaponKey" || p.Name == "ViewRotation"
			if c.Name == "Controller" && key && !strings.Contains(page, "`"+p.Name+"`") {
				t.Errorf("docs/movement.md does not describe the key %s", p.Name)
			}
		}
	}
}
