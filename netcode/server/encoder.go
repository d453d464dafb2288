package server

import (
	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/engine/count"
	"github.com/tidelock/tidelock/engine/relevancy"
	"github.com/tidelock/tidelock/netcode/server/shadow"
	"github.com/tidelock/tidelock/netcode/traffic"
	"github.com/tidelock/tidelock/netcode/wire"
)

// span is the encoding of an entity's variables of one mask, in the arena of one net update.
type span struct {
	mask     wire.Mask
	update   uint32
	slot     int32  // the entity's
	base     uint32 // net update of the position that the connection holds, 0 for none
	from, to uint32
	// ends is the index in encoder.ends of the end of each variable.
	ends, count uint32
	relative    bool // the position is relative to that of base
}

// numSpans is how many spans an encoder can find again. Each takes a cache line; beyond this number, encoding once
// more takes less time than searching memory that the caches cannot hold.
const numSpans = 256

// encoder encodes variables once for all connections of a net update (R5.21).
type encoder struct {
	vals  wire.Values
	arena []byte
	ends  []uint32
	spans [numSpans]span // by the lower bits of the slot
}

// worker is the working memory for filling datagrams: encodings and figures.
type worker struct {
	encoder
	packets int
	longest float64 // Stats.LongestWait
	search  relevancy.Search
	asm     wire.Assembler // of the datagram being filled
}

func newEncoder() encoder { return encoder{ends: make([]uint32, 0, 1024)} }

// reset starts a net update. Earlier spans become invalid.
func (x *encoder) reset() {
	x.arena, x.ends = x.arena[:0], x.ends[:0]
}

// fragment is one actor's variables in the arena, with the end of each.
type fragment struct {
	bytes []byte
	ends  []uint32 // in the arena
	from  uint32
}

// shared encodes what is the same for every connection: variables without references, elements or items. base is
// the net update whose position the connection holds, 0 for none: the position is encoded relative to it if that is
// shorter. Connections that hold the same position share the bytes.
func (x *encoder) shared(e shadow.View, mask *wire.Mask, update, base uint32) (f fragment, relative bool) {
	k, slot := e.Class(), e.Slot()
	p := &x.spans[slot%numSpans]
	if p.slot == int32(slot) && p.update == update && p.base == base && p.mask[0] == mask[0] && (k.Small || p.mask == *mask) {
		return x.fragment(p), p.relative
	}
	*p = span{mask: *mask, update: update, slot: int32(slot), base: base, from: uint32(len(x.arena)), ends: uint32(len(x.ends))}
	place := k.Location
	x.vals.Names = nil
	if place < 0 || !mask.Has(place) {
		x.layout(e, mask)
	} else {
		q := e.At()
		was, known := e.PositionOf(base)
		if p.relative = known && wire.Nearer(k.Grid, q, was); !p.relative {
			x.layout(e, mask)
		} else {
			below, above := around(mask, place)
			x.layout(e, &below)
			count.Add(count.Encoded, 1)
			x.arena = wire.AppendRelative(x.arena, q, was)
			x.ends = append(x.ends, uint32(len(x.arena)))
			x.layout(e, &above)
		}
	}
	p.to, p.count = uint32(len(x.arena)), uint32(len(x.ends))-p.ends
	return x.fragment(p), p.relative
}

// around returns the variables of a set before and after one of them.
func around(m *wire.Mask, n int) (below, above wire.Mask) {
	for i, w := range m {
		at := n - i<<6
		below[i] = w & (1<<max(0, at) - 1)
		above[i] = w &^ (1<<max(0, at+1) - 1)
	}
	return below, above
}

// addShared adds an actor to a datagram: variables with numbers below 64 that are the same for every connection, in
// a run that does not wait for anything. The receiver holds the position of net update base, which it received age
// datagrams ago; base is 0 for none. vars counts the added variables. ok is false if there is no room; bytes is the
// size of the values.
func (x *encoder) addShared(asm *wire.Assembler, e shadow.View, mask uint64, update, base uint32, age int, vars []traffic.Entry) (bytes int, ok bool) {
	k := e.Class()
	if base != 0 && mask == 1<<k.Location { // only the position changed: encoding two bytes again is faster than finding them
		if was, known := e.PositionOf(base); known && wire.Nearer(k.Grid, e.At(), was) {
			n := asm.AddRelative(uint16(e.Slot()), k.Location, age, e.At(), was)
			if n > 0 {
				vars[k.Location].Count++
				vars[k.Location].Bytes += uint64(n)
			}
			return n, n > 0
		}
	}
	all, rel := wire.Mask{mask}, uint64(0)
	f, relative := x.shared(e, &all, update, base)
	if relative {
		rel = 1 << k.Location
	} else {
		age = 0
	}
	if ok = asm.AddNarrow(uint16(e.Slot()), mask, rel, age, f.bytes); ok {
		f.count(vars, &all)
	}
	return len(f.bytes), ok
}

// count counts the variables of a fragment, each byte once.
func (f *fragment) count(vars []traffic.Entry, mask *wire.Mask) {
	from, i := f.from, 0
	for w := range mask {
		for m := mask[w]; m != 0; m &= m - 1 {
			t := &vars[w<<6+trailing(m)]
			t.Count++
			t.Bytes += uint64(f.ends[i] - from)
			from = f.ends[i]
			i++
		}
	}
}

// layout appends complete variables.
func (x *encoder) layout(e shadow.View, mask *wire.Mask) {
	if mask.Empty() {
		return
	}
	x.vals.Ends = x.ends[len(x.ends):]
	x.arena = e.Append(x.arena, &x.vals, mask)
	x.ends = append(x.ends, x.vals.Ends...)
	x.vals.Ends = nil
}

func (x *encoder) fragment(p *span) fragment {
	return fragment{x.arena[p.from:p.to:p.to], x.ends[p.ends : p.ends+p.count : p.ends+p.count], p.from}
}

// appendCall appends a call; vals.Names encodes references.
func (x *encoder) appendCall(b []byte, e *entity, f *engine.Function, num uint16, args []engine.Value, classes *engine.Classes) []byte {
	n := wire.GivenArgs(f.Params, args)
	b = wire.AppendCall(b, wire.Call{Channel: uint16(e.slot), Function: num, Args: n})
	for i := range n {
		b = x.vals.AppendValue(b, f.Params[i].Type, &args[i], classes)
	}
	return b
}
