package server_test

import (
	"slices"
	"testing"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/engine/geom"
	"github.com/tidelock/tidelock/netcode/rig"
	"github.com/tidelock/tidelock/netcode/simlink"
)

// TestWaitingDoesNotPileUp: a variable that names ever new actors which the client does not have waits for the last only
// (R5.13).
func TestWaitingDoesNotPileUp(t *testing.T) {
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
		b := r.Spawn("Guest", engine.SpawnParams{Location: geom.Vector{X: 1e6}})
		rig.Set(a, "Friend", engine.Ref(b))
		list := slices.Repeat([]engine.Value{{Kind: engine.KindRef}}, 4)
		list[n%4] = engine.Ref(b)
		rig.Set(a, "Friends", engine.Value{Kind: engine.KindArray, List: list})
		r.Step(2)
		if last != nil {
			last.Destroy()
		}
		last = b
	}
	if n := r.Server.ConnectionOf(p.Controller()).Awaiting(); n > 200 {
		t.Errorf("%d wait", n)
	}
	last.SetLocation(geom.Vector{X: 10})
	r.Run(0.5)
	k := p.Copy(a)
	if b := p.Copy(last); b == nil || rig.Get(k, "Friend").Ref != b.ID() || rig.Get(k, "Friends").List[4999%4].Ref != b.ID() {
		t.Error("what waited was not set")
	}
}
