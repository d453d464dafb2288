package engine

import (
	"fmt"
	"strings"
	"testing"
)

// crowdWorld has classes of the game and of two mods, and components of them.
func crowdWorld(t *testing.T) *World {
	t.Helper()
	specs := []*ClassSpec{{Name: "Actor"}, {Name: "ActorComponent"}, {Name: "Crate", Parent: "Actor"}, {Name: "Barrel", Parent: "Actor"}}
	for i := range 20 {
		specs = append(specs, &ClassSpec{Name: fmt.Sprintf("Hat%d", i), Parent: "Actor", Mod: "hats"}, &ClassSpec{Name: fmt.Sprintf("Own%d", i), Parent: "Actor", Mod: fmt.Sprintf("mod%d", i)})
	}
	specs = append(specs, &ClassSpec{Name: "Part", Parent: "ActorComponent"})
	cs, errs := BuildClasses(specs, nil)
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	return NewWorld(Config{Classes: cs, NetMode: NMDedicatedServer})
}

// fill has a script make actors, 200 a tick, until it is refused, and gives how many it made.
func fill(w *World, class, by string) (n int, err error) {
	for {
		if n%200 == 0 {
			w.Step(0.01)
		}
		if _, err = w.Spawn(w.Classes.Find(class), SpawnParams{Script: true, By: by}); err != nil {
			return n, err
		}
		n++
	}
}

func says(t *testing.T, err error, want string) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("got %v, want %q in it", err, want)
	}
}

// TestActorsOfAClass (G9): a class has so many at once and no more, destroyed ones give room, and what is no script's is not refused.
func TestActorsOfAClass(t *testing.T) {
	w := crowdWorld(t)
	n, err := fill(w, "Crate", "")
	eq(t, n, MaxClassActors)
	says(t, err, "spawn: class Crate has 4096 actors alive, at most 4096; destroy or reuse some first, or raise actors of [classes.Crate] in host.toml (G9)")
	if _, err := w.Spawn(w.Classes.Find("Barrel"), SpawnParams{Script: true}); err != nil {
		t.Errorf("another class: %v", err)
	}
	if _, err := w.Spawn(w.Classes.Find("Crate"), SpawnParams{}); err != nil {
		t.Errorf("the host's own: %v", err)
	}
	gone := w.ActorsOf("Crate")[:11]
	for _, a := range gone {
		a.Destroy()
	}
	n, _ = fill(w, "Crate", "")
	eq(t, n, 10) // the host's counts, too
}

// TestSpawnsInATick (G9): a class makes so many in a tick, whether they live or not.
func TestSpawnsInATick(t *testing.T) {
	w := crowdWorld(t)
	crate := w.Classes.Find("Crate")
	for tick := range 3 {
		var err error
		n := 0
		for ; err == nil; n++ {
			var a *Actor
			if a, err = w.Spawn(crate, SpawnParams{Script: true}); err == nil {
				a.Destroy()
			}
		}
		if n-1 != MaxClassSpawns {
			t.Errorf("tick %d: %d spawns", tick, n-1)
		}
		says(t, err, "class Crate has made 256 actors in this tick, at most 256; spread them over several ticks")
		if _, err := w.Spawn(w.Classes.Find("Barrel"), SpawnParams{Script: true}); err != nil {
			t.Errorf("another class: %v", err)
		}
		w.Step(0.01)
	}
}

// TestActorsOfMods (G9): a mod has what a class has, with all its classes and with those of others that it makes; another's share
// of a class stays whole. Mods together leave an eighth of the world.
func TestActorsOfMods(t *testing.T) {
	w := crowdWorld(t)
	for i := range 10 {
		if n, err := fill(w, fmt.Sprintf("Hat%d", i), ""); i == 0 {
			eq(t, n, MaxClassActors)
			says(t, err, "class Hat0 has 4096")
		} else {
			eq(t, n, 0)
			says(t, err, "mod hats has 4096 actors alive, at most 4096; destroy or reuse some first, or raise actors of [mods.hats] in host.toml (G9)")
		}
	}
	_, err := w.Spawn(w.Classes.Find("Crate"), SpawnParams{Script: true, By: "hats"})
	says(t, err, "mod hats has 4096")
	w = crowdWorld(t)
	n, _ := fill(w, "Crate", "hats")
	eq(t, n, MaxClassActors)
	n, _ = fill(w, "Crate", "")
	eq(t, n, MaxClassActors)

	raised := map[string]int{}
	for i := range 20 {
		raised[fmt.Sprintf("Own%d", i)], raised[fmt.Sprintf("mod%d", i)] = 10000, 10000
	}
	w = crowdWorld(t)
	w.SetActorLimits(ActorLimits{Classes: raised, Mods: raised})
	all := 0
	for i := range 20 {
		n, err := fill(w, fmt.Sprintf("Own%d", i), "")
		all += n
		if n == 0 {
			says(t, err, "mods have 57344 actors alive, at most 57344 of the world's 65536 (G9)")
		}
	}
	eq(t, all, MaxModActors)
	if _, err := w.Spawn(w.Classes.Find("Crate"), SpawnParams{Script: true}); err != nil {
		t.Errorf("the game's share is taken: %v", err)
	}
	w.SetActorLimits(ActorLimits{Classes: map[string]int{"Crate": 1 << 20}})
	_, err = fill(w, "Crate", "")
	says(t, err, "the world has 65536 actors, at most 65536")
}

// TestCopiesAreNotRefused (G9): the server's bounds hold for a client's copies, which are not counted there.
func TestCopiesAreNotRefused(t *testing.T) {
	w := crowdWorld(t)
	w.NetMode = NMClient
	crate := w.Classes.Find("Crate")
	for range 2 * MaxClassActors {
		if _, err := w.SpawnCopy(crate, CopyParams{Role: RoleSimulatedProxy, RemoteRole: RoleAuthority}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := w.Spawn(crate, SpawnParams{Script: true, Effect: true}); err != nil {
		t.Errorf("a client's own: %v", err)
	}
}

// TestComponentsAreBounded (G9): those that scripts add; those of a class come with its actors.
func TestComponentsAreBounded(t *testing.T) {
	w := crowdWorld(t)
	a := spawn(t, w, "Crate", SpawnParams{})
	part := w.Classes.Find("Part")
	n, err := 0, error(nil)
	for ; err == nil; n++ {
		_, err = a.AddScripted(part, fmt.Sprint("P", n), "hats")
	}
	eq(t, n-1, MaxClassSpawns)
	says(t, err, "component P256 of Crate_0: class Part has made 256 actors in this tick")
	a.Destroy()
	w.Step(0.01)
	eq(t, w.census.all, 0)
	eq(t, w.census.ofMods, 0)
}
