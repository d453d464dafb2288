package engine

import (
	"math"
	"strings"
	"testing"

	"github.com/tidelock/tidelock/engine/geom"
)

// Expressions by hand; package scriptvm/classfile tests them against the script VM.

func self() *Expr                   { return &Expr{Op: ExprSelf} }
func dot(x *Expr, n string) *Expr   { return &Expr{Op: ExprIndex, Str: n, Args: []*Expr{x}} }
func mine(n string) *Expr           { return dot(self(), n) }
func lit(n float64) *Expr           { return &Expr{Op: ExprNumber, Num: n} }
func str(s string) *Expr            { return &Expr{Op: ExprString, Str: s} }
func op(o ExprOp, a ...*Expr) *Expr { return &Expr{Op: o, Args: a} }
func ask(n string, a ...*Expr) *Expr {
	return &Expr{Op: ExprMethod, Str: n, Args: append([]*Expr{self()}, a...)}
}

// condWorld is a world with two classes to ask about.
func condWorld(t testing.TB) (*World, CondSource) {
	t.Helper()
	enum := &Type{Kind: KindEnum, Enum: []string{"Idle", "Fire"}}
	array := &Type{Kind: KindArray, Elem: &Type{Kind: KindInt}, Len: 3}
	specs := []*ClassSpec{
		{Name: "Actor", Native: NativeActor},
		{Name: "Pawn", Parent: "Actor", Properties: []PropertySpec{
			{Name: "Health", Type: &Type{Kind: KindInt}, Default: Int(100)},
			{Name: "Speed", Type: &Type{Kind: KindFloat}, Default: Float(1.5)},
			{Name: "bReady", Type: &Type{Kind: KindBool}},
			{Name: "Mode", Type: enum},
			{Name: "Nick", Type: &Type{Kind: KindString}, Default: String("x")},
			{Name: "Enemy", Type: &Type{Kind: KindRef, Class: "Pawn"}},
			{Name: "Place", Type: &Type{Kind: KindVector}, Default: Vec(geom.V(3, 4, 0))},
			{Name: "Ammo", Type: array},
		}, Functions: []FunctionSpec{{Name: "IsHurt"}}, States: []StateSpec{{Name: "Dead", Functions: []FunctionSpec{{Name: "IsHurt"}}}, {Name: "Numb", Ignores: []string{"IsHurt"}}}},
		{Name: "Tank", Parent: "Pawn", Functions: []FunctionSpec{{Name: "IsHurt"}}},
	}
	cs, diags := BuildClasses(specs, nil)
	if cs == nil {
		t.Fatal(diags)
	}
	// A pawn is hurt below 50, a tank below 500, a dead one always.
	body := func(f *Function) *ExprFunc {
		switch {
		case f.State == "Dead":
			return &ExprFunc{Body: op(ExprTrue)}
		case f.Class.Name == "Tank":
			return &ExprFunc{Body: op(ExprLt, mine("Health"), lit(500))}
		}
		return &ExprFunc{Body: op(ExprLt, mine("Health"), lit(50))}
	}
	return NewWorld(Config{Classes: cs}), CondSource{Classes: cs, Class: cs.Find("Pawn"), Body: body}
}

func compile(t testing.TB, src CondSource, e *Expr) *Condition {
	t.Helper()
	c, issues := CompileCondition(src, &ExprFunc{Body: e})
	for _, i := range issues {
		if i.Kind != IssueConstant {
			t.Fatalf("%+v", i)
		}
	}
	if c == nil || !c.Native() {
		t.Fatal("not native")
	}
	return c
}

func spawnOne(t testing.TB, w *World, class string) *Actor {
	t.Helper()
	a, err := w.Spawn(w.Classes.Find(class), SpawnParams{})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func TestConnBitsPack(t *testing.T) {
	w, _ := condWorld(t)
	a := spawnOne(t, w, "Pawn")
	for i := range 256 {
		in := CondInput(i)
		b := in.Bits()
		if b.Role == RoleNone || b.RemoteRole == RoleNone {
			continue // stands for the actor's own
		}
		if got := b.Input(a); got != in {
			t.Errorf("%08b unpacks to %+v and packs to %08b", in, b, got)
		}
	}
	if in := (ConnBits{}).Input(a); in.Bits().Role != RoleAuthority || in.Bits().RemoteRole != RoleSimulatedProxy {
		t.Errorf("%+v", in.Bits())
	}
}

// TestNativeVariablesInConditions holds the table of fast readers to the variables themselves.
func TestNativeVariablesInConditions(t *testing.T) {
	w, src := condWorld(t)
	a := spawnOne(t, w, "Pawn")
	b := spawnOne(t, w, "Pawn")
	for _, n := range NativeProperties() {
		p := a.Class.byName[n.Name]
		if p == nil || n.Name == "Role" || n.Name == "RemoteRole" {
			continue
		}
		// Away from the default, where that is possible without consequences.
		switch n.Type.Kind {
		case KindBool:
			if n.Name != "bDeleteMe" {
				n.put(a, Bool(true))
			}
		case KindFloat, KindInt:
			n.put(a, Value{Kind: n.Type.Kind, Num: 2})
		case KindVector:
			n.put(a, Vec(geom.V(1, 2, 3)))
		case KindRotator:
			n.put(a, Rotation(geom.Rot(1, 2, 3)))
		case KindString:
			n.put(a, String("word"))
		case KindRef:
			n.put(a, Ref(b))
		default:
		}
		c := &condCompiler{src: src, props: map[*Property]bool{}}
		node, issue := c.run(&ExprFunc{Body: mine(n.Name)})
		if issue != nil {
			t.Errorf("%s: %+v", n.Name, issue)
			continue
		}
		v, got := n.Read(a), node.any(a, 0)
		ok := false
		switch n.Type.Kind {
		case KindBool:
			ok = got == boolValue(v.Num != 0) && node.truth()(a, 0) == (v.Num != 0)
		case KindFloat, KindInt:
			ok = got.kind == typeNumber && got.num == v.Num && node.number()(a, 0) == v.Num
		case KindVector:
			ok = got.kind == typeVector && got.vec == v.Vec
		case KindRotator:
			ok = got.kind == typeRotator && got.bits == v.Rot.Pack()
		case KindString:
			ok = got.kind == typeString && got.str == v.Str
		case KindRef:
			ok = got.kind == typeRef && got.ref == w.Actor(v.Ref) || got.kind == typeNil && v.Ref == 0
		default:
		}
		if !ok || node.types&got.kind == 0 {
			t.Errorf("%s: condition reads %+v (of types %b), the actor has %+v", n.Name, got, node.types, v)
		}
	}
	for name := range condNatives() {
		if a.Class.byName[name] == nil {
			t.Errorf("%s is in the table and no variable", name)
		}
	}
}

func TestFunctionsByClassAndState(t *testing.T) {
	w, src := condWorld(t)
	c := compile(t, src, ask("IsHurt"))
	pawn, tank := spawnOne(t, w, "Pawn"), spawnOne(t, w, "Tank")
	for _, s := range []struct {
		a     *Actor
		state string
		want  bool
	}{{pawn, "", false}, {tank, "", true}, {pawn, "Dead", true}, {tank, "Dead", true}, {pawn, "Numb", false}, {tank, "Numb", false}, {pawn, "", false}} {
		s.a.GotoState(s.state)
		if got := c.Eval(s.a, ConnBits{}); got != s.want {
			t.Errorf("%s in %q: %v", s.a, s.state, got)
		}
	}
	if !c.ReadsOthers() {
		t.Error("it depends on the state")
	}
}

func TestFaultsAreFalseAndKeptOnce(t *testing.T) {
	w, src := condWorld(t)
	a := spawnOne(t, w, "Pawn")
	c := compile(t, src, op(ExprNot, op(ExprGt, dot(mine("Enemy"), "Health"), lit(5))))
	for range 2 {
		if c.Eval(a, ConnBits{}) {
			t.Error("not (error) is no truth")
		}
	}
	f, ok := w.TakeCondFault(c)
	if !ok || f.Actor != a.ID() || !strings.Contains(f.Text, "nil") {
		t.Errorf("%+v", f)
	}
	c.Eval(a, ConnBits{})
	if _, again := w.TakeCondFault(c); again {
		t.Error("a fault twice")
	}
	b := spawnOne(t, w, "Pawn")
	if err := a.Set(a.Class.Property("Enemy"), Ref(b)); err != nil {
		t.Fatal(err)
	}
	if c.Eval(a, ConnBits{}) {
		t.Error("100 > 5")
	}
	if err := b.Set(b.Class.Property("Health"), Int(1)); err != nil {
		t.Fatal(err)
	}
	if !c.Eval(a, ConnBits{}) {
		t.Error("1 < 5")
	}
}

// condSamples are conditions as classes have them.
func condSamples() map[string]*Expr {
	authority := op(ExprEq, mine("Role"), lit(float64(RoleAuthority)))
	return map[string]*Expr{
		"bits": op(ExprAnd, authority, mine("bNetInitial")),
		"location": op(ExprAnd, op(ExprAnd, op(ExprEq, mine("RemoteRole"), lit(float64(RoleSimulatedProxy))), op(ExprNot, mine("bSkipActorPropertyReplication"))),
			op(ExprOr, mine("bNetInitial"), mine("bUpdateSimulatedPosition"))),
		"number": op(ExprAnd, op(ExprGt, mine("Health"), lit(50)), op(ExprLt, op(ExprMul, mine("Speed"), lit(2)), mine("NetPriority"))),
		"enum":   op(ExprOr, op(ExprEq, mine("Mode"), str("Fire")), op(ExprNe, mine("Enemy"), op(ExprNil))),
		"vector": op(ExprGt, &Expr{Op: ExprMethod, Str: "Size", Args: []*Expr{mine("Place")}}, lit(4)),
		"other":  op(ExprAnd, mine("Enemy"), op(ExprGt, dot(mine("Enemy"), "Health"), lit(5))),
		"method": op(ExprAnd, ask("HasAuthority"), ask("IsHurt")),
		"array":  op(ExprGe, &Expr{Op: ExprElem, Args: []*Expr{mine("Ammo"), lit(2)}}, lit(0)),
	}
}

func TestConditionsDoNotAllocate(t *testing.T) {
	w, src := condWorld(t)
	a, b := spawnOne(t, w, "Pawn"), spawnOne(t, w, "Tank")
	if err := a.Set(a.Class.Property("Enemy"), Ref(b)); err != nil {
		t.Fatal(err)
	}
	for name, e := range condSamples() {
		c := compile(t, src, e)
		if n := testing.AllocsPerRun(100, func() { c.Eval(a, ConnBits{Initial: true}) }); n != 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
}

func TestMasksAndProps(t *testing.T) {
	_, src := condWorld(t)
	c := compile(t, src, condSamples()["location"])
	if c.Mask() != MaskInitial|MaskRemoteRole || c.ReadsOthers() {
		t.Errorf("%08b %v", c.Mask(), c.ReadsOthers())
	}
	var names []string
	for _, p := range c.Props() {
		names = append(names, p.Name)
	}
	if s := strings.Join(names, " "); s != "bSkipActorPropertyReplication bUpdateSimulatedPosition" {
		t.Error(s)
	}
	if c := compile(t, src, condSamples()["other"]); !c.ReadsOthers() {
		t.Error("it reads another actor")
	}
}

func TestExprOpsHaveNames(t *testing.T) {
	for o := range numExprOps {
		if o.String() == "" || o.String() == "ExprOp(?)" {
			t.Errorf("op %d has no name", o)
		}
	}
}

// TestArithmetic follows gopher-lua: modulo takes the sign of the divisor, and 0 is never negative.
func TestArithmetic(t *testing.T) {
	for _, c := range []struct {
		op   ExprOp
		x, y float64
		want float64
	}{{ExprMod, -1, 3, 2}, {ExprMod, 1, -3, -2}, {ExprMod, 5.5, 2, 1.5}, {ExprPow, 2, 10, 1024}, {ExprDiv, 1, 0, math.Inf(1)}, {ExprMul, 0, -1, 0}} {
		if got := arithmetic(c.op, c.x, c.y); got != c.want || math.Signbit(got) != math.Signbit(c.want) {
			t.Errorf("%v %s %v = %v, want %v", c.x, c.op, c.y, got, c.want)
		}
	}
}

func BenchmarkCondition(b *testing.B) {
	w, src := condWorld(b)
	a, o := spawnOne(b, w, "Pawn"), spawnOne(b, w, "Tank")
	if err := a.Set(a.Class.Property("Enemy"), Ref(o)); err != nil {
		b.Fatal(err)
	}
	for name, e := range condSamples() {
		c := compile(b, src, e)
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				c.Eval(a, ConnBits{Initial: true})
			}
		})
		b.Run(name+"/packed", func(b *testing.B) {
			in := ConnBits{Initial: true}.Input(a)
			for b.Loop() {
				c.EvalInput(a, in)
			}
		})
	}
}
