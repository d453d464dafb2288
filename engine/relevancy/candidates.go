package relevancy

import (
	"math"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/engine/count"
)

// Candidates adds to out every actor in the index that may be relevant to a viewer by the state of now, each
// once: all for which Decide returns true with a new Sight are among them, and few others. An actor that was
// relevant and is not among them may still be so by R3.10: call Decide for those that the connection has a
// channel for, too.
//
// The order follows from the calls made on the index so far. Nothing is allocated if out has room and the index
// did not grow. The cost grows with the candidates, and with nothing else in the level.
func (x *Index) Candidates(v *Viewer, out []*engine.Actor) []*engine.Actor {
	x.found = x.Near(v, x.found[:0])
	for _, f := range x.found {
		out = append(out, x.hot[f.Number].actor)
	}
	return out
}

// Found is a candidate by its number, the index of the actor in the world's table (the lower half of its id).
type Found struct {
	Number int32
	// Plain says that no rule before R3.9 decides more than that it is near enough, so that [Index.Sensed]
	// decides.
	Plain bool
	bare  bool  // only a line of sight decides, and it is not the viewer's
	at    int32 // index in the watch's entries, from 1; 0 for none
}

// Search is the scratch of a search for candidates: searches with different ones may run concurrently, as long
// as nothing changes the index or its world. The zero Search is ready.
type Search struct {
	stamps []uint32 // by number: the last search that found it
	stamp  uint32   // the present search
	near   []int32
	queue  []int32 // candidates whose followers are added
	old    []entry // the earlier entries of a watch
	blocks []block
}

// Near is [Index.Candidates] by numbers, for callers that index their own data by them: the actors themselves
// are not accessed.
func (x *Index) Near(v *Viewer, out []Found) []Found {
	x.sync()
	x.watch.of = nil // nothing is kept
	return x.NearRest(&x.search, &x.watch, v, 0, true, x.NearFlat(&x.search, v, out))
}

// NearFlat and NearRest are [Index.Near] in two halves: the actors that no distance culls, with their
// followers, and all others. The result of the first is the same for every viewer as long as [Index.Flat],
// which must be called before, returns the same, so that a caller can reuse it and call only the second; the
// second may find some of the first again.
func (x *Index) NearFlat(q *Search, v *Viewer, out []Found) []Found {
	q.begin(len(x.hot))
	q.near = appendReaching(q.near[:0], x.grid.flat, v.Location)
	for _, n := range q.near {
		out = x.emit(q, out, n)
	}
	return x.follow(q, out)
}

// NearRest is described at NearFlat. again means that NearFlat was called just before, and nothing is to be
// found twice. Actors that the viewer's watch keeps at time now of the world, in seconds, are relevant and not
// listed, nor are those that it knows to be hidden: see [Watch].
func (x *Index) NearRest(q *Search, w *Watch, v *Viewer, now float64, again bool, out []Found) []Found {
	if !again {
		q.begin(len(x.hot))
	}
	for _, n := range x.always {
		out = x.emit(q, out, n)
	}
	for _, n := range x.loose {
		out = x.emit(q, out, n)
	}
	out = x.nearby(q, w, v, now, out)
	for _, a := range [...]*engine.Actor{v.Player, v.Target, v.Pawn} {
		if a == nil {
			continue
		}
		if n := number(a.ID()); x.holds(n, a.ID()) && x.info(a.Class).replicates(a) {
			out = x.emit(q, out, n)
		}
	}
	out = x.emitList(q, out, v.Player, owned)
	out = x.emitList(q, out, v.Pawn, instigated)
	return x.follow(q, out)
}

// Flat changes whenever the result of NearFlat may change. ok is false if that depends on the viewer.
func (x *Index) Flat() (version uint64, ok bool) {
	x.sync()
	return x.grid.version, x.grid.far == 0
}

// begin starts a search among n numbers.
func (q *Search) begin(n int) {
	if len(q.stamps) < n {
		q.stamps = append(q.stamps, make([]uint32, n+n/4-len(q.stamps))...)
	}
	if q.stamp++; q.stamp == 0 { // once in 2^32
		clear(q.stamps)
		q.stamp = 1
	}
	q.queue = q.queue[:0]
}

// follow adds the followers of what was found.
func (x *Index) follow(q *Search, out []Found) []Found {
	for i := 0; i < len(q.queue); i++ { // grows while followers are followed
		for k := x.hot[q.queue[i]].follow; k != 0; k = x.slots[k].next[followers] {
			out = x.emit(q, out, k)
		}
	}
	q.queue = q.queue[:0]
	return out
}

// Actor returns the actor of a number in the index, nil if there is none.
func (x *Index) Actor(number int32) *engine.Actor {
	if number <= 0 || int(number) >= len(x.hot) {
		return nil
	}
	return x.hot[number].actor
}

// Sensed is [Index.Decide] for an actor that a search with this watch just found plain for the same viewer: the
// same result, and the same state in s, by R3.9 and R3.10 alone. If the result cannot change until some time
// except by a change of the actor or the viewer, the watch keeps it; a nil watch keeps nothing.
func (x *Index) Sensed(w *Watch, v *Viewer, f Found, s *Sight, now float64) bool {
	if f.bare { // avoids reading the actor from memory
		s.about(f.Number, true)
		if x.cfg.NoSight {
			w.keep(f.at, math.Inf(1))
		} else if x.glimpse(w, v, f, s, now) {
			w.keep(f.at, s.next)
		} else {
			if s.recent(now, x.cfg.Timeout) {
				return true
			}
			w.keep(f.at, -s.next)
			return false
		}
		s.see(now)
		return true
	}
	t := x.hot[f.Number].actor
	if t == v.Player || t == v.Target || t == v.Pawn { // R3.5
		return x.Decide(v, t, s, now).Relevant
	}
	if x.cfg.NoSight && s.of == uint32(f.Number) {
		s.see(now)
		return true
	}
	var d finding
	s.about(f.Number, true)
	x.senses(v, t, s, now, &d)
	return d.relevant
}

// Lingers reports whether an actor that a search for a viewer did not find is still relevant by R3.10, if only
// R3.8 to R3.10 apply to it and lines of sight are off: [Index.Decide] would return that and change nothing. If
// it is false, call Decide.
func (x *Index) Lingers(number int32, s *Sight, now float64) bool {
	return x.cfg.NoSight && number > 0 && int(number) < len(x.hot) && x.hot[number].plain && s.of == uint32(number) && s.recent(now, x.cfg.Timeout)
}

// emitList adds the actors in a list of an actor, which need not be in the index itself.
func (x *Index) emitList(q *Search, out []Found, head *engine.Actor, l list) []Found {
	if head == nil {
		return out
	}
	n := number(head.ID())
	if int(n) >= len(x.slots) || x.slots[n].id != head.ID() {
		return out
	}
	for k := *x.head(n, l); k != 0; k = x.slots[k].next[l] {
		out = x.emit(q, out, k)
	}
	return out
}

func (x *Index) emit(q *Search, out []Found, n int32) []Found {
	count.Add(count.Tested, 1)
	if q.stamps[n] == q.stamp {
		return out
	}
	q.stamps[n] = q.stamp
	h := &x.hot[n]
	if h.follow != 0 {
		q.queue = append(q.queue, n)
	}
	return append(out, Found{Number: n, Plain: h.plain})
}
