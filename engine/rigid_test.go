package engine

import (
	"math"
	"testing"

	"github.com/tidelock/tidelock/engine/geom"
)

// body makes a crate that is a rigid body.
func body(t testing.TB, w *World, name string, x, y, z float64) *Actor {
	t.Helper()
	a := put(t, w, "Crate", name, x, y, z)
	a.SetPhysics(PhysRigidBody)
	return a
}

func bodies(t testing.TB, n int) (*World, []*Actor) {
	t.Helper()
	w, _ := inLevel(t, boxes(floorBox))
	var list []*Actor
	for i := range n {
		list = append(list, body(t, w, "", float64(i%10)*100, float64(i/10)*100, 60))
	}
	return w, list
}

func TestABodyFallsAndRests(t *testing.T) {
	w, list := bodies(t, 1)
	a := list[0]
	run(w, 3, 60)
	near(t, "height", a.Location.Z, a.CollisionHeight, 0.2)
	if a.BodyAwake() || !a.Velocity.IsZero() {
		t.Errorf("awake at %v, %v", a.Location, a.Velocity)
	}
	if err := a.AddImpulse(geom.V(0, 0, 500*50), nil); err != nil || a.Velocity.Z < 400 {
		t.Errorf("%v, %v", err, a.Velocity)
	}
	run(w, 0.2, 60)
	if a.Location.Z < a.CollisionHeight+50 {
		t.Errorf("pushed up to %v", a.Location)
	}
	a.SetPhysics(PhysNone)
	if err := a.AddImpulse(geom.V(0, 0, 1), nil); err == nil {
		t.Error("an impulse on what has no body")
	}
}

func TestSleepingBodiesDoNotTick(t *testing.T) {
	w, list := bodies(t, 100)
	run(w, 3, 60)
	for _, a := range list {
		if a.tickable || a.BodyAwake() {
			t.Fatalf("%s ticks: %v, awake: %v", a, a.tickable, a.BodyAwake())
		}
	}
	if n := testing.AllocsPerRun(20, func() { w.Step(1.0 / 60) }); n != 0 {
		t.Errorf("%v allocations a tick", n)
	}
}

func TestMovingBodiesAllocateNothing(t *testing.T) {
	w, list := bodies(t, 20)
	kick := func() {
		for _, a := range list {
			_ = a.AddImpulse(geom.V(0, 0, 200*50), nil)
		}
		run(w, 0.25, 60)
		w.ClearDirty()
	}
	kick()
	if n := testing.AllocsPerRun(10, kick); n > 1 {
		t.Errorf("%v allocations in 15 ticks", n)
	}
}

func TestWorldsWithoutBodiesPayNothing(t *testing.T) {
	w, _ := inLevel(t, boxes(floorBox))
	put(t, w, "Crate", "a", 0, 0, 60)
	run(w, 1, 60)
	if w.space.rigid != nil {
		t.Error("a world of bodies was made without any")
	}
}

func TestHitsAndTouchesOfBodies(t *testing.T) {
	w, d := inLevel(t, boxes(floorBox), "Touch", "UnTouch")
	put(t, w, "Trigger", "zone", 0, 0, 150)
	a := put(t, w, "Crate", "a", 0, 0, 600)
	a.SetPhysics(PhysRigidBody)
	run(w, 3, 60)
	if got := d.take(); got != "a.Touch zone zone.Touch a a.UnTouch zone zone.UnTouch a" && got != "a.Touch zone zone.Touch a" {
		t.Errorf("falling through a trigger: %q", got)
	}
}

func TestScriptsMoveABody(t *testing.T) {
	w, list := bodies(t, 1)
	a := list[0]
	run(w, 2, 60)
	if !a.SetLocation(geom.V(300, 300, 200)) {
		t.Fatal("refused")
	}
	a.SetRotation(geom.Rotator{Yaw: 9000})
	w.Step(1.0 / 60)
	near(t, "x", a.Location.X, 300, 0.5)
	if !a.BodyAwake() || math.Abs(float64(a.Rotation.Yaw)-9000) > 2 {
		t.Errorf("awake %v, turned %v", a.BodyAwake(), a.Rotation)
	}
	run(w, 2, 60)
	near(t, "height", a.Location.Z, a.CollisionHeight, 0.2)
	a.setVelocity(geom.V(0, 0, 300))
	run(w, 0.1, 60)
	if a.Location.Z < a.CollisionHeight+10 {
		t.Errorf("velocity did nothing: %v", a.Location)
	}
}

func TestPawnsStandOnBodiesAndAreStoppedByThem(t *testing.T) {
	w, list := bodies(t, 1)
	box := list[0]
	run(w, 2, 60)
	top := box.Location.Z + box.CollisionHeight
	a := put(t, w, "Character", "a", 0, 0, top+150)
	a.SetPhysics(PhysFalling)
	run(w, 2, 60)
	near(t, "height", a.Location.Z, top+a.CollisionHeight, 0.3)
	if a.Base != box.ID() {
		t.Errorf("stands on %v", w.Actor(a.Base))
	}
	a.Destroy()
	b := put(t, w, "Character", "b", 300, 0, 88)
	hit, ok := b.Move(geom.V(-600, 0, 0))
	if !ok || hit.Actor != box {
		t.Errorf("met %v", hit.Actor)
	}
	near(t, "side", b.Location.X, box.CollisionRadius+b.CollisionRadius, 0.3)
}

func TestSeenSmoothly(t *testing.T) {
	cs := buildBodies(t)
	w := NewWorld(Config{Classes: cs, NetMode: NMClient, Seed: 1})
	a, err := w.SpawnCopy(cs.Find("Character"), CopyParams{Role: RoleSimulatedProxy, RemoteRole: RoleAuthority})
	must(t, err)
	a.FinishCopy()
	if a.VisualLocation() != a.Location {
		t.Fatal("seen elsewhere from the start")
	}
	a.ReceiveLocation(geom.V(100, 0, 0))
	if got := a.VisualLocation(); got.Size() > 1e-9 {
		t.Errorf("seen at %v, expected where it was", got)
	}
	last := 0.0
	for range 30 {
		w.Step(1.0 / 60)
		x := a.VisualLocation().X
		if x < last || x-last > 30 {
			t.Errorf("seen at %v after %v", x, last)
		}
		last = x
	}
	if a.VisualLocation() != a.Location || a.body.seen != nil {
		t.Errorf("still seen %v off", a.VisualLocation().Sub(a.Location))
	}
	a.ReceiveLocation(geom.V(100+SnapDistance+1, 0, 0))
	if a.VisualLocation() != a.Location {
		t.Error("a long way is not smoothed")
	}
	w.Step(1.0 / 60)
	for _, order := range []bool{true, false} { // the count may come before the place or after it
		at := a.Location.Add(geom.V(0, 50, 0))
		if order {
			a.receiveTeleport(a.Teleports() + 1)
		}
		a.ReceiveLocation(at)
		if !order {
			a.receiveTeleport(a.Teleports() + 1)
		}
		if a.VisualLocation() != a.Location {
			t.Errorf("a teleport is smoothed; the count first: %v", order)
		}
		w.Step(1.0 / 60)
	}
}
