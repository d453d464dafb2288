package scenario_test

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tidelock/tidelock/cmd/host/scenario"
)

var update = flag.Bool("update", false, "write the golden files anew")

// run is Main on files of testdata.
func run(t *testing.T, o scenario.Options) (code int, out, errs string) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	o.Out, o.Err = &stdout, &stderr
	if o.Root == "" {
		o.Root = "../../.."
	}
	code = scenario.Main(o)
	return code, stdout.String(), stderr.String()
}

// golden holds an output to a file of testdata.
func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s:\ngot\n%s\nwant\n%s", file, got, want)
	}
}

func TestOutput(t *testing.T) {
	for _, c := range []struct {
		name string
		opt  scenario.Options
		code int
	}{
		{"passing", scenario.Options{Files: []string{"testdata/passing.lua"}}, 0},
		{"passing-v", scenario.Options{Files: []string{"testdata/passing.lua"}, Verbose: true}, 0},
		{"failing", scenario.Options{Files: []string{"testdata/failing.lua"}}, 1},
		{"failing-seed", scenario.Options{Files: []string{"testdata/failing.lua"}, Run: "second of three", Seed: 40, Seeds: 2}, 1},
		{"run", scenario.Options{Files: []string{"testdata/passing.lua", "testdata/failing.lua"}, Run: "^case|^a check$"}, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			code, out, errs := run(t, c.opt)
			golden(t, c.name+".golden", out)
			if code != c.code || errs != "" {
				t.Errorf("exit %d, want %d; stderr %q", code, c.code, errs)
			}
			if _, again, _ := run(t, c.opt); again != out {
				t.Error("the same seed gave another output")
			}
		})
	}
}

func TestUsageAndLoadErrors(t *testing.T) {
	for _, c := range []struct {
		name string
		opt  scenario.Options
		want string
	}{
		{"none", scenario.Options{}, "host test: no scenario file given\n"},
		{"missing", scenario.Options{Files: []string{"testdata/nowhere.lua"}}, "host test: testdata/nowhere.lua: there is no such file or folder; give scenario files, or folders of them\n"},
		{"empty", scenario.Options{Files: []string{"testdata/empty.lua"}}, "testdata/empty.lua: the file has no scenario\n"},
		{"broken", scenario.Options{Files: []string{"testdata/broken.lua"}}, "testdata/broken.lua:3:1: unexpected 'end'; '(' of 2:6 wants ')' first\n"},
		{"unknown name", scenario.Options{Files: []string{"testdata/unknown.lua"}}, "testdata/unknown.lua:1:27: unknown name 'print'\n"},
		{"nothing matches", scenario.Options{Files: []string{"testdata/passing.lua"}, Run: "R99"}, "testdata/passing.lua: no scenario of the file matches --run \"R99\"\n"},
		{"bad pattern", scenario.Options{Files: []string{"testdata/passing.lua"}, Run: "("}, "host test: --run: error parsing regexp: missing closing ): `(`\n"},
		{"bad transport", scenario.Options{Files: []string{"testdata/passing.lua"}, Transport: "tcp"}, "host test: --transport: expected sim or kcp, got \"tcp\"\n"},
		{"bad scripts", scenario.Options{Files: []string{"testdata/passing.lua"}, Scripts: []string{"testdata/nowhere"}}, "host test: scripts folder \"testdata/nowhere\": no such file or directory; give a folder that exists\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			code, out, errs := run(t, c.opt)
			if code != 2 || out != "" || errs != c.want {
				t.Errorf("exit %d\n out %q\n got %q\nwant %q", code, out, errs, c.want)
			}
		})
	}
}

func TestFoldersAreSearched(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "b.lua", `scenario(require("shared.names").b, function(t) end)`)
	write(t, dir, "shared/names.lua", `return { b = "b" }`) // a module is no scenario file
	write(t, dir, "sub/a.lua", `scenario("a", function(t) end)`)
	write(t, dir, ".hidden.lua", `error("not run")`)
	write(t, dir, "notes.txt", "")
	code, out, errs := run(t, scenario.Options{Files: []string{dir, filepath.Join(dir, "b.lua")}})
	if code != 0 || !strings.Contains(out, "ok 1 - b\nok 2 - a\n1..2\n2 passed, 0 failed\n") {
		t.Errorf("exit %d\n%s%s", code, out, errs)
	}
	// A pattern need not match in every file of a folder, but somewhere.
	if code, out, _ := run(t, scenario.Options{Files: []string{dir}, Run: "^a$"}); code != 0 || !strings.Contains(out, "1..1") {
		t.Errorf("exit %d\n%s", code, out)
	}
	if code, _, errs := run(t, scenario.Options{Files: []string{dir}, Run: "x"}); code != 2 || errs != "no scenario matches --run \"x\"\n" {
		t.Errorf("exit %d %q", code, errs)
	}
	if code, _, _ := run(t, scenario.Options{Files: []string{t.TempDir()}}); code != 2 {
		t.Errorf("an empty folder: exit %d", code)
	}
}

func TestScriptFoldersAreAdded(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "scripts/Missile.lua", `
local geo = require("lib.geo")
local Missile = class("Missile", "Projectile")
function Missile:Twice(x) return geo.twice(x) end
return Missile`)
	write(t, dir, "scripts/lib/geo.lua", `
local deep = require("lib.deep.er")
return { twice = function(x) return deep * x end }`)
	write(t, dir, "scripts/lib/deep/er.lua", `return 2`)
	write(t, dir, "content/levels/tiny.map", "{\n\"classname\" \"worldspawn\"\n}\n{\n\"classname\" \"PlayerStart\"\n\"origin\" \"1 2 3\"\n}\n")
	write(t, dir, "f.lua", `
scenario("added classes, modules and levels", function(t)
	t:scripts [[
		local Fast = class("Fast", "Missile")
		function Fast:Go() return self:Twice(21) end
	]]
	local s = t:server{ level = "tiny" }
	t:eq(s:spawn("Fast"):Go(), 42)
	t:eq(#s:actors("PlayerStart"), 1)
end)`)
	code, out, errs := run(t, scenario.Options{
		Files: []string{filepath.Join(dir, "f.lua")}, Scripts: []string{filepath.Join(dir, "scripts")}, Content: filepath.Join(dir, "content"),
	})
	if code != 0 {
		t.Errorf("exit %d\n%s%s", code, out, errs)
	}
}

func TestARunThatHangsIsEnded(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "f.lua", `scenario("slow", { budget = 86400 }, function(t) t:server{ tick = 1000, net = 1000 } t:run(80000) end)`)
	start := time.Now()
	code, out, _ := run(t, scenario.Options{Files: []string{filepath.Join(dir, "f.lua")}, Patience: 200 * time.Millisecond})
	if code != 1 || !strings.Contains(out, "the run took longer than 200ms of real time") || time.Since(start) > time.Minute {
		t.Errorf("exit %d\n%s", code, out)
	}
}

func write(t *testing.T, dir, name, text string) {
	t.Helper()
	p := filepath.Join(dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(p, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}
