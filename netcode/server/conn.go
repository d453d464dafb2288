package server

import (
	"fmt"
	"time"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/engine/count"
	"github.com/tidelock/tidelock/engine/relevancy"
	"github.com/tidelock/tidelock/netcode/bundle"
	"github.com/tidelock/tidelock/netcode/link"
	"github.com/tidelock/tidelock/netcode/session"
	"github.com/tidelock/tidelock/netcode/wire"
)

// connState is the state of a connection.
type connState uint8

const (
	waitingHello connState = iota
	loading                // welcomed; the client fetches and loads
	playing
	gone
)

// Conn is one connection and the state that its client has.
type Conn struct {
	// ID is the connection's number, from 1, never used twice.
	ID uint32
	// Name is the player's name, for messages; Address is the player's present address as the link states it.
	Name, Address string
	// Budget is in bytes per second, headers included (R4.1).
	Budget int

	s      *Server
	sess   *session.Session
	state  connState
	since  time.Duration
	player engine.ActorID
	epoch  uint8 // of the classes that the client runs
	from   int64 // Session.Number of the first datagram whose calls use these classes
	opts   string
	// faultTokens is how many reports of script errors are accepted now, as of faultAt.
	faultTokens float64
	faultAt     time.Duration
	faultsBegun int // places that it was the first to report
	// carried is what Game.Depart returned for the player, until they have arrived in this world.
	carried any
	// asked: the game was asked to prepare the player, and has to be told when they are gone. waits is set until it is ready, and
	// waitsFor is what for.
	asked, waits bool
	// cleared: PreLogin has let the player in.
	cleared  bool
	waitsFor string

	sender                // fills its datagrams; workers only get this part
	survey                // begins its relevancy passes; workers only get this part
	follows   follower    // the pace of its client
	flushed   bool        // a worker filled its datagrams in this net update
	gathered  bool        // list and estimate belong to this net update
	estimate  int         // of gatherInTurn
	bitsFor   uint32      // Server.owners for which refreshAll was done
	reps      []*repState // by slot
	active    []*repState // those with a channel or tested by relevancy, in the order of known
	channels  int         // how many of them are open
	toOpen    []*repState
	wakes     []*repState // dormant, with something to send: relevancy is tested first (R3.12)
	spare     []*repState // scratch of confirm
	opens     []*repState // those with a reliable message that is not known to be processed
	awaiting  []await
	awaitMost int // length of awaiting at which it is pruned
	view      relevancy.Viewer
	seenAt    uint32 // net update to which view belongs (see)
	sights    func(*engine.Actor) *relevancy.Sight
	flatFor   [3]*engine.Actor // player, view target and pawn for which flat holds
	lookNow   bool
	sight     relevancy.Sight // scratch
	pool      []*repState
	serial    uint32
	tests     int // of the last pass

	// Group state (group.go).
	shares   int         // replication states for which a shared state knows more
	except   []exception // of the payloads of this net update
	groupAt  uint32      // net update from which it may join
	settling []lagging   // those that settle cannot judge until more delivery notifications arrive
	scratch  []byte

	seenBytes uint64 // of link.Stats.BytesOut
	lastFlush time.Duration
	netAt     time.Duration // time of the latest net update

	offences    float64
	offendedAt  time.Duration
	told        []string // already reported for it
	callTokens  float64
	byteTokens  float64
	largeTokens float64
	tokensAt    time.Duration
	lastIn      time.Duration
	offered     *bundle.Bundle    // what the first welcome offered, until the hello
	files       []*bundle.Archive // to be sent
	fileFrom    int               // how much of the first one was sent, in bytes
	fileTokens  float64
	fileAt      time.Duration
	fileDebt    float64 // bytes of files handed to the link: they have a rate of their own and are not charged to the budget
	closing     link.Reason
	held        []heldCall
	callsOut    []callOut        // reliable calls not known to be processed
	accounts    []account        // by accountNumbers
	pending     int              // reliable calls that are charged and not acknowledged
	drained     float64          // seconds: when all charged calls have been sent, at the host's default budget
	goneOut     float64          // the same for all reliable messages that were sent
	joined      uint64           // Server.joins when it became a player's
	dg          session.Datagram // scratch: the one being read
	readArgs    wire.Args
	// faulty holds the functions whose last call by this player failed, and when (G18).
	faulty map[*engine.Function]time.Duration
}

// noEpoch is the epoch of a client that does not run any classes yet.
const noEpoch = 255

// Player returns the connection's PlayerController, nil before it has one.
func (c *Conn) Player() *engine.Actor { return c.s.world.Actor(c.player) }

// Travelling reports whether the connection belongs to a player of another world who has not arrived in this one yet (R8.7).
func (c *Conn) Travelling() bool { return c.carried != nil }

// Session returns the session of the connection, for its figures.
func (c *Conn) Session() *session.Session { return c.sess }

// Channels returns how many channels are open.
func (c *Conn) Channels() int { return c.channels }

// Saturated reports whether the budget is the limit: something had to wait for it, and since then it never sufficed
// for everything.
func (c *Conn) Saturated() bool { return c.saturated }

// rep returns the connection's replication state of an entity, or nil.
func (c *Conn) rep(e *entity) *repState {
	return c.repAt(int32(e.slot))
}

func (c *Conn) repAt(slot int32) *repState {
	if int(slot) < len(c.reps) {
		return c.reps[slot]
	}
	return nil
}

func (c *Conn) byNet(net uint32) *repState {
	if e := c.s.byNet[net]; e != nil {
		return c.rep(e)
	}
	return nil
}

// owner reports whether the connection's player owns an actor.
func (c *Conn) owner(a *engine.Actor) bool { return c.player != 0 && a.TopOwner().ID() == c.player }

// roleOf returns the role of the client's copy (R2.2).
func (c *Conn) roleOf(a *engine.Actor) engine.Role {
	if a.Outer != nil {
		a = a.Outer
	}
	if a.RemoteRole == engine.RoleAutonomousProxy && !c.owner(a) {
		return engine.RoleSimulatedProxy
	}
	return a.RemoteRole
}

// input returns the connection's relation to an actor, for conditions.
func (c *Conn) input(a *engine.Actor, st *sendState) engine.CondInput {
	b := engine.ConnBits{Initial: st.initial, Owner: c.owner(a), Dirty: st.dirty, IsPlayer: a.IsPlayer(), RemoteRole: c.roleOf(a)}
	return b.Input(a)
}

// ownership returns the part of input that only an owner or a role can change.
func (c *Conn) ownership(a *engine.Actor) engine.CondInput {
	return c.input(a, &sendState{}) & ofOwners
}

// ofOwners is the mask of the bits that only an owner or a role can change.
const ofOwners = engine.CondInput(engine.MaskOwner | engine.MaskRole | engine.MaskRemoteRole)

// refresh recomputes bits if an owner or a role has changed since.
func (c *Conn) refresh(r *repState, st *sendState) {
	if st.bitsFor != c.s.owners {
		st.bitsFor, st.bits = c.s.owners, c.ownership(r.ent.actor)
	}
}

// refreshAll does the same for all, so that workers need not leave the connection to the server's goroutine.
func (c *Conn) refreshAll() {
	if c.bitsFor == c.s.owners {
		return
	}
	c.bitsFor = c.s.owners
	count.Add(count.Updated, len(c.active))
	for _, r := range c.active {
		if st, ok := r.sending.Private(); ok {
			c.refresh(r, st)
		}
	}
}

// serves reports whether the connection's client accepts variables now.
func (c *Conn) serves() bool { return c.state == playing && c.player != 0 }

// watches reports whether that client's player exists and can see actors.
func (c *Conn) watches() bool { return c.serves() && c.Player() != nil }

// who returns the name of the peer for messages of scripts.
func (c *Conn) who() string {
	if c.Name != "" {
		return c.Name
	}
	return fmt.Sprintf("connection %d", c.ID)
}

func (s *Server) ownerOf(a *engine.Actor) *Conn {
	top := a.TopOwner()
	if !top.Class.IsPlayerController() {
		return nil
	}
	return s.ConnectionOf(top)
}

// worth returns the budget of one net update.
func (c *Conn) worth() float64 { return float64(c.Budget) / float64(max(1, c.s.cfg.Net)) }

func (c *Conn) channel(ch uint16) *repState {
	if rc := c.repAt(int32(ch)); rc != nil && rc.known() {
		return rc
	}
	return nil
}

// playerState returns a player's PlayerState, or nil.
func (c *Conn) playerState(pc *engine.Actor) *engine.Actor {
	if p := pc.Class.Property("PlayerReplicationInfo"); p != nil {
		return c.s.world.Actor(pc.Get(p).Ref)
	}
	return nil
}
