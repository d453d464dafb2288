package classfile

import (
	"fmt"
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

// TestDefaultsAreWorkedOut: a default may be calculated, a class or nil, and a child changes a part of its parent's.
func TestDefaultsAreWorkedOut(t *testing.T) {
	p := must(t, map[string]string{"multi.lua": `
local T = class("T", "Pawn")
T.properties { F = float(1 / 2 + 0.25), K = classref("Pawn"), P = ref("Pawn"), A = array(int(4), 3), X = struct { N = int(1), M = int(2) } }
T.defaults { Health = 7 * 2 }
local U = class("U", T)
U.defaults { X = { N = 4 }, A = { 1 }, K = T, P = nil }
`}, Options{})
	u := p.Classes.Find("U")
	var got []string
	for _, name := range []string{"F", "Health", "K", "P", "A", "X"} {
		v := u.Default(u.Property(name))
		got = append(got, fmt.Sprint(v.Num)+v.Str)
		for _, e := range v.List {
			got = append(got, fmt.Sprint(e.Num))
		}
	}
	if s := strings.Join(got, "; "); s != "0.75; 14; 0T; 0; 0; 1; 0; 0; 0; 4; 2" {
		t.Error(s)
	}
}

// TestDefs: the functions of a file by their names in messages, in the order in which its chunk passes them.
func TestDefs(t *testing.T) {
	f := must(t, map[string]string{"T.lua": body(`T.state("S", {})
T.properties { Ammo = int(0) }
T.replication { { "Ammo", when = function(self) return tostring(self.Ammo) == "3" end } }
function T.server:Fire(a) local f = function() return a end return f end
function T.validate:Fire(a) return a > 0 end
function T.state.S:BeginState(_) end
function T.state.S:Code() Sleep(1) end`)}, Options{}).file("T.lua")
	var got []string
	for i, d := range f.Defs {
		got = append(got, d.String()+" "+d.What.String())
		if d.Index != i+1 || f.Owner(d.Proto) != d {
			t.Errorf("def %d: %+v", i, d)
		}
	}
	if s := strings.Join(got, ", "); s != "T:Fire function, T.validate:Fire validator, T.state.S:BeginState function, T.state.S:Code code, T.replication(Ammo) condition" {
		t.Error(s)
	}
	if f.Owner(f.Defs[0].Proto.FunctionPrototypes[0]) != f.Defs[0] {
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
