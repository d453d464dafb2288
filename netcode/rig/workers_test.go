package rig_test

import (
	"fmt"
	"hash"
	"hash/fnv"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/engine/geom"
	"github.com/tidelock/tidelock/netcode/rig"
	"github.com/tidelock/tidelock/netcode/server"
	"github.com/tidelock/tidelock/netcode/simlink"
	"github.com/tidelock/tidelock/tests/tier"
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

// backwards runs the parts of a net update one after the other, the last first.
func backwards(n int, f func(int)) {
	for i := n - 1; i >= 0; i-- {
		f(i)
	}
}

// TestWorkersSendTheSame draws worlds with large values, arrays, references, openings, calls, owners, dormancy and
// reloads, some of them logged, some on links that lose, and runs each with one, two and four workers: every byte that
// the server hands to a link must be the same, and so must its counters and its log. Run it with -race.
func TestWorkersSendTheSame(t *testing.T) {
	seeds, shared := tier.Choose[uint64](2, 8, 24), 0
	for seed := range seeds {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			parts := 0
			count := func(run func(int, func(int))) func(int, func(int)) {
				return func(n int, f func(int)) {
					parts++
					run(n, f)
				}
			}
			jostle := func(n int, f func(int)) { // so that they meet in another order each time
				workers(n, func(i int) {
					for range i % 2 {
						runtime.Gosched()
					}
					f(i)
				})
			}
			want := busy(t, seed, 1, nil)
			for _, x := range []struct {
				name     string
				workers  int
				parallel func(int, func(int))
			}{{"in turn", 2, nil}, {"backwards", 4, backwards}, {"at once", 2, jostle}, {"at once", 4, jostle}} {
				parallel := x.parallel
				if parallel != nil {
					parallel = count(parallel)
				}
				got := busy(t, seed, x.workers, parallel)
				for i := range want {
					if got[i] != want[i] {
						t.Errorf("%d workers %s: %s, with one worker %s", x.workers, x.name, got[i], want[i])
						break // the rest follows from it
					}
				}
			}
			shared += parts
		})
	}
	if shared < 100*int(seeds) {
		t.Errorf("work was shared out %d times in %d seeds: the test tests too little", shared, seeds)
	}
}

// busy runs a world of a seed and gives, for every tick, a digest of what the server sent to each client in it.
func busy(t *testing.T, seed uint64, n int, parallel func(int, func(int))) []string {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 99))
	classes := []*engine.ClassSpec{drawClass(rng, "A", "Actor"), drawClass(rng, "B", "A"), drawClass(rng, "C", "Actor"), fat(), blob()}
	for _, i := range []int{0, 2} {
		number := []engine.Param{{Name: "n", Type: &engine.Type{Kind: engine.KindInt}}}
		classes[i].Functions = []engine.FunctionSpec{
			{Name: "Count", Kind: engine.CallMulticast, Reliable: true, Stated: true, Params: number},
			{Name: "Hint", Kind: engine.CallMulticast, Stated: true, Params: number},
		}
	}
	r := rig.New(classes...)
	r.Seed = seed + 1
	r.Config = server.Config{Workers: n, Parallel: parallel, Limits: server.Limits{Budget: []int{200_000, 4_000_000, 30_000}[seed%3]}}
	r.Config.Relevancy.NoSight = seed%4 < 2
	r.Config.Relevancy.Timeout = 1
	digests := map[uint64]hash.Hash64{}
	r.Tap = func(conn uint64, reliable bool, b []byte) {
		if digests[conn] == nil {
			digests[conn] = fnv.New64a()
		}
		fmt.Fprint(digests[conn], reliable, len(b), " ")
		digests[conn].Write(b)
	}
	r.Start()
	logged := fnv.New64a()
	if seed%4 == 3 {
		r.Server.LogClass("Blob", true, func(text string) { fmt.Fprintln(logged, text) })
	}
	clients, most := 8, 90
	if seed%2 == 0 { // too few to have anything in common, so that workers fill all datagrams
		clients, most = 2, 240
	}
	for i := range clients {
		m := simlink.Impairment{Lag: time.Duration(10+10*(i%3)) * time.Millisecond, Loss: 0.02 * float64(seed%2)}
		r.Join(simlink.Path{Up: m, Down: m})
	}
	r.Run(1)
	place := func() geom.Vector { return geom.Vector{X: rng.Float64()*9000 - 4500, Y: rng.Float64() * 3000} }
	kinds := []string{"A", "B", "C", "Fat", "Fat", "Blob", "Blob", "Blob", "Blob", "Blob", "Blob", "Blob"}
	var actors []*engine.Actor
	var out []string
	reloads := 0
	for step := range 160 {
		for len(actors) < most && (step == 0 || rng.IntN(3) == 0 && step%24 < 3) {
			a := r.Spawn(kinds[rng.IntN(len(kinds))], engine.SpawnParams{Location: place()})
			if rng.IntN(6) == 0 {
				_ = a.SetOwner(r.Peers[rng.IntN(clients)].Controller())
			}
			actors = append(actors, a)
		}
		for i, a := range actors {
			switch {
			case a.Class.Name == "Fat":
				if step%8 == 2 || rng.IntN(30) == 0 {
					refill(t, rng, a)
				}
			case a.Class.Name == "Blob" && i%8 != 0:
				a.Move(geom.Vector{X: rng.Float64() * 20, Y: rng.Float64() * 20})
			}
		}
		ops := 0
		if step%24 == 0 || step > 140 { // between, there is little but what workers do
			ops = 1 + rng.IntN(20)
		}
		for range ops {
			switch a := actors[rng.IntN(len(actors))]; rng.IntN(14) {
			case 0:
				a.Destroy()
				actors = slices.DeleteFunc(actors, func(b *engine.Actor) bool { return b == a })
			case 1:
				_ = a.SetOwner(r.Peers[rng.IntN(clients)].Controller())
			case 2:
				a.SetLocation(place())
			case 3:
				rig.Set(a, "NetDormancy", engine.Int(int(engine.DormAwake)+rng.IntN(2)))
			case 4, 5:
				for _, name := range []string{"Count", "Hint"} {
					if f := a.Class.Functions[name]; f != nil {
						r.World.CallRemote(a, f, []engine.Value{engine.Int(step)}, "")
					}
				}
			case 6:
				switchConditions(rng, a)
			case 7:
				if seed%4 == 2 && reloads < 2 && rng.IntN(20) == 0 {
					reloads++
					r.Reload(classes...)
				}
			default:
				for _, p := range a.Class.Replicated {
					if p.Native == nil && rng.IntN(2) == 0 {
						change(rng, r.World, a, p, actors)
					}
				}
			}
		}
		if step%20 == 7 {
			r.Peers[rng.IntN(clients)].Controller().SetLocation(place())
		}
		r.Step(1)
		line := fmt.Sprintf("tick %d sent", step)
		for i := range clients {
			line += fmt.Sprintf(" %x", digests[uint64(i+1)].Sum64())
		}
		s := r.Server.Stats
		line += fmt.Sprint(" counted ", s.Packets, s.Relevant, s.Changed, s.Common, s.LongestWait, s.Saturated, " logged ", logged.Sum64())
		for _, p := range r.Peers {
			if c := r.Server.ConnectionOf(p.Controller()); c != nil {
				line += fmt.Sprint(" ", c.Traffic.Payload(), c.Saturated())
			}
		}
		out = append(out, line)
	}
	if seed%3 != 2 { // the budget suffices for all values, those that fit no datagram among them
		r.Run(2)
		for _, d := range differences(r, actors) {
			t.Errorf("%d workers: %s", n, d)
		}
	}
	return out
}
