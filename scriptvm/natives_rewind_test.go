package scriptvm

import (
	"testing"

	"github.com/tidelock/tidelock/engine"
)

const pastScripts = `
	local Gun = class("Gun", "Actor")
	Gun.properties { bUseServerSideRewind = true }
	local Old = class("Old", "Gun")
	Old.defaults { bUseServerSideRewind = false }
	local Body = class("Body", "Pawn")
	Body.hitboxes { { name = "head", size = vector(9, 9, 9) } }
	function Body:Look(time)
		local hit = self:TraceRewound{ from = vector(), to = vector(1, 0, 0), time = time }
		self.hit = hit
	end
`

// A history is kept from the first weapon on that needs it, on servers with clients alone, and of all pawns.
func TestThePastIsKeptWhereItIsNeeded(t *testing.T) {
	for _, c := range []struct {
		mode  engine.NetMode
		class string
		want  bool
	}{
		{engine.NMDedicatedServer, "Gun", true},
		{engine.NMListenServer, "Gun", true},
		{engine.NMDedicatedServer, "Old", false},
		{engine.NMDedicatedServer, "Body", false},
		{engine.NMStandalone, "Gun", false},
		{engine.NMClient, "Gun", false},
	} {
		b, _ := newNetBench(t, c.mode, pastScripts)
		before := b.spawn("Body")
		b.spawn(c.class)
		after := b.spawn("Body")
		if b.v.past.records != c.want {
			t.Errorf("%v with %s: kept %v", c.mode, c.class, b.v.past.records)
		}
		b.run(0.5)
		if !c.want {
			continue
		}
		for _, a := range []*engine.Actor{before, after} {
			if _, ok := b.v.past.history.At(a, b.w.Time-0.2); !ok {
				t.Errorf("%v: %s is not remembered", c.mode, a.Name)
			}
		}
		if n := b.v.past.history.Registered(); n != 2 {
			t.Errorf("%d pawns are remembered", n)
		}
		now := b.w.Time
		if n := testing.AllocsPerRun(100, func() {
			now += 1.0 / 60
			b.v.Record(now)
		}); n != 0 {
			t.Errorf("remembering takes %v allocations a tick", n)
		}
		after.Destroy()
		b.run(0.1)
		if n := b.v.past.history.Registered(); n != 1 {
			t.Errorf("%d pawns are remembered when one has gone", n)
		}
	}
}

// A world whose clock is set back, by another level, forgets what was.
func TestThePastBeginsAgainWithTheClock(t *testing.T) {
	b, _ := newNetBench(t, engine.NMDedicatedServer, pastScripts)
	a := b.spawn("Body")
	b.call(a, "Look", engine.Float(0))
	b.run(1)
	b.w.Time = 0
	b.run(0.3)
	if _, ok := b.v.past.history.At(a, 0.2); !ok {
		t.Error("what was after the clock was set back is not remembered")
	}
	if _, ok := b.v.past.history.At(a, 0.9); !ok {
		t.Error("a time to come is not the newest")
	}
	b.clean()
}
