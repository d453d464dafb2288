package engine

import (
	"math"
	"strings"
	"testing"

	"github.com/tidelock/tidelock/engine/geom"
)

// TestBuildErrors are the errors that hand-made specs can have; class files are tested in classfile.
func TestBuildErrors(t *testing.T) {
	at := func(line int) Pos { return Pos{File: "T.lua", Line: line, Column: 1} }
	root := &ClassSpec{Name: "Actor", Native: NativeActor, Pos: at(1)}
	for _, c := range []struct {
		name  string
		specs []*ClassSpec
		want  string
	}{
		{
			"cycle of three",
			[]*ClassSpec{root, {Name: "A", Parent: "B", Pos: at(2)}, {Name: "B", Parent: "C", Pos: at(3)}, {Name: "C", Parent: "A", Pos: at(4)}},
			"T.lua:2:1: error: class A is its own ancestor: A (T.lua:2:1) → B (T.lua:3:1) → C (T.lua:4:1) → A [cyclic-parent]",
		},
		{"alias as parent", []*ClassSpec{root, {Name: "GameInfo", Parent: "Actor", Pos: at(2)}, {Name: "DM", Parent: "GameMode", Pos: at(3)}}, ""},
		{
			"two of one name",
			[]*ClassSpec{root, {Name: "A", Parent: "Actor", Pos: at(2)}, {Name: "A", Parent: "Actor", Pos: at(5)}},
			"T.lua:5:1: error: class A is already defined at T.lua:2:1; give one of them another name [duplicate-class]",
		},
	} {
		cs, diags := BuildClasses(c.specs, nil)
		var got []string
		for _, d := range diags {
			got = append(got, d.String())
		}
		if s := strings.Join(got, "\n"); s != c.want || (cs == nil) != (c.want != "") {
			t.Errorf("%s:\n%s\nwant\n%s", c.name, s, c.want)
		}
	}
}

// A replicated function has a full list of parameters, whatever of it is declared (R6.7).
func TestParamsAreComplete(t *testing.T) {
	num := Param{Name: "n", Type: &Type{Kind: KindFloat}}
	fn := func(name string, f FunctionSpec) FunctionSpec { f.Name = name; return f }
	cs, diags := BuildClasses([]*ClassSpec{
		{Name: "Actor", Native: NativeActor},
		{
			Name: "A", Parent: "Actor",
			Functions: []FunctionSpec{
				fn("Plain", FunctionSpec{Args: []string{"a"}}),
				fn("None", FunctionSpec{Kind: CallServer, Stated: true, Args: []string{"a", "b"}}),
				fn("Half", FunctionSpec{Kind: CallServer, Stated: true, Args: []string{"n", "b"}, Params: []Param{num}}),
				fn("Many", FunctionSpec{Kind: CallClient, Stated: true, Vararg: true}),
				fn("Whole", FunctionSpec{Kind: CallServer, Stated: true, Args: []string{"n"}, Params: []Param{num}}),
			},
			States: []StateSpec{{Name: "S", Functions: []FunctionSpec{fn("Whole", FunctionSpec{Args: []string{"n", "more"}})}}},
		},
		{Name: "B", Parent: "A", Functions: []FunctionSpec{fn("None", FunctionSpec{Args: []string{"a", "b", "c"}}), fn("Whole", FunctionSpec{Args: []string{"m"}})}},
	}, nil)
	if cs == nil {
		t.Fatal(diags)
	}
	show := func(f *Function) string {
		s := ""
		for _, p := range f.Params {
			s += p.Name + ":" + p.Type.Kind.String() + " "
		}
		return s
	}
	for _, x := range []struct{ class, name, want string }{
		{"A", "Plain", ""},
		{"A", "None", "a:any b:any "},
		{"A", "Half", "n:float b:any "},
		{"A", "Many", strings.Repeat(":any ", MaxArgs)},
		{"A", "Whole", "n:float "},
		{"B", "None", "a:any b:any c:any "},
		{"B", "Whole", "n:float "},
	} {
		f := cs.Find(x.class).Functions[x.name]
		if got := show(f); got != x.want {
			t.Errorf("%s:%s has %q, expected %q", x.class, x.name, got, x.want)
		}
		if got, want := f.Undeclared(), strings.Contains(x.want, ":any"); got != want {
			t.Errorf("%s:%s: undeclared %v", x.class, x.name, got)
		}
	}
	if got := show(cs.Find("A").States["S"].Dispatch.Functions["Whole"]); got != "n:float " {
		t.Errorf("the state's override has %q; it crosses as the class's function", got)
	}
}

func TestParamsThatCannotBe(t *testing.T) {
	for want, spec := range map[string]*ClassSpec{
		"at most 32 arguments":        {Name: "A", Parent: "Actor", Functions: []FunctionSpec{{Name: "F", Kind: CallServer, Stated: true, Args: make([]string, MaxArgs+1)}}},
		"no function of the class is": {Name: "A", Parent: "Actor", States: []StateSpec{{Name: "S", Functions: []FunctionSpec{{Name: "F", Kind: CallServer, Stated: true}}}}},
	} {
		cs, diags := BuildClasses([]*ClassSpec{{Name: "Actor", Native: NativeActor}, spec}, nil)
		if cs != nil || len(diags) == 0 || !strings.Contains(diags[0].Text, want) {
			t.Errorf("expected an error with %q, got %v", want, diags)
		}
	}
}

func TestAnyKind(t *testing.T) {
	anything := &Type{Kind: KindAny}
	for _, v := range []Value{{}, Bool(true), Float(0.1), String("x"), Vec(geom.V(1, 2, 3)), Rotation(geom.Rotator{Yaw: 5}), {Kind: KindRef}} {
		got, err := anything.Check(nil, v)
		if err != nil || !sameValue(got, v) {
			t.Errorf("%v: got %v, %v", v, got, err)
		}
	}
	for _, v := range []Value{
		Float(math.NaN()), Float(math.Inf(1)), String(strings.Repeat("x", 256)), Vec(geom.V(math.Inf(1), 0, 0)), ClassName("Actor"),
		{Kind: KindStruct},
		{Kind: KindArray},
		{Kind: KindAny},
	} {
		if got, err := anything.Check(nil, v); err == nil {
			t.Errorf("%v was taken as %v", v, got)
		}
	}
}
