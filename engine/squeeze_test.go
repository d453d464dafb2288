package engine

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tidelock/tidelock/engine/geom"
)

// A body that is free goes ahead of a mover, whatever its speed and the tick rate, and the mover takes no notice.
func TestAMoverPushesABodyAhead(t *testing.T) {
	for _, hz := range []float64{20, 60, 144} {
		for _, speed := range []float64{60, 250, 1000} {
			name := fmt.Sprintf("%v Hz, %v uu/s", hz, speed)
			w, d := inLevel(t, boxes(floorBox), "EncroachedBy", "TakeDamage")
			door := spawnMover(t, w, "door", [6]float64{-20, -100, 1, 0, 100, 200})
			a := body(t, w, "a", 60, 0, 22.1)
			run(w, 1, hz)
			door.StartMove(geom.V(400, 0, 0), 400/speed, false)
			run(w, 400/speed+0.1, hz)
			near(t, name+": the door", door.Location.X-door.Home().X, 400, 1e-6)
			if face := 400.0; a.Location.X < face+22-1 {
				t.Errorf("%s: the door is at %v, the body at %v", name, face, a.Location.X)
			}
			eq(t, d.take(), "")
		}
	}
}

// A lift that comes down on a body which lies on the level goes back up; one that only leaves it behind does not stop.
func TestALiftComesDownOnABody(t *testing.T) {
	w, d := inLevel(t, boxes(floorBox), "EncroachedBy")
	lift := spawnMover(t, w, "lift", [6]float64{-60, -60, 100, 60, 60, 116})
	a := body(t, w, "a", 0, 0, 22.1)
	run(w, 1, 60)
	lift.StartMove(geom.V(0, 0, -99), 2, false)
	run(w, 2.2, 60)
	if log := d.take(); !strings.HasPrefix(log, "lift.EncroachedBy a") || lift.Velocity.Z < 0 {
		t.Errorf("%s, %v", log, lift.Velocity)
	}
	lift.StartMove(geom.V(0, 0, 200), 1, false)
	run(w, 1.1, 60)
	near(t, "up and away", lift.Location.Z-lift.Home().Z, 200, 1e-6)
	near(t, "the body", a.Location.Z, 22, 1)
	eq(t, d.take(), "")
}

// Who is heavier pushes: a body that comes at a pawn from the side.
func TestABodyPushesAPawn(t *testing.T) {
	for _, c := range []struct {
		name          string
		mass, vx      float64
		x, z          float64 // of the body, from the pawn
		pushes        bool
		stopped, flew bool
	}{
		{"a heavy one", 500, 300, -61, -66, true, false, true},
		{"a heavy slow one", 500, 120, -61, -66, true, false, false},
		{"a light one", 50, 300, -61, -66, false, true, false},
		{"one that goes away", 500, -300, -61, -66, false, false, false},
		{"one that falls on its head", 500, 0, 0, 200, false, false, false},
	} {
		w, _ := inLevel(t, boxes(floorBox))
		p := put(t, w, "Character", "p", 0, 0, 88.1)
		a := put(t, w, "Boulder", "a", c.x, 0, p.Location.Z+c.z)
		set(t, a, "Mass", Float(c.mass))
		a.SetPhysics(PhysRigidBody)
		run(w, 0.1, 60)
		a.setVelocity(geom.V(c.vx, 0, 0))
		fell := false
		for range 60 {
			w.Step(1.0 / 60)
			fell = fell || p.Physics == PhysFalling
			if way := p.Location.Sub(a.Location); way.Size2D() < 22+34-8 && way.Z < 100 && way.Z > -100 {
				t.Fatalf("%s: it is in the pawn: %v, %v", c.name, a.Location, p.Location)
			}
		}
		if moved := p.Location.X > 1; moved != c.pushes || fell != c.flew {
			t.Errorf("%s: the pawn is at %v, fell: %v", c.name, p.Location, fell)
		}
		if c.stopped && a.Location.X > -22-33 {
			t.Errorf("%s: not stopped: %v", c.name, a.Location)
		}
	}
}
