// Package session is what both ends of a connection share above the link: numbers of datagrams, acknowledgements, the
// count of processed messages. Each end tells the other how many reliable messages it processed (docs/protocol.md).
//
// Guarantees: Every datagram sent is reported exactly once, as delivered or lost.
package session

import (
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/tidelock/tidelock/netcode/link"
	"github.com/tidelock/tidelock/netcode/wire"
)

// maxOneLine bounds text of the other end in a line, in bytes. The longest that honest peers send are reasons of
// 256.
const maxOneLine = 256

// Quote formats a name or another text of the other end within a line: in quotation marks, with unprintable
// characters escaped, including marks that change the writing direction, and cut after maxOneLine bytes (G19).
func Quote(text string) string { return strconv.Quote(clip(text)) }

// clip cuts a text after maxOneLine bytes, between two characters, and marks the cut.
func clip(text string) string {
	if len(text) <= maxOneLine {
		return text
	}
	return strings.ToValidUTF8(text[:maxOneLine], "") + "…"
}

// OneLine makes text of the other end safe for a log or a terminal: unprintable characters, for example line ends,
// become question marks, and it is cut after maxOneLine bytes.
func OneLine(text string) string {
	text = clip(text)
	return strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return '?'
		}
		return r
	}, text)
}

// Reason returns why the other end closes the connection, fit to be shown.
func Reason(m wire.Refusal) link.Reason {
	return link.Reason{Code: OneLine(m.Code), Text: OneLine(m.Text)}
}

// OnlyReceived reports whether a datagram holds only the number of processed messages, which needs no
// acknowledgement of its own.
func OnlyReceived(r wire.Reader) bool {
	kind, n := r.Message()
	if kind == wire.KindReceived {
		r.Received(n)
		return !r.More()
	}
	return false
}

// flight is how many datagrams may wait for their delivery notification.
const flight = 256

// Session is one connection. It belongs to the goroutine that owns its link.
type Session struct {
	Conn link.Conn
	Ledger
}

// Ledger numbers a connection's datagrams and messages and knows the delivery notification of each. It does not
// know the link, so code that only has a Ledger can fill datagrams on another goroutine, one at a time, but cannot
// send.
type Ledger struct {
	// Now is the time of the last call that had one.
	Now time.Duration
	// RTT is the smoothed round trip of datagrams, 0 before the first; Jitter its mean deviation.
	RTT, Jitter time.Duration
	measured    time.Duration // when the last sample was taken
	doubt       time.Duration // a sample that was not trusted, 0 for none
	lastAck     wire.Seq      // the newest that the peer acknowledged
	anyAck      bool
	// Delivered and Lost count datagrams with more than acknowledgements, whose delivery notification is known;
	// pure acknowledgements are never acknowledged. Got counts received datagrams, Came how many the peer sent up
	// to the newest received one: Came minus Got were lost on the path here.
	Delivered, Lost, Got, Came uint64

	window        wire.Window
	newest        wire.Seq // received, +1
	sent          *wire.Sent
	records       [flight]record
	buf           []byte
	notifications []wire.Notification

	messagesOut, messagesIn uint16 // reliable ones sent, processed
	peerGot                 uint16 // of ours, processed by the other end
	told                    uint16 // number of the peer's processed messages as last sent to it
	owes                    bool   // something was received that is not acknowledged yet
}

type record struct {
	at       time.Duration
	received uint16
	payload  bool
	first    int32
	last     int32
}

// New returns the session of a connection that just opened.
func New(c link.Conn) *Session { return &Session{Conn: c, Ledger: Ledger{sent: wire.NewSent(flight)}} }

// Send sends a reliable message and returns its number. An error is the link's.
func (s *Session) Send(b []byte) (n uint16, err error) {
	if err := s.Conn.Send(b); err != nil {
		return 0, err
	}
	s.messagesOut++
	return s.messagesOut, nil
}

// LastMessage returns the number of the newest reliable message sent.
func (s *Ledger) LastMessage() uint16 { return s.messagesOut }

// Processed records that a reliable message of the other end was processed.
func (s *Ledger) Processed() { s.messagesIn++; s.owes = true }

// Messages returns how many reliable messages of the other end were processed, modulo 65 536.
func (s *Ledger) Messages() uint16 { return s.messagesIn }

// Due reports whether reliable message n of the other end was processed.
func (s *Ledger) Due(n uint16) bool { return int16(s.messagesIn-n) >= 0 }

// PeerHas reports whether the other end has confirmed that it processed our reliable message n.
func (s *Ledger) PeerHas(n uint16) bool { return int16(s.peerGot-n) >= 0 }

// Owes reports whether something was received that no datagram of ours has acknowledged.
func (s *Ledger) Owes() bool { return s.owes }

// Next returns the number of the next datagram.
func (s *Ledger) Next() wire.Seq { return s.sent.Next() }

// Begin starts a datagram: its header and, if it has changed, how many reliable messages were processed. The slice
// is valid until Finish.
func (s *Ledger) Begin() []byte {
	h := wire.Header{Seq: s.sent.Next()}
	s.window.Fill(&h)
	b := wire.AppendHeader(s.buf[:0], h)
	if s.messagesIn != s.told {
		b = wire.AppendReceived(b, s.messagesIn)
	}
	s.buf = b
	return b
}

// Finish sends what Begin started. payload says whether it is more than an acknowledgement, which is never
// acknowledged; first and last are the caller's own values, returned with the datagram's delivery notification.
func (s *Session) Finish(b []byte, payload bool, first, last int32) error {
	s.Note(b, payload, first, last)
	return s.Conn.SendDatagram(b)
}

// Note is [Session.Finish] without sending: the caller passes what Begin started to the link.
func (s *Ledger) Note(b []byte, payload bool, first, last int32) {
	s.buf = b
	var seq wire.Seq
	seq, s.notifications = s.sent.Push(0, s.notifications)
	s.records[seq%flight] = record{at: s.Now, received: s.messagesIn, payload: payload || s.messagesIn != s.told, first: first, last: last}
	s.owes = false
}

// Datagram is a received datagram: R reads its messages and deltas.
type Datagram struct {
	Seq wire.Seq
	R   wire.Reader
}

// Open checks a received datagram: guard, header, window. ok is false if it must be ignored: it is malformed (err),
// or was received before. The caller reads d.R to its end and, if it was valid, calls Take.
func (s *Ledger) Open(b []byte, d *Datagram) (h wire.Header, ok bool, err error) {
	if err = wire.Guard(b); err == nil {
		d.R = wire.NewReader(b)
		h = d.R.Header()
		d.Seq, err = h.Seq, d.R.Err()
	}
	return h, err == nil && s.window.Look(h.Seq) == wire.ArrivalNew, err
}

// Take accepts a datagram whose contents were valid: it will be acknowledged, and the acknowledgement in its header
// is applied. payload as in Finish.
func (s *Ledger) Take(h wire.Header, payload bool, now time.Duration) error {
	s.Now = now
	var err error
	if s.notifications, err = s.sent.Ack(h, s.notifications); err != nil {
		return err
	}
	s.window.Take(h.Seq)
	s.Got++
	if d := (h.Seq + 1).Since(s.newest); d > 0 {
		s.Came += uint64(d)
		s.newest = h.Seq + 1
	}
	if payload {
		s.owes = true
	}
	// Measured by the acknowledgement itself, whatever delivery notification was decided earlier: on a path that
	// became longer, everything would otherwise count as lost, and the path would never be measured.
	if q := h.Ack; h.Acks && (!s.anyAck || q.After(s.lastAck)) {
		s.anyAck, s.lastAck = true, q
		if back := s.sent.Next().Since(q); back > 0 && back <= flight {
			s.measure(now - s.records[q%flight].at)
		}
	}
	return nil
}

// Number returns the number of the peer's datagram, counted from 0 without wrapping, so that any two can be
// compared, while Seqs only compare within 32 768 datagrams. It is computed relative to the newest received one.
func (s *Ledger) Number(q wire.Seq) int64 { return int64(s.Came) + int64(q.Since(s.newest)) }

// Unbroken reports whether every datagram of the peer between two received ones, by their Numbers, was received,
// too; false if they are too old to know.
func (s *Ledger) Unbroken(from, to int64) bool {
	return to-from <= wire.AckBits && s.window.Unbroken(wire.Seq(from), wire.Seq(to))
}

// seldom is the time since the last sample from which a new one counts for half: an idle connection has one per
// second, and an eighth of each would take a quarter of a minute to follow a changed path.
const seldom = 250 * time.Millisecond

// doubtful is by how much a rare sample must exceed the likely value to be attributed to a lost acknowledgement.
const doubtful = 50 * time.Millisecond

func (s *Ledger) measure(rtt time.Duration) {
	if s.RTT == 0 {
		s.RTT, s.Jitter, s.measured = rtt, rtt/4, s.Now
		return
	}
	weight := time.Duration(8) // RFC 6298
	if s.Now-s.measured > seldom {
		weight = 2
		// If an acknowledgement was lost and nothing else is sent, the next datagram repeats it, up to a second
		// later: a much longer sample is only trusted when the next one is long too, and then the shorter of both
		// counts.
		if rtt > s.RTT+4*s.Jitter+doubtful {
			if s.doubt == 0 {
				s.doubt = rtt
				return
			}
			rtt = min(rtt, s.doubt)
		}
	}
	s.measured, s.doubt = s.Now, 0
	d := rtt - s.RTT
	s.RTT += d / weight
	if d < 0 {
		d = -d
	}
	s.Jitter += (d - s.Jitter) / 8
}

// Received processes the peer's number of processed reliable messages.
func (s *Ledger) Received(n uint16) {
	if int16(n-s.peerGot) > 0 && int16(s.messagesOut-n) >= 0 {
		s.peerGot = n
	}
}

// Expire counts datagrams as lost whose acknowledgement is overdue.
func (s *Ledger) Expire(now time.Duration) {
	s.Now = now
	limit := 3*s.RTT/2 + 4*s.Jitter + 100*time.Millisecond
	if s.RTT == 0 {
		limit = time.Second
	}
	for {
		q, ok := s.sent.Oldest()
		if !ok || now-s.records[q%flight].at < limit {
			return
		}
		s.notifications = s.sent.Lose(q+1, s.notifications)
	}
}

// OldestFirst returns the value of first that was passed to Finish for the oldest datagram without a delivery
// notification, or none if there is no such datagram.
func (s *Ledger) OldestFirst(none int32) int32 {
	if q, ok := s.sent.Oldest(); ok {
		return s.records[q%flight].first
	}
	return none
}

// InFlight returns how many datagrams were sent from the oldest without a delivery notification on; 0 for none.
func (s *Ledger) InFlight() int { return s.sent.InFlight() }

// LoseAll counts every datagram without a delivery notification as lost.
func (s *Ledger) LoseAll() { s.notifications = s.sent.Lose(s.sent.Next(), s.notifications) }

// Spurious calls f for every datagram of ours that was counted as lost and has since been acknowledged after all,
// with the values passed to Finish. Notifications forgets those that were not fetched.
func (s *Session) Spurious(f func(first, last int32)) {
	for _, q := range s.sent.Spurious {
		r := &s.records[q%flight]
		f(r.first, r.last)
	}
	s.sent.Spurious = s.sent.Spurious[:0]
}

// Notifications calls f for every datagram of ours with a new delivery notification, with the values passed to
// Finish.
func (s *Ledger) Notifications(f func(delivered bool, seq wire.Seq, first, last int32)) {
	for i := 0; i < len(s.notifications); i++ {
		x := s.notifications[i]
		r := &s.records[x.Seq%flight]
		if x.Delivered && int16(r.received-s.told) > 0 {
			s.told = r.received
		}
		switch {
		case !r.payload:
		case x.Delivered:
			s.Delivered++
		default:
			s.Lost++
		}
		f(x.Delivered, x.Seq, r.first, r.last)
	}
	s.notifications, s.sent.Spurious = s.notifications[:0], s.sent.Spurious[:0]
}
