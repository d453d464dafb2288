package reference_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/tidelock/tidelock/cmd/host/reference"
	"github.com/tidelock/tidelock/engine/level"
)

// What stands in docs/trenchbroom is what `host fgd` would write now.
func TestEditorFilesAreFresh(t *testing.T) {
	for name, want := range load(t).Editor() {
		fresh(t, "trenchbroom/"+name, want)
	}
}

// entity is what an editor knows of a class.
type entity struct {
	kind, base string
	keys       map[string]bool
}

// Lines of entity definitions, each narrower than what TrenchBroom's FgdParser takes: a class, a key and its default, a choice of a key.
var (
	fgdClass = regexp.MustCompile(`^@(BaseClass|PointClass|SolidClass)(?: base\((\w+)\))?(?: size\((-?\d+) (-?\d+) (-?\d+), ` +
		`(-?\d+) (-?\d+) (-?\d+)\))?(?: color\(\d+ \d+ \d+\))? = (\w+)(?: : "[^"]*")?(?: \[\])?$`)
	fgdKey   = regexp.MustCompile(`^\t(\w+)\((\w+)\) : "[^"]*" : ("[^"]*"|-?\d+)? ?: "[^"]*"( =)?$`)
	fgdForms = map[string]*regexp.Regexp{ // of defaults, by type
		"string": regexp.MustCompile(`^"`), "integer": regexp.MustCompile(`^-?\d+$`), "float": regexp.MustCompile(`^"-?[\d.]+(e[-+]\d+)?"$`),
		"choices": regexp.MustCompile(`.`), "target_source": regexp.MustCompile(`^$`), "target_destination": regexp.MustCompile(`^$`),
	}
	fgdChoice = regexp.MustCompile(`^\t\t("[^"]*"|\d+) : "[^"]*"$`)
)

// readFGD reads entity definitions.
func readFGD(t *testing.T, text []byte) map[string]*entity {
	t.Helper()
	defs := map[string]*entity{}
	var now *entity
	missing := "" // the default that none of the choices so far is
	for i, line := range strings.Split(string(text), "\n") {
		class, key, choice := fgdClass.FindStringSubmatch(line), fgdKey.FindStringSubmatch(line), fgdChoice.FindStringSubmatch(line)
		wrong := ""
		switch {
		case class != nil:
			for k := 3; k < 6; k++ {
				lo, _ := strconv.Atoi(class[k])
				if hi, _ := strconv.Atoi(class[k+3]); lo > hi || lo == hi && class[k] != "" {
					wrong = "its size is none"
				}
			}
			if defs[class[9]] != nil || class[2] != "" && defs[class[2]] == nil {
				wrong = "it stands twice, or descends from what comes later"
			}
			now = &entity{class[1], class[2], map[string]bool{}}
			defs[class[9]] = now
		case key != nil:
			form := fgdForms[key[2]]
			if form == nil || key[3] != "" && !form.MatchString(key[3]) || now.keys[key[1]] || (key[4] != "") != (key[2] == "choices") {
				wrong = "the type, the default or the choices are wrong, or it stands twice"
			}
			now.keys[key[1]] = true
			if missing = ""; key[4] != "" {
				missing = key[3]
			}
		case choice != nil:
			if choice[1] == missing {
				missing = ""
			}
		case line == "\t]" && missing != "":
			wrong = "the default " + missing + " is none of the choices"
		case !slices.Contains([]string{"", "[", "]", "\t[", "\t]"}, line) && !strings.HasPrefix(line, "//"):
			wrong = "an editor cannot read it"
		}
		if wrong != "" {
			t.Errorf("line %d: %s: %s", i+1, line, wrong)
		}
	}
	return defs
}

// has reports whether an entity has a key, by itself or by what it descends from.
func has(defs map[string]*entity, e *entity, key string) bool {
	for ; e != nil; e = defs[e.base] {
		if e.keys[key] {
			return true
		}
	}
	return false
}

// The editor can read the file, and knows every entity and key of the levels that come with the host, with brushes where
// they have some.
func TestEditorKnowsTheLevels(t *testing.T) {
	files := load(t).Editor()
	defs := readFGD(t, files[reference.EditorFolder+"/Tidelock.fgd"])
	if len(defs) < 20 {
		t.Fatalf("only %d", len(defs))
	}
	for _, name := range []string{"GameInfo", "Rocket", "PlayerController", "Rifle", "Spark", "Explosion", "GameReplicationInfo", "Actor"} {
		if defs[name] != nil {
			t.Errorf("%s cannot be placed in a level", name)
		}
	}
	maps, err := filepath.Glob(filepath.Join(root, "content", "levels", "*.map"))
	if err != nil || len(maps) == 0 {
		t.Fatal(err, "no levels")
	}
	for _, file := range maps {
		src, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		lv, err := level.Parse(filepath.Base(file), src, level.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for _, k := range lv.World {
			if k.Name != "classname" && !strings.HasPrefix(k.Name, "_") && !has(defs, defs["worldspawn"], k.Name) {
				t.Errorf("%s: worldspawn has no key %s", file, k.Name)
			}
		}
		for i := range lv.Entities {
			e := &lv.Entities[i]
			d := defs[e.ClassName]
			if want := map[bool]string{true: "SolidClass", false: "PointClass"}[len(e.Brushes) > 0]; d == nil || d.kind != want {
				t.Errorf("%s:%d: %s is no %s", file, e.Line, e.ClassName, want)
				continue
			}
			for _, k := range e.Keys {
				if k.Name != "classname" && k.Name != "origin" && !strings.HasPrefix(k.Name, "_") && !has(defs, d, k.Name) {
					t.Errorf("%s:%d: %s has no key %s", file, k.Line, e.ClassName, k.Name)
				}
			}
		}
	}
}
