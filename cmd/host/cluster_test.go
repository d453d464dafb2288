package main

import (
	"log/slog"
	"testing"
	"time"

	"github.com/tidelock/tidelock/cmd/host/cluster/rig"
	"github.com/tidelock/tidelock/cmd/host/metrics"
	"github.com/tidelock/tidelock/cmd/host/nats"
	"github.com/tidelock/tidelock/engine"
)

// TestKeptInCluster: a host that starts while the servers are away plays and tells scripts that nothing was stored; it stores when they are
// there, and the next host has what scripts and the player have kept (C1, C2, C8).
func TestKeptInCluster(t *testing.T) {
	t.Parallel()
	r := rig.Start(t, 1, rig.Options{})
	log := slog.New(slog.DiscardHandler)
	host := func(play func(g *game, ann *engine.Actor)) {
		t.Helper()
		c, err := nats.Dial(nats.Options{Servers: r.URL(), OnlyThese: true, Log: log})
		must(t, err)
		others := &away{c}
		defer others.close(time.Second, log)
		banked(t, c.Store(nats.StoreOptions{}), others.Bus(), func(g *game, ann *engine.Actor) {
			defer g.Close()
			play(g, ann)
		})
	}
	figures := func(g *game) (f metrics.Figures) {
		g.Figures(&f)
		return f
	}
	r.Nodes[0].Kill()
	host(func(g *game, _ *engine.Actor) {
		if value(g.Game, "Answer").Str == "" {
			t.Error("a script is not told that nothing was stored")
		}
		if f := figures(g).Cluster; !f.In || f.Connected || f.Connects != 0 {
			t.Errorf("without servers: %+v", f)
		}
		r.Nodes[0].Start()
		got, asked := false, false
		stored := func() bool {
			if !asked {
				asked = true
				must(t, g.keeping.client.List("game", "", "", 10, func(_ []string, err error) { got, asked = err == nil, false }))
			}
			return got
		}
		if !g.keeping.await(stored, 30*time.Second) {
			t.Error("the store does not come back")
		}
		if f := figures(g).Cluster; !f.Connected || f.Connects != 1 {
			t.Errorf("with servers again: %+v", f)
		}
	})
	for i, want := range []float64{5, 25} {
		host(func(g *game, ann *engine.Actor) {
			if gold := value(ann, "Gold").Num; gold != want || i > 0 && value(g.Game, "Answer").Str != "" { // the first one may ask before its store is there
				t.Errorf("host %d: %v gold, want %v; scripts are told %q", i+1, gold, want, value(g.Game, "Answer").Str)
			}
			must(t, ann.Set(ann.Class.Property("Gold"), engine.Int(int(want)+20)))
			f := figures(g)
			if !f.Cluster.In || f.Cluster.Connects != 1 || f.Profiles.Held != 1 || f.Store.Took.Count() == 0 || f.Store.Records == 0 {
				t.Errorf("host %d: %+v, %+v, %+v", i+1, f.Cluster, f.Profiles, f.Store)
			}
		})
	}
}
