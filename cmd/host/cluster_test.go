package main

import (
	"log/slog"
	"testing"
	"time"

	"github.com/tidelock/tidelock/cmd/host/cluster/rig"
	"github.com/tidelock/tidelock/cmd/host/metrics"
	"github.com/tidelock/tidelock/cmd/host/nats"
	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/engine/bus"
)

// TestKeptInCluster: what a player has on one host of a cluster is there on the next one, and so is what scripts store. A host that
// starts while the servers are away plays, and stores when they are there (C1, C2, C8).
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
	for i, want := range []float64{5, 25} {
		host(func(g *game, ann *engine.Actor) {
			if gold := value(ann, "Gold").Num; gold != want {
				t.Errorf("host %d: %v gold, want %v", i+1, gold, want)
			}
			if visits := value(g.Game, "Visits").Num; i > 0 && visits == 0 || value(g.Game, "Answer").Str != "" && i > 0 {
				t.Errorf("host %d: %v visits, %q", i+1, visits, value(g.Game, "Answer").Str)
			}
			must(t, ann.Set(ann.Class.Property("Gold"), engine.Int(int(want)+20)))
			var f metrics.Figures
			g.Figures(&f)
			if !f.Cluster.In || !f.Cluster.Connected || f.Cluster.Connects != 1 || f.Profiles.Held != 1 || f.Store.Took.Count() == 0 || f.Store.Records == 0 {
				t.Errorf("host %d: %+v, %+v, %+v", i+1, f.Cluster, f.Profiles, f.Store)
			}
			came := make(chan bus.Message, 1)
			cancel, err := g.keeping.cluster.Bus.Subscribe("x", "", func(m bus.Message) { came <- m })
			must(t, err)
			defer cancel()
			must(t, g.keeping.cluster.Bus.Publish(bus.Message{Subject: "x", Data: []byte("hello")}))
			if m := <-came; string(m.Data) != "hello" {
				t.Errorf("%q", m.Data)
			}
			if g.Figures(&f); f.Cluster.MessagesIn == 0 || f.Cluster.MessagesOut == 0 {
				t.Errorf("host %d: %+v", i+1, f.Cluster)
			}
		})
	}
	r.Nodes[0].Kill()
	host(func(g *game, _ *engine.Actor) {
		if answer := value(g.Game, "Answer").Str; answer == "" {
			t.Error("a script is not told that nothing was stored")
		}
		var f metrics.Figures
		if g.Figures(&f); !f.Cluster.In || f.Cluster.Connected || f.Cluster.Connects != 0 {
			t.Errorf("without servers: %+v", f.Cluster)
		}
		r.Nodes[0].Start()
		got, asked := false, false
		back := func() bool {
			if !asked {
				asked = true
				err := g.keeping.client.List("game", "", "", 10, func(keys []string, err error) { got, asked = err == nil && len(keys) > 0, false })
				must(t, err)
			}
			return got
		}
		if !g.keeping.await(back, 30*time.Second) {
			t.Error("the store does not come back")
		}
		if g.Figures(&f); !f.Cluster.Connected || f.Cluster.Connects != 1 {
			t.Errorf("with servers again: %+v", f.Cluster)
		}
	})
}
