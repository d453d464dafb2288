package server

import (
	"slices"

	"github.com/tidelock/tidelock/netcode/schema"
	"github.com/tidelock/tidelock/netcode/traffic"
	"github.com/tidelock/tidelock/netcode/wire"
)

// Where many are told the same of the same actors, each would keep a record of each, and they would all say the same. A
// crowd is connections of which that holds: what one of them was told stands once, in a common, for the recs of all of them,
// and a net update looks at it once, encodes it once, and copies the bytes to each. A rec leaves its common as soon as
// something is done to it alone, and has then exactly what it would have had by itself (Conn.own); it comes back when the
// two agree again (crowd.recruit). Everything else in this package may forget that there are crowds: what a common keeps
// cannot be read from a rec without Conn.own (package share).
//
// Invariant: what a client is sent by way of a common is what it would have been sent without.

const (
	// leastCrowd and leastCommon are how many connections, with how many actors of their own, make a crowd worth its while.
	leastCrowd, leastCommon = 3, 4
	// crowdLog is how many payloads are remembered: more than datagrams may be without a fate (session).
	crowdLog = 512
	// crowdFlying is the number of datagrams without a fate from which a connection goes by itself.
	crowdFlying = 200
	// recruitPause and longestPause are how many net updates lie between two attempts to make a crowd, which double while
	// they fail; rejoinPause is how many a connection waits that has left one.
	recruitPause, longestPause, rejoinPause = 8, 1024, 4
)

// crowd is the one of a server, or none where it has no members.
type crowd struct {
	s       *Server
	members []*Conn
	ents    []*common
	due     []*common // those that may have something to send
	list    []*common // scratch: those that have

	// A payload is what members are sent in one datagram. Numbers start at 1.
	number  uint32
	before  uint32     // the newest before the net update under way
	updates [64]uint32 // net update of each, by number
	log     [crowdLog][]crowdItem
	tail    uint32        // oldest payload whose items somebody may still ask for
	free    [][]crowdItem // memory of those before
	parts   []part        // of the net update under way
	// slack is how much of what a payload takes at most it took lately, with a margin: what moves takes a third.
	slack float64

	tryAt, pause uint32
	turn, cursor int
	asm          wire.Assembler
	ages         [32]uint8 // scratch
}

// common is what all members but some were told of an entity: a replication state whose numbers are those of payloads, not
// of datagrams.
type common struct {
	repState
	ent *entity // nil once it stands for nobody
	n   int     // recs that it stands for
	at  int     // place in crowd.ents
	out []*Conn // members that have the entity by themselves, or not at all
}

// crowdItem is what a payload holds of one entity.
type crowdItem struct {
	g    *common
	mask uint64
	slot int32
}

// part is one payload of the net update under way.
type part struct {
	number   uint32
	items    []crowdItem
	most     int // bytes that it takes at most
	variants []variant
	n        int
}

// variant is a part's bytes for members that hold the same places.
type variant struct {
	got    uint64    // payloads that arrived: bit k is payload number − k
	ages   [32]uint8 // how many datagrams ago each of these was, 0 for not
	fit    int       // items that found room
	bytes  []byte
	values int // of bytes, the rest being heads of runs
	counts []tally
}

// tally is what a variant adds to the counters of a class's variables.
type tally struct {
	class *schema.Class
	mask  uint64 // variables that it has
	vars  []traffic.Entry
}

// exception is an item of a payload that is not for a member.
type exception struct {
	g       *common
	payload uint32
}

func (w *crowd) queue(g *common) {
	if !g.queued {
		g.queued = true
		w.due = append(w.due, g)
	}
}

// eject has everybody keep an entity for himself.
func (w *crowd) eject(g *common) {
	e := g.ent
	for len(e.subs) > e.alone {
		r := e.subs[len(e.subs)-1].r
		r.conn.own(r)
	}
}

// leave takes a connection out of the crowd.
func (w *crowd) leave(c *Conn) {
	if !c.member {
		return
	}
	for i := range c.flights {
		fl := &c.flights[i]
		if fl.payload == 0 {
			continue
		}
		for _, it := range w.log[fl.payload%crowdLog] {
			if r := c.recAt(it.slot); r != nil && r.rep.Common() == it.g && int32(fl.payload-r.inFrom) >= 0 {
				fl.extra = append(fl.extra, sentItem{slot: it.slot, serial: r.serial, mask: wire.Mask{it.mask}})
			}
		}
		fl.payload = 0
	}
	for i := range w.parts {
		p := &w.parts[i]
		for _, it := range p.items {
			if r := c.recAt(it.slot); r != nil && r.rep.Common() == it.g && int32(p.number-c.lastPay) > 0 {
				c.resend(w.split(r), it.mask)
			}
		}
	}
	for _, r := range c.active {
		if r.rep.Common() != nil {
			w.split(r)
		}
	}
	c.member, c.gathered = false, false
	c.except = c.except[:0]
	c.crowdAt = w.s.update + rejoinPause
	w.members = slices.DeleteFunc(w.members, func(m *Conn) bool { return m == c })
	for i := len(w.ents) - 1; i >= 0; i-- {
		g := w.ents[i]
		if j := slices.Index(g.out, c); j >= 0 {
			g.out = slices.Delete(g.out, j, j+1)
		}
		if g.n == 0 {
			w.drop(g)
		}
	}
}

// dissolve ends the crowd; recruit makes another where there can be one.
func (w *crowd) dissolve() {
	for len(w.members) > 0 {
		w.leave(w.members[len(w.members)-1])
	}
	w.tryAt = w.s.update + recruitPause
}
