package rig_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/engine/geom"
	"github.com/tidelock/tidelock/netcode/rig"
	"github.com/tidelock/tidelock/netcode/traffic"
)

// crowd is a world in which all clients see 40 blobs that change all the time, for some seconds, then rests. Where they are wide,
// what changes is behind more variables than fit a word. It gives what the last client was sent of each variable of theirs.
func crowd(t *testing.T, clients int, loss float64, wide bool) map[string]traffic.Entry {
	t.Helper()
	spec := blob()
	if wide {
		rule := engine.RuleSpec{}
		for i := range 70 {
			rule.Names = append(rule.Names, fmt.Sprintf("V%d", i))
			spec.Properties = append(spec.Properties, engine.PropertySpec{Name: rule.Names[i], Type: &engine.Type{Kind: engine.KindInt}})
		}
		slices.Reverse(spec.Properties)
		spec.Rules = append([]engine.RuleSpec{rule}, spec.Rules...)
	}
	r := rig.New(spec)
	r.Config.Limits.Budget = 200_000
	r.Config.Relevancy.NoSight = true
	r.Config.Validate = true
	r.Start()
	for range clients {
		r.Join(path(40*time.Millisecond, loss))
	}
	r.Run(3)
	var blobs []*engine.Actor
	for i := range 40 {
		blobs = append(blobs, r.Spawn("Blob", engine.SpawnParams{Location: geom.Vector{X: float64(100 * i)}}))
	}
	if n := blobs[0].Class.Property("N").Rep; wide != (n >= 64) {
		t.Fatalf("N is number %d: the test tests less", n)
	}
	rng := rand.New(rand.NewPCG(5, 6))
	for range 200 {
		for i, a := range blobs {
			if i%2 == 0 {
				a.SetLocation(a.Location.Add(geom.Vector{X: rng.Float64() * 20, Y: rng.Float64() * 20}))
			}
			if n := rng.IntN(1000); n < 50 {
				a.SetWord(a.Class.Property("N"), uint64(n))
			}
		}
		r.Step(1)
	}
	r.Run(3)
	for _, d := range differences(r, blobs) {
		t.Error(d)
	}
	out := map[string]traffic.Entry{}
	c := r.Server.ConnectionOf(r.Peers[clients-1].Controller())
	c.Traffic.Each(func(k traffic.Kind, name string, e traffic.Entry) {
		if k == traffic.Property && len(name) > 5 && name[:5] == "Blob." {
			out[name] = e
		}
	})
	if got, want := c.Traffic.Payload(), c.Session().Conn.Stats().BytesOut; got == 0 || got > want {
		t.Errorf("the counters add up to %d bytes, %d went out", got, want)
	}
	return out
}

// TestCrowd: anyone who is not alone is sent what they would be sent alone, though bytes are put together once for all, and it
// is counted for them alike; and what is lost on the way to one arrives in the end (R5.8, R13.1).
func TestCrowd(t *testing.T) {
	alone, among := crowd(t, 1, 0, false), crowd(t, 7, 0, false)
	if len(alone) < 2 || !maps.Equal(alone, among) {
		t.Errorf("alone: %v\namong others: %v", alone, among)
	}
	crowd(t, 7, 0.05, false)
	crowd(t, 7, 0.3, true)
}

// TestCrowdParts: clients have most in common, and each has something for themselves: an actor that only they have, one of which they
// alone is not told something. Nobody is sent a byte of what is not theirs (R3.12), everybody has all the rest, and most went out in common.
func TestCrowdParts(t *testing.T) {
	spec := blob()
	spec.Properties = append(spec.Properties, engine.PropertySpec{Name: "Hid", Type: &engine.Type{Kind: engine.KindInt}})
	spec.Rules = append(spec.Rules, engine.RuleSpec{Names: []string{"Hid"}, Named: engine.CondSkipOwner})
	r := rig.New(spec)
	r.Config.Limits.Budget = 200_000
	r.Config.Relevancy.NoSight = true
	r.Config.Relevancy.Timeout = 2
	r.Config.Validate = true
	r.Start()
	for range 6 {
		r.Join(path(40*time.Millisecond, 0))
	}
	r.Run(1)
	var blobs, own []*engine.Actor
	for i := range 20 {
		blobs = append(blobs, r.Spawn("Blob", engine.SpawnParams{Location: geom.Vector{X: float64(100 * i)}}))
	}
	for _, p := range r.Peers {
		a := r.Spawn("Blob", engine.SpawnParams{Owner: p.Controller()})
		rig.Set(a, "bOnlyRelevantToOwner", engine.Bool(true))
		own = append(own, a)
	}
	for i, p := range r.Peers { // the last blobs
		_ = blobs[19-i].SetOwner(p.Controller())
	}
	common := 0
	for n := range 300 {
		for i, a := range append(blobs, own...) {
			a.SetLocation(a.Location.Add(geom.Vector{X: 1, Y: float64(n % 3)}))
			a.SetWord(a.Class.Property("N"), uint64((n+i)%40))
			a.SetWord(a.Class.Property("Hid"), uint64(n+1))
		}
		switch n {
		case 100: // from now on the first only has half of them
			for _, a := range blobs[:10] {
				rig.Set(a, "bOnlyRelevantToOwner", engine.Bool(true))
				_ = a.SetOwner(r.Peers[1].Controller())
			}
		case 200:
			for _, a := range blobs[:10] {
				rig.Set(a, "bOnlyRelevantToOwner", engine.Bool(false))
			}
		}
		r.Step(1)
		common += r.Server.Stats.Common
		for i, p := range r.Peers {
			for j, a := range own {
				if (p.Copy(a) != nil) != (i == j) && n > 30 {
					t.Fatalf("step %d: client %d, the actor of client %d: copy %v", n, i, j, p.Copy(a))
				}
			}
			for j, a := range blobs[10:] {
				k := p.Copy(a)
				if k == nil || n < 30 {
					continue
				}
				if hid := k.Word(k.Class.Property("Hid")); (hid == 0) != (j == 9-i) {
					t.Fatalf("step %d: client %d has Hid %d of %s, which belongs to client %d", n, i, hid, a, 9-j)
				}
			}
			for _, a := range blobs[:10] {
				if n > 150 && n <= 200 && i != 1 && p.Copy(a) != nil {
					t.Fatalf("step %d: client %d has a copy of %s", n, i, a)
				}
			}
		}
	}
	r.Run(1)
	for _, d := range differences(r, append(blobs, own...)) {
		t.Error(d)
	}
	for i, p := range r.Peers {
		c := r.Server.ConnectionOf(p.Controller())
		if got, want := c.Traffic.Payload(), c.Session().Conn.Stats().BytesOut; got == 0 || got > want {
			t.Errorf("the counters of client %d add up to %d bytes, %d went out", i, got, want)
		}
	}
	if common < 6000 {
		t.Errorf("only %d updates went out in common", common)
	}
}
