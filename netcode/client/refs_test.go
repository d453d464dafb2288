package client_test

import (
	"slices"
	"testing"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/netcode/rig"
	"github.com/tidelock/tidelock/netcode/simlink"
)

// TestReferencesDoNotPileUp: variables that name ever new actors leave nothing behind of those that are gone (R5.13).
func TestReferencesDoNotPileUp(t *testing.T) {
	ref := &engine.Type{Kind: engine.KindRef}
	r := rig.New(&engine.ClassSpec{
		Name: "Guest", Parent: "Actor",
		Properties: []engine.PropertySpec{{Name: "Friend", Type: ref}, {Name: "Friends", Type: &engine.Type{Kind: engine.KindArray, Len: 4, Elem: ref}}},
		Rules:      []engine.RuleSpec{{Names: []string{"Friend", "Friends"}}},
	})
	r.Config.Limits.Budget = 1 << 20
	r.Start()
	p := r.Join(simlink.Path{})
	r.Run(1)
	a := r.Spawn("Guest", engine.SpawnParams{})
	var last *engine.Actor
	for n := range 5000 {
		b := r.Spawn("Guest", engine.SpawnParams{})
		rig.Set(a, "Friend", engine.Ref(b))
		list := slices.Repeat([]engine.Value{{Kind: engine.KindRef}}, 4)
		list[n%4] = engine.Ref(b)
		rig.Set(a, "Friends", engine.Value{Kind: engine.KindArray, List: list})
		rig.Set(b, "Friend", engine.Ref(a))
		r.Step(2)
		if last != nil {
			last.Destroy()
		}
		last = b
	}
	r.Run(0.5)
	if k := p.Copy(a); k == nil || rig.Get(k, "Friend").Ref != p.Copy(last).ID() {
		t.Fatal("the last reference did not arrive: the test tests nothing")
	}
	if actors, entries, raws := p.Remembered(); actors > 300 || entries > 600 || raws > 20 {
		t.Errorf("%d actors in %d entries, %d raw values are remembered", actors, entries, raws)
	}
}

// TestManyReferences: however many variables refer to one actor, all of them are set again when it comes back (R5.13).
func TestManyReferences(t *testing.T) {
	const n = 4200
	r := rig.New(&engine.ClassSpec{
		Name: "Guest", Parent: "Actor", Defaults: []engine.DefaultSpec{{Name: "bAlwaysRelevant", Value: engine.Bool(true)}},
		Properties: []engine.PropertySpec{{Name: "Host", Type: &engine.Type{Kind: engine.KindRef}}},
		Rules:      []engine.RuleSpec{{Names: []string{"Host"}}},
	})
	r.Config.Limits.Budget = 1 << 24
	r.Start()
	p := r.Join(simlink.Path{})
	r.Run(1)
	host := r.Spawn("Actor", engine.SpawnParams{})
	var guests []*engine.Actor
	for range n {
		g := r.Spawn("Guest", engine.SpawnParams{})
		rig.Set(g, "Host", engine.Ref(host))
		guests = append(guests, g)
		if len(guests)%200 == 0 {
			r.Step(4)
		}
	}
	referring := func() (k int) {
		copied := p.Copy(host)
		for _, g := range guests {
			if c := p.Copy(g); c != nil && copied != nil && rig.Get(c, "Host").Ref == copied.ID() {
				k++
			}
		}
		return k
	}
	r.Run(2)
	if k := referring(); k != n {
		t.Fatalf("%d of %d refer to the actor: the test tests nothing", k, n)
	}
	rig.Set(host, "bOnlyRelevantToOwner", engine.Bool(true))
	r.Run(1)
	if p.Copy(host) != nil {
		t.Fatal("the actor is still there: the test tests nothing")
	}
	rig.Set(host, "bOnlyRelevantToOwner", engine.Bool(false))
	r.Run(2)
	if k := referring(); k != n {
		t.Errorf("%d of %d refer to the actor when it is back", k, n)
	}
}
