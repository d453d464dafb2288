package server

import (
	"slices"

	"github.com/tidelock/tidelock/netcode/schema"
	"github.com/tidelock/tidelock/netcode/wire"
)

// crowdItem is what a payload holds of one entity.
type crowdItem struct {
	g    *common
	mask uint64
	slot int32
}

// part is one payload of the net update under way.
type part struct {
	number   uint32
	items    []crowdItem
	most     int // bytes that it takes at most
	variants []variant
	n        int
}

// variant is a part's bytes for members that hold the same places.
type variant struct {
	got    uint64    // payloads that arrived: bit k is payload number − k
	ages   [32]uint8 // how many datagrams ago each of these was, 0 for not
	fit    int       // items that found room
	bytes  []byte
	values int // of bytes, the rest being heads of runs
	counts []tally
}

// tally is what a variant adds to the counters of a class's variables.
type tally struct {
	class *schema.Class
	vars  []varTally
}

type varTally struct {
	n            int
	count, bytes uint64
}

// exception is an item of a payload that is not for a member.
type exception struct {
	g       *common
	payload uint32
}

// next gives the next payload a number. A net update in which there is none has one too: members' own datagrams bear it, so
// that places sent by these can be told apart when the actor becomes common.
func (w *crowd) next() {
	w.number++
	w.updates[w.number%uint32(len(w.updates))] = w.s.update
	oldest := w.number
	for _, c := range w.members {
		if n := c.sess.InFlight(); n > 0 {
			if q := c.flights[(c.sent-uint32(n))%uint32(len(c.flights))].crowd; int32(q-oldest) < 0 {
				oldest = q
			}
		}
	}
	for ; int32(oldest-w.tail) > 0; w.tail++ {
		if l := &w.log[w.tail%crowdLog]; cap(*l) > 0 {
			w.free = append(w.free, (*l)[:0])
			*l = nil
		}
	}
}

// part starts another payload.
func (w *crowd) part() *part {
	w.next()
	if len(w.parts) < cap(w.parts) {
		w.parts = w.parts[:len(w.parts)+1]
	} else {
		w.parts = append(w.parts, part{})
	}
	p := &w.parts[len(w.parts)-1]
	p.number, p.most, p.n = w.number, 0, 0
	p.items = p.items[:0:0]
	if n := len(w.free); n > 0 {
		p.items, w.free = w.free[n-1], w.free[:n-1]
	}
	return p
}

// mostVariants is how many forms of a part are kept; members beyond these have theirs made for themselves.
const mostVariants = 16

// variant is the form of a part for a member, made where there is none yet; nil where there are too many.
func (w *crowd) variant(c *Conn, p *part) *variant {
	got, regular := c.holds64(p.number)
	if !regular {
		c.agesAt(p.number, got, &w.ages)
	}
	for i := range p.variants[:p.n] {
		if v := &p.variants[i]; v.got == got && (regular && v.ages[0] == regularAges || !regular && v.ages == w.ages) {
			return v
		}
	}
	if p.n == mostVariants {
		return nil
	}
	if p.n == len(p.variants) {
		p.variants = append(p.variants, variant{})
	}
	v := &p.variants[p.n]
	p.n++
	v.got = got
	if regular {
		v.ages = [32]uint8{regularAges}
	} else {
		v.ages = w.ages
	}
	x := &w.s.main.encoder
	w.asm.Reset(wire.MaxDatagram - wire.MaxHeader - 8)
	v.fit, v.bytes = 0, v.bytes[:0]
	for i := range v.counts {
		v.counts[i].vars = v.counts[i].vars[:0]
	}
	v.counts = v.counts[:0]
	var t *tally
	for i := range p.items {
		it := &p.items[i]
		e := it.g.ent
		k := e.class
		base, age := w.base(it, got, &v.ages, p.number)
		if base != 0 && it.mask == 1<<k.Location { // it moved, and nothing else
			if was, ok := e.View().PlaceOf(base); ok && wire.Nearer(k.Grid, e.At, was) {
				n := w.asm.AddRelative(uint16(it.slot), k.Location, age, e.At, was)
				if n == 0 {
					break
				}
				v.fit++
				if t == nil || t.class != k {
					t = v.tally(k)
				}
				t.one(k.Location, uint64(n))
				continue
			}
		}
		f, rel := x.common(it, w.s.update, base)
		if rel == 0 {
			age = 0
		}
		if !w.asm.AddNarrow(uint16(it.slot), it.mask, rel, age, f.bytes) {
			break
		}
		v.fit++
		if t == nil || t.class != k {
			t = v.tally(k)
		}
		t.add(it.mask, &f)
	}
	v.bytes = w.asm.Append(v.bytes, w.s.set.Epoch)
	v.values = w.asm.Values()
	return v
}

// regularAges stands in variant.ages where payload number − k was k datagrams ago.
const regularAges = 255

// base is the net update of the newest place that members hold who have some payloads, and how many datagrams ago it came;
// 0 for none, or where the item is not about the place.
func (w *crowd) base(it *crowdItem, got uint64, ages *[32]uint8, number uint32) (base uint32, age int) {
	g := it.g
	k := g.ent.class
	if k.Location < 0 || it.mask>>k.Location&1 == 0 {
		return 0, 0
	}
	j := trailing(g.placed << (number - g.placeNo) & got)
	if j > wire.MaxAge {
		return 0, 0
	}
	if age = j; ages[0] != regularAges {
		age = int(ages[j&31])
	}
	return w.updates[(number-uint32(j))%uint32(len(w.updates))], age
}

// common encodes an item for members who hold the place of a net update, 0 for none, and gives which variables are relative.
func (x *encoder) common(it *crowdItem, update, base uint32) (f fragment, rel uint64) {
	e := it.g.ent
	mask := wire.Mask{it.mask}
	f, relative := x.shared(e.View(), &mask, update, base)
	if relative {
		rel = 1 << e.class.Location
	}
	return f, rel
}

func (v *variant) tally(k *schema.Class) *tally {
	for i := range v.counts {
		if v.counts[i].class == k {
			return &v.counts[i]
		}
	}
	if len(v.counts) < cap(v.counts) {
		v.counts = v.counts[:len(v.counts)+1]
	} else {
		v.counts = append(v.counts, tally{})
	}
	t := &v.counts[len(v.counts)-1]
	t.class, t.vars = k, t.vars[:0]
	return t
}

func (t *tally) add(mask uint64, f *fragment) {
	from, i := f.from, 0
	for m := mask; m != 0; m &= m - 1 {
		t.one(trailing(m), uint64(f.ends[i]-from))
		from = f.ends[i]
		i++
	}
}

func (t *tally) one(n int, bytes uint64) {
	j := 0
	for j < len(t.vars) && t.vars[j].n != n {
		j++
	}
	if j == len(t.vars) {
		t.vars = append(t.vars, varTally{n: n})
	}
	t.vars[j].count++
	t.vars[j].bytes += bytes
}

// holds64 is which payloads the client is known to have: bit k is payload number − k, where number is the one under way.
// regular: each was as many datagrams ago as payloads.
func (c *sender) holds64(number uint32) (got uint64, regular bool) {
	got = c.gotPay << (number - c.lastPay) & (1<<32 - 1)
	if c.sent-number != c.payAhead {
		return got, got == 0
	}
	return got, got>>(number-c.payRegular+1) == 0
}

// agesAt gives how many datagrams ago payloads were, for those of a set.
func (c *sender) agesAt(number uint32, got uint64, ages *[32]uint8) {
	*ages = [32]uint8{}
	for m := got; m != 0; m &= m - 1 {
		j := trailing(m)
		if ago := c.sent - c.payNo[(number-uint32(j))%uint32(len(c.payNo))]; j < len(ages) && ago <= wire.MaxAge {
			ages[j] = uint8(ago)
		}
	}
}

// carry notes that the datagram under way holds a payload.
func (c *sender) carry(number uint32) {
	c.flights[c.sent%uint32(len(c.flights))].payload = number
	if d := number - c.lastPay; d != 0 {
		c.gotPay, c.validPay = c.gotPay<<d, c.validPay<<d
		c.lastPay = number
	}
	c.validPay |= 1
	if c.sent-number != c.payAhead {
		c.payAhead, c.payRegular = c.sent-number, number
	}
	c.payNo[number%uint32(len(c.payNo))] = c.sent
}

// gotPayload notes that a payload arrived.
func (c *sender) gotPayload(number uint32) {
	if d := c.lastPay - number; d < 64 {
		c.gotPay |= 1 << d
	}
}

// serveParts sends a member what there is in common, and what is its own behind it.
func (c *Conn) serveParts(n *snapshot) {
	x := &c.s.main.worker
	parts := c.s.crowd.parts
	d := c.begin(n)
	had := c.credit
	for i := range parts {
		p := &parts[i]
		if d.calls && d.size+c.s.crowd.expect(p.most)+partHeads > wire.MaxDatagram {
			c.send(x, n, d.b, true, 0)
			d = c.begin(n)
		}
		x.asm.Reset(wire.MaxDatagram - d.size)
		last := i == len(parts)-1
		done := false
		if len(c.except) == 0 && (!last || len(c.list) == 0) {
			d.b, done = c.copyPart(d.b, p)
		}
		if !done {
			c.addPart(p)
			if !last && x.asm.Len() > 0 {
				d.b = c.finish(x, n, d)
			}
		}
		c.carry(p.number)
		if last && !done {
			break // goes on with what is the connection's own
		}
		c.send(x, n, d.b, true, 0)
		if last {
			c.except = c.except[:0]
			c.saturated = false
			return
		}
		d = c.begin(n)
	}
	c.except = c.except[:0]
	f := filling{x: x, n: *n, turn: c, d: d, had: had}
	c.fill(&f)
}

// copyPart appends a part as it is to the datagram under way. False: it must be put together for this member alone.
func (c *Conn) copyPart(b []byte, p *part) ([]byte, bool) {
	v := c.s.crowd.variant(c, p)
	if v == nil || v.fit < len(p.items) || len(b)+len(v.bytes) > wire.MaxDatagram {
		return b, false
	}
	for i := range v.counts {
		t := &v.counts[i]
		vars := c.Traffic.Vars(t.class)
		for j := range t.vars {
			x := &t.vars[j]
			vars[x.n].Count += x.count
			vars[x.n].Bytes += x.bytes
		}
	}
	c.headerBytes(len(v.bytes) - v.values)
	return append(b, v.bytes...), true
}

// addPart puts a part, without what is not for this member, into the datagram under way.
func (c *Conn) addPart(p *part) {
	got, regular := c.holds64(p.number)
	ages := [32]uint8{regularAges}
	if !regular {
		c.agesAt(p.number, got, &ages)
	}
	x := &c.s.main.worker
	for i := range p.items {
		it := &p.items[i]
		if len(c.except) > 0 && slices.Contains(c.except, exception{it.g, p.number}) {
			continue
		}
		base, age := c.s.crowd.base(it, got, &ages, p.number)
		f, rel := x.common(it, c.s.update, base)
		if rel == 0 {
			age = 0
		}
		if !x.asm.AddNarrow(uint16(it.slot), it.mask, rel, age, f.bytes) {
			// What finds no room waits for the next net update, as if it had been lost.
			if r := c.recAt(it.slot); r != nil && r.rep.Common() == it.g {
				c.own(r)
			}
			continue
		}
		m := wire.Mask{it.mask}
		c.count(it.g.ent.View(), &m, &f)
	}
}

// loseExtra makes pending again what a lost datagram held of a payload.
func (c *Conn) loseExtra(fl *flown) {
	for i := range fl.extra {
		c.loseItem(&fl.extra[i])
	}
	fl.extra = fl.extra[:0]
}

func (c *Conn) loseItem(it *sentItem) {
	r := c.recOf(it.slot, it.serial)
	if r == nil {
		return
	}
	st := c.own(r)
	c.Traffic.Lost(r.ent.class, &it.mask)
	c.refund(st)
	st.pend(&it.mask)
	st.dirty = true
	c.queue(r)
}
