package scriptvm

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/scriptvm/classfile"
)

var update = flag.Bool("update", false, "write the golden files")

// explained is what the bodies of testdata/errors.txt are run in.
const explained = `
local Gun = class("Gun", "Actor")
Gun.properties { Ammo = int(3), Target = ref("Actor"), Places = array(vector(0, 0, 0), 2), Note = struct { Text = "" }, Shells = fastarray(struct { Kind = int(0) }) }
Gun.state("Jammed", {})
local module = require("lib.known")
local upvalue
local function helper(x) return x.y end
function Gun:Fire(other) return other end
function Gun.server:ServerFire(count) self.Ammo = count end
Gun.params { ServerFire = { int(0, { min = 0, max = 9 }) } }
function Gun:Nothing() end
function Gun.state.Jammed:Code()
	local t
	Sleep(0.01)
	log(t.x)
end
local Other = class("Other", "Gun")
function Other:Run(p, n, s)
%s
end`

var knownModule = classfile.Source{Path: "scripts/lib/known.lua", Lib: "lib.known", Text: "local known = {}\nfunction known.Fire() return known.missing.x end\nreturn known"}

// Errors name the variables, the function and its arguments. testdata/errors.txt has the body of a function whose arguments
// p, n and s are nil, then what is said of it.
func TestErrorsNameTheirVariables(t *testing.T) {
	const file = "testdata/errors.txt"
	golden, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	for _, c := range strings.Split(strings.TrimSuffix(string(golden), "\n"), "\n\n") {
		lines := strings.Split(c, "\n")
		body := strings.Join(lines[:len(lines)-1], "\n")
		b := newBench(t, fmt.Sprintf(explained, body), knownModule)
		b.v.opt.Content = func(string) bool { return true }
		a := b.spawn("Other")
		message := "nothing"
		if _, err := b.v.Call(a, "Run"); err != nil {
			message = err.Error()
		}
		b.run(0.1)
		if message == "nothing" && len(b.reports) > 0 {
			message = b.reports[0].String()
		}
		if out.Len() > 0 {
			out.WriteByte('\n')
		}
		fmt.Fprintf(&out, "%s\n=> %s\n", body, message)
	}
	if *update {
		if err := os.WriteFile(file, []byte(out.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	got, want := strings.Split(out.String(), "\n"), strings.Split(string(golden), "\n")
	for i := range want {
		if i >= len(got) || got[i] != want[i] {
			t.Errorf("line %d:\n got %s\nwant %s", i+1, got[min(i, len(got)-1)], want[i])
		}
	}
}

// A script that catches an error sees the same words.
func TestCaughtErrorsNameTheirVariables(t *testing.T) {
	b := newBench(t, fmt.Sprintf(explained, `
	local ok, text = pcall(function() return p.x end)
	local co, again = coroutine.resume(coroutine.create(function() return self.Target.Location end))
	return tostring(ok) .. " " .. text .. "\n" .. tostring(co) .. " " .. again`), knownModule)
	a := b.spawn("Other")
	got, err := b.v.Call(a, "Run")
	want := "false scripts:20: attempt to index a nil value (local 'p') with key 'x'\n" +
		"false scripts:21: attempt to index a nil value (field 'Target') with key 'Location'"
	if err != nil || len(got) != 1 || got[0].Str != want {
		t.Errorf("%v %v", got, err)
	}
	// An error that repeats does not read its file again.
	first := b.v.known[0]
	b.result(a, "Run")
	if len(b.v.known) != 1 || b.v.known[0] != first {
		t.Errorf("the file was read anew: %d files are known", len(b.v.known))
	}
}

// Errors at the top level of a file are named while it loads.
func TestErrorsWhileLoadingNameTheirVariables(t *testing.T) {
	v := New(Options{Cache: parsed})
	defer v.Close()
	var said []string
	for _, d := range v.Load(append(coreSources(t), classfile.Source{Path: "T.lua", Text: "local T = class(\"T\", \"Actor\")\nlocal t = {}\nlocal x = t.a.b\nreturn T"})) {
		if d.Severity == engine.SevError {
			said = append(said, d.String())
		}
	}
	if len(said) != 1 || !strings.Contains(said[0], "attempt to index a nil value (field 'a') with key 'b'") {
		t.Errorf("%q", said)
	}
}
