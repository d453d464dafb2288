package navigation

import (
	"math"
	"slices"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/engine/collision"
	"github.com/tidelock/tidelock/engine/geom"
	"github.com/tidelock/tidelock/engine/level"
)

// lift is a mover that a body can stand on. For walking, all the room that it ever occupies (its shaft) is
// blocked: a pawn that does not use the lift must not be on it.
type lift struct {
	id      engine.ActorID
	hulls   []collision.Hull // at its start
	shaft   geom.Bounds
	way     vec     // from its start to its open position
	seconds float64 // from stepping on it until it arrives
}

// readLevel copies the level's hulls and sorts the world's movers. Movers that wait for a Trigger count as
// static, so their hulls are added to the level's; doors are left out.
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
			l.seconds += get("MoveTime").Num + get("StayOpenTime").Num/2 // half a cycle, until it comes
		}
		lifts = append(lifts, l)
	}
	return lifts, hulls
}

// entityOf returns the level's entity of a mover: the first of its class at its original location.
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

// linkLifts adds for each lift a node to board it and one to leave it.
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
		return // no room on it, or no floor at its centre
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
	// No link leads off it at its start: it leaves as soon as a pawn is on it.
	near(b.nodes[board].Location, func(o NodeID) { b.tryWalk(m, o, board) })
	m.q.World.MoveMover(id, l.way)
	near(b.nodes[leave].Location, func(o NodeID) { b.tryWalk(m, leave, o) })
	m.q.World.MoveMover(id, vec{})
}
