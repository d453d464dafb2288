package rig_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/engine/geom"
	"github.com/tidelock/tidelock/netcode/link"
	"github.com/tidelock/tidelock/netcode/rig"
	"github.com/tidelock/tidelock/netcode/server"
	"github.com/tidelock/tidelock/netcode/simlink"
	"github.com/tidelock/tidelock/tests/tier"
)

// sliding are the bytes that one connection has put on the wire, tick by tick.
type sliding struct {
	ticks int // in a second
	sent  []uint64
}

// add notes the counter after a tick and gives how many bytes went out in the second that ends with it, and how many in the tick of
// that second with most: one datagram as a rule.
func (w *sliding) add(bytes uint64) (second, tick int) {
	w.sent = append(w.sent, bytes)
	n := len(w.sent) - 1
	from := max(0, n-w.ticks)
	for i := from + 1; i <= n; i++ {
		tick = max(tick, int(w.sent[i]-w.sent[i-1]))
	}
	return int(w.sent[n] - w.sent[from]), tick
}

const (
	// largestPacket is the largest datagram on the wire: 1 200 bytes, and 28 of UDP and IP.
	largestPacket = link.MaxPacket + 28
	// answer is the datagram with an answer about time, which cannot wait: it would be wrong.
	answer = 80
)

// TestWindow: in any second at most the budget and one datagram go out (R4.1), whatever it is: variables, openings, reliable calls,
// acknowledgements and pings, and what of these is lost and sent again. All of the budget is used while something waits.
// The case of 4 000 B/s with openings was over the budget with 2 of 14 seeds; it runs with all of them always.
func TestWindow(t *testing.T) {
	long := tier.IsChange()
	losses := []float64{0.1}
	if long {
		losses = []float64{0, 0.1, 0.25}
	}
	for _, budget := range []int{2600, 4000, 8000, 20000} {
		for _, loss := range losses {
			for _, kind := range []string{"variables", "large values", "openings", "reliable calls", "everything"} {
				t.Run(fmt.Sprintf("%d/loss %g/%s", budget, loss, kind), func(t *testing.T) {
					seeds := 2
					if long || budget == 4000 && kind == "openings" {
						seeds = 14
					}
					for seed := range seeds {
						window(t, uint64(seed+1), budget, loss, kind)
					}
				})
			}
		}
	}
}

func window(t *testing.T, seed uint64, budget int, loss float64, kind string) {
	t.Helper()
	r := rig.New(talker(1000))
	r.Tick, r.Net, r.Seed = 30, 30, seed
	if seed%2 == 0 {
		r.Tick = 60
	}
	r.Config = server.Config{Limits: server.Limits{Budget: budget, ReliableCalls: 100_000}}
	r.Start()
	way := simlink.Impairment{Lag: 30 * time.Millisecond, Loss: loss}
	p := r.Join(simlink.Path{Up: way, Down: way})
	for p.Controller() == nil {
		r.Step(1)
	}
	rng := rand.New(rand.NewPCG(seed, 3))
	bell := r.Spawn("Talker", engine.SpawnParams{Owner: p.Controller()})
	all := kind == "everything"
	var actors []*engine.Actor
	spawn := func(n int) {
		for range n {
			actors = append(actors, r.Spawn("Talker", engine.SpawnParams{Location: geom.Vector{X: 300, Y: float64(len(actors))}}))
		}
	}
	spawn(40)
	if kind == "openings" {
		spawn(160)
	}
	c := r.Server.ConnectionOf(p.Controller())
	w := sliding{ticks: r.Tick}
	pad := make([]byte, 1000)
	from := 0
	seconds := 10 // that are measured
	if budget < 8000 {
		seconds = 25 // what is carried over at both ends is less of it
	}
	for n := range (5 + seconds) * r.Tick {
		for i := range pad {
			pad[i] = 'a' + byte(rng.IntN(26))
		}
		if (all || kind == "openings") && rng.IntN(40) == 0 && len(actors) < 250 {
			spawn(12)
		}
		for _, a := range actors {
			_ = a.Set(a.Class.Property("N"), engine.Int(300+n))
			size := rng.IntN(100)
			if (all || kind == "large values") && rng.IntN(10) == 0 {
				size = rng.IntN(1000)
			}
			if rng.IntN(4) == 0 {
				_ = a.Set(a.Class.Property("Pad"), engine.String(string(pad[:size])))
			}
		}
		if (all || kind == "reliable calls") && rng.IntN(4) == 0 {
			r.Server.Call(bell, bell.Class.Functions["ClientTell"], []engine.Value{engine.String(string(pad[:rng.IntN(1+budget/20)%1000]))}, "")
		}
		if all && rng.IntN(3) == 0 {
			r.Server.Call(bell, bell.Class.Functions["ClientRing"], []engine.Value{engine.String(string(pad[:rng.IntN(100)]))}, "")
		}
		r.Step(1)
		second, tick := w.add(c.Session().Conn.Stats().BytesOut)
		if most := budget + min(largestPacket, tick+answer); second > most {
			t.Fatalf("seed %d, tick %d: %d bytes in one second: the budget is %d, and in no tick more than %d went out", seed, n, second, budget, tick)
		}
		if n == 5*r.Tick {
			from = len(w.sent) - 1
		}
	}
	last := len(w.sent) - 1
	// The debt of one datagram may have been paid at first.
	if used, least := w.sent[last]-w.sent[from], float64(budget)*float64(last-from)/float64(r.Tick)*0.99-largestPacket; float64(used) < least {
		t.Errorf("seed %d: %d bytes are used of %d B/s in %d ticks, though something always waits: at least %.0f", seed, used, budget, last-from, least)
	}
}
