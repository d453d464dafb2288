package rates_test

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/tidelock/tidelock/cmd/host/rates"
	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/netcode/rig"
	"github.com/tidelock/tidelock/netcode/server"
	"github.com/tidelock/tidelock/netcode/simlink"
)

// world is a server with players and actors that change all the time.
func world(t testing.TB, players int) (*rig.Rig, []*engine.Actor) {
	t.Helper()
	number := &engine.Type{Kind: engine.KindInt}
	r := rig.New(&engine.ClassSpec{
		Name: "Blob", Parent: "Actor",
		Properties: []engine.PropertySpec{{Name: "A", Type: number}, {Name: "B", Type: number}},
		Rules:      []engine.RuleSpec{{Names: []string{"A", "B"}}},
		Defaults:   []engine.DefaultSpec{{Name: "bAlwaysRelevant", Value: engine.Bool(true)}},
	})
	r.Start()
	for range players {
		r.Join(simlink.Path{})
	}
	r.Run(3)
	var blobs []*engine.Actor
	for range 20 {
		blobs = append(blobs, r.Spawn("Blob", engine.SpawnParams{}))
	}
	return r, blobs
}

// TestRates: the chart has what the counters counted, second by second, whichever way it is divided; what a player was sent who has left stays.
func TestRates(t *testing.T) {
	r, blobs := world(t, 3)
	var all rates.Rates
	now := time.Unix(1000, 0)
	all.Sample(now, r.Server)
	if c := all.Read(rates.ByClass, 0, 5); len(c.Times) != 0 {
		t.Errorf("a first sample tells %+v", c)
	}
	sent := func() (n uint64) {
		for _, p := range r.Peers {
			if c := r.Server.ConnectionOf(p.Controller()); c != nil {
				n += c.Traffic.Payload()
			}
		}
		return n
	}
	before := sent()
	for second := range 6 {
		for tick := range 60 {
			for _, a := range blobs {
				rig.Set(a, "A", engine.Int(second*60+tick))
			}
			r.Step(1)
		}
		now = now.Add(time.Second)
		all.Sample(now, r.Server)
		all.Sample(now.Add(time.Millisecond), r.Server) // too early: nothing
	}
	want := float64(sent() - before)
	sum := func(c rates.Chart, only string) (n float64) {
		for _, s := range c.Series {
			if len(s.Values) != len(c.Times) {
				t.Fatalf("%s has %d values at %d times", s.Name, len(s.Values), len(c.Times))
			}
			for _, v := range s.Values {
				if strings.HasPrefix(s.Name, only) {
					n += v
				}
			}
		}
		return n
	}
	for by := rates.ByClass; by <= rates.ByConnection; by++ {
		c := all.Read(by, 0, 1)
		if len(c.Times) != 6 || c.Times[5] != 1006 {
			t.Fatalf("by %s: times %v", by, c.Times)
		}
		if got := sum(c, ""); by != rates.ByVariable && by != rates.ByFunction && math.Abs(got-want) > want/1000 {
			t.Errorf("by %s: %g bytes, %g were sent", by, got, want)
		}
		if back, err := rates.ParseBy(by.String()); err != nil || back != by {
			t.Errorf("%s is read as %s, %v", by, back, err)
		}
	}
	if _, err := rates.ParseBy("level"); err == nil || !strings.Contains(err.Error(), "connection") {
		t.Error(err)
	}
	if a := sum(all.Read(rates.ByVariable, 0, 8), "Blob.A"); a < want/4 || sum(all.Read(rates.ByVariable, 0, 8), "Blob.B") != 0 {
		t.Errorf("Blob.A has %g of %g bytes", a, want)
	}
	one := sum(all.Read(rates.ByClass, 1, 8), "")
	if players := all.Read(rates.ByConnection, 0, 8); len(players.Series) != 3 || math.Abs(one-sum(players, "1 ")) > 1 {
		t.Errorf("the first connection has %g bytes, and %g by connection: %d series", one, sum(players, "1 "), len(players.Series))
	}

	// A long time without a look is not told by second, and with another server it begins again.
	all.Sample(now.Add(time.Minute), r.Server)
	if c := all.Read(rates.ByClass, 0, 1); len(c.Times) != 6 {
		t.Errorf("%d samples after a minute in which nobody looked", len(c.Times))
	}
	for i := range rates.Kept + 50 {
		all.Sample(now.Add(time.Minute+time.Duration(i+1)*time.Second), r.Server)
	}
	if c := all.Read(rates.ByClass, 0, 1); len(c.Times) != rates.Kept {
		t.Errorf("%d samples are kept", len(c.Times))
	}
	other, _ := world(t, 1)
	all.Sample(now.Add(time.Hour), other.Server)
	if c := all.Read(rates.ByClass, 0, 1); len(c.Times) != 0 {
		t.Errorf("another server has %d samples", len(c.Times))
	}
	all.Sample(now.Add(2*time.Hour), nil)
}

// TestSpread: ten times a second, every call reads a part of the connections, so that each has its second; all that was sent is told once, also of a
// player who comes meanwhile and after a reload.
func TestSpread(t *testing.T) {
	r, blobs := world(t, 24)
	var all rates.Rates
	now := time.Unix(1000, 0)
	n := 0
	run := func(calls int, change bool) {
		for range calls {
			for range 6 {
				n++
				for _, a := range blobs {
					if change {
						rig.Set(a, "A", engine.Int(n))
					}
				}
				r.Step(1)
			}
			now = now.Add(time.Second / 10)
			all.Sample(now, r.Server)
		}
	}
	told := func() (sum float64) {
		c := all.Read(rates.ByClass, 0, 64)
		last := 0.0
		for i, at := range c.Times {
			if at-last > 5 { // where samples begin
				last = at - 1
			}
			for _, s := range c.Series {
				sum += s.Values[i] * (at - last)
			}
			last = at
		}
		return sum
	}
	sent := func() (n float64) {
		r.Server.Connections(func(c *server.Conn) { n += float64(c.Traffic.Payload()) })
		return n
	}
	for {
		run(1, false)
		if run(10, false); len(all.Read(rates.ByClass, 0, 1).Times) > 0 {
			break
		}
	}
	run(20, false)
	before, was := sent(), told()
	run(45, true)
	during := sent() - before
	if got := told() - was; got < during/2 || got > 0.99*during {
		t.Errorf("of %g bytes %g are told while the last second is being read", during, got)
	}
	r.Reload(&engine.ClassSpec{Name: "Other", Parent: "Actor"}, &engine.ClassSpec{
		Name: "Blob", Parent: "Actor",
		Properties: []engine.PropertySpec{{Name: "A", Type: &engine.Type{Kind: engine.KindInt}}, {Name: "B", Type: &engine.Type{Kind: engine.KindInt}}},
		Rules:      []engine.RuleSpec{{Names: []string{"A", "B"}}},
		Defaults:   []engine.DefaultSpec{{Name: "bAlwaysRelevant", Value: engine.Bool(true)}},
	})
	r.Join(simlink.Path{})
	run(31, true)
	run(25, false)
	during = sent() - before
	if got := told() - was; math.Abs(got-during) > during/100 {
		t.Errorf("%g bytes were sent, %g are told", during, got)
	}
}

// BenchmarkSample64 is what a sample of 64 connections costs the tick that it follows, once a second while somebody looks.
func BenchmarkSample64(b *testing.B) {
	r, blobs := world(b, 64)
	var all rates.Rates
	now := time.Unix(1000, 0)
	for i := range 60 {
		for _, a := range blobs {
			rig.Set(a, "A", engine.Int(i))
		}
		r.Step(1)
	}
	b.ReportAllocs()
	for b.Loop() {
		for range 10 {
			now = now.Add(time.Second / 10)
			all.Sample(now, r.Server)
		}
	}
}
