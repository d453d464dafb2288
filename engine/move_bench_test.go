package engine

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/tidelock/tidelock/engine/collision"
	"github.com/tidelock/tidelock/engine/geom"
)

// crowdIn puts pawns all over a level and has them run about.
func crowdIn(t testing.TB, n int) (*World, []*Actor) {
	lv := content(t, "arena")
	w, _ := inLevel(t, lv)
	w.LoadEntities(lv)
	starts := w.ActorsOf("PlayerStart")
	r := rand.New(rand.NewPCG(1, 1))
	var list []*Actor
	for i := range n {
		a := spawn(t, w, "Character", SpawnParams{Location: starts[i%len(starts)].Location})
		a.SetCollision(true, true, false) // they touch, and do not stop each other
		list = append(list, a)
	}
	for range 300 {
		steer(r, list)
		w.Step(1.0 / 60)
	}
	return w, list
}

func steer(r *rand.Rand, list []*Actor) {
	for _, a := range list {
		if a.Acceleration.IsZero() || r.IntN(60) == 0 {
			s, c := math.Sincos(r.Float64() * 2 * math.Pi)
			a.Acceleration = geom.V(c, s, 0).Mul(2048)
		}
	}
}

// BenchmarkWalkingMove is a tick of a pawn that runs about in the arena. sweeps/move counts box sweeps; box-sweeps
// is the time of a move in those of a sweep of its body over the way of one tick, measured in the same run.
func BenchmarkWalkingMove(b *testing.B) {
	const pawns = 16
	w, list := crowdIn(b, pawns)
	r := rand.New(rand.NewPCG(2, 2))
	// Places and ways of one tick, as they came.
	type leg struct{ from, to vec }
	var legs []leg
	for range 64 {
		var before [pawns]vec
		for i, a := range list {
			before[i] = a.Location
		}
		steer(r, list)
		w.Step(1.0 / 60)
		for i, a := range list {
			legs = append(legs, leg{before[i], before[i].MulAdd(a.Acceleration.Normal(), 440.0/60)})
		}
	}
	q := collision.Query{World: w.Solid()}
	half := list[0].half()
	// In turns, and by medians: other work on the machine then meets both alike.
	const round = 256
	var moves, sweeps []float64
	var counted uint64
	b.ReportAllocs()
	b.ResetTimer()
	for n := 0; n < b.N; n += round {
		start := b.Elapsed()
		for i := range round {
			l := &legs[(n+i)%len(legs)]
			q.Sweep(l.from, l.to, half, collision.Filter{})
		}
		middle := b.Elapsed()
		before := w.Sweeps()
		for i := range round {
			if i&63 == 0 {
				steer(r, list)
			}
			w.move(list[i%pawns], 1.0/60)
		}
		counted += w.Sweeps() - before
		sweeps = append(sweeps, float64((middle-start).Nanoseconds())/round)
		moves = append(moves, float64((b.Elapsed()-middle).Nanoseconds())/round)
	}
	b.StopTimer()
	slices.Sort(moves)
	slices.Sort(sweeps)
	move, sweep := moves[len(moves)/2], sweeps[len(sweeps)/2]
	b.ReportMetric(float64(counted)/float64(len(moves)*round), "sweeps/move")
	b.ReportMetric(move, "ns/move")
	b.ReportMetric(1e9/move, "moves/s")
	b.ReportMetric(move/sweep, "box-sweeps")
	b.ReportMetric(0, "ns/op")
}

// TestWalkingMoveIsCheap holds a walking move in the arena to eight sweeps and to no allocation.
func TestWalkingMoveIsCheap(t *testing.T) {
	w, list := crowdIn(t, 16)
	r := rand.New(rand.NewPCG(2, 2))
	before, moves := w.Sweeps(), 0
	allocs := testing.AllocsPerRun(500, func() {
		steer(r, list)
		w.Step(1.0 / 60)
		moves += len(list)
	})
	per := float64(w.Sweeps()-before) / float64(moves)
	t.Logf("%.2f sweeps a move", per)
	if per > 8 {
		t.Errorf("%.2f sweeps a move, at most 8", per)
	}
	if allocs > 0 {
		t.Errorf("%g allocations in a tick of %d walking pawns", allocs, len(list))
	}
}
