package engine

import (
	"testing"

	"github.com/tidelock/tidelock/engine/geom"
)

// TestNativeReaders holds the quick ways to the engine's own variables against the table: they read the same,
// and a variable that is called plain gives back what was stored, and nothing but it changes.
func TestNativeReaders(t *testing.T) {
	cs, diags := BuildClasses([]*ClassSpec{{Name: "Actor", Native: NativeActor}}, nil)
	if cs == nil {
		t.Fatal(diags)
	}
	w := NewWorld(Config{Classes: cs})
	a, err := w.Spawn(cs.Find("Actor"), SpawnParams{})
	if err != nil {
		t.Fatal(err)
	}
	read := func(n *NativeProperty) Value {
		switch n.Type.Kind {
		case KindFloat, KindInt, KindBool:
			return Value{Kind: n.Type.Kind, Num: n.Number()(a)}
		case KindVector:
			return Vec(n.Vector()(a))
		case KindRotator:
			return Rotation(n.Rotator()(a))
		case KindString:
			return String(n.Text()(a))
		}
		return n.Read(a)
	}
	plain := 0
	for _, p := range a.Class.Properties {
		n := p.Native
		if n.Plain() {
			plain++
			before := make([]Value, len(nativeProperties))
			for i, o := range nativeProperties {
				before[i] = o.Read(a)
			}
			v := map[Kind]Value{
				KindFloat: Float(0.25), KindInt: Int(1), KindBool: Bool(before[n.ID].Num == 0), KindVector: Vec(geom.V(1, 2, 3)),
				KindRotator: Rotation(geom.Rot(4, 5, 6)),
			}[n.Type.Kind]
			a.SetPlain(p, v)
			for i, o := range nativeProperties {
				want := before[i]
				if o == n {
					want = v
				}
				if got := o.Read(a); !sameValue(got, want) {
					t.Errorf("setting %s to %v leaves %s at %v, want %v", n.Name, v, o.Name, got, want)
				}
			}
		}
		if got, want := read(n), n.Read(a); !sameValue(got, want) {
			t.Errorf("%s reads %v, want %v", n.Name, got, want)
		}
	}
	if plain < 15 {
		t.Errorf("only %d variables are plain", plain)
	}
}
