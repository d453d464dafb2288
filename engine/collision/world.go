package collision

import (
	"fmt"
	"slices"

	"github.com/tidelock/tidelock/engine/geom"
)

// World holds the solids of a level: static hulls and movers. Several goroutines may read it while none changes
// it (adds, moves or removes a mover).
type World struct {
	static solids
	movers []mover // Invariant: by id, ascending, so that no result depends on the order of adding
}

type mover struct {
	id     int32
	off    bool
	offset geom.Vector
	local  geom.Bounds // at offset 0
	bounds geom.Bounds // now
	solids solids
}

// NewWorld makes a world of static hulls. [Hit.Brush] is an index of hulls.
func NewWorld(hulls []Hull) *World { return &World{static: newSolids(hulls)} }

// Bounds returns the bounds of all static hulls; ok is false if there are none.
func (w *World) Bounds() (b geom.Bounds, ok bool) {
	if len(w.static.nodes) == 0 {
		return b, false
	}
	return w.static.nodes[0].bounds, true
}

// AddMover adds a set of hulls that will move as one, at offset 0, under an id of the caller's (for example an
// actor's): 1 to [MaxBodyID], not in use. Another id, or no hull, panics.
func (w *World) AddMover(id int32, hulls []Hull) {
	i, found := w.find(id)
	if id < 1 || id > MaxBodyID || found || len(hulls) == 0 {
		panic(fmt.Sprintf("collision: AddMover %d: id out of range or in use, or no hulls", id))
	}
	m := mover{id: id, solids: newSolids(hulls)}
	m.local = m.solids.nodes[0].bounds
	m.bounds = m.local
	w.movers = slices.Insert(w.movers, i, m)
}

// MoveMover sets a mover's offset from where it was added, through whatever is there: the caller moves what
// stands on it or in its way (see [Query.SweepMover] and [Query.MoverDepth]).
func (w *World) MoveMover(id int32, offset geom.Vector) {
	m := w.mover(id)
	m.offset = offset
	m.bounds = m.local.Translate(offset)
}

// MoverOffset returns the offset set by MoveMover.
func (w *World) MoverOffset(id int32) geom.Vector { return w.mover(id).offset }

// MoverBounds returns the bounds of the mover's hulls at their present location.
func (w *World) MoverBounds(id int32) geom.Bounds { return w.mover(id).bounds }

// SetMoverSolid makes a mover solid, which is the default, or passable.
func (w *World) SetMoverSolid(id int32, on bool) { w.mover(id).off = !on }

// RemoveMover removes a mover; an unknown id is ignored.
func (w *World) RemoveMover(id int32) {
	if i, found := w.find(id); found {
		w.movers = slices.Delete(w.movers, i, i+1)
	}
}

// HasMover reports whether there is a mover of that id.
func (w *World) HasMover(id int32) bool {
	_, found := w.find(id)
	return found
}

func (w *World) find(id int32) (int, bool) {
	lo, hi := 0, len(w.movers)
	for lo < hi {
		mid := (lo + hi) / 2
		if w.movers[mid].id < id {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo, lo < len(w.movers) && w.movers[lo].id == id
}

func (w *World) mover(id int32) *mover {
	i, found := w.find(id)
	if !found {
		panic(fmt.Sprintf("collision: no mover %d", id))
	}
	return &w.movers[i]
}
