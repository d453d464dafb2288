package rig_test

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/engine/geom"
	"github.com/tidelock/tidelock/netcode/rig"
	"github.com/tidelock/tidelock/netcode/server"
	"github.com/tidelock/tidelock/netcode/traffic"
)

// TestLanes: whatever runs the parts of a net update, one after the other, backwards or at once, every client is sent the
// same (architecture: parallel net update). Run it with -race.
func TestLanes(t *testing.T) {
	want := lanes(t, 0, nil)
	for name, f := range map[string]func(int, func(int)){
		"in turn": nil,
		"backwards": func(n int, f func(int)) {
			for i := n - 1; i >= 0; i-- {
				f(i)
			}
		},
		"at once": func(n int, f func(int)) {
			var all sync.WaitGroup
			for i := range n {
				all.Go(func() { f(i) })
			}
			all.Wait()
		},
	} {
		for _, n := range []int{2, 5} {
			if got := lanes(t, n, f); got != want {
				t.Errorf("%s, %d lanes: not the same\n%s\n%s", name, n, got, want)
			}
		}
	}
}

// lanes gives a hash of all that clients of a busy world are sent, tick by tick.
func lanes(t *testing.T, n int, parallel func(int, func(int))) string {
	t.Helper()
	r := rig.New(blob())
	r.Config = server.Config{Workers: n, Parallel: parallel, Limits: server.Limits{Budget: 60_000}}
	r.Config.Relevancy.NoSight = true
	r.Start()
	for i := range 8 {
		r.Join(path(time.Duration(20+10*(i%4))*time.Millisecond, 0.01))
	}
	r.Run(1)
	rng := rand.New(rand.NewPCG(3, 4))
	place := func() geom.Vector { return geom.Vector{X: rng.Float64()*60000 - 30000, Y: rng.Float64() * 3000} }
	var blobs []*engine.Actor
	h := fnv.New64a()
	for step := range 150 {
		for len(blobs) < 240 {
			a := r.Spawn("Blob", engine.SpawnParams{Location: place()})
			if rng.IntN(10) == 0 {
				_ = a.SetOwner(r.Peers[rng.IntN(len(r.Peers))].Controller())
			}
			blobs = append(blobs, a)
		}
		for i, a := range blobs {
			if i%2 == 0 {
				a.Move(geom.Vector{X: rng.Float64() * 20, Y: rng.Float64() * 20})
			}
			if rng.IntN(20) == 0 {
				a.SetWord(a.Class.Property("N"), rng.Uint64N(1000))
			}
			if rng.IntN(2000) == 0 {
				rig.Set(a, "Pad", engine.String(fmt.Sprint(step)))
			}
		}
		if rng.IntN(4) == 0 {
			i := rng.IntN(len(blobs))
			blobs[i].Destroy()
			blobs = append(blobs[:i], blobs[i+1:]...)
		}
		for i, p := range r.Peers {
			if step%40 == i {
				p.Controller().SetLocation(place())
			}
		}
		r.Step(1)
		for _, p := range r.Peers {
			c := r.Server.ConnectionOf(p.Controller())
			fmt.Fprint(h, step, c.Session().Conn.Stats().BytesOut, c.Traffic.Headers)
			if step%10 != 0 {
				continue
			}
			for _, name := range []string{"Location", "N", "Pad"} {
				c.Traffic.Each(func(k traffic.Kind, n string, e traffic.Entry) {
					if k == traffic.Property && n == "Blob."+name {
						fmt.Fprint(h, n, e)
					}
				})
			}
		}
		s := r.Server.Stats
		fmt.Fprint(h, s.Packets, s.Relevant, s.LongestWait)
	}
	if c := r.Server.ConnectionOf(r.Peers[0].Controller()); c.Channels() < 20 {
		t.Fatalf("a client has %d channels: the test tests nothing", c.Channels())
	}
	return fmt.Sprint(h.Sum64())
}
