package collision_test

import (
	"math/rand/v2"
	"testing"

	"github.com/tidelock/tidelock/engine/collision"
	"github.com/tidelock/tidelock/engine/geom"
)

// What stays over its rectangle meets the same in a near world as in the whole one, hulls of all shapes and movers
// that were moved included, and a near world that is used again forgets what it held.
func TestNearMeetsTheSame(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 5))
	at := func(wide float64) geom.Vector {
		return geom.V((r.Float64()-0.5)*wide, (r.Float64()-0.5)*wide, (r.Float64()-0.5)*wide/4)
	}
	var hulls []collision.Hull
	for range 150 {
		hulls = append(hulls, randomHull(r, at(8000), 250))
		a, size := at(8000), geom.V(40+400*r.Float64(), 40+400*r.Float64(), 20+300*r.Float64())
		hulls = append(hulls, collision.BoxHull(geom.Bounds{Min: a, Max: a.Add(size)}))
	}
	w := collision.NewWorld(hulls)
	for id := range int32(20) {
		a := at(8000)
		w.AddMover(id+1, []collision.Hull{collision.BoxHull(geom.Bounds{Min: a, Max: a.Add(geom.V(200, 200, 50))})})
		w.MoveMover(id+1, at(2000))
	}
	half := geom.V(34, 34, 88)
	grown := geom.V(half.X+collision.Gap, half.Y+collision.Gap, 0)
	var part collision.World
	whole, near := collision.Query{World: w}, collision.Query{World: &part}
	hits, outside := 0, 0
	for range 5000 {
		from := at(8000)
		to := from.Add(at(1500))
		box := geom.Bounds{Min: from, Max: from}.Union(geom.Bounds{Min: to, Max: to})
		w.Near(&part, box.Min.Sub(grown), box.Max.Add(grown))
		want, got := whole.Sweep(from, to, half, none), near.Sweep(from, to, half, none)
		if want != got {
			t.Fatalf("from %v to %v: %+v near, %+v in the whole world", from, to, got, want)
		}
		if want.Blocked() {
			hits++
		}
		if far := from.Add(geom.V(9000, 9000, 0)); near.Sweep(far, far.Add(geom.V(0, 0, -9000)), half, none).Blocked() {
			outside++
		}
	}
	if hits < 500 {
		t.Errorf("only %d sweeps met anything", hits)
	}
	if outside > 0 {
		t.Errorf("%d sweeps met what is not near", outside)
	}
}
