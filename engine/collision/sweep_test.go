package collision_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/tidelock/tidelock/engine/collision"
	"github.com/tidelock/tidelock/engine/geom"
)

var none = collision.Filter{}

func TestSweepBox(t *testing.T) {
	w := collision.NewWorld([]collision.Hull{
		collision.BoxHull(geom.Bounds{Min: geom.V(-1000, -1000, -16), Max: geom.V(0, 1000, 0)}),
		collision.BoxHull(geom.Bounds{Min: geom.V(0, -1000, -16), Max: geom.V(1000, 1000, 0)}),
		collision.BoxHull(geom.Bounds{Min: geom.V(500, -1000, 0), Max: geom.V(520, 1000, 1000)}),
	})
	q := collision.Query{World: w}
	half := geom.V(34, 34, 88)
	g := collision.Gap
	cases := []struct {
		name       string
		start, end geom.Vector
		fraction   float64
		normal     geom.Vector
		solid      bool
	}{
		{"falls on the floor", geom.V(-100, 0, 188), geom.V(-100, 0, 88-100), (100 - g) / 200, geom.V(0, 0, 1), false},
		{"along the floor, at the gap, over the seam", geom.V(-300, 0, 88+g), geom.V(300, 0, 88+g), 1, geom.Vector{}, false},
		{"along the floor, touching", geom.V(-300, 0, 88), geom.V(300, 0, 88), 1, geom.Vector{}, false},
		{"along the floor, in it by a rounding", geom.V(-300, 0, 88-0.02), geom.V(300, 0, 88-0.02), 1, geom.Vector{}, false},
		{"into the floor from a touch", geom.V(-300, 0, 88), geom.V(-200, 0, 87), 0, geom.V(0, 0, 1), false},
		{"into the wall", geom.V(0, 0, 88+g), geom.V(932, 0, 88+g), (466 - g) / 932, geom.V(-1, 0, 0), false},
		{"fast through the wall", geom.V(0, 0, 200), geom.V(100000, 0, 200), (466 - g) / 100000, geom.V(-1, 0, 0), false},
		{"along the wall, touching", geom.V(466, -300, 200), geom.V(466, 300, 200), 1, geom.Vector{}, false},
		{"away from the wall", geom.V(466, 0, 200), geom.V(0, 0, 200), 1, geom.Vector{}, false},
		{"not at all", geom.V(466, 0, 88), geom.V(466, 0, 88), 1, geom.Vector{}, false},
		{"out of the wall", geom.V(470, 0, 200), geom.V(0, 0, 200), 1, geom.Vector{}, true},
		{"deeper into the wall", geom.V(470, 0, 200), geom.V(480, 0, 200), 0, geom.V(-1, 0, 0), true},
		{"within the wall", geom.V(470, 0, 200), geom.V(470, 9, 200), 1, geom.Vector{}, true},
	}
	for _, c := range cases {
		h := q.Sweep(c.start, c.end, half, none)
		if !near(h.Fraction, c.fraction, 1e-9) || h.Normal != c.normal || h.StartSolid != c.solid || h.Blocked() != (h.Brush >= 0) {
			t.Errorf("%s: %+v", c.name, h)
		}
	}
	if q.Sweeps != uint64(len(cases)) {
		t.Errorf("%d sweeps counted", q.Sweeps)
	}
}

func TestLine(t *testing.T) {
	clip := collision.BoxHull(geom.Bounds{Min: geom.V(50, -9, -9), Max: geom.V(60, 9, 9)})
	clip.LinesPass = true
	w := collision.NewWorld([]collision.Hull{
		clip, collision.BoxHull(geom.Bounds{Min: geom.V(100, -9, -9), Max: geom.V(120, 9, 9)}),
	})
	q := collision.Query{World: w}
	if h := q.Line(geom.V(0, 0, 0), geom.V(200, 0, 0), none); h.Fraction != 0.5 || h.Location != geom.V(100, 0, 0) || h.Brush != 1 {
		t.Errorf("%+v", h)
	}
	if h := q.Sweep(geom.V(0, 0, 0), geom.V(200, 0, 0), geom.V(1, 1, 1), none); h.Brush != 0 {
		t.Errorf("a clip brush lets a box through: %+v", h)
	}
	if q.Clear(geom.V(0, 0, 0), geom.V(200, 0, 0), none) || !q.Clear(geom.V(0, 0, 10), geom.V(200, 0, 10), none) ||
		!q.Clear(geom.V(0, 0, 0), geom.V(99, 0, 0), none) || q.Clear(geom.V(110, 0, 0), geom.V(300, 0, 0), none) {
		t.Error("Clear")
	}
	if h := q.Line(geom.V(100, 0, 0), geom.V(0, 0, 0), none); h.Blocked() || h.StartSolid {
		t.Errorf("away from the surface: %+v", h)
	}
	if h := q.Line(geom.V(100, 0, 0), geom.V(110, 0, 0), none); h.Fraction != 0 || !h.Blocked() {
		t.Errorf("into the surface: %+v", h)
	}
}

func TestMovers(t *testing.T) {
	w := collision.NewWorld(nil)
	q := collision.Query{World: w}
	slab := collision.BoxHull(geom.Bounds{Min: geom.V(-100, -100, 0), Max: geom.V(100, 100, 16)})
	w.AddMover(7, []collision.Hull{slab})
	w.AddMover(3, []collision.Hull{slab.Translate(geom.V(0, 0, 500))})
	half := geom.V(34, 34, 88)
	down := func(f collision.Filter) collision.Hit {
		return q.Sweep(geom.V(0, 0, 400), geom.V(0, 0, 0), half, f)
	}
	if h := down(none); h.Mover != 7 || !near(h.Location.Z, 16+88+collision.Gap, 1e-9) {
		t.Errorf("%+v", h)
	}
	w.MoveMover(7, geom.V(0, 0, 100))
	if h := down(none); h.Mover != 7 || !near(h.Location.Z, 116+88+collision.Gap, 1e-9) || w.MoverOffset(7).Z != 100 {
		t.Errorf("%+v", h)
	}
	if h := down(collision.Filter{Ignore: 7}); h.Blocked() {
		t.Errorf("%+v", h)
	}
	if h := down(collision.Filter{NoMovers: true}); h.Blocked() {
		t.Errorf("%+v", h)
	}
	if h := q.SweepMover(3, geom.V(0, 0, 700), geom.V(0, 0, 0), half); h.Mover != 3 {
		t.Errorf("%+v", h)
	}
	if c := q.Deepest(geom.V(0, 0, 200), half, none); c.Mover != 7 || !near(c.Depth, 4, 1e-9) || c.Normal.Z != 1 {
		t.Errorf("%+v", c)
	}
	if c := q.MoverDepth(7, geom.V(0, 0, 200), half); !near(c.Depth, 4, 1e-9) {
		t.Errorf("%+v", c)
	}
	if way, ok := q.Depenetrate(geom.V(0, 0, 200), half, 50, none); !ok || !near(way.Z, 4+collision.Gap, 1e-9) {
		t.Errorf("%v %v", way, ok)
	}
	w.SetMoverSolid(7, false)
	if h := down(none); h.Blocked() {
		t.Errorf("%+v", h)
	}
	w.RemoveMover(7)
	w.RemoveMover(7)
	if w.HasMover(7) || !w.HasMover(3) {
		t.Error("RemoveMover")
	}
}

// TestSweepAgainstBruteForce holds sweeps to a test that knows neither bevels nor Minkowski sums.
func TestSweepAgainstBruteForce(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	hits, rounds := 0, 6000
	if testing.Short() {
		rounds = 600
	}
	for round := range rounds {
		h := randomHull(r, geom.Vector{}, 60)
		q := collision.Query{World: collision.NewWorld([]collision.Hull{h})}
		half := geom.V(1+r.Float64()*40, 1+r.Float64()*40, 1+r.Float64()*90)
		start, end := random(r, 300), random(r, 150)
		faces := realFaces(&h)
		if depth := q.Deepest(start, half, none).Depth; depth > 0.02 != meets(&h, faces, start, half) && !near(depth, 0.01, 0.01) {
			t.Fatalf("round %d: depth %g, meets %v", round, depth, meets(&h, faces, start, half))
		}
		if q.Overlaps(start, half, none) {
			continue
		}
		hit := q.Sweep(start, end, half, none)
		if d := q.Deepest(hit.Location, half, none).Depth; d > 1e-9 {
			t.Fatalf("round %d: the sweep ends %g uu deep: %+v", round, d, hit)
		}
		// The free part is free.
		smaller := half.Sub(geom.V(0.01, 0.01, 0.01))
		for i := range 40 {
			if at := start.Lerp(hit.Location, float64(i)/39); meets(&h, faces, at, smaller) {
				t.Fatalf("round %d: passes through at %d/39: %+v", round, i, hit)
			}
		}
		if !hit.Blocked() {
			continue
		}
		hits++
		// And no shorter than it must be: a little larger, the box meets the hull.
		larger := half.Add(geom.V(1, 1, 1).Mul(4 * collision.Gap))
		if hit.Fraction > 0 && !meets(&h, faces, hit.Location, larger) {
			t.Fatalf("round %d: stops in free space: %+v", round, hit)
		}
		if hit.Normal.Dot(end.Sub(start)) >= 0 || !near(hit.Normal.Size(), 1, 1e-9) {
			t.Fatalf("round %d: normal %+v", round, hit)
		}
	}
	if hits < rounds/10 {
		t.Fatalf("only %d hits", hits)
	}
}

// TestHierarchyChangesNothing: the nearest hit in a world of many hulls is the nearest of each alone.
func TestHierarchyChangesNothing(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	var hulls []collision.Hull
	var alone []collision.Query
	for range 200 {
		h := randomHull(r, random(r, 1000), 60)
		hulls = append(hulls, h)
		alone = append(alone, collision.Query{World: collision.NewWorld([]collision.Hull{h})})
	}
	all := collision.Query{World: collision.NewWorld(hulls)}
	for round := range 1000 {
		start, end, half := random(r, 1200), random(r, 1200), random(r, 40)
		half = geom.V(math.Abs(half.X), math.Abs(half.Y), math.Abs(half.Z))
		if round%3 == 0 {
			end.X = start.X // axial moves divide by zero
		}
		if round%5 == 0 {
			end.Z = start.Z
		}
		want, wantLine, depth := 1.0, 1.0, 0.0
		for i := range alone {
			want = min(want, alone[i].Sweep(start, end, half, none).Fraction)
			wantLine = min(wantLine, alone[i].Line(start, end, none).Fraction)
			depth = max(depth, alone[i].Deepest(start, half, none).Depth)
		}
		if got := all.Sweep(start, end, half, none); got.Fraction != want {
			t.Fatalf("round %d: %+v, want %g", round, got, want)
		}
		if got := all.Line(start, end, none); got.Fraction != wantLine {
			t.Fatalf("round %d: line %+v, want %g", round, got, wantLine)
		}
		if got := all.Deepest(start, half, none); got.Depth != depth {
			t.Fatalf("round %d: depth %g, want %g", round, got.Depth, depth)
		}
		if way, ok := all.Depenetrate(start, half, 500, none); ok && all.Overlaps(start.Add(way), half, none) {
			t.Fatalf("round %d: Depenetrate leads into something", round)
		}
	}
}

// TestNothingSticks: from inside, some move always leads out, and none leads deeper.
func TestNothingSticks(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for range 3000 {
		h := randomHull(r, geom.Vector{}, 60)
		q := collision.Query{World: collision.NewWorld([]collision.Hull{h})}
		half, at := geom.V(20, 20, 40), random(r, 60)
		c := q.Deepest(at, half, none)
		if c.Depth == 0 {
			continue
		}
		if hit := q.Sweep(at, at.MulAdd(c.Normal, c.Depth+1), half, none); hit.Blocked() {
			t.Fatalf("cannot leave: %+v", hit)
		}
		for range 8 {
			hit := q.Sweep(at, at.Add(random(r, 30)), half, none)
			if d := q.Deepest(hit.Location, half, none).Depth; d > c.Depth+1e-8 {
				t.Fatalf("gets deeper: %g to %g by %+v", c.Depth, d, hit)
			}
		}
	}
}

func FuzzSweep(f *testing.F) {
	f.Add(uint64(1), 0.0, 0.0, 100.0, 0.0, 0.0, -100.0, 34.0, 88.0)
	f.Add(uint64(2), -100.0, 3.0, 0.0, 100.0, 3.0, 0.0, 0.0, 0.0)
	f.Fuzz(func(t *testing.T, seed uint64, x0, y0, z0, x1, y1, z1, r, h float64) {
		start, end, half := geom.V(x0, y0, z0), geom.V(x1, y1, z1), geom.V(math.Abs(r), math.Abs(r), math.Abs(h))
		if !(start.Size() < 1e5 && end.Size() < 1e5 && half.Size() < 1e4) {
			return
		}
		hull := randomHull(rand.New(rand.NewPCG(seed, 0)), geom.Vector{}, 60)
		q := collision.Query{World: collision.NewWorld([]collision.Hull{hull})}
		before := q.Deepest(start, half, none).Depth
		hit := q.Sweep(start, end, half, none)
		if !(hit.Fraction >= 0 && hit.Fraction <= 1) || !hit.Location.IsFinite() {
			t.Fatalf("%+v", hit)
		}
		if after := q.Deepest(hit.Location, half, none).Depth; after > max(before, collision.Gap)+1e-5 {
			t.Fatalf("from %g to %g uu deep by %+v", before, after, hit)
		}
	})
}
