package engine

import "math"

// Movement takes the engine's time and not a script's: four thousand projectiles of a mod cost as much as a
// slow script. The movement of actors that a mod's scripts spawned is therefore charged to the mod (G6), and
// while the mod exceeds its share they move less often, each at most as far at once as in MaxDelta seconds. All
// others move in every tick. The charge depends only on the match.

// workMove is the base cost of a move, without what it examines, in WorkUnits.
const workMove = 300

// TakeMoved returns the cost of moving a mod's actors since the last call, in collision.WorkUnits.
func (w *World) TakeMoved(mod string) uint64 {
	m := w.census.mods[mod]
	if m == nil {
		return 0
	}
	n := m.moved
	m.moved = 0
	return n
}

// SetMoveEvery makes the actors of a mod move once in so many ticks; 0 and 1 mean every tick.
func (w *World) SetMoveEvery(mod string, every int) {
	if m := w.census.mods[mod]; m != nil {
		m.every = uint64(max(every, 1))
	}
}

// EachMaker visits the mods that spawned actors, in no particular order.
func (w *World) EachMaker(visit func(mod string)) {
	for name := range w.census.mods { // any order: the caller sorts
		visit(name)
	}
}

// moveInTick moves an actor in its tick.
func (w *World) moveInTick(a *Actor, dt float64) {
	x := a.census
	if x == nil || x.mod == nil {
		w.moveNow(a, dt)
		return
	}
	m := x.mod
	if m.every > 1 || a.body.owed > 0 {
		a.body.owed += dt
		if m.every > 1 && (Turn(a.seq, m.every)+w.frame)%m.every != 0 {
			return
		}
		dt = math.Min(a.body.owed, MaxDelta)
		a.body.owed = 0
	}
	before := w.Work()
	w.moveNow(a, dt)
	m.moved += w.Work() - before + workMove
}

func (w *World) moveNow(a *Actor, dt float64) {
	if a.anim != nil && a.anim.moving {
		w.moveByRoot(a, dt)
	} else {
		w.move(a, dt)
	}
}

// Turn returns an actor's position among so many ticks, by its [Actor.Order]. Actors spawned one after the
// other are spread over all of them, like multiples of the golden ratio, so that a few actors called rarely do
// not come in one burst.
func Turn(order, every uint64) uint64 { return uint64(uint32(order)*0x9E3779B1) * every >> 32 }
