package rig_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/engine/geom"
	"github.com/tidelock/tidelock/netcode/rig"
)

// blob is an actor whose variables change all the time.
func blob() *engine.ClassSpec {
	return &engine.ClassSpec{
		Name: "Blob", Parent: "Actor",
		Properties: []engine.PropertySpec{{Name: "N", Type: &engine.Type{Kind: engine.KindInt}}, {Name: "Pad", Type: &engine.Type{Kind: engine.KindString}}},
		Rules:      []engine.RuleSpec{{Names: []string{"N", "Pad"}}},
	}
}

// TestModem is the modem's world: 16 players and 40 projectiles and pick-ups that move, at 2 600 B/s a client. What a
// client sees of a place is off by at most half of what it would be with priorities and relevancy off.
func TestModem(t *testing.T) {
	with, without := modem(t, true), modem(t, false)
	t.Logf("mean position error: %.1f uu with priorities and relevancy, %.1f uu without: %.2f", with, without, with/without)
	if with > without/2 {
		t.Errorf("%.1f uu is more than half of %.1f uu", with, without)
	}
}

func modem(t *testing.T, on bool) float64 {
	r := rig.New(&engine.ClassSpec{Name: "Shot", Parent: "Actor", Defaults: []engine.DefaultSpec{{Name: "NetPriority", Value: engine.Float(2.5)}}})
	r.Config.Limits.Budget = 2600
	r.Config.Relevancy.NoSight = true
	r.Start()
	for range 16 {
		r.Join(path(10*time.Millisecond, 0.05)) // what distance alone costs is not the question
	}
	r.Run(6)
	rng := rand.New(rand.NewPCG(4, 4))
	var movers []*engine.Actor
	var speeds []geom.Vector
	var turns []float64
	add := func(a *engine.Actor, speed float64) {
		a.SetLocation(geom.Vector{X: rng.Float64()*16000 - 8000, Y: rng.Float64()*16000 - 8000})
		d := rng.Float64() * 2 * math.Pi
		movers, turns = append(movers, a), append(turns, rng.Float64()*2-1)
		speeds = append(speeds, geom.Vector{X: math.Cos(d) * speed, Y: math.Sin(d) * speed})
		rig.Set(a, "NetCullDistance", engine.Float(4000))
		if !on {
			rig.Set(a, "NetCullDistance", engine.Float(0))
			rig.Set(a, "NetPriority", engine.Float(1))
		}
	}
	for _, p := range r.Peers {
		add(r.World.Actor(rig.Get(p.Controller(), "Pawn").Ref), 440)
	}
	for i := range 40 {
		add(r.Spawn("Shot", engine.SpawnParams{}), []float64{900, 150}[i%2])
	}
	r.Server.SetFlat(!on)
	sum, n := 0.0, 0.0
	for tick := range 60 * 20 {
		for i, a := range movers {
			c, s, v := math.Cos(turns[i]/60), math.Sin(turns[i]/60), speeds[i]
			v = geom.Vector{X: v.X*c - v.Y*s, Y: v.X*s + v.Y*c}
			at := a.Location.Add(v.Mul(1.0 / 60))
			if math.Abs(at.X) > 8000 || math.Abs(at.Y) > 8000 {
				speeds[i] = v.Mul(-1)
				continue
			}
			speeds[i] = v
			a.SetLocation(at)
			rig.Set(a, "Velocity", engine.Vec(v))
			a.SetRotation(v.Rotation())
		}
		r.Step(1)
		if tick < 300 || tick%10 != 0 {
			continue
		}
		for i, p := range r.Peers { // what a player sees: actors within 3 500 uu of their pawn
			for j, a := range movers {
				if k := p.Copy(a); i != j && k != nil && a.Location.Distance(movers[i].Location) <= 3500 {
					sum += min(4000, k.Location.Distance(a.Location))
					n++
				}
			}
		}
	}
	return sum / n
}

// watched is a value that changes every so many ticks, when each was set, and how old each was when it was shown.
type watched struct {
	every int
	a     *engine.Actor
	set   map[int]time.Duration
	shown int
	ages  []time.Duration
}

// TestStaleness measures R5.22: the time from a set to its being shown, for values that change with every net update and
// for values that change once a second, at several losses.
func TestStaleness(t *testing.T) {
	const rtt = 150 * time.Millisecond
	for _, loss := range []float64{0, 0.05, 0.1} {
		r := rig.New(blob())
		r.Seed = 3
		r.Start()
		p := r.Join(path(rtt/2, loss))
		r.Run(3)
		all := []*watched{{every: 2}, {every: 60}}
		for _, x := range all {
			x.a, x.set = r.Spawn("Blob", engine.SpawnParams{}), map[int]time.Duration{}
		}
		r.Run(2)
		for tick := 1; tick <= 60*120; tick++ {
			for _, x := range all {
				if tick%x.every == 0 {
					rig.Set(x.a, "N", engine.Int(tick))
					x.set[tick] = r.Now
				}
			}
			r.Step(1)
			for _, x := range all { // a newer value shows all before it
				for v := int(rig.Get(p.Copy(x.a), "N").Num); x.shown < v; x.shown++ {
					if at, ok := x.set[x.shown+1]; ok {
						x.ages = append(x.ages, r.Now-at)
					}
				}
			}
		}
		for _, x := range all {
			slices.Sort(x.ages)
			if age := x.ages[len(x.ages)*95/100]; age > rtt*3/2 {
				t.Errorf("loss %g, every %d ticks: p95 %v is more than 1.5 round trips", loss, x.every, age)
			}
		}
	}
}
