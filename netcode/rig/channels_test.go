package rig_test

import (
	"math/rand/v2"
	"testing"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/engine/geom"
	"github.com/tidelock/tidelock/netcode/link"
	"github.com/tidelock/tidelock/netcode/rig"
	"github.com/tidelock/tidelock/netcode/server"
	"github.com/tidelock/tidelock/netcode/simlink"
)

// TestChannels: Channels, which is kept and not counted, is the number of channels that are open, whatever opens and closes them: actors that
// come, go, move out of sight, become dormant and are torn off, players who come and leave, and loss.
func TestChannels(t *testing.T) {
	number := &engine.Type{Kind: engine.KindInt}
	r := rig.New(
		&engine.ClassSpec{Name: "Blob", Parent: "Actor", Properties: []engine.PropertySpec{{Name: "A", Type: number}}, Rules: []engine.RuleSpec{{Names: []string{"A"}}}},
		&engine.ClassSpec{Name: "Brief", Parent: "Blob", Defaults: []engine.DefaultSpec{{Name: "bNetTemporary", Value: engine.Bool(true)}}},
		&engine.ClassSpec{Name: "Known", Parent: "Blob", Defaults: []engine.DefaultSpec{{Name: "bAlwaysRelevant", Value: engine.Bool(true)}}},
	)
	r.Start()
	rng := rand.New(rand.NewPCG(5, 6))
	var blobs []*engine.Actor
	most, fewest := 0, 1<<30
	for step := range 1500 {
		if step%100 == 0 && step < 500 {
			r.Join(simlink.Symmetric(simlink.Impairment{Loss: 0.05}))
		}
		if step == 900 {
			r.Peers[1].Leave(link.Reason{Code: "left"})
		}
		switch {
		case len(blobs) < 30 || rng.IntN(12) == 0:
			class := []string{"Blob", "Brief", "Known"}[rng.IntN(3)]
			blobs = append(blobs, r.Spawn(class, engine.SpawnParams{Location: geom.V(rng.Float64()*2000, 0, 0)}))
		case len(blobs) > 60 || rng.IntN(6) == 0:
			i := rng.IntN(len(blobs))
			blobs[i].Destroy()
			blobs[i] = blobs[len(blobs)-1]
			blobs = blobs[:len(blobs)-1]
		}
		a := blobs[rng.IntN(len(blobs))]
		switch rng.IntN(4) {
		case 0:
			rig.Set(a, "A", engine.Int(step))
		case 1:
			a.SetLocation(geom.V(rng.Float64()*30000, 0, 0))
		case 2:
			a.NetDormancy = []engine.Dormancy{engine.DormAwake, engine.DormDormantAll}[rng.IntN(2)]
			a.FlushNetDormancy()
		case 3:
			a.BHidden = !a.BHidden
		}
		r.Step(1)
		r.Server.Connections(func(c *server.Conn) {
			n := 0
			r.Server.EachCopy(c, func(x server.Copy) {
				if x.State == server.CopyOpen {
					n++
				}
			})
			if got := c.Channels(); got != n {
				t.Fatalf("step %d: connection %d has %d open channels, Channels is %d", step, c.ID, n, got)
			}
			most, fewest = max(most, n), min(fewest, n)
		})
	}
	if most < 15 || fewest > 10 {
		t.Errorf("between %d and %d channels: the test tests little", fewest, most)
	}
}
