package rig_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/netcode/rig"
	"github.com/tidelock/tidelock/netcode/simlink"
)

func bagClass() *engine.ClassSpec {
	return &engine.ClassSpec{
		Name: "Bag", Parent: "Actor", Defaults: []engine.DefaultSpec{{Name: "bAlwaysRelevant", Value: engine.Bool(true)}},
		Properties: []engine.PropertySpec{{Name: "Items", Type: &engine.Type{Kind: engine.KindFastArray, Elem: &engine.Type{
			Kind: engine.KindStruct, Fields: []engine.Field{{Name: "N", Type: &engine.Type{Kind: engine.KindInt}}},
		}}}},
		Rules: []engine.RuleSpec{{Names: []string{"Items"}, Notify: engine.NotifyChanged}},
	}
}

// TestRestoredOnce: an item that comes back while its removal is not yet acknowledged is told of once.
func TestRestoredOnce(t *testing.T) {
	r := rig.New(bagClass())
	told := map[*engine.World]*story{}
	r.Script = func(w *engine.World) engine.Script {
		told[w] = &story{}
		return told[w]
	}
	r.Start()
	p := r.Join(simlink.Symmetric(simlink.Impairment{Lag: 200 * time.Millisecond}))
	r.Run(2)
	bag := r.Spawn("Bag", engine.SpawnParams{})
	items := bag.Class.Property("Items")
	thing := engine.Value{Kind: engine.KindStruct, List: []engine.Value{engine.Int(1)}}
	for range 2 {
		_, _ = bag.FastAdd(items, thing)
	}
	r.Run(2)
	told[p.World()].lines = nil
	_ = bag.FastRemove(items, 1)
	r.Run(0.1)
	if left, why := bag.FastRestore(items, 0, []engine.KeyedItem{{Key: 1, Value: thing}, {Key: 2, Value: thing}}); left > 0 {
		t.Fatal(why)
	}
	for i := range 10 { // every update says what is not acknowledged
		_ = bag.FastSet(items, 2, engine.Value{Kind: engine.KindStruct, List: []engine.Value{engine.Int(10 + i)}})
		r.Run(0.1)
	}
	r.Run(1)
	got := slices.DeleteFunc(told[p.World()].lines, func(l string) bool { return !strings.HasSuffix(l, " 1") })
	want := []string{fmt.Sprintf("Items %d 1", engine.FastRemoved), fmt.Sprintf("Items %d 1", engine.FastAdded)}
	if !slices.Equal(got, want) {
		t.Errorf("told %q, expected %q", got, want)
	}
}
