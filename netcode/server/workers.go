package server

// Between two ticks the world does not change, so most of what a connection is sent follows from its own state and
// from constant data. Workers fill the datagrams of such connections in parallel (Config.Parallel). Connections
// that open channels, refer to other actors or must evaluate conditions are filled afterwards, on the server's
// goroutine. The connection alone decides which of the two applies, so the bytes sent depend neither on the number
// of workers nor on their order.
//
// The type of sender determines what a worker may touch.

const (
	mostWorkers = 16
	// leastParallel is how many actors with something to send, over all connections, justify waking other cores.
	leastParallel = 256
)

// flushing is the work of filling datagrams, divided among workers.
type flushing struct {
	workers []worker
	now     snapshot
	senders []job
}

// job is one connection's share.
type job struct {
	*sender
	done *bool // whether all of it was done: otherwise the server's goroutine does it
}

// surveying is the work of beginning passes, divided among workers.
type surveying struct {
	workers []worker
	ground  ground
	surveys []*survey
}

// run does one worker's share.
func (f *flushing) run(i int) {
	x, n := &f.workers[i], f.now // a copy: no worker changes what another one reads
	for ; i < len(f.senders); i += len(f.workers) {
		j := &f.senders[i]
		*j.done = j.flushInWorker(x, &n)
	}
}

// flushInWorker fills a net update's datagrams, unless some of the data needs the server's goroutine.
func (c *sender) flushInWorker(x *worker, n *snapshot) bool {
	c.list = c.list[:0]
	estimate, ok := c.gather(n.owners, inWorker{})
	if !ok {
		return false
	}
	c.start(n)
	c.schedule(x, n, estimate, inWorker{})
	return true
}

func (s *Server) makeWorkers() {
	s.flushing.workers = make([]worker, min(max(1, s.cfg.Workers), mostWorkers))
	for i := range s.flushing.workers {
		s.flushing.workers[i].encoder = newEncoder()
	}
	s.surveying.workers = s.flushing.workers
	s.flushers, s.scanners = s.flushing.run, s.surveying.run
}

// inParallel does work on the given number of actors in parallel.
func (s *Server) inParallel(work int, f func(lane int)) {
	if work == 0 {
		return
	}
	n := len(s.flushing.workers)
	if s.cfg.Parallel != nil && n > 1 && work >= leastParallel {
		s.cfg.Parallel(n, f)
		return
	}
	for i := range n {
		f(i)
	}
}

// saturated returns how many vectors did not fit their grid so far (R5.10).
func (s *Server) saturated() uint64 {
	n := s.main.vals.Saturated
	for i := range s.flushing.workers {
		n += s.flushing.workers[i].vals.Saturated
	}
	return n
}

// sumWorkers adds up the figures of the workers.
func (s *Server) sumWorkers() {
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

func (s *Server) snapshot() snapshot {
	return snapshot{
		update: s.update, clock: s.clock, owners: s.owners, time: s.world.Time, epoch: s.set.Epoch,
		payload: s.group.number, before: s.group.before, payloads: len(s.group.parts) > 0, flat: s.flat, logs: len(s.logClass) > 0,
	}
}

// run does one worker's share.
func (w *surveying) run(i int) {
	x, n := &w.workers[i], w.ground // a copy: no worker changes what another one reads
	for ; i < len(w.surveys); i += len(w.workers) {
		w.surveys[i].scan(&x.search, &n)
	}
}
