package server

import (
	"github.com/tidelock/tidelock/engine/count"
	"github.com/tidelock/tidelock/engine/relevancy"
	"github.com/tidelock/tidelock/netcode/session"
	"github.com/tidelock/tidelock/netcode/traffic"
	"github.com/tidelock/tidelock/netcode/wire"
)

// sender fills the datagrams of one connection. A worker may run it in parallel with the senders of other
// connections, so no field of it leads to anything that belongs to another connection or to the server. What it
// needs of these is in a snapshot; what only the server's goroutine may do (sending, reliable messages, closing
// channels, logging) it records in lists that Conn.transmit processes afterwards, in the order of connections.
// TestWorkersReach checks the types for this.
type sender struct {
	// Traffic counts what is sent.
	Traffic traffic.Counters

	ledger  *session.Ledger
	due     []*sendState // those that may have something to send
	list    []*sendState // scratch: in order of the schedule
	reading relevancy.Reading

	items   []flightItem                       // ring of what datagrams in flight hold
	wides   [][wire.MaxVariables/64 - 1]uint64 // for those, the variables from number 64 on; allocated on first use
	itemAt  int32                              // index for the next one
	sent    uint32                             // datagrams so far: the number of the next, whose lower half is its Seq
	gotNo   uint32                             // number of the newest that is known to have arrived
	got     uint64                             // bit k: number gotNo − k arrived
	flights flights                            // by number

	// Group state (group.go). Bit k of gotPay and validPay is payload lastPay − k: it arrived; payNo has its
	// datagram.
	member               bool
	lastPay              uint32
	gotPay, validPay     uint64
	payNo                ring   // by payload
	payAhead, payRegular uint32 // difference of datagram and payload numbers, constant since that payload

	calls []byte // unreliable ones for the next datagram
	callN int
	tell  []wire.Tell
	key   wire.RunKey // scratch

	incomplete wire.Mask // of the current actor, variables encoded as nil because the client lacks the actor referred to
	landings   []landing // in order of datagrams

	credit    float64 // bytes that may be sent
	carryOver float64 // how much of it is carried over to the next net update (Conn.refill)
	foreseen  float64 // bytes deducted from it for what the link has not counted yet
	waiting   float64 // part of it that waits in the reliable stream
	turns     turns
	saturated bool // something waited for the budget, and since then it never sufficed for everything

	// For the server's goroutine.
	outbox []byte     // datagrams to send
	ends   []int      // the end of each
	missed []sentItem // what was lost
	large  []sentItem // what does not fit into a datagram, for the reliable stream
	quiet  []sentItem // what has nothing left to send, so that its channel may close
	logged []sentItem // what was sent, for the log
}

// snapshot is what senders read of the server while the datagrams of a net update are filled.
type snapshot struct {
	update, clock uint32 // Server.update and Server.clock
	owners        uint32
	time          float64 // of the world, in seconds
	epoch         uint8
	payload       uint32 // newest payload of the group
	before        uint32 // newest one before this net update
	payloads      bool   // this net update has some
	flat, logs    bool   // Server.flat; the log of what is sent has a reader
}

// inTurn is the part of filling datagrams that needs the server's goroutine immediately, because later steps depend
// on it. Conn implements it. A worker has inWorker, which does none of it: sender.gather leaves every connection
// that needs it to the server's goroutine.
type inTurn interface {
	// clogged reports whether too much waits in the reliable stream to open another channel.
	clogged() bool
	// openNext opens the channel whose turn it is; it returns false if the connection ended.
	openNext(st *sendState) bool
	// ask determines which variables of an actor may be sent, if known is false; it returns false if the server's
	// goroutine has to, here or when it encodes.
	ask(st *sendState, known bool) bool
	// encodeOwn encodes what differs between connections.
	encodeOwn(st *sendState) fragment
}

// inWorker is the inTurn of a worker.
type inWorker struct{}

// flightItem is what a datagram in flight holds of one entity, identified by its slot: few are ever read again.
type flightItem struct {
	slot   int32
	serial uint32 // of the replication state, 0 for none
	mask   uint64
}

// sentItem is the same for any variables: those that a datagram held outside of a payload, or in a payload and that
// have become the connection's own since.
type sentItem struct {
	slot   int32
	serial uint32
	mask   wire.Mask
}

// item returns an entry for the lists that the server goroutine processes.
func (r *sendState) item(m wire.Mask) sentItem { return sentItem{int32(r.of.Slot()), r.serial, m} }

// flight is what is known of a datagram besides its items.
type flight struct {
	update    uint32 // net update
	clock     uint32 // of element versions
	versioned bool   // it holds variables that are sent by elements or items
	items     int32  // its number of items in the ring
	// payload is the group's payload that it holds, 0 for none or once it arrived. extra holds those variables of
	// it that have become the connection's own.
	payload uint32
	extra   []sentItem
	newest  uint32 // newest payload before it
}

type flights [256]flight

func (x *flights) at(no uint32) *flight { return &x[no%uint32(len(x))] }

// ring holds a number for each of the last payloads.
type ring [64]uint32

func (x *ring) at(payload uint32) *uint32 { return &x[payload%uint32(len(x))] }

// landing is the part of a datagram in flight that was sent because of bNetInitial, and complete: its arrival
// decides whether these variables are late.
type landing struct {
	no     uint32 // number of the datagram
	slot   int32
	serial uint32
	mask   wire.Mask
}

const (
	// packetOverhead is the cost of a datagram beyond its payload on the real link: 28 for UDP and IP, 25 for the
	// gate, 3 for the frame. The link's counters later give the bytes that were really sent.
	packetOverhead = 56
	// leastPacket is how many bytes the variables of several actors may take in a datagram that overdraws the
	// budget: at small budgets net updates are merged so that headers do not use it up (R4.1).
	leastPacket = 256
	// leastStart is the credit, in bytes, with which a datagram of that size does not overdraw the budget.
	leastStart = leastPacket + packetOverhead
	// mostCarried bounds sender.carryOver, in bytes: half of the largest datagram, so that even this one may overdraw.
	mostCarried = 600
	// maxCallBytes bounds the unreliable calls of one datagram; further ones are dropped (R4.6).
	maxCallBytes = 1000
)

func (inWorker) clogged() bool { panic("server: a worker was given a channel to open") }

func (inWorker) openNext(*sendState) bool { panic("server: a worker was given a channel to open") }

func (inWorker) ask(*sendState, bool) bool { return false }

func (inWorker) encodeOwn(*sendState) fragment {
	panic("server: a worker was given a value that only the server's goroutine encodes")
}

// datagram is the one being filled: its bytes so far, how many of them precede the variables, and whether it
// contains calls or clock replies.
type datagram struct {
	b     []byte
	size  int
	calls bool
}

// spend deducts bytes that are about to be sent from the budget.
func (c *sender) spend(bytes float64) {
	c.credit -= bytes
	c.foreseen += bytes
}

// start marks the next datagram as part of this net update.
func (c *sender) start(n *snapshot) {
	fl := c.flights.at(c.sent)
	fl.update, fl.clock = n.update, n.clock
}

// begin starts a datagram with what precedes variables: calls and clock replies.
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

// send finishes a datagram that holds the given number of newest items of the ring.
func (c *sender) send(x *worker, n *snapshot, b []byte, payload bool, items int32) {
	if c.member && items > 0 && !n.payloads && c.lastPay != n.payload {
		c.carry(n.payload)
	}
	fl := c.flights.at(c.sent)
	fl.items, fl.newest = items, n.before
	c.sent++
	fl = c.flights.at(c.sent)                // the next of the same flush
	c.missed = append(c.missed, fl.extra...) // long ago: it has its delivery notification by now, or will never get one
	*fl = flight{update: n.update, clock: n.clock, extra: fl.extra[:0]}
	c.ledger.Note(b, payload, c.itemAt-items, c.itemAt)
	count.Add(count.Copied, len(b))
	c.outbox = append(c.outbox, b...)
	c.ends = append(c.ends, len(c.outbox))
	c.Traffic.Headers.Count++
	x.packets++
	c.spend(float64(len(b) + packetOverhead))
}

// sendCalls sends the waiting calls and clock replies, if any.
func (c *sender) sendCalls(x *worker, n *snapshot) {
	if c.callN > 0 || len(c.tell) > 0 {
		c.send(x, n, c.begin(n).b, true, 0)
	}
}

// gather adds to the list what could be sent now, with its variables, and returns its approximate size in bytes. ok
// is false if some of it needs the server's goroutine and turn is a worker's.
func (c *sender) gather(owners uint32, turn inTurn) (bytes int, ok bool) {
	count.Add(count.Updated, len(c.due))
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

// enqueue queues an open actor for the next datagram.
func (c *sender) enqueue(st *sendState) {
	if !st.queued {
		st.queued = true
		c.due = append(c.due, st)
	}
}

// rest removes an actor that has nothing to send from the queue.
func (c *sender) rest(st *sendState) {
	st.put(repeat, wire.Mask{})
	st.queued, st.wants = false, 0
	c.quiet = append(c.quiet, st.item(wire.Mask{}))
}

// finish appends the variables to a datagram.
func (c *sender) finish(x *worker, n *snapshot, d datagram) []byte {
	b := x.asm.Append(d.b, n.epoch)
	c.headerBytes(len(b) - d.size - x.asm.Values())
	return b
}

// remember records in the ring what the current datagram holds, and what is left to send.
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
		c.flights.at(c.sent).versioned = true
	}
	r.note(c.sent)
	if r.isLate || r.initial && !k.Initial.Empty() {
		c.noteInitial(r, &all)
	}
	if n.logs {
		c.logged = append(c.logged, r.item(all))
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
		i := int(c.itemAt - int32(k) - 1) // wraps; unused entries are empty
		c.items[i&(n-1)] = old[i&(len(old)-1)]
		if wides != nil {
			c.wides[i&(n-1)] = wides[i&(len(old)-1)]
		}
	}
}

// arrived records the number of a datagram that arrived.
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

// base returns the net update whose position the client holds, and how many datagrams ago it arrived; 0 for none.
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
	return c.flights.at(c.sent - uint32(age)).update, age
}

// noteInitial records which variables of the current datagram were sent because of bNetInitial. Variables that
// refer to actors that the client lacks (sender.incomplete) are not complete.
func (c *sender) noteInitial(r *sendState, sent *wire.Mask) {
	m := sent.And(r.of.Class().Initial)
	if !r.initial {
		m = m.And(r.late)
	}
	if m = m.Without(c.incomplete); !m.Empty() {
		c.landings = append(c.landings, landing{c.sent, int32(r.of.Slot()), r.serial, m})
	}
}

// regularAges as the first of the ages of payloads means that payload number − k was k datagrams ago.
const regularAges = 255

// holds64 returns which payloads the client is known to have: bit k is payload number − k, where number is the
// current one. ages gets how many datagrams ago each was; its first is regularAges if all were as many as payloads.
func (c *sender) holds64(number uint32, ages *[32]uint8) (got uint64) {
	*ages = [32]uint8{regularAges}
	got = c.gotPay << (number - c.lastPay) & (1<<32 - 1)
	if got == 0 || c.sent-number == c.payAhead && got>>(number-c.payRegular+1) == 0 {
		return got
	}
	ages[0] = 0
	for m := got; m != 0; m &= m - 1 {
		j := trailing(m)
		if ago := c.sent - *c.payNo.at(number - uint32(j)); ago <= wire.MaxAge {
			ages[j] = uint8(ago)
		}
	}
	return got
}

// carry records that the current datagram holds a payload.
func (c *sender) carry(number uint32) {
	c.flights.at(c.sent).payload = number
	if d := number - c.lastPay; d != 0 {
		c.gotPay, c.validPay = c.gotPay<<d, c.validPay<<d
		c.lastPay = number
	}
	c.validPay |= 1
	if c.sent-number != c.payAhead {
		c.payAhead, c.payRegular = c.sent-number, number
	}
	*c.payNo.at(number) = c.sent
}

// gotPayload records that a payload arrived.
func (c *sender) gotPayload(number uint32) {
	if d := c.lastPay - number; d < 64 {
		c.gotPay |= 1 << d
	}
}

// datagramOf returns the datagram that brought a payload; ok is false if that was too long ago.
func (c *sender) datagramOf(number uint32) (no uint32, ok bool) {
	return *c.payNo.at(number), c.lastPay-number < uint32(len(c.payNo))
}
