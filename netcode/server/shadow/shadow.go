// Package shadow keeps an actor as it crosses: the values as of the last net update in which they were compared, where it was
// lately, and what conditions say of it.
//
// Package server writes a Shadow between two flushes. While datagrams are filled, workers on several goroutines read it
// through a View, whose field is private, so that code of a worker which writes a shadow does not compile. The package knows
// neither actors nor connections.
package shadow

import (
	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/netcode/schema"
	"github.com/tidelock/tidelock/netcode/wire"
)

// Shadow is one actor or component as it crosses. It belongs to the server's goroutine.
//
// A net update touches thousands: what it reads of each that moved comes first, and lies together by cache lines.
type Shadow struct {
	class     *schema.Class
	At        wire.Quantised // Location as it crosses, where it is in Words
	positionN uint32         // how many places were noted, the newest being the last
	slot      int32          // its channel's number on every connection
	rank      int32          // number in the relevancy index of the actor whose priority counts
	// hotMask is what conditions gave for input hotIn, where hot: the answer that most connections need.
	hotMask   uint64
	hot       bool
	hotIn     engine.CondInput
	positions *Positions

	Words     []uint64
	Strs      []string
	condStamp uint32 // goes up when a condition's answer may be another
	condNext  int
	conds     [4]condition
}

// condition is what conditions gave for an input.
type condition struct {
	in     engine.CondInput
	valid  bool
	stamp  uint32
	update uint32
	mask   wire.Mask
}

// Positions are the last ones of an actor, by the net update in which it came there: number k, counted by Shadow.positionN from 1,
// stands at k % MaxAge. They are kept from the first change on.
type Positions [wire.MaxAge]struct {
	at     wire.Quantised
	update uint32
}

// New is the shadow of an actor with a channel's number. rank is the number in the relevancy index of the actor whose
// priority counts: its own, or that of a component's actor.
func New(slot int, rank int32) Shadow { return Shadow{slot: int32(slot), rank: rank} }

// Layout sizes the shadow for a class; values are zero, and conditions must be asked again.
func (s *Shadow) Layout(k *schema.Class) {
	s.class = k
	s.Words, s.Strs = make([]uint64, k.Words), make([]string, k.Strs)
	s.conds = [4]condition{}
	s.Void()
}

// Reclass gives the shadow of what is gone a class of a later set, so that nothing keeps the previous one.
func (s *Shadow) Reclass(k *schema.Class) { s.class = k }

// Quantize takes At from the Location in Words.
func (s *Shadow) Quantize() {
	if k := s.class; k.Location >= 0 {
		s.At, _ = k.Grid.Quantise(engine.LoadVector(s.Words[k.Vars[k.Location].Word:]))
	}
}

// Traced reports whether places are kept: Trace was called.
func (s *Shadow) Traced() bool { return s.positions != nil }

// Trace gives memory for places.
func (s *Shadow) Trace(p *Positions) { s.positions = p }

// Forget drops all places: no connection has one.
func (s *Shadow) Forget() { s.positionN = 0 }

// Note keeps At as the place from a net update on.
func (s *Shadow) Note(update uint32) {
	s.positionN++
	x := &s.positions[s.positionN%wire.MaxAge]
	x.update, x.at = update, s.At
}

// Void drops what conditions gave: they may give something else.
func (s *Shadow) Void() {
	s.condStamp++
	s.hot = false
}

// Renew asks again, after Void, what connections had asked before it, in a net update. ask is called for each input.
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

// Learn keeps what conditions gave for an input in a net update.
func (s *Shadow) Learn(in engine.CondInput, mask wire.Mask, update uint32) {
	q := &s.conds[s.condNext]
	*q = condition{in: in, valid: true, stamp: s.condStamp, update: update, mask: mask}
	if !s.hot {
		s.heat(q)
	}
	s.condNext = (s.condNext + 1) % len(s.conds)
}

// heat has Answered find an answer at once.
func (s *Shadow) heat(q *condition) {
	if s.class.Steady && s.class.Small {
		s.hot, s.hotIn, s.hotMask = true, q.in, q.mask[0]
	}
}

// Answer is what conditions last gave for an input, and in which net update; ok is false where they must be asked.
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

// View is the shadow for reading.
func (s *Shadow) View() View { return View{s} }
