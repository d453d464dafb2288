package engine

import (
	"math"

	"github.com/tidelock/tidelock/engine/collision"
	"github.com/tidelock/tidelock/engine/geom"
)

// Hit is what a trace or a move hit. Actor is nil for the level's brushes.
type Hit struct {
	Actor            *Actor
	Location, Normal vec
	// Distance from the start, in uu.
	Distance float64
}

// TraceOptions narrow a trace. The zero value is a line that hits brushes and every actor that blocks:
// bCollideActors with bBlockActors or bBlockPlayers. Actors that only touch (triggers, pickups) are passed.
type TraceOptions struct {
	// NoActors ignores all actors except movers, which are brushes.
	NoActors bool
	// NoPawns ignores pawns: their past is needed, not their present (R11.3).
	NoPawns bool
	Ignore  []*Actor
	// Radius and Height (half) describe an upright body; both are 0 for a line.
	Radius, Height float64
}

// maxBodyRadius is the largest CollisionRadius that near queries allow for, in uu.
const maxBodyRadius = 512

// Trace finds the first thing that a line, or a body, hits between two locations; if it hits two at once, the
// level comes before an actor. If it starts in brushes it hits them there, and the normal points out of them.
func (w *World) Trace(from, to vec, opt TraceOptions) (Hit, bool) {
	if !from.IsFinite() || !to.IsFinite() {
		return Hit{}, false
	}
	from, to = insideWorld(from), insideWorld(to)
	s := &w.space
	body := opt.Radius > 0 || opt.Height > 0
	half := vec{X: opt.Radius, Y: opt.Radius, Z: opt.Height}

	// Movers to be ignored do not stop it during the query.
	for _, g := range opt.Ignore {
		if g != nil && g.body.brushes {
			s.solid.SetMoverSolid(g.body.number, false)
		}
	}
	var h collision.Hit
	if body {
		h = s.query.Sweep(from, to, half, collision.Filter{})
	} else {
		h = s.query.Line(from, to, collision.Filter{})
	}
	for _, g := range opt.Ignore {
		if g != nil && g.body.brushes {
			w.brushesChanged(g)
		}
	}
	o := obstacle{fraction: 1, at: to}
	switch {
	case h.StartSolid:
		return Hit{Location: from, Normal: from.Sub(to).Normal()}, true
	case h.Blocked():
		o = obstacle{fraction: h.Fraction, at: h.Location, normal: h.Normal, hit: true}
		if h.Mover != 0 {
			o.actor = s.actors[h.Mover]
		}
	}
	if !opt.NoActors {
		w.traceActors(&o, from, to, &opt)
	}
	if !o.hit {
		return Hit{}, false
	}
	return Hit{Actor: o.actor, Location: o.at, Normal: o.normal, Distance: o.at.Distance(from)}, true
}

func (w *World) traceActors(o *obstacle, from, to vec, opt *TraceOptions) {
	s := &w.space
	skip := func(id int32) bool {
		a := s.actors[id]
		if !a.stops(true) && !a.stops(false) || a.destroying || opt.NoPawns && a.Class.IsPawn() {
			return true
		}
		w.looked += uint64(len(opt.Ignore))
		for _, g := range opt.Ignore {
			if g == a {
				return true
			}
		}
		return false
	}
	if opt.Radius == 0 && opt.Height == 0 {
		h := s.bodies.Line(from, to, maskBody, 0, skip)
		if h.ID != 0 && h.Fraction < o.fraction {
			*o = obstacle{fraction: h.Fraction, at: h.Location, normal: h.Normal, actor: s.actors[h.ID], hit: true}
		}
		return
	}
	h := s.bodies.Sweep(from, to, opt.Radius, opt.Height, maskBody, 0, skip)
	if h.ID != 0 && h.Fraction < o.fraction {
		*o = obstacle{fraction: h.Fraction, at: h.Location, normal: h.Normal, actor: s.actors[h.ID], hit: true}
	}
}

// FastTrace reports whether no brushes of the level and its movers block the line between two locations.
func (w *World) FastTrace(from, to vec) bool {
	if !from.IsFinite() || !to.IsFinite() {
		return false
	}
	return w.space.query.Clear(insideWorld(from), insideWorld(to), collision.Filter{})
}

// HasBrushes reports whether the actor's body consists of brushes of the level instead of its cylinder.
func (a *Actor) HasBrushes() bool { return a.body.brushes }

// VisibleFrom reports whether the level and its movers leave a line free from a location to the actor's centre,
// its top, or one of its sides as seen from there.
func (a *Actor) VisibleFrom(at vec) bool {
	if !at.IsFinite() {
		return false
	}
	centre, _, _, f := a.outline()
	return a.world.space.query.Clear(insideWorld(at), centre, f) || a.OutlineVisibleFrom(at)
}

// OutlineVisibleFrom is VisibleFrom for callers that know already that the line to the centre is blocked.
func (a *Actor) OutlineVisibleFrom(at vec) bool {
	if !at.IsFinite() {
		return false
	}
	s := &a.world.space
	at = insideWorld(at)
	centre, r, h, f := a.outline()
	if s.query.Clear(at, centre.Add(vec{Z: h}), f) {
		return true
	}
	side := geom.Vector{X: at.Y - centre.Y, Y: centre.X - at.X}.Normal().Mul(r)
	if side.IsZero() {
		return false
	}
	return s.query.Clear(at, centre.Add(side), f) || s.query.Clear(at, centre.Sub(side), f)
}

// outline returns the points of the actor that visibility checks: its centre, its extent to the sides and up,
// in uu, and what does not hide it.
func (a *Actor) outline() (centre vec, r, h float64, f collision.Filter) {
	if !a.body.brushes {
		return a.Location, a.CollisionRadius, a.CollisionHeight, f
	}
	box := a.world.space.solid.MoverBounds(a.body.number)
	e := box.Extent()
	return box.Centre(), math.Max(e.X, e.Y), e.Z, collision.Filter{Ignore: a.body.number}
}
