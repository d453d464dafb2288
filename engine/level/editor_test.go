package level_test

import (
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/tidelock/tidelock/engine/level"
)

// Lines of a .map in the formats that TrenchBroom reads; what our own reader lets pass beyond them it need not.
var (
	number   = `(-?[0-9]+(?:\.[0-9]+)?)`
	point    = `\( ` + number + ` ` + number + ` ` + number + ` \)`
	axis     = ` \[ ` + number + ` ` + number + ` ` + number + ` ` + number + ` \]`
	mapKey   = regexp.MustCompile(`^"([^"\\]+)" "([^"\\]*)"$`)
	standard = regexp.MustCompile(`^` + point + ` ` + point + ` ` + point + ` ([A-Za-z0-9_/+*{!.-]+) ` + number + ` ` + number + ` ` + number + ` ` + number + ` ` + number + `$`)
	valve    = regexp.MustCompile(`^` + point + ` ` + point + ` ` + point + ` ([A-Za-z0-9_/+*{!.-]+)` + axis + axis + ` ` + number + ` ` + number + ` ` + number + `$`)
)

// problems lists what an editor would not take of a .map: what our own reader warns about, and what it lets pass.
func problems(text string) (out []string) {
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	bad := func(i int, what string) { out = append(out, "line "+strconv.Itoa(i+1)+": "+what) }
	face := standard
	switch {
	case len(lines) < 3 || lines[0] != "// Game: Tidelock":
		return []string{"it does not begin with the game and the format"}
	case lines[1] == "// Format: Valve":
		face = valve
	case lines[1] != "// Format: Standard":
		bad(1, "no format of ours")
	}
	lv, err := level.Parse("editor.map", []byte(text), level.Options{})
	if err != nil {
		return append(out, err.Error())
	}
	out = append(out, warnings(lv)...)
	faces, entities := 0, 0
	for i, line := range lines {
		m, n := face.FindStringSubmatch(line), mapKey.FindStringSubmatch(line)
		switch {
		case line == "{" || line == "}" || strings.HasPrefix(line, "//"):
		case n != nil && n[1] == strings.TrimSpace(n[1]):
			if n[1] == "classname" {
				if entities++; (n[2] == "worldspawn") != (entities == 1) {
					bad(i, "worldspawn is the first entity, once")
				}
			}
		case m != nil:
			if faces++; m[len(m)-1] == "0" || m[len(m)-2] == "0" {
				bad(i, "a material that is scaled by nothing")
			}
		default:
			bad(i, "no key and no face of this format: "+line)
		}
	}
	brushes := lv.Brushes
	for i := range lv.Entities {
		brushes = append(brushes, lv.Entities[i].Brushes...)
	}
	for _, b := range brushes {
		faces -= len(b.Faces)
	}
	if faces != 0 {
		out = append(out, strconv.Itoa(faces)+" faces are no side of their brush, or two of one")
	}
	return out
}

// TestLevelsAreWhatEditorsRead: every level that comes with the host is a .map that TrenchBroom opens, with nothing that it
// would have to mend.
func TestLevelsAreWhatEditorsRead(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(levels, "*.map"))
	if err != nil || len(files) < 5 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		for _, p := range problems(string(read(t, file))) {
			t.Errorf("%s: %s", filepath.Base(file), p)
		}
	}
}

// The test above can fail: each way to break a level is found.
func TestEditorsFindWhatIsBroken(t *testing.T) {
	good := string(read(t, filepath.Join(levels, "crawl.map")))
	first := "( -2000 -2000 -128 ) ( 3000 -2000 -128 ) ( 3000 2000 -128 ) floor 0 0 0 1 1\n"
	for _, c := range []struct{ name, old, new, want string }{
		{"no head", "// Game: Tidelock\n", "", "does not begin"},
		{"another format", "// Format: Standard", "// Format: Valve", "no key and no face"},
		{"a face less", first, "", "do not close"},
		{"a face twice", first, first + first, "no side"},
		{"a face that cuts nothing", first, first + strings.ReplaceAll(first, "-128", "-500"), "no side"},
		{"points on a line", "( 3000 2000 -128 ) floor", "( 8000 -2000 -128 ) floor", "on one line"},
		{"a face inside out", first, "( 3000 2000 -128 ) ( 3000 -2000 -128 ) ( -2000 -2000 -128 ) floor 0 0 0 1 1\n", ""},
		{"no scale", first, strings.Replace(first, "1 1\n", "0 1\n", 1), "scaled by nothing"},
		{"a material without a name", first, strings.Replace(first, "floor ", "", 1), ""},
		{"a quote in a value", `"message" "crawl"`, `"message" "cra"wl"`, "quoted key"},
		{"a key twice", `"message" "crawl"`, "\"message\" \"crawl\"\n\"message\" \"crawl\"", "given twice"},
		{"no class", `"classname" "worldspawn"`, `"class" "worldspawn"`, ""},
		{"an open brace", "{\n\"classname\" \"PlayerStart\"\n\"origin\" \"0 -1200 88\"\n\"angle\" \"0\"\n}\n", "{\n\"classname\" \"PlayerStart\"\n", ""},
	} {
		text := strings.Replace(good, c.old, c.new, 1)
		if text == good {
			t.Errorf("%s: nothing was changed", c.name)
		}
		if got := strings.Join(problems(text), "\n"); got == "" || !strings.Contains(got, c.want) {
			t.Errorf("%s: found %q, expected %q", c.name, got, c.want)
		}
	}
	if got := problems(good); got != nil {
		t.Error(got)
	}
}
