package server

import (
	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/engine/relevancy"
	"github.com/tidelock/tidelock/netcode/session"
	"github.com/tidelock/tidelock/netcode/traffic"
	"github.com/tidelock/tidelock/netcode/wire"
)

// sender fills the datagrams of one connection. A worker may run it beside the senders of other connections, so that it
// leads to nothing that belongs to another connection or to the server: what it needs of these stands in a snapshot, and what
// only the server's goroutine may do (sending, reliable messages, closing channels, logging) it leaves in lists that
// Conn.ship works through afterwards, in the order of connections. TestWorkersReach holds the types to this.
type sender struct {
	// Traffic counts what crosses.
	Traffic traffic.Counters

	ledger  *session.Ledger
	due     []*repState // those that may have something to send
	list    []*repState // scratch: in order of the schedule
	reading relevancy.Reading

	items   []flying                           // ring of what datagrams in flight hold
	wides   [][wire.MaxVariables/64 - 1]uint64 // of those, variables from number 64 on; made where there are some
	itemAt  int32                              // where the next one goes
	sent    uint32                             // datagrams so far: the number of the next, whose lower half is its Seq
	gotNo   uint32                             // number of the newest that is known to have arrived
	got     uint64                             // bit k: number gotNo − k arrived
	flights [256]flown                         // by number

	// Of the crowd (crowd.go). Bit k of gotPay and validPay is payload lastPay − k: it arrived; payNo has its datagram.
	member               bool
	lastPay              uint32
	gotPay, validPay     uint64
	payNo                [64]uint32 // by payload
	payAhead, payRegular uint32     // datagrams are this far ahead of payloads, since that one

	calls []byte // unreliable ones for the next datagram
	callN int
	tell  []wire.Tell
	key   wire.RunKey // scratch

	incomplete wire.Mask // of the actor under way, variables encoded as nil since the client lacks the actor referred to
	landings   []landing // in order of datagrams

	credit    float64 // bytes that may be sent
	carryOver float64 // how much of it is carried over to the next net update (Conn.earn)
	foreseen  float64 // bytes taken off it for what the link has not counted yet
	waiting   float64 // of these, of what waits in the reliable stream
	turns     turns
	saturated bool // something waited for the budget, and it has not sufficed for everything since

	// For the server's goroutine.
	outbox  []byte     // datagrams to send
	parcels []int      // where each ends
	missed  []sentItem // what was lost
	large   []sentItem // what no datagram holds, for the reliable stream
	quiet   []sentItem // what has nothing to send any more, so that its channel may close
	logged  []sentItem // what was sent, for the log
}

// snapshot is what senders read of the server while a net update's datagrams are filled.
type snapshot struct {
	update, clock uint32 // Server.update and Server.clock
	owners        uint32
	time          float64 // of the world, in seconds
	epoch         uint8
	payload       uint32 // newest payload of the crowd
	before        uint32 // newest one before this net update
	payloads      bool   // there are some in this net update
	flat, logs    bool   // Server.flat; somebody reads the log of what is sent
}

func (s *Server) snapshot() snapshot {
	return snapshot{
		update: s.update, clock: s.clock, owners: s.owners, time: s.world.Time, epoch: s.set.Epoch,
		payload: s.crowd.number, before: s.crowd.before, payloads: len(s.crowd.parts) > 0, flat: s.flat, logs: len(s.logClass) > 0,
	}
}

// inTurn is what filling a connection's datagrams needs the server's goroutine for at once, since what follows depends on it.
// Conn does it. A worker has aside, which does none of it: sender.gather leaves anyone who needs it to the server's goroutine.
type inTurn interface {
	// clogged reports whether too much waits in the reliable stream to open another channel.
	clogged() bool
	// openNext opens the channel of what had its turn; false: the connection ended.
	openNext(st *repState) bool
	// encodeOwn encodes what is not the same for every connection.
	encodeOwn(st *repState) fragment
}

// aside is the inTurn of a worker.
type aside struct{}

func (aside) clogged() bool { panic("server: a worker was given a channel to open") }

func (aside) openNext(*repState) bool { panic("server: a worker was given a channel to open") }

func (aside) encodeOwn(*repState) fragment {
	panic("server: a worker was given a value that only the server's goroutine encodes")
}

// datagram is the one being filled: its bytes so far, how many of these go before the variables, and whether calls or answers
// about time are among them.
type datagram struct {
	b     []byte
	size  int
	calls bool
}

// spend takes bytes off the budget that are about to be sent.
func (c *sender) spend(bytes float64) {
	c.credit -= bytes
	c.foreseen += bytes
}

// start marks the next datagram as one of this net update.
func (c *sender) start(n *snapshot) {
	fl := &c.flights[c.sent%uint32(len(c.flights))]
	fl.update, fl.clock = n.update, n.clock
}

// begin starts a datagram with what goes before variables: calls and the answers about time.
func (c *sender) begin(n *snapshot) datagram {
	b := c.ledger.Begin()
	for i := range c.tell {
		c.tell[i].Time = int64(n.time * 1e6)
		b = wire.AppendTell(b, c.tell[i])
	}
	c.tell = c.tell[:0]
	c.headerBytes(len(b))
	b = append(b, c.calls...)
	c.calls, c.callN = c.calls[:0], 0
	return datagram{b: b, size: len(b), calls: len(b) > wire.MaxHeader+8}
}

func (c *sender) headerBytes(n int) { c.Traffic.Headers.Bytes += uint64(int64(n)) }

// send finishes a datagram that holds the newest items of the ring, so many of them.
func (c *sender) send(x *worker, n *snapshot, b []byte, payload bool, items int32) {
	first := c.itemAt - items
	if c.member && items > 0 && !n.payloads && c.lastPay != n.payload {
		c.carry(n.payload)
	}
	c.flights[c.sent%uint32(len(c.flights))].items = items
	c.flights[c.sent%uint32(len(c.flights))].crowd = n.before
	c.sent++
	fl := &c.flights[c.sent%uint32(len(c.flights))] // the next of the same flush
	c.missed = append(c.missed, fl.extra...)        // long ago: it has its fate by now, or none any more
	*fl = flown{update: n.update, clock: n.clock, extra: fl.extra[:0]}
	c.ledger.Note(b, payload, first, c.itemAt)
	c.outbox = append(c.outbox, b...)
	c.parcels = append(c.parcels, len(c.outbox))
	c.Traffic.Headers.Count++
	x.packets++
	c.spend(float64(len(b) + packetOverhead))
}

// sendCalls sends the calls and answers that wait, if any.
func (c *sender) sendCalls(x *worker, n *snapshot) {
	if c.callN > 0 || len(c.tell) > 0 {
		c.send(x, n, c.begin(n).b, true, 0)
	}
}

// gather lists what could be sent now, with what of it, and gives about how many bytes that takes. ok is false where some of
// it needs the server's goroutine.
func (c *sender) gather(n *snapshot) (bytes int, ok bool) {
	c.list = c.list[:0]
	kept := c.due[:0]
	for i, st := range c.due {
		if !st.open {
			st.queued = false
			continue
		}
		if !st.choose(n) {
			left := copy(c.due[len(kept):], c.due[i:])
			clear(c.due[len(kept)+left:])
			c.due = c.due[:len(kept)+left]
			return 0, false
		}
		if st.waits && c.ledger.PeerHas(st.after) {
			st.waits = false
		}
		if st.send == 0 {
			c.rest(st)
			continue
		}
		kept = append(kept, st)
		c.list = append(c.list, st)
		bytes += st.estimate()
	}
	clear(c.due[len(kept):])
	c.due = kept
	return bytes, true
}

// estimate is about how many bytes it takes to send what may go.
func (st *repState) estimate() int { return 3 + 8*st.sends() }

// enqueue puts an open actor in line for the next datagram.
func (c *sender) enqueue(st *repState) {
	if !st.queued {
		st.queued = true
		c.due = append(c.due, st)
	}
}

// rest takes out of the line what has nothing to send.
func (c *sender) rest(st *repState) {
	st.setRepeat(&wire.Mask{})
	st.queued, st.wants = false, 0
	c.quiet = append(c.quiet, sentItem{slot: int32(st.of.Slot()), serial: st.serial})
}

// choose works out what may go now, from what conditions said before. False: they have to be asked, or it is not the same for
// every connection.
func (st *repState) choose(n *snapshot) bool {
	k := st.of.Class()
	if !k.Steady || !k.Small || st.lateDue() || st.bitsFor != n.owners || (st.pending|st.repeat)&k.Alone[0] != 0 {
		return false
	}
	mask, ok := st.of.Answered(st.inputBits() & k.InputMask)
	st.send = (st.pending | st.repeat) & mask
	return ok
}

// inputBits is what the connection is to the actor, for steady conditions; bits must hold.
func (st *repState) inputBits() engine.CondInput {
	in := st.bits
	if st.initial {
		in |= engine.CondInput(engine.MaskInitial)
	}
	if st.dirty {
		in |= engine.CondInput(engine.MaskDirty)
	}
	return in
}

// allow sets what may go, of what is pending or to be repeated, and reports whether that is anything.
func (st *repState) allow(cond *wire.Mask) bool {
	p, again := st.pendingAll(), st.repeatAll()
	p = or(&p, &again)
	p = and(&p, cond)
	st.setSend(&p)
	return !p.Empty()
}

// finish appends the variables to a datagram.
func (c *sender) finish(x *worker, n *snapshot, d datagram) []byte {
	b := x.asm.Append(d.b, n.epoch)
	c.headerBytes(len(b) - d.size - x.asm.Values())
	return b
}
