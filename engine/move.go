package engine

import "github.com/tidelock/tidelock/engine/collision"

// A move has three parts, always in this order:
//
//  1. It is computed: sweeps, slides, steps. Nothing has happened yet, and no event is called.
//  2. The actor is moved to the end. Attached actors and those that rest on it move along, in order of
//     spawning, with events of its own.
//  3. Events are called: Touch for each non-blocking actor met on the way, by how far along the way
//     it was met and then in order of spawning, on the mover of the pair first; UnTouch for each actor that
//     it left, in order of spawning, the mover first; then, for each thing that stopped or turned the move,
//     in the order of meeting, Bump on both (an actor: the mover first) or HitWall (the level or a mover;
//     a mover then gets Bump). Each thing is reported once a move, however often the move ran into it.
//
// Landed, Falling and BaseChange come after these: see walk.go, fall.go and base.go. An event that destroys the
// actor, teleports it or moves it ends the list: the remaining events of the old move are dropped.

const (
	maxCorners = 24 // of one move; after that, touches are searched along the straight line
	maxMet     = 8  // things reported in one move
)

// obstacle is what ends a sweep. at is where the actor's centre ends.
type obstacle struct {
	fraction float64
	at       vec
	normal   vec
	actor    *Actor // nil for the level
	hit      bool
}

// motion computes one move of an actor. It lives on the stack of its caller.
type motion struct {
	w      *World
	a      *Actor
	half   vec
	from   vec
	at     vec // the location reached so far
	near   []neighbour
	base   int // where near begins in the scratch stack
	filter collision.Filter
	pawn   bool
	world  bool // brushes stop it
	solid  bool // something in near stops it
	deep   float64
	wall   vec // of a walk: the kerb of the last wall it followed, zero for none

	corners [maxCorners]vec
	turns   int
	told    [maxMet]obstacle
	tolds   int

	// A movement that ends at the first touch: contacts are searched on the whole straight line to probe, up to
	// the share probeTo of it.
	probe   vec
	probeTo float64
}

// begin starts a move that goes at most far from the actor's location.
func (m *motion) begin(w *World, a *Actor, far vec) { m.start(w, a, far, true) }

// follow is begin for a movement with a fixed path: nothing stops the actor on it, it only touches.
func (m *motion) follow(w *World, a *Actor, far vec) { m.start(w, a, far, false) }

func (m *motion) start(w *World, a *Actor, far vec, stops bool) {
	m.w, m.a = w, a
	m.half, m.from, m.at = a.half(), a.Location, a.Location
	m.pawn, m.world = a.Class.IsPawn(), a.BCollideWorld
	m.base = len(w.space.near)
	if a.BCollideActors && !a.body.brushes && w.space.bodies.Len() > 1 {
		m.near = w.neighbours(a, a.reachBox(far), stops)
		for i := range m.near {
			m.solid = m.solid || m.near[i].stops
		}
	}
}

// sweep returns how far the actor gets from m.at towards to.
func (m *motion) sweep(to vec) obstacle { return m.sweepFrom(m.at, to) }

func (m *motion) sweepFrom(from, to vec) obstacle {
	o := obstacle{fraction: 1, at: to}
	s := &m.w.space
	if m.world {
		h := s.sweepSolid(m.pawn, from, to, m.half, m.filter)
		if h.StartSolid {
			m.deep = max(m.deep, h.StartDepth)
		}
		if h.Blocked() {
			o = obstacle{fraction: h.Fraction, at: h.Location, normal: h.Normal, hit: true}
			if h.Mover != 0 {
				o.actor = s.actors[h.Mover]
			}
		}
	}
	if !m.solid {
		return o
	}
	for i := range m.near {
		n := &m.near[i]
		if !n.stops {
			continue
		}
		h, hit := collision.SweepBody(from, to, m.half.X, m.half.Z, &n.body)
		if hit && h.Fraction < o.fraction {
			o = obstacle{fraction: h.Fraction, at: h.Location, normal: h.Normal, actor: n.actor, hit: true}
		}
	}
	return o
}

// advance moves on to the end of a sweep.
func (m *motion) advance(to vec) {
	if to == m.at {
		return
	}
	m.at = to
	if m.turns < maxCorners {
		m.corners[m.turns] = to
		m.turns++
	} else {
		m.corners[maxCorners-1] = to
	}
}

// tell records an obstacle that was hit, to be reported.
func (m *motion) tell(o *obstacle) {
	if m.tolds == maxMet {
		return
	}
	for i := range m.tolds {
		t := &m.told[i]
		if t.actor == o.actor && (o.actor != nil || t.normal.Dot(o.normal) > 0.999) {
			return
		}
	}
	m.told[m.tolds] = *o
	m.tolds++
}

// contacts collects on the scratch stack the actors that the move begins to touch, by how far along and then in
// order of spawning.
func (m *motion) contacts() []meeting {
	s := &m.w.space
	from := len(s.met)
	for i := range m.near {
		n := &m.near[i]
		if !n.touch || !n.actor.initialized || m.a.body.touches(n.actor) >= 0 {
			continue
		}
		at := m.from
		if m.probeTo > 0 {
			if f, hit := m.w.sweepNeighbour(m.a, n, at, m.probe); hit && f <= m.probeTo {
				s.met = append(s.met, meeting{f, n.actor})
			}
			continue
		}
		for c := range m.turns {
			f, hit := m.w.sweepNeighbour(m.a, n, at, m.corners[c])
			if hit {
				s.met = append(s.met, meeting{float64(c) + f, n.actor})
				// near is in order of spawning, so equal entries keep that order.
				for k := len(s.met) - 1; k > from && s.met[k-1].along > s.met[k].along; k-- {
					s.met[k-1], s.met[k] = s.met[k], s.met[k-1]
				}
				break
			}
			at = m.corners[c]
		}
	}
	return s.met[from:]
}

// cancel discards a move.
func (m *motion) cancel() { m.w.space.near = m.w.space.near[:m.base] }

// commit performs the move: parts 2 and 3 above. It reports whether the actor is still where the move put it.
func (m *motion) commit() bool {
	w, a := m.w, m.a
	s := &w.space
	base := len(s.met)
	var touched []meeting
	if len(m.near) > 0 && (m.turns > 0 || m.probeTo > 0) {
		touched = m.contacts()
	}
	s.near = s.near[:m.base]
	if m.turns == 0 && m.tolds == 0 && len(touched) == 0 {
		return true
	}
	if m.at != m.from {
		w.place(a, m.at)
	}
	a.body.met = a.body.met || m.tolds > 0
	moved := a.body.moved
	if m.at != m.from && len(a.body.riders) > 0 {
		w.carry(a, m.at.Sub(m.from))
	}
	for i := range touched {
		if a.destroying || a.body.moved != moved {
			break
		}
		if b := touched[i].actor; w.mayTouch(a, b) {
			w.beginTouch(a, b)
		}
	}
	s.met = s.met[:base]
	if len(a.body.touching) > 0 && !a.destroying && a.body.moved == moved {
		w.untouchFar(a)
	}
	for i := range m.tolds {
		if a.destroying || a.body.moved != moved {
			break
		}
		w.tellStopped(a, m.told[i].normal, m.told[i].actor)
	}
	return !a.destroying && a.body.moved == moved
}

// tellStopped calls Bump or HitWall for what stopped a move.
func (w *World) tellStopped(a *Actor, normal vec, by *Actor) {
	switch {
	case by == nil:
		a.Event(EvHitWall, Vec(normal), Ref(nil))
	case by.destroying:
	case by.body.brushes:
		a.Event(EvHitWall, Vec(normal), Ref(by))
		if !a.destroying && !by.destroying {
			by.Event(EvBump, Ref(a))
		}
	case w.restsOn(a, by) || w.restsOn(by, a): // as in Unreal: an actor does not bump into what it stands on
	default:
		a.Event(EvBump, Ref(by))
		if !a.destroying && !by.destroying {
			by.Event(EvBump, Ref(a))
		}
	}
}

// place moves an actor without checking what is there, and marks it.
func (w *World) place(a *Actor, at vec) {
	b := &a.body
	a.Location = at
	b.moved++
	b.rested = false
	if b.number != 0 {
		w.space.gridOf(a).Move(b.number, at)
		if b.brushes {
			w.space.solid.MoveMover(b.number, at.Sub(b.mover.home))
		}
	}
	if p := a.Class.location; p != nil {
		a.Touched(p)
	}
}

// commitQuietly performs the move without reporting hits; touches are reported.
func (m *motion) commitQuietly() {
	m.tolds = 0
	m.commit()
}
