package rig_test

import (
	"testing"
	"time"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/engine/geom"
	"github.com/tidelock/tidelock/netcode/rig"
	"github.com/tidelock/tidelock/netcode/server"
	"github.com/tidelock/tidelock/netcode/simlink"
)

// TestJoinOwesNothing: who has fetched much over a way that loses gets their first actors at once: what was sent twice of
// the files is not taken off the budget (R4.1).
func TestJoinOwesNothing(t *testing.T) {
	r := rig.New(blob())
	r.Weight = 200_000
	r.Config = server.Config{Limits: server.Limits{Budget: 2600}}
	r.Start()
	const blobs = 5
	for i := range blobs {
		r.Spawn("Blob", engine.SpawnParams{Location: geom.Vector{X: 300, Y: float64(50 * i)}})
	}
	way := simlink.Impairment{Lag: 50 * time.Millisecond, Loss: 0.2}
	p := r.Join(simlink.Path{Up: way, Down: way})
	in := func() bool {
		n := 0
		r.Server.Connections(func(*server.Conn) { n++ })
		return n == 1
	}
	for !in() {
		if r.Step(1); r.Now > 30*time.Second {
			t.Fatal("not in within 30 s: ", r.Lines, p.Lines)
		}
	}
	from := r.Now
	for p.World() == nil || len(p.World().ActorsOf("Blob")) < blobs {
		if r.Step(1); r.Now-from > 3*time.Second {
			t.Fatalf("%v after it came in the player has not seen %d actors, at a round trip of 100 ms", r.Now-from, blobs)
		}
	}
	t.Logf("in after %.1f s, and %v later %d actors", from.Seconds(), r.Now-from, blobs)
}
