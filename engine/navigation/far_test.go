package navigation

import (
	"testing"
	"time"

	"github.com/tidelock/tidelock/engine/geom"
)

// TestSearchesEndForFarPlaces: to a place so far away that its distance overflows, or a stride is lost in rounding, a walk ends
// (G7). The bound is a thousand times what the searches take.
func TestSearchesEndForFarPlaces(t *testing.T) {
	g := build(t, content(t, "steps"))
	home := g.Node(0).Location
	for _, at := range []geom.Vector{{X: 1e200}, {Y: -1e155}, {X: 1e17, Y: 1e17}, {Z: 1e300}, {X: 5e-324}} {
		done := make(chan struct{})
		go func() {
			defer close(done)
			g.Nearest(at)
			g.Path(home, at)
			g.Path(at, home)
		}()
		select {
		case <-done:
		case <-time.After(30 * time.Second):
			t.Fatalf("a search for %v does not end", at)
		}
	}
}
