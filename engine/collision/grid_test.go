package collision_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/tidelock/tidelock/engine/collision"
	"github.com/tidelock/tidelock/engine/geom"
)

func TestSweepBody(t *testing.T) {
	b := &collision.Body{Centre: geom.V(200, 0, 0), Radius: 34, HalfHeight: 88}
	g := collision.Gap
	cases := []struct {
		name       string
		start, end geom.Vector
		hit        bool
		fraction   float64
		normal     geom.Vector
	}{
		{"head on", geom.V(0, 0, 0), geom.V(264, 0, 0), true, (132 - g) / 264, geom.V(-1, 0, 0)},
		{"fast", geom.V(0, 0, 0), geom.V(1e5, 0, 0), true, (132 - g) / 1e5, geom.V(-1, 0, 0)},
		{"past", geom.V(0, 69, 0), geom.V(400, 69, 0), false, 0, geom.Vector{}},
		{"over", geom.V(0, 0, 177), geom.V(400, 0, 177), false, 0, geom.Vector{}},
		{"onto", geom.V(200, 0, 276), geom.V(200, 0, 76), true, (100 - g) / 200, geom.V(0, 0, 1)},
		{"up into", geom.V(200, 0, -276), geom.V(200, 0, -76), true, (100 - g) / 200, geom.V(0, 0, -1)},
		{"away from a touch", geom.V(132, 0, 0), geom.V(0, 0, 0), false, 0, geom.Vector{}},
		{"along a touch", geom.V(132, 0, 0), geom.V(132, 1, 0), false, 0, geom.Vector{}},
		{"into from a touch", geom.V(132, 0, 0), geom.V(133, 0, 0), true, 0, geom.V(-1, 0, 0)},
		{"out from inside", geom.V(150, 0, 0), geom.V(100, 0, 0), false, 0, geom.Vector{}},
		{"deeper", geom.V(150, 0, 0), geom.V(160, 0, 0), true, 0, geom.V(-1, 0, 0)},
		{"out of the very centre", geom.V(200, 0, 0), geom.V(210, 0, 0), false, 0, geom.Vector{}},
		{"standing on, walking", geom.V(200, 0, 176+g), geom.V(230, 0, 176+g), false, 0, geom.Vector{}},
	}
	for _, c := range cases {
		h, hit := collision.SweepBody(c.start, c.end, 34, 88, b)
		if hit != c.hit || hit && (!near(h.Fraction, c.fraction, 1e-9) || h.Normal.Distance(c.normal) > 1e-9) {
			t.Errorf("%s: %v %+v", c.name, hit, h)
		}
	}
}

// TestSweepBodyAgainstBruteForce: free where it says so, and stopped no earlier than it must be.
func TestSweepBodyAgainstBruteForce(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	depth := func(p geom.Vector, rad, h float64, b *collision.Body) float64 {
		d, _ := collision.Overlap(&collision.Body{Centre: p, Radius: rad, HalfHeight: h}, b)
		return d
	}
	hits := 0
	for range 20000 {
		b := &collision.Body{Centre: random(r, 20), Radius: r.Float64() * 60, HalfHeight: r.Float64() * 60}
		rad, h := r.Float64()*40, r.Float64()*60
		start, end := random(r, 250), random(r, 150)
		if r.IntN(8) == 0 {
			end.X, end.Y = start.X, start.Y
		}
		if depth(start, rad, h, b) > 0 {
			continue
		}
		hit, blocked := collision.SweepBody(start, end, rad, h, b)
		stop := end
		if blocked {
			hits++
			stop = hit.Location
		}
		for i := range 100 {
			if d := depth(start.Lerp(stop, float64(i)/99), rad, h, b); d > 1e-6 {
				t.Fatalf("%g uu deep at %d/99: %+v", d, i, hit)
			}
		}
		if blocked && hit.Fraction > 0 && depth(stop, rad+0.05, h+0.05, b) <= 0 {
			t.Fatalf("stops in free space: %+v from %v to %v, %g %g, at %+v", hit, start, end, rad, h, b)
		}
	}
	if hits < 1000 {
		t.Fatalf("%d hits", hits)
	}
}

// TestGridAgainstList: after any history the grid answers as a plain list does.
func TestGridAgainstList(t *testing.T) {
	r := rand.New(rand.NewPCG(13, 14))
	g := collision.NewGrid(2)
	list := map[int32]collision.Body{}
	body := func() collision.Body {
		b := collision.Body{Centre: random(r, 3000), Radius: r.Float64() * 80, HalfHeight: r.Float64() * 100, Mask: 1 << r.IntN(2)}
		if r.IntN(20) == 0 {
			b.Radius *= math.Pow(2, float64(r.IntN(10)))
		}
		return b
	}
	var got []int32
	var hits []collision.BodyHit
	for step := range 8000 {
		id := int32(1 + r.IntN(400))
		b, there := list[id]
		switch op := r.IntN(8); {
		case op < 2 || !there:
			b = body()
			g.Insert(id, b)
			list[id] = b
		case op < 5:
			b.Centre = b.Centre.Add(random(r, 200))
			g.Move(id, b.Centre)
			list[id] = b
		case op == 5:
			b.Radius, b.HalfHeight = r.Float64()*300, 40
			g.Resize(id, b.Radius, b.HalfHeight)
			list[id] = b
		case op == 6:
			b.Mask = 3
			g.Insert(id, b)
			list[id] = b
		default:
			g.Remove(id)
			delete(list, id)
		}
		if step%8 != 0 {
			continue
		}
		if g.Len() != len(list) {
			t.Fatalf("%d bodies, want %d", g.Len(), len(list))
		}
		box := geom.BoundsAround(random(r, 3000), geom.V(1, 1, 1).Mul(r.Float64()*1000))
		mask := uint32(1 + r.IntN(3))
		probe := collision.Body{Centre: random(r, 3000), Radius: 100, HalfHeight: 100, Mask: mask}
		start, end := random(r, 3000), random(r, 3000)
		var want, wantOver []int32
		first := collision.BodyHit{Fraction: 1, Location: end}
		n := 0
		for id := int32(1); id <= 400; id++ {
			b, ok := list[id]
			if !ok || b.Mask&mask == 0 {
				continue
			}
			if b.Bounds().Overlaps(box) {
				want = append(want, id)
			}
			if d, _ := collision.Overlap(&probe, &b); d > 1e-3 {
				wantOver = append(wantOver, id)
			}
			if h, hit := collision.SweepBody(start, end, 34, 88, &b); hit {
				n++
				if h.Fraction < first.Fraction || first.ID == 0 {
					first = h
					first.ID = id
				}
			}
		}
		if got = g.AppendBodies(got[:0], box, mask); !slices.Equal(got, want) {
			t.Fatalf("step %d: %v, want %v", step, got, want)
		}
		if got = g.AppendOverlaps(got[:0], probe); !slices.Equal(got, wantOver) {
			t.Fatalf("step %d: %v, want %v", step, got, wantOver)
		}
		if h := g.Sweep(start, end, 34, 88, mask, 0, nil); h != first {
			t.Fatalf("step %d: %+v, want %+v", step, h, first)
		}
		if hits = g.AppendHits(hits[:0], start, end, 34, 88, mask, 0); len(hits) != n || n > 0 && hits[0] != first {
			t.Fatalf("step %d: %d hits, want %d", step, len(hits), n)
		}
		if first.ID != 0 {
			if h := g.Sweep(start, end, 34, 88, mask, first.ID, nil); h.ID == first.ID {
				t.Fatal("ignore")
			}
			if h := g.Sweep(start, end, 34, 88, mask, 0, func(id int32) bool { return id == first.ID }); h.ID == first.ID {
				t.Fatal("skip")
			}
		}
	}
}

func TestGridLine(t *testing.T) {
	g := collision.NewGrid(2)
	g.Insert(1, collision.Body{Centre: geom.V(100, 0, 0), Radius: 10, HalfHeight: 10, Mask: 1})
	g.Insert(2, collision.Body{Centre: geom.V(200, 0, 0), Radius: 10, HalfHeight: 10, Mask: 1})
	if h := g.Line(geom.V(0, 0, 0), geom.V(360, 0, 0), 1, 0, nil); h.ID != 1 || h.Fraction != 0.25 {
		t.Errorf("%+v", h)
	}
	if h := g.Line(geom.V(0, 0, 0), geom.V(380, 0, 0), 1, 1, nil); h.ID != 2 || h.Fraction != 0.5 {
		t.Errorf("%+v", h)
	}
	if b, ok := g.Get(2); !ok || b.Radius != 10 {
		t.Error("Get")
	}
	if _, ok := g.Get(3); ok {
		t.Error("Get of nothing")
	}
}
