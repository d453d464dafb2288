package engine

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/tidelock/tidelock/engine/geom"
	"github.com/tidelock/tidelock/tests/tier"
)

// R1.2: the same seconds simulated at 20, 60 and 144 Hz end in the same place within these, in uu. In the open
// ways are exact, whatever the rate: only rounding is left. What stops, turns or drops an actor is met within one
// part of a tick, and what it does then differs by as much.
const (
	rateOpen   = 1e-6 // no contact: walking, jumping, flying, projectiles with gravity, movers
	rateLanded = 0.5  // falls that end on a floor, jumps there and back
	rateWalls  = 3.0  // along walls, over stairs and ramps, off ledges
)

var rates = []float64{20, 60, 144}

// sameAtAllRates runs a scene at each rate and compares where everybody is at the end. scene gives what to
// watch and what to do at some times, in whole tenths of a second.
func sameAtAllRates(t *testing.T, within, seconds float64, scene func(t *testing.T) (w *World, watch []*Actor, at map[int]func())) {
	t.Helper()
	var first []vec
	for _, hz := range rates {
		w, watch, at := scene(t)
		tenths := int(seconds * 10)
		done := 0
		for i := range tenths {
			if f := at[i]; f != nil {
				f()
			}
			// Tenths are whole ticks at 20 and 60; at 144 the count is kept over all.
			for ; float64(done)+1 <= float64(i+1)*hz/10+1e-9; done++ {
				w.Step(1 / hz)
			}
		}
		for i, a := range watch {
			if hz == rates[0] {
				first = append(first, a.Location)
			} else {
				nearVec(t, a.Name, a.Location, first[i], within)
			}
		}
	}
}

func TestRateInTheOpen(t *testing.T) {
	sameAtAllRates(t, rateOpen, 2, func(t *testing.T) (*World, []*Actor, map[int]func()) {
		w, _ := inLevel(t, boxes(floorBox))
		walker := put(t, w, "Character", "walker", 0, 0, 88)
		walker.Acceleration = geom.V(2048, 1024, 0)
		faller := put(t, w, "Character", "faller", 0, 1000, 20000)
		faller.SetPhysics(PhysFalling)
		faller.Acceleration = geom.V(1000, 0, 0)
		faller.Velocity = geom.V(100, 300, 420)
		flyer := put(t, w, "Sentry", "flyer", 0, 2000, 500)
		flyer.Acceleration = geom.V(2048, 0, 1000)
		shell := put(t, w, "Projectile", "shell", 0, 3000, 8000)
		set(t, shell, "GravityScale", Float(1))
		shell.Velocity = geom.V(3000, 0, 500)
		lift := spawnMover(t, w, "lift", [6]float64{-300, -3000, 100, 300, -2900, 116})
		glider := spawnMover(t, w, "glider", [6]float64{-300, -4000, 100, 300, -3900, 116})
		lift.StartMove(geom.V(0, 0, 500), 3.3, false)
		glider.StartMove(geom.V(700, 0, 0), 2.6, true)
		return w, []*Actor{walker, faller, flyer, shell, lift, glider}, nil
	})
}

func TestRateOfTurnsAndStops(t *testing.T) {
	sameAtAllRates(t, rateOpen, 3, func(t *testing.T) (*World, []*Actor, map[int]func()) {
		w, _ := inLevel(t, boxes(floorBox))
		a := put(t, w, "Character", "a", 0, 0, 88)
		turn := func(x, y float64) func() { return func() { a.Acceleration = geom.V(x, y, 0) } }
		return w, []*Actor{a}, map[int]func(){0: turn(2048, 0), 5: turn(-2048, 0), 10: turn(0, 2048), 15: turn(0, 0), 25: turn(500, 500)}
	})
}

func TestRateOfJumpsAndFalls(t *testing.T) {
	sameAtAllRates(t, rateLanded, 3, func(t *testing.T) (*World, []*Actor, map[int]func()) {
		w, _ := inLevel(t, boxes(floorBox))
		a := put(t, w, "Character", "a", 0, 0, 88)
		a.Acceleration = geom.V(2048, 0, 0)
		b := put(t, w, "Character", "b", 0, 500, 700)
		b.SetPhysics(PhysFalling)
		b.Acceleration = geom.V(2048, 0, 0)
		jump := func() {
			if a.Physics == PhysWalking {
				a.Velocity.Z += 420
				a.SetPhysics(PhysFalling)
			}
		}
		return w, []*Actor{a, b}, map[int]func(){5: jump, 16: jump}
	})
}

func TestRateAmongWallsStairsAndRamps(t *testing.T) {
	goes := func(dir vec, starts ...vec) func(t *testing.T) (*World, []*Actor, map[int]func()) {
		return func(t *testing.T) (*World, []*Actor, map[int]func()) {
			w, _ := inLevel(t, content(t, "steps"))
			var list []*Actor
			for _, at := range starts {
				a := put(t, w, "Character", at.String(), at.X, at.Y, at.Z)
				a.SetCollision(true, true, false)
				a.Acceleration = dir.Mul(2048)
				list = append(list, a)
			}
			return w, list, nil
		}
	}
	// Up the stairs, the ramps, against the ledge; and down again over their edges.
	sameAtAllRates(t, rateWalls, 4, goes(geom.V(1, 0, 0), geom.V(0, -1600, 88), geom.V(0, -800, 88), geom.V(0, 0, 88), geom.V(0, 800, 88)))
	sameAtAllRates(t, rateWalls, 4, goes(geom.V(1, 0.3, 0), geom.V(0, -1600, 88), geom.V(0, -800, 88), geom.V(0, 0, 88), geom.V(0, 800, 88)))
	sameAtAllRates(t, rateWalls, 4, func(t *testing.T) (*World, []*Actor, map[int]func()) {
		w, _ := inLevel(t, content(t, "wall"))
		a := put(t, w, "Character", "a", 0, 0, 88)
		a.Acceleration = geom.V(2048, 700, 0)
		return w, []*Actor{a}, nil
	})
}

// TestRateHalvesMakeTheWhole: a tick is worth its two halves, wherever they are cut.
func TestRateHalvesMakeTheWhole(t *testing.T) {
	tier.Check(t, func(t *rapid.T) {
		n := rapid.Float64Range(-2000, 2000)
		v := geom.V(n.Draw(t, "vx"), n.Draw(t, "vy"), n.Draw(t, "vz"))
		goal := geom.V(n.Draw(t, "gx"), n.Draw(t, "gy"), n.Draw(t, "gz"))
		rate, friction := rapid.Float64Range(0, 5000).Draw(t, "rate"), rapid.Float64Range(0, 20).Draw(t, "friction")
		free := rapid.Float64Range(0, 1000).Draw(t, "free")
		whole, cut := rapid.Float64Range(0, 1).Draw(t, "t"), rapid.Float64Range(0, 1).Draw(t, "cut")
		after, way := approach(v, goal, rate, friction, free, whole)
		m, first := approach(v, goal, rate, friction, free, whole*cut)
		end, second := approach(m, goal, rate, friction, free, whole*(1-cut))
		if end.Distance(after) > 1e-6 || first.Add(second).Distance(way) > 1e-6 {
			t.Fatalf("whole %v %v, halves %v %v", after, way, end, first.Add(second))
		}
		if after.Size() > max(v.Size(), goal.Size())+1e-6 {
			t.Fatalf("faster than both: %v", after)
		}
		g, vz := n.Draw(t, "gravity"), rapid.Float64Range(-6000, 6000).Draw(t, "fall")
		za, zw := plunge(vz, g, whole)
		zm, z1 := plunge(vz, g, whole*cut)
		ze, z2 := plunge(zm, g, whole*(1-cut))
		if d := ze - za; d > 1e-6 || d < -1e-6 {
			t.Fatalf("fall: %v, %v", za, ze)
		}
		if d := z1 + z2 - zw; d > 1e-6 || d < -1e-6 {
			t.Fatalf("fallen: %v, %v", zw, z1+z2)
		}
	})
}
