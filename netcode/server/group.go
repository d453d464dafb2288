package server

import (
	"github.com/tidelock/tidelock/netcode/schema"
	"github.com/tidelock/tidelock/netcode/traffic"
	"github.com/tidelock/tidelock/netcode/wire"
)

// A group is connections that are sent the same updates of the same actors. What its members were sent of an actor is kept once,
// in a sharedState: a net update looks at it once, encodes it once and copies the bytes to each member. A replication state stops
// sharing as soon as something is done to it alone, and then has exactly what it would have had by itself (Conn.own). It shares
// again when the two agree (group.recruit). The rest of this package need not know of groups: package share keeps a shared state
// from being read without Conn.own.
//
// Invariant: what a client is sent from a shared state is what it would have been sent without one.

const (
	// leastMembers and leastShared are how many connections, with how many actors of their own, make a group worth its while.
	leastMembers, leastShared = 3, 4
	// groupLog is how many payloads are remembered: more than datagrams may be without a delivery notification (session).
	groupLog = 512
	// groupInFlight is the number of datagrams without a delivery notification from which a connection goes by itself.
	groupInFlight = 200
	// recruitPause and longestPause are how many net updates lie between two attempts to make a group, which double while
	// they fail; rejoinPause is how many a connection waits that has left one.
	recruitPause, longestPause, rejoinPause = 8, 1024, 4
)

// newest is the one of a server, or none where it has no members.
type group struct {
	s       *Server
	members []*Conn
	ents    []*sharedState
	due     []*sharedState // those that may have something to send
	list    []*sharedState // scratch: those that have

	// A payload is what members are sent in one datagram. Numbers start at 1.
	number  uint32
	before  uint32     // the newest before the net update under way
	updates [64]uint32 // net update of each, by number
	log     [groupLog][]groupItem
	tail    uint32        // oldest payload whose items a member may still need
	free    [][]groupItem // memory of those before
	parts   []part        // of the net update under way
	// slack is how much of what a payload takes at most it took lately, with a margin: what moves takes a third.
	slack float64

	tryAt, pause uint32
	turn, cursor int
	asm          wire.Assembler
	ages         [32]uint8 // scratch
}

// sharedState is what all members but some were told of an entity: a replication state whose numbers are those of payloads, not
// of datagrams.
type sharedState struct {
	sendState
	ent *entity // nil once it stands for nobody
	n   int     // replication states that it stands for
	at  int     // place in group.ents
	out []*Conn // members that have the entity by themselves, or not at all
}

// groupItem is what a payload holds of one entity.
type groupItem struct {
	g    *sharedState
	mask uint64
	slot int32
}

// part is one payload of the net update under way.
type part struct {
	number   uint32
	items    []groupItem
	most     int // bytes that it takes at most
	variants []variant
	n        int
}

// variant is a part's bytes for members that hold the same positions.
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
	g       *sharedState
	payload uint32
}

func (w *group) queue(g *sharedState) {
	if !g.queued {
		g.queued = true
		w.due = append(w.due, g)
	}
}

// eject makes every member keep its own state of an entity.
func (w *group) eject(g *sharedState) {
	e := g.ent
	for len(e.subs) > e.alone {
		r := e.subs[len(e.subs)-1].r
		r.conn.own(r)
	}
}

// leave takes a connection out of the group.
func (w *group) leave(c *Conn) {
	if !c.member {
		return
	}
	for i := range c.flights {
		fl := &c.flights[i]
		if fl.payload == 0 {
			continue
		}
		for _, it := range w.log[fl.payload%groupLog] {
			if r := c.repAt(it.slot); r != nil && r.sending.Common() == it.g && int32(fl.payload-r.inFrom) >= 0 {
				fl.extra = append(fl.extra, sentItem{slot: it.slot, serial: r.serial, mask: wire.Mask{it.mask}})
			}
		}
		fl.payload = 0
	}
	for i := range w.parts {
		p := &w.parts[i]
		for _, it := range p.items {
			if r := c.repAt(it.slot); r != nil && r.sending.Common() == it.g && int32(p.number-c.lastPay) > 0 {
				c.resend(w.split(r), it.mask)
			}
		}
	}
	for _, r := range c.active {
		if r.sending.Common() != nil {
			w.split(r)
		}
	}
	c.member, c.gathered = false, false
	c.except = c.except[:0]
	c.groupAt = w.s.update + rejoinPause
	w.members = remove(w.members, c)
	for i := len(w.ents) - 1; i >= 0; i-- {
		g := w.ents[i]
		if g.out = remove(g.out, c); g.n == 0 {
			w.drop(g)
		}
	}
}

// dissolve ends the group; recruit makes another where there can be one.
func (w *group) dissolve() {
	for len(w.members) > 0 {
		w.leave(w.members[len(w.members)-1])
	}
	w.tryAt = w.s.update + recruitPause
}
