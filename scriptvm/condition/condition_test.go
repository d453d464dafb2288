package condition

import (
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/yuin/gopher-lua/ast"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/engine/geom"
	"github.com/tidelock/tidelock/scriptvm/syntax"
)

// read reads a function of self that returns an expression.
func read(t testing.TB, expr string) *Function {
	t.Helper()
	chunk, err := syntax.Parse("test", "local f = function(self) return "+expr+" end")
	if err != nil {
		t.Fatal(err)
	}
	s := &Scope{
		Chunk:  chunk,
		Pos:    func(n ast.PositionHolder) engine.Pos { return engine.Pos{Line: 1, Column: chunk.Pos(n).Column} },
		Locals: func(*ast.LocalAssignStmt) []*syntax.Symbol { return nil },
		Class:  func(*syntax.Symbol) string { return "" },
		Constant: func(name string) (float64, bool) {
			for i, n := range engine.RoleNames() {
				if n == name {
					return float64(i), true
				}
			}
			return 0, false
		},
		Number: func(e ast.Expr) (float64, bool) {
			n, ok := e.(*ast.NumberExpr)
			if !ok {
				return 0, false
			}
			x, err := strconv.ParseFloat(n.Value, 64)
			return x, err == nil
		},
		Library: func(name string) bool { return name == "math" },
		Words:   func(ast.Expr) string { return "something" },
	}
	f := chunk.Functions()[1]
	return s.Read(f, f.Params[0])
}

// testWorld is a world with two classes to ask about.
func testWorld(t testing.TB) (*engine.World, Source) {
	t.Helper()
	integer := &engine.Type{Kind: engine.KindInt}
	specs := []*engine.ClassSpec{
		{Name: "Actor", Native: engine.NativeActor},
		{
			Name: "Pawn", Parent: "Actor", Properties: []engine.PropertySpec{
				{Name: "Health", Type: integer, Default: engine.Int(100)},
				{Name: "Speed", Type: &engine.Type{Kind: engine.KindFloat}, Default: engine.Float(1.5)},
				{Name: "bReady", Type: &engine.Type{Kind: engine.KindBool}},
				{Name: "Mode", Type: &engine.Type{Kind: engine.KindEnum, Enum: []string{"Idle", "Fire"}}},
				{Name: "Nick", Type: &engine.Type{Kind: engine.KindString}, Default: engine.String("x")},
				{Name: "Enemy", Type: &engine.Type{Kind: engine.KindRef, Class: "Pawn"}},
				{Name: "Place", Type: &engine.Type{Kind: engine.KindVector}, Default: engine.Vec(geom.V(3, 4, 0))},
				{Name: "Ammo", Type: &engine.Type{Kind: engine.KindArray, Elem: integer, Len: 3}},
			},
			Functions: []engine.FunctionSpec{{Name: "IsHurt"}},
			States:    []engine.StateSpec{{Name: "Dead", Functions: []engine.FunctionSpec{{Name: "IsHurt"}}}, {Name: "Numb", Ignores: []string{"IsHurt"}}},
		},
		{Name: "Tank", Parent: "Pawn", Functions: []engine.FunctionSpec{{Name: "IsHurt"}}},
	}
	cs, diags := engine.BuildClasses(specs, nil)
	if cs == nil {
		t.Fatal(diags)
	}
	// A pawn is hurt below 50, a tank below 500, a dead one always.
	pawn, tank, dead := read(t, "self.Health < 50"), read(t, "self.Health < 500"), read(t, "true")
	return engine.NewWorld(engine.Config{Classes: cs}), Source{Classes: cs, Class: cs.Find("Pawn"), Body: func(f *engine.Function) *Function {
		switch {
		case f.State == "Dead":
			return dead
		case f.Class.Name == "Tank":
			return tank
		}
		return pawn
	}}
}

func compile(t testing.TB, src Source, expr string) engine.Condition {
	t.Helper()
	c, issues := Compile(src, read(t, expr))
	for _, i := range issues {
		if i.Kind != IssueConstant {
			t.Fatalf("%s: %+v", expr, i)
		}
	}
	if c == nil || !c.Native() {
		t.Fatalf("%s is not native", expr)
	}
	return c
}

func spawn(t testing.TB, w *engine.World, class string) *engine.Actor {
	t.Helper()
	a, err := w.Spawn(w.Classes.Find(class), engine.SpawnParams{})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// TestNativeVariables holds what conditions read of the engine's own variables to the variables themselves: of the actor,
// and of another that it refers to.
func TestNativeVariables(t *testing.T) {
	w, src := testWorld(t)
	a, b := spawn(t, w, "Pawn"), spawn(t, w, "Pawn")
	if err := b.Set(b.Class.Property("Enemy"), engine.Ref(a)); err != nil {
		t.Fatal(err)
	}
	for _, n := range engine.NativeProperties() {
		p := a.Class.Property(n.Name)
		if p == nil || n.Name == "Role" || n.Name == "RemoteRole" {
			continue
		}
		// Away from the default, where that is possible.
		v := engine.Value{Kind: n.Type.Kind, Num: 1, Vec: geom.V(1, 2, 3), Rot: geom.Rot(1, 2, 3), Str: "word", Ref: b.ID()}
		if !n.ReadOnly() && n.Name != "Owner" && n.Name != "Base" && n.Name != "Physics" {
			if err := a.Set(p, v); err != nil {
				t.Errorf("%s: %v", n.Name, err)
			}
		}
		v = n.Read(a)
		for who, expr := range map[*engine.Actor]string{a: "self." + n.Name, b: "self.Enemy." + n.Name} {
			if who == b && n.Name == "bDeleteMe" {
				continue // the VM is asked
			}
			c := &compiler{Source: src, self: theSelf(src.Class), props: map[*engine.Property]bool{}}
			node := c.function(read(t, expr), []*node{theSelf(src.Class)})
			if c.issue != nil {
				t.Errorf("%s: %+v", expr, c.issue)
				continue
			}
			got := node.any(who, 0)
			want := value{kind: got.kind}
			ok := node.types&got.kind != 0 && node.truth()(who, 0) == got.truth()
			switch n.Type.Kind {
			case engine.KindBool:
				want = boolean(v.Num != 0)
			case engine.KindFloat, engine.KindInt:
				want = number(v.Num)
				x, fine := node.number()(who, 0)
				ok = ok && fine && x == v.Num
			case engine.KindVector:
				want = vector(v.Vec)
			case engine.KindRotator:
				want = rotator(v.Rot)
			case engine.KindString:
				want = text(v.Str)
			case engine.KindRef:
				want = actor(w.Actor(v.Ref))
				ok = ok && (node.ref == nil || node.ref(who, 0) == w.Actor(v.Ref))
			default:
				ok = false
			}
			if !ok || !same(got, want) {
				t.Errorf("%s reads %+v (of types %b), the actor has %+v", expr, got, node.types, v)
			}
		}
	}
}

func TestFaultsAreFalseAndKeptOnce(t *testing.T) {
	w, src := testWorld(t)
	a := spawn(t, w, "Pawn")
	c := compile(t, src, "not (self.Enemy.Health > 5)")
	holds := func() bool { return c.Eval(a, engine.ConnBits{}.Input(a)) }
	for range 2 {
		if holds() {
			t.Error("not (error) is no truth")
		}
	}
	f, ok := w.TakeCondFault(c)
	if !ok || f.Actor != a.ID() || f.Text != "attempt to index nil with Health" {
		t.Errorf("%+v", f)
	}
	holds()
	if _, again := w.TakeCondFault(c); again {
		t.Error("a fault twice")
	}
	b := spawn(t, w, "Pawn")
	if err := a.Set(a.Class.Property("Enemy"), engine.Ref(b)); err != nil {
		t.Fatal(err)
	}
	if holds() {
		t.Error("100 > 5")
	}
	if err := b.Set(b.Class.Property("Health"), engine.Int(1)); err != nil {
		t.Fatal(err)
	}
	if !holds() {
		t.Error("1 < 5")
	}
}

// samples are conditions as classes have them.
var samples = map[string]string{
	"bits":     "self.Role == ROLE_Authority and self.bNetInitial",
	"location": "self.RemoteRole == ROLE_SimulatedProxy and not self.bSkipActorPropertyReplication and (self.bNetInitial or self.bUpdateSimulatedPosition)",
	"number":   "self.Health > 50 and self.Speed * 2 < self.NetPriority",
	"enum":     `self.Mode == "Fire" or self.Enemy ~= nil`,
	"vector":   "self.Place:Size() > 4",
	"other":    "self.Enemy and self.Enemy.Health > 5",
	"method":   "self:HasAuthority() and self:IsHurt()",
	"array":    "self.Ammo[2] >= 0",
}

func TestConditionsDoNotAllocate(t *testing.T) {
	w, src := testWorld(t)
	a, b := spawn(t, w, "Pawn"), spawn(t, w, "Tank")
	if err := a.Set(a.Class.Property("Enemy"), engine.Ref(b)); err != nil {
		t.Fatal(err)
	}
	exprs := map[string]string{
		"index": "self.Ammo[self.Health - 98] == 0", "strings": `self.Nick < "y" and self:GetClass() == "Pawn"`,
		"vectors": "(self.Place + self.Location) * 2 == -self.Velocity", "rotators": "self.Rotation * 2 == self.RotationRate",
		"far": "self.Enemy.Place:Distance(self.Place) < self.Enemy.Ammo[1]", "or": "(self.Enemy or self).Health > math.max(self.Speed, 3)",
	}
	for name, expr := range samples {
		exprs[name] = expr
	}
	for name, expr := range exprs {
		c := compile(t, src, expr)
		if n := testing.AllocsPerRun(100, func() { c.Eval(a, engine.ConnBits{Initial: true}.Input(a)) }); n != 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
}

func TestMasksAndProps(t *testing.T) {
	_, src := testWorld(t)
	c := compile(t, src, samples["location"])
	if c.Mask() != engine.MaskInitial|engine.MaskRemoteRole || c.ReadsOthers() {
		t.Errorf("%08b %v", c.Mask(), c.ReadsOthers())
	}
	var names []string
	for _, p := range c.Props() {
		names = append(names, p.Name)
	}
	if s := strings.Join(names, " "); s != "bSkipActorPropertyReplication bUpdateSimulatedPosition" {
		t.Error(s)
	}
	if c := compile(t, src, samples["other"]); !c.ReadsOthers() {
		t.Error("it reads another actor")
	}
}

// TestComparisonsWithConstants: a span holds the numbers that compare as the operator says, at the ends of all numbers, too.
func TestComparisonsWithConstants(t *testing.T) {
	numbers := []float64{math.Inf(-1), -math.MaxFloat64, -1.5, -1, math.Copysign(0, -1), 0, 5e-324, 1, 50, 1 << 53, math.MaxFloat64, math.Inf(1), math.NaN()}
	for _, k := range numbers {
		for _, x := range numbers {
			for op, want := range map[string]bool{"<": x < k, "<=": x <= k, ">": x > k, ">=": x >= k, "==": x == k} {
				if lo, hi := span(op, k); (lo <= x && x <= hi) != want {
					t.Errorf("%v %s %v: from %v to %v", x, op, k, lo, hi)
				}
			}
		}
	}
}
