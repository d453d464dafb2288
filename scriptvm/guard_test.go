package scriptvm

import (
	"fmt"
	"math"
	"strings"
	"testing"

	lua "github.com/yuin/gopher-lua"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/engine/geom"
	"github.com/tidelock/tidelock/scriptvm/api"
)

// TestEveryNativeIsGuarded walks the registry: each native that a running script can call stands behind a guard that looks at
// every argument whose type holds numbers. A new native whose types the guard does not know, or with a vector of which nothing
// says what it measures, fails here (G7).
func TestEveryNativeIsGuarded(t *testing.T) {
	b := newBench(t, "")
	for _, f := range Natives().Functions() {
		if f.Space == api.Define {
			continue // a class file's declarations are checked before anything runs
		}
		list, err := guardOf(f)
		if err != nil {
			t.Error(err)
			continue
		}
		there := b.v.methodValues[f.Space][f.Name]
		if there == nil {
			t.Errorf("%s.%s is in the registry and not bound", f.Space, f.Name)
			continue
		}
		n, ok := there.Upvalues[0].Value().(*bound)
		if !ok || len(n.args) != len(list) {
			t.Errorf("%s.%s does not stand behind its guard", f.Space, f.Name)
		}
		for i, p := range f.Params {
			mathematics := f.Space == api.Vector || f.Space == api.Rotator || f.Space == api.Global
			if p.Measure == api.Free && !mathematics {
				t.Errorf("%s.%s: parameter %s takes any number; only mathematics may", f.Space, f.Name, p.Name)
			}
			if strings.Contains(p.Type, "vector") && !mathematics && (i >= len(list) || list[i].kind != kindVector) {
				t.Errorf("%s.%s: parameter %s is a vector that nothing looks at", f.Space, f.Name, p.Name)
			}
		}
	}
	if names := api.MeasureNames(); len(names) != int(api.Amount)+1 {
		t.Errorf("%d measures have names, expected %d", len(names), api.Amount+1)
	}
}

func TestGuardRefusesWhatItDoesNotKnow(t *testing.T) {
	for _, c := range []struct {
		param api.Param
		want  string
	}{
		{api.Param{Name: "at", Type: "vector"}, "declare what it measures"},
		{api.Param{Name: "x", Type: "quaternion"}, "does not know the type quaternion"},
		{api.Param{Name: "x", Type: "number", Measure: api.Place}, "cannot measure a Place"},
		{api.Param{Name: "to", Type: "vector", Measure: api.LineEnd}, "no place named from"},
	} {
		_, err := guardOf(&api.Function{Space: api.World, Name: "New", Params: []api.Param{c.param}})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v, want %q in it", c.param, err, c.want)
		}
	}
}

// TestNumbersAreTheCallersErrors: non-finite numbers, places and forces out of bounds and wrong types raise at the caller's line,
// with the argument as the script wrote it.
func TestNumbersAreTheCallersErrors(t *testing.T) {
	cases := []struct{ line, want string }{ // a line of Lua and what its error says, "" for none
		{"self:SetLocation(5)", "SetLocation: argument 1 (place): expected a vector, got the number 5"},
		{"self.SetLocation(self, 5)", "SetLocation: argument 2 (place): expected a vector, got the number 5"},
		{"self:SetLocation()", "SetLocation: argument 1 (place): expected a vector, got nothing"},
		{"self:SetTimer(nan, false)", "SetTimer: argument 1 (seconds): expected a finite number, got the number NaN"},
		{"self:SetTimer(inf, false)", "SetTimer: argument 1 (seconds): expected a finite number, got the number +Inf"},
		{"self:SetTimer(5e-324, false, \"Tick\")", `SetTimer: expected more than 0 seconds, got 0; ClearTimer("Tick") stops a timer`},
		{"self:AddImpulse(vector(1e13, 0, 0))", "AddImpulse: argument 1 (impulse): expected a vector of parts up to 1e+12, got vector(10000000000000, 0, 0)"},
		{"self:Move(vector(nan, 0, 0))", "Move: argument 1 (delta): expected a vector of parts up to 2000000 uu, got vector(NaN, 0, 0)"},
		{"world:NearestNode(vector(1e200, 0, 0))", "world:NearestNode: argument 1 (at): expected a place within 1000000 uu of the origin, got vector(1e+200, 0, 0)"},
		{"self:ActorsInRadius(\"Actor\", inf)", "ActorsInRadius: argument 2 (radius): expected a finite number, got the number +Inf"},
		{"self:Trace(self.Location, vector(0, 0, 0), { radius = inf })", "Trace: argument 3 (opts): radius: expected a finite number, got the number +Inf"},
		{"self:Trace(self.Location, vector(0, 0, 0), { radius = \"x\" })", `Trace: argument 3 (opts): radius: expected a number, got the string "x"`},
		{"self:Trace(vector(0, 0, 0), vector(nan, 0, 0))", "Trace: argument 2 (to): expected a finite vector, got vector(NaN, 0, 0)"},
		{"local far = vector(inf, 0, 0) self:PlayBoxTrack { { 0, head = far } }", "PlayBoxTrack: argument 1 (keys): 1.head: expected a vector of parts up to 1e+12, got vector(+Inf, 0, 0)"},
		{"self:SetWheels { { Radius = nan } }", "SetWheels: argument 1 (wheels): 1.Radius: expected a finite number, got the number NaN"},
		{"self:PlaySound(\"sounds/a.toml\", { Location = vector(0, 2e6, 0) })", "PlaySound: argument 2 (opts): Location: expected a place within 1000000 uu of the origin, got vector(0, 2000000, 0)"},
		{"self:PlayTimeline(\"a\", { Length = inf })", "PlayTimeline: argument 2 (track): Length: expected a finite number, got the number +Inf"},
		{"self:SetPhysics(3.5)", "SetPhysics: argument 1 (mode): expected one of the PHYS_ constants, got the number 3.5"},
		{"world:ActorById(2^60)", "world:ActorById: argument 1 (id): expected a whole number within 2^53 of 0, got the number 1.1529215046068e+18"},
		{"rotator(nan, 0, 0)", "rotator: argument 1 (pitch): expected a finite number, got the number NaN"},
		{"world:SetAnimationRates { { 100, nan } }", "world:SetAnimationRates: argument 1 (rates): 1.2: expected a finite number, got the number NaN"},
		{"self:HurtRadius(nan, 100)", "HurtRadius: argument 1 (damage): expected a finite number, got the number NaN"},
		// The engine's own variables.
		{"self.Location = vector(1000001, 0, 0)", "Try.Location: expected a place within 1000000 uu of the origin, got (1.000001e+06, 0, 0)"},
		{"self.Velocity = vector(0, 1e13, 0)", "Try.Velocity: expected a vector of parts up to 1e+12, got (0, 1e+13, 0)"},
		{"self.CollisionRadius = inf", "Try.CollisionRadius: expected a finite float(0…10000), got +Inf"},
		{"self.LifeSpan = nan", "Try.LifeSpan: expected a finite float(0…1000000), got NaN"},
		{"self.NetUpdateFrequency = -inf", "Try.NetUpdateFrequency: expected a finite float(0…1000000), got -Inf"},
		{"self:Spawn(\"Actor\", { Velocity = vector(nan, 0, 0) })", "Spawn: Actor.Velocity: expected a vector of parts up to 1e+12, got (NaN, 0, 0)"},
		{"self:Spawn(\"Actor\", { LifeSpan = inf })", "expected a finite float(0…1000000), got +Inf"},
		// Places: far away they are the caller's error, at the edge they are not, and the end of a trace is drawn in.
		{"self:SetLocation(vector(0, 1000001, 0))", "SetLocation: argument 1 (place): expected a place within 1000000 uu of the origin, got vector(0, 1000001, 0)"},
		{"self:SetLocation(vector(0, 1000000, 0))", ""},
		{"world:FastTrace(vector(1e200, 0, 0), vector(0, 0, 0))", "world:FastTrace: argument 1 (from): expected a place within 1000000 uu of the origin, got vector(1e+200, 0, 0)"},
		{"assert(world:FastTrace(vector(0, 5000, 0), vector(1e300, -1e300, 1e200)))", ""},
		{"self:Spawn(\"Actor\", { Location = vector(0, 0, 1e7) })", "Spawn: Actor.Location: expected a place within 1000000 uu of the origin, got (0, 0, 1e+07)"},
		// A table within itself ends.
		{"local c = {} c[1] = c world:SetAnimationRates(c)", "world:SetAnimationRates: argument 1 (rates): at most 8 tables within each other"},
		// Mathematics stays mathematics.
		{"assert(math.huge > 1e308 and math.huge == inf and nan ~= nan and math.max(inf, 1) == inf)", ""},
		{"local v = vector(inf, 0, 0) assert(v.X == inf and v:Size() == inf and (v * 2).X == inf)", ""},
		{"assert(string.format(\"%g\", inf) == \"+Inf\" or true) log(nan, inf)", ""},
		{"self:Trace(self.Location, vector(1e300, 0, 0))", ""},
		{"assert(world:NearestNode(vector(0, 0, 0)) == nil)", ""},
		{"assert(self.F:Get(2^40) == nil and self.F:Get(-1) == nil and self.F:Get(0.5) == nil)", ""},
	}
	text := `
local Try = class("Try", "Character")
Try.properties { Out = str("", { max = 1000 }), To = ref("Actor"), F = fastarray(struct { N = int(0) }) }
local function try(self, f)
	local ok, err = pcall(f)
	self.Out = ok and "ok" or tostring(err)
end
function Try:Tick() end
`
	for i, c := range cases {
		text += fmt.Sprintf("function Try:Try%d() local nan, inf = 0/0, 1/0 try(self, function() %s end) end\n", i, c.line)
	}
	b := newBench(t, text)
	a := b.spawn("Try")
	for i, c := range cases {
		b.call(a, fmt.Sprintf("Try%d", i))
		if got := b.get(a, "Out").Str; c.want == "" && got != "ok" || !strings.HasSuffix(got, c.want) {
			t.Errorf("%s:\n got %q\nwant %q", c.line, got, c.want)
		}
	}
	b.clean()
}

// TestDenormalsAreZero: what is too small to be a normal number arrives as 0, in arguments, in tables and in variables.
func TestDenormalsAreZero(t *testing.T) {
	g := guarded{kind: kindVector, measure: api.Amount}
	in := geom.V(5e-324, -1e-310, 1)
	if got := g.cleanVector(nil, 1, "", in, nil); got != geom.V(0, 0, 1) {
		t.Errorf("%v became %v", in, got)
	}
	if got := cleanNumber(nil, 1, "", 1e-310, false); got != lua.LNumber(0) {
		t.Errorf("1e-310 became %v", got)
	}
	x, err := nativeValue(engine.NativeProperties()[0], engine.Vec(in))
	if err != nil || x.Vec != geom.V(0, 0, 1) {
		t.Errorf("%v became %v, %v", in, x.Vec, err)
	}
	if x, err := nativeValue(engine.NativeProperties()[0], engine.Vec(geom.V(math.Copysign(0, -1), 0, 0))); err != nil || !math.Signbit(x.Vec.X) {
		t.Errorf("−0 became %v, %v", x.Vec, err)
	}
	// A table of the script's stays as it is: the native gets a copy.
	b := newBench(t, `
local Try = class("Try", "Actor")
Try.properties { Same = false }
function Try:Go()
	local rates = { { 100, 5e-324 }, { 200, 30 } }
	world:SetAnimationRates(rates)
	self.Same = rates[1][2] == 5e-324
end
`)
	a := b.spawn("Try")
	if _, err := b.v.Call(a, "Go"); err != nil || b.get(a, "Same").Num != 1 {
		t.Errorf("the script's table was changed, or: %v", err)
	}
}

// TestDoingTellsFunctionAndNative: while a native runs, any goroutine can ask which one, and in which function.
func TestDoingTellsFunctionAndNative(t *testing.T) {
	b := newBench(t, `
local Try = class("Try", "Actor")
function Try:Go() self:Log("here") self:Inner() self:Log("there") end
function Try:Inner() local _ = string.gsub("a", "a", function() self:Log("within") return "b" end) end
`)
	var got []string
	b.v.opt.Log = func(_ *engine.Actor, text string) {
		f, n := b.v.Doing()
		got = append(got, text+": "+f+" "+n)
	}
	b.call(b.spawn("Try"), "Go")
	if f, n := b.v.Doing(); f != "" || n != "" {
		t.Errorf("nothing runs, and Doing says %q, %q", f, n)
	}
	if got := strings.Join(got, "\n"); got != "here: Try:Go Actor.Log\nwithin: Try:Go Actor.Log\nthere: Try:Go Actor.Log" {
		t.Error(got)
	}
}

// TestTimerOfNoTimeLetsTheWorldGoOn: a looping timer far shorter than a tick runs a bounded number of times in one.
func TestTimerOfNoTimeLetsTheWorldGoOn(t *testing.T) {
	b := newBench(t, `
local Try = class("Try", "Actor")
Try.properties { N = int(0) }
function Try:Go() self:SetTimer(1e-12, true, "Count") end
function Try:Count() self.N = self.N + 1 end
`)
	a := b.spawn("Try")
	b.call(a, "Go")
	b.w.Step(1.0 / 60)
	if n := b.get(a, "N").Num; n < 1 || n > 20 {
		t.Errorf("it ran %v times in a tick", n)
	}
}

// TestPanicsOfNativesAreReported: a script may catch the error that a panic in a native becomes; the report comes all the same.
func TestPanicsOfNativesAreReported(t *testing.T) {
	b := newBench(t, `
local Try = class("Try", "Actor")
function Try:Go() pcall(self.Log, self, "boom") end
`)
	b.v.opt.Log = func(*engine.Actor, string) { panic("out of ideas") }
	if _, err := b.v.Call(b.spawn("Try"), "Go"); err != nil {
		t.Errorf("the script caught it, and its call says %v", err)
	}
	if got := b.errors(); !strings.Contains(got, "internal error in Actor.Log at scriptvm/guard_test.go:") || !strings.Contains(got, "out of ideas; called in Try:Go") {
		t.Errorf("reported: %s", got)
	}
}

func TestClip(t *testing.T) {
	for _, c := range []struct{ from, to, want geom.Vector }{
		{geom.V(0, 0, 0), geom.V(1, 2, 3), geom.V(1, 2, 3)},
		{geom.V(0, 0, 0), geom.V(2e6, 1e6, 0), geom.V(1e6, 5e5, 0)},
		{geom.V(1e6, 0, 0), geom.V(3e6, 0, 0), geom.V(1e6, 0, 0)},
		{geom.V(0, 0, 0), geom.V(0, 0, -1e308), geom.V(0, 0, -1e6)},
		{geom.V(0, 5e-324, 0), geom.V(0, 5e-324, 1), geom.V(0, 0, 1)},
	} {
		if got := clip(c.from, c.to); got != c.want {
			t.Errorf("clip(%v, %v) = %v, want %v", c.from, c.to, got, c.want)
		}
	}
}
