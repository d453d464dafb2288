package engine_test

import (
	"testing"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/engine/animation"
)

// stage is a world of dancers without scripts: events go nowhere.
func stage(t testing.TB, mode engine.NetMode, count int) (*engine.World, []*engine.Actor, *animation.Montage) {
	t.Helper()
	lib, err := animation.NewLibrary([]animation.Spec{{
		Name: "dance", Length: 10, Sections: []animation.SectionSpec{{Name: "All", Next: "All"}},
		Notifies: []animation.Notify{{Name: "A", Time: 0.3}, {Name: "B", Time: 1, End: 2, Gameplay: true}, {Name: "C", Time: 5}},
	}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	classes, diags := engine.BuildClasses([]*engine.ClassSpec{{Name: "Actor"}, {Name: "ActorComponent"}}, nil)
	for _, d := range diags {
		t.Fatal(d)
	}
	w := engine.NewWorld(engine.Config{Classes: classes, NetMode: mode, Seed: 1, Animations: lib})
	var list []*engine.Actor
	for range count {
		a, err := w.Spawn(classes.Find("Actor"), engine.SpawnParams{})
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, a)
	}
	return w, list, lib.Find("dance")
}

// What plays nothing costs nothing, and what plays allocates nothing.
func TestAnimationAllocatesNothing(t *testing.T) {
	w, list, m := stage(t, engine.NMStandalone, 100)
	for _, a := range list {
		a.PlayMontage(m, 0, 1)
	}
	for range 700 { // once round
		w.Step(1.0 / 60)
	}
	if n := testing.AllocsPerRun(100, func() { w.Step(1.0 / 60) }); n > 0 {
		t.Errorf("%v allocations a tick", n)
	}
	for _, a := range list {
		a.StopMontage()
	}
	w.Step(1.0 / 60)
	if n := testing.AllocsPerRun(100, func() { w.Step(1.0 / 60) }); n > 0 {
		t.Errorf("%v allocations a tick of nothing", n)
	}
}

func TestDestroyedActorsLeaveTheStage(t *testing.T) {
	w, list, m := stage(t, engine.NMDedicatedServer, 3)
	for _, a := range list {
		a.PlayMontage(m, 0, 1)
	}
	list[1].Destroy()
	w.Step(1.0 / 60)
	if _, _, at := list[0].Montage(); at == 0 {
		t.Error("it stands still")
	}
	list[0].Destroy()
	list[2].StopMontage()
	w.Step(1.0 / 60)
	list[2].PlayMontage(m, 0, 1)
	w.Step(1.0 / 60)
	if m, _, at := list[2].Montage(); m == nil || at == 0 {
		t.Error("it does not play again")
	}
}

// Another library in the place of the world's: what plays goes on, numbers follow names, what is gone ends.
func TestSetAnimations(t *testing.T) {
	spec := func(name string, length float64) animation.Spec { return animation.Spec{Name: name, Length: length} }
	library := func(specs ...animation.Spec) *animation.Library {
		t.Helper()
		lib, err := animation.NewLibrary(specs, nil)
		if err != nil {
			t.Fatal(err)
		}
		return lib
	}
	number := &engine.Type{Kind: engine.KindInt}
	classes, diags := engine.BuildClasses([]*engine.ClassSpec{
		{Name: "Actor"},
		{Name: "ActorComponent"},
		{Name: "Dancer", Parent: "Actor", Properties: []engine.PropertySpec{{Name: "ReplicatedMontage", Type: &engine.Type{
			Kind: engine.KindStruct, Fields: []engine.Field{{Name: "Montage", Type: number}, {Name: "Play", Type: number}},
		}}}},
	}, nil)
	for _, d := range diags {
		t.Fatal(d)
	}
	first := library(spec("b", 10), spec("c", 10), spec("d", 10))
	w := engine.NewWorld(engine.Config{Classes: classes, NetMode: engine.NMDedicatedServer, Seed: 1, Animations: first})
	dancer := func(name string) *engine.Actor {
		t.Helper()
		a, err := w.Spawn(classes.Find("Dancer"), engine.SpawnParams{})
		if err != nil {
			t.Fatal(err)
		}
		a.PlayMontage(first.Find(name), 0, 1)
		return a
	}
	stays, goes := dancer("c"), dancer("d")
	stays.PlayAnim(first.Find("b"), 1, true)
	for range 60 {
		w.Step(1.0 / 60)
	}
	sent := func(a *engine.Actor) int { return int(a.Get(a.Class.Property("ReplicatedMontage")).List[0].Num) }
	if sent(stays) != 2 || sent(goes) != 3 {
		t.Fatal(sent(stays), sent(goes))
	}
	next := library(spec("a", 1), spec("b", 10), spec("c", 20))
	w.SetAnimations(next)
	if m, _, at := stays.Montage(); m != next.Find("c") || at < 0.9 || at > 1.1 || sent(stays) != 3 {
		t.Errorf("it plays %v at %g, and clients are told %d", m, at, sent(stays))
	}
	if p := stays.Anim(); p.Montage != next.Find("b") || !p.Loop {
		t.Errorf("under it %v", p.Montage)
	}
	if m, _, _ := goes.Montage(); m != nil || sent(goes) != 0 {
		t.Errorf("%v plays though it is gone, and clients are told %d", m, sent(goes))
	}
	if w.Animations() != next {
		t.Error("the world has another library")
	}
}
