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

func BenchmarkMontages(b *testing.B) {
	for _, c := range []struct {
		name  string
		plays int
	}{{"idle10000", 0}, {"playing100of10000", 100}} {
		b.Run(c.name, func(b *testing.B) {
			w, list, m := stage(b, engine.NMDedicatedServer, 10000)
			for _, a := range list[:c.plays] {
				a.PlayMontage(m, 0, 1)
			}
			b.ReportAllocs()
			for b.Loop() {
				w.Step(1.0 / 60)
			}
		})
	}
}
