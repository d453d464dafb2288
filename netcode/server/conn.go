package server

import (
	"math/bits"
	"slices"
	"time"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/engine/relevancy"
	"github.com/tidelock/tidelock/netcode/bundle"
	"github.com/tidelock/tidelock/netcode/link"
	"github.com/tidelock/tidelock/netcode/session"
	"github.com/tidelock/tidelock/netcode/wire"
)

func trailing(m uint64) int { return bits.TrailingZeros64(m) }

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

	sender           // fills its datagrams; workers have that part alone
	survey           // begins its relevancy passes; so with that part
	flushed   bool   // a worker did, in this net update
	gathered  bool   // list and estimate are of this net update
	estimate  int    // of gatherInTurn
	bitsFor   uint32 // Server.owners for which refreshAll was done
	recs      []*rec // by slot
	active    []*rec // those with a channel or looked at by relevancy, in the order of known
	toOpen    []*rec
	wakes     []*rec // asleep, with something to say: who may hear it is asked first (R3.12)
	spare     []*rec // scratch of confirm
	opens     []*rec // those of which a reliable message is not known to be processed
	awaiting  []await
	awaitMost int // the length of awaiting at which it is pruned
	view      relevancy.Viewer
	seenAt    uint32 // net update of which view is (see)
	sights    func(*engine.Actor) *relevancy.Sight
	flatFor   [3]*engine.Actor // player, view target and pawn for which flat holds
	lookNow   bool
	sight     relevancy.Sight // scratch
	pool      []*rec
	serial    uint32
	tests     int // of the last pass
	news      []news

	// Of the crowd (crowd.go).
	shares   int         // recs of which a common knows more
	except   []exception // of the payloads of this net update
	crowdAt  uint32      // net update from which it may join
	settling []lagging   // those that settle cannot judge before more datagrams have their fate
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

// await is a variable that was sent as nil because its target is not there (R5.13).
type await struct {
	target   engine.ActorID
	r        *rec
	serial   uint32
	variable int
}

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

// rec is what the connection has of an entity, or nil.
func (c *Conn) rec(e *entity) *rec {
	if e.slot < len(c.recs) {
		return c.recs[e.slot]
	}
	return nil
}

func (c *Conn) recAt(slot int32) *rec {
	if int(slot) < len(c.recs) {
		return c.recs[slot]
	}
	return nil
}

func (c *Conn) byNet(net uint32) *rec {
	if e := c.s.byNet[net]; e != nil {
		return c.rec(e)
	}
	return nil
}

func (c *Conn) make(e *entity) *rec {
	for e.slot >= len(c.recs) {
		c.recs = append(c.recs, nil)
	}
	if len(c.pool) == 0 {
		c.reserve()
	}
	r := c.pool[len(c.pool)-1]
	c.pool = c.pool[:len(c.pool)-1]
	c.serial++
	*r = rec{ent: e, conn: c, sub: -1, pieces: r.pieces[:0], heard: r.heard[:0]}
	r.relState = relState{seen: c.s.world.Time, slot: int32(e.slot), number: int32(uint32(e.id)), serial: c.serial, part: e.outer != nil}
	st := c.own(r)
	st.of, st.serial = e.View(), c.serial
	st.widen()
	c.recs[e.slot] = r
	r.at = len(c.active)
	c.active = append(c.active, r)
	c.add(&r.relState)
	return r
}

// reserve makes records for twice as many actors as there are, and room for them in all lists, which would else grow
// one by one as the connection comes to have more actors, or more of them at once, than ever before.
func (c *Conn) reserve() {
	const least = 48
	more := max(least, len(c.active))
	n := len(c.active) + more
	c.pool, c.due, c.list = slices.Grow(c.pool, n), slices.Grow(c.due, n-min(n, len(c.due))), slices.Grow(c.list, n-min(n, len(c.list)))
	c.active, c.known, c.slots = slices.Grow(c.active, more), slices.Grow(c.known, more), slices.Grow(c.slots, more)
	c.missing, c.news = slices.Grow(c.missing, n-min(n, len(c.missing))), slices.Grow(c.news, n-min(n, len(c.news)))
	c.absent = slices.Grow(c.absent, n-min(n, len(c.absent)))
	c.cands = slices.Grow(c.cands, 2*n-min(2*n, len(c.cands)))
	some := make([]rec, more)
	for i := range some {
		c.pool = append(c.pool, &some[i])
	}
}

// forget drops a rec that has no channel. Datagrams in flight that hold it know it by its serial.
func (c *Conn) forget(r *rec) {
	st := c.own(r)
	r.ent.dropSub(r)
	c.unwatch(&r.relState)
	c.remove(&r.relState)
	c.recs[r.ent.slot] = nil
	last := len(c.active) - 1
	c.active[r.at] = c.active[last]
	c.active[r.at].at = r.at
	c.active[last] = nil
	c.active = c.active[:last]
	if st.queued {
		c.due = drop(c.due, st)
	}
	if st.opening {
		c.toOpen = drop(c.toOpen, r)
	}
	if r.waking {
		c.wakes = drop(c.wakes, r)
	}
	r.serial, st.serial = 0, 0
	st.queued, st.opening, r.waking = false, false, false
	c.pool = append(c.pool, r)
}

// release frees everything of a connection that ended.
func (c *Conn) release() {
	c.s.crowd.leave(c)
	for i := range c.flights {
		c.flights[i].extra = nil
	}
	for _, r := range c.active {
		r.ent.dropSub(r)
	}
	// Anyone who still has the connection keeps its figures alive, not the actors and the other connections that its records lead to.
	c.active, c.recs, c.survey, c.flatFor, c.due, c.toOpen, c.wakes, c.spare, c.opens, c.list, c.pool = nil, nil, survey{}, [3]*engine.Actor{}, nil, nil, nil, nil, nil, nil, nil
	c.wides, c.awaiting, c.landings, c.items, c.except, c.settling, c.held, c.files, c.callsOut = nil, nil, nil, nil, nil, nil, nil, nil, nil
	c.accounts, c.faulty = nil, nil
	c.turns.of = nil
	c.view, c.sights, c.news, c.sender.reading = relevancy.Viewer{}, nil, nil, relevancy.Reading{}
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
func (c *Conn) input(a *engine.Actor, st *repState) engine.CondInput {
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
func (c *Conn) refresh(r *rec, st *repState) {
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
		if st, ok := r.rep.Private(); ok {
			c.refresh(r, st)
		}
	}
}

// kick closes the connection, telling the client why.
func (c *Conn) kick(why link.Reason) {
	if c.state == gone {
		return
	}
	c.scratch = wire.AppendKick(c.scratch[:0], wire.Refusal{Code: why.Code, Text: why.Text})
	if c.state == waitingHello || c.state == loading {
		c.scratch = wire.AppendRefuse(c.scratch[:0], wire.Refusal{Code: why.Code, Text: why.Text})
	}
	if _, err := c.sendReliable(c.scratch); err == nil {
		c.Traffic.Control.Bytes += uint64(len(c.scratch))
	}
	c.end(why)
	c.sess.Conn.Close(why)
}

// Kick closes the connection with a reason that its player is shown.
func (c *Conn) Kick(code, text string) { c.kick(link.Reason{Code: code, Text: text}) }

// end takes the player out of the game; the connection is swept later.
func (c *Conn) end(why link.Reason) {
	if c.state == gone {
		return
	}
	was := c.state
	c.state, c.closing = gone, why
	c.lost()
	if was == playing {
		pc := c.Player()
		c.event(EventLeave, engine.SevInfo, " left: "+why.Text)
		c.player = 0
		c.s.owners++
		if pc != nil {
			c.s.cfg.Game.Logout(pc)
		}
	}
}

// maxTold bounds the lines about what one connection does.
const maxTold = 8

// once reports what a connection does, each but once and few in all. They do not count against Server.once: a peer must not
// use up what is told of others.
func (c *Conn) once(what string) {
	if len(c.told) < maxTold && !slices.Contains(c.told, what) {
		c.told = append(c.told, what)
		c.event(EventOffence, engine.SevWarning, ": "+what)
	}
}

// offend counts an offence; too many close the connection.
func (c *Conn) offend(points float64, what string) {
	now := c.s.now
	c.offences -= c.offences * min(1, 0.2*(now-c.offendedAt).Seconds())
	c.offendedAt = now
	c.offences += points
	if points > offenceSurplus {
		c.once(what)
	}
	if c.offences >= float64(c.s.cfg.Limits.Offences) && c.state != gone {
		c.event(EventKick, engine.SevWarning, " is kicked for too many offences, the last: "+what)
		c.kick(link.Reason{Code: "offences", Text: "too many offences: " + what})
	}
}
