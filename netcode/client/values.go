package client

import (
	"maps"
	"slices"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/netcode/schema"
	"github.com/tidelock/tidelock/netcode/wire"
)

// names resolves actors while a value is read, and records which ones it referred to.
type names struct {
	c    *Client
	nets []uint32
}

// NetID implements wire.Names: the number sent to the server.
func (n *names) NetID(id engine.ActorID) uint32 { return n.c.NetOf(id) }

// Actor implements wire.Names. An actor that is not here yet is nil until it arrives (R5.13).
func (n *names) Actor(net uint32, t *engine.Type) (engine.ActorID, bool) {
	n.nets = append(n.nets, net)
	ch := n.c.nets[net]
	if ch == nil || ch.actor.Deleted() {
		return 0, true
	}
	if t != nil && t.Class != "" && !ch.actor.IsA(t.Class) {
		return 0, false
	}
	return ch.actor.ID(), true
}

// Class implements wire.Names.
func (n *names) Class(word uint32, t *engine.Type) bool { return n.c.set.ClassFits(word, t) }

// names prepares for the next value, with no recorded actors.
func (c *Client) names() *names {
	c.nameBuf = names{c: c, nets: c.nameBuf.nets[:0]}
	return &c.nameBuf
}

// values reads the variables of a mask and applies those that are newer than the present ones. Changes are noted;
// tellNotes reports them.
func (c *Client) values(ch *channel, mask *wire.Mask, r *wire.Reader, seq wire.Seq, opening bool) {
	for n := range mask.All() {
		if n >= len(ch.class.Vars) {
			r.Fail(wire.ErrRange)
		}
		if r.Err() != nil {
			return
		}
		c.variable(ch, n, r, seq, opening, nil)
	}
}

// relative is the base of a vector that is sent as a difference.
type relative struct{ base wire.Quantised }

// variable reads one variable and applies it if it is newer.
func (c *Client) variable(ch *channel, n int, r *wire.Reader, seq wire.Seq, opening bool, rel *relative) {
	v := &ch.class.Vars[n]
	last, at := &ch.seqs[n], c.sess.Number(seq)
	newer := opening || !last.any || at > last.at
	if v.Type.Kind == engine.KindFastArray {
		c.fastArray(ch, n, r, newer)
		if r.Err() == nil && newer {
			*last = newest{at: at, any: true}
		}
		return
	}
	words, strs := c.scratchOf.For(v.Type)
	a := ch.actor
	a.ReadProperty(v.Prop, words, strs)
	start := r.Pos()
	switch {
	case rel != nil:
		q := r.Relative(wire.GridOf(v.Type), rel.base)
		engine.StoreVector(words, wire.GridOf(v.Type).Value(q))
	case v.Type.Kind == engine.KindArray:
		var set wire.Elements
		r.Elements(v.Type, words, strs, c.names(), &set)
	default:
		r.Value(v.Type, words, strs, c.names())
	}
	if r.Err() != nil {
		return
	}
	if v.Type.Kind == engine.KindVector && !opening {
		b := ch.bases[n]
		if b == nil {
			b = &wire.Bases{}
			ch.bases[n] = b
		}
		q, _ := wire.GridOf(v.Type).Quantise(engine.LoadVector(words))
		b.Put(seq, q)
	}
	if !newer {
		return
	}
	// The same value again is a repetition (R5.22), and must not undo what was changed here since (R5.15). But it
	// is a new value if the repetition has arrived already and a datagram after it was lost, which may have held
	// another value.
	sum := uint64(14695981039346656037)
	if v.Type.Kind == engine.KindVector {
		for _, w := range words {
			sum = (sum ^ w) * 1099511628211
		}
	} else {
		for _, b := range r.Read(start) {
			sum = (sum ^ uint64(b)) * 1099511628211
		}
	}
	same := !opening && last.any && last.sum == sum
	again := same && (!last.twice || c.sess.Unbroken(last.at, at))
	*last = newest{at: at, any: true, sum: sum, twice: opening || again || ch.class.Always.Has(n)}
	if again {
		return
	}
	switch {
	case !ch.class.Refs.Has(n):
	case v.Type.Kind == engine.KindArray:
		c.keepElements(ch, n, r.Read(start))
	default:
		c.keepRaw(ch, rawKey{n, 0}, r.Read(start))
	}
	c.set1(ch, v, words, strs, false)
}

// set1 applies a value that was read, if it differs from the present one (R5.14, R5.15).
func (c *Client) set1(ch *channel, v *schema.Var, words []uint64, strs []string, late bool) {
	a := ch.actor
	same := a.SameProperty(v.Prop, words, strs)
	if same && (v.Notify != engine.NotifyAlways || late) {
		return
	}
	if v.Notify != engine.NotifyNone {
		c.notes = append(c.notes, note{prop: v.Prop, old: a.Get(v.Prop)})
	}
	if !same || v.Prop.Name == "Location" {
		a.ReceiveProperty(v.Prop, words, strs)
	}
	if c.cfg.Trace != nil {
		c.trace(ch, Event{Kind: Set, Name: v.Prop.Name, Value: a.Get(v.Prop)})
	}
}

// fastArray reads the delta of a fast array.
func (c *Client) fastArray(ch *channel, n int, r *wire.Reader, newer bool) {
	v := &ch.class.Vars[n]
	a := ch.actor
	d := r.FastDelta()
	var keep map[uint32]bool
	if d.Whole {
		keep = map[uint32]bool{}
	}
	for key, ok := d.Removed(); ok; key, ok = d.Removed() {
		if newer {
			c.dropItem(ch, n, key)
		}
	}
	el := v.Type.Elem
	for key, ok := d.Item(); ok; key, ok = d.Item() {
		if keep != nil {
			keep[key] = true
		}
		words, strs := c.scratchOf.For(el)
		clear(words)
		clear(strs)
		start := r.Pos()
		r.Value(el, words, strs, c.names())
		if r.Err() != nil || !newer {
			continue
		}
		if ch.class.Refs.Has(n) {
			c.keepRaw(ch, rawKey{n, key}, r.Read(start))
		}
		c.item(ch, n, key, words, strs)
	}
	if d.Whole && newer && r.Err() == nil {
		for _, it := range slices.Clone(a.Fast(v.Prop).Items()) {
			if !keep[it.Key] {
				c.dropItem(ch, n, it.Key)
			}
		}
	}
}

func (c *Client) item(ch *channel, n int, key uint32, words []uint64, strs []string) {
	v := &ch.class.Vars[n]
	a := ch.actor
	for _, it := range a.Fast(v.Prop).Items() {
		if it.Key == key && slices.Equal(it.Words, words) && slices.Equal(it.Strs, strs) {
			return
		}
	}
	how := engine.FastChanged
	if a.ReceiveFast(v.Prop, key, words, strs) {
		how = engine.FastAdded
	}
	it, _ := a.FastGet(v.Prop, key)
	c.notes = append(c.notes, note{prop: v.Prop, fast: true, how: how, key: key, old: it})
	c.trace(ch, Event{Kind: Set, Name: v.Prop.Name, Value: it})
}

func (c *Client) dropItem(ch *channel, n int, key uint32) {
	v := &ch.class.Vars[n]
	it, had := ch.actor.FastGet(v.Prop, key)
	if had && ch.actor.DropFast(v.Prop, key) {
		delete(ch.raws, rawKey{n, key})
		c.notes = append(c.notes, note{prop: v.Prop, fast: true, how: engine.FastRemoved, key: key, old: it})
		c.trace(ch, Event{Kind: Set, Name: v.Prop.Name})
	}
}

// tellNotes calls the noted notifies, after the whole update of the actor (R5.14).
func (c *Client) tellNotes(ch *channel) {
	if len(c.notes) == 0 {
		return
	}
	notes := c.notes
	c.notes = nil                // a notify may lead here again
	var fasts []*engine.Property // in order of their first change
	for _, n := range notes {
		a := ch.actor
		if a.Deleted() {
			break
		}
		if n.fast {
			c.world.Script.FastEvent(a, n.prop, n.how, n.key, n.old)
			if !slices.Contains(fasts, n.prop) {
				fasts = append(fasts, n.prop)
			}
			continue
		}
		c.trace(ch, Event{Kind: Notified, Name: n.prop.Name, Value: n.old})
		c.world.Script.Notify(a, n.prop, n.old)
	}
	for _, p := range fasts {
		if p.Rule != nil && p.Rule.Notify != engine.NotifyNone && !ch.actor.Deleted() {
			c.trace(ch, Event{Kind: Notified, Name: p.Name})
			c.world.Script.Notify(ch.actor, p, engine.Value{})
		}
	}
	clear(notes) // they refer to variables, and so to classes, which a reload must release
	c.notes = notes[:0]
}

// keepRaw stores an encoded value that refers to actors, so that it can be set again when they arrive.
func (c *Client) keepRaw(ch *channel, k rawKey, b []byte) {
	if ch.raws == nil {
		ch.raws = map[rawKey]*raw{}
	}
	if len(c.nameBuf.nets) == 0 {
		delete(ch.raws, k)
		return
	}
	x := ch.raws[k]
	if x == nil {
		x = &raw{}
		ch.raws[k] = x
	}
	added := c.added[:0]
	for _, net := range c.nameBuf.nets {
		if !slices.Contains(x.nets, net) && !slices.Contains(added, net) {
			added = append(added, net)
		}
	}
	c.added = added
	x.bytes, x.nets = append(x.bytes[:0], b...), append(x.nets[:0], c.nameBuf.nets...)
	for _, net := range added {
		c.wants(net, want{ch: ch, net: ch.net, rawKey: k})
	}
}

// keepElements is keepRaw for an array: one stored value per element that refers to an actor. Keys count from 1.
func (c *Client) keepElements(ch *channel, n int, b []byte) {
	v := &ch.class.Vars[n]
	r := wire.NewReader(b)
	count, isMap := 0, r.Peek() == wire.ShapeMap
	if isMap {
		count = r.Map()
	} else {
		count = r.Array()
	}
	words, strs := make([]uint64, v.Type.Elem.Words()), make([]string, v.Type.Elem.Strs())
	for i := range count {
		at := int64(i)
		if isMap {
			at = r.Int()
		}
		start := r.Pos()
		r.Value(v.Type.Elem, words, strs, c.names())
		if r.Err() != nil {
			return
		}
		c.keepRaw(ch, rawKey{n, uint32(at) + 1}, r.Read(start))
	}
}

// wants adds a variable to those that refer to an actor. It may be in the list already, from an earlier reference.
func (c *Client) wants(net uint32, w want) {
	if c.letGo >= max(mostLetGo, len(c.refs)/2) {
		c.pruneRefs()
	}
	list, known := c.refs[net]
	if n := len(list); n >= 16 && n&(n-1) == 0 {
		list = tidy(list, net)
	}
	if !known && len(c.refs) >= max(minRefs, c.refsMost) {
		c.pruneRefs()
	}
	c.refs[net] = append(list, w)
}

// tidy removes from a list the variables that no longer refer to an actor, and duplicates.
func tidy(list []want, net uint32) []want {
	kept := list[:0]
	seen := make(map[want]bool, len(list))
	for _, w := range list {
		if w.live(net) && !seen[w] {
			seen[w] = true
			kept = append(kept, w)
		}
	}
	clear(list[len(kept):])
	return kept
}

// wantsAgain records variables that refer to actors under their present numbers, in order of these: in this order
// they are set when an actor arrives.
func (c *Client) wantsAgain(ch *channel) {
	for _, k := range slices.SortedFunc(maps.Keys(ch.raws), rawKey.compare) {
		for _, net := range ch.raws[k].nets {
			c.wants(net, want{ch: ch, net: ch.net, rawKey: k})
		}
	}
}

// minRefs is how many actors may be recorded before unused ones are dropped.
const minRefs = 128

// mostLetGo is how many destroyed copies references may keep alive.
const mostLetGo = 32

// pruneRefs forgets actors to which no variable refers any more: most destroyed ones never return.
func (c *Client) pruneRefs() {
	for net, list := range c.refs { // any order: each on its own
		if list = tidy(list, net); len(list) == 0 {
			delete(c.refs, net)
		} else {
			c.refs[net] = list
		}
	}
	c.refsMost, c.letGo = 2*len(c.refs), 0
}

// live reports whether the variable exists and still refers to the actor.
func (w *want) live(net uint32) bool {
	if w.ch.net != w.net || w.ch.actor == nil || w.ch.actor.Deleted() {
		return false
	}
	x := w.ch.raws[w.rawKey]
	return x != nil && slices.Contains(x.nets, net)
}

// arrived sets the variables that refer to an actor that has arrived. They stay recorded: the actor may leave and
// return.
func (c *Client) arrived(net uint32) {
	list := c.refs[net]
	if len(list) == 0 {
		return
	}
	if list = tidy(list, net); len(list) == 0 {
		delete(c.refs, net)
		return
	}
	c.refs[net] = list
	for _, w := range slices.Clone(list) { // a notify may change the list
		if w.live(net) {
			c.reread(w.ch, w.rawKey)
			c.tellNotes(w.ch)
		}
	}
}

// reread sets a stored value again.
func (c *Client) reread(ch *channel, k rawKey) {
	v := &ch.class.Vars[k.variable]
	r := wire.NewReader(slices.Clone(ch.raws[k].bytes))
	fast, t := v.Type.Kind == engine.KindFastArray, v.Type
	if fast {
		t = t.Elem
	}
	words, strs := c.scratchOf.For(t)
	if fast {
		clear(words)
		clear(strs)
	} else {
		ch.actor.ReadProperty(v.Prop, words, strs)
	}
	w, s := words, strs
	if i := int(k.key) - 1; t.Kind == engine.KindArray {
		t = t.Elem
		w, s = words[i*t.Words():], strs[i*t.Strs():]
	}
	r.Value(t, w, s, c.names())
	switch {
	case r.Err() != nil:
	case fast:
		c.item(ch, k.variable, k.key, words, strs)
	default:
		c.set1(ch, v, words, strs, true)
	}
}
