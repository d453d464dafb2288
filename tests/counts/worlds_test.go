//go:build counts

package counts

import (
	"testing"
	"time"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/engine/geom"
	"github.com/tidelock/tidelock/netcode/client"
	"github.com/tidelock/tidelock/netcode/rig"
	"github.com/tidelock/tidelock/netcode/simlink"
	"github.com/tidelock/tidelock/tests/bench/movers"
)

// worldA is world A of the comparison (tests/bench): 32 clients have all of 200 actors, half of which move in every tick.
func worldA(t *testing.T, m *measure) { comparison(t, m, movers.New(200, 100, 32), 0, 100) }

// worldB is its world B: each of 100 clients has about 60 of 5 000 actors, a fifth of which move in every tick.
func worldB(t *testing.T, m *measure) {
	comparison(t, m, movers.New(5000, 1000, 100), movers.Sight*1.1284, 60) // a circle of the same area as the square
}

// comparison runs a world of the comparison with real clients, some ticks to settle, then as many as given.
func comparison(t *testing.T, m *measure, w *movers.World, cull float64, ticks int) {
	ranged := func(most float64) *engine.Type {
		return &engine.Type{Kind: engine.KindInt, Ranged: true, Max: most}
	}
	r := rig.New(&engine.ClassSpec{
		Name: "Mover", Parent: "Pawn", // so that a player can have it
		Properties: []engine.PropertySpec{
			{Name: "Health", Type: ranged(100)}, {Name: "Ammo", Type: ranged(30)}, {Name: "Team", Type: ranged(3)}, {Name: "Mode", Type: ranged(7)},
		},
		Defaults: []engine.DefaultSpec{{Name: "bUpdateSimulatedPosition", Value: engine.Bool(true)}, {Name: "NetCullDistance", Value: engine.Float(cull)}},
		Rules: []engine.RuleSpec{
			{Names: []string{"Health", "Mode"}}, {Names: []string{"Ammo"}, Named: engine.CondSimulatedOnly}, {Names: []string{"Team"}, Named: engine.CondInitialOnly},
		},
	}).Plenty()
	r.Tick, r.Net, r.Warm, r.Config.Relevancy.Timeout = 20, 20, true, 2
	r.Start()
	var actors []*engine.Actor
	for i := range w.Actors {
		b := &w.Actors[i]
		a := r.Spawn("Mover", engine.SpawnParams{Location: at(b), Rotation: geom.Rotator{Yaw: uint16(b.Yaw)}})
		rig.Set(a, "Team", engine.Int(int(b.Team)))
		actors = append(actors, a)
	}
	for range w.K {
		r.Join(simlink.Symmetric(simlink.Impairment{Lag: 75 * time.Millisecond}))
	}
	r.Run(2)
	for i, p := range r.Peers { // each player has an actor of the world in place of their pawn
		pc := p.Controller()
		if pc == nil {
			t.Fatalf("client %d is %s", i, p.State())
		}
		pawn := pc.Class.Property("Pawn")
		r.World.Actor(engine.ActorID(pc.Word(pawn))).Destroy()
		pc.SetRef(pawn, actors[w.Client(i)])
	}
	turn := func() {
		w.Tick()
		for i := 0; i < w.N; i += w.Step {
			b, a := &w.Actors[i], actors[i]
			a.Move(at(b).Sub(a.Location))
			a.SetRotation(geom.Rotator{Yaw: uint16(b.Yaw)})
			for name, v := range map[string]int32{"Health": b.Health, "Ammo": b.Ammo, "Mode": b.State} {
				a.SetWord(a.Class.Property(name), uint64(v))
			}
		}
		r.Step(1)
	}
	for range 60 {
		turn()
	}
	m.begin()
	for range ticks {
		turn()
	}
	m.end()
	for i, p := range r.Peers {
		if p.State() != client.Playing || p.Copy(actors[w.Client(i)]) == nil {
			t.Errorf("client %d is %s", i, p.State())
		}
	}
}

func at(b *movers.Body) geom.Vector {
	return geom.Vector{X: float64(b.X), Y: float64(b.Y), Z: float64(b.Z)}
}
