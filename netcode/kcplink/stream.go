package kcplink

import (
	"encoding/binary"
	"math/bits"
	"time"

	"github.com/xtaci/kcp-go/v5"

	"github.com/tidelock/tidelock/netcode/link"
)

// stream is the reliable half of a connection: messages, each after its length as a varint of at most three bytes,
// are concatenated to one stream, which is cut into segments of up to maxSegment for KCP. So many small messages
// share one segment, KCP never fragments, and data that waits for the window waits here, where it is counted.
//
// Invariant: acked ≤ first ≤ fed ≤ wrote, all in bytes of the stream.
type stream struct {
	kcp *kcp.KCP
	// queue holds the stream from fed to wrote.
	queue                    fifo[byte]
	wrote, fed, first, acked uint64
	// messages holds the sizes of messages that are not completely acknowledged; the oldest begins at base. The
	// first firstN of them were sent, and end at firstEnd.
	messages       fifo[uint32]
	base, firstEnd uint64
	firstN         int
	// segments holds the sizes of KCP's segments. newest is the number of the next one that was never sent.
	segments fifo[uint16]
	newest   uint32
	// in is the beginning of an incomplete message.
	in []byte
	// owing is set while KCP has something to send, by oweBy.
	owing bool
	oweBy time.Duration
	// flushAt mirrors KCP's own next flush, on its clock; beat is when it was last checked, on ours.
	flushAt uint32
	started bool
	beat    time.Duration
	// unsent counts segments that KCP has never flushed; rest is how long after beat no timeout can be due.
	unsent int
	rest   time.Duration
	// window is how many segments KCP may have now: it grows with acknowledgements and is halved, once per round
	// trip, when some are retransmitted because of congestion: round trips have grown, or loss exceeds that of bad
	// paths. KCP's own window falls to one at every loss, which is too cautious for a game; without any, a slow
	// line would carry everything twice.
	window, credit int
	slowStart      bool
	cutAt          time.Duration
	// trip is the smoothed round trip of segments, leastTrip the shortest so far; 0 before the first.
	trip, leastTrip time.Duration
	// fresh and again count segments sent for the first time and retransmitted since cutAt was set.
	fresh, again int
	repeats      again
	allow        allowance
	// rate in bytes per second, and its remaining tokens.
	rate   int
	left   float64
	leftAt time.Duration
}

// kcpClock reads KCP's clock, which is the process's and not exported: a KCP that was never updated returns the
// time from Check.
type kcpClock struct{ probe *kcp.KCP }

func newKCPClock() kcpClock { return kcpClock{kcp.NewKCP(0, func([]byte, int) {})} }

func (k kcpClock) now() uint32 { return k.probe.Check() }

func (s *stream) open(c *Conn) {
	s.kcp = kcp.NewKCP(conversation, func(b []byte, n int) { s.output(c, b[:n]) })
	s.window, s.slowStart = firstWindow, true
	s.kcp.SetMtu(maxSegment + kcpHeader)
	s.kcp.WndSize(segmentWindow, segmentWindow)
	// No delay, fast retransmission after two later acknowledgements, and KCP's congestion window off: it falls to
	// one segment at every loss, and messages of a game are few.
	s.kcp.NoDelay(1, int(kcpInterval/time.Millisecond), 2, 1)
	if trip := c.l.now - c.asked; trip < maxFirstTrip {
		s.expect(c, trip)
	}
}

// expect tells KCP the round-trip time before it has sent anything. By default it assumes 200 ms, and on a longer
// path it sends everything twice at first. The only input is acknowledgements, of a segment that never existed;
// several of them, so that KCP does not wait three times as long for a lost one.
func (s *stream) expect(c *Conn, trip time.Duration) {
	var b [4 * kcpHeader]byte
	for i := 0; i < len(b); i += kcpHeader {
		seg := b[i : i+kcpHeader]
		binary.LittleEndian.PutUint32(seg, conversation)
		seg[4] = kcpAck
		binary.LittleEndian.PutUint16(seg[6:], segmentWindow)
		binary.LittleEndian.PutUint32(seg[8:], c.l.kcpNow-uint32(trip.Milliseconds()))
		binary.LittleEndian.PutUint32(seg[12:], ^uint32(0))  // the one before the first
		_ = s.kcp.Input(seg, kcp.IKCP_PACKET_REGULAR, false) // it is sound
	}
}

// close releases everything except the counters.
func (s *stream) close() {
	s.kcp, s.in, s.owing = nil, nil, false
	s.queue, s.messages, s.segments = fifo[byte]{}, fifo[uint32]{}, fifo[uint16]{}
	s.repeats.list, s.allow = nil, allowance{}
}

func (s *stream) unacked() int { return int(s.wrote - s.acked) }

// push queues a message unless the queue is full.
func (s *stream) push(b []byte, l *Limits) bool {
	if s.unacked()+len(b) > l.QueueBytes || s.messages.len() >= l.QueueMessages {
		return false
	}
	var prefix [binary.MaxVarintLen32]byte
	n := binary.PutUvarint(prefix[:], uint64(len(b)))
	s.queue.append(prefix[:n])
	s.queue.append(b)
	s.wrote += uint64(n + len(b))
	s.messages.push(uint32(len(b)))
	return true
}

// framed returns the length of a message of that size in the stream.
func framed(size uint32) uint64 {
	return uint64(size) + 1 + uint64(bits.Len32(size|1)-1)/7
}

// feed gives KCP what its window permits.
func (s *stream) feed(c *Conn) {
	for s.queue.len() > 0 && s.segments.len() < s.window && s.allowed(c.l.now) {
		chunk := s.queue.head(s.allow.longest())
		if !c.mayFeed(len(chunk)) {
			break
		}
		if s.kcp.Send(chunk) < 0 {
			return // impossible: one segment, not empty
		}
		s.left -= float64(len(chunk))
		s.fed += uint64(len(chunk))
		s.segments.push(uint16(len(chunk)))
		s.unsent++
		s.allow.unsent += pushHeader + len(chunk)
		s.queue.pop(len(chunk))
		s.owe(c.l.now - ackDelay)
	}
	if s.queue.len() == 0 {
		s.queue.shrink(bigQueue)
	}
}

// allowed checks the rate. One segment may overdraw it.
func (s *stream) allowed(now time.Duration) bool {
	if s.rate == 0 {
		return true
	}
	r := float64(s.rate)
	s.left = min(s.left+r*(now-s.leftAt).Seconds(), max(maxSegment, r/10))
	s.leftAt = now
	return s.left > 0
}

// owe records that KCP has something to send, which may wait for ackDelay.
func (s *stream) owe(now time.Duration) {
	if by := now + ackDelay; !s.owing || by < s.oweBy {
		s.owing, s.oweBy = true, by
	}
}

// update lets KCP send, at most once per interval.
func (s *stream) update(c *Conn) {
	if !s.owing && s.segments.len() == 0 {
		return
	}
	s.beat, s.rest = c.l.now, kcpInterval
	now := c.l.kcpNow
	if s.started && int32(now-s.flushAt) < 0 {
		return
	}
	s.started = true
	s.kcp.Update()
	if s.unsent == s.segments.len() {
		s.rest = leastRTO // all of them were sent just now
	}
	s.unsent, s.allow.unsent, s.allow.acks = 0, 0, 0
	s.flushAt = now + uint32(kcpInterval/time.Millisecond)
	s.owing = false
}

// nextDue returns when update is to be called, or due if that is earlier.
func (s *stream) nextDue(due time.Duration) time.Duration {
	if s.owing {
		due = min(due, max(s.oweBy, s.beat+kcpInterval))
	}
	switch {
	case s.queue.len() > 0 || s.unsent > 0:
		due = min(due, s.beat+kcpInterval)
	case s.segments.len() > 0:
		due = min(due, s.beat+s.rest)
	}
	return s.repeats.nextDue(due)
}

// output is called by KCP with segments to send.
func (s *stream) output(c *Conn, b []byte) {
	for len(b) >= kcpHeader {
		n := kcpHeader + int(binary.LittleEndian.Uint32(b[20:]))
		seg := b[:n]
		b = b[n:]
		switch {
		case seg[4] != kcpPush:
			s.allow.left -= c.cost(segmentSize(seg))
			c.write(seg)
		case len(s.allow.held) > 0 || !c.admit(segmentSize(seg)):
			s.allow.hold(seg)
		default:
			s.emit(c, seg)
		}
	}
}

// write writes a segment's frame to the packet being filled.
func (c *Conn) write(seg []byte) {
	o := c.pack(segmentSize(seg))
	c.filled(appendSegment(c.free(o), seg))
}

// emit sends a segment with data.
func (s *stream) emit(c *Conn, seg []byte) {
	c.write(seg)
	if number := binary.LittleEndian.Uint32(seg[12:]); number != s.newest {
		c.stats.RetransmittedOut += uint64(len(seg) - kcpHeader)
		s.again++
		s.repeats.add(c.l.now, number, seg, s.segments.len() <= againThin)
		s.lost(c)
		return
	}
	s.repeats.first(s.newest)
	s.newest++
	s.fresh++
	s.first += uint64(len(seg) - kcpHeader)
	for s.firstN < s.messages.len() {
		size := s.messages.at(s.firstN)
		if s.firstEnd+framed(size) > s.first {
			break
		}
		s.firstEnd += framed(size)
		s.firstN++
		c.stats.MessageBytesOut += uint64(size)
	}
}

// lost shrinks the window if a retransmission is a sign of congestion.
func (s *stream) lost(c *Conn) {
	if c.l.now < s.cutAt {
		return
	}
	if s.again*waysOwnLoss > s.fresh+s.again+waysOwnLoss || s.trip > s.leastTrip+s.leastTrip/2+tripSlack {
		s.window, s.slowStart = max(leastWindow, s.window/2), false
	}
	s.fresh, s.again = 0, 0
	s.cutAt = c.l.now + max(s.trip, hurryEvery/2)
}

// measure updates the round-trip time from acknowledgements.
func (s *stream) measure(c *Conn, segments []byte) {
	for len(segments) >= kcpHeader {
		if segments[4] == kcpAck {
			trip := time.Duration(int32(c.l.kcpNow-binary.LittleEndian.Uint32(segments[8:]))) * time.Millisecond
			if trip >= 0 && trip < time.Minute { // more is a lie
				if s.leastTrip == 0 || trip < s.leastTrip {
					s.leastTrip = trip
				}
				if s.trip == 0 {
					s.trip = trip
				}
				s.trip += (trip - s.trip) / 8
			}
		}
		segments = segments[kcpHeader+int(binary.LittleEndian.Uint32(segments[20:])):]
	}
}

// input gives KCP segments and delivers the messages that they complete.
func (s *stream) input(c *Conn, segments []byte) {
	if s.kcp.Input(segments, kcp.IKCP_PACKET_REGULAR, false) < 0 {
		c.l.count.BadFrames++ // impossible: frames were checked
		return
	}
	s.measure(c, segments)
	for s.segments.len() > s.kcp.WaitSnd() {
		s.acked += uint64(s.segments.at(0))
		s.segments.pop(1)
		if s.credit++; s.slowStart || s.credit >= s.window {
			s.window, s.credit = min(s.window+1, segmentWindow), 0
		}
	}
	for s.messages.len() > 0 && s.base+framed(s.messages.at(0)) <= s.acked {
		s.base += framed(s.messages.at(0))
		s.messages.pop(1)
		s.firstN--
	}
	for s.kcp.PeekSize() >= 0 {
		n := s.kcp.Recv(c.l.scratch[:])
		if n < 0 || !s.deliver(c, c.l.scratch[:n]) {
			return
		}
	}
}

// deliver processes the next bytes of the other side's stream. It returns false when the connection is no longer
// open.
func (s *stream) deliver(c *Conn, b []byte) bool {
	partial, most := len(s.in) > 0, uint64(link.MaxUpMessage)
	if c.dialled {
		most = link.MaxMessage
	}
	if partial {
		s.in = append(s.in, b...) // grows with what arrived, not with a declared length
		b = s.in
	}
	for {
		size, n := binary.Uvarint(b[:min(len(b), 3)])
		if n < 0 || n == 0 && len(b) >= 3 || size > most {
			c.l.count.BadFrames++
			c.end(link.Reason{Code: "protocol", Text: "a message with an impossible length"}, true)
			return false
		}
		if n == 0 || uint64(len(b)-n) < size {
			break
		}
		c.l.handler.Message(c, b[n:n+int(size)])
		if c.state != stateOpen {
			return false
		}
		b = b[n+int(size):]
	}
	switch {
	case partial:
		s.in = s.in[:copy(s.in, b)]
	case len(b) > 0:
		s.in = append(s.in, b...)
	}
	if len(s.in) == 0 && cap(s.in) > bigQueue {
		s.in = nil
	}
	return true
}

// fifo is a queue in a slice.
type fifo[T any] struct {
	b    []T
	from int
}

func (f *fifo[T]) len() int       { return len(f.b) - f.from }
func (f *fifo[T]) at(i int) T     { return f.b[f.from+i] }
func (f *fifo[T]) head(n int) []T { return f.b[f.from:][:min(n, f.len())] }

func (f *fifo[T]) push(v T) {
	f.compact(1)
	f.b = append(f.b, v)
}

func (f *fifo[T]) append(v []T) {
	f.compact(len(v))
	f.b = append(f.b, v...)
}

// compact moves everything to the front when n more would not fit and half is waste.
func (f *fifo[T]) compact(n int) {
	if f.from > 0 && len(f.b)+n > cap(f.b) && f.from >= len(f.b)/2 {
		f.b, f.from = f.b[:copy(f.b, f.b[f.from:])], 0
	}
}

func (f *fifo[T]) pop(n int) {
	if f.from += n; f.from == len(f.b) {
		f.b, f.from = f.b[:0], 0
	}
}

// shrink releases an empty queue's large buffer.
func (f *fifo[T]) shrink(most int) {
	if f.len() == 0 && cap(f.b) > most {
		f.b, f.from = nil, 0
	}
}
