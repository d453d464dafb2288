package server

import (
	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/engine/geom"
)

// CopyState is what a client has of an actor.
type CopyState uint8

const (
	// CopyWaiting: it is relevant, and its channel is not open yet.
	CopyWaiting CopyState = iota
	// CopyOpen: its channel is open.
	CopyOpen
	// CopyDormant: the client keeps it, and relevancy is not tested (R4.7).
	CopyDormant
	// CopyAway: it is not relevant, and the client keeps the level's own copy (R3.10).
	CopyAway
	// CopyLeft: it was sent and left to the client: temporary, or torn off (R5.17, R5.18).
	CopyLeft
)

var copyStates = [...]string{"waiting", "open", "dormant", "away", "left"}

func (s CopyState) String() string { return copyStates[s] }

// Copy describes a client's copy of an actor, as far as the server knows it from delivery notifications (R13.2).
type Copy struct {
	Actor *engine.Actor
	State CopyState
	// Role is the role of the client's copy.
	Role engine.Role
	// Place is the newest position that is known to have arrived, on the grid of the wire; Age is how many seconds ago it
	// was sent, 0 while the client lacks no newer one. Placed is false while no position is known: the opening is
	// not acknowledged, it was left to the client, the position does not replicate to this client, or the newest that arrived is too old (wire.MaxAge).
	Placed bool
	Place  geom.Vector
	Age    float64
	// Sent is how many seconds ago a value of it was sent, −1 for never. Arrived says that no datagram that holds something of it
	// waits for its delivery notification.
	Sent    float64
	Arrived bool
	// Throttled is for how many seconds it has waited for bandwidth, 0 if it does not.
	Throttled float64
}

// EachCopy calls f for every actor of which a client has a copy or will get one; components are left out. It changes nothing
// and belongs to the server's goroutine, between two net updates.
func (s *Server) EachCopy(c *Conn, f func(Copy)) {
	for _, r := range c.active {
		e := r.ent
		if e.outer != nil || e.dead {
			continue
		}
		st := c.peek(r)
		x := Copy{Actor: e.actor, Role: c.roleOf(e.actor), Sent: -1, Arrived: !c.flies(&st)}
		switch {
		case r.phase == repOpen:
			x.State = CopyOpen
		case r.phase == repLeft:
			x.State = CopyLeft
		case r.phase == repDormant && r.away:
			x.State = CopyAway
		case r.phase == repDormant:
			x.State = CopyDormant
		case st.opening:
			x.State = CopyWaiting
		default: // relevancy tests it, and it is not relevant
			continue
		}
		if st.wants > 0 {
			x.Throttled = max(0, s.world.Time-st.wants)
		}
		if x.State != CopyWaiting {
			if st.served > 0 {
				x.Sent = max(0, s.world.Time-st.served)
			}
			if x.State != CopyLeft { // the client moves it on its own
				x.Place, x.Age, x.Placed = c.placeOf(e, &st)
			}
		}
		f(x)
	}
}

// placeOf returns the newest position of an actor that is known to have arrived, and its age in seconds.
func (c *Conn) placeOf(e *entity, st *sendState) (at geom.Vector, age float64, ok bool) {
	k := e.class
	if k.Location < 0 || st.initial {
		return at, 0, false
	}
	flying := st.positions != 0 && c.sent-st.positionNo <= uint32(c.ledger.InFlight())
	if !flying && !st.has(pending, k.Location) {
		return k.Grid.Value(e.At), 0, true
	}
	for m := st.positions; m != 0; m &= m - 1 { // newest first
		no := st.positionNo - uint32(trailing(uint64(m)))
		if d := c.gotNo - no; d >= 64 || c.got>>d&1 == 0 || c.sent-no >= uint32(len(c.flights)) {
			continue
		}
		update := c.flights.at(no).update
		q, ok := e.View().PositionOf(update)
		return k.Grid.Value(q), float64(c.s.update-update) / float64(max(1, c.s.cfg.Net)), ok
	}
	return at, 0, false
}
