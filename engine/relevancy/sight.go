package relevancy

import (
	"math"

	"github.com/tidelock/tidelock/engine"
)

// Sight is what is remembered between two looks of one connection at one actor: whether it is in sight, when it was
// last, and when to look again. The caller keeps one a pair, as long as it likes: a fresh one, the zero value, costs a
// trace and forgets that the actor was relevant (R3.10).
type Sight struct {
	seen  float64 // when R3.9 last said yes
	next  float64 // when to trace again
	of    uint32  // whose sight: an actor's place in the world's table, 0 for none yet
	flags sightFlags
}

type sightFlags uint8

const (
	sightEver   sightFlags = 1 << iota // seen holds
	sightLooked                        // next and sightClear hold
	sightClear                         // the last line was free
)

// LastSeen is when the actor was last in sight or heard, in the world's seconds; ok is false where it never was.
func (s *Sight) LastSeen() (at float64, ok bool) { return s.seen, s.flags&sightEver != 0 }

// about makes the memory one of the actor that is looked at: an owner or base may answer for another, and they change.
// What was seen of another is not carried over to a new one; an actor that is let go keeps what was seen of it.
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

// Seen notes that R3.9 said yes at a time of the world, as Decide does where it says so.
func (s *Sight) Seen(now float64) { s.see(now) }

func (s *Sight) see(now float64) {
	s.seen = now
	s.flags |= sightEver
}

// clear reports whether the line of sight is free, by the last trace or a new one where that is due. Each pair has a
// phase of its own, so that the traces of many pairs spread evenly over ticks whatever brought them about.
func (x *Index) clear(v *Viewer, t *engine.Actor, s *Sight, now float64) (free, traced bool) {
	if !s.due(now) {
		return s.flags&sightClear != 0, false
	}
	free = t.VisibleFrom(v.Location)
	x.looked(v, t, number(t.ID()), s, free, now)
	return free, true
}

// glimpse is clear for a bare actor: most that are near are seen, and then the place that the grid has is all of the actor
// that is fetched from memory.
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

// due reports whether it is time to trace.
func (s *Sight) due(now float64) bool { return s.flags&sightLooked == 0 || now >= s.next }

// crowded is from how many actors of mods on these are looked for less often.
const crowded = 1024

// looked notes what a trace of an actor said; t may be nil where the line was free. Thousands of actors that mods made would take as
// much time of everybody as slow scripts: beyond crowded, what is out of sight of them is looked for less often, at least as often as
// what is in sight (G6). The game's own actors are not.
func (x *Index) looked(v *Viewer, t *engine.Actor, number int32, s *Sight, free bool, now float64) {
	x.traces++
	s.flags |= sightLooked
	period := x.cfg.UnseenEvery
	s.flags &^= sightClear
	if free {
		s.flags |= sightClear
		period = x.cfg.SeenEvery
	} else if n := t.Crowd(); n > crowded {
		period = min(period*float64(n)/crowded, x.cfg.SeenEvery)
	}
	phase := stagger(numberOf(v.Player), number)
	s.next = (math.Floor(now/period-phase) + 1 + phase) * period
	if s.next <= now { // rounding
		s.next += period
	}
}

// stagger is a fixed share of a period, in [0, 1), for a pair.
func stagger(player, number int32) float64 {
	h := uint64(number)*0x9E3779B97F4A7C15 + uint64(player)*0xC2B2AE3D27D4EB4F
	h ^= h >> 29
	h *= 0xBF58476D1CE4E5B9
	return float64(h>>40) / (1 << 24)
}

// Traces is how many actors were looked at by lines of sight since New, up to four lines each.
func (x *Index) Traces() uint64 { return x.traces }
