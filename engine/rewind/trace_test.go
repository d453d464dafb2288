package rewind

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/engine/geom"
)

// strafing is a soldier that ran along +X at 440 uu/s until time 1, 60 frames a second, and is at the origin then.
func strafing(t testing.TB, class string, list ...box) (*scene, *engine.Actor) {
	s := open(t, Config{Boxes: table()}, list...)
	a := s.pawn(class, geom.V(-440, 0, 0))
	for i := 0; i <= 60; i++ {
		s.record(float64(i) / 60)
		if i < 60 {
			a.Move(geom.V(440.0/60, 0, 0))
		}
	}
	return s, a
}

func TestShotMeetsThePastAndNotThePresent(t *testing.T) {
	for _, class := range []string{"Soldier", "Officer", "Blob"} {
		s, a := strafing(t, class)
		then := geom.V(-88, 0, 0) // 0.2 s ago
		before := s.w.HashState()
		hit, ok := s.shoot(then, 0.8, a)
		if s.w.HashState() != before {
			t.Errorf("%s: a shot changed the world", class)
		}
		if !ok || hit.Actor != a {
			t.Errorf("%s: the past is missed: %+v, %v", class, hit, ok)
		}
		near(t, class+" at", hit.Target.Location.X, -88, 0.01)
		if hit, ok := s.shoot(geom.V(0, 0, 0), 0.8, a); ok {
			t.Errorf("%s: the present body is hit while rewound: %+v", class, hit)
		}
		if _, ok := s.shoot(then, 0.8); ok {
			t.Errorf("%s: hit although it is no target", class)
		}
		if _, ok := s.h.Trace(Shot{Start: geom.V(-88, -500, 0), End: then, Time: 0.8, Shooter: a, Targets: []*engine.Actor{a}}); ok {
			t.Errorf("%s: the shooter hits itself", class)
		}
		if _, ok := s.shoot(geom.V(-440*0.45, 0, 0), 0.55, a); ok {
			t.Errorf("%s: a time before the record hits", class)
		}
		if hit, ok := s.shoot(geom.V(0, 0, 0), 77, a); !ok || hit.Actor != a {
			t.Errorf("%s: a time after the newest frame does not take it", class)
		}
	}
}

// aimed is a shot at one target at time 0.
func aimed(s *scene, a *engine.Actor, from, to geom.Vector) (Hit, bool) {
	return s.h.Trace(Shot{Start: from, End: to, Time: 0, Targets: []*engine.Actor{a}})
}

func TestHeadIsToldFromBody(t *testing.T) {
	s := open(t, Config{Boxes: table()})
	a := s.pawn("Officer", geom.V(0, 0, 0)) // has its parent's boxes
	type shot struct {
		what     string
		from, to geom.Vector
		box      int // −2 for none
	}
	const none = -2
	check := func(pose string, shots ...shot) {
		t.Helper()
		s.record(0)
		for _, c := range shots {
			hit, ok := aimed(s, a, c.from, c.to)
			switch {
			case ok != (c.box != none):
				t.Errorf("%s, %s: hit %v, %+v", pose, c.what, ok, hit)
			case ok && (hit.Box != c.box || hit.Name != soldier[c.box].Name || hit.Head != (c.box == 0) || hit.Actor != a):
				t.Errorf("%s, %s: got %+v", pose, c.what, hit)
			}
		}
	}
	check(
		"standing",
		shot{"at the face", geom.V(500, 0, 74), geom.V(0, 0, 74), 0},
		shot{"at the chest", geom.V(500, 0, 20), geom.V(0, 0, 20), 1},
		shot{"at the hand", geom.V(500, 26, 40), geom.V(0, 26, 40), 2},
		shot{"over the head", geom.V(500, 0, 90), geom.V(0, 0, 90), none},
		shot{"in the cylinder, beside all boxes", geom.V(-30, 500, 0), geom.V(-30, 0, 0), none},
		shot{"at the head through the body", geom.V(0, 0, -500), geom.V(0, 0, 0), 0},
		shot{"at the body alone from below", geom.V(-12, 0, -500), geom.V(-12, 0, 0), 1},
	)
	// Turned to +Y the hand is at −X.
	a.SetRotation(geom.Rot(0, 16384, 0))
	check(
		"turned",
		shot{"at the hand", geom.V(-26, 500, 40), geom.V(-26, 0, 40), 2},
		shot{"where it was", geom.V(30, -26-100, 40), geom.V(30, 26, 40), none},
	)
	a.SetRotation(geom.Rotator{})
	// Looking straight up, the head is behind its neck: (6, 14) about it becomes (−14, 6).
	s.set(a, "ViewPitch", engine.Int(64))
	check(
		"looking up",
		shot{"at the head from the side", geom.V(-20, 500, 66), geom.V(-20, 0, 66), 0},
		shot{"where it was", geom.V(12, 500, 80), geom.V(12, 0, 80), none},
	)
	// Down is a pitch of 192/256; the arm turns half of it.
	s.set(a, "ViewPitch", engine.Int(192))
	check(
		"looking down",
		shot{"at the head from the side", geom.V(14, -500, 54), geom.V(14, 0, 54), 0},
		shot{"at the arm", geom.V(0.7071*50, 500, 40-0.7071*50), geom.V(0.7071*50, 0, 40-0.7071*50), 2},
	)
	s.set(a, "ViewPitch", engine.Int(0))
	s.set(a, "bCrouching", engine.Bool(true))
	check(
		"crouching",
		shot{"at the face", geom.V(500, 0, 30), geom.V(0, 0, 30), 0},
		shot{"where it was", geom.V(-12, 500, 74), geom.V(-12, 0, 74), none},
		shot{"at the body", geom.V(500, 0, -40), geom.V(0, 0, -40), 1},
	)
}

func TestSurfacesAndDistances(t *testing.T) {
	s := open(t, Config{Boxes: table()}, box{-100, -1000, -100, 100, -900, 100})
	for i, class := range []string{"Soldier", "Pawn"} {
		a := s.pawn(class, geom.V(0, 0, 0))
		s.record(0)
		hit, ok := aimed(s, a, geom.V(500, 0, 0), geom.V(100, 0, 0))
		half := []float64{16, 34}[i]
		if !ok || hit.Location.Distance(geom.V(half, 0, 0)) > 1e-9 || hit.Normal != geom.V(1, 0, 0) {
			t.Errorf("%s: got %+v", class, hit)
		}
		near(t, "distance", hit.Distance, 500-half, 1e-9)
		// From within it is hit at once.
		hit, ok = aimed(s, a, geom.V(1, 0, 0), geom.V(100, 0, 0))
		if !ok || hit.Distance != 0 || hit.Normal != geom.V(-1, 0, 0) {
			t.Errorf("%s from within: got %+v", class, hit)
		}
		// A shot that goes nowhere hits what it is in.
		if hit, ok := aimed(s, a, geom.V(0, 0, 0), geom.V(0, 0, 0)); !ok || hit.Actor != a {
			t.Errorf("%s, no way: %+v, %v", class, hit, ok)
		}
		for _, p := range []geom.Vector{geom.V(0, 0, 200), geom.V(70, 0, 0)} {
			if _, ok := aimed(s, a, p, p); ok {
				t.Errorf("%s, no way, from outside at %v: hit", class, p)
			}
		}
		a.Destroy()
	}
	a := s.pawn("Pawn", geom.V(0, 0, 0))
	s.record(0)
	// The cylinder's corner is round, its ends are flat.
	for _, c := range []struct {
		from, to geom.Vector
		ok       bool
	}{
		{geom.V(30, 30, 500), geom.V(30, 30, 0), false},
		{geom.V(20, 20, 500), geom.V(20, 20, 0), true},
		{geom.V(500, 0, 87), geom.V(0, 0, 87), true},
		{geom.V(500, 0, 89), geom.V(0, 0, 89), false},
		{geom.V(500, 35, 0), geom.V(-500, 35, 0), false},
		{geom.V(500, 33, 0), geom.V(-500, 33, 0), true},
		{geom.V(40, 0, 200), geom.V(30, 0, 60), true},
		{geom.V(100, 0, 110), geom.V(-100, 0, 86), false},
	} {
		hit, ok := aimed(s, a, c.from, c.to)
		if ok != c.ok || ok && (hit.Box != CylinderHit || hit.Head || hit.Name != "") {
			t.Errorf("%v to %v: %v, %+v", c.from, c.to, ok, hit)
		}
	}
	hit, _ := aimed(s, a, geom.V(10, 0, 500), geom.V(10, 0, 0))
	if hit.Normal != geom.V(0, 0, 1) {
		t.Errorf("top: %+v", hit)
	}
}

// R11.3: the trace goes 25 % past the claimed point.
func TestTraceGoesPastTheClaimedPoint(t *testing.T) {
	s := open(t, Config{})
	a := s.pawn("Pawn", geom.V(0, 0, 0))
	s.record(0)
	start := geom.V(-1034, 0, 0) // 1000 uu from the surface
	for _, c := range []struct {
		way float64
		ok  bool
	}{{799, false}, {801, true}, {1000, true}} {
		if _, ok := aimed(s, a, start, start.Add(geom.V(c.way, 0, 0))); ok != c.ok {
			t.Errorf("claimed %v uu: hit %v", c.way, ok)
		}
	}
}

func TestLevelStopsShots(t *testing.T) {
	wall := box{-300, -210, -300, 300, -200, 300}
	for _, class := range []string{"Soldier", "Blob"} {
		s, a := strafing(t, class, wall)
		hit, ok := s.shoot(geom.V(-88, 0, 0), 0.8, a)
		if !ok || hit.Actor != nil || hit.Box != CylinderHit || hit.Head {
			t.Errorf("%s behind a wall: %+v, %v", class, hit, ok)
		}
		near(t, "wall", hit.Location.Y, -210, 1e-6)
		near(t, "distance", hit.Distance, 290, 1e-6)
		if hit.Normal != geom.V(0, -1, 0) {
			t.Errorf("normal %v", hit.Normal)
		}
		// The level is met whatever the time.
		if hit, ok := s.shoot(geom.V(-88, 0, 0), 0.1, a); !ok || hit.Actor != nil {
			t.Errorf("before the record: %+v, %v", hit, ok)
		}
		// In front of the wall it is the target; from within the wall it is the wall.
		if hit, ok := s.h.Trace(Shot{Start: geom.V(-88, 500, 0), End: geom.V(-88, -300, 0), Time: 0.8, Targets: []*engine.Actor{a}}); !ok || hit.Actor != a {
			t.Errorf("%s before a wall: %+v, %v", class, hit, ok)
		}
		hit, ok = s.h.Trace(Shot{Start: geom.V(-88, -205, 0), End: geom.V(-88, 0, 0), Time: 0.8, Targets: []*engine.Actor{a}})
		if !ok || hit.Actor != nil || hit.Distance != 0 {
			t.Errorf("from within the wall: %+v, %v", hit, ok)
		}
	}
	// A body that stands half in a wall, its head behind it: the body is hit and not the head.
	s := open(t, Config{Boxes: table()}, box{-100, -100, 50, 100, 100, 55})
	a := s.pawn("Soldier", geom.V(0, 0, 0))
	s.record(0)
	if hit, ok := aimed(s, a, geom.V(0, 0, -500), geom.V(0, 0, 0)); !ok || hit.Name != "body" {
		t.Errorf("the head behind a ceiling: %+v, %v", hit, ok)
	}
}

func TestNearestTargetIsHit(t *testing.T) {
	s := open(t, Config{Boxes: table()})
	far, close := s.pawn("Soldier", geom.V(0, 100, 0)), s.pawn("Blob", geom.V(0, 0, 0))
	s.record(0)
	other := open(t, Config{}).spawn("Pawn", geom.V(0, -100, 0)) // has the id of one of these
	stranger := s.spawn("Pawn", geom.V(0, -200, 0))
	for _, list := range [][]*engine.Actor{{far, close}, {close, far}, {nil, other, stranger, close, far, close}} {
		if hit, ok := s.shoot(geom.V(0, 0, 0), 0, list...); !ok || hit.Actor != close {
			t.Errorf("got %+v, %v", hit, ok)
		}
	}
	if hit, ok := s.shoot(geom.V(0, 0, 0), 0, far); !ok || hit.Actor != far {
		t.Errorf("an actor that is no target stops the shot: %+v, %v", hit, ok)
	}
	// A ghost is not hit; what it is now does not matter.
	close.SetCollision(false, true, true)
	s.record(1)
	close.SetCollision(true, true, true)
	if hit, _ := s.shoot(geom.V(0, 0, 0), 1, close, far); hit.Actor != far {
		t.Errorf("a ghost stops a shot: %+v", hit)
	}
	for _, bad := range []geom.Vector{geom.V(0, 0, 3e5), geom.V(0, -3e5, 0), {X: nan()}} {
		if hit, ok := s.h.Trace(Shot{Start: bad, End: geom.V(0, 0, 0), Targets: []*engine.Actor{far}}); ok {
			t.Errorf("from %v: %+v", bad, hit)
		}
		if hit, ok := s.h.Trace(Shot{End: bad, Targets: []*engine.Actor{far}}); ok {
			t.Errorf("to %v: %+v", bad, hit)
		}
	}
	if hit, ok := s.shoot(geom.V(0, 0, 0), nan(), far); ok {
		t.Errorf("at no time: %+v", hit)
	}
}

func nan() float64 { return math.NaN() }

// Boxes may be replaced while playing; on a mistake the old ones stay.
func TestBoxesAreReplaced(t *testing.T) {
	s := open(t, Config{Boxes: table()})
	a := s.pawn("Soldier", geom.V(0, 0, 0))
	s.record(0)
	if err := s.h.SetBoxes(Table{"Nobody": nil}); err == nil {
		t.Error("a class that is not there")
	}
	if hit, _ := s.shoot(geom.V(0, 0, 0), 0, a); hit.Name != "body" {
		t.Errorf("after a mistake: %+v", hit)
	}
	if err := s.h.SetBoxes(Table{"Actor": {{Name: "all", Standing: Place{Half: geom.V(5, 5, 5)}}}}); err != nil {
		t.Fatal(err)
	}
	if hit, _ := s.shoot(geom.V(0, 0, 0), 0, a); hit.Name != "all" || !hit.Head {
		t.Errorf("new boxes: %+v", hit)
	}
	if hit, ok := s.shoot(geom.V(0, 0, 20), 0, a); ok {
		t.Errorf("old boxes: %+v", hit)
	}
	// Reloaded classes are others of the same names.
	s.w.Reclass(classes(t))
	s.set(a, "bCrouching", engine.Bool(true))
	s.record(1)
	if p, ok := s.h.At(a, 1); !ok || p.Stance != Crouching {
		t.Errorf("after a reload: %+v, %v", p, ok)
	}
}

// Angles take the shorter way round between two frames, stances change with the frame.
func TestAnglesTakeTheShorterWay(t *testing.T) {
	s := open(t, Config{})
	a := s.pawn("Soldier", geom.V(0, 0, 0))
	a.SetRotation(geom.Rot(0, 100, 0))
	s.set(a, "ViewPitch", engine.Int(2))
	s.record(0)
	a.SetRotation(geom.Rot(0, -300, 0))
	s.set(a, "ViewPitch", engine.Int(254))
	s.set(a, "bCrouching", engine.Bool(true))
	s.record(0.25)
	p, ok := s.h.At(a, 0.125)
	if !ok || geom.Signed(p.Yaw) != -100 || p.ViewPitch != 0 || p.Stance != Standing {
		t.Errorf("got %+v, %v", p, ok)
	}
}

// A box far out on its joint is found all the same.
func TestBoxesFarOutAreFound(t *testing.T) {
	far := Place{Offset: geom.V(0, 0, 200), Joint: geom.V(0, 0, 200), Half: geom.V(5, 5, 5)}
	s := open(t, Config{Boxes: Table{"Soldier": {{Name: "flag", Standing: far, Pitch: 1}}}})
	a := s.pawn("Soldier", geom.V(0, 0, 0))
	s.record(0)
	if hit, ok := s.shoot(geom.V(0, 0, 200), 0, a); !ok || hit.Name != "flag" {
		t.Errorf("got %+v, %v", hit, ok)
	}
}

// However many a line comes near, and in whatever order they are given, it meets whom it meets first when asked of each
// alone; of two met at once, who is given first.
func TestManyTargetsAreMetAsEachAlone(t *testing.T) {
	s := open(t, Config{Boxes: table()}, box{4000, -5000, -5000, 4010, 5000, 5000})
	r := rand.New(rand.NewPCG(3, 4))
	var pawns []*engine.Actor
	for i := range 3 * mostNear { // a heap, so that a line comes near most of them
		at := geom.V(r.Float64()*600, r.Float64()*120, r.Float64()*120)
		if i%8 == 7 {
			at = pawns[i-1].Location // stands in another
		}
		a := s.pawn([]string{"Soldier", "Officer", "Blob"}[r.IntN(3)], at)
		a.Location = at // wherever there was room
		s.set(a, "ViewPitch", engine.Int(r.IntN(256)))
		a.SetRotation(geom.Rot(0, r.IntN(65536), 0))
		pawns = append(pawns, a)
	}
	s.record(1)
	for _, a := range pawns {
		a.Location = a.Location.Add(geom.V(10, 0, 0))
	}
	s.record(1.1)
	ties, hits := 0, 0
	for range 2000 {
		r.Shuffle(len(pawns), func(i, j int) { pawns[i], pawns[j] = pawns[j], pawns[i] })
		shot := Shot{Start: geom.V(-300, r.Float64()*120, r.Float64()*120), End: geom.V(r.Float64()*900-200, r.Float64()*120, r.Float64()*120), Time: 1.03}
		if r.IntN(4) == 0 { // from within
			shot.Start = geom.V(r.Float64()*600, r.Float64()*120, r.Float64()*120)
		}
		var want *engine.Actor
		first := math.Inf(1)
		way := shot.End.Sub(shot.Start).Mul(1 + Overshoot)
		m := s.h.moment(shot.Time)
		for _, a := range pawns {
			tr := s.h.find(a)
			from, to := s.h.pair(tr, m)
			p := pose(from, to, m.part)
			if at, _ := meet(tr, &p, boxesAt{}, shot.Start, way, math.Inf(1)); at < first {
				want, first = a, at
			} else if at == first && want != nil {
				ties++
			}
		}
		shot.Targets = pawns
		hit, ok := s.h.Trace(shot)
		if hit.Actor != want || ok != (want != nil) {
			t.Fatalf("%v to %v: hit %v, want %v", shot.Start, shot.End, hit.Actor, want)
		}
		if want == nil {
			continue
		}
		hits++
		shot.Targets = []*engine.Actor{want}
		if alone, _ := s.h.Trace(shot); alone != hit {
			t.Fatalf("%v to %v: %+v, alone %+v", shot.Start, shot.End, hit, alone)
		}
	}
	if hits < 500 || ties < 20 {
		t.Errorf("%d hits and %d at once: nothing was tried", hits, ties)
	}
}

// Of two whose faces stand in one plane the first given is hit, whomever the line comes nearer to.
func TestOfTwoMetAtOnceTheFirstIsHit(t *testing.T) {
	s := open(t, Config{Boxes: table()})
	a, b := s.pawn("Soldier", geom.V(0, 0, 0)), s.pawn("Soldier", geom.V(0, 200, 0))
	b.Location = geom.V(0, 20, 0)
	s.record(1)
	for _, list := range [][]*engine.Actor{{a, b}, {b, a}} {
		hit, _ := s.h.Trace(Shot{Start: geom.V(-500, 9, 0), End: geom.V(0, 9, 0), Time: 1, Targets: list})
		if hit.Actor != list[0] {
			t.Errorf("hit %v, want %v", hit.Actor, list[0])
		}
	}
}
