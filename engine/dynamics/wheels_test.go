package dynamics

import (
	"math"
	"testing"

	"github.com/tidelock/tidelock/engine/collision"
	"github.com/tidelock/tidelock/engine/geom"
)

// car is a vehicle of 1 200 kg, as scripts/core/Vehicle.lua has it.
func car(s *Space, at vec) (int32, *Wheels) {
	d := BoxDef(geom.V(110, 52, 28), 1200)
	d.Position, d.Lift, d.LinearDamping, d.AngularDamping, d.Friction = at, -22, 0.35, 1.2, 0.3
	id := s.Add(d)
	var wheels []WheelDef
	for _, p := range []vec{geom.V(78, 46, -18), geom.V(78, -46, -18), geom.V(-78, 46, -18), geom.V(-78, -46, -18)} {
		wheels = append(wheels, WheelDef{At: p, Rest: 34, Radius: 22, Spring: 32000, Damper: 3200, Grip: 1.3, Steers: p.X > 0, Drives: true})
	}
	return id, s.SetWheels(id, wheels)
}

func TestSpringsCarryAndSettle(t *testing.T) {
	s := floor()
	id, w := car(s, geom.V(0, 0, 150))
	run(s, 4)
	b := s.Body(id)
	if !b.Asleep() || b.Axes()[2].Z < 0.9999 {
		t.Fatalf("asleep %v, up %v", b.Asleep(), b.Axes()[2])
	}
	// The springs give by a quarter of the weight over the spring.
	length := 34 - 1200*980/4/32000.0
	middle := b.hullCentre().Z
	if want := 22 + length + 18; math.Abs(middle-want) > 1 {
		t.Errorf("its middle is at %v, expected %v", middle, want)
	}
	for i := range w.List {
		if !w.List[i].Ground || math.Abs(w.List[i].Length-length) > 1 {
			t.Errorf("wheel %d: %+v", i, w.List[i])
		}
	}
}

func TestDrivesBrakesAndTurns(t *testing.T) {
	for _, hz := range []float64{20, 60, 144} {
		s := floor()
		id, w := car(s, geom.V(-8000, 0, 60))
		go_ := func(seconds float64) {
			for range int(seconds * hz) {
				s.Step(1/hz, nil)
			}
		}
		go_(1)
		w.Drive = 700000
		s.Wake(id)
		go_(6)
		b := s.Body(id)
		// Force against damping: v' = F/m − 0.35 v.
		want := 700000.0 / 1200 / 0.35 * (1 - math.Exp(-0.35*6))
		if math.Abs(b.LinVel.X-want) > 0.06*want || math.Abs(b.LinVel.Y) > 5 || b.Axes()[2].Z < 0.99 {
			t.Errorf("%v Hz: %v after 6 s, expected %v ahead", hz, b.LinVel, want)
		}
		from, speed := b.Position.X, b.LinVel.X
		w.Drive, w.Brake = 0, 1300000
		for b.LinVel.X > 5 && b.Position.X < from+5000 {
			s.Step(1/hz, nil)
		}
		// At most what friction gives: v²/(2 μ g).
		way, least := b.Position.X-from, speed*speed/(2*1.3*980)
		if way < 0.7*least || way > 2*least {
			t.Errorf("%v Hz: stopped within %v uu, friction alone takes %v", hz, way, least)
		}
		w.Drive, w.Brake, w.Steer = 300000, 0, 0.4
		go_(3)
		if yaw := math.Abs(b.AngVel.Z); b.LinVel.Size2D() < 200 || yaw < 0.3 || b.Axes()[2].Z < 0.9 {
			t.Errorf("%v Hz: turns at %v with %v, up %v", hz, yaw, b.LinVel, b.Axes()[2])
		}
	}
}

// What drive and side request together is at most the tyre's grip.
func TestFrictionCircle(t *testing.T) {
	s := floor()
	id, w := car(s, geom.V(0, 0, 60))
	run(s, 1)
	s.SetVelocity(id, geom.V(0, 900, 0), vec{}) // sideways
	w.Drive = 5000000
	for range 30 {
		before := s.Body(id).LinVel
		s.Step(tick, nil)
		load := 0.0
		for i := range w.List {
			load += w.List[i].Load
		}
		change := s.Body(id).LinVel.Sub(before)
		if got, most := change.Size2D()*1200/tick, 1.3*load+0.4*1200*900+1e4; got > most {
			t.Fatalf("the tyres gave %v, their grip is %v", got, most)
		}
		for i := range w.List {
			if k := &w.List[i]; k.Ground && k.Load > 1 && !k.Slips {
				t.Fatalf("wheel %d does not slip", i)
			}
		}
	}
}

func TestClimbsARamp(t *testing.T) {
	ramp, err := collision.NewHull([]collision.Plane{
		{Normal: geom.V(-0.342, 0, 0.9397).Normal(), Dist: -0.342 * 300},
		{Normal: geom.V(0, 0, -1), Dist: 10},
		{Normal: geom.V(1, 0, 0), Dist: 1200},
		{Normal: geom.V(0, 1, 0), Dist: 400},
		{Normal: geom.V(0, -1, 0), Dist: 400},
	})
	if err != nil {
		t.Fatal(err)
	}
	s := floor(ramp)
	id, w := car(s, geom.V(0, 0, 60))
	run(s, 1)
	w.Drive = 900000
	s.Wake(id)
	top := 0.0
	for range 360 {
		s.Step(tick, nil)
		top = max(top, s.Body(id).Position.Z)
	}
	if top < 250 {
		t.Errorf("came %v high", top)
	}
}
