package server

import (
	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/engine/relevancy"
	"github.com/tidelock/tidelock/netcode/server/shadow"
	"github.com/tidelock/tidelock/netcode/server/share"
	"github.com/tidelock/tidelock/netcode/wire"
)

type recState uint8

const (
	recLooked  recState = iota // relevancy looks at it; the client has nothing
	recOpen                    // has a channel
	recDormant                 // no channel, but the client has the copy (R4.7)
	recLeft                    // no channel and never again: temporary, torn off
)

// repState is the replication state of one actor on one connection: what the client lacks of it, and which datagrams hold
// what. A worker reads and writes it while it fills the connection's datagrams; it leads to the actor's shadow and to nothing
// else. A net update touches thousands: what it needs of each comes first and lies together.
type repState struct {
	of      shadow.View
	pending uint64 // variables the client is not known to have, up to number 63; the rest is in wide, here and below
	repeat  uint64 // sent once, to be sent again in the next datagram (R5.22)
	send    uint64 // scratch: what of it may go now
	bitsFor uint32 // Server.owners for which bits holds
	// The datagrams that brought the place: bit k of placed is that of number placeNo − k. Which of them arrived, the
	// connection knows (sender.base).
	placeNo, placed uint32
	lastNo          uint32           // number + 1 of the last datagram that held something of it, 0 for none
	bits            engine.CondInput // of Conn.input, those that only an owner or a role can change
	open            bool             // the channel is open: rec.state is recOpen
	initial         bool             // bNetInitial
	dirty           bool             // bNetDirty
	queued          bool             // stands in sender.due
	waits           bool             // after is not known to be processed yet
	isLate          bool             // late is not empty
	opening         bool             // stands in Conn.toOpen

	serial uint32  // as rec.serial
	after  uint16  // newest reliable message about it
	ever   uint64  // sent since it was opened
	served float64 // world time of the last send
	wants  float64 // world time since which it has had something to send and no turn, 0 for nothing
	wide   *wide   // nil where the class is small

	late wire.Mask // initial ones that waited for an actor: for them bNetInitial still holds (R5.13)
}

// rec is what one connection has of one entity.
type rec struct {
	// rep is the replication state, or the part in one that several connections have in common (crowd.go). [Conn.own] gives
	// it for work on this connection alone.
	rep share.State[repState, common]

	relState

	ent     *entity
	conn    *Conn
	verdict relevancy.Verdict
	inFrom  uint32 // payload from which the common state in rep holds

	opened uint16 // reliable message that opened it

	sub    int  // place in ent.subs, −1 for none
	at     int  // place in conn.active
	waking bool // stands in conn.wakes
	away   bool // dormant because it is not relevant, though the client keeps its copy (R3.10)
	acks   bool // stands in conn.opens
	lags   bool // stands in conn.settling
	role   engine.Role
	owned  bool     // some player owns it, as the client was told
	told   bool     // the client knows its number in references
	asked  bool     // something refers to it, though it never said anything
	pieces []uint32 // per element-wise variable: update up to which it is known to be there
	heard  []heard  // of upstream variables

	_ [24]byte // whole cache lines: records are made in rows (Conn.reserve)
}

func (r *rec) open() bool { return r.state == recOpen }

// known reports whether the client has a copy: with a channel, or asleep without one.
func (r *rec) known() bool { return r.state == recOpen || r.state == recDormant }

// opening reports whether the channel is to be opened when the budget allows it. What is shared is open.
func (r *rec) opening() bool {
	st, ok := r.rep.Private()
	return ok && st.opening
}

// arriving reports whether the opening of the channel is not known to have arrived. What is shared has.
func (r *rec) arriving() bool {
	st, ok := r.rep.Private()
	return ok && st.initial
}

// waits reports whether a reliable message about the actor is not known to have arrived. For what is shared there is none.
func (r *rec) waits() bool {
	st, ok := r.rep.Private()
	return ok && st.waits
}

// own gives the replication state of a rec for work on its connection alone: from here on it is not shared.
func (c *Conn) own(r *rec) *repState {
	if st, ok := r.rep.Private(); ok {
		return st
	}
	return c.unshare(r)
}

// become changes the state of a rec.
func (c *Conn) become(r *rec, state recState) {
	c.own(r).open = state == recOpen
	r.state = state
}

// recOf is the rec of a state that the connection's lists hold, nil where it was forgotten since.
func (c *Conn) recOf(slot int32, serial uint32) *rec {
	if r := c.recAt(slot); r != nil && r.serial == serial {
		return r
	}
	return nil
}

func drop[T any](list []*T, r *T) []*T {
	for i, x := range list {
		if x == r {
			last := len(list) - 1
			list[i] = list[last]
			list[last] = nil
			return list[:last]
		}
	}
	return list
}
