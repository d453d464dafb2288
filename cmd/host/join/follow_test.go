package join

import (
	"slices"
	"testing"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/engine/geom"
	"github.com/tidelock/tidelock/netcode/client"
	"github.com/tidelock/tidelock/netcode/wire"
)

// What is told of a class's actors, line by line, and nothing of others.
func TestFollow(t *testing.T) {
	classes, diags := engine.BuildClasses([]*engine.ClassSpec{{Name: "Actor"}, {Name: "Crate", Parent: "Actor"}, {Name: "Lamp", Parent: "Actor"}}, nil)
	if classes == nil {
		t.Fatal(diags)
	}
	w := engine.NewWorld(engine.Config{Classes: classes})
	crate, err := w.Spawn(classes.Find("Crate"), engine.SpawnParams{Name: "Box", Location: geom.Vector{X: -0.2, Y: 2.6}})
	if err != nil {
		t.Fatal(err)
	}
	lamp, err := w.Spawn(classes.Find("Lamp"), engine.SpawnParams{})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	f := follower{class: "Crate", say: func(text string) { got = append(got, text) }}
	for _, e := range []client.Event{
		{Kind: client.Opened, Actor: crate, Time: 1},
		{Kind: client.Opened, Actor: lamp, Time: 1},
		{Kind: client.Set, Actor: crate, Name: "Text", Value: engine.String("a\x1b[2J"), Time: 1.5},
		{Kind: client.Notified, Actor: crate, Name: "Text", Time: 1.5},
		{Kind: client.Called, Actor: crate, Name: "Open", Args: []engine.Value{engine.Float(2), engine.Ref(crate), {}}, Time: 1.75},
		{Kind: client.TornOff, Actor: crate, Time: 2},
		{Kind: client.ClosedChannel, Actor: crate, Why: wire.CloseDestroyed, Time: 2.5},
	} {
		f.hear(e)
	}
	want := []string{
		"1.000 + Box at (0, 3, 0)", `1.500   Box.Text = "a\x1b[2J"`, "1.750   Box:Open(2, Box, nil)", "2.000 - Box: torn off, lives on here", "2.500 - Box: destroyed",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}
