package client_test

import (
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
		if err := a.Set(a.Class.Property("Friend"), engine.Ref(b)); err != nil {
			t.Fatal(err)
		}
		list := engine.Value{Kind: engine.KindArray, List: make([]engine.Value, 4)}
		for i := range list.List {
			list.List[i] = engine.Value{Kind: engine.KindRef}
			if i == n%4 {
				list.List[i] = engine.Ref(b)
			}
		}
		if err := a.Set(a.Class.Property("Friends"), list); err != nil {
			t.Fatal(err)
		}
		if err := b.Set(b.Class.Property("Friend"), engine.Ref(a)); err != nil {
			t.Fatal(err)
		}
		r.Step(2)
		if last != nil {
			last.Destroy()
		}
		last = b
	}
	r.Run(0.5)
	if k := p.Copy(a); k == nil || k.Get(k.Class.Property("Friend")).Ref != p.Copy(last).ID() {
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
		if err := g.Set(g.Class.Property("Host"), engine.Ref(host)); err != nil {
			t.Fatal(err)
		}
		guests = append(guests, g)
		if len(guests)%200 == 0 {
			r.Step(4)
		}
	}
	referring := func() (k int) {
		copied := p.Copy(host)
		for _, g := range guests {
			if c := p.Copy(g); c != nil && copied != nil && c.Get(c.Class.Property("Host")).Ref == copied.ID() {
				k++
			}
		}
		return k
	}
	r.Run(2)
	if k := referring(); k != n {
		t.Fatalf("%d of %d refer to the actor: the test tests nothing", k, n)
	}
	relevant := func(on bool) { _ = host.Set(host.Class.Property("bOnlyRelevantToOwner"), engine.Bool(!on)) }
	relevant(false)
	r.Run(1)
	if p.Copy(host) != nil {
		t.Fatal("the actor is still there: the test tests nothing")
	}
	relevant(true)
	r.Run(2)
	if k := referring(); k != n {
		t.Errorf("%d of %d refer to the actor when it is back", k, n)
	}
}
