package level_test

import (
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/tidelock/tidelock/engine/geom"
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

const (
	editorWorld = 32768   // map units: an editor's world ends there
	onPlane     = 1.0 / 8 // map units that a corner may be off
)

// editorPlane is a face's: what is in front of it, along normal, is outside of the brush.
type editorPlane struct {
	normal geom.Vector
	dist   float64
}

// problems lists what an editor would not take of a .map, by line.
func problems(text string) (out []string) {
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	bad := func(i int, what string) { out = append(out, "line "+strconv.Itoa(i+1)+": "+what) }
	if len(lines) < 3 || lines[0] != "// Game: Tidelock" || !strings.HasPrefix(lines[1], "// Format: ") {
		bad(0, "it does not begin with the game and the format")
		return out
	}
	face := standard
	switch lines[1] {
	case "// Format: Standard":
	case "// Format: Valve":
		face = valve
	default:
		bad(1, "no format of ours")
	}
	depth, entities := 0, 0
	var faces []editorPlane
	keys := map[string]bool{}
	for i, line := range lines {
		switch {
		case strings.HasPrefix(line, "//"):
		case line == "{" && depth < 2:
			if depth++; depth == 1 {
				entities++
				clear(keys)
			}
			faces = faces[:0]
		case line == "}" && depth > 0:
			if depth == 2 {
				for _, what := range brushProblems(faces) {
					bad(i, what)
				}
			} else if !keys["classname"] {
				bad(i, "an entity without a classname")
			}
			depth--
		case depth == 1:
			m := mapKey.FindStringSubmatch(line)
			if m == nil || keys[m[1]] || m[1] != strings.TrimSpace(m[1]) {
				bad(i, "no key, or one twice: "+line)
				continue
			}
			keys[m[1]] = true
			if m[1] == "classname" && (m[2] == "worldspawn") != (entities == 1) {
				bad(i, "worldspawn is the first entity, once")
			}
		case depth == 2:
			m := face.FindStringSubmatch(line)
			if m == nil {
				bad(i, "no face of this format: "+line)
				continue
			}
			n := make([]float64, len(m))
			for k := range m {
				n[k], _ = strconv.ParseFloat(m[k], 64) // the material is none
			}
			p := [3]geom.Vector{geom.V(n[1], n[2], n[3]), geom.V(n[4], n[5], n[6]), geom.V(n[7], n[8], n[9])}
			normal := p[2].Sub(p[0]).Cross(p[1].Sub(p[0]))
			if normal.Size() < 1e-3 {
				bad(i, "three points of a face lie on one line")
				continue
			}
			if n[len(n)-1] == 0 || n[len(n)-2] == 0 {
				bad(i, "a material that is scaled by nothing")
			}
			normal = normal.Normal()
			faces = append(faces, editorPlane{normal, normal.Dot(p[0])})
		default:
			bad(i, "what is this: "+line)
		}
	}
	if depth != 0 {
		bad(len(lines)-1, "a brace is not closed")
	}
	return out
}

// brushProblems lists what is wrong with a brush: faces that say the same, open sides, faces that are no part of it.
func brushProblems(faces []editorPlane) (out []string) {
	if len(faces) < 4 {
		return []string{"a brush with fewer than four faces"}
	}
	for i, f := range faces {
		for _, o := range faces[:i] {
			if f.normal.Dot(o.normal) > 1-1e-6 && math.Abs(f.dist-o.dist) < onPlane {
				return []string{"two faces of a brush lie in one plane"}
			}
		}
	}
	edges := map[[2]geom.Vector]int{}
	for i := range faces {
		side := sideOf(faces, i)
		if len(side) < 3 {
			out = append(out, "a face that is no side of its brush")
			continue
		}
		for k, a := range side {
			b := side[(k+1)%len(side)]
			if math.Max(math.Abs(a.X), math.Max(math.Abs(a.Y), math.Abs(a.Z))) > editorWorld {
				return append(out, "a brush is open, or ends outside of the world")
			}
			edges[[2]geom.Vector{rounded(a), rounded(b)}]++
			edges[[2]geom.Vector{rounded(b), rounded(a)}]--
		}
	}
	for _, n := range edges { // each edge belongs to two faces, which go along it in opposite directions
		if n != 0 {
			return append(out, "a brush is not closed")
		}
	}
	return out
}

func rounded(v geom.Vector) geom.Vector {
	r := func(x float64) float64 { return math.Round(x*4)/4 + 0 }
	return geom.V(r(v.X), r(v.Y), r(v.Z))
}

// sideOf cuts a huge polygon in a face's plane down to what lies within all other faces.
func sideOf(faces []editorPlane, i int) []geom.Vector {
	f := faces[i]
	up := geom.V(0, 0, 1)
	if math.Abs(f.normal.Z) > 0.9 {
		up = geom.V(1, 0, 0)
	}
	right := up.Cross(f.normal).Normal()
	up = f.normal.Cross(right)
	const far = 8 * editorWorld
	at := f.normal.Mul(f.dist)
	side := []geom.Vector{
		at.Add(right.Mul(-far)).Add(up.Mul(-far)), at.Add(right.Mul(far)).Add(up.Mul(-far)),
		at.Add(right.Mul(far)).Add(up.Mul(far)), at.Add(right.Mul(-far)).Add(up.Mul(far)),
	}
	for k, o := range faces {
		if k == i {
			continue
		}
		var cut []geom.Vector
		for n, a := range side {
			b := side[(n+1)%len(side)]
			da, db := o.normal.Dot(a)-o.dist, o.normal.Dot(b)-o.dist
			if da <= onPlane {
				cut = append(cut, a)
			}
			if (da < -onPlane && db > onPlane) || (da > onPlane && db < -onPlane) {
				cut = append(cut, a.Add(b.Sub(a).Mul(da/(da-db))))
			}
		}
		side = cut
	}
	return side
}

// TestLevelsAreWhatEditorsRead: every level that comes with the host is a .map that TrenchBroom opens, with nothing that it
// would have to mend.
func TestLevelsAreWhatEditorsRead(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("..", "..", "content", "levels", "*.map"))
	if err != nil || len(files) < 5 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range problems(string(text)) {
			t.Errorf("%s: %s", filepath.Base(file), p)
		}
	}
}

// The test above can fail: each way to break a level is found.
func TestEditorsFindWhatIsBroken(t *testing.T) {
	src, err := os.ReadFile(filepath.Join("..", "..", "content", "levels", "crawl.map"))
	if err != nil {
		t.Fatal(err)
	}
	good := string(src)
	first := "( -2000 -2000 -128 ) ( 3000 -2000 -128 ) ( 3000 2000 -128 ) floor 0 0 0 1 1\n"
	for _, c := range []struct{ name, old, new, want string }{
		{"no head", "// Game: Tidelock\n", "", "does not begin"},
		{"another format", "// Format: Standard", "// Format: Valve", "no face of this format"},
		{"a face less", first, "", "open"},
		{"a face twice", first, first + first, "one plane"},
		{"a face that cuts nothing", first, first + strings.ReplaceAll(first, "-128", "-500"), "no side"},
		{"points on a line", "( 3000 2000 -128 ) floor", "( 8000 -2000 -128 ) floor", "on one line"},
		{"a face inside out", first, "( 3000 2000 -128 ) ( 3000 -2000 -128 ) ( -2000 -2000 -128 ) floor 0 0 0 1 1\n", ""},
		{"no scale", first, strings.Replace(first, "1 1\n", "0 1\n", 1), "scaled by nothing"},
		{"a material without a name", first, strings.Replace(first, "floor ", "", 1), "no face"},
		{"a quote in a value", `"message" "crawl"`, `"message" "cra"wl"`, "no key"},
		{"a key twice", `"message" "crawl"`, "\"message\" \"crawl\"\n\"message\" \"crawl\"", "one twice"},
		{"no class", `"classname" "worldspawn"`, `"class" "worldspawn"`, "without a classname"},
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
