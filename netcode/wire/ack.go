package wire

// Window is the receiving side of acknowledgement: which datagrams came. The zero Window has seen none; numbers
// start at 0.
type Window struct {
	started bool
	newest  Seq
	missing uint32 // as in Header
}

// Arrival is what [Window.Take] says of a datagram.
type Arrival uint8

// The arrivals. Old ones lie before the window: whether they came before is not known any more, so they are
// not taken.
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

// Take marks a datagram as got. Only a new one may be processed; call it after the datagram was found sound,
// since what is taken is acknowledged.
func (w *Window) Take(s Seq) Arrival {
	newest := w.newest
	if !w.started {
		newest-- // as if the one before the first had come, so that lost ones before s count as missing
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

// Unbroken reports whether every datagram between two that came has come, too. It is false where that is not known: before the
// window.
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

// Fill sets what a header says of the datagrams got.
func (w *Window) Fill(h *Header) { h.Acks, h.Ack, h.Missing = w.started, w.newest, w.missing }

// Notification is what became of a datagram sent.
type Notification struct {
	Seq Seq
	// Record is what the caller gave to [Sent.Push].
	Record int32
	// Delivered is false for one counted as lost. A lost one may still arrive (Sent.Spurious): that is nobody's harm, since
	// what it held is sent again as it then is.
	Delivered bool
}

// Sent is the sending side: the datagrams on their way, in a ring, each with the index of a record that the
// caller owns. Every record comes back exactly once, as a [Notification].
//
// A datagram is lost when one sent After numbers or more later was acknowledged and it was not, when it falls
// out of the acknowledged window, or when the ring is full. A time-out is the caller's to decide:
// [Sent.Lose].
//
// Invariant: next−oldest ≤ len(ring); the ring holds exactly the datagrams of [oldest, next), those with a
// delivery notification already marked done.
type Sent struct {
	// After is the tolerance to reordering, in datagrams; NewSent sets 3.
	After int
	// Spurious are datagrams counted as lost that an acknowledgement has since shown to have come. The caller empties it.
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

// NewSent is a ring of the given size, a power of two from 64 to 16 384; another size panics.
func NewSent(size int) *Sent {
	if size < 64 || size > 16384 || size&(size-1) != 0 {
		panic("wire: NewSent: the size must be a power of two from 64 to 16384")
	}
	return &Sent{After: 3, ring: make([]inFlight, size)}
}

// Next is the number of the next datagram.
func (s *Sent) Next() Seq { return s.next }

// InFlight is how many datagrams have no delivery notification yet, those done in between included.
func (s *Sent) InFlight() int { return s.next.Since(s.oldest) }

// Oldest is the oldest datagram without a delivery notification; ok is false where there is none.
func (s *Sent) Oldest() (seq Seq, ok bool) { return s.oldest, s.oldest != s.next }

func (s *Sent) at(q Seq) *inFlight { return &s.ring[int(q)&(len(s.ring)-1)] }

// Push remembers a datagram just sent and gives its number. If the ring is full the oldest is lost and
// appended to out.
func (s *Sent) Push(record int32, out []Notification) (Seq, []Notification) {
	if s.next.Since(s.oldest) == len(s.ring) {
		out = s.lose(s.oldest+1, out)
	}
	q := s.next
	*s.at(q) = inFlight{record: record}
	s.next++
	return q, out
}

// Ack applies a header's acknowledgement and appends the delivery notifications it decides to out, oldest first. An
// acknowledgement of something never sent is an error and changes nothing; an old or repeated one decides
// nothing new.
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
		return out, nil // all that it tells of has its delivery notification
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

// late finds the lost ones that an acknowledgement shows to have come. It tells of AckBits + 1 datagrams, of which the ring has all
// that are lost and were not overwritten since.
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
