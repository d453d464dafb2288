package level_test

import (
	"math"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/tidelock/tidelock/engine/collision"
	"github.com/tidelock/tidelock/engine/geom"
	"github.com/tidelock/tidelock/engine/level"
)

const levels = "../../content/levels"

var pawn = geom.V(34, 34, 88)

func load(t testing.TB, name string) *level.Level {
	t.Helper()
	return parse(t, name+".map", read(t, filepath.Join(levels, name+".map")), level.Options{})
}

// TestLevelsLoad: no warnings, every start stands on something and in nothing, every pickup is in reach of a
// floor, movers have what Mover.lua reads.
func TestLevelsLoad(t *testing.T) {
	for _, name := range []string{"flat", "wall", "steps", "arena", "estuary"} {
		lv := load(t, name)
		for _, w := range lv.Warnings {
			t.Errorf("warning %s", w)
		}
		q := collision.Query{World: collision.NewWorld(lv.Solids())}
		starts := 0
		for i := range lv.Entities {
			e := &lv.Entities[i]
			switch e.ClassName {
			case "PlayerStart":
				starts++
				if c := q.Deepest(e.Origin, pawn, collision.Filter{}); c.Depth > 0.001 {
					t.Errorf("%s: start %d at %v is %g uu in brush %d", name, starts, e.Origin, c.Depth, c.Brush)
				}
				if h := q.Sweep(e.Origin, e.Origin.Add(geom.V(0, 0, -1)), pawn, collision.Filter{}); h.Normal != geom.V(0, 0, 1) || h.Fraction != 0 {
					t.Errorf("%s: start %d at %v stands on nothing: %+v", name, starts, e.Origin, h)
				}
			case "Mover":
				if len(level.Solids(e.Brushes)) == 0 {
					t.Errorf("%s: Mover in line %d has no solid brush", name, e.Line)
				}
				s, _ := e.Keys.Get("MoveTo")
				if v, ok := level.ParseVector(s); !ok || v.IsZero() {
					t.Errorf("%s: Mover in line %d: MoveTo %q", name, e.Line, s)
				}
				for _, k := range []string{"MoveTime", "StayOpenTime"} {
					s, _ := e.Keys.Get(k)
					if f, err := strconv.ParseFloat(s, 64); err != nil || f <= 0 {
						t.Errorf("%s: Mover in line %d: %s %q", name, e.Line, k, s)
					}
				}
			default: // lies on a floor, and in nothing
				if h := q.Line(e.Origin, e.Origin.Add(geom.V(0, 0, -64)), collision.Filter{}); !h.Blocked() || h.StartSolid {
					t.Errorf("%s: %s at %v is over no floor: %+v", name, e.ClassName, e.Origin, h)
				}
				if c := q.Deepest(e.Origin, geom.V(30, 30, 30), collision.Filter{}); c.Depth > 0.001 {
					t.Errorf("%s: %s at %v is %g uu in brush %d", name, e.ClassName, e.Origin, c.Depth, c.Brush)
				}
			}
		}
		if want := map[string]int{"arena": 12, "estuary": 32}[name]; starts < max(want, 8) {
			t.Errorf("%s: %d player starts", name, starts)
		}
		if len(lv.Brushes) > 800 {
			t.Errorf("%s: %d brushes; an editor's levels of this kind have some hundreds", name, len(lv.Brushes))
		}
	}
}

// TestFlatIsWhatScenariosRelyOn holds the numbers of docs/scenarios.md.
func TestFlatIsWhatScenariosRelyOn(t *testing.T) {
	for _, name := range []string{"flat", "wall", "steps"} {
		lv := load(t, name)
		if b := lv.Brushes[0].Bounds; b.Min.X != -16000 || b.Max.X != 16000 || b.Min.Y != -16000 || b.Max.Y != 16000 || b.Max.Z != 0 {
			t.Errorf("%s: floor %v", name, b)
		}
		n := 0
		for i := range lv.Entities {
			e := &lv.Entities[i]
			if e.ClassName != "PlayerStart" {
				continue
			}
			if want := geom.V(0, float64(-2000+400*n), 88); e.Origin != want || e.Rotation() != (geom.Rotator{}) {
				t.Errorf("%s: start %d at %v facing %v, want %v", name, n, e.Origin, e.Rotation(), want)
			}
			n++
		}
		if n != 11 {
			t.Errorf("%s: %d starts", name, n)
		}
	}
	if n := len(load(t, "flat").Brushes); n != 1 {
		t.Errorf("flat has %d brushes", n)
	}
	lv := load(t, "wall")
	if b := lv.Brushes[1].Bounds; len(lv.Brushes) != 2 || b.Min != geom.V(500, -2000, 0) || b.Max != geom.V(520, 2000, 1000) {
		t.Errorf("wall: %v", b)
	}
	// The slopes are exact to what a walkable limit could notice.
	slopes := map[int]bool{}
	lv = load(t, "steps")
	for _, b := range lv.Brushes {
		for _, p := range b.Planes {
			deg := math.Acos(p.Normal.Z) * 180 / math.Pi
			if deg > 1 && deg < 89 && math.Abs(deg-math.Round(deg)) < 1e-6 {
				slopes[int(math.Round(deg))] = true
			}
		}
	}
	if !slopes[30] || !slopes[60] {
		t.Errorf("steps: slopes %v", slopes)
	}
}

// TestDeathmatchLevelsAreFair: half a turn maps such a level onto itself, so no side has more.
func TestDeathmatchLevelsAreFair(t *testing.T) {
	for _, name := range []string{"arena", "estuary"} {
		lv := load(t, name)
		seen := map[string]int{}
		key := func(class string, b geom.Bounds, turn bool) string {
			if turn {
				b.Min.X, b.Max.X = -b.Max.X, -b.Min.X
				b.Min.Y, b.Max.Y = -b.Max.Y, -b.Min.Y
			}
			zero := geom.Vector{} // makes −0 print as 0
			return class + b.Min.Add(zero).String() + b.Max.Add(zero).String()
		}
		for _, turn := range []bool{false, true} {
			step := 1
			if turn {
				step = -1
			}
			for _, b := range lv.Brushes {
				seen[key("", b.Bounds, turn)] += step
			}
			for i := range lv.Entities {
				e := &lv.Entities[i]
				b := geom.Bounds{Min: e.Origin, Max: e.Origin}
				seen[key(e.ClassName, b, turn)] += step
			}
		}
		for k, n := range seen {
			if n != 0 {
				t.Errorf("%s: %s has no counterpart", name, k)
			}
		}
	}
}
