package tests

import (
	"testing"

	"github.com/tidelock/tidelock/cmd/host/assets"
	"github.com/tidelock/tidelock/cmd/host/assets/assetstest"
	"github.com/tidelock/tidelock/cmd/host/match"
	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/engine/geom"
	"github.com/tidelock/tidelock/engine/navigation"
	"github.com/tidelock/tidelock/scriptvm"
)

// openLevel is a match of the sample game in a level, with the scripts and content of the checkout.
func openLevel(t testing.TB, url string) *match.Match {
	t.Helper()
	a, sources := assetstest.Open(t, assets.Options{Root: ".."})
	m, err := match.Open(match.Options{Sources: sources, Content: a.Content(), URL: url, NetMode: engine.NMStandalone, Seed: 1, VM: scriptvm.Options{Cache: parsed}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(m.Close)
	return m
}

// TestLevelsOfTheSampleGame: every class and key that the levels name is known; a pawn fits every start and stands
// there; there is a way from every start to every other, to every pickup and back, and to where vehicles stand.
func TestLevelsOfTheSampleGame(t *testing.T) {
	for _, name := range []string{"arena", "estuary", "hub"} {
		t.Run(name, func(t *testing.T) {
			m := openLevel(t, name+"?game=GameInfo")
			for _, w := range m.Warnings {
				t.Error(w)
			}
			w := m.World
			g, err := navigation.Build(w, navigation.Options{})
			if err != nil {
				t.Fatal(err)
			}
			starts := w.ActorsOf("PlayerStart")
			first, _ := g.Nearest(starts[0].Location)
			big := 0
			for id := range g.Len() {
				if g.Component(navigation.NodeID(id)) == g.Component(first) {
					big++
				}
			}
			if big*100 < g.Len()*95 {
				t.Errorf("%d of %d nodes reach each other", big, g.Len())
			}
			// up is from the actor's middle to that of a pawn who stands there.
			ways := func(a *engine.Actor, up, radius float64) {
				at := a.Location.Add(geom.V(0, 0, up))
				for _, to := range [][2]geom.Vector{{starts[0].Location, at}, {at, starts[0].Location}} {
					p, ok := g.Path(to[0], to[1])
					if !ok {
						t.Errorf("%s: no way from %v to %v", a.Name, to[0], to[1])
						continue
					}
					if end := p.Steps[len(p.Steps)-1].To; p.Partial && end.Sub(to[1]).Size2D() > radius {
						t.Errorf("%s at %v: a way from %v ends at %v", a.Name, at, to[0], end)
					}
				}
			}
			for _, s := range starts {
				ways(s, 0, 1)
			}
			pickups := w.ActorsOf("Pickup")
			for _, p := range pickups {
				ways(p, 0, p.CollisionRadius)
			}
			for _, f := range w.ActorsOf("VehicleFactory") {
				ways(f, 28, 100)
			}
			t.Logf("%d starts, %d pickups, %d nodes, %d in the largest set", len(starts), len(pickups), g.Len(), big)
		})
	}
}
