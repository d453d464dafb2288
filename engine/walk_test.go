package engine

import (
	"math"
	"testing"

	"github.com/tidelock/tidelock/engine/geom"
)

func TestWalkingReachesGroundSpeedAndStops(t *testing.T) {
	w, _ := inLevel(t, boxes(floorBox))
	a := put(t, w, "Character", "a", 0, 0, 88)
	a.Acceleration = geom.V(2048, 0, 0)
	run(w, 1, 60)
	near(t, "speed", a.Velocity.X, 440, 1e-9)
	near(t, "height", a.Location.Z, 88, 0.05)
	ramp := 440.0 / 2048
	near(t, "way", a.Location.X, 440*1-440*ramp/2, 1e-6)
	a.Acceleration = vec{}
	run(w, 1, 60)
	eq(t, a.Velocity, vec{})
	near(t, "way to rest", a.Location.X, 440, 1e-6)
	if !a.body.rested {
		t.Error("it does not rest")
	}
}

func TestWalkingSlidesAlongAWall(t *testing.T) {
	w, d := inLevel(t, boxes(floorBox, [6]float64{500, -2000, 0, 520, 2000, 1000}), "HitWall")
	a := put(t, w, "Character", "a", 400, 0, 88)
	a.Acceleration = geom.V(2048, 1024, 0)
	run(w, 2, 60)
	near(t, "x", a.Location.X, 500-34, 0.05)
	if a.Location.Y < 250 {
		t.Errorf("it slid to %v only", a.Location)
	}
	eq(t, d.log[0], "a.HitWall (-1,0,0)")
}

func TestSteps(t *testing.T) {
	for _, c := range []struct {
		height float64
		over   bool
	}{{16, true}, {35, true}, {36, false}, {40, false}} {
		w, d := inLevel(t, boxes(floorBox, [6]float64{200, -200, 0, 600, 200, c.height}), "HitWall", "Falling", "Landed")
		a := put(t, w, "Character", "a", 0, 0, 88)
		a.Acceleration = geom.V(2048, 0, 0)
		run(w, 1, 60)
		if over := a.Location.X > 250; over != c.over {
			t.Errorf("%g uu: got to %v", c.height, a.Location)
		} else if over {
			near(t, "height", a.Location.Z, 88+c.height, 0.05)
			near(t, "way", a.Location.X, 440-440*440.0/2048/2, 1e-6) // a step costs no time
			eq(t, d.take(), "")
		}
	}
}

func TestSlopes(t *testing.T) {
	for _, c := range []struct {
		degrees float64
		up      bool
	}{{10, true}, {30, true}, {44.9, true}, {45, true}, {46, false}, {60, false}} {
		lv := boxes(floorBox)
		run1 := 256 / math.Tan(c.degrees*math.Pi/180)
		lv.Brushes = append(lv.Brushes, ramp(200, 200+run1, -200, 200, 256), brush([6]float64{200 + run1, -200, -16, 3000, 200, 256}))
		w, d := inLevel(t, lv, "HitWall", "Falling", "Landed")
		a := put(t, w, "Character", "a", 0, 0, 88)
		a.Acceleration = geom.V(2048, 0, 0)
		run(w, (200+run1)/440+1, 60)
		if up := a.Location.Z > 330; up != c.up {
			t.Errorf("%g°: got to %v", c.degrees, a.Location)
			continue
		}
		if !c.up {
			continue
		}
		eq(t, d.take(), "")
		near(t, "level speed", a.Velocity.X, 440, 1e-9)
		// And down again with the feet on it.
		a.Acceleration = geom.V(-2048, 0, 0)
		for a.Location.X > 0 {
			w.Step(1.0 / 60)
			if a.Physics != PhysWalking {
				t.Fatalf("%g°: hopped at %v", c.degrees, a.Location)
			}
		}
		near(t, "height below", a.Location.Z, 88, 0.05)
		eq(t, d.take(), "")
	}
}

func TestALedgeEndsInFallingAndLanding(t *testing.T) {
	w, d := inLevel(t, boxes(floorBox, [6]float64{-400, -200, 0, 0, 200, 100}), bodyEvents...)
	a := put(t, w, "Character", "a", -200, 0, 188)
	a.Acceleration = geom.V(2048, 0, 0)
	d.on["Falling"] = func(a *Actor, _ []Value) { eq(t, a.Physics, PhysFalling) }
	d.on["Landed"] = func(a *Actor, _ []Value) { eq(t, a.Physics, PhysWalking) }
	run(w, 2, 60)
	eq(t, d.take(), "a.Falling a.Landed (0,0,1)")
	near(t, "height", a.Location.Z, 88, 0.05)
}

func TestDownStairsWithoutHopping(t *testing.T) {
	var list [][6]float64
	list = append(list, floorBox)
	for i := range 16 {
		list = append(list, [6]float64{float64(i) * 32, -200, 0, 2000, 200, float64(i+1) * 16})
	}
	for _, hz := range []float64{20, 60, 144} {
		w, d := inLevel(t, boxes(list...), bodyEvents...)
		a := put(t, w, "Character", "a", 800, 0, 256+88)
		a.Acceleration = geom.V(-2048, 0, 0)
		run(w, 3, hz)
		eq(t, d.take(), "")
		near(t, "x", a.Location.X, 800-440*3+440*440.0/2048/2, 1e-6)
		near(t, "z", a.Location.Z, 88, 0.05)
		a.Acceleration = geom.V(2048, 0, 0)
		run(w, 3, hz)
		eq(t, d.take(), "")
		near(t, "z", a.Location.Z, 256+88, 0.05)
	}
}

func TestJump(t *testing.T) {
	w, d := inLevel(t, boxes(floorBox), bodyEvents...)
	a := put(t, w, "Character", "a", 0, 0, 88)
	w.Step(1.0 / 60)
	a.Velocity = geom.V(440, 0, 420)
	a.SetPhysics(PhysFalling)
	top := 0.0
	for a.Physics == PhysFalling {
		w.Step(1.0 / 60)
		top = max(top, a.Location.Z)
	}
	near(t, "height of the jump", top-88, 420*420/980.0/2, 1)
	near(t, "way", a.Location.X, 440*2*420/980.0, 8)
	eq(t, d.take(), "a.Landed (0,0,1)")
}

func TestAirControlIsWeak(t *testing.T) {
	w, _ := inLevel(t, boxes(floorBox))
	a := put(t, w, "Character", "a", 0, 0, 3000)
	a.SetPhysics(PhysFalling)
	a.Acceleration = geom.V(2048, 0, 0)
	run(w, 1, 60)
	near(t, "speed", a.Velocity.X, 0.05*2048, 1e-4)
	a.Velocity.X = 1000 // thrown
	run(w, 0.5, 60)
	near(t, "thrown", a.Velocity.X, 1000, 1e-4)
}
