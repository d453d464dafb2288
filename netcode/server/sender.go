package server

import (
	"github.com/tidelock/tidelock/engine/relevancy"
	"github.com/tidelock/tidelock/netcode/session"
	"github.com/tidelock/tidelock/netcode/traffic"
	"github.com/tidelock/tidelock/netcode/wire"
)

// sender fills the datagrams of one connection. A worker may run it beside the senders of other connections, so that it
// leads to nothing that belongs to another connection or to the server: what it needs of these stands in a snapshot, and what
// only the server's goroutine may do (sending, reliable messages, closing channels, logging) it leaves in lists that
// Conn.transmit works through afterwards, in the order of connections. TestWorkersReach holds the types to this.
type sender struct {
	// Traffic counts what crosses.
	Traffic traffic.Counters

	ledger  *session.Ledger
	due     []*sendState // those that may have something to send
	list    []*sendState // scratch: in order of the schedule
	reading relevancy.Reading

	items   []flightItem                       // ring of what datagrams in flight hold
	wides   [][wire.MaxVariables/64 - 1]uint64 // of those, variables from number 64 on; made where there are some
	itemAt  int32                              // where the next one goes
	sent    uint32                             // datagrams so far: the number of the next, whose lower half is its Seq
	gotNo   uint32                             // number of the newest that is known to have arrived
	got     uint64                             // bit k: number gotNo − k arrived
	flights [256]flight                        // by number

	// Of the group (group.go). Bit k of gotPay and validPay is payload lastPay − k: it arrived; payNo has its datagram.
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
	carryOver float64 // how much of it is carried over to the next net update (Conn.refill)
	foreseen  float64 // bytes taken off it for what the link has not counted yet
	waiting   float64 // of these, of what waits in the reliable stream
	turns     turns
	saturated bool // something waited for the budget, and it has not sufficed for everything since

	// For the server's goroutine.
	outbox []byte     // datagrams to send
	ends   []int      // where each ends
	missed []sentItem // what was lost
	large  []sentItem // what no datagram holds, for the reliable stream
	quiet  []sentItem // what has nothing to send any more, so that its channel may close
	logged []sentItem // what was sent, for the log
}

// snapshot is what senders read of the server while a net update's datagrams are filled.
type snapshot struct {
	update, clock uint32 // Server.update and Server.clock
	owners        uint32
	time          float64 // of the world, in seconds
	epoch         uint8
	payload       uint32 // newest payload of the group
	before        uint32 // newest one before this net update
	payloads      bool   // there are some in this net update
	flat, logs    bool   // Server.flat; somebody reads the log of what is sent
}

// inTurn is what filling a connection's datagrams needs the server's goroutine for at once, since what follows depends on it.
// Conn does it. A worker has aside, which does none of it: sender.gather leaves anyone who needs it to the server's goroutine.
type inTurn interface {
	// clogged reports whether too much waits in the reliable stream to open another channel.
	clogged() bool
	// openNext opens the channel of what had its turn; false: the connection ended.
	openNext(st *sendState) bool
	// ask works out what may go of an actor, where known is false; false: the server's goroutine has to, here or when it encodes.
	ask(st *sendState, known bool) bool
	// encodeOwn encodes what is not the same for every connection.
	encodeOwn(st *sendState) fragment
}

// inWorker is the inTurn of a worker.
type inWorker struct{}

// flightItem is what a datagram under way holds of one entity, by the slot of that: hardly one is ever looked at again.
type flightItem struct {
	slot   int32
	serial uint32 // of the replication state, 0 for none
	mask   uint64
}

// sentItem is the same for any variables: of what a datagram held by itself, or of a payload and is its connection's own since.
type sentItem struct {
	slot   int32
	serial uint32
	mask   wire.Mask
}

// flight is what is known of a datagram beside its items.
type flight struct {
	update    uint32 // net update
	clock     uint32 // of element versions
	versioned bool   // it holds variables that cross by elements or items
	items     int32  // how many items of the ring it holds
	// payload is what it holds of the group's, 0 for none or where it arrived. What of that is the connection's own again
	// stands in extra.
	payload uint32
	extra   []sentItem
	newest  uint32 // newest payload there was before
}

// landing is the part of a datagram under way that was sent because of bNetInitial, and complete: whether it arrives
// decides whether these variables are late.
type landing struct {
	no     uint32 // number of the datagram
	slot   int32
	serial uint32
	mask   wire.Mask
}

const (
	// packetOverhead is what a datagram of ours costs beyond its payload on the real link: 28 of UDP and IP, 25 of the
	// gate, 3 of the frame. What was really spent comes from the link's counters afterwards.
	packetOverhead = 56
	// leastPacket is how many bytes the variables of several actors may take in a datagram that overdraws the budget: at small
	// budgets net updates are merged rather than sent as headers (R4.1).
	leastPacket = 256
	// leastStart is the credit, in bytes, with which a datagram of that size overdraws nothing.
	leastStart = leastPacket + packetOverhead
	// mostCarried bounds sender.carryOver, in bytes: half of the largest datagram, so that even this one may overdraw.
	mostCarried = 600
	// maxCallBytes bounds the unreliable calls of one datagram; what is over is dropped (R4.6).
	maxCallBytes = 1000
)

func (inWorker) clogged() bool { panic("server: a worker was given a channel to open") }

func (inWorker) openNext(*sendState) bool { panic("server: a worker was given a channel to open") }

func (inWorker) ask(*sendState, bool) bool { return false }

func (inWorker) encodeOwn(*sendState) fragment {
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
	c.flights[c.sent%uint32(len(c.flights))].newest = n.before
	c.sent++
	fl := &c.flights[c.sent%uint32(len(c.flights))] // the next of the same flush
	c.missed = append(c.missed, fl.extra...)        // long ago: it has its delivery notification by now, or none any more
	*fl = flight{update: n.update, clock: n.clock, extra: fl.extra[:0]}
	c.ledger.Note(b, payload, first, c.itemAt)
	c.outbox = append(c.outbox, b...)
	c.ends = append(c.ends, len(c.outbox))
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

// gather adds to the list what could be sent now, with what of it, and gives about how many bytes that takes. ok is false where
// some of it needs the server's goroutine and turn is a worker's.
func (c *sender) gather(owners uint32, turn inTurn) (bytes int, ok bool) {
	kept := c.due[:0]
	for i, st := range c.due {
		if !st.open {
			st.queued = false
			continue
		}
		if known := st.choose(owners); (!known || st.send&st.of.Class().Alone[0] != 0) && !turn.ask(st, known) {
			left := copy(c.due[len(kept):], c.due[i:])
			clear(c.due[len(kept)+left:])
			c.due = c.due[:len(kept)+left]
			return 0, false
		}
		if st.waits && c.ledger.PeerHas(st.after) {
			st.waits = false
		}
		if !st.any(send) {
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

// enqueue puts an open actor in line for the next datagram.
func (c *sender) enqueue(st *sendState) {
	if !st.queued {
		st.queued = true
		c.due = append(c.due, st)
	}
}

// rest takes out of the line what has nothing to send.
func (c *sender) rest(st *sendState) {
	st.put(repeat, wire.Mask{})
	st.queued, st.wants = false, 0
	c.quiet = append(c.quiet, sentItem{slot: int32(st.of.Slot()), serial: st.serial})
}

// finish appends the variables to a datagram.
func (c *sender) finish(x *worker, n *snapshot, d datagram) []byte {
	b := x.asm.Append(d.b, n.epoch)
	c.headerBytes(len(b) - d.size - x.asm.Values())
	return b
}

// remember notes in the ring what the datagram under way holds, and what is left to send.
func (c *sender) remember(n *snapshot, r *sendState) {
	if n := len(c.items); n == 0 || c.itemAt-c.ledger.OldestFirst(c.itemAt) >= int32(n) {
		c.growItems()
	}
	all := r.get(send)
	k := r.of.Class()
	at := int(c.itemAt) & (len(c.items) - 1)
	c.items[at] = flightItem{slot: int32(r.of.Slot()), serial: r.serial, mask: all[0]}
	if !k.Small {
		if c.wides == nil {
			c.wides = make([][wire.MaxVariables/64 - 1]uint64, len(c.items))
		}
		copy(c.wides[at][:], all[1:])
	}
	c.itemAt++
	if k.Elements > 0 {
		c.flights[c.sent%uint32(len(c.flights))].versioned = true
	}
	r.note(c.sent)
	if r.isLate || r.initial && !k.Initial.Empty() {
		c.noteInitial(r, &all)
	}
	if n.logs {
		c.logged = append(c.logged, sentItem{int32(r.of.Slot()), r.serial, all})
	}
}

func (c *sender) growItems() {
	old := c.items
	n := max(256, 2*len(old))
	c.items = make([]flightItem, n)
	wides := c.wides
	if wides != nil {
		c.wides = make([][wire.MaxVariables/64 - 1]uint64, n)
	}
	for k := range old {
		i := int(c.itemAt - int32(k) - 1) // wraps; what was not used yet is empty
		c.items[i&(n-1)] = old[i&(len(old)-1)]
		if wides != nil {
			c.wides[i&(n-1)] = wides[i&(len(old)-1)]
		}
	}
}

// arrived notes the number of a datagram that did.
func (c *sender) arrived(no uint32) {
	if ahead := int32(no - c.gotNo); ahead > 0 || c.got == 0 {
		c.got = c.got<<uint32(ahead) | 1
		c.gotNo = no
	} else {
		c.got |= 1 << uint32(-ahead)
	}
}

// flies reports whether a datagram without a delivery notification may hold something of an actor.
func (c *sender) flies(r *sendState) bool {
	return r.lastNo != 0 && c.sent-(r.lastNo-1) <= uint32(c.ledger.InFlight())
}

// base is the net update whose position the client holds, and how many datagrams ago it got that; 0 for none.
func (c *sender) base(r *sendState) (base uint32, age int) {
	ago := c.sent - r.positionNo
	if r.positions == 0 || r.waits || ago > wire.MaxAge {
		return 0, 0
	}
	// Bit k of both: the datagram k before the next one brought the position, and arrived.
	have := uint64(r.positions) << ago & (c.got << (c.sent - c.gotNo))
	if age = trailing(have); age > wire.MaxAge {
		return 0, 0
	}
	return c.flights[(c.sent-uint32(age))%uint32(len(c.flights))].update, age
}

// noteInitial remembers what of the datagram under way was sent because of bNetInitial. Variables that refer to actors which
// the client lacks (sender.incomplete) are not complete.
func (c *sender) noteInitial(r *sendState, sent *wire.Mask) {
	m := sent.And(r.of.Class().Initial)
	if !r.initial {
		m = m.And(r.late)
	}
	if m = m.Without(c.incomplete); !m.Empty() {
		c.landings = append(c.landings, landing{c.sent, int32(r.of.Slot()), r.serial, m})
	}
}

// holds64 is which payloads the client is known to have: bit k is payload number − k, where number is the one under way.
// regular: each was as many datagrams ago as payloads.
func (c *sender) holds64(number uint32) (got uint64, regular bool) {
	got = c.gotPay << (number - c.lastPay) & (1<<32 - 1)
	if c.sent-number != c.payAhead {
		return got, got == 0
	}
	return got, got>>(number-c.payRegular+1) == 0
}

// agesAt gives how many datagrams ago payloads were, for those of a set.
func (c *sender) agesAt(number uint32, got uint64, ages *[32]uint8) {
	*ages = [32]uint8{}
	for m := got; m != 0; m &= m - 1 {
		j := trailing(m)
		if ago := c.sent - c.payNo[(number-uint32(j))%uint32(len(c.payNo))]; j < len(ages) && ago <= wire.MaxAge {
			ages[j] = uint8(ago)
		}
	}
}

// carry notes that the datagram under way holds a payload.
func (c *sender) carry(number uint32) {
	c.flights[c.sent%uint32(len(c.flights))].payload = number
	if d := number - c.lastPay; d != 0 {
		c.gotPay, c.validPay = c.gotPay<<d, c.validPay<<d
		c.lastPay = number
	}
	c.validPay |= 1
	if c.sent-number != c.payAhead {
		c.payAhead, c.payRegular = c.sent-number, number
	}
	c.payNo[number%uint32(len(c.payNo))] = c.sent
}

// gotPayload notes that a payload arrived.
func (c *sender) gotPayload(number uint32) {
	if d := c.lastPay - number; d < 64 {
		c.gotPay |= 1 << d
	}
}

// datagramOf is the datagram that brought a payload; ok is false for one too long ago.
func (c *sender) datagramOf(number uint32) (no uint32, ok bool) {
	return c.payNo[number%uint32(len(c.payNo))], c.lastPay-number < uint32(len(c.payNo))
}
