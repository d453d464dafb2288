package collision_test

import (
	"math"
	"math/rand/v2"

	"github.com/tidelock/tidelock/engine/collision"
	"github.com/tidelock/tidelock/engine/geom"
)

func random(r *rand.Rand, half float64) geom.Vector {
	return geom.V((r.Float64()*2-1)*half, (r.Float64()*2-1)*half, (r.Float64()*2-1)*half)
}

// randomHull is the solid behind planes that touch a sphere, some of them axial, some nearly so.
func randomHull(r *rand.Rand, at geom.Vector, size float64) collision.Hull {
	for {
		var planes []collision.Plane
		for range 4 + r.IntN(9) {
			n := random(r, 1).Normal()
			switch r.IntN(4) {
			case 0:
				n = [3]geom.Vector{{X: 1}, {Y: 1}, {Z: 1}}[r.IntN(3)].Mul(float64(r.IntN(2)*2 - 1))
			case 1:
				n.Z = 0
				n = n.Normal()
			}
			planes = append(planes, collision.Plane{Normal: n, Dist: n.Dot(at) + size*(0.3+r.Float64())})
		}
		if h, err := collision.NewHull(planes); err == nil && h.Bounds.Extent().Size() < 8*size {
			return h
		}
	}
}

// meets says whether a box and a hull share volume, by building the solid that they share: no bevels, no
// Minkowski sum. It is built 200 times as large, so that corners of a few hundredths count.
func meets(h *collision.Hull, faces int, centre, half geom.Vector) bool {
	const scale = 200
	var planes []collision.Plane
	for _, p := range h.Planes[:faces] {
		planes = append(planes, collision.Plane{Normal: p.Normal, Dist: -p.Height(centre) * scale})
	}
	for _, n := range []geom.Vector{{X: 1}, {Y: 1}, {Z: 1}} {
		reach := n.Dot(half) * scale
		planes = append(planes, collision.Plane{Normal: n, Dist: reach}, collision.Plane{Normal: n.Neg(), Dist: reach})
	}
	_, err := collision.NewHull(planes)
	return err == nil
}

// realFaces counts the planes before the bevels: each has a face.
func realFaces(h *collision.Hull) int { return len(h.Faces) }

func near(a, b, tolerance float64) bool { return math.Abs(a-b) <= tolerance }
