package server

import (
	"slices"

	"github.com/tidelock/tidelock/engine"
)

// recruit looks, after a net update, for connections and actors that the crowd could take in: a few each time, since who is
// alike stays so, mostly.
func (w *crowd) recruit() {
	s := w.s
	if len(w.members) == 0 {
		if int32(s.update-w.tryAt) >= 0 {
			w.found()
		}
		return
	}
	for range min(2, len(s.conns)) { // connections
		w.turn++
		c := s.conns[w.turn%len(s.conns)]
		switch {
		case !c.member:
			if int32(s.update-c.crowdAt) >= 0 && c.mayJoin() {
				w.join(c)
			}
		case c.shares < len(w.ents)/2: // it sees other things
			w.leave(c)
			c.crowdAt = s.update + longestPause/8
		}
		if len(w.members) < leastCrowd {
			w.dissolve()
			return
		}
	}
	first := w.members[w.turn%len(w.members)]
	for range min(8, len(first.active)) { // actors
		w.cursor++
		e := first.active[w.cursor%len(first.active)].ent
		if g := e.common; g == nil {
			w.adopt(e)
		} else if len(g.out) > 0 {
			w.again(g)
		}
	}
}

// pretend gives the last net updates numbers of payloads, so that places sent in them can be told apart (recallPayloads).
func (w *crowd) pretend() {
	for k := range uint32(32) {
		w.number, w.tail = w.number+1, w.number+1
		w.log[w.number%crowdLog] = nil
		w.updates[w.number%uint32(len(w.updates))] = w.s.update - 31 + k
	}
}

// mayJoin reports whether a connection is in order and sends what there is.
func (c *Conn) mayJoin() bool {
	return c.serves() && c.epoch == c.s.set.Epoch && !c.saturated && len(c.toOpen) == 0 && c.sess.InFlight() < crowdFlying/2
}

// found makes a crowd of a connection and those that are like it.
func (w *crowd) found() {
	s := w.s
	w.pause = min(max(2*w.pause, recruitPause), longestPause)
	w.tryAt = s.update + w.pause
	if len(s.conns) < leastCrowd {
		return
	}
	w.turn++
	c := s.conns[w.turn%len(s.conns)]
	if !c.mayJoin() {
		return
	}
	mates := 0 // by a few actors, how many could be
	for _, o := range s.conns {
		if o == c || !o.mayJoin() {
			continue
		}
		same, asked := 0, 0
		for i := 0; i < len(c.active) && asked < 8; i++ {
			if r := c.active[(w.turn+i*7)%len(c.active)]; r.state == recOpen && r.ent.outer == nil {
				asked++
				if q := o.rec(r.ent); q != nil && q.state == recOpen {
					same++
				}
			}
		}
		if asked >= leastCommon && same*4 >= asked*3 {
			mates++
		}
	}
	if mates+1 < leastCrowd {
		return
	}
	w.pretend()
	w.enter(c)
	c.recallPayloads()
	for _, r := range c.active {
		if st, ok := c.mayShare(r); ok {
			w.common(c, r, st)
		}
	}
	c.dropShared()
	c.remembered()
	for _, o := range s.conns {
		if o != c && o.mayJoin() {
			w.join(o)
		}
	}
	if len(w.members) < leastCrowd || len(w.ents) < leastCommon {
		w.dissolve()
		w.tryAt = s.update + w.pause
		return
	}
	w.pause = 0
}

// enter makes a connection a member that shares nothing yet.
func (w *crowd) enter(c *Conn) {
	c.member, c.shares = true, 0
	c.gotPay, c.validPay, c.lastPay = 0, 0, w.number
	c.payAhead, c.payRegular = c.sent-w.number-1, w.number
	w.members = append(w.members, c)
	for _, g := range w.ents {
		g.out = append(g.out, c)
	}
}

// mayShare reports whether nothing about a rec is its connection's own affair.
func (c *Conn) mayShare(r *rec) (st *repState, ok bool) {
	k := r.ent.class
	if st, ok = r.rep.Private(); !ok {
		return nil, false
	}
	return st, r.state == recOpen && r.ent.outer == nil && k.Small && k.Steady && st.wants == 0 && r.sub >= 0 &&
		!st.initial && !st.waits && !st.isLate && !st.opening && !r.waking && !r.acks && !r.lags &&
		!r.ent.dead && !r.ent.tornOff && !r.ent.actor.BNetTemporary && !r.ent.dormant()
}

// common makes the common of an entity out of a member's rec.
func (w *crowd) common(c *Conn, r *rec, st *repState) *common {
	c.refresh(r, st)
	e := r.ent
	g := &common{ent: e, pending: st.pending, repeat: st.repeat, dirty: st.dirty, bits: st.bits, at: len(w.ents), placeNo: w.number}
	for k := range min(uint32(32), uint32(len(c.payNo))) {
		if c.validPay>>k&1 != 0 && st.broughtPlace(c.payNo[(c.lastPay-k)%uint32(len(c.payNo))]) {
			if d := w.number - (c.lastPay - k); d < 64 {
				g.placed |= 1 << d
			}
		}
	}
	e.common = g
	w.ents = append(w.ents, g)
	for _, m := range w.members {
		if m != c {
			g.out = append(g.out, m)
		}
	}
	w.share(c, r, st, g)
	if g.pending|g.repeat != 0 {
		w.queue(g)
	}
	return g
}

// broughtPlace reports whether a datagram brought the actor's place.
func (r *repState) broughtPlace(no uint32) bool {
	return r.placed != 0 && r.placed>>(r.placeNo-no)&1 != 0
}

// share puts a common in force for a rec. The caller takes what stands in the line out of it (dropShared).
func (w *crowd) share(c *Conn, r *rec, st *repState, g *common) {
	st.queued = false
	r.rep.Join(g)
	r.inFrom = w.number + 1
	g.n++
	c.shares++
	r.ent.subShared(r)
	if j := slices.Index(g.out, c); j >= 0 {
		g.out = slices.Delete(g.out, j, j+1)
	}
}

// dropShared takes out of the line what the crowd sends now.
func (c *Conn) dropShared() {
	c.due = slices.DeleteFunc(c.due, func(st *repState) bool { return !st.queued })
}

// alike reports whether a rec says what a common says, and gives what it says.
func (c *Conn) alike(r *rec, g *common) (st *repState, ok bool) {
	st, ok = c.mayShare(r)
	if !ok || st.pending != g.pending || st.repeat != g.repeat || st.dirty != g.dirty || g.ever&^st.ever != 0 {
		return nil, false
	}
	c.refresh(r, st)
	return st, (st.bits^g.bits)&g.ent.class.InputMask&^engine.CondInput(engine.MaskInitial|engine.MaskDirty) == 0
}

// samePlaces is of which payloads, of a set, a connection's client had the place of an actor in the very datagram: bit k is
// payload lastPay − k. Those of which the common has no place are in it too.
func (c *Conn) samePlaces(r *repState, g *common, of uint64) uint64 {
	if r.of.Class().Location < 0 {
		return of
	}
	places := g.placed
	if d := g.placeNo - c.lastPay; int32(d) > 0 { // cannot be: the newest payload is lastPay
		places >>= d
	} else {
		places <<= -d
	}
	for m := places & of; m != 0; m &= m - 1 {
		k := trailing(m)
		if !r.broughtPlace(c.payNo[(c.lastPay-uint32(k))%uint32(len(c.payNo))]) {
			of &^= 1 << k
		}
	}
	return of
}

// join takes a connection in, if it has most of what the members have.
func (w *crowd) join(c *Conn) {
	n := 0
	for _, g := range w.ents {
		if r := c.rec(g.ent); r != nil {
			if _, ok := c.alike(r, g); ok {
				n++
			}
		}
	}
	if n < leastCommon || n*4 < len(w.ents)*3 {
		c.crowdAt = w.s.update + 2*rejoinPause
		return
	}
	w.enter(c)
	c.recallPayloads()
	valid := c.validPay
	for _, g := range w.ents {
		if r := c.rec(g.ent); r != nil {
			if st, ok := c.alike(r, g); ok {
				valid = c.samePlaces(st, g, valid)
				w.share(c, r, st, g)
			}
		}
	}
	c.dropShared()
	c.validPay = valid
	c.remembered()
}

// remembered takes over what recallPayloads found and was not refuted.
func (c *Conn) remembered() {
	valid := c.validPay
	c.gotPay &= valid
	c.payRegular, c.payAhead = c.lastPay+1, c.sent-c.lastPay-1
	regular := true
	for m, k := valid, 0; k < 64 && m != 0; k++ {
		if m>>k&1 == 0 {
			continue
		}
		m &^= 1 << k
		number := c.lastPay - uint32(k)
		no := c.payNo[number%uint32(len(c.payNo))]
		if regular = regular && no-number == c.payAhead; regular { // one that is not ends it: those before are counted one by one
			c.payRegular = number
		}
		if c.gotPay>>k&1 == 0 {
			c.flights[no%uint32(len(c.flights))].payload = number // so that its arrival is noted
		}
	}
}

// recallPayloads finds the datagrams in which the client got by itself what payloads brought to members.
func (c *Conn) recallPayloads() {
	w := &c.s.crowd
	for k := range uint32(32) {
		number := w.number - k
		u := w.updates[number%uint32(len(w.updates))]
		if number == 0 || u == 0 || number > 1 && w.updates[(number-1)%uint32(len(w.updates))] == u {
			break
		}
		found, at := 0, uint32(0)
		for back := uint32(1); back <= 48; back++ {
			no := c.sent - back
			fl := &c.flights[no%uint32(len(c.flights))]
			if fl.update == u && fl.items > 0 {
				found, at = found+1, no
			}
			if int32(fl.update-u) < 0 {
				break
			}
		}
		if found != 1 {
			continue
		}
		c.payNo[number%uint32(len(c.payNo))] = at
		c.validPay |= 1 << k
		if d := c.gotNo - at; d < 64 && c.got>>d&1 != 0 {
			c.gotPay |= 1 << k
		}
	}
}

// adopt makes an entity common that most members have alike.
func (w *crowd) adopt(e *entity) {
	if len(e.subs)*4 < len(w.members)*3 || e.outer != nil || e.dead || int32(w.s.update-e.commonAt) < 0 {
		return
	}
	var g *common
	for i := len(e.subs) - 1; i >= 0; i-- { // those that are shared go to the end
		r := e.subs[min(i, e.alone-1)].r
		if c := r.conn; c.member {
			if st, ok := c.mayShare(r); ok {
				g = w.common(c, r, st)
				c.dropShared()
				break
			}
		}
	}
	if g == nil {
		return
	}
	w.again(g)
}

// again takes back those that have an entity by themselves, and lets it go where these are too many.
func (w *crowd) again(g *common) {
	e := g.ent
	for i := len(g.out) - 1; i >= 0; i-- {
		c := g.out[i]
		r := c.rec(e)
		if r == nil {
			continue
		}
		st, ok := c.alike(r, g)
		if of := c.validPay; !ok || c.samePlaces(st, g, of) != of {
			continue
		}
		if st.queued {
			c.due = drop(c.due, st)
		}
		w.share(c, r, st, g)
	}
	if len(g.out)*4 > len(w.members) {
		w.eject(g)
	}
}
