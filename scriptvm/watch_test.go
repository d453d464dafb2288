package scriptvm

import (
	"math"
	"testing"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/engine/geom"
)

const watchScripts = pastScripts + `
	Body.defaults { bCollideActors = true, bBlockActors = true, CollisionRadius = 30, CollisionHeight = 80 }
	function Body:Ask()
		self:Trace(vector(0, 0, 500), vector(0, 0, 900))
		self:FastTrace(vector(1, 2, 3))
		world:Trace(vector(0, 0, 1), vector(0, 0, 2))
		world:FastTrace(vector(0, 0, 3), vector(0, 0, 4))
		self:VisibleFrom(vector(5, 6, 7))
		self:TraceShot(vector(-200, 300, 0), vector(200, 300, 0))
	end
	function Body:Judge(target, time)
		self:TraceRewound{ from = vector(-200, target.Location.Y, 0), to = vector(200, target.Location.Y, 0), time = time, targets = { target } }
	end
`

// TestWatch: while somebody watches, every line that scripts query is told for a second, and every claim with where its targets were
// put; nothing is while nobody does, or no longer does.
func TestWatch(t *testing.T) {
	b, _ := newNetBench(t, engine.NMDedicatedServer, watchScripts)
	a, o := b.spawn("Body"), b.spawn("Body")
	b.spawn("Gun")
	o.SetLocation(geom.V(0, 300, 0))
	b.call(a, "Ask")
	if b.v.Sights() != nil || b.v.Claims() != nil || b.v.watch != nil {
		t.Error("something is remembered, and nobody watches")
	}
	b.v.Watch(2)
	b.call(a, "Ask")
	want := []Sight{
		{Kind: SightTrace, From: geom.V(0, 0, 500), To: geom.V(0, 0, 900), By: a.Name},
		{Kind: SightLine, From: a.Location, To: geom.V(1, 2, 3), By: a.Name},
		{Kind: SightTrace, From: geom.V(0, 0, 1), To: geom.V(0, 0, 2)},
		{Kind: SightLine, From: geom.V(0, 0, 3), To: geom.V(0, 0, 4)},
		{Kind: SightLine, From: geom.V(5, 6, 7), To: a.Location, By: a.Name},
		{Kind: SightShot, From: geom.V(-200, 300, 0), Blocked: true, By: a.Name},
	}
	got := b.v.Sights()
	if len(got) != len(want) {
		t.Fatalf("%d lines, want %d: %+v", len(got), len(want), got)
	}
	for i, s := range got {
		w := want[i]
		w.Time = b.w.Time
		if w.Kind == SightShot {
			w.To = geom.V(-4.5, 300, 0) // the head of the boxes
			if s.To.Distance(w.To) > 40 {
				t.Errorf("the shot ended at %v", s.To)
			}
			w.To = s.To
		}
		if w.Kind == SightTrace && w.By == "" {
			w.Blocked, w.To = s.Blocked, s.To // within the asker's own body
		}
		if s != w {
			t.Errorf("line %d is %+v, want %+v", i, s, w)
		}
	}

	b.run(0.5)
	then := b.w.Time
	o.SetLocation(geom.V(50, 300, 0))
	b.run(0.2)
	b.v.Watch(2)
	b.call(a, "Judge", engine.Ref(o), engine.Float(then))
	claims := b.v.Claims()
	if len(claims) != 1 {
		t.Fatalf("%+v", claims)
	}
	c := claims[0]
	if c.By != a.Name || c.Refused || math.Abs(c.Seen-then) > 1e-9 || c.Hit != o.Name || len(c.Targets) != 1 {
		t.Fatalf("%+v", c)
	}
	if x := c.Targets[0]; x.Actor != o.Name || x.Then.Distance(geom.V(0, 300, 0)) > 1 || x.Now != o.Location || len(x.Solids) != 1 || math.Abs(x.Solids[0].Centre.X-x.Then.X) > 1 {
		t.Errorf("the target was put at %+v", x)
	}

	for range 2 * maxSights {
		b.call(a, "Ask")
	}
	if n := len(b.v.Sights()); n != maxSights {
		t.Errorf("%d lines are remembered", n)
	}
	b.run(1.5)
	if n := len(b.v.Sights()); n != 0 || b.v.Claims() == nil {
		t.Errorf("%d lines are told after their second, %d claims", n, len(b.v.Claims()))
	}
	b.run(2)
	b.call(a, "Ask")
	if b.v.watch != nil || b.v.Sights() != nil {
		t.Error("something is remembered after the last watcher has gone")
	}
	for k := range SightShot + 1 {
		if k.String() == "" {
			t.Errorf("kind %d has no name", k)
		}
	}
	b.clean()
}
