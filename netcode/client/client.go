// Package client is the client side of replication: copies of the server's actors, sent and received calls, fetched
// files. It joins, fetches the files it must run, maintains the copies, runs received calls and sends those of its
// scripts.
//
//	c := client.New(client.Config{Link: l, Host: host, Options: "?name=Ann"})
//	for each tick {
//		c.Receive(now)
//		if w := c.World(); w != nil { w.Step(dt) }
//		c.Send(now)
//	}
//
// A Client belongs to the goroutine that steps its world. It starts none and reads no clock.
//
// Guarantees: No server, no transport. No message from a server can crash it.
package client

import (
	"fmt"
	"time"

	"github.com/tidelock/tidelock/engine"
	"github.com/tidelock/tidelock/netcode/bundle"
	"github.com/tidelock/tidelock/netcode/link"
	"github.com/tidelock/tidelock/netcode/schema"
	"github.com/tidelock/tidelock/netcode/session"
	"github.com/tidelock/tidelock/netcode/wire"
)

// Host creates the client's world.
type Host interface {
	// Open creates the world of a match from a manifest's files, in net mode NM_Client.
	Open(w *wire.Welcome, files []bundle.File) (*engine.World, error)
	// Reload replaces the scripts of the world by those of other files, between two ticks (R5.23). On an error the
	// old ones stay.
	Reload(files []bundle.File) error
}

// Preparer is a Host that does the work of Open in steps, so that ticks and heartbeats continue meanwhile (W1.4,
// W5). Prepare is called once per tick, with the arguments of Open, until it reports that Open would now be quick.
// The arguments may change between calls.
type Preparer interface {
	Prepare(w *wire.Welcome, files []bundle.File) (done bool)
}

// Config is the configuration of a client.
type Config struct {
	// Link has dialled; the client is its handler and does not close it.
	Link link.Link
	Host Host
	// Options holds the player's options, as in a URL (R8.3); Agent names the program, for logs.
	Options, Agent string
	// Cache keeps files across connections; nil keeps none.
	Cache bundle.Cache
	// Report receives one line about something that went wrong; nil drops it.
	Report func(sev engine.Severity, text string)
	// Allowance is what scripts may send.
	Allowance Allowance
	// Elsewhere is told that the server sends the player to another host, and where (R8.7, C6); the connection stays until somebody
	// closes it. Nil: such a message ends the connection.
	Elsewhere func(url string)
	// Trace receives everything that the client sees, in order; nil for none.
	Trace func(Event)
}

// State is the state of a client.
type State uint8

// The states.
const (
	Connecting State = iota
	Loading          // welcomed: fetches files and loads
	Playing
	Closed
)

func (s State) String() string { return [...]string{"connecting", "loading", "playing", "closed"}[s] }

// EventKind is the kind of an Event.
type EventKind uint8

// The kinds of events.
const (
	Opened EventKind = iota
	ClosedChannel
	Set
	Called
	Notified
	TornOff
)

func (k EventKind) String() string {
	return [...]string{"opened", "closed", "set", "called", "notified", "torn_off"}[k]
}

// Event is something a client saw.
type Event struct {
	Kind EventKind
	// Actor is the client's copy, Net the actor's number on the wire.
	Actor *engine.Actor
	Net   uint32
	Class string
	// Name is that of the variable or the function.
	Name  string
	Value engine.Value
	// Why is the reason of ClosedChannel.
	Why  wire.Closing
	Args []engine.Value
	// Time is the client's world time.
	Time float64
}

// Client is one client.
type Client struct {
	cfg  Config
	conn link.Conn
	// next replaced conn, see Follow; kept is what was received over it already.
	next     link.Conn
	kept     [][]byte
	keptSize int
	sess     *session.Session
	state    State
	why      link.Reason
	now      time.Duration
	welcome  wire.Welcome
	world    *engine.World
	set      *schema.Set
	down     download
	reload   *wire.Classes // announced, not yet run
	// swapping holds calls of new scripts while they replace the old ones; nil at other times.
	swapping *newCalls
	cold     bool   // the server was told that there are no files here, and has not sent a welcome yet
	travels  bool   // a travel was received, and the welcome of the new world was not
	from     int64  // Session.Number of the first datagram of this world
	sentFor  uint16 // number of the message that said ready; unreliable calls wait until it is processed
	heard    bool   // sentFor is known to be processed: stored, because message numbers wrap

	channels []*channel // by number
	nets     map[uint32]*channel
	byActor  map[engine.ActorID]*channel
	came     map[string]*uint64 // bytes by class, see BytesByClass
	refs     map[uint32][]want
	refsMost int        // number of actors in refs at which unused ones are dropped
	letGo    int        // copies destroyed since then: refs may keep them alive
	opening  []*channel // copies created in this Poll that are not complete
	later    [][]byte   // reliable messages that wait for a reload
	faults   int        // reports of errors that count against faultBurst, since faultAt
	faultAt  time.Duration
	followed []followed // variables that followed a changed default in the current reload
	held     []heldRun
	// laterSize is the size of later, in bytes.
	laterSize int

	scratch     []byte
	calls       []byte
	callN       int
	args        wire.Args
	vals        wire.Values
	scratchOf   wire.Storage
	notes       []note
	up          [256][]upItem
	upDue       []*channel
	asm         wire.Assembler
	lastPayload time.Duration // when a datagram contained more than an acknowledgement
	lastAsk     time.Duration
	offset      float64 // server time minus world time
	bestRTT     time.Duration
	bestAt      time.Duration
	bestTime    int64 // of the server, when it replied, in microseconds
	nameBuf     names
	pace        pacing
	added       []uint32 // scratch of keepRaw
	pieces      []byte

	drops      map[string]uint64
	allowances allowances
}

// New returns a client that is about to join.
func New(c Config) *Client {
	return &Client{cfg: c, allowances: allowances{most: c.Allowance.withDefaults()}, nets: map[uint32]*channel{}, byActor: map[engine.ActorID]*channel{}, refs: map[uint32][]want{}}
}

// State returns the state of the client.
func (c *Client) State() State { return c.state }

// Reason returns why the connection ended.
func (c *Client) Reason() link.Reason { return c.why }

// World returns the client's world, nil before there is one.
func (c *Client) World() *engine.World { return c.world }

// Welcome returns the server's welcome.
func (c *Client) Welcome() *wire.Welcome { return &c.welcome }

// Session returns the connection's session, nil before there is one.
func (c *Client) Session() *session.Session { return c.sess }

// Channels returns how many of the server's actors and components the client has.
func (c *Client) Channels() int { return len(c.byActor) }

// Epoch returns the number of the classes that the client runs.
func (c *Client) Epoch() uint8 {
	if c.set == nil {
		return 0
	}
	return c.set.Epoch
}

// NetOf returns an actor's number on the wire, 0 for the client's own.
func (c *Client) NetOf(id engine.ActorID) uint32 {
	if ch := c.byActor[id]; ch != nil {
		return ch.net
	}
	return 0
}

// ByNet returns the copy with a number on the wire, or nil.
func (c *Client) ByNet(net uint32) *engine.Actor {
	if ch := c.nets[net]; ch != nil {
		return ch.actor
	}
	return nil
}

// Receive processes incoming data, before the world's tick. now counts from any origin.
func (c *Client) Receive(now time.Duration) {
	if now-c.now >= stoodStill {
		c.lastAsk = 0
	}
	c.now = now
	if c.sess != nil {
		c.sess.Now = now
	}
	c.cfg.Link.Poll(now, c)
	c.finishCopies()
	if c.sess == nil || c.state == Closed {
		return
	}
	c.sess.Expire(now)
	c.notifications()
	c.advance()
}

// Send sends what the tick produced: calls, variables for the server, acknowledgements.
func (c *Client) Send(now time.Duration) {
	c.now = now
	if c.sess != nil && c.state != Closed {
		c.sess.Now = now
		c.flush()
	}
	if c.world != nil {
		c.world.ClearDirty()
	}
	c.cfg.Link.Flush(now)
}

// Leave disconnects with a reason.
func (c *Client) Leave(why link.Reason) {
	if c.state == Closed {
		return
	}
	if c.sess != nil {
		c.scratch = wire.AppendKick(c.scratch[:0], wire.Refusal{Code: why.Code, Text: why.Text})
		_, _ = c.sess.Send(c.scratch) // it leaves anyway
		c.conn.Close(why)
		c.cfg.Link.Flush(c.now)
	}
	c.end(why)
}

// end remembers the first reason.
func (c *Client) end(why link.Reason) {
	if c.state == Closed {
		return
	}
	c.state, c.why = Closed, why
	if c.world != nil {
		c.world.SetRemote(nil)
	}
}

// fail gives up a connection that cannot continue.
func (c *Client) fail(code, format string, args ...any) {
	why := link.Reason{Code: code, Text: fmt.Sprintf(format, args...)}
	c.report(engine.SevError, why.Text)
	c.Leave(why)
}

func (c *Client) report(sev engine.Severity, text string) {
	if c.cfg.Report != nil {
		c.cfg.Report(sev, text)
	}
}

// trace reports an event about a copy.
func (c *Client) trace(ch *channel, e Event) {
	if c.cfg.Trace != nil {
		e.Actor, e.Net, e.Class = ch.actor, ch.net, ch.actor.Class.Name
		if c.world != nil {
			e.Time = c.world.Time
		}
		c.cfg.Trace(e)
	}
}

// Opened sends the hello; it implements link.Handler.
func (c *Client) Opened(lc link.Conn) {
	if c.state == Closed { // left meanwhile
		if c.why.Code == link.Restarted && c.next == nil {
			c.next = lc
			return
		}
		lc.Close(c.why)
		return
	}
	c.conn, c.sess = lc, session.New(lc)
	c.sess.Now = c.now
	c.cold = c.cfg.Cache == nil || c.cfg.Cache.Empty()
	m := wire.Hello{Version: wire.Version, Agent: c.cfg.Agent, Options: c.cfg.Options, Cold: c.cold}
	c.sendMessage(wire.AppendHello(c.scratch[:0], &m))
}

// Closed ends the client; it implements link.Handler.
func (c *Client) Closed(lc link.Conn, why link.Reason) {
	if c.next != nil && lc == c.next {
		c.next, c.kept = nil, nil
	}
	c.end(why)
}

// Succeeded reports whether another connection replaced the client's, which ended as link.Restarted: another client
// of the same link continues with it through Follow (G15).
func (c *Client) Succeeded() bool { return c.next != nil }

// Follow opens the client with the connection that replaced another client's.
func (c *Client) Follow(old *Client) {
	next, kept := old.next, old.kept
	old.next, old.kept = nil, nil
	c.Opened(next)
	for _, b := range kept {
		c.Message(next, b)
	}
}

// maxKept bounds, in bytes, what a server may send before Follow: it sends a welcome, and waits for the client.
// Beyond, the connection is closed, and the player's program connects again.
const maxKept = 64 << 10

// keep stores a message for Follow.
func (c *Client) keep(b []byte) {
	if c.keptSize += len(b); c.keptSize > maxKept {
		c.next.Close(link.Reason{Code: "protocol", Text: "the server sends too much before the client is ready"})
		c.next, c.kept = nil, nil
		return
	}
	c.kept = append(c.kept, append([]byte(nil), b...))
}

func (c *Client) sendMessage(b []byte) uint16 {
	c.scratch = b
	n, err := c.sess.Send(b)
	if err != nil {
		c.end(link.Reason{Code: "send", Text: "a reliable message could not be sent: " + err.Error()})
	}
	return n
}

// Message handles a reliable message; it implements link.Handler.
func (c *Client) Message(lc link.Conn, b []byte) {
	if c.state == Closed {
		if c.next != nil && lc == c.next {
			c.keep(b)
		}
		return
	}
	if err := wire.GuardNodes(b, len(b)); err != nil {
		c.fail("protocol", "the server sent a message that is not sound: %v", err)
		return
	}
	if c.reload != nil && !isFile(b) {
		if c.laterSize += len(b) + laterCost; c.laterSize > maxLater {
			c.fail("protocol", "the server sent more than %d MB while its new scripts were under way", maxLater>>20)
			return
		}
		c.later = append(c.later, append([]byte(nil), b...)) // it uses the new classes
		return
	}
	c.process(b)
}

// isFile reports whether a message is a part of a file.
func isFile(b []byte) bool {
	r := wire.NewReader(b)
	kind, _ := r.Message()
	return kind == wire.KindChunk
}

func (c *Client) process(b []byte) {
	r := wire.NewReader(b)
	for r.More() && c.state != Closed {
		kind, n := r.Message()
		if r.Err() != nil {
			break
		}
		c.message(kind, n, &r)
	}
	if c.state == Closed {
		return
	}
	if err := r.End(); err != nil {
		c.fail("protocol", "the server sent a message that is not sound: %v", err)
		return
	}
	c.sess.Processed()
	c.releaseRuns()
}

func (c *Client) message(kind wire.Kind, n int, r *wire.Reader) {
	switch kind {
	case wire.KindWelcome:
		m := r.Welcome(n)
		if r.Err() == nil {
			c.welcomed(&m)
		}
	case wire.KindRefuse, wire.KindKick:
		m := r.Refusal(n)
		if r.Err() == nil {
			why := session.Reason(m)
			c.end(why)
			c.conn.Close(why)
		}
	case wire.KindTravel:
		m := r.Travel(n)
		if r.Err() == nil {
			c.travel(&m)
		}
	case wire.KindClasses:
		m := r.Classes(n)
		if r.Err() == nil {
			c.announced(&m)
		}
	case wire.KindChunk:
		m := r.Chunk(n)
		if r.Err() == nil {
			c.take(&m)
		}
	case wire.KindOpen:
		c.open(r, n)
	case wire.KindClose:
		m := r.Close(n)
		if r.Err() == nil {
			c.closeChannel(m)
		}
	case wire.KindRole:
		m := r.Role(n)
		if r.Err() == nil {
			c.setRole(m)
		}
	case wire.KindDuty:
		m := r.Duty(n)
		if r.Err() == nil {
			c.duty(m)
		}
	case wire.KindPace:
		m := r.Pace(n)
		if r.Err() == nil {
			c.paced(m)
		}
	case wire.KindCall:
		c.receiveCall(r, n)
	default:
		r.Fail(wire.ErrKind)
	}
}
