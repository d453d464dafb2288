package navigation

import (
	"sync"
	"testing"

	"github.com/tidelock/tidelock/engine"
)

// Worlds of one level share the building, each with the numbers of its own lifts; another level is another graph.
func TestCacheSharesWhatIsTheSame(t *testing.T) {
	var c Cache
	first := content(t, "arena")
	worlds := []*engine.World{first, content(t, "arena"), renumbered(t, "arena"), content(t, "steps")}
	graphs := make([]*Graph, len(worlds))
	var wait sync.WaitGroup
	for i, w := range worlds {
		wait.Add(1)
		go func() {
			defer wait.Done()
			g, err := c.Graph(w, Options{})
			if err != nil {
				t.Error(err)
			}
			graphs[i] = g
		}()
	}
	wait.Wait()
	if t.Failed() {
		return
	}
	if &graphs[0].nodes[0] != &graphs[1].nodes[0] || &graphs[0].nodes[0] != &graphs[2].nodes[0] {
		t.Error("the same level was built twice")
	}
	if &graphs[0].nodes[0] == &graphs[3].nodes[0] {
		t.Error("two levels have one graph")
	}
	for i, g := range graphs {
		lifts := 0
		for id := range g.Len() {
			if m := g.Node(NodeID(id)).Mover; m != 0 {
				lifts++
				if a := worlds[i].Actor(m); a == nil || !a.IsA("Mover") {
					t.Errorf("world %d: a node names %v, which is no mover there", i, a)
				}
			}
		}
		if lifts == 0 {
			t.Errorf("world %d: no lift", i)
		}
		all := starts(worlds[i])
		if _, ok := g.Path(all[0], all[1]); !ok {
			t.Errorf("world %d: no way between starts", i)
		}
	}
}

// A cache keeps few graphs, however many levels are requested.
func TestCacheIsBounded(t *testing.T) {
	var c Cache
	for i := range 3 * maxCached {
		c.entry([32]byte{byte(i)})
	}
	if len(c.built) != maxCached || len(c.order) != maxCached {
		t.Errorf("%d graphs, %d in order, expected %d", len(c.built), len(c.order), maxCached)
	}
}
