package rig_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/netcode/rig"
	"github.com/tidelock/tidelock/netcode/simlink"
)

// ledger is a client's script side that holds what it is told of fast arrays against what it was told before.
type ledger struct {
	engine.NoScript
	keys  map[string]map[uint32]bool // by the actor's name
	wrong []string
}

func (s *ledger) FastEvent(a *engine.Actor, _ *engine.Property, how engine.FastChange, key uint32, _ engine.Value) {
	if s.keys[a.Name] == nil {
		s.keys[a.Name] = map[uint32]bool{}
	}
	if had := s.keys[a.Name][key]; had == (how == engine.FastAdded) {
		s.wrong = append(s.wrong, fmt.Sprintf("%s: %v of item %d, which was there: %v", a.Name, how, key, had))
	}
	if s.keys[a.Name][key] = true; how == engine.FastRemoved {
		delete(s.keys[a.Name], key)
	}
}

// TestRestoredItems: a fast array that goes back to what a profile has, between any other changes, is the same on every client in the
// end, in the same order, and the callbacks tell how, whatever is lost (C2, R5.12).
func TestRestoredItems(t *testing.T) {
	for seed := range uint64(8) {
		rng := rand.New(rand.NewPCG(seed, 5))
		r := rig.New(bagClass())
		told := map[*engine.World]*ledger{}
		r.Script = func(w *engine.World) engine.Script {
			told[w] = &ledger{keys: map[string]map[uint32]bool{}}
			return told[w]
		}
		r.Start()
		for _, loss := range []float64{0, 0.1, 0.3} {
			r.Join(simlink.Symmetric(simlink.Impairment{Lag: 30 * time.Millisecond, Jitter: 20 * time.Millisecond, Loss: loss, Reorder: loss}))
		}
		r.Run(2)
		var bags []*engine.Actor
		for range 6 {
			bags = append(bags, r.Spawn("Bag", engine.SpawnParams{}))
		}
		items := bags[0].Class.Property("Items")
		thing := func() engine.Value {
			return engine.Value{Kind: engine.KindStruct, List: []engine.Value{engine.Int(rng.IntN(3))}}
		}
		for range 120 {
			for _, a := range bags {
				for range rng.IntN(4) {
					have := a.Fast(items).Items()
					switch k := rng.IntN(8); {
					case k == 0:
						var back []engine.KeyedItem
						for key := uint32(1); key <= a.Fast(items).LastKey(); key++ {
							if x, ok := a.FastGet(items, key); ok && rng.IntN(4) > 0 {
								back = append(back, engine.KeyedItem{Key: key, Value: x})
							} else if rng.IntN(4) == 0 {
								back = append(back, engine.KeyedItem{Key: key, Value: thing()})
							}
						}
						if left, why := a.FastRestore(items, 0, back); left > 0 {
							t.Fatal(why)
						}
					case k < 3 && len(have) > 0:
						_ = a.FastRemove(items, have[rng.IntN(len(have))].Key)
					case k < 4 && len(have) > 0:
						_ = a.FastSet(items, have[rng.IntN(len(have))].Key, thing())
					case k < 7 && len(have) < 12:
						_, _ = a.FastAdd(items, thing())
					}
				}
			}
			r.Run(0.05)
		}
		r.Run(4)
		for i, p := range r.Peers {
			l := told[p.World()]
			for _, a := range bags {
				c := p.Copy(a)
				if c == nil {
					t.Fatalf("seed %d: client %d has no copy", seed, i)
				}
				if want, got := listed(a, items), listed(c, c.Class.Property("Items")); !slices.Equal(want, got) {
					t.Errorf("seed %d: client %d has\n%v\nthe server\n%v", seed, i, got, want)
				}
				if len(l.keys[c.Name]) != c.Fast(c.Class.Property("Items")).Len() {
					t.Errorf("seed %d: client %d was told of %d items, and has %d", seed, i, len(l.keys[c.Name]), c.Fast(c.Class.Property("Items")).Len())
				}
			}
			if len(l.wrong) > 0 {
				t.Errorf("seed %d: client %d was told %q", seed, i, l.wrong[0])
			}
		}
	}
}

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

func listed(a *engine.Actor, p *engine.Property) (out []string) {
	for _, it := range a.Fast(p).Items() {
		x, _ := a.FastGet(p, it.Key)
		out = append(out, fmt.Sprintf("%d:%v", it.Key, x.List[0].Num))
	}
	return out
}
