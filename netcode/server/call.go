package server

import (
	"fmt"
	"slices"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/netcode/wire"
)

// event is something that happened in this tick and is sent in order: a call, or the destruction of an actor.
type event struct {
	kind     eventKind
	ent      *entity
	fn       *engine.Function
	conn     *Conn // for a call to one client; nil for all
	from, to int   // range of its arguments in Server.args
	changed  bool  // when it was made, the actor's relevancy may have differed from that at the last net update
	charge   charge
	without  []*Conn // connections that do not receive it because they could not be charged; usually nil
}

type eventKind uint8

const (
	eventNone eventKind = iota
	eventCall
	eventDestroyed
)

// Owns reports whether a connection's player owns an actor; it implements engine.Remote.
func (s *Server) Owns(a *engine.Actor) bool { return s.ownerOf(a) != nil }

// RoundTrip returns the round-trip time of the connection whose player owns an actor, in seconds of the world; it
// implements engine.Remote.
func (s *Server) RoundTrip(a *engine.Actor) float64 {
	if c := s.ownerOf(a); c != nil {
		return c.roundTrip()
	}
	return 0
}

// Call queues a call for the end of the tick, if it is unreliable or its receivers can be charged for it (R6.5); it implements
// engine.Remote.
func (s *Server) Call(a *engine.Actor, f *engine.Function, args []engine.Value, by string) error {
	s.Stats.Calls++
	e := s.entityOf(a)
	if e == nil {
		return nil
	}
	ev := event{kind: eventCall, ent: e, fn: f, from: len(s.args), changed: s.index.Unsettled(a)}
	if f.Kind != engine.CallMulticast {
		if ev.conn = s.ownerOf(a); ev.conn == nil {
			return nil
		}
	}
	if f.Reliable {
		if err := s.chargeCall(&ev, args, by); err != nil {
			s.refusedCall(&ev)
			return err
		}
	}
	s.args = append(s.args, args...)
	ev.to = len(s.args)
	s.queue = append(s.queue, ev)
	return nil
}

// refusedCall counts a call that is sent to nobody.
func (s *Server) refusedCall(ev *event) {
	s.Stats.CallsDropped++
	for _, c := range s.conns {
		if ev.conn == nil || ev.conn == c {
			c.dropCall(ev.ent, ev.fn)
		}
	}
}

// Dropped counts a call that has no receiver (R6.3); it implements engine.Remote.
func (s *Server) Dropped(*engine.Actor, *engine.Function, string) { s.Stats.CallsDropped++ }

// runQueue sends the calls of the tick and closes the channels of destroyed actors, in the order in which it
// happened (R6.4).
func (s *Server) runQueue() {
	for i := 0; i < len(s.queue); i++ { // closing a connection adds to it
		s.do(i)
	}
	s.queue = s.queue[:0]
	clear(s.args)
	s.args = s.args[:0]
}

func (s *Server) do(i int) {
	ev := s.queue[i]
	s.queue[i] = event{}
	switch ev.kind {
	case eventDestroyed:
		s.closeDestroyed(ev.ent)
	case eventCall:
		s.deliver(&ev)
	case eventNone:
	}
}

// deliver sends a call to its receivers.
func (s *Server) deliver(ev *event) {
	args := s.args[ev.from:ev.to]
	if ev.conn != nil {
		ev.conn.call(ev, args)
		return
	}
	if !ev.fn.Reliable && !s.mayMulticast(ev.ent, ev.fn) { // R6.6
		s.refusedCall(ev)
		return
	}
	for _, c := range s.conns {
		if c.serves() {
			if ev.excludes(c) {
				c.dropCall(ev.ent, ev.fn)
				continue
			}
			c.call(ev, args)
		}
	}
}

// lastCalls sends the calls made on an entity in this tick before the entity is destroyed, because its state and
// relevancy can only be found out now (R6.4). Order holds across an actor and its components, so every queued event
// of them is sent, ends of components included; calls that wait for an actor are sent as they are (R6.9).
func (s *Server) lastCalls(e *entity) {
	whole := e.whole()
	if whole.dead { // a component that ends with its actor
		return
	}
	for i := 0; i < len(s.queue); i++ {
		if ev := &s.queue[i]; ev.kind != eventNone && ev.ent.whole() == whole {
			s.do(i)
		}
	}
	for _, c := range s.conns {
		if len(c.held) > 0 {
			c.flushHeld(e)
		}
	}
}

// mostMulticasts is how many multicasts of a function are sent per net update of the actor.
const mostMulticasts = 2

func (s *Server) mayMulticast(e *entity, f *engine.Function) bool {
	i := slices.IndexFunc(e.multicasts, func(m multicasts) bool { return m.fn == f })
	if i < 0 {
		i = len(e.multicasts)
		e.multicasts = append(e.multicasts, multicasts{fn: f})
	}
	m := &e.multicasts[i]
	t := s.world.Time
	if m.update != s.update && t >= m.until-1e-6 {
		m.update, m.n, m.until = s.update, 0, t
		if fr := e.frequency(); fr > 0 {
			m.until = t + 1/fr
		}
	}
	m.n++
	return m.n <= mostMulticasts
}

// call sends a call to the client. If the client has no copy of the actor and may have one, the copy is opened
// first.
func (c *Conn) call(ev *event, args []engine.Value) {
	e, f := ev.ent, ev.fn
	if !c.serves() {
		return
	}
	ch := ev.charge
	if ch.cost > 0 && ch.joins < c.joined { // the connection joined since
		c.bill(&ch)
	}
	num, ok := e.class.Number(f)
	if !ok {
		c.unbill(&ch)
		return
	}
	if ev.changed {
		c.lookAgain(e)
	}
	if !c.has(e) {
		c.dropCall(e, f) // not relevant: nothing of it is sent (R3.12)
		c.unbill(&ch)
		return
	}
	c.checkRole(c.rep(e.whole())) // a client that a call finds as the owner has the owner's role (R2.2)
	if c.s.mustWait(f, args, c.gets) || f.Reliable && c.holds(e.whole(), len(c.held), true) {
		c.hold(c.rep(e), f, args, ch)
		return
	}
	c.sendCall(c.rep(e), f, num, args, ch)
}

// has reports whether the client has an entity, and opens it if the client may have it.
func (c *Conn) has(e *entity) bool {
	r := c.rep(e)
	if r != nil && r.open() {
		return true
	}
	if e.tornOff {
		return false
	}
	if e.outer != nil {
		if !c.has(e.outer) {
			return false
		}
		r = c.rep(e) // opened with its actor
		if r == nil || r.open() {
			return r != nil
		}
		c.s.takeMarks(e.outer)
		return c.open(r)
	}
	if r != nil && r.phase == repLeft {
		return false
	}
	r = c.ensure(e)
	c.lookView()
	r.seen = c.s.world.Time
	if !c.judge(r) {
		return false
	}
	c.s.takeMarks(e)
	return c.open(r)
}

// gets reports whether a reference to an entity is final for the client. It opens an actor that the client may have by
// now.
func (c *Conn) gets(e *entity) bool { return c.resolves(e) || c.has(e) }

// chargeCall charges a reliable call to every connection that may receive it, or returns why the call cannot be
// made. by is the mod whose script calls.
func (s *Server) chargeCall(ev *event, args []engine.Value, by string) error {
	e, f := ev.ent, ev.fn
	num, ok := e.class.Number(f)
	if !ok {
		return nil
	}
	if by == "" {
		by = e.class.Class.Mod()
	}
	s.callScratch = s.main.appendCall(s.callScratch[:0], e, f, num, args, s.world.Classes) // with one byte per reference
	bytes := len(s.callScratch)
	ch := s.accounts.charge(e.class.Class.Name, by, bytes)
	ch.joins = s.joins
	refuse := func(c *Conn, why string) error {
		return fmt.Errorf("%s:%s: a reliable call of %d bytes cannot go to %s, so it goes to nobody: %s; call less often, make it unreliable or replicate a variable (R6.5)",
			e.class.Class.Name, f.Name, bytes, c.who(), why)
	}
	if c := ev.conn; c != nil {
		if why := c.refusal(&ch, by); why != "" {
			return refuse(c, why)
		}
		c.bill(&ch)
	} else {
		for _, c := range s.conns {
			if !c.serves() {
				continue
			}
			if why := c.refusal(&ch, by); why != "" {
				if !ev.changed && !c.knows(e) { // it was not relevant to this client before, and a call does not change that
					ev.without = append(ev.without, c)
					continue
				}
				return refuse(c, why)
			}
		}
		for _, c := range s.conns {
			if c.serves() && !ev.excludes(c) {
				c.bill(&ch)
			}
		}
	}
	ev.charge = ch
	return nil
}

// unbillCall refunds a call that a reload removed.
func (s *Server) unbillCall(ev *event) {
	for _, c := range s.conns {
		if (ev.conn == nil || ev.conn == c) && c.serves() && c.joined <= ev.charge.joins && !ev.excludes(c) {
			c.unbill(&ev.charge)
		}
	}
}

// excludes reports whether a call skips a connection because the connection could not be charged.
func (ev *event) excludes(c *Conn) bool { return slices.Contains(ev.without, c) }

// knows reports whether the client has a copy of an entity.
func (c *Conn) knows(e *entity) bool {
	r := c.rep(e)
	return r != nil && r.known()
}

// Destroyed ends an actor's channels at the end of the tick; it implements engine.Remote.
func (s *Server) Destroyed(a *engine.Actor) {
	e := s.find(a.ID())
	if e == nil || e.dead {
		return
	}
	s.lastCalls(e)
	if a.BTearOff && !e.tornOff && e.outer == nil {
		s.takeMarks(e) // torn off and destroyed in one tick: clients that have it keep it (R5.18)
	}
	e.dead = true
	s.byActor[uint32(e.id)], s.slotOf[uint32(e.id)] = nil, 0
	s.count--
	if e.outer == nil {
		s.index.Remove(a)
	}
	s.queue = append(s.queue, event{kind: eventDestroyed, ent: e})
}

// closeDestroyed closes a dead entity's channels and frees its slot.
func (s *Server) closeDestroyed(e *entity) {
	for _, c := range s.conns {
		if len(c.held) > 0 {
			c.releaseHeld() // calls that waited for it need not wait any more
		}
		if r := c.rep(e); r != nil && c.mayLose(r) {
			c.takeAway(r, wire.CloseDestroyed)
		}
	}
	o := e.outer
	if o != nil {
		o.parts = remove(o.parts, e)
		if o.rests() && !o.dead {
			s.resting = append(s.resting, o) // it may have kept the actor awake
		}
	}
	if e.volatile {
		s.volatiles = remove(s.volatiles, e)
	}
	if o != nil && !o.dead && !e.dynamic() {
		s.dropPart(e) // keeps its numbers
		return
	}
	for _, p := range append(e.former, e) {
		s.slots[p.slot] = nil
		delete(s.byNet, p.net)
		s.release(p.slot)
	}
	e.former = nil
}
