package relevancy

import (
	"math"
	"testing"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/engine/geom"
)

func set(t *testing.T, a *engine.Actor, name string, v engine.Value) {
	t.Helper()
	if err := a.Set(a.Class.Property(name), v); err != nil {
		t.Fatal(err)
	}
}

func TestView(t *testing.T) {
	s := open(t, Config{})
	want := func(what string, pawn, target *engine.Actor, at geom.Vector, r geom.Rotator) {
		t.Helper()
		v := s.x.View(s.pc)
		if v.Player != s.pc || v.Pawn != pawn || v.Target != target || v.Location != at || v.Rotation != r {
			t.Errorf("%s: pawn %s, target %s, %v %v; want %s, %s, %v %v", what, v.Pawn, v.Target, v.Location, v.Rotation, pawn, target, at, r)
		}
	}
	aim := geom.Rot(1000, 2000, 0)
	set(t, s.pc, "ViewRotation", engine.Rotation(aim))
	s.pc.SetLocation(geom.V(7, 8, 9))
	s.pc.SetRotation(geom.Rot(1, 2, 3))
	s.pawn.SetLocation(geom.V(10, 20, 30))
	want("from the pawn's eyes", s.pawn, s.pawn, geom.V(10, 20, 94), aim)

	// Another's pawn is looked out of the way it faces; a camera has neither eyes nor pitch.
	other := s.spawn("Pawn", "other", geom.V(100, 0, 0), nil)
	other.SetRotation(geom.Rot(0, 500, 0))
	set(t, other, "ViewPitch", engine.Int(3))
	set(t, s.pc, "ViewTarget", engine.Ref(other))
	want("another's pawn", s.pawn, other, geom.V(100, 0, 64), geom.Rot(768, 500, 0))
	camera := s.orb("camera", 0, 0, 500)
	camera.SetRotation(geom.Rot(5, 6, 7))
	set(t, s.pc, "ViewTarget", engine.Ref(camera))
	want("a camera", s.pawn, camera, geom.V(0, 0, 500), geom.Rot(5, 6, 7))
	camera.Destroy()
	want("the camera is gone", s.pawn, s.pawn, geom.V(10, 20, 94), aim)

	// The dead see from where their controller is.
	s.pawn.Destroy()
	want("dead", nil, s.pc, geom.V(7, 8, 9), aim)
	if v := s.x.View(nil); v.Player != nil || v.Target != nil || v.Pawn != nil {
		t.Error("nobody's view")
	}
	// A controller of a class that declares none of it.
	plain := s.orb("plain", 1, 2, 3)
	plain.SetRotation(geom.Rot(9, 9, 9))
	if v := s.x.View(plain); v.Target != plain || v.Pawn != nil || v.Location != geom.V(1, 2, 3) || v.Rotation != geom.Rot(9, 9, 9) {
		t.Errorf("%+v", v)
	}
}

// What the dead and those who watch others are told (R3.5).
func TestViewOfTheDead(t *testing.T) {
	s := open(t, Config{}, wall)
	near, far := s.orb("near", 100, 0, 0), s.orb("far", 1000, 0, 0)
	s.pc.SetLocation(geom.V(900, 0, 0))
	s.pawn.Destroy()
	s.look()
	s.wantNo(near, Rule3_9)
	s.wantYes(far, Rule3_9)
	s.wantYes(s.pc, Rule3_4)
	killer := s.spawn("Pawn", "killer", geom.V(0, 0, 0), func(a *engine.Actor) { a.BHidden = true })
	set(t, s.pc, "ViewTarget", engine.Ref(killer))
	s.look()
	s.wantYes(near, Rule3_9)
	s.wantYes(killer, Rule3_5)
	gun := s.orb("gun", 0, 0, 0)
	s.own(gun, killer)
	s.change(gun, func(a *engine.Actor) { a.BOnlyRelevantToOwner = true })
	s.wantNo(gun, Rule3_4) // whom one watches one does not own
}

func TestFactor(t *testing.T) { // R4.2
	s := open(t, Config{})
	s.v.Location, s.v.Rotation = geom.V(0, 0, 0), geom.Rot(0, 16384, 0) // looks along +Y
	a := s.orb("a", 0, 0, 0)
	for _, c := range []struct {
		name    string
		x, y, z float64
		want    float64
	}{
		{"at the view point", 0, 0, 0, 1},
		{"ahead", 0, 1000, 0, 2},
		{"ahead within the aim", 600, 1000, 0, 2},
		{"above within the aim", 0, 1000, 600, 2},
		{"aside, near", 1000, 600, 0, 1},
		{"aside, far", 4000, 1000, 0, 0.4},
		{"ahead, very far", 0, 9000, 0, 0.4},
		{"ahead, not yet very far", 0, 7999, 0, 2},
		{"behind, close", 0, -400, 0, 1},
		{"behind, near", 0, -1000, 0, 0.4},
		{"behind, far", 0, -3000, 0, 0.2},
		{"behind, very far", 100, -30000, 0, 0.2},
	} {
		a.SetLocation(geom.V(c.x, c.y, c.z))
		if got := s.x.Factor(&s.v, a); got != c.want {
			t.Errorf("%s: %g, want %g", c.name, got, c.want)
		}
	}
	// Turning about turns the answers.
	s.v.Rotation = geom.Rot(0, 49152, 0)
	if got := s.x.Factor(&s.v, a); got != 0.4 { // now very far ahead
		t.Errorf("turned: %g", got)
	}
	a.SetLocation(geom.V(0, -3000, 0))
	if got := s.x.Factor(&s.v, a); got != 2 {
		t.Errorf("turned: %g", got)
	}
	s.v.Rotation = geom.Rot(0, 16384, 0)
	a.BHidden = true
	if got := s.x.Factor(&s.v, a); got != 1 {
		t.Errorf("hidden, its place says nothing: %g", got)
	}
	a.BHidden = false

	// The view target and what it owns count four times, wherever they are.
	if got := s.x.Factor(&s.v, s.pawn); got != 4 {
		t.Errorf("pawn %g", got)
	}
	gun, sight := s.orb("gun", 0, -3000, 0), s.orb("sight", 0, -3000, 0)
	s.own(gun, s.pawn)
	s.own(sight, gun)
	rocket := s.orb("rocket", 0, -3000, 0)
	if got := s.x.Factor(&s.v, rocket); got != 0.2 {
		t.Errorf("rocket %g", got)
	}
	rocket.SetInstigator(s.pawn)
	for _, a := range []*engine.Actor{gun, sight, rocket} {
		if got := s.x.Factor(&s.v, a); got != 4 {
			t.Errorf("%s %g", a, got)
		}
	}
	s.v.Target = nil
	if got := s.x.Factor(&s.v, gun); got != 0.2 {
		t.Errorf("without a view target: %g", got)
	}
}

func TestPriority(t *testing.T) { // R4.2
	s := open(t, Config{})
	s.v.Location, s.v.Rotation = geom.V(0, 0, 0), geom.Rotator{}
	a, owner := s.orb("a", -3000, 0, 0), s.orb("owner", 1000, 0, 0)
	a.NetPriority, owner.NetPriority = 1.5, 3
	near := func(what string, got, want float64) {
		t.Helper()
		if math.Abs(got-want) > 1e-12 {
			t.Errorf("%s: %g, want %g", what, got, want)
		}
	}
	near("its own", weight(s.x.Weigh(&s.v, a)), 1.5*0.2)
	a.BNetUseOwnerRelevancy = true
	near("no owner", weight(s.x.Weigh(&s.v, a)), 1.5*0.2)
	s.own(a, owner)
	near("the owner's", weight(s.x.Weigh(&s.v, a)), 3*2)
	near("the owner's factor", s.x.Factor(&s.v, a), 2)
	// Only ratios count: doubling all doubles all.
	owner.NetPriority *= 2
	near("doubled", weight(s.x.Weigh(&s.v, a)), 2*3*2)
}

func TestViewFactorsAreConfiguration(t *testing.T) { // R4.2
	c := Config{View: ViewFactors{Target: 9, Behind: 0.5, BehindNear: 0.6, Aim: 7, AimAngle: 0.1, Aside: 0.3, Close: 10, Near: 20, Medium: 30, Far: 40}}
	s := open(t, c)
	s.v.Location, s.v.Rotation = geom.V(0, 0, 0), geom.Rotator{}
	a := s.orb("a", 0, 0, 0)
	for _, k := range []struct{ x, y, want float64 }{
		{-5, 0, 1}, {-15, 0, 0.6}, {-25, 0, 0.5}, {25, 0, 7}, {25, 5, 1}, {35, 10, 0.3}, {50, 0, 0.3},
	} {
		a.SetLocation(geom.V(k.x, k.y, 0))
		if got := s.x.Factor(&s.v, a); got != k.want {
			t.Errorf("%g, %g: %g, want %g", k.x, k.y, got, k.want)
		}
	}
	if got := s.x.Factor(&s.v, s.pawn); got != 9 {
		t.Errorf("target %g", got)
	}
	bad := New(s.w, Config{View: ViewFactors{Target: -1, Behind: math.NaN(), AimAngle: 100}}).Config().View
	if bad.Target != 4 || bad.Behind != 0.2 || bad.AimAngle != math.Pi/2 {
		t.Errorf("%+v", bad)
	}
}

// weight is what waiting time is multiplied with.
func weight(priority, factor float64) float64 { return priority * factor }
