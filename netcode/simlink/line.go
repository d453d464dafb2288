package simlink

import "time"

// Impairment describes how bad one direction is. The zero value is a perfect line: no delay, no loss, no bound.
type Impairment struct {
	// Lag delays every packet, Jitter by up to that much more. Order is preserved.
	Lag, Jitter time.Duration
	// Loss is the fraction of packets lost, 0…1. Burst is the mean length of a run of lost ones (Gilbert's model:
	// a good and a bad state); up to 1, losses are independent. Loss is the average either way.
	Loss, Burst float64
	// Dup is the fraction that arrives twice, the second up to 10 ms later.
	Dup float64
	// Reorder is the fraction that is overtaken: it arrives up to Lag/2 + 20 ms later than it should, and those
	// after it do not wait.
	Reorder float64
	// Rate bounds bytes per second, all headers included; 0 is no bound. Waiting packets are in a queue of Queue
	// bytes, and what does not fit is dropped; 0 means one second's worth, and at least two full packets.
	Rate, Queue int
}

// Path is both directions of a connection, as the client sees them.
type Path struct{ Up, Down Impairment }

// Symmetric returns a path that is the same in both directions.
func Symmetric(i Impairment) Path { return Path{i, i} }

// Fate is what a test does to one packet, in addition to the path's impairments. The zero value is nothing.
type Fate struct {
	// Lost drops the packet.
	Lost bool
	// Late delays it by this much; packets after it do not wait, so it can be overtaken.
	Late time.Duration
}

// line is one direction.
//
// Invariant: arrivals of packets not reordered ascend; queued is the sum of the sizes in queue.
type line struct {
	imp   Impairment
	rng   rng
	toEnd func() *End
	net   *Network
	total *Traffic
	judge func() Fate // nil for none

	queue  []*packet // waiting for the bottleneck; from head
	head   int
	queued int
	free   time.Duration // when the bottleneck is free
	rest   int64         // the fraction of a nanosecond, in 1/Rate, that free leaves out
	last   time.Duration // arrival of the last one in order
	bad    bool          // Gilbert's state
}

// set changes the impairments; waiting packets are then sent at the new rate.
func (l *line) set(now time.Duration, imp Impairment) {
	l.pump(now)
	l.imp = imp
	l.rest = 0
	l.pump(now)
}

// send puts a packet into the line.
func (l *line) send(now time.Duration, p *packet) {
	if l.net.cfg.Sum {
		l.net.add(now, p)
	}
	l.total.Packets++
	l.total.Bytes += uint64(p.size())
	l.pump(now)
	if l.imp.Rate > 0 && (l.free > now || l.head < len(l.queue)) {
		limit := l.imp.Queue
		if limit <= 0 {
			limit = max(l.imp.Rate, 2*(maxPlain+PacketOverhead))
		}
		if l.queued+p.size() > limit {
			l.total.Dropped++
			l.total.DroppedBytes += uint64(p.size())
			l.net.release(p)
			return
		}
	}
	p.offered = now
	l.queue = append(l.queue, p)
	l.queued += p.size()
	l.pump(now)
}

// pump sends what the bottleneck has processed by now.
func (l *line) pump(now time.Duration) {
	for l.head < len(l.queue) {
		p := l.queue[l.head]
		start := max(l.free, p.offered)
		if start > now {
			break
		}
		l.queue[l.head] = nil
		l.head++
		l.queued -= p.size()
		if r := int64(l.imp.Rate); r > 0 {
			if start > l.free {
				l.rest = 0
			}
			// Exact in the long run: the remainder of the division is carried over.
			n := int64(p.size())*int64(time.Second) + l.rest
			l.free, l.rest = start+time.Duration(n/r), n%r
		} else {
			l.free = start
		}
		l.depart(l.free, p)
	}
	if l.head == len(l.queue) {
		l.queue, l.head = l.queue[:0], 0
	} else if l.head > 64 && l.head*2 > len(l.queue) {
		n := copy(l.queue, l.queue[l.head:])
		clear(l.queue[n:])
		l.queue, l.head = l.queue[:n], 0
	}
}

// depart decides what happens to a packet once it has left the bottleneck.
func (l *line) depart(at time.Duration, p *packet) {
	i := &l.imp
	// Every draw is made for every packet, so that one impairment does not shift the others.
	loss, dup, reorder, jitter, late := l.rng.float(), l.rng.float(), l.rng.float(), l.rng.float(), l.rng.float()
	var fate Fate
	if l.judge != nil {
		fate = l.judge()
	}
	if l.lost(loss) || fate.Lost {
		l.total.Lost++
		l.total.LostBytes += uint64(p.size())
		l.net.release(p)
		return
	}
	at += i.Lag + time.Duration(jitter*float64(i.Jitter))
	if reorder < i.Reorder {
		at += time.Duration(late * float64(i.Lag/2+20*time.Millisecond))
		l.total.Reordered++
	} else if fate.Late > 0 {
		at += fate.Late
		l.total.Reordered++
	} else {
		at = max(at, l.last)
		l.last = at
	}
	end := l.toEnd()
	if dup < i.Dup {
		l.total.Doubled++
		l.total.DoubledBytes += uint64(p.size())
		q := l.net.packet()
		buf := q.buf
		*q = *p
		q.buf = append(buf[:0], p.buf...)
		end.arrive(at+time.Duration(late*float64(10*time.Millisecond)), q)
	}
	end.arrive(at, p)
}

// lost advances Gilbert's model by one packet.
func (l *line) lost(draw float64) bool {
	p, burst := l.imp.Loss, l.imp.Burst
	switch {
	case p <= 0:
		l.bad = false
	case p >= 1:
		l.bad = true
	case burst <= 1:
		l.bad = draw < p
	case l.bad:
		l.bad = draw >= 1/burst
	default:
		l.bad = draw < p/(burst*(1-p))
	}
	return l.bad
}
