package engine

import (
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/tidelock/tidelock/engine/geom"
	"github.com/tidelock/tidelock/tests/tier"
)

func TestTouchesOfOneMoveComeByDistanceThenAge(t *testing.T) {
	w, d := inLevel(t, boxes(floorBox), "Touch", "UnTouch")
	put(t, w, "Pickup", "far", 400, 0, 88)
	put(t, w, "Pickup", "old", 200, 0, 88)
	put(t, w, "Pickup", "young", 200, 0, 88)
	a := put(t, w, "Character", "a", 0, 0, 100)
	d.take() // the two pickups in one place touch
	a.Move(geom.V(350, 0, 0))
	eq(t, d.take(), "a.Touch old old.Touch a a.Touch young young.Touch a a.Touch far far.Touch a "+
		"a.UnTouch old old.UnTouch a a.UnTouch young young.UnTouch a")
	eq(t, len(a.Touching()), 1)
}

func TestWhoBlocksWhom(t *testing.T) {
	for _, c := range []struct {
		what  string
		set   func(a, b *Actor)
		stops bool
	}{
		{"two pawns", func(a, b *Actor) {}, true},
		{"the other blocks no players", func(a, b *Actor) { b.SetCollision(true, true, false) }, false},
		{"the mover blocks no players", func(a, b *Actor) { a.SetCollision(true, true, false) }, false},
		{"the other does not collide", func(a, b *Actor) { b.SetCollision(false, true, true) }, false},
		{"the mover does not collide", func(a, b *Actor) { a.SetCollision(false, true, true) }, false},
		{"they block players only, and are players", func(a, b *Actor) { a.SetCollision(true, false, true); b.SetCollision(true, false, true) }, true},
	} {
		w, d := inLevel(t, boxes(floorBox), bodyEvents...)
		a := put(t, w, "Character", "a", 0, 0, 88)
		b := put(t, w, "Character", "b", 100, 0, 88)
		c.set(a, b)
		d.take()
		hit, stopped := a.Move(geom.V(50, 0, 0))
		if stopped != c.stops || stopped && hit.Actor != b {
			t.Errorf("%s: stopped %v by %v", c.what, stopped, hit.Actor)
		}
		if c.stops {
			near(t, c.what, a.Location.X, 100-68, 0.05)
			eq(t, d.take(), "a.Bump b b.Bump a")
		}
	}
	// A crate is no pawn: bBlockActors counts.
	w, _ := inLevel(t, boxes(floorBox))
	a, b := put(t, w, "Crate", "a", 0, 0, 30), put(t, w, "Crate", "b", 60, 0, 30)
	b.SetCollision(true, false, true)
	if _, stopped := a.Move(geom.V(30, 0, 0)); stopped {
		t.Error("a crate is stopped by what blocks players only")
	}
}

func TestBrushesStopOnlyWhatCollidesWithTheWorld(t *testing.T) {
	w, d := inLevel(t, boxes(floorBox, [6]float64{100, -50, 0, 110, 50, 100}), bodyEvents...)
	a := put(t, w, "Crate", "a", 0, 0, 40)
	hit, ok := a.Move(geom.V(200, 0, 0))
	if !ok || hit.Actor != nil {
		t.Errorf("got %+v, %v", hit, ok)
	}
	near(t, "x", a.Location.X, 78, 0.05)
	near(t, "distance", hit.Distance, 78, 0.05)
	eq(t, d.take(), "a.HitWall (-1,0,0)")
	set(t, a, "bCollideWorld", Bool(false))
	if _, ok := a.Move(geom.V(200, 0, 0)); ok {
		t.Error("stopped without bCollideWorld")
	}
}

func TestEventsOfOneMoveInOrder(t *testing.T) {
	// Touched on the way, left behind, and stopped: in this order whatever the actors' ages.
	w, d := inLevel(t, boxes(floorBox), bodyEvents...)
	put(t, w, "Crate", "wall", 300, 0, 88)
	put(t, w, "Pickup", "on the way", 200, 0, 88)
	put(t, w, "Pickup", "behind", 0, 0, 88)
	a := put(t, w, "Character", "a", 0, 0, 100)
	eq(t, d.take(), "a.Touch behind behind.Touch a")
	a.Move(geom.V(400, 0, 0))
	eq(t, d.take(), "a.Touch on the way on the way.Touch a a.UnTouch behind behind.UnTouch a a.Bump wall wall.Bump a")
}

func TestAnEventThatTeleportsOrDestroysEndsTheMove(t *testing.T) {
	for want, do := range map[string]func(a *Actor){
		"a.Touch p a.UnTouch p p.UnTouch a":             func(a *Actor) { a.SetLocation(geom.V(0, 1000, 100)) },
		"a.Touch p a.UnTouch p p.UnTouch a a.Destroyed": func(a *Actor) { a.Destroy() },
	} {
		w, d := inLevel(t, boxes(floorBox), append(bodyEvents, "Destroyed")...)
		p := put(t, w, "Pickup", "p", 200, 0, 88)
		put(t, w, "Crate", "wall", 300, 0, 88)
		a := put(t, w, "Character", "a", 0, 0, 100)
		d.on["Touch"] = func(x *Actor, _ []Value) {
			if x == a {
				do(a)
			}
		}
		a.Move(geom.V(400, 0, 0))
		eq(t, d.take(), want)
		eq(t, len(a.Touching())+len(p.Touching()), 0)
	}
}

func TestSpawningInsideTouches(t *testing.T) {
	w, d := inLevel(t, boxes(floorBox), "Touch", "PostBeginPlay")
	put(t, w, "Trigger", "zone", 0, 0, 64)
	d.take()
	put(t, w, "Character", "a", 10, 0, 88)
	eq(t, d.take(), "a.PostBeginPlay a.Touch zone zone.Touch a")
}

func TestCollisionSwitchesTouches(t *testing.T) {
	w, d := inLevel(t, boxes(floorBox), "Touch", "UnTouch")
	z := put(t, w, "Trigger", "zone", 0, 0, 64)
	a := put(t, w, "Character", "a", 10, 0, 88)
	d.take()
	z.SetCollision(false, false, false)
	eq(t, d.take(), "zone.UnTouch a a.UnTouch zone")
	set(t, z, "bCollideActors", Bool(true))
	eq(t, d.take(), "zone.Touch a a.Touch zone")
	set(t, z, "CollisionRadius", Float(1))
	eq(t, d.take(), "")
	a.SetLocation(geom.V(200, 0, 88))
	eq(t, d.take(), "a.UnTouch zone zone.UnTouch a")
	if !z.SetCollisionSize(300, 64) {
		t.Error("no room for a trigger")
	}
	eq(t, d.take(), "zone.Touch a a.Touch zone")
	z.Destroy()
	eq(t, d.take(), "zone.UnTouch a a.UnTouch zone")
}

func TestProjectilesNeverMeetTheirOwners(t *testing.T) {
	w, d := inLevel(t, boxes(floorBox), bodyEvents...)
	owner := put(t, w, "Character", "owner", 0, 0, 88)
	shooter := put(t, w, "Character", "shooter", 100, 0, 88)
	put(t, w, "Character", "victim", 200, 0, 88)
	p := spawn(t, w, "Projectile", SpawnParams{Name: "p", Location: geom.V(-100, 0, 100), Owner: owner, Instigator: shooter})
	p.Velocity = geom.V(2000, 0, 0)
	d.on["Touch"] = func(x *Actor, args []Value) {
		if x == p {
			near(t, "where it touches", p.Location.X, 200-34-4, 0.1)
			p.Destroy()
		}
	}
	run(w, 1, 60)
	eq(t, d.take(), "p.Touch victim p.UnTouch victim victim.UnTouch p")
}

func TestFastProjectilesDoNotTunnel(t *testing.T) {
	for _, hz := range []float64{4, 20, 60} {
		for _, thin := range []float64{0.5, 4, 20} {
			w, d := inLevel(t, boxes(floorBox, [6]float64{2000, -100, 0, 2000 + thin, 100, 300}), bodyEvents...)
			p := put(t, w, "Projectile", "p", 0, 0, 100)
			p.Velocity = geom.V(20000, 0, 0)
			run(w, 1, hz)
			eq(t, d.take(), "p.HitWall (-1,0,0)")
			near(t, "x", p.Location.X, 2000-4, 0.05)
			eq(t, p.Velocity, vec{})
			eq(t, p.Physics, PhysNone)
		}
		w, d := inLevel(t, boxes(floorBox), "Touch", "UnTouch")
		small := put(t, w, "Pickup", "small", 3000, 1, 100)
		small.SetCollisionSize(0.25, 0.25)
		p := put(t, w, "Projectile", "p", 0, 0, 100)
		p.Velocity = geom.V(20000, 0, 0)
		run(w, 1, hz)
		eq(t, d.take(), "p.Touch small small.Touch p p.UnTouch small small.UnTouch p")
		near(t, "it flies on", p.Location.X, 20000, 1e-3)
	}
}

func TestProjectileBounces(t *testing.T) {
	w, d := inLevel(t, boxes(floorBox, [6]float64{500, -500, 0, 520, 500, 300}), bodyEvents...)
	p := put(t, w, "Projectile", "p", 0, 0, 100)
	set(t, p, "Bounce", Float(0.5))
	p.Velocity = geom.V(1000, 200, 0)
	run(w, 1, 60)
	eq(t, d.take(), "p.HitWall (-1,0,0)")
	nearVec(t, "velocity", p.Velocity, geom.V(-500, 100, 0), 1e-6)
	hit := (500.0 - 4) / 1000
	near(t, "x", p.Location.X, 496-500*(1-hit), 0.1)
}

func TestSteeredAndHeavyProjectiles(t *testing.T) {
	for _, hz := range []float64{20, 60, 144} {
		w, _ := inLevel(t, nil)
		p := put(t, w, "Projectile", "p", 0, 0, 0)
		set(t, p, "GravityScale", Float(0.5))
		p.Velocity = geom.V(1000, 0, 500)
		p.Acceleration = geom.V(0, 100, 0)
		run(w, 1, hz)
		nearVec(t, "place", p.Location, geom.V(1000, 50, 500-245), 1e-6)
		nearVec(t, "velocity", p.Velocity, geom.V(1000, 100, 500-490), 1e-6)
		set(t, p, "MaxSpeed", Float(300))
		run(w, 1, hz)
		near(t, "speed", p.Velocity.Size(), 300, 1e-6)
	}
}

func TestCratesBounceAndComeToRest(t *testing.T) {
	w, d := inLevel(t, boxes(floorBox), "HitWall", "Landed")
	c := put(t, w, "Crate", "c", 0, 0, 500)
	set(t, c, "Bounce", Float(0.5))
	c.Velocity = geom.V(100, 0, 0)
	c.SetPhysics(PhysFalling)
	run(w, 10, 60)
	eq(t, c.Physics, PhysNone)
	near(t, "z", c.Location.Z, 22, 0.05)
	log := d.take()
	if strings.Count(log, "HitWall") < 3 || !strings.HasSuffix(log, "c.Landed (0,0,1)") {
		t.Error(log)
	}
}

func TestFlyingGoesAndStopsInAllDirections(t *testing.T) {
	w, _ := inLevel(t, boxes(floorBox))
	s := put(t, w, "Sentry", "s", 0, 0, 500)
	s.Acceleration = geom.V(0, 1000, 2000)
	run(w, 1, 60)
	near(t, "speed", s.Velocity.Size(), 440, 1e-6)
	s.Acceleration = vec{}
	run(w, 1, 60)
	eq(t, s.Velocity, vec{})
	s.Acceleration = geom.V(2048, 0, -2048)
	run(w, 3, 60)
	near(t, "on the floor", s.Location.Z, 20, 0.05)
	near(t, "along it", s.Velocity.X, 440/math.Sqrt2, 1)
}

func TestRotatingKeepsTheRemainder(t *testing.T) {
	for _, hz := range []float64{20, 60, 144} {
		w, _ := inLevel(t, nil)
		a := put(t, w, "Actor", "a", 0, 0, 0)
		a.RotationRate = geom.Rot(0, 1001, -7)
		a.SetPhysics(PhysRotating)
		run(w, 10, hz)
		near(t, "yaw", float64(a.Rotation.Yaw), 10010, 1)
		near(t, "roll", float64(int16(a.Rotation.Roll)), -70, 1)
	}
}

func TestBelowKillZ(t *testing.T) {
	lv := boxes(floorBox)
	lv.KillZ = -500
	w, d := inLevel(t, lv, "FellOutOfWorld", "Destroyed")
	put(t, w, "Character", "a", 0, 0, -600)
	d.on["FellOutOfWorld"] = func(*Actor, []Value) {}
	run(w, 0.5, 60)
	eq(t, d.take(), "a.FellOutOfWorld")
	w, d = inLevel(t, lv, "Destroyed")
	a := put(t, w, "Character", "a", 0, 0, -600)
	run(w, 0.1, 60)
	eq(t, d.take(), "a.Destroyed")
	if !a.Deleted() {
		t.Error("it lives")
	}
}

func TestAbsurdValuesBreakNothing(t *testing.T) {
	tier.Check(t, func(t *rapid.T) {
		lv := boxes(floorBox, [6]float64{500, -2000, 0, 520, 2000, 1000})
		cs := buildBodies(t)
		w := NewWorld(Config{Classes: cs, Level: lv, Seed: 1})
		number := rapid.SampledFrom([]float64{0, 1, -1, 1e-30, 440, -1e5, 1e9, 1e30, -1e300, math.MaxFloat64})
		v := func() vec {
			return geom.V(number.Draw(t, "x"), number.Draw(t, "y"), number.Draw(t, "z"))
		}
		class := rapid.SampledFrom([]string{"Character", "Sentry", "Projectile", "Crate"}).Draw(t, "class")
		a := spawn(t, w, class, SpawnParams{Location: geom.V(0, 0, 200)})
		other, _ := w.Spawn(cs.Find("Character"), SpawnParams{Location: geom.V(100, 0, 88)})
		for range 20 {
			a.Velocity, a.Acceleration = v(), v()
			a.SetPhysics(Physics(rapid.IntRange(0, int(numPhysics)-1).Draw(t, "physics")))
			if rapid.Bool().Draw(t, "teleport") {
				a.SetLocation(v())
			}
			a.Move(v())
			w.Step(rapid.SampledFrom([]float64{1.0 / 60, 1.0 / 4, 2}).Draw(t, "dt"))
			if a.Deleted() {
				return
			}
			if !a.Location.IsFinite() || !a.Velocity.IsFinite() {
				t.Fatalf("at %v, %v", a.Location, a.Velocity)
			}
			// A rigid body is a turned box; what is upright again was corrected when it ceased to be one.
			if a.BCollideWorld && a.Physics != PhysRigidBody && depthOf(a) > 0.1 {
				t.Fatalf("%v deep at %v", depthOf(a), a.Location)
			}
			if !other.Location.IsFinite() {
				t.Fatalf("other at %v", other.Location)
			}
		}
	})
}

// TestTouchingIsWhatOverlaps: after any moves, teleports, and changes of collision, every pair that
// touches is held by both and is near, and what overlaps and may touch is held.
func TestTouchingIsWhatOverlaps(t *testing.T) {
	tier.Check(t, func(t *rapid.T) {
		w := NewWorld(Config{Classes: buildBodies(t), Level: boxes(floorBox), Seed: 1})
		var list []*Actor
		for range rapid.IntRange(2, 8).Draw(t, "actors") {
			class := rapid.SampledFrom([]string{"Character", "Pickup", "Trigger", "Crate", "Projectile"}).Draw(t, "class")
			a := spawn(t, w, class, SpawnParams{Location: spot(t)})
			list = append(list, a)
		}
		for range 20 {
			a := rapid.SampledFrom(list).Draw(t, "who")
			if a.Deleted() {
				continue
			}
			switch rapid.IntRange(0, 6).Draw(t, "what") {
			case 0:
				a.SetLocation(spot(t))
			case 1, 2:
				a.Move(spot(t).Sub(spot(t)))
			case 3:
				b := func() bool { return rapid.Bool().Draw(t, "flag") }
				a.SetCollision(b(), b(), b())
			case 4:
				a.SetCollisionSize(float64(rapid.IntRange(0, 200).Draw(t, "r")), float64(rapid.IntRange(0, 200).Draw(t, "h")))
			case 5:
				a.Destroy()
			case 6:
				w.Step(1.0 / 30)
			}
			for _, x := range list {
				for _, y := range x.body.touching {
					if y.body.touches(x) < 0 || x.Deleted() || y.Deleted() || !w.within(x, y) {
						t.Fatalf("%v touches %v", x, y)
					}
				}
				for _, y := range list {
					bx, by := x.solidBody(), y.solidBody()
					if x.Deleted() || y.Deleted() || x == y || !w.mayTouch(x, y) || !overlapping(&bx, &by) {
						continue
					}
					if x.body.touches(y) < 0 {
						t.Fatalf("%v at %v does not touch %v at %v", x, x.Location, y, y.Location)
					}
				}
			}
		}
	})
}

func spot(t *rapid.T) vec {
	n := func(name string) float64 { return float64(rapid.IntRange(-400, 400).Draw(t, name)) }
	return geom.V(n("x"), n("y"), 200+n("z")/4)
}
