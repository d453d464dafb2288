package condition_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/engine/geom"
	"github.com/tidelock/tidelock/scriptvm"
	"github.com/tidelock/tidelock/scriptvm/api"
	"github.com/tidelock/tidelock/scriptvm/classfile"
	"github.com/tidelock/tidelock/scriptvm/condition"
	"github.com/tidelock/tidelock/tests/tier"
)

// The compiled condition against the VM's own answer: the same expression stands as a condition and as a
// function that the VM runs, on random actors and connections.

const probeClass = `
local Probe = class("Probe", "Actor")
local Child = class("Child", Probe)
local LIMIT = 7
-- Numbers have names here because gopher-lua folds constants and then takes -0 for a 0 of the same function.
local ZERO, ONE, NEG = 0, 1, -2.5
local function near(self, d) local x = self.F return x < d and x > -d end
Probe.properties {
	B = false, C = true, I = int(0), J = int(3), F = float(0.5), S = "a", T = "",
	M = enum("Idle", "Fire", "Hold"), V = vector(1, 2, 3), W = vector(), R = rotator(1, 2, 3), Q = rotator(),
	A = array(int(4), 3), X = struct { P = int(1), V = vector(), B = true }, Y = array(struct { N = int(2), S = "y" }, 2),
	O = ref("Probe"), K = classref("Actor"), L = fastarray(struct { N = int(0) }),
%s
}
Probe.state("Odd", {})
Probe.state("Deaf", { ignores = { "Over" } })
function Probe:Over(n) local m = n or LIMIT return self.I > m end
function Probe:Near(d) return near(self, d) end
function Probe:Pick(x, y) if x then return y end return self.B end
function Probe.state.Odd:Over(n) return self.I %% 2 == 1 end
Probe.replication {
%s
}
function Probe:Fill() self.L:Add{} self.L:Add{} end
%s
function Child:Over(n) return self.F > n end
`

// gen draws expressions of a type. Text holds %I, %O, %D, %P, %R, %E for what is asked of the connection, so
// that one expression can be written both ways.
type gen struct{ t *rapid.T }

func (g gen) n(n int) int                { return rapid.IntRange(0, n-1).Draw(g.t, "n") }
func (g gen) pick(list ...string) string { return list[g.n(len(list))] }

func (g gen) boolean(d int) string {
	if d <= 0 {
		return g.pick("self.B", "self.C", "$I", "$O", "$D", "$P", "true", "false", "self.bHidden", "self.X.B", "self:HasAuthority()", "self.bNetTemporary")
	}
	switch g.n(16) {
	case 0, 1:
		return "(" + g.boolean(d-1) + " and " + g.boolean(d-1) + ")"
	case 2, 3:
		return "(" + g.boolean(d-1) + " or " + g.boolean(d-1) + ")"
	case 4:
		return "not " + g.any(d-1)
	case 5:
		return "(" + g.number(d-1) + " " + g.pick("<", "<=", ">", ">=", "==", "~=") + " " + g.pick("0", "1", "-2.5", "7") + ")"
	case 6, 7:
		return "(" + g.number(d-1) + " " + g.pick("<", "<=", ">", ">=", "==", "~=") + " " + g.number(d-1) + ")"
	case 8:
		return "(" + g.str(d-1) + " " + g.pick("<", "<=", ">", ">=", "==", "~=") + " " + g.str(d-1) + ")"
	case 9:
		return "(" + g.vector(d-1) + g.pick("==", "~=") + g.vector(d-1) + ")"
	case 10:
		return "(" + g.ref() + g.pick("==", "~=") + g.pick("nil", "self", g.ref()) + ")"
	case 11:
		return "(" + g.any(d-1) + g.pick("==", "~=") + g.any(d-1) + ")"
	case 12:
		return "self:Over(" + g.pick("", g.number(d-1)) + ")"
	case 13:
		return "self:Near(" + g.number(d-1) + ")"
	case 14:
		return g.pick(`self:IsA("Child")`, `self:IsInState("Odd")`, `self:IsA("Pawn")`, "near(self, "+g.number(d-1)+")", "(self.R == self.Q)", "(self.K == nil)", "(self.K ~= Child)",
			"("+g.pick("self.R + self.Q", "self.R * 2", "-self.R")+" == self.Q)", `self.O:IsA("Child")`)
	}
	return "self:Pick(" + g.any(d-1) + ", " + g.boolean(d-1) + ")"
}

func (g gen) number(d int) string {
	if d <= 0 {
		return g.pick("self.I", "self.J", "self.F", "ZERO", "ONE", "NEG", "self.V.X", "self.W.Z", "self.Location.Y", "self.R.Yaw", "$E", "$R",
			"self.A[1]", "self.X.P", "self.Y[2].N", "self.NetPriority", "self.Physics", "#self.A", "#self.S", "#self.L", "LIMIT", "ROLE_SimulatedProxy", "self.CollisionRadius")
	}
	switch g.n(12) {
	case 0, 1, 2:
		return "(" + g.number(d-1) + " " + g.pick("+", "-", "*", "/", "%", "^") + " " + g.number(d-1) + ")"
	case 3:
		return "(-" + g.number(d-1) + ")"
	case 4:
		return "(" + g.boolean(d-1) + " and " + g.number(d-1) + " or " + g.number(d-1) + ")"
	case 5:
		return g.pick("math.abs", "math.floor", "math.ceil") + "(" + g.number(d-1) + ")"
	case 6:
		return g.pick("math.max", "math.min") + "(" + g.number(d-1) + ", " + g.number(d-1) + ")"
	case 7:
		return g.vector(d-1) + g.pick(":Size()", ":Size2D()", ":Dot("+g.vector(d-1)+")", ":Distance("+g.vector(d-1)+")", ".X", ".Y", ".Z")
	case 8:
		return "self.A[" + g.number(d-1) + "]"
	case 9:
		return "self.O." + g.pick("I", "F", "V.X", "X.P", "Location.Z", "NetPriority")
	case 10:
		return "self.Y[" + g.pick("1", "2", "3", "self.I", "self.J") + "].N"
	}
	return g.number(0)
}

func (g gen) str(d int) string {
	if d > 0 && g.n(4) == 0 {
		return "(" + g.boolean(d-1) + " and " + g.str(d-1) + " or " + g.str(d-1) + ")"
	}
	return g.pick("self.S", "self.T", "self.M", `"Idle"`, `"Fire"`, `"a"`, `""`, "self:GetStateName()", "self:GetClass()", "self.Tag", "self.Y[1].S")
}

func (g gen) vector(d int) string {
	if d <= 0 {
		return g.pick("self.V", "self.W", "self.X.V", "self.Location", "self.Velocity", "vector(1, 2, 3)", "vector()")
	}
	switch g.n(8) {
	case 0, 1:
		return "(" + g.vector(d-1) + g.pick("+", "-", "*") + g.vector(d-1) + ")"
	case 2:
		return "(" + g.vector(d-1) + g.pick("*", "/") + g.number(d-1) + ")"
	case 3:
		return "(" + g.number(d-1) + "*" + g.vector(d-1) + ")"
	case 4:
		return "(-" + g.vector(d-1) + ")"
	case 5:
		return g.vector(d-1) + g.pick(":Normal()", ":Cross("+g.vector(d-1)+")", ":Rotation():Vector()")
	}
	return g.vector(0)
}

func (g gen) ref() string {
	return g.pick("self.O", "self.Owner", "self.Instigator", "self.Base", "self.O.O", "self")
}

func (g gen) any(d int) string {
	switch g.n(8) {
	case 0, 1, 2:
		return g.boolean(d)
	case 3, 4:
		return g.number(d)
	case 5:
		return g.str(d)
	case 6:
		return g.ref()
	}
	return g.pick("nil", g.vector(d))
}

// asCondition writes an expression as a condition asks, asFunction as a function with arguments.
var (
	asCondition = strings.NewReplacer("$I", "self.bNetInitial", "$O", "self.bNetOwner", "$D", "self.bNetDirty", "$P", "self.bIsPlayer", "$R", "self.Role", "$E", "self.RemoteRole")
	asFunction  = strings.NewReplacer("$I", "bI", "$O", "bO", "$D", "bD", "$P", "bP", "$R", "role", "$E", "remote")
)

// open loads classes into a VM and a world, or gives the errors.
func open(t testing.TB, cache *classfile.Cache, class string) (*scriptvm.VM, *engine.World, []engine.Diagnostic) {
	t.Helper()
	var sources []classfile.Source
	for _, dir := range []string{"core", "lib"} {
		files, err := filepath.Glob("../../scripts/" + dir + "/*.lua")
		if err != nil || len(files) == 0 {
			t.Fatalf("no %s: %v", dir, err)
		}
		for _, f := range files {
			text, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			s := classfile.Source{Path: f, Text: string(text)}
			if dir == "lib" {
				s.Lib = "lib." + strings.TrimSuffix(filepath.Base(f), ".lua")
			}
			sources = append(sources, s)
		}
	}
	vm := scriptvm.New(scriptvm.Options{Peer: "server", Cache: cache})
	diags := vm.Load(append(sources, classfile.Source{Path: "probe", Text: class, Multi: true}))
	if vm.Classes() == nil {
		vm.Close()
		return nil, nil, slices.DeleteFunc(diags, func(d engine.Diagnostic) bool { return d.Severity != engine.SevError })
	}
	w := engine.NewWorld(engine.Config{Classes: vm.Classes(), Script: vm, Seed: 1})
	vm.Bind(w)
	return vm, w, nil
}

func TestConditionsAgreeWithTheVM(t *testing.T) {
	cache := classfile.NewCache(scriptvm.Natives())
	native, all, faults, truths := 0, 0, 0, 0
	tier.Check(t, func(rt *rapid.T) {
		g := gen{rt}
		exprs := make([]string, 24)
		for i := range exprs {
			exprs[i] = g.boolean(4)
			if rapid.Bool().Draw(rt, "guarded") {
				exprs[i] = "self.Role == ROLE_Authority and " + exprs[i]
			} else {
				exprs[i] = strings.ReplaceAll(strings.ReplaceAll(exprs[i], "$R", "$E"), "self:HasAuthority()", "$I")
			}
		}
		var vm *scriptvm.VM
		var w *engine.World
		for {
			var props, rules, asks strings.Builder
			for i, e := range exprs {
				fmt.Fprintf(&props, "\tOut%d = int(0),\n", i)
				fmt.Fprintf(&rules, "{ \"Out%d\", when = function(self) return %s end },\n", i, asCondition.Replace(e))
				fmt.Fprintf(&asks, "function Probe:Ask%d(bI, bO, bD, bP, role, remote) local ok, r = pcall(function() return %s end) if not ok then return \"error\" end return r and true or false end\n",
					i, strings.ReplaceAll(asFunction.Replace(e), "self.Role ==", "role =="))
			}
			text := fmt.Sprintf(probeClass, props.String(), rules.String(), asks.String())
			var errs []engine.Diagnostic
			vm, w, errs = open(t, cache, text)
			if errs == nil {
				break
			}
			// An expression that can only be an error is refused; leave it out and go on.
			dropped := false
			lines := strings.Split(text, "\n")
			for _, d := range errs {
				line := lines[d.Pos.Line-1]
				for i, e := range exprs {
					if strings.Contains(line, fmt.Sprintf(`"Out%d"`, i)) && (d.Rule == "condition-type" || d.Rule == "both-sides") {
						exprs[i] = "true"
						dropped = dropped || e != "true"
					}
				}
			}
			if !dropped {
				rt.Fatalf("%v\n%s", errs, text)
			}
		}
		defer vm.Close()
		actors := world(rt, vm, w)
		for i, e := range exprs {
			p := w.Classes.Find("Probe").Property(fmt.Sprintf("Out%d", i))
			c := p.Rule.Cond
			all++
			if !c.Native() {
				continue
			}
			native++
			for _, a := range actors {
				bits := engine.ConnBits{
					Initial: rapid.Bool().Draw(rt, "I"), Owner: rapid.Bool().Draw(rt, "O"), Dirty: rapid.Bool().Draw(rt, "D"), IsPlayer: rapid.Bool().Draw(rt, "P"),
					Role: engine.RoleAuthority, RemoteRole: engine.Role(rapid.IntRange(1, 3).Draw(rt, "remote")),
				}
				got := c.Eval(a, bits.Input(a))
				out, err := vm.Call(a, fmt.Sprintf("Ask%d", i), engine.Bool(bits.Initial), engine.Bool(bits.Owner), engine.Bool(bits.Dirty),
					engine.Bool(bits.IsPlayer), engine.Int(int(bits.Role)), engine.Int(int(bits.RemoteRole)))
				if err != nil || len(out) != 1 {
					rt.Fatalf("%s: %v %v", e, out, err)
				}
				fault, faulted := a.World().TakeCondFault(c)
				want := out[0].Kind == engine.KindBool && out[0].Num != 0
				if out[0].Kind == engine.KindString {
					faults++
					// The first fault of a condition is kept; later ones are counted once.
				} else if faulted {
					rt.Fatalf("%s on %s: a fault (%s), the VM has none", e, a, fault.Text)
				}
				if want {
					truths++
				}
				if got != want {
					rt.Fatalf("%s\non %s with %+v: compiled %v, VM %v", e, a, bits, got, out[0])
				}
				// What the mask leaves out makes no difference.
				in := bits.Input(a)
				flip := engine.CondInput(rapid.IntRange(0, 255).Draw(rt, "flip")) &^ engine.CondInput(c.Mask())
				if c.Eval(a, in^flip) != got {
					rt.Fatalf("%s: mask %08b, but flipping %08b changes it", e, c.Mask(), flip)
				}
			}
		}
	})
	if all > 0 {
		t.Logf("%d of %d conditions native; %d faults, %d true", native, all, faults, truths)
		if native*10 < all*9 {
			t.Errorf("%d of %d conditions are native", native, all)
		}
	}
}

// world spawns a few actors with random variables.
func world(rt *rapid.T, vm *scriptvm.VM, w *engine.World) []*engine.Actor {
	var actors []*engine.Actor
	for i := range 4 {
		class := "Probe"
		if i%2 == 1 {
			class = "Child"
		}
		a, err := w.Spawn(w.Classes.Find(class), engine.SpawnParams{Location: geom.V(float64(i), -2, 40)})
		if err != nil {
			rt.Fatal(err)
		}
		set := func(name string, v engine.Value) {
			if err := a.Set(a.Class.Property(name), v); err != nil {
				rt.Fatal(err)
			}
			if p := a.Class.Property(name); p.Native == nil {
				vm.Changed(a, p)
			}
		}
		set("B", engine.Bool(rapid.Bool().Draw(rt, "B")))
		set("C", engine.Bool(rapid.Bool().Draw(rt, "C")))
		set("I", engine.Int(rapid.IntRange(-3, 12).Draw(rt, "I")))
		set("J", engine.Int(rapid.IntRange(1, 3).Draw(rt, "J")))
		set("F", engine.Float(float64(rapid.IntRange(-20, 20).Draw(rt, "F"))/4))
		set("S", engine.String(rapid.SampledFrom([]string{"a", "", "Idle", "zz"}).Draw(rt, "S")))
		set("M", engine.String(rapid.SampledFrom([]string{"Idle", "Fire", "Hold"}).Draw(rt, "M")))
		set("W", engine.Vec(geom.V(float64(rapid.IntRange(-2, 2).Draw(rt, "W")), 2, 3)))
		set("Q", engine.Rotation(geom.Rot(rapid.IntRange(0, 2).Draw(rt, "Q"), 2, 3)))
		set("bHidden", engine.Bool(rapid.Bool().Draw(rt, "h")))
		if rapid.Bool().Draw(rt, "K") {
			set("K", engine.ClassName("Child"))
		}
		if len(actors) > 0 && rapid.Bool().Draw(rt, "ref") {
			set("O", engine.Ref(actors[rapid.IntRange(0, len(actors)-1).Draw(rt, "to")]))
			set("Owner", engine.Ref(actors[0]))
		}
		if rapid.Bool().Draw(rt, "fill") {
			if _, err := vm.Call(a, "Fill"); err != nil {
				rt.Fatal(err)
			}
		}
		if s := rapid.SampledFrom([]string{"", "Odd", "Deaf"}).Draw(rt, "state"); s != "" {
			a.GotoState(s)
		}
		actors = append(actors, a)
	}
	return actors
}

// TestNativesAreTheRegistrys: what conditions compile is in the registry, and pure.
func TestNativesAreTheRegistrys(t *testing.T) {
	for name := range condition.Natives {
		space, method, ok := strings.Cut(name, ":")
		if !ok {
			space, method = string(api.Global), name
		}
		if strings.HasPrefix(name, "math.") {
			continue // Lua's own
		}
		if f := scriptvm.Natives().Find(api.Namespace(space), method); f == nil || !f.Pure {
			t.Errorf("%s is no pure native: %+v", name, f)
		}
	}
}
