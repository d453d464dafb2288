package engine

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/tidelock/tidelock/engine/geom"
	"github.com/tidelock/tidelock/tests/tier"
)

func TestTeleport(t *testing.T) {
	w, d := inLevel(t, boxes(floorBox, [6]float64{500, -500, 0, 700, 500, 300}), bodyEvents...)
	a := put(t, w, "Character", "a", 0, 0, 88)
	if a.SetLocation(geom.V(600, 0, 100)) || a.Location != geom.V(0, 0, 88) {
		t.Errorf("inside a solid, at %v", a.Location)
	}
	if a.SetLocation(geom.V(0, 0, 80)) {
		t.Error("8 uu in the floor")
	}
	if !a.SetLocation(geom.V(100, 0, 87.5)) { // rounded on the wire
		t.Error("half a uu in the floor")
	}
	near(t, "put right", a.Location.Z, 88, 0.1)
	if a.SetLocation(geom.V(0, 0, 3e6)) || a.SetLocation(geom.V(math.NaN(), 0, 0)) {
		t.Error("out of the world")
	}
	at := geom.V(-123.25, 7, 400)
	if !a.SetLocation(at) || a.Location != at {
		t.Errorf("at %v", a.Location)
	}
	if a.Teleports() != 2 {
		t.Errorf("%d teleports", a.Teleports())
	}
	eq(t, d.take(), "")
	set(t, a, "Location", Vec(geom.V(1, 2, 300)))
	eq(t, a.Location, geom.V(1, 2, 300))
	g := put(t, w, "Pickup", "ghost", 0, 0, 88) // no bCollideWorld
	if !g.SetLocation(geom.V(600, 0, 100)) {
		t.Error("what does not collide with the world may be anywhere")
	}
}

func TestTeleportTakesAttachmentsAndLeavesRiders(t *testing.T) {
	w, d := inLevel(t, boxes(floorBox), "BaseChange")
	a := put(t, w, "Character", "a", 0, 0, 88)
	over := put(t, w, "Character", "over", 0, 0, 264.05)
	hat := put(t, w, "Crate", "hat", 100, 0, 300)
	if hat.SetBase(a, true) != nil {
		t.Fatal()
	}
	run(w, 0.1, 60)
	eq(t, w.Actor(over.Base), a)
	d.take()
	a.SetLocation(geom.V(1000, 0, 88))
	eq(t, hat.Location, geom.V(1100, 0, 300))
	eq(t, w.Actor(hat.Base), a)
	eq(t, over.Base, ActorID(0))
	eq(t, d.take(), "over.BaseChange")
}

func TestSizeChangesWhereThereIsRoom(t *testing.T) {
	w, _ := inLevel(t, boxes(floorBox, [6]float64{-200, -200, 100, 200, 200, 120}))
	a := put(t, w, "Character", "a", 1000, 0, 88)
	if !a.SetCollisionSize(34, 44) || !a.SetLocation(geom.V(0, 0, 44.1)) {
		t.Fatal("it does not crouch")
	}
	if a.SetCollisionSize(34, 88) || a.CollisionHeight != 44 {
		t.Error("it stands up in the ceiling")
	}
	a.SetLocation(geom.V(1000, 0, 88.1))
	if !a.SetCollisionSize(34, 88) {
		t.Error("it does not stand up in the open")
	}
	put(t, w, "Character", "b", 1070, 0, 88.1)
	if a.SetCollisionSize(60, 88) {
		t.Error("it grows into another")
	}
	if a.SetCollisionSize(math.NaN(), 88) || a.SetCollisionSize(-1, 88) {
		t.Error("a size that is none")
	}
}

func TestASpawnInASolidGetsOut(t *testing.T) {
	w, _ := inLevel(t, boxes(floorBox))
	a := put(t, w, "Character", "a", 0, 0, 70)
	run(w, 0.5, 60)
	near(t, "z", a.Location.Z, 88, 0.1)
	eq(t, a.Physics, PhysWalking)
}

func TestTraces(t *testing.T) {
	w, _ := inLevel(t, boxes(floorBox, [6]float64{500, -500, 0, 520, 500, 300}))
	lift := spawnMover(t, w, "lift", [6]float64{400, -50, 0, 420, 50, 100})
	pawn := put(t, w, "Character", "pawn", 200, 0, 88)
	put(t, w, "Trigger", "zone", 100, 0, 64)
	from, to := geom.V(0, 0, 50), geom.V(1000, 0, 50)
	for _, c := range []struct {
		what string
		opt  TraceOptions
		by   *Actor
		x    float64
		hit  bool
	}{
		{"the pawn", TraceOptions{}, pawn, 166, true},
		{"no actors", TraceOptions{NoActors: true}, lift, 400, true},
		{"without the pawn", TraceOptions{Ignore: []*Actor{pawn}}, lift, 400, true},
		{"without both", TraceOptions{Ignore: []*Actor{pawn, lift}}, nil, 500, true},
		{"a body", TraceOptions{Radius: 10, Height: 10}, pawn, 156, true},
		{"a body and the level", TraceOptions{Radius: 10, Height: 10, NoActors: true, Ignore: []*Actor{lift}}, nil, 490, true},
	} {
		h, hit := w.Trace(from, to, c.opt)
		if hit != c.hit || h.Actor != c.by || math.Abs(h.Location.X-c.x) > 0.1 || math.Abs(h.Distance-c.x) > 0.1 || h.Normal.X > -0.99 {
			t.Errorf("%s: %v, %+v", c.what, hit, h)
		}
	}
	if _, hit := w.Trace(from, geom.V(-1000, 0, 50), TraceOptions{}); hit {
		t.Error("nothing is there")
	}
	if h, hit := w.Trace(geom.V(510, 0, 50), to, TraceOptions{}); !hit || h.Distance != 0 {
		t.Errorf("from inside: %v %+v", hit, h)
	}
	if w.FastTrace(from, to) || !w.FastTrace(from, geom.V(390, 0, 50)) {
		t.Error("FastTrace sees the level and movers, and no pawn")
	}
	if w.FastTrace(from, geom.V(450, 0, 50)) {
		t.Error("FastTrace sees movers")
	}
	_ = lift.StartMove(geom.V(0, 0, 500), 0, false)
	w.Step(0.1)
	if !w.FastTrace(from, geom.V(450, 0, 50)) {
		t.Error("the mover has gone")
	}
}

func TestVisibleFrom(t *testing.T) {
	w, _ := inLevel(t, boxes(floorBox, [6]float64{200, -500, 0, 220, 500, 150}, [6]float64{200, -500, 150, 220, 0, 400}))
	a := put(t, w, "Character", "a", 400, -300, 88)
	for _, c := range []struct {
		from vec
		sees bool
	}{
		{geom.V(300, -300, 88), true},
		{geom.V(0, -300, 88), false},    // behind both
		{geom.V(0, 600, 88), false},     // over the low wall only high ones are seen
		{geom.V(150, 200, 500), true},   // from above
		{geom.V(400, -300, 3000), true}, // straight above
	} {
		if got := a.VisibleFrom(c.from); got != c.sees {
			t.Errorf("from %v: %v", c.from, got)
		}
	}
	// Only a side of a broad one shows.
	b := put(t, w, "Crate", "b", 600, 510, 50)
	b.SetCollisionSize(200, 50)
	if !b.VisibleFrom(geom.V(0, 400, 50)) {
		t.Error("its side is hidden")
	}
	door := spawnMover(t, w, "door", [6]float64{-500, -100, 0, -480, 100, 100})
	if !door.VisibleFrom(geom.V(0, 0, 50)) {
		t.Error("a mover hides itself")
	}
}

// TestActorsInRadiusIsASearchOfAll: whatever collides or not, however large, few or many, after reloads too, in the order of spawning.
func TestActorsInRadiusIsASearchOfAll(t *testing.T) {
	tier.Check(t, func(t *rapid.T) {
		w := NewWorld(Config{Classes: buildBodies(t), Seed: 1})
		n := rapid.Float64Range(-3000, 3000)
		place := func() vec { return geom.V(n.Draw(t, "x"), n.Draw(t, "y"), n.Draw(t, "z")) }
		var list []*Actor
		for range rapid.SampledFrom([]int{1, 10, 40, 4 * fewMembers}).Draw(t, "actors") {
			class := rapid.SampledFrom([]string{"Actor", "Character", "Pickup", "Trigger", "Controller"}).Draw(t, "class")
			a := spawn(t, w, class, SpawnParams{Location: place()})
			if rapid.Bool().Draw(t, "resize") {
				a.SetCollisionSize(rapid.Float64Range(0, 5000).Draw(t, "r"), 100)
			}
			list = append(list, a)
			if rapid.IntRange(0, 5).Draw(t, "destroy") == 0 {
				rapid.SampledFrom(list).Draw(t, "which").Destroy()
			}
		}
		for range 5 {
			if rapid.IntRange(0, 3).Draw(t, "reload") == 0 {
				w.Reclass(buildBodies(t))
			}
			a := rapid.SampledFrom(list).Draw(t, "mover")
			if !a.Deleted() {
				a.SetLocation(place())
			}
			c := w.Classes.Find(rapid.SampledFrom([]string{"Actor", "Pawn", "Pickup"}).Draw(t, "of"))
			at, r := place(), rapid.SampledFrom([]float64{0, 10, 500, 5000, 1e9}).Draw(t, "radius")
			var want []*Actor
			w.EachActor(func(a *Actor) {
				if a.Class.Descends(c) && a.Location.Distance(at) <= r {
					want = append(want, a)
				}
			})
			got := w.ActorsInRadius(c, at, r)
			if len(got) != len(want) {
				t.Fatalf("got %v, want %v", got, want)
			}
			for i := range got {
				if got[i] != want[i] {
					t.Fatalf("got %v, want %v", got, want)
				}
			}
		}
	})
}

func TestHurtRadiusFindsLargeBodies(t *testing.T) {
	w, d := inLevel(t, boxes(floorBox), "TakeDamage")
	big := put(t, w, "Crate", "big", 3000, 0, 2000)
	set(t, big, "CollisionRadius", Float(2500))
	bomb := put(t, w, "Actor", "bomb", 400, 0, 2000)
	w.HurtRadius(bomb, 100, 200, nil, "bang", 0)
	if len(d.log) != 1 {
		t.Errorf("%v", d.log)
	}
}

func TestJournalUndoesPlacesAndCollision(t *testing.T) {
	w, _ := inLevel(t, boxes(floorBox))
	a := put(t, w, "Character", "a", 0, 0, 88)
	run(w, 0.1, 60)
	before := a.Vars
	m := w.Mark()
	set(t, a, "Location", Vec(geom.V(500, 0, 300)))
	a.SetCollision(false, false, false)
	a.SetCollisionSize(10, 10)
	w.Rollback(m)
	eq(t, a.Vars, before)
	b, _ := w.space.bodies.Get(a.body.number)
	eq(t, b, a.solidBody())
}

func TestSimulatedProxies(t *testing.T) {
	w, d := inLevel(t, boxes(floorBox, [6]float64{500, -500, 0, 520, 500, 300}, [6]float64{0, 200, 0, 4000, 900, 20}), bodyEvents...)
	proxy := func(name string, x, y, z float64) *Actor {
		a := put(t, w, "Character", name, x, y, z)
		a.Role, a.RemoteRole = RoleSimulatedProxy, RoleAuthority
		return a
	}
	a := proxy("a", 0, -200, 88)
	a.Velocity = geom.V(300, 0, 0)
	a.Acceleration = geom.V(0, 2048, 0) // not its own to use
	run(w, 1, 60)
	nearVec(t, "goes on", a.Location, geom.V(300, -200, 88), 0.1)
	run(w, 1, 60)
	near(t, "at the wall", a.Location.X, 466, 0.1)
	eq(t, a.Velocity, geom.V(300, 0, 0))

	f := proxy("f", 0, -800, 600)
	f.Physics = PhysFalling
	f.Velocity = geom.V(0, 100, 0)
	run(w, 2, 60)
	near(t, "fell", f.Location.Z, 88, 0.1)
	eq(t, f.Physics, PhysWalking)

	s := proxy("s", -200, 550, 88)
	s.Velocity = geom.V(400, 0, 0)
	run(w, 1, 60)
	near(t, "took the step", s.Location.Z, 108, 0.1)

	// A place that does not fit: no falling through it.
	m := proxy("m", 0, -1500, 88)
	m.Physics = PhysFalling
	m.ReceiveLocation(geom.V(0, -1500, 20))
	if !m.BSimGravityDisabled {
		t.Error("its place fits")
	}
	m.Velocity = geom.V(0, 0, -10)
	run(w, 1, 60)
	if m.Location.Z < 19 || m.Velocity != geom.V(0, 0, -10) || m.Physics != PhysFalling {
		t.Errorf("gravity has it: %v, %v", m.Location, m.Velocity)
	}
	m.ReceiveLocation(geom.V(0, -1500, 87)) // rounded
	if m.BSimGravityDisabled || m.Location.Z < 88 {
		t.Errorf("does not fit at %v", m.Location)
	}
	eq(t, d.take(), "")
	if w.KillZ = 1000; true {
		run(w, 0.1, 60)
		if a.Deleted() {
			t.Error("a proxy destroys itself")
		}
	}
}

func TestPerformPhysicsIsATickOfOnesOwn(t *testing.T) {
	w, _ := inLevel(t, boxes(floorBox))
	a, b := put(t, w, "Character", "a", 0, 0, 88), put(t, w, "Character", "b", 0, 500, 88)
	a.Acceleration, b.Acceleration = geom.V(2048, 0, 0), geom.V(2048, 0, 0)
	run(w, 1, 60)
	a.PerformPhysics(0.5)
	for range 50 {
		b.PerformPhysics(0.01)
	}
	near(t, "x", a.Location.X, b.Location.X, 1e-6)
	near(t, "speed", a.Location.X, 440*1.5-440*440.0/2048/2, 1e-6)
}

func TestDestination(t *testing.T) {
	specs := append(bodyClasses("ReachedDestination"), &ClassSpec{
		Name: "Guard", Parent: "Character",
		Properties: []PropertySpec{{Name: "Destination", Type: &Type{Kind: KindVector}}},
	})
	w, d := inLevelOf(classes(t, specs, nil), boxes(floorBox))
	a := put(t, w, "Guard", "a", 0, 0, 88)
	if a.Travelling() {
		t.Error("nowhere to go")
	}
	set(t, a, "Destination", Vec(geom.V(300, 0, 0)))
	a.Acceleration = geom.V(2048, 0, 0)
	for a.Travelling() {
		w.Step(1.0 / 60)
		if a.Location.X > 400 {
			t.Fatal("past it")
		}
	}
	eq(t, d.take(), "a.ReachedDestination")
	near(t, "x", a.Location.X, 266, 8)
}

func TestHashSeesMovement(t *testing.T) {
	make := func(change func(w *World, a, lift *Actor)) uint64 {
		w, _ := inLevel(t, boxes(floorBox))
		lift := spawnMover(t, w, "lift", liftBox)
		a := put(t, w, "Character", "a", 40, -20, 16+88)
		a.RotationRate = geom.Rot(0, 1, 0)
		body(t, w, "box", 500, 0, 60)
		run(w, 0.2, 60)
		change(w, a, lift)
		return w.HashState()
	}
	same := make(func(*World, *Actor, *Actor) {})
	if same != make(func(*World, *Actor, *Actor) {}) {
		t.Error("the same run gives another hash")
	}
	for what, f := range map[string]func(w *World, a, lift *Actor){
		"a way":         func(_ *World, _, lift *Actor) { _ = lift.StartMove(vec{Z: 100}, 1, false) },
		"its manner":    func(_ *World, _, lift *Actor) { _ = lift.StartMove(vec{Z: 100}, 1, true) },
		"a remainder":   func(_ *World, a, _ *Actor) { a.body.turned.yaw = 0.5 },
		"rest":          func(_ *World, a, _ *Actor) { a.body.rested = !a.body.rested },
		"a touch":       func(w *World, a, _ *Actor) { put(t, w, "Trigger", "zone", 40, -20, 80); a.body.touching = nil },
		"a push":        func(w *World, _, _ *Actor) { _ = w.ActorByName("box").AddImpulse(geom.V(0, 0, 1), nil) },
		"an attachment": func(_ *World, a, lift *Actor) { _ = a.SetBase(lift, true) },
	} {
		if make(f) == same {
			t.Errorf("the hash does not see %s", what)
		}
	}
}
