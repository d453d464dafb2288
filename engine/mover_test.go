package engine

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/tidelock/tidelock/engine/collision"
	"github.com/tidelock/tidelock/engine/geom"
	"github.com/tidelock/tidelock/engine/level"
	"github.com/tidelock/tidelock/tests/tier"
)

var liftBox = [6]float64{-128, -128, 0, 128, 128, 16}

func TestLiftCarriesItsRiderExactly(t *testing.T) {
	for _, hz := range []float64{20, 60, 144} {
		w, d := inLevel(t, boxes(floorBox), "Falling", "Landed", "BaseChange", "Attach", "Detach", "ReachedDestination")
		lift := spawnMover(t, w, "lift", liftBox)
		a := put(t, w, "Character", "a", 40, -20, 16+88)
		run(w, 0.2, hz)
		eq(t, d.take(), "lift.Attach a a.BaseChange")
		if a.world.Actor(a.Base) != lift {
			t.Fatal("it does not stand on the lift")
		}
		gap := a.Location.Sub(lift.Location)
		for _, to := range []float64{256, 0} {
			must(t, lift.StartMove(geom.V(0, 0, to), 2, to == 0))
			if !lift.Travelling() {
				t.Error("it does not travel")
			}
			for lift.Travelling() {
				w.Step(1 / hz)
				nearVec(t, "rider on the lift", a.Location.Sub(lift.Location), gap, 1e-9)
				eq(t, a.Physics, PhysWalking)
			}
			eq(t, d.take(), "lift.ReachedDestination")
			nearVec(t, "lift", lift.Location, lift.Home().Add(geom.V(0, 0, to)), 1e-9)
			eq(t, lift.Velocity, vec{})
		}
	}
}

func TestRiderWalksOnAMovingPlatform(t *testing.T) {
	for _, hz := range []float64{20, 60, 144} {
		w, d := inLevel(t, boxes(floorBox), "Falling", "Landed", "HitWall")
		ferry := spawnMover(t, w, "ferry", [6]float64{-500, -500, 50, 500, 500, 66})
		a := put(t, w, "Character", "a", 0, 0, 66+88)
		run(w, 0.1, hz)
		must(t, ferry.StartMove(geom.V(1000, 0, 100), 2, false))
		a.Acceleration = geom.V(0, 1024, 0)
		run(w, 1, hz)
		near(t, "x on the ferry", a.Location.X-ferry.Location.X, 0, 1e-6)
		near(t, "y", a.Location.Y, 220-220*220.0/2048/2, 1e-6)
		near(t, "z on the ferry", a.Location.Z-ferry.Location.Z, 8+88, 0.1)
		eq(t, d.take(), "")
	}
}

func TestLeavingTakesTheVelocityAlong(t *testing.T) {
	w, _ := inLevel(t, boxes(floorBox))
	ferry := spawnMover(t, w, "ferry", [6]float64{-500, -500, 50, 500, 500, 66})
	a := put(t, w, "Character", "a", 0, 0, 66+88)
	w.Step(1.0 / 60)
	must(t, ferry.StartMove(geom.V(1000, 0, 500), 5, false))
	run(w, 1, 60)
	a.Velocity.Z += 420
	a.SetPhysics(PhysFalling)
	nearVec(t, "off the ferry", a.Velocity, geom.V(200, 0, 520), 1e-6)
	eq(t, a.Base, ActorID(0))
	for a.Physics == PhysFalling {
		w.Step(1.0 / 60)
	}
	if w.Actor(a.Base) != ferry {
		t.Fatalf("it landed on %v", w.Actor(a.Base))
	}
	near(t, "back on it, at rest to it", a.Velocity.X, 0, 1e-6)
}

func TestSteppingOnAndOffALift(t *testing.T) {
	w, d := inLevel(t, boxes(floorBox), bodyEvents...)
	spawnMover(t, w, "lift", liftBox)
	a := put(t, w, "Character", "a", -400, 0, 88)
	a.Acceleration = geom.V(2048, 0, 0)
	run(w, 2.5, 60)
	eq(t, d.take(), "lift.Attach a a.BaseChange lift.Detach a a.BaseChange")
}

func TestMoverPushesWhatIsInItsWay(t *testing.T) {
	for _, hz := range []float64{20, 60, 144} {
		w, d := inLevel(t, boxes(floorBox), "EncroachedBy")
		door := spawnMover(t, w, "door", [6]float64{-20, -100, 1, 0, 100, 200})
		a := put(t, w, "Character", "a", 60, 0, 88)
		c := put(t, w, "Crate", "c", 400, 80, 22.1)
		must(t, door.StartMove(geom.V(500, 0, 0), 2, false))
		run(w, 2.1, hz)
		near(t, "the pawn", a.Location.X, 500+34, 0.1)
		near(t, "the crate beside it", c.Location.X, 500+22, 0.1)
		eq(t, d.take(), "")
	}
}

// Between a mover and a wall a pawn or a body has nowhere to go: the mover does what its EncroachType says.
func TestEncroachment(t *testing.T) {
	wall := [6]float64{200, -200, 0, 220, 200, 300}
	for _, c := range []struct {
		of                  string
		wide, seconds, give float64 // give is how far a body lets itself be pressed
	}{{"pawn", 68, 1, 0.1}, {"body", 44, 2, 20}} {
		for _, kind := range []string{"Return", "Stop", "Crush", "Ignore"} {
			what := c.of + ", " + kind
			w, d := inLevel(t, boxes(floorBox, wall), "EncroachedBy", "TakeDamage", "ReachedDestination")
			door := spawnMover(t, w, "door", [6]float64{-20, -100, 1, 0, 100, 200})
			set(t, door, "EncroachType", Enum(kind))
			var a *Actor
			if c.of == "pawn" {
				a = put(t, w, "Character", "a", 80, 0, 88)
			} else {
				a = body(t, w, "a", 80, 0, 22.1)
				run(w, 1, 60)
			}
			way := func() float64 { return door.Location.X - door.Home().X }
			door.StartMove(geom.V(199, 0, 0), c.seconds, false)
			farthest := 0.0
			for range int(60 * c.seconds) {
				w.Step(1.0 / 60)
				farthest = max(farthest, way())
				if a.Location.X > 200-c.wide/2+c.give/2 {
					t.Fatalf("%s: pressed into the wall: %v", what, a.Location)
				}
			}
			log := d.take()
			if !strings.HasPrefix(log, "door.EncroachedBy a a.EncroachedBy door") {
				t.Errorf("%s: %s", what, log)
			}
			n := strings.Count(log, "door.EncroachedBy")
			if kind == "Ignore" {
				near(t, what, farthest, 199, 1e-6)
				continue
			}
			if farthest > 200-c.wide+c.give || c.of == "pawn" && depthOf(a) > 0.1 {
				t.Errorf("%s: the door went on to %v, %v deep", what, farthest, depthOf(a))
			}
			if kind == "Return" {
				if n != 1 || door.Velocity.X >= 0 {
					t.Errorf("%s: told %d times, velocity %v", what, n, door.Velocity)
				}
				for door.Velocity.X < 0 {
					w.Step(1.0 / 60)
				}
				near(t, what+": back at its start", way(), 0, 1e-6)
				a.SetLocation(geom.V(80, 500, 88))
				run(w, 3*c.seconds, 60)
				if log := d.take(); !strings.HasSuffix(log, "door.ReachedDestination") || strings.Count(log, "Reached") != 1 {
					t.Error(what, log)
				}
			} else {
				if n < 10 || !door.Velocity.IsZero() || strings.Count(log, "a.TakeDamage") != map[string]int{"Crush": n}[kind] {
					t.Errorf("%s: told %d times, velocity %v, %s", what, n, door.Velocity, log)
				}
				a.Destroy()
				run(w, c.seconds, 60)
			}
			near(t, what+": there in the end", way(), 199, 1e-6)
		}
	}
}

func TestEncroachedEventMayClearTheWay(t *testing.T) {
	w, d := inLevel(t, boxes(floorBox, [6]float64{200, -200, 0, 220, 200, 300}), "EncroachedBy", "ReachedDestination")
	door := spawnMover(t, w, "door", [6]float64{-20, -100, 1, 0, 100, 200})
	a := put(t, w, "Character", "a", 80, 0, 88)
	d.on["EncroachedBy"] = func(x *Actor, _ []Value) {
		if x == door {
			a.Destroy()
		}
	}
	door.StartMove(geom.V(199, 0, 0), 1, false)
	run(w, 1.1, 60)
	eq(t, d.take(), "door.EncroachedBy a door.ReachedDestination")
}

func TestAProjectileDoesNotStopAMover(t *testing.T) {
	w, d := inLevel(t, boxes(floorBox, [6]float64{200, -200, 0, 220, 200, 300}), "EncroachedBy", "HitWall", "ReachedDestination")
	door := spawnMover(t, w, "door", [6]float64{-20, -100, 1, 0, 100, 200})
	p := put(t, w, "Projectile", "p", 150, 0, 88)
	d.on["HitWall"] = func(x *Actor, _ []Value) { x.Destroy() }
	door.StartMove(geom.V(195, 0, 0), 1, false)
	run(w, 1.1, 60)
	eq(t, d.take(), "p.HitWall (1,0,0) door door.ReachedDestination")
	if !p.Deleted() {
		t.Error("it lives")
	}
}

func TestBumpOpensADoor(t *testing.T) {
	w, d := inLevel(t, boxes(floorBox), "HitWall", "Bump")
	spawnMover(t, w, "door", [6]float64{200, -100, 1, 220, 100, 200})
	a := put(t, w, "Character", "a", 100, 0, 88)
	a.Acceleration = geom.V(2048, 0, 0)
	d.on["Bump"] = func(x *Actor, _ []Value) {
		if !x.Travelling() {
			_ = x.StartMove(geom.V(0, 0, 210), 0.5, true)
		}
	}
	run(w, 2, 60)
	if a.Location.X < 400 {
		t.Errorf("the door is shut for %v", a.Location)
	}
	eq(t, d.log[0]+" "+d.log[1], "a.HitWall (-1,0,0) door door.Bump a")
}

func TestMoverThatBlocksPlayersOnly(t *testing.T) {
	w, _ := inLevel(t, boxes(floorBox))
	m := spawnMover(t, w, "m", [6]float64{100, -100, 0, 120, 100, 200})
	m.SetCollision(true, false, true)
	a, p := put(t, w, "Character", "a", 0, 0, 88), put(t, w, "Projectile", "p", 0, 300, 88)
	p.SetLocation(geom.V(0, 0, 100))
	p.Owner = a.ID()
	if _, stopped := p.Move(geom.V(300, 0, 0)); stopped {
		t.Error("the projectile is stopped")
	}
	if hit, stopped := a.Move(geom.V(300, 0, 0)); !stopped || hit.Actor != m {
		t.Error("the pawn is not stopped")
	}
	m.SetCollision(false, false, true)
	if _, stopped := a.Move(geom.V(300, 0, 0)); stopped {
		t.Error("stopped by what does not collide")
	}
}

func TestAttachmentsMoveAndTurnWithTheirBase(t *testing.T) {
	w, d := inLevel(t, boxes(floorBox, [6]float64{300, -500, 0, 320, 500, 300}), bodyEvents...)
	a := put(t, w, "Character", "a", 0, 0, 88)
	hat := put(t, w, "Crate", "hat", 10, 20, 230)
	plume := put(t, w, "Pickup", "plume", 10, 20, 290)
	d.take()
	must(t, hat.SetBase(a, true))
	must(t, plume.SetBase(hat, true))
	eq(t, d.take(), "a.Attach hat hat.BaseChange hat.Attach plume plume.BaseChange")
	a.Acceleration = geom.V(2048, 0, 0)
	run(w, 2, 60)
	near(t, "a at the wall", a.Location.X, 300-34, 0.05)
	nearVec(t, "hat", hat.Location.Sub(a.Location), geom.V(10, 20, 142), 0.2)
	nearVec(t, "plume", plume.Location.Sub(hat.Location), geom.V(0, 0, 60), 1e-6)
	a.SetRotation(geom.Rot(0, 16384, 0))
	nearVec(t, "hat turned", hat.Location.Sub(a.Location), geom.V(-20, 10, 142), 0.2)
	nearVec(t, "plume turned", plume.Location.Sub(hat.Location), geom.V(0, 0, 60), 1e-6)
	eq(t, hat.Rotation.Yaw, uint16(16384))
	// A whole turn in odd steps leads back exactly.
	at := hat.Location
	for i := 1; i <= 7; i++ {
		a.SetRotation(geom.Rot(0, 16384+i*9362+i/7*2, 0))
	}
	nearVec(t, "after a turn", hat.Location, at, 1e-9)
	d.take()
	a.Destroy()
	eq(t, hat.Base, ActorID(0))
	if log := d.take(); !strings.Contains(log, "hat.BaseChange") {
		t.Error(log)
	}
}

func TestLoopsOfBasesAreRefused(t *testing.T) {
	w, _ := inLevel(t, boxes(floorBox))
	a, b, c := put(t, w, "Crate", "a", 0, 0, 88), put(t, w, "Crate", "b", 0, 0, 188), put(t, w, "Crate", "c", 0, 0, 288)
	for _, pair := range [][2]*Actor{{b, a}, {c, b}} {
		must(t, pair[0].SetBase(pair[1], true))
	}
	err := a.SetBase(c, false)
	if err == nil || !strings.Contains(err.Error(), "c rests on a already") {
		t.Error(err)
	}
	if err := a.SetBase(a, false); err == nil {
		t.Error("an actor is its own base")
	}
}

func TestStandingOnAPawnThatLeaves(t *testing.T) {
	w, d := inLevel(t, boxes(floorBox), "Landed", "BaseChange", "Attach", "Detach", "Falling")
	under := put(t, w, "Character", "under", 0, 0, 88)
	over := put(t, w, "Character", "over", 0, 0, 300)
	over.SetPhysics(PhysFalling)
	run(w, 1, 60)
	eq(t, d.take(), "over.Landed (0,0,1) under.Attach over over.BaseChange")
	under.Acceleration = geom.V(2048, 0, 0)
	run(w, 0.5, 60)
	near(t, "carried", over.Location.X, under.Location.X, 0.5)
	under.SetLocation(geom.V(2000, 0, 88))
	run(w, 1, 60)
	near(t, "on the floor", over.Location.Z, 88, 0.05)
	eq(t, d.take(), "under.Detach over over.BaseChange over.Falling over.Landed (0,0,1)")
}

func TestBaseDestroyedUnderAPawn(t *testing.T) {
	w, d := inLevel(t, boxes(floorBox), "Landed", "BaseChange", "Falling")
	c := put(t, w, "Crate", "c", 0, 0, 122)
	a := put(t, w, "Character", "a", 0, 0, 144+88)
	run(w, 0.2, 60)
	eq(t, w.Actor(a.Base), c)
	d.take()
	c.Destroy()
	run(w, 1, 60)
	eq(t, d.take(), "a.BaseChange a.Falling a.Landed (0,0,1)")
}

func TestVolumesAreTouchedWhereTheirBrushesAre(t *testing.T) {
	lv := boxes(floorBox)
	w, d := inLevel(t, lv, "Touch", "UnTouch")
	e := brushEntity("Trigger", "zone", [6]float64{100, -500, 0, 120, 500, 100}, [6]float64{100, 480, 0, 600, 500, 100})
	lv.Entities = append(lv.Entities, e)
	w.LoadEntities(lv)
	a := put(t, w, "Character", "a", 300, 0, 88) // inside the L, not in it
	eq(t, d.take(), "")
	a.Acceleration = geom.V(-2048, 0, 0)
	run(w, 2, 60)
	eq(t, d.take(), "a.Touch zone zone.Touch a a.UnTouch zone zone.UnTouch a")
	if _, hit := w.Trace(geom.V(0, 0, 50), geom.V(300, 0, 50), TraceOptions{Ignore: []*Actor{a}}); hit {
		t.Error("a trace is stopped by a volume")
	}
}

// TestMoversNeverCrush: movers of every kind going to and fro through a room full of pawns, crates and
// projectiles leave nobody that blocks deeper than 0.1 uu in anything, and riders on them.
func TestMoversNeverCrush(t *testing.T) {
	tier.Check(t, func(t *rapid.T) {
		room := boxes([6]float64{-700, -700, -16, 700, 700, 0}, [6]float64{-700, -700, 600, 700, 700, 616},
			[6]float64{-716, -700, 0, -700, 700, 600}, [6]float64{700, -700, 0, 716, 700, 600},
			[6]float64{-700, -716, 0, 700, -700, 600}, [6]float64{-700, 700, 0, 700, 716, 600},
			[6]float64{-100, -100, 0, 100, 100, 60}, [6]float64{300, -700, 0, 330, 200, 30})
		w := NewWorld(Config{Classes: buildBodies(t), Level: room, Seed: 1})
		n := func(lo, hi int, name string) float64 { return float64(rapid.IntRange(lo, hi).Draw(t, name)) }
		lv := &level.Level{Scale: 1}
		for i := range rapid.IntRange(1, 4).Draw(t, "movers") {
			x, y, z := n(-500, 400, "x"), n(-500, 400, "y"), n(0, 300, "z")
			lv.Entities = append(lv.Entities, brushEntity("Mover", fmt.Sprint("m", i),
				[6]float64{x, y, z, x + n(10, 200, "dx"), y + n(10, 200, "dy"), z + n(4, 200, "dz")}))
		}
		w.LoadEntities(lv)
		movers := w.ActorsOf("Mover")
		for _, m := range movers {
			p := m.Class.Property("EncroachType")
			_ = m.Set(p, Enum(rapid.SampledFrom([]string{"Return", "Stop", "Crush"}).Draw(t, "type")))
		}
		var list []*Actor
		for range 12 {
			class := rapid.SampledFrom([]string{"Character", "Character", "Crate", "Sentry"}).Draw(t, "class")
			c := w.Classes.Find(class)
			at := geom.V(n(-640, 640, "px"), n(-640, 640, "py"), n(100, 480, "pz"))
			if q := (collision.Query{World: w.Solid()}); q.Overlaps(at, vec{X: 34, Y: 34, Z: 88}, collision.Filter{}) {
				continue
			}
			a, err := w.Spawn(c, SpawnParams{Location: at})
			must(t, err)
			if class == "Crate" {
				a.SetPhysics(PhysFalling)
			}
			list = append(list, a)
		}
		hz := rapid.SampledFrom([]float64{20, 60, 144}).Draw(t, "hz")
		for tick := range int(8 * hz) {
			for _, m := range movers {
				if !m.Travelling() && tick%8 == 0 {
					// Not into the level's own brushes: nothing could get out of the way there.
					to := vec{X: n(-200, 200, "tx"), Y: n(-200, 200, "ty"), Z: n(-100, 300, "tz")}
					_ = m.StartMove(to, n(0, 30, "seconds")/10, rapid.Bool().Draw(t, "glide"))
				}
			}
			for i, a := range list {
				if tick%30 == 0 {
					s, c := math.Sincos(n(0, 63, "dir") / 10)
					a.Acceleration = geom.V(c, s, 0).Mul(2048)
				}
				if a.Physics == PhysWalking && (tick+i*7)%90 == 0 {
					a.Velocity.Z += 420
					a.SetPhysics(PhysFalling)
				}
			}
			w.Step(1 / hz)
			for _, a := range list {
				if depth := depthOf(a); depth > 0.1 {
					t.Fatalf("tick %d: %v is %v deep at %v, %v on %v", tick, a, depth, a.Location, a.Physics, w.Actor(a.Base))
				}
				if b := w.Actor(a.Base); b != nil && b.body.brushes {
					if c := w.space.query.MoverDepth(b.body.number, a.Location, a.half().Add(vec{X: 0.1, Y: 0.1, Z: 0.1})); c.Depth == 0 && a.Physics == PhysWalking {
						t.Fatalf("tick %d: %v at %v is not on its base %v", tick, a, a.Location, b)
					}
				}
			}
		}
	})
}

// A pawn that comes to stand on what stands on it leaves the lift it stood on before.
func TestStandingOnWhatRestsOnOneself(t *testing.T) {
	w, _ := inLevel(t, boxes(floorBox))
	lift := spawnMover(t, w, "lift", [6]float64{-100, -100, 0, 100, 100, 20})
	a, crate := put(t, w, "Character", "a", 0, 0, 500), put(t, w, "Crate", "crate", 0, 0, 380)
	a.Physics = PhysWalking
	w.setBase(a, lift, false)
	w.setBase(crate, a, false)
	lift.Velocity = geom.V(50, 0, 0)
	w.standOn(a, crate)
	if a.Base != 0 || crate.Base != a.id {
		t.Errorf("a stands on %v, the crate on %v", w.Actor(a.Base), w.Actor(crate.Base))
	}
	eq(t, a.Velocity, geom.V(50, 0, 0)) // it goes on as fast as the lift was
}

// A crate on a pawn's head that the mover meets first: the pawn is pushed less far and takes the crate along, and the
// crate goes the whole way all the same.
func TestPushedTogetherWithWhatItRestsOn(t *testing.T) {
	w, _ := inLevel(t, boxes(floorBox))
	wall := spawnMover(t, w, "wall", [6]float64{-100, -100, 1, -60, 100, 400})
	pawn, crate := put(t, w, "Character", "pawn", 0, 0, 88), put(t, w, "Crate", "crate", -20, 0, 88+88+22)
	w.setBase(crate, pawn, false)
	must(t, wall.StartMove(vec{X: 60}, 0.6, false))
	for range 60 {
		w.Step(1.0 / 60)
		for _, a := range []*Actor{pawn, crate} {
			if depth := depthOf(a); depth > settled {
				t.Fatalf("%v at %v is %v deep in the wall at %v", a, a.Location, depth, wall.Location)
			}
		}
	}
	if crate.Base != pawn.id {
		t.Errorf("the crate stands on %v", w.Actor(crate.Base))
	}
}
