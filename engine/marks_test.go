package engine

import (
	"math/bits"
	"slices"
	"testing"

	"github.com/tidelock/tidelock/engine/geom"
)

// marksOf is what the net update sees of an actor.
func marksOf(w *World, a *Actor) string {
	s := ""
	n := 0
	for _, x := range w.DirtyActors() {
		if x == a {
			n++
		}
	}
	switch n {
	case 0:
	case 1:
		s += "queued"
	default:
		s += "queued twice"
	}
	vars := 0
	for _, m := range a.DirtyMask() {
		vars += bits.OnesCount64(m)
	}
	for _, x := range []struct {
		on   bool
		word string
	}{{vars > 0, " dirty"}, {a.CondDirty(), " cond"}, {a.NetDirty(), " net"}, {a.Moved(), " moved"}} {
		if x.on {
			s += x.word
		}
	}
	return s
}

// watchedClasses are classes with conditions: a Gun's Heat crosses while its Ammo is low.
func watchedClasses(t testing.TB) *Classes {
	t.Helper()
	rule := func(names ...string) RuleSpec { return RuleSpec{Names: names} }
	ints := func(names ...string) (out []PropertySpec) {
		for _, n := range names {
			out = append(out, PropertySpec{Name: n, Type: &Type{Kind: KindInt}})
		}
		return out
	}
	specs := []*ClassSpec{
		{Name: "Actor", Native: NativeActor, Rules: []RuleSpec{rule("Velocity")}},
		{Name: "ActorComponent", Native: NativeComponent},
		{Name: "Bag", Parent: "ActorComponent", Properties: ints("Weight"), Rules: []RuleSpec{rule("Weight")}},
		{Name: "Controller", Parent: "Actor", Properties: []PropertySpec{{Name: "Pawn", Type: &Type{Kind: KindRef, Class: "Pawn"}}}},
		{Name: "PlayerController", Parent: "Controller"},
		{Name: "Pawn", Parent: "Actor", Properties: []PropertySpec{{Name: "Controller", Type: &Type{Kind: KindRef, Class: "Controller"}}}},
		{
			Name: "Gun", Parent: "Actor", Properties: ints("Ammo", "Heat", "Skin", "Custom", "Dyn", "Plain"),
			Rules: []RuleSpec{rule("Heat"), {Names: []string{"Custom"}, Named: CondCustom}, {Names: []string{"Dyn"}, Named: CondDynamic}},
			States: []StateSpec{
				{Name: "Idle"},
			},
			Components: []ComponentSpec{{Name: "Bag", Class: "Bag"}},
		},
		{Name: "BigGun", Parent: "Gun"},
		{Name: "Body", Parent: "Actor", Properties: ints("Spin"), Rules: []RuleSpec{{Names: []string{"Spin"}, Named: CondSimulatedOrPhysics}}},
	}
	cs, diags := BuildClasses(specs, nil)
	if cs == nil {
		t.Fatal(diags)
	}
	specs[6].Rules[0].Cond = &readsOnly{props: []*Property{cs.Find("Gun").Property("Ammo")}}
	cs.Watch() // as the loader of classes does, when it has compiled the conditions
	return cs
}

func TestMarks(t *testing.T) {
	cs := watchedClasses(t)
	w := NewWorld(Config{Classes: cs, NetMode: NMDedicatedServer})
	gun, pawn, pc := spawn(t, w, "BigGun", SpawnParams{}), spawn(t, w, "Pawn", SpawnParams{}), spawn(t, w, "PlayerController", SpawnParams{})
	body, holder := spawn(t, w, "Body", SpawnParams{}), spawn(t, w, "Gun", SpawnParams{})
	bag := gun.ComponentNamed("Bag")
	setInt := func(a *Actor, name string, n int) func() {
		return func() { set(t, a, name, Int(n)) }
	}
	native := func(name string, v Value) func() {
		return func() { set(t, gun, name, v) }
	}
	for _, c := range []struct {
		what string
		do   func()
		of   *Actor
		want string
	}{
		{"a replicated variable", setInt(gun, "Heat", 1), gun, "queued dirty"},
		{"the same value", setInt(gun, "Heat", 1), gun, ""},
		{"the same word", func() { gun.SetWord(gun.Class.Property("Heat"), 1) }, gun, ""},
		{"another word", func() { gun.SetWord(gun.Class.Property("Heat"), 2) }, gun, "queued dirty"},
		{"what a condition reads", setInt(gun, "Ammo", 9), gun, "queued cond"},
		{"that by its word", func() { gun.SetWord(gun.Class.Property("Ammo"), 7) }, gun, "queued cond"},
		{"a variable of no rule", setInt(gun, "Skin", 1), gun, ""},
		{"that by its word", func() { gun.SetWord(gun.Class.Property("Skin"), 7) }, gun, ""},
		{"a variable of a component", setInt(bag, "Weight", 1), bag, "queued dirty"},
		{"that, on its actor", setInt(bag, "Weight", 2), gun, ""},
		{"velocity", native("Velocity", Vec(geom.V(1, 0, 0))), gun, "queued dirty"},
		{"a move", func() { gun.SetLocation(geom.V(1, 2, 3)) }, gun, "queued moved"},
		{"a place", native("Location", Vec(geom.V(3, 2, 3))), gun, "queued moved"},
		{"the same place", native("Location", Vec(geom.V(3, 2, 3))), gun, ""},
		{"hidden", native("bHidden", Bool(true)), gun, "queued net"},
		{"always relevant", native("bAlwaysRelevant", Bool(true)), gun, "queued net"},
		{"only for the owner", native("bOnlyRelevantToOwner", Bool(true)), gun, "queued net"},
		{"as the owner", native("bNetUseOwnerRelevancy", Bool(true)), gun, "queued net"},
		{"temporary", native("bNetTemporary", Bool(true)), gun, "queued net"},
		{"torn off", native("bTearOff", Bool(true)), gun, "queued net"},
		{"replicates", native("bReplicates", Bool(false)), gun, "queued net"},
		{"cull distance", native("NetCullDistance", Float(1)), gun, "queued net"},
		{"pace", native("NetUpdateFrequency", Float(1)), gun, "queued net"},
		{"dormancy", native("NetDormancy", Int(int(DormDormantAll))), gun, "queued net"},
		{"sound", native("AmbientSound", String("x")), gun, "queued net"},
		{"instigator", func() { gun.SetInstigator(pawn) }, gun, "queued net"},
		{"base", func() { _ = gun.SetBase(pawn, false) }, gun, "queued net"},
		{"collision", func() { gun.SetCollision(false, false, true) }, gun, "queued net"},
		{"size", func() { gun.SetCollisionSize(5, 5) }, gun, "queued net"},
		{"tag", native("Tag", String("x")), gun, ""},
		{"priority, which is read when it is needed", native("NetPriority", Float(9)), gun, ""},
		{"remote role", native("RemoteRole", Int(int(RoleAutonomousProxy))), gun, "queued cond net"},
		{"that, on its component", native("RemoteRole", Int(int(RoleSimulatedProxy))), bag, "queued cond net"},
		{"owner", func() { _ = gun.SetOwner(holder) }, gun, "queued cond net"},
		{"owner's owner", func() { _ = holder.SetOwner(pawn) }, gun, "queued cond net"},
		{"top owner, on a component", func() { w.Possess(pc, pawn) }, bag, "queued cond net"},
		{"possessed", func() { w.UnPossess(pc); w.ClearDirty(); w.Possess(pc, pawn) }, pawn, "queued cond net"},
		{"no longer possessed", func() { w.UnPossess(pc) }, pawn, "queued cond net"},
		{"that, on what it owns", func() { w.Possess(pc, pawn); w.ClearDirty(); w.UnPossess(pc) }, gun, "queued cond net"},
		{"owner destroyed, on what the owned owns", func() { pawn.Destroy() }, gun, "queued cond net"},
		{"custom off", func() { _ = gun.SetCustomIsActive("Custom", false) }, gun, "queued cond"},
		{"custom off again", func() { _ = gun.SetCustomIsActive("Custom", false) }, gun, ""},
		{"custom on", func() { _ = gun.SetCustomIsActive("Custom", true) }, gun, "queued cond"},
		{"custom that is none", func() { _ = gun.SetCustomIsActive("Heat", false) }, gun, ""},
		{"dynamic", func() { _ = gun.SetDynamicCondition("Dyn", CondOwnerOnly) }, gun, "queued cond"},
		{"dynamic, the same", func() { _ = gun.SetDynamicCondition("Dyn", CondOwnerOnly) }, gun, ""},
		{"a group", func() { pc.SetNetGroup("spies", true) }, pc, "queued cond"},
		{"a group it is in", func() { pc.SetNetGroup("spies", true) }, pc, ""},
		{"a group left", func() { pc.SetNetGroup("spies", false) }, pc, "queued cond"},
		{"a group it is not in", func() { pc.SetNetGroup("spies", false) }, pc, ""},
		{"force", func() { gun.ForceNetUpdate() }, gun, "queued"},
		{"flush", func() { gun.FlushNetDormancy() }, gun, "queued"},
		{"physics, which COND_SimulatedOrPhysics asks for", func() { body.SetPhysics(PhysRigidBody) }, body, "queued cond"},
		{"a state that no condition looks at", func() { gun.GotoState("Idle") }, gun, ""},
	} {
		w.ClearDirty()
		if len(w.DirtyActors()) > 0 || marksOf(w, c.of) != "" {
			t.Fatalf("%s: marks are left: %s", c.what, marksOf(w, c.of))
		}
		c.do()
		if got := marksOf(w, c.of); got != c.want {
			t.Errorf("%s: %q, want %q", c.what, got, c.want)
		}
	}
	pc.SetNetGroup("a", true)
	pc.SetNetGroup("b", true)
	pc.SetNetGroup("a", false)
	eq(t, pc.NetGroups(), []string{"b"})
	if !gun.TakeForceNetUpdate() || gun.TakeForceNetUpdate() || !gun.TakeFlushNetDormancy() || gun.TakeFlushNetDormancy() || body.TakeForceNetUpdate() {
		t.Error("what was asked for is taken once")
	}
}

// A change of state matters where a condition looks at more than variables; so does a parent's condition.
func TestStatesAreMarkedForConditionsThatLookFurther(t *testing.T) {
	specs := func() []*ClassSpec {
		return []*ClassSpec{
			{Name: "Actor", Native: NativeActor},
			{
				Name: "Moody", Parent: "Actor", Properties: []PropertySpec{{Name: "Mood", Type: &Type{Kind: KindInt}}},
				States: []StateSpec{{Name: "Idle", Functions: functions("Ready")}}, Functions: functions("Ready"),
				Rules: []RuleSpec{{Names: []string{"Mood"}}},
			},
			{Name: "Moodier", Parent: "Moody"},
			{Name: "Calm", Parent: "Actor", States: []StateSpec{{Name: "Idle"}}},
		}
	}
	list := specs()
	cs, diags := BuildClasses(list, nil)
	if cs == nil {
		t.Fatal(diags)
	}
	list[1].Rules[0].Cond = &readsOnly{others: true}
	cs, _ = BuildClasses(list, cs) // the condition was compiled against other classes
	w := NewWorld(Config{Classes: cs})
	for class, want := range map[string]string{"Moody": "queued cond", "Moodier": "queued cond", "Calm": ""} {
		a := spawn(t, w, class, SpawnParams{})
		for _, state := range []string{"Idle", ""} {
			w.ClearDirty()
			a.GotoState(state)
			if got := marksOf(w, a); got != want {
				t.Errorf("%s to state %q: %q, want %q", class, state, got, want)
			}
		}
	}
}

// Whatever moves an actor, it is among the dirty ones, once.
func TestMovedActorsAreFound(t *testing.T) {
	w, _ := inLevel(t, boxes(floorBox))
	runner, rider, hat := put(t, w, "Character", "runner", 0, 0, 88), put(t, w, "Character", "rider", 500, 0, 89), put(t, w, "Crate", "hat", 0, 0, 300)
	lift := spawnMover(t, w, "lift", [6]float64{400, -100, -50, 600, 100, 1})
	shell := put(t, w, "Projectile", "shell", 0, 1000, 300)
	still := put(t, w, "Crate", "still", 0, -1000, 300)
	must(t, hat.SetBase(runner, true))
	run(w, 0.5, 20)
	runner.Acceleration, shell.Velocity = geom.V(2048, 0, 0), geom.V(100, 0, 0)
	if w.Actor(rider.Base) != lift {
		t.Fatal("nobody rides")
	}
	must(t, lift.StartMove(geom.V(0, 0, 100), 1, false))
	for range 5 {
		before := map[*Actor]vec{}
		w.EachActor(func(a *Actor) { before[a] = a.Location })
		w.ClearDirty()
		w.Step(0.1)
		for a, at := range before {
			if a.Location != at != a.Moved() || a.Moved() != slices.Contains(w.DirtyActors(), a) {
				t.Errorf("%s: moved %v, marked %v", a, a.Location != at, a.Moved())
			}
		}
		for _, a := range []*Actor{runner, rider, hat, lift, shell} {
			if !a.Moved() {
				t.Errorf("%s does not move", a)
			}
		}
		if still.Moved() {
			t.Error("what stands still moves")
		}
	}
}

// Actors that come and go leave nothing behind in a world that nobody requests marks.
func TestDeadActorsDoNotGatherAmongTheDirty(t *testing.T) {
	w, _, _ := onNet(t, NMStandalone)
	a := spawn(t, w, "Shown", SpawnParams{})
	for range 2000 {
		b := spawn(t, w, "Shown", SpawnParams{})
		b.SetLocation(geom.V(1, 0, 0))
		b.Destroy()
	}
	if n := len(w.DirtyActors()); n > 200 {
		t.Errorf("%d dirty actors", n)
	}
	a.SetLocation(geom.V(1, 0, 0))
	if !slices.Contains(w.DirtyActors(), a) {
		t.Error("a live one was lost")
	}
}

// After a reload every condition may be another one.
func TestAReloadMarksConditions(t *testing.T) {
	w, _, _ := onNet(t, NMDedicatedServer)
	a := spawn(t, w, "Shown", SpawnParams{})
	set(t, a, "N", Int(4))
	w.Reclass(netClasses(t))
	if !a.CondDirty() || !a.IsDirty(a.Class.Property("N")) {
		t.Error("it is not marked")
	}
	w.ClearDirty()
	set(t, a, "N", Int(5))
	eq(t, marksOf(w, a), "queued dirty")
}
