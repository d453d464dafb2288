package level_test

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tidelock/tidelock/engine/collision"
	"github.com/tidelock/tidelock/engine/geom"
	"github.com/tidelock/tidelock/engine/level"
)

func read(t testing.TB, path string) []byte {
	t.Helper()
	src, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return src
}

func parse(t testing.TB, name string, src []byte, o level.Options) *level.Level {
	t.Helper()
	lv, err := level.Parse(name, src, o)
	if err != nil {
		t.Fatal(err)
	}
	return lv
}

// TestValve: the Valve 220 format as TrenchBroom writes it.
func TestValve(t *testing.T) {
	lv := parse(t, "valve.map", read(t, "testdata/valve.map"), level.Options{})
	if lv.Scale != 2 || lv.Gravity != -500 || lv.KillZ != -200 || lv.Game != "Deathmatch" {
		t.Errorf("worldspawn: %+v", lv)
	}
	for key, want := range map[string]string{
		"message": "a \"quoted\" word, a back\\slash, two\nlines", "wad": `c:\maps\`, "mapversion": "220",
	} {
		if got, _ := lv.World.Get(key); got != want {
			t.Errorf("%s: %q, want %q", key, got, want)
		}
	}
	if len(lv.Brushes) != 2 {
		t.Fatalf("%d brushes", len(lv.Brushes))
	}
	b := lv.Brushes[0].Bounds
	if b.Min.Distance(geom.V(-128, -128, -32)) > 1e-3 || b.Max.Distance(geom.V(128, 128, 0)) > 1e-3 {
		t.Errorf("brush 0: %v", b)
	}
	if got := lv.Brushes[0].Textures; got[2] != "name with spaces" || got[4] != "{fence" || got[5] != "+0button" {
		t.Errorf("textures %q", got)
	}
	if b := lv.Brushes[1]; len(b.Faces) != 6 || b.Bounds.Max != geom.V(64, 64, 64) || b.Line != 24 {
		t.Errorf("brush 1: %+v", b)
	}
	if got := warnings(lv); len(got) != 1 || !strings.HasPrefix(got[0], "valve.map:29: a face whose three points") {
		t.Errorf("warnings %q", got)
	}
	if len(lv.Entities) != 2 {
		t.Fatalf("%d entities", len(lv.Entities))
	}
	door, start := lv.Entities[0], lv.Entities[1]
	if door.ClassName != "func_door" || len(door.Brushes) != 1 || door.Static || door.Origin != geom.V(8, 8, 8) || door.Line != 36 {
		t.Errorf("door: %+v", door)
	}
	if start.Origin != geom.V(2, 4, -7) || start.Rotation() != geom.Rot(0, 16384, 0) || start.Keys[1].Line != 52 {
		t.Errorf("start: %+v", start)
	}
	// What the caller requests goes before the key.
	lv = parse(t, "valve.map", read(t, "testdata/valve.map"), level.Options{Scale: 1})
	if lv.Scale != 1 || lv.KillZ != -100 || lv.Entities[1].Origin != geom.V(1, 2, -3.5) {
		t.Errorf("scale: %+v", lv)
	}
}

// TestQuake: the original format with CRLF, BOM, tabs, tool textures, liquids, patches and broken brushes.
func TestQuake(t *testing.T) {
	lv := parse(t, "quake.map", read(t, "testdata/quake.map"), level.Options{})
	if lv.Scale != 1 || !math.IsNaN(lv.Gravity) || !math.IsNaN(lv.KillZ) || lv.Game != "" {
		t.Errorf("worldspawn: %+v", lv)
	}
	var contents []string
	for _, b := range lv.Brushes {
		contents = append(contents, b.Contents.String())
	}
	if got := strings.Join(contents, " "); got != "solid lava portal clip empty solid solid" {
		t.Errorf("contents %s", got)
	}
	if n := len(lv.Solids()); n != 4 || !lv.Brushes[3].LinesPass {
		t.Errorf("%d solids", n)
	}
	want := []string{
		"quake.map:65: patchDef2 primitives are not supported and left out (the first of 2)",
		"quake.map:84: brushDef primitives are not supported and left out",
		"quake.map:158: a key is given twice in one entity; the last value counts",
		"quake.map:45: a brush without volume is left out (the first of 2)",
		"quake.map:61: a brush whose faces do not close is left out",
		"quake.map:160: an entity without a classname is left out",
	}
	if got := warnings(lv); strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("warnings:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	var got []string
	for i := range lv.Entities {
		e := &lv.Entities[i]
		got = append(got, fmt.Sprintf("%s %d solid %d static %v at %v", e.ClassName, len(level.Solids(e.Brushes)), len(e.Brushes), e.Static, e.Origin))
	}
	wantEntities := []string{
		"trigger_teleport 0 solid 1 static false at (16, 16, 16)",
		"func_wall 0 solid 0 static true at (216, 16, 16)",
		"func_illusionary 0 solid 1 static false at (416, 16, 16)",
		"func_rotating 1 solid 2 static false at (504, 4, 4)",
		"info_player_deathmatch 0 solid 0 static false at (0, 0, 32)",
	}
	if strings.Join(got, "\n") != strings.Join(wantEntities, "\n") {
		t.Errorf("entities:\n%s", strings.Join(got, "\n"))
	}
	if r := lv.Entities[4].Rotation(); r != geom.Rot(-16384, 0, 0) {
		t.Errorf("angle -2 looks along %v", r)
	}
}

func warnings(lv *level.Level) (out []string) {
	for _, w := range lv.Warnings {
		out = append(out, w.String())
	}
	return out
}

// TestBroken: one line that says where and what was expected.
func TestBroken(t *testing.T) {
	face := "( 0 0 0 ) ( 0 1 0 ) ( 0 0 1 ) t 0 0 0 1 1\n"
	cases := []struct{ src, want string }{
		{"", "m:1: expected an entity of classname worldspawn, found none of 0 entities"},
		{"// nothing\n\n", "m:3: expected an entity of classname worldspawn, found none of 0 entities"},
		{"{\n\"classname\" \"light\"\n}", "m:3: expected an entity of classname worldspawn, found none of 1 entities"},
		{"hello", `m:1: expected '{' to open an entity, found "hello"`},
		{"{", "m:1: expected '}' to close the entity opened in line 1, found the end of the file"},
		{"{\n\"a\" }", `m:2: expected a quoted value for the key "a", found "}"`},
		{"{\n\"a\n}", `m:2: expected '"' to close the string "a" before the end of the line`},
		{"{\n\"a", `m:2: expected '"' to close the string "a" before the end of the file`},
		{"{\nclassname", `m:2: expected a quoted key, a '{' or a '}', found "classname"`},
		{"{\n{\n" + face, "m:4: expected '}' to close the brush opened in line 2, found the end of the file"},
		{"{\n{\n" + face + "blob", `m:4: expected '(' to begin a face or '}' to close the brush, found "blob"`},
		{"{\n{\n( 0 0 x )", `m:3: expected a coordinate, found "x"`},
		{"{\n{\n( 0 0 nan )", `m:3: expected a coordinate, found "nan"`},
		{"{\n{\n( 0 0 1e999 )", `m:3: expected a coordinate, found "1e999"`},
		{"{\n{\n( 0 0 0 0 )", `m:3: expected ')' after three coordinates, found "0"`},
		{"{\n{\n( 0 0 0 ) t", `m:3: expected '(' to begin a point of the face, found "t"`},
		{"{\n{\n( 0 0 0 ) ( 0 1 0 ) ( 0 0 1 ) t 0 0 0 1\n}", `m:4: expected a number that places the texture, found "}"`},
		{"{\n{\n( 0 0 0 ) ( 0 1 0 ) ( 0 0 1 )", "m:3: expected a texture, found the end of the file"},
		{"{\n{\n( 0 0 0 ) ( 0 1 0 ) ( 0 0 1 ) t [ 0 0 0 ] 1", `m:3: expected a number of a texture axis, found "]"`},
		{"{\n{\npatchDef2\n( 3 3 )", `m:4: expected '{' after patchDef2, found "("`},
		{"{\n{\npatchDef2\n{\n{\n}", "m:6: expected '}' to close the patchDef2 in line 3, found the end of the file"},
		{"{\n\"classname\" \"worldspawn\"\n\"gravity\" \"much\"\n}", `m:3: expected a number for the key "gravity" of worldspawn, found "much"`},
		{"{\n\"classname\" \"worldspawn\"\n}\n{\n\"classname\" \"A\"\n\"origin\" \"1 2\"\n}", `m:6: expected three numbers for the key "origin", found "1 2"`},
	}
	for _, c := range cases {
		_, err := level.Parse("m", []byte(c.src), level.Options{})
		var e *level.ParseError
		if !errors.As(err, &e) || err.Error() != c.want {
			t.Errorf("%q:\n got %v\nwant %s", c.src, err, c.want)
		}
		if errors.Is(err, level.ErrLimit) {
			t.Errorf("%q: a limit", c.src)
		}
		// Line ends of another system change neither text nor line.
		if _, err := level.Parse("m", []byte(strings.ReplaceAll(c.src, "\n", "\r\n")), level.Options{}); err == nil || err.Error() != c.want {
			t.Errorf("%q with CRLF: %v", c.src, err)
		}
	}
}

func TestLimits(t *testing.T) {
	world := "{\n\"classname\" \"worldspawn\"\n"
	face := "( 0 0 0 ) ( 0 1 0 ) ( 0 0 1 ) t 0 0 0 1 1\n"
	far := func(n string) string {
		return "{\n( 0 0 0 ) ( 0 1 0 ) ( 0 0 1 ) t 0 0 0 1 1\n( 0 0 0 ) ( 0 0 1 ) ( 1 0 0 ) t 0 0 0 1 1\n" +
			"( 0 0 0 ) ( 1 0 0 ) ( 0 1 0 ) t 0 0 0 1 1\n( " + n + " 0 0 ) ( 0 0 " + n + " ) ( 0 " + n + " 0 ) t 0 0 0 1 1\n}\n"
	}
	cases := []struct{ name, src, want string }{
		{"entities", world + "}\n" + strings.Repeat("{\n}\n", level.MaxEntities), "more than 16384 entities"},
		{"brushes", world + strings.Repeat("{\n}\n", level.MaxBrushes+1) + "}\n", "more than 65536 brushes"},
		{"faces", world + "{\n" + strings.Repeat(face, level.MaxFaces+1) + "}\n}\n", "more than 128 faces in one brush"},
		{"keys", world + strings.Repeat("\"a\" \"b\"\n", level.MaxKeys+1) + "}\n", "more than 1024 keys in one entity"},
		{"string", world + "\"a\" \"" + strings.Repeat("x", level.MaxString+1) + "\"\n}", "a name or value is longer than 4096 bytes"},
		{"number", world + "{\n( 9999999 0 0 )", "the coordinate 9.999999e+06 is beyond ±1048576"},
		{"brush place", world + far("40000") + "}", "a brush reaches beyond ±32767 uu"},
		{"origin", world + "}\n{\n\"classname\" \"A\"\n\"origin\" \"40000 0 0\"\n}", "the origin (40000, 0, 0) is beyond ±32767 uu"},
		{"scale", world + "\"scale\" \"0\"\n}", "the scale 0 is outside 0.015625 to 64"},
		{"depth", world + "{\npatchDef2\n" + strings.Repeat("{", level.MaxDepth+1), "more than 16 braces nested in a patchDef2"},
		{"file", strings.Repeat(" ", level.MaxFile+1), "the file has 67108865 bytes, more than 67108864"},
	}
	for _, c := range cases {
		_, err := level.Parse("m", []byte(c.src), level.Options{})
		if !errors.Is(err, level.ErrLimit) || !strings.HasSuffix(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.name, err, c.want)
		}
	}
	if lv := parse(t, "m", []byte(world+far("30000")+"}"), level.Options{}); len(lv.Brushes) != 1 || len(lv.Warnings) != 0 {
		t.Errorf("within the limits: %d brushes, %v", len(lv.Brushes), lv.Warnings)
	}
}

// TestTruncated: a level cut anywhere is an error or, between entities, a level; never a panic.
func TestTruncated(t *testing.T) {
	for _, name := range []string{"valve.map", "quake.map"} {
		src := read(t, filepath.Join("testdata", name))
		for i := range src {
			if _, err := level.Parse(name, src[:i], level.Options{}); err != nil {
				if e := (*level.ParseError)(nil); !errors.As(err, &e) || strings.Contains(err.Error(), "\n") {
					t.Fatalf("at %d: %v", i, err)
				}
			}
		}
	}
}

func TestContentsHaveNames(t *testing.T) {
	seen := map[string]bool{}
	for c := level.Solid; c <= level.Origin; c++ {
		if s := c.String(); s == "" || seen[s] || strings.HasPrefix(s, "contents ") {
			t.Errorf("%d is called %q", c, s)
		}
		seen[c.String()] = true
	}
}

func FuzzParse(f *testing.F) {
	// Small seeds, one a feature: Go minimises what it finds, and large ones take it minutes.
	world := "{\n\"classname\" \"worldspawn\"\n"
	cube := "{\n(0 0 0)(0 1 0)(0 0 1)t 0 0 0 1 1\n(0 0 0)(0 0 1)(1 0 0)t 0 0 0 1 1\n(0 0 0)(1 0 0)(0 1 0)t 0 0 0 1 1\n" +
		"(8 8 8)(8 9 8)(9 8 8)t 0 0 0 1 1\n(8 8 8)(9 8 8)(8 8 9)t 0 0 0 1 1\n(8 8 8)(8 8 9)(8 9 8)t 0 0 0 1 1\n}\n"
	for _, s := range []string{
		world + "}", world + cube + "}", world + "\"scale\" \"2\"\n}\n{\n\"classname\" \"func_door\"\n" + cube + "}",
		world + "{\n( 0 0 0 ) ( 0 1 0 ) ( 0 0 1 ) t [ 0 1 0 0 ] [ 0 0 -1 0 ] 0 1 1\n}\n}",
		world + "{\npatchDef2\n{\n( ( 0 ) )\n}\n}\n}", world + "\"a\\\"\" \"c:\\x\\\"\n}// end",
		world + "}\n{\n\"classname\" \"A\"\n\"origin\" \"1 2 3\"\n}",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		lv, err := level.Parse("m", src, level.Options{})
		if err != nil {
			if e := (*level.ParseError)(nil); !errors.As(err, &e) || e.Line < 1 || strings.Contains(err.Error(), "\n") {
				t.Fatalf("%v", err)
			}
			return
		}
		collision.NewWorld(lv.Solids())
		for _, b := range lv.Brushes {
			if len(b.Planes) < 4 || !b.Bounds.Min.IsFinite() || !b.Bounds.Max.IsFinite() {
				t.Fatalf("%+v", b)
			}
		}
	})
}
