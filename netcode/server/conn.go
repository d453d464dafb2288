package server

import (
	"fmt"
	"time"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/engine/relevancy"
	"github.com/tidelock/tidelock/netcode/bundle"
	"github.com/tidelock/tidelock/netcode/link"
	"github.com/tidelock/tidelock/netcode/session"
	"github.com/tidelock/tidelock/netcode/wire"
)

// connState is how far a connection has come.
type connState uint8

const (
	waitingHello connState = iota
	loading                // welcomed; fetches and loads
	playing
	gone
)

// Conn is one connection and what its client has.
type Conn struct {
	// ID is the connection's number, from 1, never used twice.
	ID uint32
	// Name is the player's, for messages; Address where they are, as the link says.
	Name, Address string
	// Budget is bytes a second, headers included (R4.1).
	Budget int

	s      *Server
	sess   *session.Session
	state  connState
	since  time.Duration
	player engine.ActorID
	epoch  uint8 // of the classes that the client runs
	from   int64 // Session.Number of the first datagram whose calls are of them
	opts   string
	// faultTokens reports of script errors may come now, as of faultAt.
	faultTokens float64
	faultAt     time.Duration
	faultsBegun int // places that it was the first to report
	// carried is what Game.Depart gave of the player, until they have arrived in this world.
	carried any

	sender                // fills its datagrams; workers have that part alone
	survey                // begins its relevancy passes; so with that part
	flushed   bool        // a worker did, in this net update
	gathered  bool        // list and estimate are of this net update
	estimate  int         // of gatherInTurn
	bitsFor   uint32      // Server.owners for which refreshAll was done
	reps      []*repState // by slot
	active    []*repState // those with a channel or looked at by relevancy, in the order of known
	toOpen    []*repState
	wakes     []*repState // asleep, with something to say: who may hear it is asked first (R3.12)
	spare     []*repState // scratch of confirm
	opens     []*repState // those of which a reliable message is not known to be processed
	awaiting  []await
	awaitMost int // the length of awaiting at which it is pruned
	view      relevancy.Viewer
	seenAt    uint32 // net update of which view is (see)
	sights    func(*engine.Actor) *relevancy.Sight
	flatFor   [3]*engine.Actor // player, view target and pawn for which flat holds
	lookNow   bool
	sight     relevancy.Sight // scratch
	pool      []*repState
	serial    uint32
	tests     int // of the last pass

	// Of the group (group.go).
	shares   int         // replication states of which a shared state knows more
	except   []exception // of the payloads of this net update
	groupAt  uint32      // net update from which it may join
	settling []lagging   // those that settle cannot judge before more datagrams have a delivery notification
	scratch  []byte

	seenBytes uint64 // of link.Stats.BytesOut
	lastFlush time.Duration
	netAt     time.Duration // of the latest net update

	offences    float64
	offendedAt  time.Duration
	told        []string // reported of it
	callTokens  float64
	byteTokens  float64
	largeTokens float64
	tokensAt    time.Duration
	lastIn      time.Duration
	offered     *bundle.Bundle   // what the first welcome named, until the hello
	files       []*bundle.Parcel // to be sent
	fileFrom    int              // how much of the first was, in bytes
	fileTokens  float64
	fileAt      time.Duration
	fileDebt    float64 // bytes of files on their way to the wire: they have a rate of their own and are not of the budget
	closing     link.Reason
	held        []heldCall
	callsOut    []callOut        // reliable calls not known to be processed
	accounts    []account        // by accountNumbers
	pending     int              // reliable calls that are charged and not acknowledged
	drained     float64          // seconds: when all calls that are charged have gone out, at the host's default budget
	goneOut     float64          // the same for all reliable messages that were sent
	joined      uint64           // Server.joins when it became a player's
	dg          session.Datagram // scratch: the one being read
	readArgs    wire.Args
	// faulty are the functions whose last call by this player failed, and when (G18).
	faulty map[*engine.Function]time.Duration
}

// noEpoch is the epoch of a client that runs no classes yet.
const noEpoch = 255

// Player is the connection's PlayerController, nil before it has one.
func (c *Conn) Player() *engine.Actor { return c.s.world.Actor(c.player) }

// Session is the connection's lower half, for its figures.
func (c *Conn) Session() *session.Session { return c.sess }

// Channels is how many channels are open.
func (c *Conn) Channels() int {
	n := 0
	for _, r := range c.active {
		if r.open() {
			n++
		}
	}
	return n
}

// Saturated reports whether the budget binds: something had to wait for it, and it has not sufficed for everything since.
func (c *Conn) Saturated() bool { return c.saturated }

// rep is what the connection has of an entity, or nil.
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

// roleOf is what the client's copy is (R2.2).
func (c *Conn) roleOf(a *engine.Actor) engine.Role {
	if a.Outer != nil {
		a = a.Outer
	}
	if a.RemoteRole == engine.RoleAutonomousProxy && !c.owner(a) {
		return engine.RoleSimulatedProxy
	}
	return a.RemoteRole
}

// input is what the connection is to an actor, for conditions.
func (c *Conn) input(a *engine.Actor, st *sendState) engine.CondInput {
	b := engine.ConnBits{Initial: st.initial, Owner: c.owner(a), Dirty: st.dirty, IsPlayer: a.IsPlayer(), RemoteRole: c.roleOf(a)}
	return b.Input(a)
}

// ownership is input as far as only an owner or a role can change it.
func (c *Conn) ownership(a *engine.Actor) engine.CondInput {
	b := engine.ConnBits{Owner: c.owner(a), RemoteRole: c.roleOf(a)}
	return b.Input(a) & ofOwners
}

// ofOwners are the bits that only an owner or a role can change.
const ofOwners = engine.CondInput(engine.MaskOwner | engine.MaskRole | engine.MaskRemoteRole)

// refresh works bits out again where an owner or a role changed since.
func (c *Conn) refresh(r *repState, st *sendState) {
	if st.bitsFor != c.s.owners {
		st.bitsFor, st.bits = c.s.owners, c.ownership(r.ent.actor)
	}
}

// refreshAll does so for all, so that workers need not leave the connection to the server's goroutine.
func (c *Conn) refreshAll() {
	if c.bitsFor == c.s.owners {
		return
	}
	c.bitsFor = c.s.owners
	for _, r := range c.active {
		if st, ok := r.sending.Private(); ok {
			c.refresh(r, st)
		}
	}
}

// serves reports whether the connection's client takes variables now.
func (c *Conn) serves() bool { return c.state == playing && c.player != 0 }

// watches reports whether that client's player is there to look at actors.
func (c *Conn) watches() bool { return c.serves() && c.Player() != nil }

// who names the peer in messages of scripts.
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

// worth is one net update's budget.
func (c *Conn) worth() float64 { return float64(c.Budget) / float64(max(1, c.s.cfg.Net)) }

func (c *Conn) channel(ch uint16) *repState {
	if rc := c.repAt(int32(ch)); rc != nil && rc.known() {
		return rc
	}
	return nil
}

// playerState is a player's PlayerState, or nil.
func (c *Conn) playerState(pc *engine.Actor) *engine.Actor {
	if p := pc.Class.Property("PlayerReplicationInfo"); p != nil {
		return c.s.world.Actor(pc.Get(p).Ref)
	}
	return nil
}
