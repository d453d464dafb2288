package rig_test

import (
	"testing"
	"time"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/engine/geom"
	"github.com/tidelock/tidelock/netcode/rig"
)

// TestJoinOwesNothing: who has fetched much over a way that loses gets their first actors at once: what was sent twice of
// the files is not taken off the budget (R4.1).
func TestJoinOwesNothing(t *testing.T) {
	o := newParty(func(r *rig.Rig) { r.Weight, r.Config.Limits.Budget = 200_000, 2600 })
	const blobs = 5
	for i := range blobs {
		o.Spawn("Blob", engine.SpawnParams{Location: geom.Vector{X: 300, Y: float64(50 * i)}})
	}
	p := o.Join(path(50*time.Millisecond, 0.2))
	for o.connections() == 0 {
		if o.Step(1); o.Now > 30*time.Second {
			t.Fatal("not in within 30 s: ", o.Lines, p.Lines)
		}
	}
	from := o.Now
	for p.World() == nil || len(p.World().ActorsOf("Blob")) < blobs {
		if o.Step(1); o.Now-from > 3*time.Second {
			t.Fatalf("%v after it came in the player has not seen %d actors, at a round trip of 100 ms", o.Now-from, blobs)
		}
	}
}
