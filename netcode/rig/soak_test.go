package rig_test

import (
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/engine/geom"
	"github.com/tidelock/tidelock/netcode/client"
	"github.com/tidelock/tidelock/netcode/link"
	"github.com/tidelock/tidelock/netcode/rig"
	"github.com/tidelock/tidelock/netcode/simlink"
	"github.com/tidelock/tidelock/tests/heap"
)

// TestSoak: players come, leave, are killed without a word and kicked, at random, while actors live and die and refer to each
// other and scripts are reloaded, for 10 000 ticks; what is left in the end is what was there in the beginning: no goroutine, no
// connection, no actor of theirs, and little more memory than after the first part: a fraction of what 300 players take.
func TestSoak(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	goroutines := runtime.NumGoroutine()
	o := newParty(func(r *rig.Rig) { r.Config.Limits.LoginTime = 5 })
	rng := rand.New(rand.NewPCG(8, 9))
	var actors []*engine.Actor
	joined, left, killed, kicked, played := 0, 0, 0, 0, 0
	place := func() geom.Vector { return geom.Vector{X: rng.Float64()*40000 - 20000, Y: rng.Float64() * 2000} }
	remove := func(i int) {
		delete(o.of, o.Peers[i].World())
		o.Peers = slices.Delete(o.Peers, i, i+1)
	}
	round := func(ticks int) {
		for range ticks {
			switch n := rng.IntN(100); {
			case n < 4 && len(o.Peers) < 12:
				o.Join(simlink.Symmetric(simlink.Impairment{
					Lag: time.Duration(rng.IntN(100)) * time.Millisecond, Loss: rng.Float64() * 0.2, Dup: rng.Float64() * 0.1, Reorder: rng.Float64() * 0.1,
				}))
				joined++
			case n < 6 && len(o.Peers) > 0:
				i := rng.IntN(len(o.Peers))
				p := o.Peers[i]
				pc := p.Controller()
				switch k := rng.IntN(4); {
				case k == 0:
					p.End.Kill()
					remove(i)
					killed++
				case k == 1 && pc != nil && o.Server.ConnectionOf(pc) != nil:
					o.Server.ConnectionOf(pc).Kick("soak", "out of luck")
					kicked++
				case k == 2 && pc != nil:
					o.World.Actor(rig.Get(pc, "Pawn").Ref).Destroy()
					pc.Destroy()
				case k == 3:
					p.Leave(link.Reason{Code: "left", Text: "enough"})
					if err := p.End.Close(); err != nil {
						t.Fatal(err)
					}
					remove(i)
					left++
				}
			case n < 26 && len(actors) < 150:
				sp := engine.SpawnParams{Location: place()}
				if len(o.Peers) > 0 && rng.IntN(2) == 0 {
					sp.Owner = o.Peers[rng.IntN(len(o.Peers))].Controller()
				}
				actors = append(actors, o.Spawn("Guest", sp))
			case n < 44 && len(actors) > 0:
				i := rng.IntN(len(actors))
				actors[i].Destroy()
				actors = append(actors[:i], actors[i+1:]...)
			case n < 70 && len(actors) > 0:
				a, b := actors[rng.IntN(len(actors))], actors[rng.IntN(len(actors))]
				a.SetRef(a.Class.Property("Friend"), b)
				a.SetLocation(place())
			case n < 80 && len(actors) > 0:
				a, b := actors[rng.IntN(len(actors))], actors[rng.IntN(len(actors))]
				o.call(a, "Meet", engine.Int(n), engine.Ref(b))
				o.call(a, "All", engine.Int(n))
			case n == 99 && rng.IntN(10) == 0:
				o.Reload(guest(), blob())
			}
			for i := len(o.Peers) - 1; i >= 0; i-- {
				p := o.Peers[i]
				if p.State() == client.Closed { // told
					if err := p.End.Close(); err != nil {
						t.Fatal(err)
					}
					remove(i)
				} else if w := p.World(); w != nil {
					for _, k := range w.ActorsOf("Guest") {
						if k.TopOwner() == w.LocalPlayer() && rng.IntN(30) == 0 {
							p.Call(k, k.Class.Functions["ServerTell"], []engine.Value{engine.Int(1)}, "")
							p.Call(k, k.Class.Functions["ServerHint"], []engine.Value{engine.Int(1)}, "")
						}
					}
				}
			}
			o.Step(1)
			played += o.connections()
			for _, d := range o.of {
				d.lines = d.lines[:0]
			}
			o.Lines = o.Lines[:0]
		}
	}
	// all is what is in use when everybody left and everything is gone.
	all := func() int64 {
		for i := len(o.Peers) - 1; i >= 0; i-- {
			o.Peers[i].End.Kill()
			remove(i)
		}
		for _, a := range actors {
			a.Destroy()
		}
		clear(actors)
		actors = actors[:0]
		o.Run(15)
		if o.connections() != 0 || o.Standing() != 0 {
			t.Errorf("%d players are left", o.connections())
		}
		for _, class := range []string{"Guest", "Pawn", "PlayerController"} {
			if n := len(o.World.ActorsOf(class)); n > 0 {
				t.Errorf("%d actors of %s are left", n, class)
			}
		}
		return heap.Live()
	}
	round(3000)
	first := all()
	round(7000)
	second := all()
	runtime.KeepAlive(o)
	t.Logf("%d joined, %d left, %d were killed, %d kicked; %d player-ticks; %d kB in use after 3 000 ticks, %d kB after 10 000", joined, left, killed, kicked, played, first>>10, second>>10)
	if joined < 50 || left < 10 || killed < 10 || kicked < 5 || played < 20_000 {
		t.Error("the test tests nothing")
	}
	if second > first+4<<20 {
		t.Errorf("%d kB are in use, %d kB after the first part", second>>10, first>>10)
	}
	if n := runtime.NumGoroutine(); n > goroutines {
		t.Errorf("%d goroutines, %d before", n, goroutines)
	}
}
