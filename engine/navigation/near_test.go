package navigation

import (
	"cmp"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/tests/tier"
)

// TestNearIsASearchOfAll: near finds the nodes that a search of all finds, in the same order.
func TestNearIsASearchOfAll(t *testing.T) {
	tier.Check(t, func(t *rapid.T) {
		g := &Graph{opt: Options{StepHeight: 35}}
		where := rapid.Float64Range(-600, 600)
		place := func() vec { return vec{X: where.Draw(t, "x"), Y: where.Draw(t, "y"), Z: where.Draw(t, "z") / 4} }
		for range rapid.IntRange(0, 60).Draw(t, "nodes") {
			n := Node{Location: place(), Size: rapid.SampledFrom([]float64{16, 64, 256}).Draw(t, "size"), Low: rapid.Bool().Draw(t, "low")}
			g.nodes = append(g.nodes, n)
			if rapid.Bool().Draw(t, "twice") {
				g.nodes = append(g.nodes, n)
			}
		}
		g.sortByX()
		at, low := place(), rapid.Bool().Draw(t, "crouches")
		far := func(id NodeID) float64 {
			n := &g.nodes[id]
			d := n.Location.Sub(at)
			return math.Hypot(math.Max(0, math.Abs(d.X)-n.Size/2), math.Max(0, math.Abs(d.Y)-n.Size/2)) + 2*math.Max(0, math.Abs(d.Z)-g.opt.StepHeight)
		}
		var want []NodeID
		for id := range g.nodes {
			if low || !g.nodes[id].Low {
				want = append(want, NodeID(id))
			}
		}
		slices.SortFunc(want, func(a, b NodeID) int {
			return cmp.Or(cmp.Compare(far(a), far(b)), cmp.Compare(g.nodes[a].Location.Distance(at), g.nodes[b].Location.Distance(at)), cmp.Compare(a, b))
		})
		if got := g.near(at, low); !slices.Equal(got, want[:min(doors, len(want))]) {
			t.Fatalf("got %v, want %v", got, want)
		}
	})
}

// TestReachedIsKeptByComponent: RandomWithin asks again for another component, and counts the same work for what it knows.
func TestReachedIsKeptByComponent(t *testing.T) {
	g := &Graph{nodes: make([]Node, 4), links: [][]Link{{{To: 1}}, {{To: 0}, {To: 2}}, {}, {{To: 2}}}}
	g.findComponents()
	var r engine.Rand
	r.Seed(1)
	var works []uint64
	for _, from := range []NodeID{0, 1, 2, 0, 3, 0} {
		before := g.Work()
		reaches := g.reach([]NodeID{from})
		full := g.Work() - before
		for range 20 {
			before = g.Work()
			if id := g.RandomWithin(&r, from, vec{}, math.Inf(1)); id == None || !reaches[id] {
				t.Fatalf("%d from %d", id, from)
			}
			works = append(works, g.Work()-before-full)
		}
	}
	if list := slices.Compact(works); len(list) != 1 {
		t.Errorf("other work for what is known: %v", list)
	}
}
