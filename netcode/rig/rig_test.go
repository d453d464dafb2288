package rig_test

import (
	"testing"
	"time"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/engine/geom"
	"github.com/tidelock/tidelock/netcode/client"
	"github.com/tidelock/tidelock/netcode/rig"
	"github.com/tidelock/tidelock/netcode/simlink"
)

func chest() *engine.ClassSpec {
	return &engine.ClassSpec{
		Name: "Chest", Parent: "Actor",
		Properties: []engine.PropertySpec{
			{Name: "Gold", Type: &engine.Type{Kind: engine.KindInt}},
			{Name: "Open", Type: &engine.Type{Kind: engine.KindBool}},
			{Name: "Label", Type: &engine.Type{Kind: engine.KindString}},
			{Name: "Friend", Type: &engine.Type{Kind: engine.KindRef}},
		},
		Rules: []engine.RuleSpec{{Names: []string{"Gold"}, Named: engine.CondOwnerOnly}, {Names: []string{"Open", "Label", "Friend"}}},
	}
}

func path(lag time.Duration, loss float64) simlink.Path {
	i := simlink.Impairment{Lag: lag, Loss: loss}
	return simlink.Path{Up: i, Down: i}
}

// A value set on the server reaches exactly those who may have it.
func TestValuesArrive(t *testing.T) {
	r := rig.New(chest()).Start()
	a, b := r.Join(path(50*time.Millisecond, 0.02)), r.Join(path(50*time.Millisecond, 0.02))
	r.Run(1)
	for _, p := range r.Peers {
		if p.State() != client.Playing {
			t.Fatalf("a client is %s: %v %v", p.State(), p.Reason(), r.Lines)
		}
	}
	c := r.Spawn("Chest", engine.SpawnParams{Location: geom.Vector{X: 100}, Owner: a.Controller()})
	set := func(name string, v engine.Value) {
		rig.Set(c, name, v)
	}
	set("Gold", engine.Int(7))
	set("Label", engine.String("treasure"))
	r.Run(1)
	for i, p := range []*rig.Peer{a, b} {
		k := p.Copy(c)
		if k == nil {
			t.Fatalf("client %d has no copy: %v", i, r.Lines)
		}
		if got := rig.Get(k, "Label").Str; got != "treasure" {
			t.Errorf("client %d: Label %q", i, got)
		}
		if want := []float64{7, 0}[i]; rig.Get(k, "Gold").Num != want {
			t.Errorf("client %d: Gold %v, want %v", i, rig.Get(k, "Gold").Num, want)
		}
		if k.Location.X != 100 {
			t.Errorf("client %d: at %v", i, k.Location)
		}
	}
	set("Gold", engine.Int(8))
	c.SetLocation(geom.Vector{X: 300, Y: 5})
	r.Run(1)
	if k := a.Copy(c); rig.Get(k, "Gold").Num != 8 || k.Location != (geom.Vector{X: 300, Y: 5}) {
		t.Errorf("after a change: %v at %v", rig.Get(k, "Gold").Num, k.Location)
	}
	d := r.Spawn("Chest", engine.SpawnParams{Location: geom.Vector{X: 900}})
	set("Friend", engine.Ref(d))
	r.Run(1)
	if k := b.Copy(c); rig.Get(k, "Friend").Ref != b.Copy(d).ID() {
		t.Errorf("a reference: %v", rig.Get(k, "Friend").Ref)
	}
	c.Destroy()
	n := len(b.World().ActorsOf("Chest"))
	r.Run(1)
	if m := len(b.World().ActorsOf("Chest")); n != 2 || m != 1 {
		t.Errorf("chests before %d and after %d destroying one", n, m)
	}
	if k := b.Copy(d); k == nil {
		t.Error("the other one went, too")
	}
	for _, l := range r.Lines {
		t.Log(l)
	}
}
