package engine

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/tidelock/tidelock/engine/geom"
)

func finished(t testing.TB, w *World, class, name string, role Role) *Actor {
	t.Helper()
	a := copyOf(t, w, class, name, role)
	a.FinishCopy()
	return a
}

// R5.1: only class and place are valid up to PostBeginPlay; then come the initial variables, then PostNetBeginPlay.
// R7.1: a simulated proxy runs what is simulated, others run everything.
func TestLifeOfACopy(t *testing.T) {
	w, r, n := onNet(t, NMClient)
	r.on["PostBeginPlay"] = func(a *Actor, _ []Value) {
		if a.Outer != nil {
			return
		}
		if a.Location != geom.V(1, 2, 3) || a.Rotation != geom.Rot(0, 16384, 0) || a.Role != RoleSimulatedProxy || a.RemoteRole != RoleAuthority {
			t.Errorf("at %v %v, %s and %s", a.Location, a.Rotation, a.Role, a.RemoteRole)
		}
		if n := a.Get(a.Class.Property("N")).Num; n != 0 {
			t.Errorf("N is %v already", n)
		}
	}
	a, err := w.SpawnCopy(w.Classes.Find("Shown"), CopyParams{
		Name: "a", Location: geom.V(1, 2, 3), Rotation: geom.Rot(0, 16384, 0), HasRotation: true,
		Role: RoleSimulatedProxy, RemoteRole: RoleAuthority,
	})
	must(t, err)
	delete(r.on, "PostBeginPlay")
	eq(t, r.take(), "a.Bag.PreBeginPlay a.PreBeginPlay a.Bag.BeginPlay a.BeginPlay a.Bag.PostBeginPlay a.PostBeginPlay")
	if !a.IsCopy() || !a.ComponentNamed("Bag").IsCopy() || a.Name != "a" || w.Live() != 1 {
		t.Error("not a copy")
	}
	w.Step(0.1)
	eq(t, r.take(), "") // no tick yet
	a.ReceiveProperty(a.Class.Property("N"), []uint64{7}, nil)
	r.on["PostNetBeginPlay"] = func(a *Actor, _ []Value) {
		if a.Outer == nil && a.Get(a.Class.Property("N")).Num != 7 {
			t.Error("PostNetBeginPlay before the initial variables")
		}
	}
	a.FinishCopy()
	delete(r.on, "PostNetBeginPlay")
	eq(t, r.take(), "a.Bag.PostNetBeginPlay a.PostNetBeginPlay a.BeginState")
	a.FinishCopy()
	eq(t, r.take(), "")
	w.Step(0.1)
	eq(t, r.take(), "a.Tick a.Bag.Tick")
	w.DestroyCopy(a)
	eq(t, r.take(), "a.EndState a.Bag.Destroyed a.Destroyed")
	if !a.Deleted() || w.Live() != 0 {
		t.Error("it is still there")
	}
	w.DestroyCopy(a)
	w.AdoptCopy(a, RoleAutonomousProxy, RoleAuthority)
	a.Release()
	a.TearOff()
	a.FinishCopy()
	eq(t, r.take(), "")
	if _, err := a.AddCopyComponent(w.Classes.Find("Bag"), "Late"); err == nil || a.Role != RoleSimulatedProxy {
		t.Error("something happened to what has gone")
	}
	eq(t, n.take(), "-a, -a.Bag") // it made it itself: no Spawned

	finished(t, w, "Plain", "p", RoleSimulatedProxy)
	w.Step(0.1)
	eq(t, r.take(), "p.Bag.PreBeginPlay p.Bag.BeginPlay p.Bag.PostBeginPlay p.Bag.PostNetBeginPlay p.Bag.Tick") // the bag's are simulated
	w.DestroyCopy(w.ActorByName("p"))
	eq(t, r.take(), "p.Bag.Destroyed")

	finished(t, w, "Plain", "q", RoleAutonomousProxy)
	w.Step(0.1)
	if s := r.take(); !strings.Contains(s, "q.PreBeginPlay") || !strings.Contains(s, "q.PostNetBeginPlay q.BeginState") || !strings.Contains(s, "q.Tick") {
		t.Errorf("an autonomous proxy runs everything: %s", s)
	}
}

func TestSpawnCopyRefuses(t *testing.T) {
	w, _, _ := onNet(t, NMClient)
	c := w.Classes.Find("Shown")
	for name, f := range map[string]func() error{
		"no class": func() error { _, err := w.SpawnCopy(nil, CopyParams{Role: RoleSimulatedProxy}); return err },
		"a component": func() error {
			_, err := w.SpawnCopy(w.Classes.Find("Bag"), CopyParams{Role: RoleSimulatedProxy})
			return err
		},
		"no place": func() error {
			_, err := w.SpawnCopy(c, CopyParams{Role: RoleSimulatedProxy, Location: geom.V(math.NaN(), 0, 0)})
			return err
		},
		"no role": func() error { _, err := w.SpawnCopy(c, CopyParams{}); return err },
	} {
		if f() == nil {
			t.Errorf("%s: no error", name)
		}
	}
	eq(t, w.Live(), 0)
}

// Before FinishCopy a copy is there for others to hit, and touches nobody; then it touches what is there.
func TestACopyTouchesWhenItIsFinished(t *testing.T) {
	w, r, _ := onNet(t, NMClient)
	a := finished(t, w, "Shown", "a", RoleSimulatedProxy)
	b := copyOf(t, w, "Shown", "b", RoleSimulatedProxy)
	if len(w.ActorsInRadius(w.Classes.Find("Shown"), geom.V(0, 0, 100), 1)) != 2 {
		t.Error("the new copy is nowhere")
	}
	if a.IsTouching(b) {
		t.Error("they touch")
	}
	r.take()
	b.FinishCopy()
	eq(t, r.take(), "b.Bag.PostNetBeginPlay b.PostNetBeginPlay b.BeginState b.Touch a.Touch")

	// R7.1: Touch of a simulated proxy that is not simulated is skipped; the other's is called.
	finished(t, w, "Plain", "p", RoleSimulatedProxy)
	eq(t, r.take(), "p.Bag.PreBeginPlay p.Bag.BeginPlay p.Bag.PostBeginPlay p.Bag.PostNetBeginPlay a.Touch b.Touch")
}

// R5.20: what the class does not have by itself.
func TestComponentsOfCopies(t *testing.T) {
	w, r, _ := onNet(t, NMClient)
	bag := w.Classes.Find("Bag")
	a := copyOf(t, w, "Shown", "a", RoleSimulatedProxy)
	r.take()
	k, err := a.AddCopyComponent(bag, "Second")
	if err != nil || k.Outer != a || !k.IsCopy() {
		t.Fatal(k, err)
	}
	eq(t, r.take(), "a.Second.PreBeginPlay a.Second.BeginPlay a.Second.PostBeginPlay")
	k.FinishCopy() // its actor is not: nothing
	eq(t, r.take(), "")
	a.FinishCopy()
	eq(t, r.take(), "a.Bag.PostNetBeginPlay a.Second.PostNetBeginPlay a.PostNetBeginPlay a.BeginState")
	late, err := a.AddCopyComponent(bag, "Third")
	must(t, err)
	eq(t, r.take(), "a.Third.PreBeginPlay a.Third.BeginPlay a.Third.PostBeginPlay")
	w.Step(0.1)
	eq(t, r.take(), "a.Tick a.Bag.Tick a.Second.Tick")
	late.FinishCopy()
	late.FinishCopy()
	eq(t, r.take(), "a.Third.PostNetBeginPlay")
	w.Step(0.1)
	eq(t, r.take(), "a.Tick a.Bag.Tick a.Second.Tick a.Third.Tick")

	// A script of both sides adds it by itself: the same one.
	own, err := a.AddComponent(bag, "Fourth")
	must(t, err)
	r.take()
	same, err := a.AddCopyComponent(bag, "Fourth")
	if same != own || err != nil || !own.IsCopy() {
		t.Errorf("another one: %v", err)
	}
	own.FinishCopy()
	eq(t, r.take(), "") // it had its PostNetBeginPlay
	if _, err := a.AddCopyComponent(w.Classes.Find("Box"), "Fourth"); err == nil {
		t.Error("two classes of one name")
	}
	if _, err := a.AddCopyComponent(w.Classes.Find("Pawn"), "Fifth"); err == nil {
		t.Error("a component that is a pawn")
	}
	w.DestroyCopy(late)
	if a.ComponentNamed("Third") != nil || a.Deleted() {
		t.Error("a component that the server removed")
	}
}

// R5.17: a client ends its own actors only. It is told once a class.
func TestOnlyTheServerEndsCopies(t *testing.T) {
	for _, role := range []Role{RoleSimulatedProxy, RoleAutonomousProxy} {
		w, r, _ := onNet(t, NMClient)
		a, b, p := finished(t, w, "Shown", "a", role), finished(t, w, "Shown", "b", role), finished(t, w, "Plain", "p", role)
		r.take()
		for _, x := range []*Actor{a, a, b, p, a.ComponentNamed("Bag")} {
			if x.Destroy() || x.Deleted() {
				t.Errorf("%s is gone", x)
			}
		}
		eq(t, r.take(), "")
		if len(r.reports) != 3 || !strings.Contains(r.reports[0], "Shown: Destroy of a: it is the server's") || !strings.Contains(r.reports[1], "Plain") {
			t.Errorf("reports: %q", r.reports)
		}
		// What it added itself is its own.
		k, err := a.AddComponent(w.Classes.Find("Box"), "Glow")
		if err != nil || !k.Destroy() {
			t.Error("its own component stays", err)
		}
		if own := spawn(t, w, "Shown", SpawnParams{}); own.Role != RoleAuthority || own.RemoteRole != RoleNone || own.BReplicates || own.IsCopy() || !own.Destroy() {
			t.Error("its own actor stays")
		}
		w.DestroyCopy(a)
		if !a.Deleted() {
			t.Error("what the server ended is still there")
		}
	}
}

// R2.3: whatever the spawn says, a client's own actor is nobody else's.
func TestAClientsOwnActorIsItsOwn(t *testing.T) {
	w, _, _ := onNet(t, NMClient)
	a := spawn(t, w, "Shown", SpawnParams{Init: []Assignment{{"RemoteRole", Int(int(RoleAutonomousProxy))}, {"bReplicates", Bool(true)}}})
	if a.Role != RoleAuthority || a.RemoteRole != RoleNone || a.BReplicates {
		t.Errorf("%s, %s, bReplicates %v", a.Role, a.RemoteRole, a.BReplicates)
	}
	w, _, _ = onNet(t, NMDedicatedServer)
	e := spawn(t, w, "Shown", SpawnParams{Effect: true})
	if e.RemoteRole != RoleNone || e.BReplicates {
		t.Error("an effect is replicated")
	}
}

// A LifeSpan that runs out on a proxy waits, and so does falling out of the world: the end is the server's to tell, or the client's once
// it is left to it.
func TestLifeSpanOfCopies(t *testing.T) {
	for _, end := range []func(a *Actor){
		func(a *Actor) { a.SetLifeSpan(0.5) },
		func(a *Actor) {
			set(t, a, "Physics", Int(int(PhysProjectile)))
			set(t, a, "Velocity", Vec(geom.V(0, 0, -5000)))
		},
	} {
		w, _, _ := onNet(t, NMClient)
		w.KillZ = -1000
		drop := func(name string) *Actor {
			a := finished(t, w, "Shown", name, RoleSimulatedProxy)
			end(a)
			return a
		}
		kept, released, torn, early := drop("kept"), drop("released"), drop("torn"), drop("early")
		early.Release()
		own := spawn(t, w, "Shown", SpawnParams{})
		end(own)
		glow, err := kept.AddComponent(w.Classes.Find("Box"), "Glow")
		must(t, err)
		glow.SetLifeSpan(0.5)
		run(w, 1, 20)
		alive := func() string {
			var list []string
			w.EachActor(func(a *Actor) {
				if a.Outer == nil || a == glow {
					list = append(list, a.Name)
				}
			})
			return strings.Join(list, " ")
		}
		eq(t, alive(), "kept released torn")
		if !own.Deleted() || !early.Deleted() {
			t.Error("what is ours stays")
		}
		eq(t, kept.LifeSpan(), 0.0)
		released.Release()
		torn.TearOff()
		run(w, 0.1, 20)
		eq(t, alive(), "kept")
		if kept.Physics != PhysProjectile {
			kept.SetLifeSpan(5) // another one: the old one is forgotten
			kept.Release()
			run(w, 1, 20)
			eq(t, alive(), "kept")
		}
	}
}

// R5.17: after its channel closed a temporary one lives on in its role, and this client may end it.
func TestReleased(t *testing.T) {
	w, r, n := onNet(t, NMClient)
	a := finished(t, w, "Shown", "a", RoleSimulatedProxy)
	r.take()
	a.Release()
	if a.IsCopy() || a.ComponentNamed("Bag").IsCopy() || !a.Released() || a.Role != RoleSimulatedProxy || a.RemoteRole != RoleAuthority {
		t.Error("not as it should be")
	}
	w.Step(0.1)
	eq(t, r.take(), "a.Tick a.Bag.Tick")
	n.take()
	if !a.Destroy() || n.take() != "-a, -a.Bag" || len(r.reports) > 0 {
		t.Error("it cannot be ended", r.reports)
	}
}

// R5.18: TornOff runs whatever the role, then the actor is the client's own and runs everything.
func TestTearOff(t *testing.T) {
	w, r, _ := onNet(t, NMClient)
	a := finished(t, w, "Plain", "a", RoleSimulatedProxy) // its TornOff is not simulated
	r.take()
	r.on["TornOff"] = func(a *Actor, _ []Value) {
		if a.Role != RoleAuthority || a.RemoteRole != RoleNone || a.IsCopy() || !a.BTearOff {
			t.Errorf("in TornOff: %s, %s", a.Role, a.RemoteRole)
		}
	}
	a.TearOff()
	eq(t, r.take(), "a.TornOff")
	a.TearOff()
	eq(t, r.take(), "")
	w.Step(0.1)
	eq(t, r.take(), "a.Tick a.Bag.Tick")
	if !a.ComponentNamed("Bag").HasAuthority() || !a.Destroy() {
		t.Error("it is not its own")
	}
	s := finished(t, w, "Shown", "s", RoleAutonomousProxy)
	s.Release()
	s.TearOff()
	if s.Role != RoleAuthority {
		t.Error("a released one is not torn off")
	}
	own := spawn(t, w, "Plain", SpawnParams{})
	r.take()
	own.TearOff()
	eq(t, r.take(), "")
}

// R2.2: other roles, and what hangs on them.
func TestSetRoles(t *testing.T) {
	w, r, _ := onNet(t, NMClient)
	a := finished(t, w, "Plain", "a", RoleSimulatedProxy)
	w.ClearDirty()
	r.take()
	a.SetRoles(RoleAutonomousProxy, RoleAuthority)
	bag := a.ComponentNamed("Bag")
	if !a.CondDirty() || !a.NetDirty() || !bag.CondDirty() || bag.Get(bag.Class.Property("Role")).Num != float64(RoleAutonomousProxy) {
		t.Error("nobody can see it")
	}
	w.Step(0.1)
	eq(t, r.take(), "a.Tick a.Bag.Tick")
	w.ClearDirty()
	a.SetRoles(RoleAutonomousProxy, RoleAuthority)
	if a.CondDirty() {
		t.Error("the same roles count as others")
	}
	a.SetRoles(RoleSimulatedProxy, RoleAuthority)
	w.Step(0.1)
	eq(t, r.take(), "a.Bag.Tick")
}

// R7.3: a simulated proxy enters simulated states only, by whatever way.
func TestStatesOfProxies(t *testing.T) {
	w, r, _ := onNet(t, NMClient)
	plain, shown := finished(t, w, "Plain", "p", RoleSimulatedProxy), finished(t, w, "Shown", "s", RoleSimulatedProxy)
	if plain.State != nil || shown.State.name() != "On" {
		t.Error("auto states")
	}
	plain.GotoState("On")
	if err := plain.PushState("On"); err != nil || plain.State != nil {
		t.Errorf("in %s, %v", plain.State.name(), err)
	}
	if err := shown.PushState("On"); err != nil || len(shown.stack) != 1 {
		t.Error("a simulated state cannot be pushed", err)
	}
	if w.RunsLatent(plain) || !w.RunsLatent(shown) {
		t.Error("latent code")
	}
	plain.SetRoles(RoleAutonomousProxy, RoleAuthority)
	plain.GotoState("On")
	if plain.State == nil || !w.RunsLatent(plain) {
		t.Error("an autonomous proxy enters any state")
	}
	plain.SetRoles(RoleSimulatedProxy, RoleAuthority)
	if w.RunsLatent(plain) {
		t.Error("latent code of a state that is not simulated")
	}
	r.take()
	w.DestroyCopy(plain)
	eq(t, r.take(), "p.Bag.Destroyed") // no EndState
}

// R1.4: a client's level actor that may replicate begins as a proxy, and becomes the copy of the server's.
func TestAdoptCopy(t *testing.T) {
	lv := parseLevel(t, `{ "classname" "worldspawn" }
{ "classname" "Plain" "targetname" "kept" "bNoDelete" "1" }
{ "classname" "Plain" "targetname" "gone" }
{ "classname" "Shown" "targetname" "own" "bNoDelete" "1" "RemoteRole" "ROLE_None" }
{ "classname" "Shown" "targetname" "kept" "bStatic" "1" }
{ "classname" "Shown" "targetname" "gone" "bNoDelete" "1" }
{ "classname" "Shown" "bNoDelete" "yes" }
{ "classname" "Shown" "bNoDelete" "perhaps" }`, 1)
	w, r, n := onNet(t, NMClient)
	w.LoadEntities(lv)
	var names []string
	w.EachActor(func(a *Actor) {
		if a.Outer == nil {
			names = append(names, a.LevelName)
			if w.ActorByLevelName(a.LevelName) != a {
				t.Errorf("%s is not found", a.LevelName)
			}
		}
	})
	eq(t, names, []string{"kept", "own", "kept#2", "gone#2", "Shown_3"})
	server, _, _ := onNet(t, NMDedicatedServer)
	server.LoadEntities(lv)
	for _, name := range names { // both sides mean the same
		if s := server.ActorByLevelName(name); s == nil || s.Class.Name != w.ActorByLevelName(name).Class.Name || s.Role != RoleAuthority || s.copy != copyNone {
			t.Errorf("%s is another one on the server", name)
		}
	}
	if w.ActorByLevelName("gone") != nil || w.ActorByLevelName("") != nil || server.ActorByLevelName("gone") == nil {
		t.Error("what a client leaves out")
	}

	a, own := w.ActorByLevelName("kept"), w.ActorByLevelName("own")
	if own.Role != RoleAuthority || own.RemoteRole != RoleNone || own.IsCopy() {
		t.Errorf("not replicated: %s", own.Role)
	}
	if a.Role != RoleSimulatedProxy || a.RemoteRole != RoleAuthority || a.IsCopy() || a.State != nil {
		t.Errorf("before the server spoke: %s", a.Role)
	}
	log := r.take() // the first is not simulated, but its bag is; what is its own begins whole
	if !strings.HasPrefix(log, "kept.Bag.PreBeginPlay kept.Bag.BeginPlay kept.Bag.PostBeginPlay own.Bag.PreBeginPlay own.PreBeginPlay") ||
		!strings.Contains(log, "own.Bag.PostNetBeginPlay own.PostNetBeginPlay own.BeginState") || strings.Contains(log, "kept.PostNetBeginPlay") {
		t.Errorf("events: %s", log)
	}
	n.take()
	w.AdoptCopy(a, RoleAutonomousProxy, RoleAuthority)
	if !a.IsCopy() || !a.ComponentNamed("Bag").IsCopy() || a.Role != RoleAutonomousProxy {
		t.Error("not adopted")
	}
	a.FinishCopy()
	eq(t, r.take(), "kept.Bag.PostNetBeginPlay kept.PostNetBeginPlay")
	a.FinishCopy()
	w.AdoptCopy(a, RoleSimulatedProxy, RoleAuthority) // the channel closed and opened again
	a.FinishCopy()
	eq(t, r.take(), "")
	w.DestroyCopy(a)
	if a.Deleted() || a.Destroy() {
		t.Error("a bNoDelete actor is gone")
	}
	eq(t, n.take(), "")
	own.BNoDelete = false
	own.Destroy()
	if w.ActorByLevelName("own") != nil {
		t.Error("a destroyed actor is found")
	}
	if slices.Contains(names, "") {
		t.Error("an actor without a name")
	}
	if s := spawn(t, server, "Shown", SpawnParams{Name: "later"}); s.LevelName != "" {
		t.Error("one spawned while playing has a name in the level")
	}
}

// A place that was rounded into the floor is corrected; one that does not fit suspends gravity (R10.5).
func TestCopiesInBrushes(t *testing.T) {
	w, _ := inLevel(t, boxes(floorBox, [6]float64{500, -500, 0, 700, 500, 300}))
	w.NetMode = NMClient
	c := func(at vec) *Actor {
		a, err := w.SpawnCopy(w.Classes.Find("Character"), CopyParams{Location: at, Role: RoleSimulatedProxy, RemoteRole: RoleAuthority})
		must(t, err)
		a.FinishCopy()
		return a
	}
	low, in := c(geom.V(0, 0, 87)), c(geom.V(600, 0, 100))
	near(t, "put right", low.Location.Z, 88, 0.1)
	if low.BSimGravityDisabled || !in.BSimGravityDisabled || in.Location != geom.V(600, 0, 100) {
		t.Error("gravity")
	}
	run(w, 1, 20)
	if in.Location.Z != 100 {
		t.Errorf("it fell through the world to %v", in.Location)
	}
}

// R10.4, R7.4: between updates a proxy moves by its Velocity, and a projectile for as long as it flies.
func TestCopiesMoveByThemselves(t *testing.T) {
	w, _, _ := onNet(t, NMClient)
	p := finished(t, w, "Shown", "p", RoleSimulatedProxy)
	read := func(v Value, name string) {
		t.Helper()
		q := p.Class.Property(name)
		words := make([]uint64, q.Type.Words())
		storeValue(w.Classes, q.Type, words, nil, v)
		p.ReceiveProperty(q, words, nil)
	}
	read(Int(int(PhysProjectile)), "Physics")
	read(Vec(geom.V(300, 0, 0)), "Velocity")
	run(w, 1, 20)
	nearVec(t, "a projectile", p.Location, geom.V(300, 0, 100), 1e-6)
	w, r, _ := onNet(t, NMClient)
	a := finished(t, w, "Pawn", "a", RoleSimulatedProxy) // in the air
	a.Physics, a.Velocity = PhysWalking, geom.V(100, 0, 0)
	w.refreshTick(a)
	run(w, 0.5, 20)
	near(t, "a pawn runs on", a.Location.X, 50, 1e-6)
	if a.Location.Z >= 100 {
		t.Error("it does not fall")
	}
	eq(t, r.take(), "") // and is told neither Falling nor Landed
}

// A pawn's own player's machine moves it by its own physics, or follows the server where the class says so.
func TestAPlayersOwnPawnMayFollow(t *testing.T) {
	w, _, _ := onNet(t, NMClient)
	for _, follows := range []bool{false, true} {
		a := finished(t, w, "Pawn", "", RoleAutonomousProxy)
		a.BReplicateMovementToOwner = follows
		a.BSimulateGravity = false
		a.SetPhysics(PhysFlying)
		a.setVelocity(geom.V(300, 0, 0))
		from := a.Location
		for range 30 {
			w.Step(1.0 / 60)
		}
		way := a.Location.Sub(from).X
		if follows && math.Abs(way-150) > 0.1 || !follows && way > 100 { // with no Acceleration, a flying pawn brakes
			t.Errorf("follows %v: went %g uu in half a second at 300 uu/s", follows, way)
		}
		w.DestroyCopy(a)
	}
}

// R8.6: the GameReplicationInfo is the world's GameState from its first event on, on every peer.
func TestGameState(t *testing.T) {
	cs := classes(t, []*ClassSpec{
		{Name: "Actor", Native: NativeActor, Functions: functions("PreBeginPlay")},
		{Name: "GameReplicationInfo", Parent: "Actor", Functions: simulated("PreBeginPlay")},
		{Name: "Board", Parent: "GameReplicationInfo"},
	}, nil)
	for _, mode := range []NetMode{NMDedicatedServer, NMClient} {
		r := &recorder{on: map[string]func(*Actor, []Value){}}
		w := NewWorld(Config{Classes: cs, NetMode: mode, Script: r, Seed: 1})
		r.w = w
		var seen []ActorID
		r.on["PreBeginPlay"] = func(*Actor, []Value) { seen = append(seen, w.GameState) }
		made := func() *Actor {
			if mode == NMClient {
				return copyOf(t, w, "Board", "", RoleSimulatedProxy)
			}
			return spawn(t, w, "Board", SpawnParams{})
		}
		spawn(t, w, "Actor", SpawnParams{})
		spawn(t, w, "Board", SpawnParams{Effect: true})
		a, b := made(), made()
		a.end()
		c := made()
		want := []ActorID{0, 0, a.ID(), a.ID(), c.ID()}
		if !slices.Equal(seen, want) || w.GameState != c.ID() || b.ID() == c.ID() {
			t.Errorf("%s: GameState was %v, expected %v", mode, seen, want)
		}
	}
}
