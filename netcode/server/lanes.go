package server

import (
	"github.com/tidelock/tidelock/engine/relevancy"
	"github.com/tidelock/tidelock/netcode/wire"
)

// Between two ticks the world stands still, and most of what a connection is sent follows from its own state and from what
// nobody changes meanwhile. So workers fill datagrams of several connections at the same time (Config.Parallel), as far as
// that is so; connections that open channels, name other actors or ask conditions again are filled in turn afterwards. Which
// of both it is depends on the connection alone, so that neither the number of workers nor their order shows in what is sent.
//
// What a worker may touch follows from what its type leads to: see sender.

// worker is what filling datagrams works with: its own memory for what it encodes, and its figures.
type worker struct {
	encoder
	packets int
	longest float64 // Stats.LongestWait
	search  relevancy.Search
	asm     wire.Assembler // of the datagram under way
}

const (
	mostLanes = 16
	// leastApart is how many actors with something to send, over all connections, are worth waking other cores for.
	leastApart = 256
)

// flushing is the work of filling datagrams, as workers share it out.
type flushing struct {
	workers []worker
	now     snapshot
	senders []job
}

// job is one connection's part.
type job struct {
	*sender
	done *bool // whether all of it was done: else the server's goroutine does it
}

// run does the part of one worker.
func (f *flushing) run(i int) {
	x, n := &f.workers[i], f.now // a copy: no worker changes what another one reads
	for ; i < len(f.senders); i += len(f.workers) {
		j := &f.senders[i]
		*j.done = j.flushAside(x, &n)
	}
}

// flushAside fills a net update's datagrams, unless some of what there is to send needs the server's goroutine.
func (c *sender) flushAside(x *worker, n *snapshot) bool {
	estimate, ok := c.gather(n)
	if !ok {
		return false
	}
	c.start(n)
	c.schedule(x, n, estimate, aside{})
	return true
}

func (s *Server) layLanes() {
	s.flushing.workers = make([]worker, min(max(1, s.cfg.Lanes), mostLanes))
	for i := range s.flushing.workers {
		s.flushing.workers[i].encoder = newEncoder()
	}
	s.surveying.workers = s.flushing.workers
	s.flushers, s.scanners = s.flushing.run, s.surveying.run
}

// flushApart has workers fill the datagrams of the connections for which that can be done.
func (s *Server) flushApart() {
	work := 0
	f := &s.flushing
	f.senders = f.senders[:0]
	for _, c := range s.conns {
		if len(c.toOpen) > 0 && c.serves() {
			c.openAhead()
		}
	}
	f.now = s.snapshot()
	for _, c := range s.conns {
		work += len(c.due)
		if c.state != playing || c.epoch != s.set.Epoch || len(c.toOpen) > 0 || c.member && f.now.payloads || c.gathered {
			continue // members copy what is ready made
		}
		if len(c.due) > 0 && c.Player() != nil {
			c.see() // it may be sorted
			c.refreshAll()
		}
		f.senders = append(f.senders, job{&c.sender, &c.flushed})
	}
	s.inLanes(work, s.flushers)
	clear(f.senders)
}

// openAhead opens what is to be opened where the budget suffices for that and all the rest, so that the rest can be left to a
// worker.
func (c *Conn) openAhead() {
	if c.saturated || c.epoch != c.s.set.Epoch || c.credit < float64(200*len(c.toOpen)+32*len(c.due)+1024) || c.gathered {
		return
	}
	c.list = c.list[:0]
	for _, r := range c.toOpen {
		c.list = append(c.list, c.own(r))
	}
	for _, st := range c.list {
		if st.opening && c.credit > 0 && !c.clogged() && !c.openNext(st) {
			return
		}
	}
}

// inLanes does a work of so many actors in lanes.
func (s *Server) inLanes(work int, f func(lane int)) {
	if work == 0 {
		return
	}
	n := len(s.flushing.workers)
	if s.cfg.Parallel != nil && n > 1 && work >= leastApart {
		s.cfg.Parallel(n, f)
		return
	}
	for i := range n {
		f(i)
	}
}

// saturated is how many vectors did not fit their grid so far (R5.10).
func (s *Server) saturated() uint64 {
	n := s.main.vals.Saturated
	for i := range s.flushing.workers {
		n += s.flushing.workers[i].vals.Saturated
	}
	return n
}

// sumLanes takes the figures of the workers up.
func (s *Server) sumLanes() {
	add := func(x *worker) {
		s.Stats.Packets += x.packets
		s.Stats.LongestWait = max(s.Stats.LongestWait, x.longest)
		x.packets, x.longest = 0, 0
	}
	add(&s.main.worker)
	for i := range s.flushing.workers {
		add(&s.flushing.workers[i])
	}
}

// news are what pend found for a connection, before its record receives it: that is done for all at once, connection by
// connection, since it waits for memory. It takes less time than waking another core for a part of it.
type news struct {
	r    *rec
	mask uint64
}

// spread has connections take up their news; until then nobody may ask what is pending.
func (s *Server) spread() {
	for _, c := range s.conns {
		for _, x := range c.news {
			st := c.own(x.r)
			st.pending |= x.mask
			st.dirty = true
			c.queue(x.r)
		}
		c.news = c.news[:0]
	}
}
