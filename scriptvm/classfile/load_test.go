package classfile

import (
	"fmt"
	"reflect"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/tests/heap"
)

// must loads files that have no errors.
func must(t testing.TB, files map[string]string, opt Options) *Program {
	t.Helper()
	p, diags := load(t, files, opt)
	if p == nil {
		t.Fatal(text(diags))
	}
	return p
}

func (p *Program) file(path string) *File {
	for _, f := range p.Files {
		if f.Path == path {
			return f
		}
	}
	return nil
}

func TestFilesComeParentsFirst(t *testing.T) {
	p := must(t, map[string]string{
		"A.lua": `local A = class("A", "B")`, "B.lua": `local B = class("B", "C")`, "C.lua": `local C = class("C", "Pawn")`,
		"lib.geo": `return { pi = 3 }`,
	}, Options{})
	var got []string
	for _, f := range p.Files {
		got = append(got, f.Path)
	}
	if s := strings.Join(got, " "); s != "Actor.lua Pawn.lua C.lua B.lua A.lua ActorComponent.lua" {
		t.Error(s)
	}
	if f := p.Libs["lib.geo"]; f == nil || f.Lib != "lib.geo" || len(f.Defs) != 0 {
		t.Errorf("%+v", f)
	}
}

func TestTypes(t *testing.T) {
	src := `
local T = class("T", "Pawn")
T.properties {
	I = int(-5, { min = -10 }), F = float(1 / 2 + 0.25), S = "hi", L = str("", { max = 64 }), bB = true,
	V = vector(1, -2), R = rotator(0, 16384), Q = quantized(vector(1, 2, 3), 100), N = normal(0, 0, 1),
	E = enum("Idle", "Busy"), P = ref("Pawn"), U = ref(T), K = classref("Pawn"),
	A = array(float(0.5), 3), X = struct { Kind = int(1), Since = local_(float(2)), In = struct { B = false } },
	G = array(struct { N = int(7) }, 2), Z = fastarray(struct { N = int(0), W = ref("Pawn") }),
}
T.defaults { Health = 7 * 2, NetPriority = 2.5, Physics = PHYS_Falling, Velocity = vector(0, 0, 5) }
local U = class("U", T)
U.defaults { X = { Kind = 4 }, A = { 1, 2, 3 }, K = T, E = "Busy", P = nil, G = { { N = 1 }, {} } }
`
	p := must(t, map[string]string{"multi.lua": src}, Options{})
	for _, c := range []struct{ class, name, typ, def string }{
		{"T", "I", "int", "-5"},
		{"T", "F", "float", "0.75"},
		{"T", "S", "string", "hi"},
		{"T", "L", "string(64)", ""},
		{"T", "bB", "bool", "1"},
		{"T", "V", "vector", "(1, -2, 0)"},
		{"T", "R", "rotator", "(0, 16384, 0)"},
		{"T", "Q", "quantized(vector, 100)", "(1, 2, 3)"},
		{"T", "N", "normal", "(0, 0, 1)"},
		{"T", "E", "enum(Idle, Busy)", "Idle"},
		{"T", "P", "ref(Pawn)", "0"},
		{"T", "U", "ref(T)", "0"},
		{"T", "K", "classref(Pawn)", ""},
		{"T", "A", "array(float, 3)", "[0.5 0.5 0.5]"},
		{"T", "X", "struct{Kind = int, Since = float, In = struct{B = bool}}", "[1 2 [0]]"},
		{"T", "G", "array(struct{N = int}, 2)", "[[7] [7]]"},
		{"T", "Health", "int", "14"},
		{"T", "NetPriority", "float", "2.5"},
		{"T", "Physics", "int", "2"},
		{"T", "Velocity", "vector", "(0, 0, 5)"},
		{"U", "X", "struct{Kind = int, Since = float, In = struct{B = bool}}", "[4 2 [0]]"},
		{"U", "A", "array(float, 3)", "[1 2 3]"},
		{"U", "K", "classref(Pawn)", "T"},
		{"U", "E", "enum(Idle, Busy)", "Busy"},
		{"U", "G", "array(struct{N = int}, 2)", "[[1] [7]]"},
		{"U", "I", "int", "-5"},
	} {
		k := p.Classes.Find(c.class)
		pr := k.Property(c.name)
		if pr == nil {
			t.Errorf("no %s.%s", c.class, c.name)
			continue
		}
		if !strings.HasPrefix(pr.Type.String(), c.typ) {
			t.Errorf("%s.%s is %s, want %s", c.class, c.name, pr.Type, c.typ)
		}
		if got := short(k.Default(pr)); got != c.def {
			t.Errorf("%s.%s is %s by default, want %s", c.class, c.name, got, c.def)
		}
	}
	x := p.Classes.Find("T").Property("X").Type
	if !x.Fields[1].Local || x.Fields[0].Local {
		t.Error("local_ members")
	}
}

// short writes a value for a table of tests.
func short(v engine.Value) string {
	switch v.Kind {
	case engine.KindVector:
		return v.Vec.String()
	case engine.KindRotator:
		return v.Rot.String()
	case engine.KindString, engine.KindEnum, engine.KindClass:
		return v.Str
	case engine.KindArray, engine.KindStruct:
		var parts []string
		for _, e := range v.List {
			parts = append(parts, short(e))
		}
		return "[" + strings.Join(parts, " ") + "]"
	case engine.KindRef:
		return fmt.Sprint(uint64(v.Ref))
	}
	return fmt.Sprint(v.Num)
}

func TestDefs(t *testing.T) {
	p := must(t, map[string]string{"T.lua": `local T = class("T", "Pawn")
local function helper(a) return a end
T.state("S", { simulated = true, extends = "Hurt", ignores = { "Tick" } })
T.properties { Ammo = int(0), Name2 = "x" }
T.replication {
	{ "Ammo", when = function(self) return tostring(self.Ammo) == "3" end },
	{ "Name2", when = function(self) return self.bNetInitial end },
}
function T.simulated.server.reliable:Fire(a, b) local f = function() return a end return f end
T.params { Fire = { int(3), ref("Pawn", { wait = true }) } }
function T.validate:Fire(a, b) return a > 0 end
function T.state.S:BeginState(prev) T.super.BeginState(self, prev) end
function T.state.S:Code() Sleep(1) end
function T:Use() helper(1) self:Fire(1, nil) end
`}, Options{})
	f := p.file("T.lua")
	var got []string
	for _, d := range f.Defs {
		got = append(got, fmt.Sprintf("%d %s %s %s %d…%d", d.Index, d, d.What, d.Pos, d.Proto.LineDefined, d.Proto.LastLineDefined))
	}
	want := []string{
		"1 T:Fire function T.lua:9:38 9…9",
		"2 T.validate:Fire validator T.lua:11:21 11…11",
		"3 T.state.S:BeginState function T.lua:12:20 12…12",
		"4 T.state.S:Code code T.lua:13:20 13…13",
		"5 T:Use function T.lua:14:12 14…14",
		"6 T.replication(Ammo) condition T.lua:6:19 6…6",
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got:\n%s", strings.Join(got, "\n"))
	}
	k := p.Classes.Find("T")
	fire := k.Functions["Fire"]
	if fire.Script != f.Defs[0] || fire.Validator != f.Defs[1] || fire.Kind != engine.CallServer || !fire.Reliable || !fire.Simulated {
		t.Errorf("%+v", fire)
	}
	if len(fire.Params) != 2 || fire.Params[0].Name != "a" || fire.Params[0].Default.Num != 3 || !fire.Params[1].Type.Wait {
		t.Errorf("%+v", fire.Params)
	}
	if f.Defs[0].Spec != fire.Spec {
		t.Error("the def's spec is not the function's")
	}
	s := k.States["S"]
	if s.Code != f.Defs[3] || !s.Simulated || !s.Is("Hurt") || s.Dispatch.Functions["BeginState"].Script != f.Defs[2] || !s.Dispatch.Ignored["Tick"] || !s.Dispatch.Ignored["Bump"] {
		t.Errorf("%+v", s)
	}
	r := k.Property("Ammo").Rule
	if r.Script != f.Defs[5] || r.Cond == nil || r.Cond.Native() || f.Defs[5].Rule != r.RuleSpec {
		t.Errorf("%+v", r)
	}
	if r := k.Property("Name2").Rule; r.Script != nil || !r.Cond.Native() || r.Cond.Mask() != engine.MaskInitial {
		t.Errorf("%+v", r)
	}
	if inner := f.Defs[0].Proto.FunctionPrototypes[0]; f.Owner(inner) != f.Defs[0] {
		t.Error("a function inside a def belongs to it")
	}
}

func TestCacheSharesWhatIsEqual(t *testing.T) {
	files := map[string]string{"T.lua": body("T.properties { Ammo = int(1) }\nfunction T:Use() self.Ammo = self.Health end")}
	cache := NewCache(Natives())
	a := must(t, files, Options{Cache: cache})
	b := must(t, files, Options{Cache: cache})
	if a.file("T.lua").Proto != b.file("T.lua").Proto {
		t.Error("compiled twice")
	}
	if a.Classes != b.Classes || a.file("T.lua") != b.file("T.lua") {
		t.Error("the same files make two programs")
	}
	// A variable of the parent that T does not use changes nothing in T.
	files["Pawn.lua"] = strings.Replace(small["Pawn.lua"], "Health = ", "Extra = int(0), Health = ", 1)
	c := must(t, files, Options{Cache: cache, Prev: a.Classes})
	if e := must(t, files, Options{Cache: cache}); e.Classes == c.Classes || e.Classes.SlotKey() == c.Classes.SlotKey() {
		t.Error("behind other classes slots are others")
	}
	if e := must(t, files, Options{Cache: cache, Prev: c.Classes}); e.Classes.SlotKey() != c.Classes.SlotKey() {
		t.Error("a variable lost its slot")
	}
	if c.file("T.lua").Proto != a.file("T.lua").Proto {
		t.Error("compiled again for a variable it does not use")
	}
	if c.file("Pawn.lua").Proto == a.file("Pawn.lua").Proto {
		t.Error("a changed file kept its code")
	}
	// Without the classes from before, the slots move, and T is compiled from its text once more.
	files["Pawn.lua"] = strings.Replace(small["Pawn.lua"], "Health = ", "A1 = int(0), Health = ", 1)
	d := must(t, files, Options{Cache: cache})
	if d.file("T.lua").Proto == a.file("T.lua").Proto {
		t.Error("the slots moved and the code did not")
	}
}

func TestLoadsAtOnce(t *testing.T) {
	cache := NewCache(Natives())
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 5 {
				if p, diags := load(t, map[string]string{"T.lua": body("function T:Use() self.Health = self.Health + 1 end")}, Options{Cache: cache}); p == nil {
					t.Error(text(diags))
				}
			}
		})
	}
	wg.Wait()
}

func TestCacheIsBounded(t *testing.T) {
	cache := NewCache(Natives())
	for i := range maxUnits + 50 {
		cache.unit(Source{Path: "x", Text: fmt.Sprintf("local x = %d", i), Multi: true})
	}
	if n := len(cache.units); n > maxUnits {
		t.Errorf("%d files kept, at most %d", n, maxUnits)
	}
}

// What is noted of programs that nobody has any more is forgotten, and what somebody has stays.
func TestProgramsAreForgotten(t *testing.T) {
	cache := NewCache(Natives())
	files := func(i int) map[string]string {
		return map[string]string{"T.lua": fmt.Sprintf("local T = class(\"T\", \"Actor\")\nT.properties { N = int(%d) }", i)}
	}
	held := must(t, files(0), Options{Cache: cache})
	for i := range 3 * minSweep {
		must(t, files(i+1), Options{Cache: cache})
		if i%(minSweep/4) == 0 {
			runtime.GC()
		}
	}
	if n := len(cache.programs) + len(cache.outcomes); n > 2*minSweep {
		t.Errorf("%d entries", n)
	}
	if must(t, files(0), Options{Cache: cache}) != held {
		t.Error("a program that somebody has was made again")
	}
}

// TestCacheLetsGoOfTrees: what it keeps of a file is small.
func TestCacheLetsGoOfTrees(t *testing.T) {
	src := generated(100)
	before := heap.Live()
	cache := NewCache(Natives())
	p, diags := Load(src, Options{Cache: cache})
	if p == nil {
		t.Fatal(text(diags))
	}
	p = nil
	if kept := int(heap.Live()-before) / len(src); kept > 128<<10 {
		t.Errorf("%d bytes a file, which are 3 KB of text", kept)
	} else {
		t.Logf("%d bytes a file", kept)
	}
	runtime.KeepAlive(cache)
}

// TestUpstream says which side sends, for conditions that mention Role.
func TestUpstream(t *testing.T) {
	for _, c := range []struct {
		cond     string
		upstream bool
		mask     engine.CondMask
	}{
		{`self.Role == ROLE_Authority and self.bNetOwner`, false, engine.MaskRole | engine.MaskOwner},
		{`self.Role < ROLE_Authority`, true, engine.MaskRole},
		{`self.Role ~= ROLE_Authority and self.Health > 5`, true, engine.MaskRole},
		{`self.Role == ROLE_AutonomousProxy`, true, engine.MaskRole},
		{`not self:HasAuthority()`, true, engine.MaskRole},
		{`self:HasAuthority() and self.Health > 5`, false, engine.MaskRole},
		{`self.Role == ROLE_Authority or self.bNetInitial`, false, engine.MaskRole | engine.MaskInitial},
		{`self.RemoteRole == ROLE_SimulatedProxy`, false, engine.MaskRemoteRole},
		{`self.Health > 5`, false, 0},
		{`self:Up()`, true, engine.MaskRole},
		{`self.Role + 1 < 4 and true`, true, engine.MaskRole},
	} {
		p := must(t, map[string]string{"T.lua": cond(c.cond) + "\nfunction T:Up() return self.Role < ROLE_Authority end"}, Options{})
		r := p.Classes.Find("T").Property("Ammo").Rule
		if r.Upstream != c.upstream || r.Cond.Upstream() != c.upstream || !r.Cond.Native() || r.Cond.Mask() != c.mask {
			t.Errorf("%s: upstream %v, native %v, mask %08b; want %v, %08b", c.cond, r.Upstream, r.Cond.Native(), r.Cond.Mask(), c.upstream, c.mask)
		}
	}
}

// TestLines holds the lines of bytecode to those of the source, with and without an offset.
func TestLines(t *testing.T) {
	src := "local T = class(\"T\", \"Pawn\")\n\nT.properties { A = int(1),\n B = int(2) }\nfunction T:Use()\n\tself.A =\n\t\tself.B\n\tself:Flash(\n\t\tself.A)\nend\n"
	for _, offset := range []int{0, 100} {
		p, diags := Load([]Source{
			{Path: "Actor.lua", Text: small["Actor.lua"]},
			{Path: "Pawn.lua", Text: small["Pawn.lua"]},
			{Path: "T", Text: src, Multi: true, LineOffset: offset},
		}, Options{Cache: NewCache(Natives())})
		if p == nil {
			t.Fatal(text(diags))
		}
		d := p.Classes.Find("T").Functions["Use"].Script.(*Def)
		if d.Pos.Line != 5+offset || d.Proto.LineDefined != 5+offset || d.Proto.LastLineDefined != 10+offset {
			t.Errorf("def %s, proto %d…%d", d.Pos, d.Proto.LineDefined, d.Proto.LastLineDefined)
		}
		for _, line := range d.Proto.DbgSourcePositions {
			if line < 5+offset || line > 10+offset {
				t.Errorf("an instruction of line %d", line)
			}
		}
	}
}

// FuzzLoad looks for texts that Load does not answer: it must come back, with a program or an error.
func FuzzLoad(f *testing.F) {
	for _, c := range checks {
		f.Add(c.src)
	}
	for _, s := range small {
		f.Add(s)
	}
	for _, s := range coreSources(f) {
		f.Add(s.Text)
	}
	cache := NewCache(Natives())
	f.Fuzz(func(t *testing.T, src string) {
		for _, multi := range []bool{false, true} {
			p, diags := load(t, map[string]string{"T.lua": src}, Options{Check: true, Cache: cache})
			if multi {
				p, diags = load(t, map[string]string{"multi.lua": src}, Options{Check: true, Cache: cache})
			}
			failed := false
			for _, d := range diags {
				failed = failed || d.Severity == engine.SevError
				if d.Pos.Line < 1 || d.Pos.File == "" || strings.ContainsAny(d.Text, "\r\n") {
					t.Errorf("%q", d.String())
				}
			}
			if failed != (p == nil) {
				t.Errorf("program %v and %s", p != nil, text(diags))
			}
		}
	})
}

// generated are classes as a large game has them.
func generated(n int) []Source {
	out := []Source{{Path: "Actor.lua", Text: small["Actor.lua"]}, {Path: "Pawn.lua", Text: small["Pawn.lua"]}}
	for i := range n {
		name, parent := fmt.Sprintf("Class%d", i), "Pawn"
		if i >= 10 {
			parent = fmt.Sprintf("Class%d", i/10)
		}
		var b strings.Builder
		fmt.Fprintf(&b, "-- %s: one of many.\nlocal C = class(%q, %q)\n\nC.properties {\n", name, name, parent)
		for j := range 8 {
			fmt.Fprintf(&b, "\tVar%d_%d = float(%d, { min = 0, max = 1000 }), -- what it is\n", i, j, j)
		}
		fmt.Fprintf(&b, "\tTarget%d = ref(\"Pawn\"), Place%d = vector(0, 0, 1),\n}\n", i, i)
		fmt.Fprintf(&b, "C.replication {\n\t{ \"Var%d_0\", \"Var%d_1\", when = function(self) return self.Role == ROLE_Authority and self.Var%d_2 > 5 end },\n", i, i, i)
		fmt.Fprintf(&b, "\t{ \"Var%d_3\", when = COND_OwnerOnly, notify = true },\n}\nC.state(\"Busy\", { extends = \"Hurt\" })\n", i)
		for j := range 8 {
			fmt.Fprintf(&b, `
function C:Work%d_%d(a, b)
	local sum = 0
	for i = 1, 10 do
		if self.Var%d_%d > i and a ~= b then
			self.Var%d_%d = self.Var%d_%d + i
		else
			sum = sum + self.Place%d.X * math.floor(i / 2)
		end
	end
	if self.Target%d then
		self.Target%d:Flash(sum)
	end
	return sum, "class %s: " .. sum
end
`, i, j, i, j, i, j, i, j, i, i, i, name)
		}
		fmt.Fprintf(&b, "function C:Tick(dt)\n\tC.super.Tick(self, dt)\n\tself:Work%d_0(dt, 1)\nend\n", i)
		fmt.Fprintf(&b, "function C.state.Busy:BeginState(prev)\n\tC.super.BeginState(self, prev)\nend\nreturn C\n")
		out = append(out, Source{Path: name + ".lua", Text: b.String()})
	}
	return out
}

// BenchmarkLoad300 loads 300 classes: the bound is 1 s.
func BenchmarkLoad300(b *testing.B) {
	src := generated(300)
	b.ReportAllocs()
	for b.Loop() {
		p, diags := Load(src, Options{Check: true, Cache: NewCache(Natives())})
		if p == nil {
			b.Fatal(text(diags))
		}
	}
}

// BenchmarkReload300 loads them again with one file changed.
func BenchmarkReload300(b *testing.B) {
	src := generated(300)
	cache := NewCache(Natives())
	p, _ := Load(src, Options{Cache: cache})
	b.ReportAllocs()
	n := 0
	for b.Loop() {
		n++
		changed := append([]Source(nil), src...)
		changed[100].Text += fmt.Sprintf("-- %d\n", n)
		q, diags := Load(changed, Options{Cache: cache, Prev: p.Classes})
		if q == nil {
			b.Fatal(text(diags))
		}
	}
}
