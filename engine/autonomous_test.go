package engine

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/tidelock/tidelock/engine/geom"
)

// performer is a pawn of a level that moves are performed on.
func performer(t testing.TB, level string, at vec) (*World, *Actor) {
	lv := content(t, level)
	w, _ := inLevel(t, lv)
	w.LoadEntities(lv)
	a := spawn(t, w, "Character", SpawnParams{Location: at})
	a.SetPhysics(PhysFalling)
	return w, a
}

// R9.5: the same state, seconds and acceleration lead to the same place on every peer, whatever else its world has done.
func TestAutonomousMovesAreTheSameOnEveryPeer(t *testing.T) {
	for _, level := range []string{"flat", "wall", "steps", "arena", "estuary"} {
		at := vec{X: 10, Y: -20, Z: 120}
		w, a := performer(t, level, at)
		v, b := performer(t, level, at)
		v.Step(0.3) // another frame, another time
		v.Step(0.01)
		b.RestoreMove(a.SaveMove())
		r := rand.New(rand.NewPCG(7, 7))
		var accel vec
		for i := range 4000 {
			if r.IntN(20) == 0 {
				n := a.PackAcceleration(geom.V(r.Float64()-0.5, r.Float64()-0.5, 0).Mul(1e5))
				accel = a.UnpackAcceleration(n)
				if r.IntN(3) == 0 && a.Physics == PhysWalking {
					for _, p := range []*Actor{a, b} {
						p.Velocity.Z = 420
						p.SetPhysics(PhysFalling)
					}
				}
			}
			dt := float64(1+r.IntN(60)) / 1000
			speed := 200 + 400*r.Float64()
			for _, p := range []*Actor{a, b} {
				p.Acceleration = accel
				p.AutonomousPhysics(dt, speed)
			}
			if a.Location != b.Location || a.Velocity != b.Velocity || a.Physics != b.Physics {
				t.Fatalf("%s, move %d: %v %v %s, and %v %v %s", level, i, a.Location, a.Velocity, a.Physics, b.Location, b.Velocity, b.Physics)
			}
			if l := single(a.Location); l != a.Location || single(a.Velocity) != a.Velocity {
				t.Fatalf("%s, move %d: %v is no place that crosses exactly", level, i, a.Location)
			}
			if i%500 == 499 { // one of them is told where it is, as a client that was corrected
				a.ForgetMove()
				base := w.Actor(a.Base)
				if base != nil {
					base = v.ActorByName(base.Name)
				}
				must(t, b.AdjustMove(a.SaveMove().Location, a.Velocity, a.Physics, base, a.CollisionHeight))
			}
		}
	}
}

// A move that is taken back and made again, whole or in another world, leads to the same place.
func TestRestoringAMove(t *testing.T) {
	_, a := performer(t, "steps", vec{X: 300, Y: -1600, Z: 90})
	a.Acceleration = geom.V(2048, 0, 0)
	for range 20 {
		a.AutonomousPhysics(0.03, -1)
	}
	for range 60 {
		before := a.SaveMove()
		a.AutonomousPhysics(0.033, -1)
		after := a.SaveMove()
		a.AutonomousPhysics(0.05, 100)
		a.RestoreMove(before)
		a.AutonomousPhysics(0.033, -1)
		if again := a.SaveMove(); again != after {
			t.Fatalf("%+v, and again %+v", after, again)
		}
	}
	if a.Location.Z < 200 {
		t.Errorf("it did not climb: %v", a.Location)
	}
}

func TestAdjustMoveRefusesWhatIsNoPlace(t *testing.T) {
	_, a := performer(t, "flat", vec{Z: 88})
	at := a.Location
	nan := math.NaN()
	for _, c := range []struct {
		at, v  vec
		mode   Physics
		height float64
	}{{vec{X: nan}, vec{}, PhysWalking, 88}, {vec{}, vec{Z: math.Inf(1)}, PhysWalking, 88}, {vec{}, vec{}, numPhysics, 88}, {vec{}, vec{}, PhysWalking, nan}, {vec{}, vec{}, PhysWalking, -1}} {
		if a.AdjustMove(c.at, c.v, c.mode, nil, c.height) == nil {
			t.Errorf("%+v was taken", c)
		}
	}
	eq(t, a.Location, at)
}

// What players move the tick leaves alone.
func TestWhoseMovesTheTickMakes(t *testing.T) {
	w, _, _ := onNet(t, NMDedicatedServer)
	pc, bot := spawn(t, w, "PlayerController", SpawnParams{}), spawn(t, w, "Controller", SpawnParams{})
	a := spawn(t, w, "Pawn", SpawnParams{})
	is := func(want bool) {
		t.Helper()
		if a.MovedByPlayer() != want {
			t.Errorf("moved by its player: %v", !want)
		}
	}
	is(false)
	w.Possess(bot, a)
	is(false)
	w.Possess(pc, a)
	is(true)
	a.BReplicateMovementToOwner = true
	is(false)
	a.BReplicateMovementToOwner = false
	w.SetLocalPlayer(pc) // a listen server's own
	is(false)
	w.SetLocalPlayer(nil)
	is(true)
	w.UnPossess(pc)
	is(false)
	a.Physics, a.Velocity = PhysFlying, geom.V(100, 0, 0)
	w.Possess(pc, a)
	at := a.Location
	w.Step(0.1)
	eq(t, a.Location, at)
	a.AutonomousPhysics(0.1, -1)
	if a.Location == at {
		t.Error("it did not move")
	}
}

func TestAccelerationsCrossInANumber(t *testing.T) {
	_, a := performer(t, "flat", vec{Z: 88})
	r := rand.New(rand.NewPCG(3, 3))
	for i := range 2000 {
		v := geom.V(r.NormFloat64(), r.NormFloat64(), 0).Mul(3000 * r.Float64())
		if i%2 == 0 {
			v.Z = r.NormFloat64() * 1000
		}
		n := a.PackAcceleration(v)
		if n < 0 || n > MaxPackedAcceleration || v.Z == 0 && n >= 65536 {
			t.Fatalf("%v: %d", v, n)
		}
		if n == 1 {
			t.Fatalf("%v: 1 stands for something else", v)
		}
		got := a.UnpackAcceleration(n)
		if a.PackAcceleration(got) != n {
			t.Fatalf("%v: %d, then %d", v, n, a.PackAcceleration(got))
		}
		want := v.ClampSize(2048)
		if got.Distance(want) > 2048.0/15/2+2048*0.003 && want.Size() > 2048.0/30 {
			t.Fatalf("%v came out as %v", want, got)
		}
	}
	eq(t, a.PackAcceleration(vec{}), 0)
	eq(t, a.UnpackAcceleration(a.PackAcceleration(geom.V(2048, 0, 0))), geom.V(2048, 0, 0))
	eq(t, a.PackAcceleration(geom.V(math.Inf(1), 0, 0)), 0)
	eq(t, a.PackAcceleration(geom.V(math.NaN(), 0, 0)), 0)
}

func BenchmarkAutonomousMove(b *testing.B) {
	_, a := performer(b, "arena", vec{X: 10, Y: -20, Z: 90})
	a.Acceleration = geom.V(2048, 0, 0)
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		if i%60 == 0 {
			s, c := math.Sincos(float64(i))
			a.Acceleration = geom.V(c, s, 0).Mul(2048)
		}
		a.AutonomousPhysics(0.033, -1)
	}
}
