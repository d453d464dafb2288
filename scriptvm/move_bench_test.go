package scriptvm

import (
	"testing"

	"github.com/tidelock/tidelock/engine"
)

// silence is a network on which calls go nowhere.
type silence struct{ telegraph }

func (*silence) Call(*engine.Actor, *engine.Function, []engine.Value, string) error { return nil }

// BenchmarkServerMove is one call of ServerMove as a client sends thirty a second: a move and the one before it, which
// has come already; performed in an empty world, judged, and every second one answered. BenchmarkAutonomousMove of
// package engine is what the physics in a level cost on top.
func BenchmarkServerMove(b *testing.B) {
	x := newBench(b, "")
	pc := x.spawn("PlayerController")
	pawn := x.spawn("Character", engine.Assignment{Name: "Physics", Value: engine.Int(int(engine.PhysFlying))})
	x.w.NetMode = engine.NMDedicatedServer
	x.w.SetRemote(&silence{telegraph{owns: map[*engine.Actor]bool{pc: true}}})
	x.w.Possess(pc, pawn)
	x.run(0.1)
	x.v.Received(pc, pc.Class.Functions["ServerAcknowledgePossession"], []engine.Value{engine.Ref(pawn), engine.Int(0)}, "peer")
	f := pc.Class.Functions["ServerMove"]
	args := make([]engine.Value, len(f.Params))
	for i := range args {
		args[i] = f.Params[i].Default
	}
	view := 0
	pc.Set(pc.Class.Property("bCheckTime"), engine.Bool(false))
	b.ReportAllocs()
	stamp := 0
	b.ResetTimer()
	for i := 0; b.Loop(); i++ {
		stamp = (stamp + 33) % 65536
		if i%64 == 0 {
			view = i * 700 % 65536
		}
		args[0], args[1] = engine.Int(stamp), engine.Int(1) // straight ahead
		args[2], args[3] = engine.Vec(pawn.Location), engine.Int(view)
		args[4], args[5] = engine.Int(33), engine.Int(1)
		if x.v.Received(pc, f, args, "peer") != engine.Accepted {
			b.Fatal(x.errors())
		}
		if i%2 == 1 {
			x.w.Step(1.0 / 60)
		}
	}
	b.StopTimer()
	if len(x.reports) > 0 || pawn.Location.IsZero() {
		b.Fatal("it does not move", x.errors())
	}
}
