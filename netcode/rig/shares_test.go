package rig_test

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/engine/geom"
	"github.com/tidelock/tidelock/netcode/client"
	"github.com/tidelock/tidelock/netcode/rig"
	"github.com/tidelock/tidelock/netcode/server"
	"github.com/tidelock/tidelock/tests/tier"
)

// talker is an actor with a value of up to so many bytes.
func talker(most int) *engine.ClassSpec {
	text := &engine.Type{Kind: engine.KindString, MaxLen: most}
	return &engine.ClassSpec{
		Name: "Talker", Parent: "Actor",
		Properties: []engine.PropertySpec{{Name: "N", Type: &engine.Type{Kind: engine.KindInt}}, {Name: "Pad", Type: text}},
		Rules:      []engine.RuleSpec{{Names: []string{"N", "Pad"}}},
		Functions: []engine.FunctionSpec{
			{Name: "ClientRing", Kind: engine.CallClient, Params: []engine.Param{{Name: "s", Type: text}}},
			{Name: "ClientTell", Kind: engine.CallClient, Reliable: true, Stated: true, Params: []engine.Param{{Name: "s", Type: text}}},
		},
	}
}

// contest is actors in one place that change with every tick and share the budget of a connection.
type contest struct {
	budget int
	prios  []float64
	size   int // bytes of each actor's value
	loss   float64
	calls  int // so many ticks between two pairs of an unreliable and a reliable call, 0 for none
	opens  int // so many ticks between two actors that are opened, 0 for none
	seed   uint64
}

// race is a contest that runs.
type race struct {
	contest
	*rig.Rig
	t      testing.TB
	peer   *rig.Peer
	actors []*engine.Actor
	bell   *engine.Actor
	index  map[uint32]int
	n      int
	pad    []byte
	// got counts the updates of each actor that came, in net updates.
	got     []int
	updates int
}

func (c contest) start(t testing.TB) *race {
	t.Helper()
	r := &race{contest: c, Rig: rig.New(talker(max(20, c.size))), t: t, index: map[uint32]int{}, pad: make([]byte, max(0, c.size-3)), got: make([]int, len(c.prios))}
	r.Tick, r.Net, r.Seed = 30, 30, c.seed+1
	r.Config = server.Config{Limits: server.Limits{Budget: c.budget}}
	r.Start()
	r.peer = r.Join(path(20*time.Millisecond, c.loss))
	for r.peer.Controller() == nil {
		r.Step(1)
	}
	r.Run(1)
	for i, p := range c.prios {
		a := r.Spawn("Talker", engine.SpawnParams{Location: geom.Vector{X: 300}})
		rig.Set(a, "NetPriority", engine.Float(p))
		r.actors = append(r.actors, a)
		r.index[r.Server.NetOf(a.ID())] = i
	}
	r.bell = r.Spawn("Talker", engine.SpawnParams{Owner: r.peer.Controller()})
	for i, a := range r.actors {
		for r.peer.Copy(a) == nil {
			if r.tick(); r.n > 6000 {
				t.Fatalf("%+v: actor %d did not come", c, i)
			}
		}
	}
	for range 30 {
		r.tick()
	}
	r.peer.Trace = true
	r.restart()
	return r
}

func (r *race) restart() {
	clear(r.got)
	r.updates, r.peer.Events = 0, nil
}

// tick changes all actors and runs one net update.
func (r *race) tick() {
	r.n++
	for i := range r.pad {
		r.pad[i] = 'a' + byte((r.n*7+i*13)%26)
	}
	for _, a := range r.actors {
		rig.Set(a, "N", engine.Int(300+r.n))
		if len(r.pad) > 0 {
			rig.Set(a, "Pad", engine.String(string(r.pad)))
		}
	}
	if r.calls > 0 && r.n%r.calls == 0 {
		text := []engine.Value{engine.String("twenty bytes of text")}
		r.Server.Call(r.bell, r.bell.Class.Functions["ClientRing"], text, "")
		r.Server.Call(r.bell, r.bell.Class.Functions["ClientTell"], text, "")
	}
	if r.opens > 0 && r.n%r.opens == 0 {
		r.Spawn("Talker", engine.SpawnParams{Location: geom.Vector{X: 300, Y: float64(r.n)}})
	}
	r.Step(1)
	r.updates++
	for _, e := range r.peer.Events {
		if i, ok := r.index[e.Net]; ok && e.Kind == client.Set && e.Name == "N" {
			r.got[i]++
		}
	}
	r.peer.Events = r.peer.Events[:0]
}

// run runs until each actor was served so many times.
func (r *race) run(least int) *race {
	r.t.Helper()
	for low := 0; low < least; {
		if r.tick(); r.updates > 100_000 {
			r.t.Fatalf("%+v: after %d net updates the actors have %v", r.contest, r.updates, r.got)
		}
		low = math.MaxInt
		for _, g := range r.got {
			low = min(low, g)
		}
	}
	return r
}

// limited reports whether an actor goes in nearly every net update: it could not use more, however large the budget. Calls, openings and losses
// take whole net updates from it, which it cannot make up by going twice in a later one.
func (r *race) limited(i int) bool {
	most := 0.93
	if r.calls > 0 || r.opens > 0 || r.loss > 0 {
		most = 0.85
	}
	return float64(r.got[i]) > most*float64(r.updates)*(1-r.loss)
}

// check holds the updates to the priorities: within 5 % or one (R4.3). An actor that goes in nearly every net update may have less than
// its share, and the others share the rest by the same ratios. It reports whether the budget bound everybody.
func (r *race) check() (binds bool) {
	r.t.Helper()
	binds = true
	least := -1 // of those that could use more
	for i := range r.got {
		if r.limited(i) {
			binds = false
		} else if least < 0 || float64(r.got[i])/r.prios[i] < float64(r.got[least])/r.prios[least] {
			least = i
		}
	}
	if least < 0 {
		return false
	}
	for i := range r.got {
		want := float64(r.got[least]) * r.prios[i] / r.prios[least]
		if r.limited(i) {
			want = min(want, float64(r.got[i]))
		}
		if off := math.Abs(float64(r.got[i]) - want); off > max(1, 0.05*want) {
			r.t.Errorf("%+v: updates %v in %d net updates: actor %d has %d, its share is %.1f", r.contest, r.got, r.updates, i, r.got[i], want)
			return binds
		}
	}
	return binds
}

// TestShareOfSizes: shares hold whatever the size of the values, from many in a datagram to one that overdraws the budget, and
// whatever the unit of priority: only ratios count.
func TestShareOfSizes(t *testing.T) {
	twelve := []float64{2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1}
	sizes := []int{10, 60, 100, 300, 390, 1000}
	if tier.IsChange() {
		sizes = []int{10, 20, 30, 45, 60, 80, 100, 120, 150, 200, 240, 256, 270, 300, 350, 390, 450, 520, 600, 800, 1000}
	}
	bound := 0
	for _, budget := range []int{1500, 2600, 4000, 8000, 20000} {
		for _, size := range sizes {
			for _, prios := range [][]float64{{2, 1}, {4. / 64, 2. / 64, 1. / 64}, {3072, 2048, 1024}, twelve} {
				if size*len(prios)/budget > 3 && !tier.IsChange() {
					continue // it takes long, and is as with less
				}
				if (contest{budget: budget, prios: prios, size: size}).start(t).run(100).check() {
					bound++
				}
			}
		}
	}
	if bound < 60 {
		t.Errorf("the budget bound in %d contests only: they test nothing", bound)
	}
}

// TestShareBeside: shares hold under loss, and beside calls and openings.
func TestShareBeside(t *testing.T) {
	contests := 40
	if tier.IsChange() {
		contests = 400
	}
	rng := rand.New(rand.NewPCG(8, 2))
	bound := 0
	for i := range contests {
		c := contest{
			budget: []int{2600, 4000, 8000, 20000}[rng.IntN(4)], size: 10 + int(990*math.Pow(rng.Float64(), 2)), seed: uint64(i),
			loss: []float64{0, 0.05, 0.1}[rng.IntN(3)], calls: []int{0, 10, 25}[rng.IntN(3)], opens: []int{0, 30, 80}[rng.IntN(3)],
		}
		for range 2 + rng.IntN(11) {
			c.prios = append(c.prios, []float64{1, 1.5, 2, 3, 4}[rng.IntN(5)])
		}
		if c.size*len(c.prios)/c.budget > 1 { // it would take long
			c.budget = 20000
		}
		if c.start(t).run(100).check() {
			bound++
		}
	}
	if bound < contests/2 {
		t.Errorf("the budget bound in %d of %d contests only", bound, contests)
	}
}

// TestShareRest: an actor that goes in every net update cannot use more; what it leaves is shared by the others exactly by their
// priorities, whatever their turns by the first one's would be, and nothing of it is lost.
func TestShareRest(t *testing.T) {
	for _, c := range []contest{
		{budget: 6000, size: 60, prios: []float64{40, 2, 1}},
		{budget: 15000, size: 300, prios: []float64{40, 2, 1}},
		{budget: 4000, size: 30, prios: []float64{3, 2, 1}},
		{budget: 20000, size: 256, prios: []float64{3, 2, 1}},
		{budget: 20000, size: 270, prios: []float64{3, 2, 1}},
	} {
		r := c.start(t)
		before := r.peer.End.Conn().Stats().BytesIn
		r.run(200)
		if !r.limited(0) || r.limited(1) {
			t.Errorf("%+v: updates %v in %d net updates: the first alone should go in nearly every one", c, r.got, r.updates)
		}
		r.check()
		if x := float64(r.got[1]) / float64(r.got[2]); x < 1.9 || x > 2.1 {
			t.Errorf("the others share the rest as %.2f : 1: %v", x, r.got)
		}
		if used := float64(r.peer.End.Conn().Stats().BytesIn-before) / (float64(r.updates) / 30); used < 0.95*float64(c.budget) {
			t.Errorf("%.0f B/s are used of %d while somebody waits", used, c.budget)
		}
		// What it left it cannot claim once it is one of three equals.
		r.Server.ConnectionOf(r.peer.Controller()).Budget = 2600
		for i, a := range r.actors {
			r.prios[i] = 1
			rig.Set(a, "NetPriority", engine.Float(1))
		}
		for range 15 {
			r.tick()
		}
		r.restart()
		if r.run(50); !r.check() {
			t.Error("the budget does not bind three equals")
		}
	}
}

// TestOverdraw: a value that overdraws the budget goes alone, though others are due and the datagram has room: the debt is what
// everything else waits for.
func TestOverdraw(t *testing.T) {
	r := contest{budget: 2600, size: 300, prios: []float64{1, 1, 1, 1}}.start(t)
	most := uint64(0)
	for range 300 {
		before := r.peer.End.Conn().Stats().BytesIn
		r.tick()
		most = max(most, r.peer.End.Conn().Stats().BytesIn-before)
	}
	if most < 300 || most > 450 {
		t.Errorf("a datagram has %d bytes, with headers, where a value has 300", most)
	}
}

// TestShareOfSlow: an actor that NetUpdateFrequency keeps from using its share (R4.5) keeps nobody else from theirs, and what it did
// not use is not claimed later.
func TestShareOfSlow(t *testing.T) {
	r := contest{budget: 2600, size: 100, prios: []float64{20, 2, 1}}.start(t)
	rig.Set(r.actors[0], "NetUpdateFrequency", engine.Float(2))
	r.tick()
	r.restart()
	r.run(100)
	if rate := float64(r.got[0]) / (float64(r.updates) / 30); rate < 1.8 || rate > 2.2 {
		t.Errorf("the slow one has %.2f updates a second, 2 are its NetUpdateFrequency", rate)
	}
	if x := float64(r.got[1]) / float64(r.got[2]); x < 1.9 || x > 2.1 {
		t.Errorf("the others have %v", r.got)
	}
	rig.Set(r.actors[0], "NetUpdateFrequency", engine.Float(100))
	r.tick()
	r.restart()
	for range 60 {
		r.tick()
	}
	if r.got[2] == 0 || float64(r.got[0]) > 0.93*60 {
		t.Errorf("once it is not slow any more it takes everything: %v in 60 net updates", r.got)
	}
}

// TestShareOfMany: players of a crowd, all of which were sent the same while the budget sufficed, each get their shares when it does not.
func TestShareOfMany(t *testing.T) {
	r := contest{budget: 200_000, size: 3, prios: []float64{2, 1, 1, 2, 1, 2}}.start(t)
	for range 5 {
		r.Join(path(30*time.Millisecond, 0.02))
	}
	for r.Server.Stats.Common == 0 {
		if r.tick(); r.n > 3000 {
			t.Fatal("there is no crowd")
		}
	}
	r.Server.Connections(func(c *server.Conn) { c.Budget = 1500 })
	for _, p := range r.Peers {
		p.Trace, p.Events = true, nil
	}
	for range 5 {
		r.tick()
	}
	for _, p := range r.Peers {
		x := &race{contest: r.contest, Rig: r.Rig, t: t, peer: p, actors: r.actors, bell: r.bell, index: r.index, n: r.n, pad: r.pad, got: make([]int, len(r.prios))}
		x.loss = 0.02
		p.Events = nil
		if x.run(100); !x.check() {
			t.Error("the budget does not bind")
		}
		r.n = x.n
	}
}
