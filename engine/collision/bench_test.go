package collision_test

import (
	"math/rand/v2"
	"os"
	"testing"

	"github.com/tidelock/tidelock/engine/collision"
	"github.com/tidelock/tidelock/engine/geom"
	"github.com/tidelock/tidelock/engine/level"
)

func arena(t testing.TB) *level.Level {
	t.Helper()
	src, err := os.ReadFile("../../content/levels/arena.map")
	if err != nil {
		t.Fatal(err)
	}
	lv, err := level.Parse("arena.map", src, level.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return lv
}

type move struct{ from, to geom.Vector }

// arenaMoves are places in the arena where a Character has room, and moves of one tick from there.
func arenaMoves(t testing.TB) (*collision.World, []move) {
	w := collision.NewWorld(arena(t).Solids())
	q := collision.Query{World: w}
	r := rand.New(rand.NewPCG(1, 1))
	var out []move
	for len(out) < 1024 {
		p := geom.V(r.Float64()*4000-2000, r.Float64()*4000-2000, 100+r.Float64()*500)
		p = q.Sweep(p, p.Add(geom.V(0, 0, -1000)), pawn, none).Location
		if !q.Overlaps(p, pawn, none) {
			out = append(out, move{p, p.Add(random(r, 1).Mul(8))})
		}
	}
	return w, out
}

var pawn = geom.V(34, 34, 88)

func BenchmarkSweepBox(b *testing.B) {
	w, moves := arenaMoves(b)
	q := collision.Query{World: w}
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		m := &moves[i&1023]
		q.Sweep(m.from, m.to, pawn, none)
		i++
	}
}

func BenchmarkLineAcrossArena(b *testing.B) {
	w, moves := arenaMoves(b)
	q := collision.Query{World: w}
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		q.Line(moves[i&1023].from, moves[(i+7)&1023].from, none)
		i++
	}
}

func BenchmarkClearAcrossArena(b *testing.B) {
	w, moves := arenaMoves(b)
	q := collision.Query{World: w}
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		q.Clear(moves[i&1023].from, moves[(i+7)&1023].from, none)
		i++
	}
}

func BenchmarkDeepest(b *testing.B) {
	w, moves := arenaMoves(b)
	q := collision.Query{World: w}
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		q.Deepest(moves[i&1023].from, pawn, none)
		i++
	}
}

func crowd(n int) *collision.Grid {
	g := collision.NewGrid(2)
	r := rand.New(rand.NewPCG(1, 1))
	for id := range int32(n) {
		g.Insert(id+1, collision.Body{Centre: random(r, 2000), Radius: 34, HalfHeight: 88, Mask: 1})
	}
	return g
}

func BenchmarkGridSweep(b *testing.B) {
	g, r := crowd(500), rand.New(rand.NewPCG(2, 2))
	var moves [1024]move
	for i := range moves {
		p := random(r, 2000)
		moves[i] = move{p, p.Add(random(r, 8))}
	}
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		m := &moves[i&1023]
		g.Sweep(m.from, m.to, 34, 88, 1, 0, nil)
		i++
	}
}

func BenchmarkGridMove(b *testing.B) {
	g, r := crowd(500), rand.New(rand.NewPCG(2, 2))
	var at [1024]geom.Vector
	for i := range at {
		at[i] = random(r, 2000)
	}
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		g.Move(int32(1+i%500), at[i&1023])
		i++
	}
}

func BenchmarkNewWorldArena(b *testing.B) {
	hulls := arena(b).Solids()
	for b.Loop() {
		collision.NewWorld(hulls)
	}
}

// TestNothingAllocates holds every query and every steady change of the grid and of movers to 0 allocations.
func TestNothingAllocates(t *testing.T) {
	w, moves := arenaMoves(t)
	w.AddMover(1, []collision.Hull{collision.BoxHull(geom.Bounds{Max: geom.V(100, 100, 100)})})
	q := collision.Query{World: w}
	g := crowd(500)
	ids, hits := make([]int32, 0, 512), make([]collision.BodyHit, 0, 512)
	i := 0
	for name, fn := range map[string]func(m *move){
		"Sweep":          func(m *move) { q.Sweep(m.from, m.to, pawn, none) },
		"Line":           func(m *move) { q.Line(m.from, m.to, none) },
		"Clear":          func(m *move) { q.Clear(m.from, m.to, none) },
		"Deepest":        func(m *move) { q.Deepest(m.from, pawn, none) },
		"Depenetrate":    func(m *move) { q.Depenetrate(m.from.Add(geom.V(0, 0, -3)), pawn, 50, none) },
		"MoveMover":      func(m *move) { w.MoveMover(1, m.from) },
		"Grid.Move":      func(m *move) { g.Move(1, m.from) },
		"Grid.Sweep":     func(m *move) { g.Sweep(m.from, m.to, 34, 88, 1, 0, nil) },
		"Grid.Line":      func(m *move) { g.Line(m.from, m.to, 1, 0, nil) },
		"AppendBodies":   func(m *move) { ids = g.AppendBodies(ids[:0], geom.BoundsAround(m.from, pawn), 1) },
		"AppendOverlaps": func(m *move) { ids = g.AppendOverlaps(ids[:0], collision.Body{Centre: m.from, Radius: 99, Mask: 1}) },
		"AppendHits":     func(m *move) { hits = g.AppendHits(hits[:0], m.from, m.to, 34, 88, 1, 0) },
		"Insert, Remove": func(m *move) { g.Remove(9); g.Insert(9, collision.Body{Centre: m.to, Radius: 34}) },
	} {
		if n := testing.AllocsPerRun(200, func() { fn(&moves[i&1023]); i++ }); n != 0 {
			t.Errorf("%s allocates %g times", name, n)
		}
	}
}
