package server

import (
	"slices"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/engine/count"
)

// recruit looks, after a net update, for connections and actors that the group could take in: a few each time,
// because similar ones mostly stay similar.
func (w *group) recruit() {
	s := w.s
	if len(w.members) == 0 {
		if int32(s.update-w.tryAt) >= 0 {
			w.form()
		}
		return
	}
	for range min(2, len(s.conns)) { // connections
		w.turn++
		c := s.conns[w.turn%len(s.conns)]
		switch {
		case !c.member:
			if int32(s.update-c.groupAt) >= 0 && c.mayJoin() {
				w.join(c)
			}
		case c.shares < len(w.ents)/2: // it sees other actors
			w.leave(c)
			c.groupAt = s.update + longestPause/8
		}
		if len(w.members) < leastMembers {
			w.dissolve()
			return
		}
	}
	first := w.members[w.turn%len(w.members)]
	for range min(8, len(first.active)) { // actors
		w.cursor++
		e := first.active[w.cursor%len(first.active)].ent
		if g := e.shared; g == nil {
			w.adopt(e)
		} else if len(g.out) > 0 {
			w.rejoin(g)
		}
	}
}

// renumber gives the last net updates payload numbers, so that positions sent in them can be identified
// (recallPayloads).
func (w *group) renumber() {
	for k := range uint32(32) {
		w.number, w.tail = w.number+1, w.number+1
		w.log[w.number%groupLog] = nil
		*w.updates.at(w.number) = w.s.update - 31 + k
	}
}

// mayJoin reports whether a connection works normally and keeps up with its data.
func (c *Conn) mayJoin() bool {
	return c.serves() && c.epoch == c.s.set.Epoch && !c.saturated && len(c.toOpen) == 0 && c.sess.InFlight() < groupInFlight/2
}

// form makes a group of a connection and those that are similar.
func (w *group) form() {
	s := w.s
	w.pause = min(max(2*w.pause, recruitPause), longestPause)
	w.tryAt = s.update + w.pause
	if len(s.conns) < leastMembers {
		return
	}
	w.turn++
	c := s.conns[w.turn%len(s.conns)]
	if !c.mayJoin() {
		return
	}
	mates := 0 // how many could join, judged by a few actors
	for _, o := range s.conns {
		if o == c || !o.mayJoin() {
			continue
		}
		same, asked := 0, 0
		for i := 0; i < len(c.active) && asked < 8; i++ {
			if r := c.active[(w.turn+i*7)%len(c.active)]; r.phase == repOpen && r.ent.outer == nil {
				asked++
				if q := o.rep(r.ent); q != nil && q.phase == repOpen {
					same++
				}
			}
		}
		if asked >= leastShared && same*4 >= asked*3 {
			mates++
		}
	}
	if mates+1 < leastMembers {
		return
	}
	w.renumber()
	w.enter(c)
	c.recallPayloads()
	count.Add(count.Updated, len(c.active))
	for _, r := range c.active {
		if st, ok := c.mayShare(r); ok {
			w.newShared(c, r, st)
		}
	}
	c.dropShared()
	c.remembered()
	for _, o := range s.conns {
		if o != c && o.mayJoin() {
			w.join(o)
		}
	}
	if len(w.members) < leastMembers || len(w.ents) < leastShared {
		w.dissolve()
		w.tryAt = s.update + w.pause
		return
	}
	w.pause = 0
}

// enter makes a connection a member that shares nothing yet.
func (w *group) enter(c *Conn) {
	c.member, c.shares = true, 0
	c.gotPay, c.validPay, c.lastPay = 0, 0, w.number
	c.payAhead, c.payRegular = c.sent-w.number-1, w.number
	w.members = append(w.members, c)
	for _, g := range w.ents {
		g.out = append(g.out, c)
	}
}

// mayShare reports whether nothing in a replication state concerns its connection alone.
func (c *Conn) mayShare(r *repState) (st *sendState, ok bool) {
	k := r.ent.class
	if st, ok = r.sending.Private(); !ok {
		return nil, false
	}
	return st, r.phase == repOpen && r.ent.outer == nil && k.Small && k.Steady && st.wants == 0 && r.sub >= 0 &&
		!st.initial && !st.waits && !st.isLate && !st.opening && !r.waking && !r.acks && !r.lags &&
		!r.ent.dead && !r.ent.tornOff && !r.ent.actor.BNetTemporary && !r.ent.dormant()
}

// newShared creates the shared state of an entity from a member's replication state.
func (w *group) newShared(c *Conn, r *repState, st *sendState) *sharedState {
	c.refresh(r, st)
	e := r.ent
	g := &sharedState{ent: e, at: len(w.ents)}
	g.sendState = sendState{of: st.of, pending: st.pending, repeat: st.repeat, dirty: st.dirty, bits: st.bits, open: true, positionNo: w.number}
	for k := range min(uint32(32), uint32(len(c.payNo))) {
		if c.validPay>>k&1 != 0 && st.broughtPosition(*c.payNo.at(c.lastPay - k)) {
			g.positions |= 1 << (w.number - (c.lastPay - k))
		}
	}
	e.shared = g
	w.ents = append(w.ents, g)
	for _, m := range w.members {
		if m != c {
			g.out = append(g.out, m)
		}
	}
	w.attach(c, r, st, g)
	if g.pending|g.repeat != 0 {
		w.queue(g)
	}
	return g
}

// attach makes a replication state use a shared state. The caller removes its queue entries (dropShared).
func (w *group) attach(c *Conn, r *repState, st *sendState, g *sharedState) {
	st.queued = false
	r.sending.Join(g)
	r.inFrom = w.number + 1
	g.n++
	c.shares++
	r.ent.subShared(r)
	g.out = remove(g.out, c)
}

// dropShared removes what the group sends now from the connection's queue.
func (c *Conn) dropShared() {
	c.due = slices.DeleteFunc(c.due, func(st *sendState) bool { return !st.queued })
}

// alike reports whether a replication state equals a shared state, and returns it.
func (c *Conn) alike(r *repState, g *sharedState) (st *sendState, ok bool) {
	st, ok = c.mayShare(r)
	if !ok || st.pending != g.pending || st.repeat != g.repeat || st.dirty != g.dirty || g.ever&^st.ever != 0 {
		return nil, false
	}
	c.refresh(r, st)
	return st, (st.bits^g.bits)&g.ent.class.InputMask&^engine.CondInput(engine.MaskInitial|engine.MaskDirty) == 0
}

// samePositions returns those payloads of a set whose datagram brought the client the position of an actor: bit k
// is payload lastPay − k. It includes payloads for which the shared state has no position.
func (c *Conn) samePositions(r *sendState, g *sharedState, of uint64) uint64 {
	if r.of.Class().Location < 0 {
		return of
	}
	places := uint64(g.positions)
	if d := g.positionNo - c.lastPay; int32(d) > 0 { // impossible: the newest payload is lastPay
		places >>= d
	} else {
		places <<= -d
	}
	for m := places & of; m != 0; m &= m - 1 {
		k := trailing(m)
		if !r.broughtPosition(*c.payNo.at(c.lastPay - uint32(k))) {
			of &^= 1 << k
		}
	}
	return of
}

// join takes a connection in, if it has most of what the members have.
func (w *group) join(c *Conn) {
	n := 0
	for _, g := range w.ents {
		if r := c.rep(g.ent); r != nil {
			if _, ok := c.alike(r, g); ok {
				n++
			}
		}
	}
	if n < leastShared || n*4 < len(w.ents)*3 {
		c.groupAt = w.s.update + 2*rejoinPause
		return
	}
	w.enter(c)
	c.recallPayloads()
	valid := c.validPay
	for _, g := range w.ents {
		if r := c.rep(g.ent); r != nil {
			if st, ok := c.alike(r, g); ok {
				valid = c.samePositions(st, g, valid)
				w.attach(c, r, st, g)
			}
		}
	}
	c.dropShared()
	c.validPay = valid
	c.remembered()
}

// remembered adopts what recallPayloads found and did not refute.
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
		no := *c.payNo.at(number)
		if regular = regular && no-number == c.payAhead; regular { // an irregular one ends the run: earlier ones are counted one by one
			c.payRegular = number
		}
		if c.gotPay>>k&1 == 0 {
			c.flights.at(no).payload = number // so that its arrival is recorded
		}
	}
}

// recallPayloads finds the datagrams in which the client got individually what payloads brought to members.
func (c *Conn) recallPayloads() {
	w := &c.s.group
	for k := range uint32(32) {
		number := w.number - k
		u := *w.updates.at(number)
		if number == 0 || u == 0 || number > 1 && *w.updates.at(number - 1) == u {
			break
		}
		found, at := 0, uint32(0)
		for back := uint32(1); back <= 48; back++ {
			no := c.sent - back
			fl := c.flights.at(no)
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
		*c.payNo.at(number) = at
		c.validPay |= 1 << k
		if d := c.gotNo - at; d < 64 && c.got>>d&1 != 0 {
			c.gotPay |= 1 << k
		}
	}
}

// adopt shares the state of an entity that is the same for most members.
func (w *group) adopt(e *entity) {
	if len(e.subs)*4 < len(w.members)*3 || e.outer != nil || e.dead || int32(w.s.update-e.sharedAt) < 0 {
		return
	}
	var g *sharedState
	for i := len(e.subs) - 1; i >= 0; i-- { // shared ones move to the end
		r := e.subs[min(i, e.alone-1)].r
		if c := r.conn; c.member {
			if st, ok := c.mayShare(r); ok {
				g = w.newShared(c, r, st)
				c.dropShared()
				break
			}
		}
	}
	if g == nil {
		return
	}
	w.rejoin(g)
}

// rejoin makes members with an unshared state of an entity share it again, and gives the entity up if there are too
// many of them.
func (w *group) rejoin(g *sharedState) {
	e := g.ent
	for i := len(g.out) - 1; i >= 0; i-- {
		c := g.out[i]
		r := c.rep(e)
		if r == nil {
			continue
		}
		st, ok := c.alike(r, g)
		if of := c.validPay; !ok || c.samePositions(st, g, of) != of {
			continue
		}
		if st.queued {
			c.due = drop(c.due, st)
		}
		w.attach(c, r, st, g)
	}
	if len(g.out)*4 > len(w.members) {
		w.eject(g)
	}
}
