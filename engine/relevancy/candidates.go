package relevancy

import "github.com/tidelock/tidelock/engine"

// Candidates adds to out every actor in the index that a fresh look could find relevant to a viewer, each once: all for
// which Decide says yes with a fresh Sight are among them, and few others. An actor that was relevant and is not among
// them may be so still by R3.10: ask Decide about those that the connection has a channel for, too.
//
// The order follows from the calls made on the index so far. Nothing is allocated where out has room and the index did
// not grow. What it costs grows with the candidates, and with nothing else in the level.
func (x *Index) Candidates(v *Viewer, out []*engine.Actor) []*engine.Actor {
	x.sync()
	if x.stamp++; x.stamp == 0 { // once in 2^32
		for i := range x.hot {
			x.hot[i].stamp = 0
		}
		x.stamp = 1
	}
	x.queue = x.queue[:0]
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
	for i := 0; i < len(x.queue); i++ { // grows while followers are followed
		for k := x.hot[x.queue[i]].follow; k != 0; k = x.slots[k].next[followers] {
			out = x.emit(out, k)
		}
	}
	return out
}

// emitList adds those that stand in a list of an actor, which need not be in the index itself.
func (x *Index) emitList(out []*engine.Actor, head *engine.Actor, l list) []*engine.Actor {
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

func (x *Index) emit(out []*engine.Actor, n int32) []*engine.Actor {
	h := &x.hot[n]
	if h.stamp == x.stamp {
		return out
	}
	h.stamp = x.stamp
	if h.follow != 0 {
		x.queue = append(x.queue, n)
	}
	return append(out, h.actor)
}
