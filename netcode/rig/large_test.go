package rig_test

import (
	"fmt"
	"hash"
	"hash/fnv"
	"math/rand/v2"
	"reflect"
	"sync"
	"testing"
	"time"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/engine/geom"
	"github.com/tidelock/tidelock/netcode/client"
	"github.com/tidelock/tidelock/netcode/rig"
	"github.com/tidelock/tidelock/netcode/server"
)

// workers runs the parts of a net update on goroutines of their own.
func workers(n int, f func(int)) {
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() { f(i) })
	}
	all.Wait()
}

// fat is a class with five structs of 64 numbers: each fits a datagram, all together do not.
func fat() *engine.ClassSpec {
	k := &engine.ClassSpec{Name: "Fat", Parent: "Actor"}
	var names []string
	for i := range 5 {
		s := &engine.Type{Kind: engine.KindStruct}
		for f := range 64 {
			s.Fields = append(s.Fields, engine.Field{Name: fmt.Sprintf("F%d", f), Type: &engine.Type{Kind: engine.KindFloat}})
		}
		names = append(names, fmt.Sprintf("S%d", i))
		k.Properties = append(k.Properties, engine.PropertySpec{Name: names[i], Type: s})
	}
	k.Rules = []engine.RuleSpec{{Names: names}}
	return k
}

// refill sets all numbers of a fat actor.
func refill(t *testing.T, rng *rand.Rand, a *engine.Actor) {
	t.Helper()
	for i := range 5 {
		v := engine.Value{Kind: engine.KindStruct}
		for range 64 {
			v.List = append(v.List, engine.Float(float64(float32(rng.NormFloat64()))))
		}
		rig.Set(a, fmt.Sprintf("S%d", i), v)
	}
}

// TestLargeValues: actors whose changes fit no datagram, all set in one tick, with enough of them that workers fill the
// datagrams. Nobody is lost, the values arrive, and however many workers there are the server sends the same bytes.
// Run it with -race.
func TestLargeValues(t *testing.T) {
	want := large(t, 1, nil)
	for _, n := range []int{2, 4} {
		if got := large(t, n, workers); got != want {
			t.Errorf("%d workers: the server sent other bytes than one did", n)
		}
	}
}

// large gives a hash of every byte that the server sends in a world of fat actors.
func large(t *testing.T, n int, parallel func(int, func(int))) string {
	t.Helper()
	const clients, actors = 8, 40
	r := rig.New(fat())
	r.Config = server.Config{Workers: n, Parallel: parallel, Limits: server.Limits{Budget: 4_000_000}}
	r.Config.Relevancy.NoSight = true
	sent, reliable := map[uint64]hash.Hash64{}, 0
	r.Tap = func(conn uint64, rel bool, b []byte) {
		h := sent[conn]
		if h == nil {
			h = fnv.New64a()
			sent[conn] = h
		}
		if rel {
			reliable++
		}
		fmt.Fprint(h, rel, len(b))
		h.Write(b)
	}
	r.Start()
	for range clients {
		r.Join(path(20*time.Millisecond, 0))
	}
	r.Run(1)
	var list []*engine.Actor
	for i := range actors {
		list = append(list, r.Spawn("Fat", engine.SpawnParams{Location: geom.Vector{X: float64(100 * i)}}))
	}
	r.Run(1)
	rng := rand.New(rand.NewPCG(8, 9))
	before := reliable
	for range 3 {
		for _, a := range list {
			refill(t, rng, a)
		}
		r.Run(0.5)
	}
	if reliable-before < 3*clients*actors {
		t.Fatalf("%d reliable messages for %d large updates: the test tests nothing", reliable-before, 3*clients*actors)
	}
	r.Run(2)
	for i, p := range r.Peers {
		if p.State() != client.Playing {
			t.Fatalf("%d workers: client %d is %s: %v", n, i, p.State(), p.Reason())
		}
		for _, a := range list {
			k := p.Copy(a)
			if k == nil {
				t.Fatalf("%d workers: client %d has no copy of %s", n, i, a)
			}
			for s := range 5 {
				name := fmt.Sprintf("S%d", s)
				if got, want := rig.Get(k, name), rig.Get(a, name); !reflect.DeepEqual(got, want) {
					t.Fatalf("%d workers: client %d has another %s of %s", n, i, name, a)
				}
			}
		}
	}
	out := ""
	for i := range clients {
		out += fmt.Sprintf("%x ", sent[uint64(i+1)].Sum64())
	}
	return out
}
