package wire

// Window is the receiving side of acknowledgement: it records which datagrams arrived. The zero Window has seen
// none; numbers start at 0.
type Window struct {
	started bool
	newest  Seq
	missing uint32 // as in Header
}

// Arrival is the result of [Window.Take] for a datagram.
type Arrival uint8

// The arrivals. An old one is before the window: it is unknown whether it arrived before, so it is not accepted.
const (
	ArrivalNew Arrival = iota
	ArrivalDuplicate
	ArrivalOld
	numArrivals
)

func (a Arrival) String() string {
	names := [numArrivals]string{"new", "duplicate", "old"}
	if a < numArrivals {
		return names[a]
	}
	return "Arrival?"
}

// Take marks a datagram as received. Only a new one may be processed; call it after the datagram was validated,
// because whatever is taken is acknowledged.
func (w *Window) Take(s Seq) Arrival {
	newest := w.newest
	if !w.started {
		newest-- // as if the one before the first had arrived, so that lost ones before s count as missing
	}
	d := s.Since(newest)
	switch {
	case d == 0 && w.started:
		return ArrivalDuplicate
	case d > 0:
		// The newest becomes bit d−1, those between it and s are missing.
		if d > AckBits {
			w.missing = ^uint32(0)
		} else {
			w.missing = uint32(uint64(w.missing)<<d | (1<<(d-1) - 1))
		}
		w.started, w.newest = true, s
		return ArrivalNew
	case d < -AckBits || !w.started:
		return ArrivalOld
	}
	bit := uint32(1) << (-d - 1)
	if w.missing&bit == 0 {
		return ArrivalDuplicate
	}
	w.missing &^= bit
	return ArrivalNew
}

// Unbroken reports whether every datagram between two received ones was received, too. It returns false if that is
// unknown: before the window.
func (w *Window) Unbroken(from, to Seq) bool {
	for s := from + 1; s.Since(to) < 0; s++ {
		if back := w.newest.Since(s); back < 0 || back > AckBits || back > 0 && w.missing&(1<<(back-1)) != 0 {
			return false
		}
	}
	return true
}

// Look is [Window.Take] without taking.
func (w *Window) Look(s Seq) Arrival { c := *w; return c.Take(s) }

// Fill sets a header's acknowledgement.
func (w *Window) Fill(h *Header) { h.Acks, h.Ack, h.Missing = w.started, w.newest, w.missing }

// Notification is the delivery notification of a sent datagram.
type Notification struct {
	Seq Seq
	// Record is what the caller passed to [Sent.Push].
	Record int32
	// Delivered is false for one counted as lost. A lost one may still arrive (Sent.Spurious), which is harmless:
	// what it held is sent again with its present value.
	Delivered bool
}

// Sent is the sending side: the datagrams in flight, in a ring, each with the index of a record that the caller
// owns. Every record is returned exactly once, as a [Notification].
//
// A datagram is lost when one sent After numbers or more later was acknowledged and it was not, when it leaves the
// acknowledged window, or when the ring is full. Timeouts are up to the caller: [Sent.Lose].
//
// Invariant: next−oldest ≤ len(ring); the ring holds exactly the datagrams of [oldest, next); those that already
// have a delivery notification are marked done.
type Sent struct {
	// After is the tolerance to reordering, in datagrams; NewSent sets 3.
	After int
	// Spurious holds datagrams counted as lost that, by a later acknowledgement, have arrived. The caller empties
	// it.
	Spurious []Seq

	ring         []inFlight
	next, oldest Seq
	ackedAny     bool
	newestAck    Seq
	lostAny      bool
	newestLost   Seq
}

type inFlight struct {
	record int32
	done   bool
	lost   bool
}

// NewSent returns a ring of the given size, a power of two from 64 to 16 384; another size panics.
func NewSent(size int) *Sent {
	if size < 64 || size > 16384 || size&(size-1) != 0 {
		panic("wire: NewSent: the size must be a power of two from 64 to 16384")
	}
	return &Sent{After: 3, ring: make([]inFlight, size)}
}

// Next returns the number of the next datagram.
func (s *Sent) Next() Seq { return s.next }

// InFlight returns the number of datagrams from the oldest one without a delivery notification on, including later
// ones that have theirs.
func (s *Sent) InFlight() int { return s.next.Since(s.oldest) }

// Oldest returns the oldest datagram without a delivery notification; ok is false if there is none.
func (s *Sent) Oldest() (seq Seq, ok bool) { return s.oldest, s.oldest != s.next }

func (s *Sent) at(q Seq) *inFlight { return &s.ring[int(q)&(len(s.ring)-1)] }

// Push records a datagram just sent and returns its number. If the ring is full the oldest is lost and appended to
// out.
func (s *Sent) Push(record int32, out []Notification) (Seq, []Notification) {
	if s.next.Since(s.oldest) == len(s.ring) {
		out = s.lose(s.oldest+1, out)
	}
	q := s.next
	*s.at(q) = inFlight{record: record}
	s.next++
	return q, out
}

// Ack applies a header's acknowledgement and appends the resulting delivery notifications to out, oldest first. An
// acknowledgement of something never sent is an error and changes nothing; an old or repeated one has no effect.
func (s *Sent) Ack(h Header, out []Notification) ([]Notification, error) {
	if !h.Acks {
		return out, nil
	}
	if h.Ack.Since(s.next) >= 0 {
		return out, ErrRange
	}
	if s.lostAny {
		s.late(h)
	}
	if h.Ack.Since(s.oldest) < 0 {
		return out, nil // everything it acknowledges has its delivery notification
	}
	if !s.ackedAny || h.Ack.After(s.newestAck) {
		s.ackedAny, s.newestAck = true, h.Ack
	}
	lo := h.Ack - AckBits
	if s.oldest.After(lo) {
		lo = s.oldest
	}
	for q := lo; q.Since(h.Ack) <= 0; q++ {
		if f := s.at(q); !f.done {
			if back := h.Ack.Since(q); back == 0 || h.Missing&(1<<(back-1)) == 0 {
				f.done = true
				out = append(out, Notification{q, f.record, true})
			}
		}
	}
	lost := s.newestAck + 1 - Seq(max(s.After, 1))
	if w := s.newestAck - AckBits; lost.Since(w) < 0 {
		lost = w
	}
	out = s.lose(lost, out)
	return out, nil
}

// late finds lost datagrams that, by an acknowledgement, have arrived. The acknowledgement covers AckBits + 1
// datagrams, of which the ring has all lost ones that were not overwritten since.
func (s *Sent) late(h Header) {
	lo := h.Ack - AckBits
	if s.newestLost.Since(lo) < 0 {
		s.lostAny = s.newestLost.Since(s.newestAck-AckBits) >= 0
		return
	}
	for q := lo; q.Since(h.Ack) <= 0 && q.Since(s.oldest) < 0; q++ {
		f := s.at(q)
		if back := h.Ack.Since(q); f.lost && s.next.Since(q) <= len(s.ring) && (back == 0 || h.Missing&(1<<(back-1)) == 0) {
			f.lost = false
			s.Spurious = append(s.Spurious, q)
		}
	}
}

// Lose counts every datagram before the given number that has no delivery notification as lost.
func (s *Sent) Lose(before Seq, out []Notification) []Notification { return s.lose(before, out) }

func (s *Sent) lose(before Seq, out []Notification) []Notification {
	for s.oldest != s.next && (before.After(s.oldest) || s.at(s.oldest).done) {
		if f := s.at(s.oldest); !f.done {
			out = append(out, Notification{s.oldest, f.record, false})
			f.lost, s.lostAny, s.newestLost = true, true, s.oldest
		}
		s.oldest++
	}
	return out
}
