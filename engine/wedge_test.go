package engine

import (
	"fmt"
	"math"
	"testing"

	"github.com/tidelock/tidelock/engine/collision"
	"github.com/tidelock/tidelock/engine/geom"
	"github.com/tidelock/tidelock/engine/level"
)

// Wedges: places where surfaces that are no floor meet. Each was found by TestSlopedBrushes or in a level by other people, and
// held a body for good at one rate at least.

// wedgeRates are in Hz.
var wedgeRates = []float64{20, 30, 60, 144}

// slopeBrush is the part of a box that is behind a plane through the box's centre. ok is false where none is.
func slopeBrush(at, normal, ext vec) (b level.Brush, ok bool) {
	n := normal.Normal()
	hull, err := collision.NewHull([]collision.Plane{
		{Normal: n, Dist: n.Dot(at)},
		{Normal: geom.V(1, 0, 0), Dist: at.X + ext.X},
		{Normal: geom.V(-1, 0, 0), Dist: -(at.X - ext.X)},
		{Normal: geom.V(0, 1, 0), Dist: at.Y + ext.Y},
		{Normal: geom.V(0, -1, 0), Dist: -(at.Y - ext.Y)},
		{Normal: geom.V(0, 0, 1), Dist: at.Z + ext.Z},
		{Normal: geom.V(0, 0, -1), Dist: -(at.Z - ext.Z)},
	})
	return level.Brush{Hull: hull}, err == nil
}

// around is a level of slopes that all touch the body of a Character at the origin.
func around(t *testing.T, normals ...vec) *level.Level {
	t.Helper()
	lv := boxes([6]float64{-4000, -4000, -2100, 4000, 4000, -2000})
	for _, n := range normals {
		n = n.Normal()
		corner := geom.V(-math.Copysign(34, n.X), -math.Copysign(34, n.Y), -math.Copysign(88, n.Z))
		b, ok := slopeBrush(corner.MulAdd(n, -collision.Gap), n, geom.V(900, 900, 900))
		if !ok {
			t.Fatal("no brush")
		}
		lv.Brushes = append(lv.Brushes, b)
	}
	return lv
}

// A body that holds a direction in a wedge gets on where the surfaces leave it a way.
func TestOutOfWedges(t *testing.T) {
	for _, c := range []struct {
		name    string
		normals []vec
		dirs    []vec
		leave   vec // level direction in which it gets on, at least 100 uu in 2 s
	}{
		{
			// Its own level normal says that the wall leads one way, and the crease with the floor leads the other.
			"a wall that leans over a floor that slopes",
			[]vec{geom.V(0.6222, 0, 0.7829), geom.V(1, 1, 1)},
			[]vec{geom.V(-0.532, -0.847, 0)},
			geom.V(-0.9, 0.2, 0),
		},
		{
			"the same the other way round",
			[]vec{geom.V(-0.4768, -0.4957, 0.7259), geom.V(0.7598, -0.3054, 0.574)},
			[]vec{geom.V(-0.85, 0.53, 0)},
			geom.V(-0.08, 1, 0),
		},
		{
			"up a groove of two steep slopes",
			[]vec{geom.V(0.866, -0.25, 0.433), geom.V(-0.866, -0.25, 0.433)},
			[]vec{geom.V(0, 1, 0), geom.V(0.5, 0.866, 0), geom.V(-0.5, 0.866, 0)},
			geom.V(0, 1, 0),
		},
		{
			"down a groove of two steep slopes",
			[]vec{geom.V(0.866, -0.25, 0.433), geom.V(-0.866, -0.25, 0.433)},
			[]vec{geom.V(0, -1, 0), geom.V(0.5, -0.866, 0)},
			geom.V(0, -1, 0),
		},
		{
			"up a groove of a wall and a steep slope",
			[]vec{geom.V(1, 0, 0), geom.V(-0.85, -0.1, 0.5)},
			[]vec{geom.V(0, 1, 0), geom.V(0.5, 0.866, 0), geom.V(-0.5, 0.866, 0)},
			geom.V(0, 1, 0),
		},
		{
			// Two steep slopes bear the body, a third shuts one end of their crease.
			"out of the end of a groove",
			[]vec{geom.V(0.866, -0.25, 0.433), geom.V(-0.866, -0.25, 0.433), geom.V(0, 0.866, 0.5)},
			[]vec{geom.V(0, 1, 0), geom.V(0.5, 0.866, 0)},
			geom.V(0, 1, 0),
		},
		{
			// Along the floor each wall leads into the other; along the crease of the two it is free, downhill.
			"off the floor down a crease",
			[]vec{geom.V(-0.2896, -0.5501, 0.7833), geom.V(0.7122, -0.1444, 0.687), geom.V(-1, 0, 0)},
			[]vec{geom.V(-0.278, -0.96, 0), geom.V(0, -1, 0)},
			geom.V(0, -1, 0),
		},
	} {
		lv := around(t, c.normals...)
		for _, hz := range wedgeRates {
			for _, dir := range c.dirs {
				name := fmt.Sprintf("%s, %v Hz, going %v", c.name, hz, dir)
				w, d := inLevel(t, lv, "Falling", "Landed")
				a := put(t, w, "Character", "a", 0, 0, 0)
				run(w, 1, hz)
				from := a.Location
				if from.Size() > 2 {
					t.Errorf("%s: it did not stay in the wedge: %v", name, from)
				}
				d.take()
				a.Acceleration = dir.Mul(2048)
				run(w, 2, hz)
				if on := a.Location.Sub(from).Dot(c.leave.Normal()); on < 100 {
					t.Errorf("%s: %.2f uu, at %v, %v, velocity %v", name, on, a.Location, a.Physics, a.Velocity)
				}
				if depth := depthOf(a); depth > 0.01 {
					t.Errorf("%s: %.3f uu deep", name, depth)
				}
			}
		}
	}
}

// A body that falls into a groove stands in it, can jump, and does not go on falling and landing as it walks along.
func TestStandingInAGroove(t *testing.T) {
	lv := around(t, geom.V(0.5726, -0.6236, 0.5322), geom.V(-0.766, 0.643, 0))
	for _, hz := range wedgeRates {
		for _, push := range []vec{{}, geom.V(0.045, -1, 0), geom.V(-0.62, -0.78, 0), geom.V(0.65, 0.76, 0)} {
			w, d := inLevel(t, lv, "Falling", "Landed")
			a := put(t, w, "Character", "a", 0, 0, 80)
			a.SetPhysics(PhysFalling)
			a.Acceleration = push.Mul(2048)
			run(w, 1.5, hz)
			if a.Physics != PhysWalking {
				t.Errorf("%v Hz, pushing %v: %v at %v, velocity %v", hz, push, a.Physics, a.Location, a.Velocity)
			}
			d.take()
			run(w, 0.5, hz)
			if got := d.take(); got != "" {
				t.Errorf("%v Hz, pushing %v: %s", hz, push, got)
			}
		}
	}
}

// A step whose riser leans is one from a standstill too, at every rate.
func TestStepsWithLeaningRisers(t *testing.T) {
	for _, c := range []struct {
		height float64
		over   bool
	}{{4, true}, {12, true}, {40, false}} {
		lv := boxes(floorBox)
		riser, _ := slopeBrush(geom.V(100, 0, 0), geom.V(-0.866, 0, 0.5), geom.V(300, 300, c.height))
		lv.Brushes = append(lv.Brushes, riser)
		for _, hz := range wedgeRates {
			w, d := inLevel(t, lv, "Falling")
			a := put(t, w, "Character", "a", 64, 0, 88.1) // 2 uu in front of it
			a.Acceleration = geom.V(2048, 0, 0)
			run(w, 0.5, hz)
			if over := a.Location.X > 110; over != c.over {
				t.Errorf("%v uu, %v Hz: it got to %v", c.height, hz, a.Location)
			} else if over {
				near(t, "height", a.Location.Z, 88+c.height, 0.05)
			}
			eq(t, d.take(), "")
		}
	}
}
