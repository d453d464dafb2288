package engine

import (
	"cmp"
	"math"
	"path"
	"slices"
	"strings"

	"github.com/tidelock/tidelock/engine/collision"
	"github.com/tidelock/tidelock/engine/geom"
	"github.com/tidelock/tidelock/engine/level"
)

// DefaultKillZ is the height, in uu, below which actors fall out of a world whose level sets none.
const DefaultKillZ = -100000

// WorldExtent bounds every coordinate of an actor, in uu to either side of the origin (Unreal's
// HALF_WORLD_MAX). SetLocation refuses a location beyond it, and an actor that gets there has fallen out of the
// world.
const WorldExtent = 262144

func (w *World) openSpace() {
	s := &w.space
	s.bodies, s.others = collision.NewGrid(maskFew), collision.NewGrid(maskFew)
	s.actors = []*Actor{nil}
	var hulls []collision.Hull
	if lv := w.Level; lv != nil {
		hulls = lv.Solids()
		if !math.IsNaN(lv.KillZ) {
			w.KillZ = lv.KillZ
		}
	}
	s.solid = collision.NewWorld(hulls)
	s.query.World = s.solid
}

// LevelName returns the name of the level without folder and extension, "" if there is none.
func (w *World) LevelName() string { return LevelName(w.Level) }

// LevelName returns the name of a level: its file's name without folders and extension; "" for none.
func LevelName(lv *level.Level) string {
	if lv == nil {
		return ""
	}
	return levelNameOf(lv.Name)
}

// Sweeps returns how many sweeps of a box against brushes were made since the world began.
func (w *World) Sweeps() uint64 { return w.space.query.Sweeps }

// Work counts the work of all spatial queries and lists of actors since the world began, in
// [collision.WorkUnit]s. It depends only on the queries, so that scripts are charged the same in every run
// (G7).
func (w *World) Work() uint64 {
	s := &w.space
	return w.looked*workActor + s.query.Work + s.bodies.Work() + s.others.Work()
}

// workActor is the cost of examining one actor of a list, in WorkUnits.
const workActor = 1

// Solid returns the world of brushes: the level's and the movers'. It is read-only.
func (w *World) Solid() *collision.World { return w.space.solid }

// enterSpace adds a new actor at its location.
func (w *World) enterSpace(a *Actor) {
	s := &w.space
	if a.Outer != nil || a.deleted {
		return
	}
	a.Location = insideWorld(a.Location)
	b := &a.body
	if n := len(s.free); n > 0 {
		b.number = s.free[n-1]
		s.free = s.free[:n-1]
	} else {
		b.number = int32(len(s.actors))
		s.actors = append(s.actors, nil)
	}
	s.actors[b.number] = a
	s.kinds.add(a)
	if s.brushes != nil {
		s.solid.AddMover(b.number, s.brushes)
		b.brushes = true
		b.mover = &moverPart{home: a.Location, hulls: s.brushes}
		s.brushes = nil
		w.rigidMover(a)
	}
	b.collides = a.BCollideActors
	s.gridOf(a).Insert(b.number, w.gridBody(a))
	w.brushesChanged(a)
	w.addVolume(a)
}

// began is called after a new actor's life-cycle events: it touches what is there already.
func (w *World) began(a *Actor) {
	if a.body.number != 0 {
		w.retouch(a)
	}
}

// leaveSpace removes an actor that is being destroyed from every list. UnTouch is called for every actor that
// it touched.
func (w *World) leaveSpace(a *Actor) {
	b := &a.body
	if b.number == 0 {
		return
	}
	w.untouchAll(a)
	w.dropVolume(a)
	if base := w.Actor(a.Base); base != nil {
		base.body.dropRider(a)
	}
	s := &w.space
	n := b.number
	if n == 0 {
		return // its own UnTouch destroyed it
	}
	w.rigidLeaves(a)
	s.gridOf(a).Remove(n)
	if b.brushes {
		s.solid.RemoveMover(n)
		s.dropChoosy(a)
	}
	s.actors[n] = nil
	s.kinds.remove(a)
	s.free = append(s.free, n)
	b.number = 0
}

func (s *space) gridOf(a *Actor) *collision.Grid {
	if a.body.collides {
		return s.bodies
	}
	return s.others
}

// gridBody returns an actor's body in the grids.
func (w *World) gridBody(a *Actor) collision.Body {
	if p := a.body.rigid; p != nil {
		return p.gridBody(a)
	}
	if !a.body.brushes {
		return a.solidBody()
	}
	// A cylinder around Location that contains the brushes, so that a search finds it both by location and by
	// its hulls.
	box := w.space.solid.MoverBounds(a.body.number)
	far := func(lo, hi, at float64) float64 { return math.Max(math.Abs(lo-at), math.Abs(hi-at)) }
	x, y := far(box.Min.X, box.Max.X, a.Location.X), far(box.Min.Y, box.Max.Y, a.Location.Y)
	return collision.Body{
		Centre: a.Location, Radius: math.Hypot(x, y), HalfHeight: far(box.Min.Z, box.Max.Z, a.Location.Z), Mask: maskBrush,
	}
}

// rehash updates the grids for an actor whose collision or size changed.
func (w *World) rehash(a *Actor) {
	s, b := &w.space, &a.body
	s.gridOf(a).Remove(b.number)
	b.collides = a.BCollideActors
	s.gridOf(a).Insert(b.number, w.gridBody(a))
	w.brushesChanged(a)
	b.rested = false
}

// brushesChanged updates which actors a mover's brushes stop.
func (w *World) brushesChanged(a *Actor) {
	if !a.body.brushes {
		return
	}
	s := &w.space
	pawns, others := a.stops(true), a.stops(false)
	s.solid.SetMoverSolid(a.body.number, pawns || others)
	s.dropChoosy(a)
	if pawns != others {
		s.choosy = append(s.choosy, a)
		sortBySpawn(s.choosy)
	}
}

func (s *space) dropChoosy(a *Actor) {
	for i, c := range s.choosy {
		if c == a {
			s.choosy = append(s.choosy[:i], s.choosy[i+1:]...)
			return
		}
	}
}

// moverSolidFor switches the brushes of choosy movers to what stops a kind of actor; sweeps of boxes run
// between it and moverSolidAgain.
func (s *space) moverSolidFor(pawn bool) {
	for _, c := range s.choosy {
		s.solid.SetMoverSolid(c.body.number, c.stops(pawn))
	}
}

func (s *space) moverSolidAgain() {
	for _, c := range s.choosy {
		s.solid.SetMoverSolid(c.body.number, true)
	}
}

// sweepSolid sweeps an actor's box against the brushes that stop it.
func (s *space) sweepSolid(pawn bool, from, to, half vec, f collision.Filter) collision.Hit {
	if len(s.choosy) == 0 {
		return s.query.Sweep(from, to, half, f)
	}
	s.moverSolidFor(pawn)
	h := s.query.Sweep(from, to, half, f)
	s.moverSolidAgain()
	return h
}

// overlapsSolid reports whether an actor's box is in brushes that stop it.
func (s *space) overlapsSolid(a *Actor, at, half vec) bool {
	if !a.BCollideWorld {
		return false
	}
	s.moverSolidFor(a.Class.IsPawn())
	in := s.query.Overlaps(at, half, collision.Filter{})
	s.moverSolidAgain()
	return in
}

// depenetrate returns the shortest movement out of brushes, see [collision.Query.Depenetrate].
func (s *space) depenetrate(a *Actor, at, half vec, limit float64) (vec, bool) {
	if !a.BCollideWorld {
		return vec{}, true
	}
	s.moverSolidFor(a.Class.IsPawn())
	way, ok := s.query.Depenetrate(at, half, limit, collision.Filter{})
	s.moverSolidAgain()
	return way, ok
}

// ActorsInRadius lists the live actors of a class whose Location is within r uu of a location, in order of
// spawning. It finds actors without collision, too. The list is valid until the next call.
func (w *World) ActorsInRadius(c *Class, at vec, r float64) []*Actor {
	if c == nil || !(r >= 0) || !at.IsFinite() {
		return nil
	}
	s := &w.space
	before := len(s.listed)
	s.listed = s.listed[:0]
	if kin, total := s.kinds.of(c); float64(total) <= max(fewMembers, 4*r*r/memberArea) {
		w.looked += uint64(total) * workSorted
		for _, m := range kin {
			for _, a := range m.list {
				if a.Location.Sub(at).SizeSquared() <= r*r && !a.deleted && !a.destroying {
					s.listed = append(s.listed, a)
				}
			}
		}
	} else {
		s.eachNear(at, r, func(a *Actor) {
			w.looked += workSorted
			if a.Class.Descends(c) && a.Location.Sub(at).SizeSquared() <= r*r {
				s.listed = append(s.listed, a)
			}
		})
	}
	if n := len(s.listed); n < before {
		clear(s.listed[n:before]) // earlier results are not kept alive
	}
	sortBySpawn(s.listed)
	return s.listed
}

// actorsNear lists the live actors of which some part may be within r uu of a location, in order of spawning.
func (w *World) actorsNear(at vec, r float64) []*Actor {
	var list []*Actor
	w.space.eachNear(at, r, func(a *Actor) { list = append(list, a) })
	sortBySpawn(list)
	return list
}

// eachNear visits the same in no particular order.
func (s *space) eachNear(at vec, r float64, f func(a *Actor)) {
	r = math.Min(r, 4*WorldExtent)
	box := geom.BoundsAround(at, vec{X: r, Y: r, Z: r})
	visit := func(id int32) {
		if a := s.actors[id]; !a.deleted && !a.destroying {
			f(a)
		}
	}
	s.bodies.EachBody(box, maskBody|maskBrush, visit)
	s.others.EachBody(box, maskBody|maskBrush, visit)
}

// ActorsInRadius examines the members of a class one by one if there are few, or if there are not more than one for each
// memberArea, in uu², of the square around the circle: that is the smallest cell of a grid.
const (
	fewMembers = 64
	memberArea = 128 * 128
)

// workSorted is the cost of an actor in a sorted list that is examined again, in units of workActor.
const workSorted = 16

// sortBySpawn orders actors by age. Lists are short or nearly in order, so it is an insertion sort up to a size.
func sortBySpawn(list []*Actor) {
	if len(list) > 32 {
		slices.SortFunc(list, func(a, b *Actor) int { return cmp.Compare(a.seq, b.seq) })
		return
	}
	for i := 1; i < len(list); i++ {
		for j := i; j > 0 && list[j-1].seq > list[j].seq; j-- {
			list[j-1], list[j] = list[j], list[j-1]
		}
	}
}

func insideWorld(v vec) vec {
	c := func(x float64) float64 { return math.Max(-WorldExtent, math.Min(WorldExtent, x)) }
	return vec{X: c(v.X), Y: c(v.Y), Z: c(v.Z)}
}

func outsideWorld(v vec) bool {
	return !(math.Abs(v.X) < WorldExtent && math.Abs(v.Y) < WorldExtent && math.Abs(v.Z) < WorldExtent)
}

// levelNameOf returns the name of a level's file without folder and extension.
func levelNameOf(file string) string {
	return strings.TrimSuffix(path.Base(strings.ReplaceAll(file, "\\", "/")), ".map")
}

func (w *World) addVolume(a *Actor) {
	if a.Class.kind&kindVolume != 0 {
		w.volumes = append(w.volumes, a)
	}
}

func (w *World) dropVolume(a *Actor) {
	if a.Class.kind&kindVolume != 0 {
		w.volumes = dropFrom(w.volumes, a)
	}
}
