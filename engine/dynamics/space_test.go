package dynamics

import (
	"math"
	"testing"

	"github.com/tidelock/tidelock/engine/collision"
	"github.com/tidelock/tidelock/engine/geom"
)

const tick = 1.0 / 60

func hullOf(lo, hi vec) collision.Hull { return collision.BoxHull(geom.Bounds{Min: lo, Max: hi}) }

// floor is a space with a floor, its top at z = 0, and Unreal's gravity.
func floor(more ...collision.Hull) *Space {
	hulls := append([]collision.Hull{hullOf(geom.V(-16000, -16000, -64), geom.V(16000, 16000, 0))}, more...)
	s := NewSpace(hulls, collision.NewWorld(hulls))
	s.Gravity = geom.V(0, 0, -980)
	return s
}

func cube(s *Space, half, mass float64, at vec) int32 {
	d := BoxDef(geom.V(half, half, half), mass)
	d.Position = at
	return s.Add(d)
}

func run(s *Space, seconds float64) {
	for range int(seconds / tick) {
		s.Step(tick, nil)
	}
}

func TestBoxFallsAndSleeps(t *testing.T) {
	s := floor()
	id := cube(s, 30, 50, geom.V(10, 20, 200))
	for i := range 600 {
		s.Step(tick, nil)
		if s.Awake() == 0 {
			t.Logf("asleep after %.2f s", float64(i)*tick)
			break
		}
	}
	b := s.Body(id)
	if !b.Asleep() || math.Abs(b.Position.Z-30) > 0.3 || b.Position.Sub(geom.V(10, 20, b.Position.Z)).Size() > 1 {
		t.Fatalf("asleep %v at %v, expected at rest 30 above the floor", b.Asleep(), b.Position)
	}
}

// pile drops n boxes on one another.
func pile(s *Space, n int) []int32 {
	r := newRand(7)
	var ids []int32
	for i := range n {
		d := BoxDef(geom.V(20+10*r(), 20+10*r(), 20+10*r()), 40)
		d.Position = geom.V(60*(r()-0.5), 60*(r()-0.5), 60+70*float64(i))
		d.Rotation = Quat{r(), r(), r(), 1}.Normal()
		ids = append(ids, s.Add(d))
	}
	return ids
}

func newRand(seed uint64) func() float64 {
	return func() float64 {
		seed = seed*6364136223846793005 + 1442695040888963407
		return float64(seed>>11) / (1 << 53)
	}
}

func TestPileOfThirtySettles(t *testing.T) {
	s := floor()
	ids := pile(s, 30)
	slept := -1.0
	for i := range 60 * 12 {
		s.Step(tick, nil)
		if s.Awake() == 0 {
			slept = float64(i) * tick
			break
		}
	}
	if slept < 0 || slept > 10 {
		t.Errorf("%d awake, slept after %.1f s, expected all within 10 s", s.Awake(), slept)
	}
	for _, id := range ids {
		if b := s.Body(id); b.Position.Z < 15 || b.Position.Size2D() > 2000 {
			t.Errorf("box %d ended at %v", id, b.Position)
		}
	}
	t.Logf("asleep after %.2f s", slept)
}

func TestNothingTunnels(t *testing.T) {
	for _, speed := range []float64{500, 1500, 4000, 9000} {
		for _, thick := range []float64{2, 8, 64} {
			for _, shape := range []ShapeKind{Box, Sphere} {
				s := floor(hullOf(geom.V(500, -500, 0), geom.V(500+thick, 500, 1000)))
				d := BoxDef(geom.V(10, 10, 10), 10)
				if shape == Sphere {
					d = SphereDef(10, 10)
				}
				d.Position, d.LinVel = geom.V(0, 0, 200), geom.V(speed, 13, 0)
				d.AngVel = geom.V(3, 5, 7)
				id := s.Add(d)
				for range 60 {
					s.Step(1.0/30, nil)
					if x := s.Body(id).Position.X; x > 505 {
						t.Fatalf("shape %d at %v uu/s is at x = %v behind a wall of %v uu", shape, speed, x, thick)
					}
				}
			}
		}
	}
}

func TestSlidesOverSeams(t *testing.T) {
	var hulls []collision.Hull
	for i := range 40 {
		hulls = append(hulls, hullOf(geom.V(float64(i)*50, -500, -64), geom.V(float64(i+1)*50, 500, 0)))
	}
	s := NewSpace(hulls, collision.NewWorld(hulls))
	s.Gravity = geom.V(0, 0, -980)
	d := BoxDef(geom.V(20, 20, 20), 50)
	d.Position, d.Friction = geom.V(100, 0, 20), 0
	id := s.Add(d)
	run(s, 0.2)
	s.SetVelocity(id, geom.V(400, 30, 0), vec{})
	for range 180 {
		s.Step(tick, nil)
		if b := s.Body(id); math.Abs(b.Position.Z-20) > 0.5 || b.AngVel.Size() > 0.05 {
			t.Fatalf("caught at %v, turning %v", b.Position, b.AngVel)
		}
	}
	if v := s.Body(id).LinVel; math.Abs(v.X-400*math.Exp(-3*0.02)) > 4 {
		t.Errorf("slid on at %v", v)
	}
}

func TestSpheresRollAndBounce(t *testing.T) {
	s := floor()
	d := SphereDef(20, 10)
	d.Position, d.LinVel = geom.V(0, 0, 20), geom.V(300, 0, 0)
	ball := s.Add(d)
	d.Position, d.LinVel, d.Restitution = geom.V(0, 500, 220), vec{}, 0.8
	bouncy := s.Add(d)
	run(s, 0.5)
	b := s.Body(ball)
	if r := b.AngVel.Y * 20 / b.LinVel.X; math.Abs(r-1) > 0.05 {
		t.Errorf("rolls at %v of its way, %v %v", r, b.LinVel, b.AngVel)
	}
	top := 0.0
	for range 60 {
		s.Step(tick, nil)
		if v := s.Body(bouncy); v.LinVel.Z > 0 || top > 0 {
			top = max(top, v.Position.Z)
		}
	}
	if want := 20 + 200*0.64; math.Abs(top-want) > 12 {
		t.Errorf("bounced to %v, expected about %v", top, want)
	}
	for range 60 * 30 {
		s.Step(tick, nil)
	}
	if s.Awake() != 0 {
		t.Errorf("%d still awake: %v %v", s.Awake(), s.Body(ball).LinVel, s.Body(bouncy).LinVel)
	}
}

func TestFrictionStopsOnASlope(t *testing.T) {
	// A slope of 30°: holds above μ = tan 30° = 0.577.
	h, err := collision.NewHull([]collision.Plane{
		{Normal: geom.V(-0.5, 0, math.Sqrt(3)/2), Dist: 0},
		{Normal: geom.V(0, 0, -1), Dist: 2000},
		{Normal: geom.V(1, 0, 0), Dist: 1000},
		{Normal: geom.V(-1, 0, 0), Dist: 1000},
		{Normal: geom.V(0, 1, 0), Dist: 500},
		{Normal: geom.V(0, -1, 0), Dist: 500},
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		friction float64
		stays    bool
	}{{1, true}, {0.2, false}} {
		s := NewSpace([]collision.Hull{h}, collision.NewWorld([]collision.Hull{h}))
		s.Gravity = geom.V(0, 0, -980)
		d := BoxDef(geom.V(20, 20, 20), 10)
		d.Friction = c.friction
		d.Rotation = FromRotator(geom.Rotator{Pitch: geom.FromRadians(math.Pi / 6)})
		d.Position = geom.V(-0.5, 0, math.Sqrt(3)/2).Mul(20.05)
		id := s.Add(d)
		run(s, 1.5)
		if moved := s.Body(id).Position.Distance(d.Position); (moved < 3) != c.stays {
			t.Errorf("friction %v: slid %v uu", c.friction, moved)
		}
	}
}

func TestRemovingTheSupportWakes(t *testing.T) {
	s := floor()
	var ids []int32
	for i := range 4 {
		ids = append(ids, cube(s, 30, 50, geom.V(0, 0, 30+60*float64(i))))
	}
	run(s, 3)
	if s.Awake() != 0 {
		t.Fatalf("%d awake", s.Awake())
	}
	s.Remove(ids[0])
	run(s, 3)
	for i, id := range ids[1:] {
		if b := s.Body(id); math.Abs(b.Position.Z-(30+60*float64(i))) > 2 {
			t.Errorf("box %d hangs at %v", i+1, b.Position)
		}
	}
}

func TestWakesByPushAndBySpeed(t *testing.T) {
	s := floor()
	a, b := cube(s, 30, 50, geom.V(0, 0, 30)), cube(s, 30, 50, geom.V(200, 0, 30))
	run(s, 2)
	if s.Awake() != 0 {
		t.Fatal("awake")
	}
	s.AddImpulse(a, geom.V(50*600, 0, 0), s.Body(a).Position)
	if s.Body(a).Asleep() || !s.Body(b).Asleep() {
		t.Fatal("only the pushed one wakes")
	}
	run(s, 0.7)
	if x := s.Body(b).Position.X; x < 205 {
		t.Errorf("the other was not pushed on: %v", x)
	}
	run(s, 6)
	if s.Awake() != 0 {
		t.Error("both sleep again")
	}
}

func TestStepsOfAnyLength(t *testing.T) {
	for _, hz := range []float64{10, 20, 30, 60, 144} {
		s := floor()
		id := cube(s, 25, 30, geom.V(0, 0, 300))
		s.SetVelocity(id, geom.V(100, 0, 0), vec{})
		for range int(4 * hz) {
			s.Step(1/hz, nil)
		}
		b := s.Body(id)
		if math.Abs(b.Position.Z-25) > 0.5 || b.Position.X < 60 || b.Position.X > 150 || !b.Asleep() {
			t.Errorf("%v Hz: %v, asleep %v", hz, b.Position, b.Asleep())
		}
	}
}

func TestQuaternions(t *testing.T) {
	r := newRand(3)
	for range 2000 {
		rot := geom.Rotator{Pitch: uint16(r() * 65536), Yaw: uint16(r() * 65536), Roll: uint16(r() * 65536)}
		q := FromRotator(rot)
		f, rt, up := rot.Axes()
		for i, want := range [3]vec{f, rt, up} {
			if got := q.Axes()[i]; got.Distance(want) > 1e-9 {
				t.Fatalf("%v axis %d: %v, expected %v", rot, i, got, want)
			}
		}
		f2, _, up2 := q.Rotator().Axes()
		if f2.Distance(f) > 2e-4 || up2.Distance(up) > 2e-3 {
			t.Fatalf("%v came back as %v", rot, q.Rotator())
		}
		if three := q.Three(); three.Size() > 1+1e-12 {
			t.Fatalf("%v as three parts is %v, too long for a scale of its own", q, three)
		}
		if p := FromThree(q.Three()); p.Rotate(geom.V(1, 2, 3)).Distance(q.Rotate(geom.V(1, 2, 3))) > 1e-6 {
			t.Fatalf("%v as three parts: %v", q, p)
		}
	}
}

// What touches sleeps together: of two that lean on each other, one that still moves keeps the other awake.
func TestIslandsSleepTogether(t *testing.T) {
	s := floor()
	low := cube(s, 30, 50, geom.V(0, 0, 30))
	d := SphereDef(10, 5)
	d.Position, d.AngVel, d.AngularDamping, d.Friction = geom.V(0, 0, 70.1), geom.V(0, 0, 10), 0, 0
	ball := s.Add(d) // spins on the spot, without friction
	run(s, 2)
	if s.Body(ball).Asleep() || s.Body(low).Asleep() {
		t.Errorf("the ball asleep: %v, what it spins on: %v", s.Body(ball).Asleep(), s.Body(low).Asleep())
	}
	s.SetVelocity(ball, vec{}, vec{})
	run(s, 2)
	if s.Awake() != 0 {
		t.Errorf("%d awake", s.Awake())
	}
}

// Woke and Slept tell of the step and of the calls before it, once each.
func TestTellsWhoWokeAndWhoSlept(t *testing.T) {
	hulls := []collision.Hull{hullOf(geom.V(-16000, -16000, -64), geom.V(16000, 16000, 0))}
	lift := []collision.Hull{hullOf(geom.V(-100, -100, 0), geom.V(100, 100, 20))}
	solid := collision.NewWorld(hulls)
	solid.AddMover(7, lift)
	s := NewSpace(hulls, solid)
	s.Gravity = geom.V(0, 0, -980)
	s.AddMover(7, lift)
	id := cube(s, 20, 10, geom.V(0, 0, 40.1))
	slept := 0
	for range 120 {
		s.Step(tick, nil)
		slept += len(s.Slept)
	}
	if slept != 1 || s.Awake() != 0 {
		t.Fatalf("slept %d times, %d awake", slept, s.Awake())
	}
	solid.MoveMover(7, geom.V(0, 0, 2))
	s.Step(tick, nil)
	if len(s.Woke) != 1 || s.Woke[0] != id {
		t.Errorf("a mover that sets out woke %v", s.Woke)
	}
	s.Step(tick, nil)
	if len(s.Woke) != 0 {
		t.Errorf("told twice: %v", s.Woke)
	}
	for z := 2.0; z < 100; z += 2 {
		solid.MoveMover(7, geom.V(0, 0, z))
		s.Step(tick, nil)
	}
	if got := s.Body(id).Position.Z - solid.MoverOffset(7).Z; math.Abs(got-40) > 3 {
		t.Errorf("carried %v above the lift, expected 40", got)
	}
	s.RemoveMover(7)
	solid.RemoveMover(7)
	run(s, 2)
	if z := s.Body(id).Position.Z; math.Abs(z-20) > 0.5 {
		t.Errorf("without the lift it is at %v", z)
	}
	s.Wake(id)
	s.Sleep(id)
	s.Step(tick, nil)
	if len(s.Woke) != 1 || len(s.Slept) != 1 || !s.Body(id).Asleep() {
		t.Errorf("woke %v, slept %v", s.Woke, s.Slept)
	}
}
