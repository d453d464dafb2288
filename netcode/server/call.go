package server

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/netcode/link"
	"github.com/tidelock/tidelock/netcode/schema"
	"github.com/tidelock/tidelock/netcode/wire"
)

// event is something of this tick that goes out in order with the rest: a call, or the end of an actor.
type event struct {
	kind     eventKind
	ent      *entity
	fn       *engine.Function
	conn     *Conn // of a call to one client; nil for all
	from, to int   // arguments in Server.args
	changed  bool  // when it was made, relevancy of the actor could be another than at the last net update
	charge   charge
	without  []*Conn // those that it does not go to, since they could not be charged; nil as a rule
}

type eventKind uint8

const (
	eventNone eventKind = iota
	eventCall
	eventDestroyed
)

// Owns reports whether a connection's player owns an actor; it implements engine.Remote.
func (s *Server) Owns(a *engine.Actor) bool { return s.ownerOf(a) != nil }

func (s *Server) ownerOf(a *engine.Actor) *Conn {
	top := a.TopOwner()
	if !top.Class.IsPlayerController() {
		return nil
	}
	return s.ConnectionOf(top)
}

// RoundTrip is that of the connection whose player owns an actor, in seconds; it implements engine.Remote.
func (s *Server) RoundTrip(a *engine.Actor) float64 {
	if c := s.ownerOf(a); c != nil {
		return c.sess.RTT.Seconds()
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

// refusedCall counts a reliable call that goes to nobody.
func (s *Server) refusedCall(ev *event) {
	s.Stats.CallsDropped++
	for _, c := range s.conns {
		if ev.conn == nil || ev.conn == c {
			c.dropCall(ev.ent, ev.fn)
		}
	}
}

// Dropped counts a call that goes nowhere (R6.3); it implements engine.Remote.
func (s *Server) Dropped(*engine.Actor, *engine.Function, string) { s.Stats.CallsDropped++ }

// runQueue sends the calls of the tick and ends what was destroyed, in the order in which it happened (R6.4).
func (s *Server) runQueue() {
	for i := 0; i < len(s.queue); i++ { // closing a connection adds to it
		ev := s.queue[i]
		s.queue[i] = event{}
		s.do(&ev)
	}
	s.queue = s.queue[:0]
	clear(s.args)
	s.args = s.args[:0]
}

func (s *Server) do(ev *event) {
	switch ev.kind {
	case eventDestroyed:
		s.bury(ev.ent)
	case eventCall:
		s.deliver(ev)
	case eventNone:
	}
}

// deliver sends a call to whom it is for.
func (s *Server) deliver(ev *event) {
	args := s.args[ev.from:ev.to]
	if ev.conn != nil {
		ev.conn.call(ev, args)
		return
	}
	if !ev.fn.Reliable && !s.mayMulticast(ev.ent, ev.fn) { // R6.6
		s.Stats.CallsDropped++
		for _, c := range s.conns {
			c.dropCall(ev.ent, ev.fn)
		}
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

// lastCalls sends what was called on an entity in this tick before it is destroyed: what it is, and which clients may know of
// it, can only be found out now (R6.4). Order holds across an actor and its components, so everything of them goes that is
// in the queue, ends of components included; and what waits on it goes as it is (R6.9).
func (s *Server) lastCalls(e *entity) {
	whole := e.whole()
	if whole.dead { // a component that goes with its actor
		return
	}
	for i := 0; i < len(s.queue); i++ {
		if ev := s.queue[i]; ev.kind != eventNone && ev.ent.whole() == whole {
			s.queue[i] = event{}
			s.do(&ev)
		}
	}
	for _, c := range s.conns {
		if len(c.held) > 0 {
			c.flushHeld(e)
		}
	}
}

// multicasts counts the unreliable multicasts of one function since the actor's last net update (R6.6).
type multicasts struct {
	fn     *engine.Function
	update uint32
	until  float64 // world time of the actor's next net update, as far as NetUpdateFrequency says
	n      int
}

// mostMulticasts is how many of them go out per net update of the actor.
const mostMulticasts = 2

func (s *Server) mayMulticast(e *entity, f *engine.Function) bool {
	var m *multicasts
	for i := range e.multicasts {
		if e.multicasts[i].fn == f {
			m = &e.multicasts[i]
		}
	}
	if m == nil {
		e.multicasts = append(e.multicasts, multicasts{fn: f})
		m = &e.multicasts[len(e.multicasts)-1]
	}
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

func (c *Conn) dropCall(e *entity, f *engine.Function) {
	if n, ok := e.class.Number(f); ok && c.state == playing {
		c.Traffic.Function(e.class, n).Dropped++
	}
}

// call sends a call to the client, whose copy is opened first if it has none and may have one.
func (c *Conn) call(ev *event, args []engine.Value) {
	e, f := ev.ent, ev.fn
	if !c.serves() {
		return
	}
	ch := ev.charge
	if ch.cost > 0 && ch.joins < c.joined { // it came since
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
		c.dropCall(e, f) // not relevant: not a byte of it (R3.12)
		c.unbill(&ch)
		return
	}
	c.checkRole(c.rec(e.whole())) // whom a call finds as its owner has the owner's role (R2.2)
	if c.mustWait(f, args) || f.Reliable && c.holds(e.whole()) {
		c.hold(c.rec(e), f, args, ch)
		return
	}
	c.sendCall(c.rec(e), f, num, args, ch)
}

// callDebt is how far, in bytes, unreliable calls may overdraw the budget: they go before variables, which have used it up
// as a rule (R4.6).
const callDebt = 256

// has reports whether the client has an entity, opening it where it may have it.
func (c *Conn) has(e *entity) bool {
	r := c.rec(e)
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
		r = c.rec(e) // opened with its actor
		if r == nil || r.open() {
			return r != nil
		}
		c.s.takeMarks(e.outer)
		return c.open(r)
	}
	if r != nil && r.state == recLeft {
		return false
	}
	if r == nil {
		r = c.make(e)
	}
	c.lookView()
	r.seen = c.s.world.Time
	c.recall(&r.relState)
	r.verdict = c.s.index.Decide(&c.view, e.actor, &r.sight, c.s.world.Time)
	if !r.verdict.Relevant {
		return false
	}
	c.s.takeMarks(e)
	return c.open(r)
}

// lookAgain closes an actor that is not the client's to know any more by something set in this tick (R3.12): calls go before
// relevancy is looked at.
func (c *Conn) lookAgain(e *entity) {
	e = e.whole()
	if r := c.rec(e); r != nil && r.open() && !e.tornOff && c.Player() != nil {
		c.s.index.Update(e.actor)
		c.lookView()
		c.decide(r)
	}
}

// takeMarks brings the shadow up to date outside a net update, so that what is opened for a call has the values of the
// tick's end.
func (s *Server) takeMarks(e *entity) {
	s.clock++
	m := wire.Mask(*e.actor.DirtyMask())
	e.unsent = or(&e.unsent, &m)
	s.consider(e)
	for _, p := range e.parts {
		m := wire.Mask(*p.actor.DirtyMask())
		p.unsent = or(&p.unsent, &m)
		s.consider(p)
	}
	s.spread()
}

// sendCall sends a call; ch is what it was charged, for a reliable one.
func (c *Conn) sendCall(r *rec, f *engine.Function, num uint16, args []engine.Value, ch charge) {
	s, e := c.s, r.ent
	b := c.appendCall(c.scratch[:0], e, f, num, args)
	c.scratch = b
	t := c.Traffic.Function(e.class, num)
	// What is called on a copy that is still under way goes with it, so that it is not lost for being too early.
	reliable := f.Reliable || r.waits() && r.arriving() || len(b) > maxCallBytes
	if !reliable {
		// A client that has not heard of new classes would take the number for another function's (R5.23).
		if c.epoch != s.set.Epoch || len(c.calls)+len(b) > maxCallBytes || c.credit-float64(len(c.calls)+len(b)) < -callDebt {
			t.Dropped++
			s.Stats.CallsDropped++
			return
		}
		c.calls = append(c.calls, b...)
		c.callN++
	} else {
		if !f.Reliable && !c.chargeAnyhow(&ch, e, len(b)) { // the rest is for calls that must arrive
			t.Dropped++
			s.Stats.CallsDropped++
			return
		}
		n, err := c.sendReliable(b)
		if err != nil {
			c.sendFailed(err)
			return
		}
		c.callsOut = append(c.callsOut, callOut{n, c.goneOut})
		c.mentionedWhole(r, n)
	}
	t.Count++
	t.Bytes += uint64(len(b))
	if s.logClass[e.class.Class.Name] {
		s.logLine(fmt.Sprintf("call %s:%s at %s", e.actor, f.Name, c))
	}
}

// chargeAnyhow charges an unreliable call that goes by the reliable stream, since it is too large for a datagram or its copy
// is still under way. False: it cannot be charged, and is lost.
func (c *Conn) chargeAnyhow(ch *charge, e *entity, bytes int) bool {
	if c.acknowledged() >= c.s.cfg.Limits.ReliableCalls/2 {
		return false
	}
	by := e.class.Class.Mod()
	*ch = charge{cost: float64(bytes + callOverhead), class: c.s.accounts.number(accountKey{e.class.Class.Name, by}), mod: -1}
	if by != "" {
		ch.mod = c.s.accounts.number(accountKey{"", by})
	}
	if c.refusal(ch, by) != "" {
		return false
	}
	c.bill(ch)
	return true
}

func (c *Conn) appendCall(b []byte, e *entity, f *engine.Function, num uint16, args []engine.Value) []byte {
	x := &c.s.main
	x.names = names{c: c}
	x.vals.Names = &x.names
	b = x.appendCall(b, e, f, num, args, c.s.world.Classes)
	x.vals.Names, x.names = nil, names{}
	return b
}

// appendCall appends a call; references are what vals.Names says.
func (x *encoder) appendCall(b []byte, e *entity, f *engine.Function, num uint16, args []engine.Value, classes *engine.Classes) []byte {
	n := wire.GivenArgs(f.Params, args)
	b = wire.AppendCall(b, wire.Call{Channel: uint16(e.slot), Function: num, Args: n})
	for i := range n {
		b = x.vals.AppendValue(b, f.Params[i].Type, &args[i], classes)
	}
	return b
}

// receiveCall runs a call that the client sent, if it may (R6.7, R6.8). In a dry run it is only read.
func (c *Conn) receiveCall(r *wire.Reader, fields int, reliable bool) {
	s := c.s
	m := r.Call(fields)
	if r.Err() != nil {
		return
	}
	var rc *rec
	if int(m.Channel) < len(c.recs) {
		rc = c.recs[m.Channel]
	}
	if c.state != playing || rc == nil || !rc.known() { // what sleeps keeps its number, and its owner may call it
		r.SkipArgs(m) // it has gone since: no offence
		c.dropStale(m)
		return
	}
	e := rc.ent
	k := e.class
	who, classes := names{c: c}, s.world.Classes
	if c.epoch != s.set.Epoch { // of numbers that are not in force
		n, was := c.presentCall(k, m.Function)
		if !reliable || was == nil {
			r.SkipArgs(m)
			c.dropStale(m)
			return
		}
		m.Function, who.was, classes = n, was, was.Classes
	}
	if int(m.Function) >= len(k.Functions) {
		r.SkipArgs(m)
		c.offend(offenceMalformed, fmt.Sprintf("calls function %d of %s, which has %d", m.Function, k.Class.Name, len(k.Functions)))
		return
	}
	f := k.Functions[m.Function]
	t := c.Traffic.Function(k, m.Function)
	t.Received++
	switch {
	case f.Kind != engine.CallServer && f.Kind != engine.CallRemote:
		r.SkipArgs(m)
		c.offend(offenceCall, fmt.Sprintf("calls %s:%s, which is not for the server to run", k.Class.Name, f.Name))
	case f.Reliable != reliable && !(reliable && r.Pos()+r.Left() > maxCallBytes): // an unreliable one that no datagram holds comes reliably (G11)
		r.SkipArgs(m)
		c.offend(offenceCall, fmt.Sprintf("calls %s:%s by the wrong way", k.Class.Name, f.Name))
	case e.dead || e.actor.Deleted():
		r.SkipArgs(m)
	case !c.owner(e.actor):
		r.SkipArgs(m)
		t.Dropped++
		c.offend(offenceCall, fmt.Sprintf("calls %s:%s on %s, which is not its own (R6.8)", k.Class.Name, f.Name, e.actor))
	case !c.allowCall():
		r.SkipArgs(m)
		t.Dropped++
		c.offend(offenceSurplus, fmt.Sprintf("sends more than %d calls a second, the last %s:%s", s.cfg.Limits.CallsPerSecond, k.Class.Name, f.Name))
	case c.isSlow(f):
		r.SkipArgs(m)
		t.Dropped++
	default:
		args := c.readArgs.Read(r, f.Params, m.Args, &who, classes)
		if r.Err() != nil {
			t.Dropped++
			return
		}
		if who.stale {
			t.Dropped++
			c.dropOutdated(k, f, "it names a class that is gone")
			return
		}
		s.Stats.Calls++
		switch s.world.Script.Received(e.actor, f, args, c.who()) {
		case engine.Accepted:
			delete(c.faulty, f)
			return
		case engine.Faulted:
			t.Dropped++
			c.slowDown(f)
			return
		case engine.Refused:
		}
		t.Dropped++
		c.event(EventCall, engine.SevWarning, fmt.Sprintf(": %s:%s(%s) on %s was refused by its validator", k.Class.Name, f.Name, short(showArgs(args), maxShown), e.actor))
		if !s.cfg.Limits.KeepOnRefusedCall {
			c.kick(link.Reason{Code: "validation", Text: fmt.Sprintf("%s:%s was refused by its validator", k.Class.Name, f.Name)})
		}
	}
}

// presentCall is what the number of a function is now that the client has from earlier classes, and those classes, by whose
// numbers its arguments are; nil where it cannot be called any more. It called before it heard of a reload, and what is
// reliable arrives (R6.4).
func (c *Conn) presentCall(k *schema.Class, number uint16) (now uint16, was *schema.Set) {
	for _, set := range c.s.sets {
		if set.Epoch != c.epoch {
			continue
		}
		before := set.Classes.Find(k.Class.Name)
		if before == nil {
			return 0, nil
		}
		old := set.Of(before)
		if old == nil || int(number) >= len(old.Functions) {
			return 0, nil
		}
		f := k.Present(old.Functions[number])
		if f == nil {
			if g := old.Functions[number]; g.Reliable {
				c.dropOutdated(k, g, "the function is gone, or takes other arguments")
			}
			return 0, nil
		}
		if n, ok := k.Number(f); ok {
			return n, set
		}
	}
	return 0, nil
}

// dropOutdated counts and tells of a reliable call that a reload overtook and that cannot run any more (R6.3).
func (c *Conn) dropOutdated(k *schema.Class, f *engine.Function, why string) {
	c.s.Stats.CallsDropped++
	c.s.once(engine.SevWarning, fmt.Sprintf("%s:%s was called by a client before it had the reloaded scripts, and is dropped: %s", k.Class.Name, f.Name, why))
}

// dropStale counts a call on an actor that the client has no channel for any more.
func (c *Conn) dropStale(m wire.Call) {
	if c.state == playing && c.epoch == c.s.set.Epoch && int(m.Channel) < len(c.s.slots) {
		if e := c.s.slots[m.Channel]; e != nil && int(m.Function) < len(e.class.Functions) {
			c.Traffic.Function(e.class, m.Function).Dropped++
		}
	}
}

// who names the peer in messages of scripts.
func (c *Conn) who() string {
	if c.Name != "" {
		return c.Name
	}
	return fmt.Sprintf("connection %d", c.ID)
}

// faultPause is for how long a player cannot call a function again whose last call of theirs ended in a fault of the script (G18).
const faultPause = time.Second

// slowDown limits a player's calls of a function in which the last one failed; it lasts until one succeeds.
func (c *Conn) slowDown(f *engine.Function) {
	if c.faulty == nil {
		c.faulty = map[*engine.Function]time.Duration{}
	}
	c.faulty[f] = c.s.now
}

func (c *Conn) isSlow(f *engine.Function) bool {
	at, ok := c.faulty[f]
	return ok && c.s.now-at < faultPause
}

// maxShown bounds what a line shows of what a player sent, in bytes.
const maxShown = 160

// short is a text of at most so many bytes and a mark that it was cut.
func short(text string, bytes int) string {
	if len(text) <= bytes {
		return text
	}
	return strings.ToValidUTF8(text[:bytes], "") + "…"
}

func showArgs(args []engine.Value) string {
	s := ""
	for i, v := range args {
		if i > 0 {
			s += ", "
		}
		if s += short(showValue(&v), 60); len(s) > maxShown {
			break
		}
	}
	return s
}

// showValue is a value as a person reads it in a log.
func showValue(v *engine.Value) string {
	switch v.Kind {
	case engine.KindBool:
		return strconv.FormatBool(v.Num != 0)
	case engine.KindInt, engine.KindFloat:
		return strconv.FormatFloat(v.Num, 'g', -1, 64)
	case engine.KindString:
		return strconv.Quote(v.Str)
	case engine.KindEnum, engine.KindClass:
		return v.Str
	case engine.KindVector:
		return fmt.Sprint(v.Vec)
	case engine.KindRotator:
		return fmt.Sprint(v.Rot)
	case engine.KindRef:
		if v.Ref == 0 {
			return "nil"
		}
		return fmt.Sprintf("actor %d", v.Ref)
	case engine.KindArray, engine.KindStruct:
		return fmt.Sprintf("{%s}", showArgs(v.List))
	default:
		return "nil"
	}
}
