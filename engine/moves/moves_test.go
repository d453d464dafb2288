package moves

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/engine/geom"
)

func prop(name string, t *engine.Type, def engine.Value) engine.PropertySpec {
	return engine.PropertySpec{Name: name, Type: t, Default: def}
}

func vars(use engine.MoveUse, names ...string) []engine.MoveVarSpec {
	var out []engine.MoveVarSpec
	for i, n := range names {
		out = append(out, engine.MoveVarSpec{Name: n, Use: use, Pos: engine.Pos{File: "x.lua", Line: 10*int(use) + i + 1, Column: 1}})
	}
	return out
}

var boolType = &engine.Type{Kind: engine.KindBool}

// specs are a pawn with two components, a class of components more, and two weapons.
func specs() []*engine.ClassSpec {
	text := &engine.Type{Kind: engine.KindString, MaxLen: 4}
	small := &engine.Type{Kind: engine.KindInt, Ranged: true, Min: -3, Max: 10}
	half := &engine.Type{Kind: engine.KindFloat, Ranged: true, Min: 0, Max: 1}
	return []*engine.ClassSpec{
		{Name: "Actor", Native: engine.NativeActor},
		{Name: "ActorComponent", Native: engine.NativeComponent},
		{Name: "Pawn", Parent: "Actor"},
		{Name: "Weapon", Parent: "Actor"},
		{
			Name: "Dash", Parent: "ActorComponent",
			Properties: []engine.PropertySpec{prop("bDash", boolType, engine.Value{}), prop("Wait", half, engine.Value{})},
			Moves:      &engine.MoveSpec{Vars: append(vars(engine.MoveUsePress, "bDash"), vars(engine.MoveUseState, "Wait")...)},
		},
		{
			Name: "Jet", Parent: "ActorComponent",
			Properties: []engine.PropertySpec{
				prop("bThrust", boolType, engine.Value{}), prop("Throttle", small, engine.Int(2)),
				prop("Aim", &engine.Type{Kind: engine.KindVector, Quant: 10}, engine.Value{}),
				prop("Way", &engine.Type{Kind: engine.KindVector, Unit: true}, engine.Value{}),
				prop("Place", &engine.Type{Kind: engine.KindVector}, engine.Value{}),
				prop("View", &engine.Type{Kind: engine.KindRotator}, engine.Value{}),
				prop("Mode", &engine.Type{Kind: engine.KindEnum, Enum: []string{"a", "b", "c"}}, engine.Enum("b")),
				prop("Word", text, engine.String("no")),
				prop("List", &engine.Type{Kind: engine.KindArray, Len: 2, Elem: small}, engine.Value{}),
				prop("Big", &engine.Type{Kind: engine.KindInt}, engine.Value{}),
				prop("Fuel", half, engine.Float(1)), prop("bSpent", boolType, engine.Bool(true)),
			},
			Moves: &engine.MoveSpec{Vars: slices.Concat(
				vars(engine.MoveUseField, "Throttle", "Aim", "Way", "Place", "View", "Mode", "Word", "List", "Big"),
				vars(engine.MoveUseFlag, "bThrust"), vars(engine.MoveUseState, "Fuel", "bSpent"))},
		},
		{Name: "Boots", Parent: "ActorComponent", Moves: &engine.MoveSpec{}},
		{
			Name: "Flyer", Parent: "Pawn", Properties: []engine.PropertySpec{prop("bGlide", boolType, engine.Value{})},
			Moves:      &engine.MoveSpec{Vars: vars(engine.MoveUseFlag, "bGlide")},
			Components: []engine.ComponentSpec{{Name: "Dash", Class: "Dash"}, {Name: "Jet", Class: "Jet"}},
		},
		{
			Name: "Cannon", Parent: "Weapon", Properties: []engine.PropertySpec{prop("Heat", half, engine.Value{})},
			Moves: &engine.MoveSpec{Vars: vars(engine.MoveUseState, "Heat")},
		},
		{
			Name: "Axe", Parent: "Weapon", Properties: []engine.PropertySpec{prop("bSwing", boolType, engine.Value{})},
			Moves: &engine.MoveSpec{Vars: vars(engine.MoveUsePress, "bSwing")},
		},
		{Name: "Bow", Parent: "Weapon"},
	}
}

func build(t testing.TB, list []*engine.ClassSpec) *engine.Classes {
	t.Helper()
	cs, diags := engine.BuildClasses(list, nil)
	if cs == nil {
		t.Fatal(diags)
	}
	return cs
}

func flyer(t testing.TB) *Layout {
	t.Helper()
	cs := build(t, specs())
	table, diags := New(cs)
	if len(diags) > 0 {
		t.Fatal(diags)
	}
	return table.Of(cs.Find("Flyer"))
}

func (v *Values) set(t testing.TB, name string, x engine.Value) {
	t.Helper()
	done := false
	v.visit(func(i int, b *Block, words []uint64, strs []string) {
		if y := b.find(name); y != nil {
			x, err := y.Prop.Type.Check(nil, x)
			if err != nil {
				t.Fatal(err)
			}
			store(y.Prop.Type, words[y.Word:], strs[y.Str:], x)
			done = true
		}
	})
	if !done {
		t.Fatalf("nobody has %s", name)
	}
}

// visit goes through the blocks of inputs, or of the state, whichever these are.
func (v *Values) visit(f func(i int, b *Block, words []uint64, strs []string)) {
	if v.Texts != nil {
		v.EachState(f)
	} else {
		v.EachInput(f)
	}
}

// store packs a value as actors hold it.
func store(t *engine.Type, words []uint64, strs []string, x engine.Value) {
	switch t.Kind {
	case engine.KindBool:
		words[0] = uint64(x.Num)
	case engine.KindInt:
		words[0] = uint64(int64(x.Num))
	case engine.KindFloat:
		words[0] = math.Float64bits(x.Num)
	case engine.KindEnum:
		words[0] = uint64(t.EnumIndex(x.Str))
	case engine.KindVector:
		engine.StoreVector(words, x.Vec)
	case engine.KindRotator:
		words[0] = x.Rot.Pack()
	case engine.KindString:
		strs[0] = x.Str
	case engine.KindArray:
		for i := range x.List {
			store(t.Elem, words[i*t.Elem.Words():], strs, x.List[i])
		}
	default:
		panic(t)
	}
}

// show writes what is not at rest.
func (v *Values) show() string {
	var out []string
	v.visit(func(i int, b *Block, words []uint64, strs []string) {
		b.EachAsked(words, strs, func(x *Var, value engine.Value) {
			s := fmt.Sprint(value.Num)
			switch value.Kind {
			case engine.KindVector:
				s = value.Vec.String()
			case engine.KindRotator:
				s = value.Rot.String()
			case engine.KindString, engine.KindEnum:
				s = value.Str
			case engine.KindArray:
				s = fmt.Sprint(value.List[0].Num, value.List[1].Num)
			}
			out = append(out, v.Layout.Name(v.Entries[i], x.Prop.Name)+"="+s)
		})
	})
	return strings.Join(out, " ")
}

func TestOrderFollowsFromTheClasses(t *testing.T) {
	l := flyer(t)
	r := Roster{Static: 3, Added: 1, Held: 2}
	var got []string
	for _, e := range l.Entries(r) {
		got = append(got, fmt.Sprintf("%d %s", e.Key, e.Part.Class.Name))
	}
	if s := strings.Join(got, ", "); s != "0 Flyer, 1 Dash, 2 Jet, 3 Boots, 5 Cannon" {
		t.Error(s)
	}
	if v := l.Static[1].Part.Inputs.Vars; v[0].Prop.Name != "bThrust" {
		t.Errorf("%s stands first, not the flag", v[0].Prop.Name)
	}
}

// What is at rest takes no bytes, a held key one, and everything crosses as it is or as it says that it is rounded.
func TestInputsCross(t *testing.T) {
	l := flyer(t)
	var p Packer
	cross := func(v *Values) (string, *Values) {
		t.Helper()
		text := p.PackInputs(Move{Inputs: v})
		list, err := l.UnpackInputs(text, 1, geom.Rotator{})
		if err != nil {
			t.Fatal(err)
		}
		if list[0].Inputs.Roster != v.Roster {
			t.Errorf("roster %v became %v", v.Roster, list[0].Inputs.Roster)
		}
		return text, list[0].Inputs
	}
	v := l.Inputs(l.Plain())
	if text, _ := cross(v); text != "" {
		t.Errorf("at rest: %q", text)
	}
	v.set(t, "bThrust", engine.Bool(true))
	if text, got := cross(v); len(text) != 1 || got.show() != "Jet.bThrust=1" {
		t.Errorf("a held key: %q, %s", text, got.show())
	}
	v = l.Inputs(Roster{Static: 2, Added: 1, Held: 1})
	for name, x := range map[string]engine.Value{
		"bGlide": engine.Bool(true), "bThrust": engine.Bool(true), "Throttle": engine.Int(-3), "Aim": engine.Vec(geom.V(1.26, -2000, 90000000)),
		"Way": engine.Vec(geom.V(0.6, 0, -0.8)), "Place": engine.Vec(geom.V(1e300, -0.1, 7)), "View": engine.Rotation(geom.Rot(1, 65535, 4)),
		"Mode": engine.Enum("c"), "Word": engine.String("\x00ab\xff"), "Big": engine.Int(-1 << 31),
		"List":   {Kind: engine.KindArray, List: []engine.Value{engine.Int(10), engine.Int(0)}},
		"bSwing": engine.Bool(true),
	} {
		v.set(t, name, x)
	}
	_, got := cross(v)
	const want = "bGlide=1 Jet.bThrust=1 Jet.Throttle=-3 Jet.Aim=(1.3, -2000, 838860.7) Jet.Way=(0.5999938962981048, 0, -0.8000122074037904) " +
		"Jet.Place=(3.4028234663852886e+38, -0.10000000149011612, 7) Jet.View=(1, 65535, 4) Jet.Mode=c Jet.Word=\x00ab\xff Jet.List=10 0 Jet.Big=-2.147483648e+09 Axe.bSwing=1"
	if got.show() != want {
		t.Errorf("got  %s\nwant %s", got.show(), want)
	}
	if _, again := cross(got); again.show() != want {
		t.Errorf("what crossed is rounded anew: %s", again.show())
	}
}

// The moves of a call differ little; a view that need not cross is where the turn goes on to.
func TestCallsCarryFourMoves(t *testing.T) {
	l := flyer(t)
	var p Packer
	move := func(thrust bool, throttle int, yaw int) Move {
		v := l.Inputs(l.Plain())
		v.set(t, "bThrust", engine.Bool(thrust))
		v.set(t, "Throttle", engine.Int(throttle))
		return Move{Inputs: v, View: geom.Rot(0, yaw, 0), Text: p.Text(v), KeepsView: thrust || throttle != 2}
	}
	for _, c := range []struct {
		name  string
		list  []Move
		bytes int
		views []uint16
	}{
		{"at rest", []Move{move(false, 2, 7), move(false, 2, 9), move(false, 2, 11), move(false, 2, 0)}, 0, []uint16{7, 7, 7, 7}},
		{"held", []Move{move(true, 2, 7), move(true, 2, 7), move(true, 2, 7), move(true, 2, 7)}, 1, []uint16{7, 7, 7, 7}},
		{"a steady turn", []Move{move(true, 2, 3000), move(true, 2, 2000), move(true, 2, 1000), move(true, 2, 0)}, 5, []uint16{3000, 2000, 1000, 0}},
		{"about the north", []Move{move(true, 2, 1), move(true, 2, 65535), move(true, 2, 32767), move(true, 2, 65535)}, 13, []uint16{1, 65535, 32767, 65535}},
		{"looked aside in between", []Move{move(true, 2, 9000), move(false, 2, 500), move(true, 2, 3000)}, 9, []uint16{9000, 9000, 3000}},
		{"let go", []Move{move(false, 2, 5), move(true, 9, 3), move(true, 8, 3), move(false, 2, 1)}, 10, []uint16{5, 3, 3, 3}},
	} {
		text := p.PackInputs(c.list...)
		got, err := l.UnpackInputs(text, len(c.list), c.list[0].View)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if len(text) > c.bytes {
			t.Errorf("%s takes %d bytes, want %d", c.name, len(text), c.bytes)
		}
		for i := range got {
			if got[i].Inputs.show() != c.list[i].Inputs.show() || got[i].View.Yaw != c.views[i] {
				t.Errorf("%s: move %d is %s at %d, want %s at %d", c.name, i, got[i].Inputs.show(), got[i].View.Yaw, c.list[i].Inputs.show(), c.views[i])
			}
		}
	}
}

func TestStateCrosses(t *testing.T) {
	l := flyer(t)
	var p Packer
	v := l.State(l.Plain())
	if text := p.PackState(v); text != "" {
		t.Errorf("at rest: %q", text)
	}
	v = l.State(Roster{Static: 3, Held: 2})
	for name, x := range map[string]engine.Value{"Wait": engine.Float(0.1), "Fuel": engine.Float(0), "bSpent": engine.Bool(false), "Heat": engine.Float(1)} {
		v.set(t, name, x)
	}
	got, err := l.UnpackState(p.PackState(v))
	if err != nil {
		t.Fatal(err)
	}
	if s := got.show(); s != v.show() || s != "Dash.Wait=0.10000000149011612 Jet.Fuel=0 Jet.bSpent=0 Cannon.Heat=1" {
		t.Error(s)
	}
}

// Nothing that a peer sends is more than an error.
func TestHostileTextIsRefused(t *testing.T) {
	l := flyer(t)
	var p Packer
	full := l.Inputs(Roster{Static: 3, Added: 1, Held: 2})
	for name, x := range map[string]engine.Value{"Throttle": engine.Int(10), "Word": engine.String("abcd"), "Place": engine.Vec(geom.V(1, 2, 3)), "Mode": engine.Enum("a")} {
		full.set(t, name, x)
	}
	text := p.PackInputs(Move{Inputs: full})
	for _, c := range []struct {
		name, text string
		err        error
	}{
		{"more bytes", text + strings.Repeat("\x00", 60) + "\x01", ErrSurplus},
		{"zeros at the end", text + "\x00\x00", ErrSurplus},
		{"a weapon that there is not", "\x07", ErrRoster}, // 1, then 3 of 2
		{"a flood", strings.Repeat("\xff", MaxCallBytes), nil},
	} {
		_, err := l.UnpackInputs(c.text, 1, geom.Rotator{})
		if err == nil || c.err != nil && !errors.Is(err, c.err) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	// Every value out of its range, of the least change of its bits.
	refused := 0
	for i := range len(text) * 8 {
		b := []byte(text)
		b[i/8] ^= 1 << (i % 8)
		list, err := l.UnpackInputs(string(b), 1, geom.Rotator{})
		if err != nil {
			refused++
			continue
		}
		checkValues(t, list[0].Inputs)
	}
	if refused == 0 {
		t.Error("whatever the bits, nothing is refused")
	}
}

// checkValues holds values to their types.
func checkValues(t testing.TB, v *Values) {
	t.Helper()
	v.visit(func(i int, b *Block, words []uint64, strs []string) {
		for j := range b.Vars {
			x := &b.Vars[j]
			if _, err := x.Prop.Type.Check(nil, x.Value(words, strs)); err != nil {
				t.Errorf("%s: %v", v.Layout.Name(v.Entries[i], x.Prop.Name), err)
			}
		}
	})
}

func FuzzUnpack(f *testing.F) {
	l := flyer(f)
	for _, s := range []string{"", "\x01", "\x07", "\xff\xff\xff\xff\xff\xff\xff\xff", strings.Repeat("\xa5", 80)} {
		f.Add(s, 4)
	}
	f.Fuzz(func(t *testing.T, text string, n int) {
		n = 1 + (n&3+4)%4
		list, err := l.UnpackInputs(text, n, geom.Rot(1, 2, 3))
		if err == nil {
			var p Packer
			for i := range list {
				checkValues(t, list[i].Inputs)
				list[i].Text, list[i].KeepsView = p.Text(list[i].Inputs), true
			}
			again, err := l.UnpackInputs(p.PackInputs(list...), n, list[0].View)
			if err != nil {
				t.Fatalf("what was read cannot be written: %v", err)
			}
			for i := range again {
				if again[i].Inputs.show() != list[i].Inputs.show() || again[i].View != list[i].View {
					t.Fatalf("move %d: %s becomes %s", i, list[i].Inputs.show(), again[i].Inputs.show())
				}
			}
		}
		if s, err := l.UnpackState(text); err == nil {
			checkValues(t, s)
		}
	})
}

// After a reload inputs are found again by name; what is not there any more goes.
func TestInputsSurviveReload(t *testing.T) {
	l := flyer(t)
	v := l.Inputs(Roster{Static: 3, Added: 1, Held: 1})
	for name, x := range map[string]engine.Value{"bThrust": engine.Bool(true), "Throttle": engine.Int(9), "bSwing": engine.Bool(true), "Mode": engine.Enum("c")} {
		v.set(t, name, x)
	}
	list := specs()
	list[5].Properties[1].Type = &engine.Type{Kind: engine.KindInt, Ranged: true, Min: 0, Max: 5} // Throttle: 9 no longer fits
	list[5].Properties[6].Type = &engine.Type{Kind: engine.KindInt}                               // Mode is of another type
	list[5].Properties[6].Default = engine.Value{}
	list[7].Components = []engine.ComponentSpec{{Name: "Jet", Class: "Jet"}}
	cs := build(t, list)
	table, diags := New(cs)
	if len(diags) > 0 {
		t.Fatal(diags)
	}
	now := v.To(table.Of(cs.Find("Flyer")))
	if now.show() != "Jet.bThrust=1 Axe.bSwing=1" || now.Roster != (Roster{Static: 1, Added: 1, Held: 1}) {
		t.Errorf("%s, %+v", now.show(), now.Roster)
	}
	if v.To(l) != v {
		t.Error("the same layout made others")
	}
}

func TestOverflowNamesTheVariable(t *testing.T) {
	long := func(n int) *engine.Type { return &engine.Type{Kind: engine.KindString, MaxLen: n} }
	for _, c := range []struct {
		name, want string
		change     func([]*engine.ClassSpec) []*engine.ClassSpec
	}{
		{"fits", "", func(l []*engine.ClassSpec) []*engine.ClassSpec { return l }},
		{
			"inputs", "x.lua:21:1: error: class Pawn: what its moves carry takes up to 110 bytes, at most 64 fit: an added Jet 816 bits, an added Dash 50 bits, in its hand Axe 1 bits; " +
				"most takes Jet.Word, string(60), with 497 bits: give it a range or a smaller max, or leave it out [moves-too-large]",
			func(l []*engine.ClassSpec) []*engine.ClassSpec {
				l[5].Properties[7].Type = long(60)
				for i := range l[5].Moves.Vars {
					if l[5].Moves.Vars[i].Name == "Word" {
						l[5].Moves.Vars[i].Pos.Line = 21
					}
				}
				l[4].Properties = append(l[4].Properties, prop("Note", long(4), engine.Value{}))
				l[4].Moves.Vars = append(l[4].Moves.Vars, vars(engine.MoveUseField, "Note")...)
				return l
			},
		},
		{
			"state", "x.lua:31:1: error: class Pawn: what its moves depend on takes up to 252 bytes, at most 240 fit: an added Boots 1937 bits, an added Jet 34 bits, an added Dash 33 bits; " +
				"most takes Boots.Log, string(240), with 1937 bits: give it a range or a smaller max, or leave it out [moves-too-large]",
			func(l []*engine.ClassSpec) []*engine.ClassSpec {
				l[6].Properties = []engine.PropertySpec{prop("Log", long(240), engine.Value{})}
				l[6].Moves.Vars = vars(engine.MoveUseState, "Log")
				l[8].Moves = &engine.MoveSpec{}
				return l
			},
		},
	} {
		_, diags := New(build(t, c.change(specs())))
		var got []string
		for _, d := range diags {
			got = append(got, d.String())
		}
		if s := strings.Join(got, "\n"); !strings.HasPrefix(s, c.want) || c.want == "" && s != "" {
			t.Errorf("%s:\ngot  %s\nwant %s", c.name, s, c.want)
		}
	}
}

// Where nobody adds anything, views still cross, for the flags of the pawn's class.
func TestNobodyAddsAnything(t *testing.T) {
	list := specs()
	for _, s := range list {
		s.Moves = nil
	}
	cs := build(t, list)
	table, _ := New(cs)
	l := table.Of(cs.Find("Flyer"))
	if l == nil || len(l.Entries(l.Plain())) != 1 {
		t.Fatal("somebody besides the pawn")
	}
	var p Packer
	v := l.Inputs(l.Plain())
	text := p.PackInputs(Move{Inputs: v, View: geom.Rot(0, 90, 0)}, Move{Inputs: v, View: geom.Rot(0, 7, 0), KeepsView: true})
	if got, err := l.UnpackInputs(text, 2, geom.Rot(0, 90, 0)); err != nil || got[1].View.Yaw != 7 {
		t.Errorf("views do not cross: %v, %v", got, err)
	}
}
