package server

import (
	"fmt"
	"math"
	"math/bits"
	"slices"
	"time"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/engine/relevancy"
	"github.com/tidelock/tidelock/netcode/bundle"
	"github.com/tidelock/tidelock/netcode/link"
	"github.com/tidelock/tidelock/netcode/session"
	"github.com/tidelock/tidelock/netcode/traffic"
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
	// Name is the player's, for messages; Address where he is, as the link says.
	Name, Address string
	// Traffic counts what crosses.
	Traffic traffic.Counters
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
	// carried is what Game.Depart gave of the player, until he has arrived in this world.
	carried any

	recs     []*rec // by slot
	looks    []look // by slot
	slots    []int  // of active, so that a pass need not touch them
	active   []*rec // those with a channel or looked at by relevancy, in no order
	due      []*rec // those that may have something to send
	toOpen   []*rec
	wakes    []*rec // asleep, with something to say: who may hear it is asked first (R3.12)
	spare    []*rec // scratch of confirm
	opens    []*rec // those of which a reliable message is not known to be processed
	list     []*rec // scratch: in order of the schedule
	resting  []*rec // scratch of gather: those that may need no channel any more
	awaiting []await
	landings []landing // in order of datagrams
	// awaitMost is the length of awaiting at which it is pruned.
	awaitMost   int
	view        relevancy.Viewer
	watch       relevancy.Watch
	seenAt      uint32 // net update of which view is (see)
	sights      func(*engine.Actor) *relevancy.Sight
	stamp       uint32     // of the relevancy pass
	passed      [2]float64 // world times of this pass and the one before
	lookNow     bool
	sight       relevancy.Sight // scratch
	pool        []*rec
	serial      uint32
	cands       []relevancy.Found
	missing     []lagging  // of a pass: what is not among those and is to be decided
	absent      []absentee // what the last pass did not find, and what was kept no more since
	hidden      int        // of a pass: those that the watch passed over
	parts       int        // of active, those that belong to another
	flat        flat
	near, tests int // of the pass under way, of the last
	effort      int // how many candidates the last search found: what is known without a search costs next to nothing
	lingering   int // of the pass under way: what needs no more than a look at when it was last found
	news        []news

	lane    *lane                              // where it is flushed
	apart   bool                               // while it is flushed beside others: nothing may be touched but what is its own, and its lane
	flushed bool                               // it was, in this net update
	outbox  []byte                             // datagrams of that, which are sent in turn
	parcels []int                              // where each ends
	missed  []sentItem                         // what was lost meanwhile
	large   []lagging                          // what no datagram holds, for the reliable stream
	items   []flying                           // ring of what datagrams in flight hold
	wides   [][wire.MaxVariables/64 - 1]uint64 // of those, variables from number 64 on; made where there are some
	sent    uint32                             // datagrams so far: the number of the next, whose lower half is its Seq
	gotNo   uint32                             // number of the newest that is known to have arrived
	got     uint64                             // bit k: number gotNo − k arrived
	flights [256]flown                         // by number
	// Of the crowd (crowd.go). Bit k of gotPay and validPay is payload lastPay − k: it arrived; payNo has its datagram.
	member, gathered     bool
	shares               int         // recs of which a common knows more
	estimate             int         // of gather
	except               []exception // of the payloads of this net update
	crowdAt              uint32      // net update from which it may join
	lastPay              uint32
	gotPay, validPay     uint64
	payNo                [64]uint32  // by payload
	payAhead, payRegular uint32      // datagrams are this far ahead of payloads, since that one
	settling             []lagging   // those that settle cannot judge before more datagrams have their fate
	key                  wire.RunKey // scratch
	itemAt               int32       // where the next one goes
	calls                []byte      // unreliable ones for the next datagram
	callN                int
	tell                 []wire.Tell
	scratch              []byte

	credit    float64 // bytes that may be sent
	foreseen  float64 // bytes taken off it for what the link has not counted yet
	seenBytes uint64  // of link.Stats.BytesOut
	lastFlush time.Duration
	vtime     float64 // virtual time of the schedule
	round     uint32  // goes up whenever nothing waited: then all tags are void
	saturated bool

	offences   float64
	offendedAt time.Duration
	told       []string // reported of it
	callTokens float64
	byteTokens float64
	tokensAt   time.Duration
	lastIn     time.Duration
	offered    *bundle.Bundle   // what the first welcome named, until the hello
	files      []*bundle.Parcel // to be sent
	fileFrom   int              // how much of the first was, in bytes
	fileTokens float64
	fileAt     time.Duration
	fileDebt   float64 // bytes of files on their way to the wire: they have a rate of their own and are not of the budget
	closing    link.Reason
	held       []heldCall
	callsOut   []uint16         // reliable messages that are calls, not known to be processed
	dg         session.Datagram // scratch: the one being read
	readArgs   wire.Args
}

// await is a variable that was sent as nil because its target is not there (R5.13).
type await struct {
	target   engine.ActorID
	r        *rec
	serial   uint32
	variable int
}

type recState uint8

// look.sure of what Conn.watch keeps, being open, and of what it passes over, having never been opened.
const (
	watched = math.MaxUint32
	hidden  = math.MaxUint32 - 1
)

const (
	recLooked  recState = iota // relevancy looks at it; the client has nothing
	recOpen                    // has a channel
	recDormant                 // no channel, but the client has the copy (R4.7)
	recLeft                    // no channel and never again: temporary, torn off
)

// look is what relevancy passes keep of a rec outside of it: most find most as it was, and touch nothing else.
type look struct {
	found uint32 // stamp of the last pass that found it
	// sure is the stamp of the last pass that found it open and near, where nothing more is asked (NoSight): while it is
	// that, rec.sight lags behind (Conn.recall). 0 for not so; watched and hidden where Conn.watch knows of it, in every pass until that says no.
	sure uint32
	// flat is the stamp of the last pass that found it where nothing but a change of it can make it go (Conn.flat); while
	// that holds, passes leave it out.
	flat uint32
	// asked is the stamp of the last pass that asks the rules about it.
	asked uint32
}

// rec is what one connection has of one entity. A net update touches thousands: what it needs of each comes first and
// lies together.
type rec struct {
	ent     *entity
	pending uint64 // variables the client is not known to have, up to number 63; the rest is in wide, here and below
	repeat  uint64 // sent once, to be sent again in the next datagram (R5.22)
	send    uint64 // scratch: what of it may go now
	bitsFor uint32 // Server.owners for which bits holds
	// The datagrams that brought the place: bit k of placed is that of number placeNo − k. Which of them arrived, the
	// connection knows (Conn.base).
	placeNo, placed uint32
	lastNo          uint32 // number + 1 of the last datagram that held something of it, 0 for none
	state           recState
	bits            engine.CondInput // of Conn.input, those that only an owner or a role can change
	initial         bool             // bNetInitial
	dirty           bool             // bNetDirty
	queued          bool             // stands in conn.due
	waits           bool             // after is not known to be processed yet
	isLate          bool             // late is not empty
	opening         bool             // stands in conn.toOpen

	conn   *Conn
	in     *common // where not nil, it knows what is sent, pending and repeated, and this rec does not
	ever   uint64  // sent since it was opened
	served float64 // world time of the last send
	wants  float64 // world time since which it has had something to send and no turn, 0 for nothing
	wide   *wide   // nil where the class is small
	serial uint32  // tells a rec from one that had its memory before
	inFrom uint32  // payload from which in holds
	after  uint16  // newest reliable message about it
	opened uint16  // reliable message that opened it

	sight   relevancy.Sight
	seen    float64 // world time at which it was last a candidate
	verdict relevancy.Verdict
	tag     float64 // start tag of the schedule, if round is the connection's
	key     float64 // scratch for sorting
	round   uint32

	sub    int  // place in ent.subs, −1 for none
	at     int  // place in conn.active
	waking bool // stands in conn.wakes
	away   bool // dormant because it is not relevant, though the client keeps its copy (R3.10)
	acks   bool // stands in conn.opens
	lags   bool // stands in conn.settling
	role   engine.Role
	owned  bool // some player owns it, as the client was told
	told   bool // the client knows its number in references
	asked  bool // something refers to it, though it never said anything

	late   wire.Mask // those for which bNetInitial still holds though it has ended (initial.go)
	pieces []uint32  // per element-wise variable: update up to which it is known to be there
	heard  []heard   // of upstream variables

	_ [24]byte // whole cache lines: they are made in rows (Conn.reserve)
}

func (r *rec) open() bool { return r.state == recOpen }

func (c *Conn) String() string {
	if c.Name != "" {
		return fmt.Sprintf("connection %d (%s, %s)", c.ID, c.Name, c.Address)
	}
	return fmt.Sprintf("connection %d (%s)", c.ID, c.Address)
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

// Saturated reports whether bandwidth made something wait in the last net update.
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
		c.recs, c.looks = append(c.recs, nil), append(c.looks, look{})
	}
	if len(c.pool) == 0 {
		c.reserve()
	}
	r := c.pool[len(c.pool)-1]
	c.pool = c.pool[:len(c.pool)-1]
	c.serial++
	*r = rec{ent: e, conn: c, sub: -1, serial: c.serial, pieces: r.pieces[:0], heard: r.heard[:0], seen: c.s.world.Time}
	r.widen()
	c.recs[e.slot] = r
	r.at = len(c.active)
	c.active, c.slots = append(c.active, r), append(c.slots, e.slot)
	if e.outer != nil {
		c.parts++
	}
	c.looks[e.slot] = look{}
	return r
}

// reserve makes records for twice as many actors as there are, and room for them in all lists, which would else grow
// one by one as the connection comes to have more actors, or more of them at once, than ever before.
func (c *Conn) reserve() {
	const least = 48
	more := max(least, len(c.active))
	n := len(c.active) + more
	c.pool, c.due, c.list = slices.Grow(c.pool, n), slices.Grow(c.due, n-min(n, len(c.due))), slices.Grow(c.list, n-min(n, len(c.list)))
	c.active, c.slots = slices.Grow(c.active, more), slices.Grow(c.slots, more)
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
	c.own(r)
	r.ent.dropSub(r)
	if r.ent.slot < len(c.recs) && c.recs[r.ent.slot] == r {
		c.unwatch(r)
		c.recs[r.ent.slot] = nil
	}
	last := len(c.active) - 1
	c.active[r.at] = c.active[last]
	c.active[r.at].at = r.at
	c.slots[r.at] = c.slots[last]
	c.active[last] = nil
	c.active, c.slots = c.active[:last], c.slots[:last]
	if r.ent.outer != nil {
		c.parts--
	}
	if r.queued {
		c.due = drop(c.due, r)
	}
	if r.opening {
		c.toOpen = drop(c.toOpen, r)
	}
	if r.waking {
		c.wakes = drop(c.wakes, r)
	}
	r.serial = 0
	r.queued, r.opening, r.waking = false, false, false
	c.pool = append(c.pool, r)
}

func drop(list []*rec, r *rec) []*rec {
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

// release frees everything of a connection that ended.
func (c *Conn) release() {
	c.s.crowd.leave(c)
	for i := range c.flights {
		c.flights[i].extra = nil
	}
	for _, r := range c.active {
		r.ent.dropSub(r)
	}
	// Whoever still has the connection keeps its figures alive, not the actors and the other connections that its records lead to.
	c.active, c.recs, c.looks, c.slots, c.due, c.toOpen, c.wakes, c.spare, c.opens, c.list, c.pool = nil, nil, nil, nil, nil, nil, nil, nil, nil, nil, nil
	c.resting = nil
	c.wides, c.awaiting, c.landings, c.items, c.cands, c.except, c.settling, c.held, c.files, c.callsOut = nil, nil, nil, nil, nil, nil, nil, nil, nil, nil
	c.view, c.watch, c.sights, c.news, c.missing = relevancy.Viewer{}, relevancy.Watch{}, nil, nil, nil
	c.absent, c.parts = nil, 0
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
func (c *Conn) input(r *rec) engine.CondInput {
	a := r.ent.actor
	b := engine.ConnBits{Initial: r.initial, Owner: c.owner(a), Dirty: r.dirty, IsPlayer: a.IsPlayer(), RemoteRole: c.roleOf(a)}
	return b.Input(a)
}

// ofOwners are the bits that only an owner or a role can change.
const ofOwners = engine.CondInput(engine.MaskOwner | engine.MaskRole | engine.MaskRemoteRole)

// inputBits is input for a class whose conditions are steady, worked out once between two changes of owners and roles.
func (c *Conn) inputBits(r *rec) engine.CondInput {
	if r.bitsFor != c.s.owners {
		r.bitsFor, r.bits = c.s.owners, c.input(r)&ofOwners
	}
	in := r.bits
	if r.initial {
		in |= engine.CondInput(engine.MaskInitial)
	}
	if r.dirty {
		in |= engine.CondInput(engine.MaskDirty)
	}
	return in
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
	if _, err := c.sess.Send(c.scratch); err == nil {
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
		c.s.report(engine.SevInfo, fmt.Sprintf("%s left: %s", c, why.Text))
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
		c.s.report(engine.SevWarning, fmt.Sprintf("%s: %s", c, what))
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
		c.s.report(engine.SevWarning, fmt.Sprintf("%s is kicked for too many offences, the last: %s", c, what))
		c.kick(link.Reason{Code: "offences", Text: "too many offences: " + what})
	}
}

// known reports whether the client has a copy: with a channel, or asleep without one.
func (r *rec) known() bool { return r.state == recOpen || r.state == recDormant }
