package engine

import (
	"strings"
	"testing"

	"github.com/tidelock/tidelock/engine/archive"
)

// savedPair is a world of two actors, of which the second may be owned by the first.
func savedPair(t *testing.T) (*World, *Actor, *Actor) {
	t.Helper()
	w := NewWorld(Config{Classes: build(t, nil), Seed: 1})
	return w, spawn(t, w, "Actor", SpawnParams{}), spawn(t, w, "Actor", SpawnParams{})
}

// reload saves a world and loads it into a new one.
func reload(w *World) (*World, error) {
	var out archive.Writer
	w.Save(&out)
	next := NewWorld(Config{Classes: w.Classes, Seed: 2})
	_, err := next.Load(archive.NewReader(out.Bytes()))
	return next, err
}

// A saved world is equal after loading, with the ids of the next actors and the order of what refers to one.
func TestSaveKeepsIDs(t *testing.T) {
	w, a, b := savedPair(t)
	must(t, b.SetOwner(a))
	for range 3 {
		x := spawn(t, w, "Actor", SpawnParams{})
		x.Destroy()
	}
	w.Step(0.1)
	next, err := reload(w)
	must(t, err)
	if next.HashSaved() != w.HashSaved() {
		t.Error("the loaded world has another hash")
	}
	for range 5 {
		x, _ := w.Spawn(w.Classes.Find("Actor"), SpawnParams{})
		y, _ := next.Spawn(next.Classes.Find("Actor"), SpawnParams{})
		if x.ID() != y.ID() || x.Name != y.Name || x.Order() != y.Order() {
			t.Errorf("the next actor is %s %d %d, in the saved world %s %d %d", y.Name, y.ID(), y.Order(), x.Name, x.ID(), x.Order())
		}
	}
	next.Actor(a.ID()).Destroy()
	if o := next.Actor(b.ID()).Owner; o != 0 {
		t.Errorf("the owner was destroyed and is %d", o)
	}
}

// Loops of owners, which no script can make, would hang everything that follows them.
func TestLoadRefusesLoops(t *testing.T) {
	w, a, b := savedPair(t)
	a.Owner, b.Owner = b.id, a.id
	if _, err := reload(w); err == nil || !strings.Contains(err.Error(), "owners") {
		t.Errorf("owners in a loop: %v", err)
	}
}
