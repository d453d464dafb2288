package navigation

import (
	"reflect"
	"testing"
)

// A graph that is built with pauses is the same, and has many parts: in a browser the Worker's events
// wait for it.
func TestPauses(t *testing.T) {
	w := content(t, "arena")
	g := build(t, w)
	var c Cache
	k, err := c.Begin(w, Options{})
	if err != nil {
		t.Fatal(err)
	}
	pauses := 0
	k.Run(func() { pauses++ })
	got, err := k.Graph()
	if err != nil || !reflect.DeepEqual(got.nodes, g.nodes) || !reflect.DeepEqual(got.links, g.links) {
		t.Errorf("another graph: %v", err)
	}
	if want := g.Len() / 20; pauses < want {
		t.Errorf("%d pauses, expected %d for %d nodes", pauses, want, g.Len())
	}
}
