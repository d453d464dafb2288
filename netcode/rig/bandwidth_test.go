package rig_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"sort"
	"testing"
	"time"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/engine/geom"
	"github.com/tidelock/tidelock/netcode/client"
	"github.com/tidelock/tidelock/netcode/rig"
	"github.com/tidelock/tidelock/netcode/server"
	"github.com/tidelock/tidelock/netcode/simlink"
)

// blob is an actor whose variables change all the time.
func blob() *engine.ClassSpec {
	return &engine.ClassSpec{
		Name: "Blob", Parent: "Actor",
		Properties: []engine.PropertySpec{{Name: "N", Type: &engine.Type{Kind: engine.KindInt}}, {Name: "Pad", Type: &engine.Type{Kind: engine.KindString}}},
		Rules:      []engine.RuleSpec{{Names: []string{"N", "Pad"}}},
	}
}

// TestShares: two actors that always change, at priorities 2 and 1 in one place, get their turns 2 : 1 (R4.3), whatever
// the unit of priority.
func TestShares(t *testing.T) {
	for _, c := range []struct {
		scale   float64
		prios   []float64
		budget  int
		padding int
	}{{1, []float64{2, 1}, 2000, 200}, {10, []float64{2, 1}, 2000, 200}, {1, []float64{2, 1}, 9000, 240}, {1, []float64{4, 2, 1, 1}, 4000, 150}} {
		t.Run(fmt.Sprint(c), func(t *testing.T) {
			r := rig.New(blob())
			r.Config = server.Config{Limits: server.Limits{Budget: c.budget}}
			r.Start()
			p := r.Join(simlink.Path{})
			r.Run(1)
			var actors []*engine.Actor
			sum := 0.0
			for _, prio := range c.prios {
				a := r.Spawn("Blob", engine.SpawnParams{Location: geom.Vector{X: 300}})
				rig.Set(a, "NetPriority", engine.Float(prio*c.scale))
				actors = append(actors, a)
				sum += prio
			}
			r.Run(3)
			p.Trace = true
			rng := rand.New(rand.NewPCG(1, 2))
			n := 0
			for range 2000 { // 1 000 net updates
				for _, a := range actors {
					n++
					pad := make([]byte, c.padding)
					for i := range pad {
						pad[i] = byte('a' + rng.IntN(26))
					}
					rig.Set(a, "N", engine.Int(n))
					rig.Set(a, "Pad", engine.String(string(pad)))
				}
				r.Step(1)
			}
			got := map[uint32]float64{}
			total := 0.0
			for _, e := range p.Events {
				if e.Kind == client.Set && e.Name == "N" {
					got[e.Net]++
					total++
				}
			}
			if total < 100 {
				t.Fatalf("only %v updates came", total)
			}
			for i, a := range actors {
				share, want := got[r.Server.NetOf(a.ID())]/total, c.prios[i]/sum
				if math.Abs(share/want-1) > 0.05 {
					t.Errorf("priority %g: %.1f %% of %v updates, want %.1f %%", c.prios[i], 100*share, total, 100*want)
				}
			}
		})
	}
}

// TestBudget: over any one second at most the budget and one datagram (R4.1), with headers.
func TestBudget(t *testing.T) {
	for _, budget := range []int{2600, 6000} {
		t.Run(fmt.Sprint(budget), func(t *testing.T) {
			r := rig.New(blob())
			r.Config = server.Config{Limits: server.Limits{Budget: budget}}
			r.Start()
			p := r.Join(simlink.Path{Down: simlink.Impairment{Lag: 50 * time.Millisecond}, Up: simlink.Impairment{Lag: 50 * time.Millisecond}})
			r.Run(2)
			var actors []*engine.Actor
			for i := range 40 {
				actors = append(actors, r.Spawn("Blob", engine.SpawnParams{Location: geom.Vector{X: 300, Y: float64(i)}}))
			}
			conn := r.Server.ConnectionOf(p.Controller())
			var sent []uint64
			worst := uint64(0)
			for i := range 1200 {
				for _, a := range actors {
					rig.Set(a, "N", engine.Int(i))
					a.SetLocation(geom.Vector{X: 300 + float64(i%50), Y: a.Location.Y})
				}
				r.Step(1)
				sent = append(sent, conn.Session().Conn.Stats().BytesOut)
				if n := len(sent) - 61; n >= 0 {
					worst = max(worst, sent[len(sent)-1]-sent[n])
				}
			}
			t.Logf("budget %d B/s: worst second %d bytes, longest wait %.2f s", budget, worst, r.Server.Stats.LongestWait)
			if worst > uint64(budget)+1200 {
				t.Errorf("%d bytes in one second, the budget is %d and one datagram", worst, budget)
			}
			if rate := float64(sent[len(sent)-1]-sent[600]) / (float64(len(sent)-601) / 60); rate < 0.8*float64(budget) {
				t.Errorf("only %.0f B/s of %d were used though there was more to send", rate, budget)
			}
		})
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
	r.Config = server.Config{Limits: server.Limits{Budget: 2600}}
	r.Config.Relevancy.NoSight = true
	r.Start()
	lag := simlink.Impairment{Lag: 10 * time.Millisecond, Loss: 0.05} // what distance alone costs is not the question
	for range 16 {
		r.Join(simlink.Path{Up: lag, Down: lag})
	}
	r.Run(6)
	rng := rand.New(rand.NewPCG(4, 4))
	type mover struct {
		a    *engine.Actor
		v    geom.Vector
		turn float64
	}
	var movers []*mover
	add := func(a *engine.Actor, speed float64) {
		at := geom.Vector{X: rng.Float64()*16000 - 8000, Y: rng.Float64()*16000 - 8000}
		a.SetLocation(at)
		d := rng.Float64() * 2 * math.Pi
		movers = append(movers, &mover{a, geom.Vector{X: math.Cos(d) * speed, Y: math.Sin(d) * speed}, rng.Float64()*2 - 1})
		prop := a.Class.Property("NetCullDistance")
		if err := a.Set(prop, engine.Float(4000)); err != nil {
			t.Fatal(err)
		}
		if !on {
			_ = a.Set(prop, engine.Float(0))
			rig.Set(a, "NetPriority", engine.Float(1))
		}
	}
	for _, p := range r.Peers {
		if p.Controller() == nil {
			t.Fatal("a client did not come in: ", r.Lines)
		}
		pc := p.Controller()
		add(r.World.Actor(engine.ActorID(pc.Word(pc.Class.Property("Pawn")))), 440)
	}
	for i := range 40 {
		add(r.Spawn("Shot", engine.SpawnParams{}), []float64{900, 150}[i%2])
	}
	if !on {
		r.Server.SetFlat(true)
	}
	sum, n := 0.0, 0.0
	for tick := range 60 * 20 {
		for _, m := range movers {
			c, s := math.Cos(m.turn/60), math.Sin(m.turn/60)
			m.v = geom.Vector{X: m.v.X*c - m.v.Y*s, Y: m.v.X*s + m.v.Y*c}
			at := m.a.Location.Add(m.v.Mul(1.0 / 60))
			if math.Abs(at.X) > 8000 || math.Abs(at.Y) > 8000 {
				m.v = m.v.Mul(-1)
				continue
			}
			m.a.SetLocation(at)
			rig.Set(m.a, "Velocity", engine.Vec(m.v))
			m.a.SetRotation(m.v.Rotation())
		}
		r.Step(1)
		if tick < 300 || tick%10 != 0 {
			continue
		}
		// What matters is what a player sees: actors within 4 000 uu of their pawn.
		for i, p := range r.Peers {
			eye := movers[i].a.Location
			for j, m := range movers {
				if d := m.a.Location.Sub(eye).Size(); i == j || d > 3500 {
					continue
				}
				if k := p.Copy(m.a); k != nil {
					sum += min(4000, k.Location.Sub(m.a.Location).Size())
					n++
				}
			}
		}
	}
	return sum / n
}

// TestStaleness measures R5.22: the time from a set to its being shown, for values that change with every net update and
// for values that change once a second, at several losses.
func TestStaleness(t *testing.T) {
	const rtt = 150 * time.Millisecond
	for _, loss := range []float64{0, 0.05, 0.1, 0.2} {
		always, seldom := staleness(t, rtt, loss)
		t.Logf("loss %2.0f %%: changing always p50 %3.0f p95 %3.0f ms, once a second p50 %3.0f p95 %3.0f ms (round trip %v)", 100*loss,
			quantile(always, 0.5), quantile(always, 0.95), quantile(seldom, 0.5), quantile(seldom, 0.95), rtt)
		if loss <= 0.1 {
			for name, q := range map[string]float64{"always": quantile(always, 0.95), "once a second": quantile(seldom, 0.95)} {
				if q > 1.5*1000*rtt.Seconds() {
					t.Errorf("loss %g, %s: p95 %.0f ms is more than 1.5 round trips", loss, name, q)
				}
			}
		}
	}
}

func quantile(list []float64, q float64) float64 {
	sort.Float64s(list)
	return list[int(q*float64(len(list)-1))]
}

func staleness(t *testing.T, rtt time.Duration, loss float64) (always, seldom []float64) {
	r := rig.New(blob())
	r.Seed = 3
	r.Start()
	i := simlink.Impairment{Lag: rtt / 2, Loss: loss}
	p := r.Join(simlink.Path{Up: i, Down: i})
	r.Run(3)
	a, b := r.Spawn("Blob", engine.SpawnParams{}), r.Spawn("Blob", engine.SpawnParams{})
	r.Run(2)
	if p.Copy(a) == nil || p.Copy(b) == nil {
		t.Fatal("no copies")
	}
	setA, setB := map[int]time.Duration{}, map[int]time.Duration{}
	shownA, shownB := 0, 0
	for tick := 1; tick <= 60*120; tick++ {
		if tick%2 == 0 {
			rig.Set(a, "N", engine.Int(tick))
			setA[tick] = r.Now
		}
		if tick%60 == 0 {
			rig.Set(b, "N", engine.Int(tick))
			setB[tick] = r.Now
		}
		r.Step(1)
		look := func(x *engine.Actor, shown *int, set map[int]time.Duration, out *[]float64) {
			v := int(rig.Get(p.Copy(x), "N").Num)
			for n := *shown + 1; n <= v; n++ { // a newer value shows all before it
				if at, ok := set[n]; ok {
					*out = append(*out, float64(r.Now-at)/1e6)
				}
			}
			*shown = max(*shown, v)
		}
		look(a, &shownA, setA, &always)
		look(b, &shownB, setB, &seldom)
	}
	return always, seldom
}
