package kcplink

import (
	"encoding/binary"
	"slices"
	"time"
)

// again are segments that KCP has sent again and that go along with a few later packets too (againMost). All behind them
// waits, and KCP's time-outs grow: at 30 % of loss one segment in a hundred would be lost four times running, which takes
// seven time-outs.
//
// Invariant: those in list were not acknowledged and have left > 0. What follows in its memory is kept for the next.
type again struct {
	list []repeat
	// sends is how often a segment was sent, by number.
	sends [segmentWindow]uint8
}

// repeat is one of them.
type repeat struct {
	number uint32
	left   int
	due    time.Duration
	frame  []byte // as it stands in a packet
}

// first notes that a segment was sent for the first time.
func (a *again) first(number uint32) { a.sends[number%segmentWindow] = 1 }

// add takes a segment that was sent again, as KCP wrote it. thin: few are under way.
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

// drop takes out what a condition holds for.
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

// acknowledged takes what a frame of the other side says of our segments.
func (a *again) acknowledged(f *frame) {
	if len(a.list) > 0 {
		a.drop(func(r *repeat) bool { return int32(r.number-f.una) < 0 || f.kind == frameAck && f.sn == r.number })
	}
}

// say puts what is due into the packet being filled.
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

// nextDue is when say wants to be called, or due if that is earlier.
func (a *again) nextDue(due time.Duration) time.Duration {
	for i := range a.list {
		due = min(due, a.list[i].due)
	}
	return due
}
