package inspect_test

import (
	"slices"
	"testing"

	"github.com/tidelock/tidelock/cmd/host/inspect"
	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/netcode/link"
	"github.com/tidelock/tidelock/netcode/rig"
	"github.com/tidelock/tidelock/netcode/simlink"
)

// TestRoster: readings one after another list the connections that there are, in their order, and tell the figures of each right by the fifth.
func TestRoster(t *testing.T) {
	r := rig.New(&engine.ClassSpec{Name: "Blob", Parent: "Actor"})
	r.Start()
	for range 12 {
		r.Join(simlink.Path{})
	}
	r.Run(3)
	var roster inspect.Roster
	was := map[uint32][]inspect.Connection{} // the last readings of each, as they were
	behind := 0
	for step := range 100 {
		switch step {
		case 30:
			r.Peers[3].Leave(link.Reason{Code: "left"})
		case 45:
			r.Join(simlink.Path{})
		case 60:
			r.Peers[0].Leave(link.Reason{Code: "left"})
			r.Peers[11].Leave(link.Reason{Code: "left"})
		}
		r.Step(12)
		got, now := roster.Connections(r.Server), inspect.Connections(r.Server)
		id := func(x inspect.Connection) uint32 { return x.ID }
		if a, b := ids(got, id), ids(now, id); !slices.Equal(a, b) {
			t.Fatalf("step %d: listed %v, expected %v", step, a, b)
		}
		for i, x := range got {
			last := append(was[x.ID], now[i])
			last = last[max(0, len(last)-5):]
			was[x.ID] = last
			if !slices.Contains(last, x) {
				t.Fatalf("step %d: told as %+v, the last five were %+v", step, x, last)
			}
			if x != now[i] {
				behind++
			}
		}
	}
	if behind == 0 {
		t.Error("every figure was new each time: the test tests little")
	}
	other := rig.New()
	other.Start()
	for range 12 { // with the same numbers
		other.Join(simlink.Path{})
	}
	other.Run(1)
	if got, want := roster.Connections(other.Server), inspect.Connections(other.Server); !slices.Equal(got, want) {
		t.Errorf("another server has %+v, it is told as %+v", want, got)
	}
	if got := roster.Connections(nil); got != nil {
		t.Errorf("without a server there is %+v", got)
	}
}
