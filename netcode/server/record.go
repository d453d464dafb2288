package server

import (
	"iter"
	"slices"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/engine/relevancy"
	"github.com/tidelock/tidelock/netcode/schema"
	"github.com/tidelock/tidelock/netcode/server/shadow"
	"github.com/tidelock/tidelock/netcode/server/share"
	"github.com/tidelock/tidelock/netcode/wire"
)

// repState is the replication state of one actor on one connection.
type repState struct {
	// sending is what the client was sent, or the state that several connections share (group.go). [Conn.own]
	// returns it for work on this connection alone.
	sending share.State[sendState, sharedState]

	relState

	ent     *entity
	conn    *Conn
	verdict relevancy.Verdict
	inFrom  uint32 // payload from which the shared state in rep applies

	opened uint16 // number of the reliable message that opened it

	sub      int  // index in ent.subs, −1 for none
	at       int  // index in conn.active
	waking   bool // it is in conn.waking
	away     bool // dormant because it is not relevant, though the client keeps its copy (R3.10)
	acks     bool // it is in conn.opens
	lags     bool // it is in conn.settling
	role     engine.Role
	owned    bool     // some player owns it, as sent to the client
	told     bool     // the client knows its number for references
	asked    bool     // something refers to it, though nothing of it was sent
	versions []uint32 // per element-wise variable: update up to which it is known to have arrived
	heard    []heard  // of upstream variables

	_ [24]byte // whole cache lines: they are allocated in rows (Conn.reserve)
}

// lagging is a replication state that may be closed once every datagram that holds something of it has its delivery
// notification.
type lagging struct {
	r      *repState
	serial uint32
}

// heard is the datagram that brought the newest value of an upstream variable.
type heard struct {
	at  int64 // Session.Number
	any bool
}

func (r *repState) open() bool { return r.phase == repOpen }

// known reports whether the client has a copy: with a channel, or dormant without one.
func (r *repState) known() bool { return r.phase == repOpen || r.phase == repDormant }

// opening reports whether the channel is to be opened when the budget allows it. A shared state is open.
func (r *repState) opening() bool {
	st, ok := r.sending.Private()
	return ok && st.opening
}

// arriving reports whether the opening of the channel is not yet known to have arrived. A shared state has arrived.
func (r *repState) arriving() bool {
	st, ok := r.sending.Private()
	return ok && st.initial
}

// waits reports whether a reliable message about the actor is not yet known to have arrived. A shared state has
// none.
func (r *repState) waits() bool {
	st, ok := r.sending.Private()
	return ok && st.waits
}

// own returns the sending part of a replication state for work on its connection alone: from here on it is not
// shared.
func (c *Conn) own(r *repState) *sendState {
	if st, ok := r.sending.Private(); ok {
		return st
	}
	return c.unshare(r)
}

// become changes the phase of a replication state.
func (c *Conn) become(r *repState, state repPhase) {
	st := c.own(r)
	switch opens := state == repOpen; {
	case opens && !r.open():
		c.channels++
	case !opens && r.open():
		c.channels--
	}
	st.open = state == repOpen
	r.phase = state
}

// repOf returns the replication state to which an entry of the connection's lists belongs, nil if it was dropped
// since.
func (c *Conn) repOf(slot int32, serial uint32) *repState {
	if r := c.repAt(slot); r != nil && r.serial == serial {
		return r
	}
	return nil
}

// drop removes an element from a list whose order does not matter, remove from one whose order does.
func drop[T any](list []*T, r *T) []*T {
	i, last := slices.Index(list, r), len(list)-1
	if i < 0 {
		return list
	}
	list[i], list[last] = list[last], nil
	return list[:last]
}

func remove[T comparable](list []T, x T) []T {
	if i := slices.Index(list, x); i >= 0 {
		return slices.Delete(list, i, i+1)
	}
	return list
}

// addSub and dropSub maintain the list of connections that have the entity; a replication state is added and
// removed unshared.
func (e *entity) addSub(r *repState) {
	if len(e.subs) == 0 {
		r.conn.s.markVisible(e)
	}
	r.sub = len(e.subs)
	e.subs = append(e.subs, sub{r, r.conn})
	if r.sub == len(e.few) {
		// They have moved. Whatever few still referred to would stay alive as long as the entity, long after the
		// players left.
		clear(e.few[:])
	}
	e.subAlone(r)
}

func (e *entity) dropSub(r *repState) {
	if r.sub < 0 {
		return
	}
	e.subShared(r)
	last := len(e.subs) - 1
	e.swapSubs(r.sub, last)
	e.subs[last] = sub{}
	e.subs = e.subs[:last]
	r.sub = -1
}

// partsOf yields the replication states of an actor's components.
func (c *Conn) partsOf(e *entity) iter.Seq[*repState] {
	return func(yield func(*repState) bool) {
		for _, p := range e.parts {
			if q := c.rep(p); q != nil && !yield(q) {
				return
			}
		}
	}
}

// unversion forgets which elements the client has.
func (r *repState) unversion() {
	n := r.ent.class.Elements
	r.versions = slices.Grow(r.versions[:0], n)[:n]
	clear(r.versions)
}

// arrived records that the client has the elements of variables as of a time.
func (r *repState) arrived(m *wire.Mask, clock uint32) {
	for n := range m.All() {
		if p := r.ent.class.Vars[n].Piece; p >= 0 && p < len(r.versions) {
			r.versions[p] = max(r.versions[p], clock)
		}
	}
}

// since returns the update up to which a connection is known to have the elements of a variable.
func (r *repState) since(v *schema.Var, initial bool) uint32 {
	if initial || r.versions == nil {
		return 0
	}
	return r.versions[v.Piece]
}

// want queues an entity for opening.
func (c *Conn) want(e *entity, v relevancy.Verdict) {
	r := c.ensure(e)
	r.verdict = v
	if r.opening() || r.phase == repOpen || r.phase == repLeft {
		return
	}
	if e.outer != nil { // a component opens with its actor, or after it
		if o := c.rep(e.outer); o == nil || !o.open() {
			return
		}
	}
	st := c.own(r)
	st.opening = true
	if st.wants == 0 {
		st.wants = c.s.world.Time
	}
	c.toOpen = append(c.toOpen, r)
}

// queue queues a replication state for the next datagram.
func (c *Conn) queue(r *repState) {
	switch r.phase {
	case repOpen:
		c.enqueue(c.own(r))
	case repDormant:
		if !r.away && !r.waking {
			r.waking = true
			c.wakes = append(c.wakes, r)
		}
	default:
	}
}

// mentioned records the newest reliable message about a replication state.
func (c *Conn) mentioned(r *repState, n uint16) {
	st := c.own(r)
	st.after, st.waits = n, true
	if !r.acks {
		r.acks = true
		c.opens = append(c.opens, r)
	}
}

// mentionedWhole does the same for the actor of a replication state and all its components: order holds across them
// (R6.4), so that the variables of each wait for a call on any.
func (c *Conn) mentionedWhole(r *repState, n uint16) {
	whole := r.ent.whole()
	if o := c.rep(whole); o != nil && o.open() {
		c.mentioned(o, n)
	}
	for q := range c.partsOf(whole) {
		if q.open() {
			c.mentioned(q, n)
		}
	}
}

// ensure returns the replication state of an entity, and makes one if there is none.
func (c *Conn) ensure(e *entity) *repState {
	if r := c.rep(e); r != nil {
		return r
	}
	return c.make(e)
}

func (c *Conn) make(e *entity) *repState {
	for e.slot >= len(c.reps) {
		c.reps = append(c.reps, nil)
	}
	if len(c.pool) == 0 {
		c.reserve()
	}
	r := c.pool[len(c.pool)-1]
	c.pool = c.pool[:len(c.pool)-1]
	c.serial++
	*r = repState{ent: e, conn: c, sub: -1, versions: r.versions[:0], heard: r.heard[:0]}
	r.relState = relState{seen: c.s.world.Time, slot: int32(e.slot), number: int32(uint32(e.id)), serial: c.serial, part: e.outer != nil}
	st := c.own(r)
	st.of, st.serial = e.View(), c.serial
	st.widen()
	c.reps[e.slot] = r
	r.at = len(c.active)
	c.active = append(c.active, r)
	c.add(&r.relState)
	return r
}

// reserve allocates replication states for twice as many actors as exist, and room for them in all lists, which
// would otherwise grow one by one as the connection has more actors than ever before.
func (c *Conn) reserve() {
	const least = 48
	more := max(least, len(c.active))
	n := len(c.active) + more
	c.pool, c.due, c.list = slices.Grow(c.pool, n), reserve(c.due, n), reserve(c.list, n)
	c.active, c.known, c.slots = slices.Grow(c.active, more), slices.Grow(c.known, more), slices.Grow(c.slots, more)
	c.missing, c.absent, c.cands = reserve(c.missing, n), reserve(c.absent, n), reserve(c.cands, 2*n)
	some := make([]repState, more)
	for i := range some {
		c.pool = append(c.pool, &some[i])
	}
}

// reserve makes room for n elements in total.
func reserve[T any](list []T, n int) []T { return slices.Grow(list, max(0, n-len(list))) }

// forget drops a replication state without a channel. Datagrams in flight refer to it by its serial.
func (c *Conn) forget(r *repState) {
	st := c.own(r)
	r.ent.dropSub(r)
	c.unwatch(&r.relState)
	c.remove(&r.relState)
	c.reps[r.ent.slot] = nil
	last := len(c.active) - 1
	c.active[r.at] = c.active[last]
	c.active[r.at].at = r.at
	c.active[last] = nil
	c.active = c.active[:last]
	if st.queued {
		c.due = drop(c.due, st)
	}
	if st.opening {
		c.toOpen = drop(c.toOpen, r)
	}
	if r.waking {
		c.wakes = drop(c.wakes, r)
	}
	r.serial, st.serial = 0, 0
	st.queued, st.opening, r.waking = false, false, false
	c.pool = append(c.pool, r)
}

// settleLater makes settle run again when more delivery notifications have arrived.
func (c *Conn) settleLater(r *repState) {
	if !r.lags {
		r.lags = true
		c.settling = append(c.settling, lagging{r, r.serial})
	}
}

// permitted returns the variables whose condition holds for a connection, late ones included.
func (c *Conn) permitted(e *entity, st *sendState) wire.Mask {
	in := c.input(e.actor, st)
	m := c.s.conditions(e, in, c)
	if st.isLate {
		m = m.Or(c.s.conditions(e, in|engine.CondInput(engine.MaskInitial), c).And(st.late))
	}
	return m
}

// unshare ends the sharing of a replication state: from here on it belongs to its connection, with the content of
// the shared state.
func (c *Conn) unshare(r *repState) *sendState {
	g := r.sending.Common()
	w := &c.s.group
	for i := range c.flights {
		fl := &c.flights[i]
		if p := fl.payload; p != 0 && int32(p-r.inFrom) >= 0 {
			for j := range w.log[p%groupLog] {
				if it := &w.log[p%groupLog][j]; it.g == g {
					fl.extra = append(fl.extra, sentItem{slot: int32(r.ent.slot), serial: r.serial, mask: wire.Mask{it.mask}})
					break
				}
			}
		}
	}
	st := w.split(r)
	for i := range w.parts {
		if p := &w.parts[i]; int32(p.number-c.lastPay) > 0 { // in flight, and not sent to this connection yet
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

// resend makes pending what a payload in flight will not bring to an open actor.
func (c *Conn) resend(st *sendState, mask uint64) {
	st.pending |= mask
	st.dirty = true
	c.enqueue(st)
}

// peek returns the replication state as it would be unshared, for reading.
func (c *Conn) peek(r *repState) sendState {
	return r.sending.Peek(func(st *sendState, g *sharedState) { c.fromShared(st, g, r.inFrom) })
}

// fromShared copies to a replication state what a shared state that applied since a payload knows.
func (c *sender) fromShared(r *sendState, g *sharedState, since uint32) {
	r.pending, r.repeat, r.dirty = g.pending, g.repeat, g.dirty
	r.ever |= g.ever
	if g.lastNo == 0 || int32(g.lastNo-1-since) < 0 {
		return
	}
	r.served = g.served
	if no, ok := c.datagramOf(g.lastNo - 1); ok {
		r.lastNo = no + 1
	} else if r.lastNo = c.sent; r.lastNo == 0 {
		r.lastNo = 1
	}
	for m := uint64(g.positions); m != 0; m &= m - 1 { // newest first
		q := g.positionNo - uint32(trailing(m))
		if int32(q-since) < 0 {
			break
		}
		no, ok := c.datagramOf(q)
		if !ok {
			break
		}
		if ahead := int32(no - r.positionNo); ahead > 0 || r.positions == 0 {
			if r.positions == 0 {
				ahead = 0
			}
			r.positions = r.positions<<uint32(ahead) | 1
			r.positionNo = no
		} else {
			r.positions |= 1 << uint32(-ahead)
		}
	}
}

// split ends the use of a shared state by a replication state.
func (w *group) split(r *repState) *sendState {
	c := r.conn
	r.sending.Common().n--
	st := r.sending.Split(func(st *sendState, g *sharedState) { c.fromShared(st, g, r.inFrom) })
	c.shares--
	r.ent.subAlone(r)
	if st.pending|st.repeat != 0 {
		c.enqueue(st)
	}
	return st
}

// drop drops a shared state that is no longer used.
func (w *group) drop(g *sharedState) {
	g.ent.shared = nil
	g.ent.sharedAt = w.s.update
	g.ent, g.of, g.out, g.queued = nil, shadow.View{}, nil, false
	last := len(w.ents) - 1
	m := w.ents[last]
	w.ents[g.at] = m
	m.at = g.at
	w.ents[last] = nil
	w.ents = w.ents[:last]
}

// requeue queues a state that has pending variables.
func (c *Conn) requeue(r *repState) {
	if c.own(r).any(pending) {
		c.queue(r)
	}
}
