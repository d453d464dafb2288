package server

import (
	"slices"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/netcode/wire"
)

// Where many are told the same of the same actors, each would keep a record of each, and they would all say the same. A
// crowd is connections of which that holds: what one of them was told stands once, in a common, for the recs of all of them,
// and a net update looks at it once, encodes it once, and copies the bytes to each. A rec leaves its common as soon as
// something is done to it alone, and has then exactly what it would have had by itself (Conn.own); it comes back when the
// two agree again (crowd.recruit). Everything else in this package may forget that there are crowds: what a common keeps
// cannot be read from a rec without Conn.own (package share).
//
// Invariant: what a client is sent by way of a common is what it would have been sent without.

const (
	// leastCrowd and leastCommon are how many connections, with how many actors of their own, make a crowd worth its while.
	leastCrowd, leastCommon = 3, 4
	// crowdLog is how many payloads are remembered: more than datagrams may be without a fate (session).
	crowdLog = 512
	// crowdFlying is the number of datagrams without a fate from which a connection goes by itself.
	crowdFlying = 200
	// recruitPause and longestPause are how many net updates lie between two attempts to make a crowd, which double while
	// they fail; rejoinPause is how many a connection waits that has left one.
	recruitPause, longestPause, rejoinPause = 8, 1024, 4
)

// crowd is the one of a server, or none where it has no members.
type crowd struct {
	s       *Server
	members []*Conn
	ents    []*common
	due     []*common // those that may have something to send
	list    []*common // scratch: those that have

	// A payload is what members are sent in one datagram. Numbers start at 1.
	number  uint32
	before  uint32     // the newest before the net update under way
	updates [64]uint32 // net update of each, by number
	log     [crowdLog][]crowdItem
	tail    uint32        // oldest payload whose items somebody may still request
	free    [][]crowdItem // memory of those before
	parts   []part        // of the net update under way
	// slack is how much of what a payload takes at most it took lately, with a margin: what moves takes a third.
	slack float64

	tryAt, pause uint32
	turn, cursor int
	asm          wire.Assembler
	ages         [32]uint8 // scratch
}

// common is what all members but some were told of an entity. Its fields mean what those of a rec do.
type common struct {
	ent                   *entity // nil once it stands for nobody
	pending, repeat, send uint64
	ever                  uint64
	served                float64
	bits                  engine.CondInput
	dirty, queued         bool
	placed                uint64 // bit k: payload placeNo − k brought the place
	placeNo               uint32
	last                  uint32  // newest payload that held something of it, 0 for none
	n                     int     // recs that it stands for
	at                    int     // place in crowd.ents
	out                   []*Conn // members that have the entity by themselves, or not at all
}

func (w *crowd) queue(g *common) {
	if !g.queued {
		g.queued = true
		w.due = append(w.due, g)
	}
}

// prepare works out what members are sent in this net update, and which of them had better go by themselves.
func (w *crowd) prepare() {
	w.parts = w.parts[:0]
	w.before = w.number
	if len(w.members) == 0 {
		return
	}
	most := w.gather()
	for i := len(w.members) - 1; i >= 0; i-- {
		if c := w.members[i]; !c.fits(most) {
			w.leave(c)
		}
	}
	if len(w.members) < leastCrowd {
		w.dissolve()
		return
	}
	w.commit()
}

// gather lists what could be sent now, as Conn.gather does, and gives the bytes that it takes at most.
func (w *crowd) gather() (most int) {
	s := w.s
	w.list = w.list[:0]
	kept := w.due[:0]
	for _, g := range w.due {
		e := g.ent
		if e == nil {
			continue
		}
		k := e.class
		in := g.bits
		if g.dirty {
			in |= engine.CondInput(engine.MaskDirty)
		}
		if mask, ok := e.Answered(in & k.InputMask); ok { // its class is steady
			g.send = (g.pending | g.repeat) & mask
		} else {
			cond := s.conditions(e, in, nil)
			g.send = (g.pending | g.repeat) & cond[0]
		}
		if g.send&k.Alone[0] != 0 || e.dormant() || e.actor.BNetTemporary {
			w.eject(g)
			continue
		}
		if g.send == 0 {
			g.repeat, g.queued = 0, false
			continue
		}
		kept = append(kept, g)
		w.list = append(w.list, g)
		most += k.Most(g.send) + itemHead
	}
	clear(w.due[len(kept):])
	w.due = kept
	return most
}

const (
	itemHead  = 3   // a channel's number
	partHeads = 160 // the heads of the runs of a part
	partMost  = wire.MaxDatagram - wire.MaxHeader - 8 - partHeads
)

// fits reports whether a member can be sent all for it.
func (c *Conn) fits(most int) bool {
	if c.state != playing {
		return true // it is sent nothing, and swept soon
	}
	if c.epoch != c.s.set.Epoch {
		return false
	}
	w := &c.s.crowd
	c.estimate, c.gathered = c.gatherInTurn(), true
	bytes := w.expect(most)
	bytes += bytes/partMost*(packetOverhead+partHeads) + c.estimate + 2*packetOverhead + partHeads
	return !c.saturated && float64(bytes) <= c.credit && c.sess.InFlight() < crowdFlying
}

// expect is how many bytes something will take that takes at most so many.
func (w *crowd) expect(most int) int { return int(float64(most) * w.slack) }

// done learns from the parts of this net update.
func (w *crowd) done() {
	w.slack *= 0.98
	for i := range w.parts {
		p := &w.parts[i]
		for j := range p.variants[:p.n] {
			v := &p.variants[j]
			if w.slack = max(w.slack, 1.15*float64(len(v.bytes))/float64(p.most)); v.fit < len(p.items) || w.slack > 1 {
				w.slack = 1
			}
		}
	}
	w.parts = w.parts[:0]
}

// commit makes parts of what is listed and notes it as sent, as Conn.remember does.
func (w *crowd) commit() {
	if len(w.list) == 0 {
		w.next()
		return
	}
	s := w.s
	t := s.world.Time
	var p *part
	for _, g := range w.list {
		e := g.ent
		if e == nil {
			continue
		}
		k := e.class
		most := k.Most(g.send) + itemHead
		if p == nil || w.expect(p.most+most) > partMost {
			p = w.part()
		}
		p.most += most
		p.items = append(p.items, crowdItem{g, g.send, int32(e.slot)})
		s.Stats.Common += g.n
		for _, c := range g.out {
			c.except = append(c.except, exception{g, p.number})
		}
		if k.Location >= 0 && g.send>>k.Location&1 != 0 {
			g.placed = g.placed<<(p.number-g.placeNo) | 1
			g.placeNo = p.number
		}
		g.last = p.number
		g.ever |= g.send
		g.repeat = g.send & g.pending &^ k.Always[0]
		g.pending &^= g.send
		g.served, g.dirty = t, false
		if len(s.logClass) > 0 && s.logClass[k.Class.Name] {
			for _, x := range e.subs[e.alone:] {
				r := x.r
				m := wire.Mask{g.send}
				s.logLine("send " + e.actor.String() + " to " + r.conn.String() + ": " + maskNames(e, &m))
			}
		}
	}
	for i := range w.parts {
		w.log[w.parts[i].number%crowdLog] = w.parts[i].items
	}
}

// unshare takes a rec out of its common: from here on it is its connection's own, with what the common had for it.
func (c *Conn) unshare(r *rec) *repState {
	g := r.rep.Common()
	w := &c.s.crowd
	for i := range c.flights {
		fl := &c.flights[i]
		if p := fl.payload; p != 0 && int32(p-r.inFrom) >= 0 {
			for j := range w.log[p%crowdLog] {
				if it := &w.log[p%crowdLog][j]; it.g == g {
					fl.extra = append(fl.extra, sentItem{slot: int32(r.ent.slot), serial: r.serial, mask: wire.Mask{it.mask}})
					break
				}
			}
		}
	}
	st := w.split(r)
	for i := range w.parts {
		if p := &w.parts[i]; int32(p.number-c.lastPay) > 0 { // under way, and not sent to this one yet
			for j := range p.items {
				if it := &p.items[j]; it.g == g {
					c.resend(st, it.mask)
				}
			}
		}
	}
	if g.n == 0 {
		w.drop(g)
	} else {
		g.out = append(g.out, c)
	}
	return st
}

// resend makes pending what a payload under way will not bring to an open actor.
func (c *Conn) resend(st *repState, mask uint64) {
	st.pending |= mask
	st.dirty = true
	c.enqueue(st)
}

// peek is the replication state as it would be by itself, for looking at.
func (c *Conn) peek(r *rec) repState {
	return r.rep.Peek(func(st *repState, g *common) { c.fromCommon(st, g, r.inFrom) })
}

// fromCommon gives a replication state what a common knows that held for it since a payload.
func (c *sender) fromCommon(r *repState, g *common, since uint32) {
	r.pending, r.repeat, r.dirty = g.pending, g.repeat, g.dirty
	r.ever |= g.ever
	if g.last == 0 || int32(g.last-since) < 0 {
		return
	}
	r.served = g.served
	if no, ok := c.datagramOf(g.last); ok {
		r.lastNo = no + 1
	} else if r.lastNo = c.sent; r.lastNo == 0 {
		r.lastNo = 1
	}
	for m := g.placed; m != 0; m &= m - 1 { // newest first
		q := g.placeNo - uint32(trailing(m))
		if int32(q-since) < 0 {
			break
		}
		no, ok := c.datagramOf(q)
		if !ok {
			break
		}
		if ahead := int32(no - r.placeNo); ahead > 0 || r.placed == 0 {
			if r.placed == 0 {
				ahead = 0
			}
			r.placed = r.placed<<uint32(ahead) | 1
			r.placeNo = no
		} else {
			r.placed |= 1 << uint32(-ahead)
		}
	}
}

// datagramOf is the datagram that brought a payload; ok is false for one too long ago.
func (c *sender) datagramOf(number uint32) (no uint32, ok bool) {
	return c.payNo[number%uint32(len(c.payNo))], c.lastPay-number < uint32(len(c.payNo))
}

// split ends a rec's part in its common.
func (w *crowd) split(r *rec) *repState {
	c := r.conn
	r.rep.Common().n--
	st := r.rep.Split(func(st *repState, g *common) { c.fromCommon(st, g, r.inFrom) })
	c.shares--
	r.ent.subAlone(r)
	if st.pending|st.repeat != 0 {
		c.enqueue(st)
	}
	return st
}

// eject has everybody keep an entity for themselves.
func (w *crowd) eject(g *common) {
	e := g.ent
	for len(e.subs) > e.alone {
		r := e.subs[len(e.subs)-1].r
		r.conn.own(r)
	}
}

// drop forgets a common that stands for nobody.
func (w *crowd) drop(g *common) {
	g.ent.common = nil
	g.ent.commonAt = w.s.update
	g.ent, g.out, g.queued = nil, nil, false
	last := len(w.ents) - 1
	m := w.ents[last]
	w.ents[g.at] = m
	m.at = g.at
	w.ents[last] = nil
	w.ents = w.ents[:last]
}

// leave takes a connection out of the crowd.
func (w *crowd) leave(c *Conn) {
	if !c.member {
		return
	}
	for i := range c.flights {
		fl := &c.flights[i]
		if fl.payload == 0 {
			continue
		}
		for _, it := range w.log[fl.payload%crowdLog] {
			if r := c.recAt(it.slot); r != nil && r.rep.Common() == it.g && int32(fl.payload-r.inFrom) >= 0 {
				fl.extra = append(fl.extra, sentItem{slot: it.slot, serial: r.serial, mask: wire.Mask{it.mask}})
			}
		}
		fl.payload = 0
	}
	for i := range w.parts {
		p := &w.parts[i]
		for _, it := range p.items {
			if r := c.recAt(it.slot); r != nil && r.rep.Common() == it.g && int32(p.number-c.lastPay) > 0 {
				c.resend(w.split(r), it.mask)
			}
		}
	}
	for _, r := range c.active {
		if r.rep.Common() != nil {
			w.split(r)
		}
	}
	c.member, c.gathered = false, false
	c.except = c.except[:0]
	c.crowdAt = w.s.update + rejoinPause
	w.members = slices.DeleteFunc(w.members, func(m *Conn) bool { return m == c })
	for i := len(w.ents) - 1; i >= 0; i-- {
		g := w.ents[i]
		if j := slices.Index(g.out, c); j >= 0 {
			g.out = slices.Delete(g.out, j, j+1)
		}
		if g.n == 0 {
			w.drop(g)
		}
	}
}

// dissolve ends the crowd; recruit makes another where there can be one.
func (w *crowd) dissolve() {
	for len(w.members) > 0 {
		w.leave(w.members[len(w.members)-1])
	}
	w.tryAt = w.s.update + recruitPause
}
