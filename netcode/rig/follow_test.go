package rig_test

import (
	"math"
	"strings"
	"testing"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/engine/level"
	"github.com/tidelock/tidelock/netcode/rig"
	"github.com/tidelock/tidelock/netcode/simlink"
	"github.com/tidelock/tidelock/netcode/traffic"
)

// gate is part of the level and sleeps from the beginning.
func gate(width int) *engine.ClassSpec {
	return &engine.ClassSpec{
		Name: "Gate", Parent: "Actor",
		Properties: []engine.PropertySpec{{Name: "Width", Type: &engine.Type{Kind: engine.KindInt}, Default: engine.Int(width)}},
		Rules:      []engine.RuleSpec{{Names: []string{"Width"}}},
		Defaults: []engine.DefaultSpec{
			{Name: "bNoDelete", Value: engine.Bool(true)}, {Name: "bAlwaysRelevant", Value: engine.Bool(true)}, {Name: "NetDormancy", Value: engine.Int(int(engine.DormInitial))},
		},
	}
}

// TestDefaultsOfTheLevelFollow: a client's own copy of what is in the level follows a changed default by itself; the server
// says nothing of it (R4.7), neither to it nor to who joins later, and goes on from there.
func TestDefaultsOfTheLevelFollow(t *testing.T) {
	r := rig.New(gate(100))
	r.Level = &level.Level{Name: "gates", Scale: 1, Gravity: math.NaN(), KillZ: math.NaN(), Entities: []level.Entity{
		{ClassName: "Gate", Keys: level.Keys{{Name: "targetname", Value: "plain"}}},
		{ClassName: "Gate", Keys: level.Keys{{Name: "targetname", Value: "narrow"}, {Name: "Width", Value: "80"}}},
	}}
	r.Start()
	path := simlink.Path{}
	join := func() *rig.Peer {
		p := r.Join(path)
		for range 100 {
			if r.Step(2); p.Controller() != nil {
				break
			}
		}
		r.Run(1)
		return p
	}
	width := func(w *engine.World, name string) float64 {
		a := w.ActorByLevelName(name)
		return rig.Get(a, "Width").Num
	}
	bytes := func(p *rig.Peer) (n uint64) {
		r.Server.ConnectionOf(p.Controller()).Traffic.Each(func(_ traffic.Kind, name string, e traffic.Entry) {
			if strings.HasPrefix(name, "Gate") {
				n += e.Bytes
			}
		})
		return n
	}
	early := join()
	r.Reload(gate(300))
	r.Run(1)
	late := join()
	for _, p := range []*rig.Peer{early, late} {
		w := p.World()
		if width(w, "plain") != 300 || width(w, "narrow") != 80 {
			t.Errorf("a client has %v and %v, want 300 and 80", width(w, "plain"), width(w, "narrow"))
		}
		if n := bytes(p); n != 0 {
			t.Errorf("%d bytes went about what sleeps", n)
		}
	}
	plain := r.World.ActorByLevelName("plain")
	rig.Set(plain, "Width", engine.Int(100))
	r.Run(1)
	for _, p := range []*rig.Peer{early, late} {
		if got := width(p.World(), "plain"); got != 100 {
			t.Errorf("after it was set a client has %v, want 100", got)
		}
	}
}
