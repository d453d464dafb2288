package fuse

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/scriptvm/syntax"
)

// What fused functions do is tested in package scriptvm, against the VM. Here: that no text is too much.

// world has one actor of a class with n floats F0…, and an int, a bool, an enum, a vector, a rotator.
func world(t testing.TB, n int) *engine.Actor {
	t.Helper()
	spec := &engine.ClassSpec{Name: "Actor", Native: engine.NativeActor}
	add := func(name string, kind engine.Kind) {
		spec.Properties = append(spec.Properties, engine.PropertySpec{Name: name, Type: &engine.Type{Kind: kind, Enum: []string{"A", "B"}}})
	}
	for i := range n {
		add(fmt.Sprint("F", i), engine.KindFloat)
	}
	add("I", engine.KindInt)
	add("bB", engine.KindBool)
	add("E", engine.KindEnum)
	add("V", engine.KindVector)
	add("R", engine.KindRotator)
	add("S", engine.KindString)
	add("P", engine.KindRef)
	cs, diags := engine.BuildClasses([]*engine.ClassSpec{spec}, nil)
	if cs == nil {
		t.Fatal(diags)
	}
	a, err := engine.NewWorld(engine.Config{Classes: cs}).Spawn(cs.Find("Actor"), engine.SpawnParams{})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// read takes the function out of a file with that body; nil where the text does not parse.
func read(body string) (*Func, *Refusal) {
	chunk, err := syntax.Parse("t.lua", "local K = 2\nlocal C = {}\nfunction C:F(x, y)\n"+body+"\nend")
	if err != nil {
		return nil, &Refusal{0, err.Error()}
	}
	for _, f := range chunk.Functions() {
		if f.Name == "C:F" {
			return Read(chunk, f, Words{Constant: func(string) (float64, bool) { return 0, false }})
		}
	}
	return nil, &Refusal{0, "no function"}
}

type noScript struct{}

func (noScript) HasRef(int) bool { return false }
func (noScript) Stored(int)      {}

func TestBounds(t *testing.T) {
	a := world(t, 300)
	repeat := func(n int, format string) string {
		var b strings.Builder
		for i := range n {
			b.WriteString(strings.ReplaceAll(format, "#", fmt.Sprint(i)) + "\n")
		}
		return b.String()
	}
	for _, tc := range []struct{ name, body, why string }{
		{"64 assigned", repeat(64, "self.F# = x + #"), ""},
		{"65 assigned", repeat(65, "self.F# = 1"), "more than 64 variables"},
		{"read too many", "local s = 0 " + repeat(256, "s = s + self.F#") + "self.I = s", "more than 256 registers"},
		{"constants", "local s = 0 " + repeat(256, "s = s + #.5") + "self.F0 = s", "more than 256 registers"},
		{"locals of blocks", repeat(300, "do local a, b, c = x, x, x self.F0 = a + b + c end"), "larger than"},
		{"locals of blocks, fewer", repeat(100, "do local a, b, c = x, x, x self.F0 = a + b + c end"), ""},
		{"deep", "self.F0 = " + strings.Repeat("(1 + ", 80) + "x" + strings.Repeat(")", 80), "nested more than"},
		{"operands", "self.F0 = x" + strings.Repeat(" + x", 55), ""},
		{"large", repeat(500, "self.F0 = self.F0 + 1"), "larger than 1500 operations"},
	} {
		f, why := read(tc.body)
		var p *Program
		if why == nil {
			p, why = Compile(f, a.Class, nil)
		}
		switch {
		case tc.why == "" && why != nil:
			t.Errorf("%s: %v", tc.name, why)
		case tc.why == "" && !p.Tick(&Frame{}, a, noScript{}, 1):
			t.Errorf("%s: gave up", tc.name)
		case tc.why != "" && (why == nil || !strings.Contains(why.Error(), tc.why)):
			t.Errorf("%s: %v, want %s", tc.name, why, tc.why)
		}
	}
}

// TestEarlyReturnReadsLittle: what stands behind a return is not read before it.
func TestEarlyReturnReadsLittle(t *testing.T) {
	f, why := read("if not self.bB then return end self.F0 = self.F1 + self.F2 if x > 1 then self.I = self.I + 1 end")
	if why != nil {
		t.Fatal(why)
	}
	p, why := Compile(f, world(t, 3).Class, nil)
	if why != nil {
		t.Fatal(why)
	}
	var ops []opcode
	for _, in := range p.code[:4] {
		ops = append(ops, in.op)
	}
	if want := []opcode{opLoadWord, opJumpTrue, opReturn, opLoadFloat}; fmt.Sprint(ops) != fmt.Sprint(want) {
		t.Errorf("it begins with %v, want %v", ops, want)
	}
	if p.code[len(p.code)-4].op != opLoadInt {
		t.Errorf("I is not read in the branch that uses it: %v", p.code)
	}
}

// FuzzRead: no body makes reading, compiling or running it panic.
func FuzzRead(f *testing.F) {
	for _, s := range []string{
		"self.F0 = x * 2 + K", "local a, b = x, self.V a, b = b, a", "if self.E == 'B' and not self.bB or self.P then self.E = 'A' return end",
		"self.V = self.V:With{ X = -x }:Normal() * 2 self.R = (self.R / 3):Vector():Rotation()", "self.I, self.F1 = math.floor(x % 3), self.I",
		"local m = self do m.bB = x ~= y end", "self.F0 = self.bB and self.V.X or world.TimeSeconds", "self.E = self.S", "self.bB = self.S == 'x' == true",
	} {
		f.Add(s)
	}
	a := world(f, 3)
	f.Fuzz(func(t *testing.T, body string) {
		fn, why := read(body)
		if why != nil {
			return
		}
		p, why := Compile(fn, a.Class, []engine.Kind{engine.KindFloat, engine.KindVector})
		if why != nil {
			return
		}
		var frame Frame
		p.Tick(&frame, a, noScript{}, 0.5)
		p.Call(&frame, a, noScript{}, []engine.Value{engine.Float(2), engine.Vec(a.Location)})
		p.Call(&frame, a, noScript{}, nil)
	})
}
