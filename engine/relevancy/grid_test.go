package relevancy

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/tidelock/tidelock/engine/geom"
	"github.com/tidelock/tidelock/tests/tier"
)

// reaching is what a new watch finds, by numbers.
func (g *grid) reaching(from geom.Vector, out []int32) []int32 {
	w := Watch{of: g}
	w.build(&Search{}, from)
	for k, i := 0, int32(0); k < len(w.blocks); k++ {
		for b := &w.blocks[k]; i < b.end; i++ {
			if e := &w.entries[i]; w.reaches(b, e, from, float32(g.layers[b.layer].drift+gridSlack)) {
				out = append(out, e.say)
			}
		}
	}
	return out
}

// Whatever is put, moved and taken out, the grid finds exactly what reaches a place (R3.8).
func TestGridAgainstBruteForce(t *testing.T) {
	tier.Check(t, func(t *rapid.T) {
		type entry struct {
			at    geom.Vector
			reach float64
		}
		var g grid
		all := map[int32]entry{}
		r := rand.New(rand.NewPCG(1, 2))
		for n := int32(100); n < 500; n++ { // so many cells that a search picks its own
			e := entry{geom.V(r.Float64()*20000-10000, r.Float64()*20000-10000, 0), []float64{700, 1500, 3000}[n%3]}
			all[n] = e
			g.put(n, e.at, e.reach)
		}
		span := rapid.SampledFrom([]float64{500, 20000, 262144}).Draw(t, "span")
		place := rapid.Custom(func(t *rapid.T) geom.Vector {
			c := rapid.Float64Range(-span, span)
			return geom.V(c.Draw(t, "x"), c.Draw(t, "y"), c.Draw(t, "z")/4)
		})
		reach := rapid.Custom(func(t *rapid.T) float64 {
			if rapid.IntRange(0, 9).Draw(t, "kind") == 0 {
				return rapid.SampledFrom([]float64{0, 1e6, gridReach, 2 * gridReach, 262144, math.Nextafter(262144, 1e9)}).Draw(t, "edge")
			}
			return math.Exp(rapid.Float64Range(0, 13).Draw(t, "log"))
		})
		for range rapid.IntRange(1, 120).Draw(t, "steps") {
			n := rapid.Int32Range(1, 40).Draw(t, "number")
			switch rapid.IntRange(0, 5).Draw(t, "what") {
			case 0:
				g.remove(n)
				delete(all, n)
			case 1:
				if e, ok := all[n]; ok { // a small step, mostly in its cell
					e.at = e.at.Add(geom.V(rapid.Float64Range(-100, 100).Draw(t, "step"), 1, 1))
					e.reach *= rapid.Float64Range(0.5, 2).Draw(t, "grow")
					all[n] = e
					g.put(n, e.at, e.reach)
				}
			default:
				e := entry{place.Draw(t, "at"), reach.Draw(t, "reach")}
				all[n] = e
				g.put(n, e.at, e.reach)
			}
		}
		for range 10 {
			from := place.Draw(t, "from")
			if e, ok := all[rapid.Int32Range(1, 40).Draw(t, "edge of")]; ok && e.reach > 0 { // just on the edge of one
				from = e.at.Add(geom.V(-e.reach, 0, 0))
			}
			var want []int32
			for n, e := range all {
				if d := e.at.Sub(from).SizeSquared(); e.reach == 0 || d <= e.reach*e.reach {
					want = append(want, n)
				}
			}
			got := g.reaching(from, appendReaching(nil, g.flat, from))
			far := 0
			for _, it := range g.flat {
				if !math.IsInf(it.reach, 1) {
					far++
				}
			}
			if far != g.far {
				t.Fatalf("%d of the flat ones are said to be culled, it is %d", g.far, far)
			}
			slices.Sort(got)
			slices.Sort(want)
			if !slices.Equal(got, want) {
				t.Fatalf("from %v: %v, want %v", from, got, want)
			}
		}
	})
}

// A body that wanders about for long leaves no cells behind, and does not allocate once it has been everywhere.
func TestGridUsesCellsAgain(t *testing.T) {
	var g grid
	const n = 8
	step := 0
	wander := func() {
		step++
		for i := int32(1); i <= n; i++ {
			a := float64(step)/10 + float64(i)
			g.put(i, geom.V(20000*math.Sin(a), 20000*math.Cos(a*1.3), 0), 900)
		}
	}
	for range 20000 {
		wander()
	}
	if got := len(g.layers[0].cells); got > n+1 {
		t.Errorf("%d cells for %d actors", got, n)
	}
	if a := testing.AllocsPerRun(1000, wander); a != 0 {
		t.Errorf("%g allocations a move", a)
	}
	for i := int32(1); i <= n; i++ {
		g.remove(i)
		g.remove(i) // twice is harmless
	}
	if y := &g.layers[0]; y.actors != 0 || y.reach != 0 || len(y.free) != len(y.cells) {
		t.Errorf("%d actors, %d of %d cells free", y.actors, len(y.free), len(y.cells))
	}
	g.remove(1 << 20) // never heard of
}

// Few cells are looked at, and little is found that is of no use, whatever the distances (R3.11).
func TestGridLooksAtFewCells(t *testing.T) {
	for _, reach := range []float64{300, 1000, 1500, 15000, 100000} {
		var g grid
		r := gridReach * math.Exp2(float64(layerOf(reach)-1)) // of its layer
		n := int32(0)
		const span = 8
		for x := -span * r; x < span*r; x += r / 8 {
			for y := -span * r; y < span*r; y += r / 8 {
				n++
				g.put(n, geom.V(x, y, 0), reach)
			}
		}
		l := &g.layers[layerOf(reach)-1]
		if side := 2*(reach+gridSlack)/l.size + 2; side*side > 110 {
			t.Errorf("reach %g: %g cells", reach, side*side)
		}
		if len(l.cells) < 1000 {
			t.Errorf("reach %g: the search would rather walk all of %d cells", reach, len(l.cells))
		}
		got := float64(len(g.reaching(geom.V(0, 0, 0), nil)))
		want := math.Pi * (reach / (r / 8)) * (reach / (r / 8))
		if math.Abs(got-want) > 0.15*want+8 {
			t.Errorf("reach %g: %g found, want about %g", reach, got, want)
		}
	}
}

func TestLayers(t *testing.T) {
	for reach, want := range map[float64]int8{
		0: flatLayer, -1: flatLayer, math.NaN(): flatLayer, 1: 1, 1024: 1, 1025: 2, 2048: 2, 15000: 5, 262144: 9, 262145: flatLayer, 1e6: flatLayer,
	} {
		if got := layerOf(reach); got != want {
			t.Errorf("%g: layer %d, want %d", reach, got, want)
		}
	}
	if cellOf(math.Inf(1), 256) != 1<<20 || cellOf(-1e30, 256) != -1<<20 || cellOf(-1, 256) != -1 {
		t.Error("cells")
	}
}
