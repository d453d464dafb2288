package scriptvm

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	lua "github.com/yuin/gopher-lua"
	"pgregory.net/rapid"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/engine/geom"
	"github.com/tidelock/tidelock/scriptvm/classfile"
)

// fuseSource writes random class functions, most of which can be fused, some of which nearly can.
type fuseSource struct {
	t      *rapid.T
	chance *rand.Rand // nil: rapid chooses, which prefers what is simple and can be made smaller
	locals []fuseLocal
	params []fuseLocal
	count  int
}

type fuseLocal struct {
	name string
	kind byte // n, b, v, r
}

func (g *fuseSource) pick(n int) int {
	if g.chance != nil {
		return g.chance.IntN(n)
	}
	return rapid.IntRange(0, n-1).Draw(g.t, "")
}

func (g *fuseSource) one(list ...string) string { return list[g.pick(len(list))] }

// fill puts expressions in place of @n, @b, @v, @r.
func (g *fuseSource) fill(depth int, pattern string) string {
	var out strings.Builder
	for i := 0; i < len(pattern); i++ {
		if pattern[i] == '@' && i+1 < len(pattern) {
			i++
			out.WriteString(g.expr(pattern[i], depth))
			continue
		}
		out.WriteByte(pattern[i])
	}
	return out.String()
}

var fuseLeaves = map[byte][]string{
	'n': {
		"0", "1", "-1", "2", "0.1", "3.7", "-2.5", "100", "1e6", "16777217", "2147483647", "1e38", "1e-46", "010", "0x1F",
		"K", "KN", "KM", "KR", "math.huge", "math.pi",
		"self.F", "self.F", "self.F", "self.FR", "self.I", "self.I", "self.IR", "self.F2", "self.V.X", "self.V.Z", "self.R.Yaw", "self.Location.Y",
		"self.Velocity.Z", "self.NetPriority", "self.Role", "self.Rotation.Pitch", "self.CollisionRadius", "self.LifeSpan", "ROLE_Authority",
		"world.TimeSeconds", "world.DeltaSeconds", "world.Gravity",
	},
	'b': {
		"true", "false", "KB", "self.bOn", "self.bOn", "self.bOff", "self.bHidden", "self.E == \"B\"", "self.E ~= self.E2", "self.E == KS", "self.S == \"str\"",
		"self.Ref == nil", "self.Ref", "self.Ref ~= nil", "self.Name == \"x\"", "\"B\" == self.E2", "self.E == \"Z\"", "self.F",
	},
	'v': {"self.V", "self.V", "self.N", "self.Velocity", "self.Location", "self.Acceleration", "vector(1, 2, 3)", "vector(0, -1)", "vector()"},
	'r': {"self.R", "self.Rotation", "rotator(0, 16384, -5)", "self.RotationRate"},
}

var fusePatterns = map[byte][]string{
	'n': {
		"(@n + @n)", "(@n - @n)", "(@n * @n)", "(@n * @n)", "(@n / @n)", "(@n % @n)", "(@n ^ @n)", "(-@n)", "math.floor(@n)", "math.abs(@n)", "math.max(@n, @n)",
		"math.min(@n, @n, @n)", "math.sqrt(@n)", "math.sin(@n)", "math.fmod(@n, @n)", "math.atan2(@n, @n)", "math.deg(@n)", "math.ceil(@n)", "math.pow(@n, @n)",
		"@v:Size()", "@v:Size2D()", "@v:Dot(@v)", "@v:Distance(@v)", "(@b and @n or @n)", "@v.X", "@r.Yaw", "math.max(@n)", "math.exp(@n)", "(@n and @n)", "(@n or @n)",
	},
	'b': {
		"(@n < @n)", "(@n <= @n)", "(@n > @n)", "(@n >= @n)", "(@n == @n)", "(@n ~= @n)", "(@v == @v)", "(@r ~= @r)", "(not @b)", "(@b and @b)", "(@b or @b)",
		"(@b and @b or @b)", "(@n == @b)", "(not (@n < @n))", "(@v ~= @n)", "(@n < @n and @b)",
	},
	'v': {
		"(@v + @v)", "(@v - @v)", "(@v * @n)", "(@n * @v)", "(@v * @v)", "(@v / @n)", "(-@v)", "@v:Normal()", "@v:Cross(@v)", "(@b and @v or @v)", "@r:Vector()",
		"vector(@n, @n, @n)", "@v:With{ X = @n }", "@v:With{ Z = @n, Y = @n }",
	},
	'r': {"(@r + @r)", "(@r - @r)", "(@r * @n)", "(@n * @r)", "(@r / @n)", "(-@r)", "rotator(@n, @n, @n)", "@v:Rotation()", "@r:With{ Yaw = @n }", "(@b and @r or @r)"},
}

func (g *fuseSource) expr(kind byte, depth int) string {
	if depth <= 0 || g.pick(4) == 0 {
		var names []string
		for _, l := range append(g.locals, g.params...) {
			if l.kind == kind {
				names = append(names, l.name)
			}
		}
		if len(names) > 0 && g.pick(2) == 0 {
			return g.one(names...)
		}
		leaf := g.one(fuseLeaves[kind]...)
		if strings.Contains(leaf, " ") || strings.HasPrefix(leaf, "-") {
			leaf = "(" + leaf + ")"
		}
		if strings.HasPrefix(leaf, "vector") || strings.HasPrefix(leaf, "rotator") || kind != 'n' {
			return leaf
		}
		return leaf
	}
	p := g.one(fusePatterns[kind]...)
	if (kind == 'v' || kind == 'r') && strings.HasPrefix(p, "@") {
		return g.fill(depth-1, p)
	}
	return g.fill(depth-1, p)
}

// fuseTargets are what is assigned, and the kind of value.
var fuseTargets = []string{
	"self.F = @n", "self.F = @n", "self.F = @n", "self.F2 = @n", "self.FR = math.min(math.max(@n, -2), 50)", "self.FR = @n", "self.I = math.floor(@n) % 7",
	"self.I = self.I + 1", "self.I = @n", "self.IR = math.floor(@n) % 11", "self.bOn = @b and true", "self.bOff = not @b", "self.bOn = (@n < @n)", "self.E = \"A\"",
	"self.E = \"C\"", "self.E = self.E2", "self.V = @v", "self.V = @v", "self.N = @v", "self.R = @r", "self.Velocity = @v", "self.Acceleration = @v",
	"self.NetPriority = math.abs(@n) % 5", "self.NetPriority = @n", "self.bHidden = (@n > 1)", "self.RotationRate = -@r", "self.RotationRate = @r", "self.DrawScale = 2",
	"self.F, self.F2 = @n, @n", "self.F, self.F = @n, @n", "self.V, self.F = @v, @n",
	// Rarely fused, or never.
	"self.Loose = @n", "self.F = (1e300 * @n)", "self.I = (0 * -1) * @n", "self.S = \"other\"", "self.Ref = self", "self.Ref = nil", "self.E = \"Z\"", "self.F = \"4\"", "self.bOn = @n", "self.Location = @v", "self.I = -0", "self.F = -0",
}

func (g *fuseSource) block(b *strings.Builder, indent string, n, depth int) {
	visible := len(g.locals)
	for range n {
		g.stmt(b, indent, depth)
	}
	g.locals = g.locals[:visible]
}

func (g *fuseSource) stmt(b *strings.Builder, indent string, depth int) {
	line := func(format string, args ...any) { fmt.Fprintf(b, indent+format+"\n", args...) }
	switch k := g.pick(20); {
	case k < 9:
		line("%s", g.fill(2, fuseTargets[g.pick(len(fuseTargets)-12*min(1, g.pick(12)))]))
	case k < 12:
		kind := "nnnbvr"[g.pick(6)]
		name := fmt.Sprint(string(kind), g.count)
		g.count++
		e := g.expr(kind, 2)
		if kind == 'b' {
			e = "(" + e + ") and true or false" // a leaf may be no boolean
			if g.pick(2) == 0 {
				e = g.fill(1, "(@n < @n)")
			}
		}
		line("local %s = %s", name, e)
		g.locals = append(g.locals, fuseLocal{name, kind})
	case k < 14 && len(g.locals) > 0:
		l := g.locals[g.pick(len(g.locals))]
		if l.kind == 'b' {
			line("%s = not %s", l.name, l.name)
		} else {
			line("%s = %s", l.name, g.expr(l.kind, 2))
		}
	case k < 15 && len(g.locals) > 1:
		x, y := g.locals[g.pick(len(g.locals))], g.locals[g.pick(len(g.locals))]
		if x.kind == y.kind {
			line("%s, %s = %s, %s", x.name, y.name, y.name, x.name)
		}
	case k < 18 && depth > 0:
		line("if %s then", g.expr('b', 2))
		g.block(b, indent+"\t", 1+g.pick(2), depth-1)
		if g.pick(3) == 0 {
			line("elseif %s then", g.expr('b', 1))
			g.block(b, indent+"\t", 1, depth-1)
		}
		switch g.pick(3) {
		case 0:
			line("else")
			g.block(b, indent+"\t", 1, depth-1)
		case 1:
			line("\treturn")
		}
		line("end")
	case k < 19 && depth > 0:
		line("do")
		g.block(b, indent+"\t", 2, depth-1)
		line("end")
	default:
		if g.pick(6) == 0 {
			line("%s", g.one("self:Nothing()", "for i = 1, 2 do self.I = i end", "counter = counter + 1", "self.F = counter", "local s = \"a\" .. 1",
				"local me = self me.F = 7", "local x self.F = x or 3", "error(\"by hand\")", "local q = self.Arr[1]", "self.F = self.Kids or 1", "self.F2 = #self.S"))
		} else {
			line("self.F = self.F + 1")
		}
	}
}

func (g *fuseSource) body(params ...fuseLocal) string {
	g.params, g.locals = params, nil
	var b strings.Builder
	g.block(&b, "\t", 1+g.pick(6), 2)
	return b.String()
}

// fuseWorldText is a pair of classes; extra are properties that move the others.
func (g *fuseSource) text() string {
	var b strings.Builder
	b.WriteString("local K, KB, KS = 2.5, true, \"B\"\nlocal KN = -3\nlocal KM = math.pi / 2 + K\nlocal KR = ROLE_SimulatedProxy\nlocal counter = 0\n")
	b.WriteString("local Base = class(\"Base\", \"Actor\")\nBase.properties {\n")
	for i := range g.pick(3) {
		fmt.Fprintf(&b, "\tPad%d = %s,\n", g.pick(50)*10+i, g.one("vector(0, 0, 0)", "float(1)", "\"\""))
	}
	b.WriteString("\tF = float(0.5), F2 = " + g.one("float(0)", "float(0)", "int(0)") + ", FR = float(1, { min = -2, max = 50 }), I = int(3), IR = int(0, { min = 0, max = 10 }),\n")
	b.WriteString("\tbOn = true, bOff = false, E = enum(\"A\", \"B\", \"C\"), E2 = enum(" + g.one("\"A\", \"B\", \"C\"", "\"C\", \"B\"", "\"A\", \"B\", \"C\"") + "),\n")
	b.WriteString("\tV = vector(1, 2, 3), N = normal(0, 0, 1), R = rotator(1, 2, 3), S = \"str\", Ref = ref(\"Base\"), Arr = array(int(0), 3),\n}\n")
	b.WriteString("Base.replication { { \"F\", \"I\", \"bOn\", \"E\", \"V\", \"R\" } }\n")
	b.WriteString("Base.state(\"Work\", {})\n")
	b.WriteString("function Base:BeginPlay() self:SetTimer(0.2, true, \"Beat\") end\nfunction Base:Nothing() counter = counter end\n")
	b.WriteString("function Base:Tick(dt)\n" + g.body(fuseLocal{"dt", 'n'}) + "end\n")
	b.WriteString("function Base:Beat()\n" + g.body() + "end\n")
	b.WriteString("function Base:Landed(normal)\n" + g.body(fuseLocal{"normal", 'v'}) + "end\n")
	b.WriteString("function Base:Poke(x)\n" + g.body(fuseLocal{"x", 'n'}) + "end\n")
	b.WriteString("function Base.state.Work:BeginState(prev)\n" + g.body() + "end\n")
	b.WriteString("function Base.state.Work:Tick(dt)\n" + g.body(fuseLocal{"dt", 'n'}) + "end\n")
	b.WriteString("function Base:Outer(fail)\n\tself.F = self.F + 1\n\tself:GotoState(\"Work\")\n\tself:GotoState()\n\tself.F2 = 1\n\tif fail then error(\"outer\") end\nend\n")
	b.WriteString("function Base:Peek() return self.F, self.F2, self.FR, self.I, self.IR, self.bOn, self.bOff, self.E, self.E2, self.V, self.N, self.R, self.S, self.V.X end\n")
	b.WriteString("function Base:Other(o) if o then return o.F, o.I, o.V, o.bOn, o.E, o[3], o[4] end end\n")
	b.WriteString(`function Base:Raw()
	local t = { #self, select("#", unpack(self)), rawget(self, 4) or -1, (next(self, 5)) }
	for k, x in pairs(self) do
		if type(k) == "number" and type(x) ~= "userdata" and type(x) ~= "table" then t[#t + 1] = k t[#t + 1] = x end
	end
	for i, x in ipairs(self) do t[#t + 1] = i end
	return unpack(t)
end
`)
	b.WriteString("local Kid = class(\"Kid\", \"Base\")\nKid.properties { KF = float(0), KV = vector(0, 0, 0) }\nKid.replication { { \"KF\", \"KV\" } }\n")
	if g.pick(2) == 0 {
		b.WriteString("function Kid:Tick(dt)\n\tself.KF = self.KF + self.F * dt\n\tself.KV = self.KV + self.Velocity * dt\n" + g.body(fuseLocal{"dt", 'n'}) + "end\n")
	}
	return b.String()
}

// fuseWorld is one of the two worlds.
type fuseWorld struct {
	w       *engine.World
	v       *VM
	reports []string
	actors  []*engine.Actor
}

func fuseSources(text string) []classfile.Source {
	return []classfile.Source{{Path: "Actor.lua", Text: "local Actor = class(\"Actor\")\nreturn Actor"}, {Path: "T.lua", Text: text, Multi: true}}
}

func newFuseWorld(t testing.TB, text string, cache *classfile.Cache, off bool) *fuseWorld {
	x := &fuseWorld{}
	x.v = New(Options{NoFuse: off, Cache: cache, Report: func(r Report) { x.reports = append(x.reports, r.String()+strings.Join(r.Stack, "|")) }})
	for _, d := range x.v.Load(fuseSources(text)) {
		if d.Severity == engine.SevError {
			if t != nil {
				t.Log(d)
			}
			x.v.Close()
			return nil // the loader found something; no case for us
		}
	}
	x.w = engine.NewWorld(engine.Config{Classes: x.v.Classes(), Script: x.v, Seed: 1})
	x.v.Bind(x.w)
	for _, c := range []string{"Base", "Kid", "Base"} {
		x.spawn(c)
	}
	return x
}

func (x *fuseWorld) spawn(class string) {
	if a, err := x.w.Spawn(x.w.Classes.Find(class), engine.SpawnParams{}); err == nil {
		x.actors = append(x.actors, a)
	}
}

// look is everything that can be seen of a world.
func (x *fuseWorld) look() string {
	var b strings.Builder
	s := x.v.Stats()
	fmt.Fprintf(&b, "hash %x calls %d faults %d quarantined %v\n", x.w.HashState(), s.Calls, s.Faults, x.v.Quarantined())
	for _, a := range x.w.DirtyActors() {
		fmt.Fprintf(&b, "dirty %s", a.Name)
		for _, p := range a.Class.Properties {
			if a.IsDirty(p) {
				b.WriteString(" " + p.Name)
			}
		}
		b.WriteString("\n")
	}
	for i, a := range x.actors {
		if a.Deleted() {
			continue
		}
		fmt.Fprintf(&b, "%s:", a.Name)
		value := func(v lua.LValue) {
			switch v := v.(type) {
			case lua.LNumber:
				fmt.Fprintf(&b, " %x", math.Float64bits(float64(v)))
			case vec:
				fmt.Fprintf(&b, " (%x %x %x)", math.Float64bits(v.X), math.Float64bits(v.Y), math.Float64bits(v.Z))
			case *part, *lua.LTable:
			default:
				fmt.Fprintf(&b, " %s", v)
			}
		}
		o := a.Script.(*object)
		for _, fn := range []string{"Raw", "Peek", "Other", "Raw"} {
			args := []lua.LValue(nil)
			if fn == "Other" {
				args = []lua.LValue{luaActor(x.actors[(i+1)%len(x.actors)])}
				if x.actors[(i+1)%len(x.actors)].Deleted() {
					args = nil
				}
			}
			out, err := x.v.callLua(a, fn, args)
			if err != nil {
				fmt.Fprintf(&b, " %v", err)
			}
			for _, r := range out {
				value(r)
			}
			b.WriteString(" |")
		}
		for _, p := range a.Class.Properties {
			if p.Native == nil {
				value(x.v.indexActor(nil, o, p.Name))
				value(x.v.read(o, p))
			}
		}
		b.WriteString("\n")
	}
	b.WriteString(strings.Join(x.reports, "\n"))
	return b.String()
}

// fuseEdges are numbers that the engine may set.
var fuseEdges = []float64{0, math.Copysign(0, -1), 1, -1, 0.1, 49.9999999, 3e38, -3e38, 1e-45, 16777216, 5, 7}

var fusedCalls, allCalls uint64

// fuseCase builds a random world twice, with and without fusing, does the same to both and compares.
func fuseCase(t *rapid.T) {
	g := &fuseSource{t: t}
	if seed := rapid.Uint64().Draw(t, "seed"); seed > 99 {
		g.chance = rand.New(rand.NewPCG(seed, rapid.Uint64().Draw(t, "more")))
	}
	text := g.text()
	cache := classfile.NewCache()
	on, off := newFuseWorld(nil, text, cache, false), newFuseWorld(nil, text, cache, true)
	if on == nil || off == nil {
		return
	}
	defer on.v.Close()
	defer off.v.Close()
	var did []string
	check := func() {
		if a, b := on.look(), off.look(); a != b {
			t.Fatalf("after %s\n%s\nfused: %s\n\nplain: %s", strings.Join(did, ", "), text, a, b)
		}
	}
	both := func(name string, f func(x *fuseWorld)) {
		did = append(did, name)
		f(on)
		f(off)
		if g.pick(3) > 0 { // looking reads all variables, which is one more thing that must not matter
			check()
		}
	}
	for range 3 + g.pick(8) {
		n := g.pick(1 << 16)
		actor := func(x *fuseWorld) *engine.Actor { return x.actors[n%len(x.actors)] }
		switch k := g.pick(12); k {
		case 0, 1, 2:
			dt := []float64{1.0 / 60, 0.1, 0.25, 1e-3, 4}[g.pick(5)]
			both(fmt.Sprintf("step %v", dt), func(x *fuseWorld) { x.w.Step(dt) })
		case 3:
			v := geom.V(fuseEdges[g.pick(len(fuseEdges))], fuseEdges[g.pick(len(fuseEdges))], 1)
			both(fmt.Sprintf("landed %d %v", n, v), func(x *fuseWorld) { actor(x).Event(engine.EvLanded, engine.Vec(v)) })
		case 4, 5:
			arg := []engine.Value{engine.Float(fuseEdges[g.pick(len(fuseEdges))]), engine.Bool(true), engine.String("4"), {}, engine.Vec(geom.V(1, 2, 3))}[g.pick(5)]
			both(fmt.Sprintf("poke %d %v", n, arg), func(x *fuseWorld) {
				if a := actor(x); !a.Deleted() {
					x.v.Event(a, a.Class.Functions["Poke"], []engine.Value{arg})
				}
			})
		case 6:
			e := fuseEdges[g.pick(len(fuseEdges))]
			name := g.one("F", "FR", "I", "V", "KF", "Velocity", "bOn", "R")
			both(fmt.Sprintf("set %d %s %v", n, name, e), func(x *fuseWorld) {
				a := actor(x)
				p := a.Class.Property(name)
				if a.Deleted() || p == nil {
					return
				}
				v := engine.Float(e)
				switch p.Type.Kind {
				case engine.KindVector:
					v = engine.Vec(geom.V(e, 1, e))
				case engine.KindBool:
					v = engine.Bool(e > 0)
				case engine.KindRotator:
					v = engine.Rotation(geom.Rot(int(e), 5, 6))
				}
				if a.Set(p, v) == nil && p.Native == nil {
					x.v.Changed(a, p)
				}
			})
		case 7, 8:
			fail := g.pick(2) == 0
			both(fmt.Sprintf("outer %d %v", n, fail), func(x *fuseWorld) {
				if a := actor(x); !a.Deleted() {
					_, _ = x.v.Call(a, "Outer", engine.Bool(fail))
				}
			})
		case 9:
			text = g.text()
			both("reload", func(x *fuseWorld) { x.v.Reload(fuseSources(text)) })
		case 10:
			both(fmt.Sprintf("destroy %d", n), func(x *fuseWorld) {
				if a := actor(x); !a.Deleted() {
					a.Destroy()
					x.spawn("Kid")
				}
			})
		case 11:
			both("clear", func(x *fuseWorld) { x.w.ClearDirty() })
		}
	}
	check()
	s := on.v.Stats()
	fusedCalls += s.Fused
	allCalls += s.Calls
	if off.v.Stats().Fused != 0 {
		t.Fatal("fused although switched off")
	}
}

// TestFusedDoesTheSame: whatever a function says, and whatever happens to its world, running it in Go where
// that is possible and running it in the VM cannot be told apart.
func TestFusedDoesTheSame(t *testing.T) {
	fusedCalls, allCalls = 0, 0
	rapid.Check(t, fuseCase)
	t.Logf("%d of %d calls fused", fusedCalls, allCalls)
	if fusedCalls*20 < allCalls { // looking makes many calls of its own
		t.Errorf("only %d of %d calls were fused", fusedCalls, allCalls)
	}
}

// FuzzFused is the same for the fuzzer.
func FuzzFused(f *testing.F) { f.Fuzz(rapid.MakeFuzz(fuseCase)) }

// fusedDef is the function of that name of Base, from a class file with that body.
func fusedDef(t *testing.T, params, body string) (*fuseWorld, *classfile.Def) {
	t.Helper()
	text := `
local K, KT, KS = 2.5, true, "B"
local Z, counter = 0, 0
local Base = class("Base", "Actor")
Base.properties {
	F = float(0.5), FR = float(1, { min = -2, max = 50 }), I = int(3), bOn = true, E = enum("A", "B", "C"), E2 = enum("C", "A"),
	V = vector(1, 2, 3), R = rotator(1, 2, 3), S = "str", Ref = ref("Base"), Arr = array(int(0), 3), G = float(0), H = float(0),
}
Base.replication { { "F", "I", "V" } }
function Base:Count() counter = counter + 1 end
function Base:Subject(` + params + ")\n" + body + "\nend\n" + `local Kid = class("Kid", "Base")`
	x := newFuseWorld(t, text, nil, false)
	if x == nil {
		t.Fatalf("does not load: %s", body)
	}
	t.Cleanup(x.v.Close)
	d, _ := x.w.Classes.Find("Base").Functions["Subject"].Script.(*classfile.Def)
	return x, d
}

// TestWhatIsFused holds doc.go of package fuse to what happens.
func TestWhatIsFused(t *testing.T) {
	for _, tc := range []struct{ params, body, why string }{
		{"dt", "self.F = self.F + dt", ""},
		{"", "local x = self.V.X self.V = vector(x, x * 2) self.R = rotator(0, x)", ""},
		{"", "self.Velocity = self.Velocity * 0.5 self.bHidden = not self.bOn", ""},
		{"", "if self.Ref and self.E == \"B\" or self.S == KS then self.E = \"A\" return end self.I = K * 2", ""},
		{"", "local me = self me.F = me.bOn and 1 or 2", ""},
		{"", "self.F = math.max(self.F, 0, K) % 3 ^ 2 self.G = self.V:Size() - self.V:With{ X = 1 }:Dot(self.V)", ""},
		{"", "self.F = world.TimeSeconds * ROLE_Authority + math.pi", ""},
		{"", "self.F, self.G = self.G, self.F", ""},
		{"", "do local x = 1 x = x + 1 self.F = x end", ""},
		{"", "self:Count()", "line 12: it calls self:Count"},
		{"", "self.F = math.random()", "it calls math.random"},
		{"", "for i = 1, 3 do self.F = i end", "it has a loop"},
		{"", "return self.F", "it returns a value"},
		{"", "self.F = counter", "counter of the file around it"},
		{"", "self.F = -0", "the constant -0"},
		{"", "self.F = 0 * -1", "the constant -0"},
		{"", "local x = 1 x = self.bOn self.bOn = x", "a local variable is a number and becomes a boolean"},
		{"", "local x = self.S self.F = 1", "it keeps a string"},
		{"", "self.Loose = 1", "Loose is no declared variable"},
		{"", "self.Location = self.V", "assigning Location does more than to set it"},
		{"", "self.Arr[1] = 2", "it assigns something"},
		{"", "self.Ref = self", "it uses self as a value"},
		{"", "self.Ref.F = 2", "it assigns something"},
		{"", "self.F = self.Ref.F", "it takes .F of something"},
		{"", "self.F = self.bOn and 1", "the type of 'and' or 'or' is not certain"},
		{"", "self.bOn = self.E == self.E2", "it compares two different enums"},
		{"", "local f = function() end self.F = 1", "it defines a function"},
		{"...", "self.F = 1", "it takes '...'"},
		{"", "return", "it does nothing"},
		{"", "local x self.F = x or 1", "a local without a value"},
	} {
		x, d := fusedDef(t, tc.params, tc.body)
		fused := x.v.body(d).fused
		switch {
		case tc.why == "" && fused == nil:
			t.Errorf("%s: not fused: %v", tc.body, d.Slow)
		case tc.why != "" && fused != nil:
			t.Errorf("%s: fused", tc.body)
		case tc.why != "" && !strings.Contains(d.Slow.Error(), tc.why):
			t.Errorf("%s: %v, want %s", tc.body, d.Slow, tc.why)
		}
	}
}

// TestFusedTraps is what random programs found, or could miss: one function each, run on both sides.
func TestFusedTraps(t *testing.T) {
	zero := math.Copysign(0, -1)
	for _, tc := range []struct {
		name, body string
		arg        engine.Value
		gives      string // the first report holds it; the call is not fused then
	}{
		{"put back", "self.F = 1 self.F = 0.5", engine.Float(0), ""},
		{"put back a vector", "self.V = self.V * 2 self.V = self.V / 2", engine.Float(0), ""},
		{"put back a native one", "self.Velocity = vector(1, 0, 0) self.Velocity = vector()", engine.Float(0), ""},
		{"minus zero is lost by arithmetic", "self.F = -(x * 0) self.G = x * 1 self.H = -x", engine.Float(zero), ""},
		{"minus zero in an int", "self.I = x self.F = 1 / self.I * 0 + 1", engine.Float(zero), "expected a finite"},
		{"minus zero in a vector", "self.V = -self.V * x", engine.Float(zero), ""},
		{"a native one set to minus zero", "self.Velocity = vector(1, 0, 0) self.Velocity = self.Velocity * x", engine.Float(zero), ""},
		{"rounding is read back", "self.F = x self.G = self.F - x", engine.Float(0.1), ""},
		{"rounding to infinity", "self.F = x", engine.Float(3.5e38), "expected a 32-bit float"},
		{"not a number", "self.G = 7 self.F = x / x", engine.Float(0), "expected a finite float"},
		{"not a number compares", "local n = x / x if n < 1 then self.F = 1 elseif not (n >= 1) then self.F = 2 end self.bOn = n ~= n", engine.Float(0), ""},
		{"a fraction in an int", "self.G = 7 self.I = x", engine.Float(1.5), "expected a 32-bit int"},
		{"too large an int", "self.I = x", engine.Float(2147483648), "expected a 32-bit int"},
		{"out of range", "self.FR = x", engine.Float(51), "expected float(-2…50)"},
		{"range holds after rounding", "self.FR = x", engine.Float(50.0000001), ""},
		{"the last of two wins", "self.F, self.F = 1, 2", engine.Float(0), ""},
		{"values before targets", "self.F, self.G = self.G, self.F local a, b = 1, x a, b = b, a self.H = a * 10 + b", engine.Float(3), ""},
		{"a rotator by zero", "self.F = 9 self.R = self.R / x", engine.Float(0), "divide a rotator by 0"},
		{"no branch that is not taken", "if x > 1 then self.R = self.R / 0 end self.F = 9", engine.Float(0), ""},
		{"an int below 0", "self.I = x self.F = self.I % 3 self.G = self.I ^ 2", engine.Float(-7), ""},
		{"max of what is no number", "local n = x / x self.bOn = math.max(n, 1) == 1 self.F = math.max(1, n)", engine.Float(0), ""},
		{"an argument of another type", "self.F = x", engine.String("4"), "expected float, got string"},
		{"no argument", "if x then self.F = 1 end", engine.Value{}, "-"},
		{"a vector that is not finite", "self.F = 3 self.V = self.V / x", engine.Float(0), "expected a finite vector"},
		{"with", "self.V = self.V:With{ Y = self.V.X, X = self.V.Y }", engine.Float(0), ""},
		{"swap of parts", "local v = vector(1, 2, 3) v = vector(v.Z, v.X, v.Y) self.V = v", engine.Float(0), ""},
		{"an octal number", "self.F = 010", engine.Float(0), ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			on, d := fusedDef(t, "x", tc.body)
			if on.v.body(d).fused == nil {
				t.Fatalf("not fused: %v", d.Slow)
			}
			off := newFuseWorld(t, on.v.Sources()[1].Text, nil, true)
			defer off.v.Close()
			for _, x := range []*fuseWorld{on, off} {
				x.w.ClearDirty()
				for _, a := range x.actors[:2] { // one of the class, one of a child
					x.v.Event(a, a.Class.Functions["Subject"], []engine.Value{tc.arg})
				}
			}
			if a, b := on.look(), off.look(); a != b {
				t.Errorf("fused: %s\nplain: %s", a, b)
			}
			all := strings.Join(on.reports, "\n")
			switch fused := on.v.Stats().Fused; {
			case tc.gives == "" && (fused != 2 || all != ""):
				t.Errorf("%d of 2 calls fused\n%s", fused, all)
			case tc.gives != "" && fused != 0:
				t.Errorf("%d calls fused", fused)
			case len(tc.gives) > 1 && !strings.Contains(all, tc.gives):
				t.Errorf("reports %q, want %q", all, tc.gives)
			}
		})
	}
}

// TestFusedIsOfItsClasses: a function of before a reload that is still called afterwards is the one of now, whose
// variables are elsewhere.
func TestFusedIsOfItsClasses(t *testing.T) {
	file := func(pad string) string {
		return "local Base = class(\"Base\", \"Actor\")\nBase.properties { " + pad + "F = float(1), G = float(2) }\n" +
			"function Base:Subject() self.F = self.F + 10 end\nlocal Kid = class(\"Kid\", \"Base\")\n"
	}
	var looks [2]float64
	for i, off := range []bool{false, true} {
		x := newFuseWorld(t, file(""), nil, off)
		defer x.v.Close()
		a := x.actors[1]
		before := a.Class.Functions["Subject"]
		old := x.v.body(before.Script.(*classfile.Def)).fused
		if r := x.v.Reload(fuseSources(file("A = vector(0, 0, 0), "))); r.Failed {
			t.Fatal(r.Diagnostics)
		}
		if old != nil && old.Call(&x.v.frame, a, a.Script.(*object), nil) {
			t.Error("a program ran on an actor of other classes than its own")
		}
		x.v.Event(a, before, nil)
		x.v.Event(a, a.Class.Functions["Subject"], nil)
		if !off && x.v.Stats().Fused != 2 {
			t.Error("the new program did not run")
		}
		looks[i] = a.Get(a.Class.Property("F")).Num
	}
	if looks[0] != 21 || looks[1] != 21 {
		t.Errorf("F is %v, want 21 on both sides", looks)
	}
}

// TestFusedStaysInTheVM: a function that is always called with what it does not expect is not tried for ever.
func TestFusedStaysInTheVM(t *testing.T) {
	x, d := fusedDef(t, "x", "self.F = self.F + 1 if x == nil then self.G = 1 end")
	a := x.actors[0]
	for range maxFusedFailures {
		x.v.Event(a, a.Class.Functions["Subject"], []engine.Value{{}})
	}
	if x.v.body(d).fused != nil || x.v.Stats().Fused != 0 {
		t.Error("still tried")
	}
	x.v.Reload(fuseSources(strings.Replace(x.v.Sources()[1].Text, "+ 1 if", "+ 2 if", 1)))
	x.v.Event(a, a.Class.Functions["Subject"], []engine.Value{engine.Float(1)})
	if x.v.Stats().Fused != 1 {
		t.Error("a reload does not try again")
	}
}

// TestFusedAllocatesNothing: neither in the tick itself nor for the copies that scripts read.
func TestFusedAllocatesNothing(t *testing.T) {
	for _, s := range benchShapes {
		if s.name == "call" || s.name == "read-back" {
			continue
		}
		w, v := benchWorldOf(t, Options{}, s.text, 50, 50)
		w.Step(1.0 / 60)
		if n := testing.AllocsPerRun(20, func() { w.Step(1.0 / 60); w.ClearDirty() }); n != 0 {
			t.Errorf("%s: %v allocations a step", s.name, n)
		}
		if v.Stats().Fused != v.Stats().Calls {
			t.Errorf("%s: %d of %d calls fused", s.name, v.Stats().Fused, v.Stats().Calls)
		}
	}
}

// TestReadCopiesOfFused: what Go assigned is there whichever way a script reads it.
func TestReadCopiesOfFused(t *testing.T) {
	x := newFuseWorld(t, `
local Base = class("Base", "Actor")
Base.properties { F = float(1), V = vector(0, 0, 0) }
function Base:Tick(dt) self.F = self.F + 1 self.V = vector(self.F, 0, 0) end
function Base:Slot() return self.F, self.V end
function Base:Named(o) return o.F, o.V end
function Base:Place(o) return o[3], o[4] end
function Base:Get(o) return rawget(o, 3), rawget(o, 4) end
function Base:Next(o) local k, f = next(o, 2) local _, v = next(o, k) return f, v end
function Base:Unpack(o) return select(3, unpack(o)) end
function Base:Key() local n = "F" return self[n], self["V"] end
function Base:Pairs(o) local f, v for k, x in pairs(o) do if k == 3 then f = x elseif k == 4 then v = x end end return f, v end
function Base:Length(o) return #o - 2, nil end
function Base:Outside(o) return o[99], o[2.5] end
local Kid = class("Kid", "Base")
`, nil, false)
	if x == nil {
		t.Fatal("does not load")
	}
	defer x.v.Close()
	a := x.actors[0]
	x.w.Step(1.0 / 60)
	for _, fn := range []string{"Slot", "Named", "Place", "Get", "Next", "Unpack", "Key", "Pairs", "Length", "Outside"} {
		x.w.Step(1.0 / 60)
		f := a.Get(a.Class.Property("F")).Num
		want := fmt.Sprint(formatNumber(f), " ", formatVector(geom.V(f, 0, 0)))
		switch fn {
		case "Length":
			want = "2 nil"
		case "Outside":
			want = "nil nil"
		}
		o := a.Script.(*object)
		if len(o.class.eager) == 0 && o.table.RawGetInt(1+slotOffset) != lua.LNil {
			t.Fatalf("%s: the copy is there already; the test tests nothing", fn)
		}
		for range 2 {
			out, err := x.v.callLua(a, fn, []lua.LValue{o.table})
			for len(out) < 2 {
				out = append(out, lua.LNil)
			}
			if got := fmt.Sprint(out[0], " ", out[1]); err != nil || got != want {
				t.Errorf("%s gives %s %v, want %s", fn, got, err, want)
			}
		}
		clear(o.class.eager)
	}
	if x.v.Stats().Fused == 0 {
		t.Error("nothing fused")
	}
}
