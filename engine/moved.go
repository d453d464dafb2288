package engine

import "math"

// Moving takes the engine's time and not a script's: four thousand projectiles of a mod cost as much as a slow script. What actors that a
// mod's scripts made take to move by themselves is counted for it (G6), and where the mod is over its share they move less
// often, each at most as far at once as in MaxDelta seconds. Others move in every tick. It follows from the match alone.

// workMove is what a move takes beside what it looks at, in WorkUnits.
const workMove = 300

// TakeMoved gives what actors of a mod took to move since it was asked last, in collision.WorkUnits.
func (w *World) TakeMoved(mod string) uint64 {
	m := w.census.mods[mod]
	if m == nil {
		return 0
	}
	n := m.moved
	m.moved = 0
	return n
}

// SetMoveEvery has actors of a mod move by themselves once in so many ticks; 0 and 1 is in every tick.
func (w *World) SetMoveEvery(mod string, every int) {
	if m := w.census.mods[mod]; m != nil {
		m.every = uint64(max(every, 1))
	}
}

// EachMaker visits the mods that made actors, in no particular order.
func (w *World) EachMaker(visit func(mod string)) {
	for name := range w.census.mods { // any order: the caller's to sort
		visit(name)
	}
}

// moveInTick lets an actor move by itself in its tick.
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

// Turn is the place of an actor among so many ticks, by its [Actor.Order]. Actors that were spawned one after the other are spread over all of
// them, as the multiples of the golden ratio are: a few that are called seldom do not come in one burst.
func Turn(order, every uint64) uint64 { return uint64(uint32(order)*0x9E3779B1) * every >> 32 }
