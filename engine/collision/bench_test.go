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

func crowd(n int) *collision.Grid {
	g := collision.NewGrid(2)
	r := rand.New(rand.NewPCG(1, 1))
	for id := range int32(n) {
		g.Insert(id+1, collision.Body{Centre: random(r, 2000), Radius: 34, HalfHeight: 88, Mask: 1})
	}
	return g
}

// queries are all queries of a world and a grid, and their steady changes, by name.
func queries(t testing.TB) ([]move, map[string]func(m *move)) {
	w, moves := arenaMoves(t)
	w.AddMover(1, []collision.Hull{collision.BoxHull(geom.Bounds{Max: geom.V(100, 100, 100)})})
	q := collision.Query{World: w}
	g := crowd(500)
	ids, hits := make([]int32, 0, 512), make([]collision.BodyHit, 0, 512)
	return moves, map[string]func(m *move){
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
	}
}

func TestNothingAllocates(t *testing.T) {
	moves, list := queries(t)
	i := 0
	for name, fn := range list {
		if n := testing.AllocsPerRun(200, func() { fn(&moves[i&1023]); i++ }); n != 0 {
			t.Errorf("%s allocates %g times", name, n)
		}
	}
}

func BenchmarkQueries(b *testing.B) {
	moves, list := queries(b)
	for name, fn := range list {
		b.Run(name, func(b *testing.B) {
			for i := 0; b.Loop(); i++ {
				fn(&moves[i&1023])
			}
		})
	}
}
