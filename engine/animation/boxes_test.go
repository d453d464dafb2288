package animation

import (
	"strings"
	"testing"
)

func TestBoxCurves(t *testing.T) {
	curve := func(name string, keys ...Key) Curve { return Curve{Name: name, Keys: keys} }
	lean := Spec{Name: "lean.toml", Length: 1, Curves: []Curve{
		curve("Box.head.X", Key{0, 0}, Key{0.5, 30}, Key{1, 0}), curve("Box.head.Z", Key{0.5, -40}), curve("Box.left.arm.Y", Key{0, 5}), curve("Lean", Key{0, 1}),
	}}
	lib, err := NewLibrary([]Spec{lean, {Name: "twice.toml", Parts: []PartSpec{{Animation: "lean.toml", From: 0.5}, {Animation: "lean.toml", Rate: 2}}}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	s := lib.Find("lean.toml").Track
	if len(s.Boxes) != 2 || s.Boxes[0].Name != "head" || s.Boxes[1].Name != "left.arm" || s.BoxReach != 50 {
		t.Fatalf("%+v, reach %v", s.Boxes, s.BoxReach)
	}
	for at, want := range map[float64][3]float64{0: {0, 0, -40}, 0.25: {15, 0, -40}, 0.5: {30, 0, -40}, 2: {0, 0, -40}} {
		if got := s.Boxes[0].At(at); got != want {
			t.Errorf("at %v: %v, expected %v", at, got, want)
		}
	}
	// A composite has them, too, at its own times.
	if got := lib.Find("twice.toml").Track.Boxes[0].At(0.75); got != [3]float64{30, 0, -40} {
		t.Errorf("in a composite: %v", got)
	}
	for name, says := range map[string]string{
		"Box.head": "expected Box.NAME.X", "Box.head.W": "expected Box.NAME.X", "Box..X": "expected Box.NAME.X", "Box.head.XY": "expected Box.NAME.X", "Box.head.": "expected Box.NAME.X",
	} {
		if _, err := NewLibrary([]Spec{{Name: "a.toml", Length: 1, Curves: []Curve{curve(name, Key{0, 1})}}}, nil); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := NewLibrary([]Spec{{Name: "a.toml", Length: 1, Curves: []Curve{curve("Box.head.X", Key{0, 1001})}}}, nil); err == nil || !strings.Contains(err.Error(), "at most 1000 uu") {
		t.Error(err)
	}
}
