package collision

import (
	"fmt"
	"slices"

	"github.com/tidelock/tidelock/engine/geom"
)

// World is what is solid in a level: static hulls and movers. Reading it is safe from several goroutines
// while none changes it (adds, moves or removes a mover).
type World struct {
	static solids
	movers []mover // Invariant: by id, ascending, so that no answer depends on the order of adding
}

type mover struct {
	id     int32
	off    bool
	offset geom.Vector
	local  geom.Bounds // at offset 0
	bounds geom.Bounds // now
	solids solids
}

// NewWorld makes a world of static hulls. The hulls' indices are what [Hit.Brush] says.
func NewWorld(hulls []Hull) *World { return &World{static: newSolids(hulls)} }

// Bounds holds every static hull; ok is false where there is none.
func (w *World) Bounds() (b geom.Bounds, ok bool) {
	if len(w.static.nodes) == 0 {
		return b, false
	}
	return w.static.nodes[0].bounds, true
}

// AddMover adds a set of hulls that will move as one, at offset 0, under the caller's id (an actor's, say):
// 1 to [MaxBodyID], not in use. Another id, or no hull, panics.
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

// MoveMover puts a mover's hulls at offset from where they were added, through whatever is there: what
// stands on it or in its way is for the caller to move (see [Query.SweepMover] and [Query.MoverDepth]).
func (w *World) MoveMover(id int32, offset geom.Vector) {
	m := w.mover(id)
	m.offset = offset
	m.bounds = m.local.Translate(offset)
}

// MoverOffset is where MoveMover put it.
func (w *World) MoverOffset(id int32) geom.Vector { return w.mover(id).offset }

// MoverBounds holds the mover's hulls where they are now.
func (w *World) MoverBounds(id int32) geom.Bounds { return w.mover(id).bounds }

// SetMoverSolid makes a mover solid (as it is at first) or lets everything through.
func (w *World) SetMoverSolid(id int32, on bool) { w.mover(id).off = !on }

// RemoveMover takes a mover out; one that is not there is left so.
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
