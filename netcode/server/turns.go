package server

import (
	"cmp"
	"math"
	"slices"
)

// turns divides the budget of one connection among its actors while it does not suffice for all of them (R4.2,
// R4.3).
//
// Turns are counted in virtual time. An actor's next turn is due 1 / priority after its last one, where the
// priority is NetPriority × its view factor. The turn that is due first is served first, so actors that always
// change get turns in proportion to their priorities, whatever the size of their values.
//
// An actor has at most one turn in a net update. That alone would give small values the same number of turns, since
// all of them find room in every datagram. So an actor is skipped, even if there is room, while another served
// actor would get a second turn before it by NetPriority alone; a clock of its own, turn.share, counts that. The
// view factor decides the order and never leaves room empty, because a small budget would then be spent on headers.
//
// Shares are shares of usable budget. An actor that is already sent in every net update cannot use more, so skipped
// actors are sent with budget that would be lost otherwise (sender.surplus). The result is max-min fair: of actors
// that always change, each one is either sent in every net update or gets updates by its priority. Priorities 2 and
// 1 give 2:1 unless the budget suffices for the first in every net update and for the second in every other one;
// then the second gets all that remains. A strict 2:1 would leave up to a quarter of the budget unused while the
// second waits, and double its updates at the budget that suffices for both.
//
// A turn whose datagram was lost is refunded (sender.refund).
//
// The zero value belongs to a connection whose budget suffices.
type turns struct {
	now               float64 // virtual time: the latest start of a turn that was due and taken
	floor, shareFloor float64 // no turn is due before it: unused shares cannot be claimed later
	low               float64 // when the first of all shares was due in the latest net update
	// next is, within a net update, when the first actor that had a turn in it is due again; nextShare is the same
	// by the clock of shares.
	next, nextShare float64
	round           uint32 // increases when the budget suffices again; records of other rounds are invalid
	last            uint32 // net update of the latest schedule
	// excess is the factor, at least 1, by which the bytes sent lately exceeded sender.gather's estimate. It
	// decays.
	excess float64
	of     []turn // by slot; empty until the budget is insufficient
}

// turn is the record of one actor.
type turn struct {
	last, due, step          float64 // when its latest turn was due and its next one is; 1 / priority
	share, shareDue, portion float64 // the same by the clock of shares: 1 / NetPriority
	round                    uint32  // last and share are invalid unless it is that of turns
	listed                   uint32  // net update in which it latest had something to send while the budget did not suffice
	serial                   uint32  // sendState.serial: the record is invalid for another one
}

// leastPriority replaces priorities of 0 and below.
const leastPriority = 1e-6

// forever is the due time of an actor that has nothing to send but a repetition (R5.22): there is no bandwidth for
// these.
var forever = math.Inf(1)

// turn returns an actor's record.
func (c *sender) turn(st *sendState) *turn {
	t := &c.turns
	if n := st.of.Slot() + 1; n > len(t.of) {
		t.of = slices.Grow(t.of, n-len(t.of))[:n]
	}
	q := &t.of[st.of.Slot()]
	if q.serial != st.serial {
		*q = turn{serial: st.serial, round: t.round - 1}
	}
	return q
}

// enlist prepares an actor that has something new to send. Time during which it had nothing gives it no claim.
func (c *sender) enlist(n *snapshot, st *sendState) {
	q := c.turn(st)
	switch {
	case q.round != c.turns.round:
		q.last, q.share, q.round = c.turns.now, c.turns.low, c.turns.round
	case q.listed != c.turns.last && q.listed != n.update:
		q.last, q.share = max(q.last, c.turns.now), max(q.share, c.turns.low)
	}
	q.listed = n.update
	if st.wants == 0 {
		st.wants = n.time
	}
}

// sortTurns sorts the list by due times. Of those due at the same time, the one that waited longest comes first.
func (c *sender) sortTurns(n *snapshot) {
	c.turns.next, c.turns.nextShare = forever, forever
	low := forever
	for _, st := range c.list {
		q := c.turn(st)
		if !st.opening && !st.fresh() {
			q.due, q.shareDue = forever, forever
			continue
		}
		c.enlist(n, st)
		p, f := 1.0, 1.0
		if !n.flat {
			p, f = c.reading.Weigh(st.of.Rank())
		}
		q.portion = 1 / max(leastPriority, p)
		q.step = 1 / max(leastPriority, p*f)
		q.due = max(q.last+q.step, c.turns.floor)
		q.share = min(q.share, max(c.turns.low, c.turns.shareFloor)+q.portion) // one that its view favours runs ahead, but only so far
		q.shareDue = q.share + q.portion
		low = min(low, q.shareDue)
	}
	if low != forever {
		c.turns.low = low
	}
	of := c.turns.of
	slices.SortStableFunc(c.list, func(a, b *sendState) int {
		i, j := a.of.Slot(), b.of.Slot()
		if dueA, dueB := of[i].due, of[j].due; dueA != dueB {
			return cmp.Compare(dueA, dueB)
		}
		return cmp.Or(cmp.Compare(a.wants, b.wants), i-j)
	})
}

// isDue reports whether an actor may be sent in this net update: no served actor may get a second turn before it.
// Sums of steps that should be equal may differ by rounding.
func (c *sender) isDue(st *sendState) bool {
	q := c.turn(st)
	return q.due <= c.turns.next+1e-6*q.step || q.shareDue <= c.turns.nextShare+1e-6*q.portion
}

// took charges an actor for a turn. given: from budget that would be lost otherwise.
func (c *sender) took(st *sendState, given bool) {
	q := c.turn(st)
	if q.due == forever {
		return
	}
	q.last, q.share = q.due, q.shareDue
	switch {
	case given:
		c.turns.floor = max(c.turns.floor, q.due-q.step)
		c.turns.shareFloor = max(c.turns.shareFloor, q.shareDue-q.portion)
		return
	case q.due > c.turns.next+1e-6*q.step: // it only used free room: that delays its next turn, within limits
		q.last = min(q.last, c.turns.now+q.step)
	default:
		c.turns.now = max(c.turns.now, q.due-q.step)
	}
	c.turns.next = min(c.turns.next, q.last+q.step)
	c.turns.nextShare = min(c.turns.nextShare, q.share+q.portion)
}

// refund gives back a turn whose datagram was lost, because shares count updates that arrive: by is 1. With −1 it
// reverts that if the datagram arrived after all.
func (c *sender) refund(st *sendState, by float64) {
	if !c.saturated {
		return
	}
	if q := c.turn(st); q.round == c.turns.round {
		q.last, q.share = max(0, q.last-by*q.step), max(0, q.share-by*q.portion)
	}
}

// suffices records that the budget suffices again. Actors that waited lose their claim.
func (c *sender) suffices() {
	if c.saturated {
		c.saturated = false
		c.turns.round++
		c.turns.now, c.turns.floor, c.turns.shareFloor, c.turns.low = 0, 0, 0, 0
	}
}

// needs returns the estimated size of the list in bytes, headers included.
func (c *sender) needs(estimate int) float64 {
	return float64(estimate)*max(1, c.turns.excess) + 2*packetOverhead
}

// learn compares the bytes sent with their estimate.
func (c *sender) learn(estimate int, sent float64) {
	c.turns.excess = max(1, 0.98*c.turns.excess, sent/float64(max(1, estimate)+2*packetOverhead))
}
