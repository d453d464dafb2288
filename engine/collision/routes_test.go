package collision_test

import (
	"os"
	"testing"

	"github.com/tidelock/tidelock/engine/collision"
	"github.com/tidelock/tidelock/engine/geom"
	"github.com/tidelock/tidelock/engine/level"
)

// TestRoutes walks the ways that the levels were built for: each is a line of places to run to (feet height in
// z), jumping where J is set on the way to it.
func TestRoutes(t *testing.T) {
	type stop struct {
		x, y, z float64
		jump    bool
	}
	const J = true
	routes := []struct {
		level, name string
		stops       []stop
	}{
		{"steps", "stairs", []stop{{0, -1600, 0, false}, {1300, -1600, 256, false}}},
		{"steps", "30° ramp", []stop{{0, -800, 0, false}, {1300, -800, 256, false}}},
		{"steps", "ledge by jumping", []stop{{400, 800, 0, false}, {800, 800, 40, J}}},
		{"arena", "dais by its stairs", []stop{{720, 0, 0, false}, {0, 0, 128, false}}},
		{"arena", "dais by its ramp", []stop{{0, 900, 0, false}, {0, 0, 128, false}}},
		{"arena", "balcony by its stairs", []stop{{-1800, 1800, 0, false}, {-1880, 1640, 0, false}, {-1880, 600, 448, false}}},
		{"arena", "over the bridge", []stop{{-1700, 0, 448, false}, {-260, -72, 448, false}, {240, -72, 448, false}, {1700, 0, 448, false}}},
		{"arena", "through the hole to the prize", []stop{{-600, 0, 448, false}, {0, 0, 128, false}}},
		{"arena", "platform by its ramp", []stop{{-1100, 1700, 0, false}, {0, 1700, 256, false}}},
		{"arena", "platform by the crates", []stop{{1000, 1560, 0, false}, {832, 1560, 80, J}, {704, 1560, 160, J}, {560, 1560, 240, J}, {0, 1560, 256, false}}},
		{"arena", "into the alcove", []stop{{0, 1200, 0, false}, {0, 1800, 0, false}}},
		{"arena", "balcony to island to platform", []stop{{-1500, 650, 448, false}, {-920, 980, 352, J}, {-400, 1500, 256, J}}},
	}
	for _, route := range routes {
		src, err := os.ReadFile("../../content/levels/" + route.level + ".map")
		if err != nil {
			t.Fatal(err)
		}
		lv, err := level.Parse(route.level, src, level.Options{})
		if err != nil {
			t.Fatal(err)
		}
		w := walker{q: collision.Query{World: collision.NewWorld(lv.Solids())}, half: pawn}
		first := route.stops[0]
		w.at = geom.V(first.x, first.y, first.z+88)
	stops:
		for i, s := range route.stops[1:] {
			for tick := range 600 {
				d := geom.V(s.x-w.at.X, s.y-w.at.Y, 0)
				if d.Size() < 12 && w.grounded {
					if feet := w.at.Z - 88; feet < s.z-1 || feet > s.z+1 {
						t.Errorf("%s, %s: at stop %d the feet are at %g, want %g", route.level, route.name, i+1, feet, s.z)
						break stops
					}
					continue stops
				}
				// Jump at an edge or against something: when a step ahead the floor is gone or blocked.
				dir := d.Normal()
				ahead := w.at.MulAdd(dir, 10)
				at := w.q.Sweep(w.at, ahead, w.half, none)
				gone := !w.q.Sweep(ahead, ahead.Add(geom.V(0, 0, -stepUp)), w.half, none).Blocked()
				w.tick(dir.Mul(min(440, d.Size()/dt)), s.jump && (at.Blocked() || gone))
				if tick == 599 {
					t.Errorf("%s, %s: stop %d not reached from %v", route.level, route.name, i+1, w.at)
					break stops
				}
			}
		}
	}
}
