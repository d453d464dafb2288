package relevancy

import "github.com/tidelock/tidelock/engine"

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
}

// Near is [Index.Candidates] by numbers, for callers that file what they know of actors by them: the actors themselves
// are not touched.
func (x *Index) Near(v *Viewer, out []Found) []Found {
	x.begin()
	return x.rest(v, x.flat(v, out))
}

// NearFlat and NearRest are [Index.Near] in two halves: the actors that no distance culls, with those that follow them, and
// all others. What the first finds is the same for every viewer as long as [Index.Flat] gives the same, so that a caller who
// remembers it may go on with the second alone; some of the first may be found by it again.
func (x *Index) NearFlat(v *Viewer, out []Found) []Found {
	x.begin()
	out = x.flat(v, out)
	return x.follow(out)
}

// NearRest is said at NearFlat. again: NearFlat was called just before, and nothing is to be found twice.
func (x *Index) NearRest(v *Viewer, again bool, out []Found) []Found {
	if !again {
		x.begin()
	}
	return x.rest(v, out)
}

// Flat changes whenever NearFlat could find something else. ok is false where that depends on the viewer.
func (x *Index) Flat() (version uint64, ok bool) {
	x.sync()
	return x.grid.version, x.grid.far == 0
}

func (x *Index) begin() {
	x.sync()
	if x.stamp++; x.stamp == 0 { // once in 2^32
		for i := range x.hot {
			x.hot[i].stamp = 0
		}
		x.stamp = 1
	}
	x.queue = x.queue[:0]
}

func (x *Index) flat(v *Viewer, out []Found) []Found {
	x.near = appendReaching(x.near[:0], x.grid.flat, v.Location)
	for _, n := range x.near {
		out = x.emit(out, n)
	}
	return out
}

func (x *Index) rest(v *Viewer, out []Found) []Found {
	for _, n := range x.always {
		out = x.emit(out, n)
	}
	for _, n := range x.loose {
		out = x.emit(out, n)
	}
	x.near = x.grid.appendNear(x.near[:0], v.Location)
	for _, n := range x.near {
		out = x.emit(out, n)
	}
	for _, a := range [...]*engine.Actor{v.Player, v.Target, v.Pawn} {
		if a == nil {
			continue
		}
		if n := number(a.ID()); x.holds(n, a.ID()) && x.info(a.Class).replicates(a) {
			out = x.emit(out, n)
		}
	}
	out = x.emitList(out, v.Player, owned)
	out = x.emitList(out, v.Pawn, instigated)
	return x.follow(out)
}

// follow adds those that follow what was found.
func (x *Index) follow(out []Found) []Found {
	for i := 0; i < len(x.queue); i++ { // grows while followers are followed
		for k := x.hot[x.queue[i]].follow; k != 0; k = x.slots[k].next[followers] {
			out = x.emit(out, k)
		}
	}
	x.queue = x.queue[:0]
	return out
}

// Actor is the actor of a number in the index, nil where there is none.
func (x *Index) Actor(number int32) *engine.Actor {
	if number <= 0 || int(number) >= len(x.hot) {
		return nil
	}
	return x.hot[number].actor
}

// Sensed is [Index.Decide] for an actor that was just found plain by [Index.Near] for the same viewer: the same answer,
// and the same left in s, by R3.9 and R3.10 alone.
func (x *Index) Sensed(v *Viewer, number int32, s *Sight, now float64) bool {
	t := x.hot[number].actor
	if t == v.Player || t == v.Target || t == v.Pawn { // R3.5
		return x.Decide(v, t, s, now).Relevant
	}
	if x.cfg.NoSight && s.of == uint32(number) {
		s.see(now)
		return true
	}
	var f finding
	s.about(t, true)
	x.senses(v, t, s, now, &f)
	return f.relevant
}

// emitList adds those that stand in a list of an actor, which need not be in the index itself.
func (x *Index) emitList(out []Found, head *engine.Actor, l list) []Found {
	if head == nil {
		return out
	}
	n := number(head.ID())
	if int(n) >= len(x.slots) || x.slots[n].id != head.ID() {
		return out
	}
	for k := *x.head(n, l); k != 0; k = x.slots[k].next[l] {
		out = x.emit(out, k)
	}
	return out
}

func (x *Index) emit(out []Found, n int32) []Found {
	h := &x.hot[n]
	if h.stamp == x.stamp {
		return out
	}
	h.stamp = x.stamp
	if h.follow != 0 {
		x.queue = append(x.queue, n)
	}
	return append(out, Found{n, h.plain})
}
