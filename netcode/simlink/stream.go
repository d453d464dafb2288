package simlink

import (
	"encoding/binary"
	"time"

	"github.com/tidelock/tidelock/netcode/link"
)

// arq is the reliable half of a connection: messages, each after its length as a varint, are concatenated to one
// stream, which is cut into segments of up to maxSegment. It is kcp-go's KCP with no delay set (NoDelay(1, 10, 2,
// 1)) in virtual time, rule by rule: every segment is acknowledged separately; it is retransmitted after its
// timeout, which grows by half of the connection's, or, once per timeout, when two later ones were acknowledged, or
// one and there is nothing new to send; and messages are delivered in order. Beyond KCP, as in kcplink, a
// retransmitted segment is repeated in a few of the next packets too (againMost).
//
// Invariant: snd holds the segments from una to next in order of number; those that were acknowledged out of order
// are done. acks ≤ fed ≤ wrote, in bytes of the stream.
type arq struct {
	queue     []byte // the stream from fed to wrote, from qhead
	qhead     int
	wrote     uint64
	done      uint64 // acknowledged without a gap
	fed       uint64
	ends      []uint64 // of messages that are not completely acknowledged, in bytes of the stream; from ehead
	ehead     int
	snd       [segmentWindow]segment // by number
	una, next uint32
	// cutting the stream: payload left of the message, and its length as far as it was read.
	left  int
	acc   int
	shift uint

	srtt, rttvar, rto time.Duration
	lastTS            uint32 // of the last acknowledgement in a packet
	anyAck            bool

	// The receiving side.
	rcv   [segmentWindow][]byte // by number, nil if it has not arrived
	want  uint32                // the next number
	in    []byte                // the stream as far as it arrived and was not delivered, from ihead
	ihead int
	owed  []owedAck
	owedA time.Duration // since when
}

type segment struct {
	data     []byte
	end      uint64
	ts       uint32
	sent     int
	at       time.Duration // when it was last sent
	resend   time.Duration
	rto      time.Duration
	again    int // how often it is still to be repeated in a later packet
	fastacks int
	done     bool
}

// untilTimeout is how far below 0 a segment's count of later acknowledgements starts after a fast retransmission:
// no second one before its time-out.
const untilTimeout = -1 << 30

type owedAck struct{ ts, sn uint32 }

// open begins the stream. Without the round trip of the handshake, everything sent before the first acknowledgement
// would be sent twice on a path longer than rtoFirst. It counts as several measurements, so that the variation does
// not triple the wait for a lost segment.
func (s *arq) open(trip time.Duration) {
	s.rto = rtoFirst
	if trip < maxFirstTrip {
		for range 4 {
			s.measure(trip)
		}
	}
}

// close releases everything.
func (s *arq) close(n *Network) {
	for s.una != s.next {
		g := &s.snd[s.una%segmentWindow]
		if g.data != nil {
			n.recycle(g.data)
			g.data = nil
		}
		s.una++
	}
	for i, b := range s.rcv {
		if b != nil {
			n.recycle(b)
			s.rcv[i] = nil
		}
	}
	s.queue, s.ends, s.in, s.owed = nil, nil, nil, nil
	s.qhead, s.ehead, s.ihead = 0, 0, 0
	s.done = s.wrote
}

func (s *arq) unacked() int { return int(s.wrote - s.done) }

// push queues a message unless the queue is full.
func (s *arq) push(b []byte, cfg *Config) bool {
	if s.unacked()+len(b) > cfg.QueueBytes || len(s.ends)-s.ehead >= cfg.QueueMessages {
		return false
	}
	if s.qhead > 0 && len(s.queue)+len(b)+3 > cap(s.queue) {
		n := copy(s.queue, s.queue[s.qhead:])
		s.queue, s.qhead = s.queue[:n], 0
	}
	before := len(s.queue)
	s.queue = binary.AppendUvarint(s.queue, uint64(len(b)))
	s.queue = append(s.queue, b...)
	s.wrote += uint64(len(s.queue) - before)
	if s.ehead > 0 && len(s.ends) == cap(s.ends) {
		n := copy(s.ends, s.ends[s.ehead:])
		s.ends, s.ehead = s.ends[:n], 0
	}
	s.ends = append(s.ends, s.wrote)
	return true
}

// payload returns the bytes of messages in a part of the stream, without their lengths.
func (s *arq) payload(b []byte) (n int) {
	for i := 0; i < len(b); {
		if s.left > 0 {
			k := min(s.left, len(b)-i)
			s.left -= k
			n += k
			i += k
			continue
		}
		s.acc |= int(b[i]&0x7f) << s.shift
		s.shift += 7
		if b[i] < 0x80 {
			s.left, s.acc, s.shift = s.acc, 0, 0
		}
		i++
	}
	return n
}

// tick returns the unit of segments' stamps: tenths of a millisecond, so that short paths can be distinguished.
func tick(now time.Duration) uint32 { return uint32(now / (100 * time.Microsecond)) }

// flush sends acknowledgements, retransmissions, and new segments within the window.
func (s *arq) flush(c *Conn, now time.Duration) {
	for _, a := range s.owed {
		c.left -= c.cost(ackSize)
		p := c.room(ackSize)
		p.buf = appendAck(p.buf, frameAck, a.ts, a.sn, s.want)
		c.overhead += ackSize
	}
	s.owed = s.owed[:0]

	fresh := s.next-s.una < segmentWindow && s.qhead < len(s.queue)
	for sn := s.una; sn != s.next; sn++ {
		g := &s.snd[sn%segmentWindow]
		why := g.due(now, fresh)
		if why == notDue {
			continue
		}
		if !c.admit(pushHeader + len(g.data)) {
			return // in order: what waited longest is sent first
		}
		switch why {
		case overtaken:
			g.rto, g.fastacks, g.again = s.rto, untilTimeout, s.repeats(g)
		case timedOut:
			g.rto += s.rto / 2
			g.fastacks, g.again = 0, s.repeats(g)
		case repeated:
			g.again--
		case notDue:
		}
		c.stats.RetransmittedOut += uint64(len(g.data))
		if why != repeated {
			g.sent++
			g.resend = now + g.rto
		}
		s.put(c, now, sn, g)
	}
	for s.next-s.una < segmentWindow && s.qhead < len(s.queue) {
		n := min(len(s.queue)-s.qhead, c.longest())
		if !c.admit(pushHeader + n) {
			return
		}
		g := &s.snd[s.next%segmentWindow]
		*g = segment{data: append(c.end.net.buffer(), s.queue[s.qhead:s.qhead+n]...), sent: 1, rto: s.rto, resend: now + s.rto}
		s.qhead += n
		s.fed += uint64(n)
		g.end = s.fed
		payload := s.payload(g.data)
		c.stats.MessageBytesOut += uint64(payload)
		c.overhead += uint64(n - payload) // lengths of messages
		s.put(c, now, s.next, g)
		s.next++
	}
	if s.qhead == len(s.queue) {
		s.queue, s.qhead = s.queue[:0], 0
	}
}

// why is the reason for retransmitting a segment.
type why uint8

const (
	notDue why = iota
	overtaken
	timedOut
	repeated
)

// due returns why a segment is to be retransmitted now. fresh: there are new ones to send.
func (g *segment) due(now time.Duration, fresh bool) why {
	switch {
	case g.done:
		return notDue
	case g.fastacks >= fastResend, g.fastacks > 0 && !fresh:
		return overtaken
	case now >= g.resend:
		return timedOut
	case g.again > 0 && now-g.at >= againGap:
		return repeated
	}
	return notDue
}

// waiting returns how many bytes flush would put on the wire if it were not bounded.
func (s *arq) waiting(now time.Duration) int {
	n := len(s.owed) * ackSize
	fresh := s.next-s.una < segmentWindow && s.qhead < len(s.queue)
	for sn := s.una; sn != s.next; sn++ {
		if g := &s.snd[sn%segmentWindow]; g.due(now, fresh) != notDue {
			n += pushHeader + len(g.data)
		}
	}
	if fresh {
		q := min(len(s.queue)-s.qhead, int(segmentWindow-(s.next-s.una))*maxSegment)
		n += q + (q+maxSegment-1)/maxSegment*pushHeader
	}
	return n + (n+maxPlain-1)/maxPlain*PacketOverhead
}

// repeats returns in how many later packets a retransmitted segment is repeated.
func (s *arq) repeats(g *segment) int {
	n := min(g.sent, againMost)
	if s.next-s.una > againThin {
		n--
	}
	return n
}

// put writes a segment to the packet being filled.
func (s *arq) put(c *Conn, now time.Duration, sn uint32, g *segment) {
	g.at, g.ts = now, tick(now)
	p := c.room(pushHeader + len(g.data))
	p.buf = appendPush(p.buf, g.ts, sn, s.want, g.data)
	c.overhead += pushHeader
}

// overdue reports whether acknowledgements or a retransmission are waiting because nobody flushes.
func (s *arq) overdue(now time.Duration) bool {
	if len(s.owed) > 0 && now-s.owedA >= ackDelay {
		return true
	}
	for sn := s.una; sn != s.next; sn++ {
		g := &s.snd[sn%segmentWindow]
		if !g.done && g.sent > 0 && (now-g.resend >= ackDelay || g.again > 0 && now-g.at >= againGap+ackDelay) {
			return true
		}
	}
	return false
}

// onPush processes a segment.
func (s *arq) onPush(c *Conn, now time.Duration, body []byte) {
	ts, sn, una := binary.BigEndian.Uint32(body[3:]), binary.BigEndian.Uint32(body[7:]), binary.BigEndian.Uint32(body[11:])
	s.freeUntil(c.end.net, una)
	if int32(sn-s.want) >= segmentWindow {
		return
	}
	if len(s.owed) == 0 {
		s.owedA = now
	}
	s.owed = append(s.owed, owedAck{ts, sn})
	if int32(sn-s.want) < 0 || s.rcv[sn%segmentWindow] != nil {
		return
	}
	s.rcv[sn%segmentWindow] = append(c.end.net.buffer(), body[pushHeader:]...)
}

// onAck processes the acknowledgement of one segment.
func (s *arq) onAck(c *Conn, body []byte) {
	ts, sn, una := binary.BigEndian.Uint32(body[3:]), binary.BigEndian.Uint32(body[7:]), binary.BigEndian.Uint32(body[11:])
	s.freeUntil(c.end.net, una)
	s.anyAck, s.lastTS = true, ts
	if int32(sn-s.una) < 0 || int32(sn-s.next) >= 0 {
		return
	}
	s.snd[sn%segmentWindow].done = true
	for k := s.una; k != sn; k++ { // earlier ones were overtaken once more
		if g := &s.snd[k%segmentWindow]; int32(ts-g.ts) >= 0 {
			g.fastacks++
		}
	}
}

// acked completes the acknowledgements of one packet: the last measures the round trip.
func (s *arq) acked(n *Network, now time.Duration) {
	if s.anyAck {
		s.anyAck = false
		if rtt := time.Duration(int32(tick(now)-s.lastTS)) * (100 * time.Microsecond); rtt >= 0 {
			s.measure(rtt)
		}
	}
	una := s.una
	for una != s.next && s.snd[una%segmentWindow].done {
		una++
	}
	s.freeUntil(n, una)
}

// freeUntil frees the segments before una: all of them arrived.
func (s *arq) freeUntil(n *Network, una uint32) {
	if int32(una-s.next) > 0 {
		return
	}
	for ; int32(una-s.una) > 0; s.una++ {
		g := &s.snd[s.una%segmentWindow]
		s.done = g.end
		n.recycle(g.data)
		*g = segment{}
	}
	for s.ehead < len(s.ends) && s.ends[s.ehead] <= s.done {
		s.ehead++
	}
	if s.ehead == len(s.ends) {
		s.ends, s.ehead = s.ends[:0], 0
	}
}

// measure is RFC 6298 as in kcp-go: unusually short round trips count less.
func (s *arq) measure(rtt time.Duration) {
	if s.srtt == 0 {
		s.srtt, s.rttvar = rtt, rtt/2
	} else {
		d := rtt - s.srtt
		s.srtt = max(time.Microsecond, s.srtt+d/8)
		weight := time.Duration(4)
		if rtt < s.srtt-s.rttvar {
			weight = 32
		}
		s.rttvar += (max(d, -d) - s.rttvar) / weight
	}
	s.rto = min(max(s.srtt+max(rtoGrain, 4*s.rttvar), rtoMin), rtoMax)
}

// deliver delivers complete messages.
func (s *arq) deliver(c *Conn, h link.Handler) {
	got := false
	for s.rcv[s.want%segmentWindow] != nil {
		b := s.rcv[s.want%segmentWindow]
		if s.ihead > 0 && len(s.in)+len(b) > cap(s.in) {
			n := copy(s.in, s.in[s.ihead:])
			s.in, s.ihead = s.in[:n], 0
		}
		s.in = append(s.in, b...)
		c.end.net.recycle(b)
		s.rcv[s.want%segmentWindow] = nil
		s.want++
		got = true
	}
	if !got {
		return
	}
	for c.state == stateOpen {
		n, w := binary.Uvarint(s.in[s.ihead:])
		if w <= 0 || int(n) > len(s.in)-s.ihead-w {
			break
		}
		b := s.in[s.ihead+w : s.ihead+w+int(n) : s.ihead+w+int(n)]
		s.ihead += w + int(n)
		h.Message(c, b)
	}
	if s.ihead == len(s.in) {
		s.in, s.ihead = s.in[:0], 0
	}
}
