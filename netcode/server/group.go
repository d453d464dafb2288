package server

import (
	"github.com/tidelock/tidelock/engine/count"
	"github.com/tidelock/tidelock/netcode/schema"
	"github.com/tidelock/tidelock/netcode/traffic"
	"github.com/tidelock/tidelock/netcode/wire"
)

// A group is a set of connections that are sent the same updates of the same actors. What its members were sent of
// an actor is stored once, in a sharedState: a net update processes it once, encodes it once and copies the bytes
// to each member. A replication state stops sharing as soon as something concerns it alone, and then has exactly
// the state that it would have had without the group (Conn.own). It shares again when the two agree
// (group.recruit). The rest of this package need not know of groups: package share prevents reading a shared state
// without Conn.own.
//
// Invariant: a client is sent the same bytes from a shared state as it would have been sent without one.

const (
	// leastMembers and leastShared are the numbers of connections, and of actors each has, from which a group pays
	// off.
	leastMembers, leastShared = 3, 4
	// groupLog is how many payloads are remembered: more than there can be datagrams without a delivery
	// notification (session).
	groupLog = 512
	// groupInFlight is the number of datagrams without a delivery notification from which a connection leaves the
	// group.
	groupInFlight = 200
	// recruitPause and longestPause bound the net updates between two attempts to form a group, which double on
	// each failure; rejoinPause is how many net updates a connection waits after it left one.
	recruitPause, longestPause, rejoinPause = 8, 1024, 4
)

// newest is the server's newest one, or none if it has no members.
type group struct {
	s       *Server
	members []*Conn
	ents    []*sharedState
	due     []*sharedState // those that may have something to send
	list    []*sharedState // scratch: those that have

	// A payload is what members are sent in one datagram. Numbers start at 1.
	number  uint32
	before  uint32 // the newest before this net update
	updates ring   // net update of each, by number
	log     [groupLog][]groupItem
	tail    uint32        // oldest payload whose items a member may still need
	free    [][]groupItem // memory of earlier ones
	parts   []part        // of this net update
	// slack is the recent ratio of a payload's actual to its maximum size, with a margin: movement takes a third.
	slack float64

	tryAt, pause uint32
	turn, cursor int
	asm          wire.Assembler
	ages         [32]uint8 // scratch
}

// sharedState is what all members but some were sent of an entity: a replication state whose numbers are those of
// payloads instead of datagrams.
type sharedState struct {
	sendState
	ent  *entity // nil once no member uses it
	n    int     // replication states that use it
	most int     // maximum size in bytes of what may be sent
	at   int     // index in group.ents
	out  []*Conn // members with an unshared state of the entity, or with none
}

// groupItem is what a payload holds of one entity.
type groupItem struct {
	g    *sharedState
	mask uint64
	slot int32
}

// part is one payload of the current net update.
type part struct {
	number   uint32
	items    []groupItem
	most     int // its maximum size in bytes
	variants []variant
	n        int
}

// variant is a part's bytes for members that hold the same positions.
type variant struct {
	got    uint64    // payloads that arrived: bit k is payload number − k
	ages   [32]uint8 // how many datagrams ago each of these was, 0 if it was not
	fit    int       // items that found room
	bytes  []byte
	values int // bytes of values; the rest is headers of runs
	counts []tally
}

// tally is what a variant adds to the counters of a class's variables.
type tally struct {
	class *schema.Class
	mask  uint64 // variables that it has
	vars  []traffic.Entry
}

// exception is an item of a payload that a member must not get.
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
	count.Add(count.Updated, len(c.active))
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

// dissolve ends the group; recruit forms another one if it can.
func (w *group) dissolve() {
	for len(w.members) > 0 {
		w.leave(w.members[len(w.members)-1])
	}
	w.tryAt = w.s.update + recruitPause
}
