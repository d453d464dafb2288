package relevancy

import (
	"math"

	"github.com/tidelock/tidelock/engine"
)

// Sight is what is remembered between two decisions for one connection and one actor: whether the actor is in
// sight, when it last was, and when to trace again. The caller keeps one for each pair, as long as it likes: a
// new one, the zero value, costs a trace and forgets that the actor was relevant (R3.10).
type Sight struct {
	seen  float64 // when R3.9 last said yes
	next  float64 // when to trace again
	of    uint32  // an actor's index in the world's table, 0 for none yet
	flags sightFlags
}

type sightFlags uint8

const (
	sightEver   sightFlags = 1 << iota // seen holds
	sightLooked                        // next and sightClear are valid
	sightClear                         // the last trace was free
)

// LastSeen returns when the actor was last in sight or heard, in the world's seconds; ok is false if it never
// was.
func (s *Sight) LastSeen() (at float64, ok bool) { return s.seen, s.flags&sightEver != 0 }

// about sets the actor that the memory is about: an owner or base may decide for another actor, and they
// change. It is not carried over to another owner or base; an actor that is detached keeps it.
func (s *Sight) about(number int32, own bool) {
	of := uint32(number)
	if s.of == of {
		return
	}
	s.flags &^= sightLooked | sightClear
	if !own {
		s.flags &^= sightEver
	}
	s.of = of
}

func (s *Sight) recent(now, timeout float64) bool {
	return s.flags&sightEver != 0 && now-s.seen <= timeout
}

// Seen records that R3.9 said yes at a world time, as Decide does.
func (s *Sight) Seen(now float64) { s.see(now) }

func (s *Sight) see(now float64) {
	s.seen = now
	s.flags |= sightEver
}

// clear reports whether the line of sight is free, by the last trace or a new one if that is due. Each pair has
// its own phase, so that the traces of many pairs spread evenly over ticks.
func (x *Index) clear(v *Viewer, t *engine.Actor, s *Sight, now float64) (free, traced bool) {
	if !s.due(now) {
		return s.flags&sightClear != 0, false
	}
	free = t.VisibleFrom(v.Location)
	x.looked(v, t, number(t.ID()), s, free, now)
	return free, true
}

// glimpse is clear for a bare actor: most nearby ones are visible, and then only the location stored in the
// grid is read.
func (x *Index) glimpse(w *Watch, v *Viewer, f Found, s *Sight, now float64) bool {
	if !s.due(now) {
		return s.flags&sightClear != 0
	}
	if w != nil && f.at > 0 && x.world.FastTrace(v.Location, x.place(w, f.at)) {
		x.looked(v, nil, f.Number, s, true, now)
		return true
	}
	free, a := false, x.hot[f.Number].actor
	if w != nil && f.at > 0 {
		free = a.OutlineVisibleFrom(v.Location)
	} else {
		free = a.VisibleFrom(v.Location)
	}
	x.looked(v, a, f.Number, s, free, now)
	return free
}

// due reports whether a trace is due.
func (s *Sight) due(now float64) bool { return s.flags&sightLooked == 0 || now >= s.next }

// manyActors is the number of actors of mods above which they are traced less often.
const manyActors = 1024

// looked records the result of a trace of an actor; t may be nil if the line was free. Thousands of actors that
// mods spawned would cost everybody as much time as slow scripts: beyond manyActors, those out of sight are traced
// less often, but at least as often as those in sight (G6). The game's own actors are not affected.
func (x *Index) looked(v *Viewer, t *engine.Actor, number int32, s *Sight, free bool, now float64) {
	x.traces++
	s.flags |= sightLooked
	period := x.cfg.UnseenEvery
	s.flags &^= sightClear
	if free {
		s.flags |= sightClear
		period = x.cfg.SeenEvery
	} else if n := t.Crowd(); n > manyActors {
		period = min(period*float64(n)/manyActors, x.cfg.SeenEvery)
	}
	phase := stagger(numberOf(v.Player), number)
	s.next = (math.Floor(now/period-phase) + 1 + phase) * period
	if s.next <= now { // rounding
		s.next += period
	}
}

// stagger returns a fixed share of a period, in [0, 1), for a pair.
func stagger(player, number int32) float64 {
	h := uint64(number)*0x9E3779B97F4A7C15 + uint64(player)*0xC2B2AE3D27D4EB4F
	h ^= h >> 29
	h *= 0xBF58476D1CE4E5B9
	return float64(h>>40) / (1 << 24)
}

// Traces returns how many actors were traced since New, with up to four lines each.
func (x *Index) Traces() uint64 { return x.traces }
