package kcplink

import (
	"encoding/binary"
	"slices"
	"time"
)

// again holds segments that KCP has retransmitted and that are repeated in a few later packets (againMost).
// Everything after them waits, and KCP's timeouts grow: at 30 % of loss one segment in a hundred would be lost four
// times in a row, which takes seven timeouts.
//
// Invariant: the entries of list were not acknowledged and have left > 0. The memory after them is kept for later
// entries.
type again struct {
	list []repeat
	// sends counts how often a segment was sent, by number.
	sends [segmentWindow]uint8
}

// repeat is one such segment.
type repeat struct {
	number uint32
	left   int
	due    time.Duration
	frame  []byte // as it is written to a packet
}

// first records that a segment was sent for the first time.
func (a *again) first(number uint32) { a.sends[number%segmentWindow] = 1 }

// add adds a retransmitted segment, as KCP wrote it. thin: only few are in flight.
func (a *again) add(now time.Duration, number uint32, seg []byte, thin bool) {
	sends := &a.sends[number%segmentWindow]
	n := min(int(*sends), againMost)
	*sends = uint8(n) + 1
	if !thin {
		n--
	}
	if n <= 0 {
		return
	}
	i := slices.IndexFunc(a.list, func(r repeat) bool { return r.number == number })
	if i < 0 {
		i = len(a.list)
		a.list = slices.Grow(a.list, 1)[:i+1]
	}
	r := &a.list[i]
	r.number, r.left, r.due, r.frame = number, n, now+againGap, appendSegment(r.frame[:0], seg)
}

// drop removes the entries that meet a condition.
func (a *again) drop(gone func(r *repeat) bool) {
	for i := 0; i < len(a.list); {
		if !gone(&a.list[i]) {
			i++
			continue
		}
		last := len(a.list) - 1
		a.list[i], a.list[last] = a.list[last], a.list[i]
		a.list = a.list[:last]
	}
}

// acknowledged processes the acknowledgements in a frame.
func (a *again) acknowledged(f *frame) {
	if len(a.list) > 0 {
		a.drop(func(r *repeat) bool { return int32(r.number-f.una) < 0 || f.kind == frameAck && f.sn == r.number })
	}
}

// say writes due repetitions to the packet being filled.
func (a *again) say(c *Conn) {
	due := false
	for i := range a.list {
		r := &a.list[i]
		if c.l.now < r.due {
			continue
		}
		if !c.admit(len(r.frame)) {
			break
		}
		o := c.pack(len(r.frame))
		binary.BigEndian.PutUint32(r.frame[3:], c.l.kcpNow) // so that its acknowledgement measures the right round trip
		c.outN += copy(o.b[headerSize+c.outN:], r.frame)
		c.stats.RetransmittedOut += uint64(len(r.frame) - pushHeader)
		r.left--
		r.due = c.l.now + againGap
		due = true
	}
	if due {
		a.drop(func(r *repeat) bool { return r.left == 0 })
	}
}

// nextDue returns when say is to be called, or due if that is earlier.
func (a *again) nextDue(due time.Duration) time.Duration {
	for i := range a.list {
		due = min(due, a.list[i].due)
	}
	return due
}
