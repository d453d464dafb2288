package navigation

import (
	"math"
	"slices"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/engine/collision"
	"github.com/tidelock/tidelock/engine/geom"
	"github.com/tidelock/tidelock/engine/level"
)

// lift is a mover that one can stand on. For walking, all the room it ever takes is shut (its shaft): who does
// not mean to go with it should not be on it.
type lift struct {
	id      engine.ActorID
	hulls   []collision.Hull // where it begins
	shaft   geom.Bounds
	way     vec     // to where it opens
	seconds float64 // from stepping on it until it is there
}

// readLevel takes the level's hulls and sorts the world's movers. Those that wait for a Trigger are as they are, so
// their hulls are added to the level's; doors are left out.
func (b *builder) readLevel(w *engine.World) (lifts []lift, hulls []collision.Hull) {
	if w.Level == nil {
		return nil, nil
	}
	hulls = w.Level.Solids()
	taken := map[int]bool{}
	for _, a := range w.ActorsOf("Mover") {
		e := entityOf(w.Level, a, taken)
		if e == nil {
			continue
		}
		solids := level.Solids(e.Brushes)
		if len(solids) == 0 || !a.BBlockPlayers {
			continue
		}
		get := func(name string) engine.Value {
			if p := a.Class.Property(name); p != nil {
				return a.Get(p)
			}
			return engine.Value{}
		}
		if get("bTriggerOnly").Truth() {
			hulls = append(hulls, solids...)
			continue
		}
		box := solids[0].Bounds
		for i := range solids {
			box = box.Union(solids[i].Bounds)
		}
		way := get("MoveTo").Vec
		if e := box.Extent(); math.Min(e.X, e.Y) < b.opt.Radius*0.75 || way.Size() <= b.opt.StepHeight {
			if way.Size() <= b.opt.StepHeight {
				hulls = append(hulls, solids...)
			}
			continue // too thin to stand on: a door
		}
		l := lift{id: a.ID(), hulls: solids, shaft: box.Union(box.Translate(way)), way: way}
		l.seconds = get("StartDelay").Num + get("MoveTime").Num
		if get("bLoop").Truth() {
			l.seconds += get("MoveTime").Num + get("StayOpenTime").Num/2 // half a round, until it comes
		}
		lifts = append(lifts, l)
	}
	return lifts, hulls
}

// entityOf is what the level says of a mover: the first of its class that stands where it began.
func entityOf(lv *level.Level, a *engine.Actor, taken map[int]bool) *level.Entity {
	for i := range lv.Entities {
		e := &lv.Entities[i]
		if !taken[i] && len(e.Brushes) > 0 && e.ClassName == a.Class.Name && e.Origin.Distance(a.Home()) < 0.01 {
			taken[i] = true
			return e
		}
	}
	return nil
}

// linkLifts gives each lift a node where one boards it and one where one leaves it.
func (b *builder) linkLifts() {
	if len(b.lifts) == 0 {
		return
	}
	world := collision.NewWorld(slices.Clone(b.hulls))
	for i := range b.lifts {
		world.AddMover(int32(i+1), b.lifts[i].hulls)
	}
	m := b.body
	m.avoid = false
	m.q = collision.Query{World: world}
	for i := range b.lifts {
		b.linkLift(&b.lifts[i], int32(i+1), &m)
		b.body.q.Sweeps += m.q.Sweeps
		if m.q.Sweeps = 0; b.tired() {
			return
		}
	}
}

func (b *builder) linkLift(l *lift, id int32, m *body) {
	box := l.hulls[0].Bounds
	for i := range l.hulls {
		box = box.Union(l.hulls[i].Bounds)
	}
	at := box.Centre()
	at.Z = box.Max.Z + b.opt.HalfHeight + 2*collision.Gap
	h := m.sweep(at, at.Sub(vec{Z: box.Max.Z - box.Min.Z}))
	if h.Mover != id || !m.stands(&h) {
		return // no room on it, or its middle is no floor
	}
	n := NodeID(len(b.nodes))
	board := b.addNode(Node{Location: h.Location, Size: b.opt.Spacing, Mover: l.id})
	leave := b.addNode(Node{Location: h.Location.Add(l.way), Size: b.opt.Spacing, Mover: l.id})
	if leave == None {
		return
	}
	b.addLink(board, leave, Lift, l.seconds)
	far := box.Extent().Size2D() + 4*b.opt.Spacing
	near := func(at vec, try func(o NodeID)) {
		for o := range n {
			to := b.nodes[o].Location
			if way := to.Sub(at).Size2D(); way < far+b.nodes[o].Size/2 && math.Abs(to.Z-at.Z) < far && b.nodes[o].Mover == 0 && !b.nodes[o].Low {
				try(o)
			}
		}
	}
	// Nothing leads off it where it begins: it goes as soon as one is on it.
	near(b.nodes[board].Location, func(o NodeID) { b.tryWalk(m, o, board) })
	m.q.World.MoveMover(id, l.way)
	near(b.nodes[leave].Location, func(o NodeID) { b.tryWalk(m, leave, o) })
	m.q.World.MoveMover(id, vec{})
}
