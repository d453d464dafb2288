package animation

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/tidelock/tidelock/tests/tier"
	"pgregory.net/rapid"
)

func space(t testing.TB, points ...[2]float64) *Space {
	t.Helper()
	s := &SpaceSpec{Name: "s"}
	for i, p := range points {
		s.Samples = append(s.Samples, Sample{Animation: fmt.Sprint(i), X: p[0], Y: p[1]})
	}
	sp, err := NewSpace(s)
	if err != nil {
		t.Fatal(err)
	}
	return sp
}

func weight(list []Weight, name string) float64 {
	for _, w := range list {
		if w.Animation == name {
			return w.Weight
		}
	}
	return 0
}

// Of any space: at most four, above 0, sum 1, the sample alone at its point, no jumps, and inside the samples the point
// is their weighted mean.
func TestSpaces(t *testing.T) {
	tier.Check(t, func(t *rapid.T) {
		var points [][2]float64
		used := map[[2]float64]bool{}
		for range rapid.IntRange(1, 12).Draw(t, "n") {
			p := [2]float64{float64(rapid.IntRange(-4, 4).Draw(t, "x")), float64(rapid.IntRange(-4, 4).Draw(t, "y"))}
			if !used[p] {
				used[p] = true
				points = append(points, p)
			}
		}
		s := &SpaceSpec{Name: "s"}
		for i, p := range points {
			s.Samples = append(s.Samples, Sample{Animation: fmt.Sprint(i), X: p[0], Y: p[1]})
		}
		sp, err := NewSpace(s)
		if err != nil {
			if !strings.Contains(err.Error(), "on one line") {
				t.Fatal(err)
			}
			return
		}
		for i, p := range points {
			if w := sp.Weights(p[0], p[1], nil); len(w) != 1 || w[0].Animation != fmt.Sprint(i) || math.Abs(w[0].Weight-1) > 1e-9 {
				t.Fatalf("at sample %d: %v", i, w)
			}
		}
		x, y := rapid.Float64Range(-6, 6).Draw(t, "px"), rapid.Float64Range(-6, 6).Draw(t, "py")
		w := sp.Weights(x, y, nil)
		sum, mx, my := 0.0, 0.0, 0.0
		for _, k := range w {
			var i int
			fmt.Sscan(k.Animation, &i)
			sum, mx, my = sum+k.Weight, mx+k.Weight*points[i][0], my+k.Weight*points[i][1]
			if k.Weight <= 0 {
				t.Fatalf("%v", w)
			}
		}
		if len(w) == 0 || len(w) > MaxWeights || math.Abs(sum-1) > 1e-6 {
			t.Fatalf("%v: sum %g", w, sum)
		}
		if sp.line == nil {
			for _, c := range sp.cells {
				if _, in := sp.inside(c, x, y); in && math.Hypot(mx-x, my-y) > 1e-6 {
					t.Fatalf("at %g %g the mean is %g %g: %v", x, y, mx, my, w)
				}
			}
		}
		near := sp.Weights(x+1e-7, y-1e-7, nil)
		for _, k := range append(append([]Weight(nil), w...), near...) {
			if a, b := weight(w, k.Animation), weight(near, k.Animation); math.Abs(a-b) > 1e-3 {
				t.Fatalf("a jump from %v to %v", w, near)
			}
		}
	})
}

func TestSquareIsBilinear(t *testing.T) {
	sp := space(t, [2]float64{0, 0}, [2]float64{1, 0}, [2]float64{0, 1}, [2]float64{1, 1})
	w := sp.Weights(0.25, 0.5, nil)
	for name, want := range map[string]float64{"0": 0.375, "1": 0.125, "2": 0.375, "3": 0.125} {
		if got := weight(w, name); math.Abs(got-want) > 1e-9 {
			t.Errorf("%s: %g, want %g", name, got, want)
		}
	}
	if w := sp.Weights(2, 0.5, nil); math.Abs(weight(w, "1")-0.5) > 1e-9 || math.Abs(weight(w, "3")-0.5) > 1e-9 {
		t.Errorf("beside it: %v", w)
	}
	if w := sp.Weights(math.NaN(), math.NaN(), nil); weight(w, "0") != 1 {
		t.Errorf("NaN: %v", w)
	}
}

func TestCompass(t *testing.T) {
	points := [][2]float64{{0, 0}}
	for i := range 8 {
		points = append(points, [2]float64{math.Cos(float64(i) * math.Pi / 4), math.Sin(float64(i) * math.Pi / 4)})
	}
	sp := space(t, points...)
	w := sp.Weights(0.5*math.Cos(math.Pi/8), 0.5*math.Sin(math.Pi/8), nil)
	if len(w) != 3 || math.Abs(weight(w, "1")-weight(w, "2")) > 1e-9 || weight(w, "0") == 0 {
		t.Errorf("between two directions: %v", w)
	}
	ring := space(t, points[1:]...) // without its middle all eight lie on one circle
	if w := ring.Weights(0, 0, nil); len(w) == 0 || len(w) > MaxWeights {
		t.Errorf("%v", w)
	}
}

func TestSpacesThatAreWrong(t *testing.T) {
	for says, samples := range map[string][]Sample{
		"expected 1 to":     {},
		"at the same point": {{"a", 0, 0}, {"b", 0, 0}},
		"numbers":           {{"a", math.NaN(), 0}},
		"on one line":       {{"a", 0, 0}, {"b", 1, 1}, {"c", 2, 2}},
	} {
		if _, err := NewSpace(&SpaceSpec{Samples: samples}); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", says, err)
		}
	}
	if _, err := NewLibrary([]Spec{{Name: "a", Length: 1}}, []SpaceSpec{{Name: "s", Samples: []Sample{{"b", 0, 0}}}}); err == nil || !strings.Contains(err.Error(), `no animation "b"`) {
		t.Error(err)
	}
}

func TestTheHeaviestLeads(t *testing.T) {
	l := library(t, Spec{Name: "walk", Length: 2}, Spec{Name: "run", Length: 1})
	var g SyncGroup
	if m := g.Advance(0.5, l, []Weight{{"walk", 0.8}, {"run", 0.2}}); m.Name != "walk" || g.Phase != 0.25 {
		t.Error(m, g)
	}
	if m := g.Advance(0.5, l, []Weight{{"walk", 0.2}, {"run", 0.8}}); m.Name != "run" || g.Phase != 0.75 {
		t.Error(m, g)
	}
	if at := g.Position(l.Find("walk")); at != 1.5 {
		t.Error(at)
	}
	if m := g.Advance(0.5, l, []Weight{{"gone", 1}}); m != nil || g.Phase != 0.75 {
		t.Error(m, g)
	}
	if g.Advance(0.5, l, []Weight{{"run", 1}}); g.Phase != 0.25 {
		t.Error(g)
	}
}
