package collision_test

import (
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/tidelock/tidelock/engine/collision"
	"github.com/tidelock/tidelock/engine/geom"
)

func TestBoxHull(t *testing.T) {
	b := geom.Bounds{Min: geom.V(-10, -20, -30), Max: geom.V(10, 20, 30)}
	h := collision.BoxHull(b)
	if len(h.Vertices) != 8 || len(h.Faces) != 6 || len(h.Planes) != 6 || h.Bounds != b {
		t.Fatalf("%d vertices, %d faces, %d planes, bounds %v", len(h.Vertices), len(h.Faces), len(h.Planes), h.Bounds)
	}
}

func TestHullsThatAreNone(t *testing.T) {
	box := collision.BoxHull(geom.Bounds{Max: geom.V(8, 8, 8)}).Planes
	cases := []struct {
		name   string
		planes []collision.Plane
		err    error
	}{
		{"nothing", nil, collision.ErrEmpty},
		{"a face missing", box[:5], collision.ErrOpen},
		{"two faces", box[:2], collision.ErrOpen},
		{"a slab without thickness", append(box[:5:5], collision.Plane{Normal: geom.V(0, 0, -1), Dist: -8}), collision.ErrEmpty},
		{"inside out", append(box[:5:5], collision.Plane{Normal: geom.V(0, 0, -1), Dist: -9}), collision.ErrEmpty},
		{"too many faces", make([]collision.Plane, collision.MaxFaces+1), collision.ErrFaces},
	}
	for _, c := range cases {
		if _, err := collision.NewHull(c.planes); !errors.Is(err, c.err) {
			t.Errorf("%s: %v, want %v", c.name, err, c.err)
		}
	}
	// Doubled and superfluous planes change nothing.
	more := append(append([]collision.Plane{}, box...), box[0], collision.Plane{Normal: geom.V(1, 0, 0), Dist: 9},
		collision.Plane{Normal: geom.V(1, 1, 0).Normal(), Dist: 100})
	h, err := collision.NewHull(more)
	if err != nil || len(h.Planes) != 6 || len(h.Vertices) != 8 {
		t.Errorf("superfluous planes: %v, %d planes", err, len(h.Planes))
	}
}

// TestHullIsConsistent: corners lie behind every plane, every plane touches one, windings run clockwise from
// outside.
func TestHullIsConsistent(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		h := randomHull(r, random(r, 1000), 50)
		for i, p := range h.Planes {
			most := -1e9
			for _, v := range h.Vertices {
				most = max(most, p.Height(v))
			}
			if !near(most, 0, 0.011) {
				t.Fatalf("plane %d of %d is %g off the corners", i, len(h.Planes), most)
			}
		}
		for i, f := range h.Faces {
			w := f.Winding
			for k := range w {
				a, b, c := w[k], w[(k+1)%len(w)], w[(k+2)%len(w)]
				if turn := a.Sub(b).Cross(c.Sub(b)); turn.Size() > 1 && turn.Normal().Dot(h.Planes[i].Normal) < 0.9 {
					t.Fatalf("face %d turns the wrong way", i)
				}
			}
		}
		m := h.Translate(geom.V(1, 2, 3))
		if m.Bounds != h.Bounds.Translate(geom.V(1, 2, 3)) || !near(m.Planes[0].Height(m.Vertices[0]), h.Planes[0].Height(h.Vertices[0]), 1e-9) {
			t.Fatal("Translate")
		}
	}
}
