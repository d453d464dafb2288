package server

import (
	"slices"

	"github.com/tidelock/tidelock/netcode/schema"
)

// Where many see the same, many connections lack the same of the same actors. What the first of them was sent is kept for
// the length of a net update, and copied to the others in one piece. A connection's own state, conditions and
// acknowledgements decide what it lacks, as ever: only putting the bytes together and counting them is done once.

// leastShared is how many actors make it worth looking for another connection that lacks the same.
const leastShared = 4

// lack is what a connection is to be sent of one actor, and all that its bytes depend on.
type lack struct {
	ent  *entity
	mask uint64
	base uint32 // net update of the place that it holds, 0 for none
	age  uint32 // how many datagrams ago it got that
}

// payload is what connections that lack the same are sent.
type payload struct {
	hash   uint64
	made   bool // the rest holds; else one connection was seen that lacks this
	lacks  []lack
	bytes  []byte
	values int // of bytes, the rest being heads of runs
	counts []tally
}

// tally is what a payload adds to the counters of one variable.
type tally struct {
	class *schema.Class
	n     int
	count uint64
	bytes uint64
}

// payloads are those of one net update.
type payloads struct {
	list [16]payload
	n    int
	next int
}

func (p *payloads) reset() { p.n, p.next = 0, 0 }

// find is the payload for what a connection lacks, nil where there is none yet. build: it is asked for the second time and
// worth making.
func (p *payloads) find(lacks []lack, hash uint64) (found *payload, build bool) {
	for i := range p.list[:p.n] {
		q := &p.list[i]
		if q.hash != hash {
			continue
		}
		if !q.made {
			return q, true
		}
		if slices.Equal(q.lacks, lacks) {
			return q, false
		}
	}
	q := &p.list[p.next]
	q.hash, q.made = hash, false
	p.n = max(p.n, p.next+1)
	if p.next++; p.next == len(p.list) {
		p.next = 0
	}
	return nil, false
}

// add counts an actor of a payload that is being made.
func (q *payload) add(k *schema.Class, mask uint64, f *fragment) {
	from, i := f.from, 0
	for m := mask; m != 0; m &= m - 1 {
		t := q.tally(k, trailing(m))
		t.count++
		t.bytes += uint64(f.ends[i] - from)
		from = f.ends[i]
		i++
	}
}

func (q *payload) tally(k *schema.Class, n int) *tally {
	for i := range q.counts {
		if t := &q.counts[i]; t.n == n && t.class == k {
			return t
		}
	}
	q.counts = append(q.counts, tally{class: k, n: n})
	return &q.counts[len(q.counts)-1]
}

// lacking lists what the connection is to be sent, where nothing of it is for this connection alone.
func (c *Conn) lacking() (hash uint64, ok bool) {
	c.lacks = c.lacks[:0]
	if len(c.list) < leastShared || len(c.toOpen) > 0 || len(c.s.conns) < 2 {
		return 0, false
	}
	const prime = 0x9E3779B97F4A7C15
	for _, r := range c.list {
		k := r.ent.class
		if !k.Small || r.waits || r.send&k.Own[0] != 0 {
			return 0, false
		}
		x := lack{ent: r.ent, mask: r.send}
		if k.Location >= 0 && r.send>>k.Location&1 != 0 {
			base, age := c.base(r)
			x.base, x.age = base, uint32(age)
		}
		hash = (hash ^ x.mask ^ uint64(x.base)<<32) * prime
		hash = (hash ^ hash>>29 ^ uint64(r.ent.slot) ^ uint64(x.age)<<32) * prime
		c.lacks = append(c.lacks, x)
	}
	return hash, true
}

// take appends what was made for another connection to the datagram under way, and notes it as sent.
func (c *Conn) take(b []byte, q *payload, t float64) []byte {
	for _, r := range c.list {
		c.remember(r)
		c.served(r, t)
	}
	for i := range q.counts {
		x := &q.counts[i]
		v := &c.Traffic.Vars(x.class)[x.n]
		v.Count += x.count
		v.Bytes += x.bytes
	}
	c.headerBytes(len(q.bytes) - q.values)
	return append(b, q.bytes...)
}

// keep makes a payload of what the connection is sent, which had all its actors added.
func (c *Conn) keep(q *payload, bytes []byte) {
	q.made = true
	q.lacks = append(q.lacks[:0], c.lacks...)
	q.bytes = append(q.bytes[:0], bytes...)
	q.values = c.asm.Values()
}
