package relevancy

import (
	"math"

	"github.com/tidelock/tidelock/engine"
)

// Candidates adds to out every actor in the index that a fresh look could find relevant to a viewer, each once: all for
// which Decide says yes with a fresh Sight are among them, and few others. An actor that was relevant and is not among
// them may be so still by R3.10: ask Decide about those that the connection has a channel for, too.
//
// The order follows from the calls made on the index so far. Nothing is allocated where out has room and the index did
// not grow. What it costs grows with the candidates, and with nothing else in the level.
func (x *Index) Candidates(v *Viewer, out []*engine.Actor) []*engine.Actor {
	x.found = x.Near(v, x.found[:0])
	for _, f := range x.found {
		out = append(out, x.hot[f.Number].actor)
	}
	return out
}

// Found is a candidate by its number, the place of the actor in the world's table (the lower half of its id).
type Found struct {
	Number int32
	// Plain: no rule before R3.9 says more of it than that it is near enough, so that [Index.Sensed] decides.
	Plain bool
	bare  bool  // nor does anything but a line of sight, and it is not the viewer's
	at    int32 // of the watch's entries, from 1; 0 for none
}

// Search is what looking for candidates needs beside the index: searches of their own may run at once, as long as nothing
// changes the index or its world. The zero Search is ready.
type Search struct {
	stamps []uint32 // by number: the last search that found it
	stamp  uint32   // of the search under way
	near   []int32
	queue  []int32 // candidates that others follow
	old    []entry // what a watch had
	blocks []block
}

// Near is [Index.Candidates] by numbers, for callers that file what they know of actors by them: the actors themselves
// are not touched.
func (x *Index) Near(v *Viewer, out []Found) []Found {
	x.sync()
	x.watch.of = nil // nothing is kept
	return x.NearRest(&x.search, &x.watch, v, 0, true, x.NearFlat(&x.search, v, out))
}

// NearFlat and NearRest are [Index.Near] in two halves: the actors that no distance culls, with those that follow them, and
// all others. What the first finds is the same for every viewer as long as [Index.Flat], which must be called before, gives
// the same, so that a caller who remembers it may go on with the second alone; some of the first may be found by it again.
func (x *Index) NearFlat(q *Search, v *Viewer, out []Found) []Found {
	q.begin(len(x.hot))
	q.near = appendReaching(q.near[:0], x.grid.flat, v.Location)
	for _, n := range q.near {
		out = x.emit(q, out, n)
	}
	return x.follow(q, out)
}

// NearRest is said at NearFlat. again: NearFlat was called just before, and nothing is to be found twice. Those that the
// viewer's watch keeps at time now of the world, in seconds, are relevant and not listed, nor are those that it knows to be
// hidden: see [Watch].
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

// Flat changes whenever NearFlat could find something else. ok is false where that depends on the viewer.
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

// follow adds those that follow what was found.
func (x *Index) follow(q *Search, out []Found) []Found {
	for i := 0; i < len(q.queue); i++ { // grows while followers are followed
		for k := x.hot[q.queue[i]].follow; k != 0; k = x.slots[k].next[followers] {
			out = x.emit(q, out, k)
		}
	}
	q.queue = q.queue[:0]
	return out
}

// Actor is the actor of a number in the index, nil where there is none.
func (x *Index) Actor(number int32) *engine.Actor {
	if number <= 0 || int(number) >= len(x.hot) {
		return nil
	}
	return x.hot[number].actor
}

// Sensed is [Index.Decide] for an actor that was just found plain for the same viewer, by a search with this watch: the same
// answer, and the same left in s, by R3.9 and R3.10 alone. Where that cannot change until some time but by a change of the
// actor or the viewer, the watch keeps it; nil keeps nothing.
func (x *Index) Sensed(w *Watch, v *Viewer, f Found, s *Sight, now float64) bool {
	if f.bare { // nothing of the actor is asked, which would have to be fetched from memory
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

// Lingers reports whether an actor that a search for a viewer did not find is relevant all the same by R3.10, where nothing but
// R3.8 to R3.10 says anything of it and sight is off: [Index.Decide] would say so and change nothing. False: ask Decide.
func (x *Index) Lingers(number int32, s *Sight, now float64) bool {
	return x.cfg.NoSight && number > 0 && int(number) < len(x.hot) && x.hot[number].plain && s.of == uint32(number) && s.recent(now, x.cfg.Timeout)
}

// emitList adds those that stand in a list of an actor, which need not be in the index itself.
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
