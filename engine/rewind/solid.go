package rewind

import (
	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/engine/geom"
)

// Solid is what a line can hit of a pawn, in the world: one of its boxes, or its collision cylinder.
type Solid struct {
	// Name is the box's, "" for the cylinder.
	Name   string
	Centre geom.Vector
	// Axes are the directions of a box; a cylinder is upright.
	Axes [3]geom.Vector
	// Half are the half extents along the axes, in uu; a cylinder's are its radius twice, and half its height.
	Half [3]float64
}

// Solids appends what [History.Trace] would meet of a pawn at a time; nothing if it was not recorded then. It is for showing, and
// may allocate.
func (h *History) Solids(a *engine.Actor, t float64, buf []Solid) []Solid {
	if a == nil || a.Deleted() {
		return buf
	}
	tr := h.find(a)
	if tr == nil {
		return buf
	}
	m := h.moment(t)
	from, to := h.pair(tr, m)
	if from == nil {
		return buf
	}
	p := pose(from, to, m.part)
	return tr.solids(&p, boxesBetween(from, to, m.part, t), buf)
}

// SolidsNow appends what [History.TraceNow] would meet of a pawn, registered or not.
func (h *History) SolidsNow(a *engine.Actor, buf []Solid) []Solid {
	if a == nil || a.Deleted() {
		return buf
	}
	tr := track{pawn: a, kind: h.kindOf(a.Class)}
	var f frame
	h.see(&tr, &f)
	return tr.solids(&f.Pose, boxesBetween(&f, nil, 0, h.world.Time), buf)
}

// solids appends the boxes of a pose, or its cylinder.
func (tr *track) solids(p *Pose, moved boxesAt, buf []Solid) []Solid {
	forward, right, up := geom.Rotator{Yaw: p.Yaw}.Axes()
	if tr.kind.shape == nil {
		return append(buf, Solid{Centre: p.Location, Axes: [3]geom.Vector{forward, right, up}, Half: [3]float64{p.Radius, p.Radius, p.HalfHeight}})
	}
	for i := range tr.kind.shape.boxes {
		x := &tr.kind.shape.boxes[i]
		b := x.put(p, forward, right, up)
		o := moved.offset(i, x.Name)
		b.centre = b.centre.MulAdd(forward, o.X).MulAdd(right, o.Y).MulAdd(up, o.Z)
		buf = append(buf, Solid{Name: x.Name, Centre: b.centre, Axes: b.axes, Half: b.half})
	}
	return buf
}
