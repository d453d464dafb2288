package rig_test

import (
	"math"
	"strings"
	"testing"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/engine/level"
	"github.com/tidelock/tidelock/netcode/rig"
	"github.com/tidelock/tidelock/netcode/server"
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
	join := func() *rig.Peer {
		p := r.Join(simlink.Path{})
		r.Run(2)
		return p
	}
	early := join()
	r.Reload(gate(300))
	r.Run(1)
	late := join()
	expect := func(plain float64) {
		t.Helper()
		for _, p := range []*rig.Peer{early, late} {
			for name, want := range map[string]float64{"plain": plain, "narrow": 80} { // any order: each on its own
				if got := rig.Get(p.World().ActorByLevelName(name), "Width").Num; got != want {
					t.Errorf("a client's %s gate has the width %v, want %v", name, got, want)
				}
			}
		}
	}
	expect(300)
	r.Server.Connections(func(c *server.Conn) {
		c.Traffic.Each(func(_ traffic.Kind, name string, e traffic.Entry) {
			if strings.HasPrefix(name, "Gate") && e.Bytes > 0 {
				t.Errorf("%d bytes went about %s, which sleeps", e.Bytes, name)
			}
		})
	})
	rig.Set(r.World.ActorByLevelName("plain"), "Width", engine.Int(100))
	r.Run(1)
	expect(100)
}
