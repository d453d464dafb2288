package inspect_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/tidelock/tidelock/cmd/host/assets/assetstest"
	"github.com/tidelock/tidelock/cmd/host/inspect"
	"github.com/tidelock/tidelock/cmd/host/match"
	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/engine/geom"
)

// TestCast: readings one after another list the actors that there are, in their order; whatever moves is where it is, and what rests is told right by the fifth.
func TestCast(t *testing.T) {
	a, sources := assetstest.Shipped(t)
	m, err := match.Open(match.Options{Sources: sources, Content: a.Content(), URL: "arena?game=DeathMatch?bots=4", NetMode: engine.NMDedicatedServer, Seed: 3})
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	var cast inspect.Cast
	var buf []inspect.Actor
	rng := rand.New(rand.NewPCG(1, 2))
	wrong := map[int64]int{} // readings in a row in which an actor was not told as it is
	for range 120 {
		for range 6 {
			m.World.Step(1.0 / 60)
		}
		if rng.IntN(3) == 0 { // something at rest is put elsewhere, or is gone
			all := m.World.ActorsOf("Actor")
			if x := all[rng.IntN(len(all))]; x.Class.Name == "Crate" || x.Class.IsA("Pickup") {
				if rng.IntN(2) == 0 {
					x.Destroy()
				} else {
					x.SetLocation(x.Location.Add(geom.Vector{Z: 8}))
				}
			}
		}
		buf = cast.Actors(m.World, buf)
		now := inspect.Actors(m.World, nil)
		id := func(x inspect.Actor) int64 { return x.ID }
		if got, want := ids(buf, id), ids(now, id); !slices.Equal(got, want) {
			t.Fatalf("listed %v, expected %v", got, want)
		}
		for i := range now {
			got, want := buf[i], now[i]
			got.Home, want.Home = nil, nil
			if got == want {
				delete(wrong, want.ID)
				continue
			}
			if wrong[want.ID]++; want.Pawn || wrong[want.ID] >= 5 {
				t.Fatalf("%s is told as %s", fmt.Sprint(want), fmt.Sprint(got))
			}
		}
	}
}

func ids[T any, I int64 | uint32](list []T, of func(T) I) (out []I) {
	for _, x := range list {
		out = append(out, of(x))
	}
	return out
}
