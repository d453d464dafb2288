package server

import (
	"fmt"

	"github.com/tidelock/tidelock/engine/relevancy"
	"github.com/tidelock/tidelock/netcode/wire"
)

// Between two ticks the world stands still, and most of what a connection is sent follows from its own records and from what
// nobody changes meanwhile. So connections are flushed beside each other, each in a lane, as far as that is so; those that
// open channels, name other actors or ask conditions anew are flushed in turn afterwards. Which of both it is depends on
// the connection alone, so that neither the number of lanes nor their order shows in what is sent.

// lane is what flushing works with: its own memory for what it encodes, and its figures.
type lane struct {
	encoder
	packets int
	longest float64 // Stats.LongestWait
	search  relevancy.Search
	asm     wire.Assembler // of the datagram under way
}

const (
	mostLanes = 16
	// leastApart is how many actors with news, over all connections, are worth waking other cores for.
	leastApart = 256
)

func (s *Server) layLanes() {
	s.lanes = make([]lane, min(max(1, s.cfg.Lanes), mostLanes))
	for i := range s.lanes {
		s.lanes[i].encoder = encoder{set: s.set, ends: make([]uint32, 0, 1024), crowd: &s.crowd}
	}
	s.flushers, s.scanners = s.flushLane, s.scanLane
}

// flushApart flushes the connections that can be, beside each other.
func (s *Server) flushApart() {
	if len(s.logClass) > 0 {
		return
	}
	work := 0
	for _, c := range s.conns {
		if len(c.toOpen) > 0 && c.serves() {
			c.openAhead()
		}
		if len(c.due) > 0 && c.serves() && c.Player() != nil {
			c.see() // it may be sorted
		}
		work += len(c.due)
	}
	s.inLanes(work, s.flushers)
}

// openAhead opens what is to be opened where the budget suffices for that and all the rest, so that the rest can be sent beside
// others.
func (c *Conn) openAhead() {
	if c.saturated || c.epoch != c.s.set.Epoch || c.credit < float64(200*len(c.toOpen)+32*len(c.due)+1024) || c.gathered {
		return
	}
	t := c.s.world.Time
	c.lane = &c.s.main
	c.list = append(c.list[:0], c.toOpen...)
	for _, r := range c.list {
		if r.opening && c.credit > 0 && !c.clogged() {
			c.openOne(r, t)
		}
		if c.state == gone {
			return
		}
	}
}

// inLanes does a work of so many actors in lanes.
func (s *Server) inLanes(work int, f func(lane int)) {
	if work == 0 {
		return
	}
	if s.cfg.Parallel != nil && len(s.lanes) > 1 && work >= leastApart {
		s.cfg.Parallel(len(s.lanes), f)
		return
	}
	for i := range s.lanes {
		f(i)
	}
}

// flushLane flushes the connections of one lane.
func (s *Server) flushLane(lane int) {
	x := &s.lanes[lane]
	for i := lane; i < len(s.conns); i += len(s.lanes) {
		c := s.conns[i]
		if c.state != playing || c.epoch != s.set.Epoch || len(c.toOpen) > 0 || c.member && len(s.crowd.parts) > 0 || c.gathered {
			continue // members copy what is ready made
		}
		c.lane, c.apart = x, true
		fl := &c.flights[c.sent%uint32(len(c.flights))]
		fl.update, fl.clock = s.update, s.clock
		c.flushed = c.schedule()
		c.apart = false
	}
}

// ship sends what was put together apart.
func (c *Conn) ship() {
	c.flushed = false
	c.lane = &c.s.main
	from := 0
	for _, to := range c.parcels {
		if err := c.sess.Conn.SendDatagram(c.outbox[from:to]); err != nil {
			c.undelivered(err)
		}
		from = to
	}
	c.outbox, c.parcels = c.outbox[:0], c.parcels[:0]
	for i := range c.missed {
		c.loseItem(&c.missed[i])
	}
	clear(c.missed)
	c.missed = c.missed[:0]
	c.sendLarge()
}

func (c *Conn) undelivered(err error) { c.once(fmt.Sprintf("a datagram could not be sent: %v", err)) }

// chooses is choose for what can be told from what is the connection's own, and what follows from that too; false where it
// cannot.
func (c *Conn) chooses(r *rec) bool {
	e := r.ent
	k := e.class
	if !k.Steady || !k.Small || r.lateDue() || (r.pending|r.repeat)&k.Alone[0] != 0 {
		return false
	}
	mask, ok := e.answered(c.inputBits(r) & k.InputMask)
	if !ok {
		return false
	}
	r.send = (r.pending | r.repeat) & mask
	return r.send != 0 || !e.rests()
}

// saturated is how many vectors did not fit their grid so far (R5.10).
func (s *Server) saturated() uint64 {
	n := s.main.vals.Saturated
	for i := range s.lanes {
		n += s.lanes[i].vals.Saturated
	}
	return n
}

// sumLanes takes the figures of the lanes up.
func (s *Server) sumLanes() {
	add := func(x *lane) {
		s.Stats.Packets += x.packets
		s.Stats.LongestWait = max(s.Stats.LongestWait, x.longest)
		x.packets, x.longest = 0, 0
	}
	add(&s.main)
	for i := range s.lanes {
		add(&s.lanes[i])
	}
}

// news are what pend found for a connection, before its record hears of it: that is done for all at once, connection by
// connection, since it waits for memory. It takes less time than waking another core for a part of it.
type news struct {
	r    *rec
	mask uint64
}

// spread has connections take up their news; until then nobody may ask what is pending.
func (s *Server) spread() {
	for _, c := range s.conns {
		for _, x := range c.news {
			x.r.pending |= x.mask
			x.r.dirty = true
			c.queue(x.r)
		}
		c.news = c.news[:0]
	}
}
