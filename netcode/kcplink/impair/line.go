// Package impair simulates a bad line: it delays, drops, duplicates and reorders packets, from a seed. [Line] is
// one direction as a state machine on any clock; [Proxy] is both directions for UDP on real sockets, between
// clients and a server, and can change client addresses like a NAT. For tests, soaks and playtests.
//
// Guarantees: The same seed impairs the same way.
package impair

import (
	"math/rand/v2"
	"time"
)

// Rule describes how bad the line is. The zero value is a perfect one.
type Rule struct {
	// Lag delays every packet, each by up to Jitter more; order is preserved.
	Lag, Jitter time.Duration
	// Loss, Dup and Reorder are probabilities from 0 to 1. A reordered packet is overtaken: it arrives up to Lag/2
	// + 20 ms later than it should.
	Loss, Dup, Reorder float64
	// Burst is the mean length of a run of lost packets (Gilbert's model); up to 1, losses are independent. Loss is
	// the average either way.
	Burst float64
	// Rate in bytes per second, UDP and IP headers included; 0 is no bound. Packets that would wait longer than a
	// second are dropped.
	Rate int
}

// Line is one direction. T is the type of packets.
type Line[T any] struct {
	rule Rule
	rng  *rand.Rand
	heap []travelling[T]
	seq  uint64
	// last is when the latest ordered packet arrives; free is when the bottleneck is free.
	last, free time.Duration
	bad        bool // Gilbert's state
	// Lost and Doubled count what the line did.
	Lost, Doubled uint64
}

type travelling[T any] struct {
	at  time.Duration
	seq uint64
	v   T
}

// NewLine returns a line. The same seed and the same calls give the same losses.
func NewLine[T any](rule Rule, seed uint64) *Line[T] {
	return &Line[T]{rule: rule, rng: rand.New(rand.NewPCG(seed, 0x11ae))} //nolint:gosec // not for secrets
}

// SetRule changes how bad the line is from now on.
func (l *Line[T]) SetRule(r Rule) { l.rule = r }

// Put sends v, whose UDP payload is size bytes, at now.
func (l *Line[T]) Put(now time.Duration, v T, size int) {
	r := &l.rule
	// Every draw is made for every packet, so that one probability does not shift the others.
	loss, dup, reorder, jitter, late := l.rng.Float64(), l.rng.Float64(), l.rng.Float64(), l.rng.Float64(), l.rng.Float64()
	if l.lost(loss) {
		l.Lost++
		return
	}
	at := now
	if r.Rate > 0 {
		start := max(now, l.free)
		if start-now > time.Second {
			l.Lost++
			return
		}
		l.free = start + time.Duration(float64(size+28)/float64(r.Rate)*float64(time.Second))
		at = l.free
	}
	at += r.Lag + time.Duration(jitter*float64(r.Jitter))
	if reorder < r.Reorder {
		at += time.Duration(late * float64(r.Lag/2+20*time.Millisecond))
	} else {
		at = max(at, l.last)
		l.last = at
	}
	l.push(at, v)
	if dup < r.Dup {
		l.Doubled++
		l.push(at+time.Duration(late*float64(10*time.Millisecond)), v)
	}
}

// lost advances Gilbert's model by one packet.
func (l *Line[T]) lost(draw float64) bool {
	p, burst := l.rule.Loss, l.rule.Burst
	switch {
	case p <= 0 || p >= 1 || burst <= 1:
		l.bad = draw < p
	case l.bad:
		l.bad = draw >= 1/burst
	default:
		l.bad = draw < p/(burst*(1-p))
	}
	return l.bad
}

// Get returns what has arrived by now, in order of arrival; false if there is no more.
func (l *Line[T]) Get(now time.Duration) (v T, ok bool) {
	if len(l.heap) == 0 || l.heap[0].at > now {
		return v, false
	}
	h := l.heap
	v = h[0].v
	h[0] = h[len(h)-1]
	h[len(h)-1] = travelling[T]{}
	l.heap = h[:len(h)-1]
	for i := 0; ; {
		k := 2*i + 1
		if k >= len(l.heap) {
			break
		}
		if k+1 < len(l.heap) && l.less(k+1, k) {
			k++
		}
		if !l.less(k, i) {
			break
		}
		l.heap[i], l.heap[k] = l.heap[k], l.heap[i]
		i = k
	}
	return v, true
}

// Next returns when the next packet arrives; false if none is in flight.
func (l *Line[T]) Next() (at time.Duration, ok bool) {
	if len(l.heap) == 0 {
		return 0, false
	}
	return l.heap[0].at, true
}

// Travelling returns how many packets are in flight.
func (l *Line[T]) Travelling() int { return len(l.heap) }

func (l *Line[T]) push(at time.Duration, v T) {
	l.seq++
	l.heap = append(l.heap, travelling[T]{at, l.seq, v})
	for i := len(l.heap) - 1; i > 0; {
		p := (i - 1) / 2
		if !l.less(i, p) {
			return
		}
		l.heap[i], l.heap[p] = l.heap[p], l.heap[i]
		i = p
	}
}

func (l *Line[T]) less(i, j int) bool {
	a, b := &l.heap[i], &l.heap[j]
	return a.at < b.at || a.at == b.at && a.seq < b.seq
}
