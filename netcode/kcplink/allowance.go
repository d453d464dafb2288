package kcplink

import (
	"encoding/binary"
	"slices"
)

// allowance is what the reliable stream may still put on the wire ([Conn.Allow]), and the segments that KCP wrote
// and that wait for more of it. KCP itself has no such bound: it retransmits whatever is due. A segment that waits
// here is not sent yet, whatever KCP assumes.
//
// Invariant: held is in KCP's order and holds each segment once; unsent is 0 unless KCP has segments that it never wrote.
type allowance struct {
	bounded      bool
	left, enough int // bytes
	packed       int // bytes of the stream in the packet being filled, which are not in Stats.BytesOut yet
	held         []heldSegment
	unsent       int // bytes of segments that were given to KCP since its latest update
	acks         int // segments received from the other side since then
}

// heldSegment is one segment as KCP wrote it. The list's spare memory is kept for later segments.
type heldSegment struct{ b []byte }

func (h *heldSegment) number() uint32 { return binary.LittleEndian.Uint32(h.b[12:]) }

// Allow bounds the reliable stream.
func (c *Conn) Allow(bytes, enough int) {
	if c.state != stateOpen {
		return
	}
	a := &c.strm.allow
	a.bounded, a.left, a.enough = true, bytes-a.packed, enough
	if len(a.held) > 0 || c.strm.queue.len() > 0 || c.out != nil { // what is packed is sent with this Flush, because it was allowed
		c.touch()
	}
}

// cost returns what a frame of n bytes adds to the wire, packet headers included if it starts one.
func (c *Conn) cost(n int) int {
	if c.out == nil || c.outN+n > maxPlain {
		n += headerSize + tagSize + udpOverhead
	}
	return n
}

// admit deducts a segment whose frame is n bytes from the allowance. It returns false if the segment has to wait.
func (c *Conn) admit(n int) bool {
	a, cost := &c.strm.allow, c.cost(n)
	if a.bounded && cost > a.left && a.left < a.enough {
		return false
	}
	a.left -= cost
	return true
}

// longest returns the maximum data size of a new segment. A segment that nearly uses up the allowance leaves room
// for what is always sent.
func (a *allowance) longest() int {
	if a.bounded && a.left < 2*maxSegment {
		return maxSegment - spareRoom
	}
	return maxSegment
}

// mayFeed reports whether one more segment of n bytes may be given to KCP, which would send it at once.
func (c *Conn) mayFeed(n int) bool {
	a := &c.strm.allow
	if !a.bounded {
		return true
	}
	left := a.left - a.unsent
	return len(a.held) == 0 && (c.cost(pushHeader+n) <= left || left >= a.enough)
}

// hold keeps a segment until it is allowed. Meanwhile KCP may write it again.
func (a *allowance) hold(seg []byte) {
	number := binary.LittleEndian.Uint32(seg[12:])
	i := slices.IndexFunc(a.held, func(h heldSegment) bool { return h.number() == number })
	if i < 0 {
		i = len(a.held)
		a.held = slices.Grow(a.held, 1)[:i+1]
	}
	a.held[i].b = append(a.held[i].b[:0], seg...)
}

// drop removes one from the list and keeps its memory.
func (a *allowance) drop(i int) {
	h := a.held[i]
	last := len(a.held) - 1
	copy(a.held[i:], a.held[i+1:])
	a.held[last] = h
	a.held = a.held[:last]
}

// release sends the held segments that are allowed.
func (s *stream) release(c *Conn) {
	a := &s.allow
	for len(a.held) > 0 && c.admit(segmentSize(a.held[0].b)) {
		seg := a.held[0].b
		binary.LittleEndian.PutUint32(seg[8:], c.l.kcpNow) // so that its acknowledgement measures the right round trip
		s.emit(c, seg)
		a.drop(0)
	}
}

// acknowledged drops retransmissions that have arrived.
func (a *allowance) acknowledged(f *frame, newest uint32) {
	for i := 0; i < len(a.held); {
		n := a.held[i].number()
		if int32(n-newest) < 0 && (int32(n-f.una) < 0 || f.kind == frameAck && f.sn == n) {
			a.drop(i)
			continue
		}
		i++
	}
}

// waiting returns how many bytes the stream would send now without a bound, headers included, as far as that is
// visible from outside KCP.
func (s *stream) waiting() int {
	a := &s.allow
	n := a.unsent + a.acks*ackSize
	for i := range a.held {
		n += segmentSize(a.held[i].b)
	}
	q := min(s.queue.len(), max(0, s.window-s.segments.len())*maxSegment)
	n += q + (q+maxSegment-1)/maxSegment*pushHeader
	return a.packed + n + (n+maxPlain-1)/maxPlain*(headerSize+tagSize+udpOverhead)
}

// pack returns room for a frame of the stream.
func (c *Conn) pack(n int) *outPacket {
	o := c.room(n)
	if c.outN == 0 {
		c.strm.allow.packed += headerSize + tagSize + udpOverhead
	}
	c.strm.allow.packed += n
	return o
}
