// Package shadow stores an actor's state as sent on the wire. That is the values of the last net update in which they
// were compared, recent positions, and results of conditions.
//
// Package server writes a Shadow between two flushes. While datagrams are filled, workers on several goroutines
// read it through a View, whose field is private, so that worker code that writes a shadow does not compile. The
// package does not know actors or connections.
//
// Guarantees: The server writes it between two flushes; workers have a read-only view.
package shadow

import (
	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/netcode/schema"
	"github.com/tidelock/tidelock/netcode/wire"
)

// Shadow is the wire state of one actor or component. It belongs to the server's goroutine.
//
// A net update touches thousands: the fields that it reads for each moving actor come first, grouped by cache
// lines.
type Shadow struct {
	class     *schema.Class
	At        wire.Quantised // Location as sent on the wire, if it is in Words
	positionN uint32         // how many positions were recorded, the newest being the last
	slot      int32          // its channel's number on every connection
	rank      int32          // number in the relevancy index of the actor whose priority counts
	// hotMask is the result of conditions for input hotIn, if hot is set: the one that most connections need.
	hotMask   uint64
	hot       bool
	hotIn     engine.CondInput
	positions *Positions

	Words     []uint64
	Strs      []string
	condStamp uint32 // increases when a condition's result may have changed
	condNext  int
	conds     [4]condition
}

// condition is the result of conditions for an input.
type condition struct {
	in     engine.CondInput
	valid  bool
	stamp  uint32
	update uint32
	mask   wire.Mask
}

// Positions holds the last ones of an actor, by the net update of its arrival there: number k, counted by
// Shadow.positionN from 1, is at index k % MaxAge. They are kept from the first change on.
type Positions [wire.MaxAge]struct {
	at     wire.Quantised
	update uint32
}

// New returns the shadow of an actor with a channel number. rank is the number in the relevancy index of the actor
// whose priority counts: its own, or that of a component's actor.
func New(slot int, rank int32) Shadow { return Shadow{slot: int32(slot), rank: rank} }

// Layout sizes the shadow for a class; values are zero, and conditions must be evaluated again.
func (s *Shadow) Layout(k *schema.Class) {
	s.class = k
	s.Words, s.Strs = make([]uint64, k.Words), make([]string, k.Strs)
	s.conds = [4]condition{}
	s.Void()
}

// Reclass gives the shadow of a destroyed actor the class of a later set, so that nothing keeps the previous one
// alive.
func (s *Shadow) Reclass(k *schema.Class) { s.class = k }

// Quantize computes At from the Location in Words.
func (s *Shadow) Quantize() {
	if k := s.class; k.Location >= 0 {
		s.At, _ = k.Grid.Quantise(engine.LoadVector(s.Words[k.Vars[k.Location].Word:]))
	}
}

// Traced reports whether positions are kept, that is, whether Trace was called.
func (s *Shadow) Traced() bool { return s.positions != nil }

// Trace sets the memory for positions.
func (s *Shadow) Trace(p *Positions) { s.positions = p }

// Forget drops all positions: no connection has one.
func (s *Shadow) Forget() { s.positionN = 0 }

// Note records At as the position from a net update on.
func (s *Shadow) Note(update uint32) {
	s.positionN++
	x := &s.positions[s.positionN%wire.MaxAge]
	x.update, x.at = update, s.At
}

// Void invalidates the results of conditions.
func (s *Shadow) Void() {
	s.condStamp++
	s.hot = false
}

// Renew evaluates again, after Void, the conditions that connections had requested before, in a net update. ask is
// called for each input.
func (s *Shadow) Renew(update uint32, ask func(in engine.CondInput) wire.Mask) {
	for i := range s.conds {
		if q := &s.conds[i]; q.valid && q.stamp == s.condStamp-1 {
			q.mask, q.stamp, q.update = ask(q.in), s.condStamp, update
			if q.in == s.hotIn || !s.hot {
				s.heat(q)
			}
		}
	}
}

// Learn stores the result of conditions for an input in a net update.
func (s *Shadow) Learn(in engine.CondInput, mask wire.Mask, update uint32) {
	q := &s.conds[s.condNext]
	*q = condition{in: in, valid: true, stamp: s.condStamp, update: update, mask: mask}
	if !s.hot {
		s.heat(q)
	}
	s.condNext = (s.condNext + 1) % len(s.conds)
}

// heat makes Answered find a result at once.
func (s *Shadow) heat(q *condition) {
	if s.class.Steady && s.class.Small {
		s.hot, s.hotIn, s.hotMask = true, q.in, q.mask[0]
	}
}

// Answer returns the last result of conditions for an input, and its net update; ok is false if they must be
// evaluated.
func (s *Shadow) Answer(in engine.CondInput) (mask wire.Mask, update uint32, ok bool) {
	for i := range s.conds {
		if q := &s.conds[i]; q.in == in && q.stamp == s.condStamp && q.valid {
			return q.mask, q.update, true
		}
	}
	return mask, 0, false
}

// Answered is Answer for a class that is small and steady.
func (s *Shadow) Answered(in engine.CondInput) (mask uint64, ok bool) {
	if s.hot && s.hotIn == in {
		return s.hotMask, true
	}
	m, _, ok := s.Answer(in)
	return m[0], ok
}

// View returns a read-only view of the shadow.
func (s *Shadow) View() View { return View{s} }
